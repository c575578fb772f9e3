//! Deformable bodies, forces and solvers as a subject. Goals are milliseconds on an H200 or on two threads of a CPU;
//! references are MeshTaichi's, on equally large meshes: on an H200, except for the largest frame of projective
//! dynamics, which is the paper's on an RTX 3090.

mod elastic;
mod hybrid;
mod meshes;

use anyhow::Result;
use rxmesh_host::engine::Engine;
use rxmesh_host::patch::{PatchOptions, VolumeKinds, VolumeOptions};
use rxmesh_host::store::Surface;
use rxmesh_kernels::topo::Kind;
use rxmesh_simulation::solve::{
    ClothMaterial, GlobalSolver, Projective, ProjectiveOptions, VbdOptions, VbdOrder,
    VertexBlockDescent, XpbdCells, XpbdCloth, XpbdOptions, XpbdOrder,
};
use rxmesh_simulation::{Body, Elasticity, Material, Materials, Surroundings};

use crate::measure::{self, Effort, Times};
use crate::record::BenchRecord;
use crate::run::RunArguments;
use crate::subject::{
    Batch, GoalAndRival, Measured, MeasuredOn, On, Subject, Work, batches_by_name, without_folders,
};

/// Deformable bodies, by the names of their meshes: rows make the bodies.
pub(crate) struct Solvers {
    /// Copies of a file's body in rows of many.
    copies: Option<usize>,
}

type Row = crate::subject::Row<Solvers>;

/// Mesh and engine of a row.
pub(crate) struct BodyBench<'a> {
    engine: &'a Engine,
    mesh: &'a str,
    copies: Option<usize>,
    effort: Effort,
}

impl Subject for Solvers {
    const NAME: &'static str = "solvers";
    const EFFORT: (usize, f64, u32) = (15, 1.0, 10);

    const OF_CELLS: bool = true;

    type Name = String;
    /// Name, and copies of a file's body.
    type Mesh = (String, Option<usize>);
    type Bench<'a> = BodyBench<'a>;
    type Own = ();

    fn rows() -> Vec<&'static Row> {
        ROWS.iter().collect()
    }

    fn new(arguments: &RunArguments) -> Result<Self> {
        Ok(Self {
            copies: arguments.copies.map(|n| n as usize),
        })
    }

    fn batches(
        &self,
        arguments: &RunArguments,
        rows: Vec<&'static Row>,
    ) -> Result<Vec<Batch<Self>>> {
        let is_cloth = |mesh: &str| mesh.starts_with("cloth");
        Ok(batches_by_name(arguments, rows, |row, mesh| {
            row.mesh.is_some_and(is_cloth) == is_cloth(mesh)
        }))
    }

    fn make(&mut self, name: &String) -> Result<Self::Mesh> {
        Ok((name.clone(), self.copies))
    }

    fn measure(on: &On<'_, Self>, record: &mut BenchRecord) -> Result<Vec<String>> {
        let bench = BodyBench {
            engine: on.engine,
            mesh: &on.mesh.0,
            copies: on.mesh.1,
            effort: on.effort,
        };
        let name = without_folders(&on.mesh.0);
        let place = |row: &Row| MeasuredOn {
            mesh: &name,
            size: row.elements,
            patch_size: None,
        };
        let faults = on.rows.iter();
        let faults =
            faults.filter_map(|row| row.try_measure(&bench, on.engine, place(row), record));
        Ok(faults.collect())
    }
}

impl Row {
    /// Sets goal and reference on two threads of a CPU.
    const fn cpu(mut self, goal: Option<f64>, reference: f64) -> Self {
        self.known[2] = GoalAndRival {
            goal,
            rival: Some((reference, TAICHI)),
        };
        self
    }
}

const TAICHI: &str = "MeshTaichi";

const fn row(
    name: &'static str,
    mesh: &'static str,
    elements: u64,
    (goal, reference): (Option<f64>, Option<f64>),
    work: Work<Solvers>,
) -> Row {
    const NONE: GoalAndRival = GoalAndRival {
        goal: None,
        rival: None,
    };
    let rival = match reference {
        Some(ms) => Some((ms, TAICHI)),
        None => None,
    };
    let known = [NONE, GoalAndRival { goal, rival }, NONE];
    Row::new(name, "", (), work)
        .of_mesh(mesh, elements)
        .known(known)
}

