//! Subdivision by any scheme in the general kernels, against naive surfaces in `f64`; its levels, matrices, orders.

use glam::DVec3;
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::kernels::matrix::{CatmullClark, DooSabin, Loop, Split, Sqrt3};
use rxmesh_subdivision::matrix::{Finish, GeneralSubdivision, Listed, multiply};
use rxmesh_subdivision::{Boundary, Mesh, Options, Scheme};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::made::rows;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{NaiveSurface, refine};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::f64::consts::TAU;

conformance! {
    catmull_clark_is_right, loop_is_right, sqrt3_is_right, doo_sabin_is_right, levels_are_whole, any_width_goes,
    matrices_are_surfaces,
    wrong_input_is_refused
}

/// Returns the surface of a mesh, with its faces' parents; made twice.
fn surface<S: Listed>(engine: &Engine, poly: &PolyMesh, scheme: S, levels: u32) -> NaiveSurface {
    let mesh = Mesh::new(engine, poly).unwrap();
    let mut surface = GeneralSubdivision::new(mesh, scheme, levels).unwrap();
    let x = engine.upload(&rows(poly)).unwrap();
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize).unwrap();
    surface.values(3, &x, &mut y).unwrap();
    let got = y.read().unwrap();
    let mut faces = engine.zeroed(surface.corners().len()).unwrap();
    surface.faces(&mut faces).unwrap();
    let corners = faces.read().unwrap();

    surface.rebuild().unwrap();
    surface.values(3, &x, &mut y).unwrap();
    let bits = |y: &[f32]| y.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&got), bits(&y.read().unwrap()));
    assert_eq!(corners, surface.corners().read().unwrap());

    let place = |p: &[f32]| DVec3::new(p[0].into(), p[1].into(), p[2].into());
    let faces = match surface.offsets() {
        Some(offsets) => {
            let offsets = offsets.read().unwrap();
            let ends = offsets.windows(2);
            ends.map(|e| corners[e[0] as usize..e[1] as usize].to_vec())
                .collect()
        }
        None => {
            let n = surface.face_size().max(1) as usize;
            corners.chunks(n).map(<[u32]>::to_vec).collect()
        }
    };
    NaiveSurface {
        positions: got.chunks(3).map(place).collect(),
        faces,
        parents: (0..surface.face_count())
            .map(|f| surface.parent(f).unwrap_or(u32::MAX))
            .collect(),
    }
}

fn options(scheme: Scheme, levels: u32, boundary: Boundary) -> Options {
    Options {
        scheme,
        levels,
        boundary,
        ..Options::default()
    }
}

fn check<S: Listed>(engine: &Engine, poly: &PolyMesh, scheme: S, options: &Options) {
    let got = surface(engine, poly, scheme, options.levels);
    let want = refine(poly, options);
    if let Err(why) = compare(&got, &want, 2e-6) {
        panic!("{} faces, {options:?}: {why}", poly.face_count());
    }
}

fn catmull_clark_is_right(engine: &Engine) {
    let n = if is_slow(engine) { 2 } else { 4 };
    let all = [
        (meshes::polygons(n, 1), 3),
        (meshes::irregular(n - 1, 2), 2),
        (meshes::grid(n, 4, 3), 3),
        (meshes::fans(), 2),
        (meshes::fan(9, 5), 2),
        (meshes::fan(1, 4), 3),
        (meshes::trapezohedron(50), 2),
        (meshes::triangles(1, 5), 2),
    ];
    for (poly, levels) in all {
        let poly = meshes::moved(poly);
        for (boundary, smooth_corners) in [(Boundary::EdgeAndCorner, 0), (Boundary::EdgeOnly, 1)] {
            for levels in [0, 1, levels] {
                let scheme = CatmullClark { smooth_corners };
                let options = options(Scheme::CatmullClark, levels, boundary);
                check(engine, &poly, scheme, &options);
            }
        }
    }
}

