//! A velocity field without sources: the curl of noise (Bridson, Hourihan, Nordenstam 2007, "Curl-noise for procedural
//! fluid flow").

use crate::args;
use crate::math::hash;
use glam::Vec3;

args! {
    /// Curl noise: the curl of three components of gradient noise (Perlin 2002), by its exact derivatives.
    pub struct CurlNoise {
        /// Lattice cells a unit of length.
        pub frequency: f32,
        /// Factor of the velocities, which are about 1 without it.
        pub speed: f32,
        /// Chooses the noise.
        pub seed: u32,
    }
}

impl CurlNoise {
    /// Returns the velocity at a point.
    #[inline(always)]
    pub fn velocity(&self, p: Vec3) -> Vec3 {
        let q = p * self.frequency;
        let (a, b, c) = (
            gradient(q, hash(self.seed)),
            gradient(q, hash(self.seed ^ 0x9e37_79b9)),
            gradient(q, hash(self.seed ^ 0x85eb_ca6b)),
        );
        Vec3::new(c.y - b.z, a.z - c.x, b.x - a.y) * self.speed
    }

    /// Returns the position of a point after some time, by a classical Runge-Kutta step of fourth order.
    #[inline(always)]
    pub fn after(&self, p: Vec3, time: f32) -> Vec3 {
        // A loop, so that the noise is there once: slopes at 0, 1/2, 1/2 and 1 count 1, 2, 2 and 1 sixths.
        let (mut slope, mut sum) = (Vec3::ZERO, Vec3::ZERO);
        let mut stage = 0;
        while stage < 4 {
            let inner = stage == 1 || stage == 2;
            let ahead = match stage {
                0 => 0.0,
                3 => time,
                _ => 0.5 * time,
            };
            slope = self.velocity(p + slope * ahead);
            sum += slope * if inner { 2.0 } else { 1.0 };
            stage += 1;
        }
        p + sum * (time / 6.0)
    }
}

/// Returns the gradient of gradient noise with lattice distance 1.
#[inline(always)]
fn gradient(p: Vec3, seed: u32) -> Vec3 {
    let (x, fx) = cell(p.x);
    let (y, fy) = cell(p.y);
    let (z, fz) = cell(p.z);
    let f = Vec3::new(fx, fy, fz);
    let (wx, wy, wz) = (fade(fx), fade(fy), fade(fz));
    let mut sum = Vec3::ZERO;
    let mut corner = 0;
    while corner < 8 {
        let (i, j, k) = (corner & 1, corner >> 1 & 1, corner >> 2);
        let g = lattice(
            x.wrapping_add(i),
            y.wrapping_add(j),
            z.wrapping_add(k),
            seed,
        );
        let height = g.dot(f - Vec3::new(i as f32, j as f32, k as f32));
        let ((u, du), (v, dv), (w, dw)) = (weight(wx, i), weight(wy, j), weight(wz, k));
        sum += g * (u * v * w) + Vec3::new(du * v * w, u * dv * w, u * v * dw) * height;
        corner += 1;
    }
    sum
}

/// Returns the lattice cell of a coordinate, and the place in it. From 2^23 on every number is a lattice point.
#[inline(always)]
fn cell(x: f32) -> (u32, f32) {
    if x.abs() >= 8_388_608.0 || x.is_nan() {
        return (x.to_bits(), 0.0);
    }
    let toward_zero = x as i32;
    let floor = toward_zero - i32::from(x < toward_zero as f32);
    (floor as u32, x - floor as f32)
}

/// Returns Perlin's fade curve and its derivative.
#[inline(always)]
fn fade(t: f32) -> (f32, f32) {
    let s = t - 1.0;
    (
        t * t * t * (t * (t * 6.0 - 15.0) + 10.0),
        30.0 * t * t * s * s,
    )
}

/// Returns the weight of a corner, and its derivative.
#[inline(always)]
fn weight((value, slope): (f32, f32), far: u32) -> (f32, f32) {
    if far == 0 {
        (1.0 - value, -slope)
    } else {
        (value, slope)
    }
}

/// Returns the gradient at a lattice point: each component evenly between -1 and 1.
#[inline(always)]
fn lattice(x: u32, y: u32, z: u32, seed: u32) -> Vec3 {
    let h = hash(
        x.wrapping_mul(0x9e37_79b1)
            ^ y.wrapping_mul(0x85eb_ca77)
            ^ z.wrapping_mul(0xc2b2_ae3d)
            ^ seed,
    );
    let part = |shift: u32| (h >> shift & 1023) as f32 * (2.0 / 1023.0) - 1.0;
    Vec3::new(part(0), part(10), part(20))
}
