//! Positions of least bending for the new vertices of a patch.
//!
//! A patch is drawn first as a membrane (harmonic, L x = 0), then as a thin plate that continues from the faces around
//! it without a crease (biharmonic, L M^-1 L x = 0, with the row of the ring that knows the faces around; Botsch and
//! Kobbelt 2004), L with cotangent weights, M with areas. The membrane's factors are the thin plate's preconditioner:
//! the two differ only at the ring, so that few steps are needed.

use super::FOLDED;
use super::flip::Flips;
use super::patch::{HoleContext, HolePatch};
use super::solve::{Factors, SymmetricMatrix};
use crate::repair::boxes::is_far;
use glam::DVec3;
use std::collections::HashMap;

/// Cotangent weights are kept between this and its inverse: a needle must not hold all others.
const LEAST_WEIGHT: f64 = 1e-3;

/// Cosine of the fold between membrane and surrounding faces beyond which the border stays a crease: 60 degrees.
const CREASE: f64 = 0.5;

/// Thin plates drawn one after the other, each on the shape of the last: the first bends as little as possible, those
/// after it are as curved as the surface around. Large patches have to do with two.
const PLATES: usize = 4;
const LARGE: usize = 5_000;

/// Number of times that curvatures along the ring are averaged with their neighbours'.
const AVERAGES: usize = 8;

/// Most steps of conjugate gradients, and the part of the first residual at which they end.
const MOST_STEPS: usize = 100;
const RESIDUAL: f64 = 1e-6;

/// Moves the new vertices of a patch. A plate that folds sharply, where the one before does not, is given up.
pub(super) fn fair(
    patch: &mut HolePatch,
    around: &HoleContext,
    is_there: &dyn Fn(u32, u32) -> bool,
) {
    if patch.parents.is_empty() {
        return;
    }
    let Some(()) = draw(patch, around, |sheet, x| sheet.membrane(x)) else {
        return;
    };
    let plates = if patch.parents.len() > LARGE {
        2
    } else {
        PLATES
    };
    for plate in 0..plates {
        let last = patch.clone();
        Flips::new(patch, is_there).relax_all();
        let curved = plate > 0;
        let drawn = draw(patch, around, |sheet, x| {
            let none = vec![DVec3::ZERO; x.len()];
            let curvature = if curved {
                sheet.curvature(around, x)
            } else {
                none
            };
            sheet.plate(x, &curvature)
        });
        if drawn.is_some() {
            Flips::new(patch, is_there).relax_all();
        }
        if drawn.is_none() || patch.sharpest() < last.sharpest().min(FOLDED) {
            *patch = last;
            return;
        }
    }
}

/// Computes new positions for the new vertices. `None`, and no change, if they cannot be computed or lie farther from
/// the hole than it is wide.
fn draw(
    patch: &mut HolePatch,
    around: &HoleContext,
    how: impl Fn(&FairingOperators, &[DVec3]) -> Option<Vec<DVec3>>,
) -> Option<()> {
    let x: Vec<DVec3> = patch
        .points
        .iter()
        .chain(&around.outside)
        .copied()
        .collect();
    let sheet = FairingOperators::new(patch, around, &x)?;
    let new = how(&sheet, &x)?;
    let ring = patch.ring as usize;
    let bounds = around.bounds();
    let reach = bounds.0.distance(bounds.1);
    if !new
        .iter()
        .all(|p| p.is_finite() && !is_far(bounds, *p, reach))
    {
        return None;
    }
    patch.points[ring..].copy_from_slice(&new);
    Some(())
}

/// Operators of a patch and the faces around it. Vertices: the ring, the new ones, those outside.
struct FairingOperators {
    ring: usize,
    /// End of the new vertices.
    inner: usize,
    /// Rows of L.
    matrix: SymmetricMatrix,
    /// Inverse areas of the ring and the new vertices; zero at creases.
    inverse: Vec<f64>,
    /// Unit normals and areas of all vertices, of the faces that are here.
    normals: Vec<DVec3>,
    areas: Vec<f64>,
    factors: Factors,
}

