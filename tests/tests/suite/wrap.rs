//! Closed surfaces around anything, against a grid without bricks, a flood in a queue, and exact predicates.

use glam::Vec3;
use rxmesh_host::algo::wrap::{WrapOptions, Wrapped, wrap};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algo::closest::closest_on_triangle;
use rxmesh_host::mesh::{TriMesh, check, generate, self_intersections, volume};
use rxmesh_tests::{conformance, fixtures};
use std::collections::VecDeque;

conformance! {
    closed_around_anything, as_a_dense_grid, same_bits_on_all_engines, one_skin, cavities, gaps, offsets, sharp_edges,
    refusals
}

fn wrapped(engine: &Engine, mesh: &TriMesh, options: &WrapOptions) -> Wrapped {
    let x = engine.upload(&mesh.positions).unwrap();
    let faces = engine.upload(&mesh.faces).unwrap();
    wrap(engine, &x, &faces, options).unwrap()
}

fn to_host(wrapped: &Wrapped) -> TriMesh {
    TriMesh::new(
        wrapped.positions.read().unwrap(),
        wrapped.faces.read().unwrap(),
    )
    .unwrap()
}

fn at(resolution: u32) -> WrapOptions {
    WrapOptions::default().with(|o| o.resolution = resolution)
}

/// Checks that a mesh is closed, manifold, oriented outwards, and does not intersect itself.
fn sound(mesh: &TriMesh, what: &str) {
    let report = check(mesh);
    assert!(report.closed && report.manifold, "{what}: {report:?}");
    assert!(report.consistently_oriented, "{what}: {report:?}");
    assert_eq!(report.duplicate_faces.count, 0, "{what}");
    assert_eq!(report.isolated_vertices.count, 0, "{what}");
    let pairs = self_intersections(mesh);
    assert_eq!(pairs.count, 0, "{what}: {:?}", pairs.first.first());
    assert!(volume(&mesh.positions, &mesh.faces) > 0.0, "{what}");
}

/// Two sheets that cross.
fn crossing() -> TriMesh {
    let (mut mesh, other) = (fixtures::with_boundary(3, 3), fixtures::with_boundary(4, 2));
    let n = mesh.positions.len() as u32;
    let turned = other
        .positions
        .iter()
        .map(|p| Vec3::new(p.x, p.z + 0.21, p.y - 0.47));
    mesh.positions.extend(turned);
    mesh.faces
        .extend(other.faces.iter().map(|f| f.map(|v| v + n)));
    mesh
}

/// Meshes of all kinds.
fn nasty() -> Vec<(String, TriMesh)> {
    let mut all: Vec<(String, TriMesh)> = [
        ("a triangle", fixtures::one_triangle()),
        ("closed", fixtures::closed(1)),
        ("pages", fixtures::book(3, 4)),
        ("a vertex", fixtures::non_manifold_vertex()),
        ("touching", fixtures::touching(1)),
        ("a fin", fixtures::fin(false)),
        ("a Moebius strip", fixtures::moebius(7)),
        ("mixed", fixtures::mixed_orientation(4, 4, 3)),
        ("degenerate", fixtures::degenerate_faces()),
        ("duplicates", fixtures::duplicate_faces()),
        ("components", fixtures::components(4)),
        ("crossing", crossing()),
    ]
    .map(|(name, mesh)| (name.to_owned(), mesh))
    .into();
    for seed in 0..6 {
        let mesh = fixtures::soup(seed, 12, 5 + 3 * seed as usize);
        all.push((format!("soup {seed}"), mesh));
    }
    all
}

fn closed_around_anything(engine: &Engine) {
    for (name, mesh) in nasty() {
        let found = wrapped(engine, &mesh, &at(18));
        assert_eq!(found.report.intersecting, 0, "{name}");
        let result = to_host(&found);
        sound(&result, &name);
        // No place of the result is far from the input.
        let cell = found.report.cell as f32;
        for p in &result.positions {
            let d = distance(*p, &mesh);
            assert!(d < 2.0 * cell, "{name}: {p} is {} cells away", d / cell);
        }
    }
}

