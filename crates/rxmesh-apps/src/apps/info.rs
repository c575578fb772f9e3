//! `info`: elements, geometry and patches of a mesh; the available engines.

use crate::app::{Application, Message};
use crate::cli::{EngineArgs, PatchArgs, TriangulateArgs};
use crate::frame::Tool;
use crate::input;
use crate::record::{PatchRecord, Record};
use crate::run::Run;
use crate::text;
use anyhow::Result;
use clap::{Args, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::engine::{Engine, EngineChoice, EngineError, EngineKind};
use rxmesh_host::kernels::query::{
    Corners, Diamond, EEThroughFaces, EF, FF, FV, Fans, Relation, VE, VF, VV,
};
use rxmesh_host::mesh::{EdgeLengths, EdgeTable, PolyMesh, PolygonCounts, Solid, TriMesh, solid};
use rxmesh_host::store::{PreparedSize, RxMesh};
use rxmesh_host::units;
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(crate) struct Info;

#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct InfoArgs {
    /// The mesh
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath, required_unless_present = "engines")]
    #[serde(skip)]
    mesh: Option<PathBuf>,
    /// Show the engines that were found, and why the others were not; needs no mesh
    #[arg(long)]
    #[serde(skip)]
    engines: bool,
    /// Prepare every relation and show the sizes of the tables
    #[arg(long, requires = "mesh")]
    #[serde(skip)]
    prepared: bool,
    #[command(flatten)]
    #[serde(skip)]
    triangulate: TriangulateArgs,
    #[command(flatten)]
    #[serde(skip)]
    engine: EngineArgs,
    #[command(flatten)]
    #[serde(skip)]
    patch: PatchArgs,
}

units!(InfoArgs {});

impl Options for InfoArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct InfoReport {
    /// Engines, with `--engines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    engines: Option<Vec<FoundEngine>>,
    /// Sizes of the mesh; of a volume those of its boundary.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<Measures>,
    /// Numbers of polygons, sharp elements and holes, if there are some. All values that need triangles are those of
    /// the triangles that the polygons are cut into.
    #[serde(skip_serializing_if = "Option::is_none")]
    polygons: Option<PolygonCounts>,
    /// Boundary of a volume; nothing is cut into patches then.
    #[serde(skip_serializing_if = "Option::is_none")]
    boundary: Option<BoundaryCounts>,
    /// Sizes of the prepared relations' tables, with `--prepared`.
    #[serde(skip_serializing_if = "Option::is_none")]
    prepared: Option<Vec<PreparedSize>>,
}

units!(InfoReport { mesh });

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FoundEngine {
    /// Name of the engine.
    engine: String,
    /// `true` if it can be used.
    found: bool,
    /// Name of the device.
    device: Option<String>,
    /// Number of threads or multiprocessors.
    units: Option<u32>,
    /// Reason why it cannot be used.
    why_not: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Measures {
    /// Lowest and highest corner.
    bounding_box: Option<[[f64; 3]; 2]>,
    /// Lengths of the edges.
    edge_length: Option<EdgeLengths>,
    #[serde(flatten)]
    solid: Solid,
}

units!(Measures {
    bounding_box: Length,
    edge_length,
    solid
});

/// The surface of a volume.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BoundaryCounts {
    /// Number of vertices of the boundary.
    vertices: u64,
    /// Number of faces of the boundary.
    faces: u64,
}

impl Application for Info {
    const NAME: &'static str = "info";
    const SUMMARY: &'static str = "Show counts, sizes, patch statistics and engines";
    const HELP: &'static str = "Examples: rxmesh info bunny.obj
          rxmesh info --engines";
    type Options = InfoArgs;
    type Report = InfoReport;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &InfoArgs) -> Result<InfoReport> {
        let mut report = InfoReport {
            engines: args.engines.then(found),
            ..InfoReport::default()
        };
        if let Some(name) = &args.mesh {
            look(run, name, args, &mut report)?;
        }
        Ok(report)
    }

    #[cfg(test)]
    fn schema() -> Option<serde_json::Value> {
        Some(rxmesh::schema::report::<InfoReport>())
    }

    fn describe(report: &InfoReport, args: &InfoArgs, record: &Record) -> Message {
        let mut out = engine_lines(report.engines.as_deref().unwrap_or_default());
        if args.mesh.is_some() {
            out += &mesh_lines(report, record);
        }
        Message::new(out)
    }
}

