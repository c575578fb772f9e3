//! Orders of a mesh's vertices and faces in which elements near in the mesh are near in memory.

use super::extent::extent;
use super::{CornerLayer, ElementKind, Faces, PolyMesh};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Method of ordering a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// Vertices along a Morton curve through the bounding box.
    Spatial,
    /// Vertices by Cuthill and McKee's order of the mesh's graph, reversed (Cuthill and McKee 1969, George 1971): the
    /// one of Mlakar 2018, section 4.3.4. One thread.
    Rcm,
}

/// New ids by old ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reordering {
    /// New ids of vertices.
    pub vertices: Vec<u32>,
    /// New ids of faces.
    pub faces: Vec<u32>,
}

impl PolyMesh {
    /// Orders vertices as requested, and faces by their smallest vertex. Columns and corner layers follow; groups,
    /// objects and materials, which are runs of faces, are dropped. The mesh must be valid ([`PolyMesh::validate`]).
    pub fn reorder(&mut self, order: Order) -> Reordering {
        let sources = match order {
            Order::Spatial => spatial(&self.positions, &self.corners),
            Order::Rcm => reverse_cuthill_mckee(self),
        };
        let vertices = inverse(&sources);
        let least = |f: u32| {
            self.face(f as usize)
                .iter()
                .map(|&v| vertices[v as usize])
                .min()
        };
        let mut face_sources: Vec<u32> = (0..self.face_count() as u32).collect();
        face_sources.par_sort_by_key(|&f| (least(f), f));
        self.renumber_from(&sources, &face_sources)
    }

    /// Takes vertices and faces in the order of these old ids, with all that hangs on them but tags.
    pub(crate) fn renumber_from(&mut self, sources: &[u32], face_sources: &[u32]) -> Reordering {
        let (vertices, faces) = (inverse(sources), inverse(face_sources));
        let corner_sources: Vec<u32> = face_sources
            .iter()
            .flat_map(|&f| self.range(f as usize))
            .map(|c| c as u32)
            .collect();
        let sizes: Vec<u32> = face_sources
            .iter()
            .map(|&f| self.face(f as usize).len() as u32)
            .collect();
        self.positions = sources
            .iter()
            .map(|&v| self.positions[v as usize])
            .collect();
        self.corners = corner_sources
            .iter()
            .map(|&c| vertices[self.corners[c as usize] as usize])
            .collect();
        self.faces = Faces::of_sizes(&sizes);
        for edge in &mut self.sharp_edges {
            edge.ends = edge.ends.map(|v| vertices[v as usize]);
        }
        for v in &mut self.sharp_vertices {
            v.vertex = vertices[v.vertex as usize];
        }
        self.holes.iter_mut().for_each(|f| *f = faces[*f as usize]);
        self.holes.sort_unstable();
        for column in &mut self.extras.columns {
            *column = column.gather(match column.element {
                ElementKind::Vertex => sources,
                ElementKind::Face | ElementKind::Cell => face_sources,
            });
        }
        let pick = |layer: &mut CornerLayer| {
            layer.corners = corner_sources
                .iter()
                .map(|&c| layer.corners[c as usize])
                .collect();
        };
        self.extras.corner_texcoords.iter_mut().for_each(pick);
        self.extras.corner_normals.iter_mut().for_each(pick);
        self.extras.tags.clear();
        Reordering { vertices, faces }
    }
}

fn inverse(sources: &[u32]) -> Vec<u32> {
    let mut to = vec![0; sources.len()];
    for (new, &old) in sources.iter().enumerate() {
        to[old as usize] = new as u32;
    }
    to
}

/// Returns the vertices in their new order.
fn spatial(positions: &[Vec3], corners: &[u32]) -> Vec<u32> {
    let [low, high] = extent(positions, corners).unwrap_or_default();
    let size = (high - low).max_element().max(f64::MIN_POSITIVE);
    let cells = f64::from((1u32 << 21) - 1);
    let code = |p: &Vec3| {
        // Vertices of no face may lie outside.
        let cell = ((p.as_dvec3() - low) / size).clamp(DVec3::ZERO, DVec3::ONE) * cells;
        let [x, y, z] = cell.to_array().map(|c| spread(c as u64));
        x | y << 1 | z << 2
    };
    let mut keys: Vec<(u64, u32)> = positions
        .par_iter()
        .enumerate()
        .lean()
        .map(|(v, p)| (code(p), v as u32))
        .collect();
    keys.par_sort_unstable();
    keys.into_iter().map(|(_, v)| v).collect()
}

