//! A slow and complete check of a patch set against its mesh.

use std::collections::{BTreeMap, BTreeSet};

use rxmesh_kernels::topo::{Kind, PatchHeader};

use super::PatchSet;

/// A broken promise, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutFault(pub String);

impl std::fmt::Display for LayoutFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! check {
    ($out:expr, $truth:expr, $($words:tt)*) => {
        if !$truth {
            $out.push(LayoutFault(format!($($words)*)));
        }
    };
}

type Edge = (u32, u32);

/// The mesh as the check sees it: plain maps, nothing shared with the builder.
struct IncidenceMaps<'a> {
    faces: &'a [[u32; 3]],
    vertex_faces: BTreeMap<u32, BTreeSet<u32>>,
    edge_faces: BTreeMap<Edge, BTreeSet<u32>>,
}

impl<'a> IncidenceMaps<'a> {
    fn new(faces: &'a [[u32; 3]]) -> Self {
        let mut mesh = Self {
            faces,
            vertex_faces: BTreeMap::new(),
            edge_faces: BTreeMap::new(),
        };
        for (f, face) in faces.iter().enumerate() {
            for k in 0..3 {
                mesh.vertex_faces
                    .entry(face[k])
                    .or_default()
                    .insert(f as u32);
                mesh.edge_faces
                    .entry(side(*face, k))
                    .or_default()
                    .insert(f as u32);
            }
        }
        mesh
    }

    fn edges_of(&self, face: u32) -> [Edge; 3] {
        [0, 1, 2].map(|k| side(self.faces[face as usize], k))
    }

    /// Returns `true` if the component of `face` has at most `limit` faces.
    fn component_fits(&self, face: u32, limit: usize) -> bool {
        self.walk(face, |_| true, limit + 1).len() <= limit
    }

    /// Returns the faces reached from `face` across edges, through faces that are `allowed`; stops at `limit`.
    fn walk(&self, face: u32, allowed: impl Fn(u32) -> bool, limit: usize) -> BTreeSet<u32> {
        let (mut seen, mut stack) = (BTreeSet::from([face]), vec![face]);
        while let Some(face) = stack.pop() {
            for other in self.edges_of(face).iter().flat_map(|e| &self.edge_faces[e]) {
                if seen.len() < limit && allowed(*other) && seen.insert(*other) {
                    stack.push(*other);
                }
            }
        }
        seen
    }
}

fn side(face: [u32; 3], k: usize) -> Edge {
    ascending((face[k], face[(k + 1) % 3]))
}

fn ascending((a, b): Edge) -> Edge {
    (a.min(b), a.max(b))
}

/// Patch in the input's ids; `None` instead if an id is invalid.
struct PatchIds {
    /// Input vertex of each local vertex, input face of each local face.
    vertices: Vec<u32>,
    faces: Vec<u32>,
    /// Ends of each local edge, source first, and its linear id.
    edges: Vec<(Edge, u32)>,
}

impl PatchSet {
    /// Checks every promise of a patch set that was just built from this mesh. Slow.
    ///
    /// The list is empty if all is well, and stops early where continuing would make no sense.
    pub fn validate(&self, vertex_count: usize, faces: &[[u32; 3]]) -> Vec<LayoutFault> {
        let mut out = Vec::new();
        self.check_layout(&mut out);
        if out.is_empty() {
            self.check_sources(vertex_count, faces, &mut out);
        }
        if !out.is_empty() {
            return out;
        }
        let mesh = IncidenceMaps::new(faces);
        check!(
            out,
            self.counts == [vertex_count, mesh.edge_faces.len(), faces.len()].map(|n| n as u32),
            "counts {:?} are not the mesh's",
            self.counts
        );
        let views: Vec<PatchIds> = (0..self.headers.len())
            .filter_map(|patch| self.view(patch, &mut out))
            .collect();
        if !out.is_empty() {
            return out;
        }
        let edge_linear = self.check_edges(&mesh, &views, &mut out);
        for (patch, view) in views.iter().enumerate() {
            self.check_topology(&mesh, patch, view, &edge_linear, &mut out);
            self.check_ribbon(&mesh, patch, view, &mut out);
            if !self.repacked {
                self.check_contiguous(&mesh, patch, view, &mut out);
            }
            self.check_masks(patch, &mut out);
        }
        out
    }

