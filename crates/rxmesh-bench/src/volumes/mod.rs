//! Volumes of tetrahedra as a subject.

mod figures;
mod meshes;
mod operations;

use std::cell::OnceCell;

use anyhow::{Context as _, Result};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TetMesh;
use rxmesh_host::patch::{Ribbon, VolumeKinds, VolumeOptions};
use rxmesh_host::store::{RxMesh, Volume};

use crate::measure::{Effort, Times};
use crate::record::BenchRecord;
use crate::run::RunArguments;
use crate::subject::{Batch, Measured, MeasuredOn, On, Subject, batches_by_name, without_folders};
use meshes::Sizes;

/// Volumes.
pub(crate) struct TetMeshes;

type Row = crate::subject::Row<TetMeshes>;

/// Patches of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PatchSettings {
    kinds: VolumeKinds,
    ribbon: Ribbon,
    /// Most cells of a patch, where it is the row's own.
    patch_size: Option<u32>,
}

/// Mesh and engine of rows with the same patches.
pub(crate) struct TetBench<'a> {
    engine: &'a Engine,
    mesh: &'a TetMesh,
    sizes: &'a Sizes,
    options: VolumeOptions,
    effort: Effort,
    made: OnceCell<RxMesh<Volume>>,
}

impl TetBench<'_> {
    /// Returns the volume on the engine, made when it is first asked for.
    fn rx(&self) -> Result<&RxMesh<Volume>> {
        if let Some(rx) = self.made.get() {
            return Ok(rx);
        }
        let vertices = self.mesh.positions.len();
        let rx = RxMesh::from_cells(self.engine, vertices, &self.mesh.cells, &self.options)?;
        Ok(self.made.get_or_init(|| rx))
    }

    fn measured(&self, times: Times) -> Measured {
        Measured::times("cell", self.mesh.cells.len() as u64, times)
    }
}

impl Subject for TetMeshes {
    const NAME: &'static str = "volumes";
    const EFFORT: (usize, f64, u32) = (15, 0.3, 20);
    const MESHES: &'static [&'static str] = &["cube:22", "cubes:44x4"];

    const OF_CELLS: bool = true;

    type Name = String;
    /// Mesh, and the sizes of its relations.
    type Mesh = (TetMesh, Sizes);
    type Bench<'a> = TetBench<'a>;
    type Own = PatchSettings;

    fn rows() -> Vec<&'static Row> {
        let rows = [figures::BUILDS, operations::OPERATIONS, figures::ROWS];
        let sweep = figures::SWEEP.iter().copied().flatten();
        // Rows with the same patches follow each other.
        let mut rows: Vec<&Row> = rows.into_iter().flatten().collect();
        let mut sorted = Vec::new();
        while let Some(first) = rows.first().map(|row| row.own) {
            let (same, others) = rows.into_iter().partition(|row| row.own == first);
            sorted.extend::<Vec<_>>(same);
            rows = others;
        }
        sorted.into_iter().chain(sweep).collect()
    }

    fn new(_: &RunArguments) -> Result<Self> {
        Ok(Self)
    }

    fn batches(
        &self,
        arguments: &RunArguments,
        rows: Vec<&'static Row>,
    ) -> Result<Vec<Batch<Self>>> {
        Ok(batches_by_name(arguments, rows, |_, _| true))
    }

    fn make(&mut self, name: &String) -> Result<(TetMesh, Sizes)> {
        let mesh = meshes::make(name).with_context(|| name.clone())?;
        let sizes = Sizes::of(&mesh);
        Ok((mesh, sizes))
    }

    fn measure(on: &On<'_, Self>, record: &mut BenchRecord) -> Result<Vec<String>> {
        let mut faults = Vec::new();
        let name = without_folders(on.name);
        for rows in on.rows.chunk_by(|a, b| a.own == b.own) {
            let own = rows[0].own;
            let bench = TetBench {
                engine: on.engine,
                mesh: &on.mesh.0,
                sizes: &on.mesh.1,
                options: VolumeOptions {
                    patch_size: own.patch_size.or(on.patch_size),
                    kinds: own.kinds,
                    ribbon: own.ribbon,
                    ..VolumeOptions::default()
                },
                effort: on.effort,
                made: OnceCell::new(),
            };
            let place = MeasuredOn {
                mesh: &name,
                size: on.mesh.0.cells.len() as u64,
                patch_size: own.patch_size,
            };
            let measured = rows.iter();
            faults.extend(
                measured.filter_map(|row| row.try_measure(&bench, on.engine, place, record)),
            );
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;
    use crate::run::tests::measured;
    use operations::OPERATIONS;

    /// Every row runs once on a small mesh; operations check their sums themselves.
    #[test]
    fn every_row_can_be_measured() -> Result<()> {
        let record = measured::<TetMeshes>(&["--meshes", "cube:3", "--patch-size", "64"])?;
        let operations = record.runs.iter().filter(|r| r.bytes > 0);
        let sweep = figures::SWEEP.len() * 4;
        assert_eq!(operations.count(), OPERATIONS.len() + sweep);
        // Three of construction, two of springs, two of bytes, and the ribbons.
        let others = 7 + figures::SWEEP.len();
        assert_eq!(record.runs.len(), OPERATIONS.len() + sweep + others);
        let ee = record.find("EE, gather", "cube:3").context("EE")?;
        let tried = ee.figures["tried"].as_object().context("an object")?;
        assert!(tried.len() > 2 && tried.contains_key("on the fly, direct"));
        assert!(record.runs.iter().all(|r| r.median() > 0.0));
        Ok(())
    }

    #[test]
    fn rows_with_commas_are_chosen_by_their_beginning() -> Result<()> {
        let names = |rows| -> Result<Vec<&str>> {
            let arguments = crate::run::tests::arguments(&["--rows", rows]);
            let rows = arguments.rows::<TetMeshes>(|_| true)?;
            Ok(rows.iter().map(|r| r.name).collect())
        };
        let some = names("VC,build, V and")?;
        assert!(some.contains(&"VC, gather") && some.contains(&"build, V and C"));
        assert!(!some.contains(&"CV, gather") && !some.contains(&"build, with the ring"));
        assert!(names("patches")?.iter().all(|n| n.starts_with("patches")));
        assert!(names("no such row").is_err());
        Ok(())
    }

    #[test]
    fn the_reference_has_every_operation() -> Result<()> {
        let of = |name: &str, cells| {
            let row = TetMeshes::rows().into_iter().find(|r| r.name == name);
            let row = row.context("the row")?;
            let references = reference::references(row.against, "cuda", cells);
            let goal = reference::goal(row.goals, "cuda", cells);
            anyhow::Ok((references.first().map(|r| r.value), goal))
        };
        for row in OPERATIONS {
            let (small, goal) = of(row.name, 63_888)?;
            assert!(small > Some(0.0) && goal < small, "{}", row.name);
        }
        assert_eq!(of("CV, gather", 2_044_416)?, (Some(0.179), Some(0.045)));
        assert_eq!(of("springs, gather", 2_044_416)?.0, Some(0.0375));
        assert_eq!(of("CV, gather", 1000)?, (None, None));
        assert!(of("build, V and C", 511_104)?.0 > Some(20_000.0));
        Ok(())
    }
}