fn distance(p: Vec3, mesh: &TriMesh) -> f32 {
    square(p, mesh).sqrt()
}

/// Returns the squared distance of a point from a mesh by all its triangles.
fn square(p: Vec3, mesh: &TriMesh) -> f32 {
    let to = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
        let d = closest_on_triangle(p, a, b, c) - p;
        d.dot(d)
    };
    mesh.faces.iter().map(to).fold(f32::INFINITY, f32::min)
}

/// The number of faces is twice that of the grid's edges that part the outside from the rest, on a grid without bricks.
fn as_a_dense_grid(engine: &Engine) {
    let meshes = [
        ("pages", fixtures::book(3, 3)),
        ("crossing", crossing()),
        ("soup", fixtures::soup(3, 10, 8)),
    ];
    for (name, mesh) in meshes {
        let found = wrapped(engine, &mesh, &at(12));
        let report = found.report;
        let low = mesh
            .faces
            .iter()
            .flatten()
            .map(|&v| mesh.positions[v as usize]);
        let low = low.fold(Vec3::INFINITY, Vec3::min).as_dvec3();
        let (cell, level) = (report.cell, 0.5 * report.gap);
        let origin = (low - (level + 10.0 * cell)).as_vec3();
        let cell = cell as f32;
        let [nx, ny, nz] = report.cells.map(|n| n as usize);
        let place = |i: usize| {
            let at = [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as f32);
            origin + Vec3::from(at) * cell
        };
        let most = (level as f32) * (level as f32);
        let free: Vec<bool> = (0..nx * ny * nz)
            .map(|i| square(place(i), &mesh) > most)
            .collect();
        let outside = reached(&free, [nx, ny, nz]);
        let mut crossed = 0;
        for i in 0..free.len() {
            let [x, y, z] = [i % nx, i / nx % ny, i / (nx * ny)];
            let differs =
                |is_there: bool, j: usize| usize::from(is_there && outside[i] != outside[j]);
            crossed += differs(x + 1 < nx, i + 1);
            crossed += differs(y + 1 < ny, i + nx);
            crossed += differs(z + 1 < nz, i + nx * ny);
        }
        assert_eq!(found.faces.len(), 2 * crossed, "{name}");
    }
}

/// Returns the free places of a grid that can be reached from the first one.
fn reached(free: &[bool], [nx, ny, nz]: [usize; 3]) -> Vec<bool> {
    let mut reached = vec![false; free.len()];
    let mut queue = VecDeque::from([0]);
    reached[0] = true;
    while let Some(i) = queue.pop_front() {
        let [x, y, z] = [i % nx, i / nx % ny, i / (nx * ny)];
        let neighbours = [
            (x > 0, i.wrapping_sub(1)),
            (x + 1 < nx, i + 1),
            (y > 0, i.wrapping_sub(nx)),
            (y + 1 < ny, i + nx),
            (z > 0, i.wrapping_sub(nx * ny)),
            (z + 1 < nz, i + nx * ny),
        ];
        for (is_there, j) in neighbours {
            if is_there && free[j] && !reached[j] {
                reached[j] = true;
                queue.push_back(j);
            }
        }
    }
    reached
}

fn same_bits_on_all_engines(engine: &Engine) {
    let cpu = Engine::cpu();
    for (name, mesh) in [("closed", fixtures::closed(2)), ("crossing", crossing())] {
        let [here, there] = [engine, &cpu].map(|engine| {
            let found = wrapped(engine, &mesh, &at(30));
            let x = found.positions.read().unwrap();
            let bits: Vec<[u32; 3]> = x.iter().map(|p| p.to_array().map(f32::to_bits)).collect();
            (bits, found.faces.read().unwrap())
        });
        assert_eq!(here.1, there.1, "{name}");
        assert_eq!(here.0, there.0, "{name}");
    }
}

