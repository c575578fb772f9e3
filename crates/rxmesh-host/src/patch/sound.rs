//! Checks that a patch set satisfies the contracts of kernels, in linear time, for sets that were not just built here.

use crate::par::IntoLean;
use rayon::prelude::*;
use rxmesh_kernels::topo::{Kind, PatchHeader};

use super::{PatchError, PatchSet};

type Checked = Result<(), String>;

fn ensure(truth: bool, why: impl FnOnce() -> String) -> Checked {
    if truth { Ok(()) } else { Err(why()) }
}

impl PatchSet {
    /// Checks that the sections of the patches are consistent: every section lies in its array, every id in its range,
    /// every face closes, each element has one owner, and sources and linear ids are inverse to each other. Whatever a
    /// kernel does with such a set, it stays in its memory (contract U4 of docs/inside/unsafe.md). [`PatchSet::is_of`]
    /// checks that a set belongs to a mesh.
    ///
    /// # Errors
    ///
    /// [`PatchError::Broken`], which names the patch.
    pub fn check(&self) -> Result<(), PatchError> {
        self.check_sections()
            .and_then(|()| {
                (0..self.headers.len())
                    .into_par_iter()
                    .lean()
                    .try_for_each(|patch| self.check_patch(patch))
            })
            .and_then(|()| self.check_names(Kind::Vertex, &self.vertex_source, &self.vertex_linear))
            .and_then(|()| self.check_names(Kind::Face, &self.face_source, &self.face_linear))
            .map_err(PatchError::Broken)
    }

    /// Returns `true` if a sound set ([`PatchSet::check`]) holds exactly the faces of a mesh, in all patches that have
    /// them.
    pub fn is_of(&self, vertex_count: usize, faces: &[[u32; 3]]) -> bool {
        let counts = [self.counts[0], self.counts[2]].map(|n| n as usize);
        counts == [vertex_count, faces.len()]
            && self.headers.par_iter().lean().all(|h| {
                (0..u32::from(h.total[2])).all(|f| {
                    let source = |names: &[u32], kind, local| {
                        let linear = self.linear(h, kind, local);
                        names.get(linear as usize).copied().unwrap_or(u32::MAX)
                    };
                    let face = source(&self.face_source, Kind::Face, f);
                    let corners = self
                        .corners(h, f)
                        .map(|v| source(&self.vertex_source, Kind::Vertex, v));
                    faces.get(face as usize) == Some(&corners)
                })
            })
    }

    /// Checks that sections follow each other and fill their arrays, and that owned elements have distinct linear ids.
    fn check_sections(&self) -> Checked {
        let (mut ends, mut owned) = ([0u64; 3], [0u64; 3]);
        // Bounds of the first linear ids of the next patch: after those that the preceding patch owns, and before its
        // slack ends.
        let (mut bases, mut slack) = ([0u64; 3], [0u64; 3]);
        for (patch, h) in self.headers.iter().enumerate() {
            let starts = [h.topology, h.mask, h.ribbon].map(u64::from);
            ensure(starts == ends, || {
                format!("patch {patch} does not start where the one before it ends")
            })?;
            let ascending = |k: usize| h.owned[k] <= h.total[k] && h.total[k] <= h.capacity[k];
            ensure((0..3).all(ascending), || {
                format!("patch {patch}: owned, total and capacity do not ascend")
            })?;
            ensure(u32::from(h.capacity[1]) <= PatchHeader::MAX_EDGES, || {
                format!("patch {patch} has too many edges")
            })?;
            // The lengths of the sections do not depend on where they are.
            let here = PatchHeader {
                topology: 0,
                mask: 0,
                ribbon: 0,
                ..*h
            };
            let lengths = [here.topology_len(), here.mask_len(), here.ribbon_len()];
            for k in 0..3 {
                ends[k] += u64::from(lengths[k]);
                let base = u64::from(h.base[k]);
                ensure((bases[k]..=slack[k]).contains(&base), || {
                    format!("patch {patch}: the linear ids of kind {k} are not its own")
                })?;
                bases[k] = base + u64::from(h.owned[k]);
                slack[k] = base + u64::from(h.capacity[k]);
                owned[k] += u64::from(h.owned[k]);
            }
        }
        let lengths = [self.topology.len(), self.masks.len(), self.ribbons.len()];
        ensure(lengths.map(|n| n as u64) == ends, || {
            format!("arrays of {lengths:?} entries for sections of {ends:?}")
        })?;
        ensure(ends.iter().all(|&n| n <= u64::from(u32::MAX)), || {
            "sections that 32 bits cannot address".into()
        })?;
        ensure(owned == self.counts.map(u64::from), || {
            format!("{owned:?} elements are owned, not {:?}", self.counts)
        })?;
        ensure(
            (0..3).all(|k| (bases[k]..=slack[k]).contains(&u64::from(self.linear_len[k]))),
            || "linear ids end elsewhere than those of the last patch".into(),
        )
    }

