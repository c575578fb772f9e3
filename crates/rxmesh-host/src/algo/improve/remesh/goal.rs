//! Goal of remeshing, and the distance of a mesh from it.

use super::measure::{Extent, SessionMeshes};
use super::passes::Remesher;
use super::{RemeshOptions, RemeshReport};
use crate::Error;
use crate::algo::Options;
use crate::edit::{Column, Edits, Session};
use glam::Vec3;
use rxmesh_kernels::topo::Vertex;

/// Approximate number of bytes that a session, its input and its output hold for each face.
const BYTES_A_FACE: f64 = 400.0;

/// Most faces of a result unless the user says, or [`GROWTH`] times those of the input.
const MAX_FACES: u32 = 20_000_000;

/// See [`MAX_FACES`].
const GROWTH: f64 = 3.0;

/// Factor over the expected number of faces at which a growing mesh is stopped.
const OUTGROWN: f64 = 4.0;

/// Number of faces that is never too large.
const FEW_FACES: f64 = 50_000.0;

/// Part of the input's mean length by which a contraction may move the surface in any case: the distance of the facets
/// of a coarse or noisy input from a smooth surface. It is less, with the square of their ratio, if the target is
/// longer.
const FACETS: f64 = 0.25;

/// Length of which contractions may move the surface by a part is this part of the square root of the area at most.
const PART_OF_SIZE: f64 = 1.0 / 12.0;

/// With lengths by curvature, a contraction may move the surface by this many errors.
const ERRORS: f32 = 2.0;

/// Growth of the largest move by contractions from one iteration to the next, if a number of faces is the goal and
/// there still are too many.
const FARTHER: f32 = 2.0;

/// Largest such distance, in lengths.
const FARTHEST: f32 = 0.35;

/// Largest relative deviation of the mean length from the target.
const LENGTH_OFF: f32 = 0.15;

/// Largest relative deviation of the number of faces from the number that the area requires.
const COUNT_OFF: f64 = 0.25;

/// Least and greatest part of the area of the input that a result is expected to have.
const SHRUNK: f64 = 0.5;
const GROWN: f64 = 1.1;

/// Largest relative deviation of the number of faces from the requested number.
const FACES_OFF: f64 = 0.1;

/// Relative deviation from the requested number of faces at which iterations end.
const FACES_NEAR: f64 = 0.03;

/// Most iterations beyond the number in the options.
const MOST_MORE: u32 = 5;

/// The same if a number of faces is the goal that is not reached, and comes nearer.
const MOST_FOR_FACES: u32 = 15;

/// Iterations continue only while one changes the number of faces by this part.
const STILL: f64 = 0.02;

/// Returns the most faces of the result of a mesh of `now` faces.
pub(in crate::algo) fn most_faces(asked: Option<u32>, now: u32) -> u32 {
    let usual = || MAX_FACES.max((GROWTH * f64::from(now)) as u32);
    asked.unwrap_or_else(usual)
}

/// Returns the most faces on the way to the result, of a mesh of `now` faces from which `expected` are to come: the
/// user's limit, or a number that only a mesh that grows without an end reaches.
pub(in crate::algo) fn most_on_the_way(asked: Option<u32>, now: u32, expected: f64) -> f64 {
    match asked {
        Some(most) => f64::from(most.max(now)),
        None => (OUTGROWN * (expected + f64::from(now))).max(FEW_FACES),
    }
}

/// Checks that a number of faces is at most `max`.
///
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

/// Largest move of a surface by a contraction where it bends within an edge: the greater of two distances, and less
/// where that is along the normals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::algo) struct LargestMove {
    /// Distance that is allowed whatever the length.
    pub(in crate::algo) always: f32,
    /// Distance in lengths of edges.
    pub(in crate::algo) part: f32,
    /// Contractions of edges with fewer faces at both ends do not move these along the normals of their faces where the
    /// surface bends more than its edges shall.
    pub(in crate::algo) few_faces: f32,
}

/// Goals of all meshes of a session.
pub(super) struct RemeshGoal {
    x: Column<Vertex, Vec3>,
    meshes: SessionMeshes,
    aims: Vec<Aim>,
}

/// Goal of one mesh.
struct Aim {
    options: RemeshOptions,
    /// Target length of edges.
    target: f32,
    /// Faces that are expected.
    expected: f64,
    /// Faces that were expected of the input.
    asked: f64,
    /// Faces at the beginning.
    faces: u32,
    largest_move: LargestMove,
    /// `true` if another iteration may change much.
    moves: bool,
    /// `true` if it is left as it is.
    rests: bool,
}

