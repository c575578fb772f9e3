//! What is measured. Goals and baselines are milliseconds on an H200; the baselines were measured there on meshes made
//! alike, as `docs/subdivision.md` says.

use anyhow::Result;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::Mesh;

use crate::measure::{self, Effort, Times};

/// A row.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) mesh: &'static str,
    pub(crate) levels: u32,
    /// Faces of the result.
    pub(crate) faces: u64,
    pub(crate) goal: Option<f64>,
    pub(crate) baseline: Option<(f64, &'static str)>,
    pub(crate) work: fn(&Engine, &PolyMesh, u32, Effort) -> Result<Measured>,
}

/// What a row gives.
pub(crate) struct Measured {
    pub(crate) times: Times,
    pub(crate) bytes: Option<u64>,
}

impl From<Times> for Measured {
    fn from(times: Times) -> Measured {
        Measured { times, bytes: None }
    }
}

const fn row(
    name: &'static str,
    mesh: &'static str,
    levels: u32,
    faces: u64,
    goal: Option<f64>,
    baseline: Option<(f64, &'static str)>,
    work: fn(&Engine, &PolyMesh, u32, Effort) -> Result<Measured>,
) -> Row {
    Row {
        name,
        mesh,
        levels,
        faces,
        goal,
        baseline,
        work,
    }
}

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row("adjacency", "sphere:40", 0, 9_600, None, Some((4.0, "Edge-Friend, host")), adjacency),
    row("adjacency", "sphere:160", 0, 153_600, None, None, adjacency),
    row("adjacency", "sphere:640", 0, 2_457_600, None, None, adjacency),
    row("adjacency", "sphere:640S", 0, 2_457_600, None, None, adjacency),
];

/// Twins, edges and rows from faces that are on the host.
fn adjacency(engine: &Engine, mesh: &PolyMesh, _: u32, effort: Effort) -> Result<Measured> {
    let times = measure::calls(engine, effort, || {
        Mesh::new(engine, mesh)?;
        Ok(())
    })?;
    Ok(times.into())
}
