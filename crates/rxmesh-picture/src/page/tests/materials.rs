use super::*;
use crate::Picture;
use crate::page::materials::{CHECKER, MATERIALS};
use rxmesh_host::io::{self, ReadOptions};
use std::fs;
use std::path::Path;

/// Three squares in a row: the left one has the material `first`; the right one has no texture coordinates.
const SQUARES: &str = "mtllib m.mtl
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nv 3 0 0\nv 3 1 0
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt -2.5 0.25
usemtl first\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4
usemtl second\nf 2/1 5/2 6/3\nf 2/5 6/3 3/4
f 5 7 8\nf 5 8 6\n";

fn read(path: &Path) -> TriMesh {
    io::read(path, &ReadOptions::default()).unwrap().mesh
}

/// Returns an image of one colour.
fn image(color: [u8; 4]) -> Vec<u8> {
    Picture {
        width: 2,
        height: 1,
        pixels: vec![color; 2],
    }
    .to_png()
}

/// Returns coordinates as the viewer reads them.
fn coordinates(arrays: &[u8], place: &Value) -> Vec<[f64; 2]> {
    let whole = read_array(arrays, place).into_iter();
    let all: Vec<f64> = whole.map(|x| f64::from(x as i32) / 65_536.0).collect();
    all.as_chunks::<2>().0.to_vec()
}

fn read_array(arrays: &[u8], place: &Value) -> Vec<u32> {
    super::read(arrays, place)
}

#[test]
fn materials_and_their_images_are_shown_first() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let library = "newmtl first\nKd 0 1 0\nnewmtl second\nmap_Kd red.png\n";
    fs::write(at("m.mtl"), library).unwrap();
    let file = image([255, 0, 0, 255]);
    fs::write(at("red.png"), &file).unwrap();
    fs::write(at("a.obj"), SQUARES).unwrap();
    let mesh = read(&at("a.obj"));
    let both = [PageMesh::new("a", &mesh), PageMesh::new("b", &mesh)];
    let page = render_page("", &both, &PictureOptions::default()).unwrap();
    assert!(page.warnings.is_empty(), "{:?}", page.warnings);
    let (head, arrays) = parts(&page.html);
    assert_eq!(head["column"], MATERIALS);
    // The file as it is, and once.
    let images = head["images"].as_array().unwrap();
    assert_eq!(images.len(), 1);
    let (image, _) = base64::decode(images[0].as_str().unwrap().as_bytes(), usize::MAX).unwrap();
    assert_eq!(image, file);
    let column = &head["meshes"][1]["columns"][0];
    assert_eq!(
        (&column["name"], &column["of"]),
        (&MATERIALS.into(), &"face".into())
    );
    // `second` with its image, `first`, and `second` where there are no coordinates.
    let draws = column["draws"].as_array().unwrap();
    let seen: Vec<_> = draws.iter().map(|d| (&d["image"], &d["faces"])).collect();
    let [none, two] = [Value::Null, 2.into()];
    let is_green = |d: &Value| d["tone"] == serde_json::json!([0.0, 1.0, 0.0]);
    let green = draws.iter().position(is_green).unwrap();
    assert_eq!(seen[green], (&none, &two));
    let with_image = draws.iter().position(|d| d["image"] == 0).unwrap();
    assert_eq!(seen[with_image], (&0.into(), &two));
    assert_eq!(
        draws[with_image]["wrap"],
        serde_json::json!(["REPEAT", "REPEAT"])
    );
    let order = read_array(&arrays, &column["order"]);
    let faces = |draw: usize| {
        let before: u64 = draws[..draw]
            .iter()
            .map(|d| d["faces"].as_u64().unwrap())
            .sum();
        order[before as usize..][..2].to_vec()
    };
    assert_eq!((faces(green), faces(with_image)), (vec![0, 1], vec![2, 3]));
    // Coordinates count from the upper edge, and are not cut where the image is repeated.
    let corners = coordinates(&arrays, &column["values"]);
    assert_eq!(corners.len(), 3 * mesh.face_count());
    assert_eq!(
        corners[6..10],
        [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [-2.5, 0.75]]
    );
}

#[test]
fn an_image_or_checkers_cover_every_face() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.obj"), SQUARES).unwrap();
    fs::write(at("blue.png"), image([0, 0, 255, 255])).unwrap();
    let mesh = read(&at("a.obj"));
    let with = |paint| {
        let options = PictureOptions::default().with(|o| o.paint = paint);
        render_page("", &[PageMesh::new("a", &mesh)], &options)
    };
    let (head, _) = parts(&with(Paint::Texture(at("blue.png"))).unwrap().html);
    let draws = &head["meshes"][0]["columns"][0]["draws"];
    assert_eq!(
        (&draws[0]["image"], &draws[0]["faces"]),
        (&0.into(), &4.into())
    );
    assert_eq!(draws[1]["faces"], 2);
    let (head, arrays) = parts(&with(Paint::Checker).unwrap().html);
    assert_eq!(head["column"], CHECKER);
    let column = &head["meshes"][0]["columns"][0];
    assert_eq!(column["draws"][0]["faces"], mesh.face_count());
    // Sixteen fields a unit, as in pictures.
    assert_eq!(coordinates(&arrays, &column["values"])[1], [16.0, 0.0]);
    let why = words(with(Paint::Texture(at("gone.png"))));
    assert!(why.contains("gone.png"), "{why}");
}

#[test]
fn images_that_cannot_be_shown_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("m.mtl"), "newmtl second\nmap_Kd gone.png\nKd 1 0 0\n").unwrap();
    fs::write(at("a.obj"), SQUARES).unwrap();
    let mesh = read(&at("a.obj"));
    let page = render_page("", &[PageMesh::new("a", &mesh)], &PictureOptions::default()).unwrap();
    assert!(
        page.warnings[0].contains("'gone.png'"),
        "{:?}",
        page.warnings
    );
    let (head, _) = parts(&page.html);
    assert_eq!(head["images"], serde_json::json!([]));
    assert_eq!(head["column"], Value::Null);
}