impl LargestMove {
    /// Returns [`LargestMove::few_faces`] if the surface may move by a part of the length: all, up to [`FARTHEST`];
    /// then only those whose common vertex has less than six faces, as always.
    fn few_faces(part: f32) -> f32 {
        if part < FARTHEST { f32::INFINITY } else { 0.0 }
    }

    /// Returns the largest move for a mesh of this size whose edges are to have the length `target`.
    fn new(options: &RemeshOptions, size: &Extent, target: f32) -> LargestMove {
        let mean = (size.triangles() / f64::from(size.faces.max(1))).sqrt();
        let longest = (PART_OF_SIZE * size.area.sqrt() / f64::from(target)) as f32;
        let coarser = (mean / f64::from(target)).min(1.0);
        let error = options.adaptive.unwrap_or(0.0);
        LargestMove {
            always: ((FACETS * mean * coarser * coarser) as f32).max(ERRORS * error),
            part: options.max_deviation * longest.min(1.0),
            few_faces: LargestMove::few_faces(options.max_deviation),
        }
    }
}

impl Aim {
    /// Creates the goal of a mesh of this size and mean edge length. Refuses goals with too many faces.
    fn new(options: &RemeshOptions, size: &Extent, mean: f32) -> Result<Aim, Error> {
        let (faces, area) = (size.faces, size.triangles());
        let aim = |target, expected| Aim {
            options: *options,
            target,
            expected,
            asked: expected,
            faces,
            largest_move: LargestMove::new(options, size, target),
            moves: true,
            rests: false,
        };
        if faces == 0 {
            return Ok(Aim {
                rests: true,
                ..aim(options.target_length.unwrap_or(1.0), 0.0)
            });
        }
        let target = match (options.faces, options.target_length) {
            (Some(n), _) => (area / f64::from(n)).sqrt() as f32,
            (None, Some(length)) => length,
            (None, None) => mean,
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
            check_faces(expected, most_faces(options.max_faces, faces))?;
        }
        Ok(aim(target, expected))
    }

    /// Returns the error, the least and the greatest length of lengths by curvature; one length without an error.
    fn bounds(&self) -> [f32; 3] {
        let Some(error) = self.options.adaptive else {
            return [1.0, self.target, self.target];
        };
        let least = self.options.min_length.unwrap_or(self.target * 0.25);
        let greatest = self.options.max_length.unwrap_or(self.target * 4.0);
        [error, least.min(greatest), greatest.max(least)]
    }

    /// Lets contractions move the surface farther, for a goal of faces of which there are too many. Returns `false` if
    /// they may move it no farther.
    fn goes_farther(&mut self) -> bool {
        let LargestMove { always, part, .. } = self.largest_move;
        let farther = LargestMove {
            always,
            part: (part * FARTHER).min(FARTHEST).max(part),
            few_faces: LargestMove::few_faces(part * FARTHER),
        };
        farther != std::mem::replace(&mut self.largest_move, farther)
    }

    fn is_near(&self, report: &RemeshReport) -> bool {
        match self.options.faces {
            Some(_) => self.off(report) <= FACES_NEAR,
            None => report.on_target,
        }
    }

    fn off(&self, report: &RemeshReport) -> f64 {
        if self.expected == 0.0 {
            return 0.0;
        }
        (f64::from(report.faces) / self.expected - 1.0).abs()
    }

    /// Returns `true` if there is another iteration after `n` of them.
    fn goes_on(&self, n: u32, report: &RemeshReport) -> bool {
        let most = self.options.iterations;
        let more = if self.options.faces.is_some() && !report.on_target {
            MOST_FOR_FACES
        } else {
            MOST_MORE
        };
        let more = n > 0 && n < most.saturating_add(more);
        n < most || more && self.moves && !self.is_near(report)
    }

    /// Returns `true` if the last iteration is to be read back: it may be the last of all, or change the lengths.
    fn wants_a_look(&self, report: &RemeshReport) -> bool {
        let last = report.iterations >= self.options.iterations;
        !self.rests && (last || self.options.faces.is_some())
    }

