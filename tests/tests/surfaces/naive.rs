//! The plain code that surfaces are compared with, against independently known results; and comparisons that must fail.

use glam::DVec3;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Boundary, Creasing, Options, Scheme};
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::made::options;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{NaiveSurface, refine};

/// Catmull-Clark of a cube is the classical example: face points at 1, edge points at 3/4, vertices at 5/9.
#[test]
fn a_cube_once() {
    let once = refine(&meshes::cube(), &options(Scheme::CatmullClark, 1));
    assert_eq!((once.positions.len(), once.faces.len()), (26, 24));
    let close =
        |v: usize, want: DVec3| assert!(once.positions[v].distance(want) < 1e-15, "vertex {v}");
    close(7, DVec3::splat(5.0 / 9.0));
    let edge = once.positions[8];
    assert_eq!(
        (edge.x.abs(), edge.y.abs(), edge.z.abs()),
        (0.75, 0.0, 0.75)
    );
    close(20, DVec3::new(0.0, 0.0, -1.0));
}

fn closed_and_open() -> Vec<PolyMesh> {
    vec![
        meshes::cut(&meshes::cube()),
        meshes::triangles(3, 1),
        meshes::bipyramid(9),
        meshes::fan(1, 3),
        meshes::fan(4, 3),
        meshes::cut(&meshes::grid(5, 6, 3)),
        meshes::cut(&meshes::fans()),
    ]
}

/// Moving, rotating and stretching the mesh does the same to the surface.
#[test]
fn surfaces_follow_affine_maps() {
    let map = |p: DVec3| {
        DVec3::new(
            2.0 * p.x + p.y - 3.0,
            p.y - 0.5 * p.z + 1.0,
            p.z + 0.25 * p.x + 7.0,
        )
    };
    let mut meshes = closed_and_open();
    meshes.push(meshes::sharpened(
        meshes::cut(&meshes::torus(8, 5)),
        30,
        4,
        5,
    ));
    for (i, mesh) in meshes.iter().enumerate() {
        for scheme in [Scheme::CatmullClark, Scheme::Loop, Scheme::Sqrt3] {
            let semi_sharp = !mesh.sharp_edges.is_empty();
            if scheme == Scheme::Sqrt3 && semi_sharp {
                continue;
            }
            let plain = refine(mesh, &options(scheme, 3));
            let mut moved = mesh.clone();
            for p in &mut moved.positions {
                *p = map(p.as_dvec3()).as_vec3();
            }
            let moved = refine(&moved, &options(scheme, 3));
            for (p, q) in plain.positions.iter().zip(&moved.positions) {
                assert!(
                    map(*p).distance(*q) < 2e-5,
                    "mesh {i}, {scheme:?}: {p} to {q}"
                );
            }
        }
    }
}

/// Each level has the numbers of vertices and faces of its rule, keeps Euler's number and remains a surface.
#[test]
fn numbers_are_those_of_the_split() {
    for (i, mesh) in closed_and_open().iter().enumerate() {
        for scheme in [Scheme::CatmullClark, Scheme::Loop, Scheme::Sqrt3] {
            let base = refine(mesh, &options(scheme, 0));
            for levels in 1..5 {
                let fine = refine(mesh, &options(scheme, levels));
                let children = match scheme {
                    Scheme::CatmullClark => 3 * 4usize.pow(levels - 1),
                    Scheme::Loop => 4usize.pow(levels),
                    Scheme::Sqrt3 => 3usize.pow(levels),
                };
                assert_eq!(
                    fine.faces.len(),
                    base.faces.len() * children,
                    "mesh {i}, {scheme:?}"
                );
                for parent in 0..base.faces.len() as u32 {
                    let own = fine.parents.iter().filter(|&&p| p == parent).count();
                    assert_eq!(own, children, "mesh {i}, {scheme:?}, face {parent}");
                }
                assert_eq!(
                    euler(&fine),
                    euler(&base),
                    "mesh {i}, {scheme:?}, level {levels}"
                );
                let lines = if scheme == Scheme::Sqrt3 {
                    3usize.pow(levels / 2)
                } else {
                    1 << levels
                };
                assert_eq!(
                    boundary(&fine),
                    boundary(&base) * lines,
                    "mesh {i}, {scheme:?}, level {levels}"
                );
            }
        }
    }
}

