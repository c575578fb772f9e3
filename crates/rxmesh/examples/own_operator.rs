//! Runs an operator of the program, which changes the connectivity: it splits the faces that look up.
//! `cargo run --release -p rxmesh --example own_operator`; for the GPU see `examples/custom-kernel`.

use rxmesh::kernels::*;
use rxmesh::{Engine, Mesh, Result, generate};

kernel! { struct Split: Flat { x: GlobalMut<Vec3> } }
// SAFETY: `fill` alone writes, the position of the vertex that it adds (contract U3 of docs/inside/unsafe.md).
unsafe impl Operator for Split {
    type Template = template::F;
    type Plan = ();
    const GROWTH: Growth = Growth::VERTEX;
    fn template(&self) -> template::F {
        template::F
    }
    fn candidate(&self, mesh: &impl HalfEdgeMesh, face: Seed<Self>) -> Option<Priority> {
        let [a, b, c] = mesh.sides(face.0).map(|h| self.x.get(mesh.origin(h)));
        let up = math::normalize_or_zero((b - a).cross(c - a)).z;
        (up > 0.5).then(|| Priority::descending(up))
    }
    fn plan(&self, _: &Cavity<impl Site>) {}
    fn fill(&self, (): (), hole: &mut Hole<'_, impl Site>) {
        let corners = [0, 1, 2].map(|i| self.x.get(hole.corner(i).id()));
        let centre = hole.add_vertex();
        self.x.set(centre.id(), corners.iter().sum::<Vec3>() / 3.0);
        hole.add_star(centre);
    }
}
kernels! { KERNELS = "own_operator_fingerprint"; operator own_split: Split; }

fn main() -> Result<()> {
    let ball = Mesh::on(generate::icosphere(2)?, Engine::cpu());
    let (fine, report) = ball.edit(|session, x, _unit| {
        // SAFETY: `x` is a column of the session's vertices.
        Ok(unsafe { session.run_operator(9, |s| Ok(Split { x: s.write(x)? }))? })
    })?;
    println!("{} faces split, {} now", report.done, fine.face_count());
    Ok(())
}
