//! Questions to the operator about the seeds of a turn.

use super::{Candidates, NO, Visit, VisitTables, WAITS};
use crate::local::PatchMesh;
use crate::tally::Tally;
use rxmesh_kernels::cavity::parts::{each_corner, face_of, faces, lives};
use rxmesh_kernels::cavity::{Operator, Seed, Template};
use rxmesh_kernels::edit::{HalfEdgeMesh, NO_FACE};
use rxmesh_kernels::exec::Block;

impl<O: Operator> Visit<'_, O> {
    /// Asks the operator about the seeds.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn ask<B: Block>(&self, b: B, t: &VisitTables, c: &Candidates) {
        b.phase(|p| {
            p.each(t.misses.seeds.len(), |i| t.misses.seeds.set(i, 0));
            p.each(t.misses.wanted.len(), |i| t.misses.wanted.set(i, 0));
            p.lead(|| self.count(Tally::Seeds, c.n));
        });
        b.each(c.n, |i| c.state.set(i, self.judge(t, c.list.get(i))));
    }

    /// Classifies a seed: a candidate with its priority, waiting for vertices, or finished.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn judge(&self, t: &VisitTables, i: u32) -> u32 {
        let parts = &self.host.local.parts;
        let (mesh, seed) = (self.mesh.of(i), self.base + i);
        let state = if parts.is_owned(self.host.seeds, i) && lives::<O>(&mesh, seed) {
            self.consider(&mesh, seed)
        } else {
            NO
        };
        if t.misses.has(i) {
            return WAITS;
        }
        if state == NO {
            parts.leave(parts.shape.seeds(), i);
        }
        state
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn consider(&self, mesh: &PatchMesh, seed: u32) -> u32 {
        let (op, parts) = (self.op, &self.host.local.parts);
        let id = Seed::<O>::new(seed);
        let frozen = |f: u32| parts.is_frozen(mesh.local_face(f));
        let face = face_of::<<O::Template as Template>::Seed>(mesh, seed);
        if face == NO_FACE || frozen(face) {
            return NO;
        }
        let Some(priority) = op.candidate(mesh, id) else {
            return NO;
        };
        let template = op.template();
        let may = op.joins(mesh, id, &mut |a, b| a != b && !mesh.joined(a, b))
            && faces(&template, mesh, seed, |f| !frozen(f));
        if !may {
            if !self.mesh_missed(mesh) {
                self.count(Tally::Refused, 1);
                parts.enter(parts.shape.refused(), mesh.seed);
            }
            return NO;
        }
        // The owner of all vertices of a cavity, and of all that decide about it, can rely on them.
        faces(&template, mesh, seed, |f| {
            each_corner(mesh, f, |v| {
                mesh.wants(v);
                true
            })
        });
        op.joins(mesh, id, &mut |a, b| {
            mesh.wants(a);
            mesh.wants(b);
            true
        });
        op.guards(mesh, id, &mut |v| {
            mesh.wants(v);
            true
        });
        priority.bits()
    }

    #[inline(always)]
    fn mesh_missed(&self, mesh: &PatchMesh) -> bool {
        mesh.misses.has(mesh.seed)
    }
}
