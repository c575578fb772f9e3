//! The same by naive code: edges by their ends, rings by walking from face to face, in `f64`.

use std::collections::HashMap;
use std::f64::consts::TAU;

use rxmesh_host::mesh::PolyMesh;

use crate::{CheckedSurface, Result};

type Point = [f64; 3];

/// A level: positions, and triangles in the order of the library: the three at the corners of each triangle, and behind
/// all of these the inner ones.
struct CheckedLevel {
    positions: Vec<Point>,
    faces: Vec<[u32; 3]>,
}

/// The third corner behind each edge, by its ends in the direction of a face.
type Sides = HashMap<[u32; 2], u32>;

/// The largest distance of two corners that should be one place.
pub(crate) fn compare(mesh: &PolyMesh, surface: &CheckedSurface, levels: u32) -> Result<f32> {
    let mut level = CheckedLevel {
        positions: mesh
            .positions
            .iter()
            .map(|p| p.to_array().map(f64::from))
            .collect(),
        faces: mesh.corners.chunks(3).map(|c| [c[0], c[1], c[2]]).collect(),
    };
    for _ in 0..levels {
        level = next(&level);
    }
    if level.faces.len() != surface.faces.len() || level.positions.len() != surface.positions.len()
    {
        return Err("another number of vertices or faces".into());
    }
    let mut worst = 0.0;
    for (want, got) in level.faces.iter().zip(&surface.faces) {
        for k in 0..3 {
            let want = level.positions[want[k] as usize];
            let got = surface.positions[got[k] as usize].to_array();
            for c in 0..3 {
                worst = (want[c] - f64::from(got[c])).abs().max(worst);
            }
        }
    }
    Ok(worst as f32)
}

fn next(level: &CheckedLevel) -> CheckedLevel {
    let mut sides = Sides::new();
    for f in &level.faces {
        for k in 0..3 {
            sides.insert([f[k], f[(k + 1) % 3]], f[(k + 2) % 3]);
        }
    }
    let mut positions = level.positions.clone();
    let mut points: HashMap<[u32; 2], u32> = HashMap::new();
    let mut point = |a: u32, b: u32| {
        *points.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            positions.push(edge_point(&level.positions, &sides, a, b));
            positions.len() as u32 - 1
        })
    };
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    for f in &level.faces {
        let middles = [0, 1, 2].map(|k| point(f[k], f[(k + 1) % 3]));
        outer.extend((0..3).map(|k| [f[k], middles[k], middles[(k + 2) % 3]]));
        inner.push(middles);
    }
    outer.extend(inner);
    CheckedLevel {
        positions,
        faces: outer,
    }
}

fn sum(positions: &[Point], terms: &[(u32, f64)]) -> Point {
    let mut sum = [0.0; 3];
    for &(v, weight) in terms {
        for c in 0..3 {
            sum[c] += weight * positions[v as usize][c];
        }
    }
    sum
}

fn edge_point(positions: &[Point], sides: &Sides, a: u32, b: u32) -> Point {
    let middle = [(a, 0.5), (b, 0.5)];
    if !(sides.contains_key(&[a, b]) && sides.contains_key(&[b, a])) {
        let mut terms = vec![(a, 0.5625), (b, 0.5625)];
        for (v, other) in [(a, b), (b, a)] {
            let ends = along_boundary(sides, v);
            let beyond = ends.iter().find(|&&w| w != other);
            let simple = ends.len() == 2;
            terms.push((if simple { *beyond.unwrap_or(&v) } else { v }, -0.0625));
        }
        return sum(positions, &terms);
    }
    let (Some(ring_a), Some(ring_b)) = (ring(sides, a, b), ring(sides, b, a)) else {
        return sum(positions, &middle);
    };
    match (ring_a.len(), ring_b.len()) {
        (6, 6) => {
            let wings = [ring_a[2], ring_a[4], ring_b[2], ring_b[4]];
            let mut terms = middle.to_vec();
            terms.extend([(ring_a[1], 0.125), (ring_a[5], 0.125)]);
            terms.extend(wings.map(|w| (w, -0.0625)));
            sum(positions, &terms)
        }
        (_, 6) => sum(positions, &irregular(a, &ring_a)),
        (6, _) => sum(positions, &irregular(b, &ring_b)),
        _ => {
            let one = sum(positions, &irregular(a, &ring_a));
            let other = sum(positions, &irregular(b, &ring_b));
            [0, 1, 2].map(|c| (one[c] + other[c]) / 2.0)
        }
    }
}

/// The neighbours of a vertex in their order from one of them on; nothing at a boundary.
fn ring(sides: &Sides, v: u32, first: u32) -> Option<Vec<u32>> {
    let mut ring = vec![first];
    loop {
        let next = *sides.get(&[v, *ring.last()?])?;
        if next == first {
            return Some(ring);
        }
        ring.push(next);
    }
}

/// The vertices beside a vertex along the boundary.
fn along_boundary(sides: &Sides, v: u32) -> Vec<u32> {
    let open = sides.keys().filter(|&&[a, b]| !sides.contains_key(&[b, a]));
    let mut ends: Vec<u32> = open
        .filter_map(|&[a, b]| match () {
            _ if a == v => Some(b),
            _ if b == v => Some(a),
            _ => None,
        })
        .collect();
    ends.sort_unstable();
    ends
}

fn irregular(v: u32, ring: &[u32]) -> Vec<(u32, f64)> {
    let n = ring.len();
    let share = |j: usize| match (n, j) {
        (3, 0) => 5.0 / 12.0,
        (3, _) => -1.0 / 12.0,
        (4, 0) => 3.0 / 8.0,
        (4, 2) => -1.0 / 8.0,
        (4, _) => 0.0,
        _ => {
            let angle = TAU * j as f64 / n as f64;
            (0.25 + angle.cos() + 0.5 * (2.0 * angle).cos()) / n as f64
        }
    };
    let mut terms = vec![(v, 0.75)];
    terms.extend(ring.iter().enumerate().map(|(j, &w)| (w, share(j))));
    terms
}
