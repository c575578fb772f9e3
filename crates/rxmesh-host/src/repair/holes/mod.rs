//! Filling of holes: each boundary loop gets a patch of new faces.
//!
//! The steps are those of Liepa (*Filling holes in meshes*, 2003): a triangulation of the loop that folds as little as
//! possible ([`triangulate`]; large loops are first made smaller by [`ears`]), vertices inside as dense as around the
//! hole ([`refine`]), and positions of least bending that continue from the surface without a crease ([`fair`]).
//! `docs/use/repair.md` says more.

mod ears;
mod fair;
mod flip;
mod loops;
mod patch;
mod refine;
mod sew;
mod solve;
#[cfg(test)]
mod tests;
mod triangulate;

use super::Length;
use crate::Error;
use crate::mesh::{EdgeTable, MeshError, TriMesh};
use crate::options::Options;
use crate::par::IntoLean;
use loops::HoleLoop;
use patch::{HoleContext, HolePatch};
use rayon::prelude::*;
use std::collections::HashSet;

/// Kind of surface that fills a hole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum HoleFill {
    /// Faces between the existing vertices.
    Flat,
    /// New vertices as dense as around the hole, on the flat faces.
    Refined,
    /// New vertices as dense as around the hole, on a surface of least bending that continues the old one smoothly.
    #[default]
    Fair,
}

/// Options of filling holes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct HoleOptions {
    /// Leave holes of more edges.
    #[cfg_attr(feature = "cli", arg(long = "max-hole-edges", value_name = "N"))]
    pub max_edges: Option<usize>,
    /// Leave holes the diagonal of whose bounding box is longer, a length in the mesh's unit or a percentage of the
    /// mesh's diagonal ('5%').
    #[cfg_attr(feature = "cli", arg(long = "max-hole-size", value_name = "LENGTH"))]
    pub max_size: Option<Length>,
    /// Kind of surface that fills holes.
    #[cfg_attr(
        feature = "cli",
        arg(long = "fill", value_name = "HOW", default_value_t, value_enum)
    )]
    pub method: HoleFill,
    /// Close outer borders too: loops around a sheet, where the new faces would lie folded onto the old ones.
    #[cfg_attr(feature = "cli", arg(long = "fill-outer"))]
    pub outer: bool,
}

units!(HoleOptions { max_size: Length });

changeable!(HoleOptions);

impl Default for HoleOptions {
    /// Returns options for all holes, faired, and no outer border.
    fn default() -> Self {
        HoleOptions {
            max_edges: None,
            max_size: None,
            method: HoleFill::Fair,
            outer: false,
        }
    }
}

impl HoleOptions {
    fn valid(&self) -> Result<(), MeshError> {
        self.max_size
            .map_or(Ok(()), |size| size.valid("the largest hole"))
    }
}

impl Options for HoleOptions {
    fn check(&self) -> Result<(), Error> {
        Ok(self.valid()?)
    }
}

/// Reason why a hole was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum WhyLeft {
    /// Hole with more edges, or a larger one, than the options allow.
    TooLarge,
    /// Outer border: new faces would lie folded back upon the old ones.
    Outer,
    /// Open boundary: it ends at edges of more than two faces, or at faces that are turned over.
    Open,
    /// No triangulation exists, or none was found, whose faces have an area and whose edges are not in the mesh yet.
    NoTriangulation,
}

impl std::fmt::Display for WhyLeft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            WhyLeft::TooLarge => "too large",
            WhyLeft::Outer => "an outer border",
            WhyLeft::Open => "its boundary does not close",
            WhyLeft::NoTriangulation => "no triangulation found",
        })
    }
}

/// A hole that was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HoleLeft {
    /// Number of its edges.
    pub edges: usize,
    /// A vertex of it, counted from 0: the smallest.
    pub vertex: u32,
    /// Why it was left.
    pub why: WhyLeft,
}

/// Counts of filling the holes of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HoleReport {
    /// Boundary loops that were there.
    pub found: usize,
    /// Number of them that are filled.
    pub filled: usize,
    /// Holes that are left, by their smallest vertex.
    pub left: Vec<HoleLeft>,
    /// Number of new faces.
    pub faces_added: usize,
    /// Number of new vertices.
    pub vertices_added: usize,
}

/// Limit of repeated searches for holes: a filled hole can make the filling of its neighbour possible.
const MOST_PASSES: usize = 8;

/// Patches that fold more sharply than this, where simpler ones do not, are given up for those: the cosine of 120
/// degrees.
const FOLDED: f64 = -0.5;

