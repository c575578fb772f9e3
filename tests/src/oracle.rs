//! Naive host code: every relation over the input's ids, as sets.

use crate::fan::Fan;
use std::collections::HashMap;

/// Rows of a relation by input id, each sorted.
pub type Sets = Vec<Vec<u32>>;

/// Mesh as sets. An edge is a pair of vertices, the smaller first; its id is its index among all pairs in order. A face
/// that repeats a vertex has an edge from that vertex to itself.
pub struct Oracle {
    /// Number of vertices.
    pub vertices: usize,
    /// Faces.
    pub faces: Vec<[u32; 3]>,
    /// Edges, in order.
    pub edges: Vec<(u32, u32)>,
    edge_ids: HashMap<(u32, u32), u32>,
}

fn pair(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// Returns the items as a set: sorted, without duplicates.
fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}

impl Oracle {
    /// Makes the oracle of a mesh.
    pub fn new(vertices: usize, faces: &[[u32; 3]]) -> Oracle {
        let sides = faces
            .iter()
            .flat_map(|&[a, b, c]| [pair(a, b), pair(b, c), pair(c, a)]);
        let edges = set(sides);
        let edge_ids = edges
            .iter()
            .enumerate()
            .map(|(i, &e)| (e, i as u32))
            .collect();
        Oracle {
            vertices,
            faces: faces.to_vec(),
            edges,
            edge_ids,
        }
    }

    /// Returns the id of an edge; panics when there is none.
    pub fn edge(&self, a: u32, b: u32) -> u32 {
        *self
            .edge_ids
            .get(&pair(a, b))
            .unwrap_or_else(|| panic!("the input has no edge {a} {b}"))
    }

    /// Returns the edges of a face, by corner.
    pub fn face_edges(&self, f: usize) -> [u32; 3] {
        let [a, b, c] = self.faces[f];
        [self.edge(a, b), self.edge(b, c), self.edge(c, a)]
    }

    /// Returns edge to vertices, the smaller first.
    pub fn ev(&self) -> Sets {
        self.edges.iter().map(|&(a, b)| vec![a, b]).collect()
    }

    /// Returns face to vertices, in the input's order.
    pub fn fv(&self) -> Sets {
        self.faces.iter().map(|f| f.to_vec()).collect()
    }

    /// Returns face to edges, in the order of corners.
    pub fn fe(&self) -> Sets {
        (0..self.faces.len())
            .map(|f| self.face_edges(f).to_vec())
            .collect()
    }

    /// Returns vertex to edges.
    pub fn ve(&self) -> Sets {
        let mut rows = vec![Vec::new(); self.vertices];
        for (e, &(a, b)) in self.edges.iter().enumerate() {
            rows[a as usize].push(e as u32);
            rows[b as usize].push(e as u32);
        }
        rows.into_iter().map(set).collect()
    }

    /// Returns vertex to vertices.
    pub fn vv(&self) -> Sets {
        let mut rows = vec![Vec::new(); self.vertices];
        for &(a, b) in self.edges.iter().filter(|(a, b)| a != b) {
            rows[a as usize].push(b);
            rows[b as usize].push(a);
        }
        rows.into_iter().map(set).collect()
    }

    /// Returns vertex to faces.
    pub fn vf(&self) -> Sets {
        let mut rows = vec![Vec::new(); self.vertices];
        for (f, face) in self.faces.iter().enumerate() {
            face.iter().for_each(|&v| rows[v as usize].push(f as u32));
        }
        rows.into_iter().map(set).collect()
    }

    /// Returns edge to faces.
    pub fn ef(&self) -> Sets {
        let mut rows = vec![Vec::new(); self.edges.len()];
        for f in 0..self.faces.len() {
            self.face_edges(f)
                .iter()
                .for_each(|&e| rows[e as usize].push(f as u32));
        }
        rows.into_iter().map(set).collect()
    }

    /// Returns edge to the edges that share a face with it.
    pub fn ee(&self) -> Sets {
        let sides: Vec<[u32; 3]> = (0..self.faces.len()).map(|f| self.face_edges(f)).collect();
        let row = |(e, faces): (usize, &Vec<u32>)| {
            let all = set(faces.iter().flat_map(|&f| sides[f as usize]));
            all.into_iter().filter(|&x| x != e as u32).collect()
        };
        self.ef().iter().enumerate().map(row).collect()
    }

