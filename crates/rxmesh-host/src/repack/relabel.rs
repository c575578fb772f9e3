//! Labels of the right size before a mesh is packed: see [`rxmesh_kernels::repack::relabel`].

use super::arena::Arena;
use super::{Labels, Repack, Stats};
use crate::Error;
use crate::engine::Buffer;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::repack::recut::{CUT_ROOM, Recut, SPARE_WORDS};
use rxmesh_kernels::repack::relabel::{
    Regions, RelabelCentre, RelabelDepth, RelabelFaces, RelabelMate, RelabelMove, RelabelPairs,
    RelabelPick, RelabelRegions, RelabelSeed, RelabelSettle, RelabelSpread, RelabelStart,
    RelabelUnite, SHAPED, Sizes,
};
use rxmesh_kernels::repack::{CHUNK, Stat};

/// Patches of a region that looks no further for a partner, and of the largest union.
const REGION: [u32; 2] = [4, 8];

/// Sizes for labels that are to be changed; nothing if they are right as they are: none has more faces than the limit,
/// and there are not many more of them than patches that are three quarters full.
fn sizes(stats: &Stats, limit: u32) -> Option<Sizes> {
    let (faces, patches) = (stats.of(Stat::Faces), stats.of(Stat::Patches));
    let well_filled = (u64::from(limit) * 3 / 4).max(1);
    let too_many = u64::from(patches) > 1 + u64::from(faces) / well_filled;
    let too_large = stats.of(Stat::Largest) > limit;
    (too_many || too_large).then(|| Sizes {
        limit,
        // Where only some are too large, only what is very small goes with them.
        low: if too_many { limit * 3 / 4 } else { limit / 4 },
        full: full(limit),
        enough: REGION[0] * limit,
        most: REGION[1] * limit,
    })
}

/// How much regions are to grow.
#[derive(Clone, Copy)]
struct Rounds {
    /// Rounds of matching: a round makes regions about one and a half times as large.
    matching: u32,
    /// Steps from a region's border to its centre; 0 where regions have too few labels to have a shape.
    steps: u32,
}

impl Rounds {
    fn new(stats: &Stats, sizes: &Sizes) -> Rounds {
        let mean = f64::from(stats.of(Stat::Faces)) / f64::from(stats.of(Stat::Patches).max(1));
        let growth = (f64::from(sizes.enough) / mean.max(1.0)).max(1.0);
        Rounds {
            matching: 4 + (growth.log2() * 1.7).ceil() as u32,
            steps: if growth < 8.0 {
                0
            } else {
                2 + growth.sqrt().ceil() as u32
            },
        }
    }
}

/// Lloyd rounds on the graph of labels.
const SHAPINGS: u32 = 2;

/// How many more labels there can be than were given.
pub(super) fn more_labels(faces: usize, limit: u32) -> usize {
    faces / full(limit) as usize + 1
}

/// Most faces of a patch where a region is cut: some room is left.
fn full(limit: u32) -> u32 {
    (limit * 19 / 20).max(1)
}