/// Fills the holes of a mesh: each closed loop of boundary edges gets new faces, oriented as their neighbours.
///
/// A loop that comes several times to a vertex counts as several holes. New vertices come after the old ones; new
/// faces too, unless the mesh has groups: then each comes after the face whose group and values it takes. Values of
/// vertices are interpolated. No edge gets more than two faces, no face without an area is made. Nothing is done about
/// new faces that meet others in space. Holes are filled in parallel; the result does not depend on it.
///
/// Sources: Liepa (2003), Barequet and Sharir (1995), Botsch and Kobbelt (2004); `docs/use/repair.md` has the details.
///
/// # Errors
///
/// A mesh that is not valid ([`TriMesh::validate`]), options out of range, more faces than can be numbered. The mesh is
/// then unchanged.
pub fn fill_holes(mesh: &mut TriMesh, options: &HoleOptions) -> Result<HoleReport, MeshError> {
    options.valid()?;
    mesh.validate()?;
    let mut report = HoleReport::default();
    for _ in 0..MOST_PASSES {
        let pass = fill_once(mesh, options)?;
        report.filled += pass.filled;
        report.faces_added += pass.faces_added;
        report.vertices_added += pass.vertices_added;
        report.left = pass.left;
        if pass.filled == 0 || report.left.is_empty() {
            break;
        }
    }
    report.found = report.filled + report.left.len();
    Ok(report)
}

/// Fills the holes that can be filled at once.
fn fill_once(mesh: &mut TriMesh, options: &HoleOptions) -> Result<HoleReport, MeshError> {
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    let found = loops::find(mesh, &table);
    let mut report = HoleReport {
        left: found.open,
        ..HoleReport::default()
    };
    let most = options.max_size.map(|size| size.on(mesh));
    let mut wanted = Vec::new();
    for ring in found.rings {
        let around = HoleContext::new(mesh, &table, &ring);
        match refused(&ring, &around, options, most) {
            Some(why) => report.left.push(ring.left(why)),
            None => wanted.push((ring, around)),
        }
    }
    let mut patches: Vec<(HoleLoop, HolePatch)> = Vec::new();
    let mut taken: HashSet<[u32; 2]> = HashSet::new();
    // Holes that share two vertices may want the same new edge: the first takes it, the others try again without.
    while !wanted.is_empty() {
        let made: Vec<Option<HolePatch>> = wanted
            .par_iter()
            .lean()
            .map(|(ring, around)| make(ring, around, &table, &taken, options.method))
            .collect();
        let mut again = Vec::new();
        for ((ring, around), patch) in wanted.into_iter().zip(made) {
            let Some(patch) = patch else {
                report.left.push(ring.left(WhyLeft::NoTriangulation));
                continue;
            };
            let chords: Vec<[u32; 2]> = patch.chords(&ring).collect();
            if chords.iter().any(|c| taken.contains(c)) {
                again.push((ring, around));
                continue;
            }
            taken.extend(chords);
            report.filled += 1;
            report.faces_added += patch.faces.len();
            report.vertices_added += patch.points.len() - ring.vertices.len();
            patches.push((ring, patch));
        }
        wanted = again;
    }
    report.left.sort_by_key(|l| (l.vertex, l.edges, l.why));
    sew::sew(mesh, &patches)?;
    Ok(report)
}

/// Returns the reason why a hole is not wanted; `most` is the largest diagonal.
fn refused(
    ring: &HoleLoop,
    around: &HoleContext,
    options: &HoleOptions,
    most: Option<f64>,
) -> Option<WhyLeft> {
    let (low, high) = around.bounds();
    let many = options.max_edges.is_some_and(|n| ring.vertices.len() > n);
    if many || most.is_some_and(|most| low.distance(high) > most) {
        return Some(WhyLeft::TooLarge);
    }
    (!options.outer && around.is_outer()).then_some(WhyLeft::Outer)
}

/// Computes the patch of a hole.
fn make(
    ring: &HoleLoop,
    around: &HoleContext,
    table: &EdgeTable,
    taken: &HashSet<[u32; 2]>,
    method: HoleFill,
) -> Option<HolePatch> {
    let is_there = |i: u32, j: u32| {
        let (a, b) = (ring.vertices[i as usize], ring.vertices[j as usize]);
        let edge = [a.min(b), a.max(b)];
        table.edges.binary_search(&edge).is_ok() || taken.contains(&edge)
    };
    if ring.is_one_face() {
        return None;
    }
    let faces = triangulate::triangulate(around, &is_there)?;
    let flat = HolePatch::new(around, faces);
    if method == HoleFill::Flat {
        return flat.is_solid().then_some(flat);
    }
    let mut refined = flat.clone();
    refine::refine(&mut refined, around, &is_there);
    let mut fair = refined.clone();
    if method == HoleFill::Fair {
        fair::fair(&mut fair, around, &is_there);
    }
    // The best one that has not gone wrong.
    let worst = refined.sharpest().min(FOLDED);
    for mut patch in [fair, refined, flat] {
        patch.round();
        if patch.is_solid() && patch.sharpest() >= worst {
            return Some(patch);
        }
    }
    None
}
