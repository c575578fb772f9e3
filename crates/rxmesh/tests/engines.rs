//! Several engines give each mesh the result that one gives, in the order of the meshes.

use rxmesh::{Engine, Engines, Mesh, SimplifyOptions, TriMesh, Vec3, algo, generate, ops, run};

fn meshes() -> Vec<TriMesh> {
    let sphere = |n| generate::icosphere(n).unwrap();
    vec![sphere(2), sphere(4), sphere(1), sphere(3), sphere(4)]
}

fn half() -> SimplifyOptions {
    SimplifyOptions::new(algo::simplify::Target::Ratio(0.5))
}

#[test]
fn results_are_those_of_one_engine() {
    let engine = Engine::cpu();
    let one: Vec<TriMesh> = (meshes().into_iter())
        .map(|mesh| {
            let mesh = Mesh::on(mesh, engine.clone());
            let (small, _) = run::<ops::Simplify>(&mesh, &half()).unwrap();
            small.into_inner().unwrap()
        })
        .collect();
    let engines = Engines::new((0..3).map(|_| Engine::cpu())).unwrap();
    let several = engines.run::<ops::Simplify>(meshes(), &half());
    assert_eq!(several.len(), one.len());
    for (result, one) in several.into_iter().zip(one) {
        let (small, report) = result.unwrap();
        assert_eq!(report.faces() as usize, one.face_count());
        assert_eq!(*small.to_host().unwrap(), one);
    }
}

#[test]
fn a_mesh_that_fails_stops_no_other() {
    let mut all = meshes();
    all[1].positions[5] = Vec3::new(f32::NAN, 0.0, 0.0);
    all[3].faces[0][1] = 1_000_000;
    let results = Engines::all().run::<ops::Simplify>(all, &half());
    let failed: Vec<bool> = results.iter().map(Result::is_err).collect();
    assert_eq!(failed, [false, true, false, true, false]);
    let why = results[3].as_ref().unwrap_err().to_string();
    assert!(why.contains("1000000"), "{why}");
}
