//! Catmull-Clark patches, and the surface at arbitrary points, against limits of plain code.

use glam::{DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{
    Adaptive, Boundary, CatmullClark, Creasing, Options, PatchCount, PatchKind, Scheme,
    SurfacePatch, VertexOptions, refine_adaptive,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::extent::extent;
use rxmesh_tests::surfaces::compare::diagonal;
use rxmesh_tests::surfaces::limit::{LimitPoint, limits};
use rxmesh_tests::surfaces::made::{options, rows};
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{next, refine_net};
use rxmesh_tests::surfaces::net::SHARP;
use std::collections::HashSet;

conformance! {
    smooth_surfaces,
    polygons,
    boundaries,
    creases,
    caps_come_nearer,
    uniform_surfaces,
    patches_of_known_meshes,
    values_of_any_width,
    derivatives,
    the_same_bits,
    meshes_without_gaps,
    refusals,
}

/// Tolerance relative to the bounding box.
const TOLERANCE: f64 = 2e-6;

/// Parameters of a point of the surface, and its expected limit.
struct Sample {
    face: u32,
    place: [f64; 2],
    limit: LimitPoint,
    /// `true` if it is a vertex at which nothing is sharp, and all of whose faces are part of the surface.
    smooth: bool,
}

/// Returns the limits of all vertices of a level of plain code, seen from each of their faces. Sharpness that remains
/// at the patches' last level is infinite.
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
        for (&vertex, corner) in face
            .iter()
            .zip([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        {
            let (mut f, mut place) = (f, corner);
            for _ in 0..divided {
                // Children lie about the corner of their parent that is their first.
                let [s, t] = place.map(|x| x / 2.0);
                place = [[s, t], [1.0 - t, s], [1.0 - s, 1.0 - t], [t, 1.0 - s]][f % 4];
                f /= 4;
            }
            let v = vertex as usize;
            let mut sharp = net.vertex_edges[v].iter().map(|&e| net.edge_sharpness[e]);
            samples.push(Sample {
                face: f as u32,
                place,
                limit: limits[v].clone(),
                smooth: net.vertex_sharpness[v] == 0.0
                    && sharp.all(|s| s == 0.0)
                    && net.vertex_faces[v]
                        .iter()
                        .all(|&f| !holes[net.parents[f] as usize]),
            });
        }
    }
    samples
}

/// Returns points and normals of the surface at samples.
fn evaluated(
    engine: &Engine,
    surface: &mut Adaptive,
    mesh: &PolyMesh,
    samples: &[Sample],
) -> [Vec<Vec3>; 2] {
    let x = engine.upload(&rows(mesh)).unwrap();
    // Unwritten values are noticed.
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

/// Returns the parameters of a sample in a patch, if it lies there.
fn inside(patch: &SurfacePatch, sample: &Sample) -> Option<[f64; 2]> {
    let scale = f64::from(1u32 << patch.level);
    let [u, v] = sample.place.map(|x| x * scale);
    let (u, v) = (u - f64::from(patch.i), v - f64::from(patch.j));
    let is_in = |x: f64| (0.0..=1.0).contains(&x);
    (patch.face == sample.face && is_in(u) && is_in(v)).then_some([u, v])
}

/// Expectation at a sample.
#[derive(Clone, Copy, PartialEq)]
enum SampleKind {
    /// The surface.
    Surface,
    /// The surface's point, and its normal where it is smooth.
    Vertex,
    /// A point nearby.
    Cap,
}

fn at(caps: &[SurfacePatch], sample: &Sample) -> SampleKind {
    let mut found = SampleKind::Surface;
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
            found = SampleKind::Vertex;
        } else if p < 1.0 && q < 1.0 {
            return SampleKind::Cap;
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
    let caps: Vec<SurfacePatch> = patches
        .into_iter()
        .filter(|p| p.kind == PatchKind::Irregular)
        .collect();
    for (i, sample) in samples.iter().enumerate() {
        let at = at(&caps, sample);
        let far = points[i].as_dvec3().distance(sample.limit.position) / size;
        let most = if at == SampleKind::Cap {
            0.03
        } else {
            TOLERANCE
        };
        let Sample {
            face,
            place,
            limit,
            smooth,
        } = sample;
        assert!(
            far < most,
            "{name}, {options:?}, face {face} at {place:?}: {far:.2e} away"
        );
        let has_normal = at == SampleKind::Surface || (at == SampleKind::Vertex && *smooth);
        if has_normal && !limit.normals.is_empty() {
            let n = normals[i].as_dvec3();
            // The error of a normal is that of points over the length of a cell, which halves with each level: with
            // five, 2e-6 of the box are 2e-3 of a cell of one of these meshes.
            let most = f64::max(1e-3, 2e-3 * 0.5f64.powi(5 - options.levels as i32));
            let near = limit.normals.iter().any(|m| m.distance(n) < most);
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
        for (levels, more) in suited(
            engine,
            [vec![(1, 4), (3, 4), (5, 5)], vec![(2, 3)], vec![(1, 2)]],
        ) {
            check(
                engine,
                name,
                &mesh,
                &options(Scheme::CatmullClark, levels),
                more,
            );
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
            check(
                engine,
                name,
                &mesh,
                &options(Scheme::CatmullClark, levels),
                more,
            );
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
            for (levels, more) in suited(engine, [vec![(2, 3), (4, 4)], vec![(3, 3)], vec![(2, 2)]])
            {
                let options = Options {
                    boundary,
                    ..options(Scheme::CatmullClark, levels)
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
        for (seed, steps) in suited(
            engine,
            [
                extent(vec![(1, 4)], vec![(1, 4), (2, 2), (3, 0)]),
                vec![(1, 4)],
                vec![(1, 2)],
            ],
        ) {
            let mesh = meshes::sharpened(mesh.clone(), 15, steps, seed);
            for creasing in [Creasing::Uniform, Creasing::Chaikin] {
                for (levels, more) in suited(engine, [vec![(4, 4), (5, 5)], vec![(4, 4)], vec![]]) {
                    let options = Options {
                        creasing,
                        ..options(Scheme::CatmullClark, levels)
                    };
                    check(engine, name, &mesh, &options, more);
                }
            }
        }
    }
}

/// Returns the largest error of patches at irregular vertices, relative to the bounding box.
fn farthest(engine: &Engine, mesh: &PolyMesh, levels: u32) -> f64 {
    let options = options(Scheme::CatmullClark, levels);
    let mut surface = Adaptive::new(engine, mesh, &options).unwrap();
    let samples = expected(mesh, &options, levels + 2);
    let [points, _] = evaluated(engine, &mut surface, mesh, &samples);
    let places: Vec<DVec3> = samples.iter().map(|s| s.limit.position).collect();
    let pairs = points.iter().zip(&places);
    pairs
        .map(|(p, q)| p.as_dvec3().distance(*q))
        .fold(0.0, f64::max)
        / diagonal(&places)
}

/// The error of patches at irregular vertices decreases with each level.
fn caps_come_nearer(engine: &Engine) {
    for n in suited(engine, [vec![3, 5, 12], vec![5], vec![]]) {
        let mesh = meshes::moved(meshes::trapezohedron(n));
        let far = [1, 2, 3].map(|levels| farthest(engine, &mesh, levels));
        assert!(far[0] < 0.03, "valence {n}: {far:?}");
        assert!(
            far[1] < 0.8 * far[0] && far[2] < 0.8 * far[1],
            "valence {n}: {far:?}"
        );
    }
}

/// At the points of the uniform form the surface is the limit of that form.
fn uniform_surfaces(engine: &Engine) {
    let sharp = meshes::with_edges(meshes::cube(), &meshes::TOP.map(|e| (e, 2.5)));
    for mesh in [
        meshes::cube(),
        meshes::trapezohedron(5),
        meshes::grid(3, 0, 0),
        sharp,
    ] {
        let mesh = meshes::moved(mesh);
        let levels = suited(engine, [4, 2, 2]);
        let uniform =
            CatmullClark::new(engine, &mesh, &options(Scheme::CatmullClark, levels)).unwrap();
        let x = engine.upload(&rows(&mesh)).unwrap();
        let n = 3 * uniform.vertex_count() as usize;
        let (mut y, mut limit) = (engine.zeroed(n).unwrap(), engine.zeroed(n).unwrap());
        uniform.values(3, &x, &mut y).unwrap();
        uniform.limit(&y, &mut limit, None).unwrap();
        let limit = limit.read().unwrap();
        let mut faces = engine.zeroed(uniform.index_count() as usize).unwrap();
        uniform.faces(&mut faces).unwrap();
        let cells = 1 << levels;
        let corners = faces.read().unwrap();
        let samples: Vec<Sample> = corners
            .chunks(4)
            .zip(0..)
            .map(|(quad, cell)| {
                let at = |i: u32| f64::from(i % cells) / f64::from(cells);
                let v = 3 * quad[0] as usize;
                Sample {
                    face: cell / (cells * cells),
                    place: [at(cell), at(cell / cells)],
                    limit: LimitPoint {
                        position: Vec3::from_slice(&limit[v..v + 3]).as_dvec3(),
                        normals: Vec::new(),
                    },
                    smooth: false,
                }
            })
            .collect();
        let mut surface =
            Adaptive::new(engine, &mesh, &options(Scheme::CatmullClark, levels)).unwrap();
        let [points, _] = evaluated(engine, &mut surface, &mesh, &samples);
        for (p, sample) in points.iter().zip(&samples) {
            let want = sample.limit.position;
            assert!(p.as_dvec3().distance(want) < 1e-5, "{p} and {want}");
        }
    }
}

fn patches_of_known_meshes(engine: &Engine) {
    let counts = |mesh: &PolyMesh, levels: u32| {
        let surface = Adaptive::new(engine, mesh, &options(Scheme::CatmullClark, levels)).unwrap();
        PatchCount::of(&surface.patches().unwrap())
    };
    let count = |level, regular, border, irregular| PatchCount {
        level,
        regular,
        border,
        irregular,
    };
    assert_eq!(counts(&meshes::torus(7, 5), 6), [count(0, 35, 0, 0)]);
    assert_eq!(counts(&meshes::grid(4, 0, 0), 3), [count(0, 4, 12, 0)]);
    // A cube has an irregular vertex at each corner of each face.
    assert_eq!(
        counts(&meshes::cube(), 3),
        [count(2, 72, 0, 0), count(3, 72, 0, 24)]
    );
    // An infinitely sharp crease around the torus divides nothing; one of sharpness 2 divides the faces beside it, and
    // of their quarters those beside it.
    let line = |s| {
        let ends = (0..7).map(|i| ([i, (i + 1) % 7], s));
        meshes::with_edges(meshes::torus(7, 5), &ends.collect::<Vec<_>>())
    };
    assert_eq!(counts(&line(10.0), 6), [count(0, 21, 14, 0)]);
    assert_eq!(
        counts(&line(2.0), 6),
        [count(0, 21, 0, 0), count(1, 28, 0, 0), count(2, 112, 0, 0)]
    );
}

/// Returns values of `width` columns at parameters that no level has.
fn columns(engine: &Engine, mesh: &PolyMesh, width: u32, x: &[f32]) -> Vec<f32> {
    let surface = Adaptive::new(engine, mesh, &options(Scheme::CatmullClark, 3)).unwrap();
    let w = width as usize;
    let mut control = engine
        .upload(&vec![f32::NAN; surface.control_count() as usize * w])
        .unwrap();
    surface
        .values(width, &engine.upload(x).unwrap(), &mut control)
        .unwrap();
    let n = 50 * surface.face_count();
    let faces: Vec<u32> = (0..n).map(|i| i % surface.face_count()).collect();
    let part = |i: u32, step: f32| (i as f32 * step).fract();
    let places: Vec<f32> = (0..n)
        .flat_map(|i| [part(i, 0.618_034), part(i, 0.754_878)])
        .collect();
    let (faces, places) = (
        engine.upload(&faces).unwrap(),
        engine.upload(&places).unwrap(),
    );
    let mut out = engine.upload(&vec![f32::NAN; n as usize * w]).unwrap();
    surface
        .evaluate(width, &control, &faces, &places, &mut out)
        .unwrap();
    out.read().unwrap()
}

/// Each component is the same as alone.
fn values_of_any_width(engine: &Engine) {
    let mesh = meshes::moved(meshes::sharpened(meshes::polygons(1, 3), 20, 2, 1));
    let x = rows(&mesh);
    let three = columns(engine, &mesh, 3, &x);
    for width in [1usize, 2, 5] {
        let wide = |rows: &[f32]| -> Vec<f32> {
            let rows = rows.chunks(3);
            rows.flat_map(|p| (0..width).map(move |k| p[k % 3]))
                .collect()
        };
        let got = columns(engine, &mesh, width as u32, &wide(&x));
        assert_eq!(got, wide(&three), "{width} components");
    }
}

/// Returns values at places of a face, and both kinds of derivatives, `width` numbers each.
fn derived(
    engine: &Engine,
    mesh: &PolyMesh,
    (width, x): (u32, &[f32]),
    places: &[[f32; 2]],
    face: u32,
) -> [Vec<f32>; 3] {
    let mut surface = Adaptive::new(engine, mesh, &options(Scheme::CatmullClark, 3)).unwrap();
    let (n, w) = (places.len(), width as usize);
    let unset = |len: usize| engine.upload(&vec![f32::NAN; len]).unwrap();
    let mut control = unset(surface.control_count() as usize * w);
    let x = engine.upload(x).unwrap();
    surface.values(width, &x, &mut control).unwrap();
    let faces = engine.upload(&vec![face; n]).unwrap();
    let places = engine.upload(places.as_flattened()).unwrap();
    let (mut values, mut first, mut second) = (unset(n * w), unset(2 * n * w), unset(3 * n * w));
    surface
        .evaluate(width, &control, &faces, &places, &mut values)
        .unwrap();
    surface
        .evaluate_derivatives(width, &control, &faces, &places, [&mut first, &mut second])
        .unwrap();
    let (mut alone, mut none) = (unset(2 * n * w), unset(0));
    surface
        .evaluate_derivatives(width, &control, &faces, &places, [&mut alone, &mut none])
        .unwrap();
    surface.check().unwrap();
    let first = first.read().unwrap();
    assert_eq!(first, alone.read().unwrap());
    [values.read().unwrap(), first, second.read().unwrap()]
}

/// On a grid, values of a quadratic function have its derivatives; elsewhere they are those of differences.
fn derivatives(engine: &Engine) {
    const SIDE: u32 = 6;
    let at = |i: u32, j: u32| j * (SIDE + 1) + i;
    let cells = (0..SIDE * SIDE).map(|k| (k % SIDE, k / SIDE));
    let corners = cells.flat_map(|(i, j)| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
    let grid: Vec<[f32; 2]> = (0..(SIDE + 1) * (SIDE + 1))
        .map(|k| [k % (SIDE + 1), k / (SIDE + 1)].map(|c| c as f32))
        .collect();
    let positions = grid.iter().map(|&[x, y]| Vec3::new(x, y, 0.0)).collect();
    let quads = vec![4; (SIDE * SIDE) as usize];
    let mesh = PolyMesh::new(positions, &quads, corners.collect()).unwrap();
    let x: Vec<f32> = grid
        .iter()
        .flat_map(|&[x, y]| [x * x, x * y, y * y + x, 3.0])
        .collect();
    let places = [[0.0, 0.0], [0.25, 0.75], [0.5, 0.5], [1.0, 0.3]];
    // The face with its corner 0 in (2, 3).
    let [_, first, second] = derived(engine, &mesh, (4, &x), &places, 3 * SIDE + 2);
    for (k, [u, v]) in places.into_iter().enumerate() {
        let (x, y) = (2.0 + u, 3.0 + v);
        let want = [2.0 * x, y, 1.0, 0.0, 0.0, x, 2.0 * y, 0.0];
        for (got, want) in first[8 * k..8 * k + 8].iter().zip(want) {
            assert!((got - want).abs() < 1e-4, "{k}: {got} and {want}");
        }
        let want = [2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0];
        for (got, want) in second[12 * k..12 * k + 12].iter().zip(want) {
            assert!((got - want).abs() < 1e-3, "{k}: {got} and {want}");
        }
    }
    // Places in the interior of patches of several levels, near an irregular vertex. Cubics have no higher differences
    // than the third, whose part of a first difference is of the square of the step.
    const STEP: f32 = 1.0 / 256.0;
    let cube = meshes::cube();
    let places = [[0.3, 0.4], [0.15, 0.2], [0.07, 0.09], [0.6, 0.03]];
    let x = rows(&cube);
    let moved = |du: f32, dv: f32| places.map(|[u, v]| [u + du * STEP, v + dv * STEP]);
    let values = |du: f32, dv: f32| {
        let [values, first, _] = derived(engine, &cube, (3, &x), &moved(du, dv), 1);
        (values, first)
    };
    let [_, first, second] = derived(engine, &cube, (3, &x), &places, 1);
    let directions = [(1.0, 0.0), (0.0, 1.0)];
    for (which, (du, dv)) in directions.into_iter().enumerate() {
        let (after, before) = (values(du, dv), values(-du, -dv));
        for k in 0..places.len() {
            for c in 0..3 {
                let slope = (after.0[3 * k + c] - before.0[3 * k + c]) / (2.0 * STEP);
                let got = first[6 * k + 3 * which + c];
                assert!(
                    (got - slope).abs() < 0.01,
                    "{k}, {which}: {got} and {slope}"
                );
                // By u: duu and duv; by v: duv and dvv.
                for other in 0..2 {
                    let at = 6 * k + 3 * other + c;
                    let bend = (after.1[at] - before.1[at]) / (2.0 * STEP);
                    let got = second[9 * k + 3 * (which + other) + c];
                    assert!((got - bend).abs() < 0.05, "{k}, {which}: {got} and {bend}");
                }
            }
        }
    }
}

fn the_same_bits(engine: &Engine) {
    let mesh = meshes::sharpened(meshes::polygons(2, 3), 10, 3, 1);
    let once = columns(engine, &mesh, 3, &rows(&mesh));
    assert_eq!(once, columns(engine, &mesh, 3, &rows(&mesh)));
}

/// Each side of a face is that of another, in the opposite direction, or on the boundary of the mesh.
fn meshes_without_gaps(engine: &Engine) {
    let sharp = meshes::sharpened(meshes::torus(6, 5), 10, 2, 3);
    let list = [
        (meshes::cube(), 0),
        (sharp, 0),
        (meshes::polygons(1, 1), 0),
        (meshes::grid(4, 0, 0), 16),
    ];
    for (mesh, boundary) in list {
        let (refined, counts) = refine_adaptive(
            engine,
            &mesh,
            &options(Scheme::CatmullClark, 3),
            VertexOptions::default(),
        )
        .unwrap();
        let mesh = refined.mesh;
        let patches = counts.iter().map(|c| c.regular + c.border + c.irregular);
        assert_eq!(patches.sum::<u64>(), mesh.face_count() as u64);
        let mut sides = HashSet::new();
        for face in meshes::faces(&mesh) {
            for k in 0..face.len() {
                let side = (face[k], face[(k + 1) % face.len()]);
                assert!(sides.insert(side), "{side:?} is there twice");
            }
        }
        let open = sides.iter().filter(|(a, b)| !sides.contains(&(*b, *a)));
        assert_eq!(open.count(), boundary);
    }
}

fn refusals(engine: &Engine) {
    let refused = |mesh: &PolyMesh, options: &Options| {
        Adaptive::new(engine, mesh, options)
            .unwrap_err()
            .to_string()
    };
    let cube = meshes::cube();
    assert!(refused(&cube, &options(Scheme::CatmullClark, 0)).contains("1 levels or more"));
    assert!(refused(&cube, &options(Scheme::CatmullClark, 11)).contains("11"));
    assert!(
        refused(&meshes::fan(3, 5), &options(Scheme::CatmullClark, 1)).contains("2 levels or more")
    );
    let ring = meshes::with_edges(meshes::cube(), &meshes::TOP.map(|e| (e, 2.5)));
    let chaikin = |levels| Options {
        creasing: Creasing::Chaikin,
        ..options(Scheme::CatmullClark, levels)
    };
    assert!(refused(&ring, &chaikin(2)).contains("sharpness up to 2.5"));
    assert!(Adaptive::new(engine, &ring, &chaikin(3)).is_ok());

    let mut hole = meshes::grid(3, 0, 0);
    hole.holes = vec![4];
    let mut surface = Adaptive::new(engine, &hole, &options(Scheme::CatmullClark, 2)).unwrap();
    let mut control = engine.zeroed(3 * surface.control_count() as usize).unwrap();
    let x = engine.upload(&rows(&hole)).unwrap();
    assert!(surface.values(2, &x, &mut control).is_err());
    surface.values(3, &x, &mut control).unwrap();
    let bad = [
        (9, [0.5, 0.5]),
        (u32::MAX, [0.5, 0.5]),
        (4, [0.5, 0.5]),
        (0, [-0.1, 0.5]),
        (0, [0.5, 1.1]),
        (0, [f32::NAN, 0.5]),
        (0, [0.5, f32::INFINITY]),
    ];
    for (face, place) in bad {
        let faces = engine.upload(&[0, face, face]).unwrap();
        let places = [0.0, 1.0, place[0], place[1], place[0], place[1]];
        let places = engine.upload(&places).unwrap();
        let mut out = engine.upload(&[7.0f32; 9]).unwrap();
        surface
            .evaluate(3, &control, &faces, &places, &mut out)
            .unwrap();
        let why = surface.check().unwrap_err();
        assert!(matches!(why, Error::Options(_)));
        assert!(why.to_string().contains("sample 1 is"), "{why}");
        assert_eq!(out.read().unwrap()[3..], [7.0; 6]);
        surface.check().unwrap();
        let mut short = engine.zeroed(8).unwrap();
        assert!(
            surface
                .evaluate(3, &control, &faces, &places, &mut short)
                .is_err()
        );
    }
}
