//! Edges of three faces or more, and edges that two faces walk in the same direction, cut open and sharp.

use super::fast::damaged;
use glam::DVec3;
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_subdivision::{Boundary, Options, Scheme, Subdivision, open_edges};
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::meshes;
use rxmesh_tests::surfaces::naive::{NaiveSurface, next, refine};
use rxmesh_tests::surfaces::net::Net;

const CATMULL_CLARK: Options = Options {
    scheme: Scheme::CatmullClark,
    levels: 3,
    boundary: Boundary::EdgeAndCorner,
    creasing: rxmesh_subdivision::Creasing::Uniform,
    face_varying: rxmesh_subdivision::FaceVarying::CornersOnly,
};

/// Makes a sheet of 3 x 2 quads that hangs on a bent line of four vertices at angle `turn`.
fn sheet(turn: f64) -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let at = |i: u32, j: u32| {
        let (x, r) = (f64::from(i), f64::from(j));
        DVec3::new(x, r * turn.cos(), r * turn.sin() + 0.3 * (2.0 * x).sin())
    };
    let points = (0..3).flat_map(|j| (0..4).map(move |i| at(i, j)));
    let quad = |i: u32, j: u32| {
        let v = 4 * j + i;
        vec![v, v + 1, v + 5, v + 4]
    };
    let quads = (0..2).flat_map(|j| (0..3).map(move |i| quad(i, j)));
    (points.collect(), quads.collect())
}

/// Makes sheets on one line, which is the first four vertices; also returns each sheet by itself.
fn fins(turns: &[f64]) -> (PolyMesh, Vec<PolyMesh>) {
    let sheets: Vec<_> = turns.iter().map(|&turn| sheet(turn)).collect();
    let mut points = sheets[0].0[..4].to_vec();
    let mut faces = Vec::new();
    for (own, quads) in &sheets {
        let first = points.len() as u32;
        points.extend(&own[4..]);
        let id = |&v: &u32| if v < 4 { v } else { first + v - 4 };
        faces.extend(quads.iter().map(|q| q.iter().map(id).collect::<Vec<u32>>()));
    }
    let alone = sheets.into_iter().map(|(p, q)| meshes::mesh(p, &q));
    (meshes::mesh(points, &faces), alone.collect())
}

/// Three sheets on a line: each is refined as if it were alone, and they meet along a smooth curve.
#[test]
fn sheets_on_a_line_are_those_alone() {
    let (mesh, alone) = fins(&[0.0, 1.9, 3.7]);
    let refused = Subdivision::new(&Engine::cpu(), &mesh, &CATMULL_CLARK);
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("more than two faces")
    );
    let opened = open_edges(&mesh).unwrap();
    assert_eq!(opened.edges, 3);
    assert_eq!(opened.mesh.vertex_count(), 4 * 9);
    for (v, &origin) in opened.origins.iter().enumerate() {
        assert_eq!(opened.mesh.positions[v], mesh.positions[origin as usize]);
    }
    let mut want = NaiveSurface::default();
    for (k, sheet) in alone.iter().enumerate() {
        let one = refine(sheet, &CATMULL_CLARK);
        let first = want.positions.len() as u32;
        want.positions.extend(one.positions);
        let moved = one
            .faces
            .iter()
            .map(|f| f.iter().map(|v| first + v).collect());
        want.faces.extend(moved);
        want.parents
            .extend(one.parents.iter().map(|p| p + 6 * k as u32));
    }
    if let Err(why) = compare(&surface(&opened.mesh), &want, 2e-6) {
        panic!("{why}");
    }
    // A mesh without such edges is unchanged.
    let same = open_edges(&alone[0]).unwrap();
    assert_eq!((same.mesh, same.edges), (alone[0].clone(), 0));
}

fn surface(mesh: &PolyMesh) -> NaiveSurface {
    let engine = Engine::cpu();
    let surface = Subdivision::new(&engine, mesh, &CATMULL_CLARK).unwrap();
    let x = engine.upload(&super::loop_surface::rows(mesh)).unwrap();
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize).unwrap();
    surface.values(3, &x, &mut y).unwrap();
    let mut faces = engine.zeroed(surface.index_count() as usize).unwrap();
    surface.faces(&mut faces).unwrap();
    NaiveSurface {
        positions: super::loop_surface::points(&y.read().unwrap()),
        faces: faces
            .read()
            .unwrap()
            .chunks(4)
            .map(<[u32]>::to_vec)
            .collect(),
        parents: (0..surface.face_count())
            .map(|f| surface.parent(f))
            .collect(),
    }
}