/// Returns a mesh with another one beside it.
fn with(mut mesh: TriMesh, other: &TriMesh, at: Vec3, scale: f32) -> TriMesh {
    let n = mesh.positions.len() as u32;
    mesh.positions
        .extend(other.positions.iter().map(|&p| at + p * scale));
    mesh.faces
        .extend(other.faces.iter().map(|f| f.map(|v| v + n)));
    mesh
}

/// Parts inside are not seen, those outside are components of the result.
fn one_skin(engine: &Engine) {
    let ball = generate::icosphere(2).unwrap();
    let cases = [
        ("inside", Vec3::ZERO, 0.5, 1),
        ("apart", Vec3::new(2.5, 0.0, 0.0), 0.5, 2),
        ("crossing", Vec3::new(1.0, 0.0, 0.0), 0.5, 1),
    ];
    for (name, place, scale, components) in cases {
        let mesh = with(ball.clone(), &ball, place, scale);
        let result = to_host(&wrapped(engine, &mesh, &at(32)));
        sound(&result, name);
        assert_eq!(check(&result).face_components, components, "{name}");
    }
}

/// Hollows of solids stay if that is asked for, whatever way all faces look; solids in solids do not.
fn cavities(engine: &Engine) {
    let ball = generate::icosphere(3).unwrap();
    let turned = |mesh: &TriMesh| {
        let mut mesh = mesh.clone();
        mesh.faces.iter_mut().for_each(|f| f.swap(1, 2));
        mesh
    };
    let place = Vec3::new(0.1, 0.0, -0.1);
    let hollow = with(ball.clone(), &turned(&ball), place, 0.6);
    let cases = [
        ("hollow", hollow.clone(), true),
        ("hollow, turned", turned(&hollow), true),
        ("full in full", with(ball.clone(), &ball, place, 0.6), false),
        ("full", ball.clone(), false),
    ];
    let of_ball = |radius: f32| radius.powi(3) * volume(&ball.positions, &ball.faces) as f32;
    for (name, mesh, is_hollow) in cases {
        let options = at(40).with(|o| o.keep_cavities = true);
        let found = wrapped(engine, &mesh, &options);
        let result = to_host(&found);
        sound(&result, name);
        let report = check(&result);
        assert_eq!(report.face_components, 1 + u64::from(is_hollow), "{name}");
        let kept = found.report.hollow.unwrap() as f32;
        let offset = found.report.offset as f32;
        // The flood stops half a gap from the surface.
        let deep = 0.6 - 0.5 * found.report.gap as f32;
        let (expected, inner) = match is_hollow {
            true => (of_ball(deep), of_ball(0.6 - offset)),
            false => (0.0, 0.0),
        };
        assert!((kept - expected).abs() <= 0.1 * expected, "{name}: {kept}");
        let whole = volume(&result.positions, &result.faces) as f32;
        let expected = of_ball(1.0 + offset) - inner;
        assert!((whole / expected - 1.0).abs() < 0.02, "{name}: {whole}");
        // They are what is added.
        let plain = wrapped(engine, &mesh, &at(40));
        assert_eq!(plain.report.hollow, None);
        assert_eq!(check(&to_host(&plain)).face_components, 1);
    }
    for (name, mesh) in nasty() {
        let options = at(18).with(|o| o.keep_cavities = true);
        sound(&to_host(&wrapped(engine, &mesh, &options)), &name);
    }
}

