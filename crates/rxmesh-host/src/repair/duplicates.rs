//! Faces that are there more than once.

use super::rebuild::keep_faces;
use crate::mesh::{EdgeTable, Sets, TriMesh, is_proper};
use crate::par::IntoLean;
use rayon::prelude::*;

/// A fin has no more than this part of the faces.
const FIN: u32 = 100;

/// Counts of [`drop_duplicate_faces`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DuplicateReport {
    /// Faces that were there once more.
    pub faces: u64,
    /// Walls between two solids, and fins: faces that lay back to back, of which neither is left.
    pub walls: u64,
}

impl DuplicateReport {
    pub(super) fn add(&mut self, more: &DuplicateReport) {
        self.faces += more.faces;
        self.walls += more.walls;
    }
}

/// Drops faces that have the vertices of another one.
///
/// One of the faces with the same three vertices is left: the first of the orientation that most of them have. If both
/// orientations are equally frequent, the faces lie back to back and the rest of the mesh decides. If such faces are a
/// wall (at each edge where they end, an even number of other faces, two or more, continue without them) then both
/// sides are dropped: the two solids become one, closed and of the same volume. Otherwise they are a sheet with two
/// sides, and the first one is left.
pub fn drop_duplicate_faces(mesh: &mut TriMesh) -> DuplicateReport {
    drop_where(mesh, |_| true)
}

/// Does the same, for groups of equal faces with at least one that `counts`.
pub(super) fn drop_where(mesh: &mut TriMesh, counts: impl Fn(u32) -> bool) -> DuplicateReport {
    let proper = mesh
        .faces
        .par_iter()
        .enumerate()
        .lean()
        .filter(|(_, f)| is_proper(f));
    let mut order: Vec<([u32; 3], u32)> = proper
        .map(|(i, f)| {
            let mut corners = *f;
            corners.sort_unstable();
            (corners, i as u32)
        })
        .collect();
    order.par_sort_unstable();
    let mut keep = vec![true; mesh.faces.len()];
    let mut back_to_back = Vec::new();
    let mut report = DuplicateReport::default();
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        if group.len() < 2 || !group.iter().any(|g| counts(g.1)) {
            continue;
        }
        let even = |f: u32| is_even(mesh.faces[f as usize]);
        let evens = group.iter().filter(|g| even(g.1)).count();
        let odds = group.len() - evens;
        let stays = group
            .iter()
            .map(|g| g.1)
            .find(|&f| evens == odds || even(f) == (evens > odds));
        group
            .iter()
            .for_each(|g| keep[g.1 as usize] = Some(g.1) == stays);
        report.faces += group.len() as u64 - 1;
        if evens == odds {
            back_to_back.extend(stays);
        }
    }
    for f in walls(mesh, &keep, &back_to_back) {
        keep[f as usize] = false;
        report.faces -= 1;
        report.walls += 2;
    }
    keep_faces(mesh, &keep);
    report
}

/// Returns `true` if the corners come in ascending order, but for a rotation.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    (a < b) as u8 + (b < c) as u8 + (c < a) as u8 == 2
}

/// Returns those of the faces that stand for two back to back which are walls.
fn walls(mesh: &TriMesh, keep: &[bool], stand: &[u32]) -> Vec<u32> {
    if stand.is_empty() {
        return Vec::new();
    }
    let alive: Vec<u32> = (0..keep.len() as u32)
        .filter(|&f| keep[f as usize])
        .collect();
    let faces: Vec<[u32; 3]> = alive.iter().map(|&f| mesh.faces[f as usize]).collect();
    let table = EdgeTable::new(&faces, mesh.positions.len());
    let mut stands = vec![false; keep.len()];
    stand.iter().for_each(|&f| stands[f as usize] = true);
    let stands: Vec<bool> = alive.iter().map(|&f| stands[f as usize]).collect();
    let mut regions = Sets::new(faces.len());
    // Edges where a region ends, with the number of other faces there.
    let mut ends: Vec<(u32, usize)> = Vec::new();
    for e in 0..table.len() {
        let along = table.along(e);
        let mut inside = along.iter().map(|h| h / 3).filter(|&f| stands[f as usize]);
        let Some(first) = inside.next() else { continue };
        let more = inside.map(|f| regions.unite(first, f)).count();
        if more == 0 {
            ends.push((first, along.len() - 1));
        }
    }
    let mut seen = vec![Ends::default(); faces.len()];
    for (f, others) in ends {
        seen[regions.root(f) as usize].add(others);
    }
    for f in 0..faces.len() as u32 {
        seen[regions.root(f) as usize].faces += 1;
    }
    let small = (faces.len() as u32 / FIN).max(1);
    let mut wall = |&f: &u32| stands[f as usize] && seen[regions.root(f) as usize].is_wall(small);
    let found = (0..faces.len() as u32).filter(|f| wall(f));
    found.map(|f| alive[f as usize]).collect()
}

/// Counts of edges where faces that lie back to back end.
#[derive(Clone, Default)]
struct Ends {
    faces: u32,
    /// Edges where an even number of other faces, two or more, continue without them.
    closed: u32,
    /// Edges where there is no other face.
    free: u32,
    /// Edges with an odd number of others.
    odd: u32,
}

impl Ends {
    fn add(&mut self, others: usize) {
        match others {
            0 => self.free += 1,
            n if n % 2 == 0 => self.closed += 1,
            _ => self.odd += 1,
        }
    }

    /// Returns `true` for a wall, or a fin of at most `small` faces.
    fn is_wall(&self, small: u32) -> bool {
        self.odd == 0 && self.closed > 0 && (self.free == 0 || self.faces <= small)
    }
}
