//! Sharp lines that are long enough to be kept.

use glam::Vec3;
use std::collections::HashMap;

/// A line without an end is kept from this many lengths across on.
const CLOSED: f32 = 1.0;

/// A line that ends somewhere on a smooth surface is kept from this many lengths across on.
const ENDING: f32 = 4.0;

/// A sharp edge.
#[derive(Clone, Debug)]
pub(super) struct SharpEdge {
    /// Slot of the edge.
    edge: u32,
    ends: [u32; 2],
    places: [Vec3; 2],
    /// Mesh that it is of.
    mesh: u32,
    /// `true` for each end at which the boundary or another line that is kept continues.
    goes_on: [bool; 2],
}

impl SharpEdge {
    /// Creates an edge from the words and places that
    /// [`ListFeatures`](rxmesh_kernels::algo::improve::remesh::ListFeatures) writes.
    pub(super) fn new(words: &[u32], places: &[Vec3]) -> SharpEdge {
        SharpEdge {
            edge: words[0],
            ends: [words[1], words[2]],
            places: [places[0], places[1]],
            mesh: words[3],
            goes_on: [words[4] & 1 != 0, words[4] & 2 != 0],
        }
    }
}

/// Connected sharp edges.
struct SharpLine {
    least: Vec3,
    greatest: Vec3,
    ends: bool,
}

/// Returns the slots of the edges of lines that are short beside the lengths of their meshes, in order. Short are those
/// less than one length across, and those of less than four that end on a smooth surface, as the sharp edges of a
/// coarse or noisy mesh do and the creases of a made part mostly do not.
pub(super) fn short_lines(edges: &[SharpEdge], lengths: &[f32]) -> Vec<u32> {
    let mut vertices: HashMap<u32, (usize, u32, bool)> = HashMap::new();
    let mut above: Vec<usize> = Vec::new();
    for edge in edges {
        let mut places = edge.ends.iter().zip(edge.goes_on);
        let [a, b] = [places.clone().next(), places.next_back()].map(|end| {
            let (&v, goes_on) = end.unwrap_or((&edge.ends[0], false));
            let next = above.len();
            let at = vertices.entry(v).or_insert((next, 0, false));
            if at.0 == next {
                above.push(next);
            }
            (at.1, at.2) = (at.1 + 1, at.2 | goes_on);
            at.0
        });
        let (a, b) = (root(&mut above, a), root(&mut above, b));
        above[a] = b;
    }
    let mut lines: HashMap<usize, SharpLine> = HashMap::new();
    for edge in edges {
        let first = root(&mut above, vertices[&edge.ends[0]].0);
        let [p, q] = edge.places;
        let ends = edge.ends.iter().any(|v| {
            let (_, count, goes_on) = vertices[v];
            count == 1 && !goes_on
        });
        let line = lines.entry(first).or_insert(SharpLine {
            least: p,
            greatest: p,
            ends: false,
        });
        line.least = line.least.min(p).min(q);
        line.greatest = line.greatest.max(p).max(q);
        line.ends |= ends;
    }
    let mut short: Vec<u32> = edges
        .iter()
        .filter(|edge| {
            let line = &lines[&root(&mut above, vertices[&edge.ends[0]].0)];
            let least = if line.ends { ENDING } else { CLOSED };
            let length = lengths.get(edge.mesh as usize).copied().unwrap_or(0.0);
            line.least.distance(line.greatest) < least * length
        })
        .map(|edge| edge.edge)
        .collect();
    short.sort_unstable();
    short
}

/// Follows `above` to its end, and shortens the way.
fn root(above: &mut [usize], mut i: usize) -> usize {
    while above[i] != i {
        above[i] = above[above[i]];
        i = above[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the edges between points in a row on the x axis, `step` apart; the last leads back where it is closed.
    fn row(first: u32, n: u32, step: f32, closed: bool) -> Vec<SharpEdge> {
        let place = |i: u32| Vec3::new(i as f32 * step, 0.0, 0.0);
        (0..n)
            .map(|i| {
                let j = if closed && i + 1 == n { 0 } else { i + 1 };
                SharpEdge {
                    edge: first + i,
                    ends: [first + i, first + j],
                    places: [place(i), place(j)],
                    mesh: 0,
                    goes_on: [false; 2],
                }
            })
            .collect()
    }

    #[test]
    fn lines_that_end_must_be_longer_than_closed_ones() {
        let (open, closed) = (row(0, 6, 0.5, false), row(100, 7, 0.5, true));
        let all: Vec<SharpEdge> = open.iter().chain(&closed).cloned().collect();
        let slots = |edges: &[SharpEdge]| edges.iter().map(|e| e.edge).collect::<Vec<u32>>();
        // Both are 3 long.
        assert!(short_lines(&all, &[0.7]).is_empty());
        assert_eq!(short_lines(&all, &[0.8]), slots(&open));
        assert_eq!(short_lines(&all, &[2.9]), slots(&open));
        assert_eq!(short_lines(&all, &[3.1]), slots(&all));
        // One that ends at the boundary on both sides counts as closed.
        let mut bound = open.clone();
        bound[0].goes_on[0] = true;
        assert_eq!(short_lines(&bound, &[0.8]), slots(&open));
        bound[5].goes_on[1] = true;
        assert!(short_lines(&bound, &[0.8]).is_empty());
        // Each mesh has its own length.
        let mut two = all.clone();
        two.iter_mut().skip(6).for_each(|e| e.mesh = 1);
        assert_eq!(short_lines(&two, &[0.1, 3.1]), slots(&closed));
    }
}
