//! Directed edges of a triangle mesh, made on the host (Campagna, Kobbelt and Seidel 1998), and their arrays on an
//! engine ([`layout`]). RXMesh 2021 compares with them; the kernels are in `rxmesh-bench-kernels`.

pub(crate) mod applications;
pub(crate) mod check;
pub(crate) mod flow;
pub(crate) mod fronts;
pub(crate) mod layout;

#[cfg(test)]
mod tests;

use anyhow::{Result, ensure};
use rxmesh_bench_kernels::half_edges::NONE;
use rxmesh_host::mesh::EdgeTable;

/// Half-edges of the faces of a mesh: half-edge `3 f + k` leaves corner `k` of face `f`.
#[derive(Debug)]
pub(crate) struct DirectedEdges {
    /// Vertex that each half-edge leaves.
    pub(crate) tails: Vec<u32>,
    /// Twin of each half-edge, [`NONE`] at the boundary.
    pub(crate) twins: Vec<u32>,
    /// Edge of each half-edge. Edges are numbered as the faces meet them, so that they are as local as the faces.
    pub(crate) edge_of: Vec<u32>,
    /// First half-edge of each edge.
    pub(crate) of_edge: Vec<u32>,
    /// A half-edge that leaves each vertex, on the boundary the one without a twin; [`NONE`] without faces.
    pub(crate) of_vertex: Vec<u32>,
    /// Number of neighbours of each vertex.
    pub(crate) valences: Vec<u32>,
    /// Number of faces of each vertex.
    pub(crate) fans: Vec<u32>,
}

/// Returns the successor of a half-edge in its face.
pub(crate) fn next(h: u32) -> u32 {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

/// Returns the predecessor of a half-edge in its face.
pub(crate) fn previous(h: u32) -> u32 {
    if h.is_multiple_of(3) { h + 2 } else { h - 1 }
}

impl DirectedEdges {
    /// Finds the half-edges of a mesh.
    ///
    /// # Errors
    ///
    /// The first place that directed edges cannot represent: a face that names a vertex twice, an edge with more than
    /// two faces or with two that run along it in the same direction, a vertex whose faces are not one fan.
    pub(crate) fn new(vertices: usize, faces: &[[u32; 3]]) -> Result<Self> {
        let table = EdgeTable::new(faces, vertices);
        let (edge_of, of_edge) = numbered(&table)?;
        let tails: Vec<u32> = faces.as_flattened().to_vec();
        let twins = twins(&table, &tails)?;
        let mut of_vertex = vec![NONE; vertices];
        let mut fans = vec![0; vertices];
        for (h, &v) in (0u32..).zip(&tails) {
            fans[v as usize] += 1;
            let known = &mut of_vertex[v as usize];
            if *known == NONE || twins[h as usize] == NONE {
                *known = h;
            }
        }
        let mut mesh = Self {
            tails,
            twins,
            edge_of,
            of_edge,
            of_vertex,
            valences: Vec::new(),
            fans,
        };
        mesh.valences = mesh.count_valences()?;
        Ok(mesh)
    }

    pub(crate) fn vertex_count(&self) -> u32 {
        self.of_vertex.len() as u32
    }

    pub(crate) fn edge_count(&self) -> u32 {
        self.of_edge.len() as u32
    }

    pub(crate) fn face_count(&self) -> u32 {
        self.tails.len() as u32 / 3
    }

    /// Returns both ends of an edge, the smaller first.
    pub(crate) fn ends(&self, e: u32) -> [u32; 2] {
        let h = self.of_edge[e as usize];
        let [a, b] = [h, next(h)].map(|h| self.tails[h as usize]);
        [a.min(b), a.max(b)]
    }

    /// Walks around a vertex that has faces. Returns the number of half-edges that leave it, and the one that ends an
    /// open fan.
    fn walk(&self, v: u32) -> (u32, Option<u32>) {
        let first = self.of_vertex[v as usize];
        let (mut h, mut count) = (first, 0);
        loop {
            count += 1;
            let into = previous(h);
            h = self.twins[into as usize];
            if h == NONE {
                return (count, Some(into));
            }
            if h == first {
                return (count, None);
            }
        }
    }

    /// Counts the neighbours of each vertex, and fails if a walk does not meet all of its faces.
    fn count_valences(&self) -> Result<Vec<u32>> {
        let count = |v: u32| {
            let faces = self.fans[v as usize];
            if faces == 0 {
                return Ok(0);
            }
            let (found, end) = self.walk(v);
            ensure!(
                found == faces,
                "the faces of vertex {v} are more than one fan: {found} of {faces} are connected. Directed edges need \
                 one"
            );
            Ok(faces + u32::from(end.is_some()))
        };
        (0..self.vertex_count()).map(count).collect()
    }

    /// Returns the half-edge that ends the fan of a vertex at the boundary, `None` for an inner one.
    pub(crate) fn fan_end(&self, v: u32) -> Option<u32> {
        match self.of_vertex[v as usize] {
            NONE => None,
            h if self.twins[h as usize] != NONE => None,
            _ => self.walk(v).1,
        }
    }
}

/// Numbers the edges as the faces meet them. Returns the edge of each half-edge and the first half-edge of each edge.
fn numbered(table: &EdgeTable) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut new = vec![NONE; table.len()];
    let mut of_edge = Vec::with_capacity(table.len());
    let mut edge_of = Vec::with_capacity(table.edge_of.len());
    for (h, &e) in (0u32..).zip(&table.edge_of) {
        ensure!(
            e != NONE,
            "face {} names a vertex twice, which directed edges cannot represent",
            h / 3
        );
        let number = &mut new[e as usize];
        if *number == NONE {
            *number = of_edge.len() as u32;
            of_edge.push(h);
        }
        edge_of.push(*number);
    }
    Ok((edge_of, of_edge))
}

fn twins(table: &EdgeTable, tails: &[u32]) -> Result<Vec<u32>> {
    let mut twins = vec![NONE; tails.len()];
    for e in 0..table.len() {
        let [a, b] = table.edges[e];
        match *table.along(e) {
            [_] => {}
            [g, h] => {
                ensure!(
                    tails[g as usize] != tails[h as usize],
                    "faces {} and {} run along the edge {a} {b} in the same direction. Directed edges need an oriented \
                     mesh",
                    g / 3,
                    h / 3
                );
                (twins[g as usize], twins[h as usize]) = (h, g);
            }
            ref all => anyhow::bail!(
                "the edge {a} {b} has {} faces. Directed edges need an edge-manifold mesh",
                all.len()
            ),
        }
    }
    Ok(twins)
}
