//! Geodesic distances against exact ones, and against a serial search for the scheme's fixed point.

use crate::algo_support::*;
use glam::DVec3;
use rxmesh_host::algo::geodesic::{
    GeodesicOptions, GeodesicSeed, geodesic, geodesic_from, level_sets, point_seeds,
};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algo::geodesic::READERS_ROW;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate, quality};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_host::{Error, Vec3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{same_rounding, suited};
use rxmesh_tests::extent::extent;
use std::collections::VecDeque;

conformance! {
    levels_are_those_of_a_serial_search, agrees_with_the_fixed_point, a_plane_has_euclidean_distances,
    a_sphere_has_great_circles,
    several_sources_give_the_nearest, what_no_source_reaches_is_infinitely_far, engines_of_the_cpu_give_the_same_bits,
    any_unit_will_do, nasty_meshes_give_numbers, senseless_questions_are_refused_and_limits_are_kept,
    long_cells_keep_the_accuracy, long_strips_are_gone_through, any_triangles_give_the_fixed_point,
    a_pole_is_read_by_more_patches_than_are_listed, planes_are_exact_whatever_the_triangles,
    points_inside_faces_are_sources, spheres_are_near_great_circles
}

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

/// Computes the circular wave's update: the source is placed in the triangle's plane by its distances from two corners.
fn update(x: [DVec3; 3], d: [f64; 2], one_source: bool) -> f64 {
    let (rp, rq, l) = (
        x[0].distance(x[1]),
        x[0].distance(x[2]),
        x[1].distance(x[2]),
    );
    let edge = (d[0] + rp).min(d[1] + rq);
    if l == 0.0 || !d[0].is_finite() || !d[1].is_finite() {
        return edge;
    }
    // The first corner above the side between the others, the source below it.
    let above = |p: f64, q: f64| {
        let along = (l * l + p * p - q * q) / (2.0 * l);
        (along, p * p - along * along)
    };
    let ((r, height2), (s, depth2)) = (above(rp, rq), above(d[0], d[1]));
    if height2 <= 0.0 || depth2 < 0.0 {
        return edge;
    }
    let (height, depth) = (height2.sqrt(), depth2.sqrt());
    let crossing = s + (r - s) * depth / (depth + height);
    let wave = (r - s).hypot(height + depth);
    if one_source && (0.0..=l).contains(&crossing) {
        wave.min(edge)
    } else {
        edge
    }
}

/// Computes the distances that no face can lower any further, in doubles.
fn fixed_point(mesh: &TriMesh, sources: &[u32]) -> Vec<f64> {
    let x = doubles(mesh);
    let mut d = vec![f64::INFINITY; x.len()];
    let mut source = vec![0; x.len()];
    for (i, &s) in sources.iter().enumerate().rev() {
        (d[s as usize], source[s as usize]) = (0.0, i % 16);
    }
    loop {
        let mut changed = false;
        for f in &mesh.faces {
            for k in 0..3 {
                let [r, p, q] = [0, 1, 2].map(|i| f[(k + i) % 3] as usize);
                let offer = update([x[r], x[p], x[q]], [d[p], d[q]], source[p] == source[q]);
                if d[r] > offer * (1.0 + 1e-12) {
                    let by_p = d[p] + x[r].distance(x[p]) < d[q] + x[r].distance(x[q]);
                    source[r] = source[if by_p { p } else { q }];
                    (d[r], changed) = (offer, true);
                }
            }
        }
        if !changed {
            return d;
        }
    }
}

/// Compares with the fixed point. A vertex does not propagate changes below the threshold's share of an edge, so that
/// each vertex of a path adds at most that much; a path is assumed to be at most twice as long as the shortest one.
/// The order of updates decides where paths of several sources meet: there a distance is up to an edge longer than the
/// least one of each source by itself, and never shorter.
fn settled(mesh: &TriMesh, sources: &[u32], got: &[f32], what: &str) {
    settled_within(mesh, sources, got, 0.0, what);
}

/// Does as [`settled`], with a tolerance of `slack` more edges.
fn settled_within(mesh: &TriMesh, sources: &[u32], got: &[f32], slack: f64, what: &str) {
    let (want, levels) = (fixed_point(mesh, sources), naive_levels(mesh, sources));
    let mut least = want.clone();
    let several = sources.iter().any(|s| *s != sources[0]);
    for source in sources.iter().filter(|_| several) {
        for (least, d) in least.iter_mut().zip(fixed_point(mesh, &[*source])) {
            *least = least.min(d);
        }
    }
    let edge = quality(mesh).edge_length.max;
    for (v, (got, want)) in got.iter().zip(&want).enumerate() {
        if levels[v] == u32::MAX {
            assert!(
                *got == f32::INFINITY && *want == f64::INFINITY,
                "{what} {v}"
            );
            continue;
        }
        let most = 2.0 * THRESHOLD * edge * f64::from(levels[v]) + 1e-5 * want + slack * edge;
        let (got, least) = (f64::from(*got), least[v]);
        let longest = if several { least + edge } else { *want };
        assert!(
            got <= longest + most && got >= least - most,
            "{what} {v}: {got} from {least} to {longest}"
        );
    }
}

/// Share of an edge by which a distance may still decrease when its vertex is settled.
const THRESHOLD: f64 = 4e-3;

/// Returns the mean relative and the largest absolute error.
fn errors(got: &[f32], want: impl Fn(usize) -> f64) -> (f64, f64) {
    let error = |v: usize| (f64::from(got[v]) - want(v)).abs();
    let far: Vec<usize> = (0..got.len()).filter(|&v| want(v) > 0.0).collect();
    (
        far.iter().map(|&v| error(v) / want(v)).sum::<f64>() / far.len() as f64,
        far.into_iter().map(error).fold(0.0, f64::max),
    )
}

/// Compares distances with exact ones.
///
/// A wave from a point is a circle and is approximated by a plane wave in each triangle. At distance `r` the error is
/// the rise of an arc over a chord: `h^2 / 8 r` where the chord is the longest edge `h`. A right triangle over its
/// hypotenuse, the flattest in these meshes, is `h / 2` high: `k` triangles from the source `r` is `k h / 2`, and the
/// errors of all of them add up to `h / 4` times the sum of `1 / k`, which is `ln(2 n) + 0.58` where `n` is the largest
/// distance over `h`. That is for the worst direction; directions along edges have no error, and the mean is taken as
/// half of it. Over a disc, where a vertex at `r` has that error over `r` and there are as many vertices as `r` is
/// long, the mean relative error is `(ln n + 0.58) / 4 n`.
fn compare(mesh: &TriMesh, got: &[f32], want: impl Fn(usize) -> f64, what: &str) {
    let far = (0..got.len()).map(&want).fold(0.0, f64::max);
    let h = quality(mesh).edge_length.max;
    let n = far / h;
    let sum = |n: f64| n.ln() + 0.58;
    let (mean, worst) = errors(got, want);
    let (most_mean, most) = (
        sum(n) / (4.0 * n) + THRESHOLD,
        h / 4.0 * sum(2.0 * n) + THRESHOLD * far,
    );
    println!(
        "{what}: mean {:.3} % of {:.3} %, largest {worst:.2e} of {most:.2e}",
        100.0 * mean,
        100.0 * most_mean
    );
    assert!(mean < most_mean && worst < most, "{what}");
}

fn run(engine: &Engine, mesh: &TriMesh, sources: &[u32]) -> Vec<f32> {
    run_with(engine, mesh, sources, &GeodesicOptions::default())
}

fn run_with(
    engine: &Engine,
    mesh: &TriMesh,
    sources: &[u32],
    options: &GeodesicOptions,
) -> Vec<f32> {
    let (rx, x) = put(engine, mesh);
    let (mut d, report) = geodesic(&rx, &x, sources, options).unwrap();
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

fn levels_are_those_of_a_serial_search(engine: &Engine) {
    let [n, m] = suited(engine, [[40, 60], [40, 30], [12, 10]]);
    let sphere = bumpy_sphere(suited(engine, [2, 2, 1]));
    let torus = generate::torus(n, 9, 2.0, 0.3).unwrap();
    let strip = generate::grid(m, 3).unwrap();
    let last = strip.vertex_count() as u32 - 1;
    for (mesh, sources) in [
        (&sphere, vec![5]),
        (&torus, vec![0, 17, 17, 5 * n]),
        (&strip, vec![last]),
    ] {
        let (rx, _) = put(engine, mesh);
        let levels = level_sets(&rx, &sources).unwrap().to_input(&rx).unwrap();
        assert_eq!(levels, naive_levels(mesh, &sources), "{engine:?}");
    }
}

fn agrees_with_the_fixed_point(engine: &Engine) {
    let [levels, nu, n] = suited(engine, [[3, 40, 20], [2, 16, 10], [1, 8, 5]]);
    let torus = generate::torus(nu, 2 * nu / 5, 2.0, 0.7).unwrap();
    for (mesh, sources) in [
        (&bumpy_sphere(levels), vec![0]),
        (&torus, vec![3, 2 * nu]),
        (&bumpy_grid(n), vec![n * (n + 1) / 2, 0]),
    ] {
        assert_eq!(GeodesicOptions::default().threshold, THRESHOLD);
        let d = run(engine, mesh, &sources);
        settled(mesh, &sources, &d, "smooth");
        if let [_] = sources[..] {
            let want = fixed_point(mesh, &sources);
            for (v, (got, want)) in d.iter().zip(&want).enumerate() {
                let error = (f64::from(*got) - want).abs();
                assert!(error <= THRESHOLD * want, "{v}: {got} {want}");
            }
        }
    }
}

fn a_plane_has_euclidean_distances(engine: &Engine) {
    let n = suited(engine, [extent(80, 200), 12, 6]);
    let plain = generate::grid(n, n).unwrap();
    let mut jittered = plain.clone();
    let mut rng = rxmesh_host::mesh::Rng::new(4);
    for p in &mut jittered.positions {
        let mut part = || 0.25 / n as f32 * rng.signed_unit() as f32;
        *p += Vec3::new(part(), part(), 0.0);
    }
    for (name, mesh) in [("grid", &plain), ("jittered grid", &jittered)] {
        for source in [0, (n + 1) * (n / 2) + n / 2] {
            let d = run(engine, mesh, &[source]);
            let x = doubles(mesh);
            let what = format!("{name} from {source}");
            compare(mesh, &d, |v| x[v].distance(x[source as usize]), &what);
        }
    }
}

fn a_sphere_has_great_circles(engine: &Engine) {
    let all = suited(engine, [extent(&[3, 4][..], &[4, 5, 6]), &[2], &[1]]);
    for &levels in all {
        let mesh = generate::icosphere(levels).unwrap();
        let x = doubles(&mesh);
        for source in [0, mesh.vertex_count() / 2] {
            let d = run(engine, &mesh, &[source as u32]);
            let what = format!("{} faces from {source}", mesh.face_count());
            compare(&mesh, &d, |v| x[v].angle_between(x[source]), &what);
        }
    }
}

fn several_sources_give_the_nearest(engine: &Engine) {
    let mesh = generate::icosphere(suited(engine, [extent(4, 5), 2, 1])).unwrap();
    let x = doubles(&mesh);
    let n = mesh.vertex_count() as u32;
    let sources = [0, n / 7, n / 2, n / 2];
    let d = run(engine, &mesh, &sources);
    assert!(sources.iter().all(|&s| d[s as usize] == 0.0));
    let from = |v: usize, s: u32| x[v].angle_between(x[s as usize]);
    let nearest = |v: usize| {
        sources
            .map(|s| from(v, s))
            .into_iter()
            .fold(f64::MAX, f64::min)
    };
    compare(&mesh, &d, nearest, "four sources");
}

fn what_no_source_reaches_is_infinitely_far(engine: &Engine) {
    let mut mesh = generate::icosphere(suited(engine, [2, 2, 1])).unwrap();
    let n = mesh.vertex_count() as u32;
    mesh.positions
        .extend(mesh.positions.clone().iter().map(|p| *p + Vec3::X * 5.0));
    mesh.faces
        .extend(mesh.faces.clone().iter().map(|f| f.map(|v| v + n)));
    mesh.positions.push(Vec3::ZERO);
    let d = run(engine, &mesh, &[n + 3]);
    assert!(d[..n as usize].iter().all(|&d| d == f32::INFINITY));
    assert!(d[n as usize..2 * n as usize].iter().all(|d| d.is_finite()));
    assert_eq!(d[2 * n as usize], f32::INFINITY);
    let lonely = run(engine, &mesh, &[2 * n]);
    assert_eq!(lonely.iter().filter(|d| d.is_finite()).count(), 1);
}

/// A minimum does not depend on the order; a GPU rounds differently.
fn engines_of_the_cpu_give_the_same_bits(engine: &Engine) {
    let mesh = bumpy_sphere(suited(engine, [3, 2, 1]));
    assert_eq!(
        run(engine, &mesh, &[9]),
        run(&same_rounding(engine), &mesh, &[9])
    );
}

fn any_unit_will_do(engine: &Engine) {
    let mesh = bumpy_sphere(suited(engine, [3, 2, 1]));
    let once = run(engine, &mesh, &[9]);
    for scale in [2f32.powi(-70), 2f32.powi(70)] {
        let mut scaled = mesh.clone();
        scaled.positions.iter_mut().for_each(|p| *p *= scale);
        let d = run(engine, &scaled, &[9]);
        assert!(
            d.iter()
                .zip(&once)
                .all(|(a, b)| (*a / scale - *b).abs() <= 1e-5 * b),
            "{scale}"
        );
    }
}

fn nasty_meshes_give_numbers(engine: &Engine) {
    for (name, mesh) in nasty() {
        if mesh.vertex_count() == 0 {
            let (rx, x) = put(engine, &mesh);
            assert!(matches!(
                geodesic(&rx, &x, &[0], &GeodesicOptions::default()),
                Err(Error::Options(_))
            ));
            continue;
        }
        let d = run(engine, &mesh, &[0]);
        let levels = naive_levels(&mesh, &[0]);
        for v in 0..d.len() {
            assert!(
                !d[v].is_nan() && d[v].is_finite() == (levels[v] != u32::MAX),
                "{name}: {d:?}"
            );
        }
    }
}

fn senseless_questions_are_refused_and_limits_are_kept(engine: &Engine) {
    let n = suited(engine, [20, 20, 10]);
    let mesh = bumpy_grid(n);
    let (rx, x) = put(engine, &mesh);
    let ask = |sources: &[u32], options: GeodesicOptions| geodesic(&rx, &x, sources, &options);
    let base = GeodesicOptions::default();
    for threshold in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
        assert!(matches!(
            ask(
                &[0],
                base.with(|o| {
                    o.threshold = threshold;
                })
            ),
            Err(Error::Options(_))
        ));
    }
    assert!(matches!(ask(&[], base), Err(Error::Options(_))));
    let none = mesh.vertex_count() as u32;
    assert!(matches!(ask(&[none], base), Err(Error::Options(_))));
    let limited = base.with(|o| {
        o.max_iterations = Some(2);
    });
    let report = ask(&[0], limited).unwrap().1;
    assert!(report.iterations == 2 && !report.converged, "{report:?}");
    let none = base.with(|o| {
        o.max_iterations = Some(0);
    });
    let report = ask(&[0], none).unwrap().1;
    assert!(report.iterations == 0 && !report.converged, "{report:?}");
    assert_eq!((report.reached, report.max_distance), (1, 0.0));
}

/// A cylinder of cells three times longer than wide, unrolled: the plane is exact within half a turn.
fn long_cells_keep_the_accuracy(engine: &Engine) {
    let [n, rings] = suited(engine, [extent([120, 40], [300, 100]), [24, 8], [12, 4]]);
    let width = std::f64::consts::TAU / f64::from(n);
    let height = 3.0 * width * f64::from(rings);
    let mesh = generate::cylinder(n, rings, 1.0, height as f32, false).unwrap();
    let d = run(engine, &mesh, &[0]);
    let unrolled = |v: usize| {
        let (round, up) = (v as u32 % n, v as u32 / n);
        let round = f64::from(round.min(n - round)) * width;
        round.hypot(f64::from(up) * 3.0 * width)
    };
    compare(&mesh, &d, unrolled, "long cells");
}

/// A strip with as many levels as faces, wound up so that a patch may have parts of several turns, and a comb of two
/// widths.
fn long_strips_are_gone_through(engine: &Engine) {
    let n = suited(engine, [extent(700, 3000), 150, 40]);
    let mut straight = generate::grid(n, 1).unwrap();
    let mut wound = straight.clone();
    for (x, y) in straight.positions.iter_mut().zip(&mut wound.positions) {
        let (along, across) = (x.x * n as f32, x.y);
        *x = Vec3::new(along, across * (1.0 + (0.7 * along).sin().abs()), 0.0);
        let (turn, radius) = (0.3 * along, 3.0 + 0.1 * along);
        *y = Vec3::new(radius * turn.cos(), radius * turn.sin(), across);
    }
    for (name, mesh) in [("straight", &straight), ("wound", &wound)] {
        let d = run(engine, mesh, &[0]);
        settled(mesh, &[0], &d, name);
        assert_eq!(d, run(&same_rounding(engine), mesh, &[0]), "{name}");
    }
}

/// Triangles between vertices with near numbers: edges of many faces, faces that share only a vertex, parts that no
/// source reaches.
fn any_triangles_give_the_fixed_point(engine: &Engine) {
    let [meshes, most] = suited(engine, [[extent(12, 200), 400], [4, 150], [2, 60]]);
    for seed in 0..meshes {
        let mut rng = rxmesh_host::mesh::Rng::new(seed);
        let n = 4 + rng.below(most);
        let part = |rng: &mut rxmesh_host::mesh::Rng| rng.signed_unit() as f32;
        let positions = (0..n)
            .map(|i| Vec3::new(0.1 * i as f32, part(&mut rng), part(&mut rng)))
            .collect();
        let faces = (0..2 * n)
            .map(|_| {
                let first = rng.below(n);
                [0, 1, 2].map(|k| ((first + k * (1 + rng.below(3))) % n) as u32)
            })
            .collect();
        let mesh = TriMesh::new(positions, faces).unwrap();
        let both = [rng.below(n) as u32, rng.below(n) as u32];
        // If a source is near a side, the distance behind it changes as the root of the changes at the side's ends:
        // of the threshold, and of roundings.
        let options = GeodesicOptions::default().with(|o| {
            o.threshold = 1e-7;
        });
        for sources in [&both[..1], &both] {
            let d = run_with(engine, &mesh, sources, &options);
            settled_within(&mesh, sources, &d, 5e-3, &format!("seed {seed}"));
            let again = run_with(&same_rounding(engine), &mesh, sources, &options);
            assert_eq!(d, again, "seed {seed}");
        }
    }
}

/// A fan whose pole is in the ribbons of all patches but one, more than the capacity of that one's list.
fn a_pole_is_read_by_more_patches_than_are_listed(engine: &Engine) {
    let valence = suited(engine, [1500, 700, 600]);
    let mesh = generate::fan(valence).unwrap();
    let options = PatchOptions::default().with(|o| {
        o.patch_size = 32;
    });
    let far = valence / 2;
    let [here, there] = [engine.clone(), same_rounding(engine)].map(|engine| {
        let rx = RxMesh::new(&engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
        assert!(rx.headers().len() as u32 > READERS_ROW);
        let x = rx.attribute_from::<Vertex, _>(&mesh.positions).unwrap();
        let (mut d, report) = geodesic(&rx, &x, &[far], &GeodesicOptions::default()).unwrap();
        assert!(report.converged && report.reached as usize == mesh.vertex_count());
        d.to_input(&rx).unwrap()
    });
    settled(&mesh, &[far], &here, "pole");
    assert_eq!(here, there);
}

/// Returns flat meshes of arbitrary triangles: obtuse ones, a kite whose short diagonal is missing, long ones, small
/// ones beside large ones, a fan from a boundary vertex.
fn flat_meshes(engine: &Engine) -> Vec<(&'static str, TriMesh, u32)> {
    let n = suited(engine, [extent(20, 60), 10, 5]);
    let points = |p: &[[f32; 2]]| p.iter().map(|p| Vec3::new(p[0], p[1], 0.0)).collect();
    let kite = points(&[[0.0, 0.0], [1.0, 1.825], [1.0, -1.825], [2.0, 0.0]]);
    let kite = TriMesh::new(kite, vec![[0, 2, 1], [1, 2, 3]]).unwrap();
    let mut turned = generate::grid(n, n).unwrap();
    // The other diagonal in every second cell of two triangles.
    for (i, pair) in turned.faces.chunks_mut(2).enumerate() {
        let [a, b, c] = pair[0];
        let apart = |f: [u32; 3]| f.into_iter().find(|v| ![a, b, c].contains(v));
        let Some(d) = apart(pair[1]).filter(|_| i % 2 == 0) else {
            continue;
        };
        let shared = |v: u32| pair[1].contains(&v);
        let k = (0..3).find(|&k| !shared(pair[0][k])).unwrap();
        let [p, q, r] = [0, 1, 2].map(|j| pair[0][(k + j) % 3]);
        (pair[0], pair[1]) = ([p, q, d], [d, r, p]);
    }
    let mut long = generate::grid(n, n).unwrap();
    let mut rng = rxmesh_host::mesh::Rng::new(11);
    for p in &mut long.positions {
        // Triangles keep their orientation, and the border stays straight.
        let inside = |x: f32| x > 1e-4 && x < 1.0 - 1e-4;
        if inside(p.x) && inside(p.y) {
            let mut part = || 0.2 / n as f32 * rng.signed_unit() as f32;
            *p += Vec3::new(part(), part(), 0.0);
        }
        p.y *= 0.15;
    }
    // Cells a thousand times as large at one end as at the other.
    let mut graded = generate::grid(n, n).unwrap();
    for p in &mut graded.positions {
        let place = |x: f32| (f64::from(x) * 1000f64.ln()).exp_m1() as f32;
        (p.x, p.y) = (place(p.x), place(p.y));
    }
    let fan = generate::fan(4 * n).unwrap();
    vec![
        ("kite", kite, 0),
        ("turned diagonals", turned, 0),
        ("long triangles", long, n * (n + 1) / 2),
        ("graded", graded, 0),
        ("fan", fan, 1),
    ]
}

fn planes_are_exact_whatever_the_triangles(engine: &Engine) {
    for (name, mesh, source) in flat_meshes(engine) {
        let d = run(engine, &mesh, &[source]);
        let x = doubles(&mesh);
        assert!(x.iter().all(|p| p.z == x[0].z), "{name}");
        let want = |v: usize| x[v].distance(x[source as usize]);
        let (mean, _) = errors(&d, want);
        assert!(mean < 5.0 * THRESHOLD, "{name}: {mean}");
        let levels = naive_levels(&mesh, &[source]);
        let edge = quality(&mesh).edge_length.max;
        for (v, got) in d.iter().enumerate() {
            let error = (f64::from(*got) - want(v)).abs();
            let steps = 2.0 * THRESHOLD * edge * f64::from(levels[v]);
            let part = 10.0 * THRESHOLD * want(v);
            assert!(
                error <= part.min(steps + 1e-5 * want(v)),
                "{name} {v}: {got} for {}",
                want(v)
            );
        }
    }
}

fn points_inside_faces_are_sources(engine: &Engine) {
    let n = suited(engine, [extent(20, 60), 10, 5]);
    let mesh = generate::grid(n, n).unwrap();
    let x = doubles(&mesh);
    let middle = |f: usize| {
        let [a, b, c] = mesh.faces[f].map(|v| x[v as usize]);
        (a + b + c) / 3.0
    };
    let on_edge = 0.25 * x[mesh.faces[3][0] as usize] + 0.75 * x[mesh.faces[3][1] as usize];
    let (rx, positions) = put(engine, &mesh);
    for place in [middle(0), middle(n as usize), on_edge, x[n as usize]] {
        let lifted = place + DVec3::Z * 0.01;
        let found = point_seeds(&|v| x[v as usize], &mesh.faces, lifted, 0).unwrap();
        assert!((found.off_surface - 0.01).abs() < 1e-12, "{found:?}");
        let options = GeodesicOptions::default();
        let (mut d, report) = geodesic_from(&rx, &positions, &found.seeds, &options).unwrap();
        assert!(report.converged);
        let d = d.to_input(&rx).unwrap();
        let edge = quality(&mesh).edge_length.max;
        for (v, d) in d.iter().enumerate() {
            let want = x[v].distance(place);
            let most = 5.0 * THRESHOLD * (edge + want);
            assert!(
                (f64::from(*d) - want).abs() <= most,
                "{place} {v}: {d} {want}"
            );
        }
    }
    let seed = |distance| GeodesicSeed {
        vertex: 0,
        distance,
        source: 0,
    };
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        let got = geodesic_from(&rx, &positions, &[seed(bad)], &GeodesicOptions::default());
        assert!(matches!(got, Err(Error::Options(_))), "{bad}");
    }
    let nowhere = point_seeds(&|v| x[v as usize], &mesh.faces, DVec3::NAN, 0);
    assert!(matches!(nowhere, Err(Error::Options(_))));
}

/// The mean error is below 0.5 % and the largest below 5 %, chords instead of arcs included; more on the coarse meshes
/// of slow engines.
fn spheres_are_near_great_circles(engine: &Engine) {
    let levels = suited(engine, [4, 3, 2]);
    let [most_mean, most] = suited(engine, [[0.005, 0.05], [0.01, 0.07], [0.02, 0.2]]);
    let mesh = generate::icosphere(levels).unwrap();
    let x = doubles(&mesh);
    let n = mesh.vertex_count();
    for sources in [
        vec![0],
        vec![n as u32 / 2],
        vec![0, n as u32 / 7, n as u32 / 2],
    ] {
        let d = run(engine, &mesh, &sources);
        let want = |v: usize| {
            let from = |s: &u32| x[v].angle_between(x[*s as usize]);
            sources.iter().map(from).fold(f64::MAX, f64::min)
        };
        let far = (0..n).filter(|&v| want(v) > 0.0);
        let worst = far
            .map(|v| (f64::from(d[v]) - want(v)).abs() / want(v))
            .fold(0.0, f64::max);
        let (mean, _) = errors(&d, want);
        assert!(
            mean < most_mean && worst < most,
            "{sources:?}: {mean} {worst}"
        );
    }
}
