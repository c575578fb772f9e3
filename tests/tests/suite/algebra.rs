//! Sparse matrices, multigrid and the solver against naive sums and direct solves in `f64`.

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rxmesh_host::Error;
use rxmesh_host::algebra::{Identity, Jacobi, Matrix, Multigrid, SolveOptions, SolveReport, solve};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::algebra::jacobi::SUMMED;
use rxmesh_host::kernels::algebra::matrix::ROWS;
use rxmesh_tests::cholesky::Cholesky;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{in_one_and_step_by_step, is_slow, suited};

conformance! {
    products_are_those_of_naive_sums, transposed_matrices, solutions_are_those_of_a_direct_solve, random_graphs, a_pole,
    rows_of_zeroes_stay, the_smallest_systems, bad_input_is_named, same_bits_for_any_number_of_threads,
    solutions_without_multigrid, iterations_without_multigrid, large_systems
}

type Rows = Vec<Vec<(u32, f32)>>;

/// Pseudo-random numbers from 0 to 1.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn vectors(&mut self, n: usize) -> Vec<Vec3> {
        (0..n)
            .map(|_| Vec3::new(self.next(), self.next() - 0.5, self.next()))
            .collect()
    }
}

/// Makes a graph's Laplacian with masses; the diagonal is as exact as `f32` allows.
fn laplacian(masses: &[f32], edges: &[(u32, u32, f32)]) -> Rows {
    let mut rows: Rows = masses
        .iter()
        .enumerate()
        .map(|(i, &m)| vec![(i as u32, m)])
        .collect();
    for &(i, j, w) in edges {
        for (i, j) in [(i, j), (j, i)] {
            rows[i as usize].extend([(j, -w), (i, w)]);
        }
    }
    rows
}

/// Makes a grid of `n` rows and columns.
fn grid(n: u32, weight: impl FnMut(bool) -> f32) -> Vec<(u32, u32, f32)> {
    let (mut edges, mut weight) = (Vec::new(), weight);
    for i in 0..n {
        for j in 0..n {
            if i + 1 < n {
                edges.push((n * i + j, n * (i + 1) + j, weight(true)));
            }
            if j + 1 < n {
                edges.push((n * i + j, n * i + j + 1, weight(false)));
            }
        }
    }
    edges
}

/// Computes `A x` in doubles.
fn product(rows: &Rows, x: &[DVec3]) -> Vec<DVec3> {
    let row = |row: &Vec<(u32, f32)>| row.iter().map(|&(j, a)| x[j as usize] * f64::from(a)).sum();
    rows.iter().map(row).collect()
}

fn doubles(x: &[Vec3]) -> Vec<DVec3> {
    x.iter().map(|x| x.as_dvec3()).collect()
}

fn norm(x: &[DVec3]) -> f64 {
    x.iter().map(|x| x.length_squared()).sum::<f64>().sqrt()
}

fn direct(rows: &Rows, b: &[Vec3]) -> Vec<DVec3> {
    let row = |(i, row): (usize, &Vec<(u32, f32)>)| {
        let entry = |&(j, a): &(u32, f32)| (i, j as usize, f64::from(a));
        row.iter().map(entry).collect::<Vec<_>>()
    };
    let entries = rows.iter().enumerate().flat_map(row);
    Cholesky::new(rows.len(), entries).solve(&doubles(b))
}

/// Preconditioner.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Multigrid,
    Jacobi,
    Identity,
}

fn solved(engine: &Engine, rows: &Rows, b: &[Vec3], by: By) -> (Vec<Vec3>, SolveReport) {
    let matrix = &Matrix::from_rows(engine, rows).unwrap();
    let mut x = engine.zeroed(rows.len()).unwrap();
    let b = engine.upload(b).unwrap();
    let options = SolveOptions::default();
    let report = match by {
        By::Multigrid => {
            let multigrid = Multigrid::new(matrix).unwrap();
            solve(matrix, &multigrid, &b, &mut x, &options)
        }
        By::Jacobi => solve(matrix, &Jacobi, &b, &mut x, &options),
        By::Identity => solve(matrix, &Identity, &b, &mut x, &options),
    };
    (x.read().unwrap(), report.unwrap())
}

