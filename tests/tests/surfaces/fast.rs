//! All schemes on every engine against the plain code: every recorded case, and meshes with defects at random.

use super::loop_surface::{points, rows, used};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{PolyMesh, Rng};
use rxmesh_subdivision::{Boundary, Creasing, Options, Scheme, Subdivision};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};
use rxmesh_tests::extent::extent;
use rxmesh_tests::surfaces::cases::cases;
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{NaiveSurface, refine};
use std::cell::Cell;

conformance! { catmull_clark_cases, loop_cases, sqrt3_cases, any_mesh_is_a_surface_or_refused }

/// Of the diagonal of the bounding box.
const NEAR: f64 = 2e-6;

/// The surface that an engine makes.
fn surface(engine: &Engine, mesh: &PolyMesh, options: &Options) -> Result<NaiveSurface, Error> {
    let surface = Subdivision::new(engine, mesh, options)?;
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
    surface.values(3, &engine.upload(&rows(mesh))?, &mut y)?;
    let mut faces = engine.zeroed(surface.index_count() as usize)?;
    surface.faces(&mut faces)?;
    let parents: Vec<u32> = (0..surface.face_count())
        .map(|f| surface.parent(f))
        .collect();
    let mut ids = faces.read()?.into_iter();
    let size = |parent: &u32| match surface.face_size() {
        Some(n) => n as usize,
        None => mesh.face(*parent as usize).len(),
    };
    Ok(NaiveSurface {
        positions: points(&y.read()?),
        faces: parents
            .iter()
            .map(|f| ids.by_ref().take(size(f)).collect())
            .collect(),
        parents,
    })
}

/// Compares what faces have: other vertices may be anywhere.
fn same(got: NaiveSurface, want: NaiveSurface) -> Result<(), String> {
    if got.positions.len() != want.positions.len() {
        let (got, want) = (got.positions.len(), want.positions.len());
        return Err(format!("{got} vertices, where {want} are wanted"));
    }
    compare(&used(got), &used(want), NEAR)
}

/// Loop's scheme wears sharpness off by the uniform rule only.
fn is_refused(mesh: &PolyMesh, options: &Options) -> bool {
    let semi_sharp = mesh
        .sharp_edges
        .iter()
        .any(|e| e.sharpness < PolyMesh::SHARP);
    options.scheme == Scheme::Loop && options.creasing == Creasing::Chaikin && semi_sharp
}

