//! A surface by a scheme of this project on rxmesh's engines, and the same as one product with a matrix.

mod check;

use butterfly_kernels::{Butterfly, FINGERPRINT_SYMBOL, KERNELS};
use rxmesh_host::Vec3;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::mesh::{PolyMesh, generate};
use rxmesh_subdivision::Mesh;
use rxmesh_subdivision::matrix::{Finish, GeneralSubdivision, multiply};

/// Built by `build.rs`; empty when there was no compiler for it.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/butterfly_kernels.ptx"));

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (engine, why) = match arguments[..] {
        [] | ["--engine", "auto"] => engine()?,
        ["--engine", "cpu"] => (Engine::cpu(), None),
        ["--engine", "cuda"] => match engine()? {
            (engine, None) => (engine, None),
            (_, Some(why)) => return Err(format!("no GPU: {why}").into()),
        },
        _ => return Err("usage: butterfly [--engine auto|cpu|cuda]".into()),
    };
    if let Some(why) = why {
        println!("no GPU: {why}");
    }
    let info = engine.info();
    println!("engine {}: {}", info.engine, info.device);
    for mesh in [bumpy_ball(2)?, sheet(12)?] {
        let surface = subdivide(&engine, &mesh, 3)?;
        println!(
            "{} triangles become {}, {} vertices; one product with a matrix of {} numbers gives the same within {:.1e}",
            mesh.face_count(),
            surface.faces.len(),
            surface.positions.len(),
            surface.stencil_entries,
            surface.difference
        );
        let error = check::compare(&mesh, &surface, 3)?;
        println!("against naive code on the host: within {error:.1e}");
        if error > 1e-5 || surface.difference > 1e-5 {
            return Err("the kernels do not agree with the naive code".into());
        }
    }
    Ok(())
}

/// The GPU with this project's kernels loaded, or the CPU and why not the GPU.
fn engine() -> std::result::Result<(Engine, Option<String>), EngineError> {
    let (engine, why) = Engine::auto();
    if !engine.is_cuda() {
        return Ok((engine, why.map(|e| e.to_string())));
    }
    if PTX.is_empty() {
        return Ok((
            Engine::cpu(),
            Some("the kernels were built without a compiler for device code".into()),
        ));
    }
    // SAFETY: `build.rs` made the PTX of the listed kernels.
    unsafe { engine.load_ptx(PTX, FINGERPRINT_SYMBOL, KERNELS)? };
    Ok((engine, None))
}

/// A ball with bumps, whose vertices have valence 6 but for twelve.
fn bumpy_ball(levels: u32) -> Result<PolyMesh> {
    let mut mesh = generate::icosphere(levels)?;
    for p in &mut mesh.positions {
        *p *= 1.0 + 0.2 * (4.0 * p.x).sin() * (3.0 * p.y + 1.0).cos();
    }
    Ok(mesh.into())
}

/// A wavy sheet: a boundary, and corners of one and two triangles.
fn sheet(n: u32) -> Result<PolyMesh> {
    let mut mesh = generate::grid(n, n)?;
    for p in &mut mesh.positions {
        p.z = 0.1 * (7.0 * p.x).sin() * (5.0 * p.y).cos();
    }
    Ok(mesh.into())
}

/// Refined surface and the check of its matrix.
pub(crate) struct CheckedSurface {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) faces: Vec<[u32; 3]>,
    /// Numbers of the matrix of the whole surface.
    stencil_entries: u32,
    /// Largest difference between the surface and the product with that matrix.
    difference: f32,
}

fn subdivide(engine: &Engine, poly: &PolyMesh, levels: u32) -> Result<CheckedSurface> {
    let mesh = Mesh::new(engine, poly)?;
    // Topology and memory once, values as often as wanted.
    let surface = GeneralSubdivision::new(mesh, Butterfly {}, levels)?;
    let x: Vec<f32> = poly.positions.iter().flat_map(|p| p.to_array()).collect();
    let x = engine.upload(&x)?;
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
    surface.values(3, &x, &mut y)?;
    let positions = y.read()?;

    let stencils = surface.stencils()?.ok_or("there are levels")?;
    multiply(engine, stencils.view(), 3, &x, &mut y, Finish::default())?;
    let again = y.read()?;
    let differences = positions.iter().zip(&again).map(|(a, b)| (a - b).abs());
    let corners = surface.corners().read()?;
    Ok(CheckedSurface {
        difference: differences.fold(0.0, f32::max),
        stencil_entries: stencils.entry_count(),
        positions: positions.chunks(3).map(Vec3::from_slice).collect(),
        faces: corners.chunks(3).map(|c| [c[0], c[1], c[2]]).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(engine: &Engine) {
        for mesh in [
            bumpy_ball(0).unwrap(),
            bumpy_ball(1).unwrap(),
            sheet(4).unwrap(),
        ] {
            for levels in [1, 2] {
                let surface = subdivide(engine, &mesh, levels).unwrap();
                let error = check::compare(&mesh, &surface, levels).unwrap();
                assert!(error < 1e-5, "{error}");
                assert!(surface.difference < 1e-5, "{}", surface.difference);
            }
        }
    }

    #[test]
    fn on_the_cpu() {
        check(&Engine::cpu());
    }

    #[test]
    fn in_another_order() {
        check(&Engine::shuffled(7));
    }

    /// Shows a missing barrier, which a block of one thread cannot.
    #[test]
    fn by_a_team_of_threads() {
        check(&Engine::team(4));
    }

    /// The GPU, where there is one; with `RXMESH_REQUIRE_CUDA=1` it fails without.
    #[test]
    fn on_cuda() {
        match engine().unwrap() {
            (engine, None) => check(&engine),
            (_, Some(why)) => {
                let required = std::env::var("RXMESH_REQUIRE_CUDA").as_deref() == Ok("1");
                assert!(!required, "a GPU is required here: {why}");
                println!("skipped: no GPU ({why})");
            }
        }
    }
}
