//! Checks of the promises about a volume's patches, by code that shares nothing with the stages.

use std::collections::{BTreeMap, BTreeSet};

use rxmesh_kernels::topo::{Kind, PatchHeader};

use super::super::LayoutFault;
use super::VolumeSet;

macro_rules! check {
    ($out:expr, $truth:expr, $($why:tt)+) => {
        if !$truth {
            $out.push(LayoutFault(format!($($why)+)));
        }
    };
}

// These use `check!`, and so come after it.
mod linear;
mod shells;

/// Corners of the parts of a cell: edges, then faces, as seen from outside.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

fn set<const M: usize>(ids: [u32; M]) -> Vec<u32> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids
}

/// A patch in linear ids.
struct LinearPatch {
    /// Linear ids of the local V, E, F, C.
    ids: [Vec<u32>; 4],
    /// Sections EV, FE (with the direction), CV, CE, CF as linear ids.
    ev: Vec<[u32; 2]>,
    fe: Vec<[(u32, bool); 3]>,
    cv: Vec<[u32; 4]>,
    ce: Vec<[u32; 6]>,
    cf: Vec<[u32; 4]>,
}

/// Mesh in linear ids, with the cells of each edge and face.
#[derive(Default)]
struct Naive {
    /// Cells of each vertex, each edge, each face, by their vertices.
    cells_of: BTreeMap<Vec<u32>, BTreeSet<u32>>,
    /// Linear ids of edges and faces, by their vertices.
    names: BTreeMap<Vec<u32>, u32>,
}

impl VolumeSet {
    /// Checks every promise of a set that was just built from this mesh. Slow. The list is empty if all is well, and
    /// stops early where continuing would make no sense.
    pub fn validate(&self, vertex_count: usize, cells: &[[u32; 4]]) -> Vec<LayoutFault> {
        let mut out = Vec::new();
        self.check_layout(&mut out);
        self.check_names(vertex_count, cells, &mut out);
        if !out.is_empty() {
            return out;
        }
        let views: Vec<LinearPatch> = (self.headers.iter().enumerate())
            .filter_map(|(patch, h)| self.view(patch, h, &mut out))
            .collect();
        if !out.is_empty() {
            return out;
        }
        let corners: Vec<[u32; 4]> = (self.cell_source.iter())
            .map(|&c| cells[c as usize].map(|v| self.vertex_linear[v as usize]))
            .collect();
        let mesh = self.naive(&corners, &views, &mut out);
        if !out.is_empty() {
            return out;
        }
        for (patch, view) in views.iter().enumerate() {
            self.check_sections(patch, view, &corners, &mesh, &mut out);
            self.check_shells(patch, view, &corners, &mesh, &mut out);
        }
        out
    }

    fn check_layout(&self, out: &mut Vec<LayoutFault>) {
        let (mut ends, mut bases) = ([0u32; 2], [0u32; 4]);
        for (patch, h) in self.headers.iter().enumerate() {
            if patch % self.body().len() == 0 {
                // Another copy.
                ends[0] = 0;
            }
            check!(
                out,
                [h.topology, h.ribbon] == ends,
                "patch {patch} does not start where the one before it ends"
            );
            ends = [
                h.topology + h.volume_len(),
                h.ribbon + h.volume_ribbon_len(),
            ];
            for kind in Kind::VOLUME {
                let (own, near, total) = (h.owned_of(kind), h.near_of(kind), h.total_of(kind));
                check!(
                    out,
                    own <= near && near <= total,
                    "patch {patch}: sizes of {kind:?} do not ascend"
                );
                let base = &mut bases[kind as usize];
                check!(
                    out,
                    h.base_of(kind) == *base,
                    "patch {patch}: base of {kind:?}"
                );
                *base += own;
            }
            check!(out, h.capacity == h.total, "patch {patch} has slack");
            check!(
                out,
                u32::from(h.total[1]) <= PatchHeader::MAX_EDGES,
                "patch {patch} has too many edges"
            );
        }
        let lengths = [self.topology.len(), self.ribbons.len()];
        check!(
            out,
            lengths == ends.map(|n| n as usize),
            "arrays end not at {ends:?}"
        );
        check!(out, bases == self.counts, "{bases:?} owned elements");
    }

