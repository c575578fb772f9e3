//! Cuts a volume into patches and packs them: tetrahedra in, [`VolumeSet`] out.
//!
//! The stages are those of a surface: sides of cells that are one face (`adjacency`), regions and Lloyd rounds (those
//! of surfaces, generic over simplices), owners and ribbons (`owners`), edges and faces if they are requested
//! (`parts`), and the final arrays (`pack`). The outcome depends on mesh and options alone, never on the number of
//! threads.
//!
//! A patch holds, beside its own elements, two shells (their local ids come in this order):
//!
//! - shell 0: the vertices, edges and faces of its own elements;
//! - shell 1: the cells around its own vertices and those beyond the faces of its own cells
//!   ([`Ribbon::Ring`]: around all vertices of its own elements), and their vertices, edges and faces.

mod adjacency;
mod copies;
mod local;
mod owners;
mod pack;
mod parts;
mod stats;
#[cfg(test)]
mod tests;
mod validate;

use crate::par::IntoLean;
use rayon::prelude::*;
use rxmesh_kernels::topo::{Needs, PatchHeader};

use super::error::PatchError;
use super::{order, regions};
use parts::{Pairs, Simplices, Triples};

pub use stats::VolumeStats;

/// Most cells that a patch may own: slots of their corners and edges have 16 bits.
const MAX_PATCH_SIZE: u32 = 8192;

/// Kinds of element that a volume keeps beside vertices and cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum VolumeKinds {
    /// None: enough for finite elements.
    #[default]
    Cells,
    /// Edges.
    Edges,
    /// Edges and faces: all relations.
    Faces,
}

/// Reach of patches beyond their own elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ribbon {
    /// Far enough for all relations but EE and FF.
    #[default]
    Usual,
    /// All cells around the vertices of owned elements, for EE and FF too. Patches are about twice as large.
    Ring,
}

/// Options of cutting patches of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeOptions {
    /// Most owned cells that a patch may have, from 1 to 8,192; `None` for [`VolumeOptions::size_for`] the volume.
    pub patch_size: Option<u32>,
    /// Seed of the random choices.
    pub seed: u64,
    /// Kinds of element kept beside vertices and cells.
    pub kinds: VolumeKinds,
    /// Reach of patches.
    pub ribbon: Ribbon,
}

impl Default for VolumeOptions {
    fn default() -> Self {
        Self {
            patch_size: None,
            seed: 1,
            kinds: VolumeKinds::default(),
            ribbon: Ribbon::default(),
        }
    }
}

impl VolumeOptions {
    /// Returns the most owned cells of a patch: the number that was requested, or 1,024, or less if a volume is so
    /// small that a GPU would have too few patches to work on at a time.
    pub fn size_for(&self, cells: usize) -> u32 {
        let suits = (cells / ENOUGH_PATCHES).clamp(SMALL_PATCH, USUAL_PATCH);
        self.patch_size.unwrap_or(suits as u32)
    }
}

/// Patches that keep all multiprocessors of a large GPU busy.
const ENOUGH_PATCHES: usize = 256;

/// Owned cells of a patch of a small volume: with fewer, most elements of a patch belong to others.
const SMALL_PATCH: usize = 256;

/// Owned cells of a patch of a large volume.
const USUAL_PATCH: usize = 1024;

/// A volume cut into patches, as it lies in memory.
///
/// `rxmesh_kernels::topo::PatchHeader` has the places of a patch's parts in `topology` and `ribbons`. Arrays of four
/// are indexed by `Kind`: vertices, edges, faces, cells; kinds that are not kept have none.
#[derive(Clone, Debug)]
pub struct VolumeSet {
    /// One header per patch.
    pub headers: Vec<PatchHeader>,
    /// Sections EV, FE, CV, CE and CF of all patches.
    pub topology: Vec<u16>,
    /// Linear ids of the elements that patches hold without owning them.
    pub ribbons: Vec<u32>,
    /// Number of elements of each kind; linear ids have no gaps.
    pub counts: [u32; 4],
    /// Linear id -> input vertex.
    pub vertex_source: Vec<u32>,
    /// Linear id -> input cell.
    pub cell_source: Vec<u32>,
    /// Input vertex -> linear id.
    pub vertex_linear: Vec<u32>,
    /// Input cell -> linear id.
    pub cell_linear: Vec<u32>,
    /// Tables that the patches keep, which decide the relations and kernels that can run.
    pub has: Needs,
    /// Number of copies of one body ([`VolumeSet::repeated`]). All arrays hold all copies except `topology`, which they
    /// share.
    pub copies: u32,
}

