//! Loop surfaces on every engine, against plain code in `f64`.

use glam::DVec3;
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_subdivision::{Boundary, Creasing, Loop, Options, Scheme};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::surfaces::made::{self, check, options, surface};
pub(super) use rxmesh_tests::surfaces::made::{points, rows, used};
use rxmesh_tests::surfaces::meshes;

conformance! {
    closed_meshes, boundaries, creases, any_valence, many_levels, ids_are_a_closed_form, columns_and_bits, limits,
    refusals_name_the_place
}

/// Returns all levels up to one; slow engines have fewer.
fn levels(engine: &Engine, most: u32) -> std::ops::RangeInclusive<u32> {
    0..=if is_slow(engine) { most.min(3) } else { most }
}

fn closed_meshes(engine: &Engine) {
    for (name, poly) in made::closed() {
        for levels in levels(engine, 4) {
            check(engine, name, &poly, &options(Scheme::Loop, levels));
        }
    }
}

fn boundaries(engine: &Engine) {
    for (name, poly) in made::open() {
        for boundary in [Boundary::EdgeAndCorner, Boundary::EdgeOnly, Boundary::None] {
            for levels in levels(engine, 4) {
                let options = Options {
                    boundary,
                    ..options(Scheme::Loop, levels)
                };
                check(engine, name, &poly, &options);
            }
        }
    }
}

fn creases(engine: &Engine) {
    let mut cases: Vec<_> = meshes::creased_cubes()
        .into_iter()
        .map(|(name, cube)| (name.to_string(), meshes::moved(meshes::cut(&cube))))
        .collect();
    for seed in 0..4 {
        let torus = meshes::cut(&meshes::torus(6, 5));
        let steps = [0, 1, 4, 7][seed as usize];
        cases.push((
            format!("sharp torus {seed}"),
            meshes::sharpened(torus, 25, steps, seed),
        ));
        let grid = meshes::cut(&meshes::grid(4, 6, seed));
        cases.push((
            format!("sharp grid {seed}"),
            meshes::sharpened(grid, 25, steps, seed),
        ));
    }
    for (name, poly) in cases {
        for levels in levels(engine, 4).skip(1) {
            for creasing in [Creasing::Uniform, Creasing::Chaikin] {
                let options = Options {
                    creasing,
                    ..options(Scheme::Loop, levels)
                };
                check(engine, &name, &poly, &options);
            }
        }
    }
}

fn any_valence(engine: &Engine) {
    let most = if is_slow(engine) { 9 } else { 50 };
    for valence in (3..=most).step_by(if is_slow(engine) { 3 } else { 1 }) {
        check(
            engine,
            "closed",
            &meshes::bipyramid(valence),
            &options(Scheme::Loop, 3),
        );
        check(
            engine,
            "open",
            &meshes::fan(valence, 3),
            &options(Scheme::Loop, 2),
        );
    }
    let valence = if is_slow(engine) { 70 } else { 1000 };
    check(
        engine,
        "large",
        &meshes::bipyramid(valence),
        &options(Scheme::Loop, 2),
    );
    let sharp = meshes::sharpened(meshes::bipyramid(70), 1, 4, 1);
    check(engine, "large and sharp", &sharp, &options(Scheme::Loop, 2));
}

/// More levels than a tile computes, and tiles of all sizes.
fn many_levels(engine: &Engine) {
    let most = if is_slow(engine) { 4 } else { 8 };
    let open = meshes::fan(2, 3);
    let sharp = meshes::sharpened(meshes::moved(meshes::bipyramid(3)), 40, 3, 2);
    for levels in 5..=most {
        check(engine, "open", &open, &options(Scheme::Loop, levels));
        check(
            engine,
            "sharp",
            &sharp,
            &options(Scheme::Loop, levels.min(6)),
        );
    }
    // Small shared memory: levels one by one.
    engine.set_shared_limit(Some(4 << 10));
    for levels in 1..=most.min(6) {
        check(engine, "one by one", &sharp, &options(Scheme::Loop, levels));
    }
    engine.set_shared_limit(None);
    // Several tiles per block.
    let sphere = meshes::triangles(if is_slow(engine) { 3 } else { 12 }, 1);
    check(engine, "tiles", &sphere, &options(Scheme::Loop, 2));
    check(engine, "tiles", &sphere, &options(Scheme::Loop, 3));
}

