//! The passes of an iteration.

use super::features::{SharpEdge, short_lines};
use super::goal::LargestMove;
use super::measure::{SessionMeshes, bounds};
use super::{LONG, RemeshBatchReport, RemeshOptions, Remeshes, SHORT};
use crate::Error;
use crate::algo::distance::closest::SurfaceTree;
use crate::edit::{Column, Edits, RunReport, Runs, Session, fill};
use crate::engine::Buffer;
use crate::parallel::scan::exclusive_shared;
use glam::Vec3;
use rxmesh_kernels::algo::distance::closest::Project;
use rxmesh_kernels::algo::improve::remesh::{
    Accept, AcceptValues, CollapseShort, CountRings, CountSlender, Deviations, EqualiseFlip,
    FEATURE_WORDS, HintedPoints, LineEdges, ListFeatures, MarkFeatures, PutBack, Relax, Resample,
    RingLists, SLENDER, ScaleLengths, Sizing, SplitLong, Unmark, WriteRings,
};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// Reciprocal of the share of edges below which a flip pass is the last: the flips that are left would not be seen in
/// the result.
const FEW_FLIPS: u64 = 500;

/// Reciprocal of the share of slender faces from which a mesh is slender.
const FEW_SLENDER: u64 = 100;

/// Arrays of [`RingLists`].
pub(super) struct RingTables {
    starts: Buffer<u32>,
    tips: Buffer<u32>,
}

impl RingTables {
    pub(super) fn view(&self) -> RingLists {
        RingLists {
            starts: self.starts.global(),
            tips: self.tips.global(),
        }
    }
}

/// Limits of the growth of a mesh.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct Guard {
    /// Most faces.
    pub(in crate::algo) most: u64,
    /// Faces that were expected.
    pub(in crate::algo) expected: u64,
}

impl Guard {
    /// Checks that the session has at most [`Guard::most`] faces.
    ///
    /// # Errors
    ///
    /// [`Error::Outgrown`].
    pub(in crate::algo) fn check<C: Edits>(&self, session: &Session<C>) -> Result<(), Error> {
        // The number of slots is known without a read-back.
        if u64::from(session.capacity(Kind::Face)) <= self.most {
            return Ok(());
        }
        let faces = session.count(Kind::Face)?;
        if u64::from(faces) <= self.most {
            return Ok(());
        }
        Err(Error::Outgrown {
            faces,
            expected: self.expected,
            limit: self.most,
        })
    }
}

/// Meshes that are left as they are while others continue.
#[derive(Debug)]
struct Resting {
    each: Vec<bool>,
    /// The same for kernels; `None` if none is.
    words: Option<Buffer<u32>>,
    /// Part of the faces that is of the others.
    going: f64,
}

impl Resting {
    /// Returns the words for kernels; empty if no mesh rests.
    fn view(&self) -> Global<u32> {
        self.words.as_ref().map_or(Global::empty(), Buffer::global)
    }
}

/// A session with the data that remeshing keeps between its passes.
#[derive(Debug)]
pub(in crate::algo) struct Remesher {
    pub(super) x: Column<Vertex, Vec3>,
    moved: Column<Vertex, Vec3>,
    deviation: Column<Vertex, u32>,
    marks: Column<Edge, u32>,
    /// `true` if there are marks.
    any: bool,
    pub(super) features: u32,
    /// Input, and the leaf of it near each vertex.
    surface: Option<(SurfaceTree, Column<Vertex, u32>)>,
    /// Lengths by vertex.
    pub(super) lengths: Option<Column<Vertex, f32>>,
    /// Number of the mesh of each vertex, for several meshes.
    pub(super) labels: Option<Column<Vertex, u32>>,
    resting: Resting,
    /// Length of edges, or the factor of lengths by vertex.
    pub(in crate::algo) unit: f32,
    /// Triangles of a shape below this are flipped whatever valences say.
    slender: f32,
    pub(in crate::algo) guard: Guard,
    max_rounds: u32,
    /// See [`CollapseShort::limits`].
    limits: Buffer<f32>,
    no_lengths: Buffer<f32>,
    no_hints: Buffer<u32>,
}

