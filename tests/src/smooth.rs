//! Vertex normals and mean curvature flow in `f64`, as written in the papers.

use crate::cholesky::Cholesky;
use crate::oracle::Oracle;
use glam::{DVec3, Vec3};
use std::collections::HashMap;

/// Computes the vertex normals of Max 1999 and the cancellation of their sums: length of the sum over the sum of
/// lengths.
pub fn normals(positions: &[Vec3], faces: &[[u32; 3]]) -> Vec<(DVec3, f64)> {
    let mut sums = vec![(DVec3::ZERO, 0.0); positions.len()];
    let at = |v: u32| positions[v as usize].as_dvec3();
    for f in faces {
        for k in 0..3 {
            let [v, next, previous] = [f[k], f[(k + 1) % 3], f[(k + 2) % 3]];
            let (a, b) = (at(next) - at(v), at(previous) - at(v));
            let weight = a.length_squared() * b.length_squared();
            if weight > 0.0 {
                let n = a.cross(b) / weight;
                sums[v as usize].0 += n;
                sums[v as usize].1 += n.length();
            }
        }
    }
    let finish = |(sum, lengths): (DVec3, f64)| {
        (
            sum.normalize_or_zero(),
            if lengths > 0.0 {
                sum.length() / lengths
            } else {
                0.0
            },
        )
    };
    sums.into_iter().map(finish).collect()
}

/// Matrix of mean curvature flow: mixed Voronoi areas (Meyer et al. 2003) and clamped cotangent weights.
pub struct Flow {
    /// `A_i`.
    pub areas: Vec<f64>,
    /// `w_ij` by the pair of vertices, the smaller first.
    pub weights: HashMap<(u32, u32), f64>,
}

impl Flow {
    /// Computes the areas and weights of a mesh.
    pub fn new(positions: &[Vec3], faces: &[[u32; 3]]) -> Flow {
        let at = |v: u32| positions[v as usize].as_dvec3();
        let mut areas = vec![0.0; positions.len()];
        let mut weights = HashMap::new();
        for f in faces {
            let p = f.map(at);
            let double = (p[1] - p[0]).cross(p[2] - p[0]).length();
            if double <= 0.0 {
                continue;
            }
            let edge = |k: usize| p[(k + 1) % 3] - p[k];
            let cot = [0, 1, 2].map(|k: usize| -edge(k).dot(edge((k + 2) % 3)) / double);
            let obtuse = cot.iter().position(|&c| c < 0.0);
            for k in 0..3 {
                let (next, previous) = ((k + 1) % 3, (k + 2) % 3);
                // The edge from corner k to the next is opposite to the previous corner.
                let key = (f[k].min(f[next]), f[k].max(f[next]));
                *weights.entry(key).or_insert(0.0) += cot[previous];
                areas[f[k] as usize] += match obtuse {
                    None => {
                        (edge(k).length_squared() * cot[previous]
                            + edge(previous).length_squared() * cot[next])
                            / 8.0
                    }
                    Some(o) if o == k => double / 4.0,
                    Some(_) => double / 8.0,
                };
            }
        }
        weights.values_mut().for_each(|w: &mut f64| *w = w.max(0.0));
        Flow { areas, weights }
    }

    /// Solves `(2 A_i + dt sum_j w_ij) x_i - dt sum_j w_ij x_j = 2 A_i x0_i` directly, in
    /// coordinates relative to the first vertex and the mesh's size. A vertex without area stays.
    pub fn solve(&self, positions: &[Vec3], dt: f64) -> Vec<DVec3> {
        let n = positions.len();
        let Some(origin) = positions.first().map(|p| p.as_dvec3()) else {
            return Vec::new();
        };
        let unit = mean(&self.areas);
        if unit <= 0.0 {
            return positions.iter().map(|p| p.as_dvec3()).collect();
        }
        let x0: Vec<DVec3> = positions.iter().map(|p| p.as_dvec3() - origin).collect();
        let still = |i: usize| self.areas[i] <= 0.0;
        let mut diagonal: Vec<f64> = (0..n)
            .map(|i| {
                if still(i) {
                    1.0
                } else {
                    2.0 * self.areas[i] / unit
                }
            })
            .collect();
        let right: Vec<DVec3> = (0..n).map(|i| x0[i] * diagonal[i]).collect();
        let mut entries = Vec::new();
        for (&(i, j), &w) in self
            .weights
            .iter()
            .filter(|((i, j), w)| i != j && **w > 0.0)
        {
            let (i, j, w) = (i as usize, j as usize, dt * w / unit);
            assert!(!still(i) && !still(j), "a weight at a vertex without area");
            diagonal[i] += w;
            diagonal[j] += w;
            entries.extend([(i, j, -w), (j, i, -w)]);
        }
        entries.extend((0..n).map(|i| (i, i, diagonal[i])));
        let x = Cholesky::new(n, entries).solve(&right);
        x.into_iter().map(|x| origin + x).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns the mean length of all edges, those from a vertex to itself included.
pub fn mean_edge_length(positions: &[Vec3], oracle: &Oracle) -> f64 {
    let at = |v: u32| positions[v as usize].as_dvec3();
    let lengths: Vec<f64> = oracle
        .edges
        .iter()
        .map(|&(a, b)| at(a).distance(at(b)))
        .collect();
    mean(&lengths)
}

/// Returns the diagonal of the bounding box of all points.
pub fn box_diagonal(positions: &[Vec3]) -> f64 {
    let p = || positions.iter().map(|p| p.as_dvec3());
    let (lo, hi) = (
        p().fold(DVec3::MAX, DVec3::min),
        p().fold(DVec3::MIN, DVec3::max),
    );
    if positions.is_empty() {
        0.0
    } else {
        lo.distance(hi)
    }
}
