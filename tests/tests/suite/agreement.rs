//! Agreement of every algorithm on every engine with the CPU engine: equal integers and connectivity, floats equal up
//! to rounding.
//!
//! Tolerances are in last digits of the result's size ([`DIGIT`]), times the number of roundings on the way to it,
//! times two: both engines have errors. Where edits depend on rounded numbers, a GPU takes other ways than a CPU: then
//! the qualities of the meshes are compared. `queries.rs` compares rows with plain code, `delaunay.rs` arrays with the
//! CPU engine's on a GPU too.

use crate::algo_support::*;
use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::boundary;
use rxmesh_host::algo::curvature::curvature;
use rxmesh_host::algo::filter::{Closeness, FilterOptions, Similarity, bilateral_filter};
use rxmesh_host::algo::geodesic::{GeodesicOptions, geodesic, level_sets};
use rxmesh_host::algo::kring::k_ring;
use rxmesh_host::algo::laplacian::{SmoothOptions, SmoothWeights, smooth};
use rxmesh_host::algo::lengths::mean_edge_length;
use rxmesh_host::algo::mcf::{McfOptions, mean_curvature_flow};
use rxmesh_host::algo::normals::{gather_vertex_normals, vertex_normals, vertex_normals_unscaled};
use rxmesh_host::algo::remesh::{RemeshOptions, remesh};
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify};
use rxmesh_host::algo::spring::{SpringForces, SpringOptions, Springs};
use rxmesh_host::algo::track::{TrackOptions, track};
use rxmesh_host::edit::{Column, HostArrays, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate, quality};
use rxmesh_host::parallel::scan;
use rxmesh_host::store::reduce;
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_tests::conformance;
use rxmesh_tests::distance::distance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures;

conformance! {
    boundaries, rings_of_vertices, sums, prefix_sums, normals, flows, smoothed_positions, filtered_positions,
    filtered_normals, curvatures, levels_and_distances,
    explicit_springs, implicit_springs, simplified_meshes, remeshed_meshes, tracked_meshes
}

/// Last digit of a number near one.
const DIGIT: f64 = f32::EPSILON as f64;

/// Most corners around a vertex of these meshes.
const CORNERS: f64 = 8.0;

/// Returns a closed mesh and one with a boundary, of sizes that suit the engine.
fn meshes(engine: &Engine) -> [TriMesh; 2] {
    let [levels, n] = suited(engine, [extent([3, 20], [5, 60]), [2, 9], [1, 5]]);
    [bumpy_sphere(levels), bumpy_grid(n)]
}

/// Returns the results of `f` on an engine and on the CPU engine, for each mesh.
fn both<T>(
    engine: &Engine,
    f: impl Fn(&RxMesh, &TriMesh, Attribute<Vertex, Vec3>) -> T,
    mut compare: impl FnMut(&TriMesh, T, T),
) {
    for mesh in meshes(engine) {
        let on = |engine: &Engine| {
            let (rx, x) = put(engine, &mesh);
            f(&rx, &mesh, x)
        };
        compare(&mesh, on(engine), on(&Engine::cpu()));
    }
}

/// Compares points.
fn near(got: &[Vec3], want: &[Vec3], tolerance: f64) {
    let want: Vec<_> = want.iter().map(|p| p.as_dvec3()).collect();
    let off = farthest(got, &want);
    assert!(off <= tolerance, "{off:e} of {tolerance:e}");
}

fn boundaries(engine: &Engine) {
    let all = |rx: &RxMesh, _: &TriMesh, _| {
        [
            boundary::vertices(rx).unwrap().to_input(rx).unwrap(),
            boundary::edges(rx).unwrap().to_input(rx).unwrap(),
            boundary::faces(rx).unwrap().to_input(rx).unwrap(),
        ]
    };
    both(engine, all, |_, got, want| assert_eq!(got, want));
}

fn rings_of_vertices(engine: &Engine) {
    let rings = |rx: &RxMesh, _: &TriMesh, _| k_ring(rx, 2).unwrap().read().unwrap();
    both(engine, rings, |_, got, want| assert!(got == want));
}

/// Sums are accumulated in doubles, products included: the order of the terms affects the last of 16 digits.
fn sums(engine: &Engine) {
    let all = |rx: &RxMesh, _: &TriMesh, x| {
        let extremes = [reduce::min(rx, &x).unwrap(), reduce::max(rx, &x).unwrap()];
        (
            extremes,
            [
                reduce::sum(rx, &x).unwrap(),
                reduce::dot(rx, &x, &x).unwrap(),
            ],
        )
    };
    both(engine, all, |mesh, got, want| {
        assert_eq!(got.0, want.0);
        let terms = 3.0 * mesh.vertex_count() as f64;
        for (got, want) in got.1.into_iter().zip(want.1) {
            assert!(
                (got - want).abs() <= f64::EPSILON * terms * 2.0,
                "{got} {want}"
            );
        }
    });
}

