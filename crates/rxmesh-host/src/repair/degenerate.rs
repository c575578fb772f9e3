//! Faces without area.

use super::rebuild::{Between, NewFaces, keep_faces};
use super::weld::{WeldReport, unite};
use crate::mesh::{EdgeTable, Sets, TriMesh, is_proper};
use crate::par::IntoLean;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// Number of new faces for each face of the mesh at which cutting ends.
const MOST_NEW: usize = 4;

/// Counts of [`drop_degenerate_faces`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DegenerateReport {
    /// Faces that named a vertex twice.
    pub repeated: u64,
    /// Faces with two corners at one place: the two vertices were united.
    pub needles: u64,
    /// Faces with three corners on a line: the faces across the longest side now meet in the corner between its ends.
    pub caps: u64,
}

impl DegenerateReport {
    /// Returns the number of all of them.
    pub fn faces(&self) -> u64 {
        self.repeated + self.needles + self.caps
    }

    pub(super) fn add(&mut self, more: &DegenerateReport) {
        self.repeated += more.repeated;
        self.needles += more.needles;
        self.caps += more.caps;
    }
}

/// Drops faces without area, and tears no hole.
///
/// Faces that name a vertex twice are left out. If two corners of a face lie at exactly one place, their vertices are
/// united. If a face's corners lie on a line (the cross product of two sides is exactly 0 in double precision), the
/// faces across its longest side are cut in two at the corner between that side's ends, so that they take the place of
/// the face; texture coordinates and normals of their new corners are interpolated. On the boundary, where there is no
/// face across, such a face is dropped.
pub fn drop_degenerate_faces(mesh: &mut TriMesh) -> DegenerateReport {
    let keep: Vec<bool> = mesh.faces.par_iter().lean().map(is_proper).collect();
    let repeated = keep.iter().filter(|keep| !**keep).count() as u64;
    keep_faces(mesh, &keep);
    let needles = unite_needles(mesh);
    let caps = Caps::find(mesh).map_or(0, |caps| caps.cut(mesh));
    DegenerateReport {
        repeated,
        needles,
        caps,
    }
}

/// Returns `true` if a face has no area.
fn is_flat(mesh: &TriMesh, face: [u32; 3]) -> bool {
    let [a, b, c] = face.map(|v| mesh.positions[v as usize].as_dvec3());
    (b - a).cross(c - a) == glam::DVec3::ZERO
}

/// Unites the ends of sides of no length. Returns the number of faces that were dropped.
fn unite_needles(mesh: &mut TriMesh) -> u64 {
    let at = |v: u32| mesh.positions[v as usize];
    let needle = |f: &[u32; 3]| (0..3).any(|k| at(f[k]) == at(f[(k + 1) % 3]));
    let needles: Vec<[u32; 3]> = mesh
        .faces
        .par_iter()
        .lean()
        .filter(|f| needle(f))
        .copied()
        .collect();
    if needles.is_empty() {
        return 0;
    }
    let mut sets = Sets::new(mesh.positions.len());
    for f in needles {
        for k in 0..3 {
            if at(f[k]) == at(f[(k + 1) % 3]) {
                sets.unite(f[k], f[(k + 1) % 3]);
            }
        }
    }
    let count = mesh.positions.len() as u32;
    let to: Vec<u32> = (0..count).map(|v| sets.root(v)).collect();
    unite(mesh, &to, WeldReport::default()).collapsed
}

/// A face with its corners on a line, the longest first.
struct Cap {
    length: f64,
    face: u32,
}

impl PartialEq for Cap {
    fn eq(&self, other: &Cap) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Cap {}
impl PartialOrd for Cap {
    fn partial_cmp(&self, other: &Cap) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Cap {
    fn cmp(&self, other: &Cap) -> Ordering {
        let length = self.length.total_cmp(&other.length);
        length.then(other.face.cmp(&self.face))
    }
}

/// A face that took the place of another one.
#[derive(Clone, Copy)]
struct ReplacementFace {
    vertices: [u32; 3],
    corners: [Between; 3],
    source: u32,
}

/// Faces on a line being cut out of a mesh: the longest first, so that every cut makes sides shorter.
struct Caps {
    table: EdgeTable,
    heap: BinaryHeap<Cap>,
    /// New faces; their numbers follow those of the mesh.
    parts: Vec<ReplacementFace>,
    dead: Vec<bool>,
    /// Faces at edges that are not as in the table.
    changed: HashMap<[u32; 2], Vec<u32>>,
}

impl Caps {
    fn find(mesh: &TriMesh) -> Option<Caps> {
        let faces = mesh.faces.par_iter().enumerate().lean();
        let flat: Vec<u32> = faces
            .filter(|(_, f)| is_flat(mesh, **f))
            .map(|(f, _)| f as u32)
            .collect();
        if flat.is_empty() {
            return None;
        }
        let mut caps = Caps {
            table: EdgeTable::new(&mesh.faces, mesh.positions.len()),
            heap: BinaryHeap::new(),
            parts: Vec::new(),
            dead: vec![false; mesh.faces.len()],
            changed: HashMap::new(),
        };
        flat.into_iter().for_each(|f| caps.push(mesh, f));
        Some(caps)
    }

