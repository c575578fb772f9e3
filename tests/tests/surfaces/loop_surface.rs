//! Loop surfaces on every engine, against plain code in `f64`.

use glam::DVec3;
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_subdivision::{Boundary, Creasing, Loop, Options, Scheme};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, same_rounding};
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{NaiveSurface, refine};

conformance! {
    closed_meshes, boundaries, creases, any_valence, many_levels, ids_are_a_closed_form, columns_and_bits, limits,
    refusals_name_the_place
}

/// Of the bounding box; `f32` has 6e-8.
const NEAR: f64 = 2e-6;

fn options(levels: u32) -> Options {
    Options {
        scheme: Scheme::Loop,
        levels,
        ..Options::default()
    }
}

/// Positions as rows of values.
pub(super) fn rows(poly: &PolyMesh) -> Vec<f32> {
    poly.positions.iter().flat_map(|p| p.to_array()).collect()
}

/// The surface that an engine makes.
fn surface(engine: &Engine, poly: &PolyMesh, options: &Options) -> NaiveSurface {
    let surface = Loop::new(engine, poly, options).unwrap();
    let x = engine.upload(&rows(poly)).unwrap();
    let mut y = engine
        .zeroed::<f32>(3 * surface.vertex_count() as usize)
        .unwrap();
    surface.values(3, &x, &mut y).unwrap();
    let mut faces = engine
        .zeroed::<u32>(3 * surface.face_count() as usize)
        .unwrap();
    surface.faces(&mut faces).unwrap();
    NaiveSurface {
        positions: points(&y.read().unwrap()),
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

pub(super) fn points(values: &[f32]) -> Vec<DVec3> {
    let double = |p: &[f32]| DVec3::new(p[0].into(), p[1].into(), p[2].into());
    values.chunks(3).map(double).collect()
}

fn check(engine: &Engine, name: &str, poly: &PolyMesh, options: &Options) {
    let got = surface(engine, poly, options);
    if let Err(why) = compare(&got, &refine(poly, options), NEAR) {
        panic!("{name}, {options:?}: {why}");
    }
}

/// All levels up to one; slow engines have fewer.
fn levels(engine: &Engine, most: u32) -> std::ops::RangeInclusive<u32> {
    0..=if is_slow(engine) { most.min(3) } else { most }
}

fn closed_meshes(engine: &Engine) {
    let torus = meshes::cut(&meshes::torus(7, 5));
    let cases = [
        ("cube", meshes::cut(&meshes::cube())),
        ("torus", torus),
        ("flipped sphere", meshes::triangles(3, 1)),
        ("irregular", meshes::cut(&meshes::irregular(2, 4))),
        ("no faces", PolyMesh::default()),
    ];
    for (name, poly) in cases {
        for levels in levels(engine, 4) {
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
            for levels in levels(engine, 4) {
                let options = Options {
                    boundary,
                    ..options(levels)
                };
                if boundary != Boundary::None {
                    check(engine, name, &poly, &options);
                    continue;
                }
                // Vertices that no face has can be anywhere.
                let [got, want] =
                    [surface(engine, &poly, &options), refine(&poly, &options)].map(used);
                if let Err(why) = compare(&got, &want, NEAR) {
                    panic!("{name}, {options:?}: {why}");
                }
            }
        }
    }
}

/// The surface without the vertices that no face has.
pub(super) fn used(surface: NaiveSurface) -> NaiveSurface {
    let mut ids = vec![u32::MAX; surface.positions.len()];
    let mut positions = Vec::new();
    let mut faces = surface.faces;
    for v in faces.iter_mut().flatten() {
        let id = &mut ids[*v as usize];
        if *id == u32::MAX {
            *id = positions.len() as u32;
            positions.push(surface.positions[*v as usize]);
        }
        *v = *id;
    }
    NaiveSurface {
        positions,
        faces,
        parents: surface.parents,
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
                    ..options(levels)
                };
                check(engine, &name, &poly, &options);
            }
        }
    }
}

fn any_valence(engine: &Engine) {
    let most = if is_slow(engine) { 9 } else { 50 };
    for valence in (3..=most).step_by(if is_slow(engine) { 3 } else { 1 }) {
        check(engine, "closed", &meshes::bipyramid(valence), &options(3));
        check(engine, "open", &meshes::fan(valence, 3), &options(2));
    }
    let valence = if is_slow(engine) { 70 } else { 1000 };
    check(engine, "large", &meshes::bipyramid(valence), &options(2));
    let sharp = meshes::sharpened(meshes::bipyramid(70), 1, 4, 1);
    check(engine, "large and sharp", &sharp, &options(2));
}

/// More levels than a tile goes through, and tiles of all sizes.
fn many_levels(engine: &Engine) {
    let most = if is_slow(engine) { 4 } else { 8 };
    let open = meshes::fan(2, 3);
    let sharp = meshes::sharpened(meshes::moved(meshes::bipyramid(3)), 40, 3, 2);
    for levels in 5..=most {
        check(engine, "open", &open, &options(levels));
        check(engine, "sharp", &sharp, &options(levels.min(6)));
    }
    // Small shared memory: levels one by one.
    engine.set_shared_limit(Some(4 << 10));
    for levels in 1..=most.min(6) {
        check(engine, "one by one", &sharp, &options(levels));
    }
    engine.set_shared_limit(None);
    // Several tiles a block.
    let sphere = meshes::triangles(if is_slow(engine) { 3 } else { 12 }, 1);
    check(engine, "tiles", &sphere, &options(2));
    check(engine, "tiles", &sphere, &options(3));
}

