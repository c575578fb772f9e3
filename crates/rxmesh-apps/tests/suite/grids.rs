//! `sdf`: grids of distances and their files.

use crate::support::{Sandbox, TRIANGLE, bunny};
use rxmesh_host::grid::{self, GridReadOptions, LoadedGrid};
use std::fs;
use std::io::Write;
use std::process::Stdio;

fn read(b: &Sandbox, name: &str) -> LoadedGrid {
    grid::read(&b.path().join(name), &GridReadOptions::default()).unwrap()
}

#[test]
fn every_format_has_the_same_values() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 4 -o ball.obj -q");
    let said = b.ok("sdf ball.obj --resolution 16 --engine cpu");
    assert!(
        said.contains("grid: 23 x 23 x 23 points, cells of 0.125"),
        "{said}"
    );
    assert!(
        said.contains("points inside") && said.contains("wrote ball_sdf.vti (VTI, "),
        "{said}"
    );
    let LoadedGrid { grid, .. } = read(&b, "ball_sdf.vti");
    assert_eq!(grid.counts, [23; 3]);
    let values = grid.scalar(Some("distance")).unwrap();
    for z in 0..23 {
        let point = [11, 3, z];
        let exact = grid.place(point).length() - 1.0;
        let d = values.data.get(grid.row(point).unwrap());
        assert!((d - exact).abs() < 0.01, "{z}: {d}, not {exact}");
    }
    for name in [
        "a.npy",
        "a.nrrd",
        "a.vti.gz",
        "b.vti --ascii",
        "b.nrrd --ascii",
    ] {
        let r = b.record(&format!(
            "sdf ball.obj --resolution 16 --engine cpu -o {name}"
        ));
        let other = read(&b, name.split(' ').next().unwrap());
        assert_eq!(other.grid.scalar(None).unwrap().data, values.data, "{name}");
        assert_eq!(r["output"]["format"], other.format.to_string());
        assert_eq!(r["output"]["vertices"], 23 * 23 * 23);
        if other.format.holds_places() {
            assert_eq!(
                (other.grid.origin, other.grid.spacing),
                (grid.origin, grid.spacing)
            );
        }
        // NPY holds no places, so the record has them.
        let origin = grid.origin.to_array();
        for (axis, x) in origin.into_iter().enumerate() {
            assert_eq!(r["origin"][axis].as_f64(), Some(x));
        }
        assert_eq!(r["cell"], 0.125);
        assert_eq!(r["counts"][0], 23);
        assert_eq!(r["boundary_edges"], 0);
    }
}

#[test]
fn options_of_grids() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    let r = b
        .record("sdf one.obj --cell 0.25 --margin 0.5 --unsigned --band 0.3 -o a.npy --engine cpu");
    assert_eq!(r["counts"], serde_json::json!([9, 9, 5]));
    assert_eq!(r["origin"], serde_json::json!([-0.5, -0.5, -0.5]));
    assert!(r["inside"].is_null() && r["least"] == 0.0);
    let values = read(&b, "a.npy").grid;
    let values = values.scalar(None).unwrap();
    let greatest = (0..values.data.len())
        .map(|i| values.data.get(i))
        .fold(0.0, f64::max);
    assert!((greatest - 0.3).abs() < 1e-6, "{greatest}");
    let said = b.ok("sdf one.obj --resolution 4 -o b.vti --engine cpu");
    assert!(
        said.contains("the surface is open (3 boundary edges)"),
        "{said}"
    );
}

#[test]
fn far_and_large_meshes_keep_their_units() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o ball.obj -q");
    b.ok("transform ball.obj --scale 1000 --translate 5000000,0,0 -o far.obj -q");
    let one = b.record("sdf ball.obj --resolution 8 -o one.vti --engine cpu");
    let far = b.record("sdf far.obj --resolution 8 -o far.vti --engine cpu");
    assert_eq!(one["counts"], far["counts"]);
    assert_eq!(far["cell"], 250.0);
    let x = far["origin"][0].as_f64().unwrap();
    assert!((x - (5e6 - 1750.0)).abs() < 1.0, "{x}");
    let (one, far) = (read(&b, "one.vti").grid, read(&b, "far.vti").grid);
    let (d, e) = (&one.columns[0].data, &far.columns[0].data);
    for i in 0..d.len() {
        assert!((d.get(i) * 1000.0 - e.get(i)).abs() < 1.0, "{i}");
    }
}

#[test]
fn wrong_outputs_are_refused_before_the_work() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    for (args, want) in [
        (
            "-o a.ply",
            "a.ply: the format cannot be told from the name; formats of grids are vti, npy and nrrd",
        ),
        ("-o a.nhdr", "write .nrrd"),
        ("-o a.npy --ascii", "a.npy: NPY has no text"),
        ("-o no/a.vti", "cannot be written"),
        (
            "-o a.vti --json a.vti",
            "grid and record cannot be the same file",
        ),
        ("--resolution 0", "must be from 1 to 4096"),
        ("--cell 0.000001", "too large"),
    ] {
        let args = format!("sdf bunny.obj {args}");
        let before = b.names();
        let out = b.run(&args);
        let message = String::from_utf8(out.stderr).unwrap();
        assert!(
            !out.status.success() && message.contains(want),
            "{args}: {message}"
        );
        assert_eq!(b.names(), before, "{args} left something behind");
    }
}

#[test]
fn streams_hold_images() {
    let b = Sandbox::new();
    let mut child = b
        .command("sdf - --resolution 4 --engine cpu -q")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(TRIANGLE.as_bytes())
        .unwrap();
    let out = child.wait_with_output().unwrap();
    fs::write(b.path().join("a.vti"), out.stdout).unwrap();
    assert_eq!(read(&b, "a.vti").grid.counts, [11, 11, 7]);
}
