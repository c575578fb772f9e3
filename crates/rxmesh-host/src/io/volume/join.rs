//! Pieces of one mesh, joined.

use super::Volume;
use crate::io::error::Fault;
use crate::io::soup::Polygon;
use crate::mesh::{Column, ColumnData, ElementKind};
use std::collections::{BTreeSet, HashMap, HashSet};

impl Volume {
    /// Joins the pieces of one mesh, in their order. Columns that not all pieces have are left out with a warning; of
    /// pieces with cells and pieces without, the faces of the latter are left out.
    pub(in crate::io) fn join(mut pieces: Vec<Volume>) -> Result<Volume, Fault> {
        if pieces.len() == 1 {
            return Ok(pieces.remove(0));
        }
        let n = pieces.len();
        let solid = pieces.iter().any(Volume::has_cells);
        if solid {
            pieces.iter_mut().for_each(Volume::drop_faces);
        }
        let mut all = Volume {
            flat: pieces.iter().all(|p| p.flat),
            ..Volume::default()
        };
        all.join_columns(&mut pieces);
        let mut seen = HashSet::new();
        for piece in &mut pieces {
            let first = all.points.len();
            let vertices = first as u64 + piece.points.len() as u64;
            let faces = u64::from(all.faces) + u64::from(piece.faces);
            crate::mesh::check_counts(vertices, faces)?;
            let shift = |v: &u32| v + first as u32;
            if all.points.len() == 0 {
                all.points = std::mem::take(&mut piece.points);
            } else {
                all.points.append(&mut piece.points);
            }
            let cells = piece.cells.iter().map(|c| c.map(|v| shift(&v)));
            all.cells.extend(cells);
            all.middles.extend(piece.middles.iter().map(shift));
            all.corners.extend(piece.corners.iter().map(shift));
            all.face_middles
                .extend(piece.face_middles.iter().map(shift));
            let faces = all.faces;
            all.polygons.extend(piece.polygons.iter().map(|p| Polygon {
                face: faces + p.face,
                ..*p
            }));
            all.faces += piece.faces;
            all.curved += piece.curved;
            all.curved_faces += piece.curved_faces;
            all.solids += piece.solids;
            all.binary |= piece.binary;
            all.face_fault = all.face_fault.or(piece.face_fault.take());
            for (what, n) in std::mem::take(&mut piece.others) {
                all.pass(what, n);
            }
            for comment in piece.comments.drain(..) {
                if !all.comments.contains(&comment) {
                    all.comments.push(comment);
                }
            }
            piece.end_columns();
            let warnings = piece.warnings.drain(..);
            all.warnings
                .extend(warnings.filter(|w| seen.insert(w.clone())));
        }
        all.warnings.push(format!(
            "{n} pieces are joined: vertices at which they meet are there once in each"
        ));
        Ok(all)
    }

    /// Leaves out faces, with their columns.
    fn drop_faces(&mut self) {
        if !self.is_surface() {
            return;
        }
        let polygons = self.polygons.len() as u64;
        self.pass("triangles", u64::from(self.faces) - polygons);
        self.pass("polygons", polygons);
        self.columns.retain(|c| c.element == ElementKind::Vertex);
        self.corners.clear();
        self.polygons.clear();
        self.face_middles.clear();
        self.faces = 0;
        self.curved_faces = 0;
        self.flat = false;
    }

    /// Joins the columns that all pieces with rows for them have.
    fn join_columns(&mut self, pieces: &mut [Volume]) {
        for vertices in [true, false] {
            let rows = |p: &Volume| match vertices {
                true => p.points.len(),
                false => p.element_count(),
            };
            let mut with_rows: Vec<&mut Volume> =
                pieces.iter_mut().filter(|p| rows(p) > 0).collect();
            let Some((first, others)) = with_rows.split_first_mut() else {
                continue;
            };
            // Index of each column in the other pieces.
            let places: Vec<HashMap<&str, usize>> = others
                .iter()
                .map(|p| {
                    let columns = p.columns.iter().enumerate();
                    let own =
                        columns.filter(|(_, c)| (c.element == ElementKind::Vertex) == vertices);
                    own.map(|(i, c)| (c.name.as_str(), i)).collect()
                })
                .collect();
            let known: HashSet<&str> = first.columns_of(vertices).map(|c| &c.name[..]).collect();
            let mut lost = BTreeSet::new();
            for column in first.columns_of(vertices) {
                let mut parts = vec![&column.data];
                for (p, places) in others.iter().zip(&places) {
                    let same = places.get(column.name.as_str()).map(|&i| &p.columns[i]);
                    parts.extend(same.filter(|c| c.width == column.width).map(|c| &c.data));
                }
                if parts.len() <= others.len() {
                    lost.insert(column.name.clone());
                    continue;
                }
                self.names.take(column.element, &column.name);
                self.columns.push(Column {
                    name: column.name.clone(),
                    element: column.element,
                    width: column.width,
                    data: ColumnData::joined(&parts),
                });
            }
            let unknown = others.iter().flat_map(|p| p.columns_of(vertices));
            let unknown = unknown.filter(|c| !known.contains(&c.name[..]));
            lost.extend(unknown.map(|c| c.name.clone()));
            let element = match vertices {
                true => ElementKind::Vertex,
                false => first.element(),
            };
            self.warnings.extend(lost.iter().map(|name| {
                format!("{element} column '{name}' is not kept: not all pieces have it")
            }));
        }
    }
}
