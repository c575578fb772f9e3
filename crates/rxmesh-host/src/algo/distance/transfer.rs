//! The data of one surface for another that lies close to it: [`transfer`].

use super::closest::SurfaceTree;
use super::tree::{HostTree, mean};
use crate::Error;
use crate::engine::Engine;
use crate::mesh::{
    Column, CornerLayer, ElementKind, NO_VALUE, NORMAL, Sets, Tag, TriMesh, entry_bits, place_bits,
};
use crate::par::IntoLean;
use glam::Vec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// Makes a mesh of a surface, with the data of another one that lies close to it:
///
/// - Columns of vertices have the values at the closest point: means of the corners of the triangle there, or the value
///   of the nearest corner where means make no sense ([`Column::is_blended`]).
/// - Columns of faces, objects, groups and materials are those of the triangle that is closest to the centre of the
///   face. If there are groups, faces are put into their order; otherwise they stay as they are.
/// - Texture coordinates are those at the closest points of one chart for each face: that of the triangle that is
///   closest to its centre. Triangles whose corners have the same place and the same texture coordinates are in one
///   chart, whether they share vertices or not.
/// - Normals are left out: the surface has others. Comments and materials of the file are kept.
///
/// # Errors
///
/// As [`SurfaceTree::new`] for the triangles of the mesh, [`Error::Mesh`] for corners of the surface that do not exist.
pub fn transfer(
    engine: &Engine,
    from: &TriMesh,
    positions: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
) -> Result<TriMesh, Error> {
    let mut to = TriMesh::new(positions, faces)?;
    to.placement = from.placement;
    to.extras.comments = from.extras.comments.clone();
    to.extras.materials = from.extras.materials.clone();
    let has = |element| {
        let is_kept = move |c: &&Column| c.element == element && c.name != NORMAL;
        from.extras.columns.iter().filter(is_kept)
    };
    let layer = from.extras.corner_texcoords.as_ref();
    let of_vertices = layer.is_some() || has(ElementKind::Vertex).next().is_some();
    let has_groups = !from.extras.tags.is_empty();
    let of_faces = layer.is_some() || has_groups || has(ElementKind::Face).next().is_some();
    if !of_vertices && !of_faces {
        return Ok(to);
    }
    let tree = SurfaceTree::new(engine, &from.positions, &from.faces)?;
    let mut rows = Vec::new();
    if of_faces {
        let centre = |f: &[u32; 3]| {
            let [a, b, c] = f.map(|v| to.positions[v as usize]);
            (a + b + c) / 3.0
        };
        let centres: Vec<Vec3> = to.faces.par_iter().lean().map(centre).collect();
        rows = tree.closest(&engine.upload(&centres)?)?.triangles.read()?;
    }
    if has_groups {
        to.extras.tags = into_groups(&from.extras.tags, &mut to.faces, &mut rows);
    }
    for column in has(ElementKind::Face) {
        to.extras.columns.push(column.gather(&rows));
    }
    if of_vertices {
        let found = tree.closest(&engine.upload(&to.positions)?)?;
        let places = Places {
            triangles: found.triangles.read()?,
            parts: found.parts.read()?,
        };
        for column in has(ElementKind::Vertex) {
            let column = places.values(column, &from.faces);
            to.extras.columns.push(column);
        }
        if let Some(layer) = layer {
            let layer = texture_coordinates(from, layer, &to, &rows, &places);
            to.extras.corner_texcoords = Some(layer);
        }
    }
    Ok(to)
}

/// Puts faces into the order of the statements that hold for the triangles `rows`, and returns the statements.
fn into_groups(tags: &[Tag], faces: &mut Vec<[u32; 3]>, rows: &mut Vec<u32>) -> Vec<Tag> {
    // Number of statements up to a triangle.
    let section = |row: u32| tags.partition_point(|tag| tag.face <= row);
    let mut order: Vec<u32> = (0..faces.len() as u32).collect();
    order.sort_by_cached_key(|&f| section(rows[f as usize]));
    *faces = order.iter().map(|&f| faces[f as usize]).collect();
    *rows = order.iter().map(|&f| rows[f as usize]).collect();
    let moved = |(i, tag): (usize, &Tag)| Tag {
        face: rows.partition_point(|&row| section(row) <= i) as u32,
        ..tag.clone()
    };
    tags.iter().enumerate().map(moved).collect()
}

/// Places of a surface that are closest to vertices.
struct Places {
    triangles: Vec<u32>,
    /// Parts of the corners of the triangle.
    parts: Vec<Vec3>,
}

