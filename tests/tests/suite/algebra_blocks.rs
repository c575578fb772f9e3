//! Matrices of blocks, and matrices over relations, against naive sums and direct solves in `f64`.

use glam::{DMat3, DVec3, Mat3, Vec3};
use rxmesh_host::Error;
use rxmesh_host::algebra::{Identity, Jacobi, Matrix, SolveOptions, solve};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::algebra::jacobi::SUMMED;
use rxmesh_host::kernels::algebra::matrix::ROWS;
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{EEThroughFaces, FF, Relation, VV};
use rxmesh_tests::cholesky::Cholesky;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{in_one_and_step_by_step, suited};
use rxmesh_tests::fixtures::{self, Fixture};

conformance! {
    products_are_those_of_naive_sums, transposed_blocks, solutions_are_those_of_a_direct_solve,
    blocks_without_an_inverse_stay, matrices_over_relations, large_systems, bad_input_is_named
}

type Rows = Vec<Vec<(u32, Mat3)>>;

/// Pseudo-random numbers from -1 to 1.
struct SignedRandom(u64);

impl SignedRandom {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn vectors(&mut self, n: usize) -> Vec<Vec3> {
        (0..n).map(|_| self.vector()).collect()
    }

    fn block(&mut self) -> Mat3 {
        Mat3::from_cols(self.vector(), self.vector(), self.vector())
    }

    /// Returns a symmetric and positive block.
    fn positive(&mut self) -> Mat3 {
        let m = self.block();
        m * m.transpose() + Mat3::IDENTITY * 0.2
    }

    fn below(&mut self, n: usize) -> u32 {
        (((self.next() + 1.0) * 0.5 * n as f32) as usize % n) as u32
    }
}

/// Computes `A x` in doubles.
fn product(rows: &Rows, x: &[DVec3]) -> Vec<DVec3> {
    let entry = |&(j, a): &(u32, Mat3)| a.as_dmat3() * x[j as usize];
    let row = |row: &Vec<(u32, Mat3)>| row.iter().map(entry).sum();
    rows.iter().map(row).collect()
}

fn doubles(x: &[Vec3]) -> Vec<DVec3> {
    x.iter().map(|x| x.as_dvec3()).collect()
}

/// Makes an unsymmetric matrix, with several entries at one position, and rows without any.
fn wild(count: usize, random: &mut SignedRandom) -> Rows {
    let mut row = |i: usize| {
        let entries = if i % 7 == 3 { 0 } else { i % 9 };
        (0..entries)
            .map(|_| (random.below(count), random.block()))
            .collect()
    };
    (0..count).map(&mut row).collect()
}

fn near(got: &[Vec3], want: &[DVec3], most: f64) {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let error = got.as_dvec3().distance(*want);
        assert!(error < most, "row {i}: {got}, but {want} is expected");
    }
    assert_eq!(got.len(), want.len());
}

fn products_are_those_of_naive_sums(engine: &Engine) {
    let count = suited(engine, [900, 120, 20]);
    let mut random = SignedRandom(3);
    let rows = wild(count, &mut random);
    let matrix = Matrix::from_rows(engine, &rows).unwrap();
    let (x, z) = (random.vectors(count), random.vectors(count));
    let [x_there, z_there] = [&x, &z].map(|v| engine.upload(v).unwrap());
    let mut y = engine.zeroed(count).unwrap();
    let naive = product(&rows, &doubles(&x));
    for (alpha, beta) in [(1.0, 0.0), (-0.5, 2.0)] {
        matrix
            .multiply(alpha, &x_there, beta, &z_there, &mut y)
            .unwrap();
        let want = |(n, z): (&DVec3, &Vec3)| *n * f64::from(alpha) + z.as_dvec3() * f64::from(beta);
        let want: Vec<DVec3> = naive.iter().zip(&z).map(want).collect();
        near(&y.read().unwrap(), &want, 2e-5);
    }
    // The rows come back, each position once.
    let back = matrix.to_rows().unwrap();
    for (a, b) in naive.iter().zip(product(&back, &doubles(&x))) {
        assert!(a.distance(b) < 2e-5, "{a} and {b}");
    }
}

