//! Maps from the vertices and faces of a mesh to those after edits.

use super::order::NewElements;
use std::fmt::Write;

/// A deleted element.
pub const GONE: u32 = u32::MAX;

/// Map of the vertices and faces of a mesh to their numbers after edits, [`GONE`] for deleted ones.
///
/// A vertex that simplification collapsed into another one has the number of that one, as far as it was followed
/// ([`Carried::follow`](super::Carried::follow)). A face that changed and kept its place has its new number; of several
/// faces that arose from one it has the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementMap {
    /// New number of each old vertex.
    pub vertices: Vec<u32>,
    /// New number of each old face.
    pub faces: Vec<u32>,
}

impl ElementMap {
    pub(super) fn new(order: &NewElements, vertices: usize, faces: usize) -> ElementMap {
        let mut map = ElementMap {
            vertices: vec![GONE; vertices],
            faces: vec![GONE; faces],
        };
        for (i, v) in order.vertices.iter().enumerate().filter(|(_, v)| !v.born) {
            map.vertices[v.origin as usize] = i as u32;
        }
        for (i, f) in order.faces.iter().enumerate().rev() {
            map.faces[f.origin as usize] = i as u32;
        }
        map
    }

    /// Writes the map as text (docs/use/formats.md): a line of counts and a number per line for the vertices, the same
    /// for the faces; -1 for deleted elements. `now` are the numbers of vertices and faces afterwards.
    pub fn to_text(&self, now: [usize; 2]) -> String {
        let mut text = String::new();
        for (name, numbers, now) in [
            ("vertices", &self.vertices, now[0]),
            ("faces", &self.faces, now[1]),
        ] {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name} {} {now}", numbers.len());
            for &n in numbers {
                let _ = match n {
                    GONE => writeln!(text, "-1"),
                    n => writeln!(text, "{n}"),
                };
            }
        }
        text
    }
}