impl Places {
    /// Returns the values of a column of vertices.
    fn values(&self, column: &Column, faces: &[[u32; 3]]) -> Column {
        let nearest = self.triangles.iter().zip(&self.parts).map(|(&t, p)| {
            let p = p.to_array();
            let first = (1..3).fold(0, |best, k| if p[k] > p[best] { k } else { best });
            faces[t as usize][first]
        });
        let rows: Vec<u32> = nearest.collect();
        let mut result = column.gather(&rows);
        if column.is_blended() {
            for (i, (&t, p)) in self.triangles.iter().zip(&self.parts).enumerate() {
                let corners = faces[t as usize];
                for k in 0..column.width {
                    let value = |v: u32| column.data.get(v as usize * column.width + k);
                    let mean = mean(corners.map(value), p.to_array().map(f64::from));
                    result.data.set(i * column.width + k, mean);
                }
            }
        }
        result
    }
}

/// Returns the texture coordinates of the corners of `to`, whose faces take those of the chart of the triangles `rows`.
fn texture_coordinates(
    from: &TriMesh,
    layer: &CornerLayer,
    to: &TriMesh,
    rows: &[u32],
    places: &Places,
) -> CornerLayer {
    let charts = charts(from, layer);
    // An entry a vertex and chart.
    let mut entries: HashMap<(u32, u32), u32> = HashMap::new();
    let mut keys = Vec::new();
    let mut corners = Vec::with_capacity(3 * to.faces.len());
    for (face, &row) in to.faces.iter().zip(rows) {
        for &v in face {
            let chart = charts[row as usize];
            corners.push(match chart {
                NO_VALUE => NO_VALUE,
                _ => *entries.entry((v, chart)).or_insert_with(|| {
                    keys.push((v, chart));
                    keys.len() as u32 - 1
                }),
            });
        }
    }
    let is_there = |v: u32, chart: u32| charts[places.triangles[v as usize] as usize] == chart;
    // Vertices near seams are on the other side for some of their faces.
    let others = keys
        .par_iter()
        .lean()
        .any(|&(v, chart)| !is_there(v, chart));
    let all = || (0..from.faces.len() as u32).collect();
    let tree = others.then(|| HostTree::of(&from.positions, &from.faces, all()));
    let value = |&(v, chart): &(u32, u32)| {
        let direct = || {
            let parts = places.parts[v as usize].to_array().map(f64::from);
            (places.triangles[v as usize], parts)
        };
        let (triangle, parts) = match &tree {
            Some(tree) if !is_there(v, chart) => {
                let p = to.positions[v as usize].as_dvec3();
                let found = tree.nearest(p, |f| charts[f as usize] == chart);
                found.map_or_else(direct, |at| (at.face, at.parts))
            }
            _ => direct(),
        };
        let mut value = [0.0; 3];
        for (k, value) in value.iter_mut().enumerate().take(layer.width) {
            let of_corner = [0, 1, 2].map(|c| {
                let entry = layer.corners[3 * triangle as usize + c] as usize;
                f64::from(layer.values[entry * layer.width + k])
            });
            *value = mean(of_corner, parts) as f32;
        }
        value
    };
    let values: Vec<[f32; 3]> = keys.par_iter().lean().map(value).collect();
    CornerLayer {
        width: layer.width,
        values: values
            .iter()
            .flat_map(|value| &value[..layer.width])
            .copied()
            .collect(),
        corners,
    }
}

