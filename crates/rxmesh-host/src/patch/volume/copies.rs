//! Copies of one body, with patches that are there once (MeshTaichi 2022, section 8.6).

use crate::par::IntoLean;
use rayon::prelude::*;
use rxmesh_kernels::topo::Kind;

use super::super::error::PatchError;
use super::super::shared::NONE;
use super::VolumeSet;

impl VolumeSet {
    /// Makes `copies` of this body: topology of its patches is kept once, headers and ribbons once a copy. The linear
    /// id of an element of a copy is the copy times the body's number of elements, plus the id in the body; the input
    /// is the body's, one copy after the other.
    ///
    /// # Errors
    ///
    /// [`PatchError::TooManyElements`], [`PatchError::Copies`] for none.
    pub fn repeated(&self, copies: u32) -> Result<VolumeSet, PatchError> {
        if copies == 0 || self.copies != 1 {
            return Err(PatchError::Copies(copies));
        }
        self.check_room(copies)?;
        let body = self.counts;
        let headers = (0..copies).into_par_iter().lean().flat_map_iter(|copy| {
            let ribbons = copy * self.ribbons.len() as u32;
            self.headers.iter().map(move |&header| {
                let mut header = header;
                for kind in Kind::ALL {
                    header.base[kind as usize] += copy * body[kind as usize];
                }
                header.cell_base += copy * body[Kind::Cell as usize];
                header.ribbon += ribbons;
                header
            })
        });
        let ids = |of: &[u32], count: u32| -> Vec<u32> {
            let all = (0..copies).into_par_iter().lean();
            all.flat_map_iter(|copy| of.iter().map(move |&id| id + copy * count))
                .collect()
        };
        let [vertices, cells] = [&self.vertex_linear, &self.cell_linear].map(|l| l.len() as u32);
        Ok(VolumeSet {
            headers: headers.collect(),
            topology: self.topology.clone(),
            ribbons: self.repeated_ribbons(copies),
            counts: body.map(|n| n * copies),
            vertex_source: ids(&self.vertex_source, vertices),
            cell_source: ids(&self.cell_source, cells),
            vertex_linear: ids(&self.vertex_linear, body[0]),
            cell_linear: ids(&self.cell_linear, body[3]),
            has: self.has,
            copies,
        })
    }

    fn repeated_ribbons(&self, copies: u32) -> Vec<u32> {
        let mut all = vec![NONE; self.ribbons.len() * copies as usize];
        if self.ribbons.is_empty() {
            return all;
        }
        let parts = all.par_chunks_mut(self.ribbons.len());
        (0..copies)
            .into_par_iter()
            .zip(parts)
            .lean()
            .for_each(|(copy, all)| {
                for header in &self.headers {
                    for kind in Kind::VOLUME {
                        let from = header.ribbon_section(kind) as usize;
                        let n = header.total_of(kind) - header.owned_of(kind);
                        let shift = copy * self.counts[kind as usize];
                        let section = from..from + n as usize;
                        for (to, id) in all[section.clone()].iter_mut().zip(&self.ribbons[section])
                        {
                            *to = id + shift;
                        }
                    }
                }
            });
        all
    }

    /// Refuses more elements than 32 bits can number.
    fn check_room(&self, copies: u32) -> Result<(), PatchError> {
        let [v, e, f, c] = self.counts.map(u64::from);
        for (what, count, limit) in [
            ("vertices", v, 1 << 31),
            ("edges", e, u64::from(u32::MAX)),
            ("faces", f, u64::from(u32::MAX)),
            // Four corners of each cell can be numbered.
            ("cells", c, u64::from(u32::MAX) / 4),
            (
                "ribbon entries",
                self.ribbons.len() as u64,
                u64::from(u32::MAX),
            ),
            ("patches", self.headers.len() as u64, (1 << 31) - 1),
        ] {
            let count = count * u64::from(copies);
            if count > limit {
                return Err(PatchError::TooManyElements { what, count, limit });
            }
        }
        Ok(())
    }

    /// Returns the headers of one body.
    pub(crate) fn body(&self) -> &[rxmesh_kernels::topo::PatchHeader] {
        &self.headers[..self.headers.len() / self.copies as usize]
    }
}
