//! Comparison of the GPU's results with the CPU's, and of other methods' with both.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::mcf::{McfOptions, mean_curvature_flow};
use rxmesh_host::algo::normals::vertex_normals;
use rxmesh_host::engine::{Engine, EngineKind};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::{HostRows, RxMesh};
use rxmesh_kernels::query::{
    Diamond, EEThroughFaces, EF, EV, FE, FF, FV, OrientedVE, OrientedVF, OrientedVV, VE, VF, VV,
};
use rxmesh_kernels::topo::Vertex;

use crate::directed::applications::applications;
use crate::directed::check;
use crate::mesh::{Input, Meshes, Size};

#[derive(clap::Args)]
pub(crate) struct AgreeArguments {
    /// Number of faces
    #[arg(long, default_value = "20k", value_name = "SIZE")]
    size: Size,
    /// Most faces of a patch
    #[arg(long, default_value_t = 512, value_name = "N")]
    patch_size: u32,
    /// Most distance between the smoothed meshes, in diagonals of the bounding box
    #[arg(long, default_value_t = 1e-4, value_name = "X")]
    tolerance: f64,
}

/// Largest difference of unit normals that rounding explains.
const NORMALS: f32 = 1e-3;

pub(crate) fn run(arguments: &AgreeArguments) -> Result<()> {
    let mesh = Meshes::new()?.get(arguments.size.0, Input::Shuffled)?.1;
    let (cpu, gpu) = (Engine::cpu(), EngineKind::Cuda.start()?);
    println!(
        "{} faces, {} and {}",
        mesh.face_count(),
        cpu.info().device,
        gpu.info().device
    );
    let options = PatchOptions::default().with(|o| {
        o.patch_size = arguments.patch_size;
    });
    let make = |engine: &Engine| RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options);
    let (a, b) = (make(&cpu)?, make(&gpu)?);
    let mut faults = queries(&a, &b)?;
    for rx in [&a, &b] {
        faults.extend(methods(rx, &mesh)?);
    }
    let (na, nb) = (normals(&a, &mesh)?, normals(&b, &mesh)?);
    let off = largest(&na, &nb);
    println!("normals: largest difference {off:.2e}");
    if off.is_nan() || off > NORMALS {
        faults.push("normals".to_owned());
    }
    let (ma, mb) = (flow(&a, &mesh)?, flow(&b, &mesh)?);
    let off = f64::from(largest(&ma, &mb)) / f64::from(diagonal(&mesh.positions));
    println!("mean curvature flow: largest distance over the bounding box {off:.2e}");
    if off.is_nan() || off > arguments.tolerance {
        faults.push("mean curvature flow".to_owned());
    }
    ensure!(
        faults.is_empty(),
        "the engines do not agree on {}",
        faults.join(", ")
    );
    println!("the engines agree");
    Ok(())
}

fn queries(a: &RxMesh, b: &RxMesh) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    macro_rules! each {
        ($($relation:ident)*) => {$(
            let (mut x, mut y) = (a.query::<$relation>()?.read()?, b.query::<$relation>()?.read()?);
            // A block of one thread leaves VV in the order of the edges: its rows are compared as sets.
            if stringify!($relation) == "VV" {
                sort_rows(&mut x);
                sort_rows(&mut y);
            }
            if x != y {
                faults.push(stringify!($relation).to_owned());
            }
        )*};
    }
    each!(VV VE VF EV EEThroughFaces EF FV FE FF Diamond OrientedVV OrientedVE OrientedVF);
    println!("queries: {} of 13 differ", faults.len());
    Ok(faults)
}

/// Compares other methods with this library on one engine.
fn methods(rx: &RxMesh, mesh: &TriMesh) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for (found, compared) in [check::queries(rx, mesh)?, applications(rx, mesh)?] {
        println!(
            "{:?}: {} of {compared} results of other methods differ",
            rx.engine(),
            found.len()
        );
        faults.extend(found);
    }
    Ok(faults)
}

fn sort_rows(rows: &mut HostRows) {
    for bounds in rows.starts.windows(2) {
        rows.values[bounds[0] as usize..bounds[1] as usize].sort_unstable();
    }
}

fn normals(rx: &RxMesh, mesh: &TriMesh) -> Result<Vec<Vec3>> {
    let x = rx.attribute_from(&mesh.positions)?;
    let mut n = rx.attribute::<Vertex, Vec3>()?;
    vertex_normals(rx, &x, &mut n)?;
    Ok(n.to_input(rx)?)
}

fn flow(rx: &RxMesh, mesh: &TriMesh) -> Result<Vec<Vec3>> {
    let mut x = rx.attribute_from(&mesh.positions)?;
    let report = mean_curvature_flow(rx, &mut x, &McfOptions::default())?;
    println!("{:?}: {report:?}", rx.engine());
    ensure!(report.converged, "the solver did not converge");
    Ok(x.to_input(rx)?)
}

fn largest(a: &[Vec3], b: &[Vec3]) -> f32 {
    let worse = |most: f32, d: f32| if d > most || d.is_nan() { d } else { most };
    a.iter()
        .zip(b)
        .map(|(a, b)| (*a - *b).length())
        .fold(0.0, worse)
}

fn diagonal(points: &[Vec3]) -> f32 {
    let low = points.iter().fold(Vec3::INFINITY, |m, &p| m.min(p));
    let high = points.iter().fold(Vec3::NEG_INFINITY, |m, &p| m.max(p));
    (high - low).length()
}