/// Returns the chart of each triangle: its smallest triangle, or [`NO_VALUE`] for a triangle of which a corner has no
/// values.
fn charts(mesh: &TriMesh, layer: &CornerLayer) -> Vec<u32> {
    let of = |face: usize| &layer.corners[3 * face..3 * face + 3];
    let has_values = |face: usize| !of(face).contains(&NO_VALUE);
    let mut sets = Sets::new(mesh.faces.len());
    let mut first: HashMap<([u32; 3], [u32; 3]), u32> = HashMap::new();
    for face in (0..mesh.faces.len()).filter(|&face| has_values(face)) {
        for (&v, &entry) in mesh.faces[face].iter().zip(of(face)) {
            let key = (
                place_bits(mesh.positions[v as usize]),
                entry_bits(layer, entry),
            );
            let other = *first.entry(key).or_insert(face as u32);
            sets.unite(other, face as u32);
        }
    }
    let chart = |face: usize| match has_values(face) {
        true => sets.root(face as u32),
        false => NO_VALUE,
    };
    (0..mesh.faces.len()).map(chart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ColumnData, TagKind};

    /// Two unit squares side by side in the plane, each of two triangles with vertices of their own. The second one has
    /// its texture coordinates elsewhere, a group of its own and another value.
    fn squares() -> TriMesh {
        let mut mesh = TriMesh::default();
        let mut layer = CornerLayer {
            width: 2,
            values: Vec::new(),
            corners: Vec::new(),
        };
        for (x, u) in [(0.0, 0.0), (1.0, 5.0)] {
            for corners in [[[0, 0], [1, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]]] {
                let first = mesh.positions.len() as u32;
                for [i, j] in corners.map(|c| c.map(|n| n as f32)) {
                    mesh.positions.push(Vec3::new(x + i, j, 0.0));
                    layer.values.extend([u + i, j]);
                    layer.corners.push(layer.corners.len() as u32);
                }
                mesh.faces.push([first, first + 1, first + 2]);
            }
        }
        mesh.extras.corner_texcoords = Some(layer);
        let tag = |face: u32, text: &str| Tag {
            face,
            kind: TagKind::Group,
            text: text.into(),
        };
        mesh.extras.tags = vec![tag(0, "left"), tag(2, "right")];
        let height = |p: &Vec3| p.x;
        let heights = mesh.positions.iter().map(height).collect();
        mesh.add_vertex_column("height", heights).unwrap();
        mesh.add_face_column("side", vec![0.0, 0.0, 1.0, 1.0])
            .unwrap();
        mesh
    }

    /// A strip a little above the squares, of faces from right to left, in columns of width 1/8.
    fn strip() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let place = |i: u32, y: f32| Vec3::new(i as f32 / 8.0, y, 0.01);
        let positions = (0..17).flat_map(|i| [place(i, 0.25), place(i, 0.75)]);
        let faces = (0..16).rev().flat_map(|i: u32| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| 2 * i + k);
            [[a, c, b], [b, c, d]]
        });
        (positions.collect(), faces.collect())
    }

    #[test]
    fn every_kind_of_data_comes_from_the_closest_place() {
        let (from, (positions, faces)) = (squares(), strip());
        let to = transfer(&Engine::cpu(), &from, positions, faces).unwrap();
        to.validate().unwrap();
        let x = to.extras.column(ElementKind::Vertex, "height").unwrap();
        let side = to.extras.column(ElementKind::Face, "side").unwrap();
        assert!(matches!(x.data, ColumnData::F32(_)));
        for (i, p) in to.positions.iter().enumerate() {
            assert!((x.data.get(i) - f64::from(p.x)).abs() < 1e-6);
        }
        // Groups stay together, in their order.
        let starts: Vec<(u32, &str)> = to.extras.tags.iter().map(|t| (t.face, &*t.text)).collect();
        assert_eq!(starts, [(0, "left"), (16, "right")]);
        let layer = to.extras.corner_texcoords.as_ref().unwrap();
        // Those at the seam have an entry for each side.
        assert_eq!(layer.entries(), to.positions.len() + 2);
        for (i, f) in to.faces.iter().enumerate() {
            let right = f.iter().all(|&v| to.positions[v as usize].x >= 1.0);
            assert_eq!(side.data.get(i), f64::from(u8::from(right)));
            assert_eq!(i >= 16, right);
            for (k, &v) in f.iter().enumerate() {
                let p = to.positions[v as usize];
                let entry = layer.corners[3 * i + k] as usize;
                let (u, w) = (layer.values[2 * entry], layer.values[2 * entry + 1]);
                let want = if right { p.x + 4.0 } else { p.x };
                assert!(
                    (u - want).abs() < 1e-6 && (w - p.y).abs() < 1e-6,
                    "{p}: {u}, {w}"
                );
            }
        }
    }

    #[test]
    fn faces_without_texture_coordinates_give_none() {
        let (mut from, (positions, faces)) = (squares(), strip());
        let layer = from.extras.corner_texcoords.as_mut().unwrap();
        layer.corners[6..].fill(NO_VALUE);
        let to = transfer(&Engine::cpu(), &from, positions, faces).unwrap();
        to.validate().unwrap();
        let layer = to.extras.corner_texcoords.unwrap();
        let none = layer.corners.iter().filter(|&&c| c == NO_VALUE).count();
        assert_eq!(none, 3 * 16);
    }

    #[test]
    fn nothing_to_take_over_changes_nothing() {
        let mut from = squares();
        from.extras = Default::default();
        let (positions, faces) = strip();
        let to = transfer(&Engine::cpu(), &from, positions.clone(), faces.clone()).unwrap();
        assert!(to.extras.is_empty());
        assert_eq!((to.positions, to.faces), (positions, faces));
    }
}
