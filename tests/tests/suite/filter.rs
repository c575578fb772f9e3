//! Bilateral denoising against a naive search in doubles.

use crate::algo_support::*;
use glam::DVec3;
use rxmesh_host::algo::filter::{Closeness, FilterOptions, FilterReport, bilateral_filter};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::{Error, Vec3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};
use rxmesh_tests::extent::extent;

conformance! {
    agrees_with_a_naive_search, balls_of_any_size_are_whole, noise_goes_and_edges_stay, any_unit_gives_the_same,
    every_run_gives_the_same_bits, nasty_meshes_stay_finite, senseless_options_are_refused
}

fn normals(mesh: &TriMesh, x: &[DVec3]) -> Vec<DVec3> {
    let mut n = vec![DVec3::ZERO; x.len()];
    for f in &mesh.faces {
        let f = f.map(|v| v as usize);
        for k in 0..3 {
            let (u, w) = (x[f[(k + 1) % 3]] - x[f[k]], x[f[(k + 2) % 3]] - x[f[k]]);
            let weight = u.length_squared() * w.length_squared();
            if weight > 0.0 {
                n[f[k]] += u.cross(w) / weight;
            }
        }
    }
    n.into_iter().map(|n| n.normalize_or_zero()).collect()
}

/// One iteration, and for each vertex whether a neighbour is so near its ball's surface that rounding decides.
fn naive(mesh: &TriMesh, o: &FilterOptions) -> (Vec<DVec3>, Vec<bool>) {
    let (x, rings, mut close) = (doubles(mesh), rings(mesh), vec![false; mesh.vertex_count()]);
    let n = normals(mesh, &x);
    let lengths = |v: usize| rings[v].iter().map(move |&w| (v, w));
    let all: Vec<f64> = (0..x.len())
        .flat_map(lengths)
        .map(|(v, w)| x[v].distance(x[w]))
        .collect();
    let y = (0..x.len()).map(|v| {
        let own = rings[v].iter().map(|&w| x[v].distance(x[w]));
        let sigma_c = match o.sigma_c {
            _ if rings[v].is_empty() => return x[v],
            Closeness::MeanEdge => own.sum::<f64>() / rings[v].len() as f64,
            Closeness::ShortestEdge => own.fold(f64::MAX, f64::min),
            Closeness::MeshMeanEdge => all.iter().sum::<f64>() / all.len() as f64,
            Closeness::Given(c) => c,
        };
        let (mut ball, mut seen, mut next) = (vec![v], std::collections::BTreeSet::from([v]), 0);
        while next < ball.len() {
            for &w in &rings[ball[next]] {
                let d = x[w].distance(x[v]);
                close[v] |= (d / (2.0 * sigma_c) - 1.0).abs() < 1e-5;
                if d < 2.0 * sigma_c && seen.insert(w) {
                    ball.push(w);
                }
            }
            next += 1;
        }
        let h: Vec<f64> = ball.iter().map(|&w| n[v].dot(x[w] - x[v])).collect();
        let mean = h.iter().sum::<f64>() / h.len() as f64;
        let spread = (h.iter().map(|h| (h - mean).powi(2)).sum::<f64>() / h.len() as f64).sqrt();
        let sigma_s = o.sigma_s.unwrap_or(spread);
        let weight = |k: usize| {
            let d2 = x[ball[k]].distance_squared(x[v]);
            (-d2 / (2.0 * sigma_c * sigma_c) - h[k] * h[k] / (2.0 * sigma_s * sigma_s)).exp()
        };
        let total: f64 = (0..h.len()).map(weight).sum();
        let sum: f64 = (0..h.len()).map(|k| weight(k) * h[k]).sum();
        if sigma_s > 0.0 && sigma_c > 0.0 {
            x[v] + n[v] * (sum / total)
        } else {
            x[v]
        }
    });
    (y.collect(), close)
}

/// For each vertex whether rounding decides who its neighbours are.
pub(crate) fn doubtful(mesh: &TriMesh, o: &FilterOptions) -> Vec<bool> {
    naive(mesh, o).1
}

fn run(engine: &Engine, mesh: &TriMesh, o: &FilterOptions) -> (Vec<Vec3>, FilterReport) {
    let (rx, mut x) = put(engine, mesh);
    let report = bilateral_filter(&rx, &mut x, o).unwrap();
    (x.to_input(&rx).unwrap(), report)
}

fn once(sigma_c: Closeness) -> FilterOptions {
    FilterOptions::default().with(|o| {
        o.iterations = 1;
        o.sigma_c = sigma_c;
    })
}

fn compare(engine: &Engine, mesh: &TriMesh, o: &FilterOptions) -> FilterReport {
    let (got, report) = run(engine, mesh, o);
    let (want, close) = naive(mesh, o);
    let doubtful = close.iter().filter(|c| **c).count();
    assert!(doubtful * 20 <= close.len(), "{doubtful}");
    for v in (0..got.len()).filter(|&v| !close[v]) {
        let error = got[v].as_dvec3().distance(want[v]);
        assert!(error < 5e-6, "{engine:?} {o:?} {v}: {error:e}");
    }
    report
}

fn agrees_with_a_naive_search(engine: &Engine) {
    let [levels, n] = suited(engine, [[3, 15], [2, 8], [1, 5]]);
    for mesh in [bumpy_sphere(levels), bumpy_grid(n)] {
        for sigma_c in [
            Closeness::MeanEdge,
            Closeness::ShortestEdge,
            Closeness::MeshMeanEdge,
            Closeness::Given(0.03),
        ] {
            compare(engine, &mesh, &once(sigma_c));
        }
        compare(
            engine,
            &mesh,
            &once(Closeness::MeanEdge).with(|o| {
                o.sigma_s = Some(0.01);
            }),
        );
    }
}

