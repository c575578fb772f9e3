//! Springs along the edges of cells: a network of masses and springs.

use super::{Model, Tangent};
use crate::material::Lame;
use crate::small::Symmetric;
use glam::{DVec3, Vec3};
use rxmesh_kernels::math::sqrt;

/// `sum k (l - L)^2 / 2` over the six edges of a cell, of lengths `L` at rest and `l`, with `k = E V / L^2` (Van Gelder
/// 1998), where `V` is the cell's volume: the stiffness of an edge is the sum over its cells. A cell with a uniform
/// strain `s` has the energy `3 E V s^2`, like a solid of Young's modulus `E` and Poisson's ratio 1/4, whatever the
/// cell's shape. Poisson's ratio of the material is not used.
#[derive(Clone, Copy, Debug)]
pub struct Springs;

/// Returns Young's modulus.
#[inline(always)]
fn young(m: Lame) -> f32 {
    m.mu * (3.0 * m.lambda + 2.0 * m.mu) / (m.lambda + m.mu)
}

/// Spring from one corner to another.
#[derive(Clone, Copy)]
struct Spring {
    /// Current direction; zero for a spring of length zero.
    n: Vec3,
    /// Stiffness in N/m.
    k: f32,
    /// Elongation relative to rest, in metres.
    by: f32,
    /// Length in metres.
    length: f32,
}

impl Spring {
    /// Makes a spring from an edge at rest and its change; `size` is Young's modulus, then the volume.
    #[inline(always)]
    fn new(size: [f32; 2], rest: Vec3, d: Vec3) -> Spring {
        let e = rest + d;
        let (rest2, length) = (rest.dot(rest), sqrt(e.dot(e)));
        let long = length > 0.0;
        Spring {
            n: if long { e * (1.0 / length) } else { Vec3::ZERO },
            k: size[0] * (size[1] / rest2),
            // From the difference of squares, so that small strains keep their digits.
            by: d.dot(rest * 2.0 + d) / (length + sqrt(rest2)),
            length,
        }
    }

    /// Returns the force on its first end.
    #[inline(always)]
    fn force(self) -> Vec3 {
        self.n * (self.k * self.by)
    }

    /// Returns its derivative, times a factor.
    #[inline(always)]
    fn line(self, factor: f32) -> SpringDerivative {
        // The geometric part of compressed springs is negative: it is left out.
        let across = if self.by > 0.0 {
            self.k * (self.by / self.length)
        } else {
            0.0
        };
        SpringDerivative {
            a: self.n * sqrt((self.k - across) * factor),
            across: across * factor,
        }
    }
}

/// Returns the edges of a cell, 01, 02, 03, 12, 13, 23, from those of corner 0.
#[inline(always)]
fn edges([a, b, c]: [Vec3; 3]) -> [Vec3; 6] {
    [a, b, c, b - a, c - a, c - b]
}

/// Computes the square root in double precision: that of single precision, refined by two Newton steps.
#[inline(always)]
fn root(x: f64) -> f64 {
    let y = f64::from(sqrt(x as f32));
    if y > 0.0 {
        let y = 0.5 * (y + x / y);
        0.5 * (y + x / y)
    } else {
        0.0
    }
}

#[inline(always)]
fn springs(m: Lame, rest: [Vec3; 3], d: [Vec3; 3]) -> [Spring; 6] {
    let six = rest[0].dot(rest[1].cross(rest[2]));
    let size = [young(m), six * (1.0 / 6.0)];
    let (rest, d) = (edges(rest), edges(d));
    [
        Spring::new(size, rest[0], d[0]),
        Spring::new(size, rest[1], d[1]),
        Spring::new(size, rest[2], d[2]),
        Spring::new(size, rest[3], d[3]),
        Spring::new(size, rest[4], d[4]),
        Spring::new(size, rest[5], d[5]),
    ]
}

/// Returns the forces on corners 1 to 3, given those of the six edges on their first ends.
#[inline(always)]
fn pulled(f: [Vec3; 6]) -> [Vec3; 3] {
    [
        f[3] + f[4] - f[0],
        f[5] - f[1] - f[3],
        -(f[2] + f[4] + f[5]),
    ]
}

// Arrays are written out here: the device compiler keeps those that are iterated over in local memory.
#[inline(always)]
fn forces(s: [Spring; 6]) -> [Vec3; 3] {
    pulled([
        s[0].force(),
        s[1].force(),
        s[2].force(),
        s[3].force(),
        s[4].force(),
        s[5].force(),
    ])
}

/// Returns the squared strain of a spring, from its edge at rest and its change.
#[inline(always)]
fn strain2(rest: DVec3, d: DVec3) -> f64 {
    let (e, rest2) = (rest + d, rest.dot(rest));
    let by = d.dot(rest * 2.0 + d) / (root(e.dot(e)) + root(rest2));
    by * by / rest2
}

