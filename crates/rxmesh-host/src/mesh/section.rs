//! Curves in which planes cut surfaces: [`section`].

use super::{TriMesh, place_bits};
use crate::par::IntoLean;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// Curves in which a plane cuts a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Points of all curves, one curve after the other, in the world.
    pub points: Vec<DVec3>,
    /// Number of points up to the end of each curve.
    pub ends: Vec<usize>,
    /// `true` for curves whose last point is joined to the first one.
    pub is_closed: Vec<bool>,
}

impl Section {
    /// Returns the number of curves.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if the plane cuts nothing.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the points of a curve, and whether it is closed.
    ///
    /// # Panics
    ///
    /// If there is no such curve.
    pub fn curve(&self, i: usize) -> (&[DVec3], bool) {
        let first = if i == 0 { 0 } else { self.ends[i - 1] };
        (&self.points[first..self.ends[i]], self.is_closed[i])
    }

    fn push(&mut self, mut points: Vec<DVec3>, is_closed: bool) {
        // A vertex in the plane is the end of several sides.
        points.dedup();
        if is_closed && points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        // A curve that only touches the plane in one point is none.
        if points.len() < 2 {
            return;
        }
        self.points.append(&mut points);
        self.ends.push(self.points.len());
        self.is_closed.push(is_closed);
    }
}

/// Side of a triangle that crosses the plane, by the least vertices at its ends' places.
type Crossed = [u32; 2];

/// Cuts a surface by the plane through `origin` that is perpendicular to `normal`, which may have any length.
///
/// Each triangle with corners on both sides gives a segment between two of its sides; a corner in the plane counts as
/// above. Segments are joined at sides between the same places, so that triangles need not share vertices. Curves of
/// closed surfaces are closed. Where more than two triangles meet at a side curves end. Seen from the tip of the normal
/// curves run counter-clockwise around what the triangles enclose, where these look outwards; a curve goes the way of
/// most of its triangles. Curves come in the order of their first triangles. Triangles with a corner that is not finite
/// are not cut.
pub fn section(mesh: &TriMesh, origin: DVec3, normal: DVec3) -> Section {
    let height = |v: u32| (mesh.world(v as usize) - origin).dot(normal);
    let is_cut = |f: &&[u32; 3]| {
        let heights = f.map(height);
        let above = heights.map(|h| h >= 0.0);
        heights.iter().all(|h| h.is_finite()) && above[1..].iter().any(|&a| a != above[0])
    };
    let cut = mesh.faces.par_iter().lean().filter(is_cut).copied();
    let cut: Vec<[u32; 3]> = cut.collect();
    // Vertices at the same place are one.
    let mut least: HashMap<[u32; 3], u32> = HashMap::new();
    for &v in cut.as_flattened() {
        let at = least.entry(place_bits(mesh.positions[v as usize]));
        let first = at.or_insert(v);
        *first = (*first).min(v);
    }
    let place = |v: u32| least[&place_bits(mesh.positions[v as usize])];
    let segments: Vec<[Crossed; 2]> = cut
        .iter()
        .map(|f| {
            let above = f.map(|v| height(v) >= 0.0);
            // The corner that is alone on its side.
            let k = (0..3).find(|&k| above[(k + 1) % 3] == above[(k + 2) % 3]);
            let k = k.unwrap_or(0);
            let side = |l: usize| {
                let [a, b] = [f[k], f[(k + l) % 3]].map(place);
                [a.min(b), a.max(b)]
            };
            let (next, last) = (side(1), side(2));
            if above[k] { [next, last] } else { [last, next] }
        })
        .collect();
    let point = |[a, b]: Crossed| {
        let [p, q] = [a, b].map(|v| mesh.world(v as usize));
        let [h, k] = [a, b].map(height);
        p + (q - p) * (h / (h - k))
    };
    join(&segments, point)
}

