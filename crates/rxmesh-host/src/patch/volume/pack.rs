//! Writes headers, sections and ribbons straight into the final arrays.

use crate::par::IntoLean;
use rayon::prelude::*;
use rxmesh_kernels::topo::{Kind, PatchHeader};

use super::super::error::PatchError;
use super::super::shared::{NONE, SmallMap};
use super::local::{Held, OwnedMesh, PatchContents};

/// Arrays of a patch set.
pub(super) struct PackedVolume {
    pub(super) headers: Vec<PatchHeader>,
    pub(super) topology: Vec<u16>,
    pub(super) ribbons: Vec<u32>,
}

/// Packs all patches.
pub(super) fn build(
    mesh: &OwnedMesh<'_>,
    locals: &[PatchContents],
) -> Result<PackedVolume, PatchError> {
    let (headers, sizes) = lay_out(mesh, locals)?;
    let mut packed = PackedVolume {
        headers,
        topology: vec![0; sizes[0]],
        ribbons: vec![NONE; sizes[1]],
    };
    let (mut topology, mut lists) = (&mut packed.topology[..], &mut packed.ribbons[..]);
    let mut slots = Vec::with_capacity(locals.len());
    for header in &packed.headers {
        let topology = topology.split_off_mut(..header.volume_len() as usize);
        let lists = lists.split_off_mut(..header.volume_ribbon_len() as usize);
        slots.push((topology.unwrap_or_default(), lists.unwrap_or_default()));
    }
    slots.into_par_iter().enumerate().lean().for_each_init(
        <[SmallMap; 3]>::default,
        |maps, (patch, (topology, lists))| {
            let (header, local) = (&packed.headers[patch], &locals[patch]);
            write_topology(mesh, (patch, header), local, topology, maps);
            for kind in Kind::VOLUME {
                let ribbon = match kind {
                    Kind::Cell => &mesh.ribbons[patch],
                    _ => &local.held[kind as usize].ribbon,
                };
                let at = (header.ribbon_section(kind) - header.ribbon) as usize;
                lists[at..at + ribbon.len()].copy_from_slice(ribbon);
            }
        },
    );
    Ok(packed)
}

/// Returns all headers, and the lengths of topology and ribbons.
fn lay_out(
    mesh: &OwnedMesh<'_>,
    locals: &[PatchContents],
) -> Result<(Vec<PatchHeader>, [usize; 2]), PatchError> {
    let mut headers = Vec::with_capacity(locals.len());
    let mut sizes = [0u64; 2];
    for (patch, local) in locals.iter().enumerate() {
        let held = &local.held;
        let total = [0, 1, 2].map(|k: usize| held[k].total() as u16);
        let own_cells = mesh.owners.cells[patch + 1] - mesh.owners.cells[patch];
        let header = PatchHeader {
            base: [0, 1, 2].map(|k: usize| held[k].own.start),
            topology: sizes[0] as u32,
            owned: [0, 1, 2].map(|k: usize| held[k].own.len() as u16),
            total,
            capacity: total,
            ribbon: sizes[1] as u32,
            cell_base: mesh.owners.cells[patch],
            cells_owned: own_cells as u16,
            cells: (own_cells as usize + mesh.ribbons[patch].len()) as u16,
            near: [0, 1, 2].map(|k: usize| (held[k].own.len() + held[k].near) as u16),
            ..PatchHeader::default()
        };
        sizes[0] += u64::from(header.volume_len());
        sizes[1] += u64::from(header.volume_ribbon_len());
        for (what, count) in [("topology entries", sizes[0]), ("ribbon entries", sizes[1])] {
            let limit = u64::from(u32::MAX - 1);
            if count > limit {
                return Err(PatchError::TooManyElements { what, count, limit });
            }
        }
        headers.push(header);
    }
    Ok((headers, sizes.map(|size| size as usize)))
}

/// Turns linear ids into local ones.
struct Names<'a> {
    held: &'a [Held; 3],
    maps: &'a [SmallMap; 3],
}

impl Names<'_> {
    fn of(&self, kind: Kind, linear: u32) -> u16 {
        let own = &self.held[kind as usize].own;
        if own.contains(&linear) {
            return (linear - own.start) as u16;
        }
        self.maps[kind as usize].get(linear)
    }
}

/// Writes all sections.
fn write_topology(
    mesh: &OwnedMesh<'_>,
    (patch, header): (usize, &PatchHeader),
    local: &PatchContents,
    topology: &mut [u16],
    maps: &mut [SmallMap; 3],
) {
    for (map, held) in maps.iter_mut().zip(&local.held) {
        map.reset(held.ribbon.len());
        for (&id, at) in held.ribbon.iter().zip(held.own.len()..) {
            map.insert(id, at as u16);
        }
    }
    let names = Names {
        held: &local.held,
        maps,
    };
    let section = |at: u32| (at - header.topology) as usize;
    let all = |held: &Held| held.own.clone().chain(held.ribbon.clone());
    let rows = topology[section(header.ev_section())..]
        .as_chunks_mut::<2>()
        .0;
    for (row, edge) in rows.iter_mut().zip(all(&local.held[1])) {
        *row = mesh.edges.keys[edge as usize].map(|v| names.of(Kind::Vertex, v));
    }
    let rows = topology[section(header.fe_section())..]
        .as_chunks_mut::<3>()
        .0;
    for (row, face) in rows.iter_mut().zip(all(&local.held[2])) {
        let [ab, bc, ac] = mesh.face_edges(face).map(|e| names.of(Kind::Edge, e) << 1);
        // Corners a, b, c, or a, c, b where the lowest cell has it so.
        *row = match mesh.faces.turned[face as usize] {
            false => [ab, bc, ac | 1],
            true => [ac, bc | 1, ab | 1],
        };
    }
    let rows = topology[section(header.cv_section())..]
        .as_chunks_mut::<4>()
        .0;
    for (row, corners) in rows.iter_mut().zip(mesh.corners(patch)) {
        *row = corners.map(|v| names.of(Kind::Vertex, v));
    }
    let rows = topology[section(header.ce_section())..]
        .as_chunks_mut::<6>()
        .0;
    for (row, edges) in rows.iter_mut().zip(&local.cell_edges) {
        *row = edges.map(|e| names.of(Kind::Edge, e));
    }
    let rows = topology[section(header.cf_section())..]
        .as_chunks_mut::<4>()
        .0;
    for (row, faces) in rows.iter_mut().zip(&local.cell_faces) {
        *row = faces.map(|f| names.of(Kind::Face, f));
    }
}
