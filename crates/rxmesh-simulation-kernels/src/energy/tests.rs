//! Compares stresses with differences of densities and Hessians with differences of stresses, and checks singular
//! values.

use super::{Arap, Corotated, Energy, Linear, NeoHookean};
use crate::material::Lame;
use crate::small::{svd, times};
use glam::{DMat3, Mat3, Vec3};
use std::vec::Vec;

const MATERIAL: Lame = Lame {
    mu: 2.0,
    lambda: 3.0,
};

/// Returns numbers from -1 to 1.
fn numbers(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state = rxmesh_kernels::math::hash(state.wrapping_add(0x9e37_79b9));
        state as f32 / 2f32.powi(31) - 1.0
    }
}

fn random(seed: u32, size: f32) -> Mat3 {
    let mut next = numbers(seed);
    Mat3::from_cols_array(&[(); 9].map(|()| size * next()))
}

fn difference<E: Energy>(d: Mat3, k: usize) -> f64 {
    let h = 1e-4;
    let at = |steps: f64| {
        let mut moved = d.as_dmat3().to_cols_array();
        moved[k] += steps * h;
        E::density(MATERIAL, DMat3::from_cols_array(&moved))
    };
    (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
}

fn stresses<E: Energy>() {
    for seed in 0..200 {
        let size = [1e-3, 0.3, 1.5][seed as usize % 3];
        let d = random(seed, size);
        let got = E::stress(MATERIAL, d).to_cols_array();
        let most =
            got.iter().map(|x| x * x).sum::<f32>().sqrt() + 2.0 * MATERIAL.mu + MATERIAL.lambda;
        for (k, got) in got.iter().enumerate() {
            let want = difference::<E>(d, k);
            let off = (f64::from(*got) - want).abs();
            assert!(off < 1e-6 * f64::from(most), "{seed} {k}: {got} for {want}");
        }
    }
    assert_eq!(E::stress(MATERIAL, Mat3::ZERO), Mat3::ZERO);
    assert_eq!(E::density(MATERIAL, DMat3::ZERO), 0.0);
}

#[test]
fn stresses_are_differences_of_densities() {
    stresses::<NeoHookean>();
    stresses::<Linear>();
    stresses::<Corotated>();
    stresses::<Arap>();
}

/// Returns the change of the stress by the Hessian.
fn product<E: Energy>(d: Mat3, change: Mat3) -> Mat3 {
    let (f, h) = E::hessian(MATERIAL, d);
    let z = f.u.transpose() * change * f.v;
    f.u * h.apply(z) * f.v.transpose()
}

/// Under a small uniform stretch no Hessian is indefinite.
fn hessians<E: Energy>() {
    for seed in 0..50 {
        let d = random(seed, 0.005) + Mat3::IDENTITY * 0.05;
        let change = random(seed + 1000, 1.0);
        let got = product::<E>(d, change);
        let h = 4e-3;
        let at = |t: f32| E::stress(MATERIAL, d + change * t);
        let want = ((at(h) - at(-h)) * 8.0 - (at(2.0 * h) - at(-2.0 * h))) * (1.0 / (12.0 * h));
        let off = (got - want).to_cols_array();
        let most = off.iter().fold(0f32, |a, x| a.max(x.abs()));
        assert!(most < 2e-3, "{seed}: {got} for {want}");
    }
}

fn semi_definite<E: Energy>() {
    for seed in 0..300 {
        let d = random(seed, 2.0);
        let [a, b] = [1, 2].map(|k| random(seed + 1000 * k, 1.0));
        let sum = |x: Mat3, y: Mat3| -> f32 {
            let (x, y) = (x.to_cols_array(), y.to_cols_array());
            x.iter().zip(&y).map(|(x, y)| x * y).sum()
        };
        let (ka, kb) = (product::<E>(d, a), product::<E>(d, b));
        let size = sum(a, ka) + sum(b, kb);
        assert!(
            sum(a, ka) > -1e-4 * size && sum(b, kb) > -1e-4 * size,
            "{seed}"
        );
        assert!((sum(a, kb) - sum(b, ka)).abs() < 1e-5 * size, "{seed}");
    }
}

#[test]
fn hessians_are_differences_of_stresses() {
    hessians::<NeoHookean>();
    hessians::<Linear>();
    hessians::<Corotated>();
    hessians::<Arap>();
}

#[test]
fn hessians_are_semi_definite() {
    semi_definite::<NeoHookean>();
    semi_definite::<Linear>();
    semi_definite::<Corotated>();
    semi_definite::<Arap>();
}

/// The block of a corner equals a product with a gradient along its shape function.
#[test]
fn blocks_are_parts_of_products() {
    for seed in 0..50 {
        let (f, h) = NeoHookean::hessian(MATERIAL, random(seed, 1.0));
        let mut next = numbers(seed + 7);
        let mut vector = || Vec3::new(next(), next(), next());
        let (w, e) = (vector(), vector());
        let z = Mat3::from_cols(e * w.x, e * w.y, e * w.z);
        let want = h.apply(z) * w;
        let off = (times(h.block(w), e) - want).abs().max_element();
        assert!(off < 1e-4, "{seed}: {off} with {:?}", f.s);
    }
}

#[test]
fn singular_values_of_anything() {
    let mut cases: Vec<Mat3> = (0..300).map(|k| random(k, 1.0)).collect();
    cases.extend((0..100).map(|k| random(k, 1.0) * 1e-30));
    cases.extend((0..100).map(|k| random(k, 1.0) * 1e30));
    let outer = |a: Vec3, b: Vec3| Mat3::from_cols(a * b.x, a * b.y, a * b.z);
    for k in 0..100 {
        let m = random(k, 1.0);
        cases.push(outer(m.x_axis, m.y_axis));
        cases.push(outer(m.x_axis, m.y_axis) + outer(m.z_axis, m.x_axis));
        cases.push(Mat3::from_diagonal(Vec3::new(1.0, 1e-4, -1e-8)));
        cases.push(m * Mat3::from_diagonal(Vec3::new(1e6, 1.0, 1e-6)));
    }
    cases.extend([Mat3::ZERO, Mat3::IDENTITY, -Mat3::IDENTITY]);
    cases.push(Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0)));
    for f in cases {
        let d = svd(f);
        let most = f.to_cols_array().iter().fold(0f32, |a, x| a.max(x.abs()));
        for (what, m) in [("u", d.u), ("v", d.v)] {
            let off = m.transpose() * m - Mat3::IDENTITY;
            let off = off.to_cols_array().iter().fold(0f32, |a, x| a.max(x.abs()));
            assert!(off < 3e-6, "{what} of {f}: {m}");
            assert!(m.determinant() > 0.99, "{what} of {f}");
        }
        let back = d.u * Mat3::from_diagonal(d.s) * d.v.transpose() - f;
        let off = back
            .to_cols_array()
            .iter()
            .fold(0f32, |a, x| a.max(x.abs()));
        assert!(off <= 5e-6 * most, "{f}: off by {off}");
        assert!(
            d.s.x >= d.s.y && d.s.y >= d.s.z.abs() - 1e-6 * most,
            "{f}: {}",
            d.s
        );
    }
}
