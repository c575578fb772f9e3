//! The direct solver that other solvers are compared with, against the product that its solution has to have.

use glam::DVec3;
use rxmesh_tests::cholesky::Cholesky;

/// Random graphs, one with a row that meets all others, and one of two parts.
#[test]
fn products_of_solutions_are_the_right_side() {
    let mut state = 1u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    for n in [1, 2, 7, 60, 300] {
        for hub in [false, true] {
            let mut entries: Vec<_> = (0..n).map(|i| (i, i, 0.01 + next())).collect();
            for k in 0..3 * n {
                let (i, j) = ((next() * n as f64) as usize, (next() * n as f64) as usize);
                let (i, j) = if hub && k < n {
                    (0, k)
                } else {
                    (i / 2 * 2, j / 2 * 2)
                };
                let w = next();
                entries.extend([(i, i, w), (j, j, w), (i, j, -w), (j, i, -w)]);
            }
            let right: Vec<DVec3> = (0..n).map(|_| DVec3::new(next(), -next(), 1.0)).collect();
            let x = Cholesky::new(n, entries.iter().copied()).solve(&right);
            let mut product = vec![DVec3::ZERO; n];
            for &(i, j, a) in &entries {
                product[i] += x[j] * a;
            }
            for (i, (p, r)) in product.iter().zip(&right).enumerate() {
                assert!(p.distance(*r) < 1e-11, "{n} rows, row {i}: {p} and not {r}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "not positive definite")]
fn what_is_not_positive_definite_is_refused() {
    Cholesky::new(2, [(0, 0, 1.0), (1, 1, 1.0), (0, 1, 2.0), (1, 0, 2.0)]);
}

#[test]
#[should_panic(expected = "not symmetric")]
fn what_is_not_symmetric_is_refused() {
    Cholesky::new(2, [(0, 0, 1.0), (1, 1, 1.0), (0, 1, 0.5)]);
}
