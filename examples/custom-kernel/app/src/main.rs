//! A cloth: how much its edges bend before and after some smoothing, and more triangles where it bends, by kernels and
//! an operator of this project on rxmesh's engines.

mod check;
mod refine;
mod solid;

use check::compare;
use cloth_kernels::{Bending, FINGERPRINT_SYMBOL, KERNELS, Smooth};
use rxmesh_host::Vec3;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::topo::{Edge, Vertex};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::reduce;
use rxmesh_host::store::{Attribute, RxMesh};

/// Built by `build.rs`; empty when there was no compiler for it.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/cloth_kernels.ptx"));

const STEPS: u32 = 10;
const STEP: f32 = 0.5;
const STIFFNESS: f32 = 2.0;

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
        _ => return Err("usage: cloth [--engine auto|cpu|cuda]".into()),
    };
    if let Some(why) = why {
        println!("no GPU: {why}");
    }
    let info = engine.info();
    println!("engine {}: {}", info.engine, info.device);
    let mesh = cloth(120)?;
    let outcome = run(&engine, &mesh, 512)?;
    println!(
        "{} vertices, {} faces",
        mesh.vertex_count(),
        mesh.face_count()
    );
    println!(
        "bending energy {:.4} before, {:.4} after {STEPS} steps of smoothing",
        outcome.before, outcome.after
    );
    let errors = compare(&mesh, &outcome);
    println!(
        "against naive code on the host: energies within {:.1e}, positions within {:.1e}",
        errors.energy, errors.position
    );
    if errors.energy > 1e-4 || errors.position > 1e-5 {
        return Err("the kernels do not agree with the naive code".into());
    }
    let smoothed = TriMesh::new(outcome.positions, mesh.faces)?;
    let options = refine::RefineOptions::of(&smoothed);
    let refined = refine::refine(&engine, &smoothed, &options, 512)?;
    refine::check(&smoothed, &refined, &options)?;
    println!(
        "refined where it bends: {} edges split in {} rounds, {} faces",
        refined.report.done,
        refined.report.rounds,
        refined.mesh.face_count()
    );
    let error = solid::error(&engine)?;
    println!("forces of a bent solid: within {error:.1e} of the slope of its energy");
    if error > 5e-5 {
        return Err("the forces are not the slope of the energy".into());
    }
    let [bent, moving] = solid::let_go(&engine)?;
    println!("energy of the solid: {bent:.4} bent, {moving:.4} after a second of motion");
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

/// A crumpled sheet of `n` times `n` squares.
fn cloth(n: u32) -> Result<TriMesh> {
    let mut mesh = generate::grid(n, n)?;
    for p in &mut mesh.positions {
        p.z = 0.05 * (9.0 * p.x).sin() * (7.0 * p.y).cos();
    }
    generate::noise(&mut mesh, 0.2, 1)?;
    generate::shuffle(&mut mesh, 2);
    Ok(mesh)
}

struct RunResult {
    before: f64,
    after: f64,
    /// The ends of each edge, in the order of `energies`.
    edges: Vec<[u32; 2]>,
    energies: Vec<f32>,
    positions: Vec<Vec3>,
}

fn run(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> Result<RunResult> {
    let options = PatchOptions::default().with(|o| {
        o.patch_size = patch_size;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options)?;
    let mut x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    let mut y = rx.attribute::<Vertex, Vec3>()?;
    let mut energy = rx.attribute::<Edge, f32>()?;

    rx.run(Bending {
        x: x.read()?,
        energy: energy.write()?,
        stiffness: STIFFNESS,
    })?;
    let before = reduce::sum(&rx, &energy)?;
    for _ in 0..STEPS {
        // Ten runs over the same neighbours: VV is computed once and kept from the third on.
        // `RxMesh::set_relation_choice` overrides.
        rx.run_for_each(Smooth {
            x: x.staged()?,
            y: y.write()?,
            step: STEP,
        })?;
        std::mem::swap(&mut x, &mut y);
    }
    let edges = ends(&rx)?;
    let energies = energy.to_input(&rx)?;
    rx.run(Bending {
        x: x.read()?,
        energy: energy.write()?,
        stiffness: STIFFNESS,
    })?;
    let after = reduce::sum(&rx, &energy)?;
    Ok(RunResult {
        before,
        after,
        edges,
        energies,
        positions: x.to_input(&rx)?,
    })
}

/// The ends of each edge as the input's vertices, in the order of [`Attribute::to_input`].
fn ends(rx: &RxMesh) -> Result<Vec<[u32; 2]>> {
    let rows = rx.query::<rxmesh_host::kernels::query::EV>()?.read()?;
    let source = &rx.patch_set()?.vertex_source;
    let ends: Vec<[u32; 2]> = rows
        .values
        .chunks(2)
        .map(|v| [source[v[0] as usize], source[v[1] as usize]])
        .collect();
    // As an attribute, so that its order is the same as that of the energies.
    let mut attribute: Attribute<Edge, [u32; 2]> = rx.attribute_from(&ends)?;
    Ok(attribute.to_input(rx)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(engine: &Engine) {
        for patch_size in [16, 1000] {
            let mesh = cloth(10).unwrap();
            let options = refine::RefineOptions::of(&mesh);
            let refined = refine::refine(engine, &mesh, &options, patch_size).unwrap();
            assert!(refined.report.done > 20, "{:?}", refined.report);
            refine::check(&mesh, &refined, &options).unwrap();
        }
        let mesh = cloth(12).unwrap();
        for patch_size in [16, 100, 1000] {
            let outcome = run(engine, &mesh, patch_size).unwrap();
            let errors = compare(&mesh, &outcome);
            assert!(
                errors.energy < 1e-4 && errors.position < 1e-5,
                "{} {}",
                errors.energy,
                errors.position
            );
            assert!(
                outcome.after < 0.5 * outcome.before,
                "smoothing takes out the noise"
            );
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
