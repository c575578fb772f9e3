mod materials;

use super::columns::{COLORS, VALUE_STEPS};
use super::*;
use crate::color::{Encoder, Rgb, label_color};
use miniz_oxide::inflate::decompress_to_vec_zlib;
use rxmesh_host::generate;
use rxmesh_host::mesh::{COLOR, Column, ColumnData, ElementKind};
use serde_json::Value;

/// Returns the description of a page, and its arrays.
fn parts(page: &str) -> (Value, Vec<u8>) {
    let element = |id: &str| {
        let (_, rest) = page.split_once(&format!("id=\"{id}\"")).unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        rest.split_once("</script>").unwrap().0
    };
    let (packed, _) = base64::decode(element("data").as_bytes(), usize::MAX).unwrap();
    let head = serde_json::from_str(element("head")).unwrap();
    (head, decompress_to_vec_zlib(&packed).unwrap())
}

fn read(arrays: &[u8], place: &Value) -> Vec<u32> {
    pack::read(arrays, serde_json::from_value(place.clone()).unwrap())
}

fn words<T>(result: Result<T, PictureError>) -> String {
    result
        .err()
        .map_or_else(|| "no error".to_owned(), |e| e.to_string())
}

/// Returns the positions of a mesh on a page.
fn positions(arrays: &[u8], mesh: &Value, frame: usize) -> Vec<DVec3> {
    let corner = |name: &str| -> [f64; 3] { serde_json::from_value(mesh[name].clone()).unwrap() };
    let (low, high) = (corner("low"), corner("high"));
    let whole = read(arrays, &mesh["positions"][frame]);
    let place = |p: &[u32; 3]| {
        DVec3::from_array(
            [0, 1, 2].map(|k| low[k] + (high[k] - low[k]) * f64::from(p[k]) / COORDINATE_STEPS),
        )
    };
    whole.as_chunks::<3>().0.iter().map(place).collect()
}

#[test]
fn meshes_come_back() {
    let mut mesh = generate::torus(40, 30, 2.0, 0.5).unwrap();
    mesh.positions.push(Vec3::splat(1e6)); // a vertex of no face
    let count = mesh.vertex_count();
    let mut heights: Vec<f32> = mesh.positions.iter().map(|p| p.z).collect();
    heights[7] = f32::NAN;
    heights[count - 1] = 0.0;
    mesh.add_vertex_column("height", heights.clone()).unwrap();
    let frame: Vec<Vec3> = mesh.positions.iter().map(|p| *p * 2.0).collect();
    let frames = [frame];
    let one = PageMesh {
        frames: &frames,
        ..PageMesh::new("a</script>b", &mesh)
    };
    let options = PictureOptions::default().with(|o| o.paint = Paint::Column("height".into()));
    let page = render_page("<torus> & co", &[one], &options).unwrap().html;
    assert!(page.contains("<title>&lt;torus> &amp; co</title>"));
    let (head, arrays) = parts(&page);
    let shown = &head["meshes"][0];
    assert_eq!(shown["name"], "a</script>b");
    assert_eq!(shown["triangles"], mesh.face_count());
    assert_eq!(read(&arrays, &shown["faces"]), mesh.faces.as_flattened());
    // All frames together fill the unit ball, and 16 bits are exact to its diameter over 65535.
    let used = &mesh.positions[..count - 1];
    let most = used.iter().copied().fold(Vec3::ZERO, Vec3::max);
    let radius = 2.0 * most.as_dvec3().length();
    for (frame, scale) in [(0, 1.0), (1, 2.0)] {
        let found = positions(&arrays, shown, frame);
        for (p, q) in mesh.positions.iter().zip(found).take(count - 1) {
            let off = (p.as_dvec3() * scale / radius - q).length();
            assert!(off < 2.0 / COORDINATE_STEPS, "{p}: {off}");
        }
    }
    let column = &shown["columns"][0];
    assert_eq!(
        (&column["name"], &column["map"]),
        (&head["column"], &"coolwarm".into())
    );
    let [low, high] = ["low", "high"].map(|end| column[end].as_f64().unwrap());
    let values = read(&arrays, &column["values"]);
    assert_eq!(values[7], 65_535);
    for (v, value) in values.iter().enumerate().filter(|(v, _)| *v != 7) {
        let back = low + (high - low) * f64::from(*value) / VALUE_STEPS;
        let off = (back - f64::from(heights[v])).abs();
        assert!(off <= (high - low) / VALUE_STEPS, "{v}: {off}");
    }
}

