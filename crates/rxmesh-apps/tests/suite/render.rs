//! `render`, and `--picture` of other commands. The pictures themselves are tested by the crate that draws them.

use crate::support::{Sandbox, TRIANGLE, bunny};
use std::fs;

/// Returns width and height of a PNG file, and its colour type (2 without alpha, 6 with).
fn head(b: &Sandbox, name: &str) -> ([u32; 2], u8) {
    let bytes = fs::read(b.path().join(name)).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{name}");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    ([number(16), number(20)], bytes[25])
}

#[test]
fn render_draws_a_mesh() {
    let b = Sandbox::with_data();
    let said = b.ok("render bunny.obj -o a.png --size 320x240");
    assert!(said.contains("drew a.png (320 x 240 pixels, "), "{said}");
    assert_eq!(head(&b, "a.png"), ([320, 240], 2));
    let r = b.record("render bunny.obj -o b.png --size 320x240 --threads 3");
    assert_eq!(r["picture"]["width"], 320);
    assert_eq!(
        fs::read(b.path().join("a.png")).unwrap(),
        fs::read(b.path().join("b.png")).unwrap()
    );
    b.ok(
        "render bunny.obj -o c.png --size 320x240 --background transparent --no-shadow --view top",
    );
    assert_eq!(head(&b, "c.png"), ([320, 240], 6));
    let out = b.run("render bunny.obj -o - --size 64x48");
    assert!(out.stdout.starts_with(b"\x89PNG"));
    b.ok("render bob.ply nut.ply -o film.png --animate 12 --size 80x60");
    let film = fs::read(b.path().join("film.png")).unwrap();
    assert!(film.windows(4).any(|w| w == b"acTL") && film.windows(4).any(|w| w == b"fdAT"));
    b.ok("render bunny.obj teapot.obj -o two.png --edges --flat");
    assert_eq!(head(&b, "two.png").0, [1600, 800]);
}

#[test]
fn every_kind_of_mesh_and_flag_is_drawn() {
    let b = Sandbox::with_data();
    b.ok("generate ball --n 4 -o ball.msh");
    b.ok("sample bunny.obj --points 500 -o points.ply");
    b.ok("geodesic bunny.obj --source 0 -o far.ply");
    for (flags, name) in [
        ("ball.msh --edges", "ball"),
        ("ball.msh --edges --cut -z,0.4", "half"),
        ("bunny.obj --cut x,0.6", "open"),
        ("points.ply", "points"),
        (
            "far.ply --color distance --isolines 12 --map coolwarm --range 0,5",
            "far",
        ),
        ("ant.ply --parts --up z --zoom 2", "parts"),
        ("bunny.obj --patches", "patches"),
        (
            "creased_cube.obj --edges --creases --crease-angle 20 --color #8ac",
            "cube",
        ),
        ("teapot.obj --view -40,35.5 --background #202428", "teapot"),
    ] {
        b.ok(&format!("render {flags} -o {name}.png --size 120x90"));
        assert_eq!(head(&b, &format!("{name}.png")).0, [120, 90], "{flags}");
    }
}

#[test]
fn wrong_requests_are_refused() {
    let b = Sandbox::new();
    b.put("t.obj", TRIANGLE);
    for (flags, want) in [
        ("t.obj -o a.png --size 0x5", "0 x 5"),
        ("t.obj -o a.png --size 99999x5", "99999 x 5"),
        ("t.obj -o a.png --size 5", "1600x1200"),
        ("t.obj -o a.png --cut z", "z,0.5"),
        ("t.obj -o a.png --cut w,0.5", "z,0.5"),
        ("t.obj -o a.png --cut z,1.5", "z,0.5"),
        ("t.obj -o a.png --view side", "front, back"),
        ("t.obj -o a.png --view 0,100", "-90 to 90"),
        ("t.obj -o a.png --isolines 3", "--color"),
        ("t.obj -o a.png --parts --patches", "cannot be used with"),
        ("t.obj", "--output"),
        ("t.obj -o a.png --picture b.png", "cannot be used with"),
        ("t.obj -o a.png --difference", "cannot be used with"),
        ("t.obj --html a.html --difference", "--picture"),
        ("t.obj -o a.png --background whitish", "transparent"),
    ] {
        let said = b.misused(&format!("render {flags}"));
        assert!(said.contains(want), "{flags}: {said}");
    }
    for (args, want) in [
        ("render t.obj -o a.jpg", ".png"),
        ("render t.obj -o none/a.png", "none/a.png"),
        ("render t.obj -o a.png --color heat", "'heat'"),
        ("render t.obj -o a.png --checker", "texture coordinates"),
        ("render t.obj -o a.png --groups", "no groups"),
        ("mcf t.obj -o s.obj --picture s.jpg", ".png"),
        ("mcf t.obj -o s.obj --picture -", "name of a file"),
        ("mcf t.obj -o s.obj --html s.png", ".html"),
        ("mcf t.obj -o s.obj --html none/s.html", "none/s.html"),
        ("render t.obj --html -", "name of a file"),
        ("render t.obj --html a.html --color heat", "'heat'"),
        (
            "render t.obj --html a.html --checker",
            "texture coordinates",
        ),
        ("view t.obj --html a.txt", ".html"),
    ] {
        let said = b.fails(args);
        assert!(said.contains(want), "{args}: {said}");
    }
    b.put("empty.obj", "# nothing\n");
    let said = b.fails("render empty.obj -o a.png");
    assert!(
        said.contains("empty.obj") || said.contains("no vertices"),
        "{said}"
    );
}

