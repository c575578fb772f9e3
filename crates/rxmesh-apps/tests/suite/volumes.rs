//! Volumes through the program.

use crate::support::{Sandbox, positions};

#[test]
fn volumes_go_through_every_format() {
    let b = Sandbox::new();
    b.ok("generate ball -n 2 --noise 0.05 --shuffle --seed 3 -o a.mesh -q");
    b.ok("convert a.mesh -o b.msh");
    b.ok("convert b.msh --format msh2 --ascii -o c.msh");
    b.ok("convert c.msh -o d.vtk");
    b.ok("convert d.vtk --ascii -o e.vtk");
    b.ok("convert e.vtk -o f.vtu");
    b.ok("convert f.vtu -o g.node");
    let r = b.record("convert g.ele -o h.mesh");
    assert_eq!(b.text("a.mesh"), b.text("h.mesh"));
    assert_eq!(r["input"]["format"], "TetGen");
    assert_eq!(
        (&r["input"]["cells"], &r["output"]["cells"]),
        (&384.into(), &384.into())
    );
    assert!(r["input"]["faces"].is_null() && r["output"]["faces"].is_null());
}

#[test]
fn a_volume_becomes_a_surface_but_not_the_other_way_round() {
    let b = Sandbox::new();
    let said = b.ok("generate box --cubes 1 2 3 --size 1 2 3 -o a.vtu");
    assert!(said.contains("24 vertices, 36 cells"), "{said}");
    let r = b.record("convert a.vtu -o a.obj");
    assert_eq!(r["output"]["faces"], 44);
    let warning = r["warnings"][0].as_str().unwrap();
    assert_eq!(
        warning,
        "a.vtu is a volume: its boundary is written, 24 of its 24 vertices"
    );
    let r = b.record("info a.obj");
    assert_eq!(
        (&r["mesh"]["closed"], &r["mesh"]["volume"]),
        (&true.into(), &6.0.into())
    );
    let r = b.record("info a.vtu");
    assert_eq!(
        (&r["mesh"]["volume"], &r["boundary"]["faces"]),
        (&6.0.into(), &44.into())
    );
    assert_eq!(r["input"]["faces"], (36 * 4 + 44) / 2);
    for (command, why) in [
        ("convert a.obj -o b.node", "this is a surface"),
        ("generate torus -o b.ele", "this is a surface"),
        ("generate box -o b.vtp", "this is a volume"),
        ("smooth a.vtu -o b.obj", "a surface is needed"),
        ("smooth a.obj -o b.node", "TetGen cannot hold surfaces"),
        (
            "distance a.obj a.obj -o b.node",
            "TetGen cannot hold distances",
        ),
        ("convert a.vtu --format tetgen -o -", "a pair of files"),
    ] {
        let out = b.run(command);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{command}: {said}");
        assert!(
            said.starts_with("error: ") && said.contains(why),
            "{command}: {said}"
        );
        assert!(!b.names().iter().any(|n| n.starts_with("b.")));
    }
}

/// A surface in a format of elements is a surface to every command: its content decides.
#[test]
fn surfaces_in_formats_of_elements() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 1 --noise 0.05 -o a.obj -q");
    let mut last = "a.obj".to_owned();
    for next in ["b.msh", "c.mesh", "d.vtk", "e.vtu", "f.vtp", "g.obj"] {
        b.ok(&format!("convert {last} -o {next} --ascii -q"));
        let r = b.record(&format!("check {next}"));
        assert_eq!(r["check"]["faces"], 80, "{next}");
        assert_eq!(r["check"]["closed"], true, "{next}");
        let r = b.record(&format!("info {next}"));
        assert_eq!(r["mesh"]["closed"], true, "{next}");
        last = next.to_owned();
    }
    assert_eq!(positions(&b.text("a.obj")), positions(&b.text("g.obj")));
    // Results go back into the format that they came in, where it holds them.
    b.ok("normals f.vtp -q");
    b.ok("curvature e.vtu -q");
    b.ok("normals c.mesh -q");
    let r = b.record("convert f_normals.vtp -o h.ply --ascii");
    assert_eq!(r["input"]["format"], "VTP");
    assert!(b.text("h.ply").contains("property float nx"));
    assert!(b.text("c_normals.mesh").contains("NormalAtVertices"));
    for (command, why) in [
        ("soft d.vtk --steps 1", "no tetrahedra, only 80 triangles"),
        ("convert a.obj -o b.pvtu", "b.vtu"),
    ] {
        let out = b.run(command);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{command}: {said}");
        assert!(said.contains(why), "{command}: {said}");
    }
    let help = String::from_utf8(b.run("--help").stdout).unwrap();
    let formats = rxmesh_host::io::Format::summary();
    let words: String = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&formats), "{help}");
}

#[test]
fn check_looks_into_volumes() {
    let b = Sandbox::new();
    b.put(
        "a.mesh",
        "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n9 9 9 0\n\
        Tetrahedra\n2\n1 2 4 3 0\n1 2 3 3 0\nEnd\n",
    );
    let r = b.record("check a.mesh");
    assert_eq!(r["check"]["degenerate_cells"]["first"][0], 1);
    assert_eq!(r["check"]["unused_vertices"]["first"][0], 4);
    assert_eq!(r["check"]["inverted_cells"]["count"], 0);
    assert_eq!(
        (&r["input"]["faces"], &r["input"]["edges"]),
        (&4.into(), &6.into())
    );
    assert!(
        r["warnings"][0]
            .as_str()
            .unwrap()
            .contains("1 of 2 tetrahedra were inverted")
    );
    let out = b.run("check a.mesh --strict");
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        said.contains("error: a.mesh: 1 degenerate cells, 1 cells of no volume, 1 unused vertices"),
        "{said}"
    );
    b.ok("generate ball -n 3 -o b.msh -q");
    b.ok("check b.msh --strict");
}