const CLOTHS: &str = "cloths:100x100";
const IRREGULAR: &str = "cloths-irregular:100x100";

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row("force, neo-Hookean", "cube:22", 63_888, (Some(0.008), Some(0.0197)),
        |b| elastic::force(b, Elasticity::NeoHookean)),
    row("force, neo-Hookean", "cube:44", 511_104, (None, Some(0.0788)),
        |b| elastic::force(b, Elasticity::NeoHookean)).cpu(Some(15.0), 81.0),
    row("force, neo-Hookean", "cube:70", 2_058_000, (Some(0.045), Some(0.174)),
        |b| elastic::force(b, Elasticity::NeoHookean)),
    row("force, corotated", "cube:22", 63_888, (Some(0.010), Some(0.0251)),
        |b| elastic::force(b, Elasticity::Corotated)),
    row("force, corotated", "cube:44", 511_104, (None, Some(0.0914)),
        |b| elastic::force(b, Elasticity::Corotated)).cpu(None, 333.0),
    row("force, corotated", "cube:70", 2_058_000, (Some(0.09), Some(0.265)),
        |b| elastic::force(b, Elasticity::Corotated)),
    row("explicit step", "cube:22", 63_888, (None, None), elastic::explicit),
    row("explicit step", "cube:70", 2_058_000, (None, None), elastic::explicit),
    row("elastic product", "cube:22", 63_888, (None, None), elastic::product),
    row("elastic product", "cube:70", 2_058_000, (None, None), elastic::product),
    row("implicit step, 3 x 50 CG", "cube:22", 63_888, (Some(4.0), None), elastic::implicit),
    row("implicit step, 3 x 50 CG", "cube:70", 2_058_000, (None, None), elastic::implicit),
    row("pd frame, 5 x 30 CG", "cube:19", 41_154, (Some(2.0), Some(48.5)),
        |b| pd_frame(b, GlobalSolver::ConjugateGradients)),
    row("pd frame, 5 x 30 CG", "cube:37", 303_918, (Some(2.5), Some(35.6)),
        |b| pd_frame(b, GlobalSolver::ConjugateGradients)),
    row("pd frame, 5 x 30 CG", "cube:49", 705_894, (Some(4.0), Some(29.4)),
        |b| pd_frame(b, GlobalSolver::ConjugateGradients)),
    row("pd frame, 5 x 30 Chebyshev", "cube:19", 41_154, (Some(2.0), Some(48.5)),
        |b| pd_frame(b, GlobalSolver::Chebyshev)),
    row("pd frame, 5 x 30 Chebyshev", "cube:37", 303_918, (Some(2.5), Some(35.6)),
        |b| pd_frame(b, GlobalSolver::Chebyshev)),
    row("pd frame, 5 x 30 Chebyshev", "cube:49", 705_894, (Some(4.0), Some(29.4)),
        |b| pd_frame(b, GlobalSolver::Chebyshev)),
    row("pd product", "cube:44", 511_104, (None, Some(0.0387)), pd_product).cpu(Some(5.0), 24.4),
    row("pd product", "cube:70", 2_058_000, (None, Some(0.104)), pd_product),
    row("xpbd cloth substep of 5 Jacobi", CLOTHS, 1_000_000, (Some(0.4), Some(2.09)), |b| cloth(b, XpbdOrder::Jacobi)),
    row("xpbd cloth substep of 5, patch colours", CLOTHS, 1_000_000, (None, None),
        |b| cloth(b, XpbdOrder::PatchColours)),
    row("xpbd cloth substep of 5 Jacobi", IRREGULAR, 1_000_000, (None, None), |b| cloth(b, XpbdOrder::Jacobi)),
    row("xpbd cells iteration, Jacobi", "cube:70", 2_058_000, (Some(0.15), None), |b| cells(b, XpbdOrder::Jacobi)),
    row("xpbd cells iteration, patch colours", "cube:70", 2_058_000, (None, None),
        |b| cells(b, XpbdOrder::PatchColours)),
    row("vbd iteration, vertex colours", "cube:70", 2_058_000, (Some(0.35), None), |b| vbd(b, VbdOrder::Vertices)),
    row("vbd iteration, patch colours", "cube:70", 2_058_000, (None, None), |b| vbd(b, VbdOrder::Patches)),
    row("mpm substep, copies", "cubes:10x10", 60_000, (None, None), hybrid::substep),
    row("mpm substep, copies", "cubes:10x1050", 6_300_000, (Some(3.0), None), hybrid::substep),
    row("mpm scene", "cubes:10x10", 60_000, (None, None), hybrid::scene),
];

/// Makes a body of rubber, held at the low end of the x axis.
fn body(b: &BodyBench<'_>, kinds: VolumeKinds) -> Result<Body> {
    let mesh = meshes::volume(b.mesh)?;
    let materials = Materials::uniform(Material::default());
    let options = VolumeOptions {
        kinds,
        ..VolumeOptions::default()
    };
    let mut body = Body::with(b.engine, &mesh, materials, &options)?;
    let low = mesh
        .positions
        .iter()
        .map(|p| p.x)
        .fold(f32::INFINITY, f32::min);
    let held = |v: &u32| mesh.positions[*v as usize].x < low + 0.02;
    let pins: Vec<u32> = (0..mesh.positions.len() as u32).filter(held).collect();
    body.pin(&pins)?;
    Ok(body)
}

/// Returns the times of work that takes `launches` launches.
fn measured(body: &Body, launches: u32, times: Times) -> Measured {
    let cells = body.mesh().count(Kind::Cell);
    Measured::times("cell", cells.into(), times).with("launches", launches)
}

/// Time step: a hundredth of a second.
const DT: f32 = 0.01;
const ROUNDS: u32 = 5;
const ITERATIONS: u32 = 30;

