//! Arguments of [`Distribute`](rxmesh_kernels::volume::distribute::Distribute) kernels beside the mesh.

use crate::Error;
use crate::engine::Buffer;
use crate::par::IntoLean;
use crate::patch::VolumeSet;
use crate::store::{Attribute, AttributeError, RxMesh, Volume};
use rayon::prelude::*;
use rxmesh_kernels::attr::Sum;
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::query::Relation;
use rxmesh_kernels::topo::{Element, Kind, PatchHeader};
use rxmesh_kernels::volume::distribute::{AddParts, DistributeEntry, DistributeOver};
use std::marker::PhantomData;

/// Threads of a block: so many wait for values at a time.
const THREADS: u32 = 512;

/// Adds up the values that elements give their neighbours under a stored relation (EV, FE, CV, CE, CF), each element
/// computed once, without float atomics: the same bits on every run of an engine. Made once a relation and type, used
/// any number of times.
#[derive(Debug)]
pub struct Distributor<R, T> {
    mesh: u64,
    places: Buffer<u32>,
    starts: Buffer<u32>,
    slots: Buffer<u16>,
    parts: Buffer<f32>,
    targets: Buffer<u32>,
    lists: Buffer<u32>,
    entries: Buffer<u32>,
    of: PhantomData<(R, T)>,
}

/// Tables of a distributor, for kernels that add up in a separate launch, as [`DistributeOver`] and [`AddParts`] have
/// them.
#[derive(Clone, Copy, Debug)]
pub struct DistributeTables {
    /// Start of each patch's parts, in values.
    pub places: Global<u32>,
    /// Start of each patch's table of slots.
    pub starts: Global<u32>,
    /// Tables of slots.
    pub slots: Global<u16>,
}

/// Places of the parts of every target's sum.
#[derive(Clone, Debug)]
pub struct PartLists {
    /// Number of parts.
    pub parts: usize,
    /// Start of each target's list in `entries`, by linear id; one more than there are targets.
    pub starts: Vec<u32>,
    /// Places of parts, in the order of the patches.
    pub entries: Vec<u32>,
}

impl<R: Relation, T: Sum> Distributor<R, T> {
    /// Returns the tables on the engine.
    pub fn tables(&self) -> DistributeTables {
        DistributeTables {
            places: self.places.global(),
            starts: self.starts.global(),
            slots: self.slots.global(),
        }
    }

