//! Positions of least bending for the new vertices of a patch.
//!
//! A patch is drawn first as a membrane (harmonic, L x = 0), then as a thin plate that goes on from the faces around it
//! without a crease (biharmonic, L M^-1 L x = 0, with the row of the ring that knows the faces around; Botsch and
//! Kobbelt 2004), L with cotangent weights, M with areas. The membrane's factors are the thin plate's preconditioner:
//! the two differ only at the ring, so that few steps are needed.

use super::flip::Flips;
use super::patch::{Around, Patch};
use super::solve::{Factors, Matrix};
use glam::DVec3;
use std::collections::HashMap;

/// Cotangent weights are kept between this and its inverse: a needle must not hold all others.
const LEAST_WEIGHT: f64 = 1e-3;

/// Where a membrane folds more sharply than this against the faces around, the border stays a crease: the cosine of 60
/// degrees.
const CREASE: f64 = 0.5;

/// Thin plates drawn one after the other, each on the shape of the last.
const PLATES: usize = 2;

/// Most steps of conjugate gradients, and the part of the first residual at which they end.
const MOST_STEPS: usize = 300;
const RESIDUAL: f64 = 1e-9;

/// Moves the new vertices of a patch.
pub(super) fn fair(patch: &mut Patch, around: &Around, is_there: &dyn Fn(u32, u32) -> bool) {
    if patch.parents.is_empty() {
        return;
    }
    let Some(()) = draw(patch, around, |sheet, x| sheet.membrane(x)) else {
        return;
    };
    for _ in 0..PLATES {
        Flips::new(patch, is_there).relax_all();
        let Some(()) = draw(patch, around, Sheet::plate) else {
            return;
        };
    }
    Flips::new(patch, is_there).relax_all();
}

/// Gives the new vertices new positions; nothing when they could not be computed, and then nothing is changed.
fn draw(
    patch: &mut Patch,
    around: &Around,
    how: impl Fn(&Sheet, &[DVec3]) -> Option<Vec<DVec3>>,
) -> Option<()> {
    let x: Vec<DVec3> = patch
        .points
        .iter()
        .chain(&around.outside)
        .copied()
        .collect();
    let sheet = Sheet::new(patch, around, &x)?;
    let new = how(&sheet, &x)?;
    let ring = patch.ring as usize;
    if !new.iter().all(|p| p.is_finite()) {
        return None;
    }
    patch.points[ring..].copy_from_slice(&new);
    Some(())
}

/// The operators of a patch and the faces around it. Vertices: the ring, the new ones, those outside.
struct Sheet {
    ring: usize,
    /// End of the new vertices.
    inner: usize,
    /// Rows of L for the ring and the new vertices.
    matrix: Matrix,
    /// Inverse areas of the same; zero at creases.
    inverse: Vec<f64>,
    factors: Factors,
}

impl Sheet {
    fn new(patch: &Patch, around: &Around, x: &[DVec3]) -> Option<Sheet> {
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
        let matrix = laplacian(weights, inner);
        Some(Sheet {
            factors: Factors::new(&inside(&matrix, ring), &x[ring..inner])?,
            ring,
            inner,
            inverse: (0..inner).map(inverse).collect(),
            matrix,
        })
    }

    /// L x at a vertex of the ring or a new one.
    fn laplace(&self, x: &[DVec3], v: usize) -> DVec3 {
        let row = &self.matrix.rows[v];
        let sum: DVec3 = row.iter().map(|&(w, a)| a * x[w as usize]).sum();
        self.matrix.diagonal[v] * x[v] + sum
    }

    /// New vertices of a membrane between the others.
    fn membrane(&self, x: &[DVec3]) -> Option<Vec<DVec3>> {
        let mut fixed = x.to_vec();
        fixed[self.ring..self.inner].fill(DVec3::ZERO);
        let right: Vec<DVec3> = (self.ring..self.inner)
            .map(|v| -self.laplace(&fixed, v))
            .collect();
        Some(self.factors.solve(&right))
    }

    /// L M^-1 L x at the new vertices.
    fn bend(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut y: Vec<DVec3> = (0..self.inner)
            .map(|v| self.inverse[v] * self.laplace(x, v))
            .collect();
        y.resize(x.len(), DVec3::ZERO);
        (self.ring..self.inner)
            .map(|v| self.laplace(&y, v))
            .collect()
    }

    /// The membrane's part of the same, inverted.
    fn unbend(&self, r: &[DVec3]) -> Vec<DVec3> {
        let mut y = self.factors.solve(r);
        for (y, inverse) in y.iter_mut().zip(&self.inverse[self.ring..]) {
            *y /= *inverse;
        }
        self.factors.solve(&y)
    }

    /// New vertices of a thin plate, by preconditioned conjugate gradients on the three coordinates at once.
    fn plate(&self, x: &[DVec3]) -> Option<Vec<DVec3>> {
        let mut all = x.to_vec();
        let inner = self.ring..self.inner;
        let mut r: Vec<DVec3> = self.bend(&all).into_iter().map(|b| -b).collect();
        let mut z = self.unbend(&r);
        let mut p = z.clone();
        let mut rz = dot(&r, &z);
        let first = rz;
        // A direction of search has zeroes at the vertices that stay.
        let mut direction = vec![DVec3::ZERO; x.len()];
        for _ in 0..MOST_STEPS {
            if rz.cmple(RESIDUAL * RESIDUAL * first).all() {
                break;
            }
            direction[inner.clone()].copy_from_slice(&p);
            let bent = self.bend(&direction);
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

/// The scalar products of the three coordinates.
fn dot(a: &[DVec3], b: &[DVec3]) -> DVec3 {
    a.iter().zip(b).map(|(a, b)| *a * *b).sum()
}

/// `a` over `b` for each coordinate, 0 over 0 is 0.
fn ratio(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::select(b.cmpgt(DVec3::ZERO), a / b, DVec3::ZERO)
}

/// The rows of L for the first `count` vertices.
fn laplacian(weights: HashMap<[u32; 2], f64>, count: usize) -> Matrix {
    let mut edges: Vec<([u32; 2], f64)> = weights.into_iter().collect();
    edges.sort_unstable_by_key(|(edge, _)| *edge);
    let mut matrix = Matrix {
        rows: vec![Vec::new(); count],
        diagonal: vec![0.0; count],
    };
    for ([a, b], weight) in edges {
        let weight = weight.clamp(LEAST_WEIGHT, 1.0 / LEAST_WEIGHT);
        for (v, w) in [(a, b), (b, a)] {
            if let Some(row) = matrix.rows.get_mut(v as usize) {
                row.push((w, -weight));
                matrix.diagonal[v as usize] += weight;
            }
        }
    }
    matrix
}

/// The part of a matrix for the unknowns from `ring` on.
fn inside(matrix: &Matrix, ring: usize) -> Matrix {
    let inner = |&(w, a): &(u32, f64)| {
        let w = w as usize;
        (w >= ring && w < matrix.rows.len()).then(|| ((w - ring) as u32, a))
    };
    Matrix {
        rows: matrix.rows[ring..]
            .iter()
            .map(|row| row.iter().filter_map(inner).collect())
            .collect(),
        diagonal: matrix.diagonal[ring..].to_vec(),
    }
}
