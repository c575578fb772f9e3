//! Surface tracking.

use anyhow::Result;
use rxmesh_host::algo::remesh::Remeshes;
use rxmesh_host::algo::track::{TrackOptions, track};
use rxmesh_host::edit::{Claims, Runs};
use rxmesh_kernels::algo::track::SplitStretched;
use rxmesh_kernels::topo::Kind;
#[cfg(feature = "speculative")]
use rxmesh_speculative::Speculative;

use super::session::{NO_FLOOR, figures, operation};
use super::{Measured, Row, TriangleBench};
use crate::conflicts::Counts;
use crate::reference::{Against, Goal};

/// Number of frames that are timed together.
const FRAMES: u32 = 10;

const TRACKING: Row = Row::time(
    "track",
    "surface tracking: a frame of advection and improvement, on the wall clock",
    tracking::<Claims>,
)
.counts(
    "ten frames over ten, on a session opened before, wall clock with the host's part in every round",
    "",
    NO_FLOOR,
)
.against(&[
    Against::new("RXMesh, sphere", "rxmesh-h200", &["surface tracking"])
        .elsewhere("a sphere, and frames of 0.05 s where ours are of 0.01 s"),
])
.goals(&[Goal::gpu(20_000, 1.5)]);

pub(super) const ROWS: &[Row] = &[
    TRACKING,
    #[cfg(feature = "speculative")]
    TRACKING
        .speculative(
            "track-speculative",
            "the same on the speculative scheduler",
            tracking::<Speculative>,
        )
        .goals(&[Goal::gpu(20_000, 20.0)]),
];

/// Measures one frame of tracking, advection and improvement, as the mean over some.
fn tracking<C: Counts + Remeshes + Runs<SplitStretched>>(
    b: &TriangleBench<'_>,
) -> Result<Measured> {
    let options = TrackOptions::default().with(|o| {
        o.frames = FRAMES;
        o.max_faces = Some(u32::MAX);
    });
    let worked = operation::<C>(b, &b.mesh.positions, |session, x| {
        let report = track::<_, rxmesh_host::Error>(session, x, &options, |_, _| Ok(()))?;
        let faces = session.count(Kind::Face)?;
        Ok(figures(&report.run(), &[("faces", faces.into())]))
    })?;
    let mut measured = worked.measured;
    for ms in &mut measured.times.ms {
        *ms /= f64::from(FRAMES);
    }
    Ok(measured)
}
