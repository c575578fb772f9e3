//! Energies of cells by plain code in double precision; forces and Hessians by differences of it.

use glam::{DMat3, DVec3};
use rxmesh_host::Vec3;
use rxmesh_host::mesh::TetMesh;
use rxmesh_simulation::{Elasticity, Material};

/// Elasticities of solids, which stretch and bend according to Young's modulus.
pub(super) const SOLIDS: [Elasticity; 4] = [
    Elasticity::NeoHookean,
    Elasticity::Corotated,
    Elasticity::Linear,
    Elasticity::Arap,
];

pub(super) const ALL: [Elasticity; 5] = [
    Elasticity::NeoHookean,
    Elasticity::Corotated,
    Elasticity::Linear,
    Elasticity::Arap,
    Elasticity::Springs,
];

/// Computes the rotation nearest to `F`: Jacobi's method on `F^T F`, with the smallest singular value negated where the
/// matrix mirrors.
pub(super) fn rotation(f: DMat3) -> DMat3 {
    let mut a = f.transpose() * f;
    let mut v = DMat3::IDENTITY;
    for _ in 0..60 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let apq = a.col(q)[p];
            if apq == 0.0 {
                continue;
            }
            let angle = 0.5 * f64::atan2(2.0 * apq, a.col(q)[q] - a.col(p)[p]);
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = angle.cos();
            turn.col_mut(q)[q] = angle.cos();
            turn.col_mut(q)[p] = angle.sin();
            turn.col_mut(p)[q] = -angle.sin();
            a = turn.transpose() * a * turn;
            v *= turn;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a.col(j)[j].total_cmp(&a.col(i)[i]));
    let image = |k: usize| f * v.col(order[k]);
    let u0 = image(0).normalize();
    let u1 = (image(1) - u0 * u0.dot(image(1))).normalize();
    let u2 = u0.cross(u1);
    let v2 = v.col(order[0]).cross(v.col(order[1]));
    let u = DMat3::from_cols(u0, u1, u2);
    u * DMat3::from_cols(v.col(order[0]), v.col(order[1]), v2).transpose()
}

/// Evaluates the density of an energy, as in the papers.
pub(super) fn density(kind: Elasticity, m: Material, f: DMat3) -> f64 {
    let mu = m.young / (2.0 * (1.0 + m.poisson));
    let lambda = m.young * m.poisson / ((1.0 + m.poisson) * (1.0 - 2.0 * m.poisson));
    let squares = |m: DMat3| m.to_cols_array().iter().map(|x| x * x).sum::<f64>();
    let trace = |m: DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
    let corotated = |lambda: f64| {
        let r = rotation(f);
        let stretch = trace(r.transpose() * f) - 3.0;
        mu * squares(f - r) + 0.5 * lambda * stretch * stretch
    };
    match kind {
        Elasticity::NeoHookean => {
            let (mu, lambda) = (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu);
            let alpha = 1.0 + mu / lambda - mu / (4.0 * lambda);
            let (i, j) = (squares(f), f.determinant());
            let at = |i: f64, j: f64| {
                0.5 * mu * (i - 3.0) + 0.5 * lambda * (j - alpha).powi(2)
                    - 0.5 * mu * (i + 1.0).ln()
            };
            at(i, j) - at(3.0, 1.0)
        }
        Elasticity::Corotated => corotated(lambda),
        Elasticity::Arap => corotated(0.0),
        Elasticity::Linear => {
            let e = (f + f.transpose()) * 0.5 - DMat3::IDENTITY;
            mu * squares(e) + 0.5 * lambda * trace(e).powi(2)
        }
        Elasticity::Springs => unreachable!("springs have no density"),
    }
}

/// Body in double precision.
pub(super) struct Oracle {
    pub(super) kind: Elasticity,
    pub(super) cells: Vec<[u32; 4]>,
    pub(super) materials: Vec<Material>,
    pub(super) rest: Vec<DVec3>,
}

impl Oracle {
    pub(super) fn new(kind: Elasticity, mesh: &TetMesh, materials: Vec<Material>) -> Oracle {
        Oracle {
            kind,
            cells: mesh.cells.clone(),
            materials,
            rest: mesh.positions.iter().map(|p| p.as_dvec3()).collect(),
        }
    }

