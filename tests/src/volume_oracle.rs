//! Naive host code: all sixteen relations of tetrahedra over the input's ids, as sets, by the definition of MeshTaichi
//! 2022, section 3.1. Elements of different kinds are neighbours when one contains the other; two of one kind when they
//! share an element of one dimension less, and vertices when they share an edge.

use crate::oracle::Sets;
use rxmesh_host::kernels::topo::Kind;
use rxmesh_host::store::{RxMesh, Volume};
use std::collections::{BTreeMap, BTreeSet};

/// Volume as sets of vertices.
pub struct VolumeOracle {
    /// Vertices of each element of each kind, ascending.
    elements: [Vec<Vec<u32>>; 4],
    /// Edges and faces by their vertices.
    ids: BTreeMap<Vec<u32>, u32>,
}

impl VolumeOracle {
    /// Makes the oracle of a mesh.
    pub fn new(vertices: usize, cells: &[[u32; 4]]) -> VolumeOracle {
        let cells: Vec<Vec<u32>> = cells.iter().map(|c| ascending(c.to_vec())).collect();
        let parts = |size: u32| -> Vec<Vec<u32>> {
            let all: BTreeSet<Vec<u32>> = cells.iter().flat_map(|c| subsets(c, size)).collect();
            all.into_iter().collect()
        };
        let vertices = (0..vertices as u32).map(|v| vec![v]).collect();
        let (edges, faces) = (parts(2), parts(3));
        let ids = [&edges, &faces].into_iter();
        let ids = ids.flat_map(|all| all.iter().cloned().zip(0..)).collect();
        VolumeOracle {
            elements: [vertices, edges, faces, cells],
            ids,
        }
    }

    /// Returns the number of elements of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.elements[kind as usize].len()
    }

    /// Returns the vertices of an element.
    pub fn vertices(&self, kind: Kind, id: u32) -> &[u32] {
        &self.elements[kind as usize][id as usize]
    }

    /// Returns the id of the edge or the face with these vertices.
    pub fn id(&self, vertices: Vec<u32>) -> u32 {
        let vertices = ascending(vertices);
        let id = self.ids.get(&vertices);
        *id.unwrap_or_else(|| panic!("the input has no element {vertices:?}"))
    }

    /// Returns the rows of the relation from one kind to another.
    pub fn relation(&self, from: Kind, to: Kind) -> Sets {
        if from == to {
            return self.same_kind(from);
        }
        let small = from.min(to);
        // The elements of the smaller kind in each of the larger.
        let mut rows = vec![BTreeSet::new(); self.count(from)];
        for (large, vertices) in self.elements[from.max(to) as usize].iter().enumerate() {
            for part in subsets(vertices, small as u32 + 1) {
                let part = match small {
                    Kind::Vertex => part[0],
                    _ => self.ids[&part],
                };
                let (source, target) = match from < to {
                    true => (part, large as u32),
                    false => (large as u32, part),
                };
                rows[source as usize].insert(target);
            }
        }
        rows.into_iter()
            .map(|row| row.into_iter().collect())
            .collect()
    }

    fn same_kind(&self, kind: Kind) -> Sets {
        let shared = match kind {
            Kind::Vertex => Kind::Edge,
            Kind::Edge => Kind::Vertex,
            Kind::Face => Kind::Edge,
            Kind::Cell => Kind::Face,
        };
        let (to, back) = (self.relation(kind, shared), self.relation(shared, kind));
        let row = |(id, shared): (usize, &Vec<u32>)| {
            let all: BTreeSet<u32> = shared
                .iter()
                .flat_map(|&s| &back[s as usize])
                .copied()
                .collect();
            all.into_iter()
                .filter(|&other| other != id as u32)
                .collect()
        };
        to.iter().enumerate().map(row).collect()
    }
}

fn ascending(mut ids: Vec<u32>) -> Vec<u32> {
    ids.sort_unstable();
    ids
}

/// Returns all subsets of a size, in order.
fn subsets(ids: &[u32], size: u32) -> Vec<Vec<u32>> {
    let masks = (0..1u32 << ids.len()).filter(|m| m.count_ones() == size);
    let pick = |mask: u32| {
        (0..ids.len())
            .filter(move |i| mask >> i & 1 == 1)
            .map(|i| ids[i])
    };
    masks.map(|mask| pick(mask).collect()).collect()
}

/// Returns the oracle's id for each linear id of each kind, read from the patches on the host and not by an engine.
pub fn names(rx: &RxMesh<Volume>, oracle: &VolumeOracle) -> [Vec<u32>; 4] {
    let set = rx.volume_set();
    let (mut edges, mut faces) = (Vec::new(), Vec::new());
    for h in &set.headers {
        let vertex = |local: u16| {
            let (local, owned) = (u32::from(local), h.owned_of(Kind::Vertex));
            let linear = match local.checked_sub(owned) {
                None => h.base_of(Kind::Vertex) + local,
                Some(i) => set.ribbons[(h.ribbon_section(Kind::Vertex) + i) as usize],
            };
            set.vertex_source[linear as usize]
        };
        let ends = |edge: u32| {
            let at = (h.ev_section() + 2 * edge) as usize;
            [set.topology[at], set.topology[at + 1]].map(vertex)
        };
        edges.extend((0..h.owned_of(Kind::Edge)).map(|e| oracle.id(ends(e).to_vec())));
        for f in 0..h.owned_of(Kind::Face) {
            let at = (h.fe_section() + 3 * f) as usize;
            let sides = set.topology[at..at + 3].iter();
            let corners: BTreeSet<u32> = sides.flat_map(|s| ends(u32::from(s >> 1))).collect();
            faces.push(oracle.id(corners.into_iter().collect()));
        }
    }
    [
        set.vertex_source.clone(),
        edges,
        faces,
        set.cell_source.clone(),
    ]
}
