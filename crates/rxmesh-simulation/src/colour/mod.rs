//! Colours: elements of one colour can be processed in parallel, because no two of them share data that they change.
//!
//! Computed on the host, greedily and deterministically: vertices of which no two share a cell ([`vertices`]), patches
//! of which no two touch ([`patches`]), and, patch by patch, cells or edges of which no two have a vertex in common
//! ([`cells_in_patches`]).

mod greedy;
mod turns;

pub use greedy::{Colouring, greedy};
pub(crate) use turns::{Turns, of_sets};
pub use turns::{cells_in_patches, vertices_in_patches};

use rxmesh_host::Error;
use rxmesh_host::patch::VolumeSet;
use rxmesh_host::store::{RxMesh, Surface, Volume};
use rxmesh_kernels::topo::{Kind, PatchHeader};

/// Patches of a mesh on the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host<'a> {
    pub(crate) headers: &'a [PatchHeader],
    pub(crate) topology: &'a [u16],
    ribbons: &'a [u32],
}

impl<'a> Host<'a> {
    pub(crate) fn volume(set: &'a VolumeSet) -> Host<'a> {
        Host {
            headers: &set.headers,
            topology: &set.topology,
            ribbons: &set.ribbons,
        }
    }

    pub(crate) fn surface(rx: &'a RxMesh<Surface>) -> Result<Host<'a>, Error> {
        let set = rx.patch_set()?;
        Ok(Host {
            headers: &set.headers,
            topology: &set.topology,
            ribbons: &set.ribbons,
        })
    }

    /// Returns linear ids of a patch's ribbon vertices: those with local ids below `end`.
    fn ribbon(&self, h: &PatchHeader, end: u32) -> &'a [u32] {
        let n = end - h.owned_of(Kind::Vertex);
        &self.ribbons[h.ribbon_section(Kind::Vertex) as usize..][..n as usize]
    }

    /// Returns the linear id of a local vertex.
    pub(crate) fn vertex(&self, h: &PatchHeader, local: u32) -> u32 {
        let owned = h.owned_of(Kind::Vertex);
        if local < owned {
            h.base_of(Kind::Vertex) + local
        } else {
            self.ribbons[(h.ribbon_section(Kind::Vertex) + local - owned) as usize]
        }
    }

    /// Returns the linear id of a surface's local face.
    pub(crate) fn face(&self, h: &PatchHeader, local: u32) -> u32 {
        let owned = h.owned_of(Kind::Face);
        if local < owned {
            h.base_of(Kind::Face) + local
        } else {
            self.ribbons[(h.ribbon_section(Kind::Face) + local - owned) as usize]
        }
    }

    /// Returns the local vertices of a volume's first `cells` local cells.
    pub(crate) fn cells(&self, h: &PatchHeader, cells: u32) -> &'a [[u16; 4]] {
        let all = &self.topology[h.cv_section() as usize..][..4 * cells as usize];
        all.as_chunks().0
    }
}

/// Vertices that patches of one colour must not share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// Vertices that both hold, owned or in the ribbon.
    Held,
    /// Vertices of cells that they own, for volumes.
    OfCells,
    /// Vertices that one owns and the other holds.
    Owned,
}

/// Calls `f` for each cell with its linear id and those of its vertices.
pub(crate) fn each_cell(rx: &RxMesh<Volume>, mut f: impl FnMut(u32, [u32; 4])) {
    let host = Host::volume(rx.volume_set());
    for h in host.headers {
        let rows = host.cells(h, h.owned_of(Kind::Cell));
        for (row, c) in rows.iter().zip(h.base_of(Kind::Cell)..) {
            f(c, row.map(|v| host.vertex(h, v.into())));
        }
    }
}

/// Colours the vertices of a volume, by linear id: no two vertices of a cell have the same colour.
pub fn vertices(rx: &RxMesh<Volume>) -> Colouring {
    let mut starts = vec![0u32; rx.linear_len(Kind::Vertex) as usize + 1];
    each_cell(rx, |_, corners| {
        for v in corners {
            starts[v as usize + 1] += 1;
        }
    });
    for v in 1..starts.len() {
        starts[v] += starts[v - 1];
    }
    let mut around = vec![0; starts.last().map_or(0, |&n| n as usize)];
    let mut next = starts.clone();
    each_cell(rx, |c, corners| {
        for v in corners {
            let at = &mut next[v as usize];
            around[*at as usize] = c;
            *at += 1;
        }
    });
    greedy(
        starts.len() - 1,
        rx.linear_len(Kind::Cell) as usize,
        |v, f| {
            let row = &around[starts[v] as usize..starts[v + 1] as usize];
            row.iter().for_each(|&c| f(c));
        },
    )
}

/// Colours the patches of a volume.
pub fn patches(rx: &RxMesh<Volume>, apart: Apart) -> Colouring {
    of_patches(
        Host::volume(rx.volume_set()),
        rx.linear_len(Kind::Vertex),
        apart,
    )
}

/// Colours the patches of a surface: no two of one colour hold the same vertex.
///
/// # Errors
///
/// Patches that were made on the engine and cannot be read back.
pub fn surface_patches(rx: &RxMesh<Surface>) -> Result<Colouring, Error> {
    let host = Host::surface(rx)?;
    Ok(of_patches(host, rx.linear_len(Kind::Vertex), Apart::Held))
}

fn of_patches(host: Host<'_>, vertices: u32, apart: Apart) -> Colouring {
    let end = |h: &PatchHeader| match apart {
        Apart::OfCells => h.near_of(Kind::Vertex),
        _ => h.total_of(Kind::Vertex),
    };
    if apart != Apart::Owned {
        return greedy(host.headers.len(), vertices as usize, |p, f| {
            let h = &host.headers[p];
            let base = h.base_of(Kind::Vertex);
            (base..base + h.owned_of(Kind::Vertex)).for_each(&mut *f);
            host.ribbon(h, end(h)).iter().for_each(|&v| f(v));
        });
    }
    // One group for each pair of patches of which one holds a vertex of the other.
    let bases: Vec<u32> = (host.headers.iter())
        .map(|h| h.base_of(Kind::Vertex))
        .collect();
    let owner = |v: u32| bases.partition_point(|&b| b <= v) as u32 - 1;
    let mut pairs: Vec<[u32; 2]> = (host.headers.iter().zip(0..))
        .flat_map(|(h, p)| {
            let ids = host.ribbon(h, end(h)).iter();
            ids.map(move |&v| owner(v))
                .map(move |q| [p.min(q), p.max(q)])
        })
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut groups = vec![Vec::new(); host.headers.len()];
    for (pair, group) in pairs.iter().zip(0..) {
        for p in pair {
            groups[*p as usize].push(group);
        }
    }
    greedy(host.headers.len(), pairs.len(), |p, f| {
        groups[p].iter().for_each(|&g| f(g));
    })
}
