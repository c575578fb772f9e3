//! sqrt(3) surfaces on every engine, against plain code in `f64`.

use super::loop_surface::{rows, used};
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh, SharpEdge};
use rxmesh_subdivision::{Boundary, Options, Scheme, Sqrt3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, same_rounding};
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{NaiveSurface, refine};

conformance! {
    closed_meshes, boundaries, sharp_lines, sharp_vertices, any_valence, columns_and_bits, refusals_name_the_place
}

/// Of the bounding box; `f32` has 6e-8.
const NEAR: f64 = 2e-6;

fn options(levels: u32) -> Options {
    Options {
        scheme: Scheme::Sqrt3,
        levels,
        ..Options::default()
    }
}

/// The surface that an engine makes.
fn surface(engine: &Engine, poly: &PolyMesh, options: &Options) -> NaiveSurface {
    let surface = Sqrt3::new(engine, poly, options).unwrap();
    let x = engine.upload(&rows(poly)).unwrap();
    let n = 3 * surface.vertex_count() as usize;
    let mut y = engine.zeroed::<f32>(n).unwrap();
    surface.values(3, &x, &mut y).unwrap();
    let n = 3 * surface.face_count() as usize;
    let mut faces = engine.zeroed::<u32>(n).unwrap();
    surface.faces(&mut faces).unwrap();
    NaiveSurface {
        positions: super::loop_surface::points(&y.read().unwrap()),
        faces: faces
            .read()
            .unwrap()
            .chunks(3)
            .map(<[u32]>::to_vec)
            .collect(),
        parents: (0..surface.face_count())
            .map(|f| surface.parent(f))
            .collect(),
    }
}

fn check(engine: &Engine, name: &str, poly: &PolyMesh, options: &Options) {
    let mut both = [surface(engine, poly, options), refine(poly, options)];
    if options.boundary == Boundary::None {
        // Vertices that no face has can be anywhere.
        both = both.map(used);
    }
    if let Err(why) = compare(&both[0], &both[1], NEAR) {
        panic!("{name}, {options:?}: {why}");
    }
}

/// All levels up to one; slow engines have fewer.
fn levels(engine: &Engine, most: u32) -> std::ops::RangeInclusive<u32> {
    0..=if is_slow(engine) { most.min(4) } else { most }
}

fn closed_meshes(engine: &Engine) {
    let cases = [
        ("cube", meshes::cut(&meshes::cube())),
        ("torus", meshes::cut(&meshes::torus(7, 5))),
        ("flipped sphere", meshes::triangles(3, 1)),
        ("irregular", meshes::cut(&meshes::irregular(2, 4))),
        ("no faces", PolyMesh::default()),
    ];
    for (name, poly) in cases {
        for levels in levels(engine, 6) {
            check(engine, name, &poly, &options(levels));
        }
    }
}

fn boundaries(engine: &Engine) {
    let mut holes = meshes::cut(&meshes::torus(6, 4));
    holes.holes = vec![0, 5, 17];
    let mut lonely = meshes::fan(3, 3);
    lonely.positions.push(glam::Vec3::splat(2.0));
    let cases = [
        ("one face", meshes::fan(1, 3)),
        ("open fan", meshes::fan(5, 3)),
        ("grid", meshes::cut(&meshes::grid(4, 0, 0))),
        ("grid with gaps", meshes::cut(&meshes::grid(6, 5, 3))),
        ("fans", meshes::cut(&meshes::fans())),
        ("holes", holes),
        ("a vertex without faces", lonely),
    ];
    for (name, poly) in cases {
        for boundary in [Boundary::EdgeAndCorner, Boundary::EdgeOnly, Boundary::None] {
            for levels in levels(engine, 6) {
                let options = Options {
                    boundary,
                    ..options(levels)
                };
                check(engine, name, &poly, &options);
            }
        }
    }
}

/// Sharp edges inside, that meet boundaries, corners and each other.
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
            check(engine, name, &poly, &options(levels));
        }
    }
}

