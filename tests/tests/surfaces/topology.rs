//! Polygon meshes on every engine: adjacency against naive code, and refusals that name the place.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{MeshError, PolyMesh, Rng, generate};
use rxmesh_subdivision::Mesh;
use rxmesh_subdivision::kernels::build::Neighbourhood;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use std::collections::HashMap;

conformance! { adjacency_is_right, refusals_name_the_place, long_rows_are_sorted }

/// Makes a mesh of lists of faces, with vertices anywhere.
pub(super) fn mesh_of(vertices: usize, faces: &[Vec<u32>]) -> PolyMesh {
    let sizes: Vec<u32> = faces.iter().map(|f| f.len() as u32).collect();
    let positions = (0..vertices).map(|v| Vec3::splat(v as f32)).collect();
    PolyMesh::new(positions, &sizes, faces.concat()).unwrap()
}

/// Makes a grid of quads, some of them cut or merged, in any order.
fn patchwork(n: u32, seed: u64) -> PolyMesh {
    let mut rng = Rng::new(seed);
    let at = |x: u32, y: u32| y * (n + 1) + x;
    let mut faces = Vec::new();
    for y in 0..n {
        let mut x = 0;
        while x < n {
            let quad = vec![at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
            match rng.below(5) {
                0 => {
                    faces.push(vec![quad[0], quad[1], quad[2]]);
                    faces.push(vec![quad[0], quad[2], quad[3]]);
                }
                1 if x + 1 < n => {
                    x += 1;
                    let far = [at(x + 1, y), at(x + 1, y + 1)];
                    faces.push(vec![quad[0], quad[1], far[0], far[1], quad[2], quad[3]]);
                }
                2 => {}
                _ => faces.push(quad),
            }
            x += 1;
        }
    }
    for i in (1..faces.len()).rev() {
        faces.swap(i, rng.below(i as u64 + 1) as usize);
    }
    mesh_of(((n + 1) * (n + 1)) as usize, &faces)
}

fn adjacency_is_right(engine: &Engine) {
    let n = if is_slow(engine) { 4 } else { 20 };
    let torus = generate::torus(12, 8, 1.0, 0.4).unwrap().into();
    for poly in [patchwork(n, 1), patchwork(n, 2), torus, PolyMesh::default()] {
        let mesh = Mesh::new(engine, &poly).unwrap();
        compare(&mesh, &poly);
    }
}

/// Compares everything that is made on the engine with a recomputation from the faces.
fn compare(mesh: &Mesh, poly: &PolyMesh) {
    let parts = mesh.to_host().unwrap();
    let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
    let mut rows = vec![Vec::new(); poly.vertex_count()];
    let mut next_of = vec![0; poly.corners.len()];
    for f in 0..poly.face_count() {
        let range = poly.range(f);
        let face = poly.face(f);
        for k in 0..face.len() {
            let h = (range.start + k) as u32;
            let next = (k + 1) % face.len();
            next_of[h as usize] = range.start + next;
            assert_eq!(sides.insert([face[k], face[next]], h), None);
            rows[face[k] as usize].push(h);
        }
    }
    let mut edges = Vec::new();
    for (h, &twin) in parts.twins.iter().enumerate() {
        let [a, b] = [poly.corners[h], poly.corners[next_of[h]]];
        assert_eq!(
            twin,
            sides.get(&[b, a]).copied().unwrap_or(u32::MAX),
            "half-edge {h}"
        );
        if (h as u32) < twin {
            edges.push(h as u32);
        }
        let first = twin.min(h as u32);
        assert_eq!(parts.halves[parts.edges[h] as usize], first);
    }
    assert_eq!(parts.halves, edges);
    let starts: Vec<u32> = std::iter::once(0)
        .chain(rows.iter().scan(0, |sum, r| {
            *sum += r.len() as u32;
            Some(*sum)
        }))
        .collect();
    assert_eq!(parts.starts, starts);
    assert_eq!(parts.entries, rows.concat());
    for (v, row) in rows.iter().enumerate() {
        let open = row
            .iter()
            .filter(|&&h| parts.twins[h as usize] == u32::MAX)
            .count();
        let got = parts.around[v];
        if row.is_empty() {
            assert_eq!(got, Neighbourhood::Nothing as u32);
        } else if got != Neighbourhood::Fans as u32 {
            let want = match (open, row.len()) {
                (0, _) => Neighbourhood::Interior,
                (_, 1) => Neighbourhood::Corner,
                _ => Neighbourhood::Boundary,
            };
            assert_eq!((got, open.min(1)), (want as u32, open), "vertex {v}");
        }
    }
}

fn refusals_name_the_place(engine: &Engine) {
    let quad = |a, b, c, d| vec![a, b, c, d];
    let refused = |faces: &[Vec<u32>]| match Mesh::new(engine, &mesh_of(10, faces)) {
        Err(Error::Mesh(e)) => e,
        other => panic!("{other:?}"),
    };
    let three = [quad(0, 1, 2, 3), quad(1, 0, 4, 5), quad(0, 1, 6, 7)];
    assert_eq!(refused(&three), MeshError::NoSurface { face: 0, vertex: 0 });
    let alike = [quad(4, 5, 6, 7), quad(0, 1, 2, 3), quad(0, 1, 8, 9)];
    assert_eq!(refused(&alike), MeshError::NoSurface { face: 1, vertex: 0 });
    let twice = [vec![4, 5, 6], vec![0, 1, 2, 0, 3, 7]];
    assert_eq!(
        refused(&twice),
        MeshError::RepeatedVertex { face: 1, vertex: 0 }
    );
    let side = [quad(4, 5, 6, 7), vec![1, 1, 2]];
    assert_eq!(
        refused(&side),
        MeshError::RepeatedVertex { face: 1, vertex: 1 }
    );
    // Two fans at a vertex are a surface that is not manifold there.
    let fans = mesh_of(7, &[vec![0, 1, 2], vec![0, 3, 4]]);
    let mesh = Mesh::new(engine, &fans).unwrap().to_host().unwrap();
    assert_eq!(mesh.around[0], Neighbourhood::Fans as u32);
    assert_eq!(mesh.around[1], Neighbourhood::Corner as u32);
    assert_eq!(mesh.around[6], Neighbourhood::Nothing as u32);
}

/// A cone: its tip has a row that a block sorts.
fn long_rows_are_sorted(engine: &Engine) {
    let n = if is_slow(engine) { 100 } else { 3000 };
    let mut faces: Vec<Vec<u32>> = (0..n).map(|k| vec![0, 1 + k, 1 + (k + 1) % n]).collect();
    faces.reverse();
    let poly = mesh_of(n as usize + 1, &faces);
    compare(&Mesh::new(engine, &poly).unwrap(), &poly);
}
