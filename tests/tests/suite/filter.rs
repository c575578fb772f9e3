//! Bilateral denoising against a naive search in doubles.

use crate::algo_support::*;
use glam::DVec3;
use rxmesh_host::algo::filter::{
    Closeness, FilterBatchReport, FilterOptions, FilterReport, FilterScheme, Similarity,
    bilateral_filter, bilateral_filter_batch,
};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::{Error, Vec3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};
use rxmesh_tests::extent::extent;

conformance! {
    agrees_with_a_naive_search, balls_of_any_size_are_whole, noise_goes_and_edges_stay, any_unit_gives_the_same,
    every_run_gives_the_same_bits, nasty_meshes_stay_finite, senseless_options_are_refused,
    by_default_noise_goes_and_little_else, a_mesh_without_noise_hardly_changes, several_come_out_as_alone,
    several_with_wrong_options
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

/// Computes one iteration, and `true` for each vertex with a neighbour so near its ball's surface that rounding
/// decides.
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
        let sigma_c = match o.sigma_c.unwrap_or_default() {
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
        let sigma_s = match o.sigma_s {
            Some(Similarity::Given(sigma_s)) => sigma_s,
            _ => spread,
        };
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

/// Returns `true` for each vertex where rounding decides the set of neighbours.
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
        o.iterations = Some(1);
        o.sigma_c = Some(sigma_c);
        o.sigma_s = Some(Similarity::Ball);
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
                o.sigma_s = Some(Similarity::Given(0.01));
            }),
        );
    }
}

fn balls_of_any_size_are_whole(engine: &Engine) {
    if !is_slow(engine) {
        let mesh = bumpy_sphere(4);
        // The time of the naive search grows with the size of the balls.
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
            o.iterations = Some(4);
            o.sigma_s = Some(Similarity::Given(sigma_s));
        });
        rms(&run(engine, &mesh, &options).0)
    };
    let (keep, blur) = (after(2.0 * before), after(1.0));
    println!("off the surface: {before:.5} before, {keep:.5} after, {blur:.5} without similarity");
    assert!(keep < 0.7 * before && blur > 1.5 * keep);
}

/// Returns options for three iterations of either scheme.
fn thrice(scheme: FilterScheme) -> FilterOptions {
    FilterOptions::default().with(|o| {
        o.scheme = Some(scheme);
        o.iterations = Some(3);
    })
}

const SCHEMES: [FilterScheme; 2] = [FilterScheme::Normals, FilterScheme::Vertices];

fn any_unit_gives_the_same(engine: &Engine) {
    let mesh = bumpy_sphere(suited(engine, [3, 2, 1]));
    for scheme in SCHEMES {
        any_unit(engine, &mesh, thrice(scheme));
    }
}

fn any_unit(engine: &Engine, mesh: &TriMesh, o: FilterOptions) {
    let once: Vec<DVec3> = (run(engine, mesh, &o).0.iter())
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

/// Normals are sums whose order is fixed only on blocks of one thread.
fn every_run_gives_the_same_bits(engine: &Engine) {
    let mesh = bumpy_sphere(suited(engine, [3, 2, 1]));
    let always = engine.name() == "cpu" || engine.name() == "shuffled";
    for scheme in SCHEMES {
        let run = || run(engine, &mesh, &thrice(scheme)).0;
        let (a, b) = (run(), run());
        if always {
            assert_eq!(a, b);
        } else {
            let b: Vec<DVec3> = b.iter().map(|p| p.as_dvec3()).collect();
            assert!(farthest(&a, &b) < 1e-6);
        }
    }
}

/// A needle whose offsets are below the smallest squares, among pathological meshes.
fn nasty_meshes_stay_finite(engine: &Engine) {
    let mut meshes = nasty();
    let needle = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 1e-20), Vec3::Y];
    let needle = TriMesh::new(needle.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    meshes.push(("a needle", needle));
    let base = FilterOptions::default();
    let mut all = vec![base, thrice(FilterScheme::Normals)];
    for noise in [0.0, 1e-30, 0.1, 1e30] {
        all.push(base.with(|o| o.noise = Some(noise)));
    }
    for sigma_c in [
        Closeness::MeanEdge,
        Closeness::ShortestEdge,
        Closeness::MeshMeanEdge,
        Closeness::Given(3.0),
    ] {
        for sigma_s in [
            Similarity::Noise,
            Similarity::Ball,
            Similarity::Given(1e-30),
        ] {
            all.push(thrice(FilterScheme::Vertices).with(|o| {
                o.sigma_c = Some(sigma_c);
                o.sigma_s = Some(sigma_s);
            }));
        }
    }
    for (name, mesh) in meshes {
        for o in &all {
            let (y, _) = run(engine, &mesh, o);
            assert!(y.iter().all(|p| p.is_finite()), "{name}, {o:?}: {y:?}");
            if name == "isolated vertices" {
                assert_eq!(y[3..], mesh.positions[3..]);
            }
        }
    }
}