/// What each id says, from the base mesh alone: on a flat regular mesh the points are where their ids say.
fn ids_are_a_closed_form(engine: &Engine) {
    let poly = meshes::cut(&meshes::torus(5, 4));
    let levels = 2;
    let n = 1 << levels;
    let surface = Loop::new(engine, &poly, &options(levels)).unwrap();
    // Values that midpoints keep: at no level does a mask change what is the same at all base vertices.
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
        // The first row runs along the first half-edge, up and down in turns.
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
        // The first point inside is the third one of the second face of the first row.
        assert_eq!(own[5 - 1], (v + e * (n - 1) + f * inside) as u32);
    }
}

/// Columns are independent of each other and of the number of columns; runs give the same bits.
fn columns_and_bits(engine: &Engine) {
    let poly = meshes::sharpened(meshes::triangles(2, 3), 10, 2, 1);
    for levels in [0, 1, 3] {
        let surface = Loop::new(engine, &poly, &options(levels)).unwrap();
        let positions = rows(&poly);
        let make = |engine: &Engine, surface: &Loop, width: u32| {
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
        let three = make(engine, &surface, 3);
        assert_eq!(three, make(engine, &surface, 3));
        let other = same_rounding(engine);
        let again = Loop::new(&other, &poly, &options(levels)).unwrap();
        assert_eq!(three, make(&other, &again, 3));
        for width in [1, 2, 4, 5, 8] {
            let values = make(engine, &surface, width);
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

/// Where vertices of a level end, and normals there.
fn ends(engine: &Engine, poly: &PolyMesh, levels: u32) -> [Vec<DVec3>; 2] {
    let surface = Loop::new(engine, poly, &options(levels)).unwrap();
    let x = engine.upload(&rows(poly)).unwrap();
    let n = 3 * surface.vertex_count() as usize;
    let [mut y, mut p, mut normals] = [0; 3].map(|_| engine.zeroed::<f32>(n).unwrap());
    surface.values(3, &x, &mut y).unwrap();
    surface.limit(&y, &mut p, Some(&mut normals)).unwrap();
    [p, normals].map(|b| points(&b.read().unwrap()))
}

/// A surface's point is where it is from whichever level one looks, and many levels come near to it.
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
            ..options(fine + 2)
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
                // Corners of several faces have no normal: it is that of a face, which gets smaller.
                if turn > 1e-3 {
                    let corner = near[v].distance(poly.positions[v].as_dvec3()) == 0.0;
                    assert!(corner, "{name}, level {levels}, vertex {v}: {turn:e}");
                }
            }
        }
        let surface = Loop::new(engine, &poly, &options(fine)).unwrap();
        let coarse = Loop::new(engine, &poly, &options(1)).unwrap();
        let edges = surface.mesh().edge_count() as usize;
        let (v, n) = (poly.vertex_count(), 1 << fine);
        let [points, normals] = ends(engine, &poly, 1);
        assert_eq!(coarse.vertex_count() as usize, v + edges);
        for e in 0..edges {
            // The middle of an edge is a point of both levels.
            let there = v + e * (n - 1) + n / 2 - 1;
            let off = points[v + e].distance(far[there]) / diagonal;
            assert!(off < 2e-6, "{name}, edge {e}: {off:e}");
            let turn = normals[v + e].distance(far_normals[there]);
            assert!(turn < 1e-3, "{name}, edge {e}: {turn:e}");
        }
        for (at, p) in far.iter().take(v).enumerate() {
            let off = p.distance(near[at]) / diagonal;
            // Large valences come near slowest: by (3/8 + 1/4)^2 a level.
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
    assert!(told(&quad, &options(1)).contains("face 1 (counted from 0) has 4 corners"));
    assert!(told(&meshes::cube(), &options(1)).contains("face 0"));
    let torus = meshes::cut(&meshes::torus(6, 5));
    assert!(told(&torus, &options(11)).contains("11 levels"));
    let no_edge = meshes::with_edges(torus.clone(), &[([0, 15], 1.0)]);
    assert!(told(&no_edge, &options(1)).contains("vertices 0 and 15"));
    let large = meshes::cut(&meshes::sphere(24));
    match Loop::new(engine, &large, &options(10)) {
        Err(Error::TooLarge { count, .. }) => assert_eq!(count, (12 * 24 * 24) << 20),
        other => panic!("{other:?}"),
    }
    let surface = Loop::new(engine, &torus, &options(1)).unwrap();
    let x = engine.upload(&rows(&torus)).unwrap();
    let mut short = engine.zeroed::<f32>(5).unwrap();
    match surface.values(3, &x, &mut short) {
        Err(Error::Engine(EngineError::Length { got: 5, .. })) => {}
        other => panic!("{other:?}"),
    }
}