#[test]
fn commands_draw_their_result() {
    let b = Sandbox::with_data();
    b.put("bunny.obj", bunny());
    let said = b.ok("geodesic bunny.obj --source 0 -o far.ply --picture far.png");
    assert!(said.contains("drew far.png (1600 x 1200 pixels"), "{said}");
    // The column is drawn as `render` draws it.
    b.ok("render far.ply --color distance -o same.png");
    assert_eq!(
        fs::read(b.path().join("far.png")).unwrap(),
        fs::read(b.path().join("same.png")).unwrap()
    );
    let r = b.record("simplify bunny.obj --faces 200 -o small.ply --picture small.png");
    assert_eq!(r["picture"]["height"], 1200);
    assert!(r["timings_ms"]["picture"].as_f64().unwrap() > 0.0);
    // A command that writes no mesh draws its input, several meshes stand beside each other.
    b.ok("info bunny.obj --picture info.png");
    fs::create_dir(b.path().join("out")).unwrap();
    b.ok("mcf bunny.obj data/teapot.obj -o out --picture both.png");
    assert_eq!(head(&b, "both.png").0, [1600, 800]);
    b.ok("generate torus --nu 12 --nv 8 -o torus.obj --picture torus.png");
    assert_eq!(head(&b, "torus.png").0, [1600, 1200]);
}

#[test]
fn results_are_drawn_beside_their_difference() {
    let b = Sandbox::with_data();
    let simplify = "simplify data/bunny.obj --faces 400 -o small.obj";
    b.ok(&format!("{simplify} --picture three.png --difference"));
    assert_eq!(head(&b, "three.png").0, [2400, 800]);
    b.ok(&format!("{simplify} --picture one.png"));
    assert_eq!(head(&b, "one.png").0, [1600, 1200]);
    // The third part is the input with its distances.
    b.ok("distance data/bunny.obj small.obj -o far.ply");
    let out = b.run("info data/bunny.obj --picture info.png --difference");
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("--difference is for commands"), "{said}");
}

