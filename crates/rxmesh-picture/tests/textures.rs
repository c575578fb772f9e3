//! Pictures of meshes with images on them: the same pixels as the files of `golden`, from OBJ and from glTF.

mod support;

use rxmesh_host::files::Links;
use rxmesh_host::io::{self, Model, ReadOptions, WriteOptions};
use rxmesh_host::mesh::{TagKind, TriMesh};
use rxmesh_picture::{
    Background, Drawable, Paint, Picture, PictureError, PictureOptions, Viewpoint, draw, render,
};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use support::{compare, decoded, small};

/// Returns an image of coloured fields with dark lines between them: red grows to the right, green upwards.
fn fields(side: u32) -> Picture {
    let pixel = |i: u32| {
        let (x, y) = (i % side, i / side);
        let cell = side / 8;
        let is_line = x % cell == 0 || y % cell == 0;
        let is_odd = (x / cell + y / cell) % 2 == 1;
        let [r, g] = [x, side - 1 - y].map(|n| (55 + 200 * n / side) as u8);
        match (is_line, is_odd) {
            (true, _) => [20, 22, 30, 255],
            (_, true) => [r, g, 90, 255],
            _ => [240, 236, 226, 255],
        }
    };
    Picture {
        width: side,
        height: side,
        pixels: (0..side * side).map(pixel).collect(),
    }
}

/// Returns an image whose columns are red, green and blue.
fn stripes() -> Picture {
    let pixels = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]];
    Picture {
        width: 3,
        height: 1,
        pixels: pixels.to_vec(),
    }
}

/// Writes a torus as OBJ: the first half of its faces has the material `first`, the others have `second`.
fn torus(path: &Path, library: &str) {
    let (around, across) = (48, 24);
    let mut text = format!("mtllib {library}\n");
    let turn = |i: usize, n: usize| std::f64::consts::TAU * i as f64 / n as f64;
    for i in 0..around {
        for k in 0..across {
            let (a, b) = (turn(i, around), turn(k, across));
            let r = 1.0 + 0.4 * b.cos();
            let [x, y, z] = [r * a.cos(), 0.4 * b.sin(), r * a.sin()];
            writeln!(text, "v {x:.6} {y:.6} {z:.6}").unwrap();
        }
    }
    for i in 0..=around {
        for k in 0..=across {
            let [u, v] = [
                4.0 * i as f64 / around as f64,
                1.0 * k as f64 / across as f64,
            ];
            writeln!(text, "vt {u:.6} {v:.6}").unwrap();
        }
    }
    for i in 0..around {
        for (at, name) in [(0, "first"), (around / 2, "second")] {
            if i == at {
                writeln!(text, "usemtl {name}").unwrap();
            }
        }
        for k in 0..across {
            let corner = |di: usize, dk: usize| {
                let v = (i + di) % around * across + (k + dk) % across + 1;
                format!("{v}/{}", (i + di) * (across + 1) + k + dk + 1)
            };
            let [a, b, c, d] = [corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)];
            writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
        }
    }
    fs::write(path, text).unwrap();
}

/// Writes a square of size 2 on the ground, whose texture coordinates go from `low` to `high`.
fn square(path: &Path, low: f64, high: f64) {
    let text = format!(
        "mtllib m.mtl\nusemtl only\nv -1 0 1\nv 1 0 1\nv 1 0 -1\nv -1 0 -1\nvt {low} {low}\nvt {high} {low}\n\
         vt {high} {high}\nvt {low} {high}\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
    );
    fs::write(path, text).unwrap();
}

fn read(path: &Path) -> TriMesh {
    io::read(path, &ReadOptions::default()).unwrap().mesh
}

/// Draws a mesh as commands do. Returns the warnings, too.
fn drawn(mesh: &TriMesh, options: &PictureOptions) -> Result<(Vec<u8>, Vec<String>), PictureError> {
    let drawable = Drawable::new(Model::from(mesh), None, "mesh".into())?;
    let picture = draw(&[drawable], &[], options, None)?;
    Ok((picture.png, picture.warnings))
}

