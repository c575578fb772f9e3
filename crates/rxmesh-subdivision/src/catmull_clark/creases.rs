//! Sharpness by Chaikin's rule, for all levels.

use crate::{Mesh, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::creases::{Chaikin, Creases, row_length};
use rxmesh_subdivision_kernels::sharpness::INFINITE;
use rxmesh_subdivision_kernels::topology::NONE;

/// Sharpness of the parts of edges: what kernels see as `Creases::table`.
#[derive(Debug)]
pub(crate) struct Table {
    depth: u32,
    rows: Buffer<u32>,
    values: Buffer<f32>,
}

impl Table {
    /// The table of some levels; nothing when no sharpness wears off.
    pub(crate) fn new(
        mesh: &Mesh,
        sharpness: &Sharpness,
        depth: u32,
    ) -> Result<Option<Table>, Error> {
        let engine = mesh.engine();
        let [edges, _] = sharpness.to_host()?;
        let mut rows = vec![NONE; edges.len()];
        let mut list = Vec::new();
        for (e, &s) in edges.iter().enumerate() {
            if s > 0.0 && s < INFINITE {
                rows[e] = list.len() as u32;
                list.push(e as u32);
            }
        }
        if list.is_empty() {
            return Ok(None);
        }
        let length = row_length(depth) as usize;
        let count = list.len() as u64 * length as u64;
        let limit = u64::from(u32::MAX);
        if count > limit {
            let what = "values of sharpness";
            return Err(Error::TooLarge { what, count, limit });
        }
        let mut values = vec![0.0; count as usize];
        for (row, &e) in list.iter().enumerate() {
            values[row * length] = edges[e as usize];
        }
        let (values, rows) = (engine.upload(&values)?, engine.upload(&rows)?);
        let edges = engine.upload(&list)?;
        for level in 0..depth {
            let kernel = Chaikin {
                mesh: mesh.topology(),
                base: sharpness.view(),
                edges: edges.global(),
                rows: rows.global(),
                depth,
                level,
                table: values.global_mut(),
            };
            engine.launch_flat((list.len() as u32) << level, kernel)?;
        }
        Ok(Some(Table {
            depth,
            rows,
            values,
        }))
    }

    /// What kernels see of sharpness, with a table or without.
    pub(crate) fn creases(table: Option<&Table>, mesh: &Mesh, sharpness: &Sharpness) -> Creases {
        let closed = 2 * u64::from(mesh.edge_count()) == u64::from(mesh.corner_count());
        let sharp = sharpness.has_edges() || sharpness.has_vertices();
        Creases {
            base: sharpness.view(),
            smooth: u32::from(closed && !sharp),
            depth: table.map_or(0, |table| table.depth),
            rows: table.map_or(Global::empty(), |table| table.rows.global()),
            table: table.map_or(Global::empty(), |table| table.values.global()),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.rows.len() as u64 + self.values.len() as u64)
    }
}
