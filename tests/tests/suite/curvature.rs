//! Curvatures against naive sums in doubles, known surfaces and Gauss-Bonnet.

use crate::algo_support::*;
use glam::DVec3;
use rxmesh_host::algo::curvature::{CurvatureReport, curvature};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::{Error, Vec3};
use std::f64::consts::{PI, TAU};

struct Naive {
    defect: Vec<f64>,
    mean: Vec<f64>,
    area: Vec<f64>,
}

fn naive(mesh: &TriMesh) -> Naive {
    let (x, boundary) = (doubles(mesh), on_boundary(mesh));
    let n = x.len();
    let mut defect: Vec<f64> = boundary.iter().map(|&b| if b { PI } else { TAU }).collect();
    let (mut laplace, mut normal, mut area) =
        (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n], vec![0.0; n]);
    for f in &mesh.faces {
        let f = f.map(|v| v as usize);
        let p = f.map(|v| x[v]);
        let cot = cotangents(p);
        let cross = (p[1] - p[0]).cross(p[2] - p[0]);
        let whole = cross.length() / 2.0;
        for k in 0..3 {
            let (l, r) = ((k + 1) % 3, (k + 2) % 3);
            let (u, w) = (p[l] - p[k], p[r] - p[k]);
            defect[f[k]] -= u.angle_between(w);
            laplace[f[k]] += u * cot[r] + w * cot[l];
            normal[f[k]] += cross;
            let obtuse = cot.iter().any(|&c| c < 0.0);
            area[f[k]] += match (obtuse, cot[k] < 0.0) {
                (false, _) => (u.length_squared() * cot[r] + w.length_squared() * cot[l]) / 8.0,
                (true, true) => whole / 2.0,
                (true, false) => whole / 4.0,
            };
        }
    }
    let mean = (0..n).map(|v| {
        let size = laplace[v].length() / area[v] / 4.0;
        if boundary[v] {
            0.0
        } else {
            -size * laplace[v].dot(normal[v]).signum()
        }
    });
    Naive {
        defect,
        mean: mean.collect(),
        area,
    }
}

fn bonnet(report: &CurvatureReport, what: &str) {
    let want = TAU * report.euler_characteristic as f64;
    assert!(
        (report.total_gaussian_curvature - want).abs() < 2e-4,
        "{what}: {report:?}"
    );
}

#[test]
fn agrees_with_naive_sums() {
    let meshes = [
        bumpy_sphere(3),
        bumpy_grid(14),
        generate::torus(24, 12, 2.0, 0.7).unwrap(),
        generate::fan(30).unwrap(),
    ];
    for engine in engines() {
        for mesh in &meshes {
            let (rx, x) = put(&engine, mesh);
            let (mut c, report) = curvature(&rx, &x).unwrap();
            let want = naive(mesh);
            let (defect, mean) = (
                c.defect.to_input(&rx).unwrap(),
                c.mean.to_input(&rx).unwrap(),
            );
            let (gaussian, area) = (
                c.gaussian.to_input(&rx).unwrap(),
                c.area.to_input(&rx).unwrap(),
            );
            for v in 0..mesh.vertex_count() {
                let close = |got: f32, want: f64, size: f64| {
                    let got = f64::from(got);
                    assert!(
                        (got - want).abs() <= 1e-5 * want.abs() + 1e-5 * size,
                        "{engine:?} {v}: {got} {want}"
                    );
                };
                close(defect[v], want.defect[v], 1.0);
                close(area[v], want.area[v], 1e-3);
                close(
                    gaussian[v],
                    want.defect[v] / want.area[v],
                    1.0 / want.area[v],
                );
                close(mean[v], want.mean[v], 10.0 / want.area[v].sqrt());
            }
            bonnet(&report, "generated");
        }
    }
}

