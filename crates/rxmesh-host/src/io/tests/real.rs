//! Real files, named by an environment variable because they are not ours to ship.

use super::*;
use crate::mesh::check;

/// Every mesh below the folders, `.xz` left out.
fn files() -> Option<Vec<PathBuf>> {
    let Some(root) = std::env::var_os("RXMESH_DATA") else {
        eprintln!("SKIPPED: RXMESH_DATA does not name a folder of meshes");
        return None;
    };
    let mut all = Vec::new();
    for folder in ["bundled", "surface", "nasty", "quad"] {
        let Ok(entries) = std::fs::read_dir(Path::new(&root).join(folder)) else { continue };
        all.extend(entries.flatten().map(|e| e.path()).filter(|p| Format::of_name(p).is_some()));
    }
    all.sort();
    Some(all)
}

#[test]
fn every_file_is_read_or_refused_with_its_name() {
    for path in files().unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match read(&path, &ReadOptions { triangulate: true, format: None }) {
            Ok(l) => {
                let c = check(&l.mesh);
                println!(
                    "{name}: V {} E {} F {} chi {} comps {}/{} loops {} nme {} nmv {} incons {} orientable {} degen {} zero {} dupf {} isov {} isof {} dupv {} val {:?} closed {} manifold {}\n    {:?} {:?}",
                    c.vertices, c.edges, c.faces, c.euler_characteristic, c.face_components, c.vertex_components, c.boundary_loops,
                    c.non_manifold_edges.count, c.non_manifold_vertices.count, c.inconsistent_edges.count, c.orientable,
                    c.degenerate_faces.count, c.zero_area_faces.count, c.duplicate_faces.count, c.isolated_vertices.count,
                    c.isolated_faces.count, c.duplicate_vertices.count, c.max_valence, c.closed, c.manifold, l.warnings,
                    l.mesh.extras.columns.iter().map(|c| (&c.name, c.width)).collect::<Vec<_>>()
                );
            }
            Err(e) => {
                println!("{name}: ERROR {e}");
                assert!(e.to_string().contains(&name), "{e}");
            }
        }
    }
}
