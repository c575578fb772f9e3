//! Grid vertices outside of a surface.

use super::bricks::Distances;
use crate::Error;
use crate::engine::{Buffer, Engine};
use rxmesh_kernels::algo::grid::flood::FloodBricks;
use rxmesh_kernels::algo::grid::{OutsideView, VERTICES, WORDS};
use rxmesh_kernels::edit::Fill;

/// Launches between two host read-backs.
const LAUNCHES: u32 = 16;

/// Grid vertices that count as outside of a surface: a flood has reached them.
#[derive(Debug)]
pub(super) struct Outside {
    /// A bit for each grid vertex of the active bricks.
    bits: Buffer<u32>,
    /// 1 for each brick that is not active and was reached.
    open: Buffer<u32>,
}

/// Grid vertex of an active brick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed {
    pub(super) slot: u32,
    pub(super) brick: u32,
    /// Number in the brick.
    pub(super) number: u32,
}

impl Outside {
    /// Makes the set of no grid vertex.
    pub(super) fn nothing(engine: &Engine, distances: &Distances) -> Result<Outside, Error> {
        Ok(Outside {
            bits: engine.zeroed((distances.count() * WORDS) as usize)?,
            open: engine.zeroed(distances.grid.bricks() as usize)?,
        })
    }

    /// Floods the grid from its first brick, which is at a corner and not active.
    pub(super) fn new(engine: &Engine, distances: &Distances) -> Result<Outside, Error> {
        let outside = Outside::nothing(engine, distances)?;
        let due = engine.zeroed::<u32>(distances.grid.bricks() as usize)?;
        let (nx, ny) = (distances.grid.nx, distances.grid.ny);
        let set = |to: &Buffer<u32>, at: u32| {
            let to = to.global_mut().part(at, 1);
            engine.launch_flat(1, Fill { to, value: 1 })
        };
        set(&outside.open, 0)?;
        for neighbour in [1, nx, nx * ny] {
            set(&due, neighbour)?;
        }
        outside.spread(engine, distances, due)?;
        Ok(outside)
    }

    /// Adds free grid vertices, and all that a flood reaches from them.
    pub(super) fn flood_from(
        &mut self,
        engine: &Engine,
        distances: &Distances,
        seeds: &[Seed],
    ) -> Result<(), Error> {
        let grid = &distances.grid;
        let mut bits = self.bits.read()?;
        let mut due = vec![0; grid.bricks() as usize];
        for &Seed {
            slot,
            brick,
            number,
        } in seeds
        {
            bits[(slot * WORDS + number / 32) as usize] |= 1 << (number % 32);
            // A brick makes its neighbours due only if the flood went on in it.
            due[brick as usize] = 1;
            let at = grid.coordinates(brick);
            let ends = [grid.nx, grid.ny, grid.nz];
            for (axis, step) in [1, grid.nx, grid.nx * grid.ny].into_iter().enumerate() {
                if at[axis] > 0 {
                    due[(brick - step) as usize] = 1;
                }
                if at[axis] + 1 < ends[axis] {
                    due[(brick + step) as usize] = 1;
                }
            }
        }
        self.bits.write(&bits)?;
        self.spread(engine, distances, engine.upload(&due)?)
    }

    /// Goes on with the flood, from the bricks that are due.
    fn spread(
        &self,
        engine: &Engine,
        distances: &Distances,
        due: Buffer<u32>,
    ) -> Result<(), Error> {
        let all = distances.grid.bricks();
        let (mut now, mut next) = (due, engine.zeroed::<u32>(all as usize)?);
        let last = engine.zeroed::<u32>(2)?;
        let mut launch = 0;
        loop {
            for _ in 0..LAUNCHES {
                launch += 1;
                let kernel = FloodBricks {
                    active: distances.active(),
                    free: distances.free.global(),
                    bits: self.bits.global_mut(),
                    open: self.open.global_mut(),
                    due: now.global_mut(),
                    due_next: next.global_mut(),
                    launch,
                    last: last.global_mut(),
                };
                engine.launch_flat(all, kernel)?;
                std::mem::swap(&mut now, &mut next);
            }
            if last.read()?[1] < launch {
                return Ok(());
            }
        }
    }

    /// Reads the bits of the grid vertices of active bricks.
    pub(super) fn bits(&self) -> Result<Vec<u32>, Error> {
        Ok(self.bits.read()?)
    }

    /// Counts the grid vertices.
    pub(super) fn count(&self) -> Result<u64, Error> {
        let of_bits = self.bits.read()?;
        let of_bits = of_bits.iter().map(|word| u64::from(word.count_ones()));
        let of_bricks = self.open.read()?;
        let of_bricks = of_bricks.iter().map(|&open| u64::from(open * VERTICES));
        Ok(of_bits.sum::<u64>() + of_bricks.sum::<u64>())
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
