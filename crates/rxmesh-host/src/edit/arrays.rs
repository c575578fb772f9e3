//! The elements of a session as arrays in the engine's memory, in the order of [`Session::to_mesh`], without a copy to
//! the host.

use super::mesh::OpenMesh;
use super::{Column, Edits, Session};
use crate::Error;
use crate::engine::Buffer;
use crate::parallel::flags::{RankedSet, numbers, put, scatter};
use crate::parallel::{fill, scan::in_place_shared};
use crate::repack::words_of;
use rxmesh_kernels::algo::components::ComponentsLabel;
use rxmesh_kernels::algo::tree::WriteLive;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::edit::NONE;
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Live slots of a kind, numbered in ascending order.
pub(crate) struct LiveSlots {
    /// Number of live slots.
    pub(crate) count: u32,
    /// Number of each live slot, [`NONE`] of dead ones.
    number: Buffer<u32>,
}

impl LiveSlots {
    fn new(mesh: &OpenMesh, kind: Kind) -> Result<LiveSlots, Error> {
        let (engine, slots) = (mesh.engine(), mesh.capacity(kind));
        let set = engine.uninit::<u32>(slots.div_ceil(u32::BITS) as usize)?;
        mesh.mark_dead(kind, slots, &set)?;
        let dead = RankedSet::new(engine, &set)?.list()?;
        let number = engine.uninit::<u32>(slots as usize)?;
        fill(engine, number.global_mut(), 1)?;
        put(engine, &dead, 0, &number)?;
        if slots > 0 {
            in_place_shared(engine, &number)?;
        }
        put(engine, &dead, NONE, &number)?;
        Ok(LiveSlots {
            count: slots - dead.len() as u32,
            number,
        })
    }

    /// Returns the values of the live slots, of `width` words each: `values` has one for each slot.
    pub(crate) fn values(&self, values: Global<u32>, width: u32) -> Result<Buffer<u32>, Error> {
        let engine = self.number.engine();
        let live = engine.uninit::<u32>((self.count * width) as usize)?;
        scatter(engine, &self.number, values, live.global_mut(), width)?;
        Ok(live)
    }

    /// Returns the live slots.
    pub(crate) fn slots(&self) -> Result<Buffer<u32>, Error> {
        let engine = self.number.engine();
        let all = numbers(engine, self.number.len() as u32, 1)?;
        self.values(all.global(), 1)
    }

    /// Returns the numbers of slots, all of which are live.
    fn numbers_of(&self, slots: &Buffer<u32>) -> Result<Buffer<u32>, Error> {
        let engine = self.number.engine();
        let found = engine.uninit::<u32>(slots.len())?;
        // Looks up `rank[first[parent[i]]]`: the ranks of numbers are the numbers.
        let rank = numbers(engine, self.count, 1)?;
        let look_up = ComponentsLabel {
            parent: slots.global(),
            first: self.number.global(),
            rank: rank.global(),
            label: found.global_mut(),
        };
        engine.launch_flat(slots.len() as u32, look_up)?;
        Ok(found)
    }
}

impl<C: Edits> Session<C> {
    /// Numbers the live slots of a kind on the engine.
    ///
    /// # Errors
    ///
    /// [`Error::VoidSession`], no memory, or any error of the engine.
    pub(crate) fn live_slots(&self, kind: Kind) -> Result<LiveSlots, Error> {
        self.sound()?;
        LiveSlots::new(&self.mesh, kind)
    }

    /// Counts the live elements of a kind, as [`Session::count`]; the host reads the number alone.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn live_count(&self, kind: Kind) -> Result<u32, Error> {
        self.sound()?;
        let slots = self.capacity(kind);
        let set = self
            .engine()
            .uninit::<u32>(slots.div_ceil(u32::BITS) as usize)?;
        self.mesh.mark_dead(kind, slots, &set)?;
        Ok(slots - RankedSet::new(self.engine(), &set)?.count)
    }

    /// Returns the values of the live vertices, such as their positions, in the engine's memory: in the order of their
    /// session ids.
    ///
    /// # Errors
    ///
    /// Values that are not whole 32-bit words, no memory, any error of the engine, and those of [`Session::values`].
    pub fn to_engine_values<T: Value>(&self, x: Column<Vertex, T>) -> Result<Buffer<T>, Error> {
        let width = words_of::<T>()?;
        let x = self.read(x)?.cast();
        let live = self.live_slots(Kind::Vertex)?.values(x, width)?;
        Ok(live.cast()?)
    }

    /// Returns the corners of the live faces in the engine's memory, as rows of [`Session::to_engine_values`]: in the
    /// order of their session ids.
    ///
    /// # Errors
    ///
    /// [`Error::VoidSession`], no memory, or any error of the engine.
    pub fn to_engine_faces(&self) -> Result<Buffer<[u32; 3]>, Error> {
        let [vertices, faces] = [self.live_slots(Kind::Vertex)?, self.live_slots(Kind::Face)?];
        let engine = self.engine();
        let corners = engine.uninit::<u32>(3 * faces.count as usize)?;
        let write = WriteLive {
            mesh: self.mesh()?,
            starts: faces.number.global(),
            faces: corners.global_mut(),
        };
        engine.launch_flat(self.capacity(Kind::Face), write)?;
        Ok(vertices.numbers_of(&corners)?.cast()?)
    }

    /// Returns the ends of the live edges in the engine's memory, as [`Session::to_engine_faces`] returns corners.
    ///
    /// # Errors
    ///
    /// As [`Session::to_engine_faces`].
    pub fn to_engine_edges(&self) -> Result<Buffer<[u32; 2]>, Error> {
        let [vertices, edges] = [self.live_slots(Kind::Vertex)?, self.live_slots(Kind::Edge)?];
        let ends = edges.values(self.mesh.ends().global(), 2)?;
        Ok(vertices.numbers_of(&ends)?.cast()?)
    }
}
