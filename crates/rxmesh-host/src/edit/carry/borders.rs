//! Edges at which data of a mesh change.

use super::corners::charts::{at_ends, same};
use super::corners::normals::flat_faces;
use super::groups;
use crate::Error;
use crate::mesh::{ColumnData, EdgeTable, ElementKind, TriMesh};

/// Kinds of edges that are lines for [`Carried::keep`](super::Carried::keep) and
/// [`Carried::hold`](super::Carried::hold).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Borders {
    /// Edges between faces of different objects, groups or materials.
    pub groups: bool,
    /// Seams: those whose faces see other texture coordinates or normals at their ends. Edges between faces that are
    /// shaded flat, each with its own normal, are none.
    pub seams: bool,
    /// Edges between faces with different values in these columns of whole numbers.
    pub columns: Vec<String>,
}

impl Borders {
    /// Returns `true` if there can be none.
    pub fn is_empty(&self) -> bool {
        !self.groups && !self.seams && self.columns.is_empty()
    }

    /// Returns the marked edges by the numbers of their ends, the smaller first, in order.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a column that the faces do not have, or one of other numbers.
    pub(super) fn edges(&self, mesh: &TriMesh) -> Result<Vec<[u32; 2]>, Error> {
        let of_faces = self.groups_of(mesh)?;
        let extras = &mesh.extras;
        let layers = [&extras.corner_texcoords, &extras.corner_normals];
        let layers = layers.map(|layer| layer.as_ref().filter(|_| self.seams));
        if of_faces.is_none() && layers.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let flat = layers[1].map_or(Vec::new(), |layer| flat_faces(mesh, layer));
        let table = EdgeTable::new(&mesh.faces, mesh.vertex_count());
        let is_line = |h: u32, g: u32| {
            let faces = [h, g].map(|half| half as usize / 3);
            let grouped = of_faces
                .as_ref()
                .is_some_and(|of| of[faces[0]] != of[faces[1]]);
            let seam = |k: usize| {
                layers[k].is_some_and(|layer| {
                    let [[a, b], [c, d]] = [h, g].map(|half| at_ends(mesh, layer, half));
                    !(same(layer, a, c) && same(layer, b, d))
                })
            };
            grouped || seam(0) || seam(1) && !faces.iter().all(|&f| flat[f])
        };
        let lines = table.starts.windows(2).zip(&table.edges).filter(|(w, _)| {
            let halves = &table.half_edges[w[0] as usize..w[1] as usize];
            halves.windows(2).any(|pair| is_line(pair[0], pair[1]))
        });
        Ok(lines.map(|(_, ends)| *ends).collect())
    }

    /// Returns a number for each face; the numbers differ where groups or columns differ.
    fn groups_of(&self, mesh: &TriMesh) -> Result<Option<Vec<u32>>, Error> {
        let mut of = self.groups.then(|| groups::of_faces(mesh));
        of = of.filter(|of| of.iter().any(|group| *group != of[0]));
        for name in &self.columns {
            let Some(column) = mesh.extras.column(ElementKind::Face, name) else {
                return Err(Error::Options(format!(
                    "the faces have no column '{name}'{}",
                    names(mesh)
                )));
            };
            if matches!(column.data, ColumnData::F32(_) | ColumnData::F64(_)) {
                return Err(Error::Options(format!(
                    "groups are whole numbers, but the column '{name}' does not hold whole numbers{}",
                    names(mesh)
                )));
            }
            let rows = (0..mesh.face_count()).map(|f| {
                let row = column.width * f..column.width * (f + 1);
                row.map(|i| column.data.get(i) as i64).collect::<Vec<i64>>()
            });
            of = Some(groups::refine(of, rows));
        }
        Ok(of)
    }
}

/// Lists the columns that can be groups, as text.
fn names(mesh: &TriMesh) -> String {
    let columns = mesh.extras.columns.iter().filter(|c| {
        let whole = !matches!(c.data, ColumnData::F32(_) | ColumnData::F64(_));
        whole && c.element == ElementKind::Face
    });
    let names: Vec<&str> = columns.map(|c| c.name.as_str()).collect();
    match names.is_empty() {
        true => "; the file has no columns of whole numbers at faces".into(),
        false => format!(
            "; columns of whole numbers at faces are {}",
            names.join(", ")
        ),
    }
}
