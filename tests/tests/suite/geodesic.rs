//! Geodesic distances against exact ones, and against a serial copy of the same algorithm.

use crate::algo_support::*;
use glam::DVec3;
use rxmesh_host::algo::geodesic::{GeodesicOptions, geodesic, level_sets};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::{Error, Vec3};
use std::collections::VecDeque;

fn naive_levels(mesh: &TriMesh, sources: &[u32]) -> Vec<u32> {
    let rings = rings(mesh);
    let mut level = vec![u32::MAX; mesh.vertex_count()];
    let mut queue: VecDeque<usize> = sources.iter().map(|&s| s as usize).collect();
    queue.iter().for_each(|&s| level[s] = 0);
    while let Some(v) = queue.pop_front() {
        for &w in &rings[v] {
            if level[w] == u32::MAX {
                level[w] = level[v] + 1;
                queue.push_back(w);
            }
        }
    }
    level
}

/// The plane wave's update by the quadratic equation of Kimmel and Sethian, in doubles.
fn update(x: [DVec3; 3], d: [f64; 2]) -> f64 {
    let (a, b) = (x[1] - x[0], x[2] - x[0]);
    let edge = (d[0] + a.length()).min(d[1] + b.length());
    let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
    let det = aa * bb - ab * ab;
    if det <= 0.0 || !d[0].is_finite() || !d[1].is_finite() {
        return edge;
    }
    let q = [[bb / det, -ab / det], [-ab / det, aa / det]];
    let form = |u: [f64; 2], w: [f64; 2]| {
        (0..2)
            .map(|i| (0..2).map(|j| u[i] * q[i][j] * w[j]).sum::<f64>())
            .sum::<f64>()
    };
    let (one, two, three) = (
        form([1.0; 2], [1.0; 2]),
        form([1.0; 2], d),
        form(d, d) - 1.0,
    );
    let root = two * two - one * three;
    if root < 0.0 {
        return edge;
    }
    let p = (two + root.sqrt()) / one;
    let n = [d[0] - p, d[1] - p];
    let through = (0..2).all(|i| q[i][0] * n[0] + q[i][1] * n[1] <= 0.0);
    if through { p.min(edge) } else { edge }
}

/// The window's iterations, serial and in doubles.
fn naive(mesh: &TriMesh, sources: &[u32], threshold: f64) -> (Vec<f64>, u32) {
    let (x, level) = (doubles(mesh), naive_levels(mesh, sources));
    let levels = level.iter().filter(|&&l| l != u32::MAX).max().unwrap() + 1;
    let mut d: Vec<f64> = level
        .iter()
        .map(|&l| if l == 0 { 0.0 } else { f64::INFINITY })
        .collect();
    let (mut first, mut end, mut iterations) = (1, 2, 0);
    loop {
        let old = d.clone();
        for f in &mesh.faces {
            for k in 0..3 {
                let [r, p, q] = [0, 1, 2].map(|i| f[(k + i) % 3] as usize);
                if level[r] >= first && level[r] < end {
                    d[r] = d[r].min(update([x[r], x[p], x[q]], [old[p], old[q]]));
                }
            }
        }
        iterations += 1;
        let moving = (0..d.len()).filter(|&v| old[v] - d[v] > threshold * d[v]);
        let Some(lowest) = moving.map(|v| level[v]).min() else {
            break;
        };
        end = levels.min(end + 1);
        first = (lowest - 1).max(1);
    }
    (d, iterations)
}

/// Mean and largest relative error.
fn errors(got: &[f32], want: impl Fn(usize) -> f64) -> (f64, f64) {
    let each = (0..got.len()).filter(|&v| want(v) > 0.0);
    let relative: Vec<f64> = each
        .map(|v| (f64::from(got[v]) - want(v)).abs() / want(v))
        .collect();
    (
        relative.iter().sum::<f64>() / relative.len() as f64,
        relative.iter().copied().fold(0.0, f64::max),
    )
}

fn run(engine: &Engine, mesh: &TriMesh, sources: &[u32]) -> Vec<f32> {
    let (rx, x) = put(engine, mesh);
    let (mut d, report) = geodesic(&rx, &x, sources, &GeodesicOptions::default()).unwrap();
    let d = d.to_input(&rx).unwrap();
    assert!(report.converged, "{report:?}");
    assert_eq!(
        report.reached as usize,
        d.iter().filter(|d| d.is_finite()).count()
    );
    let far = d
        .iter()
        .copied()
        .filter(|d| d.is_finite())
        .fold(0.0, f32::max);
    assert_eq!(report.max_distance, f64::from(far));
    d
}