fn senseless_options_are_refused(engine: &Engine) {
    // Repeated balls of the whole mesh would not end in reasonable time.
    let endless = FilterOptions::default().with(|o| {
        o.sigma_c = Some(Closeness::Given(1e3));
        o.iterations = Some(u32::MAX);
    });
    let (rx, mut x) = put(engine, &bumpy_grid(3));
    let before = x.to_input(&rx).unwrap();
    let e = bilateral_filter(&rx, &mut x, &endless).unwrap_err();
    assert!(e.to_string().contains("sigma_c is too large"), "{e}");
    assert_eq!(x.to_input(&rx).unwrap(), before);
    let mesh = bumpy_grid(3);
    let (rx, mut x) = put(engine, &mesh);
    let base = FilterOptions::default();
    for bad in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
        for o in [
            base.with(|o| o.sigma_c = Some(Closeness::Given(bad))),
            base.with(|o| o.sigma_s = Some(Similarity::Given(bad))),
            // Zero noise is possible.
            base.with(|o| o.noise = Some(bad - f64::from(bad == 0.0))),
            thrice(FilterScheme::Normals).with(|o| o.sigma_c = Some(Closeness::MeanEdge)),
            thrice(FilterScheme::Normals).with(|o| o.sigma_s = Some(Similarity::Ball)),
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

/// Makes the surface of the box from -1 to 1 with `n` cells along an edge.
fn cube(n: u32) -> TriMesh {
    let side = generate::grid(n, n).unwrap();
    let mut parts = Vec::new();
    for axis in 0..3 {
        for sign in [-1.0f32, 1.0] {
            let mut part = side.clone();
            for p in &mut part.positions {
                let (u, v) = (2.0 * p.x - 1.0, 2.0 * p.y - 1.0);
                // Mirrored where the normal points down the axis.
                let flat = [sign, sign * u, v];
                *p = Vec3::new(
                    flat[(3 - axis) % 3],
                    flat[(4 - axis) % 3],
                    flat[(5 - axis) % 3],
                );
            }
            parts.push(part);
        }
    }
    weld(parts)
}

/// Merges the vertices at one position.
fn weld(parts: Vec<TriMesh>) -> TriMesh {
    let mut at = std::collections::BTreeMap::new();
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for part in parts {
        let ids: Vec<u32> = (part.positions.iter())
            .map(|p| {
                let key = p.to_array().map(|x| (x * 1e4).round() as i64);
                *at.entry(key).or_insert_with(|| {
                    positions.push(*p);
                    positions.len() as u32 - 1
                })
            })
            .collect();
        faces.extend(part.faces.iter().map(|f| f.map(|v| ids[v as usize])));
    }
    TriMesh::new(positions, faces).unwrap()
}

/// Returns the root mean square distance of points from the surface of the box.
fn off_the_cube(x: &[Vec3]) -> f64 {
    let square = |p: &Vec3| {
        let q = p.as_dvec3().abs() - DVec3::ONE;
        let outside = q.max(DVec3::ZERO).length();
        (outside + q.max_element().min(0.0)).powi(2)
    };
    (x.iter().map(square).sum::<f64>() / x.len() as f64).sqrt()
}

/// Noise of a tenth and of a third of an edge, normally distributed, on a box with sharp edges: the estimate is right,
/// the result is closer to the box than a third or half of the noise, edges stay sharp, volume stays.
fn by_default_noise_goes_and_little_else(engine: &Engine) {
    if is_slow(engine) {
        return;
    }
    let clean = cube(24);
    let edge = 1.0 / 12.0 * (2.0 + 2f64.sqrt()) / 3.0;
    for (part, left, turned) in [(0.1, 0.45, 3.0), (0.3, 0.45, 9.0)] {
        let mut mesh = clean.clone();
        let mut rng = rxmesh_host::mesh::Rng::new(11);
        // Sums of twelve uniform numbers, each of variance one third, are nearly normal.
        let mut normal = || (0..12).map(|_| rng.signed_unit()).sum::<f64>() * 0.5;
        for p in &mut mesh.positions {
            let d = DVec3::new(normal(), normal(), normal()) * (part * edge);
            *p = (p.as_dvec3() + d).as_vec3();
        }
        let (y, report) = run(engine, &mesh, &FilterOptions::default());
        let (before, after) = (off_the_cube(&mesh.positions), off_the_cube(&y));
        let result = TriMesh::new(y, mesh.faces.clone()).unwrap();
        let error = normal_error(&result, &clean);
        let volume = rxmesh_host::mesh::volume(&result.positions, &result.faces);
        println!(
            "{part}: {before:.5} to {after:.5}, {error:.2} degrees, volume {volume:.4}, {report:?}"
        );
        assert!(
            (report.noise / (part * edge) - 1.0).abs() < 0.25,
            "{report:?}"
        );
        assert!(after < left * before, "{after} of {before}");
        assert!(error < turned, "{error}");
        assert!((volume / 8.0 - 1.0).abs() < 0.01, "{volume}");
    }
}

/// Returns the mean angle between corresponding faces, in degrees.
fn normal_error(a: &TriMesh, b: &TriMesh) -> f64 {
    let normal = |m: &TriMesh, f: &[u32; 3]| {
        let [x, y, z] = f.map(|v| m.positions[v as usize].as_dvec3());
        (y - x).cross(z - x).normalize_or_zero()
    };
    let angle = |f: &[u32; 3]| normal(a, f).dot(normal(b, f)).clamp(-1.0, 1.0).acos();
    a.faces.iter().map(angle).sum::<f64>().to_degrees() / a.faces.len() as f64
}

/// A box stays, a smooth surface moves by a twentieth of an edge at most (the sphere where only five edges meet), and
/// both keep their volumes to one percent (the coarse torus, whose bends are as large as noise, gains 0.6).
fn a_mesh_without_noise_hardly_changes(engine: &Engine) {
    let sphere = generate::icosphere(suited(engine, [4, 3, 2])).unwrap();
    let torus = generate::torus(36, 18, 1.0, 0.4).unwrap();
    for (name, mesh, far) in [
        ("cube", cube(5), 1e-5),
        ("sphere", sphere, 0.05),
        ("torus", torus, 0.05),
    ] {
        let (y, report) = run(engine, &mesh, &FilterOptions::default());
        let moved = farthest(&y, &doubles(&mesh));
        let edge = smooth_edge(&mesh);
        let volumes = [&mesh.positions, &y].map(|x| rxmesh_host::mesh::volume(x, &mesh.faces));
        println!("{name}: {moved:.2e} of edges of {edge:.2e}, volumes {volumes:?}, {report:?}");
        assert!(moved <= far * edge, "{name}: {moved} of {edge}");
        assert!(
            (volumes[1] / volumes[0] - 1.0).abs() < 0.01,
            "{name}: {volumes:?}"
        );
    }
}

fn smooth_edge(mesh: &TriMesh) -> f64 {
    let (x, rings) = (doubles(mesh), rings(mesh));
    let all = rings
        .iter()
        .enumerate()
        .flat_map(|(v, r)| r.iter().map(move |&w| (v, w)));
    let lengths: Vec<f64> = all.map(|(v, w)| x[v].distance(x[w])).collect();
    lengths.iter().sum::<f64>() / lengths.len() as f64
}

/// Joins meshes, and returns the label of each vertex.
fn joined(meshes: &[TriMesh]) -> (TriMesh, Vec<u32>) {
    let (mut all, mut labels) = (TriMesh::default(), Vec::new());
    for (label, mesh) in (0..).zip(meshes) {
        let base = all.positions.len() as u32;
        all.positions.extend(&mesh.positions);
        let shifted = mesh.faces.iter().map(|f| f.map(|v| v + base));
        all.faces.extend(shifted);
        labels.extend(vec![label; mesh.positions.len()]);
    }
    (all, labels)
}

fn run_several(
    engine: &Engine,
    meshes: &[TriMesh],
    each: &[FilterOptions],
) -> Result<(Vec<Vec<Vec3>>, FilterBatchReport), Error> {
    let (all, labels) = joined(meshes);
    let (rx, mut x) = put(engine, &all);
    let labels = rx.attribute_from::<Vertex, u32>(&labels).unwrap();
    let report = bilateral_filter_batch(&rx, &mut x, &labels, each);
    let mut left = x.to_input(&rx).unwrap();
    if report.is_err() {
        assert!(left.iter().zip(&all.positions).all(|(a, b)| a == b));
    }
    let parts = meshes.iter().map(|m| {
        let rest = left.split_off(m.positions.len());
        std::mem::replace(&mut left, rest)
    });
    let parts = parts.collect();
    Ok((parts, report?))
}

/// Returns meshes that differ in size, noise, and options.
fn several(engine: &Engine) -> Vec<TriMesh> {
    let n = suited(engine, [14, 7, 4]);
    let noisy = |mut mesh: TriMesh, noise: f32, size: f32, seed: u64| {
        generate::noise(&mut mesh, noise, seed).unwrap();
        mesh.positions.iter_mut().for_each(|p| *p *= size);
        mesh
    };
    let torus = generate::torus(3 * n, 2 * n, 1.0, 0.4).unwrap();
    vec![
        noisy(torus.clone(), 0.3, 1e-3, 5),
        noisy(cube(n), 0.05, 40.0, 6),
        cube(n),
        TriMesh::default(),
        noisy(generate::grid(n, n).unwrap(), 0.5, 1.0, 7),
        TriMesh::new(vec![Vec3::ONE; 3], Vec::new()).unwrap(),
        noisy(torus, 0.2, 3.0, 8),
    ]
}

fn several_come_out_as_alone(engine: &Engine) {
    let meshes = several(engine);
    let base = FilterOptions::default();
    let mut by_normals = vec![base; meshes.len()];
    by_normals[1].iterations = Some(2);
    by_normals[4].noise = Some(0.01);
    by_normals[6].iterations = Some(0);
    let by_vertices = |sigma_c: Closeness| {
        let mut each = vec![once(sigma_c); meshes.len()];
        each[0].sigma_s = None;
        each[1].sigma_s = Some(Similarity::Given(0.5));
        each[4].noise = Some(0.02);
        each[4].sigma_s = Some(Similarity::Noise);
        each[6].iterations = Some(0);
        each
    };
    // Balls with neighbours in them also on a mesh as coarse as a slow engine's.
    let mut given = by_vertices(Closeness::Given(suited(engine, [0.2, 0.2, 0.5])));
    given[0].sigma_c = Some(Closeness::Given(2e-4));
    given[1].sigma_c = Some(Closeness::MeshMeanEdge);
    for each in [
        by_normals,
        by_vertices(Closeness::MeanEdge),
        by_vertices(Closeness::ShortestEdge),
        given,
    ] {
        let (parts, report) = run_several(engine, &meshes, &each).unwrap();
        let mut total = (0, 0.0);
        for (i, (mesh, o)) in meshes.iter().zip(&each).enumerate() {
            let (alone, want) = run(engine, mesh, o);
            let got = &report.meshes[i];
            total = (total.0.max(got.iterations), got.noise.max(total.1));
            // Without a face nothing is done, alone or not, but there is nothing to count.
            let iterations = if mesh.face_count() == 0 {
                got.iterations
            } else {
                want.iterations
            };
            assert_eq!(got.iterations, iterations, "mesh {i}: {o:?}");
            for (got, want) in [
                (got.noise, want.noise),
                (got.noise_over_edge, want.noise_over_edge),
            ] {
                assert!((got - want).abs() <= 1e-4 * want, "mesh {i}: {got}, {want}");
            }
            let close = match o.scheme() {
                FilterScheme::Normals => vec![false; mesh.vertex_count()],
                FilterScheme::Vertices => doubtful(mesh, o),
            };
            let most = 1e-5
                * mesh
                    .positions
                    .iter()
                    .map(|p| p.length())
                    .fold(0.0, f32::max);
            for v in (0..alone.len()).filter(|&v| !close[v]) {
                let off = alone[v].distance(parts[i][v]);
                assert!(off <= most, "mesh {i}, vertex {v}, {o:?}: {off}");
            }
            let without_noise = i == 2 && o.scheme() == FilterScheme::Normals;
            let stays = mesh.face_count() == 0 || o.iterations() == 0 || without_noise;
            assert_eq!(mesh.positions == parts[i], stays, "mesh {i}: {o:?}");
        }
        assert_eq!((report.total.iterations, report.total.noise), total);
    }
}

fn several_with_wrong_options(engine: &Engine) {
    let meshes = vec![cube(1), cube(2)];
    let refused = |each: &[FilterOptions], word: &str| {
        let e = run_several(engine, &meshes, each).unwrap_err();
        let named = matches!(e, Error::Options(_)) && e.to_string().contains(word);
        assert!(named, "{e}");
    };
    let one = FilterOptions::default();
    refused(&[one], "there is a label 1");
    refused(&[], "label 1");
    refused(
        &[one, thrice(FilterScheme::Vertices)],
        "mesh 1: all meshes share the scheme",
    );
    refused(
        &[once(Closeness::MeanEdge), once(Closeness::Given(1.0))],
        "mesh 1: all meshes share",
    );
    refused(
        &[one, one.with(|o| o.noise = Some(-1.0))],
        "mesh 1: the noise",
    );
    let endless = once(Closeness::Given(1e3)).with(|o| o.iterations = Some(u32::MAX));
    refused(
        &[once(Closeness::Given(1e-3)), endless],
        "sigma_c is too large",
    );
    let mut holed = meshes.clone();
    holed[1].positions[3].y = f32::NAN;
    let (all, labels) = joined(&holed);
    let (rx, mut x) = put(engine, &all);
    let labels = rx.attribute_from::<Vertex, u32>(&labels).unwrap();
    let e = bilateral_filter_batch(&rx, &mut x, &labels, &[one; 2]).unwrap_err();
    assert!(matches!(e, Error::NotFinite { .. }), "{e}");
}
