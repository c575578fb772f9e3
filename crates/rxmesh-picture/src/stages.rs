//! Times of the stages of a picture.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Stage of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureStage {
    Camera,
    Normals,
    Marks,
    Bins,
    Raster,
    Resolve,
    Occlusion,
    Shadow,
    Finish,
}

/// Names of the stages, in their order.
const NAMES: [&str; 9] = [
    "camera",
    "normals",
    "marks",
    "bins",
    "rasterise, all threads",
    "resolve, all threads",
    "occlusion",
    "shadow",
    "finish",
];

/// Time of a stage of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageTime {
    /// Name of the stage; those whose times are summed over all threads say so.
    pub name: &'static str,
    /// Time that it took.
    pub time: Duration,
}

/// Clock that sums the time of each stage.
#[derive(Debug, Default)]
pub(crate) struct StageClock([AtomicU64; NAMES.len()]);

impl StageClock {
    /// Runs a part of a stage.
    pub(crate) fn time<T>(&self, stage: PictureStage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let nanoseconds = start.elapsed().as_nanos() as u64;
        self.0[stage as usize].fetch_add(nanoseconds, Ordering::Relaxed);
        result
    }

    /// Returns the times of all stages.
    pub(crate) fn times(&self) -> Vec<StageTime> {
        let time = |(name, sum): (&'static str, &AtomicU64)| StageTime {
            name,
            time: Duration::from_nanos(sum.load(Ordering::Relaxed)),
        };
        NAMES.into_iter().zip(&self.0).map(time).collect()
    }
}
