//! Bodies of any size move alike, wherever they lie.

use crate::support::{Sandbox, positions};

/// The vertices of a MEDIT file, each times `s` and then moved.
fn placed(mesh: &str, s: f64, by: [f64; 3]) -> String {
    let (head, rest) = mesh.split_once("Vertices\n").unwrap();
    let (count, rest) = rest.split_once('\n').unwrap();
    let count: usize = count.trim().parse().unwrap();
    let mut lines = rest.lines();
    let mut text = format!("{head}Vertices\n{count}\n");
    for line in lines.by_ref().take(count) {
        let mut words = line.split_whitespace();
        for offset in by {
            let x: f64 = words.next().unwrap().parse().unwrap();
            text += &format!("{} ", x * s + offset);
        }
        text += words.next().unwrap_or("0");
        text += "\n";
    }
    lines.for_each(|line| text = format!("{text}{line}\n"));
    text
}

/// Lowest height and volume of a frame of a ball, in radii.
fn measured(b: &Sandbox, frame: &str, radius: f64) -> [f64; 2] {
    let record = b.record(&format!("info {frame}"));
    let number = |key: &str| record.pointer(key).and_then(|x| x.as_f64()).unwrap();
    let low = number("/mesh/bounding_box/0/2") / radius;
    [low, number("/mesh/volume") / radius.powi(3)]
}

#[test]
fn balls_of_any_size_lie_on_the_ground() {
    let b = Sandbox::new();
    b.ok("generate ball -n 2 -o one.mesh -q");
    let one = b.text("one.mesh");
    let [_, whole] = measured(&b, "one.mesh", 1.0);
    for solver in ["implicit", "springs", "projective", "xpbd", "vbd"] {
        let mut first = None;
        for radius in [1.0, 100.0, 0.01, 1e-4] {
            b.put("ball.mesh", placed(&one, radius, [0.0; 3]));
            b.ok(&format!(
                "soft ball.mesh --solver {solver} --steps 150 --engine cpu -o end.vtu -q"
            ));
            let [low, volume] = measured(&b, "end.vtu", radius);
            let what = format!("{solver} {radius}: lowest {low}, volume {volume} of {whole}");
            assert!((low + 2.0).abs() < 0.03, "{what}");
            assert!(volume > 0.93 * whole && volume < 1.01 * whole, "{what}");
            let [l, v] = *first.get_or_insert([low, volume]);
            assert!(
                (l - low).abs() < 0.01 && (v - volume).abs() < 0.06 * v,
                "{what}"
            );
        }
    }
    b.put("ball.mesh", placed(&one, 1e-9, [0.0; 3]));
    let out = b.run("soft ball.mesh --engine cpu");
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("transform --scale"), "{said}");
    assert!(!b.path().join("ball_soft.mesh").exists());
}

#[test]
fn sheets_of_any_size_hang_alike() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 8 --ny 8 -o one.obj -q");
    let frame = |command: &str, size: f64| -> Vec<[f64; 3]> {
        b.ok(&format!("transform one.obj --scale {size} -o sheet.obj -q"));
        b.ok(command);
        let file = if command.starts_with("cloth") {
            "fr/cloth_000100.obj"
        } else {
            "out.obj"
        };
        let places = positions(&b.text(file));
        places.iter().map(|p| p.map(|x| x / size)).collect()
    };
    for command in [
        "cloth sheet.obj --steps 100 --every 100 --frames fr --engine cpu -q",
        "spring sheet.obj --pin 0 --pin 8 --steps 200 --engine cpu -q -o out.obj",
        "spring sheet.obj --pin 0 --pin 8 --method implicit --steps 200 --engine cpu -q -o out.obj",
    ] {
        let want = frame(command, 1.0);
        let lowest = want.iter().map(|p| p[2]).fold(0.0, f64::min);
        assert!(lowest < -0.05, "{command}: {lowest}");
        for size in [100.0, 0.01, 1e-4] {
            let got = frame(command, size);
            let near = |(w, g): (&[f64; 3], &[f64; 3])| (0..3).all(|k| (w[k] - g[k]).abs() < 0.02);
            assert!(want.iter().zip(&got).all(near), "{command} at {size}");
        }
    }
    // A given time step is kept.
    let record =
        b.record("spring sheet.obj --pin 0 --time-step 0.002 --steps 1 --engine cpu -o out.obj");
    assert_eq!(record["time_step"], 0.002);
    assert!(record["stiffness"].as_f64().unwrap() > 1e5);
}

#[test]
fn bodies_far_away_move_as_at_the_origin() {
    let b = Sandbox::new();
    let by = [500_000.25, 5_400_000.5, 100.125];
    b.ok("generate ball -n 2 -o near.mesh -q");
    b.put("far.mesh", placed(&b.text("near.mesh"), 1.0, by));
    b.ok("generate grid --nx 6 --ny 6 -o near.obj -q");
    b.ok(&format!(
        "transform near.obj --translate {},{},{} -o far.obj -q",
        by[0], by[1], by[2]
    ));
    for (command, frame) in [
        ("soft NAME.mesh --steps 60 --every 60", "soft_000060.vtu"),
        (
            "soft NAME.mesh --solver vbd --pin-top --steps 20 --every 20",
            "soft_000020.vtu",
        ),
        ("cloth NAME.obj --steps 40 --every 40", "cloth_000040.obj"),
    ] {
        let result = |name: &str| {
            b.ok(&format!(
                "{} --frames fr --engine cpu -q",
                command.replace("NAME", name)
            ));
            b.ok(&format!("convert fr/{frame} -o out.obj -q"));
            positions(&b.text("out.obj"))
        };
        let (want, got) = (result("near"), result("far"));
        assert_eq!(want.len(), got.len());
        for (w, g) in want.iter().zip(&got) {
            let near = (0..3).all(|k| (w[k] + by[k] - g[k]).abs() < 1e-3);
            assert!(near, "{command}: {w:?} {g:?}");
        }
    }
    // So does one whose step and contact are those of a larger body.
    b.put(
        "small.toml",
        "time = { step = 0.01, steps = 1 }\n[[body]]\nname = 'a'\nball = { divisions = 2, radius = 0.001 }\n\
        [[collider]]\nplane = { normal = [0, 0, 1] }\nat = [0, 0, -1]\n",
    );
    let out = b.run("simulate small.toml --engine cpu");
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains("a step below 4.5e-3 s") && said.contains("collider 0"),
        "{said}"
    );
    // A scene without an origin says that digits are lost.
    b.put(
        "far.mesh",
        placed(&b.text("near.mesh"), 1.0, [50_000.0, 0.0, 3.0]),
    );
    b.put(
        "far.toml",
        "time = { step = 0.001, steps = 1 }\n[[body]]\nname = 'a'\nmesh = 'far.mesh'\n",
    );
    let out = b.run("simulate far.toml --engine cpu");
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("`origin = [50000.0, 0.0, 3.0]`"), "{said}");
}
