//! Tables that a mesh must keep for a relation or a kernel.

/// A set of kinds of element, with a flag if volumes must keep the whole ring around their own elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs(u8);

impl Needs {
    /// Nothing but vertices, which every mesh has.
    pub const NONE: Needs = Needs(0);
    /// Edges.
    pub const EDGES: Needs = Needs(1);
    /// Faces.
    pub const FACES: Needs = Needs(2);
    /// Cells: a volume.
    pub const CELLS: Needs = Needs(4);
    /// For a volume, all cells around the vertices of owned elements. Surfaces always have the faces that this asks
    /// for.
    pub const RING: Needs = Needs(8);
    /// Tables of every surface.
    pub const SURFACE: Needs = Needs::EDGES.and(Needs::FACES).and(Needs::RING);

    /// Returns both.
    pub const fn and(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// Returns `true` if all of `other` is in this.
    pub const fn has(self, other: Needs) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the part of this that is not in `there`.
    pub const fn without(self, there: Needs) -> Needs {
        Needs(self.0 & !there.0)
    }
}

impl core::fmt::Display for Needs {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut first = true;
        for (need, name) in [
            (Needs::EDGES, "edges"),
            (Needs::FACES, "faces"),
            (Needs::CELLS, "cells"),
            (Needs::RING, "the ring"),
        ] {
            if self.has(need) {
                f.write_str(if first { "" } else { ", " })?;
                f.write_str(name)?;
                first = false;
            }
        }
        Ok(())
    }
}
