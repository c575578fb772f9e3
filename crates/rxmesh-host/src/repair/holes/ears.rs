//! Cutting ears off a large loop, shortest new edge first, until few enough vertices are left for
//! [`least`](super::triangulate::least).

use super::patch::HoleContext;
use super::triangulate::{MOST, is_solid};
use crate::repair::boxes::{Box3, Boxes};
use glam::DVec3;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Most vertices that may be left when no ear can be cut.
const MOST_LEFT: usize = 2 * MOST;

/// A loop is seen as a disc when its area is this part of that of a circle of its length, at least: then new faces
/// must face as it does.
const DISC: f64 = 0.1;

/// Reciprocal of the share of vertices that a round must cut off for another round under its demand.
const WORTH: usize = 20;

/// Demand on an ear; later ones are weaker.
#[derive(Clone, Copy)]
enum Demand {
    /// Same orientation as the whole loop: the least cosine between the normals.
    Facing(DVec3, f64),
    /// Small fold against both faces beside it: the least cosine between the normals.
    Fold(f64),
}

/// Faces that were cut off, and the remaining loop.
pub(super) struct Cut {
    pub(super) faces: Vec<[u32; 3]>,
    /// Vertices that are left, in their order.
    pub(super) left: Vec<u32>,
    /// Unit normals of the faces beyond the sides that are left.
    pub(super) normals: Vec<DVec3>,
}

/// Cuts ears off until at most [`MOST`] vertices are left: nothing when far more stay.
pub(super) fn cut(around: &HoleContext, is_there: &dyn Fn(u32, u32) -> bool) -> Option<Cut> {
    let mut shears = Shears::new(around, is_there);
    for demand in demands(around) {
        loop {
            let before = shears.count;
            shears.round(demand);
            if shears.count <= MOST || (before - shears.count) * WORTH < before {
                break;
            }
        }
    }
    shears.finish()
}

/// Returns the demands, from the strongest to the weakest.
fn demands(around: &HoleContext) -> Vec<Demand> {
    let (n, area) = (around.points.len(), around.area());
    let length: f64 = (0..n)
        .map(|i| around.points[i].distance(around.points[(i + 1) % n]))
        .sum();
    let mut demands = Vec::new();
    if std::f64::consts::TAU * area.length() > DISC * length * length {
        let normal = area.normalize_or_zero();
        demands.extend([0.5, 0.0].map(|least| Demand::Facing(normal, least)));
    }
    demands.extend([60.0, 100.0, 150.0].map(|most: f64| Demand::Fold(most.to_radians().cos())));
    demands
}

/// A possible ear in the order in which they are cut.
#[derive(PartialEq)]
struct Candidate {
    /// Squared length of the new edge.
    length: f64,
    vertex: u32,
    /// Vertex's count of changes when this was put down.
    version: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.length.total_cmp(&other.length);
        by_length
            .then(self.vertex.cmp(&other.vertex))
            .then(self.version.cmp(&other.version))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Shears<'a> {
    x: &'a [DVec3],
    is_there: &'a dyn Fn(u32, u32) -> bool,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Normal of the face beyond the side that starts at each vertex.
    normals: Vec<DVec3>,
    version: Vec<u32>,
    gone: Vec<bool>,
    count: usize,
    boxes: Boxes,
    faces: Vec<[u32; 3]>,
}

