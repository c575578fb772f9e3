//! Coordinates that 32-bit floats do not hold: far from the origin, beyond their range; and readers that forgive.

use super::*;
use crate::mesh::{Placement, generate};
use glam::DVec3;

/// Returns a torus whose places in the world are `scale` times as large and moved, and the doubles that a file is to
/// hold.
fn moved(by: DVec3, scale: f64) -> (TriMesh, Vec<DVec3>) {
    let mesh = generate::torus(24, 16, 1.0, 0.4).unwrap();
    let places = mesh.positions.iter().map(|p| by + scale * p.as_dvec3());
    let places = places.collect();
    (mesh, places)
}

fn obj(places: &[DVec3], faces: &[[u32; 3]]) -> String {
    let vertex = |p: &DVec3| format!("v {} {} {}\n", p.x, p.y, p.z);
    let face = |f: &[u32; 3]| format!("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1);
    let vertices: String = places.iter().map(vertex).collect();
    vertices + &faces.iter().map(face).collect::<String>()
}

fn farthest(mesh: &TriMesh, places: &[DVec3]) -> f64 {
    let away = |(v, p): (usize, &DVec3)| (mesh.world(v) - *p).length();
    places.iter().enumerate().map(away).fold(0.0, f64::max)
}

#[test]
fn far_coordinates_keep_their_digits_in_every_format() {
    for (by, scale) in [
        (DVec3::new(5e5, 5.4e6, 0.0), 1.0),
        (DVec3::new(500_003.71, 5_400_017.33, 211.4), 37.0),
        (DVec3::new(1e8, -1e8, 1e8), 1.0),
        (DVec3::new(0.0, 0.0, 1e9), 20.0),
        (DVec3::new(3e40, 0.0, 0.0), 1e38),
        (DVec3::ZERO, 1e-44),
        (DVec3::ZERO, 1e60),
    ] {
        let (mesh, places) = moved(by, scale);
        let read = read_as("a.obj", obj(&places, &mesh.faces).as_bytes()).unwrap();
        let size = 3.0 * scale;
        let digits = size * f64::from(f32::EPSILON) + by.abs().max_element() * 1e-15;
        assert!(farthest(&read.mesh, &places) < digits, "{by} {scale}");
        assert!(!read.mesh.placement.is_world(), "{by} {scale}");
        let told = read.warnings.len();
        assert!(told <= 1 && read.warnings.iter().all(|w| w.contains("rounded, by")));
        for (name, encoding) in forms().into_iter().filter(|f| f.0 != "a.stl") {
            let (bytes, report) = written(name, encoding, &read.mesh);
            assert_eq!(report.warnings, Vec::<String>::new(), "{name}");
            let back = read_as(name, &bytes).unwrap();
            assert_same_shape(&read.mesh, &back.mesh);
            assert_eq!(
                back.mesh.placement, read.mesh.placement,
                "{name} {by} {scale}"
            );
            assert_eq!(back.warnings, Vec::<String>::new(), "{name} {by} {scale}");
        }
    }
}

/// One vertex that went astray, to the origin as it does, takes no digits from the others.
#[test]
fn a_vertex_far_outside_costs_no_digits() {
    let (mesh, mut places) = moved(DVec3::new(5e5, 5.4e6, 0.0), 1.0);
    places[17] = DVec3::ZERO;
    let read = read_as("a.obj", obj(&places, &mesh.faces).as_bytes()).unwrap();
    assert!(farthest(&read.mesh, &places) < 1e-6);
    let (bytes, _) = written("a.ply", Encoding::Binary, &read.mesh);
    let back = read_as("a.ply", &bytes).unwrap().mesh;
    assert_same_shape(&read.mesh, &back);
    // Detail that is only small, and not lost, is no reason to move the rest.
    let (mesh, mut places) = moved(DVec3::splat(3.0), 0.01);
    places[17] = DVec3::ZERO;
    let read = read_as("a.obj", obj(&places, &mesh.faces).as_bytes()).unwrap();
    assert!(read.mesh.placement.is_world());
}

/// Text has the digits that it had, and not those of the double beside it.
#[test]
fn digits_of_text_come_back_as_they_were() {
    let text =
        "v 500000.12 5400000.3 0.1\nv 500001.7 5400000 0.25\nv 500000 5400001.123 7\nf 1 2 3\n";
    let read = read_as("a.obj", text.as_bytes()).unwrap();
    assert_eq!(read.warnings, Vec::<String>::new());
    let (bytes, _) = written("a.obj", Encoding::Ascii, &read.mesh);
    assert_eq!(String::from_utf8(bytes).unwrap(), text);
}

/// Coordinates that 32-bit floats hold stay as they are, wherever they lie.
#[test]
fn floats_far_away_stay_floats() {
    let (mesh, _) = moved(DVec3::ZERO, 1.0);
    let mut mesh = mesh;
    mesh.positions
        .iter_mut()
        .for_each(|p| *p += Vec3::new(5e5, 5.4e6, 0.0));
    // Digits that a frame far away does not hold, beside an axis on which text has fewer digits than the float.
    mesh.positions[0].x = f32::from_bits(2);
    mesh.positions[1].z = 0.707_106_77;
    for (name, encoding) in forms() {
        let (bytes, report) = written(name, encoding, &mesh);
        let warnings = report.warnings.iter().filter(|w| w.contains("rounded"));
        assert_eq!(warnings.count(), 0, "{name}");
        let back = read_as(name, &bytes).unwrap();
        if name == "a.ply" && encoding == Encoding::Binary {
            assert!(back.mesh.placement.is_world());
            assert_same_shape(&mesh, &back.mesh);
        }
        // Text that a 32-bit float printed may lie beside it, and is kept as it is.
        let floats = |m: &TriMesh| -> Vec<[f32; 3]> {
            let corners = m.faces.iter().flatten();
            corners
                .map(|&v| m.world(v as usize).as_vec3().to_array())
                .collect()
        };
        assert_eq!(floats(&back.mesh), floats(&mesh), "{name}");
    }
}

#[test]
fn stl_says_what_it_loses_and_refuses_what_it_cannot_hold() {
    let (mesh, places) = moved(DVec3::new(5e5, 5.4e6, 0.0), 1.0);
    let mesh = read_as("a.obj", obj(&places, &mesh.faces).as_bytes())
        .unwrap()
        .mesh;
    let (bytes, report) = written("a.stl", Encoding::Binary, &mesh);
    assert!(
        report.warnings[0].contains("rounded, by 2.4e-1 at most"),
        "{:?}",
        report.warnings
    );
    read_as("a.stl", &bytes).unwrap();
    let large = read_as("a.obj", b"v 1e39 0 0\nv 0 1e39 0\nv 0 0 1e39\nf 1 2 3\n")
        .unwrap()
        .mesh;
    let refused = write_bytes(Path::new("a.stl"), &large, &WriteOptions::default());
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("beyond 32-bit floats")
    );
}

