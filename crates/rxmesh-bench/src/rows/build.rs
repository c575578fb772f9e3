//! Construction.

use anyhow::{Context as _, Result};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::{PatchOptions, PatchStats};
use rxmesh_host::store::RxMesh;

use super::{Measured, Row, TriangleBench};
use crate::floor::Floor;
use crate::measure::{self, Effort, Times, wall_ms};
use crate::mesh::Input;
use crate::reference::{Against, Goal};

const BUILD: Row = Row::time(
    "build",
    "faces in memory to mesh on the engine, upload included",
    |b| Ok(b.built.clone()),
)
.builds()
.counts(
    "construction from faces in memory, upload included, wall clock",
    "faces, 12 F",
    "the patches",
)
.against(&[
    Against::rxmesh(&["constructor", "constructor, of the applications"]),
    Against::taichi(&["patching"]).less("patches and relations on the host, no upload"),
    Against::cpu("pmp", &["build, pmp"]).less("half-edges, no patches"),
    Against::cpu("CGAL", &["build, cgal"]).less("half-edges, no patches"),
    Against::cpu("OpenMesh", &["build, openmesh"]).less("half-edges, no patches"),
    Against::cpu("geometry-central", &["build, geometry-central"]).less("half-edges, no patches"),
])
.goals(&[
    Goal::gpu(1_280_000, 100.0),
    Goal::gpu(5_120_000, 400.0),
    Goal::cpu(1_280_000, 200.0),
]);

const BUILD_ENGINE: Row = Row::time(
    "build-engine",
    "faces in the engine's memory to mesh there, by kernels, on the wall clock",
    on_engine,
)
.counts(
    "construction from faces in the engine's memory, wall clock",
    "faces, 12 F",
    "the patches",
)
.goals(&[Goal::gpu(1_280_000, 3.0)]);

pub(super) const ROWS: &[Row] = &[
    BUILD,
    BUILD.on("build-shuffled", Input::Shuffled),
    BUILD.on("build-sorted", Input::Sorted),
    BUILD_ENGINE,
    BUILD_ENGINE.on("build-engine-shuffled", Input::Shuffled),
];

fn on_engine(b: &TriangleBench<'_>) -> Result<Measured> {
    let faces = b.engine.upload(&b.mesh.faces)?;
    let vertices = b.mesh.vertex_count() as u32;
    let mut bytes = 0;
    let times = measure::calls(b.engine, b.effort, || {
        bytes = RxMesh::from_engine_faces(vertices, &faces, b.patch_size)?.device_bytes();
        Ok(())
    })?;
    Ok(Measured {
        per: "face",
        elements: b.mesh.face_count() as u64,
        floor: Floor {
            bytes: (12 * b.mesh.face_count() + bytes) as u64,
            counted: "faces read + patches written".to_owned(),
        },
        times,
        ..Measured::default()
    })
}

/// Builds the mesh on the engine, several times when an `effort` is given; returns the last one, and the statistics of
/// the construction with the median time.
pub(crate) fn build(
    engine: &Engine,
    mesh: &TriMesh,
    options: &PatchOptions,
    effort: Option<Effort>,
) -> Result<(RxMesh, PatchStats, Measured)> {
    let make = || RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, options);
    let mut rx = make()?;
    let mut stats = vec![(0.0, rx.patch_set()?.stats.clone())];
    let mut ms = Vec::new();
    if let Some(effort) = effort {
        stats.clear();
        ms = effort.samples(|| {
            let total = wall_ms(engine, || {
                rx = make()?;
                Ok(())
            })?;
            stats.push((total, rx.patch_set()?.stats.clone()));
            Ok(total)
        })?;
    }
    stats.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (total, stats) = stats.swap_remove(stats.len() / 2);
    let mut measured = Measured {
        per: "face",
        elements: mesh.face_count() as u64,
        floor: Floor {
            bytes: (12 * mesh.face_count() + rx.device_bytes()) as u64,
            counted: "faces read + patches written".to_owned(),
        },
        times: Times {
            ms,
            ..Times::default()
        },
        ..Measured::default()
    };
    let upload = total - f64::from(stats.times.total);
    measured.figures.insert(
        "upload_ms".to_owned(),
        serde_json::to_value(upload).context("a number")?,
    );
    measured.figures.insert(
        "ribbon_faces_percent".to_owned(),
        f64::from(stats.ribbon_percent[2]).into(),
    );
    Ok((rx, stats, measured))
}
