//! Checks of the shells: neighbours that the relations of a patch's elements need.

use std::collections::BTreeSet;

use rxmesh_kernels::topo::{Kind, Needs};

use super::{EDGES, FACES, LinearPatch, Naive, set};
use crate::patch::LayoutFault;
use crate::patch::volume::VolumeSet;

impl VolumeSet {
    /// Checks that local elements are those that the relations of owned ones need, and shell 0 holds the elements of
    /// these.
    pub(super) fn check_shells(
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