/// Corners of STL as text are one vertex where their digits agree, not where a float far away has no more of them.
#[test]
fn stl_far_away_is_welded_by_its_digits() {
    let facet = |x: [f64; 3]| {
        let corner = |x: f64| format!("vertex {} 5400000 {}\n", 500_000.0 + x, x);
        let corners: String = x.into_iter().map(corner).collect();
        format!("facet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\n")
    };
    let text = format!(
        "solid\n{}{}",
        facet([0.001, 0.002, 0.004]),
        facet([0.002, 0.001, 0.007])
    );
    let read = read_as("a.stl", text.as_bytes()).unwrap();
    assert_eq!((read.mesh.vertex_count(), read.mesh.face_count()), (4, 2));
    assert_eq!(
        read.warnings,
        ["a solid ends without 'endsolid': the file may be cut off"]
    );
}

#[test]
fn a_placement_that_is_none_is_refused() {
    let mut mesh = generate::fan(3).unwrap();
    for (scale, origin) in [
        (3.0, 0.0),
        (0.0, 0.0),
        (f64::NAN, 0.0),
        (1.0, f64::INFINITY),
    ] {
        mesh.placement = Placement {
            origin: DVec3::splat(origin),
            scale,
        };
        assert!(mesh.validate().is_err(), "{scale} {origin}");
    }
}

#[test]
fn colours_of_whole_numbers_or_fractions_of_255_are_bytes() {
    let vertex = |c: &str| format!("v 0 0 0 {c}\nv 1 0 0 0 0 0\nv 0 1 0 1 1 1\nf 1 2 3\n");
    let colours = |c: &str| {
        let mesh = read_as("a.obj", vertex(c).as_bytes()).unwrap().mesh;
        mesh.extras.columns[0].data.clone()
    };
    let bytes = |first: [u8; 3], one: u8| {
        let rest = [0, 0, 0, one, one, one];
        ColumnData::U8(first.into_iter().chain(rest).collect())
    };
    assert_eq!(colours("0.501961 0.2 0.003922"), bytes([128, 51, 1], 255));
    assert_eq!(colours("128 51 1"), bytes([128, 51, 1], 1));
    for kept in ["0.5 0.2 0.1", "128.5 1 1", "-1 0 0", "300 0 0"] {
        assert!(matches!(colours(kept), ColumnData::F32(_)), "{kept}");
    }
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty \
        float red\nproperty float green\nproperty float blue\nend_header\n0 0 0 0.2 0.4 1\n";
    let mesh = read_as("a.ply", ply.as_bytes()).unwrap().mesh;
    assert_eq!(
        mesh.extras.columns[0].data,
        ColumnData::U8(vec![51, 102, 255])
    );
}

#[test]
fn stray_lines_of_a_ply_header_are_passed_over_when_the_rows_fit() {
    let header = |stray: &str| {
        format!(
            "ply\nformat binary_little_endian 1.0\n{stray}element vertex 1\nproperty float x\nproperty float y\n\
             property float z\nend_header\n"
        )
    };
    let file = |stray: &str, rows: usize| [header(stray).as_bytes(), &vec![0; 12 * rows]].concat();
    for stray in ["made by a scanner\n", "\n", "TextureFile a.png\nmore\n"] {
        let read = read_as("a.ply", &file(stray, 1)).unwrap();
        assert_eq!(read.mesh.vertex_count(), 1);
        assert_eq!(read.warnings.len(), 1, "{:?}", read.warnings);
        assert!(
            read.warnings[0].starts_with("line 3: "),
            "{:?}",
            read.warnings
        );
    }
    // One that may have been a declaration, or after which more comes than declared, is none to pass over.
    for (stray, rows) in [
        ("propert float w\n", 1),
        ("elemnt face 3\n", 1),
        ("something\n", 2),
    ] {
        assert!(read_as("a.ply", &file(stray, rows)).is_err(), "{stray}");
    }
}
