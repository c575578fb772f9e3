//! Bricks near a surface, with distances.

use super::wrap::GridSize;
use crate::Error;
use crate::engine::{Buffer, Engine};
use crate::parallel::scan;
use rxmesh_kernels::algo::grid::bricks::{
    BlocksOfTriangles, BrickDistances, BricksOfTriangles, SlotBricks,
};
use rxmesh_kernels::algo::grid::{ActiveBricks, BrickGrid, VERTICES, WORDS};
use rxmesh_kernels::algo::tree::IndexedTriangles;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::parallel::flags::{FlagLive, SlotTable};

/// Distances of the grid vertices near a surface from it.
#[derive(Debug)]
pub(super) struct Distances {
    pub(super) grid: BrickGrid,
    /// Slot of each brick.
    slots: Buffer<u32>,
    /// Brick of each slot.
    bricks: Buffer<u32>,
    /// Squared distance of each grid vertex of the active bricks.
    pub(super) squares: Buffer<f32>,
    /// Nearest triangle of each.
    pub(super) nearest: Buffer<u32>,
    /// A bit for each: 1 if it is farther than the level.
    pub(super) free: Buffer<u32>,
}

impl Distances {
    /// Computes the distances in reach; grid vertices farther than the level are free.
    pub(super) fn new(
        engine: &Engine,
        &GridSize {
            grid, level, reach, ..
        }: &GridSize,
        triangles: IndexedTriangles,
    ) -> Result<Distances, Error> {
        let n = triangles.count();
        let mut counts = engine.zeroed::<u32>(n as usize)?;
        let blocks = |counts: &Buffer<u32>, to: [GlobalMut<u32>; 2]| {
            let kernel = BlocksOfTriangles {
                grid,
                triangles,
                reach,
                counts: counts.global_mut(),
                to_blocks: to[0],
                to_triangles: to[1],
            };
            engine.launch_flat(n, kernel)
        };
        blocks(&counts, [GlobalMut::empty(); 2])?;
        let pairs = total(engine, &mut counts)?;
        let (block, of) = (
            engine.uninit::<u32>(pairs as usize)?,
            engine.uninit::<u32>(pairs as usize)?,
        );
        blocks(&counts, [block.global_mut(), of.global_mut()])?;
        drop(counts);

        let all = grid.bricks();
        let counts = engine.zeroed::<u32>(all as usize)?;
        let bricks = |counts: &Buffer<u32>, to_triangles: GlobalMut<u32>| {
            let kernel = BricksOfTriangles {
                grid,
                triangles,
                reach,
                blocks: block.global(),
                of: of.global(),
                counts: counts.global_mut(),
                to_triangles,
            };
            engine.launch_flat(pairs, kernel)
        };
        bricks(&counts, GlobalMut::empty())?;
        let mut slots = engine.uninit::<u32>(all as usize)?;
        // Bricks without triangles are the dead ones.
        let kernel = FlagLive {
            slots: SlotTable {
                entries: counts.global(),
                width: 1,
                dead: 0,
            },
            flags: slots.global_mut(),
        };
        engine.launch_flat(all, kernel)?;
        let active = scan::exclusive(engine, &mut slots)?;
        let list = engine.uninit::<u32>(active as usize)?;
        let kernel = SlotBricks {
            counts: counts.global(),
            slots: slots.global_mut(),
            bricks: list.global_mut(),
        };
        engine.launch_flat(all, kernel)?;
        let mut ends = engine.uninit::<u32>(all as usize)?;
        ends.copy_from(&counts)?;
        let entries = total(engine, &mut ends)?;
        let entries = engine.uninit::<u32>(entries as usize)?;
        bricks(&ends, entries.global_mut())?;

        let vertices = vertices_of(active)?;
        let found = Distances {
            grid,
            slots,
            bricks: list,
            squares: engine.uninit(vertices)?,
            nearest: engine.uninit(vertices)?,
            free: engine.uninit((active * WORDS) as usize)?,
        };
        let kernel = BrickDistances {
            active: found.active(),
            triangles,
            ends: ends.global(),
            counts: counts.global(),
            of: entries.global(),
            reach_square: reach * reach,
            free_square: level * level,
            squares: found.squares.global_mut(),
            nearest: found.nearest.global_mut(),
            free: found.free.global_mut(),
        };
        engine.launch_blocks(active, kernel)?;
        Ok(found)
    }

    /// Returns the number of active bricks.
    pub(super) fn count(&self) -> u32 {
        self.bricks.len() as u32
    }

    /// Reads the brick of each slot.
    pub(super) fn bricks(&self) -> Result<Vec<u32>, Error> {
        Ok(self.bricks.read()?)
    }

    /// Returns the active bricks as a kernel argument.
    pub(super) fn active(&self) -> ActiveBricks {
        ActiveBricks {
            grid: self.grid,
            slots: self.slots.global(),
            bricks: self.bricks.global(),
        }
    }
}

/// Replaces numbers of pairs by their exclusive prefix sums, and returns their total.
fn total(engine: &Engine, counts: &mut Buffer<u32>) -> Result<u32, Error> {
    let what = "pairs of a triangle and a brick of the grid near it (fewer with larger cells or a smaller gap)";
    scan::exclusive(engine, counts).map_err(|e| e.too_many(what))
}

/// Returns the number of grid vertices of active bricks.
fn vertices_of(active: u32) -> Result<usize, Error> {
    let count = u64::from(active) * u64::from(VERTICES);
    if count > u64::from(u32::MAX) {
        return Err(Error::TooLarge {
            what: "vertices of the grid near the surface",
            count,
            limit: u64::from(u32::MAX),
        });
    }
    Ok(count as usize)
}