impl<'a> Shears<'a> {
    fn new(around: &'a HoleContext, is_there: &'a dyn Fn(u32, u32) -> bool) -> Shears<'a> {
        let n = around.points.len();
        Shears {
            x: &around.points,
            is_there,
            next: (0..n).map(|i| ((i + 1) % n) as u32).collect(),
            previous: (0..n).map(|i| ((i + n - 1) % n) as u32).collect(),
            normals: around.normals.clone(),
            version: vec![0; n],
            gone: vec![false; n],
            count: n,
            boxes: Boxes::new(around.points.iter().map(|&p| (p, p))),
            faces: Vec::with_capacity(n),
        }
    }

    /// Tests every vertex, and again the neighbours of those that are cut off.
    fn round(&mut self, demand: Demand) {
        let all = (0..self.next.len() as u32).filter(|&v| !self.gone[v as usize]);
        let mut heap: BinaryHeap<Reverse<Candidate>> = all.map(|v| self.candidate(v)).collect();
        while self.count > MOST {
            let Some(Reverse(c)) = heap.pop() else {
                return;
            };
            let v = c.vertex as usize;
            if self.gone[v] || self.version[v] != c.version {
                continue;
            }
            let (a, b) = (self.previous[v], self.next[v]);
            let Some(normal) = self.ear(a, c.vertex, b, demand) else {
                continue;
            };
            self.faces.push([a, c.vertex, b]);
            self.gone[v] = true;
            self.count -= 1;
            self.boxes.remove(v);
            self.next[a as usize] = b;
            self.previous[b as usize] = a;
            self.normals[a as usize] = normal;
            for w in [a, b] {
                self.version[w as usize] += 1;
                heap.push(self.candidate(w));
            }
        }
    }

    fn candidate(&self, v: u32) -> Reverse<Candidate> {
        let (a, b) = (self.previous[v as usize], self.next[v as usize]);
        Reverse(Candidate {
            length: self.x[a as usize].distance_squared(self.x[b as usize]),
            vertex: v,
            version: self.version[v as usize],
        })
    }

    /// Returns the normal of the ear at `v`, if it may be cut off.
    fn ear(&self, a: u32, v: u32, b: u32, demand: Demand) -> Option<DVec3> {
        let [p, q, r] = [a, v, b].map(|i| self.x[i as usize]);
        let cross = (q - p).cross(r - p);
        let length = cross.length();
        if !is_solid(length, p, q, r) {
            return None;
        }
        let normal = cross / length;
        let fits = match demand {
            Demand::Facing(n, least) => normal.dot(n) > least,
            Demand::Fold(least) => [a, v]
                .map(|side| self.normals[side as usize])
                .iter()
                .all(|&n| n == DVec3::ZERO || n.dot(normal) > least),
        };
        let free =
            fits && !(self.is_there)(a, b) && !covers(&self.boxes, self.x, [p, q, r], normal);
        free.then_some(normal)
    }

    fn finish(self) -> Option<Cut> {
        let left: Vec<u32> = (0..self.next.len() as u32)
            .filter(|&v| !self.gone[v as usize])
            .collect();
        (left.len() <= MOST_LEFT).then(|| Cut {
            normals: left.iter().map(|&v| self.normals[v as usize]).collect(),
            faces: self.faces,
            left,
        })
    }
}

/// Returns `true` if one of the vertices that are left lies above or below a triangle, not farther away than its
/// longest side. Those at the places of its corners do not count.
fn covers(boxes: &Boxes, x: &[DVec3], corners: [DVec3; 3], normal: DVec3) -> bool {
    let reach = (0..3)
        .map(|k| corners[k].distance(corners[(k + 1) % 3]))
        .fold(0.0, f64::max);
    // Inward normals of the sides, then the two ends of the prism.
    let sides = [0, 1, 2].map(|k| {
        let inward = normal.cross(corners[(k + 1) % 3] - corners[k]);
        (inward, inward.dot(corners[k]))
    });
    let height = normal.dot(corners[0]);
    let planes = [
        sides[0],
        sides[1],
        sides[2],
        (normal, height - reach),
        (-normal, -height - reach),
    ];
    // The corner of a box that lies farthest inside decides for each plane.
    let outside = |(low, high): Box3| {
        planes.iter().any(|&(n, at)| {
            let far = DVec3::select(n.cmpge(DVec3::ZERO), high, low);
            n.dot(far) < at
        })
    };
    boxes.visit(outside, |v| !corners.contains(&x[v]))
}