    /// Reports the state of the mesh after an iteration. Returns the factor by which its lengths are to change.
    fn look(&mut self, report: &mut RemeshReport, faces: u32, length_over_target: f32) -> f32 {
        let before = f64::from(report.faces);
        report.faces = faces;
        let now = f64::from(faces);
        let counts = self.options.faces.is_some();
        self.moves = (now - before).abs() > STILL * now || counts;
        // Engines add areas in different orders: without a fraction they report the same.
        report.expected_faces = match counts || self.expected == 0.0 {
            true => self.expected,
            false => self.expected.round().max(1.0),
        };
        report.length_over_target = length_over_target;
        report.on_target = self.expected == 0.0
            || match counts {
                true => self.off(report) <= FACES_OFF,
                false => {
                    (length_over_target - 1.0).abs() <= LENGTH_OFF && self.off(report) <= COUNT_OFF
                }
            };
        let too_many = counts && now > self.expected * (1.0 + FACES_NEAR);
        let farther = too_many && self.goes_farther();
        let held = length_over_target < 1.0 - 2.0 * LENGTH_OFF;
        self.moves &= !held || farther || counts && now != before;
        // Edges that are short because contractions are refused do not require a greater length.
        let refused = farther && length_over_target < 1.0 - LENGTH_OFF;
        if !counts || report.iterations <= 1 || held || refused || self.is_near(report) {
            return 1.0;
        }
        let mut factor = (now / self.expected).sqrt().clamp(0.7, 1.4) as f32;
        if report.iterations > self.options.iterations.saturating_add(MOST_MORE) {
            // Too many faces follow too few: half as far.
            factor = factor.sqrt();
        }
        if self.options.adaptive.is_none() {
            self.target *= factor;
            report.target_length = self.target;
        }
        factor
    }
}

