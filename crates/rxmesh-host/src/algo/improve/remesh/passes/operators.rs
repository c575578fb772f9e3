//! Passes that change connectivity: splits, contractions and flips.

use super::super::measure::bounds;
use super::super::{LONG, RemeshBatchReport, Remeshes, SHORT};
use super::Remesher;
use crate::Error;
use crate::edit::{Edits, RunReport, Runs, Session};
use rxmesh_kernels::algo::improve::remesh::{
    CollapseShort, CountSlender, Deviations, EqualiseFlip, SLENDER, SplitLong,
};
use rxmesh_kernels::topo::Kind;

/// Reciprocal of the share of edges below which a flip pass is the last: the flips that are left would not be seen in
/// the result.
const FEW_FLIPS: u64 = 500;

/// Reciprocal of the share of slender faces from which a mesh is slender.
const FEW_SLENDER: u64 = 100;

impl Remesher {
    fn slender_faces<C: Edits>(&self, session: &Session<C>) -> Result<u32, Error> {
        let counts = session.engine().zeroed::<u32>(2)?;
        session.engine().launch_flat(
            session.capacity(Kind::Face),
            CountSlender {
                mesh: session.mesh()?,
                x: session.read(self.x)?,
                shortest: self.sizing(session, SHORT)?,
                counts: counts.global_mut(),
            },
        )?;
        Ok(counts.read()?[1])
    }

    /// Contracts and flips a mesh with slender triangles before anything is split.
    pub(in super::super) fn widen<C: Remeshes>(
        &mut self,
        session: &mut Session<C>,
        report: &mut RemeshBatchReport,
    ) -> Result<(), Error> {
        let faces = u64::from(session.count(Kind::Face)?);
        if u64::from(self.slender_faces(session)?) * FEW_SLENDER > faces {
            self.slender = SLENDER;
            report.collapse.merge(&self.collapse(session)?);
            report.flip.merge(&self.flip(session)?);
        }
        Ok(())
    }

    /// Splits edges above 4/3 of their length.
    pub(in super::super) fn split<C: Runs<SplitLong>>(
        &self,
        session: &mut Session<C>,
    ) -> Result<RunReport, Error> {
        let mut report = RunReport::default();
        for bound in bounds(session, self.x, self.sizing(session, 1.0)?, LONG)? {
            let pass = session.run(self.max_rounds, |s| {
                self.guard.check(s)?;
                Ok(SplitLong {
                    x: self.places(s)?,
                    lines: self.lines(s)?,
                    longest: self.sizing(s, bound)?,
                })
            })?;
            report.merge(&pass);
        }
        self.guard.check(session)?;
        Ok(report)
    }

    /// Contracts edges below 4/5 of their length, such that none gets above 4/3.
    pub(in super::super) fn collapse<C: Runs<CollapseShort>>(
        &self,
        session: &mut Session<C>,
    ) -> Result<RunReport, Error> {
        self.collapse_between(session, SHORT, LONG)
    }

    /// Contracts edges below some part of their length, such that none gets above another.
    pub(in crate::algo) fn collapse_between<C: Runs<CollapseShort>>(
        &self,
        session: &mut Session<C>,
        shortest: f32,
        longest: f32,
    ) -> Result<RunReport, Error> {
        session.run(self.max_rounds, |s| {
            Ok(CollapseShort {
                x: self.places(s)?,
                lines: self.lines(s)?,
                length: self.sizing(s, 1.0)?,
                shortest: shortest * shortest,
                longest: longest * longest,
                limits: self.limits.global(),
            })
        })
    }

    pub(in crate::algo) fn flip<C: Runs<EqualiseFlip>>(
        &self,
        session: &mut Session<C>,
    ) -> Result<RunReport, Error> {
        session.engine().launch_flat(
            session.capacity(Kind::Vertex),
            Deviations {
                mesh: session.mesh()?,
                deviation: session.write(self.deviation)?,
            },
        )?;
        let mut report = RunReport::default();
        // A flip changes the valences of vertices whose other edges are not examined again: passes over all edges find
        // them.
        loop {
            let left = self.max_rounds - report.rounds;
            let pass = session.run(left, |s| {
                Ok(EqualiseFlip {
                    x: s.read(self.x)?,
                    lines: self.lines(s)?,
                    deviation: s.write(self.deviation)?,
                    slender: self.slender,
                    labels: self.labels(s)?.read(),
                    resting: self.resting.view(),
                })
            })?;
            report.merge(&pass);
            let edges = f64::from(session.capacity(Kind::Edge)) * self.resting.going;
            let few = ((pass.done * FEW_FLIPS) as f64) < edges;
            if few || pass.done == 0 || report.rounds >= self.max_rounds {
                return Ok(report);
            }
        }
    }
}
