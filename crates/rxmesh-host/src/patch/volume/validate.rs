//! Checks of the promises about a volume's patches, by code that shares nothing with the stages.

use std::collections::{BTreeMap, BTreeSet};

use rxmesh_kernels::topo::{Kind, Needs, PatchHeader};

use super::super::LayoutFault;
use super::VolumeSet;

macro_rules! check {
    ($out:expr, $truth:expr, $($why:tt)+) => {
        if !$truth {
            $out.push(LayoutFault(format!($($why)+)));
        }
    };
}

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

    fn view(
        &self,
        patch: usize,
        h: &PatchHeader,
        out: &mut Vec<LayoutFault>,
    ) -> Option<LinearPatch> {
        let ids = Kind::VOLUME.map(|kind| {
            let own = h.base_of(kind)..h.base_of(kind) + h.owned_of(kind);
            let at = h.ribbon_section(kind) as usize;
            let ribbon = &self.ribbons[at..][..h.ribbon_capacity(kind) as usize];
            let near = (h.near_of(kind) - h.owned_of(kind)) as usize;
            for shell in [&ribbon[..near], &ribbon[near..]] {
                let foreign = shell.iter().all(|id| !own.contains(id));
                check!(
                    out,
                    shell.is_sorted_by(|a, b| a < b) && foreign,
                    "patch {patch}: a shell of {kind:?} is not ascending or holds own elements"
                );
            }
            check!(
                out,
                ribbon.iter().all(|&id| id < self.counts[kind as usize]),
                "patch {patch}: a ribbon {kind:?} is none"
            );
            own.chain(ribbon.iter().copied()).collect::<Vec<u32>>()
        });
        let view = self.sections(h, &ids);
        check!(
            out,
            view.is_some(),
            "patch {patch}: a section leads out of the patch"
        );
        let (ev, fe, cv, ce, cf) = view?;
        Some(LinearPatch {
            ids,
            ev,
            fe,
            cv,
            ce,
            cf,
        })
    }

    #[allow(clippy::type_complexity, reason = "the five sections")]
    fn sections(
        &self,
        h: &PatchHeader,
        ids: &[Vec<u32>; 4],
    ) -> Option<(
        Vec<[u32; 2]>,
        Vec<[(u32, bool); 3]>,
        Vec<[u32; 4]>,
        Vec<[u32; 6]>,
        Vec<[u32; 4]>,
    )> {
        fn rows<const W: usize>(
            all: &[u16],
            at: u32,
            n: usize,
            ids: &[u32],
        ) -> Option<Vec<[u32; W]>> {
            let rows = all[at as usize..].as_chunks::<W>().0[..n].iter();
            rows.map(|row| {
                let linear = row.map(|local| ids.get(usize::from(local)).copied());
                linear
                    .iter()
                    .all(Option::is_some)
                    .then(|| linear.map(Option::unwrap_or_default))
            })
            .collect()
        }
        let (all, cells) = (&self.topology, ids[3].len());
        let parts = |need: Needs| if self.has.has(need) { cells } else { 0 };
        let fe = all[h.fe_section() as usize..].as_chunks::<3>().0[..ids[2].len()].iter();
        let fe: Option<Vec<[(u32, bool); 3]>> = fe
            .map(|row| {
                let side =
                    |k: usize| Some((*ids[1].get(usize::from(row[k] >> 1))?, row[k] & 1 == 1));
                Some([side(0)?, side(1)?, side(2)?])
            })
            .collect();
        Some((
            rows(all, h.ev_section(), ids[1].len(), &ids[0])?,
            fe?,
            rows(all, h.cv_section(), cells, &ids[0])?,
            rows(all, h.ce_section(), parts(Needs::EDGES), &ids[1])?,
            rows(all, h.cf_section(), parts(Needs::FACES), &ids[2])?,
        ))
    }

    /// Collects edges and faces by their vertices. Each is owned once, and their number is that of the mesh.
    fn naive(
        &self,
        corners: &[[u32; 4]],
        views: &[LinearPatch],
        out: &mut Vec<LayoutFault>,
    ) -> Naive {
        let mut mesh = Naive::default();
        for (c, cell) in corners.iter().enumerate() {
            let edges = EDGES.map(|k| set(k.map(|i| cell[i])));
            let faces = FACES.map(|k| set(k.map(|i| cell[i])));
            let vertices = cell.map(|v| vec![v]);
            for key in edges.into_iter().chain(faces).chain(vertices) {
                mesh.cells_of.entry(key).or_default().insert(c as u32);
            }
        }
        for (h, view) in self.headers.iter().zip(views) {
            let edges = view.ev.iter().map(|ends| set(*ends));
            let faces = view.fe.iter().map(|sides| {
                let mut ids: Vec<u32> = (sides.iter())
                    .flat_map(|&(e, _)| view.ids[1].iter().position(|&id| id == e))
                    .flat_map(|e| view.ev[e])
                    .collect();
                ids.sort_unstable();
                ids.dedup();
                ids
            });
            let edges = edges
                .zip(&view.ids[1])
                .take(h.owned_of(Kind::Edge) as usize);
            let faces = faces
                .zip(&view.ids[2])
                .take(h.owned_of(Kind::Face) as usize);
            for (key, &id) in edges.chain(faces) {
                check!(
                    out,
                    mesh.cells_of.contains_key(&key),
                    "{key:?} is nothing of the mesh"
                );
                check!(
                    out,
                    mesh.names.insert(key.clone(), id).is_none(),
                    "{key:?} has two owners"
                );
            }
        }
        for (size, need) in [(2, Needs::EDGES), (3, Needs::FACES)] {
            let all = mesh.cells_of.keys().filter(|k| k.len() == size).count();
            let named = mesh.names.keys().filter(|k| k.len() == size).count();
            let want = if self.has.has(need) { all } else { 0 };
            check!(
                out,
                named == want,
                "{named} elements of {size} vertices, not {want}"
            );
        }
        mesh
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

    /// Checks that local elements are those that the relations of owned ones need, and shell 0 holds the elements of
    /// these.
    fn check_shells(
        &self,
        patch: usize,
        view: &LinearPatch,
        corners: &[[u32; 4]],
        mesh: &Naive,
        out: &mut Vec<LayoutFault>,
    ) {
        let h = &self.headers[patch];
        let own = |kind: Kind| &view.ids[kind as usize][..h.owned_of(kind) as usize];
        let parts = |c: u32| {
            let cell = corners[c as usize];
            let edges = EDGES.map(|k| set(k.map(|i| cell[i])));
            edges
                .into_iter()
                .chain(FACES.map(|k| set(k.map(|i| cell[i]))))
        };
        // By their vertices: own edges and faces, and all parts of own cells.
        let ids = |key: &Vec<u32>| mesh.names.get(key).copied();
        let mine = |key: &Vec<u32>| {
            let kind = if key.len() == 2 {
                Kind::Edge
            } else {
                Kind::Face
            };
            ids(key).is_some_and(|id| own(kind).contains(&id))
        };
        let owned: BTreeSet<&Vec<u32>> = mesh.names.keys().filter(|k| mine(k)).collect();
        let mut cells: BTreeSet<u32> = own(Kind::Cell).iter().copied().collect();
        let mut vertices: BTreeSet<u32> = own(Kind::Vertex).iter().copied().collect();
        let mut needed = BTreeSet::new();
        for &c in &cells {
            let faces = parts(c).filter(|key| key.len() == 3);
            needed.extend(faces.flat_map(|key| mesh.cells_of[&key].iter().copied()));
        }
        let around = |v: &u32| mesh.cells_of.get(&vec![*v]).into_iter().flatten().copied();
        if self.has.has(Needs::RING) {
            let ends: BTreeSet<u32> = (cells.iter().flat_map(|&c| corners[c as usize]))
                .chain(vertices.iter().copied())
                .collect();
            needed.extend(ends.iter().flat_map(around));
        }
        needed.extend(vertices.iter().flat_map(around));
        needed.extend(
            owned
                .iter()
                .flat_map(|key| mesh.cells_of[*key].iter().copied()),
        );
        let near = |keys: &mut dyn Iterator<Item = Vec<u32>>, size: usize| -> BTreeSet<u32> {
            keys.filter(|k| k.len() == size)
                .filter_map(|k| ids(&k))
                .collect()
        };
        let of_faces = || {
            let faces = owned.iter().filter(|k| k.len() == 3);
            faces.flat_map(|k| [(0, 1), (1, 2), (0, 2)].map(|(i, j)| vec![k[i], k[j]]))
        };
        let own_cells = cells.clone();
        let all = || {
            own_cells
                .iter()
                .flat_map(|&c| parts(c))
                .chain(owned.iter().map(|k| (*k).clone()))
        };
        let edges = near(&mut all().chain(of_faces()), 2);
        let faces = near(&mut all(), 3);
        vertices.extend(own_cells.iter().flat_map(|&c| corners[c as usize]));
        vertices.extend(owned.iter().copied().flatten());
        for (kind, want) in [
            (Kind::Vertex, &vertices),
            (Kind::Edge, &edges),
            (Kind::Face, &faces),
        ] {
            let got = &view.ids[kind as usize][..h.near_of(kind) as usize];
            let got: BTreeSet<u32> = got.iter().copied().collect();
            check!(
                out,
                got == *want,
                "patch {patch}: shell 0 of {kind:?} differs from the needed one"
            );
        }
        cells.extend(needed.iter().copied());
        let local: BTreeSet<u32> = view.ids[3].iter().copied().collect();
        // A ring may hold cells around the vertices of parts that another patch owns in the end.
        let right = match self.has.has(Needs::RING) {
            true => local.is_superset(&cells),
            false => local == cells,
        };
        check!(
            out,
            right,
            "patch {patch}: local cells differ from the needed ones"
        );
        let keys = || local.iter().flat_map(|&c| parts(c));
        for (kind, want) in [
            (Kind::Edge, near(&mut keys(), 2)),
            (Kind::Face, near(&mut keys(), 3)),
        ] {
            let got: BTreeSet<u32> = view.ids[kind as usize].iter().copied().collect();
            check!(
                out,
                got == want,
                "patch {patch}: local {kind:?} are not those of the cells"
            );
        }
        let mut want: BTreeSet<u32> = local.iter().flat_map(|&c| corners[c as usize]).collect();
        want.extend(own(Kind::Vertex));
        let got: BTreeSet<u32> = view.ids[0].iter().copied().collect();
        check!(
            out,
            got == want,
            "patch {patch}: local vertices are not those of the cells"
        );
    }
}
