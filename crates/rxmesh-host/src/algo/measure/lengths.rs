//! Mean lengths of edges.

use crate::Error;
use crate::store::reduce::{self, ByLabel};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::lengths::{EdgeLabels, EdgeLengths};
use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// Computes the mean length of all edges.
///
/// # Errors
///
/// Any error of the engine.
pub fn mean_edge_length(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64, Error> {
    let mut length = rx.attribute::<Edge, f32>()?;
    rx.run(EdgeLengths {
        x: x.read()?,
        length: length.write()?,
    })?;
    Ok(reduce::sum(rx, &length)? / f64::from(rx.count(Kind::Edge).max(1)))
}

/// Computes the mean length of the edges of each of several meshes; 0 for one without edges.
pub(in crate::algo) fn mean_edge_lengths(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    vertices: &Attribute<Vertex, u32>,
    count: usize,
) -> Result<Vec<f64>, Error> {
    let mut length = rx.attribute::<Edge, f32>()?;
    rx.run(EdgeLengths {
        x: x.read()?,
        length: length.write()?,
    })?;
    let (mut labels, mut one) = (rx.attribute::<Edge, u32>()?, rx.attribute::<Edge, f32>()?);
    rx.run(EdgeLabels {
        vertices: vertices.read()?,
        labels: labels.write()?,
        one: one.write()?,
    })?;
    let labels = ByLabel::new(rx, &labels, count as u32)?;
    let sum = |x: &Attribute<Edge, f32>| labels.reduce(x.global()?, Reduction::Sum);
    let (sums, counts) = (sum(&length)?, sum(&one)?);
    Ok(sums
        .into_iter()
        .zip(counts)
        .map(|(sum, n)| sum / n.max(1.0))
        .collect())
}
