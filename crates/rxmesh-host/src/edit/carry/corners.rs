//! Values of corners: texture coordinates and normals.
//!
//! At a seam a vertex has several values. *Charts* are the connected parts of a layer: two faces are in one when both
//! ends of a side that they share have the same values in both. A corner of a face that changed has the value of its
//! vertex's place in the chart of the face that it arose from, and near a seam on that face's side.

use super::fans::SeamFans;
use super::order::{NewElements, NewFace};
use super::place::{InputPoints, InputSurface, mean, root};
use crate::algo::distance::closest::{Nearest, closest_parts};
use crate::mesh::{CornerLayer, EdgeTable, NO_VALUE, TriMesh};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// A vertex without a value.
const NONE: u32 = NO_VALUE;
/// A vertex with more than one.
const SEAM: u32 = NO_VALUE - 1;

/// Values of a layer of corners, by vertex.
#[derive(Debug)]
pub(super) struct CornerValues {
    /// Entry of each vertex, [`NONE`] or [`SEAM`].
    entries: Vec<u32>,
    /// Chart of each face.
    charts: Vec<u32>,
    /// Chart of each vertex that has one entry.
    chart_of: Vec<u32>,
    /// Entries of vertices at seams by chart; [`SEAM`] if there are several even so.
    at_seams: HashMap<(u32, u32), u32>,
    /// Face across each side of a face, [`NONE`] at seams, boundaries and where more than two faces meet.
    across: Vec<[u32; 3]>,
    /// `true` for faces whose corners have the face normal; empty for values other than normals.
    pub(super) flat: Vec<bool>,
}

impl CornerValues {
    /// Works like [`CornerValues::new`], for normals, which may be those of the faces.
    pub(super) fn of_normals(mesh: &TriMesh, layer: &CornerLayer) -> CornerValues {
        CornerValues {
            flat: flat_faces(mesh, layer),
            ..CornerValues::new(mesh, layer)
        }
    }

    pub(super) fn new(mesh: &TriMesh, layer: &CornerLayer) -> CornerValues {
        let (charts, across) = charts(mesh, layer);
        let n = mesh.vertex_count();
        let mut corners = CornerValues {
            entries: vec![NONE; n],
            charts,
            chart_of: vec![0; n],
            at_seams: HashMap::new(),
            across,
            flat: Vec::new(),
        };
        let mut met = vec![false; n];
        let of_corners = mesh.faces.as_flattened().iter().zip(&layer.corners);
        for (i, (&v, &entry)) in of_corners.clone().enumerate() {
            let v = v as usize;
            if !std::mem::replace(&mut met[v], true) {
                corners.entries[v] = entry;
                corners.chart_of[v] = corners.charts[i / 3];
            } else if !same(layer, corners.entries[v], entry) {
                corners.entries[v] = SEAM;
            }
        }
        for (i, (&v, &entry)) in of_corners.enumerate() {
            if corners.entries[v as usize] == SEAM {
                let chart = corners.charts[i / 3];
                let at = corners.at_seams.entry((v, chart)).or_insert(entry);
                if !same(layer, *at, entry) {
                    *at = SEAM;
                }
            }
        }
        corners
    }

