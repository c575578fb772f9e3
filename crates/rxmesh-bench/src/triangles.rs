//! Triangle meshes as a subject: sizes and inputs, and a mesh on an engine for each scheduler of edits.

use std::cell::OnceCell;

use anyhow::{Context as _, Result, ensure};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::PatchStats;
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::Kind;

use crate::RowsOf;
use crate::conflicts::EditScheduler;
use crate::floor::TopologyBytes;
use crate::mesh::{Chosen, Input, Meshes, Recipe};
use crate::record::{BenchRecord, MeshRecord, patch_options};
use crate::reference;
use crate::rows::{self, Row, TriangleBench, TriangleSetup};
use crate::run::RunArguments;
use crate::subject::{Batch, MeasuredOn, On, Subject};

/// Triangle meshes of one run.
pub(crate) struct Triangles(Meshes);

impl Subject for Triangles {
    const NAME: &'static str = "triangles";
    const EFFORT: (usize, f64, u32) = (21, 2.0, 20);

    /// Number of Loop subdivisions, and the input.
    type Name = (u32, Input);
    type Mesh = (Recipe, TriMesh);
    type Bench<'a> = TriangleBench<'a>;
    type Own = TriangleSetup;

    fn rows() -> Vec<&'static Row> {
        rows::all().collect()
    }

    fn is_default(row: &Row) -> bool {
        !row.own.on_request
    }

    fn is_compared(row: &Row) -> bool {
        rows::is_compared(row)
    }

    fn new(arguments: &RunArguments) -> Result<Self> {
        let Some(path) = &arguments.mesh else {
            return Ok(Self(Meshes::new()?));
        };
        let jitter = arguments.jitter.unwrap_or(0.0);
        ensure!(
            jitter.is_finite() && jitter >= 0.0,
            "--jitter is {jitter}, but must be a finite number, 0 or more"
        );
        ensure!(
            arguments.input != Input::Plain,
            "--input plain is a torus of the bench's own, and no file's mesh"
        );
        Ok(Self(Meshes::of_file(Chosen {
            path: path.clone(),
            jitter,
            seed: arguments.seed,
        })?))
    }

    fn batches(
        &self,
        arguments: &RunArguments,
        rows: Vec<&'static Row>,
    ) -> Result<Vec<Batch<Self>>> {
        let conflicts = match arguments.conflicts {
            RowsOf::Both => None,
            RowsOf::Claims => Some(EditScheduler::Claims),
            RowsOf::Speculative => Some(EditScheduler::Speculative),
        };
        let wanted = |r: &&Row| conflicts.is_none_or(|c| c == r.own.conflicts);
        let rows: Vec<&Row> = rows.into_iter().filter(wanted).collect();
        ensure!(
            !rows.is_empty(),
            "none of these rows is measured on that scheduler of edits"
        );
        let mut batches = Vec::new();
        for level in arguments.levels()? {
            for input in [
                None,
                Some(Input::Shuffled),
                Some(Input::Sorted),
                Some(Input::Plain),
            ] {
                let rows = rows.iter().filter(|r| r.own.input == input);
                let rows: Vec<&Row> = rows.copied().collect();
                let own = input.unwrap_or(arguments.input);
                if (input.is_none() || !rows.is_empty()) && self.0.has(own) {
                    let name = (level, own);
                    batches.push(Batch { name, rows });
                }
            }
        }
        Ok(batches)
    }

    fn make(&mut self, &(level, input): &(u32, Input)) -> Result<(Recipe, TriMesh)> {
        self.0.get(level, input)
    }

    /// Measures rows; the record keeps the first mesh of each size, with the patches of the options.
    fn measure(on: &On<'_, Self>, record: &mut BenchRecord) -> Result<Vec<String>> {
        on.engine.set_block_threads(record.options.block_threads);
        let mut faults = Vec::new();
        let claims = Patching {
            conflicts: EditScheduler::Claims,
            size: None,
        };
        // The mesh of the record comes first, also without rows.
        let mut all = vec![claims];
        all.extend(on.rows.iter().map(|row| Patching::of(row)));
        for (i, &patching) in all.iter().enumerate() {
            if !all[..i].contains(&patching) {
                let rows = on.rows.iter().filter(|r| Patching::of(r) == patching);
                let rows: Vec<&Row> = rows.copied().collect();
                faults.extend(with_patches(patching, on, &rows, record)?);
            }
        }
        Ok(faults)
    }
}

/// Patches of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Patching {
    conflicts: EditScheduler,
    /// Most faces of a patch, where the row has its own.
    size: Option<u32>,
}

impl Patching {
    fn of(row: &Row) -> Self {
        Self {
            conflicts: row.own.conflicts,
            size: row.own.patch_size,
        }
    }
}

/// Measures the rows of one scheduler of edits with patches of one size.
fn with_patches(
    Patching { conflicts, size }: Patching,
    on: &On<'_, Triangles>,
    rows: &[&'static Row],
    record: &mut BenchRecord,
) -> Result<Vec<String>> {
    let (engine, (recipe, mesh)) = (on.engine, on.mesh);
    let mut options = patch_options(&record.options, conflicts);
    if let Some(size) = size {
        options.patch_size = size;
    }
    let timed = rows.iter().any(|r| r.own.builds);
    let (rx, stats, built) = rows::build(engine, mesh, &options, timed.then_some(on.effort))
        .context("cannot make the mesh")?;
    let bench = TriangleBench {
        engine,
        rx: &rx,
        mesh,
        patch_size: options.patch_size,
        jittered: OnceCell::new(),
        directed: OnceCell::new(),
        parts: TopologyBytes::of(&rx),
        built,
        effort: on.effort,
    };
    let place = MeasuredOn {
        mesh: &recipe.name,
        size: recipe.faces.into(),
        patch_size: (conflicts == EditScheduler::Speculative || size.is_some())
            .then_some(options.patch_size),
    };
    let faults = rows
        .iter()
        .filter_map(|row| row.try_measure(&bench, engine, place, record));
    let faults = faults.collect();
    if conflicts == EditScheduler::Claims
        && size.is_none()
        && record.meshes.iter().all(|m| m.name != recipe.name)
    {
        record.meshes.push(about(&rx, recipe, &stats)?);
    }
    Ok(faults)
}

fn about(rx: &RxMesh, recipe: &Recipe, stats: &PatchStats) -> Result<MeshRecord> {
    Ok(MeshRecord {
        name: recipe.name.clone(),
        recipe: recipe.recipe.clone(),
        level: recipe.level,
        vertices: rx.count(Kind::Vertex),
        edges: rx.count(Kind::Edge),
        faces: rx.count(Kind::Face),
        device_bytes: rx.device_bytes() as u64,
        device_bytes_a_face: rx.device_bytes() as f64 / f64::from(recipe.faces),
        reference_bytes_a_face: reference::bytes_a_face(recipe.faces),
        file: recipe.file.clone(),
        patches: serde_json::to_value(stats)?,
    })
}
