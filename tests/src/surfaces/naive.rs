//! Subdivision surfaces level by level, serial and in `f64`: Catmull-Clark of any polygons and Loop of triangles, with
//! the rules of sharpness that OpenSubdiv's `Sdc` has (DeRose, Kass and Truong 1998), and sqrt(3).

use super::net::{Net, NetRule, SHARP};
use super::sqrt3;
use glam::DVec3;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Creasing, Options, Scheme};
use std::f64::consts::TAU;

/// Refined surface.
#[derive(Debug, Clone, Default)]
pub struct NaiveSurface {
    /// Vertices: for each level those of the previous level, then its edges, then its faces. Faces that are holes leave
    /// theirs behind.
    pub positions: Vec<DVec3>,
    /// Faces, children of a face together.
    pub faces: Vec<Vec<u32>>,
    /// Base face of each face.
    pub parents: Vec<u32>,
}

/// Returns the surface of a mesh. Panics on a mesh that is not a surface, on a sharp edge that does not exist, and on
/// Loop and sqrt(3) of faces that are not triangles.
pub fn refine(mesh: &PolyMesh, options: &Options) -> NaiveSurface {
    let (net, holes) = refine_net(mesh, options);
    let kept = (0..net.faces.len()).filter(|&f| !holes[net.parents[f] as usize]);
    let (faces, parents) = kept.map(|f| (net.faces[f].clone(), net.parents[f])).unzip();
    NaiveSurface {
        positions: net.positions,
        faces,
        parents,
    }
}

/// Returns the last level with its sharpness and all its faces, and `true` for the base faces that are holes.
pub fn refine_net(mesh: &PolyMesh, options: &Options) -> (Net, Vec<bool>) {
    let mut net = Net::base(mesh, options);
    let holes = net.holes(mesh, options.boundary);
    for level in 0..options.levels {
        net = match options.scheme {
            Scheme::Sqrt3 => sqrt3::next(&net, level % 2 == 1),
            scheme => next(&net, scheme, options.creasing),
        };
    }
    (net, holes)
}

/// Returns the next level of Catmull-Clark or Loop.
pub fn next(net: &Net, scheme: Scheme, creasing: Creasing) -> Net {
    let (vertices, edges) = (net.positions.len(), net.edges.len());
    let edge_point = |e: usize| (vertices + e) as u32;
    let face_point = |f: usize| (vertices + edges + f) as u32;
    let smooth = NaiveMasks { net, scheme };

    let mut positions = Vec::new();
    positions.extend((0..vertices).map(|v| smooth.vertex_point(v, creasing)));
    positions.extend((0..edges).map(|e| smooth.edge_point(e, creasing)));
    let (mut faces, mut parents) = (Vec::new(), Vec::new());
    for (f, face) in net.faces.iter().enumerate() {
        let n = face.len();
        let sides: Vec<u32> = (0..n).map(|k| edge_point(net.face_edges[f][k])).collect();
        for k in 0..n {
            let before = sides[(k + n - 1) % n];
            faces.push(match scheme {
                Scheme::CatmullClark => vec![face[k], sides[k], face_point(f), before],
                _ => vec![face[k], sides[k], before],
            });
        }
        if scheme == Scheme::CatmullClark {
            positions.push(smooth.face_center(f));
        } else {
            faces.push(sides);
        }
        parents.resize(faces.len(), net.parents[f]);
    }

    // The middle one of a face's four triangles is the last.
    let inside = |f: usize, k: usize| scheme != Scheme::CatmullClark && (f % 4 == 3 || k == 1);
    let tag = |f, k| if inside(f, k) { 1 + f / 4 } else { 0 };
    let mut child = Net::told_apart(positions, faces, parents, tag);
    for (e, &[a, b]) in net.edges.iter().enumerate() {
        for end in [a, b] {
            let half = child.edge(end, edge_point(e));
            child.edge_sharpness[half] = edge_wear(net, e, end as usize, creasing);
        }
    }
    for v in 0..vertices {
        child.vertex_sharpness[v] = wear(net.vertex_sharpness[v]);
    }
    child
}

/// Returns a sharpness one level later.
pub fn wear(sharpness: f64) -> f64 {
    if sharpness >= SHARP {
        SHARP
    } else {
        (sharpness - 1.0).max(0.0)
    }
}

/// Returns the sharpness of the half of an edge at its end `v`, one level later. By Chaikin's rule it is first moved a
/// quarter of the way to the mean of the other semi-sharp edges at `v` (DeRose et al., section 3.3).
fn edge_wear(net: &Net, e: usize, v: usize, creasing: Creasing) -> f64 {
    let sharpness = net.edge_sharpness[e];
    let is_semi = |s: f64| 0.0 < s && s < SHARP;
    if creasing == Creasing::Uniform || !is_semi(sharpness) {
        return wear(sharpness);
    }
    let around = net.vertex_edges[v].iter().filter(|&&other| other != e);
    let others: Vec<f64> = around
        .map(|&other| net.edge_sharpness[other])
        .filter(|&s| is_semi(s))
        .collect();
    if others.is_empty() {
        return wear(sharpness);
    }
    let mean = others.iter().sum::<f64>() / others.len() as f64;
    let rest = 0.75 * sharpness + 0.25 * mean - 1.0;
    // Thirds are not representable: 3/4 of 2/3 and a quarter of 2 are 1, and nothing remains of them. Programs in
    // single precision, as OpenSubdiv, may decide so or not: the rule is discontinuous there.
    if rest < 1e-5 { 0.0 } else { rest }
}