    /// Checks that headers follow each other without overlap, and the arrays end where they do.
    fn check_layout(&self, out: &mut Vec<LayoutFault>) {
        let (mut ends, mut bases) = ([0u32; 3], [0u32; 3]);
        for (patch, h) in self.headers.iter().enumerate() {
            check!(
                out,
                [h.topology, h.mask, h.ribbon] == ends,
                "patch {patch} does not start where the one before it ends"
            );
            ends = [
                h.topology + h.topology_len(),
                h.mask + h.mask_len(),
                h.ribbon + h.ribbon_len(),
            ];
            for (k, end) in bases.iter_mut().enumerate() {
                check!(
                    out,
                    h.owned[k] <= h.total[k] && h.total[k] <= h.capacity[k],
                    "patch {patch}: owned, total, capacity of kind {k} do not ascend"
                );
                check!(out, h.base[k] >= *end, "patch {patch}: base {k} overlaps");
                *end = h.base[k] + u32::from(h.owned[k]);
            }
            check!(
                out,
                u32::from(h.capacity[1]) <= PatchHeader::MAX_EDGES,
                "patch {patch} has too many edges"
            );
        }
        let lengths = [self.topology.len(), self.masks.len(), self.ribbons.len()];
        check!(
            out,
            lengths == ends.map(|n| n as usize),
            "arrays {lengths:?} end not at {ends:?}"
        );
        for (k, end) in bases.into_iter().enumerate() {
            let owned: u32 = self.headers.iter().map(|h| u32::from(h.owned[k])).sum();
            check!(
                out,
                owned == self.counts[k],
                "kind {k}: {owned} owned elements"
            );
            check!(
                out,
                end <= self.linear_len[k],
                "kind {k}: linear ids end too early"
            );
        }
    }

    /// Checks that sources and linear ids are inverse to each other, and slack has no source.
    fn check_sources(&self, vertex_count: usize, faces: &[[u32; 3]], out: &mut Vec<LayoutFault>) {
        for (kind, source, linear, count) in [
            (
                Kind::Vertex,
                &self.vertex_source,
                &self.vertex_linear,
                vertex_count,
            ),
            (
                Kind::Face,
                &self.face_source,
                &self.face_linear,
                faces.len(),
            ),
        ] {
            check!(
                out,
                source.len() == self.linear_len[kind as usize] as usize && linear.len() == count,
                "{kind:?}: lengths of source and linear are wrong"
            );
            for (input, &id) in linear.iter().enumerate() {
                check!(
                    out,
                    source.get(id as usize) == Some(&(input as u32)),
                    "{kind:?} {input}: its linear id {id} leads elsewhere"
                );
            }
            let live = source.iter().filter(|&&s| s != u32::MAX).count();
            check!(
                out,
                live == count,
                "{kind:?}: {live} linear ids have a source"
            );
            for h in &self.headers {
                let base = h.base[kind as usize] as usize;
                let own = source.get(base..base + usize::from(h.owned[kind as usize]));
                check!(
                    out,
                    own.is_some_and(|own| !own.contains(&u32::MAX)),
                    "{kind:?}: the patch at {base} owns slack"
                );
            }
        }
    }