/// Checks that the solver ends in time, its residual is the true one, and the solution is that of a direct solve, to
/// `most` of its size.
fn check(engine: &Engine, what: &str, rows: &Rows, b: &[Vec3], iterations: u32, most: f64) {
    check_by(engine, what, rows, b, By::Multigrid, iterations, most);
}

fn check_by(
    engine: &Engine,
    what: &str,
    rows: &Rows,
    b: &[Vec3],
    by: By,
    iterations: u32,
    most: f64,
) {
    let (x, report) = solved(engine, rows, b, by);
    assert!(
        report.converged && report.residual <= 1e-6,
        "{what}: {report:?}"
    );
    assert!(
        report.iterations <= iterations,
        "{what} by {by:?}: {report:?}"
    );
    let want = direct(rows, b);
    let error: Vec<DVec3> = x
        .iter()
        .zip(&want)
        .map(|(x, w)| x.as_dvec3() - *w)
        .collect();
    assert!(
        norm(&error) <= most * norm(&want),
        "{what}: {report:?}, error {:e}",
        norm(&error) / norm(&want)
    );
}

fn products_are_those_of_naive_sums(engine: &Engine) {
    let n = suited(engine, [40, 12, 5]);
    let mut random = RandomNumbers(3);
    // Not symmetric, with entries of either sign, several at one position, and rows without any.
    let count = (n * n) as usize;
    let rows: Rows = (0..count)
        .map(|i| {
            let entries = if i % 7 == 3 { 0 } else { i % 9 };
            (0..entries)
                .map(|_| {
                    (
                        (random.next() * count as f32) as u32 % count as u32,
                        4.0 * random.next() - 2.0,
                    )
                })
                .collect()
        })
        .collect();
    let matrix = Matrix::from_rows(engine, &rows).unwrap();
    assert_eq!(matrix.rows() as usize, count);
    let (x, z) = (random.vectors(count), random.vectors(count));
    let [x_there, z_there] = [&x, &z].map(|v| engine.upload(v).unwrap());
    let mut y = engine.zeroed(count).unwrap();
    let naive = product(&rows, &doubles(&x));
    for (alpha, beta) in [(1.0, 0.0), (-0.5, 2.0)] {
        matrix
            .multiply(alpha, &x_there, beta, &z_there, &mut y)
            .unwrap();
        for (i, y) in y.read().unwrap().iter().enumerate() {
            let want = naive[i] * f64::from(alpha) + z[i].as_dvec3() * f64::from(beta);
            assert!(
                y.as_dvec3().distance(want) < 2e-5,
                "row {i}: {y}, but {want} is expected"
            );
        }
    }
    let ones: Vec<f32> = x.iter().map(|x| x.x).collect();
    let ones = engine.upload(&ones).unwrap();
    let mut y = engine.zeroed(count).unwrap();
    matrix
        .multiply_one(1.0, &ones, -1.0, &ones, &mut y)
        .unwrap();
    for (i, y) in y.read().unwrap().iter().enumerate() {
        let want = naive[i].x - f64::from(x[i].x);
        assert!(
            (f64::from(*y) - want).abs() < 2e-5,
            "row {i}: {y}, but {want} is expected"
        );
    }
    // The rows come back, each position once.
    let back = matrix.to_rows().unwrap();
    let again = product(&back, &doubles(&x));
    assert!(naive.iter().zip(&again).all(|(a, b)| a.distance(*b) < 2e-5));
    assert!(back.iter().all(|row| {
        let mut columns: Vec<u32> = row.iter().map(|&(j, _)| j).collect();
        columns.sort_unstable();
        columns.windows(2).all(|pair| pair[0] < pair[1])
    }));
}