impl Repack<'_> {
    /// Counts the faces of each label, and changes labels if the options want that and it is due.
    pub(super) fn labels(&mut self) -> Result<(), Error> {
        self.count()?;
        if self.options.labels == Labels::Keep {
            return Ok(());
        }
        let stats = self.stats()?;
        self.check_labels(&stats)?;
        let Some(sizes) = sizes(&stats, self.options.patch_size) else {
            return Ok(());
        };
        let (_arena, regions) = self.regions()?;
        let (engine, work) = (self.engine, self.work);
        self.unite(regions, Rounds::new(&stats, &sizes), sizes)?;
        let kernel = RelabelRegions {
            work,
            regions,
            sizes,
        };
        engine.launch_blocks(1, kernel)?;
        let stats = self.stats()?;
        let label = self.cut(regions, &stats, sizes)?;
        self.flat.label = label.global();
        self.relabelled = Some(label);
        self.work.label_faces = self.label_room.part(0, stats.of(Stat::Labels));
        self.count()
    }

    /// Memory for regions, one a label at first.
    fn regions(&self) -> Result<(Arena, Regions), Error> {
        let labels = self.work.label_faces.len() as usize;
        let mut arena = Arena::uninit(self.engine, &[labels; 10])?;
        let mut take = || arena.take(labels);
        let regions = Regions {
            root: take(),
            size: take(),
            wrong: take(),
            best: take(),
            mate: take(),
            next_mate: take(),
            base: take(),
            cursor: take(),
            cut_root: take(),
            cut_start: take(),
        };
        Ok((arena, regions))
    }

    /// Unites neighbouring regions, round by round.
    fn unite(&self, regions: Regions, rounds: Rounds, sizes: Sizes) -> Result<(), Error> {
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let (faces, labels) = (flat.faces(), work.label_faces.len());
        engine.launch_flat(
            labels,
            RelabelStart {
                work,
                regions,
                sizes,
            },
        )?;
        // Each side of a face at most once: a face may have an edge twice.
        let list = engine.uninit::<u32>(9 * faces as usize)?;
        let pairs = list.global_mut();
        engine.launch_blocks(faces.div_ceil(CHUNK), RelabelPairs { flat, work, pairs })?;
        let count = self.stats()?.of(Stat::Pairs);
        let mut regions = regions;
        for round in 0..rounds.matching {
            let pick = RelabelPick {
                regions,
                pairs,
                sizes,
                round,
            };
            engine.launch_flat(count, pick)?;
            let mate = RelabelMate {
                regions,
                pairs,
                sizes,
                round,
            };
            engine.launch_flat(count, mate)?;
            engine.launch_flat(labels, RelabelUnite { regions })?;
            (regions.mate, regions.next_mate) = (regions.next_mate, regions.mate);
        }
        if labels < SHAPED && rounds.steps > 0 {
            for _ in 0..SHAPINGS {
                self.shape(regions, pairs, count, rounds.steps)?;
            }
        }
        Ok(())
    }

    /// A Lloyd round on the graph of labels.
    fn shape(
        &self,
        regions: Regions,
        pairs: GlobalMut<u32>,
        count: u32,
        steps: u32,
    ) -> Result<(), Error> {
        let (engine, work) = (self.engine, self.work);
        let labels = work.label_faces.len();
        for depth in 0..steps {
            let kernel = RelabelDepth {
                regions,
                pairs,
                depth,
            };
            engine.launch_flat(count, kernel)?;
        }
        engine.launch_flat(labels, RelabelCentre { regions })?;
        engine.launch_flat(labels, RelabelSeed { regions })?;
        // A centre may lie to one side.
        for _ in 0..2 * steps {
            engine.launch_flat(count, RelabelSpread { regions, pairs })?;
            engine.launch_flat(labels, RelabelSettle { regions })?;
        }
        engine.launch_flat(labels, RelabelMove { work, regions })?;
        Ok(())
    }

    /// New labels of all faces; cuts the regions that are to be cut.
    fn cut(&self, regions: Regions, stats: &Stats, sizes: Sizes) -> Result<Buffer<u32>, Error> {
        let (engine, flat) = (self.engine, self.flat);
        let (faces, cut) = (flat.faces(), stats.of(Stat::CutFaces) as usize);
        let room = stats.of(Stat::LargestRegion).min(CUT_ROOM);
        let spare = if stats.of(Stat::LargestRegion) > room {
            SPARE_WORDS as usize * cut
        } else {
            0
        };
        let new = engine.uninit::<u32>(faces as usize)?;
        let parts = [cut, 3 * cut, spare];
        let mut arena = Arena::uninit(engine, &parts)?;
        let [members, adjacent, spare] = parts.map(|n| arena.take(n));
        let label = new.global_mut();
        let assign = RelabelFaces {
            flat,
            regions,
            sizes,
            label,
            members,
        };
        engine.launch_flat(faces, assign)?;
        let kernel = Recut {
            flat,
            regions,
            members,
            // Not used otherwise before the faces are numbered.
            place: self.work.face_session,
            adjacent,
            spare,
            label,
            full: sizes.full,
            room,
        };
        engine.launch_blocks(stats.of(Stat::Cuts), kernel)?;
        Ok(new)
    }
}
