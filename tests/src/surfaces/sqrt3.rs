//! The sqrt(3) scheme (Kobbelt 2000): inserts a point in every triangle, and flips every edge.
//!
//! Boundary edges (section 5 of the paper) and infinitely sharp edges stay as they are on even levels, counted from 0,
//! and are cut in three on odd ones; so two levels cut every edge in three. Along them the rule is that of a curve:
//!
//! - vertex: (4 p\[i-1\] + 19 p\[i\] + 4 p\[i+1\]) / 27, on odd levels, else it stays;
//! - the two new points between p\[i\] and p\[i+1\]: (p\[i-1\] + 16 p\[i\] + 10 p\[i+1\]) / 27 and its mirror image.
//!
//! At the end of such a crease (at a corner, or inside the surface) the curve continues straight, which makes the new
//! point (2 p\[i\] + p\[i+1\]) / 3. Sharpness of vertices is as in the other schemes; semi-sharp edges are refused.
//!
//! The child at a corner of a face belongs to that face: (corner, point behind the edge that starts there, own point).

use super::naive::wear;
use super::net::{Net, NetRule, SHARP};
use glam::DVec3;
use std::f64::consts::TAU;

/// Returns the next level; `odd` ones cut sharp edges in three.
pub fn next(net: &Net, odd: bool) -> Net {
    let ends = |&s: &f64| 0.0 < s && s < SHARP;
    assert!(
        !net.edge_sharpness.iter().any(ends),
        "sqrt(3) has edges that are sharp for ever only"
    );
    let split = SplitPoints::new(net, odd);
    let mut positions: Vec<DVec3> = (0..net.positions.len())
        .map(|v| vertex_point(net, v, odd))
        .collect();
    positions.extend(&split.points);

    let (mut faces, mut parents, mut sharp) = (Vec::new(), Vec::new(), Vec::new());
    // The edge that the second side of a child replaces.
    let mut turned = Vec::new();
    for (f, face) in net.faces.iter().enumerate() {
        for k in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|i| face[(k + i) % 3]);
            let e = net.face_edges[f][k];
            turned.push(if is_sharp(net, e) { 0 } else { 1 + e });
            if !is_sharp(net, e) {
                let twin = net.edge_faces[e].iter().find(|&&other| other != f);
                let behind = split.point(*twin.expect("an inner edge"), [a, b]);
                faces.push(vec![a, behind, split.point(f, [a, b])]);
            } else if odd {
                let (p, q) = (split.third(e, a), split.third(e, b));
                faces.push(vec![p, q, c]);
                sharp.extend([[a, p], [p, q], [q, b]]);
            } else {
                faces.push(vec![a, b, split.point(f, [a, b])]);
                sharp.push([a, b]);
            }
        }
        parents.resize(faces.len(), net.parents[f]);
    }

    let tag = |f: usize, k| if k == 1 { turned[f] } else { 0 };
    let mut child = Net::told_apart(positions, faces, parents, tag);
    for [a, b] in sharp {
        let e = child.edge(a, b);
        child.edge_sharpness[e] = SHARP;
    }
    for (v, &sharpness) in net.vertex_sharpness.iter().enumerate() {
        child.vertex_sharpness[v] = wear(sharpness);
    }
    child
}

fn is_sharp(net: &Net, e: usize) -> bool {
    net.edge_sharpness[e] > 0.0
}

/// New points of a level: first two on each edge that is cut in three, from its first end on, then one in each face
/// without such an edge.
struct SplitPoints<'a> {
    net: &'a Net,
    points: Vec<DVec3>,
    of_edge: Vec<Option<u32>>,
    of_face: Vec<Option<u32>>,
}

impl SplitPoints<'_> {
    fn new(net: &Net, odd: bool) -> SplitPoints<'_> {
        let mut split = SplitPoints {
            net,
            points: Vec::new(),
            of_edge: vec![None; net.edges.len()],
            of_face: vec![None; net.faces.len()],
        };
        let first = net.positions.len();
        for e in (0..net.edges.len()).filter(|&e| odd && is_sharp(net, e)) {
            split.of_edge[e] = Some((first + split.points.len()) as u32);
            let [a, b] = net.edges[e].map(|v| v as usize);
            split
                .points
                .extend([third_point(net, e, a), third_point(net, e, b)]);
        }
        for (f, face) in net.faces.iter().enumerate() {
            if !net.face_edges[f]
                .iter()
                .any(|&e| split.of_edge[e].is_some())
            {
                split.of_face[f] = Some((first + split.points.len()) as u32);
                let sum: DVec3 = face.iter().map(|&v| net.positions[v as usize]).sum();
                split.points.push(sum / 3.0);
            }
        }
        split
    }

    /// Returns the new point on an edge that is cut in three, nearer to its end `v`.
    fn third(&self, e: usize, v: u32) -> u32 {
        let first = self.of_edge[e].expect("an edge that is cut in three");
        first + u32::from(self.net.edges[e][0] != v)
    }

    /// Returns the point that an edge between two ends is flipped to in face `f`: the face's own, or the one on its
    /// edge that is cut in three next to the end that both edges share. (A face has one such edge: the level before put
    /// a point in it.)
    fn point(&self, f: usize, ends: [u32; 2]) -> u32 {
        if let Some(p) = self.of_face[f] {
            return p;
        }
        let mut sides = self.net.face_edges[f].iter().copied();
        let cut = sides.find(|&e| self.of_edge[e].is_some());
        let e = cut.expect("a face without a point has an edge that is cut");
        let shared = self.net.edges[e].into_iter().find(|v| ends.contains(v));
        self.third(e, shared.expect("two sides of a triangle share an end"))
    }
}

/// Returns the new point on a sharp edge that is nearer to its end `v`.
fn third_point(net: &Net, e: usize, v: usize) -> DVec3 {
    let p = net.positions[v];
    let next = net.positions[net.across(e, v)];
    let before = match rule(net, v) {
        NetRule::Crease(f, g) => net.positions[net.across(if f == e { g } else { f }, v)],
        NetRule::Smooth | NetRule::Corner => p * 2.0 - next,
    };
    (before + p * 16.0 + next * 10.0) / 27.0
}

fn rule(net: &Net, v: usize) -> NetRule {
    net.rule(v, net.vertex_sharpness[v], |e| net.edge_sharpness[e])
}

fn vertex_point(net: &Net, v: usize, odd: bool) -> DVec3 {
    let sharpness = net.vertex_sharpness[v];
    if net.vertex_edges[v].is_empty() {
        return net.positions[v];
    }
    let later = net.rule(v, wear(sharpness), |e| net.edge_sharpness[e]);
    // A sharp vertex was a corner; where sharpness ends within the level it is between both rules.
    let weight = if later == rule(net, v) {
        0.0
    } else {
        sharpness
    };
    by_rule(net, v, later, odd).lerp(net.positions[v], weight)
}

fn by_rule(net: &Net, v: usize, rule: NetRule, odd: bool) -> DVec3 {
    let p = net.positions[v];
    let end = |e: usize| net.positions[net.across(e, v)];
    match rule {
        NetRule::Crease(e, f) if odd => (end(e) * 4.0 + p * 19.0 + end(f) * 4.0) / 27.0,
        NetRule::Crease(..) | NetRule::Corner => p,
        NetRule::Smooth => {
            let n = net.vertex_edges[v].len() as f64;
            let a = (4.0 - 2.0 * (TAU / n).cos()) / 9.0;
            let ring: DVec3 = net.vertex_edges[v].iter().map(|&e| end(e)).sum();
            p * (1.0 - a) + ring * (a / n)
        }
    }
}