impl Model for Springs {
    type Tangent = SpringDerivatives;

    #[inline(always)]
    fn forces(m: Lame, rest: [Vec3; 3], d: [Vec3; 3]) -> [Vec3; 3] {
        forces(springs(m, rest, d))
    }

    #[inline(always)]
    fn joules(m: Lame, rest: [DVec3; 3], d: [DVec3; 3]) -> f64 {
        let (mu, lambda) = (f64::from(m.mu), f64::from(m.lambda));
        let young = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
        let size = young * rest[0].dot(rest[1].cross(rest[2])) * (1.0 / 12.0);
        let ([a, b, c], [p, q, r]) = (rest, d);
        let near = strain2(a, p) + strain2(b, q) + strain2(c, r);
        let far = strain2(b - a, q - p) + strain2(c - a, r - p) + strain2(c - b, r - q);
        size * (near + far)
    }

    #[inline(always)]
    fn linear(
        m: Lame,
        rest: [Vec3; 3],
        d: [Vec3; 3],
        factor: f32,
    ) -> ([Vec3; 3], SpringDerivatives) {
        let s = springs(m, rest, d);
        let lines = [
            s[0].line(factor),
            s[1].line(factor),
            s[2].line(factor),
            s[3].line(factor),
            s[4].line(factor),
            s[5].line(factor),
        ];
        (forces(s), SpringDerivatives(lines))
    }
}

/// Derivative of a spring's force: `a a^T` along it, and `across` times the identity.
#[derive(Clone, Copy, Debug)]
struct SpringDerivative {
    a: Vec3,
    across: f32,
}

impl SpringDerivative {
    #[inline(always)]
    fn times(self, d: Vec3) -> Vec3 {
        self.a * self.a.dot(d) + d * self.across
    }

    #[inline(always)]
    fn matrix(self) -> Symmetric {
        let (a, t) = (self.a, self.across);
        [
            a.x * a.x + t,
            a.y * a.y + t,
            a.z * a.z + t,
            a.x * a.y,
            a.x * a.z,
            a.y * a.z,
        ]
    }
}

/// Derivatives of a cell's six springs.
#[derive(Clone, Copy, Debug)]
pub struct SpringDerivatives([SpringDerivative; 6]);

#[inline(always)]
fn sum(a: Symmetric, b: Symmetric, c: Symmetric) -> Symmetric {
    [
        a[0] + b[0] + c[0],
        a[1] + b[1] + c[1],
        a[2] + b[2] + c[2],
        a[3] + b[3] + c[3],
        a[4] + b[4] + c[4],
        a[5] + b[5] + c[5],
    ]
}

impl Tangent for SpringDerivatives {
    const NONE: SpringDerivatives = SpringDerivatives(
        [SpringDerivative {
            a: Vec3::ZERO,
            across: 0.0,
        }; 6],
    );

    #[inline(always)]
    fn apply(&self, d: [Vec3; 3]) -> [Vec3; 3] {
        let (l, d) = (self.0, edges(d));
        let f = [
            l[0].times(d[0]),
            l[1].times(d[1]),
            l[2].times(d[2]),
            l[3].times(d[3]),
            l[4].times(d[4]),
            l[5].times(d[5]),
        ];
        let [a, b, c] = pulled(f);
        [-a, -b, -c]
    }

    #[inline(always)]
    fn blocks(&self) -> [Symmetric; 4] {
        let [a, b, c, d, e, f] = self.0;
        let (a, b, c) = (a.matrix(), b.matrix(), c.matrix());
        let (d, e, f) = (d.matrix(), e.matrix(), f.matrix());
        [sum(a, b, c), sum(a, d, e), sum(b, d, f), sum(c, e, f)]
    }

    #[inline(always)]
    fn read(get: impl Fn(u32) -> f32) -> SpringDerivatives {
        let line = |k: u32| SpringDerivative {
            a: Vec3::new(get(k), get(k + 1), get(k + 2)),
            across: get(k + 3),
        };
        SpringDerivatives([line(0), line(4), line(8), line(12), line(16), line(20)])
    }

    #[inline(always)]
    fn write(&self, set: impl Fn(u32, f32)) {
        let put = |k: u32, l: SpringDerivative| {
            set(k, l.a.x);
            set(k + 1, l.a.y);
            set(k + 2, l.a.z);
            set(k + 3, l.across);
        };
        let [a, b, c, d, e, f] = self.0;
        put(0, a);
        put(4, b);
        put(8, c);
        put(12, d);
        put(16, e);
        put(20, f);
    }
}
