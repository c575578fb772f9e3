//! `normals`: vertex normals.

use crate::error::explained;
use crate::on::Vertices;
use crate::{Group, Log, Message, Operation, OutputKind, Result};
use rxmesh_host::Vec3;
use rxmesh_host::algo::normals;
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{ElementKind, NORMAL};
use rxmesh_host::store::{Attribute, RxMesh, reduce};
use rxmesh_host::units;
use serde::Serialize;

const TOO_LARGE: &str = "coordinates are too large to compute normals";

/// Computes vertex normals.
#[derive(Clone, Copy, Debug)]
pub struct Normals;

/// Report of [`Normals`].
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NormalsOpReport {
    /// Vertices by their normal.
    pub normals: Counts,
}

units!(NormalsOpReport {});

/// Vertices by their normal.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Vertices whose normal has length one.
    #[serde(skip)]
    pub unit: u64,
    /// Vertices whose normal is zero: without a face of positive area, or with faces that cancel.
    pub zero: u64,
}

impl Operation for Normals {
    const NAME: &'static str = "normals";
    const GROUP: Group = Group::Measure;
    const SUMMARY: &'static str = "Compute vertex normals (weighted as in Max 1999)";
    const HELP: &'static str = "Example: rxmesh normals bunny.obj -o bunny_normals.ply";
    const OUTPUT: OutputKind = OutputKind::Normals;
    const SEVERAL: bool = true;
    type Options = ();
    type Report = NormalsOpReport;
    type On = Vertices;

    fn run(on: &mut Vertices, (): &(), log: &mut dyn Log) -> Result<NormalsOpReport> {
        let mut n = on.rx.attribute::<Vertex, Vec3>()?;
        on.compute(log, "computing normals", |rx, x| {
            normals::vertex_normals(rx, x, &mut n).map_err(explained(TOO_LARGE))
        })?;
        let (unit, zero) = if on.add_on_engine(ElementKind::Vertex, NORMAL, &n)? {
            let unit = unit_count(&on.rx, &n)?;
            (unit, u64::from(on.rx.count(Kind::Vertex)) - unit)
        } else {
            let values = on.take_vertex_normals(log, &mut n)?;
            let zero = values.iter().filter(|n| **n == Vec3::ZERO).count() as u64;
            (values.len() as u64 - zero, zero)
        };
        Ok(NormalsOpReport {
            normals: Counts { unit, zero },
        })
    }

    fn describe(report: &NormalsOpReport, (): &()) -> Message {
        let Counts { unit, zero } = report.normals;
        Message::new(format!(
            "vertex normals: {unit} of unit length, {zero} zero (no face of positive area, or faces that cancel)"
        ))
    }
}

/// Counts the normals that are not zero, without reading them: a patch has at most 65,536 vertices, and the square of a
/// unit normal is 1 to within a millionth, so that the sum of its squares is near to their number.
fn unit_count(rx: &RxMesh, normals: &Attribute<Vertex, Vec3>) -> Result<u64> {
    let squares = reduce::squares_by_patch(rx, normals)?;
    Ok(squares.iter().map(|sum| sum.round() as u64).sum())
}