/// Vertices that stay corners, and for a while, apart from lines and on them.
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
                    ..options(levels)
                };
                check(engine, name, &poly, &options);
            }
        }
    }
}

fn any_valence(engine: &Engine) {
    let most = if is_slow(engine) { 9 } else { 50 };
    for valence in (3..=most).step_by(if is_slow(engine) { 3 } else { 1 }) {
        check(engine, "closed", &meshes::bipyramid(valence), &options(4));
        check(engine, "open", &meshes::fan(valence, 3), &options(3));
    }
    let valence = if is_slow(engine) { 70 } else { 1000 };
    check(engine, "large", &meshes::bipyramid(valence), &options(2));
}

/// Columns are independent of each other and of the number of columns; runs give the same bits.
fn columns_and_bits(engine: &Engine) {
    let poly = meshes::cut(&meshes::grid(5, 6, 2));
    for levels in [0, 1, 4] {
        let positions = rows(&poly);
        let make = |engine: &Engine, width: u32| {
            let surface = Sqrt3::new(engine, &poly, &options(levels)).unwrap();
            let x: Vec<f32> = (0..poly.vertex_count() * width as usize)
                .map(|i| {
                    let (v, c) = (i / width as usize, i % width as usize);
                    positions[3 * v + c % 3]
                })
                .collect();
            let x = engine.upload(&x).unwrap();
            let n = surface.vertex_count() * width;
            let mut y = engine.zeroed::<f32>(n as usize).unwrap();
            surface.values(width, &x, &mut y).unwrap();
            y.read().unwrap()
        };
        let three = make(engine, 3);
        assert_eq!(three, make(engine, 3));
        assert_eq!(three, make(&same_rounding(engine), 3));
        for width in [1, 2, 4, 5, 8] {
            let values = make(engine, width);
            for (i, value) in values.iter().enumerate() {
                let (v, c) = (i / width as usize, i % width as usize);
                let want = three[3 * v + c % 3];
                assert!(
                    (value - want).abs() <= 1e-6,
                    "width {width}, {v} {c}: {value}, {want}"
                );
            }
        }
    }
}

fn refusals_name_the_place(engine: &Engine) {
    let told = |poly: &PolyMesh, options: &Options| match Sqrt3::new(engine, poly, options) {
        Err(Error::Mesh(MeshError::Extras { what }) | Error::Options(what)) => what,
        other => panic!("{other:?}"),
    };
    assert!(told(&meshes::cube(), &options(1)).contains("face 0 (counted from 0) has 4"));
    let torus = meshes::cut(&meshes::torus(6, 5));
    assert!(told(&torus, &options(11)).contains("11 levels"));
    let mut sharp = meshes::with_edges(torus.clone(), &[([3, 4], 0.0), ([1, 0], 1.5)]);
    let what = told(&sharp, &options(2));
    assert!(what.contains("sharp edge 1") && what.contains("1 and 0") && what.contains("1.5"));
    // The last value counts.
    sharp.sharp_edges.push(SharpEdge {
        ends: [0, 1],
        sharpness: 10.0,
    });
    assert!(told(&sharp, &options(2)).contains("ends at vertex 0"));
    sharp.sharp_edges[2].sharpness = 0.0;
    assert!(Sqrt3::new(engine, &sharp, &options(2)).is_ok());
    let large = meshes::cut(&meshes::sphere(80));
    match Sqrt3::new(engine, &large, &options(10)) {
        Err(Error::TooLarge { count, .. }) => {
            assert_eq!(count, 12 * 80 * 80 * 3 * 3u64.pow(10));
        }
        other => panic!("{other:?}"),
    }
    let surface = Sqrt3::new(engine, &torus, &options(1)).unwrap();
    let x = engine.upload(&rows(&torus)).unwrap();
    let mut short = engine.zeroed::<f32>(5).unwrap();
    match surface.values(3, &x, &mut short) {
        Err(Error::Engine(EngineError::Length { got: 5, .. })) => {}
        other => panic!("{other:?}"),
    }
}
