//! The patch that a block works on.

use super::{Element, Kind, Local, Map, Owned, PatchHeader};
use crate::lanes::three;
use crate::mem::{Fault, Global};

crate::args! {
    /// All patches of a mesh, as a kernel sees them: the arrays that [`PatchHeader`] describes.
    pub struct MeshView {
        /// One header per patch.
        pub headers: Global<PatchHeader>,
        /// Sections EV and FE of all patches.
        pub topology: Global<u16>,
        /// Owned and active masks of all patches.
        pub masks: Global<u32>,
        /// Linear ids of all ribbon elements.
        pub ribbons: Global<u32>,
        /// Destination of faults.
        pub fault: Fault,
    }
}

/// One patch of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    id: u32,
    header: PatchHeader,
    mesh: MeshView,
}

impl Patch {
    /// Returns patch `id` of a mesh.
    ///
    /// # Safety
    ///
    /// The mesh is bound, its arrays are those of one valid set of patches, and there is a patch `id` (contract U4).
    #[inline(always)]
    pub unsafe fn new(mesh: MeshView, id: u32) -> Patch {
        Patch {
            id,
            header: mesh.headers.get(id),
            mesh,
        }
    }

    /// Returns the patch's index.
    #[inline(always)]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns the patch's header.
    #[inline(always)]
    pub fn header(&self) -> &PatchHeader {
        &self.header
    }

    /// Returns the destination of faults.
    #[inline(always)]
    pub fn fault(&self) -> Fault {
        self.mesh.fault
    }

    /// Returns the number of owned elements of a kind.
    #[inline(always)]
    pub fn owned<K: Element>(&self) -> u32 {
        self.header.owned_of(K::KIND)
    }

    /// Returns the number of local elements of a kind.
    #[inline(always)]
    pub fn total<K: Element>(&self) -> u32 {
        self.header.total_of(K::KIND)
    }

    /// Returns the patch of the mesh that owns the element of a linear id, and the linear id of its first one: the last
    /// patch that begins there or before, since ids ascend from patch to patch and one that owns none begins where the
    /// next one does.
    #[inline(always)]
    pub fn owner_of<K: Element>(&self, linear: u32) -> (u32, u32) {
        let base = |patch: u32| self.mesh.headers.get(patch).base_of(K::KIND);
        let (mut from, mut to) = (0, self.mesh.headers.len());
        while to - from > 1 {
            let middle = from + (to - from) / 2;
            if base(middle) <= linear {
                from = middle;
            } else {
                to = middle;
            }
        }
        (from, base(from))
    }

    /// Returns the linear id of the first owned element of a kind.
    #[inline(always)]
    pub fn base<K: Element>(&self) -> u32 {
        self.header.base_of(K::KIND)
    }

    /// Returns the map from local to linear ids.
    #[inline(always)]
    pub fn map<K: Element>(&self) -> Map<K> {
        let ribbon = self.mesh.ribbons.from(self.header.ribbon_section(K::KIND));
        Map::new(self.base::<K>(), self.owned::<K>(), ribbon)
    }

    /// Returns the local element with an id below [`Patch::total`].
    #[inline(always)]
    pub fn local<K: Element>(&self, id: u32) -> Local<K> {
        self.map().local(id)
    }

    /// Returns the owned element with an id below [`Patch::owned`].
    #[inline(always)]
    pub fn own<K: Element>(&self, id: u32) -> Owned<K> {
        Owned::new(self.local(id))
    }

    /// Returns the stored EV section: two local vertices per edge.
    #[inline(always)]
    pub fn ev(&self) -> Global<u16> {
        self.mesh.topology.from(self.header.ev_section())
    }

    /// Returns the stored FE section: three entries a face (see [`PatchHeader::fe_section`]).
    #[inline(always)]
    pub fn fe(&self) -> Global<u16> {
        self.mesh.topology.from(self.header.fe_section())
    }

    /// Returns the two vertices of a local edge, source first, in one access.
    #[inline(always)]
    pub fn edge_vertices(&self, edge: u32) -> (u32, u32) {
        let w = self.ev().cast::<u32>().get(edge);
        (w & 0xffff, w >> 16)
    }

    /// Returns the three FE entries of a local face.
    #[inline(always)]
    pub fn face_edges(&self, face: u32) -> [u32; 3] {
        let fe = self.fe();
        three(|k| u32::from(fe.get(3 * face + k as u32)))
    }

    /// Returns, for a volume, the number of local elements of a kind in owned elements: the owned ones and shell 0.
    #[inline(always)]
    pub fn near<K: Element>(&self) -> u32 {
        self.header.near_of(K::KIND)
    }

    /// Returns the stored CV section: four local vertices per cell.
    #[inline(always)]
    pub fn cv(&self) -> Global<u16> {
        self.mesh.topology.from(self.header.cv_section())
    }

    /// Returns the stored CE section: six local edges a cell ([`PatchHeader::ce_section`]).
    #[inline(always)]
    pub fn ce(&self) -> Global<u16> {
        self.mesh.topology.from(self.header.ce_section())
    }

    /// Returns the stored CF section: four local faces a cell ([`PatchHeader::cf_section`]).
    #[inline(always)]
    pub fn cf(&self) -> Global<u16> {
        self.mesh.topology.from(self.header.cf_section())
    }

    /// Returns the four vertices of a local cell, in two accesses.
    #[inline(always)]
    pub fn cell_vertices(&self, cell: u32) -> [u32; 4] {
        four(self.cv(), cell)
    }

    /// Returns the four faces of a local cell; face `k` lies opposite corner `k`.
    #[inline(always)]
    pub fn cell_faces(&self, cell: u32) -> [u32; 4] {
        four(self.cf(), cell)
    }

    /// Returns the six edges of a local cell, in three accesses.
    #[inline(always)]
    pub fn cell_edges(&self, cell: u32) -> [u32; 6] {
        let words = self.ce().cast::<u32>();
        let (a, b, c) = (
            words.get(3 * cell),
            words.get(3 * cell + 1),
            words.get(3 * cell + 2),
        );
        let (low, high) = (|w: u32| w & 0xffff, |w: u32| w >> 16);
        [low(a), high(a), low(b), high(b), low(c), high(c)]
    }

    /// Returns `true` if a local element of a surface is live.
    #[inline(always)]
    pub fn is_active(&self, kind: Kind, local: u32) -> bool {
        self.mesh
            .masks
            .get(self.header.active_mask(kind) + local / 32)
            >> (local % 32)
            & 1
            != 0
    }
}

/// Returns row `i` of a section with four entries a row.
#[inline(always)]
fn four(section: Global<u16>, i: u32) -> [u32; 4] {
    let words = section.cast::<u32>();
    let (a, b) = (words.get(2 * i), words.get(2 * i + 1));
    [a & 0xffff, a >> 16, b & 0xffff, b >> 16]
}
