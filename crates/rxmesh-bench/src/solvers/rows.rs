//! Rows of the solvers. Goals are milliseconds on an H200 or on two threads of a CPU; references are MeshTaichi's, on
//! equally large meshes: on an H200, except for the largest frame of projective dynamics, which is the paper's on an
//! RTX 3090.

use anyhow::Result;
use rxmesh_host::engine::Engine;
use rxmesh_host::patch::{PatchOptions, VolumeKinds, VolumeOptions};
use rxmesh_host::store::Surface;
use rxmesh_kernels::topo::Kind;
use rxmesh_simulation::solve::{
    ClothMaterial, GlobalSolver, Projective, ProjectiveOptions, VbdOptions, VbdOrder,
    VertexBlockDescent, XpbdCells, XpbdCloth, XpbdOptions, XpbdOrder,
};
use rxmesh_simulation::{Body, Material, Materials, Surroundings};

use super::{elastic, hybrid, meshes};
use crate::measure::{self, Effort, Times};

/// Row of the solvers' table.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) mesh: &'static str,
    /// Number of cells, or of vertices of cloth.
    pub(crate) elements: u64,
    pub(crate) goal: Option<f64>,
    pub(crate) reference: Option<f64>,
    /// Goal and reference on two threads of a CPU.
    pub(crate) on_two_threads: (Option<f64>, Option<f64>),
    pub(crate) work: fn(&Engine, &str, Effort) -> Result<Measured>,
}

/// Result of a row.
pub(crate) struct Measured {
    pub(crate) elements: u64,
    pub(crate) launches: u32,
    pub(crate) times: Times,
}

impl Row {
    /// Returns `true` if the row is of a volume.
    pub(crate) fn of_cells(&self) -> bool {
        self.mesh.starts_with("cube")
    }

    const fn cpu_of(self, reference: f64) -> Row {
        Row {
            on_two_threads: (None, Some(reference)),
            ..self
        }
    }

    const fn cpu(self, goal: f64, reference: f64) -> Row {
        Row {
            on_two_threads: (Some(goal), Some(reference)),
            ..self
        }
    }
}

const fn row(
    name: &'static str,
    mesh: &'static str,
    elements: u64,
    (goal, reference): (Option<f64>, Option<f64>),
    work: fn(&Engine, &str, Effort) -> Result<Measured>,
) -> Row {
    Row {
        name,
        mesh,
        elements,
        goal,
        reference,
        on_two_threads: (None, None),
        work,
    }
}

const CLOTHS: &str = "cloths:100x100";

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row("force, neo-Hookean", "cube:22", 63_888, (Some(0.008), Some(0.0197)), elastic::neo_hookean),
    row("force, neo-Hookean", "cube:44", 511_104, (None, Some(0.0788)), elastic::neo_hookean).cpu(15.0, 81.0),
    row("force, neo-Hookean", "cube:70", 2_058_000, (Some(0.045), Some(0.174)), elastic::neo_hookean),
    row("force, corotated", "cube:22", 63_888, (Some(0.010), Some(0.0251)), elastic::corotated),
    row("force, corotated", "cube:44", 511_104, (None, Some(0.0914)), elastic::corotated).cpu_of(333.0),
    row("force, corotated", "cube:70", 2_058_000, (Some(0.09), Some(0.265)), elastic::corotated),
    row("explicit step", "cube:22", 63_888, (None, None), elastic::explicit),
    row("explicit step", "cube:70", 2_058_000, (None, None), elastic::explicit),
    row("elastic product", "cube:22", 63_888, (None, None), elastic::product),
    row("elastic product", "cube:70", 2_058_000, (None, None), elastic::product),
    row("implicit step, 3 x 50 CG", "cube:22", 63_888, (Some(4.0), None), elastic::implicit),
    row("implicit step, 3 x 50 CG", "cube:70", 2_058_000, (None, None), elastic::implicit),
    row("pd frame, 5 x 30 CG", "cube:19", 41_154, (Some(2.0), Some(48.5)), pd_frame_cg),
    row("pd frame, 5 x 30 CG", "cube:37", 303_918, (Some(2.5), Some(35.6)), pd_frame_cg),
    row("pd frame, 5 x 30 CG", "cube:49", 705_894, (Some(4.0), Some(29.4)), pd_frame_cg),
    row("pd frame, 5 x 30 Chebyshev", "cube:19", 41_154, (Some(2.0), Some(48.5)), pd_frame_chebyshev),
    row("pd frame, 5 x 30 Chebyshev", "cube:37", 303_918, (Some(2.5), Some(35.6)), pd_frame_chebyshev),
    row("pd frame, 5 x 30 Chebyshev", "cube:49", 705_894, (Some(4.0), Some(29.4)), pd_frame_chebyshev),
    row("pd product", "cube:44", 511_104, (None, Some(0.0387)), pd_product).cpu(5.0, 24.4),
    row("pd product", "cube:70", 2_058_000, (None, Some(0.104)), pd_product),
    row("xpbd cloth substep of 5 Jacobi", CLOTHS, 1_000_000, (Some(0.4), Some(2.09)), cloth_jacobi),
    row("xpbd cloth substep of 5, patch colours", CLOTHS, 1_000_000, (None, None), cloth_colours),
    row("xpbd cells iteration, Jacobi", "cube:70", 2_058_000, (Some(0.15), None), cells_jacobi),
    row("xpbd cells iteration, patch colours", "cube:70", 2_058_000, (None, None), cells_colours),
    row("vbd iteration, vertex colours", "cube:70", 2_058_000, (Some(0.35), None), vbd_vertices),
    row("vbd iteration, patch colours", "cube:70", 2_058_000, (None, None), vbd_patches),
    row("mpm substep, copies", "cubes:10x10", 60_000, (None, None), hybrid::substep),
    row("mpm substep, copies", "cubes:10x1050", 6_300_000, (Some(3.0), None), hybrid::substep),
];

