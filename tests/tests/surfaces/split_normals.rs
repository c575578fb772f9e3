//! Normals of face corners: one for each side of infinitely sharp edges.

use glam::{DVec2, DVec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Boundary, Options, Refined, Scheme, Subdivision, VertexOptions, refine};
use rxmesh_tests::conformance;
use rxmesh_tests::surfaces::limit::limits;
use rxmesh_tests::surfaces::made::options;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::refine_net;
use std::f64::consts::TAU;

conformance! {
    sharp_cubes_are_flat, sharp_caps_of_a_cylinder, as_eigen_analysis_has_them, faces_turn_to_them,
    darts_and_what_is_left_out
}

const SPLIT: VertexOptions = VertexOptions {
    limit: false,
    normals: false,
    split_normals: true,
};

/// Refined mesh with its faces, the normals of their corners, and their base faces.
struct SplitMesh {
    points: Vec<DVec3>,
    faces: Vec<Vec<u32>>,
    normals: Vec<Vec<DVec3>>,
    parents: Vec<u32>,
}

fn split(engine: &Engine, mesh: &PolyMesh, options: &Options, places: VertexOptions) -> SplitMesh {
    let Refined {
        mesh: got,
        warnings,
    } = refine(engine, mesh, options, places).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let layer = got.extras.corner_normals.as_ref().unwrap();
    let normal = |&id: &u32| {
        let at = 3 * id as usize;
        DVec3::from_slice(&[0, 1, 2].map(|k| f64::from(layer.values[at + k])))
    };
    let all: Vec<DVec3> = layer.corners.iter().map(normal).collect();
    let surface = Subdivision::new(engine, mesh, options).unwrap();
    SplitMesh {
        points: got.positions.iter().map(|p| p.as_dvec3()).collect(),
        faces: meshes::faces(&got),
        normals: (0..got.face_count())
            .map(|f| all[got.range(f)].to_vec())
            .collect(),
        parents: (0..surface.face_count())
            .map(|f| surface.parent(f))
            .collect(),
    }
}

impl SplitMesh {
    /// Returns the distinct normals at each vertex.
    fn by_vertex(&self) -> Vec<Vec<DVec3>> {
        let mut all: Vec<Vec<DVec3>> = vec![Vec::new(); self.points.len()];
        for (face, normals) in self.faces.iter().zip(&self.normals) {
            for (&v, n) in face.iter().zip(normals) {
                let known = &mut all[v as usize];
                if known.iter().all(|k| k.distance(*n) > 1e-4) {
                    known.push(*n);
                }
            }
        }
        all
    }
}

/// Returns the unit normal of a flat face.
fn flat(points: &[DVec3], face: &[u32]) -> DVec3 {
    let p = |k: usize| points[face[k % face.len()] as usize];
    let area: DVec3 = (0..face.len()).map(|k| p(k).cross(p(k + 1))).sum();
    area.normalize()
}

fn edges(mesh: &PolyMesh) -> Vec<([u32; 2], f32)> {
    let mut all: Vec<[u32; 2]> = Vec::new();
    for f in meshes::faces(mesh) {
        let side = |k: usize| (f[k], f[(k + 1) % f.len()]);
        all.extend(
            (0..f.len())
                .map(side)
                .filter(|(a, b)| a < b)
                .map(|(a, b)| [a, b]),
        );
    }
    all.into_iter()
        .map(|ends| (ends, PolyMesh::SHARP))
        .collect()
}

