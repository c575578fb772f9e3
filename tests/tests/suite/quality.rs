//! Shapes of faces against the same measures in doubles, and known triangles.

use crate::algo_support::*;
use rxmesh_host::algo::quality::{FaceQualityReport, face_quality};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Face;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::store::Attribute;
use rxmesh_host::{Error, Vec3};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;

conformance! {
    agrees_with_doubles, known_triangles_have_their_shape, faces_without_area_are_no_exception,
    the_unit_of_length_does_not_matter, coordinates_that_are_no_numbers_are_refused, there_may_be_no_face
}

/// Radius ratio, aspect ratio, smallest angle and area of each face.
type Shapes = [Vec<f32>; 4];

fn shapes(engine: &Engine, mesh: &TriMesh) -> (Shapes, FaceQualityReport) {
    let (rx, x) = put(engine, mesh);
    let (mut q, report) = face_quality(&rx, &x).unwrap();
    let read = |a: &mut Attribute<Face, f32>| a.to_input(&rx).unwrap();
    let all = [
        read(&mut q.radius_ratio),
        read(&mut q.aspect_ratio),
        read(&mut q.smallest_angle),
        read(&mut q.area),
    ];
    (all, report)
}

/// The same in doubles: the angle by the arc cosine of each corner, the radii by the sides alone.
fn naive(mesh: &TriMesh, face: usize) -> [f64; 4] {
    let [a, b, c] = mesh.faces[face].map(|v| mesh.positions[v as usize].as_dvec3());
    let [l, m, n] = [(b - a), (c - b), (a - c)].map(|side| side.length());
    let half = (l + m + n) / 2.0;
    let area = (b - a).cross(c - a).length() / 2.0;
    let (inner, outer) = (area / half, l * m * n / (4.0 * area));
    let angle = |p: f64, q: f64, opposite: f64| {
        let cosine = (p * p + q * q - opposite * opposite) / (2.0 * p * q);
        cosine.clamp(-1.0, 1.0).acos().to_degrees()
    };
    let angles = [angle(l, n, m), angle(l, m, n), angle(m, n, l)];
    [
        2.0 * inner / outer,
        l.max(m).max(n) / (2.0 * 3f64.sqrt() * inner),
        angles.into_iter().fold(f64::INFINITY, f64::min),
        area,
    ]
}

fn agrees_with_doubles(engine: &Engine) {
    let [levels, n, nu] = suited(engine, [[3, 14, 24], [2, 8, 12], [1, 4, 6]]);
    for mesh in [
        bumpy_sphere(levels),
        bumpy_grid(n),
        generate::torus(nu, nu / 2, 2.0, 0.7).unwrap(),
        generate::fan(30).unwrap(),
    ] {
        let (got, report) = shapes(engine, &mesh);
        let want: Vec<[f64; 4]> = (0..mesh.face_count()).map(|f| naive(&mesh, f)).collect();
        for (f, want) in want.iter().enumerate() {
            for k in 0..4 {
                let (got, want) = (f64::from(got[k][f]), want[k]);
                assert!(
                    (got - want).abs() <= 2e-5 * want.abs() + 1e-6,
                    "{engine:?} face {f}, measure {k}: {got} {want}"
                );
            }
        }
        let of = |k: usize| want.iter().map(move |w| w[k]);
        let near = |got: f64, want: f64| (got - want).abs() <= 2e-5 * want.abs() + 1e-6;
        let n = want.len() as f64;
        let least = |k: usize| of(k).fold(f64::INFINITY, f64::min);
        let largest = |k: usize| of(k).fold(0.0, f64::max);
        assert_eq!(report.faces as usize, want.len());
        assert!(near(report.least_radius_ratio, least(0)), "{report:?}");
        assert!(
            near(report.mean_radius_ratio, of(0).sum::<f64>() / n),
            "{report:?}"
        );
        assert!(near(report.largest_aspect_ratio, largest(1)), "{report:?}");
        assert!(near(report.least_angle, least(2)), "{report:?}");
        assert!(
            near(report.mean_angle, of(2).sum::<f64>() / n),
            "{report:?}"
        );
        assert!(near(report.least_area, least(3)), "{report:?}");
        assert!(near(report.largest_area, largest(3)), "{report:?}");
        assert!(near(report.total_area, of(3).sum::<f64>()), "{report:?}");
    }
}

fn triangle(corners: [[f32; 2]; 3]) -> TriMesh {
    let mut mesh = generate::fan(3).unwrap();
    mesh.positions = corners.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
    mesh.faces = vec![[0, 1, 2]];
    mesh
}

fn known_triangles_have_their_shape(engine: &Engine) {
    let root = 3f32.sqrt();
    let cases = [
        (
            [[0.0, 0.0], [2.0, 0.0], [1.0, root]],
            [1.0, 1.0, 60.0, 1.732_05],
        ),
        // An isosceles right triangle: 2 (sqrt 2 - 1), (1 + sqrt 2) / sqrt 3 is its longest side over the diameter.
        (
            [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            [0.828_427, 1.393_85, 45.0, 0.5],
        ),
        (
            [[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]],
            [0.8, 1.443_38, 36.869_9, 6.0],
        ),
    ];
    for (corners, want) in cases {
        let (got, _) = shapes(engine, &triangle(corners));
        for (got, want) in got.iter().zip(want) {
            assert!(
                (got[0] - want).abs() < 1e-4 * want,
                "{corners:?}: {got:?} {want}"
            );
        }
    }
}

fn faces_without_area_are_no_exception(engine: &Engine) {
    for (corners, angle) in [
        ([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], 0.0),
        ([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], 0.0),
        ([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]], 0.0),
    ] {
        let ([ratio, aspect, angles, area], report) = shapes(engine, &triangle(corners));
        assert_eq!(
            [ratio[0], angles[0], area[0]],
            [0.0, angle, 0.0],
            "{corners:?}"
        );
        assert_eq!(aspect[0], f32::INFINITY);
        assert_eq!(report.largest_aspect_ratio, f64::INFINITY);
    }
}

fn the_unit_of_length_does_not_matter(engine: &Engine) {
    let mesh = bumpy_grid(suited(engine, [10, 6, 3]));
    let (want, _) = shapes(engine, &mesh);
    for factor in [2f32.powi(-30), 2f32.powi(20)] {
        let mut other = mesh.clone();
        other.positions.iter_mut().for_each(|p| *p *= factor);
        let (got, _) = shapes(engine, &other);
        assert_eq!(got[..3], want[..3], "{factor}");
        let areas = want[3].iter().map(|a| a * factor * factor);
        assert!(areas.eq(got[3].iter().copied()), "{factor}");
    }
}

fn coordinates_that_are_no_numbers_are_refused(engine: &Engine) {
    let mut mesh = bumpy_grid(3);
    mesh.positions[4].y = f32::NAN;
    let (rx, x) = put(engine, &mesh);
    assert!(matches!(
        face_quality(&rx, &x),
        Err(Error::NotFinite { .. })
    ));
}

fn there_may_be_no_face(engine: &Engine) {
    let mut mesh = bumpy_grid(2);
    mesh.faces.clear();
    let (_, report) = shapes(engine, &mesh);
    assert_eq!(
        (report.faces, report.total_area, report.least_angle),
        (0, 0.0, 60.0)
    );
}
