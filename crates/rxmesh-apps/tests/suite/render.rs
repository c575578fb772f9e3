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