    /// Checks the contents of a patch's sections.
    fn check_patch(&self, patch: usize) -> Checked {
        let h = &self.headers[patch];
        let total = h.total.map(u32::from);
        for kind in Kind::ALL {
            let k = kind as usize;
            let from = h.ribbon_section(kind) as usize;
            let ribbon = &self.ribbons[from..from + usize::from(h.total[k] - h.owned[k])];
            let own = h.base[k]..h.base[k] + u32::from(h.owned[k]);
            let right = ribbon.is_sorted_by(|a, b| a < b)
                && ribbon.last().is_none_or(|&id| id < self.linear_len[k])
                && !ribbon.iter().any(|id| own.contains(id));
            ensure(right, || {
                format!("patch {patch}: the ribbon of kind {k} is not one")
            })?;
            for (at, count) in [
                (h.owned_mask(kind), h.owned[k]),
                (h.active_mask(kind), h.total[k]),
            ] {
                let words = &self.masks[at as usize..(at + h.mask_words(kind)) as usize];
                let bits = |w: usize| match (u32::from(count)).saturating_sub(32 * w as u32) {
                    n @ 0..32 => (1u32 << n) - 1,
                    _ => u32::MAX,
                };
                let right = words.iter().enumerate().all(|(w, &word)| word == bits(w));
                ensure(right, || {
                    format!("patch {patch}: a mask of kind {k} is wrong")
                })?;
            }
        }
        let (ev, fe) = (h.ev_section() as usize, h.fe_section() as usize);
        let ends = &self.topology[ev..ev + 2 * total[1] as usize];
        ensure(ends.iter().all(|&v| u32::from(v) < total[0]), || {
            format!("patch {patch}: an edge ends at a missing vertex")
        })?;
        let sides = &self.topology[fe..fe + 3 * total[2] as usize];
        ensure(sides.iter().all(|&s| u32::from(s) >> 1 < total[1]), || {
            format!("patch {patch}: a face has a missing edge")
        })?;
        // Side `edge << 1 | d` starts at entry `side` of EV and ends at the edge's other one.
        let closes = |face: &[u16]| {
            let end = |side: u16| ends[usize::from(side)];
            (0..3).all(|k| end(face[k] ^ 1) == end(face[(k + 1) % 3]))
        };
        ensure(sides.chunks_exact(3).all(closes), || {
            format!("patch {patch}: a face does not close")
        })
    }

    /// Checks that sources and linear ids are inverse to each other, and owned elements have a source.
    fn check_names(&self, kind: Kind, source: &[u32], linear: &[u32]) -> Checked {
        let (len, count) = (self.linear_len[kind as usize], self.counts[kind as usize]);
        let wrong = || format!("{kind:?}: sources and linear ids do not match");
        ensure(
            source.len() == len as usize && linear.len() == count as usize,
            wrong,
        )?;
        let back = |(input, &id): (usize, &u32)| source.get(id as usize) == Some(&(input as u32));
        ensure(linear.par_iter().enumerate().lean().all(back), wrong)?;
        let owned = |h: &PatchHeader| {
            let base = h.base[kind as usize] as usize;
            let own = &source[base..base + usize::from(h.owned[kind as usize])];
            !own.contains(&u32::MAX)
        };
        ensure(self.headers.par_iter().lean().all(owned), wrong)?;
        // As many as there are inputs, each of which is one: no other place has a source.
        let live = source.par_iter().lean().filter(|&&s| s != u32::MAX).count();
        ensure(live == count as usize, wrong)
    }

    /// Returns the linear id of a local element.
    fn linear(&self, h: &PatchHeader, kind: Kind, local: u32) -> u32 {
        let owned = u32::from(h.owned[kind as usize]);
        match local.checked_sub(owned) {
            None => h.base[kind as usize] + local,
            Some(i) => self.ribbons[(h.ribbon_section(kind) + i) as usize],
        }
    }

    /// Returns the local corners of a local face.
    fn corners(&self, h: &PatchHeader, face: u32) -> [u32; 3] {
        [0, 1, 2].map(|k| {
            let side = self.topology[(h.fe_section() + 3 * face + k) as usize];
            u32::from(self.topology[h.ev_section() as usize + usize::from(side)])
        })
    }
}
