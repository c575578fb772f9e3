//! Values of corners: texture coordinates and normals.
//!
//! At a seam a vertex has several values. *Charts* are the connected parts of a layer: two faces are in one when both
//! ends of a side that they share have the same values in both. A corner of a face that changed has the value of its
//! vertex's place in the chart of the face that it arose from, and near a seam on that face's side.

pub(super) mod charts;
pub(super) mod normals;
mod walk;

use super::fans::SeamFans;
use super::order::{NewElements, NewFace};
use super::place::{InputPoints, InputSurface};
use crate::algo::distance::tree::Nearest;
use crate::algo::distance::tree::mean;
use crate::mesh::{CornerLayer, NO_VALUE, TriMesh};
use crate::par::IntoLean;
use charts::{CornerValues, SEAM};
use rayon::prelude::*;

/// Values of a corner that differ by no more than this part of the largest one of the layer are one.
const ALIKE: f32 = 1e-6;

/// Value of a corner of a new face.
#[derive(Clone, Copy)]
enum Value {
    /// An entry of the old layer, or none.
    Entry(u32),
    /// New numbers.
    Numbers([f32; 3]),
}

/// Inputs from which the layer of a new mesh is made.
pub(super) struct Layer<'a> {
    pub(super) corners: &'a CornerValues,
    pub(super) old: &'a CornerLayer,
    pub(super) mesh: &'a TriMesh,
    pub(super) order: &'a NewElements,
    pub(super) places: &'a InputPoints,
    pub(super) surface: &'a InputSurface,
    /// Fans of the new mesh, if the seams of the layer were kept.
    pub(super) fans: Option<&'a SeamFans<'a>>,
}