/// With all its edges sharp a cube stays a cube.
fn sharp_cubes_are_flat(engine: &Engine) {
    let cube = meshes::cube();
    let sharp = edges(&cube);
    let quads = meshes::with_edges(cube.clone(), &sharp);
    let triangles = meshes::cut(&quads);
    for (scheme, mesh, each) in [
        (Scheme::CatmullClark, quads, 1),
        (Scheme::Loop, triangles.clone(), 2),
        (Scheme::Sqrt3, triangles, 2),
    ] {
        let sides = meshes::faces(&cube);
        let corners: Vec<DVec3> = cube.positions.iter().map(|p| p.as_dvec3()).collect();
        for levels in 0..4 {
            let got = split(engine, &mesh, &options(scheme, levels), SPLIT);
            for (f, normals) in got.normals.iter().enumerate() {
                let want = flat(&corners, &sides[got.parents[f] as usize / each]);
                for n in normals {
                    assert!(
                        n.distance(want) < 1e-6,
                        "{scheme:?}, level {levels}: {n}, not {want}"
                    );
                }
            }
            let sides_at = got.by_vertex().into_iter().map(|n| n.len());
            let mut counts = [0; 4];
            sides_at.for_each(|n| counts[n] += 1);
            assert_eq!(counts[3], 8, "corners");
            let parts = match scheme {
                Scheme::Sqrt3 => 3usize.pow(levels / 2),
                _ => 1 << levels,
            };
            assert_eq!(counts[2], 12 * (parts - 1), "points on edges");
        }
    }
}

/// Makes an upright prism of `n` sides with caps, as long as its radius.
fn prism(n: u32) -> PolyMesh {
    let at = |k: u32, z: f64| {
        let p = DVec2::from_angle(TAU * f64::from(k) / f64::from(n));
        p.extend(z)
    };
    let points = (0..n).map(|k| at(k, 0.0)).chain((0..n).map(|k| at(k, 1.0)));
    let mut faces: Vec<Vec<u32>> = (0..n)
        .map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k])
        .collect();
    faces.push((0..n).rev().collect());
    faces.push((n..2 * n).collect());
    let rims = (0..n).flat_map(|k| {
        let next = (k + 1) % n;
        [[k, next], [n + k, n + next]].map(|ends| (ends, PolyMesh::SHARP))
    });
    meshes::with_edges(
        meshes::mesh(points.collect(), &faces),
        &rims.collect::<Vec<_>>(),
    )
}

/// Normals of the caps are vertical; those of the side point away from the axis, at right angles to the cap's edge.
fn sharp_caps_of_a_cylinder(engine: &Engine) {
    let n = 8;
    let got = split(engine, &prism(n), &options(Scheme::CatmullClark, 3), SPLIT);
    let mut sides = 0;
    for ((face, normals), &parent) in got.faces.iter().zip(&got.normals).zip(&got.parents) {
        for (&v, normal) in face.iter().zip(normals) {
            let p = got.points[v as usize];
            if parent >= n {
                let up = if parent == n { -DVec3::Z } else { DVec3::Z };
                assert!(normal.distance(up) < 1e-5, "cap at {p}: {normal}");
                continue;
            }
            assert!(normal.z.abs() < 1e-5, "side at {p}: {normal}");
            // By symmetry at the corners of the prism, and midway between them.
            let turn = p.truncate().to_angle() / TAU * f64::from(2 * n);
            if (turn - turn.round()).abs() < 1e-5 {
                let out = p.truncate().normalize().extend(0.0);
                assert!(normal.distance(out) < 1e-4, "side at {p}: {normal}");
                sides += 1;
            }
        }
    }
    assert!(sides > 4 * n, "{sides} corners");
    let rim = |p: &DVec3| p.z.abs() < 1e-6 || (p.z - 1.0).abs() < 1e-6;
    for (p, normals) in got.points.iter().zip(got.by_vertex()) {
        let on_rim = rim(p) && normals.iter().any(|n| n.z.abs() < 0.5);
        assert_eq!(normals.len(), if on_rim { 2 } else { 1 }, "at {p}");
    }
}

/// Infinitely sharp creases of random meshes: both normals of the plain code's eigen-analysis.
fn as_eigen_analysis_has_them(engine: &Engine) {
    let sharp = |mesh, seed| meshes::moved(meshes::sharpened(mesh, 15, 0, seed));
    let quads = [
        ("torus", sharp(meshes::torus(6, 5), 1)),
        ("grid", sharp(meshes::grid(4, 0, 0), 2)),
        ("gaps", sharp(meshes::grid(5, 6, 3), 3)),
        ("valence 7", sharp(meshes::trapezohedron(7), 4)),
        ("polygons", sharp(meshes::polygons(2, 5), 5)),
    ];
    let mut pairs = 0;
    for (name, mesh) in &quads {
        pairs += against_limits(engine, name, mesh, &options(Scheme::CatmullClark, 3));
        if mesh.face_size() == Some(4) {
            pairs += against_limits(engine, name, &meshes::cut(mesh), &options(Scheme::Loop, 3));
        }
    }
    assert!(pairs > 100, "{pairs} points with two normals");
}

