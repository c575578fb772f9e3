//! Computation of some components through all levels.

use super::{CatmullClark, LevelRange};
use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::once::{EdgePoints, FacePoints, VertexPoints};
use rxmesh_subdivision_kernels::catmull_clark::rings::points::RingPoints;
use rxmesh_subdivision_kernels::catmull_clark::rings::{CHUNK, RefineRings};
use rxmesh_subdivision_kernels::catmull_clark::tiles::RefineTiles;
use rxmesh_subdivision_kernels::catmull_clark::{ComponentCount, ComponentRows, Output};

/// Some components of values on their way through a surface.
pub(super) struct Pass<'a, N> {
    of: &'a CatmullClark,
    x: ComponentRows,
    y: Output,
    components: N,
}

impl<'a, N: ComponentCount + Default> Pass<'a, N>
where
    FacePoints<N>: Entry,
    EdgePoints<N>: Entry,
    VertexPoints<N>: Entry,
    RefineRings<N>: Entry,
    RefineTiles<N>: Entry,
{
    pub(super) fn new(
        of: &'a CatmullClark,
        width: u32,
        first: u32,
        x: &Buffer<f32>,
        y: &mut Buffer<f32>,
    ) -> Self {
        Pass {
            of,
            x: ComponentRows {
                values: x.global(),
                width,
                first,
            },
            y: Output {
                values: y.global_mut(),
                width,
                first,
            },
            components: N::default(),
        }
    }

    pub(super) fn run(&self) -> Result<(), Error> {
        let of = self.of;
        let Some(polygons) = &of.quads.polygons else {
            return if of.stages.is_empty() {
                of.quads.base.once::<N>(self.x, self.y)
            } else {
                self.grids(self.x)
            };
        };
        if of.stages.is_empty() {
            return polygons.once::<N>(self.x, self.y);
        }
        let quads = &of.scratch.quads;
        let (width, first) = (N::N, 0);
        polygons.once::<N>(
            self.x,
            Output {
                values: quads.global_mut(),
                width,
                first,
            },
        )?;
        self.grids(ComponentRows {
            values: quads.global(),
            width,
            first,
        })
    }

    /// Computes all levels of the grids.
    fn grids(&self, base: ComponentRows) -> Result<(), Error> {
        let (of, scratch) = (self.of, &self.of.scratch);
        let depth = of.grid_levels();
        let mesh = &of.quads.base.mesh;
        let around = &of.surroundings;
        let slots = around.slots();
        of.engine.launch_blocks(
            around.vertices().div_ceil(CHUNK),
            RefineRings {
                mesh: mesh.topology(),
                creases: of.quads.base.creases(),
                base,
                depth,
                vertices: around.list(),
                counts: around.view().counts,
                slots,
                corners: scratch.corners.global_mut(),
                centres: scratch.centres.global_mut(),
                out: self.y,
                components: self.components,
            },
        )?;
        let rings = RingPoints {
            base,
            depth,
            slots,
            corners: scratch.corners.global(),
            centres: scratch.centres.global(),
        };
        let mut grid = Global::empty();
        for (i, &stage) in of.stages.iter().enumerate() {
            let next = (i + 1 < of.stages.len()).then(|| &scratch.grids[i]);
            let out = match next {
                Some(next) => Output {
                    values: next.global_mut(),
                    width: N::N,
                    first: 0,
                },
                None => self.y,
            };
            self.stage(stage, rings, grid, out)?;
            grid = next.map_or(Global::empty(), GrowableBuffer::global);
        }
        Ok(())
    }

    fn stage(
        &self,
        stage: LevelRange,
        rings: RingPoints,
        grid: Global<f32>,
        out: Output,
    ) -> Result<(), Error> {
        let LevelRange { from, levels } = stage;
        let at = &self.of.quads.base;
        let around = &self.of.surroundings;
        let (log_tiles, log_pieces) = tiling(levels);
        let tiles = at.mesh.face_count() << (2 * from);
        self.of.engine.launch_blocks(
            // One more, because special faces and regular ones do not share a block.
            tiles.div_ceil(1 << log_tiles) + u32::from(log_tiles > 0),
            RefineTiles {
                mesh: at.mesh.topology(),
                creases: at.creases(),
                neighbours: around.view(),
                rings,
                from,
                grid,
                levels,
                log_tiles,
                log_pieces,
                out,
                components: self.components,
            },
        )?;
        Ok(())
    }
}

/// Returns the logarithms of the numbers of tiles of a block and of pieces of their columns, by the number of levels: a
/// block has one thread per piece of a column.
fn tiling(levels: u32) -> (u32, u32) {
    match levels {
        5.. => (0, 0),
        4 => (1, 0),
        3 => (2, 0),
        2 => (3, 0),
        _ => (4, 0),
    }
}