fn projective(b: &BodyBench<'_>, solver: GlobalSolver) -> Result<(Body, Projective)> {
    let body = body(b, VolumeKinds::Edges)?;
    let options = ProjectiveOptions {
        rounds: ROUNDS,
        iterations: ITERATIONS,
        solver,
        ..ProjectiveOptions::default()
    };
    let solver = Projective::new(&body, DT, options)?;
    Ok((body, solver))
}

fn pd_frame(b: &BodyBench<'_>, solver: GlobalSolver) -> Result<Measured> {
    let (mut body, mut pd) = projective(b, solver)?;
    let around = Surroundings::new(b.engine)?;
    let times = measure::launches(b.engine, b.effort, || Ok(pd.step(&mut body, &around, DT)?))?;
    Ok(measured(&body, pd.launches(), times))
}

fn pd_product(b: &BodyBench<'_>) -> Result<Measured> {
    let (mut body, mut pd) = projective(b, GlobalSolver::ConjugateGradients)?;
    pd.step(&mut body, &Surroundings::new(b.engine)?, DT)?;
    let times = measure::launches(b.engine, b.effort, || Ok(pd.product(body.mesh())?))?;
    Ok(measured(&body, 1, times))
}

fn cloth(b: &BodyBench<'_>, order: XpbdOrder) -> Result<Measured> {
    let mesh = meshes::cloths(b.mesh)?;
    let mut body: Body<Surface> = Body::cloth(b.engine, &mesh, 0.2, &PatchOptions::default())?;
    body.pin(&[0])?;
    // Each cloth has its own compliances.
    let of = |v: u32| (mesh.positions[v as usize].x / 1.5) as u32;
    let material = |[a, _]: [u32; 2]| ClothMaterial {
        stretch: Some(1e-6 * f64::from(1 + of(a) % 10)),
        bending: Some(1.0 + f64::from(of(a) / 10)),
    };
    let options = XpbdOptions {
        iterations: 5,
        order,
        ..XpbdOptions::default()
    };
    let mut solver = XpbdCloth::new(&body, material, options)?;
    let around = Surroundings::new(b.engine)?;
    let step = || Ok(solver.step(&mut body, &around, 1e-4)?);
    let times = measure::launches(b.engine, b.effort, step)?;
    let vertices = body.vertex_count() as u64;
    Ok(Measured::times("vertex", vertices, times).with("launches", 3 + 5 * solver.launches()))
}

fn cells(b: &BodyBench<'_>, order: XpbdOrder) -> Result<Measured> {
    let mut body = body(b, VolumeKinds::Cells)?;
    let options = XpbdOptions {
        order,
        ..XpbdOptions::default()
    };
    let mut solver = XpbdCells::new(&body, options)?;
    solver.step(&mut body, &Surroundings::new(b.engine)?, 1e-3)?;
    let times = measure::launches(b.engine, b.effort, || Ok(solver.iterate(&mut body, 1e-3)?))?;
    Ok(measured(&body, solver.launches(), times))
}

fn vbd(b: &BodyBench<'_>, order: VbdOrder) -> Result<Measured> {
    let mut body = body(b, VolumeKinds::Cells)?;
    let options = VbdOptions {
        order,
        iterations: 1,
        ..VbdOptions::default()
    };
    let mut solver = VertexBlockDescent::new(&body, options)?;
    let around = Surroundings::new(b.engine)?;
    solver.step(&mut body, &around, DT)?;
    let iterate = || Ok(solver.iterate(&mut body, &around, DT)?);
    let times = measure::launches(b.engine, b.effort, iterate)?;
    Ok(measured(&body, solver.colours(), times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::measured;
    use anyhow::Context as _;

    /// Every row runs once on a small mesh of its kind.
    #[test]
    fn every_row_can_be_measured() -> Result<()> {
        let record = measured::<Solvers>(&["--meshes", "cube:3,cloths:8x2"])?;
        let names: std::collections::HashSet<&str> = ROWS.iter().map(|r| r.name).collect();
        assert_eq!(record.runs.len(), names.len());
        for run in record.runs {
            assert_eq!((run.values.len(), run.goal), (1, None), "{}", run.row);
            assert!(run.figures["launches"].as_u64() > Some(0), "{}", run.row);
            let elements = if run.mesh == "cube:3" { 162 } else { 128 };
            assert_eq!(run.elements, elements, "{}", run.row);
        }
        Ok(())
    }

    /// Every row states the number of elements of its mesh.
    #[test]
    fn rows_say_their_size() -> Result<()> {
        for row in ROWS {
            let mesh = row.mesh.context("a mesh")?;
            let (kind, size) = mesh.split_once(':').context("a kind")?;
            let elements = match kind {
                "cube" => 6 * size.parse::<u64>()?.pow(3),
                "cubes" => {
                    let (n, m) = size.split_once('x').context("a number of cubes")?;
                    6 * n.parse::<u64>()?.pow(3) * m.parse::<u64>()?
                }
                _ => {
                    let (n, m) = size.split_once('x').context("a number of cloths")?;
                    n.parse::<u64>()?.pow(2) * m.parse::<u64>()?
                }
            };
            assert_eq!(row.elements, elements, "{} of {mesh}", row.name);
        }
        Ok(())
    }
}
