//! Contents of each patch, in the order of its local ids.

use crate::par::IntoLean;
use std::ops::Range;

use rayon::prelude::*;
use rxmesh_kernels::topo::{Kind, PatchHeader};

use super::super::error::PatchError;
use super::super::ribbon::MAX_LOCAL;
use super::super::shared::SmallMap;
use super::owners::Owners;
use super::parts::{Pairs, Simplices, Triples, key, local_cells};

/// Mesh with the owners of its elements.
pub(super) struct OwnedMesh<'a> {
    pub(super) owners: &'a Owners,
    pub(super) edges: &'a Simplices<2>,
    pub(super) faces: &'a Simplices<3>,
    /// Ribbon cells of each patch.
    pub(super) ribbons: &'a [Vec<u32>],
}

/// Elements of one kind that a patch holds, as linear ids.
#[derive(Default)]
pub(super) struct Held {
    pub(super) own: Range<u32>,
    /// Shell 0, then shell 1, each ascending.
    pub(super) ribbon: Vec<u32>,
    /// Number of them in shell 0.
    pub(super) near: usize,
}

impl Held {
    /// Collects all elements that are needed, those in shell 0 first. `set` may have any contents, and `most` bounds
    /// the number of elements.
    fn new(
        own: Range<u32>,
        (set, most): (&mut SmallMap, usize),
        near: impl Iterator<Item = u32>,
        all: impl Iterator<Item = u32>,
    ) -> Self {
        set.reset(most);
        let mut ribbon = Vec::new();
        let mut add = |ids: &mut dyn Iterator<Item = u32>| {
            let from = ribbon.len();
            ribbon.extend(ids.filter(|id| !own.contains(id) && set.insert(*id, 0)));
            ribbon[from..].sort_unstable();
            ribbon.len()
        };
        let near = add(&mut { near });
        add(&mut { all });
        Held { own, ribbon, near }
    }

    pub(super) fn total(&self) -> usize {
        self.own.len() + self.ribbon.len()
    }
}

/// Contents of one patch.
pub(super) struct PatchContents {
    /// Vertices, edges, faces.
    pub(super) held: [Held; 3],
    /// Edges of the local cells, if there are any.
    pub(super) cell_edges: Vec<[u32; 6]>,
    /// Faces of the local cells, if there are any.
    pub(super) cell_faces: Vec<[u32; 4]>,
}

impl OwnedMesh<'_> {
    /// Returns the linear cells of a patch, by local id.
    pub(super) fn cells(&self, patch: usize) -> impl Iterator<Item = u32> + Clone {
        local_cells(self.owners, patch, &self.ribbons[patch])
    }

    /// Returns the corners of a patch's cells, by local id.
    pub(super) fn corners(&self, patch: usize) -> impl Iterator<Item = &[u32; 4]> + Clone {
        self.cells(patch).map(|c| &self.owners.corners[c as usize])
    }

    /// Returns the edges of a face, as linear ids: those of its key's vertices 01, 12, 02.
    pub(super) fn face_edges(&self, face: u32) -> [u32; 3] {
        let [a, b, c] = self.faces.keys[face as usize];
        [[a, b], [b, c], [a, c]].map(|key| self.edges.find(&key))
    }

    /// Computes the contents of all patches.
    pub(super) fn locals(&self) -> Result<Vec<PatchContents>, PatchError> {
        (0..self.ribbons.len())
            .into_par_iter()
            .lean()
            .map_init(SmallMap::default, |set, patch| self.local(patch, set))
            .collect()
    }

    fn local(&self, patch: usize, set: &mut SmallMap) -> Result<PatchContents, PatchError> {
        let range = |starts: &[u32]| starts[patch]..starts[patch + 1];
        let own_cells = range(&self.owners.cells).len();
        let own = [
            range(&self.owners.vertices),
            range(&self.edges.starts),
            range(&self.faces.starts),
        ];
        let (mut cell_edges, mut cell_faces) = (Vec::new(), Vec::new());
        if !self.edges.keys.is_empty() {
            let edge = |row: &[u32; 4], k| self.edges.find(&key::<2, Pairs>(row, k));
            cell_edges
                .extend((self.corners(patch)).map(|row| std::array::from_fn(|k| edge(row, k))));
        }
        if !self.faces.keys.is_empty() {
            let face = |row: &[u32; 4], k| self.faces.find(&key::<3, Triples>(row, k));
            cell_faces
                .extend((self.corners(patch)).map(|row| std::array::from_fn(|k| face(row, k))));
        }
        let of_own = |rows: usize| rows.min(own_cells);
        let near_vertices = self
            .corners(patch)
            .take(own_cells)
            .flatten()
            .chain(own[1].clone().flat_map(|e| &self.edges.keys[e as usize]))
            .chain(own[2].clone().flat_map(|f| &self.faces.keys[f as usize]));
        let near_edges = cell_edges[..of_own(cell_edges.len())]
            .iter()
            .flatten()
            .copied()
            .chain(own[2].clone().flat_map(|f| self.face_edges(f)));
        let near_faces = cell_faces[..of_own(cell_faces.len())].iter().flatten();
        // An edge or a face of a ribbon is one of a local cell's.
        let cells = self.cells(patch).count();
        let held = [
            Held::new(
                own[0].clone(),
                (set, 4 * cells),
                near_vertices.copied(),
                self.corners(patch).flatten().copied(),
            ),
            Held::new(
                own[1].clone(),
                (set, 6 * cells),
                near_edges,
                cell_edges.iter().flatten().copied(),
            ),
            Held::new(
                own[2].clone(),
                (set, 4 * cells),
                near_faces.copied(),
                cell_faces.iter().flatten().copied(),
            ),
        ];
        self.check(patch, &held)?;
        Ok(PatchContents {
            held,
            cell_edges,
            cell_faces,
        })
    }

    /// Refuses more elements than 16 bits can name.
    fn check(&self, patch: usize, held: &[Held; 3]) -> Result<(), PatchError> {
        let cells = self.cells(patch).count();
        for (kind, count, limit) in [
            (Kind::Vertex, held[0].total(), MAX_LOCAL),
            (Kind::Edge, held[1].total(), PatchHeader::MAX_EDGES),
            (Kind::Face, held[2].total(), MAX_LOCAL),
            (Kind::Cell, cells, MAX_LOCAL),
        ] {
            if count > limit as usize {
                let (vertex, valence) = self.busiest_vertex(patch, held[0].own.clone());
                return Err(PatchError::VolumePatchTooLarge {
                    kind,
                    count: count as u64,
                    limit: limit.into(),
                    vertex,
                    valence,
                });
            }
        }
        Ok(())
    }

    /// Returns the owned vertex with the most cells, as an input vertex, and their number.
    fn busiest_vertex(&self, patch: usize, own: Range<u32>) -> (u32, u64) {
        let mut valence = vec![0u64; own.len()];
        for &v in self.corners(patch).flatten() {
            if own.contains(&v) {
                valence[(v - own.start) as usize] += 1;
            }
        }
        let most = valence.iter().enumerate();
        let most = most.max_by_key(|&(v, &count)| (count, std::cmp::Reverse(v)));
        most.map_or((0, 0), |(v, &count)| {
            let vertex = own.start as usize + v;
            (self.owners.vertex_source[vertex], count)
        })
    }
}
