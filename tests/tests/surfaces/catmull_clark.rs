//! Catmull-Clark surfaces on every engine against plain code.

use glam::{DVec3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_subdivision::{Boundary, CatmullClark, Creasing, Options, Scheme};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::made::{options, rows};
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{NaiveSurface, refine};

conformance! {
    smooth_surfaces,
    many_levels,
    polygons,
    boundaries,
    creases,
    limits,
    values_of_any_width,
    the_same_bits,
    refusals,
}

/// Tolerance relative to the bounding box.
const TOLERANCE: f64 = 2e-6;

/// Returns the values of a surface, `width` per point.
fn values(engine: &Engine, surface: &CatmullClark, width: u32, x: &[f32]) -> Vec<f32> {
    let x = engine.upload(x).unwrap();
    let n = (surface.vertex_count() * width) as usize;
    // Unwritten values are noticed.
    let mut y = engine.upload(&vec![f32::NAN; n]).unwrap();
    surface.values(width, &x, &mut y).unwrap();
    y.read().unwrap()
}

fn made(engine: &Engine, mesh: &PolyMesh, options: &Options) -> NaiveSurface {
    let surface = CatmullClark::new(engine, mesh, options).unwrap();
    let x = values(engine, &surface, 3, &rows(mesh));
    let mut faces = engine.zeroed(surface.index_count() as usize).unwrap();
    surface.faces(&mut faces).unwrap();
    let faces = faces.read().unwrap();
    let size = surface.face_size() as usize;
    NaiveSurface {
        positions: x
            .chunks(3)
            .map(|p| DVec3::new(p[0].into(), p[1].into(), p[2].into()))
            .collect(),
        faces: faces.chunks(size).map(<[u32]>::to_vec).collect(),
        parents: (0..surface.face_count())
            .map(|f| surface.parent(f))
            .collect(),
    }
}

fn check(engine: &Engine, name: &str, mesh: &PolyMesh, options: &Options) {
    let got = made(engine, mesh, options);
    if let Err(why) = compare(&got, &refine(mesh, options), TOLERANCE) {
        panic!("{name}, {options:?}: {why}");
    }
}

fn smooth_surfaces(engine: &Engine) {
    let list = [
        ("cube", meshes::cube()),
        ("torus", meshes::torus(7, 5)),
        ("sphere", meshes::sphere(3)),
        ("valence 50", meshes::trapezohedron(50)),
        ("valence 3", meshes::trapezohedron(3)),
    ];
    for (name, mesh) in list {
        for levels in suited(engine, [vec![0, 1, 2, 3, 5], vec![1, 3], vec![2]]) {
            check(engine, name, &mesh, &options(Scheme::CatmullClark, levels));
        }
    }
}

/// More levels than one launch makes.
fn many_levels(engine: &Engine) {
    let mut creased = meshes::sharpened(meshes::fan(3, 4), 4, 2, 9);
    creased.sharp_edges.truncate(3);
    for levels in suited(engine, [vec![6, 7], vec![6], vec![]]) {
        check(
            engine,
            "cube",
            &meshes::cube(),
            &options(Scheme::CatmullClark, levels),
        );
        for creasing in [Creasing::Uniform, Creasing::Chaikin] {
            let options = Options {
                creasing,
                ..options(Scheme::CatmullClark, levels)
            };
            check(engine, "creased fan", &creased, &options);
        }
    }
}

fn polygons(engine: &Engine) {
    let list = [
        ("polygons", meshes::polygons(suited(engine, [6, 3, 2]), 1)),
        ("pyramids", meshes::bipyramid(9)),
        ("triangles", meshes::fan(3, 3)),
        ("pentagons", meshes::fan(4, 5)),
    ];
    for (name, mesh) in list {
        for levels in 1..=suited(engine, [4, 3, 2]) {
            check(engine, name, &mesh, &options(Scheme::CatmullClark, levels));
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
        ("polygons", meshes::fan(3, 6)),
    ];
    for (name, mesh) in list {
        for boundary in [Boundary::None, Boundary::EdgeOnly, Boundary::EdgeAndCorner] {
            for levels in 1..=suited(engine, [4, 3, 2]) {
                let options = Options {
                    boundary,
                    ..options(Scheme::CatmullClark, levels)
                };
                check(engine, name, &mesh, &options);
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
        ("polygons", meshes::polygons(4, 2)),
        ("pyramids", meshes::bipyramid(7)),
    ];
    let count = suited(engine, [6, 2, 1]);
    for (name, mesh) in list.into_iter().take(count) {
        for seed in 1..suited(engine, [4, 2, 2]) {
            let mesh = meshes::sharpened(mesh.clone(), 15, 4, seed);
            for creasing in [Creasing::Uniform, Creasing::Chaikin] {
                // Sharpness ends in between. It comes in quarters, so that it ends at the same level in any precision.
                for levels in suited(engine, [vec![1, 2, 4], vec![3], vec![2]]) {
                    let options = Options {
                        creasing,
                        ..options(Scheme::CatmullClark, levels)
                    };
                    check(engine, name, &mesh, &options);
                }
            }
        }
    }
}

/// Returns limit points and normals, three floats each.
fn limit(engine: &Engine, mesh: &PolyMesh, levels: u32) -> (CatmullClark, [Vec<Vec3>; 2]) {
    let surface = CatmullClark::new(engine, mesh, &options(Scheme::CatmullClark, levels)).unwrap();
    let y = engine
        .upload(&values(engine, &surface, 3, &rows(mesh)))
        .unwrap();
    let unset = vec![f32::NAN; y.len()];
    let mut points = engine.upload(&unset).unwrap();
    let mut normals = engine.upload(&unset).unwrap();
    surface.limit(&y, &mut points, Some(&mut normals)).unwrap();
    let rows = |b: &Buffer<f32>| {
        let floats = b.read().unwrap();
        floats.chunks(3).map(Vec3::from_slice).collect()
    };
    let both = [rows(&points), rows(&normals)];
    (surface, both)
}

/// Returns the ids that the points of `a` levels of quads have after `b` levels, in order.
fn later_ids(surface: &CatmullClark, a: u32, b: u32) -> Vec<u32> {
    let mesh = surface.mesh();
    let [v, e, f] = [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()];
    let (n, m, step) = (1 << a, 1 << b, 1 << (b - a));
    let on_edges = (0..e).flat_map(|e| (1..n).map(move |s| v + e * (m - 1) + s * step - 1));
    let inside = (0..f).flat_map(|f| {
        let rows = (1..n).flat_map(move |j| (1..n).map(move |i| (i, j)));
        rows.map(move |(i, j)| {
            v + e * (m - 1) + (f * (m - 1) + j * step - 1) * (m - 1) + i * step - 1
        })
    });
    (0..v).chain(on_edges).chain(inside).collect()
}

/// Limit masks are invariant under further levels; normals follow from tangents that each level only shortens.
fn limits(engine: &Engine) {
    let top = meshes::TOP.map(|ends| (ends, 10.0));
    let quads = [
        ("cube", meshes::cube()),
        ("creased cube", meshes::with_edges(meshes::cube(), &top)),
        ("valence 9", meshes::trapezohedron(9)),
        ("valence 3", meshes::trapezohedron(3)),
        ("torus", meshes::torus(6, 5)),
        ("fan", meshes::fan(5, 4)),
        ("face", meshes::fan(1, 4)),
        ("grid", meshes::grid(4, 0, 1)),
    ];
    let (a, b) = suited(engine, [(2, 4), (1, 3), (1, 2)]);
    for (name, mesh) in quads {
        let (_, [points, normals]) = limit(engine, &mesh, a);
        let (surface, [later_points, later_normals]) = limit(engine, &mesh, b);
        for (id, later) in later_ids(&surface, a, b).into_iter().enumerate() {
            let (p, q) = (points[id], later_points[later as usize]);
            assert!(p.distance(q) < 1e-5, "{name}, point {id}: {p} and {q}");
            let (p, q) = (normals[id], later_normals[later as usize]);
            assert!(
                p.dot(q) > 0.99999 && (p.length() - 1.0).abs() < 1e-5,
                "{name}, normal {id}: {p} and {q}"
            );
        }
    }
    // Polygons keep their vertices; normals point outwards.
    let mesh = meshes::polygons(3, 1);
    let (_, [points, normals]) = limit(engine, &mesh, 1);
    let (_, [later, _]) = limit(engine, &mesh, 3);
    for v in 0..mesh.vertex_count() {
        assert!(points[v].distance(later[v]) < 1e-5, "vertex {v}");
        assert!(normals[v].dot(points[v]) > 0.0, "vertex {v}");
    }
}

/// Each component is the same as alone.
fn values_of_any_width(engine: &Engine) {
    let mesh = meshes::trapezohedron(5);
    let x = rows(&mesh);
    for levels in 1..=suited(engine, [6, 3, 2]) {
        let surface =
            CatmullClark::new(engine, &mesh, &options(Scheme::CatmullClark, levels)).unwrap();
        let three = values(engine, &surface, 3, &x);
        for width in [1usize, 2, 4, 7] {
            let rows = x.chunks(3);
            let wide: Vec<f32> = rows
                .flat_map(|p| (0..width).map(move |k| p[k % 3]))
                .collect();
            let got = values(engine, &surface, width as u32, &wide);
            let rows = three.chunks(3);
            let want: Vec<f32> = rows
                .flat_map(|p| (0..width).map(move |k| p[k % 3]))
                .collect();
            assert_eq!(got, want, "{width} components, {levels} levels");
        }
    }
}

fn the_same_bits(engine: &Engine) {
    let n = if is_slow(engine) { 3 } else { 8 };
    let mesh = meshes::sharpened(meshes::polygons(n, 3), 10, 3, 1);
    let once = made(engine, &mesh, &options(Scheme::CatmullClark, 3));
    let again = made(engine, &mesh, &options(Scheme::CatmullClark, 3));
    assert_eq!(once.positions, again.positions);
    assert_eq!(once.faces, again.faces);
}

fn refusals(engine: &Engine) {
    let mesh = meshes::sphere(20);
    let refused = |levels| {
        CatmullClark::new(engine, &mesh, &options(Scheme::CatmullClark, levels)).unwrap_err()
    };
    match refused(11) {
        Error::Mesh(MeshError::BadParameter { what, asked, .. }) => {
            assert_eq!((what, asked.as_str()), ("levels", "11"));
        }
        other => panic!("{other}"),
    }
    // 2,400 quads make 2,516,582,400.
    assert!(matches!(
        refused(10),
        Error::TooLarge {
            what: "vertices",
            ..
        }
    ));
    let surface = CatmullClark::new(engine, &mesh, &options(Scheme::CatmullClark, 1)).unwrap();
    let x = engine.zeroed(3 * mesh.vertex_count() - 1).unwrap();
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize).unwrap();
    assert!(surface.values(3, &x, &mut y).is_err());
    let mut faces = engine.zeroed(3).unwrap();
    assert!(surface.faces(&mut faces).is_err());
}
