//! Figures measured elsewhere for comparison: the records below `bench/records/references`, and their relation to rows.

use std::sync::OnceLock;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

/// Records, by name.
const FILES: &[(&str, &str)] = &[
    (
        "rxmesh-h200",
        include_str!("../../../bench/records/references/rxmesh-h200.json"),
    ),
    (
        "meshtaichi-h200",
        include_str!("../../../bench/records/references/meshtaichi-h200.json"),
    ),
    (
        "meshtaichi-tets-h200",
        include_str!("../../../bench/records/references/meshtaichi-tets-h200.json"),
    ),
    (
        "openmesh-xeon",
        include_str!("../../../bench/records/references/openmesh-xeon.json"),
    ),
    (
        "cpu-libraries",
        include_str!("../../../bench/records/references/cpu-libraries.json"),
    ),
    (
        "papers",
        include_str!("../../../bench/records/references/papers.json"),
    ),
];

/// Most relative difference in size between a figure's mesh and the mesh that it is compared with.
const NEAR: f64 = 0.05;

/// ReferenceRecord of one system's measured figures. `bench/README.md` documents the fields.
#[derive(Debug, Deserialize)]
pub(crate) struct ReferenceRecord {
    /// Engine that its figures are compared with; `None` for any.
    engine: Option<String>,
    pub(crate) rows: Vec<Measurement>,
}

/// Row of such a record.
#[derive(Debug, Deserialize)]
pub(crate) struct Measurement {
    pub(crate) name: String,
    /// Description of what was counted.
    pub(crate) counts: String,
    engine: Option<String>,
    pub(crate) values: Vec<Point>,
}

/// Figure on one mesh.
#[derive(Debug, Deserialize)]
pub(crate) struct Point {
    #[serde(default)]
    pub(crate) mesh: String,
    /// Number of faces or cells; `None` where the mesh has other elements, or where no mesh is named and the figure is
    /// for every size.
    #[serde(rename = "faces", alias = "cells")]
    pub(crate) size: Option<u64>,
    pub(crate) value: f64,
}

impl Point {
    fn is_near(&self, size: u64) -> bool {
        let near = |n: u64| (n as f64 / size as f64 - 1.0).abs() < NEAR;
        self.size.map_or(self.mesh.is_empty(), near)
    }
}

/// Share of the row's work that a reference does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Does {
    /// All of it.
    Same,
    /// A part of it.
    Less(&'static str),
    /// All of it and more.
    More(&'static str),
    /// The same on another input.
    Elsewhere(&'static str),
}

/// Relation of a row of the bench to rows of a reference record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Against {
    /// System, as tables name it.
    pub(crate) system: &'static str,
    /// Name of the record.
    pub(crate) file: &'static str,
    /// Rows of the record; the fastest counts.
    pub(crate) rows: &'static [&'static str],
    pub(crate) does: Does,
    /// Rows of the bench whose work the reference's figure includes.
    pub(crate) beside: &'static [&'static str],
}