    /// Cuts all of them out. Returns the number of faces that were dropped.
    fn cut(mut self, mesh: &mut TriMesh) -> u64 {
        let mut count = 0;
        let most = MOST_NEW * mesh.faces.len() + 64;
        while let Some(Cap { face, .. }) = self.heap.pop() {
            if self.parts.len() > most {
                break;
            }
            if !self.dead[face as usize] {
                self.cut_one(mesh, face);
                count += 1;
            }
        }
        self.finish(mesh);
        count
    }

    fn part(&self, mesh: &TriMesh, f: u32) -> ReplacementFace {
        match (f as usize).checked_sub(mesh.faces.len()) {
            Some(new) => self.parts[new],
            None => ReplacementFace {
                vertices: mesh.faces[f as usize],
                corners: [0, 1, 2].map(|k| Between::at(3 * f + k)),
                source: f,
            },
        }
    }

    /// Returns the corner at which a face's longest side begins, and its length, squared.
    fn longest(&self, mesh: &TriMesh, f: u32) -> (usize, f64) {
        let x = self
            .part(mesh, f)
            .vertices
            .map(|v| mesh.positions[v as usize].as_dvec3());
        let side = |k: usize| (k, x[k].distance_squared(x[(k + 1) % 3]));
        let longer = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
        (1..3).map(side).fold(side(0), longer)
    }

    fn push(&mut self, mesh: &TriMesh, face: u32) {
        let (_, length) = self.longest(mesh, face);
        self.heap.push(Cap { length, face });
    }

    fn faces_at(&mut self, a: u32, b: u32) -> &mut Vec<u32> {
        let edge = [a.min(b), a.max(b)];
        let table = &self.table;
        self.changed.entry(edge).or_insert_with(|| {
            let at = table.edges.binary_search(&edge);
            at.map_or(Vec::new(), |e| {
                table.along(e).iter().map(|h| h / 3).collect()
            })
        })
    }

    fn remove(&mut self, mesh: &TriMesh, f: u32) {
        self.dead[f as usize] = true;
        let v = self.part(mesh, f).vertices;
        for k in 0..3 {
            self.faces_at(v[k], v[(k + 1) % 3]).retain(|&g| g != f);
        }
    }

    fn add(&mut self, mesh: &TriMesh, part: ReplacementFace) {
        if !is_proper(&part.vertices) {
            return;
        }
        let f = self.dead.len() as u32;
        self.dead.push(false);
        self.parts.push(part);
        let v = part.vertices;
        for k in 0..3 {
            self.faces_at(v[k], v[(k + 1) % 3]).push(f);
        }
        if is_flat(mesh, v) {
            self.push(mesh, f);
        }
    }

    /// Removes a face; those across its longest side are split at the corner opposite of that side.
    fn cut_one(&mut self, mesh: &TriMesh, f: u32) {
        let v = self.part(mesh, f).vertices;
        let (k, _) = self.longest(mesh, f);
        let [a, b, c] = [v[k], v[(k + 1) % 3], v[(k + 2) % 3]];
        let [xa, xb, xc] = [a, b, c].map(|v| mesh.positions[v as usize].as_dvec3());
        let side = xb - xa;
        let part = ((xc - xa).dot(side) / side.length_squared()).clamp(0.0, 1.0) as f32;
        self.remove(mesh, f);
        for g in self.faces_at(a, b).clone() {
            let old = self.part(mesh, g);
            let Some(k) = (0..3).find(|&k| old.vertices[k] != a && old.vertices[k] != b) else {
                continue;
            };
            // The face as (p, q, r) with the side from p to q.
            let (p, q) = ((k + 1) % 3, (k + 2) % 3);
            let part = if old.vertices[p] == a {
                part
            } else {
                1.0 - part
            };
            let middle = between(old.corners[p], old.corners[q], part);
            self.remove(mesh, g);
            for end in [q, p] {
                // This end of the side moves to the corner between.
                let mut new = old;
                new.vertices[end] = c;
                new.corners[end] = middle;
                self.add(mesh, new);
            }
        }
    }

    fn finish(self, mesh: &mut TriMesh) {
        let mut order: Vec<(u32, u32)> = (0..self.dead.len() as u32)
            .filter(|&f| !self.dead[f as usize])
            .map(|f| (self.part(mesh, f).source, f))
            .collect();
        order.sort_unstable();
        let mut new = NewFaces::default();
        for (i, &(source, f)) in order.iter().enumerate() {
            let part = self.part(mesh, f);
            new.vertices.push(part.vertices);
            new.source.push(source);
            for k in 0..3 {
                if part.corners[k] != Between::at(3 * source + k as u32) {
                    new.corners.push(((3 * i + k) as u32, part.corners[k]));
                }
            }
        }
        new.put_into(mesh);
    }
}

/// Returns the corner between two others. If one of these lies between old corners itself, the nearer of them stands
/// for it.
fn between(a: Between, b: Between, part: f32) -> Between {
    let old = |c: Between| c.corners[usize::from(c.part > 0.5)];
    let exact = |c: Between| c.corners[0] == c.corners[1];
    match (exact(a), exact(b)) {
        (true, true) => Between {
            corners: [a.corners[0], b.corners[0]],
            part,
        },
        _ => Between {
            corners: [old(a), old(b)],
            part,
        },
    }
}
