//! XPBD of cloth: against the paper's iteration by plain code in `f64`, springs and catenaries by their formulas.

use crate::solver_support::*;
use glam::{DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::Surface;
use rxmesh_simulation::Body;
use rxmesh_simulation::solve::{ClothMaterial, XpbdCloth, XpbdOptions, XpbdOrder};
use rxmesh_tests::conformance;
use rxmesh_tests::elastic::farthest;
use rxmesh_tests::engines::{same_rounding, suited};
use std::collections::BTreeMap;

conformance! {
    jacobi_is_the_papers_iteration, steps_converge_to_implicit_euler, chains_stretch_as_springs,
    strips_hang_as_catenaries, momentum_is_kept, nasty_meshes_stay_finite, steps_have_the_same_bits
}

const BOTH: [XpbdOrder; 2] = [XpbdOrder::Jacobi, XpbdOrder::PatchColours];
const DT: f32 = 0.01;

fn cloth(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> Body<Surface> {
    let options = PatchOptions::default().with(|o| o.patch_size = patch_size);
    Body::cloth(engine, mesh, 0.2, &options).unwrap()
}

/// Makes a grid of a metre, folded and with noise, its vertices and faces in random order.
fn folded(n: u32) -> TriMesh {
    let mut mesh = generate::grid(n, n).unwrap();
    for p in &mut mesh.positions {
        p.z = 0.3 * (p.x - 0.5).abs();
    }
    generate::noise(&mut mesh, 0.1, 3).unwrap();
    generate::shuffle(&mut mesh, 4);
    mesh
}

/// Returns each edge's compliances, by its ends.
fn uneven(ends: [u32; 2]) -> ClothMaterial {
    let k = f64::from((ends[0] + ends[1]) % 5);
    ClothMaterial {
        stretch: if k == 4.0 {
            None
        } else {
            Some(1e-4 * (1.0 + k))
        },
        bending: if k == 3.0 {
            None
        } else {
            Some(0.5 * (1.0 + k))
        },
    }
}

/// Returns the angle between two faces.
fn angle(p: [DVec3; 4]) -> f64 {
    let e = p[1] - p[0];
    let (n, m) = (e.cross(p[2] - p[0]), (p[3] - p[0]).cross(e));
    n.cross(m).dot(e.normalize()).atan2(n.dot(m))
}

/// Constraint: its vertices, its measured quantity, that at rest, and its compliance.
struct Constraint {
    vertices: Vec<usize>,
    rest: f64,
    compliance: f64,
}

impl Constraint {
    fn value(&self, x: &[DVec3]) -> f64 {
        let p: Vec<DVec3> = self.vertices.iter().map(|&v| x[v]).collect();
        match p[..] {
            [a, b] => a.distance(b) - self.rest,
            [a, b, c, d] => {
                let turn = std::f64::consts::TAU;
                let off = angle([a, b, c, d]) - self.rest;
                off - turn * (off / turn).round()
            }
            _ => unreachable!(),
        }
    }

    /// Computes the gradient by differences.
    fn gradient(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut y = x.to_vec();
        let h = 1e-6;
        let mut one = |&v: &usize| {
            let mut slope = |axis: DVec3| {
                let mut at = |by: f64| {
                    y[v] = x[v] + axis * by;
                    let value = self.value(&y);
                    y[v] = x[v];
                    value
                };
                (at(h) - at(-h)) / (2.0 * h)
            };
            DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
        };
        self.vertices.iter().map(&mut one).collect()
    }
}

/// Returns the constraints of a mesh: lengths of edges, angles of edges of two faces.
fn constraints(mesh: &TriMesh, material: impl Fn([u32; 2]) -> ClothMaterial) -> Vec<Constraint> {
    let x = doubles(&mesh.positions);
    let mut opposite: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for f in &mesh.faces {
        for k in 0..3 {
            let (a, b, c) = (f[k], f[(k + 1) % 3], f[(k + 2) % 3]);
            opposite.entry([a.min(b), a.max(b)]).or_default().push(c);
        }
    }
    let mut all = Vec::new();
    for (ends, corners) in opposite {
        let m = material(ends);
        let mut add = |vertices: &[u32], compliance: Option<f64>| {
            let Some(compliance) = compliance else {
                return;
            };
            let mut c = Constraint {
                vertices: vertices.iter().map(|v| *v as usize).collect(),
                rest: 0.0,
                compliance,
            };
            c.rest = c.value(&x);
            all.push(c);
        };
        add(&ends, m.stretch);
        if let [c, d] = corners[..] {
            add(&[ends[0], ends[1], c, d], m.bending);
        }
    }
    all
}

fn state(mesh: &TriMesh, held: &[bool]) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut rng = Rng::new(9);
    let mut random = |size: f64| Vec3::from([(); 3].map(|()| (size * rng.signed_unit()) as f32));
    let at = |(v, p): (usize, &Vec3)| {
        if held[v] {
            return (*p, Vec3::ZERO);
        }
        (*p * 1.02 + random(0.003), random(0.2))
    };
    mesh.positions.iter().enumerate().map(at).unzip()
}

struct ClothBody {
    body: Body<Surface>,
    w: Vec<f64>,
    s: Vec<DVec3>,
}

fn scene(engine: &Engine, mesh: &TriMesh) -> ClothBody {
    let mut body = cloth(engine, mesh, 64);
    body.pin(&[0, 3]).unwrap();
    let held = body.pinned().unwrap();
    let (x, v) = state(mesh, &held);
    body.set_positions(&x).unwrap();
    body.set_velocities(&v).unwrap();
    let s = targets(&x, &v, &held, GRAVITY, DT.into());
    let masses = body.masses().unwrap();
    let w = (masses.iter().zip(&held)).map(|(m, h)| if *h { 0.0 } else { 1.0 / f64::from(*m) });
    ClothBody {
        w: w.collect(),
        body,
        s,
    }
}

fn jacobi_is_the_papers_iteration(engine: &Engine) {
    let mesh = folded(suited(engine, [10, 6, 4]));
    for (iterations, relaxation) in [(1, 1.0), (6, 1.5)] {
        let ClothBody { mut body, w, s } = scene(engine, &mesh);
        let options = XpbdOptions {
            iterations,
            relaxation,
            ..XpbdOptions::default()
        };
        let mut solver = XpbdCloth::new(&body, uneven, options).unwrap();
        solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
        let all = constraints(&mesh, uneven);
        let mut share = vec![0.0; s.len()];
        for v in all.iter().flat_map(|c| &c.vertices) {
            share[*v] += 1.0;
        }
        let (mut want, mut multipliers) = (s, vec![0.0; all.len()]);
        let rate = 1.0 / f64::from(DT).powi(2);
        for _ in 0..iterations {
            let now = want.clone();
            for (c, l) in all.iter().zip(&mut multipliers) {
                let (g, soft) = (c.gradient(&now), c.compliance * rate);
                let pairs = || c.vertices.iter().zip(&g);
                let weight: f64 = pairs()
                    .map(|(v, g)| share[*v] * w[*v] * g.length_squared())
                    .sum();
                if weight + soft == 0.0 {
                    continue;
                }
                let by = -relaxation * (c.value(&now) + soft * *l) / (weight + soft);
                *l += by;
                for (v, g) in pairs() {
                    want[*v] += *g * (by * w[*v]);
                }
            }
        }
        let got = doubles(&body.positions().unwrap());
        let error = farthest(&got, &want);
        assert!(error < 5e-6, "{engine:?} {iterations}: {error:e}");
    }
}

/// At a step's end every constraint's force is that of its multiplier, and both are those of implicit Euler up to the
/// rotation of the gradients within the step.
fn steps_converge_to_implicit_euler(engine: &Engine) {
    let mesh = folded(suited(engine, [8, 5, 4]));
    // So soft that the motion is not lost in the stiffness.
    let soft = |ends| {
        let ClothMaterial { stretch, bending } = uneven(ends);
        ClothMaterial {
            stretch: stretch.map(|c| 300.0 * c),
            bending: bending.map(|c| 100.0 * c),
        }
    };
    let all = constraints(&mesh, soft);
    for order in BOTH {
        let run = |iterations| {
            let ClothBody { mut body, w, s } = scene(engine, &mesh);
            let options = XpbdOptions {
                iterations,
                order,
                ..XpbdOptions::default()
            };
            let mut solver = XpbdCloth::new(&body, soft, options).unwrap();
            solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
            let now = doubles(&body.positions().unwrap());
            // m / dt^2 (s - x) - sum C grad C / a, times w dt^2: a length.
            let mut left: Vec<DVec3> = s.iter().zip(&now).map(|(s, x)| *s - *x).collect();
            for c in &all {
                let force = c.value(&now) / c.compliance * f64::from(DT).powi(2);
                for (v, g) in c.vertices.iter().zip(c.gradient(&now)) {
                    left[*v] -= g * (force * w[*v]);
                }
            }
            let free = |(l, w): (&DVec3, &f64)| if *w > 0.0 { l.length() } else { 0.0 };
            let left = left.iter().zip(&w).map(free).fold(0.0, f64::max);
            (now.clone(), left, farthest(&now, &s))
        };
        let [few, many, more] = match order {
            XpbdOrder::Jacobi => suited(engine, [[20, 1000, 2000], [10, 200, 400], [10, 150, 300]]),
            XpbdOrder::PatchColours => suited(engine, [[1, 100, 200], [1, 60, 120], [1, 40, 80]]),
        };
        let ((_, first, _), (second, end, moved), (third, ..)) = (run(few), run(many), run(more));
        println!("{order:?} {first:e} {end:e} of {moved:e}");
        assert!(
            end < 0.1 * moved,
            "{engine:?} {order:?}: {end:e} of {moved:e}"
        );
        assert!(
            end < 0.5 * first,
            "{engine:?} {order:?}: {first:e} to {end:e}"
        );
        // Twice as many iterations are not stiffer.
        let apart = farthest(&second, &third);
        assert!(
            apart < 5e-3 * moved,
            "{engine:?} {order:?}: {apart:e} of {moved:e}"
        );
    }
}

/// Makes a strip of `n` squares of side `h` along x, in the plane of x and y: rails are edges along x. Of its other
/// edges the transverse ones are stiff and the diagonals free.
fn strip(n: u32, h: f32) -> TriMesh {
    let mut positions = Vec::new();
    let mut faces = Vec::new();
    for i in 0..=n {
        positions.push(Vec3::new(i as f32 * h, 0.0, 0.0));
        positions.push(Vec3::new(i as f32 * h, h, 0.0));
        if i > 0 {
            let [a, b, c, d] = [2 * i - 2, 2 * i - 1, 2 * i, 2 * i + 1];
            faces.extend([[a, c, b], [b, c, d]]);
        }
    }
    TriMesh::new(positions, faces).unwrap()
}

fn rails(compliance: f64) -> impl Fn([u32; 2]) -> ClothMaterial {
    move |[a, b]| ClothMaterial {
        stretch: match a.abs_diff(b) {
            2 if a % 2 == b % 2 => Some(compliance),
            1 if a / 2 == b / 2 => Some(0.0),
            _ => None,
        },
        bending: None,
    }
}

/// Steps until nothing moves.
fn settle(solver: &mut XpbdCloth, body: &mut Body<Surface>, dt: f32, steps: u32) -> Vec<DVec3> {
    let around = &air(body.engine(), GRAVITY);
    for _ in 0..steps {
        solver.step(body, around, dt).unwrap();
    }
    doubles(&body.positions().unwrap())
}

/// A strip that hangs from one end: each edge is longer by its compliance times the weight below it, whatever the
/// number of iterations.
fn chains_stretch_as_springs(engine: &Engine) {
    let (n, h) = (6, 0.1);
    let mut mesh = strip(n, h);
    for p in &mut mesh.positions {
        *p = Vec3::new(p.y, 0.0, -p.x);
    }
    let compliance = 0.5;
    for (order, iterations) in [
        (XpbdOrder::Jacobi, suited(engine, [40, 25, 25])),
        (XpbdOrder::Jacobi, suited(engine, [120, 50, 50])),
        (XpbdOrder::PatchColours, 5),
        (XpbdOrder::PatchColours, suited(engine, [40, 10, 10])),
    ] {
        let mut body = cloth(engine, &mesh, 64);
        body.pin(&[0, 1]).unwrap();
        let options = XpbdOptions {
            iterations,
            order,
            damping: 8.0,
            ..XpbdOptions::default()
        };
        let mut solver = XpbdCloth::new(&body, rails(compliance), options).unwrap();
        let x = settle(&mut solver, &mut body, DT, suited(engine, [500, 120, 120]));
        let masses = body.masses().unwrap();
        for i in 0..n {
            // Both rails carry the weight of both.
            let below: f64 = masses[2 * i as usize + 2..]
                .iter()
                .map(|m| f64::from(*m))
                .sum();
            let want = f64::from(h) + compliance * 9.81 * below / 2.0;
            let row = |i: u32| 0.5 * (x[2 * i as usize].z + x[2 * i as usize + 1].z);
            let got = row(i) - row(i + 1);
            assert!(
                (got - want).abs() < 5e-3 * (want - f64::from(h)) + 2e-5,
                "{engine:?} {order:?} {iterations}: edge {i} {got} for {want}"
            );
        }
    }
}

/// Returns the horizontal and vertical position on an elastic catenary (Irvine, "Cable Structures", 1981, section 1.4).
///
/// The weight per length is `q`, the stiffness `ea`; the position is at the unstretched length `s` of `l`, from one end
/// to the other at the same height; the tension `t` is that of the lowest point.
fn catenary(s: f64, l: f64, q: f64, ea: f64, t: f64) -> (f64, f64) {
    let v = q * l / 2.0;
    let (a, b) = (v / t, (v - q * s) / t);
    let x = t * s / ea + t / q * (a.asinh() - b.asinh());
    let z =
        -q * s / ea * (l / 2.0 - s / 2.0) - t / q * ((1.0 + a * a).sqrt() - (1.0 + b * b).sqrt());
    (x, z)
}

fn strips_hang_as_catenaries(engine: &Engine) {
    let n = suited(engine, [16, 6, 6]);
    let length = 1.0;
    let h = length / f64::from(n);
    let span = 0.8;
    for order in BOTH {
        let mut mesh = strip(n, h as f32);
        // Mass only in the rows: the rails carry.
        let mut body = cloth(engine, &mesh, 64);
        let masses = body.masses().unwrap();
        let last = 2 * n;
        body.pin(&[0, 1, last, last + 1]).unwrap();
        // Starts as a V between its ends.
        let sag = (0.25 * (length * length - span * span)).sqrt();
        for p in &mut mesh.positions {
            let along = f64::from(p.x) / length;
            let z = -2.0 * sag * (0.5 - (along - 0.5).abs());
            *p = Vec3::new((span * along) as f32, p.y, z as f32);
        }
        body.set_positions(&mesh.positions).unwrap();
        let compliance = 0.1 * h;
        let (iterations, steps) = match order {
            XpbdOrder::Jacobi => suited(engine, [(400, 500), (60, 120), (60, 120)]),
            XpbdOrder::PatchColours => suited(engine, [(60, 500), (20, 120), (20, 120)]),
        };
        let options = XpbdOptions {
            iterations,
            order,
            damping: 8.0,
            ..XpbdOptions::default()
        };
        let mut solver = XpbdCloth::new(&body, rails(compliance), options).unwrap();
        let x = settle(&mut solver, &mut body, DT, steps);
        // Both rails: twice the stiffness of one. The weight per length is that of the inner rows.
        let q = 9.81 * f64::from(masses[2] + masses[3]) / h;
        let ea = 2.0 * h / compliance;
        let (mut low, mut high) = (1e-3 * q, 1e3 * q);
        for _ in 0..200 {
            let t = 0.5 * (low + high);
            if catenary(length, length, q, ea, t).0 > span {
                high = t;
            } else {
                low = t;
            }
        }
        let lowest = catenary(0.5 * length, length, q, ea, low).1;
        let mut worst = 0.0f64;
        for i in 0..=n {
            let (cx, cz) = catenary(f64::from(i) * h, length, q, ea, low);
            let p = 0.5 * (x[2 * i as usize] + x[2 * i as usize + 1]);
            worst = worst.max((p.x - cx).hypot(p.z - cz));
        }
        println!(
            "{order:?}: {n} squares hang {:.5} deep, a catenary {:.5}; {worst:.2e} apart",
            -x[n as usize].z, -lowest
        );
        // A polygon of n sides is off by its second order.
        let allowed = 0.002 + 0.4 / f64::from(n * n);
        assert!(
            worst < allowed,
            "{engine:?} {order:?}: {worst} of {allowed}"
        );
    }
}

fn momentum_is_kept(engine: &Engine) {
    let mesh = folded(suited(engine, [10, 6, 4]));
    for order in BOTH {
        let mut body = cloth(engine, &mesh, 64);
        let held = vec![false; mesh.positions.len()];
        let (x, v) = state(&mesh, &held);
        body.set_positions(&x).unwrap();
        body.set_velocities(&v).unwrap();
        let options = XpbdOptions {
            order,
            ..XpbdOptions::default()
        };
        let mut solver = XpbdCloth::new(&body, uneven, options).unwrap();
        for _ in 0..4 {
            solver
                .step(&mut body, &air(engine, Vec3::ZERO), DT)
                .unwrap();
        }
        let masses = body.masses().unwrap();
        let total = |v: &[Vec3]| -> DVec3 {
            v.iter()
                .zip(&masses)
                .map(|(v, m)| v.as_dvec3() * f64::from(*m))
                .sum()
        };
        let scale: f64 = (v.iter().zip(&masses))
            .map(|(v, m)| f64::from(v.length() * m))
            .sum();
        let (before, now) = (total(&v), total(&body.velocities().unwrap()));
        assert!(
            before.distance(now) < 1e-4 * scale,
            "{order:?}: {before} to {now}"
        );
    }
}

/// Faces without area, edges of many faces, vertices without faces, all in one point.
fn nasty_meshes_stay_finite(engine: &Engine) {
    let book: Vec<[u32; 3]> = (0..8).map(|i| [0, 1, 2 + i]).collect();
    let mut rng = Rng::new(2);
    let mut positions: Vec<Vec3> = (0..12)
        .map(|_| Vec3::from([(); 3].map(|()| rng.signed_unit() as f32)))
        .collect();
    positions[4] = positions[0];
    positions[5] = 0.5 * (positions[0] + positions[1]);
    let mut faces = book;
    faces.extend([[3, 3, 4], [6, 7, 7], [8, 9, 2], [8, 9, 2]]);
    let mesh = TriMesh::new(positions, faces).unwrap();
    for order in BOTH {
        let mut body = cloth(engine, &mesh, 4);
        let options = XpbdOptions {
            order,
            ..XpbdOptions::default()
        };
        let material = |_| ClothMaterial {
            stretch: Some(0.0),
            bending: Some(0.0),
        };
        let mut solver = XpbdCloth::new(&body, material, options).unwrap();
        for at in [None, Some(Vec3::ONE)] {
            if let Some(p) = at {
                body.set_positions(&vec![p; mesh.positions.len()]).unwrap();
            }
            for _ in 0..20 {
                solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
            }
            let now = body.positions().unwrap();
            assert!(
                now.iter().all(|p| p.is_finite()),
                "{order:?} {at:?}: {now:?}"
            );
        }
    }
}

fn steps_have_the_same_bits(engine: &Engine) {
    let mesh = folded(suited(engine, [10, 6, 4]));
    for order in BOTH {
        let run = |engine: &Engine| {
            let ClothBody { mut body, .. } = scene(engine, &mesh);
            let options = XpbdOptions {
                order,
                ..XpbdOptions::default()
            };
            let mut solver = XpbdCloth::new(&body, uneven, options).unwrap();
            solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
            body.positions().unwrap()
        };
        assert_eq!(run(engine), run(engine), "two runs");
        assert_eq!(run(engine), run(&same_rounding(engine)));
    }
}

#[test]
fn bad_cloth_is_refused() {
    let engine = Engine::cpu();
    let mesh = strip(2, 0.1);
    for density in [0.0, -1.0, f64::NAN] {
        let why = Body::cloth(&engine, &mesh, density, &PatchOptions::default());
        assert!(why.map(drop).unwrap_err().to_string().contains("density"));
    }
    let body = cloth(&engine, &mesh, 64);
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
        let material = |_| ClothMaterial {
            stretch: Some(bad),
            bending: None,
        };
        let why = XpbdCloth::new(&body, material, XpbdOptions::default());
        let why = why.map(drop).unwrap_err().to_string();
        assert!(why.contains("compliance against stretch"), "{why}");
    }
}
