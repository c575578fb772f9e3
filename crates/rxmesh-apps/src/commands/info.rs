//! `info`: what a mesh is made of and how it is cut; which engines there are.

use super::text;
use crate::cli::{InfoArgs, PatchArgs};
use crate::record::{FoundEngine, MeshRecord, PatchRecord};
use crate::run::{Run, cuda};
use anyhow::Result;
use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::query::{Corners, Diamond, EE, EF, FF, FV, Fans, Relation, VE, VF, VV};
use rxmesh_host::mesh::{EdgeLengths, EdgeTable, TriMesh};
use rxmesh_host::store::{PreparedSize, RxMesh};
use std::path::Path;

pub(super) fn run(args: &InfoArgs) -> Result<()> {
    let mut run = Run::new("info", &args.common)?;
    let mut out = String::new();
    if args.engines {
        let engines = found();
        out += &engine_lines(&engines);
        run.record.engines = Some(engines);
    }
    if let Some(name) = &args.mesh {
        look(&mut run, name, args)?;
        out += &mesh_lines(&run);
    }
    run.finish(&out)
}

fn look(run: &mut Run, name: &Path, args: &InfoArgs) -> Result<()> {
    let input = run.read(name, args.triangulate.triangulate)?;
    let mesh = &input.loaded.mesh;
    let engine = run.engine(args.engine.engine)?;
    let set = run.patch(mesh, &input.path, &args.patch, PatchArgs::DEFAULT_SIZE)?;
    let (rx, ()) = run.upload(&engine, set, |_| Ok(()))?;
    if args.prepared {
        let (sizes, ms) = run.stage("preparing", || prepare(&rx))?;
        run.record.timings_ms.run = ms;
        run.record.prepared = Some(sizes);
    }
    let (measured, ms) = run.stage("measuring", || Ok(measure(mesh)))?;
    run.record.timings_ms.run = ms;
    run.record.mesh = Some(measured);
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
    one::<EE>(rx)?;
    one::<FV>(rx)?;
    one::<FF>(rx)?;
    one::<Diamond>(rx)?;
    one::<Corners>(rx)?;
    one::<Fans>(rx)?;
    Ok(rx.prepared_sizes())
}

/// Bounding box and edge lengths.
fn measure(mesh: &TriMesh) -> MeshRecord {
    let bounding_box = mesh.positions.first().map(|&first| {
        let grow = |[low, high]: [rxmesh_host::Vec3; 2], p: &rxmesh_host::Vec3| {
            [low.min(*p), high.max(*p)]
        };
        mesh.positions
            .iter()
            .fold([first, first], grow)
            .map(|p| p.to_array())
    });
    let edges = EdgeTable::new(&mesh.faces, mesh.vertex_count()).edges;
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let mut lengths = EdgeLengths {
        min: f64::INFINITY,
        mean: 0.0,
        max: 0.0,
    };
    for &[a, b] in &edges {
        let length = at(a).distance(at(b));
        lengths.min = lengths.min.min(length);
        lengths.max = lengths.max.max(length);
        lengths.mean += length / edges.len() as f64;
    }
    MeshRecord {
        bounding_box,
        edge_length: (!edges.is_empty()).then_some(lengths),
    }
}

/// Tries every engine.
fn found() -> Vec<FoundEngine> {
    let entry = |engine, result: Result<Engine, _>| match result.map(|e| e.info()) {
        Ok(info) => FoundEngine {
            engine,
            found: true,
            device: Some(info.device),
            units: Some(info.units),
            why_not: None,
        },
        Err::<_, rxmesh_host::engine::EngineError>(e) => FoundEngine {
            engine,
            found: false,
            device: None,
            units: None,
            why_not: Some(e.to_string()),
        },
    };
    vec![entry("cpu", Ok(Engine::cpu())), entry("cuda", cuda())]
}

fn engine_lines(engines: &[FoundEngine]) -> String {
    let line = |e: &FoundEngine| match (&e.device, e.units, &e.why_not) {
        (Some(device), Some(units), _) => {
            let what = if e.engine == "cuda" {
                "multiprocessors"
            } else {
                "threads"
            };
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

fn mesh_lines(run: &Run) -> String {
    let r = &run.record;
    let mut out = text::input(r);
    if let Some(m) = &r.mesh {
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
    }
    if let Some(p) = &r.patches {
        out += &patch_lines(p);
    }
    let faces = r.input.as_ref().map_or(0, |i| i.faces).max(1);
    for p in r.prepared.iter().flatten() {
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
        "patcher: {} in {} rounds (adjacency {:.2}, regions {:.2}, patches {:.2}, elements {:.2}, ribbons {:.2}, packing {:.2} ms)\n",
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