#[test]
fn levels_are_those_of_a_serial_search() {
    let two = [bumpy_sphere(2), generate::torus(40, 9, 2.0, 0.3).unwrap()];
    for engine in engines() {
        for (mesh, sources) in [
            (&two[0], vec![5]),
            (&two[1], vec![0, 17, 17, 200]),
            (&generate::grid(60, 3).unwrap(), vec![243]),
        ] {
            let (rx, _) = put(&engine, mesh);
            let levels = level_sets(&rx, &sources).unwrap().to_input(&rx).unwrap();
            assert_eq!(levels, naive_levels(mesh, &sources), "{engine:?}");
        }
    }
}

#[test]
fn agrees_with_a_serial_copy() {
    let torus = generate::torus(40, 16, 2.0, 0.7).unwrap();
    for engine in engines() {
        for (mesh, sources) in [
            (&bumpy_sphere(3), vec![0]),
            (&torus, vec![3, 300]),
            (&bumpy_grid(20), vec![220, 0]),
        ] {
            let (rx, x) = put(&engine, mesh);
            let (mut d, report) = geodesic(&rx, &x, &sources, &GeodesicOptions::default()).unwrap();
            let (want, iterations) = naive(mesh, &sources, 1e-3);
            let (_, worst) = errors(&d.to_input(&rx).unwrap(), |v| want[v]);
            assert!(
                report.iterations.abs_diff(iterations) <= 2,
                "{report:?} {iterations}"
            );
            assert!(worst < 2e-3, "{engine:?}: {worst:e}");
        }
    }
}

#[test]
fn a_plane_has_euclidean_distances() {
    let mut jittered = generate::grid(200, 200).unwrap();
    let mut rng = rxmesh_host::mesh::Rng::new(4);
    for p in &mut jittered.positions {
        *p += 0.25 / 200.0 * Vec3::new(rng.signed_unit() as f32, rng.signed_unit() as f32, 0.0);
    }
    for engine in fast_engines() {
        for (name, mesh) in [
            ("grid", &generate::grid(200, 200).unwrap()),
            ("jittered grid", &jittered),
        ] {
            for source in [0, 201 * 100 + 100] {
                let d = run(&engine, mesh, &[source]);
                let x = doubles(mesh);
                let (mean, worst) = errors(&d, |v| x[v].distance(x[source as usize]));
                println!(
                    "{name} from {source}: mean {:.3} %, largest {:.2} %",
                    100.0 * mean,
                    100.0 * worst
                );
                assert!(mean < 0.012 && worst < 0.3);
            }
        }
    }
}

#[test]
fn a_sphere_has_great_circles() {
    for engine in fast_engines() {
        for levels in [4, 5, 6] {
            let mesh = generate::icosphere(levels).unwrap();
            let x = doubles(&mesh);
            for source in [0, mesh.vertex_count() as u32 / 2] {
                let d = run(&engine, &mesh, &[source]);
                let (mean, worst) = errors(&d, |v| x[v].angle_between(x[source as usize]));
                println!(
                    "{} faces from {source}: mean {:.3} %, largest {:.2} %",
                    mesh.face_count(),
                    100.0 * mean,
                    100.0 * worst
                );
                assert!(mean < 0.02 && worst < 0.2);
            }
        }
    }
}

#[test]
fn several_sources_give_the_nearest() {
    let mesh = generate::icosphere(5).unwrap();
    let x = doubles(&mesh);
    let sources = [0, 77, 5000, 5000];
    for engine in fast_engines() {
        let d = run(&engine, &mesh, &sources);
        assert!(sources.iter().all(|&s| d[s as usize] == 0.0));
        let nearest = |v: usize| {
            sources
                .iter()
                .map(|&s| x[v].angle_between(x[s as usize]))
                .fold(f64::MAX, f64::min)
        };
        let (mean, worst) = errors(&d, nearest);
        println!(
            "four sources: mean {:.3} %, largest {:.2} %",
            100.0 * mean,
            100.0 * worst
        );
        assert!(mean < 0.02 && worst < 0.2);
    }
}

