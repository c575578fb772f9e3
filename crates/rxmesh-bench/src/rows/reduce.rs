//! Reductions.

use anyhow::Result;
use rxmesh_host::algo::reduce;
use rxmesh_kernels::algo::reduce::{ReducePatches, Reduction};
use rxmesh_kernels::topo::Kind;

use super::{Bench, Measured, Row};
use crate::measure;

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "dot",
        "dot product of two vector attributes, kernels only",
        dot,
    )
    .counts("launches", "two vectors, 24 V", ""),
    Row::time(
        "dot-call",
        "the same as the library's call, on the wall clock",
        dot_call,
    )
    .counts("the library's call, wall clock", "two vectors, 24 V", ""),
];

fn dot(b: &Bench<'_>) -> Result<Measured> {
    let (x, y) = (b.positions()?, b.positions()?);
    let n = b.rx.headers().len() as u32;
    let words = b.engine.zeroed::<f64>(n as usize + 3)?;
    let part = |from, n| words.global_mut().part(from, n);
    let patches = ReducePatches {
        x: x.global()?.cast(),
        y: y.global()?.cast(),
        partials: part(0, n),
        components: 3,
        kind: Kind::Vertex as u32,
        reduction: Reduction::Dot as u32,
        result: part(n, 2),
        arrived: part(n + 2, 1).cast(),
    };
    let times = measure::launches(b.engine, b.effort, || Ok(b.rx.run(patches)?))?;
    Ok(Measured {
        times,
        kernels: vec![b.patch_kernel(&patches)],
        ..dot_sizes(b)
    })
}

fn dot_call(b: &Bench<'_>) -> Result<Measured> {
    let (x, y) = (b.positions()?, b.positions()?);
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
