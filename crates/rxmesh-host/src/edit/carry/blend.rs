//! Columns of vertices whose new values are weighted means.

use super::corners::Corners;
use super::order::Order;
use crate::Error;
use crate::edit::columns::Column as Attached;
use crate::edit::engine::Edits;
use crate::edit::session::Session;
use crate::mesh::{Column, TriMesh};
use crate::store::RxMesh;
use glam::Vec4;
use rxmesh_kernels::topo::Vertex;

/// Numbers of the vertices, four to a column of the session.
#[derive(Debug)]
pub(super) struct Blended {
    /// The columns of the mesh that are among them, and where their first number is.
    columns: Vec<(usize, usize)>,
    /// Where the first texture coordinate is.
    texcoords: usize,
    attached: Vec<Attached<Vertex, Vec4>>,
}

/// The numbers as they are now, by slot.
pub(super) struct Values {
    texcoords: usize,
    columns: Vec<Vec<Vec4>>,
}

impl Values {
    /// Number `i` of a slot.
    fn get(&self, slot: u32, i: usize) -> f32 {
        self.columns[i / 4][slot as usize].to_array()[i % 4]
    }

    /// Texture coordinate `k` of a slot: not a number where the vertex has none, or more than one.
    pub(super) fn texcoord(&self, slot: u32, k: usize) -> f32 {
        self.get(slot, self.texcoords + k)
    }
}

impl Blended {
    pub(super) fn open<C: Edits>(
        session: &mut Session<C>,
        rx: &RxMesh,
        mesh: &TriMesh,
        corners: Option<&Corners>,
    ) -> Result<Blended, Error> {
        let n = mesh.vertex_count();
        let mut numbers: Vec<Vec<f32>> = Vec::new();
        let mut columns = Vec::new();
        for (i, c) in mesh.extras.columns.iter().enumerate() {
            if c.is_blended() {
                columns.push((i, numbers.len()));
                let part = |k: usize| (0..n).map(|v| c.data.get(c.width * v + k) as f32).collect();
                numbers.extend((0..c.width).map(part));
            }
        }
        let texcoords = numbers.len();
        if let (Some(corners), Some(layer)) = (corners, &mesh.extras.corner_texcoords) {
            numbers.extend(corners.of_vertices(layer));
        }
        let mut attached = Vec::new();
        for four in numbers.chunks(4) {
            let of = |v: usize| {
                Vec4::from_array([0, 1, 2, 3].map(|k| four.get(k).map_or(0.0, |n| n[v])))
            };
            let values: Vec<Vec4> = (0..n).map(of).collect();
            let column = session.attach(&rx.attribute_from::<Vertex, _>(&values)?)?;
            session.interpolate(column)?;
            attached.push(column);
        }
        Ok(Blended {
            columns,
            texcoords,
            attached,
        })
    }

    pub(super) fn read<C: Edits>(&self, session: &Session<C>) -> Result<Values, Error> {
        let read = |c: &Attached<Vertex, Vec4>| Ok(session.values(*c)?.read()?);
        let columns: Result<_, Error> = self.attached.iter().map(read).collect();
        Ok(Values {
            texcoords: self.texcoords,
            columns: columns?,
        })
    }

    /// Gives the new vertices in column `i` of the mesh their values, if these are means.
    pub(super) fn put(&self, i: usize, order: &Order, values: &Values, column: &mut Column) {
        let Some(&(_, first)) = self.columns.iter().find(|(c, _)| *c == i) else {
            return;
        };
        let width = column.width;
        for (row, v) in order.vertices.iter().enumerate().filter(|(_, v)| v.born) {
            for k in 0..width {
                let x = values.get(v.slot, first + k);
                column.data.set(width * row + k, f64::from(x));
            }
        }
    }
}
