//! Delaunay edge flips.

use crate::Error;
use crate::algo::Options;
use crate::edit::{Column, RunReport, Runs, Session};
use glam::Vec3;
use rxmesh_kernels::algo::improve::delaunay::{CountDelaunay, DelaunayFlip};
use rxmesh_kernels::topo::{Kind, Vertex};

/// Options of flips to a Delaunay triangulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct DelaunayOptions {
    /// Most rounds.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().max_rounds))]
    pub max_rounds: u32,
    /// `true` to count the edges that are left, in one more pass over all.
    #[cfg_attr(feature = "cli", arg(skip = true))]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub count_left: bool,
}

units!(DelaunayOptions {});

changeable!(DelaunayOptions);

impl Options for DelaunayOptions {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Default for DelaunayOptions {
    fn default() -> Self {
        DelaunayOptions {
            max_rounds: 10_000,
            count_left: true,
        }
    }
}

/// Results of [`delaunay`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct DelaunayReport {
    /// Counts of the rounds; `done` is the number of flips.
    pub run: RunReport,
    /// Interior edges that violate the criterion still, 0 unless counted: their flip would fold the surface or make an
    /// edge that exists.
    pub left: u32,
    /// Interior edges that violate the criterion and are frozen, 0 unless counted.
    pub frozen: u32,
}

units!(DelaunayReport {});

/// Flips edges until the two angles opposite every interior edge sum to at most pi (Cheng and Dey 2008: this ends on
/// surfaces). Boundary, frozen and kept edges stay. Flips that would fold the surface over, or make a second edge
/// between the same vertices, are refused.
///
/// # Errors
///
/// Any error of the session.
pub fn delaunay<C: Runs<DelaunayFlip>>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    options: &DelaunayOptions,
) -> Result<DelaunayReport, Error> {
    let mut report = DelaunayReport::default();
    let op = |s: &Session<C>| -> Result<_, Error> {
        Ok(DelaunayFlip {
            x: s.read(x)?,
            lines: s.lines()?,
        })
    };
    report.run = session.run(options.max_rounds, op)?;
    // Refused flips may be possible once others are done.
    while report.run.finished && report.run.rounds < options.max_rounds {
        let left = options.max_rounds - report.run.rounds;
        let pass = session.run_refused(left, op)?;
        report.run.merge(&pass);
        if pass.done == 0 {
            break;
        }
    }
    if !options.count_left {
        return Ok(report);
    }
    let counts = session.engine().zeroed::<u32>(3)?;
    let count = CountDelaunay {
        flip: op(session)?,
        mesh: session.mesh()?,
        claims: session.face_claims()?,
        counts: counts.global_mut(),
    };
    session
        .engine()
        .launch_flat(session.capacity(Kind::Edge), count)?;
    let counts = counts.read()?;
    (report.left, report.frozen) = (counts[1], counts[2]);
    Ok(report)
}
