//! Several meshes in one session, each simplified by its own options.

use super::work::{SimplifyBuffers, cheap_part};
use super::{End, Refused, SimplifyOptions, SimplifyReport};
use crate::Error;
use crate::algo::check_each;
use crate::edit::{Column, RunReport, Session};
use crate::edit::{check_face, check_labels};
use crate::engine::Buffer;
use glam::Vec3;
use rxmesh_kernels::algo::improve::simplify::{
    BATCH_BLOCKS, BatchDecide, BatchFaces, BatchLimit, BatchList, BatchSelect, BatchUnbind,
    BatchWinners, Batched, COST_BINS, COST_SHIFT, FACES, LineForm, MeshCount, SimplifySelect,
    WORDS_A_PART, Winning,
};
use rxmesh_kernels::cavity::{ClaimTables, Round};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Most words of all histograms, and fewest bins of one.
const MOST_WORDS: usize = 1 << 22;
const FEWEST_BINS: u32 = 1 << 6;

/// Results of simplifying several meshes.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BatchReport {
    /// Counts of the rounds of all together; `done` is the number of collapses.
    pub run: RunReport,
    /// Results of each mesh. Its own `run` is empty, because all share the rounds.
    pub meshes: Vec<SimplifyReport>,
}

impl BatchReport {
    /// Returns all meshes as one: sums, the largest deviation, and the first end that is not [`End::Reached`].
    pub fn total(&self) -> SimplifyReport {
        let none = SimplifyReport {
            run: self.run,
            ..SimplifyReport::default()
        };
        self.meshes.iter().fold(none, |all, m| SimplifyReport {
            run: all.run,
            faces_before: all.faces_before + m.faces_before,
            target: all.target + m.target,
            faces: all.faces + m.faces,
            end: match all.end {
                End::Reached => m.end,
                end => end,
            },
            deviation: match (all.deviation, m.deviation) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            },
            refused: all.refused + m.refused,
        })
    }
}

impl std::ops::Add for Refused {
    type Output = Refused;

    fn add(self, o: Refused) -> Refused {
        Refused {
            frozen: self.frozen + o.frozen,
            link: self.link + o.link,
            fold: self.fold + o.fold,
            not_finite: self.not_finite + o.not_finite,
            bend: self.bend + o.bend,
            deviation: self.deviation + o.deviation,
        }
    }
}

/// Simplifies several meshes that lie in one session, each by its own options, all of them in the same rounds: as
/// [`simplify`](super::simplify), but each mesh has its own target, deviation, quantile and bound of cheap costs, and
/// its boundary and groups are held as it requires. `parts` gives the mesh of each vertex, from 0 on
/// ([`Batch::labels`](crate::batch::Batch::labels)); labels stay with the vertices, so that the column tells the meshes
/// apart afterwards too. A part of the diagonal is of each mesh's own. All meshes share the kind of cost, the seed and
/// the largest number of rounds.
///
/// # Errors
///
/// As [`simplify`](super::simplify), with the number of the mesh; [`Error::Options`] for options that differ where all
/// meshes share them, a label without options, or a face whose vertices have different labels.
pub fn simplify_batch(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    parts: Column<Vertex, u32>,
    each: &[SimplifyOptions],
) -> Result<BatchReport, Error> {
    check_each(each, |o| (o.cost, o.seed, o.max_rounds), SHARED)?;
    check_labels(session, parts, each.len())?;
    if each.is_empty() {
        return Ok(BatchReport::default());
    }
    let cut = match session.frozen_faces() {
        0 => None,
        _ => session.cut(x)?,
    };
    let done = BatchLabels::new(session, parts, each).and_then(|several| {
        let mut work = SimplifyBuffers::new(session, x, each, cut.as_ref(), Some(several))?;
        work.run(session, &each[0])
    });
    if let Some(cut) = cut {
        session.weld_places(&cut)?;
    }
    let mut report = done?;
    for (mesh, options) in report.meshes.iter_mut().zip(each) {
        mesh.target = options.target.map_or(0, |t| t.goal(mesh.faces_before));
    }
    Ok(report)
}

/// Options that all meshes share.
const SHARED: &str = "the kind of cost, the seed and the largest number of rounds";

/// Labels and counts of several meshes in one session.
pub(super) struct BatchLabels {
    /// Number of the mesh of each vertex.
    pub(super) vertices: Column<Vertex, u32>,
    /// Number of the mesh of each edge.
    pub(super) labels: Buffer<u32>,
    /// See [`MeshCount`].
    pub(super) parts: Buffer<u32>,
    histogram: Buffer<u32>,
    list: Buffer<u32>,
    count: u32,
    bins: u32,
}

