//! Patches written into their sections.

use super::renumbering::Renumbering;
use super::{Repack, RepackLists, Repacked, Stats, WRITE_ROOM};
use crate::Error;
use crate::engine::Buffer;
use crate::patch::PatchError;
use crate::store::{Buffers, RepackedMesh, RxMesh};
use rxmesh_kernels::repack::ribbon::{LONG_LIST, RepackRibbon};
use rxmesh_kernels::repack::write::{RepackHeaders, RepackWrite};
use rxmesh_kernels::repack::{NONE, STATS, Stat};
use rxmesh_kernels::topo::{Kind, PatchHeader};
use std::sync::Arc;

impl Repack<'_> {
    /// Builds ribbons, headers and sections.
    pub(super) fn pack(self, stats: &Stats, lists: &RepackLists) -> Result<Repacked, Error> {
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let patches = stats.of(Stat::Patches);
        let &RepackLists {
            told,
            tables,
            lists,
            sizes,
            ..
        } = lists;
        engine.launch_blocks(
            patches,
            RepackRibbon {
                flat,
                work,
                told,
                tables,
                lists,
                sizes,
                room: stats.of(Stat::MostTold).min(LONG_LIST),
            },
        )?;
        let isolated = stats.of(Stat::Isolated);
        let all = patches + isolated.div_ceil(self.options.patch_size);
        let headers = engine.uninit::<PatchHeader>(all as usize)?;
        engine.launch_blocks(
            1,
            RepackHeaders {
                work,
                sizes,
                headers: headers.global_mut(),
                isolated,
                isolated_room: self.options.patch_size,
            },
        )?;
        let (on_host, after) =
            headers.read_two(0..headers.len(), self.arena.buffer(), 0..STATS as usize)?;
        self.check_headers(&Stats(after))?;
        let buffers = self.allocate_patches(headers, &on_host)?;
        let ribbon = |h: &PatchHeader| {
            u32::from(h.total[0] - h.owned[0]) + u32::from(h.total[1] - h.owned[1])
        };
        let rooms = on_host.iter().map(ribbon).filter(|&n| n <= WRITE_ROOM);
        engine.launch_blocks(
            all,
            RepackWrite {
                flat,
                work,
                lists: lists.read(),
                headers: buffers.headers.global(),
                topology: buffers.topology.global_mut(),
                masks: buffers.masks.global_mut(),
                ribbons: buffers.ribbons.global_mut(),
                room: rooms.max().unwrap_or(0),
            },
        )?;
        let counts = [
            stats.of(Stat::Vertices) + isolated,
            stats.of(Stat::Edges),
            stats.of(Stat::Faces),
        ];
        let linear = self.linear.map(Arc::new);
        let mesh = RxMesh::from_packed(
            engine,
            RepackedMesh {
                buffers,
                headers: on_host,
                counts,
                origin: [linear[0].clone(), linear[2].clone()],
            },
        );
        Ok(Repacked {
            renumbering: Renumbering {
                mesh: mesh.id(),
                linear,
            },
            mesh,
        })
    }

    /// Refuses patches that do not fit their ids.
    fn check_headers(&self, stats: &Stats) -> Result<(), Error> {
        if stats.of(Stat::Offsets) > 0 {
            return Err(PatchError::TooManyElements {
                what: "topology entries",
                count: 1 << 32,
                limit: u64::from(u32::MAX - 1),
            }
            .into());
        }
        match stats.of(Stat::TooLarge) {
            0 => Ok(()),
            patch => Err(self.too_large(patch - 1)?),
        }
    }

    /// Returns the error of a patch with too many local elements: names the busiest vertex of its faces.
    fn too_large(&self, patch: u32) -> Result<Error, Error> {
        let (fe, ev) = (self.input.fe.read()?, self.input.ev.read()?);
        let label = self
            .relabelled
            .as_ref()
            .unwrap_or(self.input.label)
            .read()?;
        let mut valence = vec![0u64; self.input.ve.len()];
        let (mut own, mut of_patch) = (vec![false; valence.len()], 0);
        let patch_labels = self.labels_of(patch, &label, &fe)?;
        for (face, sides) in fe.chunks_exact(3).enumerate() {
            if sides[0] == NONE {
                continue;
            }
            let mine = label[face] == patch_labels;
            of_patch += u64::from(mine);
            for &side in sides {
                let v = ev[side as usize] as usize;
                valence[v] += 1;
                own[v] |= mine;
            }
        }
        let busiest = (0..valence.len())
            .filter(|&v| own[v])
            .max_by_key(|&v| (valence[v], std::cmp::Reverse(v)));
        let vertex = busiest.unwrap_or_default();
        let most = valence.get(vertex).copied().unwrap_or_default();
        Ok(PatchError::PatchTooLarge {
            kind: Kind::Face,
            count: of_patch.max(most),
            limit: PatchHeader::MAX_EDGES.into(),
            vertex: vertex as u32,
            valence: most,
        }
        .into())
    }

    /// Returns the label of a patch: the `patch`th that has a face.
    fn labels_of(&self, patch: u32, label: &[u32], fe: &[u32]) -> Result<u32, Error> {
        let mut used = vec![false; self.work.label_faces.len() as usize];
        for (label, sides) in label.iter().zip(fe.chunks_exact(3)) {
            if sides[0] != NONE {
                used[*label as usize] = true;
            }
        }
        let mut with_faces = (0..used.len()).filter(|&l| used[l]);
        Ok(with_faces.nth(patch as usize).unwrap_or_default() as u32)
    }

    /// Allocates memory for the sections, of the size in the last header.
    fn allocate_patches(
        &self,
        headers: Buffer<PatchHeader>,
        on_host: &[PatchHeader],
    ) -> Result<Buffers, Error> {
        let end = on_host.last().copied().unwrap_or_default();
        let engine = self.engine;
        Ok(Buffers {
            headers,
            topology: engine.zeroed((end.topology + end.topology_len()) as usize)?,
            masks: engine.zeroed((end.mask + end.mask_len()) as usize)?,
            ribbons: engine.zeroed((end.ribbon + end.ribbon_len()) as usize)?,
        })
    }
}