    /// Returns face to the faces that share an edge with it.
    pub fn ff(&self) -> Sets {
        let ef = self.ef();
        let row = |f: usize| {
            let sides = self.face_edges(f);
            let all = set(sides.iter().flat_map(|&e| ef[e as usize].iter().copied()));
            all.into_iter().filter(|&x| x != f as u32).collect()
        };
        (0..self.faces.len()).map(row).collect()
    }

    /// Returns the vertices within `k` edges, without the vertex itself.
    pub fn rings(&self, k: u32) -> Sets {
        let vv = self.vv();
        let ring = |v: usize| {
            // Ring 0 is the vertex, and each ring is the unvisited neighbours of the previous one.
            let (mut seen, mut front) = (vec![v as u32], vec![v as u32]);
            for _ in 0..k {
                let next = set(front.iter().flat_map(|&w| vv[w as usize].iter().copied()));
                let new = |w: &u32| seen.binary_search(w).is_err();
                front = next.into_iter().filter(new).collect();
                seen.extend_from_slice(&front);
                seen.sort_unstable();
            }
            seen.retain(|&w| w != v as u32);
            seen
        };
        (0..self.vertices).map(ring).collect()
    }

    /// Returns the index of the first side of face `f` that is edge `e`, if any.
    fn side(&self, f: u32, e: u32) -> usize {
        self.face_edges(f as usize)
            .iter()
            .position(|&x| x == e)
            .expect("the face has the edge")
    }

    /// Returns the diamond of an edge, from the two of its faces that `order` puts first: source, right, target, left;
    /// `u32::MAX` where there is none. The second value is `true` if the two faces run along the edge in opposite
    /// directions, so that the order counts.
    pub fn diamond(&self, e: u32, ef: &[u32], order: impl Fn(u32) -> u32) -> ([u32; 4], bool) {
        let (s, t) = self.edges[e as usize];
        let mut faces = ef.to_vec();
        faces.sort_by_key(|&f| order(f));
        let look = |f: u32| {
            let k = self.side(f, e);
            let corners = self.faces[f as usize];
            (corners[(k + 2) % 3], corners[k] == s)
        };
        match *faces {
            [] => ([s, u32::MAX, t, u32::MAX], true),
            [f] => match look(f) {
                (left, true) => ([s, u32::MAX, t, left], true),
                (right, false) => ([s, right, t, u32::MAX], true),
            },
            [f, g, ..] => match (look(f), look(g)) {
                ((left, true), (right, false)) | ((right, false), (left, true)) => {
                    ([s, right, t, left], true)
                }
                ((a, _), (b, _)) => ([s, a, t, b], false),
            },
        }
    }

    /// Returns 1 for each edge with exactly one face, else 0.
    pub fn boundary_edges(&self) -> Vec<u32> {
        self.ef()
            .iter()
            .map(|faces| u32::from(faces.len() == 1))
            .collect()
    }

    /// Returns 1 for each vertex with a boundary edge, else 0.
    pub fn boundary_vertices(&self) -> Vec<u32> {
        let mut on = vec![0; self.vertices];
        for (&(a, b), &flag) in self.edges.iter().zip(&self.boundary_edges()) {
            on[a as usize] |= flag;
            on[b as usize] |= flag;
        }
        on
    }

    /// Returns 1 for each face with a boundary edge, else 0.
    pub fn boundary_faces(&self) -> Vec<u32> {
        let edges = self.boundary_edges();
        (0..self.faces.len())
            .map(|f| {
                self.face_edges(f)
                    .iter()
                    .fold(0, |on, &e| on | edges[e as usize])
            })
            .collect()
    }

    /// Returns each vertex's faces as one counter-clockwise fan, or `None` where they do not form one.
    pub fn fans(&self) -> Vec<Option<Fan>> {
        self.vf()
            .iter()
            .enumerate()
            .map(|(v, faces)| Fan::new(self, v as u32, faces))
            .collect()
    }
}
