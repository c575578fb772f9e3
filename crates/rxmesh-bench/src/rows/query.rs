//! Queries with their results written out.

use anyhow::Result;
use rxmesh_host::engine::Engine;
use rxmesh_kernels::algo::prepare::WritePrepared;
use rxmesh_kernels::algo::rows::{CountRows, WriteRows};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::query::{Diamond, EE, EF, EV, FE, FF, FV, OrientedVV, Relation, VE, VF, VV};
use rxmesh_kernels::topo::{Element, Kind};
use std::marker::PhantomData;

use super::{Bench, Measured};
use crate::floor::Part::{self, Ev, Fe, Ribbon};
use crate::measure;

macro_rules! queries {
    ($($name:ident: $relation:ty, $parts:expr;)*) => {
        $(pub(super) fn $name(b: &Bench<'_>) -> Result<Measured> {
            measure::<$relation>(b, $parts)
        })*
    };
}

// What each must read. Edges and faces of the ribbon are read where a row of an owned element depends on them.
queries! {
    vv: VV, &[Ev, Ribbon(Kind::Vertex)];
    oriented_vv: OrientedVV, &[Ev, Fe, Ribbon(Kind::Vertex)];
    ve: VE, &[Ev, Ribbon(Kind::Edge)];
    vf: VF, &[Ev, Fe, Ribbon(Kind::Face)];
    ev: EV, &[Ev, Ribbon(Kind::Vertex)];
    ee: EE, &[Fe, Ribbon(Kind::Edge)];
    ef: EF, &[Fe, Ribbon(Kind::Face)];
    fv: FV, &[Ev, Fe, Ribbon(Kind::Vertex)];
    fe: FE, &[Fe, Ribbon(Kind::Edge)];
    ff: FF, &[Fe, Ribbon(Kind::Face)];
    diamond: Diamond, &[Ev, Fe, Ribbon(Kind::Vertex)];
}

fn measure<R: Relation>(b: &Bench<'_>, parts: &[Part]) -> Result<Measured>
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let rows = b.rx.allocate_rows::<R>()?;
    let times = measure::launches(b.engine, b.effort, || Ok(b.rx.query_into(&rows)?))?;
    let kind = R::Source::KIND;
    let written = [
        (4 * rows.values().len() as u64, "ids written"),
        (4 * rows.starts().len() as u64, "starts written"),
    ];
    let floor = b.parts.floor(
        parts,
        &written[..1 + usize::from(!rows.starts().is_empty())],
    );
    let kernel = WriteRows::<R> {
        starts: rows.starts().global_mut(),
        values: rows.values().global_mut(),
        relation: PhantomData,
    };
    let mut measured = Measured {
        per: plural(kind),
        elements: b.count(kind),
        floor,
        times,
        kernels: vec![b.patch_kernel(&kernel)],
        ..Measured::default()
    };
    measured
        .figures
        .insert("ids".to_owned(), rows.values().len().into());
    // Engines must agree on it: the patches are the same, and rows are in the order of local ids.
    measured.figures.insert(
        "checksum".to_owned(),
        checksum(b.engine, &rows.read()?.values).into(),
    );
    Ok(measured)
}

macro_rules! prepared {
    ($($name:ident: $relation:ty;)*) => {
        $(pub(super) fn $name(b: &Bench<'_>) -> Result<Measured> {
            measure_prepared::<$relation>(b)
        })*
    };
}

prepared! {
    vv_prepared: VV;
    ve_prepared: VE;
    vf_prepared: VF;
    ff_prepared: FF;
    diamond_prepared: Diamond;
}

fn measure_prepared<R: Relation>(b: &Bench<'_>) -> Result<Measured>
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
    WritePrepared<R>: Entry,
{
    let rows = b.rx.allocate_rows::<R>()?;
    // The starts are written on the fly, once.
    b.rx.query_into(&rows)?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(b.rx.query_prepared_into(&rows)?)
    })?;
    let kind = R::Source::KIND;
    let floor = b.parts.floor(
        &[Ribbon(R::Target::KIND)],
        &[
            (b.prepared_bytes(R::NAME), "table read"),
            (4 * rows.values().len() as u64, "ids written"),
        ],
    );
    let kernel = WritePrepared::<R> {
        starts: rows.starts().global(),
        values: rows.values().global_mut(),
        relation: b.rx.prepare()?,
    };
    let mut measured = Measured {
        per: plural(kind),
        elements: b.count(kind),
        floor,
        times,
        kernels: vec![b.patch_kernel(&kernel)],
        ..Measured::default()
    };
    measured.figures.insert(
        "checksum".to_owned(),
        checksum(b.engine, &rows.read()?.values).into(),
    );
    Ok(measured)
}

fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Vertex => "vertex",
        Kind::Edge => "edge",
        Kind::Face => "face",
    }
}

/// A sum that depends on the order of the ids, as text: JSON numbers do not hold 64 bits.
fn checksum(_: &Engine, ids: &[u32]) -> String {
    let sum = ids.iter().fold(0u64, |sum, &id| {
        sum.wrapping_mul(0x0100_0000_01b3)
            .wrapping_add(u64::from(id))
    });
    format!("{sum:016x}")
}