/// Cuts a volume into patches.
///
/// Any tetrahedra will do: several components, faces with many cells, mixed orientation, duplicate cells, vertices
/// without cells.
///
/// # Errors
///
/// A cell that names a missing vertex or one vertex twice, options out of range, and meshes that do not fit the ids:
/// more than 2^31 sides, or a vertex whose cells alone fill a patch's 16-bit local ids.
pub fn build(
    vertex_count: usize,
    cells: &[[u32; 4]],
    options: &VolumeOptions,
) -> Result<VolumeSet, PatchError> {
    check(vertex_count, cells, options)?;
    let patch_size = options.size_for(cells.len());
    let (next, longest) = adjacency::build(vertex_count, cells);
    let regions = regions::build::<4>(&next, patch_size, options.seed);
    let order = order::build::<4>(&next, regions, patch_size);
    drop(next);
    let owners = owners::build(vertex_count, cells, &order, patch_size);
    let ribbons = owners::ribbons((&order.next, longest), &owners, options.ribbon);
    let mut has = Needs::CELLS;
    let (mut edges, mut faces) = (
        Simplices::none(ribbons.len()),
        Simplices::none(ribbons.len()),
    );
    if options.kinds != VolumeKinds::Cells {
        edges = Simplices::build::<Pairs>(&owners, &ribbons);
        has = has.and(Needs::EDGES);
    }
    if options.kinds == VolumeKinds::Faces {
        faces = Simplices::build::<Triples>(&owners, &ribbons);
        has = has.and(Needs::FACES);
    }
    if options.ribbon == Ribbon::Ring {
        has = has.and(Needs::RING);
    }
    let mesh = local::OwnedMesh {
        owners: &owners,
        edges: &edges,
        faces: &faces,
        ribbons: &ribbons,
    };
    let locals = mesh.locals()?;
    let packed = pack::build(&mesh, &locals)?;
    let counts = [
        owners.vertex_source.len(),
        edges.keys.len(),
        faces.keys.len(),
        cells.len(),
    ];
    drop(locals);
    Ok(VolumeSet {
        headers: packed.headers,
        topology: packed.topology,
        ribbons: packed.ribbons,
        counts: counts.map(|n| n as u32),
        vertex_source: owners.vertex_source,
        cell_source: order.source,
        vertex_linear: owners.vertex_linear,
        cell_linear: order.linear,
        has,
        copies: 1,
    })
}

/// Checks options, sizes and cells.
fn check(
    vertex_count: usize,
    cells: &[[u32; 4]],
    options: &VolumeOptions,
) -> Result<(), PatchError> {
    let size = options.size_for(cells.len());
    if !(1..=MAX_PATCH_SIZE).contains(&size) {
        return Err(PatchError::VolumePatchSize {
            size,
            limit: MAX_PATCH_SIZE,
        });
    }
    for (what, count, limit) in [
        ("vertices", vertex_count, 1u64 << 31),
        ("cells", cells.len(), ((1u64 << 31) - 2) / 4),
    ] {
        let count = count as u64;
        if count > limit {
            return Err(PatchError::TooManyElements { what, count, limit });
        }
    }
    let fault = |(cell, row): (usize, &[u32; 4])| {
        if let Some(&index) = row.iter().find(|&&v| v as usize >= vertex_count) {
            return Some(PatchError::CellIndex {
                cell,
                index,
                vertex_count,
            });
        }
        let twice = (1..4).find(|&k| row[..k].contains(&row[k]))?;
        Some(PatchError::CellRepeats {
            cell,
            vertex: row[twice],
        })
    };
    match cells.par_iter().enumerate().lean().find_map_first(fault) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