fn prefix_sums(engine: &Engine) {
    let data: Vec<u32> = (0..suited(engine, [100_000, 5000, 2000]))
        .map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20)
        .collect();
    let on = |engine: &Engine| {
        let mut buffer = engine.upload(&data).unwrap();
        let total = scan::exclusive(engine, &mut buffer).unwrap();
        (total, buffer.read().unwrap())
    };
    assert!(on(engine) == on(&Engine::cpu()));
}

/// Unit vectors from a sum over corners; noise may halve the sum relative to its terms. A corner's share has about
/// eight roundings.
fn normals(engine: &Engine) {
    let all = |rx: &RxMesh, _: &TriMesh, x: Attribute<Vertex, Vec3>| {
        let mut n = rx.attribute::<Vertex, Vec3>().unwrap();
        let mut read = |way: fn(&RxMesh, &_, &mut _) -> Result<(), Error>| {
            way(rx, &x, &mut n).unwrap();
            n.to_input(rx).unwrap()
        };
        [
            read(vertex_normals),
            read(vertex_normals_unscaled),
            read(gather_vertex_normals),
        ]
    };
    both(engine, all, |_, got, want| {
        for (got, want) in got.iter().zip(&want) {
            near(got, want, 2.0 * 2.0 * (CORNERS + 8.0) * DIGIT);
        }
    });
}

/// The solver stops at a residual of [`McfOptions::tolerance`]. With a time step of ten squared mean edges the
/// matrix over its diagonal has a condition of at most `1 + 2 * 10 h^2 * sum of weights / 2 area`: six weights of
/// `2 / sqrt(3)` and an area of `sqrt(3) / 2 h^2` on equilateral faces make it 81.
fn flows(engine: &Engine) {
    let options = McfOptions::default();
    let flow = |rx: &RxMesh, _: &TriMesh, mut x| {
        let mean = mean_edge_length(rx, &x).unwrap();
        let options = options.with(|o| {
            o.time_step = Some(10.0 * mean * mean);
        });
        let report = mean_curvature_flow(rx, &mut x, &options).unwrap();
        (report, x.to_input(rx).unwrap())
    };
    both(engine, flow, |mesh, got, want| {
        assert!(got.0.converged && want.0.converged);
        let (a, b) = (got.0.time_step, want.0.time_step);
        assert!((a - b).abs() <= 4.0 * DIGIT * b, "time steps {a} and {b}");
        let size = mesh
            .positions
            .iter()
            .map(|p| p.length())
            .fold(0.0, f32::max);
        near(
            &got.1,
            &want.1,
            2.0 * 81.0 * options.tolerance * f64::from(size),
        );
    });
}

/// Each step is a mean, which propagates errors without amplifying them, and adds some of its own: those of its sum,
/// and for cotangents those of weights with a dozen roundings.
fn smoothed_positions(engine: &Engine) {
    for weights in [SmoothWeights::Uniform, SmoothWeights::Cotangent] {
        for base in [SmoothOptions::default(), SmoothOptions::taubin(5)] {
            let options = base.with(|o| {
                o.weights = weights;
            });
            let smoothed = |rx: &RxMesh, _: &TriMesh, mut x| {
                let report = smooth(rx, &mut x, &options).unwrap();
                (report, x.to_input(rx).unwrap())
            };
            both(engine, smoothed, |_, got, want| {
                assert_eq!(got.0, want.0);
                let a_step = 2.0 * (CORNERS + 12.0) * DIGIT;
                near(&got.1, &want.1, f64::from(got.0.steps) * a_step);
            });
        }
    }
}

/// Vertices follow normals, which are sums of a few terms. A step of the normals amplifies their differences by at most
/// the slope of the similarity weights over their width: by about one over 0.45. Two iterations are two steps of
/// normals each, and the steps of smoothing.
fn filtered_normals(engine: &Engine) {
    let options = FilterOptions::default().with(|o| {
        o.iterations = Some(2);
        o.noise = Some(0.02);
    });
    let filtered = |rx: &RxMesh, _: &TriMesh, mut x| {
        bilateral_filter(rx, &mut x, &options).unwrap();
        x.to_input(rx).unwrap()
    };
    both(engine, filtered, |_, got, want| {
        let a_step = 2.0 * (CORNERS + 12.0) * DIGIT;
        near(&got, &want, a_step * (20.0 + 4.0 * (1.0 / 0.45f64).powi(4)));
    });
}

