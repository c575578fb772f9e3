//! Elastic bodies in `f64`, by plain code: gradients of shape functions, energies of cells, forces by their definition,
//! the polar rotation, and steps of implicit Euler solved to convergence.

use crate::cholesky::Cholesky;
use glam::{DMat3, DVec3};

/// Body at rest, with the parameters of a step.
#[derive(Clone, Debug)]
pub struct Elastic {
    /// Cells.
    pub cells: Vec<[u32; 4]>,
    /// Positions at rest.
    pub rest: Vec<DVec3>,
    /// Shear modulus of each cell.
    pub mu: Vec<f64>,
    /// Lame's first parameter of each cell.
    pub lambda: Vec<f64>,
    /// Masses.
    pub mass: Vec<f64>,
    /// `true` for each vertex that is held.
    pub held: Vec<bool>,
}

/// Energy density as a function of the deformation gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Density {
    /// `mu |F - R|^2`.
    AsRigidAsPossible,
    /// `mu / 2 (|F|^2 - 3) - mu (J - 1) + (lambda + mu) / 2 (J - 1)^2`.
    NeoHookean,
}

/// Computes the rotation nearest to a matrix: that of the largest `tr(R^T F)`, by the eigenvalues of Horn's quaternion
/// matrix (Jacobi's method).
pub fn nearest_rotation(f: DMat3) -> DMat3 {
    let m = |r: usize, c: usize| f.col(c)[r];
    let a = [
        [
            m(0, 0) + m(1, 1) + m(2, 2),
            m(2, 1) - m(1, 2),
            m(0, 2) - m(2, 0),
            m(1, 0) - m(0, 1),
        ],
        [
            0.0,
            m(0, 0) - m(1, 1) - m(2, 2),
            m(0, 1) + m(1, 0),
            m(0, 2) + m(2, 0),
        ],
        [0.0, 0.0, m(1, 1) - m(0, 0) - m(2, 2), m(1, 2) + m(2, 1)],
        [0.0, 0.0, 0.0, m(2, 2) - m(0, 0) - m(1, 1)],
    ];
    let [w, x, y, z] = first_eigenvector(std::array::from_fn(|r| {
        std::array::from_fn(|c| a[r.min(c)][r.max(c)])
    }));
    DMat3::from_quat(glam::DQuat::from_xyzw(x, y, z, w).normalize())
}

/// Returns the eigenvector of a symmetric matrix that belongs to the largest eigenvalue, by Jacobi's rotations (Golub
/// and Van Loan, Matrix Computations, section 8.5).
fn first_eigenvector(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    let mut vectors: [[f64; 4]; 4] =
        std::array::from_fn(|r| std::array::from_fn(|c| f64::from(u8::from(r == c))));
    // Convergence is quadratic: a handful of sweeps is enough.
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let c = t.hypot(1.0).recip();
            let s = t * c;
            for row in a.iter_mut().chain(&mut vectors) {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let rows = [a[p], a[q]];
            a[p] = std::array::from_fn(|k| c * rows[0][k] - s * rows[1][k]);
            a[q] = std::array::from_fn(|k| s * rows[0][k] + c * rows[1][k]);
        }
    }
    let largest = (0..4)
        .max_by(|&i, &j| a[i][i].total_cmp(&a[j][j]))
        .expect("four");
    vectors.map(|row| row[largest])
}

