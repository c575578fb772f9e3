//! Animates a control mesh: its surface is prepared once, and every frame new positions of the control points become
//! positions of the surface. Prints frames a second.
//!
//! `cargo run --release --example animate -- --levels 4`

use anyhow::{Context as _, Result};
use clap::Parser;
use rxmesh_host::Vec3;
use rxmesh_host::engine::EngineChoice;
use rxmesh_host::io::{self, ReadOptions, WriteOptions};
use rxmesh_host::mesh::{Faces, PolyMesh, SharpEdge, generate};
use rxmesh_subdivision::{Options, Subdivision};
use std::f32::consts::TAU;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Frames of one stroke, after which the movement repeats.
const STROKE: u32 = 60;

#[derive(Parser)]
#[command(
    about = "Lets a control mesh swim, and prints how many frames of its surface there are a second"
)]
struct AnimateArguments {
    /// The control mesh (OBJ, PLY or OFF) [default: a flat ball of quads with a crease around it]
    mesh: Option<PathBuf>,
    #[command(flatten)]
    surface: Options,
    /// Frames to make, of each kind
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Engine that computes
    #[arg(long, value_name = "ENGINE", value_enum, default_value = "auto")]
    engine: EngineChoice,
    /// Write the last frame
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn main() -> Result<()> {
    run(&AnimateArguments::parse(), &mut std::io::stdout())
}

fn run(arguments: &AnimateArguments, out: &mut dyn Write) -> Result<()> {
    let (engine, _why_not_the_gpu) = arguments.engine.start()?;
    let mesh = match &arguments.mesh {
        Some(path) => io::read_poly(path, &ReadOptions::default())?.mesh,
        None => swimmer()?,
    };
    // All that depends on the faces and the creases alone. From here on only positions change.
    let surface = Subdivision::new(&engine, &mesh, &arguments.surface)?;
    let info = engine.info();
    writeln!(out, "engine: {}, {}", info.engine, info.device)?;
    writeln!(
        out,
        "control mesh: {} vertices, {} faces, {} sharp edges",
        mesh.vertex_count(),
        mesh.face_count(),
        mesh.sharp_edges.len()
    )?;
    writeln!(
        out,
        "surface: {} vertices, {} faces after {} levels",
        surface.vertex_count(),
        surface.face_count(),
        arguments.surface.levels
    )?;
    let last = animate(&surface, &mesh, arguments.frames, out)?;
    let (low, high) = extent(&last);
    writeln!(out, "last frame: from {low:.2} to {high:.2}")?;
    if let Some(path) = &arguments.output {
        let size = surface
            .face_size()
            .context("at least one level is needed to write a frame")?;
        let mut corners = engine.zeroed(surface.index_count() as usize)?;
        surface.faces(&mut corners)?;
        let frame = PolyMesh {
            positions: last,
            faces: Faces::Same(size),
            corners: corners.read()?,
            placement: mesh.placement,
            ..PolyMesh::default()
        };
        io::write(path, &frame, &WriteOptions::default())?;
        writeln!(out, "wrote {}", path.display())?;
    }
    Ok(())
}

/// Makes the frames three times: from positions that are on the engine, from positions that come from the host, and
/// with the surfaces taken to the host. Returns the last one.
fn animate(
    surface: &Subdivision,
    mesh: &PolyMesh,
    frames: u32,
    out: &mut dyn Write,
) -> Result<Vec<Vec3>> {
    let engine = surface.mesh().engine();
    let poses: Vec<Vec<f32>> = (0..frames.min(STROKE)).map(|i| pose(mesh, i)).collect();
    let of_frame = |frame: u32| (frame % STROKE) as usize;
    let resident = poses
        .iter()
        .map(|pose| engine.upload(pose))
        .collect::<Result<Vec<_>, _>>()?;
    let mut x = engine.upload(&poses[0])?;
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
    let mut frame = vec![0.0; y.len()];
    let mut rate = |what: &str, one: &mut dyn FnMut(u32) -> Result<()>| -> Result<()> {
        one(0)?;
        engine.synchronize()?;
        let start = Instant::now();
        (0..frames).try_for_each(one)?;
        engine.synchronize()?;
        let rate = f64::from(frames) / start.elapsed().as_secs_f64();
        Ok(writeln!(
            out,
            "{what}: {frames} frames, {rate:.0} frames a second"
        )?)
    };
    rate("control points on the engine", &mut |i| {
        Ok(surface.values(3, &resident[of_frame(i)], &mut y)?)
    })?;
    rate("control points uploaded", &mut |i| {
        x.write(&poses[of_frame(i)])?;
        Ok(surface.values(3, &x, &mut y)?)
    })?;
    rate("control points uploaded, surfaces read back", &mut |i| {
        x.write(&poses[of_frame(i)])?;
        surface.values(3, &x, &mut y)?;
        Ok(y.read_into(&mut frame)?)
    })?;
    let points = frame.as_chunks::<3>().0.iter();
    Ok(points.map(|&p| Vec3::from_array(p)).collect())
}

/// Control points of a frame: a wave runs from one end of the mesh to the other and moves it sideways, most at the end.
fn pose(mesh: &PolyMesh, frame: u32) -> Vec<f32> {
    let (low, high) = extent(&mesh.positions);
    let length = (high.x - low.x).max(f32::MIN_POSITIVE);
    let time = TAU * frame as f32 / STROKE as f32;
    let moved = |p: &Vec3| {
        let along = (p.x - low.x) / length;
        let by = 0.2 * length * along * (time - TAU * along).sin();
        [p.x, p.y, p.z + by]
    };
    mesh.positions.iter().flat_map(moved).collect()
}

fn extent(points: &[Vec3]) -> (Vec3, Vec3) {
    let empty = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    points
        .iter()
        .fold(empty, |(low, high), &p| (low.min(p), high.max(p)))
}

/// Returns a flattened sphere of quads with a crease of sharpness 2.5 around its equator.
fn swimmer() -> Result<PolyMesh> {
    let mut mesh = generate::quad_sphere(8)?;
    let on_equator = |v: &u32| mesh.positions[*v as usize].z.abs() < 1e-3;
    for face in mesh.corners.as_chunks::<4>().0 {
        let sides = (0..4).map(|k| [face[k], face[(k + 1) % 4]]);
        // Each edge has two faces, which walk along it in opposite directions.
        let equator = sides.filter(|ends| ends[0] < ends[1] && ends.iter().all(on_equator));
        mesh.sharp_edges.extend(equator.map(|ends| SharpEdge {
            ends,
            sharpness: 2.5,
        }));
    }
    for p in &mut mesh.positions {
        *p *= Vec3::new(1.5, 1.0, 0.25);
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_host::engine::{Engine, EngineKind};
    use rxmesh_subdivision::{VertexOptions, refine};

    fn prints(command: &str) -> Result<String> {
        let words = std::iter::once("animate").chain(command.split_whitespace());
        let mut arguments = AnimateArguments::try_parse_from(words)?;
        arguments.engine = EngineChoice::Kind(EngineKind::Cpu);
        let mut out = Vec::new();
        run(&arguments, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    /// Without the parts that differ between machines.
    fn elided(line: &str) -> String {
        match line.rsplit_once(", ") {
            Some((what, rate)) if rate.ends_with(" frames a second") => what.to_owned(),
            _ if line.starts_with("engine: ") => "engine".to_owned(),
            _ => line.to_owned(),
        }
    }

    /// The manual shows the program's output.
    #[test]
    fn the_manual_shows_what_it_prints() -> Result<()> {
        let manual = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/library/surfaces.md"
        );
        let text = std::fs::read_to_string(manual)?;
        let (_, after) = text
            .split_once("    $ cargo run --release --example animate -- ")
            .context("the manual shows it")?;
        let (command, after) = after.split_once('\n').context("a line")?;
        let shown: Vec<String> = after
            .lines()
            .map_while(|line| line.strip_prefix("    ").map(elided))
            .collect();
        let printed = prints(command)?;
        assert_eq!(printed.lines().map(elided).collect::<Vec<_>>(), shown);
        Ok(())
    }

    /// The last frame is the surface that the moved control mesh has by itself, and another one than the first.
    #[test]
    fn a_frame_is_the_surface_of_the_moved_mesh() -> Result<()> {
        let mut mesh = swimmer()?;
        assert_eq!(mesh.sharp_edges.len(), 32);
        let (engine, frames) = (Engine::cpu(), 17);
        let options = Options {
            levels: 3,
            ..Options::default()
        };
        let surface = Subdivision::new(&engine, &mesh, &options)?;
        let last = animate(&surface, &mesh, frames, &mut std::io::sink())?;
        let still = refine(&engine, &mesh, &options, VertexOptions::default())?.mesh;
        assert_ne!(last, still.positions);
        let moved = pose(&mesh, frames - 1);
        mesh.positions = moved.chunks(3).map(Vec3::from_slice).collect();
        let alone = refine(&engine, &mesh, &options, VertexOptions::default())?.mesh;
        assert_eq!(last, alone.positions);
        Ok(())
    }

    #[test]
    fn it_writes_a_frame_of_any_mesh() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let to = folder.path().join("frame.obj");
        let cube = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/creased_cube.obj");
        prints(&format!("{cube} --levels 2 --frames 3 -o {}", to.display()))?;
        let written = io::read_poly(&to, &ReadOptions::default())?.mesh;
        assert_eq!((written.vertex_count(), written.face_count()), (98, 96));
        assert!(prints(&format!("{cube} --frames 0")).is_err());
        assert!(prints("nothing.obj").is_err());
        Ok(())
    }
}
