//! Scenes through the program.

use crate::support::{Sandbox, positions};
use serde_json::Value;
use std::fs;

/// A small beam that is held at one end.
const BEAM: &str = "
[time]
step = 0.01
steps = 20
[output]
every = 10
[[body]]
name = 'beam'
box = { divisions = [6, 2, 2], size = [0.6, 0.2, 0.2] }
material = { young = 2e5 }
pins = [{ within = [[-0.01, -1, -1], [0.01, 1, 1]] }]
";

fn last(record: &Value) -> &Value {
    record["energies"].as_array().unwrap().last().unwrap()
}

#[test]
fn every_scene_of_the_examples_moves() {
    let b = Sandbox::new();
    b.put_scenes(".");
    let scenes = b.names();
    assert!(scenes.len() >= 4, "{scenes:?}");
    for scene in scenes {
        let r = b.record(&format!("simulate {scene} --steps 10 --engine cpu"));
        let (first, last) = (&r["energies"][0], last(&r));
        assert_eq!(last["step"], 10, "{scene}");
        assert!(last["kinetic"].as_f64() > Some(0.0), "{scene}: {last}");
        assert!(
            last["gravity"].as_f64() < first["gravity"].as_f64(),
            "{scene}: {last}"
        );
    }
}

#[test]
fn frames_are_files_of_each_body() {
    let b = Sandbox::new();
    b.put("beam.toml", BEAM);
    let said = b.ok("simulate beam.toml -o frames --engine cpu");
    assert!(said.contains("wrote 3 frames to frames"), "{said}");
    let frames: Vec<String> = fs::read_dir(b.path().join("frames"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    for step in ["000000", "000010", "000020"] {
        assert!(frames.contains(&format!("beam_{step}.vtu")), "{frames:?}");
    }
    // The free end is lower at the end.
    let lowest = |step: &str| {
        b.ok(&format!("convert frames/beam_{step}.vtu -o {step}.obj -q"));
        let z = positions(&b.text(&format!("{step}.obj")))
            .into_iter()
            .map(|p| p[2]);
        z.fold(f64::INFINITY, f64::min)
    };
    assert!(lowest("000020") < lowest("000000") - 1e-3);
    let r = b.record("info frames/beam_000020.vtu");
    assert_eq!(r["input"]["cells"], 6 * 6 * 2 * 2);
}

#[test]
fn a_run_goes_on_where_another_stopped() {
    let b = Sandbox::new();
    b.put("beam.toml", BEAM);
    let whole = b.record("simulate beam.toml --engine cpu --checkpoint whole.state");
    b.ok("simulate beam.toml --engine cpu --steps 10 --checkpoint half.state -q");
    let rest =
        b.record("simulate beam.toml --engine cpu --resume half.state --checkpoint end.state");
    assert_eq!(last(&whole)["total"], last(&rest)["total"]);
    let bytes = |name: &str| fs::read(b.path().join(name)).unwrap();
    assert_eq!(bytes("whole.state"), bytes("end.state"));
    let said = b.fails("simulate beam.toml --engine cpu --resume whole.state");
    assert!(said.contains("20 steps are done"), "{said}");
    // A file that is cut short, and one of another scene.
    b.put("cut.state", &bytes("half.state")[..200]);
    let said = b.fails("simulate beam.toml --engine cpu --resume cut.state");
    assert!(
        said.contains("cut.state") && said.contains("cut short"),
        "{said}"
    );
    b.put("soft.toml", BEAM.replace("2e5", "1e5"));
    let said = b.fails("simulate soft.toml --engine cpu --resume half.state");
    assert!(said.contains("another scene"), "{said}");
}

#[test]
fn bodies_come_from_files() {
    let b = Sandbox::new();
    b.ok("generate ball -n 2 -o ball.mesh -q");
    b.ok("generate grid --nx 4 --ny 4 -o sheet.obj -q");
    b.put(
        "two.toml",
        "gravity = [0, 0, -1]\ntime = { step = 0.001, steps = 5 }\n\
        [[body]]\nname = 'a'\nmesh = 'ball.mesh'\nscale = 0.1\nsolver.explicit = {}\n\
        [[body]]\nname = 'b'\nmesh = 'sheet.obj'\nat = [0, 0, 2]\nsolver.xpbd = { iterations = 2 }\n",
    );
    let said = b.ok("simulate two.toml -o out --format obj --engine cpu");
    assert!(
        said.contains("a: ") && said.contains("b: 25 vertices, 32 faces"),
        "{said}"
    );
    // A volume is no OBJ: it stays a VTU.
    assert!(b.path().join("out/a_000005.vtu").exists());
    let z = positions(&b.text("out/b_000005.obj"))
        .into_iter()
        .map(|p| p[2]);
    let fallen = 1e-6 * 15.0;
    assert!(z.into_iter().all(|z| (z - 2.0 + fallen).abs() < 1e-6));
}

#[test]
fn what_cannot_be_is_named() {
    let b = Sandbox::new();
    b.put("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    let time = "time = { step = 0.01, steps = 5 }\n";
    let body = |rest: &str| format!("{time}[[body]]\nname = 'a'\n{rest}\n");
    let cube = "box = { divisions = [1, 1, 1], size = [1, 1, 1] }";
    for (scene, place, why) in [
        ("time = 3".to_owned(), "s.toml:1:8", "invalid type"),
        (
            format!("{time}[[bodi]]"),
            "s.toml:2:3",
            "unknown field `bodi`",
        ),
        (time.to_owned(), "body", "there is no `[[body]]`"),
        (body(""), "body \"a\"", "one of `mesh`, `box`"),
        (
            body(&format!("{cube}\nball = {{ divisions = 2, radius = 1 }}")),
            "body \"a\"",
            "one of",
        ),
        (
            body(&format!("{cube}\nmaterial = {{ young = -1 }}")),
            "body \"a\"",
            "Young",
        ),
        (
            body(&format!("{cube}\nmaterial = {{ poisson = 0.5 }}")),
            "body \"a\"",
            "Poisson",
        ),
        (
            body(&format!("{cube}\npins = [{{ vertices = [8] }}]")),
            "body \"a\"",
            "pin 8 is no vertex",
        ),
        (
            body(&format!("{cube}\nsolver.vbd = {{ iterations = 0 }}")),
            "body \"a\"",
            "iteration",
        ),
        (
            body(&format!("{cube}\nsolver.magic = {{}}")),
            "s.toml:5:",
            "unknown variant `magic`",
        ),
        (
            body("sheet = { divisions = [2, 2], size = [1, 1] }"),
            "body \"a\"",
            "solver.xpbd",
        ),
        (body("mesh = 'none.msh'"), "body \"a\"", "none.msh"),
        (
            body("mesh = 'bad.obj'\nsolver.xpbd = {}"),
            "body \"a\"",
            "bad.obj",
        ),
        (body(cube).replace("0.01", "nan"), "time", "positive"),
        (body(&format!("{cube}\nscale = 0")), "body \"a\"", "scale"),
        (
            format!("{}[[collider]]\n", body(cube)),
            "collider 0",
            "one of `plane`",
        ),
        (
            format!("{}[[collider]]\nsphere = {{ radius = -1 }}\n", body(cube)),
            "collider 0",
            "radius",
        ),
        (body(cube).replace("'a'", "'../a'"), "body", "its name"),
    ] {
        b.put("s.toml", &scene);
        let said = b.fails("simulate s.toml --engine cpu");
        assert!(
            said.contains(place) && said.contains(why),
            "{scene}\n{said}"
        );
    }
    let said = b.fails("simulate none.toml");
    assert!(said.contains("none.toml"), "{said}");
}

/// The shortcuts move the bodies of the scene that they print, and write the same frames.
#[test]
fn shortcuts_are_scenes() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 6 --ny 6 -o sheet.obj -q");
    b.ok("generate ball -n 2 -o ball.msh -q");
    for (shortcut, name) in [
        ("cloth sheet.obj", "cloth"),
        ("soft ball.msh --pin-top", "soft"),
        ("soft ball.msh --solver springs", "soft"),
        ("soft ball.msh --solver projective", "soft"),
        ("soft ball.msh --solver xpbd", "soft"),
        ("soft ball.msh --solver vbd", "soft"),
    ] {
        let scene = b.ok(&format!("{shortcut} --steps 20 --print-scene"));
        b.put("scene.toml", &scene);
        let one = b.record(&format!("{shortcut} --steps 20 --engine cpu --frames one"));
        let two = b.record("simulate scene.toml --engine cpu -o two");
        assert_eq!(one["energies"], two["energies"], "{shortcut}");
        assert_eq!(one["frames"], 3, "{shortcut}");
        let (first, end) = (&one["energies"][0], last(&one));
        assert!(
            end["gravity"].as_f64() < first["gravity"].as_f64(),
            "{shortcut}: {end}"
        );
        let extension = if name == "cloth" { "obj" } else { "vtu" };
        let file = format!("{name}_000020.{extension}");
        let frame = |folder: &str| fs::read(b.path().join(folder).join(&file)).unwrap();
        assert_eq!(frame("one"), frame("two"), "{shortcut}");
    }
    for (bad, why) in [
        (
            "cloth ball.msh",
            "ball.msh: holds a volume (384 tetrahedra)",
        ),
        ("soft sheet.obj", "sheet.obj: a surface"),
        ("cloth none.obj", "none.obj"),
        ("soft none.msh", "none.msh"),
    ] {
        let said = b.fails(bad);
        assert!(said.contains(why), "{bad}: {said}");
    }
}

/// Without frames the last one is a file beside, in the format of the input; what the mesh carries stays.
#[test]
fn shortcuts_write_the_last_frame() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 6 --ny 6 -o sheet.obj -q");
    b.ok("generate ball -n 2 -o ball.msh -q");
    for (command, output, frame, format) in [
        (
            "cloth sheet.obj",
            "sheet_cloth.obj",
            "cloth_000020.obj",
            "OBJ",
        ),
        ("soft ball.msh", "ball_soft.msh", "soft_000020.vtu", "MSH"),
    ] {
        let said = b.ok(&format!("{command} --steps 20 --frames fr --engine cpu"));
        assert!(
            said.contains(&format!("wrote {output} ({format}")),
            "{said}"
        );
        assert!(said.contains("wrote 3 frames to fr"), "{said}");
        let places = |file: &str| {
            b.ok(&format!("convert {file} -o out.obj -q"));
            positions(&b.text("out.obj"))
        };
        assert_eq!(places(output), places(&format!("fr/{frame}")), "{command}");
    }
    // Columns of the input stay, and the velocity joins them where the format holds columns.
    b.ok("curvature sheet.obj -o bent.ply -q");
    let r = b.record("cloth bent.ply --steps 5 --engine cpu -o end.ply");
    assert_eq!(r["output"]["path"], "end.ply");
    assert_eq!(r["frames"], 0);
    let header = fs::read(b.path().join("end.ply")).unwrap();
    let header = String::from_utf8_lossy(&header);
    assert!(
        header.contains("mean_curvature") || header.contains("curvature"),
        "{header}"
    );
    assert!(header.contains("velocity"), "{header}");
    let said = b.fails("cloth sheet.obj --steps 5 -o end.msh2 --format tetgen");
    assert!(said.contains("cannot hold surfaces"), "{said}");
    let said = b.fails("soft ball.msh --steps 5 -o end.obj");
    assert!(
        said.contains("OBJ cannot hold volumes, which `soft` computes; VTU can"),
        "{said}"
    );
    // Nothing is written besides a scene that is printed.
    b.ok("cloth sheet.obj --print-scene -o none.obj");
    assert!(!b.path().join("none.obj").exists());
}
