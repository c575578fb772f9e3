//! Columns of a session, and what it does with them.

use super::{Motion, Session};
use crate::Error;
use crate::edit::columns::{Column, Columns};
use crate::edit::scheduler::Edits;
use crate::engine::Buffer;
use crate::repack::words_of;
use crate::store::{Attribute, AttributeError};
use rxmesh_kernels::algo::improve::remesh::LineEdges;
use rxmesh_kernels::attr::{Sum, Value};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::{Edge, Element, Face, Vertex};

impl<C: Edits> Session<C> {
    /// Takes an attribute of the mesh into the session: its values stay with their elements, through changes and the
    /// closing. New elements find the value of the deleted element whose slot they take, or zero; operators set what
    /// else they should have. Attributes that are not taken along are dropped.
    ///
    /// # Errors
    ///
    /// An attribute of another mesh, one that is newer on the host, values that are not whole 32-bit words or too many
    /// of them, or no memory on the engine.
    pub fn attach<K: Element, T: Value>(
        &mut self,
        x: &Attribute<K, T>,
    ) -> Result<Column<K, T>, Error> {
        self.sound()?;
        words_of::<T>()?;
        if x.mesh_id() != self.mesh.source() {
            return Err(AttributeError::OtherMesh.into());
        }
        // Refuses one that is newer on the host.
        x.global()?;
        Columns::check_len::<T>(self.capacity(K::KIND))?;
        let values = self.edits.place(&self.mesh, K::KIND, x.buffer())?;
        Ok(self.columns.add(values))
    }

    /// Returns a new column of zeroes.
    ///
    /// # Errors
    ///
    /// Values that are not whole 32-bit words or too many of them, or no memory on the engine.
    pub fn column<K: Element, T: Value>(&mut self) -> Result<Column<K, T>, Error> {
        self.sound()?;
        words_of::<T>()?;
        let slots = self.capacity(K::KIND);
        Columns::check_len::<T>(slots)?;
        let values = self.engine().zeroed(slots as usize)?;
        Ok(self.columns.add(values))
    }

    /// Makes new vertices get the weighted mean of the values of those that they arise from: the ends of an edge that
    /// is split or collapsed, the corners of a face. For operators that say so
    /// ([`rxmesh_kernels::cavity::Hole::add_vertex_at`]).
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`].
    pub fn interpolate<T: Sum>(&mut self, column: Column<Vertex, T>) -> Result<(), Error> {
        self.sound()?;
        self.columns.blend(column)
    }

    /// Makes the library's algorithms keep the edges that a column marks with values other than 0, as they keep the
    /// boundary: they are not flipped, stay lines when they are split, and are contracted along themselves only.
    /// Simplification moves vertices inside such a line along it; where lines end, branch or meet the boundary, they
    /// stay.
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`].
    pub fn keep_edges(&mut self, marks: Column<Edge, u32>) -> Result<(), Error> {
        self.values(marks)?;
        self.kept = Some(marks);
        Ok(())
    }

    /// Makes simplification hold the edges that a column marks with values other than 0, as it holds the boundary, with
    /// a separate weight
    /// ([`SimplifyOptions::group_weight`](crate::algo::improve::simplify::SimplifyOptions::group_weight)).
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`].
    pub fn hold_edges(&mut self, marks: Column<Edge, u32>) -> Result<(), Error> {
        self.values(marks)?;
        self.held = Some(marks);
        Ok(())
    }

    /// Returns the marks of edges that are held, if there are any.
    pub fn held_edges(&self) -> Option<Column<Edge, u32>> {
        self.held
    }

    /// Makes simplification write into a column of zeroes, for each deleted vertex, the slot of the vertex that
    /// replaces it and 1.
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`].
    pub fn follow(&mut self, column: Column<Vertex, u32>) -> Result<(), Error> {
        self.values(column)?;
        self.followed = Some(column);
        Ok(())
    }

    /// Notes the motion of vertices by an algorithm: of several the last one in the order of [`Motion`] counts.
    pub fn note_motion(&mut self, motion: Motion) {
        self.motion = self.motion.max(motion);
    }

    /// Returns the motion of the vertices since the session was opened.
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Returns the column of [`Session::follow`], if there is one.
    pub fn followed(&self) -> Option<Column<Vertex, u32>> {
        self.followed
    }

    /// Returns the marks of edges that are kept, if there are any.
    pub fn kept_edges(&self) -> Option<Column<Edge, u32>> {
        self.kept
    }

    /// Returns the lines that operators keep.
    pub(crate) fn lines(&self) -> Result<LineEdges, Error> {
        Ok(match self.kept {
            Some(marks) => LineEdges {
                marks: self.write(marks)?,
                any: 1,
            },
            None => LineEdges {
                marks: self.nothing.global_mut(),
                any: 0,
            },
        })
    }

    /// Makes new vertices and faces inherit the values of two columns, such as the numbers of the elements they arose
    /// from. A new vertex gets that of its parent of greatest weight (of equals the first), with
    /// [`BORN`](rxmesh_kernels::cavity::BORN); a new face that of the face it arises from, as
    /// [`Hole::add_face`](rxmesh_kernels::cavity::Hole::add_face) says: the halves of a face that is split have its
    /// value. Values are below 2^31. The columns replace those of an earlier call.
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`].
    pub fn trace(
        &mut self,
        vertices: Column<Vertex, u32>,
        faces: Column<Face, u32>,
    ) -> Result<(), Error> {
        self.sound()?;
        self.columns.trace(vertices, faces)
    }

    /// Returns the values of a column, by session id. They stay valid until the session grows: operators are made anew
    /// in each round.
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`] when the column is another session's.
    pub fn values<K: Element, T: Value>(&self, column: Column<K, T>) -> Result<&Buffer<T>, Error> {
        self.sound()?;
        self.columns.get(column)
    }

    /// Sets all values of a column, by session id.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`](crate::engine::EngineError::Length) unless there is a value for every slot, and as
    /// [`Session::values`].
    pub fn set<K: Element, T: Value>(
        &mut self,
        column: Column<K, T>,
        values: &[T],
    ) -> Result<(), Error> {
        self.sound()?;
        Ok(self.columns.get_mut(column)?.write(values)?)
    }

    /// Returns a column as a kernel argument that reads.
    ///
    /// # Errors
    ///
    /// As [`Session::values`].
    pub fn read<K: Element, T: Value>(&self, column: Column<K, T>) -> Result<Global<T>, Error> {
        Ok(self.values(column)?.global())
    }

    /// Returns a column as a kernel argument that writes.
    ///
    /// # Errors
    ///
    /// As [`Session::values`].
    pub fn write<K: Element, T: Value>(&self, column: Column<K, T>) -> Result<GlobalMut<T>, Error> {
        Ok(self.values(column)?.global_mut())
    }
}
