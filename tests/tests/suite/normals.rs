//! Vertex normals against Max 1999 in `f64`.

use glam::Vec3;
use rxmesh_host::algo::normals::{gather_vertex_normals, vertex_normals, vertex_normals_unscaled};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::store::{RelationChoice, RxMesh};
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{self, each_mesh};
use rxmesh_tests::smooth;

conformance! { of_all_fixtures, of_a_sphere, at_all_scales, that_cancel }

/// Computation of the normals.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NormalsKernel {
    Scattered,
    Gathered(RelationChoice),
    /// Rescaled where necessary.
    Measured,
}

const NEAR_ONE: [NormalsKernel; 4] = [
    NormalsKernel::Scattered,
    NormalsKernel::Gathered(RelationChoice::OnTheFly),
    NormalsKernel::Gathered(RelationChoice::Prepared),
    NormalsKernel::Measured,
];

fn check(rx: &RxMesh, mesh: &TriMesh, what: &str, tolerance: f64) {
    for way in NEAR_ONE {
        check_one(rx, mesh, &format!("{what}, {way:?}"), tolerance, way);
    }
}

fn check_one(rx: &RxMesh, mesh: &TriMesh, what: &str, tolerance: f64, way: NormalsKernel) {
    let x = rx.attribute_from(&mesh.positions).unwrap();
    // Old values are overwritten.
    let mut n = rx
        .attribute_from(&vec![Vec3::splat(7.0); mesh.vertex_count()])
        .unwrap();
    match way {
        NormalsKernel::Scattered => vertex_normals_unscaled(rx, &x, &mut n).unwrap(),
        NormalsKernel::Gathered(choice) => {
            rx.set_relation_choice(choice);
            gather_vertex_normals(rx, &x, &mut n).unwrap();
        }
        NormalsKernel::Measured => vertex_normals(rx, &x, &mut n).unwrap(),
    }
    let got = n.to_input(rx).unwrap();
    for (v, (got, (want, certain))) in got
        .iter()
        .zip(smooth::normals(&mesh.positions, &mesh.faces))
        .enumerate()
    {
        let got = got.as_dvec3();
        if certain == 0.0 {
            assert_eq!(got.length(), 0.0, "{what}: vertex {v} has no normal");
        } else if certain > 1e-3 {
            // A sum that nearly cancels keeps fewer digits.
            let error = got.distance(want);
            assert!(
                error < tolerance / certain,
                "{what}: vertex {v} has {got}, but {want} is expected"
            );
        }
    }
}

fn of_all_fixtures(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        check(rx, &fixture.mesh, what, 1e-5)
    });
}

fn of_a_sphere(engine: &Engine) {
    let m = rxmesh_host::mesh::generate::icosphere(1).unwrap();
    let rx = RxMesh::new(engine, m.vertex_count(), &m.faces, &Default::default()).unwrap();
    let (x, mut n) = (
        rx.attribute_from(&m.positions).unwrap(),
        rx.attribute().unwrap(),
    );
    vertex_normals(&rx, &x, &mut n).unwrap();
    for (n, p) in n.to_input(&rx).unwrap().iter().zip(&m.positions) {
        assert!(n.distance(*p) < 1e-5, "the normal at {p} is {n}");
    }
}

/// Tiny, huge and far away: directions stay.
fn at_all_scales(engine: &Engine) {
    let mesh = fixtures::with_boundary(5, 4);
    let of_size = |scale: f32| {
        let mut m = mesh.clone();
        m.positions.iter_mut().for_each(|p| *p *= scale);
        let rx = RxMesh::new(engine, m.vertex_count(), &m.faces, &Default::default()).unwrap();
        (rx, m)
    };
    for scale in [1e-15f32, 1e-9, 1e-4, 1e4, 1e9, 1e15] {
        let (rx, m) = of_size(scale);
        check(&rx, &m, &format!("scale {scale:e}"), 1e-4);
    }
    for scale in [1e-30f32, 1e-22, 1e22, 1e37] {
        let (rx, m) = of_size(scale);
        check_one(
            &rx,
            &m,
            &format!("scale {scale:e}"),
            1e-4,
            NormalsKernel::Measured,
        );
    }
    let mut m = mesh.clone();
    m.positions
        .iter_mut()
        .for_each(|p| *p += Vec3::new(100.0, -200.0, 300.0));
    let rx = RxMesh::new(engine, m.vertex_count(), &m.faces, &Default::default()).unwrap();
    check(&rx, &m, "far away", 1e-4);
}

/// Faces on both sides of a sheet, in any unit: no vertex has a normal, whatever rounding leaves.
fn that_cancel(engine: &Engine) {
    let sheet = fixtures::with_boundary(5, 4);
    for scale in [1e-22f32, 0.7, 3e5] {
        let mut m = sheet.clone();
        m.positions.iter_mut().for_each(|p| *p *= scale);
        let back: Vec<_> = m.faces.iter().map(|&[a, b, c]| [b, a, c]).collect();
        m.faces.extend(back);
        let rx = RxMesh::new(engine, m.vertex_count(), &m.faces, &Default::default()).unwrap();
        let x = rx.attribute_from(&m.positions).unwrap();
        let mut n = rx.attribute().unwrap();
        vertex_normals(&rx, &x, &mut n).unwrap();
        let got = n.to_input(&rx).unwrap();
        assert!(got.iter().all(|n| *n == Vec3::ZERO), "scale {scale:e}");
    }
}