/// A vertex moves along its normal by a mean of heights, which are less than two edges. Where rounding decides whether
/// a neighbour is in the ball, nothing is compared.
fn filtered_positions(engine: &Engine) {
    let options = FilterOptions::default().with(|o| {
        o.iterations = Some(1);
        o.sigma_c = Some(Closeness::MeanEdge);
        o.sigma_s = Some(Similarity::Ball);
    });
    let filtered = |rx: &RxMesh, mesh: &TriMesh, mut x| {
        bilateral_filter(rx, &mut x, &options).unwrap();
        let doubtful = crate::filter::doubtful(mesh, &options);
        let x = x.to_input(rx).unwrap();
        let sure = x
            .into_iter()
            .zip(doubtful)
            .filter(|(_, doubtful)| !doubtful);
        sure.map(|(p, _)| p).collect::<Vec<Vec3>>()
    };
    both(engine, filtered, |mesh, got, want| {
        assert!(got.len() * 20 >= mesh.vertex_count() * 19, "{}", got.len());
        // Heights are differences of coordinates, and their spread, by which they are weighted, is a small part of
        // them.
        near(&got, &want, 2.0 * 20.0 * DIGIT);
    });
}

/// As in `curvature.rs`: to a hundred digits of the summands.
fn curvatures(engine: &Engine) {
    let all = |rx: &RxMesh, _: &TriMesh, x| {
        let (mut c, report) = curvature(rx, &x).unwrap();
        let read = |a: &mut Attribute<Vertex, f32>| a.to_input(rx).unwrap();
        let area = read(&mut c.area);
        let values = [&mut c.defect, &mut c.gaussian, &mut c.mean].map(read);
        (report, area, values)
    };
    both(engine, all, |mesh, got, want| {
        assert_eq!(got.0.euler_characteristic, want.0.euler_characteristic);
        for v in 0..mesh.vertex_count() {
            let area = f64::from(want.1[v]);
            assert!((f64::from(got.1[v]) - area).abs() <= 100.0 * DIGIT * area);
            // Sizes of the sums: an angle, an angle over the area, a length over the area.
            for (k, size) in [1.0, area.recip(), 10.0 * area.sqrt().recip()]
                .into_iter()
                .enumerate()
            {
                let (a, b) = (f64::from(got.2[k][v]), f64::from(want.2[k][v]));
                let most = 2.0 * 100.0 * DIGIT * (b.abs() + size);
                assert!((a - b).abs() <= most, "{k} at {v}: {a} {b}");
            }
        }
    });
}

/// Levels are integers. Either engine may settle a vertex one change of the threshold before the other.
fn levels_and_distances(engine: &Engine) {
    let options = GeodesicOptions::default();
    let all = |rx: &RxMesh, _: &TriMesh, x| {
        let levels = level_sets(rx, &[3]).unwrap().to_input(rx).unwrap();
        let (mut d, report) = geodesic(rx, &x, &[3], &options).unwrap();
        (levels, report, d.to_input(rx).unwrap())
    };
    both(engine, all, |_, got, want| {
        assert_eq!(got.0, want.0);
        assert_eq!(got.1.reached, want.1.reached);
        // Rounding decides whether the last rounds propagate changes as small as the threshold.
        let (got_rounds, want_rounds) = (got.1.iterations, want.1.iterations);
        assert!(got_rounds.abs_diff(want_rounds) <= 2 + want_rounds / 8);
        for (a, b) in got.2.iter().zip(&want.2) {
            let (a, b) = (f64::from(*a), f64::from(*b));
            assert!((a - b).abs() <= 2.0 * options.threshold * b, "{a} {b}");
        }
    });
}

