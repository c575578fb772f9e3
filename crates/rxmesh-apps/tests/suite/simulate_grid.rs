//! `simulate` with bodies on a grid, and copies.

use crate::support::{Sandbox, positions};
use std::fs;

const SCENE: &str = "
time = { step = 0.01, steps = 6 }
output = { every = 3 }
grid = { spacing = 0.1, low = [-1, -1, 0], high = [1, 1, 1] }
[[body]]
name = 'many'
box = { divisions = [2, 2, 2], size = [0.2, 0.2, 0.2] }
at = [-0.5, 0, 0.3]
copies = { count = [3, 1, 2], spacing = [0.3, 0.0, 0.22] }
solver.mpm = { elasticity = 'corotated' }
[[body]]
name = 'one'
box = { divisions = [2, 2, 2], size = [0.2, 0.2, 0.2] }
at = [-0.5, 0.25, 0.3]
pins = [{ vertices = [0] }]
solver.mpm = {}
[[collider]]
box = { half = [0.1, 0.1, 0.1] }
";

/// Frames hold all copies, each where it was put, and fallen.
#[test]
fn copies_fall_on_a_grid() {
    let b = Sandbox::new();
    b.put("grid.toml", SCENE);
    let said = b.ok("simulate grid.toml -o frames --engine cpu");
    assert!(said.contains("many: 162 vertices, 288 cells"), "{said}");
    assert!(said.contains("one: 27 vertices, 48 cells"), "{said}");
    let at = |name: &str| {
        b.ok(&format!("convert frames/{name}.vtu -o {name}.obj -q"));
        positions(&b.text(&format!("{name}.obj")))
    };
    let (first, last) = (at("many_000000"), at("many_000006"));
    // A box's surface has 26 of its 27 vertices.
    assert_eq!(first.len(), 6 * 26);
    let high = |of: &[[f64; 3]], k: usize| of.iter().map(|p| p[k]).fold(f64::MIN, f64::max);
    assert!((high(&first, 0) - 0.3).abs() < 1e-6 && (high(&first, 2) - 0.72).abs() < 1e-6);
    let fallen = high(&first, 2) - high(&last, 2);
    assert!((0.005..0.03).contains(&fallen), "{fallen}");
    let r = b.record("info frames/many_000006.vtu");
    assert_eq!(r["input"]["cells"], 288);
}

#[test]
fn a_run_on_a_grid_goes_on() {
    let b = Sandbox::new();
    b.put("grid.toml", SCENE);
    b.ok("simulate grid.toml --engine cpu --checkpoint whole.state -q");
    b.ok("simulate grid.toml --engine cpu --steps 3 --checkpoint half.state -q");
    b.ok("simulate grid.toml --engine cpu --resume half.state --checkpoint end.state -q");
    let bytes = |name: &str| fs::read(b.path().join(name)).unwrap();
    assert!(bytes("whole.state") == bytes("end.state"), "other bits");
    b.put(
        "fine.toml",
        SCENE.replace("spacing = 0.1,", "spacing = 0.09,"),
    );
    let said = b.fails("simulate fine.toml --engine cpu --resume half.state");
    assert!(said.contains("another scene"), "{said}");
}

#[test]
fn what_no_grid_takes_is_named() {
    let b = Sandbox::new();
    for (from, to, place, says) in [
        (
            "grid = {",
            "# grid = {",
            "body \"many\"",
            "needs a section `[grid]`",
        ),
        (
            "spacing = 0.1,",
            "spacing = 1e-6,",
            "grid",
            "a larger spacing",
        ),
        ("spacing = 0.1,", "spacing = -1,", "grid", "spacing is -1"),
        ("high = [1,", "high = [-1,", "grid", "corners"),
        ("[3, 1, 2]", "[3, 0, 2]", "body \"many\"", "1 to"),
        ("[3, 1, 2]", "[4000, 4000, 4000]", "body \"many\"", "1 to"),
        (
            "[0.3, 0.0, 0.22]",
            "[nan, 0.0, 0.22]",
            "body \"many\"",
            "not finite",
        ),
        (
            "solver.mpm = { elasticity = 'corotated' }",
            "solver.vbd = {}",
            "body \"many\"",
            "`copies` move by",
        ),
        (
            "box = { divisions = [2, 2, 2], size = [0.2, 0.2, 0.2] }\nat = [-0.5, 0.25",
            "sheet = { divisions = [2, 2], size = [0.2, 0.2] }\nat = [-0.5, 0.25",
            "body \"one\"",
            "cloth moves by",
        ),
        (
            "at = [-0.5, 0,",
            "at = [-5, 0,",
            "step",
            "outside of the grid",
        ),
    ] {
        let scene = SCENE.replace(from, to);
        assert_ne!(scene, SCENE, "{from}");
        b.put("s.toml", &scene);
        let said = b.fails("simulate s.toml --engine cpu");
        assert!(said.contains(says), "{to}: {said}");
        assert!(place == "step" || said.contains(place), "{to}: {said}");
    }
    b.put("s.toml", SCENE.replace("solver.mpm", "solver.explicit"));
    let said = b.fails("simulate s.toml --engine cpu");
    assert!(said.contains("no body moves by `solver.mpm`"), "{said}");
}