/// Points at each id computed from the base mesh alone: on a flat regular mesh the positions match the ids.
fn ids_are_a_closed_form(engine: &Engine) {
    let poly = meshes::cut(&meshes::torus(5, 4));
    let levels = 2;
    let n = 1 << levels;
    let surface = Loop::new(engine, &poly, &options(Scheme::Loop, levels)).unwrap();
    // Values that midpoints preserve: at no level does a mask change values that are equal at all base vertices.
    let mesh = surface.mesh().to_host().unwrap();
    let (v, e) = (poly.vertex_count(), mesh.halves.len());
    let inside = (n - 1) * (n - 2) / 2;
    assert_eq!(
        surface.vertex_count() as usize,
        v + e * (n - 1) + poly.face_count() * inside
    );
    let mut out = engine
        .zeroed::<u32>(3 * surface.face_count() as usize)
        .unwrap();
    surface.faces(&mut out).unwrap();
    let ids = out.read().unwrap();
    for f in 0..poly.face_count() {
        let own = &ids[3 * n * n * f..3 * n * n * (f + 1)];
        // The first row runs along the first half-edge, alternating up and down.
        let h = 3 * f;
        let along = |s: usize| -> u32 {
            let edge = mesh.edges[h] as usize;
            let s = if mesh.halves[edge] as usize == h {
                s
            } else {
                n - s
            };
            (v + edge * (n - 1) + s - 1) as u32
        };
        assert_eq!(own[0], poly.corners[h]);
        assert_eq!(own[1], along(1));
        assert_eq!(own[6], along(1));
        assert_eq!(own[3 * (2 * n - 2) + 1], poly.corners[h + 1]);
        assert_eq!(own[3 * n * n - 1], poly.corners[h + 2]);
        // The first interior point is the third one of the second face of the first row.
        assert_eq!(own[5 - 1], (v + e * (n - 1) + f * inside) as u32);
    }
}

fn columns_and_bits(engine: &Engine) {
    let poly = meshes::sharpened(meshes::triangles(2, 3), 10, 2, 1);
    for levels in [0, 1, 3] {
        made::columns_and_bits(engine, &poly, &options(Scheme::Loop, levels));
    }
}

/// Returns the limits of a level's vertices, and normals there.
fn ends(engine: &Engine, poly: &PolyMesh, levels: u32) -> [Vec<DVec3>; 2] {
    let surface = Loop::new(engine, poly, &options(Scheme::Loop, levels)).unwrap();
    let x = engine.upload(&rows(poly)).unwrap();
    let n = 3 * surface.vertex_count() as usize;
    let [mut y, mut p, mut normals] = [0; 3].map(|_| engine.zeroed::<f32>(n).unwrap());
    surface.values(3, &x, &mut y).unwrap();
    surface.limit(&y, &mut p, Some(&mut normals)).unwrap();
    [p, normals].map(|b| points(&b.read().unwrap()))
}