fn transposed_blocks(engine: &Engine) {
    let count = suited(engine, [700, 100, 15]);
    let mut random = SignedRandom(8);
    let rows = wild(count, &mut random);
    let mut want: Rows = vec![Vec::new(); count];
    for (i, row) in rows.iter().enumerate() {
        for &(j, a) in row {
            want[j as usize].push((i as u32, a.transpose()));
        }
    }
    let turned = Matrix::from_rows(engine, &rows)
        .unwrap()
        .transpose()
        .unwrap();
    let x = random.vectors(count);
    let there = engine.upload(&x).unwrap();
    let mut y = engine.zeroed(count).unwrap();
    turned.multiply(1.0, &there, 0.0, &there, &mut y).unwrap();
    near(&y.read().unwrap(), &product(&want, &doubles(&x)), 5e-5);
    let back = turned.transpose().unwrap();
    back.multiply(1.0, &there, 0.0, &there, &mut y).unwrap();
    near(&y.read().unwrap(), &product(&rows, &doubles(&x)), 5e-5);
}

/// Makes a symmetric and positive matrix: a grid of `n` rows and columns whose edges have blocks, and blocks for
/// masses.
fn positive(n: usize, random: &mut SignedRandom) -> Rows {
    let mut rows: Rows = (0..n * n)
        .map(|i| vec![(i as u32, random.positive())])
        .collect();
    for i in 0..n * n {
        let neighbours = [(i % n + 1 < n, i + 1), (i / n + 1 < n, i + n)];
        for (_, j) in neighbours.into_iter().filter(|(is_there, _)| *is_there) {
            let w = random.positive() * 3.0;
            for (a, b) in [(i, j), (j, i)] {
                rows[a].extend([(b as u32, -w), (a as u32, w)]);
            }
        }
    }
    rows
}

fn direct(rows: &Rows, b: &[Vec3]) -> Vec<DVec3> {
    let mut entries = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        for &(j, a) in row {
            let a: DMat3 = a.as_dmat3();
            for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                entries.push((3 * i + r, 3 * j as usize + c, a.col(c)[r]));
            }
        }
    }
    let right: Vec<DVec3> = (b.iter().flat_map(|b| b.to_array()))
        .map(|b| DVec3::splat(f64::from(b)))
        .collect();
    let x = Cholesky::new(right.len(), entries).solve(&right);
    x.chunks(3)
        .map(|x| DVec3::new(x[0].x, x[1].x, x[2].x))
        .collect()
}

fn solutions_are_those_of_a_direct_solve(engine: &Engine) {
    let n = suited(engine, [18, 17, 5]);
    let mut random = SignedRandom(5);
    let rows = positive(n, &mut random);
    let b = random.vectors(rows.len());
    let want = direct(&rows, &b);
    let matrix = Matrix::from_rows(engine, &rows).unwrap();
    let right = engine.upload(&b).unwrap();
    let options = SolveOptions::default();
    in_one_and_step_by_step(engine, || {
        let mut iterations = [0; 2];
        for (way, iterations) in iterations.iter_mut().enumerate() {
            let mut x = engine.zeroed(rows.len()).unwrap();
            let report = match way {
                0 => solve(&matrix, &Jacobi, &right, &mut x, &options),
                _ => solve(&matrix, &Identity, &right, &mut x, &options),
            };
            let report = report.unwrap();
            assert!(
                report.converged && report.residual <= 1e-6 && report.iterations < 200,
                "{report:?}"
            );
            near(&x.read().unwrap(), &want, 1e-4);
            *iterations = report.iterations;
        }
        // The blocks make the difference.
        assert!(iterations[0] < iterations[1], "{iterations:?}");
    });
}

fn blocks_without_an_inverse_stay(engine: &Engine) {
    // Two zero rows between others.
    let (a, b) = (Mat3::from_diagonal(Vec3::new(2.0, 4.0, 8.0)), Mat3::ZERO);
    let rows = vec![vec![(0, a)], vec![(1, b)], vec![], vec![(3, a)]];
    let matrix = Matrix::from_rows(engine, &rows).unwrap();
    let right = [Vec3::ONE, Vec3::ZERO, Vec3::ZERO, Vec3::X];
    let right = engine.upload(&right).unwrap();
    let mut x = engine.upload(&[Vec3::splat(7.0); 4]).unwrap();
    let report = solve(&matrix, &Jacobi, &right, &mut x, &SolveOptions::default()).unwrap();
    assert!(report.converged, "{report:?}");
    let want = [
        DVec3::new(0.5, 0.25, 0.125),
        DVec3::splat(7.0),
        DVec3::splat(7.0),
        DVec3::new(0.5, 0.0, 0.0),
    ];
    near(&x.read().unwrap(), &want, 1e-5);
}