fn sides(surface: &NaiveSurface) -> std::collections::HashMap<[u32; 2], [u32; 2]> {
    let mut sides = std::collections::HashMap::new();
    for face in &surface.faces {
        for k in 0..face.len() {
            let (a, b) = (face[k], face[(k + 1) % face.len()]);
            sides.entry([a.min(b), a.max(b)]).or_insert([0; 2])[usize::from(a < b)] += 1;
        }
    }
    assert!(
        sides.values().flatten().all(|&n| n < 2),
        "an edge is no surface"
    );
    sides
}

fn euler(surface: &NaiveSurface) -> i64 {
    let used: std::collections::HashSet<_> = surface.faces.iter().flatten().collect();
    used.len() as i64 - sides(surface).len() as i64 + surface.faces.len() as i64
}

fn boundary(surface: &NaiveSurface) -> usize {
    sides(surface).values().filter(|n| **n != [1, 1]).count()
}

/// Two levels of sqrt(3) cut every edge in three: on a flat regular mesh the points are those of a regular split.
#[test]
fn two_levels_of_sqrt3_are_a_split_in_nine() {
    let flat = meshes::mesh(
        (0..36)
            .map(|i| DVec3::new(f64::from(i % 6), f64::from(i / 6), 0.0))
            .collect(),
        &(0..25)
            .flat_map(|q| {
                let v = q / 5 * 6 + q % 5;
                [vec![v, v + 1, v + 7], vec![v, v + 7, v + 6]]
            })
            .collect::<Vec<_>>(),
    );
    let fine = refine(&flat, &options(Scheme::Sqrt3, 2));
    let mut places: Vec<_> = fine
        .positions
        .iter()
        .map(|p| ((p.x * 3.0).round() as i64, (p.y * 3.0).round() as i64))
        .collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 16 * 16);
    let inner = |p: &&DVec3| p.x > 1.1 && p.x < 3.9 && p.y > 1.1 && p.y < 3.9;
    for p in fine.positions.iter().filter(inner) {
        assert!((*p * 3.0).distance((*p * 3.0).round()) < 1e-12, "{p}");
    }
    for face in &fine.faces {
        let [a, b, c] = [0, 1, 2].map(|k| fine.positions[face[k] as usize]);
        assert!((b - a).cross(c - a).z > 0.0, "a face is turned over");
    }
}

/// Infinite and very large sharpness are the same for as many levels, and sharpness of half a level is half way.
#[test]
fn sharpness_ends() {
    let ring = |s: f32| meshes::with_edges(meshes::cube(), &meshes::TOP.map(|e| (e, s)));
    let at =
        |s: f32, levels: u32| refine(&ring(s), &options(Scheme::CatmullClark, levels)).positions;
    assert_eq!(at(3.0, 3), at(10.0, 3));
    assert_ne!(at(3.0, 4), at(10.0, 4));
    let (smooth, half, sharp) = (at(0.0, 1), at(0.5, 1), at(1.0, 1));
    for v in 0..smooth.len() {
        assert!(
            half[v].distance((smooth[v] + sharp[v]) / 2.0) < 1e-15,
            "vertex {v}"
        );
    }
}

/// Along a crease Chaikin's rule turns sharpness 1, 2 of two edges at a vertex into 0.25, 0.75; uniform creasing into
/// 0, 1.
#[test]
fn chaikin_evens_out() {
    let creased = meshes::with_edges(meshes::cube(), &[([4, 5], 1.0), ([5, 7], 2.0)]);
    let with = |creasing| Options {
        creasing,
        levels: 1,
        ..Options::default()
    };
    let sharp = |creasing| {
        let (net, _) = rxmesh_tests::surfaces::naive::refine_net(&creased, &with(creasing));
        let of = |e: &usize| net.edge_sharpness[*e];
        let mut sharp: Vec<f64> = net.vertex_edges[5]
            .iter()
            .map(of)
            .filter(|s| *s > 0.0)
            .collect();
        sharp.sort_by(f64::total_cmp);
        sharp
    };
    assert_eq!(sharp(Creasing::Uniform), [1.0]);
    assert_eq!(sharp(Creasing::Chaikin), [0.25, 0.75]);
}

