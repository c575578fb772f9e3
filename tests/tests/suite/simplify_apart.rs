//! Simplification that leaves no faces that intersect, where the usual one does.

use glam::Vec3;
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify, simplify_apart};
use rxmesh_host::edit::Session;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{
    TriMesh, check, generate, self_intersection_pairs, self_intersections, volume,
};
use rxmesh_tests::conformance;

conformance! {
    surfaces_that_almost_touch, what_has_no_room_is_as_good_as_it_can_be
}

/// A ball with a ball inside, turned, `gap` from it at one place.
fn hollow(gap: f32) -> TriMesh {
    let mut mesh = generate::icosphere(4).unwrap();
    let ball = mesh.clone();
    let n = mesh.positions.len() as u32;
    let place = |p: &Vec3| 0.5 * *p + Vec3::new(0.5 - gap, 0.0, 0.0);
    mesh.positions.extend(ball.positions.iter().map(place));
    let turned = ball.faces.iter().map(|&[a, b, c]| [a + n, c + n, b + n]);
    mesh.faces.extend(turned);
    mesh
}

fn surfaces_that_almost_touch(engine: &Engine) {
    let mesh = hollow(0.004);
    assert_eq!(self_intersections(&mesh).count, 0);
    let (x, faces) = (
        engine.upload(&mesh.positions).unwrap(),
        engine.upload(&mesh.faces).unwrap(),
    );
    let options = SimplifyOptions::new(Target::Faces(900));
    let (mut session, column) = Session::from_engine_arrays(&x, &faces, 256).unwrap();
    simplify(&mut session, column, &options).unwrap();
    let plain = session.to_mesh(column).unwrap().0;
    assert!(self_intersections(&plain).count > 0);

    let apart = simplify_apart(&x, &faces, 256, 0.1, &options).unwrap();
    assert_eq!((apart.intersections, apart.tries > 1), (0, true));
    assert_eq!(self_intersections(&apart.mesh).count, 0);
    assert_eq!(apart.report.faces as usize, apart.mesh.face_count());
    assert!(apart.mesh.face_count() <= 900 && apart.mesh.face_count() > 890);
    let report = check(&apart.mesh);
    assert!(report.closed && report.manifold && report.consistently_oriented);
    let [before, after] = [&mesh, &apart.mesh].map(|m| volume(&m.positions, &m.faces));
    assert!((after / before - 1.0).abs() < 0.02, "{before}, {after}");
}

/// With a gap that is nowhere large enough the target is still reached, with the fewest intersections that were seen.
fn what_has_no_room_is_as_good_as_it_can_be(engine: &Engine) {
    let mut mesh = generate::icosphere(3).unwrap();
    let ball = mesh.clone();
    let n = mesh.positions.len() as u32;
    mesh.positions
        .extend(ball.positions.iter().map(|p| 0.995 * *p));
    let turned = ball.faces.iter().map(|&[a, b, c]| [a + n, c + n, b + n]);
    mesh.faces.extend(turned);
    let (x, faces) = (
        engine.upload(&mesh.positions).unwrap(),
        engine.upload(&mesh.faces).unwrap(),
    );
    let options = SimplifyOptions::new(Target::Faces(200));
    let apart = simplify_apart(&x, &faces, 256, 0.1, &options).unwrap();
    assert!(apart.mesh.face_count() <= 200);
    let pairs = self_intersection_pairs(&apart.mesh).pairs;
    assert_eq!(pairs.len(), apart.intersections);
    assert!(!pairs.is_empty());
}
