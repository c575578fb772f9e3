//! Grid vertices outside of a surface.

use super::bricks::Distances;
use crate::Error;
use crate::engine::{Buffer, Engine};
use rxmesh_kernels::algo::grid::flood::FloodBricks;
use rxmesh_kernels::algo::grid::{OutsideView, WORDS};
use rxmesh_kernels::edit::Fill;

/// Launches between two host read-backs.
const LAUNCHES: u32 = 16;

/// Grid vertices that can be reached from the border of the grid over free ones.
#[derive(Debug)]
pub(super) struct Outside {
    /// A bit for each grid vertex of the active bricks.
    bits: Buffer<u32>,
    /// 1 for each brick that is not active and was reached.
    open: Buffer<u32>,
}

impl Outside {
    /// Floods the grid from its first brick, which is not active.
    pub(super) fn new(engine: &Engine, distances: &Distances) -> Result<Outside, Error> {
        let all = distances.grid.bricks();
        let outside = Outside {
            bits: engine.zeroed((distances.count() * WORDS) as usize)?,
            open: engine.zeroed(all as usize)?,
        };
        let (mut now, mut next) = (
            engine.zeroed::<u32>(all as usize)?,
            engine.zeroed::<u32>(all as usize)?,
        );
        // The first brick is at a corner of the grid. Its neighbours are due.
        let (nx, ny) = (distances.grid.nx, distances.grid.ny);
        let set = |to: &Buffer<u32>, at: u32| {
            let to = to.global_mut().part(at, 1);
            engine.launch_flat(1, Fill { to, value: 1 })
        };
        set(&outside.open, 0)?;
        for neighbour in [1, nx, nx * ny] {
            set(&now, neighbour)?;
        }
        let last = engine.zeroed::<u32>(2)?;
        let mut launch = 0;
        loop {
            for _ in 0..LAUNCHES {
                launch += 1;
                let kernel = FloodBricks {
                    active: distances.active(),
                    free: distances.free.global(),
                    bits: outside.bits.global_mut(),
                    open: outside.open.global_mut(),
                    due: now.global_mut(),
                    due_next: next.global_mut(),
                    launch,
                    last: last.global_mut(),
                };
                engine.launch_flat(all, kernel)?;
                std::mem::swap(&mut now, &mut next);
            }
            if last.read()?[1] < launch {
                return Ok(outside);
            }
        }
    }

    /// Returns the grid vertices as a kernel argument.
    pub(super) fn view(&self, distances: &Distances) -> OutsideView {
        OutsideView {
            active: distances.active(),
            bits: self.bits.global(),
            open: self.open.global(),
        }
    }
}
