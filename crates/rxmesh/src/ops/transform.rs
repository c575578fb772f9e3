//! `transform`: scales, rotates and translates a mesh.

use crate::on::{AnyMesh, Tool};
use crate::{Error, Group, Log, Message, Operation, Result, Stage, WritesFile, stage};
use rxmesh_host::algo::transform::{AffineMatrix, TransformOptions};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::units;
use serde::Serialize;

/// Scales, rotates and translates a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Transform;

/// TransformReport of [`Transform`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TransformReport {
    /// Map of positions.
    pub map: AffineMatrix,
}

units!(TransformReport {});

impl Operation for Transform {
    const NAME: &'static str = "transform";
    const GROUP: Group = Group::Files;
    const SUMMARY: &'static str = "Scale, rotate and move a mesh";
    const HELP: &'static str =
        "Examples: rxmesh transform bunny.obj --up-axis y,z --normalize -o bunny.ply
          rxmesh transform bunny.obj --rotate z,90 --scale 0.001 --translate 0,0,-1.5 -o m.obj

For any order of the flags, the matrix comes first, then the rotations, the scale, the centre and
the translation. Normals are transformed; a reflection reverses the faces.";
    const WRITES: WritesFile = WritesFile::Named;
    const RECORD: &'static [(&'static str, &'static str)] = &[(
        "map",
        "everything together, as 12 numbers, row by row; the fourth of each row moves",
    )];

    type Options = TransformOptions;
    type Report = TransformReport;
    type On = Tool<TriMesh>;

    fn run(
        on: &mut Tool<TriMesh>,
        options: &TransformOptions,
        log: &mut dyn Log,
    ) -> Result<TransformReport> {
        let mut mesh = std::mem::take(&mut on.input);
        let map = options.map(&mesh);
        stage(log, Stage::Work("transforming"), || {
            let mapped = mesh.transform(&map).map_err(Error::from);
            mapped.map_err(|e| e.within("the mesh cannot be mapped so"))
        })?;
        on.result = Some(AnyMesh::Surface(mesh));
        Ok(TransformReport {
            map: AffineMatrix(map),
        })
    }

    fn describe(report: &TransformReport, _options: &TransformOptions) -> Message {
        Message::new(format!("map: {}\n", report.map))
    }
}
