//! The header of a patch: 64 bytes with the places of its parts.
//!
//! A patch's data lies in three arrays that all patches share (Dynamic RXMesh 2024, section 5.1,
//! with the linear ids of ARCHITECTURE.md):
//!
//! - `topology` (`u16`): section EV, then section FE, each starting at a multiple of 16 bytes;
//! - `masks` (`u32` words): owned V, E, F, then active V, E, F, each `capacity.div_ceil(32)` words;
//! - `ribbons` (`u32`): the linear ids of the not-owned V, then E, then F, each list starting at a
//!   multiple of 16 bytes.
//!
//! A patch of a volume has sections CV, CE and CF after FE, and its cells' ribbon after the faces'. It has no masks:
//! volumes do not change. Kinds that a volume does not keep have empty sections, and so have CE and CF then.
//!
//! Sections are sized by *capacity*, so that a patch can grow in place; a static patch has
//! `capacity == total`.

/// Kind of an element. The first three are the index of every `[_; 3]` in this crate; the cells of a volume have
/// separate fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A 0-cell.
    Vertex = 0,
    /// A 1-cell.
    Edge = 1,
    /// A 2-cell.
    Face = 2,
    /// A 3-cell: a tetrahedron.
    Cell = 3,
}

impl Kind {
    /// Kinds of a surface, in index order.
    pub const ALL: [Kind; 3] = [Kind::Vertex, Kind::Edge, Kind::Face];
    /// Kinds of a volume, in index order.
    pub const VOLUME: [Kind; 4] = [Kind::Vertex, Kind::Edge, Kind::Face, Kind::Cell];
}

/// Every section starts at a multiple of this many bytes, so that 16-byte accesses are possible.
pub const SECTION_ALIGN: usize = 16;

const U16_PER_ALIGN: u32 = (SECTION_ALIGN / 2) as u32;
const U32_PER_ALIGN: u32 = (SECTION_ALIGN / 4) as u32;

/// Places of one patch's sections, and numbers of its elements. All `[_; 3]` are indexed by [`Kind`].
///
/// Local ids run from 0 to `total`; the first `owned` of each kind are owned, the rest are the
/// ribbon. The linear id of owned element `i` is `base + i`; that of a ribbon element `i` is
/// `ribbons[ribbon_section(kind) + i - owned]`.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct PatchHeader {
    /// Linear id of the first owned element.
    pub base: [u32; 3],
    /// Offset of the patch in `topology`, in `u16` entries; a multiple of 8.
    pub topology: u32,
    /// Number of owned elements.
    pub owned: [u16; 3],
    /// Number of local elements: owned and ribbon.
    pub total: [u16; 3],
    /// Number of local elements that the sections can hold.
    pub capacity: [u16; 3],
    /// Not used; zero.
    pub reserved: u16,
    /// Offset of the patch in `ribbons`, in `u32` entries; a multiple of 4.
    pub ribbon: u32,
    /// Offset of the patch in `masks`, in `u32` words.
    pub mask: u32,
    /// For a volume, linear id of the first owned cell. All that follows is zero in a surface.
    pub cell_base: u32,
    /// Number of owned cells.
    pub cells_owned: u16,
    /// Number of local cells, and capacity for them.
    pub cells: u16,
    /// Number of local V, E, F that owned elements are made of: the owned ones and shell 0. They come first.
    pub near: [u16; 3],
    /// Not used; zero.
    pub reserved2: u16,
    /// Not used; zero.
    pub reserved3: u32,
}

const _: () = assert!(size_of::<PatchHeader>() == 64);

const fn align_up(n: u32, to: u32) -> u32 {
    n.div_ceil(to) * to
}

impl PatchHeader {
    /// Most local edges a patch can have: an FE entry keeps 15 bits for the edge.
    pub const MAX_EDGES: u32 = 1 << 15;
    /// Most local vertices or faces a patch can have (`u16` ids).
    pub const MAX_ELEMENTS: u32 = u16::MAX as u32;

    /// Returns the offset of section EV in `topology`, in `u16` entries: two local vertices per edge, source first.
    #[inline(always)]
    pub const fn ev_section(&self) -> u32 {
        self.topology
    }

    /// Returns the offset of section FE in `topology`, in `u16` entries: three entries a face, each `local edge << 1 |
    /// d`, where `d = 1` says that the face runs along the edge from target to source. Entry `k` joins corner `k` to
    /// corner `(k + 1) % 3`.
    #[inline(always)]
    pub const fn fe_section(&self) -> u32 {
        self.topology + align_up(2 * self.capacity[1] as u32, U16_PER_ALIGN)
    }

    /// Returns the offset of section CV in `topology`: four local vertices per cell.
    #[inline(always)]
    pub const fn cv_section(&self) -> u32 {
        self.fe_section() + align_up(3 * self.capacity[2] as u32, U16_PER_ALIGN)
    }

