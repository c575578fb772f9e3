//! Writes headers, sections, masks and ribbons straight into the final arrays.

use crate::par::IntoLean;
use rayon::prelude::*;
use rxmesh_kernels::topo::{Kind, PatchHeader};

use super::elements::Elements;
use super::error::PatchError;
use super::ribbon::{MAX_LOCAL, Ribbons};
use super::shared::{Locator, NONE, SmallMap};

/// Arrays of a patch set.
pub(super) struct Packed {
    pub(super) headers: Vec<PatchHeader>,
    pub(super) topology: Vec<u16>,
    pub(super) masks: Vec<u32>,
    pub(super) ribbons: Vec<u32>,
    pub(super) linear_len: [u32; 3],
}

/// Packs all patches.
pub(super) fn build(
    next: &[u32],
    elements: &Elements,
    ribbons: &Ribbons,
    growth: f32,
) -> Result<Packed, PatchError> {
    let (headers, sizes, linear_len) = lay_out(elements, ribbons, growth)?;
    let mut packed = Packed {
        headers,
        topology: vec![0; sizes[0]],
        masks: vec![0; sizes[1]],
        ribbons: vec![0; sizes[2]],
        linear_len,
    };
    let (mut topology, mut masks, mut lists) = (
        &mut packed.topology[..],
        &mut packed.masks[..],
        &mut packed.ribbons[..],
    );
    let mut slots = Vec::with_capacity(packed.headers.len());
    for header in &packed.headers {
        slots.push(Slot {
            topology: topology
                .split_off_mut(..header.topology_len() as usize)
                .unwrap_or_default(),
            masks: masks
                .split_off_mut(..header.mask_len() as usize)
                .unwrap_or_default(),
            ribbons: lists
                .split_off_mut(..header.ribbon_len() as usize)
                .unwrap_or_default(),
        });
    }
    let linear = LinearIds::new(elements, &packed.headers, growth);
    slots.into_par_iter().enumerate().lean().for_each_init(
        Default::default,
        |maps, (patch, slot)| {
            let header = &packed.headers[patch];
            let local = LocalIds::new(elements, ribbons, patch, maps);
            write_topology(next, elements, &local, header, slot.topology);
            write_masks(header, slot.masks);
            for kind in Kind::ALL {
                let at = (header.ribbon_section(kind) - header.ribbon) as usize;
                let section = &mut slot.ribbons[at..][..header.ribbon_capacity(kind) as usize];
                let (live, slack) = section.split_at_mut(ribbons.list(patch, kind).len());
                for (entry, &dense) in live.iter_mut().zip(ribbons.list(patch, kind)) {
                    *entry = linear.of(kind, dense);
                }
                slack.fill(NONE);
            }
        },
    );
    Ok(packed)
}

/// One patch's parts of the arrays.
struct Slot<'a> {
    topology: &'a mut [u16],
    masks: &'a mut [u32],
    ribbons: &'a mut [u32],
}

/// Returns `ceil(count * growth)`, at most `limit`.
fn grown(count: u32, growth: f32, limit: u32) -> u32 {
    ((f64::from(count) * f64::from(growth)).ceil() as u32).clamp(count, limit.max(count))
}

/// Returns all headers, the lengths of topology, masks and ribbons, and the lengths of the linear id spaces.
#[allow(clippy::type_complexity)]
fn lay_out(
    elements: &Elements,
    ribbons: &Ribbons,
    growth: f32,
) -> Result<(Vec<PatchHeader>, [usize; 3], [u32; 3]), PatchError> {
    const LIMITS: [u32; 3] = [MAX_LOCAL, PatchHeader::MAX_EDGES, MAX_LOCAL];
    let patches = elements.starts[0].len() - 1;
    let mut headers = Vec::with_capacity(patches);
    let (mut sizes, mut bases) = ([0u64; 3], [0u64; 3]);
    for patch in 0..patches {
        let mut header = PatchHeader {
            base: bases.map(|base| base as u32),
            topology: sizes[0] as u32,
            mask: sizes[1] as u32,
            ribbon: sizes[2] as u32,
            ..PatchHeader::default()
        };
        for kind in Kind::ALL {
            let k = kind as usize;
            let owned = elements.starts[k][patch + 1] - elements.starts[k][patch];
            let total = owned + ribbons.list(patch, kind).len() as u32;
            header.owned[k] = owned as u16;
            header.total[k] = total as u16;
            header.capacity[k] = grown(total, growth, LIMITS[k]) as u16;
            bases[k] += u64::from(grown(owned, growth, header.capacity[k].into()));
        }
        sizes[0] += u64::from(header.topology_len());
        sizes[1] += u64::from(header.mask_len());
        sizes[2] += u64::from(header.ribbon_len());
        for (what, count) in [
            ("topology entries", sizes[0]),
            ("mask words", sizes[1]),
            ("ribbon entries", sizes[2]),
            ("vertex ids", bases[0]),
            ("edge ids", bases[1]),
            ("face ids", bases[2]),
        ] {
            let limit = u64::from(u32::MAX - 1);
            if count > limit {
                return Err(PatchError::TooManyElements { what, count, limit });
            }
        }
        headers.push(header);
    }
    let sizes = sizes.map(|size| size as usize);
    Ok((headers, sizes, bases.map(|base| base as u32)))
}