    fn view(&self, patch: usize, out: &mut Vec<LayoutFault>) -> Option<PatchIds> {
        let h = &self.headers[patch];
        let ids = Kind::ALL.map(|kind| {
            let k = kind as usize;
            let own = h.base[k]..h.base[k] + u32::from(h.owned[k]);
            let from = h.ribbon_section(kind) as usize;
            let live = usize::from(h.total[k] - h.owned[k]);
            let ribbon = &self.ribbons[from..from + live];
            check!(
                out,
                ribbon.is_sorted_by(|a, b| a < b) && ribbon.iter().all(|id| !own.contains(id)),
                "patch {patch}: ribbon {kind:?} is not ascending or holds own elements"
            );
            let slack = &self.ribbons[from + live..from + h.ribbon_capacity(kind) as usize];
            check!(
                out,
                slack.iter().all(|&id| id == u32::MAX),
                "patch {patch}: slack in use"
            );
            own.chain(ribbon.iter().copied()).collect::<Vec<u32>>()
        });
        let name = |source: &[u32], ids: &[u32]| -> Option<Vec<u32>> {
            ids.iter()
                .map(|&id| source.get(id as usize).copied().filter(|&s| s != u32::MAX))
                .collect()
        };
        let vertices = name(&self.vertex_source, &ids[0]);
        let faces = name(&self.face_source, &ids[2]);
        let (Some(vertices), Some(faces)) = (vertices, faces) else {
            out.push(LayoutFault(format!("patch {patch}: an id leads nowhere")));
            return None;
        };
        let at = h.ev_section() as usize;
        let rows = self.topology[at..].chunks_exact(2).zip(&ids[1]);
        let edges: Option<Vec<(Edge, u32)>> = rows
            .map(|(row, &id)| {
                let end = |k: usize| vertices.get(usize::from(row[k])).copied();
                Some(((end(0)?, end(1)?), id))
            })
            .collect();
        check!(
            out,
            edges.is_some(),
            "patch {patch}: EV names a vertex that is not local"
        );
        Some(PatchIds {
            vertices,
            faces,
            edges: edges?,
        })
    }

    /// Checks that every edge is owned once, and means the same in every patch. Returns the linear ids.
    fn check_edges(
        &self,
        mesh: &IncidenceMaps<'_>,
        views: &[PatchIds],
        out: &mut Vec<LayoutFault>,
    ) -> BTreeMap<Edge, u32> {
        let mut linear = BTreeMap::new();
        for (h, view) in self.headers.iter().zip(views) {
            for &(ends, id) in &view.edges[..usize::from(h.owned[1])] {
                check!(
                    out,
                    self.repacked || ends.0 <= ends.1,
                    "edge {ends:?} does not start at its lower vertex"
                );
                let ends = ascending(ends);
                check!(
                    out,
                    mesh.edge_faces.contains_key(&ends),
                    "{ends:?} is no edge"
                );
                check!(
                    out,
                    linear.insert(ends, id).is_none(),
                    "edge {ends:?} has two owners"
                );
            }
        }
        check!(
            out,
            linear.len() == mesh.edge_faces.len(),
            "{} edges owned",
            linear.len()
        );
        for (patch, view) in views.iter().enumerate() {
            for (ends, id) in &view.edges {
                check!(
                    out,
                    linear.get(&ascending(*ends)) == Some(id),
                    "patch {patch}: edge {ends:?} is not {id}"
                );
            }
        }
        linear
    }

    /// Checks that FE and EV give the input's corners back.
    fn check_topology(
        &self,
        mesh: &IncidenceMaps<'_>,
        patch: usize,
        view: &PatchIds,
        edge_linear: &BTreeMap<Edge, u32>,
        out: &mut Vec<LayoutFault>,
    ) {
        let at = self.headers[patch].fe_section() as usize;
        for (row, &face) in self.topology[at..].chunks_exact(3).zip(&view.faces) {
            for (k, &entry) in row.iter().enumerate() {
                let corners = mesh.faces[face as usize];
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let edge = view.edges.get(usize::from(entry >> 1));
                let ends = edge.map(|&((s, t), _)| if entry & 1 == 0 { (s, t) } else { (t, s) });
                check!(
                    out,
                    ends == Some((a, b)) && (self.repacked || (entry & 1 == 1) == (a > b)),
                    "patch {patch}: side {k} of face {face} is {ends:?}, not {:?}",
                    (a, b)
                );
                check!(
                    out,
                    edge.map(|e| e.1) == edge_linear.get(&side(corners, k)).copied(),
                    "patch {patch}: side {k} of face {face} has the wrong edge"
                );
            }
        }
    }

