//! The elements of a session as arrays in the engine's memory, in the order of [`Session::to_mesh`], without a copy to
//! the host.

use super::mesh::OpenMesh;
use super::{Column, Edits, Session};
use crate::Error;
use crate::engine::{Buffer, EngineError};
use crate::parallel::scan::exclusive_shared;
use crate::parallel::{flags, scatter};
use crate::repack::words_of;
use rxmesh_kernels::algo::tree::WriteLive;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::parallel::flags::{FlagLive, GatherWords, NumberLive};
use rxmesh_kernels::topo::{Kind, Vertex};

/// Live slots of a kind, numbered in ascending order.
pub(crate) struct LiveSlots {
    /// Number of live slots.
    pub(crate) count: u32,
    /// Number of each live slot, `u32::MAX` of dead ones.
    number: Buffer<u32>,
}

/// Returns the flags of the live slots of a kind.
fn live_flags(mesh: &OpenMesh, kind: Kind) -> Result<Buffer<u32>, EngineError> {
    let (engine, slots) = (mesh.engine(), mesh.capacity(kind));
    let flags = engine.uninit::<u32>(slots as usize)?;
    let flag = FlagLive {
        slots: mesh.slot_table(kind),
        flags: flags.global_mut(),
    };
    engine.launch_flat(slots, flag)?;
    Ok(flags)
}

impl LiveSlots {
    fn new(mesh: &OpenMesh, kind: Kind) -> Result<LiveSlots, Error> {
        let engine = mesh.engine();
        let number = live_flags(mesh, kind)?;
        let count = exclusive_shared(engine, &number)?;
        let number_live = NumberLive {
            slots: mesh.slot_table(kind),
            numbers: number.global_mut(),
        };
        engine.launch_flat(number.len() as u32, number_live)?;
        Ok(LiveSlots { count, number })
    }

    /// Returns the values of the live slots, of `width` words each: `values` has one for each slot.
    pub(crate) fn values(
        &self,
        values: Global<u32>,
        width: u32,
    ) -> Result<Buffer<u32>, EngineError> {
        let engine = self.number.engine();
        let live = engine.uninit::<u32>((self.count * width) as usize)?;
        scatter(engine, &self.number, values, live.global_mut(), width)?;
        Ok(live)
    }

    /// Writes a word for each slot: that of a live one is its value, that of a dead one 0.
    pub(crate) fn write(
        &self,
        values: &Buffer<u32>,
        to: GlobalMut<u32>,
    ) -> Result<(), EngineError> {
        gather(values, &self.number, to)
    }

    /// Returns the numbers of slots, all of which are live.
    fn numbers_of(&self, slots: &Buffer<u32>) -> Result<Buffer<u32>, EngineError> {
        let found = slots.engine().uninit::<u32>(slots.len())?;
        gather(&self.number, slots, found.global_mut())?;
        Ok(found)
    }
}

/// Writes the words at some indices, 0 for the index `u32::MAX`.
fn gather(from: &Buffer<u32>, at: &Buffer<u32>, to: GlobalMut<u32>) -> Result<(), EngineError> {
    let look_up = GatherWords {
        from: from.global(),
        at: at.global(),
        to,
    };
    at.engine().launch_flat(at.len() as u32, look_up)
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

    /// Returns the corners of the live faces, three slots of vertices each, on the engine.
    ///
    /// # Errors
    ///
    /// As [`Session::live_slots`].
    pub(crate) fn live_corners(&self) -> Result<Buffer<u32>, Error> {
        let (engine, faces) = (self.engine(), self.live_slots(Kind::Face)?);
        let corners = engine.uninit::<u32>(3 * faces.count as usize)?;
        let write = WriteLive {
            mesh: self.mesh()?,
            starts: faces.number.global(),
            faces: corners.global_mut(),
        };
        engine.launch_flat(self.capacity(Kind::Face), write)?;
        Ok(corners)
    }

    /// Counts the live elements of a kind, as [`Session::count`]; the host reads the number alone.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn live_count(&self, kind: Kind) -> Result<u32, Error> {
        self.sound()?;
        Ok(flags::count(&live_flags(&self.mesh, kind)?)? as u32)
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
        let vertices = self.live_slots(Kind::Vertex)?;
        Ok(vertices.numbers_of(&self.live_corners()?)?.cast()?)
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
