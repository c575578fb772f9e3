//! Finds the closed components that lie inside others.

use crate::mesh::TriMesh;
use crate::par::IntoLean;
use glam::DVec3;
use rayon::prelude::*;

/// Closed components of a mesh.
pub(super) struct Insides<'a> {
    mesh: &'a TriMesh,
    parts: &'a [Vec<u32>],
    bounds: Vec<[DVec3; 2]>,
}

impl<'a> Insides<'a> {
    /// Prepares the boxes; `parts` are the faces of each component.
    pub(super) fn new(mesh: &'a TriMesh, parts: &'a [Vec<u32>]) -> Insides<'a> {
        let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let grow = |[low, high]: [DVec3; 2], p: DVec3| [low.min(p), high.max(p)];
        let of = |part: &Vec<u32>| {
            let corners = part.iter().flat_map(|&f| mesh.faces[f as usize]);
            corners.fold(empty, |b, v| grow(b, mesh.positions[v as usize].as_dvec3()))
        };
        Insides {
            mesh,
            parts,
            bounds: parts.par_iter().lean().map(of).collect(),
        }
    }

    /// Returns for each component the number of others that it lies in.
    pub(super) fn depths(&self) -> Vec<usize> {
        let all = 0..self.parts.len();
        all.into_par_iter().lean().map(|i| self.depth(i)).collect()
    }

    fn depth(&self, i: usize) -> usize {
        let [low, high] = self.bounds[i];
        let around = |j: &usize| {
            let [l, h] = self.bounds[*j];
            *j != i && l.cmple(low).all() && h.cmpge(high).all()
        };
        let mut around = (0..self.parts.len()).filter(around).peekable();
        if around.peek().is_none() {
            return 0;
        }
        let point = self.point(i);
        around.filter(|&j| self.contains(j, point)).count()
    }

    /// Returns a point of the component: the middle of its largest face, which is least likely to lie on another one.
    fn point(&self, i: usize) -> DVec3 {
        let corners = |f: u32| {
            self.mesh.faces[f as usize].map(|v| self.mesh.positions[v as usize].as_dvec3())
        };
        let area = |f: u32| {
            let [a, b, c] = corners(f);
            (b - a).cross(c - a).length_squared()
        };
        let largest = self.parts[i]
            .iter()
            .copied()
            .max_by(|&f, &g| area(f).total_cmp(&area(g)));
        largest.map_or(DVec3::ZERO, |f| corners(f).into_iter().sum::<DVec3>() / 3.0)
    }

    /// Returns `true` if a ray upwards from the point meets the component an odd number of times.
    fn contains(&self, j: usize, p: DVec3) -> bool {
        let x = |v: u32| self.mesh.positions[v as usize].as_dvec3();
        let meets = |&&f: &&u32| meets(self.mesh.faces[f as usize].map(x), p);
        self.parts[j].par_iter().lean().filter(|f| meets(f)).count() % 2 == 1
    }
}

/// Returns `true` if a ray upwards (z) from a point meets a triangle. The point counts as moved a little, less in y
/// than in x: a ray that meets an edge or a corner of a closed surface counts right.
fn meets(t: [DVec3; 3], p: DVec3) -> bool {
    let below = |k: fn(DVec3) -> f64| t.iter().all(|&c| k(c) < k(p));
    let above = |k: fn(DVec3) -> f64| t.iter().all(|&c| k(c) > k(p));
    let (x, y, z) = (|c: DVec3| c.x, |c: DVec3| c.y, |c: DVec3| c.z);
    if below(x) || above(x) || below(y) || above(y) || below(z) {
        return false;
    }
    let sides = [0, 1, 2].map(|k| is_left(t[k], t[(k + 1) % 3], p));
    if sides != [true; 3] && sides != [false; 3] {
        return false;
    }
    // The point is below the plane's height there: the sign follows from the direction of the triangle's normal.
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let height = (t[0] - p).dot(normal);
    if sides[0] { height > 0.0 } else { height < 0.0 }
}

/// Returns `true` if the point, moved a little, lies to the left of the line from `a` to `b`, seen from above. The
/// opposite when the ends are exchanged.
fn is_left(a: DVec3, b: DVec3, p: DVec3) -> bool {
    let swapped = (b.x, b.y, b.z) < (a.x, a.y, a.z);
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    let side = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    let left = match () {
        _ if side != 0.0 => side > 0.0,
        _ if b.y != a.y => b.y < a.y,
        _ => b.x > a.x,
    };
    left != swapped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    /// A point straight below a vertex, and others on rays through edges.
    #[test]
    fn rays_through_vertices_and_edges_count_once() {
        let mesh = generate::icosphere(2).unwrap();
        let all = vec![(0..mesh.face_count() as u32).collect::<Vec<u32>>()];
        let insides = Insides::new(&mesh, &all);
        for v in &mesh.positions {
            let v = v.as_dvec3();
            for scale in [0.0, 0.5, 0.9] {
                let p = DVec3::new(v.x * scale, v.y * scale, -0.3 * scale);
                assert!(insides.contains(0, p), "{p}");
            }
            assert!(!insides.contains(0, DVec3::new(v.x, v.y, -3.0)), "{v}");
            assert!(!insides.contains(0, v * 1.5), "{v}");
        }
    }
}
