//! Unusual inputs: compressed files, byte order marks, names in any code page, pipes, other folders.

use crate::support::{Sandbox, TRIANGLE};
use std::fs;
use std::process::{Command, Stdio};

/// `TRIANGLE` and a material, whose name is of a code page.
fn named(name: &[u8]) -> Vec<u8> {
    let mut text = b"mtllib m.mtl\nusemtl ".to_vec();
    text.extend([name, b"\n", TRIANGLE.as_bytes()].concat());
    text
}

#[test]
fn names_go_through_every_command_with_their_bytes() {
    let b = Sandbox::new();
    for name in [&b"T\xfcr"[..], b"\xd5\x5c", "\u{6750}".as_bytes()] {
        b.put("a.obj", named(name));
        for command in [
            "convert a.obj -o o.obj",
            "repair a.obj -o o.obj",
            "transform a.obj --scale 2 -o o.obj",
            "smooth a.obj -o o.obj --engine cpu",
        ] {
            b.ok(&format!("{command} -q"));
            let out = fs::read(b.path().join("o.obj")).unwrap();
            let line = [b"usemtl ", name, b"\n"].concat();
            let kept = out.windows(line.len()).any(|w| w == line);
            assert!(kept, "{command}: {name:x?}");
        }
    }
}

#[test]
fn packed_files_go_in_and_out() {
    let b = Sandbox::new();
    b.put("a.obj", TRIANGLE);
    b.ok("convert a.obj -o b.ply.gz -q");
    let packed = fs::read(b.path().join("b.ply.gz")).unwrap();
    assert!(packed.starts_with(b"\x1f\x8b"));
    b.ok("repair b.ply.gz -q");
    assert!(
        b.names().contains(&"b_repair.ply".to_owned()),
        "{:?}",
        b.names()
    );
    b.ok("convert b_repair.ply -o c.obj -q");
    assert_eq!(b.text("c.obj").matches("\nf ").count(), 1);
    // On stdin, where the content decides.
    let mut command = b.command("convert - -o d.obj -q");
    command.stdin(fs::File::open(b.path().join("b.ply.gz")).unwrap());
    assert!(command.status().unwrap().success());
    assert_eq!(b.text("d.obj"), b.text("c.obj"));
    b.put("cut.obj.gz", &packed[..packed.len() - 9]);
    let why = b.fails("check cut.obj.gz");
    assert!(
        why.contains("cut.obj.gz: ") && why.contains("cut off"),
        "{why}"
    );
    // Whatever the name says.
    b.put(
        "wrong.stl",
        fs::read(b.path().join("b_repair.ply")).unwrap(),
    );
    let said = b.run("check wrong.stl").stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(
        said.contains("the name says STL, the content is PLY"),
        "{said}"
    );
}

#[test]
fn only_files_are_read() {
    let b = Sandbox::new();
    b.put("a.obj", TRIANGLE);
    let made = Command::new("mkfifo")
        .arg(b.path().join("pipe.obj"))
        .status();
    assert!(made.unwrap().success());
    fs::create_dir(b.path().join("folder.obj")).unwrap();
    for (name, why) in [
        ("pipe.obj", "it is a pipe or a device"),
        ("/dev/zero", "it is a pipe or a device"),
        ("folder.obj", "it is a folder"),
    ] {
        let said = b.fails(&format!("check {name}"));
        assert!(said.contains(why) && said.contains(name), "{said}");
        let said = b.fails(&format!("subdivide a.obj --creases {name} -o b.obj"));
        assert!(said.contains(why) && said.contains(name), "{said}");
        let said = b.fails(&format!("simulate {name}"));
        assert!(said.contains(why) && said.contains(name), "{said}");
        let time = "time = { step = 0.01, steps = 1 }\n[[body]]\nname = 'a'\n";
        let cube = "box = { divisions = [1, 1, 1], size = [1, 1, 1] }\n";
        for scene in [
            format!("{time}mesh = '{name}'\n"),
            format!("{time}{cube}[[collider]]\nmesh = '{name}'\n"),
            format!(
                "{time}{cube}[[collider]]\ngrid = {{ file = '{name}', points = [2, 2, 2], spacing = 1 }}\n"
            ),
        ] {
            b.put("scene.toml", &scene);
            let said = b.fails("simulate scene.toml --engine cpu -o out");
            assert!(said.contains(why) && said.contains(name), "{scene}: {said}");
        }
    }
    // `/dev/stdin` is stdin.
    let mut command = b.command("check /dev/stdin -q");
    command
        .stdin(fs::File::open(b.path().join("a.obj")).unwrap())
        .stdout(Stdio::null());
    assert!(command.status().unwrap().success());
}

#[test]
fn material_files_are_found_from_another_folder() {
    let b = Sandbox::new();
    b.put("a.obj", named(b"red"));
    for folder in ["sub", "other"] {
        fs::create_dir(b.path().join(folder)).unwrap();
    }
    let library = |name: &str| {
        let text = b.text(name);
        let line = text.lines().find(|l| l.starts_with("mtllib"));
        line.unwrap().to_owned()
    };
    b.ok("convert a.obj -o b.obj -q");
    assert_eq!(library("b.obj"), "mtllib m.mtl");
    for command in ["convert", "repair", "merge a.obj", "smooth --engine cpu"] {
        b.ok(&format!("{command} a.obj -o sub/a.obj -q"));
        assert_eq!(library("sub/a.obj"), "mtllib ../m.mtl", "{command}");
    }
    b.ok("convert sub/a.obj -o other/a.obj -q");
    assert_eq!(library("other/a.obj"), "mtllib ../m.mtl");
    b.ok("repair sub/a.obj -q");
    assert_eq!(library("a_repair.obj"), "mtllib m.mtl");
    b.ok("smooth a.obj b.obj -o made -q --engine cpu");
    assert_eq!(library("made/a.obj"), "mtllib ../m.mtl");
    let said = b.run("convert a.obj --format obj -o -").stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(
        said.contains("'m.mtl'") && said.contains("a stream has no folder"),
        "{said}"
    );
    let ply = "ply\nformat ascii 1.0\ncomment TextureFile skin.png\nelement vertex 3\nproperty float x\nproperty \
        float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n\
        0 1 0\n3 0 1 2\n";
    b.put("a.ply", ply);
    b.ok("convert a.ply -o sub/a.ply --ascii -q");
    assert!(
        b.text("sub/a.ply")
            .contains("\ncomment TextureFile ../skin.png\n")
    );
}

#[test]
fn an_optional_value_may_stand_behind_a_blank() {
    let b = Sandbox::new();
    b.put(
        "a.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.0001 0 0\nv 0 -1 0\nf 1 2 3\nf 4 5 2\n",
    );
    for (flag, left) in [
        ("--weld 0.1%", 4),
        ("--weld=0.1%", 4),
        ("--weld 0.001", 4),
        // Faces that touch in one vertex are parted there.
        ("--weld", 6),
    ] {
        b.ok(&format!("repair {flag} a.obj -o o.obj -q"));
        let vertices = b
            .text("o.obj")
            .lines()
            .filter(|l| l.starts_with("v "))
            .count();
        assert_eq!(vertices, left, "{flag}");
    }
}