/// Puts two zero bits between the lowest 21 bits.
fn spread(v: u64) -> u64 {
    let v = (v | v << 32) & 0x001f_0000_0000_ffff;
    let v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    let v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    let v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

/// Returns the vertices in their new order.
fn reverse_cuthill_mckee(mesh: &PolyMesh) -> Vec<u32> {
    let graph = Graph::new(mesh);
    let n = mesh.vertex_count();
    let mut by_degree: Vec<u32> = (0..n as u32).collect();
    by_degree.sort_by_key(|&v| graph.row(v).len());
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    let walk = |start: u32, seen: &mut [bool], order: &mut Vec<u32>| {
        let mut at = order.len();
        seen[start as usize] = true;
        order.push(start);
        while at < order.len() {
            let first = order.len();
            for &w in graph.row(order[at]) {
                if !std::mem::replace(&mut seen[w as usize], true) {
                    order.push(w);
                }
            }
            order[first..].sort_by_key(|&w| (graph.row(w).len(), w));
            at += 1;
        }
    };
    for &v in &by_degree {
        if seen[v as usize] {
            continue;
        }
        // The last vertex of a first walk lies at the border of the component.
        let first = order.len();
        walk(v, &mut seen, &mut order);
        let rim = order[order.len() - 1];
        for w in order.drain(first..) {
            seen[w as usize] = false;
        }
        walk(rim, &mut seen, &mut order);
    }
    order.reverse();
    order
}

/// Neighbours of every vertex along edges, each once.
struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    fn new(mesh: &PolyMesh) -> Graph {
        let side = |f: usize| {
            let face = mesh.face(f);
            (0..face.len()).map(move |k| (face[k], face[(k + 1) % face.len()]))
        };
        let mut pairs: Vec<(u32, u32)> = (0..mesh.face_count())
            .flat_map(side)
            .filter(|(a, b)| a != b)
            .flat_map(|(a, b)| [(a, b), (b, a)])
            .collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; mesh.vertex_count() + 1];
        pairs.iter().for_each(|&(a, _)| starts[a as usize + 1] += 1);
        for v in 0..mesh.vertex_count() {
            starts[v + 1] += starts[v];
        }
        Graph {
            starts,
            targets: pairs.into_iter().map(|(_, b)| b).collect(),
        }
    }

    fn row(&self, v: u32) -> &[u32] {
        let at = |v: u32| self.starts[v as usize] as usize;
        &self.targets[at(v)..at(v + 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Column, ColumnData, Rng, SharpEdge};

    /// A strip of quads in any order: data of an element stay together, and neighbours come near each other.
    #[test]
    fn orders_bring_neighbours_together_and_lose_nothing() {
        let (w, h) = (8u32, 40u32);
        let mut ids = Rng::new(3).permutation(((w + 1) * (h + 1)) as usize);
        let at = |x: u32, y: u32| ids[(y * (w + 1) + x) as usize];
        let mut quads: Vec<[u32; 4]> = Vec::new();
        for f in Rng::new(4).permutation((w * h) as usize) {
            let (x, y) = (f % w, f / w);
            quads.push([at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
        }
        let edge = [quads[0][0], quads[0][1]];
        let mut positions = vec![Vec3::ZERO; ids.len()];
        for (k, &v) in ids.iter().enumerate() {
            positions[v as usize] = Vec3::new(
                (k as u32 % (w + 1)) as f32,
                (k as u32 / (w + 1)) as f32,
                0.0,
            );
        }
        ids.clear();
        let sizes = vec![4; quads.len()];
        let mut mesh = PolyMesh::new(positions, &sizes, quads.concat()).unwrap();
        mesh.sharp_edges = vec![SharpEdge {
            ends: edge,
            sharpness: 2.0,
        }];
        mesh.holes = vec![0];
        let names = (0..mesh.vertex_count() as u32).collect();
        mesh.extras.columns = vec![Column {
            name: "name".into(),
            element: ElementKind::Vertex,
            width: 1,
            data: ColumnData::U32(names),
        }];
        let spread = |m: &PolyMesh| {
            let sides = m
                .corners
                .chunks(4)
                .flat_map(|q| (0..4).map(|k| q[k].abs_diff(q[(k + 1) % 4])));
            (
                sides.clone().max().unwrap(),
                sides.map(u64::from).sum::<u64>(),
            )
        };
        let before = spread(&mesh);
        for order in [Order::Spatial, Order::Rcm] {
            let mut sorted = mesh.clone();
            let went = sorted.reorder(order);
            sorted.validate().unwrap();
            for v in 0..mesh.vertex_count() {
                let to = went.vertices[v] as usize;
                assert_eq!(sorted.positions[to], mesh.positions[v]);
                let ColumnData::U32(names) = &sorted.extras.columns[0].data else {
                    panic!()
                };
                assert_eq!(names[to], v as u32);
            }
            for f in 0..mesh.face_count() {
                let want: Vec<u32> = mesh
                    .face(f)
                    .iter()
                    .map(|&v| went.vertices[v as usize])
                    .collect();
                assert_eq!(sorted.face(went.faces[f] as usize), want);
            }
            assert_eq!(sorted.holes, [went.faces[0]]);
            assert_eq!(
                sorted.sharp_edges[0].ends,
                edge.map(|v| went.vertices[v as usize])
            );
            let after = spread(&sorted);
            assert!(after.1 * 4 < before.1, "{order:?}: {before:?} {after:?}");
            // The graph's bandwidth: two rows of the strip at most.
            assert!(order != Order::Rcm || after.0 <= 2 * (w + 2), "{after:?}");
        }
    }
}