/// Measures a volume.
fn look_inside(run: &mut Run, name: &Path, report: &mut InfoReport) -> Result<()> {
    let mesh = run.read_tets(name)?.loaded.mesh;
    let ((measures, counts, edges), ms) = run.stage("measuring", || {
        let edges = mesh.edges();
        let surface = mesh.boundary().surface;
        let counts = BoundaryCounts {
            vertices: surface.vertex_count() as u64,
            faces: surface.face_count() as u64,
        };
        let measures = Measures {
            bounding_box: mesh.bounding_box(),
            ..measure(
                &surface,
                EdgeLengths::of(&mesh.positions, &mesh.placement, &edges),
            )
        };
        Ok((measures, counts, edges.len() as u64))
    })?;
    run.record.timings_ms.run = ms;
    if let Some(i) = &mut run.record.input {
        i.edges = Some(edges);
        // Each face inside belongs to two cells.
        i.faces = Some((4 * mesh.cell_count() as u64 + counts.faces) / 2);
    }
    report.boundary = Some(counts);
    report.mesh = Some(measures);
    Ok(())
}

fn look(run: &mut Run, name: &Path, args: &InfoArgs, report: &mut InfoReport) -> Result<()> {
    if input::is_volume(name) {
        return look_inside(run, name, report);
    }
    let input = run.read_poly(name, !args.triangulate.triangulate)?;
    let polygons = input.loaded.mesh;
    let counts = PolygonCounts::of(&polygons);
    let table = EdgeTable::of_polygons(&polygons);
    let lengths = EdgeLengths::of(&polygons.positions, &polygons.placement, &table.edges);
    report.polygons = (!counts.is_plain()).then_some(counts);
    // The sharp edges of the triangles are not used.
    let (mesh, warnings) = PolyMesh {
        sharp_edges: Vec::new(),
        ..polygons
    }
    .triangulate()?;
    for warning in &warnings {
        run.warn_of(&input.path, warning);
    }
    let engine = run.engine(args.engine.engine)?;
    let patches = run.patch(
        &engine,
        (&mesh, &input.path),
        &args.patch,
        PatchArgs::DEFAULT_SIZE,
    )?;
    if let (Some(i), Some(_)) = (&mut run.record.input, &report.polygons) {
        i.edges = Some(table.len() as u64);
    }
    let rx = run.upload(&engine, patches)?;
    if args.prepared {
        let (sizes, _) = run.stage("preparing", || prepare(&rx))?;
        report.prepared = Some(sizes);
    }
    let (measured, ms) = run.stage("measuring", || Ok(measure(&mesh, lengths)))?;
    run.record.timings_ms.run = ms;
    report.mesh = Some(measured);
    Ok(())
}