    /// Checks that sources and linear ids are inverse to each other.
    fn check_names(&self, vertex_count: usize, cells: &[[u32; 4]], out: &mut Vec<LayoutFault>) {
        for (kind, source, linear, count) in [
            (
                Kind::Vertex,
                &self.vertex_source,
                &self.vertex_linear,
                vertex_count,
            ),
            (
                Kind::Cell,
                &self.cell_source,
                &self.cell_linear,
                cells.len(),
            ),
        ] {
            let lengths = [
                source.len(),
                linear.len(),
                self.counts[kind as usize] as usize,
            ];
            check!(
                out,
                lengths == [count; 3],
                "{kind:?}: lengths of names are wrong"
            );
            for (input, &id) in linear.iter().enumerate() {
                check!(
                    out,
                    source.get(id as usize) == Some(&(input as u32)),
                    "{kind:?} {input}: its linear id {id} leads elsewhere"
                );
            }
        }
    }

    /// Checks that the sections agree with the input, and the owners are right.
    fn check_sections(
        &self,
        patch: usize,
        view: &LinearPatch,
        corners: &[[u32; 4]],
        mesh: &Naive,
        out: &mut Vec<LayoutFault>,
    ) {
        let name = |key: Vec<u32>| mesh.names.get(&key).copied();
        for (ends, id) in view.ev.iter().zip(&view.ids[1]) {
            check!(
                out,
                ends[0] < ends[1] && name(set(*ends)) == Some(*id),
                "patch {patch}: edge {id} is not {ends:?}"
            );
        }
        let ends: BTreeMap<u32, [u32; 2]> = view.ids[1]
            .iter()
            .copied()
            .zip(view.ev.iter().copied())
            .collect();
        for (sides, id) in view.fe.iter().zip(&view.ids[2]) {
            let start = |(e, turned): (u32, bool)| ends[&e][usize::from(turned)];
            let stop = |(e, turned): (u32, bool)| ends[&e][usize::from(!turned)];
            let closed = (0..3).all(|k| stop(sides[k]) == start(sides[(k + 1) % 3]));
            let face = sides.map(start);
            check!(
                out,
                closed && name(set(face)) == Some(*id),
                "patch {patch}: face {id} is not {face:?}"
            );
            let first = mesh.cells_of.get(&set(face)).and_then(BTreeSet::first);
            let outward = first.is_some_and(|&c| {
                let rounds = FACES.iter().map(|k| k.map(|i| corners[c as usize][i]));
                rounds
                    .into_iter()
                    .any(|[x, y, z]| [[x, y, z], [y, z, x], [z, x, y]].contains(&face))
            });
            check!(
                out,
                outward,
                "patch {patch}: face {id} does not face outwards"
            );
        }
        for (i, &c) in view.ids[3].iter().enumerate() {
            let cell = corners[c as usize];
            check!(
                out,
                view.cv[i] == cell,
                "patch {patch}: cell {c} is {:?}",
                view.cv[i]
            );
            if let Some(edges) = view.ce.get(i) {
                let want = EDGES.map(|k| name(set(k.map(|i| cell[i]))));
                check!(
                    out,
                    edges.map(Some) == want,
                    "patch {patch}: edges of cell {c}"
                );
            }
            if let Some(faces) = view.cf.get(i) {
                let want = FACES.map(|k| name(set(k.map(|i| cell[i]))));
                check!(
                    out,
                    faces.map(Some) == want,
                    "patch {patch}: faces of cell {c}"
                );
            }
        }
        let own = |kind: Kind, id: u32| {
            let h = &self.headers[patch];
            (h.base_of(kind)..h.base_of(kind) + h.owned_of(kind)).contains(&id)
        };
        for (&v, cells) in view.ids[0]
            .iter()
            .filter_map(|v| Some((v, mesh.cells_of.get(&vec![*v])?)))
        {
            let lowest = cells.iter().any(|&c| own(Kind::Cell, c));
            check!(
                out,
                lowest || !own(Kind::Vertex, v),
                "patch {patch} owns vertex {v} without a cell"
            );
        }
    }
}
