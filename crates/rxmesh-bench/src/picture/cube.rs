//! The creased cube: its surface and its control mesh from two sides.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{self, ReadOptions};
use rxmesh_host::mesh::{EdgeTable, PolyMesh};
use rxmesh_subdivision::{Options, VertexOptions, refine};

use super::{View, begin};

/// Mesh, and number of its subdivisions.
const CUBE: &[u8] = include_bytes!("../../../../data/creased_cube.obj");
const LEVELS: u32 = 4;

/// Positions of the two viewers: one sees the sharp edge, the other the sharp corner.
const VIEWERS: [Vec3; 2] = [Vec3::new(3.0, 1.6, 1.9), Vec3::new(-3.0, -2.2, -1.7)];
const SIZE: f32 = 320.0;
/// Length of a unit.
const SCALE: f32 = 88.0;

pub(super) fn svg() -> Result<String> {
    let cube = io::read_poly_bytes(CUBE, Path::new("creased_cube.obj"), &ReadOptions::default())?;
    let cube = cube.mesh;
    let options = Options {
        levels: LEVELS,
        ..Options::default()
    };
    let surface = refine(&Engine::cpu(), &cube, &options, VertexOptions::default())?.mesh;
    let mut out = begin(2.0 * SIZE, SIZE);
    for (i, viewer) in VIEWERS.into_iter().enumerate() {
        let half = SIZE / 2.0;
        let view = View::new(viewer, Vec3::Z, [i as f32 * SIZE + half, half], SCALE);
        edges(&mut out, &cube, &view, false);
        faces(&mut out, &surface, &view);
        edges(&mut out, &cube, &view, true);
        corners(&mut out, &cube, &view);
    }
    out += "</svg>\n";
    Ok(out)
}

fn normal(mesh: &PolyMesh, f: usize) -> Vec3 {
    let at = |k: usize| mesh.positions[mesh.face(f)[k] as usize];
    (at(2) - at(0)).cross(at(3) - at(1)).normalize_or_zero()
}

/// Draws the quads that the viewer sees, shaded, the farthest first.
fn faces(out: &mut String, mesh: &PolyMesh, view: &View) {
    let depth = |f: usize| -> f32 {
        let corners = mesh.face(f).iter();
        corners
            .map(|&v| mesh.positions[v as usize].dot(view.toward))
            .sum()
    };
    let mut seen: Vec<usize> = (0..mesh.face_count())
        .filter(|&f| view.sees(normal(mesh, f)))
        .collect();
    seen.sort_by(|&a, &b| depth(a).total_cmp(&depth(b)));
    *out += "<g fill=\"currentColor\" stroke=\"currentColor\" stroke-width=\"0.5\">\n";
    for f in seen {
        let [r, g, b] = view.shade([205.0, 218.0, 240.0], normal(mesh, f));
        let points = mesh.face(f).iter().map(|&v| {
            let [x, y] = view.place(mesh.positions[v as usize]);
            format!("{x:.1},{y:.1}")
        });
        let points: Vec<String> = points.collect();
        let _ = writeln!(
            out,
            "<polygon color=\"#{r:02x}{g:02x}{b:02x}\" points=\"{}\"/>",
            points.join(" ")
        );
    }
    *out += "</g>\n";
}

/// Draws the edges of the control mesh by their sharpness: those in front of the surface, or those behind it.
fn edges(out: &mut String, mesh: &PolyMesh, view: &View, before: bool) {
    let table = EdgeTable::of_polygons(mesh);
    for (e, &ends) in table.edges.iter().enumerate() {
        let mut sides = table.along(e).iter().map(|&corner| corner as usize / 4);
        if sides.any(|f| view.sees(normal(mesh, f))) != before {
            continue;
        }
        let same = |s: &[u32; 2]| *s == ends || [s[1], s[0]] == ends;
        let sharp = mesh.sharp_edges.iter().rfind(|s| same(&s.ends));
        let (color, width) = match sharp.map_or(0.0, |s| s.sharpness) {
            0.0 => ("#777777", 0.7),
            PolyMesh::SHARP.. => ("#d55e00", 1.6),
            _ => ("#e69f00", 1.2),
        };
        let [[ax, ay], [bx, by]] = ends.map(|v| view.place(mesh.positions[v as usize]));
        let _ = writeln!(
            out,
            "<path d=\"M{ax:.1} {ay:.1}L{bx:.1} {by:.1}\" stroke=\"{color}\" stroke-width=\"{width}\" \
             stroke-dasharray=\"3 4\"/>"
        );
    }
}

/// Draws the sharp corners that the viewer sees.
fn corners(out: &mut String, mesh: &PolyMesh, view: &View) {
    for corner in &mesh.sharp_vertices {
        let around = (0..mesh.face_count()).filter(|&f| mesh.face(f).contains(&corner.vertex));
        if around.into_iter().any(|f| view.sees(normal(mesh, f))) {
            let [x, y] = view.place(mesh.positions[corner.vertex as usize]);
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"#d55e00\"/>"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// About half of the quads are seen from anywhere, and every line is inside the picture.
    #[test]
    fn the_picture_shows_one_side() -> Result<()> {
        let svg = svg()?;
        let quads = svg.matches("<polygon").count();
        let all = 2 * 6 * 4usize.pow(LEVELS);
        assert!((all * 2 / 5..all * 3 / 5).contains(&quads), "{quads}");
        // Each view sees the sharp edge, or has it behind the surface.
        assert_eq!(svg.matches("stroke=\"#d55e00\"").count(), 2);
        assert_eq!(svg.matches("stroke=\"#e69f00\"").count(), 8);
        for points in svg.split("points=\"").skip(1) {
            let points = points.split('"').next().unwrap_or_default();
            for number in points.split([' ', ',']) {
                assert!(
                    (0.0..=2.0 * SIZE).contains(&number.parse::<f32>()?),
                    "{number}"
                );
            }
        }
        Ok(())
    }
}
