//! Elements that each patch holds without owning them.
//!
//! A patch needs, beside its own faces, every face around a vertex that it owns and every face that shares
//! an edge with one of its own (which covers the faces around edges that it owns: the owner of an
//! edge always has a face on it). Each face tells this to the patches concerned; so no
//! table from vertices to faces is ever built.

use crate::par::IntoLean;
use rayon::prelude::*;
use rxmesh_kernels::topo::{Kind, PatchHeader};

use super::elements::Elements;
use super::error::PatchError;
use super::rings::around;
use super::shared::{Locator, SmallMap, prefix_sum};

/// Most local vertices or faces that a patch can have: their number has 16 bits.
pub(super) const MAX_LOCAL: u32 = u16::MAX as u32;

/// Ribbons of all patches, as dense ids, ascending within each patch.
pub(super) struct Ribbons {
    /// Start of each patch's ribbon faces in `faces`.
    face_starts: Vec<u32>,
    faces: Vec<u32>,
    /// Ribbon vertices and edges of each patch.
    lists: Vec<[Vec<u32>; 2]>,
}

impl Ribbons {
    /// Returns the ribbon of one kind of one patch.
    pub(super) fn list(&self, patch: usize, kind: Kind) -> &[u32] {
        match kind {
            Kind::Face => {
                &self.faces[self.face_starts[patch] as usize..self.face_starts[patch + 1] as usize]
            }
            kind => &self.lists[patch][kind as usize],
        }
    }
}

/// Finds the ribbons of all patches.
pub(super) fn build(next: &[u32], elements: &Elements) -> Result<Ribbons, PatchError> {
    let told = tell_all(next, elements);
    let (face_starts, faces) = sort_by_patch(&told);
    let lists = told
        .par_iter()
        .enumerate()
        .lean()
        .map_init(SmallMap::default, |seen, (patch, told)| {
            let ribbon = &faces[face_starts[patch] as usize..face_starts[patch + 1] as usize];
            rest_of_ribbon(next, elements, patch, (told, ribbon), seen)
        })
        .collect::<Result<_, _>>()?;
    Ok(Ribbons {
        face_starts,
        faces,
        lists,
    })
}

/// A patch that needs a face, and the face.
type NeededFace = (u32, u32);

/// Collects the messages of the faces of each patch to other patches.
fn tell_all(next: &[u32], elements: &Elements) -> Vec<Vec<NeededFace>> {
    let vertices = Locator::new(&elements.starts[0]);
    let faces = Locator::new(&elements.starts[2]);
    (0..elements.starts[0].len() - 1)
        .into_par_iter()
        .lean()
        .map(|patch| tell(next, elements, patch, &vertices, &faces))
        .collect()
}

/// Sorts the ribbon faces by patch.
fn sort_by_patch(told: &[Vec<NeededFace>]) -> (Vec<u32>, Vec<u32>) {
    let mut counts = vec![0; told.len()];
    for &(patch, _) in told.iter().flatten() {
        counts[patch as usize] += 1;
    }
    let starts = prefix_sum(counts);
    let mut cursor = starts.clone();
    let mut sorted = vec![0; starts[told.len()] as usize];
    for &(patch, face) in told.iter().flatten() {
        let at = &mut cursor[patch as usize];
        sorted[*at as usize] = face;
        *at += 1;
    }
    (starts, sorted)
}

/// Returns the other patches that need a face of this patch, as pairs of patch and face.
fn tell(
    next: &[u32],
    elements: &Elements,
    patch: usize,
    vertices: &Locator<'_>,
    faces: &Locator<'_>,
) -> Vec<NeededFace> {
    let own_vertices = elements.starts[0][patch]..elements.starts[0][patch + 1];
    let own_faces = elements.starts[2][patch]..elements.starts[2][patch + 1];
    let own_sides = 3 * own_faces.start..3 * own_faces.end;
    let mut told = Vec::new();
    let mut targets: Vec<u32> = Vec::new();
    for face in own_faces {
        targets.clear();
        for &v in &elements.corners[face as usize] {
            if !own_vertices.contains(&v) {
                targets.push(vertices.find(v));
            }
        }
        for side in 3 * face..3 * face + 3 {
            if let Some(patches) = elements.long.patches(side) {
                targets.extend(patches.iter().filter(|&&p| p != patch as u32));
                continue;
            }
            let others = around(next, side).filter(|at| !own_sides.contains(at));
            targets.extend(others.map(|at| faces.find(at / 3)));
        }
        if !targets.is_empty() {
            targets.sort_unstable();
            targets.dedup();
            told.extend(targets.iter().map(|&target| (target, face)));
        }
    }
    told
}

/// Returns the ribbon vertices and edges of one patch. Its own faces that hold any are among those that it told others
/// of.
fn rest_of_ribbon(
    next: &[u32],
    elements: &Elements,
    patch: usize,
    (told, ribbon_faces): (&[NeededFace], &[u32]),
    seen: &mut SmallMap,
) -> Result<[Vec<u32>; 2], PatchError> {
    let range = |kind: usize| elements.starts[kind][patch]..elements.starts[kind][patch + 1];
    let border_faces = || told.iter().map(|t| t.1).chain(ribbon_faces.iter().copied());
    // Most ribbon elements lie on ribbon faces, most of which hold few new ones.
    let most = 3 * (ribbon_faces.len() + told.len());
    seen.reset(most);
    let mut vertices = Vec::with_capacity(ribbon_faces.len() + 16);
    for face in border_faces() {
        for v in elements.corners[face as usize] {
            if !range(0).contains(&v) && seen.insert(v, 0) {
                vertices.push(v);
            }
        }
    }
    vertices.sort_unstable();
    seen.reset(most);
    let mut edges = Vec::with_capacity(2 * ribbon_faces.len() + 16);
    for side in border_faces().flat_map(|face| 3 * face..3 * face + 3) {
        let edge = elements.side(next, side) >> 1;
        if !range(1).contains(&edge) && seen.insert(edge, 0) {
            edges.push(edge);
        }
    }
    edges.sort_unstable();
    let totals = [
        (Kind::Vertex, range(0).len() + vertices.len(), MAX_LOCAL),
        (
            Kind::Edge,
            range(1).len() + edges.len(),
            PatchHeader::MAX_EDGES,
        ),
        (Kind::Face, range(2).len() + ribbon_faces.len(), MAX_LOCAL),
    ];
    for (kind, count, limit) in totals {
        if count > limit as usize {
            let local_faces = range(2).chain(ribbon_faces.iter().copied());
            let (vertex, valence) = busiest_vertex(elements, range(0), local_faces);
            return Err(PatchError::PatchTooLarge {
                kind,
                count: count as u64,
                limit: limit.into(),
                vertex,
                valence,
            });
        }
    }
    Ok([vertices, edges])
}

/// Returns the owned vertex with the most faces, as an input vertex, and their number.
fn busiest_vertex(
    elements: &Elements,
    own: std::ops::Range<u32>,
    faces: impl Iterator<Item = u32>,
) -> (u32, u64) {
    let mut valence = vec![0u64; own.len()];
    for face in faces {
        let mut corners = elements.corners[face as usize];
        corners.sort_unstable();
        for (k, v) in corners.iter().enumerate() {
            if own.contains(v) && (k == 0 || corners[k - 1] != *v) {
                valence[(v - own.start) as usize] += 1;
            }
        }
    }
    let most =
        (valence.iter().enumerate()).max_by_key(|&(v, &count)| (count, std::cmp::Reverse(v)));
    most.map_or((0, 0), |(v, &count)| {
        (elements.vertex_source[own.start as usize + v], count)
    })
}