fn loop_is_right(engine: &Engine) {
    let n = if is_slow(engine) { 2 } else { 4 };
    let all = [
        (meshes::triangles(n, 1), 3),
        (meshes::cut(&meshes::grid(n, 5, 2)), 3),
        (meshes::bipyramid(50), 2),
        (meshes::fan(7, 3), 2),
        (meshes::fan(1, 3), 3),
        (meshes::cut(&meshes::fans()), 2),
    ];
    for (poly, levels) in all {
        let poly = meshes::moved(poly);
        for (boundary, smooth_corners) in [(Boundary::EdgeAndCorner, 0), (Boundary::EdgeOnly, 1)] {
            for levels in [1, levels] {
                let options = options(Scheme::Loop, levels, boundary);
                check(engine, &poly, Loop { smooth_corners }, &options);
            }
        }
    }
}

fn sqrt3_is_right(engine: &Engine) {
    let n = if is_slow(engine) { 2 } else { 4 };
    let closed = [meshes::triangles(n, 1), meshes::bipyramid(30)];
    for poly in closed.map(meshes::moved) {
        for levels in [1, 2, 3] {
            let options = options(Scheme::Sqrt3, levels, Boundary::EdgeAndCorner);
            check(engine, &poly, Sqrt3 {}, &options);
        }
    }
    // One level: the next one would cut boundary edges.
    let open = [
        meshes::cut(&meshes::grid(n, 5, 2)),
        meshes::fan(7, 3),
        meshes::cut(&meshes::fans()),
    ];
    for poly in open.map(meshes::moved) {
        let options = options(Scheme::Sqrt3, 1, Boundary::EdgeAndCorner);
        check(engine, &poly, Sqrt3 {}, &options);
    }
}

/// Returns a level of Doo and Sabin by plain code.
fn doo_sabin(level: &NaiveSurface) -> NaiveSurface {
    let mut next = NaiveSurface::default();
    // The new vertex at each corner, by vertex and the one behind it in the face.
    let mut sides: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
    for (f, face) in level.faces.iter().enumerate() {
        let (n, first) = (face.len(), next.positions.len() as u32);
        for k in 0..n {
            let weight = |j: usize| match j {
                0 => (n as f64 + 5.0) / (4.0 * n as f64),
                _ => (3.0 + 2.0 * (TAU * j as f64 / n as f64).cos()) / (4.0 * n as f64),
            };
            let terms = (0..n).map(|j| level.positions[face[(k + j) % n] as usize] * weight(j));
            next.positions.push(terms.sum());
            let ends = [first + k as u32, first + ((k + 1) % n) as u32];
            sides.insert([face[k], face[(k + 1) % n]], ends);
        }
        next.faces.push((first..first + n as u32).collect());
        next.parents.push(level.parents[f]);
    }
    // From each new vertex to the next one around its old one: over an edge into the next face.
    let mut around: BTreeMap<u32, u32> = BTreeMap::new();
    for (&[a, b], &[p, q]) in &sides {
        if let Some(&[r, s]) = sides.get(&[b, a]) {
            around.insert(s, p);
            if a < b {
                next.faces.push(vec![q, p, s, r]);
                next.parents.push(u32::MAX);
            }
        }
    }
    let mut seen = BTreeSet::new();
    for &start in around.keys() {
        let mut ring = Vec::new();
        let mut here = Some(start);
        while let Some(p) = here.filter(|p| seen.insert(*p)) {
            ring.push(p);
            here = around.get(&p).copied();
        }
        if here == Some(start) && ring.len() > 2 {
            next.faces.push(ring);
            next.parents.push(u32::MAX);
        }
    }
    next
}

fn doo_sabin_is_right(engine: &Engine) {
    let n = if is_slow(engine) { 2 } else { 4 };
    let all = [
        (meshes::polygons(n, 1), 3),
        (meshes::grid(n, 0, 3), 2),
        (meshes::grid(n + 1, 6, 3), 2),
        (meshes::fan(5, 5), 1),
        (meshes::trapezohedron(30), 2),
    ];
    for (poly, levels) in all {
        let poly = meshes::moved(poly);
        let mut want = NaiveSurface {
            positions: poly.positions.iter().map(|p| p.as_dvec3()).collect(),
            faces: meshes::faces(&poly),
            parents: (0..poly.face_count() as u32).collect(),
        };
        for levels in 0..=levels {
            let got = surface(engine, &poly, DooSabin {}, levels);
            if let Err(why) = compare(&got, &want, 2e-6) {
                panic!("{} faces, {levels} levels: {why}", poly.face_count());
            }
            want = doo_sabin(&want);
        }
    }
}

