//! Checks that edits on the speculative scheduler leave sound meshes: on meshes small enough for compute-sanitizer, or
//! many times with different seeds.

use anyhow::{Context as _, Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::algo::remesh::{RemeshOptions, remesh};
use rxmesh_host::algo::track::{TrackOptions, track};
use rxmesh_host::edit::{Column, RunReport, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::generate::{noise, torus};
use rxmesh_host::mesh::{TriMesh, quality};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::{Kind, Vertex};
use rxmesh_speculative::{Speculative, SpeculativeOptions};

use crate::EngineChoice;
use crate::run::engines;
use crate::table::short;

#[derive(clap::Args)]
pub(crate) struct EditsArguments {
    /// Engines to check
    #[arg(long, default_value = "all")]
    engine: EngineChoice,
    /// Faces of the torus, about
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = clap::value_parser!(u32).range(100..))]
    faces: u32,
    /// Most faces of a patch; the smaller, the more work reaches over borders
    #[arg(long, default_value_t = 64, value_name = "N")]
    patch_size: u32,
    /// Frames of tracking
    #[arg(long, default_value_t = 2, value_name = "N")]
    frames: u32,
    /// Number of runs, each with another seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    runs: u32,
    /// Seed of the first run: of the noise and of the patches
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Blocks that run at a time [default: the engine's number]
    #[arg(long, value_name = "N")]
    blocks: Option<u32>,
    /// Every visit of a patch locks all its neighbours
    #[arg(long)]
    lock_all: bool,
}

/// Noise of the torus, in mean edge lengths.
const NOISE: f32 = 0.3;
/// Mean length of edges over the target after remeshing.
const MEAN: std::ops::Range<f64> = 0.85..1.2;

type Positions = Column<Vertex, Vec3>;

/// Mesh of one run on one engine.
struct EditsCase<'a> {
    arguments: &'a EditsArguments,
    mesh: &'a TriMesh,
    rx: RxMesh,
    /// Name in error messages.
    name: String,
}

pub(crate) fn run(arguments: &EditsArguments) -> Result<()> {
    for engine in engines(arguments.engine)? {
        for k in 0..arguments.runs {
            let seed = arguments.seed.wrapping_add(u64::from(k));
            check(arguments, &engine, seed)?;
        }
    }
    println!("all meshes are sound");
    Ok(())
}

fn check(arguments: &EditsArguments, engine: &Engine, seed: u64) -> Result<()> {
    // Twice as many squares around as across: four faces for each square of the number across.
    let across = f64::from(arguments.faces / 4).sqrt().round() as u32;
    let mut mesh = torus(2 * across, across, 1.0, 0.45)?;
    noise(&mut mesh, NOISE, seed)?;
    let options = PatchOptions::default().with(|o| {
        o.patch_size = arguments.patch_size;
        o.seed = seed;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options)?;
    let patches = rx.headers().len();
    let name = format!("{} engine, seed {seed}", engine.name());
    println!("{name}: {} faces, {patches} patches", mesh.face_count());
    let case = EditsCase {
        arguments,
        mesh: &mesh,
        rx,
        name,
    };
    case.flips()?;
    case.remeshing()?;
    case.tracking()
}

impl EditsCase<'_> {
    fn flips(&self) -> Result<()> {
        let before = Kind::ALL.map(|k| self.rx.count(k));
        let (session, x) = self.work("Delaunay flips", |session, x| {
            let report = delaunay(session, x, &DelaunayOptions::default())?;
            Ok((report.run, true))
        })?;
        let mut after = [0; 3];
        for (n, kind) in after.iter_mut().zip(Kind::ALL) {
            *n = session.count(kind)?;
        }
        ensure!(
            before == after,
            "{}: flips made {after:?} elements of {before:?}",
            self.name
        );
        // A Delaunay mesh must remain one after it is packed into patches.
        let mut closed = session.close(RepackOptions::default())?;
        let positions = closed.take(x)?;
        let mut again = Session::<Speculative>::open_with(&closed.mesh)?;
        let x = again.attach(&positions)?;
        let report = delaunay(&mut again, x, &DelaunayOptions::default())?;
        ensure!(
            report.run.done == 0,
            "{}: {} flips are left after closing",
            self.name,
            report.run.done
        );
        Ok(())
    }

    fn remeshing(&self) -> Result<()> {
        let mut target = 0.0;
        // The noise of the torus must not count as a feature.
        let options = RemeshOptions::default().with(|o| {
            o.keep_features = None;
        });
        let (session, x) = self.work("remeshing", |session, x| {
            let report = remesh(session, x, &options)?;
            target = f64::from(report.target_length);
            Ok((
                report.run(),
                report.split.done > 0 && report.collapse.done > 0,
            ))
        })?;
        let mean = quality(&session.to_mesh(x)?.0).edge_length.mean / target;
        ensure!(
            MEAN.contains(&mean),
            "{}: remeshing left edges of {mean} targets on average",
            self.name
        );
        Ok(())
    }

    fn tracking(&self) -> Result<()> {
        let options = TrackOptions::default().with(|o| {
            o.frames = self.arguments.frames;
        });
        self.work("tracking", |session, x| {
            let report = track(session, x, &options, |frame, session| {
                let at = || format!("frame {frame}");
                self.sound(session).with_context(at)
            })?;
            Ok((report.run(), report.frames == options.frames))
        })?;
        Ok(())
    }

    /// Runs an operation in a new session; `work` returns its report, and `true` if the result is right.
    fn work(
        &self,
        what: &str,
        work: impl FnOnce(&mut Session<Speculative>, Positions) -> Result<(RunReport, bool)>,
    ) -> Result<(Session<Speculative>, Positions)> {
        let positions = self.rx.attribute_from(&self.mesh.positions)?;
        let mut session = Session::open_with(&self.rx)?;
        let options = SpeculativeOptions {
            blocks: self.arguments.blocks,
            lock_all: self.arguments.lock_all,
        };
        Speculative::set_options(&mut session, options);
        let x = session.attach(&positions)?;
        let place = || format!("{}, {what}", self.name);
        let (run, good) = work(&mut session, x).with_context(place)?;
        self.sound(&session).with_context(place)?;
        let did = session.edits().speculation();
        println!(
            "  {what}: {} changes, {} launches, {} visits ({} % wasted), {} vertices moved, {} patches sliced, {} \
                merged",
            run.done,
            did.launches,
            did.visits,
            short(100.0 * did.wasted_share()),
            did.moved,
            did.sliced,
            did.merged
        );
        ensure!(
            run.finished && run.done > 0 && good,
            "{}: not what it should be: {run:?}",
            place()
        );
        Ok((session, x))
    }

    /// Checks every invariant, and that the mesh is still a torus.
    fn sound(&self, session: &Session<Speculative>) -> Result<()> {
        let wrong = session.validate()?;
        ensure!(
            wrong.is_empty(),
            "{} findings, the first: {}",
            wrong.len(),
            wrong[0]
        );
        let euler = session.euler_number()?;
        ensure!(euler == 0, "Euler's number is {euler}");
        Ok(())
    }
}