/// Fixes the first 13 vertices, and lets the others fall from rest for some steps.
fn springs(
    engine: &Engine,
    options: SpringOptions,
    tolerance: f64,
    step: impl Fn(&mut Springs<'_>),
) {
    let fall = |rx: &RxMesh, mesh: &TriMesh, x: Attribute<Vertex, Vec3>| {
        let fixed: Vec<u32> = (0..mesh.vertex_count())
            .map(|v| u32::from(v < 13))
            .collect();
        let fixed = rx.attribute_from(&fixed).unwrap();
        let mut s = Springs::new(rx, &x, &fixed, &options).unwrap();
        let stretched: Vec<Vec3> = mesh.positions.iter().map(|p| *p * 1.1).collect();
        *s.positions() = rx.attribute_from(&stretched).unwrap();
        step(&mut s);
        s.positions().to_input(rx).unwrap()
    };
    both(engine, fall, |_, got, want| near(&got, &want, tolerance));
}

/// A step is a time step times a velocity that was rounded, and rounds the position: twice a step; the roundings of the
/// forces are as small as the squared time step.
fn explicit_springs(engine: &Engine) {
    for forces in [SpringForces::Gather, SpringForces::Scatter] {
        let steps = 20;
        let most = 2.0 * 2.0 * f64::from(steps) * DIGIT;
        springs(engine, SpringOptions::default(), most, |s| {
            (0..steps).for_each(|_| s.step_explicit(forces).unwrap());
        });
    }
}

/// The solver stops at a residual of 1e-6 of the step's change, which is smaller than the mesh.
fn implicit_springs(engine: &Engine) {
    let options = SpringOptions::default().with(|o| {
        o.time_step = 0.01;
    });
    springs(engine, options, 1e-5, |s| {
        (0..3).for_each(|_| s.step_implicit(400, 1e-6).unwrap());
    });
}

/// Result of an edit.
struct Edited {
    mesh: TriMesh,
    arrays: HostArrays,
    x: Vec<Vec3>,
}

/// Edits on both engines. Where the engines are bitwise equal everything must be; on a GPU the meshes are passed to
/// `compare`, the GPU's first.
fn edited(
    engine: &Engine,
    mesh: &TriMesh,
    edit: impl Fn(&mut Session, Column<Vertex, Vec3>),
    compare: impl Fn(&TriMesh, &TriMesh),
) {
    let on = |engine: &Engine| {
        let (rx, x) = put(engine, mesh);
        let mut session = Session::open(&rx).unwrap();
        let x = session.attach(&x).unwrap();
        edit(&mut session, x);
        let wrong = session.validate().unwrap();
        assert!(wrong.is_empty(), "{wrong:?}");
        Edited {
            mesh: session.to_mesh(x).unwrap().0,
            arrays: session.to_host().unwrap(),
            x: session.values(x).unwrap().read().unwrap(),
        }
    };
    let (got, want) = (on(engine), on(&Engine::cpu()));
    if engine.is_cuda() {
        compare(&got.mesh, &want.mesh);
    } else {
        assert!(got.arrays == want.arrays, "the arrays differ");
        assert!(got.x == want.x, "the positions differ");
    }
}

/// The number of faces is exact, and so is Euler's number. Of equal choices another one may be taken, which must not
/// cost more.
fn simplified_meshes(engine: &Engine) {
    let n = suited(engine, [40, 12, 8]);
    let mesh = fixtures::torus(n, n / 2);
    let simplified = |session: &mut Session, x| {
        simplify(session, x, &SimplifyOptions::new(Target::Ratio(0.3))).unwrap();
    };
    edited(engine, &mesh, simplified, |got, want| {
        assert_eq!(got.face_count(), want.face_count());
        assert_eq!(got.vertex_count(), want.vertex_count());
        let off = |m| distance(&mesh, m, 5000).rms;
        assert!(off(got) <= 1.25 * off(want), "{} {}", off(got), off(want));
    });
}

/// Compares means over thousands of edges and faces: a few in a hundred edges differ because of other choices.
fn alike(got: &TriMesh, want: &TriMesh) {
    let (a, b) = (quality(got), quality(want));
    let ratio = |a: f64, b: f64, what: &str| {
        assert!((a / b - 1.0).abs() < 0.05, "{what}: {a} and {b}");
    };
    ratio(a.faces as f64, b.faces as f64, "faces");
    ratio(a.edge_length.mean, b.edge_length.mean, "edge length");
    ratio(
        a.smallest_angle.mean,
        b.smallest_angle.mean,
        "smallest angle",
    );
}

/// Compares the largest distance of two surfaces that both follow a third with chords of its edges, over that one's
/// size: each is off by the rise of an arc of radius one over a chord of `h`.
fn follow(got: &TriMesh, want: &TriMesh) {
    let h = quality(want)
        .edge_length
        .max
        .max(quality(got).edge_length.max);
    let size = 2.0
        * want
            .positions
            .iter()
            .map(|p| p.length())
            .fold(0.0, f32::max);
    let most = 2.0 * h * h / 8.0 / f64::from(size);
    let off = distance(got, want, 5000).rms;
    assert!(off < most, "{off} of {most}");
}

fn remeshed_meshes(engine: &Engine) {
    let mesh = generate::icosphere(suited(engine, [extent(4, 5), 2, 1])).unwrap();
    let options = RemeshOptions::default().with(|o| {
        o.target_length = Some(0.8 * quality(&mesh).edge_length.mean as f32);
        o.iterations = 2;
        o.keep_features = None;
    });
    let remeshed = |session: &mut Session, x| {
        remesh(session, x, &options).unwrap();
    };
    edited(engine, &mesh, remeshed, |got, want| {
        alike(got, want);
        follow(got, want);
    });
}

fn tracked_meshes(engine: &Engine) {
    let mesh = generate::icosphere(suited(engine, [3, 2, 1])).unwrap();
    let options = TrackOptions::default().with(|o| {
        o.frames = suited(engine, [20, 4, 2]);
    });
    let tracked = |session: &mut Session, x| {
        track(session, x, &options, |_, _| Ok::<_, Error>(())).unwrap();
    };
    edited(engine, &mesh, tracked, |got, want| {
        alike(got, want);
        follow(got, want);
    });
}
