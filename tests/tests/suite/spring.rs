//! Mass-spring systems: forces against naive sums, conservation, rest, and the implicit step against a dense solve.

use crate::algo_support::*;
use glam::DVec3;
use rxmesh_host::algo::spring::{SpringForces, SpringOptions, Springs};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::{Error, Vec3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{in_one_and_step_by_step, is_slow, suited};

conformance! {
    scatter_gather_and_naive_sums_agree, the_implicit_step_agrees_with_a_dense_solve,
    ten_iterations_are_ten_iterations_each_step,
    free_springs_keep_their_momentum, a_hanging_cloth_comes_to_rest, nasty_meshes_stay_finite,
    senseless_options_are_refused_and_explosions_are_told
}

/// Makes a system with the vertices below `pins` fixed, moved out of its rest shape.
fn stretched<'a>(
    put: &'a (
        rxmesh_host::store::RxMesh,
        rxmesh_host::store::Attribute<rxmesh_host::kernels::topo::Vertex, Vec3>,
    ),
    mesh: &TriMesh,
    pins: usize,
    options: &SpringOptions,
) -> (Springs<'a>, Vec<Vec3>, Vec<Vec3>) {
    let (rx, rest) = put;
    let fixed: Vec<u32> = (0..mesh.vertex_count())
        .map(|v| u32::from(v < pins))
        .collect();
    let fixed = rx.attribute_from(&fixed).unwrap();
    let mut s = Springs::new(rx, rest, &fixed, options).unwrap();
    let mut rng = rxmesh_host::mesh::Rng::new(8);
    let mut random = |size: f64| Vec3::from([(); 3].map(|()| (size * rng.signed_unit()) as f32));
    let x: Vec<Vec3> = mesh
        .positions
        .iter()
        .map(|p| *p * 1.1 + random(0.01))
        .collect();
    let v: Vec<Vec3> = x.iter().map(|_| random(0.3)).collect();
    *s.positions() = rx.attribute_from(&x).unwrap();
    *s.velocities() = rx.attribute_from(&v).unwrap();
    (s, x, v)
}

fn naive_forces(mesh: &TriMesh, x: &[DVec3], o: &SpringOptions) -> Vec<DVec3> {
    let (rest, mut force) = (doubles(mesh), vec![DVec3::ZERO; x.len()]);
    for (a, b) in edge_faces(mesh)
        .into_keys()
        .map(|(a, b)| (a as usize, b as usize))
        .filter(|(a, b)| a != b)
    {
        let d = x[b] - x[a];
        let f = d.normalize_or_zero() * (o.stiffness * (d.length() - rest[b].distance(rest[a])));
        force[a] += f;
        force[b] -= f;
    }
    force
}

fn naive_steps(
    mesh: &TriMesh,
    x: &[Vec3],
    v: &[Vec3],
    pins: usize,
    o: &SpringOptions,
    steps: u32,
) -> Vec<DVec3> {
    let mut x: Vec<DVec3> = x.iter().map(|p| p.as_dvec3()).collect();
    let mut v: Vec<DVec3> = v.iter().map(|p| p.as_dvec3()).collect();
    for _ in 0..steps {
        let force = naive_forces(mesh, &x, o);
        for i in pins..x.len() {
            v[i] = (v[i] + (force[i] / o.mass + o.gravity.as_dvec3()) * o.time_step)
                / (1.0 + o.damping * o.time_step);
            x[i] += v[i] * o.time_step;
        }
    }
    x
}

fn scatter_gather_and_naive_sums_agree(engine: &Engine) {
    let o = SpringOptions::default();
    let [n, levels] = suited(engine, [[12, 2], [8, 1], [5, 1]]);
    for mesh in [bumpy_grid(n), bumpy_sphere(levels)] {
        let put = put(engine, &mesh);
        let result = |forces| {
            let (mut s, x, v) = stretched(&put, &mesh, 13, &o);
            for _ in 0..20 {
                s.step_explicit(forces).unwrap();
            }
            let y = s.positions().to_input(&put.0).unwrap();
            assert_eq!(y[..13], x[..13], "fixed vertices keep their bits");
            let error = farthest(&y, &naive_steps(&mesh, &x, &v, 13, &o, 20));
            assert!(error < 2e-6, "{engine:?} {forces:?}: {error:e}");
        };
        result(SpringForces::Gather);
        result(SpringForces::Scatter);
    }
}