#[test]
fn labels_lie_on_the_entries_of_their_map() {
    let mesh = generate::icosphere(1).unwrap();
    let labels: Vec<u32> = (0..mesh.face_count() as u32).map(|f| f * f).collect();
    let one = PageMesh {
        labels: Some(&labels),
        ..PageMesh::new("sphere", &mesh)
    };
    let options = PictureOptions::default().with(|o| o.paint = Paint::Labels);
    let (head, arrays) = parts(&render_page("", &[one], &options).unwrap().html);
    let column = &head["meshes"][0]["columns"][0];
    assert_eq!(
        (&head["column"], &column["map"]),
        (&"labels".into(), &"labels".into())
    );
    let (table, _) =
        base64::decode(head["maps"]["labels"].as_str().unwrap().as_bytes(), 768).unwrap();
    for (value, label) in read(&arrays, &column["values"]).into_iter().zip(labels) {
        // As the viewer looks it up: the texel at a share of the map.
        let share = f64::from(value) / VALUE_STEPS;
        let texel = ((share * COLORS as f64) as usize).min(COLORS - 1);
        let encoder = Encoder::new();
        let want = label_color(label).map(|light| encoder.encode(light));
        assert_eq!(table[3 * texel..3 * texel + 3], want);
    }
}

#[test]
fn colors_of_the_mesh_are_shown_first() {
    let mut mesh = generate::icosphere(1).unwrap();
    let bytes: Vec<u8> = (0..3 * mesh.vertex_count())
        .map(|i| (i * 7) as u8)
        .collect();
    mesh.add_column(Column {
        name: COLOR.into(),
        element: ElementKind::Vertex,
        width: 3,
        data: ColumnData::U8(bytes.clone()),
    })
    .unwrap();
    let one = [PageMesh::new("s", &mesh)];
    let (head, arrays) = parts(
        &render_page("", &one, &PictureOptions::default())
            .unwrap()
            .html,
    );
    let column = &head["meshes"][0]["columns"][0];
    assert_eq!(
        (&head["column"], &column["map"]),
        (&COLOR.into(), &RGB.into())
    );
    assert_eq!(head["maps"], serde_json::json!({}));
    let values = read(&arrays, &column["values"]);
    assert_eq!(values, bytes.into_iter().map(u32::from).collect::<Vec<_>>());
}

#[test]
fn points_polygons_and_odd_meshes_are_shown_or_refused() {
    let options = PictureOptions::default();
    let sphere = generate::icosphere(1).unwrap();
    let points = TriMesh::new(sphere.positions.clone(), Vec::new()).unwrap();
    let (head, _) = parts(
        &render_page("", &[PageMesh::new("p", &points)], &options)
            .unwrap()
            .html,
    );
    assert!(head["meshes"][0]["triangles"].as_u64().unwrap() > 0);
    let edges = EdgeTable::new(&sphere.faces[..5], sphere.vertex_count());
    let one = PageMesh {
        polygon_edges: Some(&edges),
        ..PageMesh::new("s", &sphere)
    };
    let (head, arrays) = parts(&render_page("", &[one], &options).unwrap().html);
    let lines = read(&arrays, &head["meshes"][0]["lines"]);
    assert_eq!(lines, edges.edges.as_flattened());

    let flat = TriMesh::new(vec![Vec3::ONE; 3], vec![[0, 1, 2]]).unwrap();
    let (head, arrays) = parts(
        &render_page("", &[PageMesh::new("f", &flat)], &options)
            .unwrap()
            .html,
    );
    assert_eq!(positions(&arrays, &head["meshes"][0], 0), [DVec3::ZERO; 3]);

    assert!(words(render_page("", &[], &options)).contains("no vertices"));
    let empty = TriMesh::default();
    let both = [PageMesh::new("e", &empty), PageMesh::new("s", &sphere)];
    render_page("", &both, &options).unwrap();
    let short = [vec![Vec3::ZERO; 3]];
    let one = PageMesh {
        frames: &short,
        ..PageMesh::new("s", &sphere)
    };
    assert!(words(render_page("", &[one], &options)).contains("frame 1 of s has 3 vertices"));
    let wrong = [vec![Vec3::NAN; sphere.vertex_count()]];
    let one = PageMesh {
        frames: &wrong,
        ..one
    };
    assert!(words(render_page("", &[one], &options)).contains("vertex 0 of frame 1 of s"));
    let refused = |paint| {
        let options = PictureOptions::default().with(|o| o.paint = paint);
        words(render_page("", &[PageMesh::new("s", &sphere)], &options))
    };
    assert!(refused(Paint::Column("heat".into())).contains("'heat'"));
    assert!(refused(Paint::Labels).contains("0 labels for 80 faces"));
    for paint in [Paint::Checker, Paint::Texture("none.png".into())] {
        assert!(refused(paint).contains("no texture coordinates"));
    }
    assert_eq!(refused(Paint::Plain(Rgb([1, 2, 3]))), "no error");
}

/// Every page has the viewer in it.
#[test]
fn the_viewer_is_small() {
    assert!(VIEWER.len() <= 22_500, "{} bytes", VIEWER.len());
    for text in ["{{title}}", "{{head}}", "{{data}}", "#version 300 es"] {
        assert!(VIEWER.contains(text), "{text}");
    }
}
