//! Polygon meshes by property, made in code.

use glam::{DVec3, Vec3};
use rxmesh_host::mesh::{PolyMesh, Rng, SharpEdge, SharpVertex};
use std::collections::{BTreeSet, HashMap};
use std::f64::consts::{PI, TAU};

/// Makes a mesh of these faces.
pub fn mesh(positions: Vec<DVec3>, faces: &[Vec<u32>]) -> PolyMesh {
    let sizes: Vec<u32> = faces.iter().map(|f| f.len() as u32).collect();
    let positions = positions.iter().map(|p| p.as_vec3()).collect();
    PolyMesh::new(positions, &sizes, faces.concat()).unwrap()
}

/// Returns the faces of a mesh as lists.
pub fn faces(mesh: &PolyMesh) -> Vec<Vec<u32>> {
    (0..mesh.face_count())
        .map(|f| mesh.face(f).to_vec())
        .collect()
}

fn doubles(mesh: &PolyMesh) -> Vec<DVec3> {
    mesh.positions.iter().map(|p| p.as_dvec3()).collect()
}

/// Makes six quads, from -1 to 1; vertex x + 2 y + 4 z.
pub fn cube() -> PolyMesh {
    let side = |i: usize, axis: usize| if i >> axis & 1 == 1 { 1.0 } else { -1.0 };
    let positions = (0..8)
        .map(|i| DVec3::new(side(i, 0), side(i, 1), side(i, 2)))
        .collect();
    let faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    mesh(positions, &faces.map(|f| f.to_vec()))
}