/// A limit point is the same from every level, and many levels approach it.
fn limits(engine: &Engine) {
    let ring: Vec<_> = (0..6).map(|i| ([i, (i + 1) % 6], 10.0)).collect();
    let cases = [
        ("sphere", meshes::triangles(2, 1)),
        ("three", meshes::bipyramid(3)),
        ("five", meshes::bipyramid(5)),
        ("seventy", meshes::bipyramid(70)),
        ("fan of one", meshes::fan(1, 3)),
        ("fan of two", meshes::fan(2, 3)),
        ("fan of four", meshes::fan(4, 3)),
        ("fan of seventy", meshes::fan(70, 3)),
        ("grid", meshes::cut(&meshes::grid(4, 7, 1))),
        (
            "line",
            meshes::with_edges(meshes::cut(&meshes::torus(6, 5)), &ring),
        ),
    ];
    let fine = if is_slow(engine) { 2 } else { 4 };
    for (name, poly) in cases {
        let diagonal = rxmesh_tests::surfaces::compare::diagonal(&ends(engine, &poly, 0)[0]);
        let [far, far_normals] = ends(engine, &poly, fine);
        let deep = Options {
            boundary: Boundary::EdgeAndCorner,
            ..options(Scheme::Loop, fine + 2)
        };
        let near = surface(engine, &poly, &deep).positions;
        for levels in 0..fine {
            let [points, normals] = ends(engine, &poly, levels);
            for v in 0..poly.vertex_count() {
                let off = points[v].distance(far[v]) / diagonal;
                assert!(off < 2e-6, "{name}, level {levels}, vertex {v}: {off:e}");
                let turn = normals[v].distance(far_normals[v]);
                let known = normals[v] == DVec3::ZERO || (normals[v].length() - 1.0).abs() < 1e-5;
                assert!(known, "{name}, level {levels}, vertex {v}: {}", normals[v]);
                // Corners of several faces have no normal: it is that of a face, which shrinks.
                if turn > 1e-3 {
                    let corner = near[v].distance(poly.positions[v].as_dvec3()) == 0.0;
                    assert!(corner, "{name}, level {levels}, vertex {v}: {turn:e}");
                }
            }
        }
        let surface = Loop::new(engine, &poly, &options(Scheme::Loop, fine)).unwrap();
        let coarse = Loop::new(engine, &poly, &options(Scheme::Loop, 1)).unwrap();
        let edges = surface.mesh().edge_count() as usize;
        let (v, n) = (poly.vertex_count(), 1 << fine);
        let [points, normals] = ends(engine, &poly, 1);
        assert_eq!(coarse.vertex_count() as usize, v + edges);
        for e in 0..edges {
            // The midpoint of an edge is a point of both levels.
            let there = v + e * (n - 1) + n / 2 - 1;
            let off = points[v + e].distance(far[there]) / diagonal;
            assert!(off < 2e-6, "{name}, edge {e}: {off:e}");
            let turn = normals[v + e].distance(far_normals[there]);
            assert!(turn < 1e-3, "{name}, edge {e}: {turn:e}");
        }
        for (at, p) in far.iter().take(v).enumerate() {
            let off = p.distance(near[at]) / diagonal;
            // Large valences converge most slowly: by (3/8 + 1/4)^2 per level.
            let bound = 0.5 * 0.4f64.powi(deep.levels as i32 - 1);
            assert!(
                off < bound.max(2e-6),
                "{name}, {at}: {off:e} from level {}",
                deep.levels
            );
        }
    }
}

fn refusals_name_the_place(engine: &Engine) {
    let quad = meshes::mesh(vec![DVec3::ZERO; 6], &[vec![0, 1, 2], vec![2, 3, 4, 5]]);
    let told = |poly: &PolyMesh, options: &Options| match Loop::new(engine, poly, options) {
        Err(Error::Mesh(MeshError::Extras { what }) | Error::Options(what)) => what,
        other => panic!("{other:?}"),
    };
    assert!(
        told(&quad, &options(Scheme::Loop, 1)).contains("face 1 (counted from 0) has 4 corners")
    );
    assert!(told(&meshes::cube(), &options(Scheme::Loop, 1)).contains("face 0"));
    let torus = meshes::cut(&meshes::torus(6, 5));
    assert!(told(&torus, &options(Scheme::Loop, 11)).contains("11 levels"));
    let no_edge = meshes::with_edges(torus.clone(), &[([0, 15], 1.0)]);
    assert!(told(&no_edge, &options(Scheme::Loop, 1)).contains("vertices 0 and 15"));
    let large = meshes::cut(&meshes::sphere(24));
    match Loop::new(engine, &large, &options(Scheme::Loop, 10)) {
        Err(Error::TooLarge { count, .. }) => assert_eq!(count, (12 * 24 * 24) << 20),
        other => panic!("{other:?}"),
    }
    let surface = Loop::new(engine, &torus, &options(Scheme::Loop, 1)).unwrap();
    let x = engine.upload(&rows(&torus)).unwrap();
    let mut short = engine.zeroed::<f32>(5).unwrap();
    match surface.values(3, &x, &mut short) {
        Err(Error::Engine(EngineError::Length { got: 5, .. })) => {}
        other => panic!("{other:?}"),
    }
}