impl Elastic {
    /// Returns the gradients of the four shape functions of a cell, and its volume.
    pub fn shape(&self, c: usize) -> ([DVec3; 4], f64) {
        let p = self.cells[c].map(|v| self.rest[v as usize]);
        let m = DMat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0]);
        let inverse = m.inverse();
        let g = [inverse.row(0), inverse.row(1), inverse.row(2)];
        (
            [-(g[0] + g[1] + g[2]), g[0], g[1], g[2]],
            m.determinant().abs() / 6.0,
        )
    }

    /// Returns the deformation gradient of a cell.
    pub fn deformation(&self, c: usize, x: &[DVec3]) -> DMat3 {
        let (g, _) = self.shape(c);
        let mut f = DMat3::ZERO;
        for (v, g) in self.cells[c].iter().zip(g) {
            let p = x[*v as usize];
            f += DMat3::from_cols(p * g.x, p * g.y, p * g.z);
        }
        f
    }

    fn squared(f: DMat3) -> f64 {
        f.x_axis.length_squared() + f.y_axis.length_squared() + f.z_axis.length_squared()
    }

    /// Returns the elastic energy in joules.
    pub fn energy(&self, density: Density, x: &[DVec3]) -> f64 {
        let of = |c: usize| {
            let (f, (mu, lambda)) = (self.deformation(c, x), (self.mu[c], self.lambda[c]));
            let density = match density {
                Density::AsRigidAsPossible => mu * Self::squared(f - nearest_rotation(f)),
                Density::NeoHookean => {
                    let j = f.determinant() - 1.0;
                    0.5 * mu * (Self::squared(f) - 3.0) - mu * j + 0.5 * (lambda + mu) * j * j
                }
            };
            density * self.shape(c).1
        };
        (0..self.cells.len()).map(of).sum()
    }

    /// Returns the forces: minus the energy's derivative.
    pub fn forces(&self, density: Density, x: &[DVec3]) -> Vec<DVec3> {
        let mut force = vec![DVec3::ZERO; x.len()];
        for c in 0..self.cells.len() {
            let (f, (mu, lambda)) = (self.deformation(c, x), (self.mu[c], self.lambda[c]));
            let stress = match density {
                Density::AsRigidAsPossible => (f - nearest_rotation(f)) * (2.0 * mu),
                Density::NeoHookean => {
                    let cof = DMat3::from_cols(
                        f.y_axis.cross(f.z_axis),
                        f.z_axis.cross(f.x_axis),
                        f.x_axis.cross(f.y_axis),
                    );
                    f * mu + cof * ((lambda + mu) * (f.determinant() - 1.0) - mu)
                }
            };
            let (g, volume) = self.shape(c);
            for (v, g) in self.cells[c].iter().zip(g) {
                force[*v as usize] -= stress * g * volume;
            }
        }
        force
    }

    /// Returns the energy that a step of implicit Euler minimises: with `m / (2 dt^2) |x - s|^2`, over free vertices.
    pub fn objective(&self, density: Density, x: &[DVec3], s: &[DVec3], dt: f64) -> f64 {
        let inertia = (x.iter().zip(s).zip(&self.mass).zip(&self.held))
            .filter(|(_, held)| !**held)
            .map(|(((x, s), m), _)| 0.5 * m / (dt * dt) * x.distance_squared(*s));
        inertia.sum::<f64>() + self.energy(density, x)
    }

    /// Returns the residual of a step: minus the derivative of the objective, zero where vertices are held.
    pub fn residual(&self, density: Density, x: &[DVec3], s: &[DVec3], dt: f64) -> Vec<DVec3> {
        let mut r = self.forces(density, x);
        for (v, r) in r.iter_mut().enumerate() {
            *r += (s[v] - x[v]) * (self.mass[v] / (dt * dt));
            if self.held[v] {
                *r = DVec3::ZERO;
            }
        }
        r
    }

    /// Factors the matrix of projective dynamics: held vertices have the row of the identity.
    pub fn factor(&self, dt: f64) -> Cholesky {
        let (n, mut entries) = (self.rest.len(), Vec::new());
        for v in 0..n {
            let own = if self.held[v] {
                1.0
            } else {
                self.mass[v] / (dt * dt)
            };
            entries.push((v, v, own));
        }
        for c in 0..self.cells.len() {
            let (g, volume) = self.shape(c);
            for (i, v) in self.cells[c].iter().map(|v| *v as usize).enumerate() {
                for (j, w) in self.cells[c].iter().map(|w| *w as usize).enumerate() {
                    if !self.held[v] && !self.held[w] {
                        let value = 2.0 * self.mu[c] * volume * g[i].dot(g[j]);
                        entries.push((v, w, value));
                    }
                }
            }
        }
        Cholesky::new(n, entries)
    }

    /// Runs local and global steps of projective dynamics, each solved exactly; returns the positions after each round.
    pub fn projective(&self, mut x: Vec<DVec3>, s: &[DVec3], dt: f64, rounds: u32) -> Vec<DVec3> {
        let factor = self.factor(dt);
        for _ in 0..rounds {
            let r = self.residual(Density::AsRigidAsPossible, &x, s, dt);
            for (x, change) in x.iter_mut().zip(factor.solve(&r)) {
                *x += change;
            }
        }
        x
    }

    /// Finds a minimum of the objective from `x` on, by gradient descent with a line search in the metric of the matrix
    /// of projective dynamics: until the residual force is `tolerance` times that at the start.
    pub fn minimum(
        &self,
        density: Density,
        mut x: Vec<DVec3>,
        s: &[DVec3],
        dt: f64,
        tolerance: f64,
    ) -> Vec<DVec3> {
        // Adds the bulk's stiffness to the metric.
        let mut metric = self.clone();
        if density == Density::NeoHookean {
            for (mu, lambda) in metric.mu.iter_mut().zip(&self.lambda) {
                *mu += 0.5 * lambda;
            }
        }
        let factor = metric.factor(dt);
        let size = |r: &[DVec3]| r.iter().map(|r| r.length_squared()).sum::<f64>().sqrt();
        let mut first = None;
        let mut momentum = vec![DVec3::ZERO; x.len()];
        for _ in 0..20_000 {
            let r = self.residual(density, &x, s, dt);
            let start = *first.get_or_insert_with(|| size(&r));
            if size(&r) <= tolerance * start {
                return x;
            }
            let way = factor.solve(&r);
            // Heavy ball; without momentum where the energy would rise.
            let now = self.objective(density, &x, s, dt);
            let mut by = 1.0;
            loop {
                let moved = |v: usize| way[v] * by + momentum[v] * (0.7 * by);
                let next: Vec<DVec3> = (0..x.len()).map(|v| x[v] + moved(v)).collect();
                if self.objective(density, &next, s, dt) <= now || by < 1e-6 {
                    momentum = (0..x.len()).map(|v| next[v] - x[v]).collect();
                    x = next;
                    break;
                }
                momentum.fill(DVec3::ZERO);
                by *= 0.5;
            }
        }
        panic!("no minimum was found");
    }
}

/// Returns the largest distance between corresponding points of two lists.
pub fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| a.distance(*b))
        .fold(0.0, f64::max)
}