fn balls_of_any_size_are_whole(engine: &Engine) {
    if !is_slow(engine) {
        let mesh = bumpy_sphere(4);
        // The naive search takes as long as the balls are large.
        let balls = [(0.05, 0), (0.2, 2562), (0.5, 2562), (10.0, 2562)];
        for &(sigma_c, large) in &balls[..extent(2, 4)] {
            let report = compare(engine, &mesh, &once(Closeness::Given(sigma_c)));
            println!("sigma_c {sigma_c}: {} large balls", report.large_balls);
            assert_eq!(report.large_balls, large);
        }
    }
    let n = suited(engine, [301, 301, 150]);
    let fan = generate::fan(n).unwrap();
    let report = compare(engine, &fan, &once(Closeness::Given(0.77)));
    assert_eq!(report.large_balls, u64::from(n) + 1);
    let small = bumpy_sphere(2);
    assert!(compare(engine, &small, &once(Closeness::Given(0.6))).large_balls > 100);
}

fn noise_goes_and_edges_stay(engine: &Engine) {
    // A cube's corner: three flat sides.
    let n = 40;
    let mut mesh = generate::grid(n, n).unwrap();
    for p in &mut mesh.positions {
        p.z = 1.0 - (p.x - 0.5).abs().max((p.y - 0.5).abs()) * 2.0;
    }
    generate::noise(&mut mesh, 0.1, 3).unwrap();
    let off = |p: &Vec3| {
        f64::from(1.0 - (p.x - 0.5).abs().max((p.y - 0.5).abs()) * 2.0 - p.z) / 5f64.sqrt()
    };
    let rms = |p: &[Vec3]| (p.iter().map(|p| off(p).powi(2)).sum::<f64>() / p.len() as f64).sqrt();
    let before = rms(&mesh.positions);
    let after = |sigma_s: f64| {
        let options = FilterOptions::default().with(|o| {
            o.iterations = 4;
            o.sigma_s = Some(sigma_s);
        });
        rms(&run(engine, &mesh, &options).0)
    };
    let (keep, blur) = (after(2.0 * before), after(1.0));
    println!("off the surface: {before:.5} before, {keep:.5} after, {blur:.5} without similarity");
    assert!(keep < 0.7 * before && blur > 1.5 * keep);
}

fn thrice() -> FilterOptions {
    FilterOptions::default().with(|o| {
        o.iterations = 3;
    })
}

fn any_unit_gives_the_same(engine: &Engine) {
    let mesh = bumpy_sphere(suited(engine, [3, 2, 1]));
    let o = thrice();
    let once: Vec<DVec3> = (run(engine, &mesh, &o).0.iter())
        .map(|p| p.as_dvec3())
        .collect();
    for scale in [2f32.powi(-60), 2f32.powi(60)] {
        let mut scaled = mesh.clone();
        scaled.positions.iter_mut().for_each(|p| *p *= scale);
        let scaled = run(engine, &scaled, &o).0;
        let back: Vec<Vec3> = scaled.iter().map(|p| *p / scale).collect();
        assert!(farthest(&back, &once) < 1e-6);
    }
}

/// Normals are sums whose order is fixed on blocks of one thread only.
fn every_run_gives_the_same_bits(engine: &Engine) {
    let mesh = bumpy_sphere(suited(engine, [3, 2, 1]));
    let (a, b) = (
        run(engine, &mesh, &thrice()).0,
        run(engine, &mesh, &thrice()).0,
    );
    if engine.name() == "cpu" || engine.name() == "shuffled" {
        assert_eq!(a, b);
    } else {
        let b: Vec<DVec3> = b.iter().map(|p| p.as_dvec3()).collect();
        assert!(farthest(&a, &b) < 1e-6);
    }
}

fn nasty_meshes_stay_finite(engine: &Engine) {
    for (name, mesh) in nasty() {
        for sigma_c in [
            Closeness::MeanEdge,
            Closeness::ShortestEdge,
            Closeness::MeshMeanEdge,
            Closeness::Given(3.0),
        ] {
            let (y, _) = run(
                engine,
                &mesh,
                &thrice().with(|o| {
                    o.sigma_c = sigma_c;
                }),
            );
            assert!(y.iter().all(|p| p.is_finite()), "{name}: {y:?}");
            if name == "isolated vertices" {
                assert_eq!(y[3..], mesh.positions[3..]);
            }
        }
    }
}

fn senseless_options_are_refused(engine: &Engine) {
    let mesh = bumpy_grid(3);
    let (rx, mut x) = put(engine, &mesh);
    let base = FilterOptions::default();
    for bad in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
        for o in [
            base.with(|o| {
                o.sigma_c = Closeness::Given(bad);
            }),
            base.with(|o| {
                o.sigma_s = Some(bad);
            }),
        ] {
            assert!(
                matches!(bilateral_filter(&rx, &mut x, &o), Err(Error::Options(_))),
                "{o:?}"
            );
        }
    }
    let mut x = rx.attribute_from(&[Vec3::NAN; 16]).unwrap();
    assert!(matches!(
        bilateral_filter(&rx, &mut x, &base),
        Err(Error::NotFinite { .. })
    ));
}
