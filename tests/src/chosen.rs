//! Changes of chosen elements by plain code.

use crate::cavities::{DiskCavity, Named, PlainSurface, sides};
use crate::templates::four;
use glam::Vec3;
use rxmesh_host::algo::chosen::VertexSplit;
use rxmesh_host::kernels::math::hash;

/// Changes of chosen elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChosenChange {
    /// Deletes vertices.
    DeleteVertices,
    /// Deletes edges.
    DeleteEdges,
    /// Deletes faces.
    DeleteFaces,
    /// Removes vertices and fills their holes.
    RemoveVertices,
    /// Splits vertices.
    SplitVertices,
    /// Contracts faces.
    CollapseFaces,
    /// Splits faces into three.
    SplitInThree,
    /// Splits faces into four.
    SplitInFour,
}

/// All changes.
pub const ALL: [ChosenChange; 8] = [
    ChosenChange::DeleteVertices,
    ChosenChange::DeleteEdges,
    ChosenChange::DeleteFaces,
    ChosenChange::RemoveVertices,
    ChosenChange::SplitVertices,
    ChosenChange::CollapseFaces,
    ChosenChange::SplitInThree,
    ChosenChange::SplitInFour,
];

impl ChosenChange {
    /// Returns the elements of the kind that is changed.
    pub fn seeds(self, s: &PlainSurface) -> Vec<u32> {
        match self {
            ChosenChange::DeleteVertices
            | ChosenChange::RemoveVertices
            | ChosenChange::SplitVertices => s.vertices.iter().copied().collect(),
            ChosenChange::DeleteEdges => s.edges.keys().copied().collect(),
            _ => s.faces.keys().copied().collect(),
        }
    }

    /// Returns the cavity of an element, if plain code can change it.
    pub fn cavity(self, s: &PlainSurface, seed: u32) -> Option<DiskCavity> {
        let named: Vec<Named> = match self {
            ChosenChange::DeleteVertices
            | ChosenChange::RemoveVertices
            | ChosenChange::SplitVertices => {
                vec![Named::Vertex(seed)]
            }
            ChosenChange::DeleteEdges => vec![Named::Edge(s.edges[&seed])],
            ChosenChange::DeleteFaces | ChosenChange::SplitInThree => vec![Named::Face(seed)],
            ChosenChange::CollapseFaces => s.faces[&seed].map(Named::Vertex).to_vec(),
            ChosenChange::SplitInFour => {
                let corners = s.faces[&seed];
                let open = sides(corners).map(|side| s.across(side).is_none());
                // Corner `k` lies between side `k` and the one before.
                let lone = (0..3).filter(|&k| open[k] && open[(k + 2) % 3]);
                let lone = lone.map(|k| Named::Vertex(corners[k]));
                sides(corners)
                    .map(Named::Edge)
                    .into_iter()
                    .chain(lone)
                    .collect()
            }
        };
        let c = s.cavity(&named)?;
        let n = c.corners.len();
        let possible = match self {
            ChosenChange::DeleteVertices
            | ChosenChange::DeleteEdges
            | ChosenChange::DeleteFaces => s.keeps_fans(&c),
            ChosenChange::RemoveVertices => {
                let corners = from_apex(&c);
                let near = s.neighbours(corners[0]);
                let last = n - usize::from(c.closed);
                let back = [corners[0], corners[n - 1], corners[1]];
                let doubled = c.closed
                    && n == 3
                    && sides(back)
                        .iter()
                        .all(|t| s.across([t[1], t[0]]) == s.across([back[1], back[0]]))
                    && s.across([back[1], back[0]]).is_some();
                n > 2 && !doubled && corners[2..last.max(2)].iter().all(|w| !near.contains(w))
            }
            ChosenChange::SplitVertices => n > 2,
            _ => !c.closed || n > 2,
        };
        possible.then_some(c)
    }

    /// Returns the triangles that take the place of a cavity, and the number of new vertices.
    pub fn fill(
        self,
        s: &PlainSurface,
        seed: u32,
        cavity: &DiskCavity,
        split: &VertexSplit,
        x: &[Vec3],
    ) -> (Vec<[Vec3; 3]>, usize) {
        let at = |v: u32| x[v as usize];
        match self {
            ChosenChange::DeleteVertices
            | ChosenChange::DeleteEdges
            | ChosenChange::DeleteFaces => (vec![], 0),
            ChosenChange::RemoveVertices => {
                let corners = from_apex(cavity);
                let fan = corners[1..].windows(2);
                (fan.map(|w| [corners[0], w[0], w[1]].map(at)).collect(), 0)
            }
            ChosenChange::SplitVertices => (split_in_two(cavity, split, &at), 2),
            ChosenChange::SplitInFour => {
                // A corner that goes with the cavity comes back.
                (four(s, seed, &at), 3 + cavity.vertices.len())
            }
            ChosenChange::CollapseFaces | ChosenChange::SplitInThree => {
                let [a, b, c] = s.faces[&seed].map(at);
                let centre = (a + b + c) * (1.0 / 3.0);
                let rim = cavity.rim().into_iter();
                (rim.map(|[a, b]| [at(a), at(b), centre]).collect(), 1)
            }
        }
    }
}

/// Returns the corners of a boundary loop from the one in which a fan meets.
fn from_apex(cavity: &DiskCavity) -> Vec<u32> {
    let mut corners = cavity.corners.clone();
    if cavity.closed {
        let lowest = (0..corners.len()).min_by_key(|&i| corners[i]).unwrap_or(0);
        corners.rotate_left(lowest);
    }
    corners
}

/// Chooses two corners of a vertex's boundary loop, and a place near them.
pub fn some_split(vertex: u32, cavity: &DiskCavity, x: &[Vec3]) -> VertexSplit {
    let n = cavity.corners.len();
    let i = hash(vertex) as usize % n;
    let j = (i + 1 + hash(vertex ^ 0x55) as usize % (n - 1)) % n;
    let [a, b] = [i, j].map(|k| cavity.corners[k]);
    // Another place whenever the vertex is split again, or its neighbour.
    let mixed = cavity
        .corners
        .iter()
        .fold(vertex, |mixed, &v| hash(mixed ^ v));
    let part = (mixed % 10_000) as f32 / 10_000.0;
    VertexSplit {
        vertex,
        neighbours: [a, b],
        place: x[a as usize].lerp(x[b as usize], part) + Vec3::new(0.01, 0.02, 0.03),
    }
}

/// Returns the triangles around a vertex and the new one: each side of the loop goes to one of them.
fn split_in_two(
    cavity: &DiskCavity,
    split: &VertexSplit,
    at: &dyn Fn(u32) -> Vec3,
) -> Vec<[Vec3; 3]> {
    let place = |v: u32| cavity.corners.iter().position(|&c| c == v);
    let [i, j] = split
        .neighbours
        .map(|v| place(v).expect("a corner of the loop"));
    let (old, new) = (at(split.vertex), split.place);
    let mut made = Vec::new();
    for (k, [a, b]) in cavity.rim().into_iter().enumerate() {
        let is_new = if i < j {
            i <= k && k < j
        } else {
            k >= i || k < j
        };
        made.push([at(a), at(b), if is_new { new } else { old }]);
    }
    let [first, last] = split.neighbours.map(at);
    made.extend([[old, first, new], [new, last, old]]);
    made
}
