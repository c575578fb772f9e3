//! Laplacian and Taubin smoothing against naive sums in doubles.

use crate::algo_support::*;
use glam::DVec3;
use rxmesh_host::algo::laplacian::{SmoothOptions, SmoothWeights, smooth};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::{Error, Vec3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use std::collections::BTreeMap;

conformance! {
    agrees_with_naive_sums, kept_boundaries_keep_their_bits_and_free_ones_move, taubin_shrinks_less_than_laplace,
    any_scale_and_place_gives_the_same_shape, nasty_meshes_stay_finite, senseless_options_are_refused
}

fn naive(mesh: &TriMesh, o: &SmoothOptions) -> Vec<DVec3> {
    let (rings, boundary) = (rings(mesh), on_boundary(mesh));
    let mut x = doubles(mesh);
    for _ in 0..o.iterations {
        for factor in [Some(o.lambda), o.mu].into_iter().flatten() {
            let w = weights(mesh, &x, o.weights);
            let step = |v: usize| {
                let weight = |u: usize| w[&(v.min(u), v.max(u))];
                let total: f64 = rings[v].iter().map(|&u| weight(u)).sum();
                if total <= 0.0 || (!o.move_boundary && boundary[v]) {
                    return x[v];
                }
                let sum: DVec3 = rings[v].iter().map(|&u| (x[u] - x[v]) * weight(u)).sum();
                x[v] + sum * (factor / total)
            };
            x = (0..x.len()).map(step).collect();
        }
    }
    x
}

fn weights(mesh: &TriMesh, x: &[DVec3], kind: SmoothWeights) -> BTreeMap<(usize, usize), f64> {
    let mut w: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for f in &mesh.faces {
        let f = f.map(|v| v as usize);
        let cot = cotangents(f.map(|v| x[v]));
        for k in 0..3 {
            let (a, b) = (f[k], f[(k + 1) % 3]);
            *w.entry((a.min(b), a.max(b))).or_default() += cot[(k + 2) % 3];
        }
    }
    for value in w.values_mut() {
        *value = if kind == SmoothWeights::Uniform {
            1.0
        } else {
            value.max(0.0)
        };
    }
    w
}

fn variants() -> Vec<SmoothOptions> {
    let base = SmoothOptions::default().with(|o| {
        o.iterations = 4;
    });
    vec![
        base,
        base.with(|o| {
            o.move_boundary = true;
        }),
        SmoothOptions::taubin(4).with(|o| {
            o.iterations = 4;
        }),
        base.with(|o| {
            o.weights = SmoothWeights::Cotangent;
        }),
        // So few steps that it does not pay to compute the order of faces.
        base.with(|o| {
            o.weights = SmoothWeights::Cotangent;
            o.iterations = 2;
        }),
        SmoothOptions::taubin(3).with(|o| {
            o.weights = SmoothWeights::Cotangent;
            o.move_boundary = true;
        }),
    ]
}

/// Adds a third face to an edge: its patches use another path than those where every vertex has one fan of faces.
fn with_fin(mut mesh: TriMesh) -> TriMesh {
    let [a, b, c] = mesh.faces[0];
    let [x, y, z] = [a, b, c].map(|v| mesh.positions[v as usize]);
    mesh.faces.push([a, b, mesh.positions.len() as u32]);
    mesh.positions.push(x + y - z + (y - x).cross(z - x));
    mesh
}

fn agrees_with_naive_sums(engine: &Engine) {
    let [levels, n] = suited(engine, [[3, 12], [2, 8], [1, 4]]);
    for mesh in [
        bumpy_sphere(levels),
        bumpy_grid(n),
        generate::fan(40).unwrap(),
        with_fin(bumpy_sphere(levels)),
    ] {
        for o in variants() {
            let (rx, mut x) = put(engine, &mesh);
            let report = smooth(&rx, &mut x, &o).unwrap();
            assert_eq!(
                report.steps,
                o.iterations * if o.mu.is_some() { 2 } else { 1 }
            );
            let error = farthest(&x.to_input(&rx).unwrap(), &naive(&mesh, &o));
            assert!(error < 3e-6, "{engine:?} {o:?}: {error}");
        }
    }
}

fn kept_boundaries_keep_their_bits_and_free_ones_move(engine: &Engine) {
    let mesh = bumpy_grid(suited(engine, [12, 8, 4]));
    let boundary = on_boundary(&mesh);
    for o in variants() {
        let (rx, mut x) = put(engine, &mesh);
        smooth(&rx, &mut x, &o).unwrap();
        let y = x.to_input(&rx).unwrap();
        let same = |v: usize| y[v] == mesh.positions[v];
        assert!(
            (0..y.len())
                .filter(|&v| boundary[v])
                .all(|v| same(v) != o.move_boundary),
            "{o:?}"
        );
    }
}

fn taubin_shrinks_less_than_laplace(engine: &Engine) {
    let mesh = bumpy_sphere(suited(engine, [4, 3, 2]));
    let radius = |p: &[Vec3]| p.iter().map(|p| p.as_dvec3().length()).sum::<f64>() / p.len() as f64;
    let run = |o: SmoothOptions| {
        let (rx, mut x) = put(engine, &mesh);
        smooth(&rx, &mut x, &o).unwrap();
        radius(&x.to_input(&rx).unwrap())
    };
    let laplace = run(SmoothOptions::default().with(|o| {
        o.lambda = 0.33;
        o.iterations = 60;
    }));
    let taubin = run(SmoothOptions::taubin(30));
    println!(
        "mean radius {:.4}: laplace {laplace:.4}, taubin {taubin:.4}",
        radius(&mesh.positions)
    );
    assert!(laplace < 0.95 && taubin > 0.98 && taubin < 1.03);
}

fn any_scale_and_place_gives_the_same_shape(engine: &Engine) {
    let mesh = bumpy_sphere(suited(engine, [2, 2, 1]));
    let o = SmoothOptions::default().with(|o| {
        o.weights = SmoothWeights::Cotangent;
    });
    for scale in [1e-18f32, 1e-6, 1e6, 1e18] {
        let mut scaled = mesh.clone();
        scaled.positions.iter_mut().for_each(|p| *p *= scale);
        let (rx, mut x) = put(engine, &scaled);
        smooth(&rx, &mut x, &o).unwrap();
        let want: Vec<DVec3> = naive(&mesh, &o)
            .into_iter()
            .map(|p| p * f64::from(scale))
            .collect();
        assert!(
            farthest(&x.to_input(&rx).unwrap(), &want) < 1e-5 * f64::from(scale),
            "{scale}"
        );
    }
}

fn nasty_meshes_stay_finite(engine: &Engine) {
    for (name, mesh) in nasty() {
        for o in variants() {
            let (rx, mut x) = put(engine, &mesh);
            smooth(&rx, &mut x, &o).unwrap();
            let y = x.to_input(&rx).unwrap();
            assert!(y.iter().all(|p| p.is_finite()), "{name}: {y:?}");
            if o.weights == SmoothWeights::Uniform {
                assert!(farthest(&y, &naive(&mesh, &o)) < 1e-5, "{name}");
            }
        }
    }
}

fn senseless_options_are_refused(engine: &Engine) {
    let (rx, mut x) = put(engine, &bumpy_grid(3));
    let base = SmoothOptions::default();
    for o in [
        base.with(|o| {
            o.lambda = f64::NAN;
        }),
        base.with(|o| {
            o.lambda = 0.0;
        }),
        base.with(|o| {
            o.lambda = 1.5;
        }),
        base.with(|o| {
            o.mu = Some(f64::NAN);
        }),
        base.with(|o| {
            o.mu = Some(0.3);
        }),
        base.with(|o| {
            o.mu = Some(f64::NEG_INFINITY);
        }),
    ] {
        assert!(
            matches!(smooth(&rx, &mut x, &o), Err(Error::Options(_))),
            "{o:?}"
        );
    }
    let mut x = rx
        .attribute_from(&vec![
            Vec3::NAN;
            rx.count(rxmesh_host::kernels::topo::Kind::Vertex)
                as usize
        ])
        .unwrap();
    assert!(matches!(
        smooth(&rx, &mut x, &base),
        Err(Error::NotFinite { .. })
    ));
}
