//! Local elements of a patch by colour: those of one colour can be processed in parallel, because they share no data
//! that they change.

use rxmesh_kernels::attr::Field;
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::Patch;

rxmesh_kernels::args! {
    /// Lists of local ids for each patch, one list per colour.
    pub struct Turns {
        /// Offset of each patch's table in `tables`.
        pub starts: Global<u32>,
        /// For each patch the number of its colours, the end of each colour's list, and the lists.
        pub tables: Global<u16>,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for Turns {}

impl Turns {
    /// Returns the lists of a patch.
    #[inline(always)]
    pub fn of(&self, patch: &Patch) -> ColourLists {
        let table = self.tables.from(self.starts.get(patch.id()));
        let colours = u32::from(table.get(0));
        ColourLists {
            colours,
            ends: table.from(1),
            items: table.from(1 + colours),
        }
    }
}

/// Lists of one patch.
#[derive(Clone, Copy, Debug)]
pub struct ColourLists {
    /// Number of colours.
    pub colours: u32,
    ends: Global<u16>,
    items: Global<u16>,
}

impl ColourLists {
    /// Returns the range of a colour's list; an empty one beyond the last colour.
    #[inline(always)]
    pub fn range(&self, colour: u32) -> (u32, u32) {
        if colour >= self.colours {
            return (0, 0);
        }
        let first = if colour == 0 {
            0
        } else {
            u32::from(self.ends.get(colour - 1))
        };
        (first, u32::from(self.ends.get(colour)))
    }

    /// Returns the local id at an index.
    #[inline(always)]
    pub fn item(&self, at: u32) -> u32 {
        u32::from(self.items.get(at))
    }
}
