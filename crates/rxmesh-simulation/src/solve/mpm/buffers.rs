//! Memory of the grid, and of particles sorted by grid cell.

use super::GridBody;
use super::clock::Clock;
use super::counts::PrefixSums;
use crate::launch::LaunchSimulation;
use crate::{Body, Surroundings};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_simulation_kernels::solve::mpm::grid::{Blocks, Grid, NODES};
use rxmesh_simulation_kernels::solve::mpm::{sort, transfer};

/// Initial capacity in blocks.
const BLOCKS: u32 = 256;

/// Most blocks: 32 bits number four words for each of their nodes.
const MOST_BLOCKS: u32 = u32::MAX / (4 * NODES);

/// Memory of a grid.
#[derive(Debug)]
pub(super) struct GridBuffers {
    grid: Grid,
    /// 1 for each active block of the grid and 0 for others, then the exclusive prefix sum.
    numbers: PrefixSums,
    active: Active,
    /// Grid cell of each particle, and its rank there.
    cells: Buffer<u32>,
    turns: Buffer<u32>,
    ids: Buffer<u32>,
    sorted: Buffer<u32>,
}

/// Memory of active blocks.
#[derive(Debug)]
struct Active {
    list: Buffer<u32>,
    /// Number of particles of each grid cell, then the start of each cell in the sorted order.
    starts: PrefixSums,
    nodes: Buffer<u32>,
}

impl Active {
    fn new(engine: &Engine, blocks: u32) -> Result<Active, Error> {
        let nodes = blocks as usize * NODES as usize;
        Ok(Active {
            list: engine.zeroed(blocks as usize)?,
            starts: PrefixSums::new(engine, nodes)?,
            nodes: engine.zeroed(4 * nodes)?,
        })
    }
}

impl GridBuffers {
    pub(super) fn new(engine: &Engine, grid: Grid, particles: u32) -> Result<GridBuffers, Error> {
        let n = particles as usize;
        Ok(GridBuffers {
            grid,
            numbers: PrefixSums::new(engine, grid.blocks() as usize)?,
            active: Active::new(engine, BLOCKS.min(grid.blocks()))?,
            cells: engine.zeroed(n)?,
            turns: engine.zeroed(n)?,
            ids: engine.zeroed(n)?,
            sorted: engine.zeroed(n * sort::WORDS as usize)?,
        })
    }

    /// Returns the capacity in blocks.
    pub(super) fn blocks(&self) -> u32 {
        self.active.list.len() as u32
    }

    /// Returns the number of launches of a step, without those of bodies: two prefix sums, a list, positions, nodes.
    pub(super) fn launches(&self) -> u32 {
        self.numbers.launches() + self.active.starts.launches() + 3
    }

    /// Grows the capacity to `needed` blocks and a quarter more.
    pub(super) fn grow(&mut self, needed: u32) -> Result<(), Error> {
        if needed > MOST_BLOCKS {
            return Err(Error::TooLarge {
                what: "blocks of the grid near vertices",
                count: needed.into(),
                limit: MOST_BLOCKS.into(),
            });
        }
        let blocks = needed
            .saturating_add(needed / 4)
            .min(self.grid.blocks())
            .min(MOST_BLOCKS);
        let engine = self.cells.engine().clone();
        // Frees the old memory first: nothing in it outlives a step.
        self.active = Active::new(&engine, 0)?;
        self.active = Active::new(&engine, blocks)?;
        Ok(())
    }

    fn view(&self) -> Blocks {
        Blocks {
            grid: self.grid,
            numbers: self.numbers.data().global(),
        }
    }

    /// Finds the active blocks.
    pub(super) fn activate(
        &mut self,
        clock: &Clock,
        bodies: &[&mut Body],
        members: &[GridBody],
    ) -> Result<(), Error> {
        self.numbers.clear()?;
        let engine = self.cells.engine();
        for (body, member) in bodies.iter().zip(members) {
            let kernel = sort::Activate {
                grid: self.grid,
                x: body.position.global()?,
                first: member.first,
                marks: self.numbers.data().global_mut(),
                clock: clock.view(),
            };
            engine.launch_flat(member.particles, kernel)?;
        }
        self.numbers.scan()?;
        let list = sort::List {
            blocks: self.view(),
            list: self.active.list.global_mut(),
            clock: clock.view(),
        };
        Ok(engine.launch_flat(self.grid.blocks(), list)?)
    }

    /// Sorts particles by grid cell.
    pub(super) fn sort(
        &mut self,
        clock: &Clock,
        bodies: &[&mut Body],
        members: &[GridBody],
    ) -> Result<(), Error> {
        self.active.starts.clear()?;
        let engine = self.cells.engine();
        for (body, member) in bodies.iter().zip(members) {
            let kernel = sort::Count {
                blocks: self.view(),
                x: body.position.global()?,
                counts: self.active.starts.data().global_mut(),
                cells: member.mine_mut(&self.cells),
                turns: member.mine_mut(&self.turns),
                clock: clock.view(),
            };
            engine.launch_flat(member.particles, kernel)?;
        }
        self.active.starts.scan()?;
        let place = sort::Place {
            cells: self.cells.global(),
            turns: self.turns.global(),
            starts: self.active.starts.data().global(),
            ids: self.ids.global_mut(),
            clock: clock.view(),
        };
        engine.launch_flat(self.ids.len() as u32, place)?;
        for (body, member) in bodies.iter().zip(members) {
            engine.launch_flat(member.particles, self.order(clock, body, member)?)?;
        }
        Ok(())
    }

    fn order(&self, clock: &Clock, body: &Body, member: &GridBody) -> Result<sort::Order, Error> {
        Ok(sort::Order {
            grid: self.grid,
            x: body.position.global()?,
            v: body.velocity.global()?,
            affine: member.affine.global()?,
            mass: body.mass.global()?,
            inverse_mass: body.inverse_mass.global()?,
            force: member.forces.parts(),
            drag: member.options.damping.mass as f32,
            first: member.first,
            cells: member.mine(&self.cells),
            starts: self.active.starts.data().global(),
            ids: self.ids.global(),
            sorted: self.sorted.global_mut(),
            clock: clock.view(),
        })
    }

    /// Transfers from particles to nodes and back.
    pub(super) fn transfer(
        &self,
        clock: &Clock,
        around: &Surroundings,
        bodies: &mut [&mut Body],
        members: &mut [GridBody],
    ) -> Result<(), Error> {
        let engine = self.cells.engine();
        let nodes = transfer::Nodes {
            blocks: self.view(),
            list: self.active.list.global(),
            starts: self.active.starts.data().global(),
            sorted: self.sorted.global(),
            nodes: self.active.nodes.global_mut(),
            contacts: around.contacts(),
            gravity: around.gravity(),
            clock: clock.view(),
        };
        engine.launch_blocks(self.blocks(), nodes)?;
        for (body, member) in bodies.iter_mut().zip(members) {
            let back = transfer::Back {
                blocks: self.view(),
                nodes: self.active.nodes.global(),
                x: body.position.global_mut()?,
                v: body.velocity.global_mut()?,
                affine: member.affine.global_mut()?,
                inverse_mass: body.inverse_mass.global()?,
                clock: clock.view(),
            };
            engine.launch_flat(member.particles, back)?;
        }
        Ok(())
    }
}