/// A gap is closed if it is narrower than the option says: then a ball with a hole is full, else it is a shell.
fn gaps(engine: &Engine) {
    let ball = generate::icosphere(3).unwrap();
    let mut open = ball.clone();
    // A cap of radius 0.3.
    open.faces
        .retain(|f| f.iter().any(|&v| ball.positions[v as usize].z < 0.95));
    let full = volume(&ball.positions, &ball.faces);
    for (gap, is_closed) in [(None, false), (Some(0.3), false), (Some(0.9), true)] {
        let found = wrapped(engine, &open, &at(24).with(|o| o.gap = gap));
        let result = to_host(&found);
        sound(&result, &format!("{gap:?}"));
        let part = volume(&result.positions, &result.faces) / full;
        let expected = if is_closed { 0.9..1.3 } else { 0.0..0.5 };
        assert!(expected.contains(&part), "{gap:?}: {part} of the ball");
    }
}

/// All vertices of the result are about as far from the mesh as requested, and none on the inner side.
fn offsets(engine: &Engine) {
    let ball = generate::icosphere(3).unwrap();
    for offset in [0.02, 0.1, 0.3] {
        let found = wrapped(engine, &ball, &at(24).with(|o| o.offset = Some(offset)));
        assert_eq!(found.report.offset as f32, offset as f32);
        let result = to_host(&found);
        sound(&result, &format!("{offset}"));
        for p in &result.positions {
            let d = f64::from(distance(*p, &ball));
            // Planes of a curved surface meet a little farther out.
            let off = (d - offset).abs();
            assert!(off < 0.1 * found.report.cell, "{p}: {d} of {offset}");
            assert!(p.length() > 1.0, "{p}");
        }
    }
}

/// The edges and corners of a cube stay sharp: the result has a vertex near each.
fn sharp_edges(engine: &Engine) {
    let cube = generate::cube(1).unwrap().triangulate().unwrap().0;
    let found = wrapped(engine, &cube, &at(20).with(|o| o.offset = Some(1e-3)));
    let result = to_host(&found);
    sound(&result, "cube");
    let cell = found.report.cell as f32;
    for corner in &cube.positions {
        let nearest = result.positions.iter().map(|p| p.distance(*corner));
        let nearest = nearest.fold(f32::INFINITY, f32::min);
        assert!(nearest < 0.1 * cell, "{corner}: {} cells", nearest / cell);
    }
    let [now, was] = [&result, &cube].map(|m| volume(&m.positions, &m.faces));
    assert!((now / was - 1.0).abs() < 0.01, "{now} instead of {was}");
}

fn refusals(engine: &Engine) {
    let mesh = fixtures::closed(1);
    let refused = |mesh: &TriMesh, options: &WrapOptions| {
        let x = engine.upload(&mesh.positions).unwrap();
        let faces = engine.upload(&mesh.faces).unwrap();
        wrap(engine, &x, &faces, options).unwrap_err().to_string()
    };
    let says = |message: String, what: &str| assert!(message.contains(what), "{message}");
    let options = at(8);
    says(refused(&fixtures::empty(), &options), "there are no faces");
    let mut wrong = mesh.clone();
    wrong.faces[3][1] = 1000;
    says(refused(&wrong, &options), "face 3 has a corner");
    for bad in [f32::NAN, f32::INFINITY] {
        let mut wrong = mesh.clone();
        let v = wrong.faces[5][0];
        wrong.positions[v as usize].y = bad;
        says(refused(&wrong, &options), "not a finite number");
    }
    let mut point = mesh.clone();
    point.positions.fill(Vec3::ONE);
    says(refused(&point, &options), "at one place");
    for resolution in [0, 3, 5000] {
        says(refused(&mesh, &at(resolution)), "the resolution is");
    }
    let tiny = at(8).with(|o| o.cell = Some(1e-6));
    says(refused(&mesh, &tiny), "cells along the longest side");
    let wide = at(8).with(|o| o.gap = Some(1e6));
    says(refused(&mesh, &wide), "cells along the longest side");
    for set in [
        |o: &mut WrapOptions| o.cell = Some(0.0),
        |o: &mut WrapOptions| o.offset = Some(-1.0),
        |o: &mut WrapOptions| o.gap = Some(f64::NAN),
    ] {
        says(refused(&mesh, &at(8).with(set)), "must be");
    }
}
