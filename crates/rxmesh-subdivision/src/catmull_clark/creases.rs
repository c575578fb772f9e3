//! Sharpness by Chaikin's rule, for all levels.

use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use crate::{Creasing, Mesh, Sharpness};
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_subdivision_kernels::catmull_clark::creases::{Chaikin, Creases, row_length};
use rxmesh_subdivision_kernels::sharpness::INFINITE;
use rxmesh_subdivision_kernels::topology::NONE;

/// Sharpness of the parts of edges, if it does not decrease by the uniform rule: the buffers of `Creases::table`.
#[derive(Debug)]
pub(crate) struct SharpnessTable {
    depth: u32,
    /// Empty if no sharpness decreases.
    rows: GrowableBuffer<u32>,
    values: GrowableBuffer<f32>,
    edges: GrowableBuffer<u32>,
}

impl SharpnessTable {
    pub(crate) fn empty(engine: &Engine) -> Result<SharpnessTable, Error> {
        Ok(SharpnessTable {
            depth: 0,
            rows: GrowableBuffer::empty(engine)?,
            values: GrowableBuffer::empty(engine)?,
            edges: GrowableBuffer::empty(engine)?,
        })
    }

    /// Makes the table of some levels, in existing memory.
    pub(crate) fn make(
        &mut self,
        mesh: &Mesh,
        sharpness: &Sharpness,
        creasing: Creasing,
        depth: u32,
    ) -> Result<(), Error> {
        self.depth = 0;
        self.rows.shrink(0);
        self.values.shrink(0);
        if creasing == Creasing::Uniform || !sharpness.has_edges() {
            return Ok(());
        }
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
            return Ok(());
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
        self.values.fill(&values)?;
        self.rows.fill(&rows)?;
        self.edges.fill(&list)?;
        self.depth = depth;
        for level in 0..depth {
            let kernel = Chaikin {
                mesh: mesh.topology(),
                base: sharpness.view(),
                edges: self.edges.global(),
                rows: self.rows.global(),
                depth,
                level,
                table: self.values.global_mut(),
            };
            engine.launch_flat((list.len() as u32) << level, kernel)?;
        }
        Ok(())
    }

    /// Returns the view of sharpness for kernels.
    pub(crate) fn creases(&self, mesh: &Mesh, sharpness: &Sharpness) -> Creases {
        let sharp = sharpness.has_edges() || sharpness.has_vertices();
        Creases {
            base: sharpness.view(),
            smooth: u32::from(mesh.is_closed() && !sharp),
            depth: self.depth,
            rows: self.rows.global(),
            table: self.values.global(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.rows.bytes() + self.values.bytes() + self.edges.bytes()
    }
}