fn transposed_matrices(engine: &Engine) {
    let count = suited(engine, [1500, 140, 25]) as usize;
    let mut random = RandomNumbers(11);
    let rows: Rows = (0..count)
        .map(|i| {
            // A column that many rows have, and rows without entries.
            let entries = if i % 5 == 1 { 0 } else { i % 8 };
            let mut row: Vec<(u32, f32)> = (0..entries)
                .map(|_| {
                    let j = (random.next() * count as f32) as u32 % count as u32;
                    (j, 4.0 * random.next() - 2.0)
                })
                .collect();
            row.push((7, 1.0));
            row
        })
        .collect();
    let mut want: Rows = vec![Vec::new(); count];
    for (i, row) in rows.iter().enumerate() {
        for &(j, a) in row {
            want[j as usize].push((i as u32, a));
        }
    }
    let matrix = Matrix::from_rows(engine, &rows).unwrap();
    let turned = matrix.transpose().unwrap();
    let x = random.vectors(count);
    let there = engine.upload(&x).unwrap();
    let mut y = engine.zeroed(count).unwrap();
    let mut near = |matrix: &Matrix, rows: &Rows| {
        matrix.multiply(1.0, &there, 0.0, &there, &mut y).unwrap();
        let naive = product(rows, &doubles(&x));
        for (i, y) in y.read().unwrap().iter().enumerate() {
            let size: f64 = rows[i].iter().map(|&(_, a)| f64::from(a.abs())).sum();
            assert!(
                y.as_dvec3().distance(naive[i]) < 1e-6 * (20.0 + size * 10.0),
                "row {i}: {y}, but {} is expected",
                naive[i]
            );
        }
    };
    near(&turned, &want);
    near(&turned.transpose().unwrap(), &rows);
    // In the same order on every run.
    let again = matrix.transpose().unwrap();
    assert_eq!(turned.to_rows().unwrap(), again.to_rows().unwrap());
}

fn solutions_are_those_of_a_direct_solve(engine: &Engine) {
    let n = suited(engine, [60, 14, 6]);
    let count = (n * n) as usize;
    let mut random = RandomNumbers(5);
    let b = random.vectors(count);
    let light: Vec<f32> = (0..count).map(|_| 1e-3 * (0.5 + random.next())).collect();
    let even = laplacian(&light, &grid(n, |_| 1.0));
    check(engine, "a grid", &even, &b, 40, 1e-4);
    // Weights of ten orders of magnitude.
    let wild = laplacian(&light, &grid(n, |_| 10f32.powf(8.0 * random.next() - 5.0)));
    check(engine, "wild weights", &wild, &b, 40, 1e-3);
    // As of triangles that are a thousand times as long as wide: strong along one direction.
    let ones = vec![1.0; count];
    let needles = laplacian(&ones, &grid(n, |down| if down { 1e3 } else { 1e-3 }));
    check(engine, "needles", &needles, &b, 40, 1e-3);
    // Long chains that are almost rigid: aggregates of two pairs took 230 iterations for them.
    let chains = laplacian(&ones, &grid(n, |down| if down { 1e6 } else { 1e-1 }));
    check(engine, "chains", &chains, &b, 40, 1e-3);
    // Almost only masses.
    let heavy = laplacian(&vec![100.0; count], &grid(n, |_| 1.0));
    check(engine, "masses", &heavy, &b, 5, 1e-5);
    // Each level has little more than half the rows of the one before; masses alone need no other level.
    let sizes = |rows: &Rows| {
        Multigrid::new(&Matrix::from_rows(engine, rows).unwrap())
            .unwrap()
            .sizes()
    };
    let [deep, flat] = [&even, &heavy].map(sizes);
    assert_eq!((deep[0], flat), (n * n, vec![n * n]));
    let shrink = deep.windows(2).all(|pair| 5 * pair[1] <= 3 * pair[0] + 2);
    let all: u32 = deep.iter().sum();
    assert!(
        deep.len() > 3 && shrink && 2 * all <= 5 * deep[0],
        "{deep:?}"
    );
}

