//! One vertex of several that lie at one place, or nearly so.

use super::Length;
use super::duplicates::{DuplicateReport, drop_where};
use super::rebuild::{keep_faces, keep_vertices};
use crate::mesh::{ElementKind, NORMAL, TriMesh, is_proper, place_bits};
use crate::par::IntoLean;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// Counts of [`weld`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WeldReport {
    /// Largest distance between vertices that were united, in the mesh's unit.
    pub tolerance: f64,
    /// Vertices that were removed, because an earlier one is at their place.
    pub vertices: u64,
    /// Removed vertices whose values in columns (other than normals) were not those of the vertex that stays.
    pub other_values: u64,
    /// Faces that then named a vertex twice and were dropped.
    pub collapsed: u64,
    /// Faces that then were there more than once, and were dropped.
    pub duplicates: DuplicateReport,
}

units!(WeldReport { tolerance: Length });

/// Unites vertices that lie no farther apart than the tolerance: all at exactly one place for 0.
///
/// The first of the vertices that are united stays, with its position and values. With a tolerance a vertex goes to the
/// first of those that stay and are near enough, so that none moves farther than that and rows of near vertices do not
/// run into one. Data of corners stay. Faces that name a vertex twice after it are dropped, and so are faces that occur
/// twice (as [`drop_duplicate_faces`](super::drop_duplicate_faces) does); those that were so before stay.
pub fn weld(mesh: &mut TriMesh, tolerance: Length) -> WeldReport {
    let tolerance = tolerance.on(mesh);
    let to = if tolerance > 0.0 {
        near(mesh, tolerance)
    } else {
        same_place(mesh)
    };
    let report = WeldReport {
        tolerance: tolerance * mesh.placement.scale,
        ..WeldReport::default()
    };
    unite(mesh, &to, report)
}

/// Replaces each vertex by the one named in `to`, which must be one that stays.
pub(super) fn unite(mesh: &mut TriMesh, to: &[u32], mut report: WeldReport) -> WeldReport {
    let stays: Vec<bool> = to
        .iter()
        .enumerate()
        .map(|(v, &to)| to as usize == v)
        .collect();
    report.vertices = stays.iter().filter(|stays| !**stays).count() as u64;
    if report.vertices == 0 {
        return report;
    }
    report.other_values = other_values(mesh, to);
    let mut keep = vec![true; mesh.faces.len()];
    let mut touched = vec![false; mesh.faces.len()];
    for (f, face) in mesh.faces.iter_mut().enumerate() {
        let was_proper = is_proper(face);
        let before = *face;
        *face = face.map(|v| to[v as usize]);
        touched[f] = *face != before;
        keep[f] = is_proper(face) || !was_proper;
    }
    report.collapsed = keep.iter().filter(|keep| !**keep).count() as u64;
    let mut left = keep.iter().zip(touched).filter(|(keep, _)| **keep);
    let touched: Vec<bool> = left.by_ref().map(|(_, touched)| touched).collect();
    keep_faces(mesh, &keep);
    report.duplicates = drop_where(mesh, |f| touched[f as usize]);
    keep_vertices(mesh, &stays);
    report
}

/// Returns for each vertex the first one at its place.
fn same_place(mesh: &TriMesh) -> Vec<u32> {
    let place = |v: u32| place_bits(mesh.positions[v as usize]);
    let count = mesh.positions.len() as u32;
    let mut order: Vec<([u32; 3], u32)> = (0..count)
        .into_par_iter()
        .lean()
        .map(|v| (place(v), v))
        .collect();
    order.par_sort_unstable();
    let mut to: Vec<u32> = (0..count).collect();
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        group.iter().for_each(|g| to[g.1 as usize] = group[0].1);
    }
    to
}

/// Returns for each vertex the first one of those that stay within the tolerance: itself if there is none.
fn near(mesh: &TriMesh, tolerance: f64) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    let cell = |p: DVec3| (p / tolerance).floor();
    let key = |c: DVec3| c.to_array().map(|c| (c + 0.0).to_bits());
    // In each cell, which is as wide as the tolerance, a list of vertices that stay.
    let mut first: HashMap<[u64; 3], u32> = HashMap::new();
    let mut next = vec![NONE; mesh.positions.len()];
    let mut to: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    for v in 0..mesh.positions.len() as u32 {
        let (p, own) = (x(v), cell(x(v)));
        let mut found = NONE;
        for i in 0..27u32 {
            let offset = DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) - 1.0;
            let mut at = first.get(&key(own + offset)).copied().unwrap_or(NONE);
            while at != NONE {
                if x(at).distance_squared(p) <= tolerance * tolerance {
                    found = found.min(at);
                }
                at = next[at as usize];
            }
        }
        if found != NONE {
            to[v as usize] = found;
            continue;
        }
        let head = first.entry(key(own)).or_insert(NONE);
        next[v as usize] = std::mem::replace(head, v);
    }
    to
}

/// Counts the vertices that are dropped although their values differ from those of the vertex that takes their place.
fn other_values(mesh: &TriMesh, to: &[u32]) -> u64 {
    let columns = mesh.extras.columns.iter();
    let columns: Vec<_> = columns
        .filter(|c| c.element == ElementKind::Vertex && c.name != NORMAL)
        .collect();
    let differs = |v: usize| {
        let to = to[v] as usize;
        to != v
            && columns.iter().any(|c| {
                (0..c.width).any(|k| {
                    let (a, b) = (c.data.get(v * c.width + k), c.data.get(to * c.width + k));
                    a != b && !(a.is_nan() && b.is_nan())
                })
            })
    };
    (0..to.len())
        .into_par_iter()
        .lean()
        .filter(|&v| differs(v))
        .count() as u64
}
