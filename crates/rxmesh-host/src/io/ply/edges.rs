//! Sharp edges: element `edge` with `vertex1`, `vertex2` and `sharpness` or `crease`.

use super::super::error::Fault;
use super::body::ValueReader;
use super::header::{PlyElement, PropertyType};
use super::read::PlyReader;
use crate::mesh::{CREASE, SHARPNESS, SharpEdge};

/// Indices of an edge's properties.
pub(super) struct Edge {
    ends: [usize; 2],
    sharpness: usize,
}

impl Edge {
    /// Finds the properties; `None` if something is missing: then the element is another program's.
    pub(super) fn of(e: &PlyElement) -> Option<Edge> {
        let find = |name: &str| {
            let scalar = |k: &PropertyType| matches!(k, PropertyType::Scalar(_));
            let known = |p: &super::header::Property| p.name == name && scalar(&p.kind);
            e.properties.iter().position(known)
        };
        Some(Edge {
            ends: [find("vertex1")?, find("vertex2")?],
            sharpness: find(SHARPNESS).or_else(|| find(CREASE))?,
        })
    }
}

impl<S: ValueReader> PlyReader<S> {
    pub(super) fn edges(&mut self, e: &PlyElement, edge: &Edge) -> Result<(), Fault> {
        let known = |i: usize| i == edge.sharpness || edge.ends.contains(&i);
        for (_, p) in e.properties.iter().enumerate().filter(|(i, _)| !known(*i)) {
            self.soup.warnings.push(format!(
                "property '{}' of element 'edge' is not kept",
                p.name
            ));
        }
        for row in 0..e.count {
            self.source.begin_row("edge", row)?;
            let start = self.source.offset();
            let mut values = [0.0; 3];
            for (i, property) in e.properties.iter().enumerate() {
                let at = [edge.ends[0], edge.ends[1], edge.sharpness];
                match (at.iter().position(|&k| k == i), &property.kind) {
                    (Some(k), PropertyType::Scalar(t)) => {
                        values[k] = self.source.value(t, &property.name)?;
                    }
                    _ => self.skip_value(property)?,
                }
            }
            self.source.end_row();
            let read = self.edge(row, values);
            let edge = read.map_err(|what| self.source.fault(start, what))?;
            if edge.sharpness > 0.0 {
                self.soup.sharp_edges.push(edge);
            }
        }
        Ok(())
    }

    fn edge(&self, row: usize, [a, b, sharpness]: [f64; 3]) -> Result<SharpEdge, String> {
        for v in [a, b] {
            if !(v >= 0.0 && v < self.vertices as f64 && v.fract() == 0.0) {
                let n = self.vertices;
                return Err(format!(
                    "edge {row} (counted from 0) names vertex {v}, but the file has {n}"
                ));
            }
        }
        if a == b {
            return Err(format!(
                "edge {row} (counted from 0) goes from vertex {a} to itself"
            ));
        }
        if sharpness.is_nan() || sharpness < 0.0 {
            return Err(format!(
                "the sharpness of edge {row} (counted from 0) is {sharpness}, but must be 0 or more"
            ));
        }
        Ok(SharpEdge {
            ends: [a as u32, b as u32],
            sharpness: sharpness as f32,
        })
    }
}