impl RemeshGoal {
    /// Creates the goals of all meshes; refuses those that would have too many faces. `sizes` are
    /// [`SessionMeshes::sizes`].
    pub(super) fn new<C: Edits>(
        session: &Session<C>,
        x: Column<Vertex, Vec3>,
        meshes: SessionMeshes,
        each: &[RemeshOptions],
        sizes: &[Extent],
    ) -> Result<RemeshGoal, Error> {
        let by_mean = |o: &RemeshOptions| o.faces.is_none() && o.target_length.is_none();
        let means = match each.iter().any(by_mean) {
            true => meshes.mean_lengths(session, x, None)?,
            false => vec![0.0; each.len()],
        };
        let aims = each.iter().zip(sizes).zip(means);
        let aims = aims.enumerate().map(|(i, ((options, size), mean))| {
            Aim::new(options, size, mean).map_err(|e| meshes.named(i, e))
        });
        Ok(RemeshGoal {
            x,
            meshes,
            aims: aims.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the lengths of the meshes.
    pub(super) fn targets(&self) -> impl Iterator<Item = f32> {
        self.aims.iter().map(|aim| aim.target)
    }

    /// Gives the remesher its lengths; refuses lengths that lead to too many faces.
    pub(super) fn adapt<C: Edits>(
        &mut self,
        session: &mut Session<C>,
        remesher: &mut Remesher,
    ) -> Result<(), Error> {
        let targets: Vec<f32> = self.targets().collect();
        remesher.keep_long_features(session, &targets)?;
        if self.aims.iter().any(|aim| aim.options.adaptive.is_some()) {
            let bounds: Vec<[f32; 3]> = self.aims.iter().map(Aim::bounds).collect();
            remesher.adapt(session, &bounds)?;
            let wanted = self.wanted(session, remesher)?;
            let mut factors = vec![1.0; self.aims.len()];
            for (i, (aim, wanted)) in self.aims.iter_mut().zip(wanted).enumerate() {
                match aim.options.faces {
                    Some(n) if wanted > 0.0 => {
                        factors[i] = (wanted / f64::from(n)).sqrt() as f32;
                    }
                    Some(_) => {}
                    None => aim.expected = wanted,
                }
                check_faces(aim.expected, most_faces(aim.options.max_faces, aim.faces))
                    .map_err(|e| self.meshes.named(i, e))?;
            }
            remesher.scale(session, &factors)?;
        } else {
            if self.meshes.labels.is_some() {
                remesher.one_length(session)?;
            }
            remesher.scale(session, &targets)?;
        }
        let sum = |of: &dyn Fn(&Aim) -> f64| self.aims.iter().map(of).sum::<f64>();
        let most = |aim: &Aim| most_on_the_way(aim.options.max_faces, aim.faces, aim.expected);
        remesher.guard.most = sum(&most) as u64;
        remesher.guard.expected = sum(&|aim| aim.expected) as u64;
        self.limit(session, remesher)
    }

    /// Gives the remesher the largest moves of the surfaces.
    fn limit<C: Edits>(&self, session: &Session<C>, remesher: &mut Remesher) -> Result<(), Error> {
        let moves: Vec<LargestMove> = self.aims.iter().map(|aim| aim.largest_move).collect();
        remesher.limit(session, &moves)
    }

    /// Returns the number of faces that the lengths require, for each mesh.
    fn wanted<C: Edits>(
        &self,
        session: &Session<C>,
        remesher: &Remesher,
    ) -> Result<Vec<f64>, Error> {
        let unit = remesher.sizing(session, 1.0)?;
        self.meshes.faces_of(session, self.x, unit)
    }

    /// Returns `true` for each mesh that is left as it is after `n` iterations: those that get no further one, and
    /// those that did not get this one. `None` if all meshes are.
    pub(super) fn resting(&mut self, n: u32, reports: &[RemeshReport]) -> Option<Vec<bool>> {
        for (aim, report) in self.aims.iter_mut().zip(reports) {
            aim.rests |= !aim.goes_on(n, report);
        }
        let rests: Vec<bool> = self.aims.iter().map(|aim| aim.rests).collect();
        rests.contains(&false).then_some(rests)
    }

    /// Counts an iteration of those that do not rest.
    pub(super) fn count(&self, reports: &mut [RemeshReport]) {
        for (aim, report) in self.aims.iter().zip(reports) {
            report.iterations += u32::from(!aim.rests);
        }
    }

    /// Reads the state of the meshes after an iteration back, if one of them needs it, and corrects the lengths of
    /// those that have a number of faces as their goal.
    pub(super) fn look<C: Edits>(
        &mut self,
        session: &Session<C>,
        remesher: &mut Remesher,
        reports: &mut [RemeshReport],
    ) -> Result<(), Error> {
        let looks = self.aims.iter().zip(&*reports);
        let looks: Vec<bool> = looks
            .map(|(aim, report)| aim.wants_a_look(report))
            .collect();
        if !looks.contains(&true) {
            return Ok(());
        }
        let counts = self.aims.iter().any(|aim| aim.options.faces.is_some());
        let faces = self.meshes.counts(session, self.x)?;
        let by_length = |(aim, looks): (&Aim, &bool)| *looks && aim.options.faces.is_none();
        if self.aims.iter().zip(&looks).any(by_length) {
            // Of the surface as it is: coarse faces on a round one cover less than it did, down to half of it (an
            // octahedron in a sphere). One that has lost more, or grown, misses its request.
            let wanted = self.wanted(session, remesher)?;
            for ((aim, wanted), &looks) in self.aims.iter_mut().zip(wanted).zip(&looks) {
                if looks && aim.options.faces.is_none() && wanted > 0.0 {
                    aim.expected = match aim.options.adaptive {
                        Some(_) => wanted,
                        None => wanted.min(GROWN * aim.asked).max(SHRUNK * aim.asked),
                    };
                }
            }
        }
        let unit = remesher.sizing(session, 1.0)?;
        let lengths = self.meshes.mean_lengths(session, self.x, Some(unit))?;
        let each = self
            .aims
            .iter_mut()
            .zip(reports)
            .zip(faces.into_iter().zip(lengths));
        let factors: Vec<f32> = each
            .zip(looks)
            .map(|(((aim, report), (faces, length)), looks)| match looks {
                true => aim.look(report, faces, length),
                false => 1.0,
            })
            .collect();
        if counts {
            self.limit(session, remesher)?;
        }
        remesher.scale(session, &factors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first splits of a noisy torus of 20.48 million faces at its own mean length make 26 million, of which 17.6
    /// million stay.
    #[test]
    fn limits_follow_the_size_of_the_input() {
        let (now, expected) = (20_480_000, 17e6);
        assert!(check_faces(expected, most_faces(None, now)).is_ok());
        assert!(most_on_the_way(None, now, expected) > 30e6);
        assert_eq!(most_faces(None, 1000), MAX_FACES);
        assert!(check_faces(21e6, most_faces(None, 1000)).is_err());
        // A mesh that grows without an end is stopped long before memory is.
        assert!(most_on_the_way(None, 2, 5.0) < 60_000.0);
        // The user's limit holds on the way too, except for the faces that exist already.
        assert_eq!(most_faces(Some(100), now), 100);
        assert_eq!(most_on_the_way(Some(100), 2, 5.0), 100.0);
        assert_eq!(most_on_the_way(Some(100), now, expected), f64::from(now));
        assert_eq!(most_on_the_way(Some(60_000_000), now, expected), 6e7);
    }
}