/// Solves a dense system by elimination with pivoting.
fn dense(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n)
            .max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))
            .unwrap();
        a.swap(k, p);
        b.swap(k, p);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            let (above, below) = a.split_at_mut(i);
            for (to, by) in below[0].iter_mut().zip(&above[k]) {
                *to -= f * by;
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// Computes the implicit step with an assembled matrix in doubles.
fn dense_step(
    mesh: &TriMesh,
    x: &[Vec3],
    v: &[Vec3],
    pins: usize,
    o: &SpringOptions,
) -> Vec<DVec3> {
    let x: Vec<DVec3> = x.iter().map(|p| p.as_dvec3()).collect();
    let mut v: Vec<DVec3> = v.iter().map(|p| p.as_dvec3()).collect();
    v[..pins].fill(DVec3::ZERO);
    let (n, h, rest) = (x.len(), o.time_step, doubles(mesh));
    let mut k = vec![vec![0.0; 3 * n]; 3 * n];
    for (a, b) in edge_faces(mesh)
        .into_keys()
        .map(|(a, b)| (a as usize, b as usize))
    {
        let (d, l0) = (x[b] - x[a], rest[b].distance(rest[a]));
        let (u, l) = (d.normalize().to_array(), d.length());
        let across = (1.0 - l0 / l).max(0.0);
        for i in 0..3 {
            for j in 0..3 {
                let block = o.stiffness
                    * (u[i] * u[j] * (1.0 - across) + if i == j { across } else { 0.0 });
                for (r, c, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                    k[3 * r + i][3 * c + j] += sign * block;
                }
            }
        }
    }
    let force = naive_forces(mesh, &x, o);
    let flat: Vec<f64> = v.iter().flat_map(|v| v.to_array()).collect();
    let gravity = o.gravity.as_dvec3();
    let (mut a, mut b) = (vec![vec![0.0; 3 * n]; 3 * n], vec![0.0; 3 * n]);
    for r in 0..3 * n {
        if r < 3 * pins {
            a[r][r] = 1.0;
            continue;
        }
        let kv: f64 = (0..3 * n).map(|c| k[r][c] * flat[c]).sum();
        b[r] = h * (force[r / 3][r % 3] + o.mass * (gravity[r % 3] - o.damping * flat[r]) - h * kv);
        for c in 3 * pins..3 * n {
            a[r][c] = h * h * k[r][c];
        }
        a[r][r] += o.mass * (1.0 + h * o.damping);
    }
    let change = dense(a, b);
    (0..n)
        .map(|i| {
            x[i] + (v[i] + DVec3::new(change[3 * i], change[3 * i + 1], change[3 * i + 2])) * h
        })
        .collect()
}

fn the_implicit_step_agrees_with_a_dense_solve(engine: &Engine) {
    let o = SpringOptions::default().with(|o| {
        o.time_step = 0.02;
    });
    let mesh = bumpy_grid(7);
    let put = put(engine, &mesh);
    in_one_and_step_by_step(engine, || {
        let (mut s, x, v) = stretched(&put, &mesh, 8, &o);
        assert!(s.last_solve().unwrap().is_none());
        s.step_implicit(400, 1e-7).unwrap();
        let solve = s.last_solve().unwrap().unwrap();
        let error = farthest(
            &s.positions().to_input(&put.0).unwrap(),
            &dense_step(&mesh, &x, &v, 8, &o),
        );
        println!("{engine:?}: {solve:?}, error {error:.1e}");
        assert!(error < 1e-6 && solve.iterations < 400 && solve.residual <= 1e-7);
    });
}

fn ten_iterations_are_ten_iterations_each_step(engine: &Engine) {
    let mesh = bumpy_grid(suited(engine, [12, 8, 5]));
    let put = put(engine, &mesh);
    in_one_and_step_by_step(engine, || {
        let (mut s, ..) = stretched(
            &put,
            &mesh,
            13,
            &SpringOptions::default().with(|o| {
                o.time_step = 0.01;
            }),
        );
        for _ in 0..5 {
            s.step_implicit(10, 0.0).unwrap();
            let solve = s.last_solve().unwrap().unwrap();
            assert_eq!(solve.iterations, 10);
            assert!(solve.residual < 0.1, "{solve:?}");
        }
    });
}

fn momentum(s: &mut Springs<'_>, rx: &rxmesh_host::store::RxMesh, mass: f64) -> (DVec3, DVec3) {
    let x = s.positions().to_input(rx).unwrap();
    let v = s.velocities().to_input(rx).unwrap();
    let sum = |f: &dyn Fn(usize) -> DVec3| (0..x.len()).map(f).sum::<DVec3>() * mass;
    (
        sum(&|i| v[i].as_dvec3()),
        sum(&|i| x[i].as_dvec3().cross(v[i].as_dvec3())),
    )
}

fn free_springs_keep_their_momentum(engine: &Engine) {
    let o = SpringOptions::default().with(|o| {
        o.gravity = Vec3::ZERO;
        o.damping = 0.0;
    });
    let mesh = bumpy_sphere(suited(engine, [2, 1, 1]));
    let put = put(engine, &mesh);
    for way in 0..3 {
        let (mut s, ..) = stretched(&put, &mesh, 0, &o);
        let (p, l) = momentum(&mut s, &put.0, o.mass);
        let before = s.energy().unwrap();
        for _ in 0..50 {
            match way {
                0 => s.step_explicit(SpringForces::Gather).unwrap(),
                1 => s.step_explicit(SpringForces::Scatter).unwrap(),
                _ => s.step_implicit(100, 1e-7).unwrap(),
            }
        }
        let (q, m) = momentum(&mut s, &put.0, o.mass);
        let after = s.energy().unwrap();
        assert!(
            p.distance(q) < 1e-5 && l.distance(m) < if way < 2 { 1e-4 } else { 2e-2 },
            "{way}: {p} {q} {l} {m}"
        );
        let drift = after.total / before.total - 1.0;
        assert!(
            if way < 2 {
                drift.abs() < 0.02
            } else {
                (-0.5..0.001).contains(&drift)
            },
            "{way}: {drift}"
        );
    }
}

fn a_hanging_cloth_comes_to_rest(engine: &Engine) {
    // Size, seconds and time step: an explicit step is short, or the springs explode.
    let (n, seconds, time_step) = suited(engine, [(10, 15, 0.02), (4, 10, 0.05), (2, 10, 0.05)]);
    let mesh = generate::grid(n, n).unwrap();
    let o = SpringOptions::default().with(|o| {
        o.damping = 4.0;
    });
    let long = o.with(|o| {
        o.time_step = time_step;
    });
    let (rx, rest) = put(engine, &mesh);
    let fixed: Vec<u32> = (0..mesh.vertex_count() as u32)
        .map(|v| u32::from(v == 0 || v == n))
        .collect();
    let fixed = rx.attribute_from(&fixed).unwrap();
    let mut explicit = Springs::new(&rx, &rest, &fixed, &o).unwrap();
    let mut implicit = Springs::new(&rx, &rest, &fixed, &long).unwrap();
    let start = explicit.energy().unwrap();
    assert!(start.total.abs() < 1e-9);
    for _ in 0..(f64::from(seconds) / time_step) as u32 {
        implicit.step_implicit(10, 0.0).unwrap();
    }
    let mut systems = vec![&mut implicit];
    if !is_slow(engine) {
        for _ in 0..(f64::from(seconds) / o.time_step) as u32 {
            explicit.step_explicit(SpringForces::Gather).unwrap();
        }
        systems.push(&mut explicit);
    }
    for s in systems {
        let e = s.energy().unwrap();
        println!("{e:?}");
        assert!(e.kinetic < 1e-5 * e.total.abs() && e.total < -0.1, "{e:?}");
        let x: Vec<DVec3> = s
            .positions()
            .to_input(&rx)
            .unwrap()
            .iter()
            .map(|p| p.as_dvec3())
            .collect();
        // At rest the springs carry the weight.
        let force = naive_forces(&mesh, &x, &o);
        let weight = o.mass * 9.81;
        let worst = (0..x.len())
            .filter(|&v| v != 0 && v != n as usize)
            .map(|v| (force[v].z - weight).abs())
            .fold(0.0, f64::max);
        assert!(worst < 0.05 * weight, "{worst} of {weight}");
    }
}

fn nasty_meshes_stay_finite(engine: &Engine) {
    let o = SpringOptions::default().with(|o| {
        o.stiffness = 1.0;
    });
    for (name, mesh) in nasty() {
        let put = put(engine, &mesh);
        let (mut s, x, v) = stretched(&put, &mesh, 0, &o);
        for _ in 0..3 {
            s.step_explicit(SpringForces::Gather).unwrap();
            s.step_explicit(SpringForces::Scatter).unwrap();
        }
        let error = farthest(
            &s.positions().to_input(&put.0).unwrap(),
            &naive_steps(&mesh, &x, &v, 0, &o, 6),
        );
        assert!(error < 1e-5, "{name}: {error}");
        s.step_implicit(10, 1e-6).unwrap();
        assert!(s.energy().unwrap().total.is_finite(), "{name}");
    }
}

fn senseless_options_are_refused_and_explosions_are_told(engine: &Engine) {
    let mesh = bumpy_grid(4);
    let put = put(engine, &mesh);
    let fixed = put.0.attribute().unwrap();
    let base = SpringOptions::default();
    for o in [
        base.with(|o| {
            o.time_step = f64::NAN;
        }),
        base.with(|o| {
            o.time_step = 0.0;
        }),
        base.with(|o| {
            o.mass = 0.0;
        }),
        base.with(|o| {
            o.mass = f64::INFINITY;
        }),
        base.with(|o| {
            o.stiffness = -1.0;
        }),
        base.with(|o| {
            o.damping = f64::NAN;
        }),
        base.with(|o| {
            o.gravity = Vec3::splat(f32::NAN);
        }),
    ] {
        assert!(
            matches!(
                Springs::new(&put.0, &put.1, &fixed, &o),
                Err(Error::Options(_))
            ),
            "{o:?}"
        );
    }
    let (mut s, ..) = stretched(
        &put,
        &mesh,
        0,
        &base.with(|o| {
            o.time_step = 10.0;
            o.stiffness = 1e9;
        }),
    );
    assert!(matches!(
        s.step_implicit(1, f64::NAN),
        Err(Error::Options(_))
    ));
    for _ in 0..40 {
        s.step_explicit(SpringForces::Gather).unwrap();
    }
    assert!(matches!(s.energy(), Err(Error::NotFinite { .. })));
}