fn all_cases(engine: &Engine, scheme: Scheme, most: u32) {
    // Slow engines take some of them, each another part of the list.
    let step = suited(engine, [1, 5, 9]);
    let mut wrong = Vec::new();
    for case in cases()
        .iter()
        .filter(|c| c.uv.is_none() && c.options.scheme == scheme)
        .step_by(step)
    {
        for levels in 0..=if is_slow(engine) { 2 } else { most } {
            let options = Options {
                levels,
                ..case.options
            };
            let got = surface(engine, &case.mesh, &options);
            if is_refused(&case.mesh, &options) {
                assert!(matches!(got, Err(Error::Options(_))), "{}", case.name);
                continue;
            }
            let want = refine(&case.mesh, &options);
            let compared = got
                .map_err(|e| e.to_string())
                .and_then(|got| same(got, want));
            if let Err(why) = compared {
                wrong.push(format!("{}, level {levels}: {why}", case.name));
                break;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn catmull_clark_cases(engine: &Engine) {
    all_cases(engine, Scheme::CatmullClark, extent(3, 4));
}

fn loop_cases(engine: &Engine) {
    all_cases(engine, Scheme::Loop, extent(3, 4));
}

/// OpenSubdiv has no sqrt(3): the meshes of the cases whose edges are sharp for ever, where they are sharp.
fn sqrt3_cases(engine: &Engine) {
    let step = suited(engine, [1, 5, 9]);
    let all = cases();
    let triangles = all
        .iter()
        .filter(|c| c.options.scheme == Scheme::Loop && c.uv.is_none());
    let mut count = 0;
    for case in triangles
        .filter(|c| c.mesh.sharp_edges.is_empty())
        .step_by(step)
    {
        for levels in 0..=if is_slow(engine) { 3 } else { 5 } {
            let options = Options {
                scheme: Scheme::Sqrt3,
                levels,
                ..case.options
            };
            let got = surface(engine, &case.mesh, &options).unwrap();
            if let Err(why) = same(got, refine(&case.mesh, &options)) {
                panic!("{}, sqrt(3), level {levels}: {why}", case.name);
            }
        }
        count += 1;
    }
    assert!(count >= 5, "{count} cases");
}

/// A mesh with defects: a surface, of which faces are turned over, repeated, left out, or share vertices that they
/// should not, and sharpness anywhere.
fn damaged(seed: u64) -> PolyMesh {
    let mut rng = Rng::new(seed);
    let whole = match rng.below(5) {
        0 => meshes::cube(),
        1 => meshes::grid(1 + rng.below(4) as u32, 5, seed),
        2 => meshes::polygons(2, seed),
        3 => meshes::cut(&meshes::torus(3 + rng.below(3) as u32, 4)),
        _ => meshes::triangles(1, seed),
    };
    let mut faces = meshes::faces(&whole);
    for _ in 0..rng.below(4) {
        if faces.is_empty() {
            break;
        }
        let f = rng.below(faces.len() as u64) as usize;
        let k = rng.below(faces[f].len() as u64) as usize;
        let v = rng.below(whole.vertex_count() as u64) as u32;
        match rng.below(8) {
            0 => faces[f].reverse(),
            1 => faces.push(faces[f].clone()),
            2 => faces[f][k] = v,
            3 => {
                let old = faces[f][k];
                faces
                    .iter_mut()
                    .flatten()
                    .filter(|w| **w == old)
                    .for_each(|w| *w = v);
            }
            _ => _ = faces.swap_remove(f),
        }
    }
    let positions = whole.positions.iter().map(|p| p.as_dvec3()).collect();
    let mut mesh = meshes::mesh(positions, &faces);
    if rng.below(2) == 0 {
        mesh = meshes::sharpened(mesh, 30, rng.below(5), seed);
    }
    if rng.below(3) == 0 {
        let count = mesh.face_count() as u64;
        mesh.holes = (0..mesh.face_count() as u32)
            .filter(|_| rng.below(count) == 0)
            .collect();
    }
    meshes::moved(mesh)
}

fn any_mesh_is_a_surface_or_refused(engine: &Engine) {
    let schemes = prop_oneof![
        Just(Scheme::CatmullClark),
        Just(Scheme::Loop),
        Just(Scheme::Sqrt3)
    ];
    let boundaries = prop_oneof![
        Just(Boundary::None),
        Just(Boundary::EdgeOnly),
        Just(Boundary::EdgeAndCorner)
    ];
    let creasings = prop_oneof![Just(Creasing::Uniform), Just(Creasing::Chaikin)];
    let inputs = (any::<u64>(), schemes, boundaries, creasings, 0..4u32);
    let mut runner = TestRunner::new(Config {
        cases: suited(engine, [extent(400, 4000), extent(60, 600), 30]),
        failure_persistence: None,
        ..Config::default()
    });
    let (made, refused) = (Cell::new(0), Cell::new(0));
    let result = runner.run(&inputs, |(seed, scheme, boundary, creasing, levels)| {
        let mesh = damaged(seed);
        let options = Options {
            scheme,
            levels,
            boundary,
            creasing,
            ..Options::default()
        };
        match surface(engine, &mesh, &options) {
            Ok(got) => {
                let why = same(got, refine(&mesh, &options));
                prop_assert!(why.is_ok(), "{}", why.unwrap_err());
            }
            Err(Error::Mesh(_) | Error::Options(_)) => {
                refused.set(refused.get() + 1);
                return Ok(());
            }
            Err(e) => prop_assert!(false, "{e}"),
        }
        made.set(made.get() + 1);
        Ok(())
    });
    if let Err(why) = result {
        panic!("{why}");
    }
    let (made, refused) = (made.get(), refused.get());
    let all = made + refused;
    assert!(
        made * 5 > all && refused * 10 > all,
        "{made} surfaces, {refused} refused"
    );
}
