//! Faces around an edge, by angle.

use crate::mesh::{EdgeTable, TriMesh};
use glam::DVec3;
use std::f64::consts::TAU;

/// Faces around an edge that has several.
pub(super) struct EdgeFan {
    /// Angle and half-edge of each, by angle and face; angles from 0 to 2 pi, seen against the edge's direction from
    /// its lower to its higher vertex.
    faces: Vec<(f64, u32)>,
    /// The same by half-edge.
    angles: Vec<(u32, f64)>,
    /// Length of the edge.
    pub(super) length: f64,
}

impl EdgeFan {
    pub(super) fn new(mesh: &TriMesh, table: &EdgeTable, e: usize) -> EdgeFan {
        let x = |v: u32| mesh.positions[v as usize].as_dvec3();
        let [a, b] = table.edges[e].map(x);
        let axis = (b - a).normalize_or_zero();
        let (u, v) = across(axis);
        let angle = |h: u32| {
            let apex = mesh.faces[h as usize / 3][(h as usize + 2) % 3];
            let to = x(apex) - a;
            let angle = to.dot(v).atan2(to.dot(u));
            if angle < 0.0 { angle + TAU } else { angle }
        };
        let angles: Vec<(u32, f64)> = table.along(e).iter().map(|&h| (h, angle(h))).collect();
        let mut faces: Vec<(f64, u32)> = angles.iter().map(|&(h, angle)| (angle, h)).collect();
        faces.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        EdgeFan {
            faces,
            angles,
            length: a.distance(b),
        }
    }

    fn angle(&self, half: u32) -> f64 {
        let found = self.angles.binary_search_by_key(&half, |a| a.0);
        found.map_or(0.0, |i| self.angles[i].1)
    }

    /// Returns pairs among half-edges of one set of faces, each given with `true` if it runs upwards when the set is
    /// turned as its root. One of a pair runs upwards, the other one downwards.
    ///
    /// If equally many run up and down and the set encloses a volume (`inwards`: the normal of its root points into
    /// it), two half-edges with a wedge of that volume between them are a pair, so that solids which touch along an
    /// edge come apart there; otherwise those that bend least.
    pub(super) fn pairs(
        &self,
        halves: Vec<(u32, bool)>,
        inwards: Option<bool>,
        many: usize,
    ) -> Vec<(u32, u32)> {
        let ups = halves.iter().filter(|h| h.1).count();
        match halves[..] {
            [(g, a), (h, b)] if a != b => return vec![(g, h)],
            _ if ups == 0 || ups == halves.len() => return Vec::new(),
            _ => {}
        }
        let inwards = inwards.filter(|_| 2 * ups == halves.len());
        if inwards.is_some() || halves.len() > many {
            return self.wedges(&halves, inwards.unwrap_or(false));
        }
        let mut found: Vec<(u32, u32, f64)> = Vec::new();
        for up in halves.iter().filter(|h| h.1) {
            for down in halves.iter().filter(|h| !h.1) {
                let (g, h) = (up.0.min(down.0), up.0.max(down.0));
                found.push((g, h, bend(self.angle(g), self.angle(h))));
            }
        }
        found.sort_by(|a, b| {
            a.2.total_cmp(&b.2)
                .then((a.0 / 3, a.1 / 3).cmp(&(b.0 / 3, b.1 / 3)))
        });
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (g, h, _) in found {
            if !pairs
                .iter()
                .any(|p| [p.0, p.1].contains(&g) || [p.0, p.1].contains(&h))
            {
                pairs.push((g, h));
            }
        }
        pairs
    }

    /// Returns the pairs with a wedge of the solid between them, as brackets pair: no wedge cuts another one.
    ///
    /// The solid lies behind a face: a half-edge that runs upwards ends a wedge when one goes round by angle, one that
    /// runs downwards begins one.
    fn wedges(&self, halves: &[(u32, bool)], inwards: bool) -> Vec<(u32, u32)> {
        let mut order: Vec<(f64, bool, u32)> = halves
            .iter()
            .map(|&(h, up)| (self.angle(h), up == inwards, h))
            .collect();
        // At one angle a wedge ends before another one begins.
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let (mut begun, mut pairs, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for &(_, begins, h) in &order {
            if begins {
                begun.push(h);
            } else if let Some(g) = begun.pop() {
                pairs.push((g, h));
            } else {
                ends.push(h);
            }
        }
        // Wedges begun before the angle 0 end behind it.
        let round = ends.into_iter().map_while(|h| Some((begun.pop()?, h)));
        let round: Vec<(u32, u32)> = round.collect();
        pairs.extend(round);
        pairs
    }

    /// Returns pairs among half-edges, which ascend, with the bend of the surface from the one to the other: -1 for
    /// flat, 1 for folded. Of more than `many` half-edges only the `nearest` to flat are considered.
    pub(super) fn candidates(
        &self,
        free: &[u32],
        many: usize,
        nearest: usize,
    ) -> Vec<(u32, u32, f64)> {
        let among: Vec<(f64, u32)> = self
            .faces
            .iter()
            .filter(|f| free.binary_search(&f.1).is_ok())
            .copied()
            .collect();
        let mut found = Vec::new();
        if among.len() <= many {
            for (i, &(a, g)) in among.iter().enumerate() {
                found.extend(among[i + 1..].iter().map(|&(b, h)| (g, h, bend(a, b))));
            }
            return found;
        }
        for &(a, g) in &among {
            let across = (a + TAU / 2.0) % TAU;
            let at = among.partition_point(|f| f.0 < across) + among.len() - nearest / 2;
            for k in at..at + nearest {
                let (b, h) = among[k % among.len()];
                if g != h {
                    found.push((g, h, bend(a, b)));
                }
            }
        }
        found
    }
}

/// Returns the bend of a surface between two faces at these angles: -1 for flat, 1 for folded.
fn bend(a: f64, b: f64) -> f64 {
    (a - b).cos()
}

/// Returns two directions across an axis that make a right-handed frame with it.
fn across(axis: DVec3) -> (DVec3, DVec3) {
    let least = if axis.x.abs() <= axis.y.abs() && axis.x.abs() <= axis.z.abs() {
        DVec3::X
    } else if axis.y.abs() <= axis.z.abs() {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let u = axis.cross(least).normalize_or_zero();
    (u, axis.cross(u))
}