    fn edges(x: &[DVec3], cell: [u32; 4]) -> DMat3 {
        let [a, b, c, d] = cell.map(|v| x[v as usize]);
        DMat3::from_cols(b - a, c - a, d - a)
    }

    pub(super) fn cell_energy(&self, c: usize, x: &[DVec3]) -> f64 {
        if self.kind == Elasticity::Springs {
            return self.springs(c, x);
        }
        let rest = Oracle::edges(&self.rest, self.cells[c]);
        let f = Oracle::edges(x, self.cells[c]) * rest.inverse();
        density(self.kind, self.materials[c], f) * rest.determinant() / 6.0
    }

    /// Returns the energy of a cell's springs, one along each edge.
    fn springs(&self, c: usize, x: &[DVec3]) -> f64 {
        let (cell, young) = (self.cells[c], self.materials[c].young);
        let volume = Oracle::edges(&self.rest, cell).determinant() / 6.0;
        let length =
            |x: &[DVec3], i: usize, j: usize| x[cell[i] as usize].distance(x[cell[j] as usize]);
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let of = |(i, j)| {
            let rest = length(&self.rest, i, j);
            0.5 * young * volume * (length(x, i, j) / rest - 1.0).powi(2)
        };
        pairs.into_iter().map(of).sum()
    }

    pub(super) fn energy(&self, x: &[DVec3]) -> f64 {
        (0..self.cells.len()).map(|c| self.cell_energy(c, x)).sum()
    }

    /// Returns minus the derivatives of a cell's energy by a corner, by differences of fourth order.
    fn cell_force(&self, c: usize, k: usize, x: &mut [DVec3]) -> DVec3 {
        let v = self.cells[c][k] as usize;
        let size = Oracle::edges(&self.rest, self.cells[c])
            .determinant()
            .cbrt();
        let h = 1e-4 * size;
        DVec3::from_array([0, 1, 2].map(|axis| {
            let old = x[v][axis];
            let mut at = |steps: f64| {
                x[v][axis] = old + steps * h;
                self.cell_energy(c, x)
            };
            let near = at(1.0) - at(-1.0);
            let far = at(2.0) - at(-2.0);
            x[v][axis] = old;
            -(8.0 * near - far) / (12.0 * h)
        }))
    }

    /// Returns the forces of all vertices.
    pub(super) fn forces(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut x = x.to_vec();
        let mut sums = vec![DVec3::ZERO; x.len()];
        for c in 0..self.cells.len() {
            for k in 0..4 {
                sums[self.cells[c][k] as usize] += self.cell_force(c, k, &mut x);
            }
        }
        sums
    }

    /// Returns minus the change of the forces along a direction, by differences.
    pub(super) fn product(&self, x: &[DVec3], d: &[DVec3]) -> Vec<DVec3> {
        let h = 1e-3;
        let at = |t: f64| {
            let moved: Vec<DVec3> = x.iter().zip(d).map(|(x, d)| *x + *d * t).collect();
            self.forces(&moved)
        };
        let (near, far) = ([at(h), at(-h)], [at(2.0 * h), at(-2.0 * h)]);
        (0..x.len())
            .map(|v| {
                let (near, far) = (near[0][v] - near[1][v], far[0][v] - far[1][v]);
                -(near * 8.0 - far) / (12.0 * h)
            })
            .collect()
    }
}

pub(super) fn wide(x: &[Vec3]) -> Vec<DVec3> {
    x.iter().map(|x| x.as_dvec3()).collect()
}

/// Returns the largest distance of two lists of vectors over the largest length in the second.
pub(super) fn off(got: &[Vec3], want: &[DVec3]) -> f64 {
    assert_eq!(got.len(), want.len());
    let most = want.iter().map(|w| w.length()).fold(0.0, f64::max);
    let worst = (got.iter().zip(want))
        .map(|(g, w)| (g.as_dvec3() - *w).length())
        .fold(
            0.0,
            |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) },
        );
    worst / most
}
