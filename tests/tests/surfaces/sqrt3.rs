//! sqrt(3) surfaces on every engine, against plain code in `f64`.

use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh, SharpEdge};
use rxmesh_subdivision::{Boundary, Options, Scheme, Sqrt3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::extent::extent;
use rxmesh_tests::surfaces::made::{self, check, options, rows};
use rxmesh_tests::surfaces::meshes;

conformance! {
    closed_meshes, boundaries, sharp_lines, sharp_vertices, any_valence, columns_and_bits, refusals_name_the_place
}

/// Returns all levels up to one; slow engines and the usual run have fewer: each level has three times the faces.
fn levels(engine: &Engine, most: u32) -> std::ops::RangeInclusive<u32> {
    let usual = if is_slow(engine) {
        extent(3, 4)
    } else {
        extent(5, most)
    };
    0..=most.min(usual)
}

fn closed_meshes(engine: &Engine) {
    for (name, poly) in made::closed() {
        for levels in levels(engine, 6) {
            check(engine, name, &poly, &options(Scheme::Sqrt3, levels));
        }
    }
}

fn boundaries(engine: &Engine) {
    for (name, poly) in made::open() {
        for boundary in [Boundary::EdgeAndCorner, Boundary::EdgeOnly, Boundary::None] {
            for levels in levels(engine, 6) {
                let options = Options {
                    boundary,
                    ..options(Scheme::Sqrt3, levels)
                };
                check(engine, name, &poly, &options);
            }
        }
    }
}

/// Sharp edges inside that meet boundaries, corners and each other.
fn sharp_lines(engine: &Engine) {
    let ring = |poly: PolyMesh, vertices: &[u32]| {
        let n = vertices.len();
        let edges: Vec<_> = (0..n)
            .map(|k| ([vertices[k], vertices[(k + 1) % n]], PolyMesh::SHARP))
            .collect();
        meshes::with_edges(poly, &edges)
    };
    let torus = || meshes::cut(&meshes::torus(6, 5));
    let grid = meshes::cut(&meshes::grid(4, 0, 0));
    let across: Vec<_> = (0..4).map(|i| ([10 + i, 11 + i], 12.0)).collect();
    let cube = meshes::moved(meshes::cut(&meshes::cube()));
    let all = |poly: &PolyMesh| meshes::sharpened(poly.clone(), 100, 0, 1);
    let cases = [
        ("around a torus", ring(torus(), &[0, 1, 2, 3, 4, 5])),
        (
            "two that cross",
            ring(ring(torus(), &[0, 1, 2, 3, 4, 5]), &[0, 6, 12, 18, 24]),
        ),
        ("a triangle", ring(torus(), &[0, 1, 7])),
        ("across a grid", meshes::with_edges(grid, &across)),
        ("everything", all(&cube)),
        ("the cube's top", ring(cube, &[4, 5, 7, 6])),
    ];
    for (name, poly) in cases {
        for levels in levels(engine, 6) {
            check(engine, name, &poly, &options(Scheme::Sqrt3, levels));
        }
    }
}

/// Infinitely sharp and semi-sharp vertices, away from creases and on them.
fn sharp_vertices(engine: &Engine) {
    let torus = meshes::cut(&meshes::torus(6, 5));
    let some = [(0, 10.0), (9, 0.25), (14, 1.0), (20, 2.5), (27, 3.75)];
    let alone = meshes::with_vertices(torus, &some);
    let edges: Vec<_> = (0..6).map(|i| ([i, (i + 1) % 6], 10.0)).collect();
    let some = [(1, 10.0), (3, 1.5), (4, 2.5), (5, 0.5), (12, 1.25)];
    let on_line = meshes::with_vertices(
        meshes::with_edges(meshes::cut(&meshes::torus(6, 5)), &edges),
        &some,
    );
    let open = meshes::with_vertices(meshes::cut(&meshes::grid(4, 0, 0)), &[(0, 1.5), (2, 2.25)]);
    for (name, poly) in [("alone", alone), ("on a line", on_line), ("open", open)] {
        for boundary in [Boundary::EdgeAndCorner, Boundary::EdgeOnly] {
            for levels in levels(engine, 5).skip(1) {
                let options = Options {
                    boundary,
                    ..options(Scheme::Sqrt3, levels)
                };
                check(engine, name, &poly, &options);
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
            &options(Scheme::Sqrt3, 4),
        );
        check(
            engine,
            "open",
            &meshes::fan(valence, 3),
            &options(Scheme::Sqrt3, 3),
        );
    }
    let valence = if is_slow(engine) { 70 } else { 1000 };
    check(
        engine,
        "large",
        &meshes::bipyramid(valence),
        &options(Scheme::Sqrt3, 2),
    );
}

fn columns_and_bits(engine: &Engine) {
    let poly = meshes::cut(&meshes::grid(5, 6, 2));
    for levels in [0, 1, 4] {
        made::columns_and_bits(engine, &poly, &options(Scheme::Sqrt3, levels));
    }
}

fn refusals_name_the_place(engine: &Engine) {
    let told = |poly: &PolyMesh, options: &Options| match Sqrt3::new(engine, poly, options) {
        Err(Error::Mesh(MeshError::Extras { what }) | Error::Options(what)) => what,
        other => panic!("{other:?}"),
    };
    assert!(
        told(&meshes::cube(), &options(Scheme::Sqrt3, 1)).contains("face 0 (counted from 0) has 4")
    );
    let torus = meshes::cut(&meshes::torus(6, 5));
    assert!(told(&torus, &options(Scheme::Sqrt3, 11)).contains("11 levels"));
    let mut sharp = meshes::with_edges(torus.clone(), &[([3, 4], 0.0), ([1, 0], 1.5)]);
    let what = told(&sharp, &options(Scheme::Sqrt3, 2));
    assert!(what.contains("sharp edge 1") && what.contains("1 and 0") && what.contains("1.5"));
    // The last value counts.
    sharp.sharp_edges.push(SharpEdge {
        ends: [0, 1],
        sharpness: 10.0,
    });
    assert!(told(&sharp, &options(Scheme::Sqrt3, 2)).contains("ends at vertex 0"));
    sharp.sharp_edges[2].sharpness = 0.0;
    assert!(Sqrt3::new(engine, &sharp, &options(Scheme::Sqrt3, 2)).is_ok());
    let large = meshes::cut(&meshes::sphere(80));
    match Sqrt3::new(engine, &large, &options(Scheme::Sqrt3, 10)) {
        Err(Error::TooLarge { count, .. }) => {
            assert_eq!(count, 12 * 80 * 80 * 3 * 3u64.pow(10));
        }
        other => panic!("{other:?}"),
    }
    let surface = Sqrt3::new(engine, &torus, &options(Scheme::Sqrt3, 1)).unwrap();
    let x = engine.upload(&rows(&torus)).unwrap();
    let mut short = engine.zeroed::<f32>(5).unwrap();
    match surface.values(3, &x, &mut short) {
        Err(Error::Engine(EngineError::Length { got: 5, .. })) => {}
        other => panic!("{other:?}"),
    }
}