/// Whatever is sharp beside them, and however sheets end: the sides of a cut stay at the same positions.
#[test]
fn cuts_have_no_gaps() {
    let mut strip = meshes::grid(6, 0, 0);
    // Closed to a Moebius strip: the last column is the first, upside down.
    let id = |v: &u32| if v % 7 == 6 { 7 * (6 - v / 7) } else { *v };
    strip.corners = strip.corners.iter().map(id).collect();
    let (three, _) = fins(&[0.0, 1.9, 3.7]);
    let (four, _) = fins(&[0.0, 1.1, 2.9, 4.4]);
    let mut twice = meshes::cube();
    twice.corners.extend_from_within(..8);
    let mut turned = meshes::torus(6, 5);
    turned.corners[4 * 7..4 * 8].reverse();
    let mut cuts = 0;
    for seed in 0..8 {
        for mesh in [&strip, &three, &four, &twice, &turned] {
            let mesh = if seed == 0 {
                mesh.clone()
            } else {
                meshes::sharpened(mesh.clone(), 20, seed % 4, seed)
            };
            cuts += check(&mesh, &[Scheme::CatmullClark, Scheme::Loop]);
        }
    }
    assert!(cuts > 600, "{cuts} edges");
}

/// Meshes with any defect except for faces that repeat a vertex.
#[test]
fn damaged_meshes_are_surfaces() {
    let mut cuts = 0;
    for seed in 0..200 {
        let mesh = damaged(seed);
        let simple = |f: &Vec<u32>| (1..f.len()).all(|k| !f[..k].contains(&f[k]));
        if meshes::faces(&mesh).iter().all(simple) {
            cuts += check(&mesh, &[Scheme::CatmullClark]);
        }
    }
    assert!(cuts > 200, "{cuts} edges");
}

/// Returns the number of compared groups of edges, summed over boundary rules and schemes.
fn check(mesh: &PolyMesh, schemes: &[Scheme]) -> usize {
    let opened = open_edges(mesh).unwrap();
    let mut cuts = 0;
    for &scheme in schemes {
        let of = |m: &PolyMesh| {
            if scheme == Scheme::Loop {
                meshes::cut(m)
            } else {
                m.clone()
            }
        };
        let own = of(&opened.mesh);
        let options = Options {
            scheme,
            ..CATMULL_CLARK
        };
        match Subdivision::new(&Engine::cpu(), &own, &options) {
            Ok(_) => {}
            // An edge that two faces walk in the same direction, and that is not cut at either end.
            Err(Error::Mesh(MeshError::NoSurface { .. })) => return 0,
            Err(e) => panic!("{e}"),
        }
        for boundary in [Boundary::EdgeAndCorner, Boundary::EdgeOnly] {
            let options = Options {
                scheme,
                boundary,
                ..CATMULL_CLARK
            };
            let mut net = Net::base(&own, &options);
            // Edges that originate from one edge, end by end.
            let mut groups: std::collections::HashMap<[u32; 2], Vec<[u32; 2]>> = Default::default();
            for e in 0..net.edges.len() {
                let mut pair = net.edges[e].map(|v| (opened.origins[v as usize], v));
                pair.sort_unstable();
                let group = groups.entry(pair.map(|p| p.0)).or_default();
                group.push(pair.map(|p| p.1));
            }
            // Sides of faces: two faces on the same corners have separate diagonals where faces are cut.
            let sides: std::collections::HashSet<[u32; 2]> = meshes::faces(mesh)
                .iter()
                .flat_map(|f| (0..f.len()).map(|k| [f[k], f[(k + 1) % f.len()]]))
                .map(|[a, b]| [a.min(b), a.max(b)])
                .collect();
            let mut groups: Vec<_> = groups
                .into_iter()
                .filter(|(ends, g)| g.len() > 1 && sides.contains(ends))
                .map(|(_, g)| g)
                .collect();
            // Four faces may have become two pairs that share their ends.
            assert!(groups.len() <= opened.edges);
            cuts += groups.len();
            for _ in 0..4 {
                let middle =
                    |net: &Net, [a, b]: [u32; 2]| (net.positions.len() + net.edge(a, b)) as u32;
                groups = groups
                    .iter()
                    .flat_map(|group| {
                        let halves = |far: usize| {
                            let half = |&ends: &[u32; 2]| {
                                let m = middle(&net, ends);
                                if far == 0 { [ends[0], m] } else { [m, ends[1]] }
                            };
                            group.iter().map(half).collect::<Vec<_>>()
                        };
                        [halves(0), halves(1)]
                    })
                    .collect();
                net = next(&net, scheme, options.creasing);
                for group in &groups {
                    for end in 0..2 {
                        let p = |ends: &[u32; 2]| net.positions[ends[end] as usize];
                        let first = p(&group[0]);
                        assert!(group.iter().all(|g| p(g).distance(first) < 1e-12));
                    }
                }
            }
        }
    }
    cuts
}