/// The kept levels equal those that are rebuilt from their faces: twins, edges and rows.
fn whole<S: Listed>(engine: &Engine, poly: &PolyMesh, scheme: S) {
    let mesh = Mesh::new(engine, poly).unwrap();
    let surface = GeneralSubdivision::new(mesh, scheme, 3).unwrap();
    for level in 1..3 {
        let mesh = Mesh::new(engine, poly).unwrap();
        let fewer = GeneralSubdivision::new(mesh, scheme, level).unwrap();
        let anew = fewer.last_mesh().unwrap();
        let kept = surface.mesh(level).unwrap();
        assert_eq!(kept.vertex_count(), anew.vertex_count());
        assert_eq!(kept.edge_count(), anew.edge_count());
        assert_eq!(kept.face_count(), anew.face_count());
        let (got, want) = (kept.to_host().unwrap(), anew.to_host().unwrap());
        assert_eq!(got.twins, want.twins, "level {level}");
        assert_eq!(got.starts, want.starts);
        assert_eq!(got.entries, want.entries);
        assert_eq!(got.around, want.around);
        // Edges have other numbers.
        for (h, &twin) in got.twins.iter().enumerate() {
            let edge = got.edges[h] as usize;
            assert_eq!(got.halves[edge], twin.min(h as u32), "half-edge {h}");
        }
    }
    let none = surface.mesh(3);
    assert!(none.is_none(), "the last level has its faces alone");
}

fn levels_are_whole(engine: &Engine) {
    let n = if is_slow(engine) { 2 } else { 4 };
    let polygons = [
        meshes::polygons(n, 7),
        meshes::grid(n, 3, 8),
        meshes::fans(),
        meshes::fan(1, 6),
        PolyMesh::default(),
    ];
    for poly in &polygons {
        whole(engine, poly, CatmullClark { smooth_corners: 0 });
    }
    let triangles = [
        meshes::triangles(n, 7),
        meshes::cut(&meshes::grid(n, 3, 8)),
        meshes::cut(&meshes::fans()),
        meshes::fan(1, 3),
        meshes::bipyramid(20),
    ];
    for poly in &triangles {
        whole(engine, poly, Loop { smooth_corners: 0 });
        whole(engine, poly, Sqrt3 {});
    }
}

/// Rows of any width are independent columns.
fn any_width_goes(engine: &Engine) {
    let poly = meshes::polygons(2, 3);
    for levels in [1, 2, 3] {
        let mesh = Mesh::new(engine, &poly).unwrap();
        let scheme = CatmullClark { smooth_corners: 0 };
        let surface = GeneralSubdivision::new(mesh, scheme, levels).unwrap();
        let (n, m) = (poly.vertex_count(), surface.vertex_count() as usize);
        let run = |width: usize, x: &[f32]| {
            let x = engine.upload(x).unwrap();
            let mut y = engine.zeroed(width * m).unwrap();
            surface.values(width as u32, &x, &mut y).unwrap();
            y.read().unwrap()
        };
        for width in [1, 2, 4, 5, 8, 9] {
            let x: Vec<f32> = (0..n * width).map(|i| (i * i % 97) as f32).collect();
            let all = run(width, &x);
            for c in 0..width {
                let column: Vec<f32> = x.iter().skip(c).step_by(width).copied().collect();
                let one: Vec<f32> = all.iter().skip(c).step_by(width).copied().collect();
                assert_eq!(run(1, &column), one, "column {c} of {width}");
            }
        }
    }
}

