//! What is asked for, and how near a mesh is to it.

use super::measure::{faces_of, lengths, mean_length};
use super::passes::Remesher;
use super::{RemeshOptions, RemeshReport};
use crate::Error;
use crate::algo::Options;
use crate::edit::{Column, Edits, Session};
use glam::Vec3;
use rxmesh_kernels::algo::remesh::Sizing;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Bytes that a session and what reads and writes it hold for each face, about.
const BYTES_A_FACE: f64 = 400.0;

/// A mesh that has grown to so many times what was expected is stopped.
const OUTGROWN: f64 = 4.0;

/// So few faces are never too many.
const FEW_FACES: f64 = 50_000.0;

/// How far the mean length may be from the target.
const LENGTH_OFF: f32 = 0.15;

/// How far the number of faces may be from what the area asks for.
const COUNT_OFF: f64 = 0.25;

/// How far the number of faces may be from what was asked for.
const FACES_OFF: f64 = 0.1;

/// How near to the number of faces that was asked for is near enough not to go on.
const FACES_NEAR: f64 = 0.03;

/// Iterations more than were asked for, at most.
const MOST_MORE: u32 = 5;

/// Iterations go on only while one changes the number of faces by this part.
const STILL: f64 = 0.02;

/// # Errors
///
/// [`Error::TooManyFaces`].
pub(in crate::algo) fn check_faces(faces: f64, max: u32) -> Result<(), Error> {
    if faces <= f64::from(max) {
        return Ok(());
    }
    Err(Error::TooManyFaces {
        faces: faces as u64,
        gigabytes: (faces * BYTES_A_FACE / 1e9).ceil() as u64,
        limit: max,
    })
}

/// What is asked for.
pub(super) struct Goal {
    x: Column<Vertex, Vec3>,
    /// The length.
    pub(super) target: f32,
    /// Faces that are expected.
    expected: f64,
    /// Whether another iteration may change much.
    moves: bool,
}

impl Goal {
    /// Refuses what would have too many faces.
    pub(super) fn new<C: Edits>(
        session: &Session<C>,
        x: Column<Vertex, Vec3>,
        options: &RemeshOptions,
    ) -> Result<Goal, Error> {
        let none = session.engine().zeroed(0)?;
        let area = faces_of(session, x, Sizing::uniform(none.global_mut(), 1.0))?;
        let target = match (options.faces, options.target_length) {
            (Some(n), _) => (area / f64::from(n)).sqrt() as f32,
            (None, Some(length)) => length,
            (None, None) => mean_length(session, x)?,
        };
        RemeshOptions {
            target_length: Some(target),
            faces: None,
            ..*options
        }
        .check()?;
        let expected = match options.faces {
            Some(n) => f64::from(n),
            None => area / (f64::from(target) * f64::from(target)),
        };
        if options.adaptive.is_none() || options.faces.is_some() {
            check_faces(expected, options.max_faces)?;
        }
        Ok(Goal {
            x,
            target,
            expected,
            moves: true,
        })
    }

    /// Gives the remesher its lengths; refuses what would have too many faces.
    pub(super) fn adapt<C: Edits>(
        &mut self,
        session: &mut Session<C>,
        remesher: &mut Remesher,
        options: &RemeshOptions,
    ) -> Result<(), Error> {
        remesher.unit = self.target;
        if let Some(error) = options.adaptive {
            let least = options.min_length.unwrap_or(self.target * 0.25);
            let greatest = options.max_length.unwrap_or(self.target * 4.0);
            remesher.adapt(session, error, least.min(greatest), greatest.max(least))?;
            remesher.unit = 1.0;
            let wanted = faces_of(session, self.x, remesher.sizing(session, 1.0)?)?;
            match options.faces {
                Some(n) => remesher.unit = (wanted / f64::from(n)).sqrt() as f32,
                None => self.expected = wanted,
            }
            check_faces(self.expected, options.max_faces)?;
        }
        let now = f64::from(session.count(Kind::Face)?);
        let most = (OUTGROWN * (self.expected + now)).max(FEW_FACES);
        remesher.guard.most = most.min(f64::from(options.max_faces).max(now)) as u64;
        remesher.guard.expected = self.expected as u64;
        Ok(())
    }

    /// Whether there is another iteration.
    pub(super) fn goes_on(&self, report: &RemeshReport, options: &RemeshOptions) -> bool {
        let n = report.iterations;
        n < options.iterations
            || n > 0
                && n < options.iterations.saturating_add(MOST_MORE)
                && self.moves
                && !self.is_near(report, options)
    }

    fn is_near(&self, report: &RemeshReport, options: &RemeshOptions) -> bool {
        match options.faces {
            Some(_) => self.off(report) <= FACES_NEAR,
            None => report.on_target,
        }
    }

    fn off(&self, report: &RemeshReport) -> f64 {
        (f64::from(report.faces) / self.expected - 1.0).abs()
    }

    /// Looks at what an iteration has made of the mesh. Corrects the length when a number of faces was asked for.
    pub(super) fn look<C: Edits>(
        &mut self,
        session: &Session<C>,
        remesher: &mut Remesher,
        report: &mut RemeshReport,
        options: &RemeshOptions,
    ) -> Result<(), Error> {
        let last = report.iterations >= options.iterations;
        if !last && options.faces.is_none() {
            return Ok(());
        }
        let before = f64::from(report.faces);
        report.faces = session.count(Kind::Face)?;
        let now = f64::from(report.faces);
        self.moves = (now - before).abs() > STILL * now || options.faces.is_some();
        if options.adaptive.is_some() && options.faces.is_none() {
            self.expected = faces_of(session, self.x, remesher.sizing(session, 1.0)?)?;
        }
        report.expected_faces = self.expected;
        let unit = remesher.sizing(session, 1.0)?;
        report.length_over_target = lengths(session, self.x, unit)?.0;
        let within = match options.faces {
            Some(_) => FACES_OFF,
            None => COUNT_OFF,
        };
        report.on_target =
            (report.length_over_target - 1.0).abs() <= LENGTH_OFF && self.off(report) <= within;
        let held = report.length_over_target < 1.0 - 2.0 * LENGTH_OFF;
        self.moves &= !held;
        if options.faces.is_some()
            && report.iterations > 1
            && !held
            && !self.is_near(report, options)
        {
            let factor = (now / self.expected).sqrt().clamp(0.7, 1.4) as f32;
            remesher.unit *= factor;
            if options.adaptive.is_none() {
                self.target *= factor;
                report.target_length = self.target;
            }
        }
        Ok(())
    }
}