/// Joins segments to curves.
fn join(segments: &[[Crossed; 2]], point: impl Fn(Crossed) -> DVec3) -> Section {
    let mut at: HashMap<Crossed, Vec<usize>> = HashMap::new();
    for (i, ends) in segments.iter().enumerate() {
        for end in ends {
            at.entry(*end).or_default().push(i);
        }
    }
    let mut used = vec![false; segments.len()];
    let mut section = Section::default();
    // Goes on from an end of a segment, to the end of the curve or back to the segment. Returns the ends on the way,
    // and how many segments more were passed along their direction than against it.
    let walk = |used: &mut [bool], first: usize, from: Crossed| {
        let (mut way, mut along, mut i, mut from) = (vec![from], 0i64, first, from);
        loop {
            used[i] = true;
            let [a, b] = segments[i];
            let to = if from == a { b } else { a };
            along += if from == a { 1 } else { -1 };
            way.push(to);
            let others = &at[&to];
            let next = others.iter().copied().find(|&j| !used[j]);
            match next {
                Some(next) if others.len() == 2 => (i, from) = (next, to),
                _ => return (way, along),
            }
        }
    };
    let mut put = |(mut way, along): (Vec<Crossed>, i64)| {
        if along < 0 {
            way.reverse();
        }
        let is_closed = way.len() > 2 && way.first() == way.last() && at[&way[0]].len() == 2;
        section.push(way.into_iter().map(&point).collect(), is_closed);
    };
    // Open curves first, from their ends.
    for i in 0..segments.len() {
        let end = segments[i].into_iter().find(|end| at[end].len() != 2);
        if let (false, Some(end)) = (used[i], end) {
            put(walk(&mut used, i, end));
        }
    }
    for i in 0..segments.len() {
        if !used[i] {
            put(walk(&mut used, i, segments[i][0]));
        }
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Placement, generate};
    use glam::Vec3;

    /// Returns the area that a curve encloses, seen from z, and its length.
    fn measured(section: &Section, i: usize) -> [f64; 2] {
        let (points, is_closed) = section.curve(i);
        let n = points.len();
        let sides = if is_closed { n } else { n - 1 };
        let side = |k: usize| [points[k], points[(k + 1) % n]];
        let area = |[p, q]: [DVec3; 2]| 0.5 * (p.x * q.y - q.x * p.y);
        [
            (0..sides).map(side).map(area).sum(),
            (0..sides).map(side).map(|[p, q]| p.distance(q)).sum(),
        ]
    }

    #[test]
    fn a_ball_has_one_circle() {
        let ball = generate::icosphere(4).unwrap();
        for height in [0.0, 0.3, -0.6] {
            let found = section(&ball, DVec3::Z * height, DVec3::Z * 5.0);
            assert_eq!((found.len(), found.is_closed[0]), (1, true));
            let radius = (1.0 - height * height).sqrt();
            let [area, length] = measured(&found, 0);
            let circle = std::f64::consts::PI * radius * radius;
            assert!((area / circle - 1.0).abs() < 0.01, "{height}: {area}");
            assert!((length / (2.0 * std::f64::consts::PI * radius) - 1.0).abs() < 0.01);
            assert!(found.points.iter().all(|p| (p.z - height).abs() < 1e-12));
        }
        assert!(section(&ball, DVec3::Z * 2.0, DVec3::Z).is_empty());
        assert!(section(&ball, DVec3::ZERO, DVec3::ZERO).is_empty());
    }

    #[test]
    fn a_ring_has_two_and_the_inner_one_runs_the_other_way() {
        let ring = generate::torus(40, 20, 1.0, 0.3).unwrap();
        let found = section(&ring, DVec3::Z * 0.01, DVec3::Z);
        assert_eq!(found.len(), 2);
        let mut areas = [0, 1].map(|i| measured(&found, i)[0]);
        areas.sort_by(f64::total_cmp);
        let circle = |r: f64| std::f64::consts::PI * r * r;
        assert!((areas[0] / -circle(0.7) - 1.0).abs() < 0.02, "{areas:?}");
        assert!((areas[1] / circle(1.3) - 1.0).abs() < 0.02, "{areas:?}");
        // Seen from the other side it is the other way round.
        let back = section(&ring, DVec3::Z * 0.01, DVec3::NEG_Z);
        let sum = |s: &Section| -> f64 { (0..2).map(|i| measured(s, i)[0]).sum() };
        assert!((sum(&found) + sum(&back)).abs() < 1e-9);
    }

    #[test]
    fn separate_triangles_and_far_frames_change_nothing() {
        let ball = generate::icosphere(3).unwrap();
        let corners = ball.faces.iter().flatten();
        let mut soup = TriMesh::new(
            corners.map(|&v| ball.positions[v as usize]).collect(),
            (0..ball.faces.len() as u32)
                .map(|f| [3 * f, 3 * f + 1, 3 * f + 2])
                .collect(),
        )
        .unwrap();
        let plane = (DVec3::new(0.1, 0.2, -0.1), DVec3::new(0.3, -0.5, 1.0));
        let (one, other) = (
            section(&ball, plane.0, plane.1),
            section(&soup, plane.0, plane.1),
        );
        assert_eq!((one.len(), other.len(), other.is_closed[0]), (1, 1, true));
        assert_eq!(one.points.len(), other.points.len());
        let far = DVec3::new(1e6, -2e6, 3e6);
        soup.placement = Placement {
            origin: far,
            scale: 1.0,
        };
        let moved = section(&soup, plane.0 + far, plane.1);
        for (p, q) in moved.points.iter().zip(&other.points) {
            assert!((*p - far).distance(*q) < 1e-6);
        }
    }

    #[test]
    fn open_and_non_manifold_surfaces_have_ends() {
        // A sheet of two triangles in the plane y = 0.
        let sheet = TriMesh::new(
            vec![Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Z, Vec3::Z],
            vec![[0, 1, 2], [0, 2, 3]],
        )
        .unwrap();
        let found = section(&sheet, DVec3::Z * 0.5, DVec3::Z);
        assert_eq!((found.len(), found.is_closed[0]), (1, false));
        assert_eq!(found.points.len(), 3);
        assert_eq!(measured(&found, 0)[1], 1.0);
        // Three sheets at one side.
        let at = |x: f32, y: f32| [Vec3::new(x, y, 0.0), Vec3::new(x, y, 1.0)];
        let pages = [[1.0, 0.0], [-1.0, 0.5], [-1.0, -0.5]];
        let mut book = TriMesh::default();
        book.positions.extend(at(0.0, 0.0));
        for [x, y] in pages {
            let n = book.positions.len() as u32;
            book.positions.extend(at(x, y));
            book.faces.extend([[0, n, n + 1], [0, n + 1, 1]]);
        }
        let found = section(&book, DVec3::Z * 0.5, DVec3::Z);
        assert_eq!((found.len(), found.points.len()), (3, 9));
        assert!(found.is_closed.iter().all(|closed| !closed));
        // Corners in the plane, and a corner that is no number.
        assert_eq!(section(&sheet, DVec3::ZERO, DVec3::NEG_Z).len(), 1);
        assert!(section(&sheet, DVec3::Z, DVec3::Z).points.len() <= 3);
        book.positions[0].x = f32::NAN;
        assert!(section(&book, DVec3::Z * 0.5, DVec3::Z).is_empty());
    }
}