    /// Assigns face normals to the corners of faces that have changed and come from a flat-shaded face: the normal of
    /// the old face if they have not turned.
    pub(super) fn keep_flat(
        &self,
        old: &CornerLayer,
        order: &NewElements,
        mesh: &TriMesh,
        layer: &mut CornerLayer,
    ) {
        let corners = layer.corners.as_chunks_mut::<3>().0;
        for ((face, entries), new) in order.faces.iter().zip(corners).zip(&mesh.faces) {
            let flat = self.flat.get(face.origin as usize) == Some(&true);
            if !flat || *entries != [NO_VALUE; 3] {
                continue;
            }
            let [a, b, c] = new.map(|v| mesh.positions[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let before = old.corners[3 * face.origin as usize];
            let at = 3 * before as usize;
            let turned = Vec3::from_slice(&old.values[at..at + 3])
                .normalize_or_zero()
                .dot(normal)
                < TURNED;
            let next = (layer.values.len() / 3) as u32;
            *entries = [if turned { next } else { before }; 3];
            if turned {
                layer.values.extend(normal.to_array());
            }
        }
    }

    /// Returns the entry of an old vertex in a chart: `None` if it has none there or several.
    fn entry(&self, v: u32, chart: u32) -> Option<u32> {
        let entry = match self.entries[v as usize] {
            SEAM => *self.at_seams.get(&(v, chart))?,
            e if self.chart_of[v as usize] == chart => e,
            _ => return None,
        };
        (entry < SEAM).then_some(entry)
    }
}

/// Returns `true` if two entries have the same values.
pub(super) fn same(layer: &CornerLayer, a: u32, b: u32) -> bool {
    let bits = |e: u32| {
        let at = layer.width * e as usize;
        layer.values[at..at + layer.width]
            .iter()
            .map(|x| x.to_bits())
    };
    a == b || a < SEAM && b < SEAM && bits(a).eq(bits(b))
}

/// Returns the entries of a layer at the ends of a half-edge, at the smaller vertex first.
pub(super) fn at_ends(mesh: &TriMesh, layer: &CornerLayer, half: u32) -> [u32; 2] {
    let (f, k) = (half as usize / 3, half as usize % 3);
    let at = |k: usize| (mesh.faces[f][k % 3], layer.corners[3 * f + k % 3]);
    let (a, b) = (at(k), at(k + 1));
    if a.0 < b.0 { [a.1, b.1] } else { [b.1, a.1] }
}

/// Computes the chart of each face, and the faces across its sides in the same chart.
fn charts(mesh: &TriMesh, layer: &CornerLayer) -> (Vec<u32>, Vec<[u32; 3]>) {
    let mut parent: Vec<u32> = (0..mesh.face_count() as u32).collect();
    let mut across = vec![[NONE; 3]; mesh.face_count()];
    let table = EdgeTable::new(&mesh.faces, mesh.vertex_count());
    for w in table.starts.windows(2) {
        let halves = &table.half_edges[w[0] as usize..w[1] as usize];
        for pair in halves.windows(2) {
            let ends = [pair[0], pair[1]].map(|h| at_ends(mesh, layer, h));
            let [[a, b], [c, d]] = ends;
            if same(layer, a, c) && same(layer, b, d) {
                let [f, g] = [pair[0], pair[1]].map(|h| root(&mut parent, h / 3));
                parent[f.max(g) as usize] = f.min(g);
                if halves.len() == 2 {
                    for (h, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                        across[h as usize / 3][h as usize % 3] = other / 3;
                    }
                }
            }
        }
    }
    let charts = (0..mesh.face_count() as u32)
        .map(|f| root(&mut parent, f))
        .collect();
    (charts, across)
}

/// So much of a way to a place on a chart counts as one of distance from a point: at a seam, where both sides are near,
/// the way decides.
const ASTRAY: f64 = 3.0;

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

    /// Returns the place of a vertex near a seam on the side of a face: that which a walk from the face's origin by its
    /// centre comes to without crossing a seam, or the closest one of the chart if the walk ends far from it.
    fn on_side(&self, v: u32, face: &NewFace) -> Option<Nearest> {
        let v = v as usize;
        let (p, size) = (self.places.at[v], self.places.sizes[v]);
        let chart = self.chart(face.origin);
        let [a, b, c] = face.corners.map(|v| self.places.at[v as usize]);
        let centre = self.walk((a + b + c) / 3.0, face.origin);
        let walked = self.walk(p, centre.map_or(face.origin, |at| at.face));
        let normal = self.places.normals[v];
        let accepts = |f: u32| self.chart(f) == chart && self.has_values(f);
        let closest = self.surface.nearest(p, face.origin, normal, size, accepts);
        match (walked, closest) {
            (Some(walked), Some(closest)) => {
                let far = walked.square.sqrt() > closest.square.sqrt() + FAR * size;
                Some(if far { closest } else { walked })
            }
            (walked, closest) => walked.or(closest),
        }
    }

    /// Walks over the faces of a chart, never over a seam, from one of them to the place that is nearest to a point. A
    /// path around to the other side of a seam counts as distance: of two places that are about equally near it takes
    /// that with the shorter path.
    fn walk(&self, p: DVec3, from: u32) -> Option<Nearest> {
        let corners = |face: u32| {
            let x = self.mesh.faces[face as usize];
            x.map(|v| self.mesh.positions[v as usize].as_dvec3())
        };
        let place = |face: u32| {
            let (parts, square) = closest_parts(p, corners(face));
            Nearest {
                face,
                parts,
                square,
            }
        };
        let first = place(from);
        if !first.square.is_finite() {
            return None;
        }
        let [a, b, c] = corners(from);
        // The length of the shortest way to each face, and the point where it ends.
        let mut ways = HashMap::from([(from, (0.0, (a + b + c) / 3.0))]);
        let key = |length: f64, at: &Nearest| (length + at.square.sqrt()).to_bits();
        let mut open = BinaryHeap::from([Reverse((key(0.0, &first), from))]);
        let (mut best, mut least) = (first, ASTRAY * first.square.sqrt());
        while let Some(Reverse((bound, face))) = open.pop() {
            if f64::from_bits(bound) >= least {
                break;
            }
            let (length, end) = ways[&face];
            let x = corners(face);
            for (k, next) in self.corners.across[face as usize].into_iter().enumerate() {
                if next == NONE {
                    continue;
                }
                let middle = (x[k] + x[(k + 1) % 3]) * 0.5;
                let length: f64 = length + end.distance(middle);
                if ways.get(&next).is_some_and(|known| known.0 <= length) {
                    continue;
                }
                ways.insert(next, (length, middle));
                let at = place(next);
                if length + ASTRAY * at.square.sqrt() < least {
                    (best, least) = (at, length + ASTRAY * at.square.sqrt());
                }
                open.push(Reverse((key(length, &at), next)));
            }
        }
        // The nearest among the faces connected with that one without a detour.
        let most = best.square;
        let mut open = vec![best.face];
        let mut seen = HashSet::from([best.face]);
        while let Some(face) = open.pop() {
            for next in self.corners.across[face as usize] {
                if next != NONE && seen.insert(next) {
                    let at = place(next);
                    if at.square <= most {
                        open.push(next);
                    }
                    if (at.square, at.face) < (best.square, best.face) {
                        best = at;
                    }
                }
            }
        }
        self.has_values(best.face).then_some(best)
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

/// A walk that ends farther from a vertex than the closest place of its chart, by this part of the size of the faces
/// around it, has not come to it.
const FAR: f64 = 0.5;

/// Normalises the entries from `first` on, of three numbers each.
pub(super) fn make_units(layer: &mut CornerLayer, first: usize) {
    for n in layer.values[3 * first..].chunks_exact_mut(3) {
        let unit = Vec3::from_slice(n).normalize_or_zero();
        n.copy_from_slice(&unit.to_array());
    }
}

/// Recomputes normals of corners: the sum of the areas of the faces at a vertex whose corners have one value.
pub(super) fn renew_normals(mesh: &TriMesh, layer: &mut CornerLayer) {
    let mut sums: Vec<Vec3> = Vec::new();
    let mut places = HashMap::new();
    let corners = layer.corners.as_chunks_mut::<3>().0;
    for (face, entries) in mesh.faces.iter().zip(corners) {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
        let normal = (b - a).cross(c - a);
        for (&v, entry) in face.iter().zip(entries) {
            if *entry != NO_VALUE {
                let at = *places.entry((v, *entry)).or_insert(sums.len());
                if at == sums.len() {
                    sums.push(Vec3::ZERO);
                }
                sums[at] += normal;
                *entry = at as u32;
            }
        }
    }
    let units = sums.iter().map(|n| n.normalize_or_zero().to_array());
    layer.values = units.flatten().collect();
}

/// Returns for each face `true` if its corners have one normal, which is the face's.
pub(super) fn flat_faces(mesh: &TriMesh, layer: &CornerLayer) -> Vec<bool> {
    let corners = layer.corners.as_chunks::<3>().0;
    let flat = |(face, entries): (&[u32; 3], &[u32; 3])| {
        let [a, b, c] = *entries;
        if a >= SEAM || !same(layer, a, b) || !same(layer, b, c) {
            return false;
        }
        let [p, q, r] = face.map(|v| mesh.positions[v as usize]);
        let up = (q - p).cross(r - p).normalize_or_zero();
        let at = 3 * a as usize;
        let n = Vec3::from_slice(&layer.values[at..at + 3]);
        n.normalize_or_zero().dot(up) > FLAT
    };
    mesh.faces.iter().zip(corners).map(flat).collect()
}

/// A flat face has turned where the cosine between its normals is below this.
const TURNED: f32 = 0.999_99;

/// Least cosine between a face and the normal of its corners where it counts as flat: normals of files have few digits.
const FLAT: f32 = 0.999;
