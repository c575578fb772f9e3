//! Sources of distances that are points of a surface.

use super::GeodesicSeed;
use crate::Error;
use glam::DVec3;
use rayon::prelude::*;

/// Point of a surface that is nearest to a point in space, as a source of distances.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSeeds {
    /// Corners of the faces that hold the point, with their straight distances from it.
    pub seeds: Vec<GeodesicSeed>,
    /// Distance of the point in space from the surface.
    pub off_surface: f64,
}

/// Faces within this part of the mesh's longest box side of the nearest point hold it, too: it lies on their edge.
const ON_EDGE: f64 = 1e-7;

/// Finds the point of the surface that is nearest to `point`, and the vertices from which distances to it begin.
/// `positions` and `point` are in one unit, in which the results are, too; `source` is the source's number. It visits
/// every face once.
///
/// # Errors
///
/// [`Error::Options`] for a point that is not finite, or a mesh without faces.
pub fn point_seeds(
    positions: &(impl Fn(u32) -> DVec3 + Sync),
    faces: &[[u32; 3]],
    point: DVec3,
    source: u32,
) -> Result<PointSeeds, Error> {
    if !point.is_finite() {
        return Err(Error::Options(format!(
            "the source point {point} has a coordinate that is not finite"
        )));
    }
    let corners = |f: usize| faces[f].map(positions);
    let nearest = |f: usize| nearest_in_triangle(point, corners(f));
    let best = (0..faces.len())
        .into_par_iter()
        .map(|f| (nearest(f).distance_squared(point), f))
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let Some((_, best)) = best else {
        return Err(Error::Options(
            "a mesh without faces has no surface for a source point".into(),
        ));
    };
    let place = nearest(best);
    let around = corners(best);
    let size = [0, 1, 2].map(|k| around[k].distance(around[(k + 1) % 3]));
    let near = ON_EDGE * size.into_iter().fold(0.0, f64::max);
    let holding = (0..faces.len())
        .into_par_iter()
        .filter(|&f| f == best || nearest_in_triangle(place, corners(f)).distance(place) <= near);
    let mut seeds: Vec<GeodesicSeed> = holding
        .flat_map_iter(|f| faces[f])
        .map(|vertex| GeodesicSeed {
            vertex,
            distance: positions(vertex).distance(place),
            source,
        })
        .collect();
    seeds.sort_by_key(|s| s.vertex);
    seeds.dedup_by_key(|s| s.vertex);
    Ok(PointSeeds {
        seeds,
        off_surface: place.distance(point),
    })
}

/// Returns the point of a triangle that is nearest to a point (Ericson 2005, "Real-Time Collision Detection", section
/// 5.1.5).
fn nearest_in_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let on = |a: DVec3, b: DVec3| {
        let side = b - a;
        let t = (p - a).dot(side) / side.dot(side);
        // Not a number for a side without length.
        a + side * if t > 0.0 { t.min(1.0) } else { 0.0 }
    };
    let normal = (b - a).cross(c - a);
    let square = normal.dot(normal);
    let inside = |a: DVec3, b: DVec3| (b - a).cross(p - a).dot(normal) >= 0.0;
    if square > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return p - normal * ((p - a).dot(normal) / square);
    }
    let sides = [on(a, b), on(b, c), on(c, a)];
    let first = |best: DVec3, q: DVec3| {
        if q.distance_squared(p) < best.distance_squared(p) {
            q
        } else {
            best
        }
    };
    sides.into_iter().reduce(first).unwrap_or(a)
}