fn above() -> PictureOptions {
    small().with(|o| {
        o.view = Viewpoint {
            azimuth: 0.0,
            elevation: 90.0,
        }
    })
}

#[test]
fn materials_are_drawn_with_their_images() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("fields.png"), fields(256).to_png()).unwrap();
    fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/halves.jpg"),
        at("halves.jpg"),
    )
    .unwrap();
    let library = "newmtl first\nmap_Kd fields.png\nnewmtl second\nmap_Kd halves.jpg\n";
    fs::write(at("m.mtl"), library).unwrap();
    torus(&at("a.obj"), "m.mtl");
    let mesh = read(&at("a.obj"));
    let options = small().with(|o| {
        (o.shadow, o.view.elevation) = (true, 40.0);
    });
    compare("textures", &render(&mesh, &options).unwrap());
    let (png, warnings) = drawn(&mesh, &options).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");

    // From a file of glTF that has the images in itself, the picture is the same.
    let links = Links::Refuse;
    let written = io::write_with(&at("a.glb"), &mesh, &WriteOptions::default(), links).unwrap();
    assert!(written.warnings.is_empty(), "{written:?}");
    for name in ["m.mtl", "fields.png", "halves.jpg"] {
        fs::remove_file(at(name)).unwrap();
    }
    let (from_glb, warnings) = drawn(&read(&at("a.glb")), &options).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    // But for coordinates that count from the other edge, and are rounded there.
    let [a, b] = [&png, &from_glb].map(|png| decoded(png).pixels);
    let differ = a.as_flattened().iter().zip(b.as_flattened());
    assert!(differ.clone().all(|(a, b)| a.abs_diff(*b) <= 2));
    assert!(differ.filter(|(a, b)| a != b).count() < 200);
}

/// Fields that are smaller than pixels have their mean colour, without patterns that are not in the image.
#[test]
fn far_fields_are_smooth() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut checkers = fields(64);
    for (i, pixel) in checkers.pixels.iter_mut().enumerate() {
        let is_odd = (i / 64 / 8 + i % 64 / 8) % 2 == 1;
        *pixel = if is_odd { [255; 4] } else { [0, 0, 0, 255] };
    }
    fs::write(at("checkers.png"), checkers.to_png()).unwrap();
    square(&at("a.obj"), 0.0, 24.0);
    let mesh = read(&at("a.obj"));
    let flat = small().with(|o| {
        o.view.elevation = 8.0;
        o.paint = Paint::Texture(at("checkers.png"));
        o.background = Background::Transparent;
    });
    let picture = render(&mesh, &flat).unwrap();
    compare("ground", &picture);
    // 192 fields along a side: four in five of them are seen in less than a pixel.
    let inside: Vec<[u8; 4]> = picture
        .pixels
        .iter()
        .copied()
        .filter(|p| p[3] == 255)
        .collect();
    assert!(inside.len() > 1000, "{}", inside.len());
    let rows = picture
        .pixels
        .chunks(200)
        .filter(|row| row.iter().filter(|p| p[3] == 255).count() > 60);
    let far: Vec<[u8; 4]> = rows
        .take(4)
        .flatten()
        .copied()
        .filter(|p| p[3] == 255)
        .collect();
    let mean = far.iter().map(|p| f64::from(p[1])).sum::<f64>() / far.len() as f64;
    let most = far
        .iter()
        .map(|p| (f64::from(p[1]) - mean).abs())
        .fold(0.0, f64::max);
    assert!(
        far.len() > 100 && most < 12.0,
        "{most} from {mean} in {} pixels",
        far.len()
    );
}