/// Points of the next level.
struct NaiveMasks<'a> {
    net: &'a Net,
    scheme: Scheme,
}

impl NaiveMasks<'_> {
    fn face_center(&self, f: usize) -> DVec3 {
        let face = &self.net.faces[f];
        let sum: DVec3 = face.iter().map(|&v| self.net.positions[v as usize]).sum();
        sum / face.len() as f64
    }

    /// Returns the point of an edge: sharp, smooth, or between both where sharpness ends within the level.
    fn edge_point(&self, e: usize, creasing: Creasing) -> DVec3 {
        let net = self.net;
        let [a, b] = net.edges[e].map(|v| v as usize);
        let middle = (net.positions[a] + net.positions[b]) / 2.0;
        let sharpness = net.edge_sharpness[e];
        let stays_sharp = [a, b].iter().all(|&v| edge_wear(net, e, v, creasing) > 0.0);
        if sharpness > 0.0 && stays_sharp {
            middle
        } else {
            // By Chaikin's rule sharpness above 1 can end within a level too. OpenSubdiv then goes beyond the midpoint:
            // its `Sdc::Scheme` documents that such a weight counts as 1, but it does not where rules are passed to it,
            // as all of its refiners do. Its actual behaviour is the reference.
            self.smooth_edge_point(e).lerp(middle, sharpness)
        }
    }

    fn smooth_edge_point(&self, e: usize) -> DVec3 {
        let net = self.net;
        let [a, b] = net.edges[e];
        let ends = net.positions[a as usize] + net.positions[b as usize];
        let faces = &net.edge_faces[e];
        if self.scheme == Scheme::CatmullClark {
            let centers: DVec3 = faces.iter().map(|&f| self.face_center(f)).sum();
            return (ends + centers) / 4.0;
        }
        let opposite = |f: usize| {
            let mut corners = net.faces[f].iter();
            let v = corners.find(|&&v| v != a && v != b);
            net.positions[*v.expect("a triangle has a third corner") as usize]
        };
        let others: DVec3 = faces.iter().map(|&f| opposite(f)).sum();
        ends * 3.0 / 8.0 + others / 8.0
    }

    /// Returns the new position of a vertex: by its rule, or between the rules before and after where sharpness ends
    /// within the level.
    fn vertex_point(&self, v: usize, creasing: Creasing) -> DVec3 {
        let net = self.net;
        let sharpness = net.vertex_sharpness[v];
        let edge = |e: usize| net.edge_sharpness[e];
        let edge_later = |e: usize| edge_wear(net, e, v, creasing);
        let rule = net.rule(v, sharpness, edge);
        let later = net.rule(v, wear(sharpness), edge_later);
        if net.vertex_edges[v].is_empty() {
            return net.positions[v];
        }
        if rule == later || rule == NetRule::Smooth {
            return self.by_rule(v, rule);
        }
        let edges = net.vertex_edges[v].iter();
        let mut ending: Vec<f64> = edges
            .filter(|&&e| edge(e) > 0.0 && edge_later(e) == 0.0)
            .map(|&e| edge(e))
            .collect();
        if sharpness > 0.0 && wear(sharpness) == 0.0 {
            ending.push(sharpness);
        }
        let weight = (ending.iter().sum::<f64>() / ending.len() as f64).min(1.0);
        self.by_rule(v, later).lerp(self.by_rule(v, rule), weight)
    }

    fn by_rule(&self, v: usize, rule: NetRule) -> DVec3 {
        let net = self.net;
        let p = net.positions[v];
        let end = |e: usize| net.positions[net.across(e, v)];
        match rule {
            NetRule::Corner => p,
            NetRule::Crease(e, f) => p * 3.0 / 4.0 + (end(e) + end(f)) / 8.0,
            NetRule::Smooth => {
                let n = net.vertex_edges[v].len() as f64;
                let ring: DVec3 = net.vertex_edges[v].iter().map(|&e| end(e)).sum();
                if self.scheme == Scheme::CatmullClark {
                    let faces = net.vertex_faces[v].iter();
                    let centers: DVec3 = faces.map(|&f| self.face_center(f)).sum();
                    return p * (n - 2.0) / n + (ring + centers) / (n * n);
                }
                let c = 3.0 / 8.0 + (TAU / n).cos() / 4.0;
                let beta = (5.0 / 8.0 - c * c) / n;
                p * (1.0 - n * beta) + ring * beta
            }
        }
    }
}