fn over<R: Relation<Target = <R as Relation>::Source>>(engine: &Engine, f: &Fixture)
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let rx = f.on(engine, 32);
    let rows = rx.query::<R>().unwrap();
    let there = rows.read().unwrap();
    let (n, entries) = (there.starts.len() - 1, there.values.len());
    let mut random = SignedRandom(31);
    let weights: Vec<Mat3> = (0..entries).map(|_| random.block()).collect();
    let excess: Vec<Mat3> = (0..n).map(|_| random.block()).collect();
    let x = random.vectors(n);
    let want = |i: usize| {
        let mut sum = excess[i].as_dmat3() * x[i].as_dvec3();
        for k in there.starts[i]..there.starts[i + 1] {
            let j = there.values[k as usize] as usize;
            sum += weights[k as usize].as_dmat3() * (x[i] - x[j]).as_dvec3();
        }
        sum
    };
    let want: Vec<DVec3> = (0..n).map(want).collect();
    let upload = |values: &[Mat3]| engine.upload(values).unwrap();
    let matrix = Matrix::over(&rows, upload(&weights), upload(&excess)).unwrap();
    let x = engine.upload(&x).unwrap();
    let mut y = engine.zeroed(n).unwrap();
    matrix.multiply(1.0, &x, 0.0, &x, &mut y).unwrap();
    near(&y.read().unwrap(), &want, 1e-4);
    let short = Matrix::over(&rows, upload(&weights[1..]), upload(&excess));
    assert!(
        matches!(short, Err(Error::Engine(EngineError::Length { got, want })) if got + 1 == want),
        "{short:?}"
    );
}

fn matrices_over_relations(engine: &Engine) {
    let f = Fixture::new("sphere", fixtures::closed(suited(engine, [3, 2, 1])));
    over::<VV>(engine, &f);
    over::<EEThroughFaces>(engine, &f);
    over::<FF>(engine, &f);
}

/// A system with two launches per iteration on every engine: a path whose edges have blocks.
fn large_systems(engine: &Engine) {
    let count = (SUMMED * ROWS + 5) as usize;
    let mut random = SignedRandom(77);
    let mut block = || random.positive();
    let mut rows: Rows = (0..count as u32).map(|i| vec![(i, block())]).collect();
    for i in 1..count {
        let w = block();
        for (a, b) in [(i, i - 1), (i - 1, i)] {
            rows[a].extend([(b as u32, -w), (a as u32, w)]);
        }
    }
    let right = random.vectors(count);
    let matrix = Matrix::from_rows(engine, &rows).unwrap();
    let b = engine.upload(&right).unwrap();
    let tolerance = suited(engine, [1e-6, 1e-3, 1e-1]);
    let options = SolveOptions::default().with(|o| o.tolerance = tolerance);
    let iterations = [true, false].map(|preconditioned| {
        let mut x = engine.zeroed(count).unwrap();
        let report = match preconditioned {
            true => solve(&matrix, &Jacobi, &b, &mut x, &options),
            false => solve(&matrix, &Identity, &b, &mut x, &options),
        };
        let report = report.unwrap();
        assert!(report.converged, "{report:?}");
        let left = product(&rows, &doubles(&x.read().unwrap()));
        let norm =
            |v: &mut dyn Iterator<Item = DVec3>| v.map(|v| v.length_squared()).sum::<f64>().sqrt();
        let left = norm(&mut left.iter().zip(&right).map(|(a, b)| *a - b.as_dvec3()));
        let residual = left / norm(&mut right.iter().map(|b| b.as_dvec3()));
        assert!(residual < tolerance + 5e-7, "{residual}");
        report.iterations
    });
    assert!(iterations[0] < iterations[1], "{iterations:?}");
}

fn bad_input_is_named(engine: &Engine) {
    let outside = Matrix::from_rows(engine, &[vec![(0, Mat3::IDENTITY)], vec![(5, Mat3::ZERO)]]);
    let message = outside.unwrap_err().to_string();
    assert!(
        message.contains("row 1") && message.contains("column 5"),
        "{message}"
    );
    let nan = Mat3::from_diagonal(Vec3::new(1.0, f32::NAN, 1.0));
    let wrong = Matrix::from_rows(engine, &[vec![(0, nan)]]);
    assert!(matches!(wrong, Err(Error::NotFinite { .. })), "{wrong:?}");
}
