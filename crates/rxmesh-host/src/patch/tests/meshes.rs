//! Small meshes, made by rule.

use std::collections::HashMap;

use super::super::shared::split_mix;

/// Triangles.
#[derive(Clone)]
pub(super) struct TriangleList {
    pub(super) vertices: usize,
    pub(super) faces: Vec<[u32; 3]>,
}

impl TriangleList {
    pub(super) fn new(vertices: usize, faces: impl Into<Vec<[u32; 3]>>) -> Self {
        Self {
            vertices,
            faces: faces.into(),
        }
    }

    /// Returns the same mesh in a random order of vertices, faces and corners.
    pub(super) fn shuffled(&self, seed: u64) -> Self {
        let mut state = seed;
        let mut random = |n: usize| (split_mix(&mut state) % n as u64) as usize;
        let mut names: Vec<u32> = (0..self.vertices as u32).collect();
        for i in (1..self.vertices).rev() {
            names.swap(i, random(i + 1));
        }
        let mut faces = self.faces.clone();
        for i in (1..faces.len()).rev() {
            faces.swap(i, random(i + 1));
        }
        for face in &mut faces {
            *face = face.map(|v| names[v as usize]);
            face.rotate_left(random(3));
        }
        Self::new(self.vertices, faces)
    }

    /// Joins both meshes to one.
    pub(super) fn joined(&self, other: &Self) -> Self {
        let shift = self.vertices as u32;
        let moved = other.faces.iter().map(|face| face.map(|v| v + shift));
        let faces: Vec<[u32; 3]> = self.faces.iter().copied().chain(moved).collect();
        Self::new(self.vertices + other.vertices, faces)
    }
}

/// Builds a rectangle of two triangles per cell.
pub(super) fn grid(columns: u32, rows: u32) -> TriangleList {
    let id = |r: u32, c: u32| r * (columns + 1) + c;
    let mut faces = Vec::new();
    for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
        faces.push([id(r, c), id(r, c + 1), id(r + 1, c + 1)]);
        faces.push([id(r, c), id(r + 1, c + 1), id(r + 1, c)]);
    }
    TriangleList::new(((columns + 1) * (rows + 1)) as usize, faces)
}

/// Returns a rectangle with opposite sides joined.
pub(super) fn torus(columns: u32, rows: u32) -> TriangleList {
    let id = |r: u32, c: u32| (r % rows) * columns + c % columns;
    let mut faces = Vec::new();
    for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
        faces.push([id(r, c), id(r, c + 1), id(r + 1, c + 1)]);
        faces.push([id(r, c), id(r + 1, c + 1), id(r + 1, c)]);
    }
    TriangleList::new((columns * rows) as usize, faces)
}

/// Returns an octahedron, each face cut into n by n.
pub(super) fn sphere(n: i32) -> TriangleList {
    let mut ids: HashMap<[i32; 3], u32> = HashMap::new();
    let mut faces = Vec::new();
    for signs in 0..8 {
        let sign = |bit: i32| if signs >> bit & 1 == 0 { 1 } else { -1 };
        let mut id = |i: i32, j: i32| {
            let next = ids.len() as u32;
            *ids.entry([sign(0) * i, sign(1) * j, sign(2) * (n - i - j)])
                .or_insert(next)
        };
        for (i, j) in (0..n).flat_map(|i| (0..n - i).map(move |j| (i, j))) {
            faces.push([id(i, j), id(i + 1, j), id(i, j + 1)]);
            if i + j + 1 < n {
                faces.push([id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)]);
            }
        }
    }
    TriangleList::new(ids.len(), faces)
}

/// Returns triangles around vertex 0.
pub(super) fn fan(valence: u32, closed: bool) -> TriangleList {
    let rim = valence + u32::from(!closed);
    let faces: Vec<[u32; 3]> = (0..valence)
        .map(|i| [0, i + 1, (i + 1) % rim + 1])
        .collect();
    TriangleList::new(rim as usize + 1, faces)
}

/// Returns triangles around one edge, each with a strip hanging on.
pub(super) fn book(pages: u32) -> TriangleList {
    let pages = (0..pages).map(|page| 4 * page + 2);
    let faces: Vec<[u32; 3]> = pages
        .clone()
        .flat_map(|v| {
            [
                [0, 1, v],
                [v, 1, v + 1],
                [v + 2, v, v + 1],
                [v + 3, v + 2, v + 1],
            ]
        })
        .collect();
    TriangleList::new(4 * pages.len() + 2, faces)
}

/// Returns two tetrahedra that share vertex 0.
pub(super) fn two_tetrahedra() -> [[u32; 3]; 8] {
    let four = |a, b, c, d| [[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
    let [a, b] = [four(0, 1, 2, 3), four(0, 4, 5, 6)];
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
}