/// Names of the meshes and columns of a page, and the column that is shown first.
fn shown(b: &Sandbox, page: &str) -> (Vec<String>, Vec<String>, Option<String>) {
    let page = b.text(page);
    let (_, rest) = page
        .split_once("<script id=\"head\" type=\"application/json\">")
        .unwrap();
    let (head, _) = rest.split_once("</script>").unwrap();
    let head: serde_json::Value = serde_json::from_str(head).unwrap();
    let names = |all: &serde_json::Value| -> Vec<String> {
        let all = all.as_array().unwrap().iter();
        all.map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let meshes = &head["meshes"];
    let column = head["column"].as_str().map(str::to_owned);
    (names(meshes), names(&meshes[0]["columns"]), column)
}

#[test]
fn pages_show_results_beside_their_input() {
    let b = Sandbox::with_data();
    let r = b.record("simplify data/bunny.obj --faces 400 -o small.obj --html small.html");
    assert_eq!(
        (&r["page"]["path"], &r["page"]["meshes"]),
        (&"small.html".into(), &2.into())
    );
    assert_eq!(r["page"]["bytes"], b.text("small.html").len());
    assert!(r["timings_ms"]["page"].as_f64().unwrap() > 0.0);
    let (meshes, columns, column) = shown(&b, "small.html");
    assert_eq!(meshes, ["small", "bunny (input)"]);
    assert!(columns.is_empty() && column.is_none());
    // A mesh that only gets values is there once, with the values.
    let said = b.ok("geodesic data/bunny.obj --source 0 -o far.ply --html far.html");
    assert!(said.contains("wrote far.html (HTML, "), "{said}");
    let (meshes, _, column) = shown(&b, "far.html");
    assert_eq!(
        (&meshes[..], column.as_deref()),
        (&["far".to_owned()][..], Some("distance"))
    );
    b.ok("info data/bunny.obj --html info.html");
    assert_eq!(shown(&b, "info.html").0, ["bunny"]);
    b.ok("generate torus --nu 12 --nv 8 -o torus.obj --html torus.html --picture torus.png");
    assert_eq!(shown(&b, "torus.html").0, ["torus"]);
    assert_eq!(head(&b, "torus.png").0, [1600, 1200]);
    b.ok("render data/bunny.obj data/spot.ply --parts --html two.html -o two.png");
    let (meshes, _, column) = shown(&b, "two.html");
    assert_eq!((meshes.len(), column.as_deref()), (2, Some("parts")));
    assert_eq!(head(&b, "two.png").0, [1600, 800]);
    b.ok("generate torus --nu 12 --nv 8 --noise 0.3 -o moved.obj");
    b.ok("render torus.obj moved.obj --animate 24 --html film.html");
    assert_eq!(shown(&b, "film.html").0, ["torus"]);
    let said = b.fails("render torus.obj data/bunny.obj --animate 24 --html film.html");
    assert!(said.contains("bunny has other faces than torus"), "{said}");
}

/// The system's program gets the page; without one the path is printed.
#[cfg(target_os = "linux")]
#[test]
fn view_opens_a_page() {
    use std::os::unix::fs::PermissionsExt;
    let b = Sandbox::with_data();
    let bin = b.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let view = |args: &str| {
        let mut command = b.command(args);
        command.env("PATH", &bin).env("TMPDIR", b.path());
        let out = command.output().unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap()
    };
    let said = view("view data/bunny.obj --edges --up z");
    assert!(said.contains("no program here opens it"), "{said}");
    let (_, rest) = said.split_once("wrote ").unwrap();
    let (path, _) = rest.split_once(" (HTML").unwrap();
    assert!(path.ends_with("/bunny.html"), "{path}");
    assert!(
        fs::read_to_string(path)
            .unwrap()
            .contains("\"up\":\"z\",\"edges\":true")
    );

    let program = bin.join("xdg-open");
    let script = |text: &str| {
        fs::write(&program, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    script("echo \"$1\" > opened");
    let said = view("view data/bunny.obj data/spot.ply --html page.html");
    assert!(
        said.contains("wrote page.html (HTML, ") && said.contains("; opened"),
        "{said}"
    );
    assert!(b.text("opened").trim().ends_with("/page.html"));
    assert_eq!(shown(&b, "page.html").0, ["bunny", "spot"]);
    script("exit 4");
    let said = view("view data/bunny.obj --html page.html");
    assert!(said.contains("no program here opens it"), "{said}");
}

/// Textures are drawn by `render` and by `--picture`; files that are missing are named, and the rest is drawn.
#[test]
fn textures_are_drawn() {
    let b = Sandbox::with_data();
    b.ok("render bunny.obj -o image.png --size 64x64");
    let quad = "mtllib m.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n\
        f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
    b.put("quad.obj", quad);
    b.put("m.mtl", "newmtl a\nmap_Kd image.png\n");
    let bytes = |name: &str| fs::read(b.path().join(name)).unwrap();
    b.ok("render quad.obj -o textured.png --size 80x60");
    b.ok("render quad.obj -o given.png --size 80x60 --texture image.png");
    b.ok("render quad.obj -o plain.png --size 80x60 --color #86a9d6");
    assert_eq!(bytes("textured.png"), bytes("given.png"));
    assert_ne!(bytes("textured.png"), bytes("plain.png"));
    // With the materials in it, a file of glTF needs no others.
    b.ok("convert quad.obj -o quad.glb --picture written.png");
    fs::remove_file(b.path().join("image.png")).unwrap();
    b.ok("render quad.glb -o glb.png --size 80x60");
    assert_eq!(bytes("glb.png"), bytes("textured.png"));
    let r = b.record("render quad.obj -o missing.png --size 80x60");
    let warning = r["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("image.png") && warning.contains("one colour"),
        "{warning}"
    );
    assert_eq!(bytes("missing.png"), bytes("plain.png"));
    for (flags, want) in [
        ("quad.obj -o a.png --texture image.png", "image.png"),
        ("quad.obj -o a.png --texture m.mtl", "m.mtl"),
        (
            "bunny.obj -o a.png --texture textured.png",
            "texture coordinates",
        ),
        ("quad.obj --html a.html --texture image.png", "image.png"),
    ] {
        let said = b.fails(&format!("render {flags}"));
        assert!(said.contains(want), "{flags}: {said}");
    }
    // A page has the image file, or says what is missing.
    let r = b.record("render quad.obj --html page.html --texture textured.png");
    assert!(r["page"]["bytes"].as_u64().unwrap() > bytes("textured.png").len() as u64);
    let r = b.record("smooth quad.obj -o smooth.obj --html page.html");
    let warning = r["warnings"][0].as_str().unwrap();
    assert!(warning.contains("image.png"), "{warning}");
}
