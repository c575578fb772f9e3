//! Reductions.

use anyhow::Result;
use rxmesh_host::store::reduce::{self, ReduceKernel, Reduction, Reductions, Term};
use rxmesh_kernels::exec::SCRATCH_WORDS;
use rxmesh_kernels::kernel::{BlockKernel, Entry};
use rxmesh_kernels::parallel::reduce::ReduceRanges;
use rxmesh_kernels::topo::Kind;

use super::{Measured, Row, TriangleBench};
use crate::measure;
use crate::record::KernelRecord;

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

fn dot(b: &TriangleBench<'_>) -> Result<Measured> {
    let (x, y) = (b.positions()?, b.positions()?);
    let dot = Reductions::new(b.rx, [Term::of_two(&x, &y, Reduction::Dot)?])?;
    let times = measure::launches(b.engine, b.effort, || Ok(dot.launch()?))?;
    Ok(Measured {
        times,
        kernels: match dot.kernel(0) {
            ReduceKernel::Ranges(_) => vec![KernelRecord {
                name: ReduceRanges::NAME.to_owned(),
                threads: ReduceRanges::THREADS,
                shared_bytes: 4 * SCRATCH_WORDS,
            }],
            ReduceKernel::Patches(kernel) => vec![b.patch_kernel(&kernel)],
        },
        ..dot_sizes(b)
    })
}

fn dot_call(b: &TriangleBench<'_>) -> Result<Measured> {
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

fn dot_sizes(b: &TriangleBench<'_>) -> Measured {
    let vertices = b.count(Kind::Vertex);
    Measured {
        per: "vertex",
        elements: vertices,
        floor: b.parts.floor(&[], &[(24 * vertices, "two vectors read")]),
        ..Measured::default()
    }
}
