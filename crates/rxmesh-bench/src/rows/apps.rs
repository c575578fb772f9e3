//! Applications.

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::algo::normals::vertex_normals_unscaled;
use rxmesh_host::algo::reduce;
use rxmesh_host::store::Attribute;
use rxmesh_kernels::algo::normals::{GatherNormals, VertexNormals};
use rxmesh_kernels::algo::reduce::{ReducePartials, ReducePatches, Reduction};
use rxmesh_kernels::topo::{Kind, Vertex};

use super::{Bench, Measured, block_kernel};
use crate::floor::Part::{Ev, Fe, Ribbon};
use crate::measure;

pub(super) fn positions(b: &Bench<'_>) -> Result<Attribute<Vertex, Vec3>> {
    Ok(b.rx.attribute_from(&b.mesh.positions)?)
}

pub(super) fn normals(b: &Bench<'_>) -> Result<Measured> {
    let x = positions(b)?;
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

/// Gathered, from the prepared relation.
pub(super) fn normals_gather(b: &Bench<'_>) -> Result<Measured> {
    let x = positions(b)?;
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

pub(super) fn dot(b: &Bench<'_>) -> Result<Measured> {
    let (x, y) = (positions(b)?, positions(b)?);
    let partials = b.engine.zeroed::<f64>(b.rx.headers().len())?;
    let result = b.engine.zeroed::<f64>(1)?;
    let patches = ReducePatches {
        x: x.global()?.cast(),
        y: y.global()?.cast(),
        partials: partials.global_mut(),
        components: 3,
        kind: Kind::Vertex as u32,
        reduction: Reduction::Dot as u32,
    };
    let all = ReducePartials {
        partials: partials.global(),
        result: result.global_mut(),
        reduction: Reduction::Dot as u32,
    };
    let times = measure::launches(b.engine, b.effort, || {
        b.rx.run(patches)?;
        Ok(b.engine.launch_blocks(1, all)?)
    })?;
    Ok(Measured {
        times,
        kernels: vec![b.patch_kernel(&patches), block_kernel::<ReducePartials>()],
        ..dot_sizes(b)
    })
}

pub(super) fn dot_call(b: &Bench<'_>) -> Result<Measured> {
    let (x, y) = (positions(b)?, positions(b)?);
    let times = measure::calls(b.engine, b.effort, || {
        reduce::dot(b.rx, &x, &y)?;
        Ok(())
    })?;
    Ok(Measured {
        times,
        ..dot_sizes(b)
    })
}

fn dot_sizes(b: &Bench<'_>) -> Measured {
    let vertices = b.count(Kind::Vertex);
    Measured {
        per: "vertex",
        elements: vertices,
        floor: b.parts.floor(&[], &[(24 * vertices, "two vectors read")]),
        ..Measured::default()
    }
}