    /// Returns the places of the parts of each target's sum, for a mesh with `targets` targets.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    ///
    /// # Panics
    ///
    /// When the mesh has fewer targets.
    pub fn part_lists(&self, targets: u32) -> Result<PartLists, Error> {
        let (shared, lists) = (self.targets.read()?, self.lists.read()?);
        let mut starts = vec![0u32; targets as usize + 1];
        for (&target, ends) in shared.iter().zip(lists.windows(2)) {
            starts[target as usize + 1] = ends[1] - ends[0];
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        Ok(PartLists {
            parts: self.parts.len() / T::COMPONENTS as usize,
            starts,
            entries: self.entries.read()?,
        })
    }

    /// Creates the tables: about four bytes an entry of the relation, and a value for each element of shell 0.
    ///
    /// # Errors
    ///
    /// [`EngineError::Needs`](crate::engine::EngineError::Needs), [`Error::TooLarge`], or no memory on the engine.
    pub fn new(rx: &RxMesh<Volume>) -> Result<Self, Error> {
        const {
            let stored = !R::PREPARABLE && R::FIXED.is_some();
            assert!(
                stored,
                "values are distributed over stored relations: EV, FE, CV, CE, CF"
            );
        }
        rx.has_for(R::NAME, R::NEEDS)?;
        let (set, engine) = (rx.volume_set(), rx.engine());
        let width = R::FIXED.unwrap_or(1);
        let kinds = [R::Source::KIND, R::Target::KIND];
        // Copies of a body share its tables.
        let tables: Vec<Vec<u16>> = (set.body().par_iter().lean())
            .map(|h| table(set, h, kinds, width))
            .collect::<Option<_>>()
            .ok_or(Error::TooLarge {
                what: "values that a patch's elements give away",
                count: u64::from(u16::MAX) + 1,
                limit: u64::from(u16::MAX),
            })?;
        let starts = rx.for_all_copies(offsets(tables.iter().map(Vec::len))?);
        let shell = |h: &PatchHeader| (h.near_of(kinds[1]) - h.owned_of(kinds[1])) as usize;
        let places = offsets(set.headers.iter().map(shell))?;
        let parts = places.last().copied().unwrap_or(0) as usize;
        let shared = Shared::new(set, kinds[1], &places);
        Ok(Distributor {
            mesh: rx.id(),
            starts: engine.upload(&starts)?,
            slots: engine.upload(&tables.concat())?,
            parts: engine.zeroed(parts * T::COMPONENTS as usize)?,
            places: engine.upload(&places)?,
            targets: engine.upload(&shared.targets)?,
            lists: engine.upload(&shared.lists)?,
            entries: engine.upload(&shared.entries)?,
            of: PhantomData,
        })
    }

    /// Sets `sums` to the sums of the values that the kernel's elements give: two launches.
    ///
    /// # Errors
    ///
    /// [`AttributeError::OtherMesh`], sums that are stale or do not lie in patch order with their words together, or
    /// any error of the engine.
    pub fn run<K>(
        &self,
        rx: &RxMesh<Volume>,
        kernel: K,
        sums: &mut Attribute<R::Target, T>,
    ) -> Result<(), Error>
    where
        K: DistributeEntry<Relation = R, Value = T>,
    {
        if [self.mesh, sums.mesh_id()] != [rx.id(); 2] {
            return Err(AttributeError::OtherMesh.into());
        }
        let sums = sums.global_mut()?.cast();
        let over = DistributeOver {
            kernel,
            sums,
            parts: self.parts.global_mut(),
            places: self.places.global(),
            starts: self.starts.global(),
            slots: self.slots.global(),
        };
        rx.launch_wide(over, THREADS)?;
        let add = AddParts {
            sums,
            parts: self.parts.global(),
            targets: self.targets.global(),
            starts: self.lists.global(),
            entries: self.entries.global(),
            width: T::COMPONENTS,
        };
        let n = self.targets.len() as u32 * T::COMPONENTS;
        Ok(rx.engine().launch_flat(n, add)?)
    }
}

/// Returns running sums, with the total at the end.
fn offsets(lengths: impl Iterator<Item = usize>) -> Result<Vec<u32>, Error> {
    let mut sum = 0u64;
    let mut all = vec![0];
    for length in lengths {
        sum += length as u64;
        all.push(sum as u32);
    }
    if sum > u64::from(u32::MAX) {
        return Err(Error::TooLarge {
            what: "values that elements give away",
            count: sum,
            limit: u32::MAX.into(),
        });
    }
    Ok(all)
}

/// Returns a patch's table of slots: the end of each target's row, then the slots of all rows, ascending. `None` if 16
/// bits cannot count them.
fn table(set: &VolumeSet, h: &PatchHeader, [from, to]: [Kind; 2], width: u32) -> Option<Vec<u16>> {
    let (section, shift) = match (from, to) {
        (Kind::Edge, _) => (h.ev_section(), 0),
        // An entry of FE has the direction in its lowest bit.
        (Kind::Face, _) => (h.fe_section(), 1),
        (_, Kind::Vertex) => (h.cv_section(), 0),
        (_, Kind::Edge) => (h.ce_section(), 0),
        _ => (h.cf_section(), 0),
    };
    let slots = width * h.owned_of(from);
    let last = u16::try_from(slots).ok()?;
    let rows = &set.topology[section as usize..][..slots as usize];
    let targets = h.near_of(to) as usize;
    let mut starts = vec![0u16; targets + 1];
    for entry in rows {
        starts[usize::from(entry >> shift) + 1] += 1;
    }
    for t in 0..targets {
        starts[t + 1] += starts[t];
    }
    let mut table = vec![0; targets + rows.len()];
    for (entry, slot) in rows.iter().zip(0..last) {
        let at = &mut starts[usize::from(entry >> shift)];
        table[targets + usize::from(*at)] = slot;
        *at += 1;
    }
    // Every start has moved to its row's end.
    table[..targets].copy_from_slice(&starts[..targets]);
    Some(table)
}

/// Targets that several patches have parts of.
struct Shared {
    targets: Vec<u32>,
    lists: Vec<u32>,
    entries: Vec<u32>,
}

impl Shared {
    fn new(set: &VolumeSet, kind: Kind, places: &[u32]) -> Shared {
        let mut pairs: Vec<(u32, u32)> = (set.headers.par_iter().zip(places).lean())
            .flat_map_iter(|(h, &place)| {
                let n = h.near_of(kind) - h.owned_of(kind);
                let ids = &set.ribbons[h.ribbon_section(kind) as usize..][..n as usize];
                ids.iter().copied().zip(place..)
            })
            .collect();
        pairs.par_sort_unstable();
        let rows = || pairs.chunk_by(|a, b| a.0 == b.0);
        let mut lists = vec![0];
        let mut end = 0;
        lists.extend(rows().map(|row| {
            end += row.len() as u32;
            end
        }));
        Shared {
            targets: rows().map(|row| row[0].0).collect(),
            lists,
            entries: pairs.iter().map(|p| p.1).collect(),
        }
    }
}
