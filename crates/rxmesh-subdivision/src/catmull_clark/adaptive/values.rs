//! Values of control points.

use super::super::quads::Creased;
use super::Adaptive;
use super::plan::Plan;
use crate::Mesh;
use crate::launch::Launch;
use crate::lengths::check_rows;
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_kernels::kernel::Entry;
use rxmesh_subdivision_kernels::catmull_clark::adaptive::blocks::{self, Blocks};
use rxmesh_subdivision_kernels::catmull_clark::adaptive::blocks::{FirstBlocks, RefineBlocks};
use rxmesh_subdivision_kernels::catmull_clark::adaptive::cells::Rules;
use rxmesh_subdivision_kernels::catmull_clark::adaptive::patches::{self, ControlPoints};
use rxmesh_subdivision_kernels::catmull_clark::once::{EdgePoints, FacePoints, VertexPoints};
use rxmesh_subdivision_kernels::catmull_clark::{
    ComponentCount, ComponentRows, LevelGrid, One, Output, Three,
};

/// Scratch buffers of the kernels, for three components.
#[derive(Debug)]
pub(super) struct AdaptiveScratch {
    /// Values of the quads, if they are made of polygons.
    quads: Buffer<f32>,
    /// Values of the quads' first level, if any of them is divided.
    first: Buffer<f32>,
    blocks: Buffer<f32>,
}

impl AdaptiveScratch {
    pub(super) fn new(mesh: &Mesh, split: bool, plan: &Plan) -> Result<AdaptiveScratch, Error> {
        let engine = mesh.engine();
        let n = Three::N as usize;
        let [v, e, f] =
            [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()].map(|n| n as usize);
        let divided = plan.node_count() > 0;
        let points = plan.node_count() as usize * blocks::POINTS as usize;
        Ok(AdaptiveScratch {
            quads: engine.zeroed(if split { v * n } else { 0 })?,
            first: engine.zeroed(if divided { (v + e + f) * n } else { 0 })?,
            blocks: engine.zeroed(points * n)?,
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        let all = [&self.quads, &self.first, &self.blocks];
        all.iter().map(|b| 4 * b.len() as u64).sum()
    }
}

impl Adaptive {
    /// Computes the control points' values from the mesh's: `width` floats per vertex and per control point, row after
    /// row, such as positions. A patch has 16, row by row from (-1, -1) in the units of its square. Only launches
    /// kernels: nothing is allocated or waited for.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] for values whose number is not that of vertices or control points; any error of the
    /// engine.
    ///
    /// [`EngineError::Length`]: rxmesh_host::engine::EngineError::Length
    pub fn values(&self, width: u32, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
        let rows = [self.mesh().vertex_count(), self.control_count()];
        check_rows(width, [(x.len(), rows[0]), (y.len(), rows[1])])?;
        let mut first = 0;
        while first < width {
            let rows = ComponentRows {
                values: x.global(),
                width,
                first,
            };
            let out = Output {
                values: y.global_mut(),
                width,
                first,
            };
            first += if width - first >= Three::N {
                self.pass::<Three>(rows, out)?
            } else {
                self.pass::<One>(rows, out)?
            };
        }
        Ok(())
    }

    /// Processes some components; returns their number.
    fn pass<N: ComponentCount + Default>(&self, x: ComponentRows, y: Output) -> Result<u32, Error>
    where
        FacePoints<N>: Entry,
        EdgePoints<N>: Entry,
        VertexPoints<N>: Entry,
        FirstBlocks<N>: Entry,
        RefineBlocks<N>: Entry,
        ControlPoints<N>: Entry,
    {
        let base = match &self.quads.polygons {
            Some(polygons) => self.once::<N>(polygons, x, &self.scratch.quads)?,
            None => x,
        };
        if self.plan.node_count() > 0 {
            let first = self.once::<N>(&self.quads.base, base, &self.scratch.first)?;
            self.blocks::<N>(first)?;
        }
        let (plan, components) = (&self.plan, N::default());
        let n = plan.patch_count() * patches::POINTS * N::N;
        self.engine.launch_flat(
            n,
            ControlPoints {
                blocks: Blocks {
                    rules: self.rules(),
                    rows: plan.rows.global(),
                    chains: plan.chains.global(),
                    values: self.scratch.blocks.global(),
                },
                base,
                patches: plan.patches().global(),
                out: y,
                components,
            },
        )?;
        Ok(N::N)
    }

    pub(super) fn rules(&self) -> Rules {
        Rules {
            mesh: self.quads.base.mesh.topology(),
            creases: self.quads.base.creases(),
            depth: self.depth,
        }
    }

    /// Computes one level of any polygons, into the given buffer.
    fn once<N: ComponentCount + Default>(
        &self,
        at: &Creased,
        base: ComponentRows,
        to: &Buffer<f32>,
    ) -> Result<ComponentRows, Error>
    where
        FacePoints<N>: Entry,
        EdgePoints<N>: Entry,
        VertexPoints<N>: Entry,
    {
        let (width, first) = (N::N, 0);
        at.once::<N>(
            base,
            Output {
                values: to.global_mut(),
                width,
                first,
            },
        )?;
        Ok(ComponentRows {
            values: to.global(),
            width,
            first,
        })
    }

    /// Computes the blocks of all nodes from the first level.
    fn blocks<N: ComponentCount + Default>(&self, first_level: ComponentRows) -> Result<(), Error>
    where
        FirstBlocks<N>: Entry,
        RefineBlocks<N>: Entry,
    {
        let (plan, components) = (&self.plan, N::default());
        let values = self.scratch.blocks.global_mut();
        for (level, (first, count)) in plan.levels().enumerate() {
            let n = count * blocks::POINTS * N::N;
            if level == 0 {
                let kernel = FirstBlocks {
                    grid: LevelGrid {
                        mesh: self.quads.base.mesh.topology(),
                        level: 1,
                    },
                    first: first_level,
                    nodes: plan.nodes.global(),
                    values,
                    components,
                };
                self.engine.launch_flat(n, kernel)?;
                continue;
            }
            let kernel = RefineBlocks {
                rules: self.rules(),
                rows: plan.rows.global(),
                chains: plan.chains.global(),
                nodes: plan.nodes.global(),
                first,
                values,
                components,
            };
            self.engine.launch_flat(n, kernel)?;
        }
        Ok(())
    }
}