/// Makes a cube with n x n quads per side, projected onto a sphere with bumps.
pub fn sphere(n: u32) -> PolyMesh {
    let cube = cube();
    let mut ids = HashMap::new();
    let (mut positions, mut quads) = (Vec::new(), Vec::new());
    for side in faces(&cube) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| cube.positions[side[k] as usize].as_dvec3());
        let mut at = |i: u32, j: u32| {
            let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            let p = a.lerp(b, u).lerp(d.lerp(c, u), v);
            let key = (p * f64::from(n)).to_array().map(|x| x.round() as i32);
            *ids.entry(key).or_insert_with(|| {
                positions.push(bumpy(p.normalize()));
                positions.len() as u32 - 1
            })
        };
        for j in 0..n {
            for i in 0..n {
                quads.push(vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    mesh(positions, &quads)
}

fn bumpy(p: DVec3) -> DVec3 {
    p * (1.0 + 0.1 * (5.0 * p.x).sin() * (4.0 * p.y + 1.0).cos() + 0.05 * (7.0 * p.z).sin())
}

/// Makes a torus of nu x nv quads.
pub fn torus(nu: u32, nv: u32) -> PolyMesh {
    let at = |i: u32, j: u32| (j % nv) * nu + i % nu;
    let angle = |i: u32, n: u32| TAU * f64::from(i) / f64::from(n);
    let (mut positions, mut quads) = (Vec::new(), Vec::new());
    for j in 0..nv {
        for i in 0..nu {
            let (u, v) = (angle(i, nu), angle(j, nv));
            let r = 1.0 + (0.3 + 0.05 * (3.0 * u).sin()) * v.cos();
            positions.push(DVec3::new(r * u.cos(), r * u.sin(), 0.3 * v.sin()));
            quads.push(vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh(positions, &quads)
}

/// Makes n x n quads with a wavy height; each is omitted with a probability of one in `gaps`, when that is not 0. Thus
/// there are boundaries, vertices of one face, and some where two groups of faces meet.
pub fn grid(n: u32, gaps: u64, seed: u64) -> PolyMesh {
    let mut rng = Rng::new(seed);
    let at = |i: u32, j: u32| j * (n + 1) + i;
    let (mut positions, mut quads) = (Vec::new(), Vec::new());
    for j in 0..=n {
        for i in 0..=n {
            let (x, y) = (f64::from(i), f64::from(j));
            positions.push(DVec3::new(
                x,
                y + 0.2 * (x * 1.7).sin(),
                (x * 0.9).sin() * (y * 0.7).cos(),
            ));
            if i < n && j < n && (gaps == 0 || rng.below(gaps) != 0) {
                quads.push(vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    mesh(positions, &quads)
}

/// Makes a closed mesh of 2 n quads: two vertices of valence n, the others of valence 3 (n is at least 3).
pub fn trapezohedron(n: u32) -> PolyMesh {
    let rim = (0..2 * n).map(|k| {
        let (angle, high) = (
            PI * f64::from(k) / f64::from(n),
            if k % 2 == 0 { 0.15 } else { -0.15 },
        );
        let r = 1.0 + 0.1 * (3.0 * angle).sin();
        DVec3::new(r * angle.cos(), r * angle.sin(), high)
    });
    let mut positions = vec![DVec3::new(0.1, 0.0, 0.8), DVec3::new(0.0, 0.1, -0.7)];
    positions.extend(rim);
    let at = |k: u32| 2 + k % (2 * n);
    let up = |k: u32| vec![0, at(2 * k), at(2 * k + 1), at(2 * k + 2)];
    let down = |k: u32| vec![1, at(2 * k + 3), at(2 * k + 2), at(2 * k + 1)];
    let quads: Vec<_> = (0..n).map(up).chain((0..n).map(down)).collect();
    mesh(positions, &quads)
}

/// Makes a closed mesh of 2 n triangles: two vertices of valence n, the others of valence 4 (n is at least 3).
pub fn bipyramid(n: u32) -> PolyMesh {
    let rim = (0..n).map(|k| {
        let angle = TAU * f64::from(k) / f64::from(n);
        let r = 1.0 + 0.1 * (2.0 * angle).sin();
        DVec3::new(r * angle.cos(), r * angle.sin(), 0.1 * (3.0 * angle).cos())
    });
    let mut positions = vec![DVec3::new(0.1, 0.0, 0.8), DVec3::new(0.0, 0.1, -0.7)];
    positions.extend(rim);
    let at = |k: u32| 2 + k % n;
    let triangles: Vec<_> = (0..n)
        .flat_map(|k| [vec![0, at(k), at(k + 1)], vec![1, at(k + 1), at(k)]])
        .collect();
    mesh(positions, &triangles)
}

/// Makes an open fan of n faces with `corners` corners around a vertex (n faces, n + 1 edges there).
pub fn fan(n: u32, corners: u32) -> PolyMesh {
    let inner = corners - 2;
    let steps = n * inner;
    let rim = (0..=steps).map(|k| {
        let angle = 5.0 * f64::from(k) / f64::from(steps);
        DVec3::new(angle.cos(), angle.sin(), 0.2 * (2.0 * angle).sin())
    });
    let mut positions = vec![DVec3::new(0.05, 0.02, 0.3)];
    positions.extend(rim);
    let face = |k: u32| {
        let rim = (0..=inner).map(|i| 1 + k * inner + i);
        std::iter::once(0).chain(rim).collect()
    };
    mesh(positions, &(0..n).map(face).collect::<Vec<Vec<u32>>>())
}

/// Makes a sphere of polygons of 3 to 10 corners, faces in any order.
pub fn polygons(n: u32, seed: u64) -> PolyMesh {
    let sphere = sphere(n);
    let mut rng = Rng::new(seed);
    let mut faces = faces(&sphere);
    for _ in 0..faces.len() {
        let (f, k) = (
            rng.below(faces.len() as u64) as usize,
            rng.below(4) as usize,
        );
        if rng.below(3) == 0 && faces[f].len() > 3 {
            let diagonal = 2 + rng.below(faces[f].len() as u64 - 3) as usize;
            let mut face = faces[f].clone();
            face.rotate_left(k % faces[f].len());
            faces[f] = face[..=diagonal].to_vec();
            faces.push([&face[..1], &face[diagonal..]].concat());
        } else {
            unite(&mut faces, f, k);
        }
    }
    shuffle(&mut faces, &mut rng);
    used(doubles(&sphere), &faces)
}

/// Merges face `f` and the one behind its edge `k`, when that leaves two faces that share one edge each.
fn unite(faces: &mut Vec<Vec<u32>>, f: usize, k: usize) {
    let face = faces[f].clone();
    let (a, b) = (face[k % face.len()], face[(k + 1) % face.len()]);
    let has =
        |face: &Vec<u32>| (0..face.len()).any(|i| face[i] == b && face[(i + 1) % face.len()] == a);
    let Some(g) = faces.iter().position(has) else {
        return;
    };
    let mut one = face.clone();
    one.rotate_left(k % face.len() + 1);
    let mut other = faces[g].clone();
    let at = other.iter().position(|&v| v == a).expect("an edge of it");
    other.rotate_left(at);
    // `one` runs from b to a, `other` from a to b.
    let inner = &other[1..other.len() - 1];
    let both: BTreeSet<_> = one.iter().chain(inner).collect();
    if both.len() == one.len() + inner.len() && both.len() <= 10 {
        faces[f] = [&one[..], inner].concat();
        faces.swap_remove(g);
    }
}

/// Makes the mesh without the vertices that no face uses.
fn used(positions: Vec<DVec3>, faces: &[Vec<u32>]) -> PolyMesh {
    let kept: Vec<u32> = faces
        .concat()
        .into_iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let id = |v: &u32| kept.binary_search(v).expect("a vertex of a face") as u32;
    let faces: Vec<Vec<u32>> = faces.iter().map(|f| f.iter().map(id).collect()).collect();
    mesh(
        kept.iter().map(|&v| positions[v as usize]).collect(),
        &faces,
    )
}

fn shuffle<T>(list: &mut [T], rng: &mut Rng) {
    for i in (1..list.len()).rev() {
        list.swap(i, rng.below(i as u64 + 1) as usize);
    }
}

/// Makes a closed mesh of quads with vertices of valence 3 to 10 everywhere: `polygons`, each cut around its centre.
pub fn irregular(n: u32, seed: u64) -> PolyMesh {
    let coarse = polygons(n, seed);
    let mut positions = doubles(&coarse);
    let mut middles = HashMap::new();
    let mut quads = Vec::new();
    for face in faces(&coarse) {
        let n = face.len();
        let center: DVec3 = face.iter().map(|&v| positions[v as usize]).sum();
        positions.push(center / n as f64);
        let center = positions.len() as u32 - 1;
        let sides: Vec<u32> = (0..n)
            .map(|k| {
                let (a, b) = (face[k], face[(k + 1) % n]);
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    positions.push((positions[a as usize] + positions[b as usize]) / 2.0);
                    positions.len() as u32 - 1
                })
            })
            .collect();
        quads.extend((0..n).map(|k| vec![face[k], sides[k], center, sides[(k + n - 1) % n]]));
    }
    mesh(positions, &quads)
}

/// Cuts each quad into two triangles.
pub fn cut(quads: &PolyMesh) -> PolyMesh {
    let triangles: Vec<_> = faces(quads)
        .iter()
        .flat_map(|f| {
            (2..f.len())
                .map(|k| vec![f[0], f[k - 1], f[k]])
                .collect::<Vec<_>>()
        })
        .collect();
    PolyMesh {
        sharp_edges: quads.sharp_edges.clone(),
        sharp_vertices: quads.sharp_vertices.clone(),
        ..mesh(doubles(quads), &triangles)
    }
}

/// Makes a sphere of 12 n n triangles, some edges of which are flipped.
pub fn triangles(n: u32, seed: u64) -> PolyMesh {
    let sphere = cut(&sphere(n));
    let mut rng = Rng::new(seed);
    let mut faces = faces(&sphere);
    for _ in 0..faces.len() / 2 {
        let f = rng.below(faces.len() as u64) as usize;
        let [a, b, c] = [faces[f][0], faces[f][1], faces[f][2]];
        let behind = |face: &Vec<u32>| (0..3).any(|i| face[i] == b && face[(i + 1) % 3] == a);
        let g = faces.iter().position(behind).expect("a closed mesh");
        let d = *faces[g]
            .iter()
            .find(|v| ![a, b].contains(v))
            .expect("a third");
        let valence = |v: u32| faces.iter().filter(|f| f.contains(&v)).count();
        let joined = faces.iter().any(|f| f.contains(&c) && f.contains(&d));
        if !joined && valence(a) > 3 && valence(b) > 3 {
            faces[f] = vec![a, d, c];
            faces[g] = vec![d, b, c];
        }
    }
    mesh(doubles(&sphere), &faces)
}

/// Makes two groups of faces that share a vertex and no edge, twice: open ones at vertex 0, and closed ones.
pub fn fans() -> PolyMesh {
    let (cube, other) = (cube(), cube());
    let mut positions = doubles(&cube);
    // The second cube shares vertex 7 as its vertex 0.
    positions.extend(
        doubles(&other)[1..]
            .iter()
            .map(|p| *p * 0.7 + DVec3::splat(1.7)),
    );
    let id = |&v: &u32| if v == 0 { 7 } else { v + 7 };
    let mut all = faces(&cube);
    all.extend(faces(&other).iter().map(|f| f.iter().map(id).collect()));
    // Without two opposite faces at vertex 0 there are two groups there, of one face each.
    all.retain(|f| *f != [0, 2, 3, 1]);
    let n = positions.len() as u32;
    positions.extend([DVec3::new(-2.0, -1.5, -1.0), DVec3::new(-1.5, -2.0, -1.5)]);
    all.push(vec![0, n, n + 1]);
    mesh(positions, &all)
}

/// Sets the sharp edges of the mesh.
pub fn with_edges(mut mesh: PolyMesh, edges: &[([u32; 2], f32)]) -> PolyMesh {
    let sharp = edges
        .iter()
        .map(|&(ends, sharpness)| SharpEdge { ends, sharpness });
    mesh.sharp_edges.extend(sharp);
    mesh
}

/// Sets the sharp vertices of the mesh.
pub fn with_vertices(mut mesh: PolyMesh, vertices: &[(u32, f32)]) -> PolyMesh {
    let sharp = vertices
        .iter()
        .map(|&(vertex, sharpness)| SharpVertex { vertex, sharpness });
    mesh.sharp_vertices.extend(sharp);
    mesh
}

/// Sets random sharpness: on `share` percent of the edges and vertices, in `steps` of 1 (0: infinite).
pub fn sharpened(mesh: PolyMesh, share: u64, steps: u64, seed: u64) -> PolyMesh {
    let mut rng = Rng::new(seed);
    let mut edges = BTreeSet::new();
    for f in faces(&mesh) {
        edges.extend(
            (0..f.len())
                .map(|k| (f[k], f[(k + 1) % f.len()]))
                .map(|(a, b)| [a.min(b), a.max(b)]),
        );
    }
    let sharpness = |rng: &mut Rng| match steps {
        0 => PolyMesh::SHARP,
        n => (1 + rng.below(4 * n)) as f32 / n as f32,
    };
    let mut chosen = Vec::new();
    for ends in edges {
        if rng.below(100) < share {
            chosen.push((ends, sharpness(&mut rng)));
        }
    }
    let count = mesh.vertex_count() as u32;
    let mut corners = Vec::new();
    for v in 0..count {
        if rng.below(300) < share {
            corners.push((v, sharpness(&mut rng)));
        }
    }
    with_vertices(with_edges(mesh, &chosen), &corners)
}

/// The four edges around the top of [`cube`].
pub const TOP: [[u32; 2]; 4] = [[4, 5], [5, 7], [7, 6], [6, 4]];

/// Returns cubes with creases and corners, with names.
pub fn creased_cubes() -> Vec<(&'static str, PolyMesh)> {
    let top = |s: [f32; 4]| -> Vec<_> { TOP.iter().copied().zip(s).collect() };
    let cube = |edges: &[([u32; 2], f32)]| with_edges(cube(), edges);
    vec![
        ("ring for ever", cube(&top([10.0; 4]))),
        ("ring of 2", cube(&top([2.0; 4]))),
        ("ring of 1.25", cube(&top([1.25; 4]))),
        ("ring of 0.5", cube(&top([0.5; 4]))),
        ("ring of mixed sharpness", cube(&top([0.5, 1.75, 3.0, 1.0]))),
        ("dart", cube(&[([4, 5], 10.0)])),
        ("short dart", cube(&[([4, 5], 1.5)])),
        (
            "chain with open ends",
            cube(&[([0, 1], 2.5), ([1, 3], 1.25), ([3, 7], 10.0)]),
        ),
        (
            "three at a vertex",
            cube(&[([0, 1], 2.0), ([0, 2], 1.5), ([0, 4], 0.75)]),
        ),
        (
            "three at a vertex, one stays",
            cube(&[([0, 1], 10.0), ([0, 2], 0.5), ([0, 4], 0.25)]),
        ),
        (
            "corners",
            with_vertices(cube(&[]), &[(0, 10.0), (7, 1.5), (5, 0.25)]),
        ),
        (
            "corner on a ring",
            with_vertices(cube(&top([1.5; 4])), &[(4, 0.5), (7, 2.0)]),
        ),
    ]
}

/// Moves and turns the mesh, so that no two of its coordinates are alike.
pub fn moved(mut mesh: PolyMesh) -> PolyMesh {
    for p in &mut mesh.positions {
        *p = Vec3::new(
            p.x + 0.13 * p.y,
            p.y - 0.21 * p.z + 0.03 * p.x * p.x,
            p.z + 0.17 * p.x,
        ) + 0.3;
    }
    mesh
}