/// Returns the number of points with two normals.
fn against_limits(engine: &Engine, name: &str, mesh: &PolyMesh, options: &Options) -> usize {
    let options = Options {
        boundary: Boundary::EdgeOnly,
        ..*options
    };
    let got = split(engine, mesh, &options, SPLIT);
    let (net, _) = refine_net(mesh, &options);
    let limits = limits(&net, options.scheme);
    let mut pairs = 0;
    for (p, normals) in got.points.iter().zip(got.by_vertex()) {
        let near = (0..limits.len()).find(|&v| net.positions[v].distance(*p) < 1e-5);
        let want = &limits[near.expect("the same point")].normals;
        // A lone sharp edge is not cut.
        if want.len() != 2 || normals.len() == 1 {
            continue;
        }
        assert_eq!(normals.len(), 2, "{name}, {:?}, at {p}", options.scheme);
        for n in &normals {
            let near = want.iter().any(|w| w.distance(*n) < 1e-3);
            assert!(
                near,
                "{name}, {:?}, at {p}: {n}, not {want:?}",
                options.scheme
            );
        }
        pairs += 1;
    }
    pairs
}

/// With more levels faces turn to the normals of their corners, on their own side of creases.
fn faces_turn_to_them(engine: &Engine) {
    let ring = meshes::with_edges(meshes::cube(), &meshes::TOP.map(|e| (e, PolyMesh::SHARP)));
    for (scheme, mesh) in [
        (Scheme::CatmullClark, ring.clone()),
        (Scheme::Loop, meshes::cut(&ring)),
    ] {
        let far = |levels: u32| {
            let got = split(engine, &mesh, &options(scheme, levels), SPLIT);
            let all = got
                .faces
                .iter()
                .zip(&got.normals)
                .flat_map(|(face, normals)| {
                    let flat = flat(&got.points, face);
                    normals.iter().map(move |n| n.distance(flat))
                });
            all.fold(0.0, f64::max)
        };
        let (early, late) = (far(2), far(4));
        assert!(
            early < 0.8 && late < 0.6 * early,
            "{scheme:?}: {early}, then {late}"
        );
    }
}

fn darts_and_what_is_left_out(engine: &Engine) {
    let line = [([4, 5], PolyMesh::SHARP), ([5, 7], PolyMesh::SHARP)];
    let mesh = meshes::moved(meshes::with_edges(meshes::cube(), &line));
    let whole = split(engine, &mesh, &options(Scheme::CatmullClark, 3), SPLIT);
    let by_vertex = whole.by_vertex();
    // Both ends of the crease are smooth; seven points on each edge and the vertex between have two sides.
    assert_eq!([4, 5, 7].map(|v: usize| by_vertex[v].len()), [1, 2, 1]);
    assert_eq!(by_vertex.iter().filter(|n| n.len() == 2).count(), 15);
    // Together with normals of vertices, and without some faces: the same.
    let holes = PolyMesh {
        holes: vec![1, 4],
        ..mesh
    };
    let both = VertexOptions {
        normals: true,
        ..SPLIT
    };
    let part = split(engine, &holes, &options(Scheme::CatmullClark, 3), both);
    let kept = |f: &usize| ![1, 4].contains(&whole.parents[*f]);
    let want: Vec<&Vec<DVec3>> = (0..whole.faces.len())
        .filter(kept)
        .map(|f| &whole.normals[f])
        .collect();
    assert_eq!(part.normals.len(), 4 << 6);
    assert!(part.normals.iter().eq(want));
}
