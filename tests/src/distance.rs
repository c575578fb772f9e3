//! The distance between surfaces, sampled, in `f64`.

use glam::DVec3;
use rxmesh_host::mesh::{Rng, TriMesh};

/// Distances from points of one surface to another one, over the diagonal of the first one's bounding box.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// Root of the mean square.
    pub rms: f64,
    /// The largest that was met.
    pub max: f64,
}

/// The distance of `samples` points of `from`, evenly spread over its area, to `to`.
pub fn distance(from: &TriMesh, to: &TriMesh, samples: usize) -> Distance {
    let tree = Tree::new(to);
    let corners = |f: &[u32; 3]| f.map(|v| from.positions[v as usize].as_dvec3());
    let mut areas = Vec::with_capacity(from.faces.len());
    let mut total = 0.0;
    for f in &from.faces {
        let [a, b, c] = corners(f);
        total += (b - a).cross(c - a).length();
        areas.push(total);
    }
    let mut rng = Rng::new(7);
    let mut unit = || 0.5 + 0.5 * rng.signed_unit();
    let (mut sum, mut max) = (0.0, 0.0f64);
    let mut face = 0;
    for i in 0..samples {
        // One point in each of as many equal parts of the area.
        let at = (i as f64 + unit()) / samples as f64 * total;
        while face + 1 < areas.len() && areas[face] < at {
            face += 1;
        }
        let [a, b, c] = corners(&from.faces[face]);
        let (mut u, mut v) = (unit(), unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let square = tree.nearest(a + (b - a) * u + (c - a) * v);
        sum += square;
        max = max.max(square);
    }
    let low = from
        .positions
        .iter()
        .fold(DVec3::INFINITY, |m, p| m.min(p.as_dvec3()));
    let high = from
        .positions
        .iter()
        .fold(DVec3::NEG_INFINITY, |m, p| m.max(p.as_dvec3()));
    let diagonal = (high - low).length();
    Distance {
        rms: (sum / samples as f64).sqrt() / diagonal,
        max: max.sqrt() / diagonal,
    }
}

/// Triangles in boxes: node `i` has the children `2 i + 1` and `2 i + 2`, and half of its parent's triangles.
struct Tree {
    triangles: Vec<[DVec3; 3]>,
    boxes: Vec<[DVec3; 2]>,
    depth: u32,
}

impl Tree {
    fn new(mesh: &TriMesh) -> Tree {
        let mut triangles: Vec<[DVec3; 3]> = mesh
            .faces
            .iter()
            .map(|f| f.map(|v| mesh.positions[v as usize].as_dvec3()))
            .collect();
        let mut depth = 0;
        while triangles.len() >> depth > 8 {
            depth += 1;
        }
        let mut tree = Tree {
            boxes: vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; (2 << depth) - 1],
            triangles: Vec::new(),
            depth,
        };
        tree.split(0, 0, &mut triangles);
        tree.triangles = triangles;
        tree
    }

    fn split(&mut self, node: usize, level: u32, triangles: &mut [[DVec3; 3]]) {
        for t in triangles.iter() {
            for &p in t {
                self.boxes[node][0] = self.boxes[node][0].min(p);
                self.boxes[node][1] = self.boxes[node][1].max(p);
            }
        }
        if level == self.depth {
            return;
        }
        let size = self.boxes[node][1] - self.boxes[node][0];
        let axis = (0..3)
            .max_by(|&i, &j| size[i].total_cmp(&size[j]))
            .unwrap_or(0);
        let middle = triangles.len() / 2;
        let centre = |t: &[DVec3; 3]| t[0][axis] + t[1][axis] + t[2][axis];
        if !triangles.is_empty() {
            triangles.select_nth_unstable_by(middle, |s, t| centre(s).total_cmp(&centre(t)));
        }
        let (low, high) = triangles.split_at_mut(middle);
        self.split(2 * node + 1, level + 1, low);
        self.split(2 * node + 2, level + 1, high);
    }

    /// The squared distance of the nearest point.
    fn nearest(&self, p: DVec3) -> f64 {
        let mut best = f64::INFINITY;
        self.visit(0, 0, 0, self.triangles.len(), p, &mut best);
        best
    }

    fn visit(&self, node: usize, level: u32, from: usize, to: usize, p: DVec3, best: &mut f64) {
        if level == self.depth {
            for t in &self.triangles[from..to] {
                *best = best.min(point_triangle(p, t));
            }
            return;
        }
        let middle = from + (to - from) / 2;
        let (l, r) = (2 * node + 1, 2 * node + 2);
        let (dl, dr) = (self.gap(l, p), self.gap(r, p));
        for left in if dl <= dr {
            [true, false]
        } else {
            [false, true]
        } {
            let (child, gap, from, to) = if left {
                (l, dl, from, middle)
            } else {
                (r, dr, middle, to)
            };
            if gap < *best {
                self.visit(child, level + 1, from, to, p, best);
            }
        }
    }

    fn gap(&self, node: usize, p: DVec3) -> f64 {
        let [low, high] = self.boxes[node];
        (p - p.clamp(low, high.max(low))).length_squared()
    }
}

/// The squared distance of a point to a triangle (Ericson, Real-Time Collision Detection, 5.1.5).
fn point_triangle(p: DVec3, &[a, b, c]: &[DVec3; 3]) -> f64 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let nearest = if d1 <= 0.0 && d2 <= 0.0 {
        a
    } else {
        let bp = p - b;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        let cp = p - c;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
        if d3 >= 0.0 && d4 <= d3 {
            b
        } else if d6 >= 0.0 && d5 <= d6 {
            c
        } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            a + ab * (d1 / (d1 - d3))
        } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            a + ac * (d2 / (d2 - d6))
        } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)))
        } else {
            let sum = va + vb + vc;
            if sum == 0.0 {
                a
            } else {
                a + ab * (vb / sum) + ac * (vc / sum)
            }
        }
    };
    (p - nearest).length_squared()
}
