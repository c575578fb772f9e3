//! Changes of faces and vertices with everything that hangs on them.

use crate::mesh::{
    COLOR, ColumnData, CornerLayer, ElementKind, NO_VALUE, NORMAL, TriMesh, part_of_layer,
    part_of_tags,
};
use std::collections::HashMap;

/// Source of the values of a corner: two corners of the old mesh, and its position between them (0 at the first, 1 at
/// the second).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    pub(super) corners: [u32; 2],
    pub(super) part: f32,
}

impl Between {
    /// Returns an old corner itself.
    pub(super) fn at(corner: u32) -> Between {
        Between {
            corners: [corner; 2],
            part: 0.0,
        }
    }
}

/// Faces that take the place of those of a mesh.
#[derive(Debug, Default)]
pub(super) struct NewFaces {
    pub(super) vertices: Vec<[u32; 3]>,
    /// Old face that each comes from, ascending: it has that one's values, groups and materials.
    pub(super) source: Vec<u32>,
    /// Corners that are not those of the source, by number of the new corner, ascending.
    pub(super) corners: Vec<(u32, Between)>,
}

impl NewFaces {
    /// Replaces the faces of the mesh, with their values.
    pub(super) fn put_into(self, mesh: &mut TriMesh) {
        let extras = &mut mesh.extras;
        for c in extras.columns.iter_mut() {
            if c.element == ElementKind::Face {
                *c = c.gather(&self.source);
            }
        }
        extras.tags = part_of_tags(&extras.tags, &self.source);
        for layer in [&mut extras.corner_texcoords, &mut extras.corner_normals]
            .into_iter()
            .flatten()
        {
            *layer = self.layer(layer);
        }
        mesh.faces = self.vertices;
    }

    fn layer(&self, old: &CornerLayer) -> CornerLayer {
        let mut layer = part_of_layer(old, &self.source);
        for &(corner, from) in &self.corners {
            let entries = from.corners.map(|c| old.corners[c as usize]);
            layer.corners[corner as usize] = if entries.contains(&NO_VALUE) {
                NO_VALUE
            } else {
                let value = |k: usize| {
                    let [a, b] = entries.map(|e| old.values[e as usize * old.width + k]);
                    a + (b - a) * from.part
                };
                let entry = layer.entries() as u32;
                layer.values.extend((0..old.width).map(value));
                entry
            };
        }
        layer
    }
}

/// Leaves out the faces that are not kept; every vertex stays.
pub(super) fn keep_faces(mesh: &mut TriMesh, keep: &[bool]) {
    if !keep.contains(&false) {
        return;
    }
    let kept = || keep.iter().enumerate().filter(|(_, keep)| **keep);
    NewFaces {
        vertices: kept().map(|(f, _)| mesh.faces[f]).collect(),
        source: kept().map(|(f, _)| f as u32).collect(),
        corners: Vec::new(),
    }
    .put_into(mesh);
}

/// Leaves the vertices named by `rows`, in that order; a row may come several times. Faces keep their numbers of
/// vertices.
pub(super) fn pick_vertices(mesh: &mut TriMesh, rows: &[u32]) {
    mesh.positions = rows.iter().map(|&v| mesh.positions[v as usize]).collect();
    for c in mesh.extras.columns.iter_mut() {
        if c.element == ElementKind::Vertex {
            *c = c.gather(rows);
        }
    }
}

/// Leaves out the vertices that are not kept. No face may name one of them.
pub(super) fn keep_vertices(mesh: &mut TriMesh, keep: &[bool]) {
    let mut number = vec![0u32; keep.len()];
    let mut rows = Vec::with_capacity(keep.len());
    for (v, _) in keep.iter().enumerate().filter(|(_, keep)| **keep) {
        number[v] = rows.len() as u32;
        rows.push(v as u32);
    }
    pick_vertices(mesh, &rows);
    for v in mesh.faces.iter_mut().flatten() {
        *v = number[*v as usize];
    }
}

/// Puts a vertex between two others, with the mean of their values in columns of floats and of colours.
pub(super) fn place_between(mesh: &mut TriMesh, v: u32, ends: [u32; 2], part: f64) {
    let [a, b] = ends.map(|e| mesh.positions[e as usize].as_dvec3());
    mesh.positions[v as usize] = a.lerp(b, part).as_vec3();
    for c in mesh.extras.columns.iter_mut() {
        let floats = matches!(c.data, ColumnData::F32(_) | ColumnData::F64(_));
        if c.element != ElementKind::Vertex || !(floats || c.name == COLOR) {
            continue;
        }
        for k in 0..c.width {
            let [a, b] = ends.map(|e| c.data.get(e as usize * c.width + k));
            c.data.set(v as usize * c.width + k, a + (b - a) * part);
        }
    }
}

/// Turns faces over: the first corner stays the first. Normals of faces and of corners turn with them, those of
/// vertices where all faces of a vertex turn.
pub(super) fn turn_faces(mesh: &mut TriMesh, turned: &[bool]) {
    if !turned.contains(&true) {
        return;
    }
    let which = || (0..turned.len()).filter(|&f| turned[f]);
    for f in which() {
        mesh.faces[f].swap(1, 2);
    }
    let mut stays = vec![false; mesh.positions.len()];
    let mut turns = vec![false; mesh.positions.len()];
    for (face, &turned) in mesh.faces.iter().zip(turned) {
        let of = if turned { &mut turns } else { &mut stays };
        face.iter().for_each(|&v| of[v as usize] = true);
    }
    let extras = &mut mesh.extras;
    for layer in [&mut extras.corner_texcoords, &mut extras.corner_normals]
        .into_iter()
        .flatten()
    {
        which().for_each(|f| layer.corners.swap(3 * f + 1, 3 * f + 2));
    }
    if let Some(layer) = &mut extras.corner_normals {
        negate_corners(layer, which());
    }
    for c in extras.columns.iter_mut().filter(|c| c.name == NORMAL) {
        let negated = |i: usize| match c.element {
            ElementKind::Face | ElementKind::Cell => turned[i],
            ElementKind::Vertex => turns[i] && !stays[i],
        };
        let rows = c.data.len() / c.width;
        let values: Vec<usize> = (0..rows).filter(|&i| negated(i)).collect();
        for i in values
            .into_iter()
            .flat_map(|row| row * c.width..(row + 1) * c.width)
        {
            let x = c.data.get(i);
            c.data.set(i, -x);
        }
    }
}

/// Gives the corners of faces the opposite of their normals, in new entries.
fn negate_corners(layer: &mut CornerLayer, faces: impl Iterator<Item = usize>) {
    let mut opposite: HashMap<u32, u32> = HashMap::new();
    for corner in faces.flat_map(|f| 3 * f..3 * f + 3) {
        let entry = layer.corners[corner];
        if entry == NO_VALUE {
            continue;
        }
        let next = layer.entries() as u32;
        let now = *opposite.entry(entry).or_insert(next);
        if now == next {
            for k in 0..layer.width {
                let x = layer.values[entry as usize * layer.width + k];
                layer.values.push(-x);
            }
        }
        layer.corners[corner] = now;
    }
}