impl Layer<'_> {
    /// Makes the layer. Corners of a vertex whose values are alike share an entry.
    pub(super) fn make(&self) -> CornerLayer {
        let at_seams: Vec<Vec<(u32, Value)>> = match self.fans {
            Some(fans) => {
                let vertices = (0..self.order.vertices.len() as u32).into_par_iter();
                vertices.lean().map(|v| self.at_seam(v, fans)).collect()
            }
            None => Vec::new(),
        };
        let all = (0..self.order.faces.len() as u32).into_par_iter().lean();
        let faces: Vec<[Value; 3]> = all.map(|f| self.of_face(f, &at_seams)).collect();
        let width = self.old.width;
        let mut new = CornerLayer {
            width,
            values: self.old.values.clone(),
            corners: Vec::with_capacity(3 * faces.len()),
        };
        let largest = |m: f32, x: &f32| if x.is_finite() { m.max(x.abs()) } else { m };
        let alike = ALIKE * self.old.values.iter().fold(0.0, largest);
        let mut entries: Vec<Vec<u32>> = vec![Vec::new(); self.order.vertices.len()];
        for (face, values) in self.order.faces.iter().zip(faces) {
            for (v, value) in face.corners.into_iter().zip(values) {
                let known = &mut entries[v as usize];
                let entry = match value {
                    Value::Entry(entry) => entry,
                    Value::Numbers(numbers) => {
                        let numbers = &numbers[..width];
                        let is_like = |e: &&u32| {
                            let at = width * **e as usize;
                            let old = &new.values[at..at + width];
                            old.iter().zip(numbers).all(|(a, b)| (a - b).abs() <= alike)
                        };
                        match known.iter().find(is_like) {
                            Some(&entry) => entry,
                            None => {
                                let entry = new.entries() as u32;
                                new.values.extend(numbers);
                                entry
                            }
                        }
                    }
                };
                if entry != NO_VALUE && !known.contains(&entry) {
                    known.push(entry);
                }
                new.corners.push(entry);
            }
        }
        new
    }

    fn of_face(&self, i: u32, at_seams: &[Vec<(u32, Value)>]) -> [Value; 3] {
        let face = &self.order.faces[i as usize];
        if face.same && face.corners.iter().all(|&v| self.stays(v)) {
            return self.entries_of(face.origin).map(Value::Entry);
        }
        if !self.is_valued(face) {
            return [Value::Entry(NO_VALUE); 3];
        }
        face.corners.map(|v| {
            let known = at_seams.get(v as usize).map_or(&[][..], Vec::as_slice);
            match known.binary_search_by_key(&i, |(f, _)| *f) {
                Ok(at) => known[at].1,
                Err(_) => self.of_corner(v, face),
            }
        })
    }

    /// Returns `true` if the face that one arose from has values. Flat faces get their normals when all have their
    /// places.
    fn is_valued(&self, face: &NewFace) -> bool {
        self.corners.flat.get(face.origin as usize) != Some(&true) && self.has_values(face.origin)
    }

    /// Returns the values of a vertex near a seam in the faces around it, in order: all between two seams have the same
    /// one.
    fn at_seam(&self, v: u32, fans: &SeamFans) -> Vec<(u32, Value)> {
        let entry = |w: u32| self.corners.entries[w as usize];
        let meets = |spot: Nearest| {
            let old = self.mesh.faces[spot.face as usize];
            old.iter().any(|&w| entry(w) == SEAM)
        };
        if !fans.is_near(v) && !self.places.spots[v as usize].is_some_and(meets) {
            return Vec::new();
        }
        let mut all = Vec::new();
        for mut fan in fans.around(v) {
            fan.retain(|&f| self.is_valued(&self.order.faces[f as usize]));
            let chart = |f: &u32| self.chart(self.order.faces[*f as usize].origin);
            fan.sort_unstable_by_key(|f| (chart(f), *f));
            for part in fan.chunk_by(|f, g| chart(f) == chart(g)) {
                let value = self.of_fan(v, part);
                all.extend(part.iter().map(|&f| (f, value)));
            }
        }
        all.sort_unstable_by_key(|(f, _)| *f);
        all
    }

    /// Returns the value of a vertex in faces of one chart, given by a face that knows it, or by the widest of them: a
    /// narrow one along a seam may lie on the other side of it.
    fn of_fan(&self, v: u32, fan: &[u32]) -> Value {
        let faces = fan.iter().map(|&f| &self.order.faces[f as usize]);
        if let Some(entry) = faces.clone().find_map(|face| self.own(v, face)) {
            return Value::Entry(entry);
        }
        let width = |face: &NewFace| {
            let [a, b, c] = face.corners.map(|v| self.places.at[v as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            (b - a).cross(c - a).length() / longest.max(f64::MIN_POSITIVE)
        };
        let widest = faces.max_by(|f, g| width(f).total_cmp(&width(g)));
        let place = widest.and_then(|face| self.on_side(v, face));
        place.map_or(Value::Entry(NO_VALUE), |at| self.at(at))
    }

    /// Returns the entry that a corner of a face has kept.
    fn own(&self, v: u32, face: &NewFace) -> Option<u32> {
        let vertex = self.order.vertices[v as usize];
        if !self.stays(v) {
            return None;
        }
        // A corner of the old face keeps its value there, even if its chart has several.
        let old = self.mesh.faces[face.origin as usize];
        let own = old.iter().position(|&w| w == vertex.origin);
        let own = own.map(|k| self.entries_of(face.origin)[k]);
        own.or_else(|| self.corners.entry(vertex.origin, self.chart(face.origin)))
    }

    fn stays(&self, v: u32) -> bool {
        self.places.spots[v as usize].is_none() && !self.order.vertices[v as usize].born
    }

    /// Returns the entries of the corners of an old face.
    fn entries_of(&self, face: u32) -> [u32; 3] {
        let at = 3 * face as usize;
        [0, 1, 2].map(|k| self.old.corners[at + k])
    }

    fn has_values(&self, face: u32) -> bool {
        self.entries_of(face).iter().all(|&e| e < SEAM)
    }

    fn of_corner(&self, v: u32, face: &NewFace) -> Value {
        let chart = self.chart(face.origin);
        if let Some(entry) = self.own(v, face) {
            return Value::Entry(entry);
        }
        let entry = |w: u32| self.corners.entries[w as usize];
        if let Some(spot) = self.places.spots[v as usize]
            && self.chart(spot.face) == chart
            && self.has_values(spot.face)
            && self.mesh.faces[spot.face as usize]
                .iter()
                .all(|&w| entry(w) != SEAM)
        {
            return self.at(spot);
        }
        match self.on_side(v, face) {
            Some(at) => self.at(at),
            None => Value::Entry(NO_VALUE),
        }
    }

    /// Returns the value at a place.
    fn at(&self, spot: Nearest) -> Value {
        let entries = self.entries_of(spot.face);
        let width = self.old.width;
        let value = |e: u32, k: usize| f64::from(self.old.values[width * e as usize + k]);
        let mut numbers = [0.0; 3];
        for (k, number) in numbers[..width].iter_mut().enumerate() {
            *number = mean(entries.map(|e| value(e, k)), spot.parts) as f32;
        }
        Value::Numbers(numbers)
    }

    fn chart(&self, face: u32) -> u32 {
        self.corners.charts[face as usize]
    }
}