#[test]
fn images_go_on_beyond_their_borders_as_samplers_say() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("stripes.png"), stripes().to_png()).unwrap();
    fs::write(at("m.mtl"), "newmtl only\nmap_Kd stripes.png\n").unwrap();
    square(&at("a.obj"), -1.0, 2.0);
    let mesh = read(&at("a.obj"));
    io::write_with(
        &at("a.gltf"),
        &mesh,
        &WriteOptions::default(),
        Links::Refuse,
    )
    .unwrap();
    let text = fs::read_to_string(at("a.gltf")).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (wrap, want) in [
        (10497, "rgbrgbrgb"),
        (33071, "rrrrgbbbb"),
        (33648, "bgrrgbbgr"),
    ] {
        // Texels as squares, so that each stripe has its colour.
        document["samplers"] = serde_json::json!([{ "wrapS": wrap, "magFilter": 9728 }]);
        document["textures"][0]["sampler"] = 0.into();
        fs::write(at("b.gltf"), document.to_string()).unwrap();
        let picture = render(&read(&at("b.gltf")), &above()).unwrap();
        // The square is as high as the picture but for a border, and in its middle.
        let row = &picture.pixels[200 * 75..200 * 76];
        let side = row.iter().filter(|p| **p != [255; 4]).count();
        let colors = (0..9).map(|i| {
            let pixel = row[100 - side / 2 + side * (2 * i + 1) / 18];
            let channel = (0..3).max_by_key(|&k| pixel[k]).unwrap();
            ['r', 'g', 'b'][channel]
        });
        assert_eq!(colors.collect::<String>(), want, "{wrap}");
    }
}

#[test]
fn images_that_cannot_be_drawn_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let library = "newmtl first\nmap_Kd gone.png\nnewmtl second\nmap_Kd torn.png\nKd 0 1 0\n";
    fs::write(at("m.mtl"), library).unwrap();
    fs::write(at("torn.png"), &fields(64).to_png()[..300]).unwrap();
    torus(&at("a.obj"), "m.mtl");
    let mesh = read(&at("a.obj"));
    let (png, warnings) = drawn(&mesh, &small()).unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("'gone.png'") && warnings[0].contains("'first'"));
    assert!(warnings[1].contains("'torn.png'") && warnings[1].contains("'second'"));
    let mut plain = mesh.clone();
    plain.extras.materials = None;
    plain.extras.tags.retain(|tag| tag.kind != TagKind::Library);
    assert!(drawn(&plain, &small()).unwrap().0 == png);

    fs::remove_file(at("m.mtl")).unwrap();
    let (_, warnings) = drawn(&read(&at("a.obj")), &small()).unwrap();
    assert!(warnings[0].contains("'m.mtl'"), "{warnings:?}");

    let paint = |name: &str| small().with(|o| o.paint = Paint::Texture(at(name)));
    for (name, want) in [
        ("none.png", "none.png"),
        ("a.obj", "known kind"),
        ("torn.png", "torn.png"),
    ] {
        let why = drawn(&mesh, &paint(name)).err().unwrap().to_string();
        assert!(why.contains(name) && why.contains(want), "{why}");
    }
    fs::write(at("fields.png"), fields(64).to_png()).unwrap();
    plain.extras.corner_texcoords = None;
    let why = drawn(&plain, &paint("fields.png"))
        .err()
        .unwrap()
        .to_string();
    assert!(why.contains("no texture coordinates"), "{why}");
}

/// Colours of materials without images are drawn, too.
#[test]
fn materials_have_colours() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(
        at("m.mtl"),
        "newmtl first\nKd 0.8 0.05 0.05\nnewmtl second\nillum 2\n",
    )
    .unwrap();
    torus(&at("a.obj"), "m.mtl");
    let picture = render(&read(&at("a.obj")), &above()).unwrap();
    let reddish = |p: &&[u8; 4]| p[0] / 2 > p[1].max(p[2]);
    let bluish = |p: &&[u8; 4]| p[2] > p[0] && p[0] > 60;
    assert!(picture.pixels.iter().filter(reddish).count() > 1500);
    assert!(picture.pixels.iter().filter(bluish).count() > 1500);
}

#[test]
fn checkers_show_texture_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    torus(&path, "none.mtl");
    let options = small().with(|o| (o.paint, o.view.elevation) = (Paint::Checker, 40.0));
    compare("checkers", &render(&read(&path), &options).unwrap());
}
