//! One level of a surface: vertices, faces, edges by their ends, sharpness.

use glam::DVec3;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Boundary, Options, Scheme};

/// Least sharpness that is infinite.
pub const SHARP: f64 = PolyMesh::SHARP as f64;

/// Returns the ends of an edge, the smaller first.
pub fn pair(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Vertices of a level with its faces, sharpness and adjacency.
///
/// Edges are numbered in the order of the half-edges, face after face.
pub struct Net {
    /// Positions of the vertices.
    pub positions: Vec<DVec3>,
    /// Vertices of the faces.
    pub faces: Vec<Vec<u32>>,
    /// Base face of each face.
    pub parents: Vec<u32>,
    /// Ends of each edge, in the direction of its first half-edge.
    pub edges: Vec<[u32; 2]>,
    /// Edges of each face: the one from its first vertex to its second, and so on.
    pub face_edges: Vec<Vec<usize>>,
    /// Faces of each edge, in their order.
    pub edge_faces: Vec<Vec<usize>>,
    /// Edges of each vertex.
    pub vertex_edges: Vec<Vec<usize>>,
    /// Faces of each vertex.
    pub vertex_faces: Vec<Vec<usize>>,
    /// Sharpness of each edge.
    pub edge_sharpness: Vec<f64>,
    /// Sharpness of each vertex.
    pub vertex_sharpness: Vec<f64>,
}

/// Rule of a vertex for the next level (DeRose et al. 1998; a dart is smooth).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NetRule {
    /// Less than two sharp edges.
    Smooth,
    /// Exactly these two sharp edges.
    Crease(usize, usize),
    /// More sharp edges, or the vertex itself is sharp.
    Corner,
}

impl Net {
    /// Makes a level without sharpness. Sides of faces with the same ends are one edge.
    pub fn new(positions: Vec<DVec3>, faces: Vec<Vec<u32>>, parents: Vec<u32>) -> Net {
        Net::told_apart(positions, faces, parents, |_, _| 0)
    }

    /// Makes a level without sharpness. Sides of faces with the same ends are one edge if `tag`, of a face and the
    /// number of its side, is the same: two faces that share two edges have, one level later, two edges inside them
    /// with the same ends.
    pub fn told_apart(
        positions: Vec<DVec3>,
        faces: Vec<Vec<u32>>,
        parents: Vec<u32>,
        tag: impl Fn(usize, usize) -> usize,
    ) -> Net {
        let n = positions.len();
        let mut tags = Vec::new();
        let mut net = Net {
            positions,
            faces: Vec::new(),
            parents,
            edges: Vec::new(),
            face_edges: Vec::new(),
            edge_faces: Vec::new(),
            vertex_edges: vec![Vec::new(); n],
            vertex_faces: vec![Vec::new(); n],
            edge_sharpness: Vec::new(),
            vertex_sharpness: vec![0.0; n],
        };
        for (f, face) in faces.iter().enumerate() {
            let mut sides = Vec::new();
            for (k, &a) in face.iter().enumerate() {
                let b = face[(k + 1) % face.len()];
                let tag = tag(f, k);
                let e = net.edges_between(a, b).find(|&e| tags[e] == tag);
                let e = e.unwrap_or_else(|| {
                    tags.push(tag);
                    net.edges.push([a, b]);
                    net.edge_faces.push(Vec::new());
                    net.vertex_edges[a as usize].push(net.edges.len() - 1);
                    net.vertex_edges[b as usize].push(net.edges.len() - 1);
                    net.edges.len() - 1
                });
                net.edge_faces[e].push(f);
                net.vertex_faces[a as usize].push(f);
                sides.push(e);
            }
            net.face_edges.push(sides);
        }
        net.edge_sharpness = vec![0.0; net.edges.len()];
        net.faces = faces;
        net
    }