    /// Returns the offset of section CE in `topology`: six local edges a cell, in the order of their corners: 01, 02,
    /// 03, 12, 13, 23. Empty without edges.
    #[inline(always)]
    pub const fn ce_section(&self) -> u32 {
        self.cv_section() + align_up(4 * self.cells as u32, U16_PER_ALIGN)
    }

    /// Returns the offset of section CF in `topology`: four local faces a cell; face `k` lies opposite corner `k`.
    /// Empty without faces.
    #[inline(always)]
    pub const fn cf_section(&self) -> u32 {
        let edges = if self.capacity[1] == 0 { 0 } else { 6 };
        self.ce_section() + align_up(edges * self.cells as u32, U16_PER_ALIGN)
    }

    /// Returns the number of `u16` entries of a volume's patch in `topology`.
    #[inline(always)]
    pub const fn volume_len(&self) -> u32 {
        let faces = if self.capacity[2] == 0 { 0 } else { 4 };
        self.cf_section() - self.topology + align_up(faces * self.cells as u32, U16_PER_ALIGN)
    }

    /// Returns the number of `u16` entries of a surface's patch in `topology`.
    #[inline(always)]
    pub const fn topology_len(&self) -> u32 {
        self.fe_section() - self.topology + align_up(3 * self.capacity[2] as u32, U16_PER_ALIGN)
    }

    /// Returns the linear id of the first owned element of a kind.
    #[inline(always)]
    pub const fn base_of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Cell => self.cell_base,
            _ => self.base[kind as usize],
        }
    }

    /// Returns the number of owned elements of a kind.
    #[inline(always)]
    pub const fn owned_of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Cell => self.cells_owned as u32,
            _ => self.owned[kind as usize] as u32,
        }
    }

    /// Returns the number of local elements of a kind.
    #[inline(always)]
    pub const fn total_of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Cell => self.cells as u32,
            _ => self.total[kind as usize] as u32,
        }
    }

    /// Returns, for a volume, the number of local elements of a kind in owned elements: the owned ones and shell 0.
    #[inline(always)]
    pub const fn near_of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Cell => self.cells_owned as u32,
            _ => self.near[kind as usize] as u32,
        }
    }

    /// Returns the capacity for ribbon elements of a kind.
    #[inline(always)]
    pub const fn ribbon_capacity(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Cell => self.cells as u32 - self.cells_owned as u32,
            _ => self.capacity[kind as usize] as u32 - self.owned[kind as usize] as u32,
        }
    }

    /// Returns the offset of a kind's ribbon list in `ribbons`.
    #[inline(always)]
    pub const fn ribbon_section(&self, kind: Kind) -> u32 {
        let v = align_up(self.ribbon_capacity(Kind::Vertex), U32_PER_ALIGN);
        let e = align_up(self.ribbon_capacity(Kind::Edge), U32_PER_ALIGN);
        match kind {
            Kind::Vertex => self.ribbon,
            Kind::Edge => self.ribbon + v,
            Kind::Face => self.ribbon + v + e,
            Kind::Cell => {
                let f = align_up(self.ribbon_capacity(Kind::Face), U32_PER_ALIGN);
                self.ribbon + v + e + f
            }
        }
    }

    /// Returns the number of entries of a volume's patch in `ribbons`.
    #[inline(always)]
    pub const fn volume_ribbon_len(&self) -> u32 {
        self.ribbon_len() + align_up(self.ribbon_capacity(Kind::Cell), U32_PER_ALIGN)
    }

    /// Returns the number of entries of a surface's patch in `ribbons`.
    #[inline(always)]
    pub const fn ribbon_len(&self) -> u32 {
        self.ribbon_section(Kind::Face) - self.ribbon
            + align_up(self.ribbon_capacity(Kind::Face), U32_PER_ALIGN)
    }

    /// Returns the number of words of one mask of a kind of a surface.
    #[inline(always)]
    pub const fn mask_words(&self, kind: Kind) -> u32 {
        (self.capacity[kind as usize] as u32).div_ceil(32)
    }

    /// Returns the offset of a kind's *owned* mask in `masks`.
    #[inline(always)]
    pub const fn owned_mask(&self, kind: Kind) -> u32 {
        let (v, e) = (self.mask_words(Kind::Vertex), self.mask_words(Kind::Edge));
        match kind {
            Kind::Vertex => self.mask,
            Kind::Edge => self.mask + v,
            Kind::Face | Kind::Cell => self.mask + v + e,
        }
    }

    /// Returns the offset of a kind's *active* mask in `masks`.
    #[inline(always)]
    pub const fn active_mask(&self, kind: Kind) -> u32 {
        self.owned_mask(kind) + self.mask_len() / 2
    }

    /// Returns the number of words of the patch in `masks`.
    #[inline(always)]
    pub const fn mask_len(&self) -> u32 {
        2 * (self.mask_words(Kind::Vertex)
            + self.mask_words(Kind::Edge)
            + self.mask_words(Kind::Face))
    }
}
