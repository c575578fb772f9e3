//! Rows of elastic bodies: forces, explicit and implicit steps on boxes of tetrahedra whose vertices are moved by up to
//! a fifth of an edge. Goals are milliseconds on an H200; baselines are MeshTaichi's best there
//! (`bench/records/references/meshtaichi-tets-h200.json`).

use std::time::Duration;

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, generate};
use rxmesh_host::store::Attribute;
use rxmesh_kernels::topo::Vertex;
use rxmesh_simulation::solve::{Damping, Explicit, Implicit, ImplicitOptions};
use rxmesh_simulation::{Body, Elasticity, Forces, Material, Stiffness, Surroundings};

use crate::EngineChoice;
use crate::measure::{self, Effort, Times, median};
use crate::run::engines;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Engines to measure
    #[arg(long, value_enum, default_value = "all")]
    engine: EngineChoice,
    /// Only rows whose name begins so
    #[arg(long, value_delimiter = ',', value_name = "ROW")]
    rows: Vec<String>,
    /// Only rows of at most so many million cells
    #[arg(long, default_value_t = 1e9, value_name = "N")]
    most: f64,
    /// Most samples of a row
    #[arg(long, default_value_t = 21, value_name = "N")]
    repeat: usize,
    /// Seconds after which a row takes no more samples than it must
    #[arg(long, default_value_t = 1.0, value_name = "S")]
    budget: f64,
    /// Launches between two device events
    #[arg(long, default_value_t = 20, value_name = "N")]
    batch: u32,
}

/// What a row does to a body.
type Work = fn(&mut Body, Effort) -> Result<Times>;

struct Row {
    name: &'static str,
    /// Cubes of six cells each along x, y and z.
    cubes: [u32; 3],
    goal: Option<f64>,
    baseline: Option<f64>,
    work: Work,
}

const fn row(
    name: &'static str,
    cubes: [u32; 3],
    goal: Option<f64>,
    baseline: Option<f64>,
    work: Work,
) -> Row {
    Row {
        name,
        cubes,
        goal,
        baseline,
        work,
    }
}

/// 63,888 cells.
const SMALL: [u32; 3] = [22; 3];
/// 511,104 cells.
const MIDDLE: [u32; 3] = [44; 3];
/// 2,044,416 cells.
const LARGE: [u32; 3] = [176, 44, 44];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("elastic force, neo-hookean", SMALL, Some(0.008), Some(0.0197), neo_hookean),
    row("elastic force, neo-hookean", MIDDLE, None, Some(0.0788), neo_hookean),
    row("elastic force, neo-hookean", LARGE, Some(0.045), Some(0.174), neo_hookean),
    row("elastic force, corotated", SMALL, Some(0.010), Some(0.0251), corotated),
    row("elastic force, corotated", MIDDLE, None, Some(0.0914), corotated),
    row("elastic force, corotated", LARGE, Some(0.09), Some(0.265), corotated),
    row("elastic step, explicit", SMALL, None, None, explicit),
    row("elastic step, explicit", LARGE, None, None, explicit),
    row("elastic product", SMALL, None, None, product),
    row("elastic product", LARGE, None, None, product),
    row("elastic step, implicit 3 x 50", SMALL, Some(4.0), None, implicit),
    row("elastic step, implicit 3 x 50", LARGE, None, None, implicit),
];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let effort = Effort {
        repeat: arguments.repeat.max(1),
        budget: Duration::from_secs_f64(arguments.budget.clamp(0.0, 1e6)),
        batch: arguments.batch.max(1),
    };
    println!("| row | engine | cells | ms | goal | MeshTaichi | single | wall |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for engine in engines(arguments.engine)? {
        for row in ROWS.iter().filter(|row| arguments.wants(row)) {
            let times = (row.work)(&mut body(&engine, row.cubes)?, effort)?;
            println!("{}", row.line(&engine, &times));
        }
    }
    Ok(())
}