    /// Makes the base mesh: its sharpness, and the sharpness that boundaries and non-manifold vertices add.
    pub fn base(mesh: &PolyMesh, options: &Options) -> Net {
        let positions = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
        let faces: Vec<_> = (0..mesh.face_count())
            .map(|f| mesh.face(f).to_vec())
            .collect();
        if options.scheme != Scheme::CatmullClark {
            assert!(faces.iter().all(|f| f.len() == 3), "triangles only");
        }
        let parents = (0..faces.len() as u32).collect();
        let mut net = Net::new(positions, faces, parents);
        for s in &mesh.sharp_edges {
            let e = net.edge(s.ends[0], s.ends[1]);
            net.edge_sharpness[e] = f64::from(s.sharpness).min(SHARP);
        }
        for s in &mesh.sharp_vertices {
            net.vertex_sharpness[s.vertex as usize] = f64::from(s.sharpness).min(SHARP);
        }
        for e in 0..net.edges.len() {
            if !net.is_inner(e) {
                net.edge_sharpness[e] = SHARP;
            }
        }
        for v in 0..net.positions.len() {
            let corner = net.vertex_faces[v].len() == 1;
            if net.fans(v) > 1 || corner && options.boundary == Boundary::EdgeAndCorner {
                net.vertex_sharpness[v] = SHARP;
            }
        }
        net
    }

    /// Returns the edges with these ends, in their order.
    fn edges_between(&self, a: u32, b: u32) -> impl Iterator<Item = usize> {
        let [of_a, of_b] = [a, b].map(|v| &self.vertex_edges[v as usize]);
        let fewer = if of_a.len() < of_b.len() { of_a } else { of_b };
        let ends = pair(a, b);
        let with_ends = move |&e: &usize| pair(self.edges[e][0], self.edges[e][1]) == ends;
        fewer.iter().copied().filter(with_ends)
    }

    /// Returns the edge with these ends, the first of several; panics when there is none.
    pub fn edge(&self, a: u32, b: u32) -> usize {
        let first = self.edges_between(a, b).next();
        first.unwrap_or_else(|| panic!("there is no edge {a} {b}"))
    }

    /// Returns `true` if an edge is between two faces.
    pub fn is_inner(&self, edge: usize) -> bool {
        self.edge_faces[edge].len() == 2
    }

    /// Returns the end of an edge that is not `v`.
    pub fn across(&self, edge: usize, v: usize) -> usize {
        let [a, b] = self.edges[edge].map(|v| v as usize);
        if a == v { b } else { a }
    }

    /// Counts the groups of faces that are joined by edges at a vertex: more than one is not manifold.
    fn fans(&self, v: usize) -> usize {
        let mut left = self.vertex_faces[v].clone();
        let mut fans = 0;
        while let Some(first) = left.pop() {
            fans += 1;
            let mut reached = vec![first];
            while let Some(f) = reached.pop() {
                let sides = self.vertex_edges[v].iter().map(|&e| &self.edge_faces[e]);
                let joined: Vec<usize> = sides
                    .filter(|s| s.contains(&f))
                    .flatten()
                    .copied()
                    .collect();
                reached.extend(left.iter().filter(|f| joined.contains(f)));
                left.retain(|f| !joined.contains(f));
            }
        }
        fans
    }

    /// Returns the rule at a vertex, given the sharpness of the vertex and of its edges.
    pub fn rule(&self, v: usize, sharpness: f64, of_edge: impl Fn(usize) -> f64) -> NetRule {
        let edges = self.vertex_edges[v].iter().copied();
        let sharp: Vec<usize> = edges.filter(|&e| of_edge(e) > 0.0).collect();
        match sharp[..] {
            _ if sharpness > 0.0 => NetRule::Corner,
            [] | [_] => NetRule::Smooth,
            [a, b] => NetRule::Crease(a, b),
            _ => NetRule::Corner,
        }
    }

    /// Returns `true` for the base faces that are not part of the surface: holes, and without a rule for boundaries the
    /// faces at a vertex with a boundary edge that is not infinitely sharp by itself.
    pub fn holes(&self, mesh: &PolyMesh, boundary: Boundary) -> Vec<bool> {
        let mut holes = vec![false; self.faces.len()];
        for &f in &mesh.holes {
            holes[f as usize] = true;
        }
        if boundary == Boundary::None {
            let mut given = vec![0.0; self.edges.len()];
            for s in &mesh.sharp_edges {
                given[self.edge(s.ends[0], s.ends[1])] = f64::from(s.sharpness);
            }
            for v in 0..self.positions.len() {
                let mut edges = self.vertex_edges[v].iter();
                if edges.any(|&e| self.edge_faces[e].len() == 1 && given[e] < SHARP) {
                    self.vertex_faces[v].iter().for_each(|&f| holes[f] = true);
                }
            }
        }
        holes
    }
}