impl FairingOperators {
    fn new(patch: &HolePatch, around: &HoleContext, x: &[DVec3]) -> Option<FairingOperators> {
        let (ring, inner) = (patch.ring as usize, patch.points.len());
        let outside = |v: u32| {
            if (v as usize) < ring {
                v
            } else {
                v + (inner - ring) as u32
            }
        };
        let around: Vec<[u32; 3]> = around.faces.iter().map(|f| f.map(outside)).collect();
        let mut weights: HashMap<[u32; 2], f64> = HashMap::with_capacity(3 * patch.faces.len());
        let mut areas = vec![0.0; x.len()];
        let mut normals = vec![DVec3::ZERO; x.len()];
        // Sums of normals of the ring's new faces and of the old ones.
        let mut facing = vec![[DVec3::ZERO; 2]; ring];
        let sides = [&patch.faces[..], &around[..]];
        for (side, faces) in sides.into_iter().enumerate() {
            for f in faces {
                let p = f.map(|v| x[v as usize]);
                let cross = (p[1] - p[0]).cross(p[2] - p[0]);
                let double_area = cross.length();
                for k in 0..3 {
                    areas[f[k] as usize] += double_area / 6.0;
                    normals[f[k] as usize] += cross;
                    if let Some(sums) = facing.get_mut(f[k] as usize) {
                        sums[side] += cross;
                    }
                    let (a, b) = (f[(k + 1) % 3], f[(k + 2) % 3]);
                    let dot = (p[(k + 1) % 3] - p[k]).dot(p[(k + 2) % 3] - p[k]);
                    let cot = if double_area > 0.0 {
                        dot / double_area
                    } else {
                        0.0
                    };
                    *weights.entry([a.min(b), a.max(b)]).or_insert(0.0) += 0.5 * cot;
                }
            }
        }
        let mean = areas[ring..inner].iter().sum::<f64>() / (inner - ring) as f64;
        let smooth = |v: usize| {
            let folded = |[new, old]: [DVec3; 2]| {
                new.normalize_or_zero().dot(old.normalize_or_zero()) < CREASE
            };
            v >= ring || !folded(facing[v])
        };
        let inverse = |v: usize| {
            if smooth(v) {
                1.0 / areas[v].max(1e-6 * mean)
            } else {
                0.0
            }
        };
        let matrix = laplacian(weights, x.len());
        Some(FairingOperators {
            factors: Factors::new(&inside(&matrix, ring, inner), &x[ring..inner])?,
            ring,
            inner,
            inverse: (0..inner).map(inverse).collect(),
            normals: normals.into_iter().map(DVec3::normalize_or_zero).collect(),
            areas,
            matrix,
        })
    }

    /// Returns L x at a vertex of the ring or a new one.
    fn laplace(&self, x: &[DVec3], v: usize) -> DVec3 {
        let row = &self.matrix.rows[v];
        let sum: DVec3 = row.iter().map(|&(w, a)| a * x[w as usize]).sum();
        self.matrix.diagonal[v] * x[v] + sum
    }

    /// Computes new vertices of a membrane between the others.
    fn membrane(&self, x: &[DVec3]) -> Option<Vec<DVec3>> {
        let mut fixed = x.to_vec();
        fixed[self.ring..self.inner].fill(DVec3::ZERO);
        let right: Vec<DVec3> = (self.ring..self.inner)
            .map(|v| -self.laplace(&fixed, v))
            .collect();
        Some(self.factors.solve(&right))
    }

    /// Computes the mean curvature normals to be aimed at, for the ring and the new vertices: M^-1 L x as it would be
    /// if the mean curvature went on from the surface around as smoothly as heat does.
    fn curvature(&self, around: &HoleContext, x: &[DVec3]) -> Vec<DVec3> {
        let mut along = vec![DVec3::ZERO; x.len()];
        for (along, h) in along.iter_mut().zip(self.of_ring(around, x)) {
            along.x = h;
        }
        let right: Vec<DVec3> = (self.ring..self.inner)
            .map(|v| -self.laplace(&along, v))
            .collect();
        along[self.ring..self.inner].copy_from_slice(&self.factors.solve(&right));
        along
            .iter()
            .zip(&self.normals)
            .map(|(h, n)| h.x * *n)
            .collect()
    }

    /// Returns twice the mean curvature at each vertex of the ring, as the surface beside it has it; 0 at creases.
    fn of_ring(&self, around: &HoleContext, x: &[DVec3]) -> Vec<f64> {
        let mut whole = vec![false; x.len()];
        for &v in &around.whole {
            whole[v as usize + self.inner - self.ring] = true;
        }
        let curvature = |v: u32| {
            let v = v as usize;
            let h = self.laplace(x, v).dot(self.normals[v]) / self.areas[v];
            (whole[v] && h.is_finite()).then_some(h)
        };
        // Sums of curvatures and the number of their terms.
        let near = |v: usize| {
            let beside = self.matrix.rows[v]
                .iter()
                .filter_map(|&(w, _)| curvature(w));
            beside.fold((0.0, 0.0), |(sum, count), h| (sum + h, count + 1.0))
        };
        let mut sums: Vec<(f64, f64)> = (0..self.ring).map(near).collect();
        let n = self.ring;
        for _ in 0..AVERAGES {
            let mix = |i: usize| {
                let ([a, b], c) = ([sums[(i + n - 1) % n], sums[(i + 1) % n]], sums[i]);
                let mean = |a: f64, b: f64, c: f64| 0.25 * (a + b) + 0.5 * c;
                (mean(a.0, b.0, c.0), mean(a.1, b.1, c.1))
            };
            sums = (0..n).map(mix).collect();
        }
        let mean = |(i, (sum, count)): (usize, &(f64, f64))| {
            if self.inverse[i] > 0.0 && *count > 0.0 {
                sum / count
            } else {
                0.0
            }
        };
        sums.iter().enumerate().map(mean).collect()
    }