impl Against {
    /// Makes a comparison with rows of a record that count the same as the row.
    pub(crate) const fn new(
        system: &'static str,
        file: &'static str,
        rows: &'static [&'static str],
    ) -> Self {
        Self {
            system,
            file,
            rows,
            does: Does::Same,
            beside: &[],
        }
    }

    /// Makes a comparison with RXMesh on a GPU.
    pub(crate) const fn rxmesh(rows: &'static [&'static str]) -> Self {
        Self::new("RXMesh", "rxmesh-h200", rows)
    }

    /// Makes a comparison with MeshTaichi on a GPU.
    pub(crate) const fn taichi(rows: &'static [&'static str]) -> Self {
        Self::new("MeshTaichi", "meshtaichi-h200", rows)
    }

    /// Makes a comparison with MeshTaichi's volumes, on a GPU unless the rows say otherwise.
    pub(crate) const fn taichi_tets(rows: &'static [&'static str]) -> Self {
        Self::new("MeshTaichi", "meshtaichi-tets-h200", rows)
    }

    /// Makes a comparison with a library on a CPU, one thread.
    pub(crate) const fn cpu(system: &'static str, rows: &'static [&'static str]) -> Self {
        Self::new(system, "cpu-libraries", rows)
    }

    /// States that the reference does a part of the row's work.
    pub(crate) const fn less(self, what: &'static str) -> Self {
        Self {
            does: Does::Less(what),
            ..self
        }
    }

    /// States that the reference does more than the row.
    pub(crate) const fn more(self, what: &'static str) -> Self {
        Self {
            does: Does::More(what),
            ..self
        }
    }

    /// States that the reference was measured on another input: it counts when there is no other.
    pub(crate) const fn elsewhere(self, what: &'static str) -> Self {
        Self {
            does: Does::Elsewhere(what),
            ..self
        }
    }

    /// States that the reference's figure includes the work of other rows.
    pub(crate) const fn beside(self, rows: &'static [&'static str]) -> Self {
        Self {
            beside: rows,
            ..self
        }
    }

    /// Returns the named rows of the record.
    pub(crate) fn measurements(&self) -> impl Iterator<Item = &'static Measurement> + '_ {
        let rows = find(self.file).map_or(&[][..], |r| &r.rows);
        rows.iter().filter(|m| self.rows.contains(&m.name.as_str()))
    }

    /// Returns the engine whose figures it is compared with, if not both.
    pub(crate) fn engine(&self) -> Option<&'static str> {
        let of_row = self.measurements().find_map(|m| m.engine.as_deref());
        of_row.or_else(|| find(self.file)?.engine.as_deref())
    }

    fn suits(&self, engine: &str) -> bool {
        self.engine().is_none_or(|e| e == engine)
    }

    /// Returns the smallest figure on a mesh of about `size` elements, and its origin.
    fn smallest(&self, size: u64) -> Option<(f64, String)> {
        let points = self.measurements().flat_map(|m| {
            let near = m.values.iter().filter(|p| p.is_near(size));
            near.map(move |p| (m, p))
        });
        let (m, p) = points.min_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
        let place = match p.mesh.is_empty() {
            true => format!("{}: {}", self.file, m.name),
            false => format!("{}: {}, {}", self.file, m.name, p.mesh),
        };
        Some((p.value, place))
    }
}

/// Figure measured elsewhere, beside a row's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reference {
    /// Measured system.
    pub(crate) system: String,
    /// Value in the unit of the row.
    #[serde(alias = "ms")]
    pub(crate) value: f64,
    /// ReferenceRecord, and its row and mesh.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) from: String,
    /// Part of the row's work that it omits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) less: Option<String>,
    /// Work that it does beyond the row's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) more: Option<String>,
    /// Other input that it was measured on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) elsewhere: Option<String>,
    /// Rows whose work it includes as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) beside: Vec<String>,
}

/// Performance goal of this project, on one engine and for one size; on GPUs for one H200, on CPUs for two cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    engine: &'static str,
    size: u64,
    most: f64,
}

impl Goal {
    /// Makes a goal on a GPU.
    pub(crate) const fn gpu(size: u64, most: f64) -> Self {
        let engine = "cuda";
        Self { engine, size, most }
    }

    /// Makes a goal on a CPU.
    pub(crate) const fn cpu(size: u64, most: f64) -> Self {
        let engine = "cpu";
        Self { engine, size, most }
    }
}

