//! `isosurface`: surfaces of grids, and the way from a mesh to a grid and back.

use crate::support::{Sandbox, TRIANGLE};
use std::fmt::Write;

/// A grid of VTK with the values `x + y + z` and a second column.
fn image() -> String {
    let (mut sums, mut squares) = (String::new(), String::new());
    for i in 0..27 {
        let [x, y, z] = [i % 3, i / 3 % 3, i / 9];
        let _ = write!(sums, "{} ", x + y + z);
        let _ = write!(squares, "{} ", x * x);
    }
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"0.1\">\n\
         <ImageData WholeExtent=\"0 2 0 2 0 2\" Origin=\"10 20 30\" Spacing=\"1 2 4\">\n\
         <Piece Extent=\"0 2 0 2 0 2\"><PointData>\n\
         <DataArray type=\"Float32\" Name=\"sum\" format=\"ascii\">{sums}</DataArray>\n\
         <DataArray type=\"Float64\" Name=\"square\" format=\"ascii\">{squares}</DataArray>\n\
         </PointData></Piece></ImageData></VTKFile>\n"
    )
}

#[test]
fn from_a_mesh_to_a_grid_and_back() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 4 -o ball.obj -q");
    for name in ["ball.vti", "ball.nrrd", "ball.npy"] {
        let sdf = b.record(&format!(
            "sdf ball.obj --resolution 24 --engine cpu -o {name}"
        ));
        let mut command = format!("isosurface {name} --engine cpu -o again.obj");
        if name == "ball.npy" {
            let place: Vec<String> = (0..3).map(|k| sdf["origin"][k].to_string()).collect();
            let _ = write!(
                command,
                " --origin {} --spacing {}",
                place.join(","),
                sdf["cell"]
            );
        }
        let r = b.record(&command);
        assert_eq!(r["result_faces"], r["output"]["faces"]);
        assert_eq!(r["missing"], 0);
        let check = &b.record("check again.obj")["check"];
        assert!(
            check["closed"] == true && check["manifold"] == true,
            "{name}"
        );
        let apart = &b.record("distance again.obj ball.obj --engine cpu")["distance"];
        let diagonal = apart["diagonal"].as_f64().unwrap();
        for way in ["forward", "backward"] {
            let most = apart[way]["surface"]["max"].as_f64().unwrap();
            assert!(most < 0.002 * diagonal, "{name}, {way}: {most}");
        }
    }
}

#[test]
fn columns_places_and_borders() {
    let b = Sandbox::new();
    b.put("image.vti", image());
    let said = b.ok("isosurface image.vti --level 3 --open --engine cpu -o plane.ply --ascii");
    assert!(
        said.contains("grid of 3 x 3 x 3 points, 'sum' from 0 to 6"),
        "{said}"
    );
    assert!(said.contains("surface at 3: "), "{said}");
    let text = b.text("plane.ply");
    assert!(text.contains("property double square"), "{text}");
    let body = text.split("end_header\n").nth(1).unwrap();
    let mut seen = 0;
    for line in body.lines() {
        let numbers: Vec<f64> = line.split(' ').map(|w| w.parse().unwrap()).collect();
        if let [x, y, z, square] = numbers[..]
            && numbers[0] >= 10.0
        {
            seen += 1;
            let [x, y, z] = [x - 10.0, (y - 20.0) / 2.0, (z - 30.0) / 4.0];
            assert!((x + y + z - 3.0).abs() < 0.01, "{line}");
            let between = if x < 1.0 { x } else { 3.0 * x - 2.0 };
            assert!((square - between).abs() < 0.01, "{line}");
        }
    }
    assert!(seen > 5);
    assert_eq!(b.record("check plane.ply")["check"]["closed"], false);
    // The other column, from above, closed.
    let r = b.record(
        "isosurface image.vti --values square --level 2 --inside above -o a.ply --engine cpu",
    );
    assert_eq!(r["name"], "square");
    assert_eq!(b.record("check a.ply")["check"]["closed"], true);
}

#[test]
fn what_is_no_grid_or_has_no_surface_is_refused() {
    let b = Sandbox::new();
    b.put("image.vti", image());
    b.put("one.obj", TRIANGLE);
    for (args, want) in [
        ("isosurface one.obj", "one.obj: "),
        ("isosurface none.vti", "none.vti: there is no such file"),
        (
            "isosurface image.vti --level 9 --inside above",
            "there is no surface at the level 9: values of 'sum' are from 0 to 6",
        ),
        ("isosurface image.vti --level nan", "the level is NaN"),
        ("isosurface image.vti --values weight", "'weight'"),
        (
            "isosurface image.vti --level 1 --spacing 1,2",
            "one number, or three",
        ),
        (
            "isosurface image.vti --level 1 --spacing 0",
            "greater than zero",
        ),
        (
            "isosurface image.vti --level 1 --origin 1,2",
            "three numbers",
        ),
    ] {
        let before = b.names();
        let out = b.run(args);
        let message = String::from_utf8(out.stderr).unwrap();
        assert!(
            !out.status.success() && message.contains(want),
            "{args}: {message}"
        );
        assert_eq!(b.names(), before, "{args} left something behind");
    }
}
