//! Polygon meshes and subdivision surfaces as a subject.

mod meshes;
mod rows;
mod thesis;

use anyhow::{Context as _, Result};
use rxmesh_host::mesh::PolyMesh;

use crate::record::BenchRecord;
use crate::run::RunArguments;
use crate::subject::{Batch, MeasuredOn, On, Subject, batches_by_name};
use rows::{PolygonBench, ROWS, Row};

/// Polygon meshes.
pub(crate) struct Surfaces;

impl Subject for Surfaces {
    const NAME: &'static str = "surfaces";
    const EFFORT: (usize, f64, u32) = (21, 1.0, 20);

    type Name = String;
    type Mesh = PolyMesh;
    type Bench<'a> = PolygonBench<'a>;
    /// Number of levels.
    type Own = u32;

    fn rows() -> Vec<&'static Row> {
        ROWS.iter()
            .chain(thesis::ROWS.iter().copied().flatten())
            .collect()
    }

    fn is_default(row: &Row) -> bool {
        !row.name.starts_with("thesis")
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

    fn make(&mut self, name: &String) -> Result<PolyMesh> {
        name.parse::<meshes::Name>()
            .and_then(meshes::Name::make)
            .with_context(|| name.clone())
    }

    fn measure(on: &On<'_, Self>, record: &mut BenchRecord) -> Result<Vec<String>> {
        let mut faults = Vec::new();
        for row in on.rows {
            let levels = row.own;
            // The number of faces that a row states is that of its own mesh.
            let own = row.mesh == Some(on.name);
            let faces = match own {
                true => row.elements,
                false => row.final_faces(on.mesh.face_count() as u64),
            };
            let bench = PolygonBench {
                engine: on.engine,
                mesh: on.mesh,
                levels,
                faces,
                effort: on.effort,
            };
            let mesh = match levels {
                0 => on.name.clone(),
                _ => format!("{}_L{levels}", on.name),
            };
            let place = MeasuredOn {
                mesh: &mesh,
                size: faces,
                patch_size: None,
            };
            faults.extend(row.try_measure(&bench, on.engine, place, record));
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests;
    use crate::run::tests::arguments;
    use crate::subject::Measured;
    use rxmesh_host::engine::Engine;

    /// Every row states the number of faces of its mesh and levels.
    #[test]
    fn rows_say_their_size() -> Result<()> {
        for row in Surfaces::rows() {
            let mesh = row.mesh.context("a mesh")?;
            let (kind, n) = mesh.split_once(':').context("a mesh")?;
            let n: u64 = n.trim_end_matches(char::is_alphabetic).parse()?;
            let faces = n
                * n
                * match kind {
                    "sphere" | "turned" => 6,
                    "irregular" => 36,
                    "triangles" => 12,
                    // As many as vertices of the triangle mesh, with a mean of six corners.
                    "polygons" => 6,
                    _ => 0,
                };
            let final_faces = match kind {
                "polygons" => 6 * faces * 4u64.pow(row.own - 1),
                _ => row.final_faces(faces),
            };
            assert_eq!(row.elements, final_faces, "{} of {mesh}", row.name);
        }
        Ok(())
    }

    /// Every row runs once on a small mesh of its kind; rows of the thesis on one of its meshes.
    #[test]
    fn every_row_can_be_measured() -> Result<()> {
        let engine = Engine::cpu();
        let effort = arguments(&["--repeat", "1", "--budget", "0", "--batch", "1"]);
        let mut done = std::collections::HashSet::new();
        for row in Surfaces::rows() {
            let (kind, _) = row.mesh.and_then(|m| m.split_once(':')).context("a mesh")?;
            let without_mesh = match row.name.split(", ").collect::<Vec<_>>()[..] {
                [table, _, ref rest @ ..] if table.starts_with("thesis") => {
                    format!("{table}{rest:?}")
                }
                _ => row.name.to_owned(),
            };
            if !done.insert((kind, without_mesh, row.own.min(1))) {
                continue;
            }
            let small = match kind {
                "sphere" => "sphere:6S",
                "irregular" => "irregular:3",
                "polygons" => "polygons:3",
                _ => "triangles:3R",
            };
            let row = Row {
                own: row.own.min(2),
                ..*row
            };
            let mut record = tests::record(&[]);
            let on = On {
                engine: &engine,
                name: &small.to_owned(),
                mesh: &Surfaces.make(&small.to_owned())?,
                rows: &[&*Box::leak(Box::new(row))],
                effort: effort.effort::<Surfaces>(),
                patch_size: None,
            };
            let faults = Surfaces::measure(&on, &mut record)?;
            assert!(faults.is_empty(), "{faults:?}");
            let run = &record.runs[0];
            let in_bytes = ["bytes", "6.3", "6.4", "6.6"]
                .iter()
                .any(|t| row.name.contains(t));
            assert_eq!(run.is_time(), !in_bytes, "{}", row.name);
            assert!(run.values.len() == 1 && run.median() > 0.0, "{}", row.name);
            assert!(
                run.goal.is_none() && run.references.is_empty(),
                "{}",
                row.name
            );
        }
        assert!(done.len() > 40, "{}", done.len());
        Ok(())
    }

    #[test]
    fn the_thesis_is_measured_when_it_is_asked_for() -> Result<()> {
        let count = |line: &[&str]| -> Result<usize> {
            Ok(arguments(line)
                .rows::<Surfaces>(Surfaces::is_default)?
                .len())
        };
        assert_eq!(count(&[])?, ROWS.len());
        // Eight meshes, in both forms.
        assert_eq!(count(&["--rows", "thesis 6.1"])?, 16);
        assert_eq!(count(&["--rows", "thesis 6.3,thesis 6.7"])?, 32);
        assert_eq!(count(&["--rows", "thesis"])?, 186);
        Ok(())
    }

    /// The time of a smooth surface, scaled by the number of faces, is the goal of a row like it, on a GPU.
    #[test]
    fn a_goal_can_be_another_row() -> Result<()> {
        let mut record = tests::record(&[("catmull-clark", 2.0)]);
        record.runs[0].mesh = "sphere:40_L5".into();
        record.runs[0].elements = 1000;
        let row = ROWS.iter().find(|r| r.name == "catmull-clark, creases");
        let row = row.context("the row")?;
        let goal = |elements| row.goal_like(&record, "sphere:40_L5", elements);
        assert_eq!(goal(500), Some(1.1));
        assert_eq!(row.goal_like(&record, "sphere:40_L4", 500), None);
        let mut there = record.clone();
        let place = MeasuredOn {
            mesh: "sphere:40_L5",
            size: 500,
            patch_size: None,
        };
        row.finish(Measured::default(), &Engine::cpu(), place, &mut there);
        assert_eq!(there.runs[1].goal, None);
        Ok(())
    }
}
