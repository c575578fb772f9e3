//! Turns: which elements of a patch may be worked on at a time, because none of them shares with another what it
//! changes.

use rxmesh_kernels::attr::Field;
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::Patch;

rxmesh_kernels::args! {
    /// For each patch lists of local ids: a list for each colour.
    pub struct Turns {
        /// Where each patch's table starts in `tables`.
        pub starts: Global<u32>,
        /// For each patch the number of its colours, the end of each colour's list, and the lists.
        pub tables: Global<u16>,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for Turns {}

impl Turns {
    /// The lists of a patch.
    #[inline(always)]
    pub fn of(&self, patch: &Patch) -> Lists {
        let table = self.tables.from(self.starts.get(patch.id()));
        let colours = u32::from(table.get(0));
        Lists {
            colours,
            ends: table.from(1),
            items: table.from(1 + colours),
        }
    }
}

/// The lists of one patch.
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    /// Number of colours.
    pub colours: u32,
    ends: Global<u16>,
    items: Global<u16>,
}

impl Lists {
    /// First and last place of a colour's list; an empty list beyond the last colour.
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

    /// The local id at a place.
    #[inline(always)]
    pub fn item(&self, at: u32) -> u32 {
        u32::from(self.items.get(at))
    }
}