    /// Checks that the ribbon is what the owned elements' relations need, and nothing else.
    fn check_ribbon(
        &self,
        mesh: &IncidenceMaps<'_>,
        patch: usize,
        view: &PatchIds,
        out: &mut Vec<LayoutFault>,
    ) {
        let h = &self.headers[patch];
        let mut faces: BTreeSet<u32> = view.faces[..usize::from(h.owned[2])]
            .iter()
            .copied()
            .collect();
        let beside = faces.iter().flat_map(|&f| mesh.edges_of(f));
        let mut needed: BTreeSet<u32> = beside
            .flat_map(|e| mesh.edge_faces[&e].iter().copied())
            .collect();
        for v in &view.vertices[..usize::from(h.owned[0])] {
            needed.extend(mesh.vertex_faces.get(v).into_iter().flatten());
        }
        for &(ends, _) in &view.edges[..usize::from(h.owned[1])] {
            let around = mesh.edge_faces.get(&ascending(ends));
            needed.extend(around.into_iter().flatten());
        }
        faces.extend(needed);
        let edges: BTreeSet<Edge> = faces.iter().flat_map(|&f| mesh.edges_of(f)).collect();
        let mut vertices: BTreeSet<u32> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
        vertices.extend(&view.vertices[..usize::from(h.owned[0])]);
        let local: [BTreeSet<u32>; 2] =
            [&view.vertices, &view.faces].map(|ids| ids.iter().copied().collect());
        let local_edges: BTreeSet<Edge> = view.edges.iter().map(|e| ascending(e.0)).collect();
        check!(
            out,
            local[0] == vertices,
            "patch {patch}: local vertices are not minimal"
        );
        check!(
            out,
            local_edges == edges,
            "patch {patch}: local edges are not minimal"
        );
        check!(
            out,
            local[1] == faces,
            "patch {patch}: local faces are not minimal"
        );
    }

    /// Checks that own faces are connected, or are whole components.
    fn check_contiguous(
        &self,
        mesh: &IncidenceMaps<'_>,
        patch: usize,
        view: &PatchIds,
        out: &mut Vec<LayoutFault>,
    ) {
        let own: BTreeSet<u32> = view.faces[..usize::from(self.headers[patch].owned[2])]
            .iter()
            .copied()
            .collect();
        let Some(&first) = own.first() else {
            return;
        };
        if mesh.walk(first, |f| own.contains(&f), usize::MAX).len() == own.len() {
            return;
        }
        let mut left = own.clone();
        while let Some(&face) = left.first() {
            let part = mesh.walk(face, |_| true, own.len() + 1);
            check!(
                out,
                part.is_subset(&own) && mesh.component_fits(face, own.len()),
                "patch {patch} is neither contiguous nor a pack of whole components"
            );
            left.retain(|f| !part.contains(f));
        }
    }

    fn check_masks(&self, patch: usize, out: &mut Vec<LayoutFault>) {
        let h = &self.headers[patch];
        for kind in Kind::ALL {
            let k = kind as usize;
            for (at, count) in [
                (h.owned_mask(kind), h.owned[k]),
                (h.active_mask(kind), h.total[k]),
            ] {
                let words = &self.masks[at as usize..(at + h.mask_words(kind)) as usize];
                let right = (0..32 * words.len())
                    .all(|i| (words[i / 32] >> (i % 32) & 1 == 1) == (i < usize::from(count)));
                check!(out, right, "patch {patch}: a mask of {kind:?} is wrong");
            }
        }
    }
}
