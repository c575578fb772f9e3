//! The faces around a vertex between two seams.

use super::order::NewElements;
use super::place::root;
use std::collections::HashSet;

/// Faces of a new mesh around its vertices, parted by the seams that the session has kept.
#[derive(Debug)]
pub(super) struct SeamFans<'a> {
    order: &'a NewElements,
    /// Edges of seams, by the numbers of their ends, the smaller first.
    seams: &'a HashSet<[u32; 2]>,
    /// `true` for vertices with a face that has a vertex of a seam.
    near: Vec<bool>,
    /// The faces of vertex `v` are those from `starts[v]` up to `starts[v + 1]` in `faces`.
    starts: Vec<u32>,
    faces: Vec<u32>,
}

impl<'a> SeamFans<'a> {
    pub(super) fn new(order: &'a NewElements, seams: &'a HashSet<[u32; 2]>) -> SeamFans<'a> {
        let n = order.vertices.len();
        let mut on_seam = vec![false; n];
        for v in seams.iter().flatten() {
            on_seam[*v as usize] = true;
        }
        let mut near = vec![false; n];
        let mut starts = vec![0u32; n + 1];
        for face in &order.faces {
            let meets = face.corners.iter().any(|&v| on_seam[v as usize]);
            for v in face.corners.map(|v| v as usize) {
                near[v] |= meets;
                starts[v + 1] += 1;
            }
        }
        for v in 0..n {
            starts[v + 1] += starts[v];
        }
        let mut ends = starts.clone();
        let mut faces = vec![0; 3 * order.faces.len()];
        for (face, i) in order.faces.iter().zip(0u32..) {
            for v in face.corners.map(|v| v as usize) {
                faces[ends[v] as usize] = i;
                ends[v] += 1;
            }
        }
        SeamFans {
            order,
            seams,
            near,
            starts,
            faces,
        }
    }

    /// Returns `true` if a face at a vertex has a vertex of a seam.
    pub(super) fn is_near(&self, v: u32) -> bool {
        self.near[v as usize]
    }

    /// Returns the fans of a vertex: faces that are joined by edges at it that are no seams.
    pub(super) fn around(&self, v: u32) -> Vec<Vec<u32>> {
        let faces = self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize;
        let faces = &self.faces[faces];
        let mut at_edges: Vec<(u32, usize)> = Vec::with_capacity(2 * faces.len());
        for (i, &f) in faces.iter().enumerate() {
            let corners = self.order.faces[f as usize].corners;
            let others = corners.into_iter().filter(|&w| w != v);
            at_edges.extend(others.map(|w| (w, i)));
        }
        at_edges.sort_unstable();
        let mut parent: Vec<u32> = (0..faces.len() as u32).collect();
        for pair in at_edges.windows(2) {
            let [(w, i), (x, j)] = [pair[0], pair[1]];
            if w == x && !self.seams.contains(&[v.min(w), v.max(w)]) {
                let (i, j) = (root(&mut parent, i as u32), root(&mut parent, j as u32));
                parent[i.max(j) as usize] = i.min(j);
            }
        }
        let mut fans = vec![Vec::new(); faces.len()];
        for (i, &f) in faces.iter().enumerate() {
            fans[root(&mut parent, i as u32) as usize].push(f);
        }
        fans.retain(|fan| !fan.is_empty());
        fans
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::{CarriedVertex, NewFace};
    use super::*;

    /// Returns six faces around vertex 0, whose edges to some others are seams.
    fn fans_at(seams: &[u32]) -> Vec<Vec<u32>> {
        let vertex = |v| CarriedVertex {
            slot: v,
            origin: v,
            born: false,
        };
        let face = |i: u32| NewFace {
            corners: [0, 1 + i, 1 + (i + 1) % 6],
            origin: i,
            same: false,
        };
        let order = NewElements {
            vertices: (0..7).map(vertex).collect(),
            faces: (0..6).map(face).collect(),
        };
        let seams = seams.iter().map(|&v| [0, v]).collect();
        let mut fans = SeamFans::new(&order, &seams).around(0);
        fans.iter_mut().for_each(|fan| fan.sort_unstable());
        fans.sort_unstable();
        fans
    }

    #[test]
    fn seams_part_the_faces_around_a_vertex() {
        let all = || (0..6).collect::<Vec<u32>>();
        assert_eq!(fans_at(&[]), [all()]);
        assert_eq!(fans_at(&[4]), [all()]);
        assert_eq!(fans_at(&[1, 3]), [vec![0, 1], vec![2, 3, 4, 5]]);
        assert_eq!(fans_at(&[1, 2, 4]), [vec![0], vec![1, 2], vec![3, 4, 5]]);
    }
}