/// Prepares every relation that is defined on all meshes.
fn prepare(rx: &RxMesh) -> Result<Vec<PreparedSize>> {
    fn one<R: Relation>(rx: &RxMesh) -> Result<()> {
        match rx.prepare::<R>() {
            // Kernels compute such a relation on the fly.
            Ok(_) | Err(Error::TooLarge { .. }) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }
    one::<VV>(rx)?;
    one::<VE>(rx)?;
    one::<VF>(rx)?;
    one::<EF>(rx)?;
    one::<EEThroughFaces>(rx)?;
    one::<FV>(rx)?;
    one::<FF>(rx)?;
    one::<Diamond>(rx)?;
    one::<Corners>(rx)?;
    one::<Fans>(rx)?;
    Ok(rx.prepared_sizes())
}

/// Returns the bounding box, area and volume.
fn measure(mesh: &TriMesh, edge_length: Option<EdgeLengths>) -> Measures {
    let table = EdgeTable::new(&mesh.faces, mesh.vertex_count());
    Measures {
        bounding_box: mesh.bounding_box(),
        edge_length,
        solid: solid(mesh, &table),
    }
}

/// Tries every engine.
fn found() -> Vec<FoundEngine> {
    let entry = |choice: EngineChoice, engine: Result<Engine, EngineError>| {
        let (info, why_not) = match engine {
            Ok(engine) => (Some(engine.info()), None),
            Err(why) => (None, Some(why.to_string())),
        };
        FoundEngine {
            engine: choice.to_string(),
            found: info.is_some(),
            units: info.as_ref().map(|info| info.units),
            device: info.map(|info| info.device),
            why_not,
        }
    };
    let cpu = entry(EngineChoice::Kind(EngineKind::Cpu), Ok(Engine::cpu()));
    let gpus = (0..).zip(Engine::gpus()).map(|(number, engine)| {
        let choice = match number {
            0 => EngineChoice::Kind(EngineKind::Cuda),
            _ => EngineChoice::Gpu(number),
        };
        entry(choice, engine)
    });
    std::iter::once(cpu).chain(gpus).collect()
}

fn engine_lines(engines: &[FoundEngine]) -> String {
    let line = |e: &FoundEngine| match (&e.device, e.units, &e.why_not) {
        (Some(device), Some(units), _) => {
            let kind = e.engine.split(':').next().and_then(EngineKind::named);
            let what = kind.map_or("units", EngineKind::units);
            format!("{:<5} {device}, {units} {what}\n", e.engine)
        }
        (_, _, why) => format!(
            "{:<5} not available: {}\n",
            e.engine,
            why.as_deref().unwrap_or("unknown")
        ),
    };
    engines.iter().map(line).collect()
}

fn mesh_lines(report: &InfoReport, r: &Record) -> String {
    let mut out = text::input(r);
    out += &report.polygons.map_or(String::new(), |p| p.to_string());
    if let Some(b) = &report.boundary {
        out += &format!("boundary: {} vertices, {} faces\n", b.vertices, b.faces);
    }
    if let Some(m) = &report.mesh {
        if let Some([low, high]) = m.bounding_box {
            out += &format!("bounding box: {low:?} to {high:?}\n");
        }
        if let Some(l) = m.edge_length {
            out += &format!(
                "edge length: {} min, {} mean, {} max\n",
                text::number(l.min),
                text::number(l.mean),
                text::number(l.max)
            );
        }
        out += &solid_lines(&m.solid);
    }
    if let Some(p) = &r.patches {
        out += &patch_lines(p);
    }
    let faces = r.input.as_ref().and_then(|i| i.faces).unwrap_or(0).max(1);
    for p in report.prepared.iter().flatten() {
        out += &format!(
            "prepared {}: {} bytes, {:.2} a face\n",
            p.relation,
            p.bytes,
            p.bytes as f64 / faces as f64
        );
    }
    if let Some(e) = &r.engine {
        out += &text::engine(r);
        if let Some(why) = &e.why_not_gpu {
            out += &format!("not the GPU: {why}\n");
        }
    }
    out
}

/// Returns the lines of area, volume and centre.
fn solid_lines(s: &Solid) -> String {
    let (area, volume) = (text::number(s.area), text::number(s.volume));
    let (of_what, open) = match s.closed {
        true if s.volume != 0.0 => ("solid", ""),
        true => ("surface", ""),
        false => (
            "surface",
            " (not closed: of the cones from the middle of the box)",
        ),
    };
    let mut out = format!("area: {area}\nvolume: {volume}{open}\n");
    if let Some(centre) = s.centre {
        let [x, y, z] = centre.map(text::number);
        out += &format!("centre of mass: [{x}, {y}, {z}] of the {of_what}\n");
    }
    out
}

fn patch_lines(p: &PatchRecord) -> String {
    let (b, t, r) = (&p.bytes_per_face, &p.stages_ms, &p.ribbon_percent);
    let mut out = format!(
        "patches: {} of at most {} faces (smallest {}, mean {:.1}, largest {})\n",
        p.count, p.patch_size, p.size_min, p.size_mean, p.size_max
    );
    out += &format!(
        "ribbons: {:.1} % of vertices, {:.1} % of edges, {:.1} % of faces\n",
        r.vertices, r.edges, r.faces
    );
    out += &format!(
        "bytes a face: {:.2} (FE {:.2}, EV {:.2}, masks {:.2}, ribbons {:.2}, headers {:.2})\n",
        b.total, b.fe, b.ev, b.masks, b.ribbons, b.headers
    );
    if let Some(bytes) = p.device_bytes {
        out += &format!("memory on the engine: {bytes} bytes\n");
    }
    if p.cache == "loaded" {
        return out + "patches loaded from the cache\n";
    }
    out + &format!(
        "patcher: {} in {} rounds (adjacency {:.2}, regions {:.2}, patches {:.2}, elements {:.2}, ribbons {:.2}, \
        packing {:.2} ms)\n",
        text::duration(f64::from(t.total)),
        p.rounds,
        t.adjacency,
        t.regions,
        t.patches,
        t.elements,
        t.ribbons,
        t.pack
    )
}
