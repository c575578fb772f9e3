//! Cells of VTK's unstructured grids, in either of its formats.

use super::super::numbers::Numbers;
use super::super::volume::Volume;
use std::borrow::Cow;

/// VTK's number for a tetrahedron.
pub(in super::super) const TETRAHEDRON: u8 = 10;

/// Cells as the file lists them: where the nodes of each end, the nodes of all, and their types.
pub(in super::super) struct Grid {
    pub(in super::super) ends: Vec<usize>,
    pub(in super::super) nodes: Numbers,
    pub(in super::super) types: Numbers,
}

impl Grid {
    /// Takes the tetrahedra; returns which cells they are, or what is wrong.
    pub(in super::super) fn take(&self, volume: &mut Volume) -> Result<Vec<u32>, String> {
        if self.ends.len() != self.types.len() {
            let (cells, types) = (self.ends.len(), self.types.len());
            return Err(format!("{cells} cells have {types} types"));
        }
        let vertices = volume.points.len();
        let (mut kept, mut start) = (Vec::new(), 0);
        let mut corners = Vec::new();
        for (i, &end) in self.ends.iter().enumerate() {
            if end < start || end > self.nodes.len() {
                let nodes = self.nodes.len();
                return Err(format!(
                    "cell {i} (counted from 0) ends at node {end} of {nodes}, and begins at {start}"
                ));
            }
            let number = self.types.whole(i).unwrap_or(-1);
            let nodes = start..end;
            start = end;
            let Some(least) = nodes_of(number) else {
                volume.pass(name(number), 1);
                continue;
            };
            if nodes.len() < 4 || least.is_some_and(|n| n != nodes.len()) {
                let n = nodes.len();
                return Err(format!(
                    "cell {i} (counted from 0) is a tetrahedron of {n} nodes"
                ));
            }
            corners.clear();
            for at in nodes {
                let node = self.nodes.whole(at).and_then(|v| usize::try_from(v).ok());
                let Some(v) = node.filter(|v| *v < vertices) else {
                    let shown = self.nodes.real(at);
                    return Err(format!(
                        "cell {i} names vertex {shown}, but there are {vertices} (both counted from 0)"
                    ));
                };
                corners.push(v as u32);
            }
            volume.tetrahedron(&corners);
            kept.push(i as u32);
        }
        Ok(kept)
    }
}

/// `None` for cells that are no tetrahedra; else how many nodes they have, if all of the type have as many.
fn nodes_of(number: i64) -> Option<Option<usize>> {
    match number {
        10 => Some(Some(4)),
        24 => Some(Some(10)),
        // Of any order: Lagrange, Bezier.
        71 | 78 => Some(None),
        _ => None,
    }
}

/// What cells of a type are called.
fn name(number: i64) -> Cow<'static, str> {
    match number {
        1 | 2 => "points".into(),
        3 | 4 | 21 | 35 | 68 | 75 => "lines".into(),
        5 | 6 | 22 | 34 | 69 | 76 => "triangles".into(),
        8 | 9 | 23 | 28 | 30 | 70 | 77 => "quadrilaterals".into(),
        7 | 36 => "polygons".into(),
        11 => "voxels".into(),
        12 | 25 | 29 | 33 | 72 | 79 => "hexahedra".into(),
        13 | 26 | 31 | 32 | 73 | 80 => "prisms".into(),
        14 | 27 | 37 | 74 | 81 => "pyramids".into(),
        42 => "polyhedra".into(),
        n => format!("cells of type {n}").into(),
    }
}