impl BatchLabels {
    /// Counts the faces of each mesh, and sets the options of each.
    fn new(
        session: &Session,
        vertices: Column<Vertex, u32>,
        each: &[SimplifyOptions],
    ) -> Result<BatchLabels, Error> {
        let engine = session.engine();
        let bins = (MOST_WORDS / each.len()).max(1).ilog2();
        let bins = (1 << bins).clamp(FEWEST_BINS, COST_BINS);
        let words = each.len() * bins as usize;
        let limit = u64::from(u32::MAX);
        if words as u64 >= limit {
            let what = "bins of the costs of all meshes";
            let count = words as u64;
            return Err(Error::TooLarge { what, count, limit });
        }
        let mut several = BatchLabels {
            vertices,
            labels: engine.zeroed(session.capacity(Kind::Edge) as usize)?,
            parts: engine.zeroed(each.len() * WORDS_A_PART as usize)?,
            histogram: engine.zeroed(1 + words)?,
            list: engine.zeroed(session.capacity(Kind::Face) as usize)?,
            count: each.len() as u32,
            bins,
        };
        let wrong = engine.zeroed::<u32>(2)?;
        let kernel = BatchFaces {
            mesh: session.mesh()?,
            slots: session.capacity(Kind::Face),
            vertices: session.read(vertices)?,
            labels: several.labels.global_mut(),
            parts: several.parts.global_mut(),
            wrong: wrong.global_mut(),
        };
        engine.launch_blocks(session.capacity(Kind::Face).div_ceil(FACES), kernel)?;
        check_face(wrong.read()?[1])?;
        let mut words = several.parts.read()?;
        for (part, options) in words.chunks_exact_mut(WORDS_A_PART as usize).zip(each) {
            let faces = part[MeshCount::Faces as usize];
            let goal = options.target.map_or(0, |t| t.goal(faces));
            part[MeshCount::Goal as usize] = faces.saturating_sub(goal);
            part[MeshCount::Cheap as usize] = cheap_part(options.quantile);
        }
        several.parts.write(&words)?;
        Ok(several)
    }

    /// Returns the arguments of kernels.
    fn view(&self) -> Batched {
        Batched {
            labels: self.labels.global(),
            parts: self.parts.global_mut(),
            count: self.count,
            histogram: self.histogram.global_mut(),
            bins: self.bins,
            shift: COST_SHIFT + (COST_BINS / self.bins).ilog2(),
        }
    }

    /// Sets the bounds of all meshes so that no edge is cheap.
    pub(super) fn unbind(&self, session: &Session) -> Result<(), Error> {
        let kernel = BatchUnbind { batch: self.view() };
        Ok(session.engine().launch_flat(self.count, kernel)?)
    }

    /// Launches the kernels that take the place of [`SimplifySelect`] with a bound for each mesh.
    pub(super) fn select<L: LineForm>(
        &self,
        session: &Session,
        like: &SimplifySelect<L>,
    ) -> Result<(), Error>
    where
        BatchSelect<L>: Entry,
    {
        let select = BatchSelect {
            batch: self.view(),
            costs: like.costs,
            refused: like.refused,
            queue: like.queue,
            counters: like.end.counters,
            records: like.end.records,
            between: like.end.rounds,
            words: like.words,
            forgive: like.forgive,
            order: like.order,
        };
        let decide = BatchDecide {
            batch: self.view(),
            course: like.course,
            counters: like.end.counters,
            records: like.end.records,
            between: like.end.rounds,
            forgive: like.forgive,
        };
        let blocks = select.queue.len().div_ceil(select.words);
        session.engine().launch_blocks(blocks, select)?;
        Ok(session.engine().launch_blocks(self.count, decide)?)
    }

    /// Launches the kernels that keep as many of each mesh's winners as may go.
    pub(super) fn limit(
        &self,
        session: &Session,
        course: GlobalMut<u32>,
        claims: ClaimTables,
        round: Round,
    ) -> Result<(), Error> {
        let engine = session.engine();
        let winning = Winning {
            batch: self.view(),
            round,
            course,
            list: self.list.global_mut(),
        };
        engine.launch_blocks(BATCH_BLOCKS, BatchWinners { winning })?;
        engine.launch_blocks(BATCH_BLOCKS, BatchList { winning })?;
        Ok(engine.launch_blocks(self.count, BatchLimit { winning, claims })?)
    }

    /// Returns the number of faces of each mesh.
    pub(super) fn counts(&self) -> Result<Vec<SimplifyReport>, Error> {
        let words = self.parts.read()?;
        let meshes = words.chunks_exact(WORDS_A_PART as usize).map(|part| {
            let of = |p: MeshCount| part[p as usize];
            SimplifyReport {
                faces_before: of(MeshCount::Faces),
                target: of(MeshCount::Faces) - of(MeshCount::Goal),
                faces: of(MeshCount::Faces) - of(MeshCount::Gone),
                ..SimplifyReport::default()
            }
        });
        Ok(meshes.collect())
    }
}
