//! All schemes on every engine against the plain code: every recorded case, and meshes with random defects.

use super::loop_surface::{points, rows, used};
use glam::{DVec2, DVec3};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{CornerLayer, PolyMesh, Rng};
use rxmesh_subdivision::{
    Boundary, Creasing, FaceVarying, Options, Scheme, Subdivision, VertexOptions,
    refine as refine_all,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};
use rxmesh_tests::extent::extent;
use rxmesh_tests::surfaces::cases::cases;
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::made::options;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{NaiveSurface, refine};
use rxmesh_tests::surfaces::uv::UvInterpolation;
use std::cell::Cell;

conformance! {
    catmull_clark_cases, loop_cases, sqrt3_cases, values_of_corners, faces_that_share_edges,
    any_mesh_is_a_surface_or_refused
}

/// Tolerance relative to the diagonal of the bounding box.
const NEAR: f64 = 2e-6;

/// Returns the surface that an engine makes.
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

/// Compares the vertices that faces use: others may be anywhere.
fn same(got: NaiveSurface, want: NaiveSurface) -> Result<(), String> {
    if got.positions.len() != want.positions.len() {
        let (got, want) = (got.positions.len(), want.positions.len());
        return Err(format!("{got} vertices, where {want} are wanted"));
    }
    compare(&used(got), &used(want), NEAR)
}

fn all_cases(engine: &Engine, scheme: Scheme, most: u32) {
    // Slow engines test some of them, each another part of the list.
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

/// OpenSubdiv has no sqrt(3): the meshes of the cases with infinitely sharp edges, where they are sharp.
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
        for levels in 0..=if is_slow(engine) { 3 } else { extent(4, 5) } {
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

/// Makes corners separate vertices, at their values and a mixture of the coordinates of their positions.
fn exploded(
    positions: &[DVec3],
    faces: &[Vec<u32>],
    parents: Vec<u32>,
    values: &[DVec2],
) -> NaiveSurface {
    let corners = faces.iter().flatten();
    let mix = |v: u32| positions[v as usize].dot(DVec3::new(0.5, 0.31, 0.17));
    let mut ids = 0..values.len() as u32;
    NaiveSurface {
        positions: corners
            .zip(values)
            .map(|(&v, value)| value.extend(mix(v)))
            .collect(),
        faces: faces
            .iter()
            .map(|f| ids.by_ref().take(f.len()).collect())
            .collect(),
        parents,
    }
}

/// Texture coordinates of a mesh, against OpenSubdiv's recorded results.
fn values_of_corners(engine: &Engine) {
    let mut wrong = Vec::new();
    let step = suited(engine, [extent(5, 1), 5, 9]);
    for case in cases().into_iter().filter(|c| c.uv.is_some()).step_by(step) {
        let Some((uv, linear)) = &case.uv else {
            continue;
        };
        let face_varying = match linear {
            UvInterpolation::None => FaceVarying::None,
            UvInterpolation::CornersOnly => FaceVarying::CornersOnly,
            UvInterpolation::CornersPlus1 => FaceVarying::CornersPlus1,
            UvInterpolation::CornersPlus2 => FaceVarying::CornersPlus2,
            UvInterpolation::Boundaries => FaceVarying::Boundaries,
            UvInterpolation::All => FaceVarying::All,
        };
        let options = Options {
            face_varying,
            ..case.options
        };
        let mut mesh = case.mesh.clone();
        mesh.extras.corner_texcoords = Some(CornerLayer {
            width: 2,
            values: uv
                .values
                .iter()
                .flat_map(|p| p.as_vec2().to_array())
                .collect(),
            corners: uv.corners.clone(),
        });
        let got = refine_all(engine, &mesh, &options, VertexOptions::default())
            .unwrap()
            .mesh;
        let layer = got.extras.corner_texcoords.as_ref().unwrap();
        let value = |&id: &u32| {
            let at = 2 * id as usize;
            DVec2::new(layer.values[at].into(), layer.values[at + 1].into())
        };
        let values: Vec<DVec2> = layer.corners.iter().map(value).collect();
        let positions: Vec<DVec3> = got.positions.iter().map(|p| p.as_dvec3()).collect();
        let want = refine(&case.mesh, &options);
        // The other checks test the parents of the surface itself.
        let parents = |n: usize| vec![0; n];
        let faces = meshes::faces(&got);
        let got = exploded(&positions, &faces, parents(faces.len()), &values);
        let values = uv.refine(&case.mesh, &options, *linear);
        let count = want.faces.len();
        let want = exploded(&want.positions, &want.faces, parents(count), &values);
        if let Err(why) = compare(&got, &want, NEAR) {
            wrong.push(format!("{}: {why}", case.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Two triangles that share all their edges, two quads that share two: one level later triangles have edges with the
/// same ends.
fn faces_that_share_edges(engine: &Engine) {
    let ring = |n: u32| {
        let angle = |i: u32| f64::from(i) * std::f64::consts::TAU / f64::from(n);
        let point = |i| DVec3::new(angle(i).cos(), angle(i).sin(), 0.1 * f64::from(i));
        (0..n).map(point).collect()
    };
    // With sqrt(3) the points of the two triangles coincide: the third gives the mesh its size.
    let pillow = meshes::mesh(ring(6), &[vec![0, 1, 2], vec![0, 2, 1], vec![3, 4, 5]]);
    let quads = meshes::mesh(ring(5), &[vec![0, 1, 2, 3], vec![0, 3, 2, 4]]);
    for (mesh, scheme) in [
        (&pillow, Scheme::CatmullClark),
        (&pillow, Scheme::Loop),
        (&pillow, Scheme::Sqrt3),
        (&quads, Scheme::CatmullClark),
    ] {
        for levels in 0..4 {
            let options = options(scheme, levels);
            let got = surface(engine, mesh, &options).unwrap();
            if let Err(why) = same(got, refine(mesh, &options)) {
                panic!("{options:?}: {why}");
            }
        }
    }
}

/// Makes a mesh with defects: a surface, some of whose faces are turned over, duplicated, omitted, or share vertices
/// wrongly, with arbitrary sharpness.
pub(super) fn damaged(seed: u64) -> PolyMesh {
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
    // A third of the meshes are surfaces; a small number of meshes only shows that there are both kinds.
    let enough = if all < 400 {
        [1, 1]
    } else {
        [all / 5, all / 10]
    };
    assert!(
        made >= enough[0] && refused >= enough[1],
        "{made} surfaces, {refused} refused"
    );
}