#[test]
fn known_surfaces_have_their_curvature() {
    for engine in fast_engines() {
        let mut mesh = generate::icosphere(5).unwrap();
        mesh.positions
            .iter_mut()
            .for_each(|p| *p = *p * 2.0 + Vec3::new(30.0, -20.0, 10.0));
        let (rx, x) = put(&engine, &mesh);
        let (mut c, report) = curvature(&rx, &x).unwrap();
        let (k, h) = (
            c.gaussian.to_input(&rx).unwrap(),
            c.mean.to_input(&rx).unwrap(),
        );
        assert!(
            k.iter().all(|k| (k - 0.25).abs() < 0.02),
            "{:?}",
            report.gaussian_range
        );
        assert!(
            h.iter().all(|h| (h - 0.5).abs() < 0.02),
            "{:?}",
            report.mean_range
        );
        assert!((report.total_area - 16.0 * PI).abs() < 0.05);
        for f in &mut mesh.faces {
            f.swap(0, 1);
        }
        let (rx, x) = put(&engine, &mesh);
        let h = curvature(&rx, &x).unwrap().0.mean.to_input(&rx).unwrap();
        assert!(
            h.iter().all(|h| (h + 0.5).abs() < 0.02),
            "normals inwards turn the sign"
        );
        let flat = generate::grid(20, 20).unwrap();
        let (rx, x) = put(&engine, &flat);
        let (_, report) = curvature(&rx, &x).unwrap();
        assert!(
            report.mean_range.iter().all(|h| h.abs() < 1e-2),
            "{report:?}"
        );
    }
}

#[test]
fn gauss_bonnet_holds_on_large_and_open_meshes() {
    let mut torus = generate::torus(400, 400, 2.0, 0.5).unwrap();
    generate::noise(&mut torus, 0.3, 9).unwrap();
    let meshes = [
        ("sphere", generate::icosphere(6).unwrap(), 2),
        ("noisy sphere", bumpy_sphere(6), 2),
        ("noisy torus", torus, 0),
        (
            "tube",
            generate::cylinder(60, 40, 1.0, 3.0, false).unwrap(),
            0,
        ),
        (
            "capped tube",
            generate::cylinder(60, 40, 1.0, 3.0, true).unwrap(),
            2,
        ),
        ("disk", bumpy_grid(60), 1),
    ];
    for engine in fast_engines() {
        for (name, mesh, euler) in &meshes {
            let (rx, x) = put(&engine, mesh);
            let (_, report) = curvature(&rx, &x).unwrap();
            let total = report.total_gaussian_curvature;
            println!(
                "{name}, {} faces: {total:.7}, error {:.1e}",
                mesh.face_count(),
                total - TAU * f64::from(*euler)
            );
            assert_eq!(report.euler_characteristic, i64::from(*euler), "{name}");
            bonnet(&report, name);
        }
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    let mesh = bumpy_sphere(2);
    let engine = &engines()[0];
    let (rx, x) = put(engine, &mesh);
    let h = curvature(&rx, &x).unwrap().0.mean.to_input(&rx).unwrap();
    for scale in [1e-15f32, 1e-6, 1e6, 1e15] {
        let mut scaled = mesh.clone();
        scaled.positions.iter_mut().for_each(|p| *p *= scale);
        let (rx, x) = put(engine, &scaled);
        let (mut c, report) = curvature(&rx, &x).unwrap();
        bonnet(&report, "scaled");
        let g = c.mean.to_input(&rx).unwrap();
        assert!(
            g.iter()
                .zip(&h)
                .all(|(g, h)| (g * scale - h).abs() < 1e-3 * h.abs().max(1.0)),
            "{scale}"
        );
    }
}

#[test]
fn nasty_meshes_give_finite_numbers() {
    for engine in engines() {
        for (name, mesh) in nasty() {
            let (rx, x) = put(&engine, &mesh);
            let (mut c, report) = curvature(&rx, &x).unwrap();
            for a in [&mut c.defect, &mut c.gaussian, &mut c.mean, &mut c.area] {
                let values = a.to_input(&rx).unwrap();
                assert!(values.iter().all(|v| v.is_finite()), "{name}: {values:?}");
            }
            assert!(report.total_gaussian_curvature.is_finite());
            assert!(
                serde_json::to_string(&report)
                    .unwrap()
                    .contains("\"total_gaussian_curvature\":")
            );
            if ["no faces", "isolated vertices", "a flat needle"].contains(&name) {
                bonnet(&report, name);
            }
        }
    }
}

#[test]
fn coordinates_that_are_no_numbers_are_refused() {
    let mesh = generate::grid(2, 2).unwrap();
    let (rx, _) = put(&engines()[0], &mesh);
    for bad in [f32::NAN, f32::INFINITY] {
        let mut p = mesh.positions.clone();
        p[4].y = bad;
        let x = rx.attribute_from(&p).unwrap();
        assert!(matches!(curvature(&rx, &x), Err(Error::NotFinite { .. })));
    }
}