/// Makes a body of rubber, held at the low end of the x axis.
fn body(engine: &Engine, mesh: &str, kinds: VolumeKinds) -> Result<Body> {
    let mesh = meshes::volume(mesh)?;
    let materials = Materials::uniform(Material::default());
    let options = VolumeOptions {
        kinds,
        ..VolumeOptions::default()
    };
    let mut body = Body::with(engine, &mesh, materials, &options)?;
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

pub(super) fn measured(body: &Body, launches: u32, times: Times) -> Measured {
    Measured {
        elements: body.mesh().count(Kind::Cell).into(),
        launches,
        times,
    }
}

/// Time step: a hundredth of a second.
const DT: f32 = 0.01;
const ROUNDS: u32 = 5;
const ITERATIONS: u32 = 30;

fn projective(engine: &Engine, mesh: &str, solver: GlobalSolver) -> Result<(Body, Projective)> {
    let body = body(engine, mesh, VolumeKinds::Edges)?;
    let options = ProjectiveOptions {
        rounds: ROUNDS,
        iterations: ITERATIONS,
        solver,
        ..ProjectiveOptions::default()
    };
    let solver = Projective::new(&body, DT, options)?;
    Ok((body, solver))
}

fn pd_frame(engine: &Engine, mesh: &str, effort: Effort, solver: GlobalSolver) -> Result<Measured> {
    let (mut body, mut pd) = projective(engine, mesh, solver)?;
    let around = Surroundings::new(engine)?;
    let times = measure::launches(engine, effort, || Ok(pd.step(&mut body, &around, DT)?))?;
    Ok(measured(&body, pd.launches(), times))
}

fn pd_frame_cg(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    pd_frame(engine, mesh, effort, GlobalSolver::ConjugateGradients)
}

fn pd_frame_chebyshev(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    pd_frame(engine, mesh, effort, GlobalSolver::Chebyshev)
}

fn pd_product(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    let (mut body, mut pd) = projective(engine, mesh, GlobalSolver::ConjugateGradients)?;
    pd.step(&mut body, &Surroundings::new(engine)?, DT)?;
    let times = measure::launches(engine, effort, || Ok(pd.product(body.mesh())?))?;
    Ok(measured(&body, 1, times))
}

fn cloth(engine: &Engine, mesh: &str, effort: Effort, order: XpbdOrder) -> Result<Measured> {
    let mesh = meshes::cloths(mesh)?;
    let mut body: Body<Surface> = Body::cloth(engine, &mesh, 0.2, &PatchOptions::default())?;
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
    let around = Surroundings::new(engine)?;
    let step = || Ok(solver.step(&mut body, &around, 1e-4)?);
    let times = measure::launches(engine, effort, step)?;
    Ok(Measured {
        elements: body.vertex_count() as u64,
        launches: 3 + 5 * solver.launches(),
        times,
    })
}

fn cloth_jacobi(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    cloth(engine, mesh, effort, XpbdOrder::Jacobi)
}

fn cloth_colours(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    cloth(engine, mesh, effort, XpbdOrder::PatchColours)
}

fn cells(engine: &Engine, mesh: &str, effort: Effort, order: XpbdOrder) -> Result<Measured> {
    let mut body = body(engine, mesh, VolumeKinds::Cells)?;
    let options = XpbdOptions {
        order,
        ..XpbdOptions::default()
    };
    let mut solver = XpbdCells::new(&body, options)?;
    solver.step(&mut body, &Surroundings::new(engine)?, 1e-3)?;
    let times = measure::launches(engine, effort, || Ok(solver.iterate(&mut body, 1e-3)?))?;
    Ok(measured(&body, solver.launches(), times))
}

fn cells_jacobi(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    cells(engine, mesh, effort, XpbdOrder::Jacobi)
}

fn cells_colours(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    cells(engine, mesh, effort, XpbdOrder::PatchColours)
}

fn vbd(engine: &Engine, mesh: &str, effort: Effort, order: VbdOrder) -> Result<Measured> {
    let mut body = body(engine, mesh, VolumeKinds::Cells)?;
    let options = VbdOptions {
        order,
        iterations: 1,
        ..VbdOptions::default()
    };
    let mut solver = VertexBlockDescent::new(&body, options)?;
    let around = Surroundings::new(engine)?;
    solver.step(&mut body, &around, DT)?;
    let iterate = || Ok(solver.iterate(&mut body, &around, DT)?);
    let times = measure::launches(engine, effort, iterate)?;
    Ok(measured(&body, solver.colours(), times))
}

fn vbd_vertices(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    vbd(engine, mesh, effort, VbdOrder::Vertices)
}

fn vbd_patches(engine: &Engine, mesh: &str, effort: Effort) -> Result<Measured> {
    vbd(engine, mesh, effort, VbdOrder::Patches)
}
