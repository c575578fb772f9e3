//! Sampled distance between surfaces, in `f64`.

use glam::DVec3;
use rxmesh_host::mesh::{Rng, TriMesh};

/// Distances from points of one surface to another one, over the diagonal of the first one's bounding box.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// Root mean square.
    pub rms: f64,
    /// Largest distance found.
    pub max: f64,
}

/// Computes the distance of `samples` points of `from`, evenly spread over its area, to `to`.
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

/// Surface prepared for the distances of many points.
pub struct DistanceTree(Tree);

impl DistanceTree {
    /// Prepares the surface of a mesh.
    pub fn new(mesh: &TriMesh) -> DistanceTree {
        DistanceTree(Tree::new(mesh))
    }

    /// Does as [`to_triangles`], in less time.
    pub fn to(&self, p: DVec3) -> f64 {
        self.0.nearest(p).sqrt()
    }
}

/// Bounding volume hierarchy of triangles: node `i` has the children `2 i + 1` and `2 i + 2`, each with half of its
/// triangles.
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

    /// Returns the squared distance of the nearest point.
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

/// Computes the distance of a point to the nearest of a mesh's triangles, by testing all of them.
pub fn to_triangles(mesh: &TriMesh, p: DVec3) -> f64 {
    let corners = |f: &[u32; 3]| f.map(|v| mesh.positions[v as usize].as_dvec3());
    let squares = mesh.faces.iter().map(|f| point_triangle(p, &corners(f)));
    squares.fold(f64::INFINITY, f64::min).sqrt()
}

/// Computes the squared distance of a point to a triangle: to its plane where the foot of the perpendicular is inside
/// all three sides, to the nearest side otherwise. A triangle without area has only sides.
fn point_triangle(p: DVec3, corners: &[DVec3; 3]) -> f64 {
    let side = |k: usize| (corners[k], corners[(k + 1) % 3]);
    let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let inside = (0..3).all(|k| {
        let (a, b) = side(k);
        n.dot((b - a).cross(p - a)) >= 0.0
    });
    if inside && n.length_squared() > 0.0 {
        return n.dot(p - corners[0]).powi(2) / n.length_squared();
    }
    (0..3)
        .map(|k| point_segment(p, side(k)))
        .fold(f64::INFINITY, f64::min)
}

fn point_segment(p: DVec3, (a, b): (DVec3, DVec3)) -> f64 {
    let (along, length) = ((p - a).dot(b - a), (b - a).length_squared());
    let part = if length > 0.0 {
        (along / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (a + (b - a) * part - p).length_squared()
}