impl Remesher {
    /// Creates a remesher; the unit is 1.
    pub(in crate::algo) fn new<C: Edits>(
        session: &mut Session<C>,
        x: Column<Vertex, Vec3>,
        options: &RemeshOptions,
        meshes: SessionMeshes,
    ) -> Result<Remesher, Error> {
        let surface = match options.project {
            true => Some(surface(session, x, meshes)?),
            false => None,
        };
        let mut remesher = Remesher {
            x,
            moved: session.column()?,
            deviation: session.column()?,
            marks: match session.kept_edges() {
                Some(marks) => marks,
                None => session.column()?,
            },
            any: session.kept_edges().is_some(),
            features: 0,
            surface,
            lengths: None,
            labels: meshes.labels,
            resting: Resting {
                each: vec![false; meshes.count],
                words: None,
                going: 1.0,
            },
            unit: 1.0,
            slender: 0.0,
            guard: Guard {
                most: u64::MAX,
                expected: 0,
            },
            max_rounds: options.max_rounds,
            limits: session.engine().zeroed(3 * meshes.count)?,
            no_lengths: session.engine().zeroed(0)?,
            no_hints: session.engine().zeroed(0)?,
        };
        if let Some(angle) = options.keep_features {
            remesher.features = remesher.mark_features(session, angle)?;
        }
        Ok(remesher)
    }

    /// Clears the marks of sharp lines that are short compared with the length of edges of their mesh; the others are
    /// kept from then on.
    pub(super) fn keep_long_features<C: Edits>(
        &mut self,
        session: &Session<C>,
        lengths: &[f32],
    ) -> Result<(), Error> {
        if self.features > 0 {
            let short = short_lines(&self.list_features(session)?, lengths);
            let edges = session.engine().upload(&short)?;
            session.engine().launch_flat(
                short.len() as u32,
                Unmark {
                    edges: edges.global(),
                    marks: session.write(self.marks)?,
                },
            )?;
            self.features -= short.len() as u32;
        }
        self.any |= self.features > 0;
        Ok(())
    }

    fn list_features<C: Edits>(&self, session: &Session<C>) -> Result<Vec<SharpEdge>, Error> {
        let (engine, n) = (session.engine(), self.features as usize);
        let list = engine.zeroed::<u32>(FEATURE_WORDS as usize * n)?;
        let places = engine.uninit::<Vec3>(2 * n)?;
        let counts = engine.zeroed::<u32>(2)?;
        engine.launch_flat(
            session.capacity(Kind::Edge),
            ListFeatures {
                mesh: session.mesh()?,
                x: session.read(self.x)?,
                marks: session.read(self.marks)?,
                labels: self.labels(session)?.read(),
                list: list.global_mut(),
                places: places.global_mut(),
                counts: counts.global_mut(),
            },
        )?;
        let listed = counts.read()?[1] as usize;
        let (list, places) = (list.read()?, places.read()?);
        let words = list.chunks_exact(FEATURE_WORDS as usize).take(listed);
        let each = words.zip(places.chunks_exact(2));
        Ok(each.map(|(w, at)| SharpEdge::new(w, at)).collect())
    }

    fn mark_features<C: Edits>(&self, session: &Session<C>, angle: f32) -> Result<u32, Error> {
        let counts = session.engine().zeroed::<u32>(2)?;
        session.engine().launch_flat(
            session.capacity(Kind::Edge),
            MarkFeatures {
                mesh: session.mesh()?,
                x: session.read(self.x)?,
                marks: session.write(self.marks)?,
                cosine: angle.to_radians().cos(),
                counts: counts.global_mut(),
            },
        )?;
        Ok(counts.read()?[1])
    }

    pub(in crate::algo) fn lines<C: Edits>(
        &self,
        session: &Session<C>,
    ) -> Result<LineEdges, Error> {
        Ok(LineEdges {
            marks: session.write(self.marks)?,
            any: u32::from(self.any),
        })
    }

    /// Returns some part of the length that edges are to have.
    pub(in crate::algo) fn sizing<C: Edits>(
        &self,
        session: &Session<C>,
        part: f32,
    ) -> Result<Sizing, Error> {
        Ok(match self.lengths {
            None => Sizing::uniform(self.no_lengths.global_mut(), self.unit * part),
            Some(lengths) => Sizing {
                lengths: session.write(lengths)?,
                varies: 1,
                factor: self.unit * part,
                labels: self.labels(session)?,
                resting: self.resting.view(),
            },
        })
    }

