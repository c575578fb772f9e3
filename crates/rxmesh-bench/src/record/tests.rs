//! Records for tests, and the tests of records.

use super::*;

/// Makes a record with one sample per row.
pub(crate) fn record(rows: &[(&str, f64)]) -> BenchRecord {
    let options = RunOptions {
        order: Input::Given,
        patch_size: None,
        seed: 1,
        repeat: 1,
        budget_s: 1.0,
        batch: 1,
        block_threads: None,
        speculative_patch_size: None,
    };
    let mut record = BenchRecord::new(Triangles::NAME, &Engine::cpu(), options);
    record.runs = rows
        .iter()
        .map(|&(row, ms)| Run {
            row: row.to_owned(),
            mesh: "20k".to_owned(),
            unit: Unit::Milliseconds,
            per: "vertex".to_owned(),
            elements: 10,
            bytes: 1000,
            counted: String::new(),
            values: vec![ms],
            single_ms: Vec::new(),
            wall_ms: Vec::new(),
            kernels: Vec::new(),
            figures: serde_json::Map::new(),
            references: Vec::new(),
            goal: None,
            patch_size: None,
        })
        .collect();
    record
}

/// Makes a row that is no time.
pub(crate) fn amount(row: &str, mesh: &str, unit: Unit, values: &[f64]) -> Run {
    let mut run = record(&[(row, 0.0)]).runs.remove(0);
    run.mesh = mesh.to_owned();
    (run.unit, run.values) = (unit, values.to_vec());
    run
}

/// Makes a mesh without statistics.
pub(crate) fn mesh(name: &str, faces: u32) -> MeshRecord {
    MeshRecord {
        name: name.to_owned(),
        recipe: String::new(),
        level: 0,
        vertices: faces / 2,
        edges: faces / 2 * 3,
        faces,
        device_bytes: 20 * u64::from(faces),
        device_bytes_a_face: 20.0,
        reference_bytes_a_face: Some(75.0),
        file: None,
        patches: serde_json::Value::Null,
    }
}

#[test]
fn records_come_back_from_their_files() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let record = record(&[("vv", 1.5)]);
    let path = record.path(folder.path(), true);
    record.write(&path)?;
    assert_eq!(BenchRecord::read(&path)?.runs[0].values, [1.5]);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    assert!(name.contains("-cpu-") && name.ends_with(".json"), "{name}");
    let file = folder.path().join("a.json");
    assert_eq!(record.path(&file, false), file);
    assert_eq!(record.path(&file, true), folder.path().join("a-cpu.json"));
    let mut of_file = record;
    of_file.meshes = vec![mesh("dragon", 20_000)];
    of_file.meshes[0].file = Some(FileRecord {
        name: "dragon.obj".to_owned(),
        bytes: 1,
        sha256: String::new(),
    });
    assert!(of_file.file_name().ends_with("-dragon-obj.json"));
    Ok(())
}

#[test]
fn every_committed_record_is_read() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/records");
    let mut subjects = std::collections::BTreeSet::new();
    for folder in [
        "", "large", "other", "solvers", "surfaces", "thesis", "volumes",
    ] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.is_file() {
                let record = BenchRecord::read(&path)?;
                assert!(
                    record.amounts.is_empty() && !record.runs.is_empty(),
                    "{path:?}"
                );
                assert!(
                    record.runs.iter().all(|r| r.median() > 0.0 || !r.is_time()),
                    "{path:?}"
                );
                subjects.insert(record.subject);
            }
        }
    }
    assert_eq!(subjects.len(), 4, "{subjects:?}");
    Ok(())
}

#[test]
fn the_strongest_rival_is_compared_with_all_that_its_figure_has_in_it() {
    let mut record = record(&[("simplify", 10.0), ("build", 5.0)]);
    let reference = |system: &str, value, beside: &[&str]| Reference {
        system: system.to_owned(),
        value,
        beside: beside.iter().map(|&r| r.to_owned()).collect(),
        ..Reference::default()
    };
    record.runs[0].references = vec![
        reference("slow", 40.0, &[]),
        reference("from faces", 30.0, &["build"]),
        Reference {
            more: Some("twice".to_owned()),
            ..reference("does more", 1.0, &[])
        },
        reference("not to be compared", 1.0, &["edit-open-close"]),
    ];
    let rival = record.rival(&record.runs[0]);
    let named = rival.map(|(r, times)| (r.system.as_str(), times));
    assert_eq!(named, Some(("from faces", 2.0)));
    record.runs[0].references.drain(..2);
    let rival = record.rival(&record.runs[0]);
    assert_eq!(rival.map(|(r, _)| r.system.as_str()), Some("does more"));
}

#[test]
fn dates() {
    assert_eq!(date(0), "1970-01-01T00:00:00Z");
    assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
    assert_eq!(date(1_735_689_599), "2024-12-31T23:59:59Z");
}