#[test]
fn what_no_source_reaches_is_infinitely_far() {
    let mut mesh = generate::icosphere(2).unwrap();
    let n = mesh.vertex_count() as u32;
    mesh.positions
        .extend(mesh.positions.clone().iter().map(|p| *p + Vec3::X * 5.0));
    mesh.faces
        .extend(mesh.faces.clone().iter().map(|f| f.map(|v| v + n)));
    mesh.positions.push(Vec3::ZERO);
    for engine in engines() {
        let d = run(&engine, &mesh, &[n + 3]);
        assert!(d[..n as usize].iter().all(|&d| d == f32::INFINITY));
        assert!(d[n as usize..2 * n as usize].iter().all(|d| d.is_finite()));
        assert_eq!(d[2 * n as usize], f32::INFINITY);
        let lonely = run(&engine, &mesh, &[2 * n]);
        assert_eq!(lonely.iter().filter(|d| d.is_finite()).count(), 1);
    }
}

#[test]
fn all_cpu_engines_give_the_same_bits_and_any_unit_will_do() {
    let mesh = bumpy_sphere(3);
    let all: Vec<_> = [Engine::cpu(), Engine::shuffled(9), Engine::team(7)]
        .iter()
        .map(|e| run(e, &mesh, &[9]))
        .collect();
    assert!(all.iter().all(|d| d == &all[0]));
    for scale in [2f32.powi(-70), 2f32.powi(70)] {
        let mut scaled = mesh.clone();
        scaled.positions.iter_mut().for_each(|p| *p *= scale);
        let d = run(&Engine::cpu(), &scaled, &[9]);
        assert!(
            d.iter()
                .zip(&all[0])
                .all(|(a, b)| (*a / scale - *b).abs() <= 1e-5 * b),
            "{scale}"
        );
    }
}

#[test]
fn nasty_meshes_give_numbers() {
    for engine in engines() {
        for (name, mesh) in nasty() {
            if mesh.vertex_count() == 0 {
                let (rx, x) = put(&engine, &mesh);
                assert!(matches!(
                    geodesic(&rx, &x, &[0], &GeodesicOptions::default()),
                    Err(Error::Options(_))
                ));
                continue;
            }
            let d = run(&engine, &mesh, &[0]);
            let levels = naive_levels(&mesh, &[0]);
            for v in 0..d.len() {
                assert!(
                    !d[v].is_nan() && d[v].is_finite() == (levels[v] != u32::MAX),
                    "{name}: {d:?}"
                );
            }
        }
    }
}

#[test]
fn senseless_questions_are_refused_and_limits_are_kept() {
    let mesh = bumpy_grid(20);
    let (rx, x) = put(&Engine::cpu(), &mesh);
    let ask = |sources: &[u32], options: GeodesicOptions| geodesic(&rx, &x, sources, &options);
    let base = GeodesicOptions::default();
    for threshold in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
        assert!(matches!(
            ask(&[0], GeodesicOptions { threshold, ..base }),
            Err(Error::Options(_))
        ));
    }
    assert!(matches!(ask(&[], base), Err(Error::Options(_))));
    assert!(matches!(ask(&[441], base), Err(Error::Options(_))));
    let report = ask(
        &[0],
        GeodesicOptions {
            max_iterations: Some(5),
            ..base
        },
    )
    .unwrap()
    .1;
    assert!(report.iterations == 5 && !report.converged, "{report:?}");
}

#[test]
fn long_cells_keep_the_accuracy() {
    // A cylinder of cells three times longer than wide, unrolled: the plane is exact within half a turn.
    let (n, radius) = (300, 1.0);
    let width = std::f64::consts::TAU * radius / f64::from(n);
    let height = 3.0 * width * 100.0;
    let mesh = generate::cylinder(n, 100, radius as f32, height as f32, false).unwrap();
    for engine in fast_engines() {
        let d = run(&engine, &mesh, &[0]);
        let unrolled = |v: usize| {
            let (round, up) = (v as u32 % n, v as u32 / n);
            let round = f64::from(round.min(n - round)) * width;
            round.hypot(f64::from(up) * 3.0 * width)
        };
        let (mean, worst) = errors(&d, unrolled);
        println!(
            "long cells: mean {:.3} %, largest {:.2} %",
            100.0 * mean,
            100.0 * worst
        );
        assert!(mean < 0.02 && worst < 0.3);
    }
}