    /// Leaves some of several meshes, which have lengths by vertex, as they are from now on.
    pub(super) fn rest<C: Edits>(
        &mut self,
        session: &Session<C>,
        meshes: SessionMeshes,
        each: Vec<bool>,
    ) -> Result<(), Error> {
        if self.resting.each == each {
            return Ok(());
        }
        let faces = meshes.counts(session, self.x)?;
        let all: f64 = faces.iter().copied().map(f64::from).sum();
        let others = faces.iter().zip(&each).filter(|(_, rests)| !**rests);
        let going: f64 = others.map(|(&n, _)| f64::from(n)).sum();
        let words: Vec<u32> = each.iter().copied().map(u32::from).collect();
        self.resting = Resting {
            each,
            words: Some(session.engine().upload(&words)?),
            going: going / all.max(1.0),
        };
        Ok(())
    }

    /// Returns the number of the mesh of each vertex; empty for one mesh.
    pub(super) fn labels<C: Edits>(&self, session: &Session<C>) -> Result<GlobalMut<u32>, Error> {
        match self.labels {
            Some(labels) => session.write(labels),
            None => Ok(self.no_hints.global_mut()),
        }
    }

    pub(in crate::algo) fn places<C: Edits>(
        &self,
        session: &Session<C>,
    ) -> Result<HintedPoints, Error> {
        Ok(HintedPoints {
            x: session.write(self.x)?,
            hints: match &self.surface {
                Some((_, hints)) => session.write(*hints)?,
                None => self.no_hints.global_mut(),
            },
            hinted: u32::from(self.surface.is_some()),
        })
    }

    /// Sets one length for all vertices, by vertex.
    pub(super) fn one_length<C: Edits>(&mut self, session: &mut Session<C>) -> Result<(), Error> {
        let lengths = session.column()?;
        let to = session.write(lengths)?.cast();
        fill(session.engine(), to, 1f32.to_bits())?;
        self.lengths = Some(lengths);
        Ok(())
    }

    /// Changes the lengths of each mesh by a factor.
    pub(super) fn scale<C: Edits>(
        &mut self,
        session: &Session<C>,
        factors: &[f32],
    ) -> Result<(), Error> {
        let (Some(labels), Some(lengths)) = (self.labels, self.lengths) else {
            self.unit *= factors[0];
            return Ok(());
        };
        if factors.iter().all(|&f| f == 1.0) {
            return Ok(());
        }
        let factors = session.engine().upload(factors)?;
        let kernel = ScaleLengths {
            mesh: session.mesh()?,
            labels: session.read(labels)?,
            factors: factors.global(),
            lengths: session.write(lengths)?,
        };
        let n = session.capacity(Kind::Vertex);
        Ok(session.engine().launch_flat(n, kernel)?)
    }