/// A level, and the product of all levels, as a stored matrix: the same surface in one product.
fn matrices_are_surfaces(engine: &Engine) {
    let triangles = meshes::triangles(2, 3);
    let open = meshes::grid(3, 5, 4);
    stored(
        engine,
        &meshes::polygons(2, 2),
        CatmullClark { smooth_corners: 0 },
    );
    stored(engine, &open, CatmullClark { smooth_corners: 1 });
    stored(engine, &triangles, Loop { smooth_corners: 0 });
    stored(engine, &triangles, Sqrt3 {});
    stored(engine, &open, DooSabin {});
    // More terms in a row than one thread sorts.
    stored(
        engine,
        &meshes::trapezohedron(150),
        CatmullClark { smooth_corners: 0 },
    );
}

fn stored<S: Listed>(engine: &Engine, poly: &PolyMesh, scheme: S) {
    let x = engine.upload(&rows(poly)).unwrap();
    for levels in [1, 2] {
        let mesh = Mesh::new(engine, poly).unwrap();
        let surface = GeneralSubdivision::new(mesh, scheme, levels).unwrap();
        let n = 3 * surface.vertex_count() as usize;
        let (mut want, mut got) = (engine.zeroed(n).unwrap(), engine.zeroed(n).unwrap());
        surface.values(3, &x, &mut want).unwrap();
        let matrix = surface.stencils().unwrap().expect("there are levels");
        multiply(engine, matrix.view(), 3, &x, &mut got, Finish::default()).unwrap();
        let (got, want) = (got.read().unwrap(), want.read().unwrap());
        for (g, w) in got.iter().zip(&want) {
            assert!((g - w).abs() < 4e-6 * (1.0 + w.abs()), "{g} for {w}");
        }
        let host = matrix.to_host().unwrap();
        for ends in host.starts.windows(2) {
            let row = ends[0] as usize..ends[1] as usize;
            let sum: f64 = host.values[row.clone()]
                .iter()
                .copied()
                .map(f64::from)
                .sum();
            assert!((sum - 1.0).abs() < 1e-5, "a row's sum is {sum}");
            assert!(host.ids[row].is_sorted_by(|a, b| a < b));
        }
        assert!(surface.level_matrix(levels).is_err());
    }
    let mesh = Mesh::new(engine, poly).unwrap();
    let surface = GeneralSubdivision::new(mesh, scheme, 0).unwrap();
    assert!(surface.stencils().unwrap().is_none());
}

fn wrong_input_is_refused(engine: &Engine) {
    let mesh = |poly: &PolyMesh| Mesh::new(engine, poly).unwrap();
    let scheme = CatmullClark { smooth_corners: 0 };
    let cube = meshes::cube();
    let says = |result: Result<(), Error>, what: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    };
    says(
        GeneralSubdivision::new(mesh(&cube), scheme, 11).map(drop),
        "11 levels",
    );
    says(
        GeneralSubdivision::new(mesh(&cube), Sqrt3 {}, 1).map(drop),
        "face 0 has 4 corners",
    );
    let mixed = meshes::mesh(vec![DVec3::ZERO; 5], &[vec![0, 1, 2], vec![0, 2, 3, 4]]);
    says(
        GeneralSubdivision::new(mesh(&mixed), Loop { smooth_corners: 0 }, 1).map(drop),
        "face 1 has 4 corners",
    );
    // 1176 quads: 4.9 thousand million corners.
    let many = meshes::sphere(14);
    let refused = GeneralSubdivision::new(mesh(&many), scheme, 10).map(drop);
    assert!(
        matches!(refused, Err(Error::TooLarge { .. })),
        "{refused:?}"
    );

    let surface = GeneralSubdivision::new(mesh(&cube), scheme, 1).unwrap();
    let x = engine.zeroed(24).unwrap();
    says(
        surface.values(3, &x, &mut engine.zeroed(3 * 26 + 1).unwrap()),
        "79 values, but 78 are needed",
    );
    says(
        surface.values(2, &x, &mut engine.zeroed(2 * 26).unwrap()),
        "24 values, but 16 are needed",
    );
    assert!(Split::Quads.edges() && Split::Quads.faces() && !Split::Flips.edges());
}
