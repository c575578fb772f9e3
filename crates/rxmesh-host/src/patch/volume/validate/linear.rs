//! Patches and the mesh in linear ids.

use rxmesh_kernels::topo::{Kind, Needs, PatchHeader};

use super::{EDGES, FACES, LinearPatch, Naive, set};
use crate::patch::LayoutFault;
use crate::patch::volume::VolumeSet;

impl VolumeSet {
    pub(super) fn view(
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
    pub(super) fn naive(
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
}