/// Turns dense ids into linear ids, which differ where there is slack.
pub(super) struct LinearIds<'a> {
    headers: &'a [PatchHeader],
    elements: &'a Elements,
    locators: Option<[Locator<'a>; 3]>,
}

impl<'a> LinearIds<'a> {
    pub(super) fn new(elements: &'a Elements, headers: &'a [PatchHeader], growth: f32) -> Self {
        let locator = |kind: usize| Locator::new(&elements.starts[kind]);
        Self {
            headers,
            elements,
            locators: (growth != 1.0).then(|| [locator(0), locator(1), locator(2)]),
        }
    }

    /// Returns the linear id of a dense id.
    pub(super) fn of(&self, kind: Kind, dense: u32) -> u32 {
        let Some(locators) = &self.locators else {
            return dense;
        };
        let k = kind as usize;
        let patch = locators[k].find(dense) as usize;
        self.headers[patch].base[k] + (dense - self.elements.starts[k][patch])
    }

    /// Reorders `source` (by dense id) to linear ids, and `linear` (dense ids by input) to linear ids.
    pub(super) fn spread(&self, kind: Kind, len: u32, source: &mut Vec<u32>, ids: &mut [u32]) {
        if self.locators.is_none() {
            return;
        }
        let mut spread = vec![NONE; len as usize];
        for (dense, &input) in source.iter().enumerate() {
            spread[self.of(kind, dense as u32) as usize] = input;
        }
        *source = spread;
        ids.par_iter_mut()
            .lean()
            .for_each(|id| *id = self.of(kind, *id));
    }
}

/// Turns dense vertices and edges into the local ids of one patch.
struct LocalIds<'a> {
    first: [u32; 3],
    owned: [u32; 3],
    ribbon_faces: &'a [u32],
    maps: &'a [SmallMap; 2],
}

impl<'a> LocalIds<'a> {
    fn new(
        elements: &Elements,
        ribbons: &'a Ribbons,
        patch: usize,
        maps: &'a mut [SmallMap; 2],
    ) -> Self {
        let first = [0, 1, 2].map(|k: usize| elements.starts[k][patch]);
        let owned = [0, 1, 2].map(|k: usize| elements.starts[k][patch + 1] - first[k]);
        for (map, kind) in maps.iter_mut().zip([Kind::Vertex, Kind::Edge]) {
            let list = ribbons.list(patch, kind);
            map.reset(list.len());
            for (&id, local) in list.iter().zip(owned[kind as usize]..) {
                map.insert(id, local as u16);
            }
        }
        Self {
            first,
            owned,
            ribbon_faces: ribbons.list(patch, Kind::Face),
            maps,
        }
    }

    fn of(&self, kind: Kind, dense: u32) -> u16 {
        let k = kind as usize;
        let own = dense.wrapping_sub(self.first[k]);
        if own < self.owned[k] {
            return own as u16;
        }
        self.maps[k].get(dense)
    }
}

/// Writes sections EV and FE.
fn write_topology(
    next: &[u32],
    elements: &Elements,
    local: &LocalIds<'_>,
    header: &PatchHeader,
    topology: &mut [u16],
) {
    let (ev, fe) = topology.split_at_mut((header.fe_section() - header.topology) as usize);
    let own = local.first[2]..local.first[2] + local.owned[2];
    let faces = own.chain(local.ribbon_faces.iter().copied());
    for (face, row) in faces.zip(fe.as_chunks_mut::<3>().0) {
        let corners = elements.corners[face as usize].map(|v| local.of(Kind::Vertex, v));
        for k in 0..3 {
            let code = elements.side(next, 3 * face + k as u32);
            let edge = local.of(Kind::Edge, code >> 1);
            let d = (code & 1) as u16;
            row[k] = edge << 1 | d;
            let ends = &mut ev[2 * edge as usize..][..2];
            ends[d as usize] = corners[k];
            ends[1 - d as usize] = corners[(k + 1) % 3];
        }
    }
}

/// Sets the bits of owned and of all local elements.
fn write_masks(header: &PatchHeader, masks: &mut [u32]) {
    for kind in Kind::ALL {
        let (owned, total) = (header.owned[kind as usize], header.total[kind as usize]);
        for (section, count) in [
            (header.owned_mask(kind), owned),
            (header.active_mask(kind), total),
        ] {
            let words = &mut masks[(section - header.mask) as usize..];
            let (full, rest) = (usize::from(count / 32), count % 32);
            words[..full].fill(u32::MAX);
            if rest > 0 {
                words[full] = (1 << rest) - 1;
            }
        }
    }
}