/// Boundaries: corners stay or do not, and without a rule the faces there are omitted.
#[test]
fn boundaries_by_mode() {
    let grid = meshes::grid(4, 0, 1);
    let with = |boundary| {
        refine(
            &grid,
            &Options {
                boundary,
                levels: 2,
                ..Options::default()
            },
        )
    };
    let corner = grid.positions[0].as_dvec3();
    assert_eq!(with(Boundary::EdgeAndCorner).positions[0], corner);
    assert_ne!(with(Boundary::EdgeOnly).positions[0], corner);
    assert_eq!(
        with(Boundary::None).positions,
        with(Boundary::EdgeOnly).positions
    );
    assert_eq!(with(Boundary::None).faces.len(), 4 * 16);
    let hole = PolyMesh {
        holes: vec![5, 6],
        ..grid.clone()
    };
    let options = Options {
        levels: 2,
        ..Options::default()
    };
    assert_eq!(refine(&hole, &options).faces.len(), 14 * 16);
}

#[test]
fn comparing_finds_every_difference() {
    let options = options(Scheme::CatmullClark, 2);
    let want = refine(&meshes::polygons(2, 7), &options);
    let n = want.positions.len() as u32;
    // Other ids, another order, other first corners: still equal.
    let mut same = want.clone();
    same.positions.reverse();
    same.faces.reverse();
    same.parents.reverse();
    for (f, face) in same.faces.iter_mut().enumerate() {
        face.iter_mut().for_each(|v| *v = n - 1 - *v);
        face.rotate_left(f % 4);
    }
    compare(&same, &want, 1e-7).unwrap();
    let differs = |change: &dyn Fn(&mut NaiveSurface), words: &str| {
        let mut other = same.clone();
        change(&mut other);
        let why = compare(&other, &want, 1e-7).unwrap_err();
        assert!(why.contains(words), "{why}");
    };
    differs(&|s| s.positions[3].x += 1e-3, "no counterpart");
    differs(&|s| s.positions[3].x = f64::NAN, "vertex 3 is at");
    differs(&|s| s.positions[3] = s.positions[4], "no counterpart");
    differs(&|s| s.faces[5].reverse(), "turned over");
    differs(&|s| s.faces[5].swap(0, 1), "no face is wanted there");
    differs(&|s| s.faces[5] = s.faces[6].clone(), "not wanted");
    differs(&|s| s.parents[5] += 1, "is wanted there, of");
    differs(&|s| _ = s.positions.pop(), "vertices and");
}

/// The meshes are as documented: surfaces, with the requested valences and numbers of corners.
#[test]
fn the_meshes_are_surfaces() {
    let all = [
        meshes::cube(),
        meshes::sphere(3),
        meshes::torus(7, 4),
        meshes::grid(6, 5, 2),
        meshes::trapezohedron(50),
        meshes::bipyramid(50),
        meshes::fan(5, 4),
        meshes::polygons(6, 3),
        meshes::irregular(4, 4),
        meshes::triangles(4, 5),
        meshes::fans(),
    ];
    for mesh in &all {
        sides(&refine(mesh, &options(Scheme::CatmullClark, 0)));
    }
    let sizes = |mesh: &PolyMesh| {
        (0..mesh.face_count())
            .map(|f| mesh.face(f).len())
            .collect::<Vec<_>>()
    };
    let polygons = sizes(&meshes::polygons(6, 3));
    assert!(
        [3, 4, 5, 6, 8, 10].iter().all(|n| polygons.contains(n)),
        "{polygons:?}"
    );
    assert_eq!(meshes::irregular(4, 4).face_size(), Some(4));
    let valences = |mesh: &PolyMesh| {
        let mut count = vec![0; mesh.vertex_count()];
        mesh.corners.iter().for_each(|&v| count[v as usize] += 1);
        count
    };
    assert_eq!(valences(&meshes::trapezohedron(50))[..3], [50, 50, 3]);
    assert_eq!(valences(&meshes::bipyramid(50))[..3], [50, 50, 4]);
    let irregular = valences(&meshes::irregular(4, 4));
    let kinds = [2, 3, 4, 5, 6, 8, 9, 10];
    assert!(kinds.iter().all(|n| irregular.contains(n)), "{irregular:?}");
    let triangles = valences(&meshes::triangles(4, 5));
    assert!((3..10).all(|n| triangles.contains(&n)), "{triangles:?}");
}
