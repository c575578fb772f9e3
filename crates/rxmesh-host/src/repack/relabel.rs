//! Labels of the right size before a mesh is packed: see [`rxmesh_kernels::repack::relabel`].

use super::arena::Arena;
use super::{Labels, Repack, Stats};
use crate::Error;
use crate::engine::Buffer;
use rxmesh_kernels::repack::faces::FACE_RUN;
use rxmesh_kernels::repack::recut::{CUT_ROOM, PARTS, Recut, SPARE_WORDS};
use rxmesh_kernels::repack::relabel::{
    Regions, RelabelFaces, RelabelPairs, RelabelRegions, RelabelUnite, Rounds, SHAPED, Sizes,
};
use rxmesh_kernels::repack::{CHUNK, Stat};

/// Patches of a region that seeks no further partner, and of the largest union. The time of cutting is that of the
/// largest region; but many small labels make ragged regions, whose patches are better and fuller the larger they are.
const REGION: [u32; 2] = [4, 8];

/// The same where labels have more faces than a patch on average, as those of construction.
const REGION_OF_LARGE: [u32; 2] = [3, 5];

/// Returns sizes for labels that are to be changed; `None` if they are right: none has more faces than the limit, and
/// there are not many more of them than patches that are three quarters full.
fn sizes(stats: &Stats, limit: u32) -> Option<Sizes> {
    let (faces, patches) = (stats.of(Stat::Faces), stats.of(Stat::Patches));
    let well_filled = (u64::from(limit) * 3 / 4).max(1);
    let too_many = u64::from(patches) > 1 + u64::from(faces) / well_filled;
    let too_large = stats.of(Stat::Largest) > limit;
    let large = u64::from(faces) > u64::from(patches) * u64::from(limit);
    let [enough, most] = if large { REGION_OF_LARGE } else { REGION };
    (too_many || too_large).then(|| Sizes {
        limit,
        // If only some are too large, only very small ones go with them.
        low: if too_many { limit * 3 / 4 } else { limit / 4 },
        full: full(limit),
        enough: enough * limit,
        most: most * limit,
    })
}

/// Returns the rounds in which regions grow.
fn rounds(stats: &Stats, sizes: &Sizes, labels: u32) -> Rounds {
    let mean = f64::from(stats.of(Stat::Faces)) / f64::from(stats.of(Stat::Patches).max(1));
    let growth = (f64::from(sizes.enough) / mean.max(1.0)).max(1.0);
    Rounds {
        matching: 4 + (growth.log2() * 1.7).ceil() as u32,
        depth: if growth < 8.0 || labels >= SHAPED {
            0
        } else {
            2 + growth.sqrt().ceil() as u32
        },
    }
}

/// Returns the largest number of labels beyond those given.
pub(super) fn more_labels(faces: usize, limit: u32) -> usize {
    faces / full(limit) as usize + 1
}

/// Returns the most faces of a patch where a region is cut: some capacity is left.
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
        let rounds = rounds(&stats, &sizes, work.label_faces.len());
        self.unite(regions, &stats, sizes, rounds)?;
        let kernel = RelabelRegions {
            work,
            regions,
            sizes,
        };
        engine.launch_blocks(1, kernel)?;
        // A union is no larger than `most`; Lloyd rounds know no sizes.
        let largest = if rounds.depth == 0 {
            stats.of(Stat::Largest).max(sizes.most)
        } else {
            self.stats()?.of(Stat::LargestRegion)
        };
        let label = self.cut(regions, largest.min(self.flat.faces()), sizes)?;
        self.flat.label = label.global();
        self.relabelled = Some(label);
        self.work.label_faces = self.label_room;
        self.most_patches =
            most_patches(self.work.label_faces.len(), stats.of(Stat::Faces), &sizes);
        self.count()
    }

    /// Allocates memory for regions, one a label at first.
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
    fn unite(
        &self,
        regions: Regions,
        stats: &Stats,
        sizes: Sizes,
        rounds: Rounds,
    ) -> Result<(), Error> {
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let (faces, labels) = (flat.faces(), work.label_faces.len());
        // Each side of a face at most once: a face may have an edge twice.
        let list = engine.uninit::<u32>(9 * faces as usize)?;
        let pairs = list.global_mut();
        engine.launch_blocks(faces.div_ceil(CHUNK), RelabelPairs { flat, work, pairs })?;
        // About as many pairs as labels of the mean size have sides at their borders.
        let border = f64::from(faces) * f64::from(stats.of(Stat::Patches));
        let blocks = engine.grid_blocks(labels.max(2 * border.sqrt() as u32) / 2);
        let unite = RelabelUnite {
            work,
            regions,
            pairs,
            sizes,
            matching: rounds.matching,
            depth: rounds.depth,
            blocks,
        };
        engine.launch_grid(blocks, 0..rounds.steps(), unite)?;
        Ok(())
    }

    /// Computes new labels of all faces; cuts the regions that are to be cut, of which none has more than `largest`
    /// faces.
    fn cut(&self, regions: Regions, largest: u32, sizes: Sizes) -> Result<Buffer<u32>, Error> {
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let faces = flat.faces();
        let fits = largest <= CUT_ROOM && largest.div_ceil(sizes.full) <= PARTS;
        let spare = if fits { 0 } else { SPARE_WORDS };
        let new = engine.uninit::<u32>(faces as usize)?;
        let parts = [1, spare].map(|words| words as usize * faces as usize);
        let mut arena = Arena::uninit(engine, &parts)?;
        let [members, spare] = parts.map(|n| arena.take(n));
        let label = new.global_mut();
        let assign = RelabelFaces {
            flat,
            regions,
            sizes,
            label,
            members,
        };
        engine.launch_flat(faces.div_ceil(FACE_RUN), assign)?;
        let kernel = Recut {
            flat,
            work,
            regions,
            members,
            spare,
            label,
            full: sizes.full,
            room: largest.min(CUT_ROOM),
        };
        let cuts = regions.root.len().min(faces / (sizes.limit + 1));
        engine.launch_blocks(cuts, kernel)?;
        Ok(new)
    }
}

/// Returns the most patches that new labels make: regions that stay have at least the faces of a label that is not too
/// small, parts of cut ones have more, and only one label of those that small regions share may have fewer.
fn most_patches(labels: u32, faces: u32, sizes: &Sizes) -> u32 {
    labels.min((faces / sizes.low.clamp(1, (sizes.limit / 4).max(1))).saturating_add(2))
}