    /// Computes L (M^-1 L x - t) at the new vertices, t being curvatures to be aimed at.
    fn bend(&self, x: &[DVec3], target: &[DVec3]) -> Vec<DVec3> {
        let bent = |v: usize| {
            let is_free = self.inverse[v] > 0.0;
            if is_free {
                self.inverse[v] * self.laplace(x, v) - target[v]
            } else {
                DVec3::ZERO
            }
        };
        let mut y: Vec<DVec3> = (0..self.inner).map(bent).collect();
        y.resize(x.len(), DVec3::ZERO);
        (self.ring..self.inner)
            .map(|v| self.laplace(&y, v))
            .collect()
    }

    /// Applies the inverse of the membrane's part of the same.
    fn unbend(&self, r: &[DVec3]) -> Vec<DVec3> {
        let mut y = self.factors.solve(r);
        for (y, inverse) in y.iter_mut().zip(&self.inverse[self.ring..]) {
            *y /= *inverse;
        }
        self.factors.solve(&y)
    }

    /// Computes new vertices of a thin plate, by preconditioned conjugate gradients on the three coordinates at once.
    fn plate(&self, x: &[DVec3], curvature: &[DVec3]) -> Option<Vec<DVec3>> {
        let mut all = x.to_vec();
        let inner = self.ring..self.inner;
        let mut r: Vec<DVec3> = self.bend(&all, curvature).into_iter().map(|b| -b).collect();
        let mut z = self.unbend(&r);
        let mut p = z.clone();
        let mut rz = dot(&r, &z);
        let first = rz;
        // A direction of search has zeroes at the vertices that stay.
        let mut direction = vec![DVec3::ZERO; x.len()];
        let none = direction.clone();
        for _ in 0..MOST_STEPS {
            if rz.cmple(RESIDUAL * RESIDUAL * first).all() {
                break;
            }
            direction[inner.clone()].copy_from_slice(&p);
            let bent = self.bend(&direction, &none);
            let step = ratio(rz, dot(&p, &bent));
            for (x, p) in all[inner.clone()].iter_mut().zip(&p) {
                *x += step * *p;
            }
            for (r, b) in r.iter_mut().zip(&bent) {
                *r -= step * *b;
            }
            z = self.unbend(&r);
            let next = dot(&r, &z);
            let turn = ratio(next, rz);
            for (p, z) in p.iter_mut().zip(&z) {
                *p = *z + turn * *p;
            }
            rz = next;
        }
        Some(all[inner].to_vec())
    }
}

/// Returns the scalar products of the three coordinates.
fn dot(a: &[DVec3], b: &[DVec3]) -> DVec3 {
    a.iter().zip(b).map(|(a, b)| *a * *b).sum()
}

/// Returns `a` over `b` for each coordinate; 0 over 0 is 0.
fn ratio(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::select(b.cmpgt(DVec3::ZERO), a / b, DVec3::ZERO)
}

/// Builds L of `count` vertices.
fn laplacian(weights: HashMap<[u32; 2], f64>, count: usize) -> SymmetricMatrix {
    let mut edges: Vec<([u32; 2], f64)> = weights.into_iter().collect();
    edges.sort_unstable_by_key(|(edge, _)| *edge);
    let mut matrix = SymmetricMatrix {
        rows: vec![Vec::new(); count],
        diagonal: vec![0.0; count],
    };
    for ([a, b], weight) in edges {
        let weight = weight.clamp(LEAST_WEIGHT, 1.0 / LEAST_WEIGHT);
        for (v, w) in [(a, b), (b, a)] {
            matrix.rows[v as usize].push((w, -weight));
            matrix.diagonal[v as usize] += weight;
        }
    }
    matrix
}

/// Returns the part of a matrix for the unknowns from `ring` to `inner`.
fn inside(matrix: &SymmetricMatrix, ring: usize, inner: usize) -> SymmetricMatrix {
    let place = |&(w, a): &(u32, f64)| {
        let w = w as usize;
        (w >= ring && w < inner).then(|| ((w - ring) as u32, a))
    };
    let rows = matrix.rows[ring..inner].iter();
    SymmetricMatrix {
        rows: rows
            .map(|row| row.iter().filter_map(place).collect())
            .collect(),
        diagonal: matrix.diagonal[ring..inner].to_vec(),
    }
}