impl Arguments {
    fn wants(&self, row: &Row) -> bool {
        let named = |n: &String| row.name.starts_with(n.as_str());
        let by_name = self.rows.is_empty() || self.rows.iter().any(named);
        by_name && row.cells() as f64 <= self.most * 1e6
    }
}

impl Row {
    fn cells(&self) -> u64 {
        6 * self.cubes.iter().map(|&n| u64::from(n)).product::<u64>()
    }

    fn line(&self, engine: &Engine, times: &Times) -> String {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:.4}"));
        let middle = |all: &[f64]| (!all.is_empty()).then(|| median(all));
        // Goals and baselines are of a GPU.
        let there = |x: Option<f64>| number(x.filter(|_| engine.is_cuda()));
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            self.name,
            engine.name(),
            self.cells(),
            number(middle(&times.ms)),
            there(self.goal),
            there(self.baseline),
            number(middle(&times.single_ms)),
            number(middle(&times.wall_ms)),
        )
    }
}

/// A box with cubes of a centimetre, at rest in one shape and moved into another.
fn body(engine: &Engine, cubes: [u32; 3]) -> Result<Body> {
    let mesh = generate::tet_box(cubes, cubes.map(|n| 0.01 * n as f32))?;
    let mut rng = Rng::new(1);
    let mut number = || 0.002 * rng.signed_unit() as f32;
    let moved: Vec<Vec3> = (mesh.positions.iter())
        .map(|p| *p + Vec3::new(number(), number(), number()))
        .collect();
    let mut body = Body::new(engine, &mesh, Material::default())?;
    body.set_positions(&moved)?;
    Ok(body)
}

fn force(body: &Body, elasticity: Elasticity, effort: Effort) -> Result<Times> {
    let forces = Forces::new(body, elasticity)?;
    let mut to: Attribute<Vertex, Vec3> = body.mesh().attribute()?;
    measure::launches(body.engine(), effort, || Ok(forces.forces(body, &mut to)?))
}

fn neo_hookean(body: &mut Body, effort: Effort) -> Result<Times> {
    force(body, Elasticity::NeoHookean, effort)
}

fn corotated(body: &mut Body, effort: Effort) -> Result<Times> {
    force(body, Elasticity::Corotated, effort)
}

fn explicit(body: &mut Body, effort: Effort) -> Result<Times> {
    let mut solver = Explicit::new(body, Elasticity::NeoHookean, Damping::default())?;
    let (engine, around) = (body.engine().clone(), Surroundings::new(body.engine())?);
    measure::launches(&engine, effort, || Ok(solver.step(body, &around, 1e-6)?))
}

/// The product, and its sums made whole.
fn product(body: &mut Body, effort: Effort) -> Result<Times> {
    let mut stiffness = Stiffness::new(body, Elasticity::NeoHookean)?;
    stiffness.update(body)?;
    let mut x: Attribute<Vertex, Vec3> = body.mesh().attribute()?;
    let mut y: Attribute<Vertex, Vec3> = body.mesh().attribute()?;
    x.download()?;
    x.host_mut()?.fill(Vec3::X);
    x.upload()?;
    measure::launches(body.engine(), effort, || {
        Ok(stiffness.times(body, &x, &mut y)?)
    })
}

/// Three Newton iterations of 50 iterations of conjugate gradients, whatever is left.
fn implicit(body: &mut Body, effort: Effort) -> Result<Times> {
    let options = ImplicitOptions {
        newton: 3,
        tolerance: 0.0,
        linear: 50,
        linear_tolerance: 0.0,
        ..ImplicitOptions::default()
    };
    let mut solver = Implicit::new(body, options)?;
    let (engine, around) = (body.engine().clone(), Surroundings::new(body.engine())?);
    let effort = Effort { batch: 1, ..effort };
    let times = measure::launches(&engine, effort, || Ok(solver.step(body, &around, 0.01)?))?;
    solver.report()?;
    Ok(times)
}
