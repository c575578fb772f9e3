//! Catmull-Clark patches, and the surface anywhere, against limits of plain code.

use glam::{DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Adaptive, Boundary, Creasing, Options, Patch, PatchKind, Scheme};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::surfaces::compare::diagonal;
use rxmesh_tests::surfaces::limit::{Limit, limits};
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{next, refine_net};
use rxmesh_tests::surfaces::net::SHARP;

conformance! {
    smooth_surfaces,
    polygons,
    boundaries,
    creases,
}

/// Of the bounding box.
const TOLERANCE: f64 = 2e-6;

fn options(levels: u32) -> Options {
    Options {
        levels,
        ..Options::default()
    }
}

fn floats(mesh: &PolyMesh) -> Vec<f32> {
    mesh.positions.iter().flat_map(|p| p.to_array()).collect()
}

/// A place of the surface, and where the surface is there.
struct Sample {
    face: u32,
    place: [f64; 2],
    limit: Limit,
}

/// The limits of all vertices of a level of plain code, seen from each of their faces. What is sharp at the patches' last
/// level is sharp for ever.
fn expected(mesh: &PolyMesh, options: &Options, levels: u32) -> Vec<Sample> {
    let (mut net, holes) = refine_net(mesh, options);
    let all = net
        .edge_sharpness
        .iter_mut()
        .chain(&mut net.vertex_sharpness);
    all.filter(|s| **s > 0.0).for_each(|s| *s = SHARP);
    for _ in options.levels..levels {
        net = next(&net, Scheme::CatmullClark, options.creasing);
    }
    let limits = limits(&net, Scheme::CatmullClark);
    let divided = levels - u32::from(mesh.face_size() != Some(4));
    let mut samples = Vec::new();
    for (f, face) in net.faces.iter().enumerate() {
        if holes[net.parents[f] as usize] {
            continue;
        }
        for (&vertex, corner) in face.iter().zip([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) {
            let (mut f, mut place) = (f, corner);
            for _ in 0..divided {
                // Children lie about the corner of their parent that is their first.
                let [s, t] = place.map(|x| x / 2.0);
                place = [[s, t], [1.0 - t, s], [1.0 - s, 1.0 - t], [t, 1.0 - s]][f % 4];
                f /= 4;
            }
            let limit = limits[vertex as usize].clone();
            samples.push(Sample {
                face: f as u32,
                place,
                limit,
            });
        }
    }
    samples
}

/// Points and normals of the surface at places.
fn evaluated(
    engine: &Engine,
    surface: &mut Adaptive,
    mesh: &PolyMesh,
    samples: &[Sample],
) -> [Vec<Vec3>; 2] {
    let x = engine.upload(&floats(mesh)).unwrap();
    // What is not written is seen.
    let unset = |rows: usize| engine.upload(&vec![f32::NAN; 3 * rows]).unwrap();
    let mut control = unset(surface.control_count() as usize);
    surface.values(3, &x, &mut control).unwrap();
    let faces: Vec<u32> = samples.iter().map(|s| s.face).collect();
    let places: Vec<f32> = samples
        .iter()
        .flat_map(|s| s.place.map(|x| x as f32))
        .collect();
    let (faces, places) = (
        engine.upload(&faces).unwrap(),
        engine.upload(&places).unwrap(),
    );
    let (mut points, mut normals) = (unset(samples.len()), unset(samples.len()));
    surface
        .evaluate_normals(&control, &faces, &places, &mut points, &mut normals)
        .unwrap();
    surface.check().unwrap();
    [points, normals].map(|b| b.read().unwrap().chunks(3).map(Vec3::from_slice).collect())
}

/// Where a place lies in a patch, when it does.
fn inside(patch: &Patch, sample: &Sample) -> Option<[f64; 2]> {
    let scale = f64::from(1u32 << patch.level);
    let [u, v] = sample.place.map(|x| x * scale);
    let (u, v) = (u - f64::from(patch.i), v - f64::from(patch.j));
    let is_in = |x: f64| (0.0..=1.0).contains(&x);
    (patch.face == sample.face && is_in(u) && is_in(v)).then_some([u, v])
}

/// What is to be expected at a place.
#[derive(Clone, Copy, PartialEq)]
enum At {
    /// The surface.
    Surface,
    /// The surface's point, not its normal.
    Vertex,
    /// Something near.
    Cap,
}

fn at(caps: &[Patch], sample: &Sample) -> At {
    let mut found = At::Surface;
    for cap in caps {
        let Some([u, v]) = inside(cap, sample) else {
            continue;
        };
        // Seen from the corner.
        let (p, q) = match cap.corner.unwrap() {
            0 => (u, v),
            1 => (v, 1.0 - u),
            2 => (1.0 - u, 1.0 - v),
            _ => (1.0 - v, u),
        };
        if p == 0.0 && q == 0.0 {
            found = At::Vertex;
        } else if p < 1.0 && q < 1.0 {
            return At::Cap;
        }
    }
    found
}

fn check(engine: &Engine, name: &str, mesh: &PolyMesh, options: &Options, levels: u32) {
    let mut surface = Adaptive::new(engine, mesh, options).unwrap();
    let samples = expected(mesh, options, levels);
    let [points, normals] = evaluated(engine, &mut surface, mesh, &samples);
    let places: Vec<DVec3> = samples.iter().map(|s| s.limit.position).collect();
    let size = diagonal(&places);
    let patches = surface.patches().unwrap();
    let caps: Vec<Patch> = patches
        .into_iter()
        .filter(|p| p.kind == PatchKind::Irregular)
        .collect();
    for (i, sample) in samples.iter().enumerate() {
        let at = at(&caps, sample);
        let far = points[i].as_dvec3().distance(sample.limit.position) / size;
        let most = if at == At::Cap { 0.03 } else { TOLERANCE };
        let Sample { face, place, limit } = sample;
        assert!(
            far < most,
            "{name}, {options:?}, face {face} at {place:?}: {far:.2e} away"
        );
        if at == At::Surface && !limit.normals.is_empty() {
            let n = normals[i].as_dvec3();
            let near = limit.normals.iter().any(|m| m.distance(n) < 1e-3);
            assert!(
                near,
                "{name}, {options:?}, face {face} at {place:?}: {n}, not {:?}",
                limit.normals
            );
        }
    }
}

fn smooth_surfaces(engine: &Engine) {
    let list = [
        ("cube", meshes::cube()),
        ("torus", meshes::torus(7, 5)),
        ("sphere", meshes::sphere(3)),
        ("valence 9", meshes::trapezohedron(9)),
        ("valence 3", meshes::trapezohedron(3)),
        ("irregular", meshes::irregular(2, 3)),
    ];
    for (name, mesh) in list {
        let mesh = meshes::moved(mesh);
        for (levels, more) in suited(engine, [vec![(1, 4), (3, 4), (5, 5)], vec![(2, 3)], vec![(1, 2)]]) {
            check(engine, name, &mesh, &options(levels), more);
        }
    }
}

fn polygons(engine: &Engine) {
    let list = [
        ("polygons", meshes::polygons(suited(engine, [4, 2, 1]), 1)),
        ("pyramids", meshes::bipyramid(9)),
        ("triangles", meshes::fan(3, 3)),
        ("pentagons", meshes::fan(4, 5)),
    ];
    for (name, mesh) in list {
        let mesh = meshes::moved(mesh);
        for (levels, more) in suited(engine, [vec![(2, 4), (4, 4)], vec![(3, 3)], vec![(2, 2)]]) {
            check(engine, name, &mesh, &options(levels), more);
        }
    }
}

fn boundaries(engine: &Engine) {
    let mut holes = meshes::grid(6, 0, 1);
    holes.holes = vec![0, 7, 8];
    let list = [
        ("grid", meshes::grid(5, 0, 1)),
        ("gaps", meshes::grid(6, 5, 3)),
        ("holes", holes),
        ("one face", meshes::fan(1, 4)),
        ("fans", meshes::fans()),
        ("five", meshes::fan(5, 4)),
        ("polygons", meshes::fan(3, 6)),
    ];
    for (name, mesh) in list {
        let mesh = meshes::moved(mesh);
        for boundary in [Boundary::None, Boundary::EdgeOnly, Boundary::EdgeAndCorner] {
            for (levels, more) in suited(engine, [vec![(2, 3), (4, 4)], vec![(3, 3)], vec![(2, 2)]]) {
                let options = Options {
                    boundary,
                    ..options(levels)
                };
                check(engine, name, &mesh, &options, more);
            }
        }
    }
}

fn creases(engine: &Engine) {
    let list = [
        ("cube", meshes::cube()),
        ("torus", meshes::torus(8, 6)),
        ("grid", meshes::grid(5, 6, 2)),
        ("valence 9", meshes::trapezohedron(9)),
        ("polygons", meshes::polygons(2, 2)),
        ("pyramids", meshes::bipyramid(7)),
    ];
    let count = suited(engine, [6, 2, 1]);
    for (name, mesh) in list.into_iter().take(count) {
        let mesh = meshes::moved(mesh);
        for (seed, steps) in suited(engine, [vec![(1, 4), (2, 2), (3, 0)], vec![(1, 4)], vec![(1, 2)]]) {
            let mesh = meshes::sharpened(mesh.clone(), 15, steps, seed);
            for creasing in [Creasing::Uniform, Creasing::Chaikin] {
                for (levels, more) in suited(engine, [vec![(4, 4), (5, 5)], vec![(4, 4)], vec![]]) {
                    let options = Options {
                        creasing,
                        ..options(levels)
                    };
                    check(engine, name, &mesh, &options, more);
                }
            }
        }
    }
}
