//! Vertex normals.

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::algo::normals::vertex_normals_unscaled;
use rxmesh_kernels::algo::normals::{GatherNormals, VertexNormals};
use rxmesh_kernels::topo::{Kind, Vertex};

use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{Ev, Fe, Ribbon};
use crate::measure;
use crate::mesh::Input;
use crate::reference::{Against, Goal};

const GPUS: [Against; 3] = [
    Against::rxmesh(&["vertex normals"]),
    Against::new(
        "indexed kernel with atomics",
        "rxmesh-h200",
        &["vertex normals, indexed kernel"],
    ),
    Against::taichi(&["vertex normals, kernel", "vertex normals, wall"]),
];

const NORMALS: Row = Row::time("normals", "vertex normals (Max 1999)", normals)
    .counts("launch", "EV, FE, ribbon V, positions 12 V", "normals 12 V")
    .against(&[
        GPUS[0],
        GPUS[1],
        GPUS[2],
        Against::cpu("PyMeshLab", &["normals, pymeshlab"]),
        Against::cpu("Open3D", &["normals, open3d"]),
        Against::cpu("libigl", &["normals, igl"]),
        Against::cpu("OpenMesh", &["normals, openmesh"]),
    ])
    .goals(&[Goal::gpu(1_280_000, 0.025), Goal::cpu(1_280_000, 15.0)]);

pub(super) const ROWS: &[Row] = &[
    NORMALS,
    NORMALS.on("normals-shuffled", Input::Shuffled),
    NORMALS.on("normals-sorted", Input::Sorted),
    Row::time(
        "normals-gather",
        "the same, gathered over prepared corners",
        normals_gather,
    )
    .counts(
        "launch",
        "table of the corners, ribbon V, positions 12 V",
        "normals 12 V",
    )
    .against(&GPUS)
    .goals(&[Goal::gpu(1_280_000, 0.025)]),
];

fn normals(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.positions()?;
    let mut n = b.rx.attribute::<Vertex, Vec3>()?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(vertex_normals_unscaled(b.rx, &x, &mut n)?)
    })?;
    let vertices = b.count(Kind::Vertex);
    let kernel = VertexNormals {
        x: x.staged()?,
        n: n.staged_sum()?,
    };
    Ok(Measured {
        per: "vertex",
        elements: vertices,
        floor: b.parts.floor(
            &[Ev, Fe, Ribbon(Kind::Vertex)],
            &[
                (12 * vertices, "positions read"),
                (12 * vertices, "normals written"),
            ],
        ),
        times,
        kernels: vec![b.patch_kernel(&kernel)],
        ..Measured::default()
    })
}

/// Measures normals that are gathered from the prepared relation.
fn normals_gather(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.positions()?;
    let mut n = b.rx.attribute::<Vertex, Vec3>()?;
    let kernel = GatherNormals {
        x: x.staged()?,
        n: n.write()?,
    };
    let times = measure::launches(b.engine, b.effort, || Ok(b.rx.run_prepared(kernel)?))?;
    let vertices = b.count(Kind::Vertex);
    let table = b.prepared_bytes("corners");
    Ok(Measured {
        per: "vertex",
        elements: vertices,
        floor: b.parts.floor(
            &[Ribbon(Kind::Vertex)],
            &[
                (table, "table read"),
                (12 * vertices, "positions read"),
                (12 * vertices, "normals written"),
            ],
        ),
        times,
        kernels: vec![b.patch_kernel(&kernel)],
        ..Measured::default()
    })
}
