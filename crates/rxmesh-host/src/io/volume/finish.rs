//! The mesh that the elements of a file make, and its warnings.

use super::Volume;
use crate::io::error::{Fault, FaultKind, FaultPosition};
use crate::io::soup::Soup;
use crate::mesh::{ElementKind, Extras, TetMesh};
use std::cmp::Ordering;

impl Volume {
    /// Returns the mesh, its cells turned to be positive, and the warnings.
    pub(in crate::io) fn finish(mut self) -> Result<(TetMesh, Vec<String>), Fault> {
        let file = |kind| Fault {
            at: FaultPosition::File,
            kind,
        };
        if self.points.len() == 0 {
            return Err(file(FaultKind::NoVertices));
        }
        self.count_faces();
        if self.cells.is_empty() {
            let what = match self.others.is_empty() {
                true => "holds no tetrahedra".into(),
                false => format!("holds no tetrahedra, only {}", self.other_elements()),
            };
            return Err(file(FaultKind::What(what)));
        }
        if !self.others.is_empty() {
            let others = self.other_elements();
            self.warnings
                .push(format!("{others} are not kept: a volume is of tetrahedra"));
        }
        self.end_columns();
        if self.curved > 0 {
            self.warnings.push(format!(
                "{} tetrahedra are of higher order: only their corners are kept",
                self.curved
            ));
        }
        let middles = std::mem::take(&mut self.middles);
        let mut cells = std::mem::take(&mut self.cells);
        self.drop_middles(&middles, cells.as_flattened_mut());
        let signs = self.points.signs(&cells);
        self.points.settle(cells.as_flattened());
        self.warnings.extend(self.points.warning());
        self.columns.retain(|c| c.element != ElementKind::Face);
        let mut mesh = TetMesh {
            positions: std::mem::take(&mut self.points.positions),
            cells,
            extras: Extras {
                columns: self.columns,
                comments: self.comments,
                ..Extras::default()
            },
            placement: self.points.placement,
        };
        mesh.validate()?;
        let turned = match &signs {
            Some(signs) => orient_by(signs, &mut mesh),
            None => mesh.orient(),
        };
        if turned > 0 {
            self.warnings.push(format!(
                "{turned} of {} tetrahedra were inverted and are reoriented",
                mesh.cell_count()
            ));
        }
        self.warnings
            .extend(signs.and_then(|signs| flattened(&signs, &mesh)));
        Ok((mesh, self.warnings))
    }

    /// Returns the faces as a surface; a volume is refused.
    pub(in crate::io) fn into_soup(mut self) -> Result<Soup, Fault> {
        if self.cells.is_empty()
            && self.solids == 0
            && let Some(fault) = self.face_fault
        {
            return Err(fault);
        }
        if self.points.len() > 0 && !self.is_surface() {
            let tetrahedra = self.cells.len() as u64;
            self.pass("tetrahedra", tetrahedra);
            let others = self.other_elements();
            return Err(Fault::file(
                match (tetrahedra + self.solids, others.is_empty()) {
                    (0, true) => "holds no faces".to_owned(),
                    (0, false) => format!("holds no faces, only {others}"),
                    _ => format!(
                        "holds a volume ({others}), and a surface is needed: `convert` to a surface format writes the \
                        boundary of tetrahedra"
                    ),
                },
            ));
        }
        if !self.others.is_empty() {
            let others = self.other_elements();
            self.warnings
                .push(format!("{others} are not kept: a surface is of faces"));
        }
        self.end_columns();
        if self.curved_faces > 0 {
            self.warnings.push(format!(
                "{} faces are of higher order: only their corners are kept",
                self.curved_faces
            ));
        }
        let middles = std::mem::take(&mut self.face_middles);
        let mut corners = std::mem::take(&mut self.corners);
        self.drop_middles(&middles, &mut corners);
        self.columns.retain(|c| c.element != ElementKind::Cell);
        Ok(Soup {
            points: self.points,
            corners,
            polygons: self.polygons,
            columns: self.columns,
            comments: self.comments,
            warnings: self.warnings,
            binary: self.binary,
            ..Soup::default()
        })
    }

    /// Counts the faces of a volume, which are not kept.
    fn count_faces(&mut self) {
        let quads = self.polygons.iter().filter(|p| p.corners == 4).count() as u64;
        let polygons = self.polygons.len() as u64;
        self.pass("triangles", u64::from(self.faces) - polygons);
        self.pass("quadrilaterals", quads);
        self.pass("polygons", polygons - quads);
    }

    fn other_elements(&self) -> String {
        let each = self.others.iter().map(|(what, n)| format!("{n} {what}"));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Removes the vertices that are on edges, faces and inside of elements, and corners of none.
    fn drop_middles(&mut self, middles: &[u32], corners: &mut [u32]) {
        if middles.is_empty() {
            return;
        }
        let mut keep = vec![true; self.points.len()];
        middles.iter().for_each(|&v| keep[v as usize] = false);
        corners.iter().for_each(|&v| keep[v as usize] = true);
        let kept = (0..).zip(&keep).filter(|(_, k)| **k);
        let kept: Vec<u32> = kept.map(|(v, _)| v).collect();
        let mut renamed = vec![u32::MAX; keep.len()];
        for (new, &old) in kept.iter().enumerate() {
            renamed[old as usize] = new as u32;
        }
        corners.iter_mut().for_each(|v| *v = renamed[*v as usize]);
        self.points.keep(&kept);
        for c in &mut self.columns {
            if c.element == ElementKind::Vertex {
                *c = c.gather(&kept);
            }
        }
    }
}

/// Turns the cells whose volume in the file is negative; returns their number. Cells that have none there are turned
/// so that it is not negative in the mesh.
fn orient_by(signs: &[Ordering], mesh: &mut TetMesh) -> u64 {
    let mut turned = 0;
    for (i, sign) in signs.iter().enumerate() {
        let is_inverted = match sign {
            Ordering::Less => {
                turned += 1;
                true
            }
            Ordering::Equal => mesh.cell_volume(i) < 0.0,
            Ordering::Greater => false,
        };
        if is_inverted {
            mesh.cells[i].swap(2, 3);
        }
    }
    turned
}

/// Returns the warning about cells that have a volume in the file and none, or a negative one, between the rounded
/// positions.
fn flattened(signs: &[Ordering], mesh: &TetMesh) -> Option<String> {
    let is_lost = |i: &usize| signs[*i] != Ordering::Equal && mesh.cell_volume(*i) <= 0.0;
    let mut lost = (0..signs.len()).filter(is_lost);
    let first = lost.next()?;
    Some(format!(
        "{} of {} tetrahedra have a volume in the file and none, or a negative one, where positions are rounded to \
            32-bit floats: the first is cell {first} (counted from 0)",
        1 + lost.count(),
        signs.len()
    ))
}