    /// Sets how far a contraction may move the surface of each mesh.
    pub(in crate::algo) fn limit<C: Edits>(
        &mut self,
        session: &Session<C>,
        moves: &[LargestMove],
    ) -> Result<(), Error> {
        let of = |m: &LargestMove| [m.always * m.always, m.part * m.part, m.few_faces];
        let limits: Vec<f32> = moves.iter().flat_map(of).collect();
        self.limits = session.engine().upload(&limits)?;
        Ok(())
    }

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
    pub(super) fn widen<C: Remeshes>(
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
    pub(super) fn split<C: Runs<SplitLong>>(
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
    pub(super) fn collapse<C: Runs<CollapseShort>>(
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

    pub(super) fn rings<C: Edits>(&self, session: &Session<C>) -> Result<RingTables, Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let tables = RingTables {
            starts: engine.zeroed(n as usize + 1)?,
            tips: engine.zeroed(2 * session.capacity(Kind::Edge) as usize)?,
        };
        engine.launch_flat(
            n,
            CountRings {
                mesh: session.mesh()?,
                counts: tables.starts.global_mut(),
            },
        )?;
        exclusive_shared(engine, &tables.starts)?;
        engine.launch_flat(
            n,
            WriteRings {
                mesh: session.mesh()?,
                lines: self.lines(session)?,
                starts: tables.starts.global(),
                tips: tables.tips.global_mut(),
            },
        )?;
        Ok(tables)
    }

    /// Runs smoothing steps, and brings vertices back to the surface. Positions of meshes that rest are restored.
    pub(super) fn relax<C: Edits>(&self, session: &Session<C>, steps: u32) -> Result<(), Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let resting = self.resting.view();
        let kept = if resting.is_empty() { 0 } else { n };
        let before = engine.uninit::<Vec3>(kept as usize)?;
        let keep = Accept {
            moved: session.read(self.x)?,
            x: before.global_mut(),
        };
        engine.launch_flat(kept, keep)?;
        self.smooth(session, steps, |rings, moved| {
            let x = session.read(self.x)?;
            Ok(engine.launch_flat(n, Relax { rings, x, moved })?)
        })?;
        let put_back = PutBack {
            mesh: session.mesh()?,
            x: session.write(self.x)?,
            before: before.global(),
            labels: self.labels(session)?.read(),
            resting,
        };
        Ok(engine.launch_flat(kept, put_back)?)
    }

    /// Runs steps of smoothing, each of which gets the rings and the array for the new positions, and projects the
    /// vertices onto the surface. Interpolated columns follow.
    pub(in crate::algo) fn smooth<C: Edits>(
        &self,
        session: &Session<C>,
        steps: u32,
        step: impl Fn(RingLists, GlobalMut<Vec3>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        let rings = self.rings(session)?;
        for i in 1..=steps {
            step(rings.view(), session.write(self.moved)?)?;
            self.resample(session, rings.view())?;
            let (moved, x) = (session.read(self.moved)?, session.write(self.x)?);
            match &self.surface {
                // The steps are in tangent planes: it is enough to come back after the last.
                Some((surface, hints)) if i == steps => engine.launch_flat(
                    n,
                    Project {
                        surface: surface.forest(self.labels(session)?.read()),
                        ve: session.mesh()?.ve.read(),
                        from: moved,
                        to: x,
                        near: session.write(*hints)?,
                    },
                )?,
                _ => engine.launch_flat(n, Accept { moved, x })?,
            }
        }
        Ok(())
    }
}

impl Remesher {
    /// Gives the interpolated columns of the session the values at the places where vertices go.
    fn resample<C: Edits>(&self, session: &Session<C>, rings: RingLists) -> Result<(), Error> {
        let (engine, n) = (session.engine(), session.capacity(Kind::Vertex));
        for (values, width) in session.columns().blended() {
            let to = engine.uninit::<f32>(n as usize * width as usize)?;
            let kernel = Resample {
                rings,
                x: session.read(self.x)?,
                moved: session.read(self.moved)?,
                values: values.read(),
                to: to.global_mut(),
                width,
                labels: self.labels(session)?.read(),
                resting: self.resting.view(),
            };
            engine.launch_flat(n, kernel)?;
            let kernel = AcceptValues {
                from: to.global(),
                to: values,
            };
            engine.launch_flat(n * width, kernel)?;
        }
        Ok(())
    }
}

/// Returns the meshes as surfaces, and the leaf of each vertex there.
fn surface<C: Edits>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    meshes: SessionMeshes,
) -> Result<(SurfaceTree, Column<Vertex, u32>), Error> {
    let (mesh, slots) = session.to_mesh(x)?;
    let labels = match meshes.labels {
        Some(labels) => {
            let labels = session.values(labels)?.read()?;
            Some(slots.iter().map(|&v| labels[v as usize]).collect())
        }
        None => None,
    };
    let labels: Option<Vec<u32>> = labels;
    let (tree, leaves) = SurfaceTree::with_leaves(
        session.engine(),
        &mesh.positions,
        &mesh.faces,
        labels.as_deref().map(|labels| (labels, meshes.count)),
    )?;
    let mut hints = vec![0; session.capacity(Kind::Vertex) as usize];
    for (slot, leaf) in slots.into_iter().zip(leaves) {
        hints[slot as usize] = leaf;
    }
    let column = session.column()?;
    session.set(column, &hints)?;
    Ok((tree, column))
}
