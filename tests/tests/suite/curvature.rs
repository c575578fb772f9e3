//! Curvatures against naive sums in doubles, known surfaces and Gauss-Bonnet.

use crate::algo_support::*;
use glam::DVec3;
use rxmesh_host::algo::curvature::{CurvatureReport, curvature};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate, quality};
use rxmesh_host::store::Attribute;
use rxmesh_host::{Error, Vec3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};
use rxmesh_tests::extent::extent;
use std::f64::consts::{PI, TAU};

conformance! {
    agrees_with_naive_sums, known_surfaces_have_their_curvature, gauss_bonnet_holds_on_large_and_open_meshes,
    the_unit_of_length_does_not_matter, nasty_meshes_give_finite_numbers, coordinates_that_are_no_numbers_are_refused
}

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

/// Defects are rounded at random: by a few last digits each, and their sum by a random walk with one step per vertex.
/// At most 160 thousand vertices occur here: 4 times 400 times the last digit.
const BONNET: f64 = 1600.0 * f32::EPSILON as f64;

fn bonnet(report: &CurvatureReport, what: &str) {
    let want = TAU * report.euler_characteristic as f64;
    assert!(
        (report.total_gaussian_curvature - want).abs() < BONNET,
        "{what}: {report:?}"
    );
}

fn agrees_with_naive_sums(engine: &Engine) {
    let [levels, n, nu] = suited(engine, [[3, 14, 24], [2, 8, 12], [1, 4, 6]]);
    let meshes = [
        bumpy_sphere(levels),
        bumpy_grid(n),
        generate::torus(nu, nu / 2, 2.0, 0.7).unwrap(),
        generate::fan(30).unwrap(),
    ];
    for mesh in &meshes {
        let (rx, x) = put(engine, mesh);
        let (mut c, report) = curvature(&rx, &x).unwrap();
        let want = naive(mesh);
        let read = |a: &mut Attribute<Vertex, f32>| a.to_input(&rx).unwrap();
        let (defect, mean) = (read(&mut c.defect), read(&mut c.mean));
        let (gaussian, area) = (read(&mut c.gaussian), read(&mut c.area));
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

/// Curvatures of a sphere of radius `R` whose longest edge is `h`, far from the origin.
///
/// Gaussian curvature: around a vertex of a regular fan of five or six the defect over the area is `1 / R^2` times `1 +
/// h^2 / 5 R^2` at most, in the first order of `h^2`. Mean curvature by cotangents is exact where all vertices lie on
/// the sphere. The area lacks `h^2 / 6 R^2` of equilateral faces, and less than a fifth where the longest edge is the
/// measure. Rounding: coordinates of size `far` are off by half a last digit, to be compared with the height of the
/// fan, `h^2 / 2 R`; eight such offsets are the fan's corners and its centre.
fn known_surfaces_have_their_curvature(engine: &Engine) {
    let levels = suited(engine, [extent(4, 5), 2, 1]);
    let (radius, away) = (2.0, Vec3::new(30.0, -20.0, 10.0));
    let mut mesh = generate::icosphere(levels).unwrap();
    mesh.positions
        .iter_mut()
        .for_each(|p| *p = *p * radius + away);
    let radius = f64::from(radius);
    let edges = quality(&mesh).edge_length;
    let h2 = (edges.max / radius).powi(2);
    let digit = f64::from(f32::EPSILON * away.length());
    let rounding = 8.0 * digit * radius / edges.min.powi(2);
    let near = |got: f32, want: f64, part: f64| (f64::from(got) / want - 1.0).abs() < part;
    let (rx, x) = put(engine, &mesh);
    let (mut c, report) = curvature(&rx, &x).unwrap();
    let (k, h) = (
        c.gaussian.to_input(&rx).unwrap(),
        c.mean.to_input(&rx).unwrap(),
    );
    assert!(
        (k.iter()).all(|&k| near(k, radius.powi(-2), h2 / 4.0 + rounding)),
        "{:?}, {h2} {rounding}",
        report.gaussian_range
    );
    assert!(
        (h.iter()).all(|&h| near(h, 1.0 / radius, h2 / 100.0 + rounding)),
        "{:?}, {h2} {rounding}",
        report.mean_range
    );
    let area = report.total_area / (4.0 * PI * radius.powi(2));
    assert!(
        area < 1.0 + rounding && area > 1.0 - h2 / 5.0 - rounding,
        "{area}"
    );
    for f in &mut mesh.faces {
        f.swap(0, 1);
    }
    let (rx, x) = put(engine, &mesh);
    let h = curvature(&rx, &x).unwrap().0.mean.to_input(&rx).unwrap();
    assert!(
        (h.iter()).all(|&h| near(h, -1.0 / radius, h2 / 100.0 + rounding)),
        "normals inwards turn the sign"
    );
    let n = suited(engine, [20, 8, 4]);
    let flat = generate::grid(n, n).unwrap();
    let (rx, x) = put(engine, &flat);
    let (_, report) = curvature(&rx, &x).unwrap();
    // Six neighbours that are half a last digit off, over four times the area of a cell.
    let most = f64::from(f32::EPSILON * (n * n) as f32);
    assert!(
        report.mean_range.iter().all(|h| h.abs() <= most),
        "{report:?}"
    );
}

fn gauss_bonnet_holds_on_large_and_open_meshes(engine: &Engine) {
    let levels = suited(engine, [extent(4, 6), 2, 1]);
    let n = suited(engine, [extent(100, 400), 10, 5]);
    let mut torus = generate::torus(n, n, 2.0, 0.5).unwrap();
    generate::noise(&mut torus, 0.3, 9).unwrap();
    let tube = |capped| generate::cylinder(n.min(60), n.min(40), 1.0, 3.0, capped).unwrap();
    let meshes = [
        ("sphere", generate::icosphere(levels).unwrap(), 2),
        ("noisy sphere", bumpy_sphere(levels), 2),
        ("noisy torus", torus, 0),
        ("tube", tube(false), 0),
        ("capped tube", tube(true), 2),
        ("disk", bumpy_grid(n.min(60)), 1),
    ];
    for (name, mesh, euler) in &meshes {
        let (rx, x) = put(engine, mesh);
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

fn the_unit_of_length_does_not_matter(engine: &Engine) {
    let mesh = bumpy_sphere(if is_slow(engine) { 1 } else { 2 });
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

fn nasty_meshes_give_finite_numbers(engine: &Engine) {
    for (name, mesh) in nasty() {
        let (rx, x) = put(engine, &mesh);
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

fn coordinates_that_are_no_numbers_are_refused(engine: &Engine) {
    let mesh = generate::grid(2, 2).unwrap();
    let (rx, _) = put(engine, &mesh);
    for bad in [f32::NAN, f32::INFINITY] {
        let mut p = mesh.positions.clone();
        p[4].y = bad;
        let x = rx.attribute_from(&p).unwrap();
        assert!(matches!(curvature(&rx, &x), Err(Error::NotFinite { .. })));
    }
}