fn random_graphs(engine: &Engine) {
    let n = suited(engine, [200usize, 30, 10]);
    let cases = suited(engine, [48, 6, 2]);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let edge = (0..n as u32, 0..n as u32, -3.0f32..3.0);
    let graph = (
        prop::collection::vec(-1.0f32..1.0, n),
        prop::collection::vec(edge, 0..3 * n),
        any::<u32>(),
    );
    TestRunner::new(config)
        .run(&graph, |(masses, edges, seed)| {
            let masses: Vec<f32> = masses.iter().map(|m| 10f32.powf(*m)).collect();
            let edges: Vec<_> = edges
                .into_iter()
                .filter(|&(i, j, _)| i != j)
                .map(|(i, j, w)| (i, j, 10f32.powf(w)))
                .collect();
            let b = RandomNumbers(seed.into()).vectors(n);
            check(
                engine,
                "a graph",
                &laplacian(&masses, &edges),
                &b,
                200,
                1e-3,
            );
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
}

/// A row so long that steps quadratic in its length would not end.
fn a_pole(engine: &Engine) {
    let n = suited(engine, [20_000u32, 300, 40]);
    let mut random = RandomNumbers(11);
    let edges: Vec<_> = (1..n)
        .flat_map(|i| [(0, i, 0.5 + random.next()), (i, 1 + i % (n - 1), 1.0)])
        .collect();
    let rows = laplacian(&vec![0.01; n as usize], &edges);
    check(
        engine,
        "a pole",
        &rows,
        &random.vectors(n as usize),
        60,
        1e-3,
    );
}

fn rows_of_zeroes_stay(engine: &Engine) {
    // Two parts, and between them rows of zeros.
    let n = suited(engine, [12, 6, 4]);
    let part = grid(n, |_| 2.0);
    let gap = n * n + 5;
    let edges: Vec<_> = part
        .iter()
        .flat_map(|&(i, j, w)| [(i, j, w), (i + gap, j + gap, w)])
        .collect();
    let count = (2 * gap) as usize;
    let is_empty = |i: usize| i % gap as usize >= (n * n) as usize;
    let masses: Vec<f32> = (0..count)
        .map(|i| if is_empty(i) { 0.0 } else { 0.1 })
        .collect();
    let rows = laplacian(&masses, &edges);
    let mut b = RandomNumbers(2).vectors(count);
    let start = RandomNumbers(4).vectors(count);
    b.iter_mut()
        .enumerate()
        .filter(|(i, _)| is_empty(*i))
        .for_each(|(_, b)| *b = Vec3::ZERO);
    let matrix = &Matrix::from_rows(engine, &rows).unwrap();
    let multigrid = &Multigrid::new(matrix).unwrap();
    for by in [By::Multigrid, By::Jacobi, By::Identity] {
        let (right, mut x) = (engine.upload(&b).unwrap(), engine.upload(&start).unwrap());
        let options = SolveOptions::default();
        let report = match by {
            By::Multigrid => solve(matrix, multigrid, &right, &mut x, &options),
            By::Jacobi => solve(matrix, &Jacobi, &right, &mut x, &options),
            By::Identity => solve(matrix, &Identity, &right, &mut x, &options),
        };
        let report = report.unwrap();
        assert!(report.converged, "{by:?}: {report:?}");
        let x = x.read().unwrap();
        let left: Vec<DVec3> = product(&rows, &doubles(&x))
            .iter()
            .zip(&b)
            .map(|(a, b)| *a - b.as_dvec3())
            .collect();
        assert!(norm(&left) < 1e-5 * norm(&doubles(&b)), "{:e}", norm(&left));
        assert!(
            (0..count)
                .filter(|&i| is_empty(i))
                .all(|i| x[i] == start[i])
        );
    }
}

fn the_smallest_systems(engine: &Engine) {
    for by in [By::Multigrid, By::Jacobi, By::Identity] {
        let (x, report) = solved(engine, &vec![], &[], by);
        assert!(x.is_empty() && report.converged && report.iterations == 0);
        let b = [Vec3::new(1.0, -2.0, 8.0)];
        let (x, report) = solved(engine, &vec![vec![(0, 4.0)]], &b, by);
        assert!(
            report.converged && x[0].distance(Vec3::new(0.25, -0.5, 2.0)) < 1e-6,
            "{by:?}: {x:?} {report:?}"
        );
        // The solution is already reached.
        let two = vec![vec![(0, 4.0)], vec![(1, 1.0)]];
        let (x, report) = solved(engine, &two, &[Vec3::ZERO; 2], by);
        assert!(
            report.converged && report.iterations == 0 && x == [Vec3::ZERO; 2],
            "{by:?}: {report:?}"
        );
        let pair = laplacian(&[0.5, 0.0], &[(0, 1, 1e4)]);
        let b = [Vec3::ONE, Vec3::X];
        let most = if by == By::Multigrid { 6 } else { 20 };
        check_by(engine, "a pair", &pair, &b, by, most, 1e-4);
    }
}

fn solutions_without_multigrid(engine: &Engine) {
    // More rows than a block has, and a last block with few.
    let n = suited(engine, [60, 19, 6]);
    let count = (n * n) as usize;
    let mut random = RandomNumbers(15);
    let b = random.vectors(count);
    let masses: Vec<f32> = (0..count).map(|_| 0.1 + 10.0 * random.next()).collect();
    let even = laplacian(&masses, &grid(n, |_| 1.0));
    let uneven = laplacian(&masses, &grid(n, |_| 0.01 + 30.0 * random.next()));
    // A vertex of many edges: the diagonals differ a hundred times and more.
    let pole: Vec<_> = (1..count as u32).map(|i| (0, i, 0.5)).collect();
    let pole = laplacian(&masses, &pole);
    in_one_and_step_by_step(engine, || {
        for by in [By::Jacobi, By::Identity] {
            let most = if by == By::Jacobi { 100 } else { 300 };
            check_by(engine, "a grid", &even, &b, by, most, 1e-5);
            check_by(engine, "weights that differ", &uneven, &b, by, most, 1e-4);
            check_by(engine, "a pole", &pole, &b, by, most, 1e-4);
        }
    });
    // The same bits, whether blocks wait for each other or for the next launch.
    let first = solved(engine, &uneven, &b, By::Jacobi);
    engine.set_grid_limit(Some(0));
    let second = solved(engine, &uneven, &b, By::Jacobi);
    engine.set_grid_limit(None);
    assert_eq!(first, second);
}

/// The solver stops at the requested iteration, and continues from there.
fn iterations_without_multigrid(engine: &Engine) {
    let n = suited(engine, [40, 17, 6]);
    let mut random = RandomNumbers(21);
    let right = random.vectors((n * n) as usize);
    let b = engine.upload(&right).unwrap();
    let rows = laplacian(&vec![0.01; (n * n) as usize], &grid(n, |_| 1.0));
    let matrix = Matrix::from_rows(engine, &rows).unwrap();
    in_one_and_step_by_step(engine, || {
        for most in [0, 1, 2, 5, 8, 9, 13] {
            let mut x = engine.zeroed((n * n) as usize).unwrap();
            let options = SolveOptions::default().with(|o| o.max_iterations = most);
            let report = solve(&matrix, &Jacobi, &b, &mut x, &options).unwrap();
            assert_eq!(
                (report.iterations, report.converged),
                (most, false),
                "{report:?}"
            );
            // The residual is the true one.
            let left = product(&rows, &doubles(&x.read().unwrap()));
            let left: Vec<DVec3> = left
                .iter()
                .zip(&right)
                .map(|(a, b)| *a - b.as_dvec3())
                .collect();
            let want = norm(&left) / norm(&doubles(&right));
            assert!(
                (report.residual - want).abs() < 1e-4 * want,
                "{report:?}, but {want} is expected"
            );
        }
        let mut x = engine.zeroed((n * n) as usize).unwrap();
        let most = SolveOptions::default().with(|o| o.max_iterations = u32::MAX);
        assert!(
            solve(&matrix, &Jacobi, &b, &mut x, &most)
                .unwrap()
                .converged
        );
        // Nothing is left to do from the solution on.
        let again = solve(&matrix, &Jacobi, &b, &mut x, &SolveOptions::default()).unwrap();
        assert!(again.residual < 1.0, "{again:?}");
    });
}

/// Systems with two launches per iteration on every engine.
fn large_systems(engine: &Engine) {
    let count = SUMMED * ROWS + 77;
    let mut random = RandomNumbers(63);
    let right = random.vectors(count as usize);
    // No eigenvalue is below one, so the error of a solution is at most its residual.
    let masses: Vec<f32> = right.iter().map(|_| 1.0 + random.next()).collect();
    let edges: Vec<_> = (1..count)
        .map(|i| (i - 1, i, 4.0 * random.next() * random.next()))
        .collect();
    let rows = laplacian(&masses, &edges);
    let matrix = Matrix::from_rows(engine, &rows).unwrap();
    let b = engine.upload(&right).unwrap();
    let solved = |by: By, tolerance: f64, most: u32| {
        let mut x = engine.zeroed(right.len()).unwrap();
        let options = SolveOptions::default().with(|o| {
            o.tolerance = tolerance;
            o.max_iterations = most;
        });
        let report = match by {
            By::Jacobi => solve(&matrix, &Jacobi, &b, &mut x, &options),
            _ => solve(&matrix, &Identity, &b, &mut x, &options),
        };
        let (x, report) = (x.read().unwrap(), report.unwrap());
        let left: Vec<DVec3> = product(&rows, &doubles(&x))
            .iter()
            .zip(&right)
            .map(|(a, b)| *a - b.as_dvec3())
            .collect();
        let want = norm(&left) / norm(&doubles(&right));
        assert!(
            (report.residual - want).abs() < 2e-7 + 1e-4 * want,
            "{by:?}: {report:?}, but {want} is expected"
        );
        (x, report)
    };
    let tolerance = suited(engine, [1e-6, 1e-3, 1e-2]);
    let iterations = [By::Jacobi, By::Identity].map(|by| {
        let (x, report) = solved(by, tolerance, 100);
        assert!(
            report.converged && report.residual <= tolerance,
            "{by:?}: {report:?}"
        );
        assert_eq!(
            (x, report),
            solved(by, tolerance, 100),
            "the same bits each time"
        );
        report.iterations
    });
    assert!(iterations[0] < iterations[1], "{iterations:?}");
    for most in [0, 1, 2] {
        let (_, report) = solved(By::Jacobi, 1e-6, most);
        assert_eq!((report.iterations, report.converged), (most, false));
    }
}

fn bad_input_is_named(engine: &Engine) {
    let outside = Matrix::from_rows(engine, &[vec![(0, 1.0)], vec![(2, 1.0)]]);
    let message = outside.unwrap_err().to_string();
    assert!(
        message.contains("row 1") && message.contains("column 2"),
        "{message}"
    );
    let infinite = Matrix::from_rows(engine, &[vec![(0, f32::INFINITY)]]);
    assert!(
        matches!(infinite, Err(Error::NotFinite { .. })),
        "{infinite:?}"
    );
    let matrix = Matrix::from_rows(engine, &[vec![(0, 1.0)], vec![(1, 1.0)]]).unwrap();
    let multigrid = Multigrid::new(&matrix).unwrap();
    let (short, long) = (
        engine.zeroed::<Vec3>(1).unwrap(),
        engine.zeroed::<Vec3>(2).unwrap(),
    );
    let mut x = engine.zeroed::<Vec3>(2).unwrap();
    let options = SolveOptions::default();
    let length = |e: Error| matches!(e, Error::Engine(EngineError::Length { got: 1, want: 2 }));
    assert!(length(
        solve(&matrix, &multigrid, &short, &mut x, &options).unwrap_err()
    ));
    assert!(length(
        matrix
            .multiply(1.0, &short, 0.0, &long, &mut x)
            .unwrap_err()
    ));
    let other = Multigrid::new(&Matrix::from_rows(engine, &[vec![(0, 1.0)]]).unwrap()).unwrap();
    assert!(matches!(
        solve(&matrix, &other, &long, &mut x, &options),
        Err(Error::Options(_))
    ));
    let none = options.with(|o| o.tolerance = 0.0);
    assert!(matches!(
        solve(&matrix, &multigrid, &long, &mut x, &none),
        Err(Error::Options(_))
    ));
    let wrong = engine
        .upload(&[Vec3::new(f32::NAN, 0.0, 0.0), Vec3::ZERO])
        .unwrap();
    let error = solve(&matrix, &multigrid, &wrong, &mut x, &options);
    assert!(matches!(error, Err(Error::NotFinite { .. })), "{error:?}");
}

fn same_bits_for_any_number_of_threads(engine: &Engine) {
    let n = suited(engine, [50, 10, 5]);
    let mut random = RandomNumbers(9);
    let masses: Vec<f32> = (0..n * n).map(|_| 0.01 * random.next()).collect();
    let rows = laplacian(&masses, &grid(n, |_| 10f32.powf(4.0 * random.next())));
    let b = random.vectors(rows.len());
    for by in [By::Multigrid, By::Jacobi] {
        let first = solved(engine, &rows, &b, by);
        assert_eq!(first, solved(engine, &rows, &b, by), "a second run");
        if !is_slow(engine) && engine.name() == "cpu" {
            for threads in [1, 7] {
                let other = Engine::cpu_with_threads(threads).unwrap();
                assert_eq!(first, solved(&other, &rows, &b, by), "{threads} threads");
            }
        }
    }
}