fn records() -> &'static [(&'static str, ReferenceRecord)] {
    static RECORDS: OnceLock<Vec<(&'static str, ReferenceRecord)>> = OnceLock::new();
    RECORDS.get_or_init(|| {
        let read = |&(name, text): &(&'static str, &str)| Some((name, parse(name, text).ok()?));
        FILES.iter().filter_map(read).collect()
    })
}

fn parse(name: &str, text: &str) -> Result<ReferenceRecord> {
    serde_json::from_str(text).with_context(|| name.to_owned())
}

/// Returns a record by its name.
pub(crate) fn find(name: &str) -> Option<&'static ReferenceRecord> {
    records().iter().find(|(n, _)| *n == name).map(|(_, r)| r)
}

/// Returns the references' values for a row's work on a mesh of about `size` elements.
pub(crate) fn references(against: &[Against], engine: &str, size: u64) -> Vec<Reference> {
    let of = |a: &Against| {
        let (value, from) = a.smallest(size)?;
        let mut reference = Reference {
            system: a.system.to_owned(),
            value,
            from,
            beside: a.beside.iter().map(|&r| r.to_owned()).collect(),
            ..Reference::default()
        };
        match a.does {
            Does::Same => {}
            Does::Less(what) => reference.less = Some(what.to_owned()),
            Does::More(what) => reference.more = Some(what.to_owned()),
            Does::Elsewhere(what) => reference.elsewhere = Some(what.to_owned()),
        }
        Some(reference)
    };
    let suiting = against.iter().filter(|a| a.suits(engine));
    suiting.filter_map(of).collect()
}

/// Returns the references' figures for a row over their own sizes: the system, faces and milliseconds.
pub(crate) fn curves(against: &[Against], engine: &str) -> Vec<(&'static str, Vec<(f64, f64)>)> {
    let of = |a: &Against| {
        let points = a.measurements().flat_map(|m| &m.values);
        let points = points.filter_map(|p| Some((p.size? as f64, p.value)));
        (a.system, points.collect())
    };
    let suiting = against.iter().filter(|a| a.suits(engine));
    suiting.map(of).collect()
}

/// Returns the goal for a mesh of `size` elements.
pub(crate) fn goal(goals: &[Goal], engine: &str, size: u64) -> Option<f64> {
    let found = goals.iter().find(|g| g.engine == engine && g.size == size);
    found.map(|g| g.most)
}

/// Returns RXMesh's device bytes per face on a mesh of about `faces` faces; `None` for small ones, as steps of 2 MiB
/// are too coarse.
pub(crate) fn bytes_a_face(faces: u32) -> Option<f64> {
    const LEAST_FACES: u32 = 300_000;
    const MIB: f64 = 1024.0 * 1024.0;
    if faces < LEAST_FACES {
        return None;
    }
    let memory = Against::rxmesh(&["device memory"]);
    Some(memory.smallest(u64::from(faces))?.0 * MIB / f64::from(faces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    fn of(row: &str, engine: &str, faces: u64) -> Vec<Reference> {
        let row = rows::all().find(|r| r.name == row);
        row.map_or(Vec::new(), |r| references(r.against, engine, faces))
    }

    #[test]
    fn every_record_is_read() -> Result<()> {
        for (name, text) in FILES {
            let record = parse(name, text)?;
            assert!(record.rows.iter().all(|r| !r.values.is_empty()), "{name}");
        }
        Ok(())
    }

    #[test]
    fn figures_by_row_engine_and_size() {
        assert_eq!(of("vv", "cuda", 1_280_000)[0].value, 0.2054);
        assert!(of("vv", "cpu", 1_280_000).iter().all(|r| r.value > 80.0));
        assert!(of("vv", "cuda", 80_000).is_empty());
        let bytes = bytes_a_face(1_280_000).unwrap_or_default();
        assert!((bytes - 75.4).abs() < 0.1, "{bytes}");
        assert_eq!(bytes_a_face(20_000), None);
    }

    #[test]
    fn both_engines_of_edits_have_the_same_references() {
        for (faces, ms) in [(20_000, 40.81), (80_000, 108.22), (320_000, 359.0)] {
            for row in ["track", "track-speculative"] {
                let found = of(row, "cuda", faces);
                assert_eq!((found.len(), found[0].value), (1, ms), "{row}");
            }
        }
        assert!(of("track", "cuda", 1_280_000).is_empty() && of("track", "cpu", 20_000).is_empty());
    }

    #[test]
    fn every_row_names_what_is_there() {
        for row in rows::all() {
            for against in row.against {
                let found = against.measurements().count();
                assert_eq!(found, against.rows.len(), "{}: {against:?}", row.name);
                for beside in against.beside {
                    assert!(rows::all().any(|r| r.name == *beside), "{}", row.name);
                }
            }
        }
    }

    #[test]
    fn goals_are_for_one_engine_and_size() {
        let goals = [Goal::gpu(1_280_000, 0.025), Goal::cpu(1_280_000, 15.0)];
        assert_eq!(goal(&goals, "cuda", 1_280_000), Some(0.025));
        assert_eq!(goal(&goals, "cpu", 1_280_000), Some(15.0));
        assert_eq!(goal(&goals, "cuda", 320_000), None);
    }
}
