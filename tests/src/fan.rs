//! Counter-clockwise fans around vertices.

use crate::oracle::Oracle;
use std::collections::HashMap;

/// Faces of a vertex as one counter-clockwise fan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fan {
    /// `true` if the fan closes; if not, it starts at the boundary.
    pub closed: bool,
    /// Faces.
    pub faces: Vec<u32>,
    /// Vertices around, one more than faces where the fan is open.
    pub vertices: Vec<u32>,
    /// Edges to these vertices.
    pub edges: Vec<u32>,
}

impl Fan {
    /// Makes the fan of a vertex with these faces, if they form one: every face has three distinct corners, no two
    /// leave or enter by the same vertex, and walking from one to the next visits all.
    pub fn new(oracle: &Oracle, v: u32, faces: &[u32]) -> Option<Fan> {
        let mut by_next = HashMap::new();
        let mut by_previous = HashMap::new();
        for &f in faces {
            let [a, b, c] = oracle.faces[f as usize];
            if a == b || b == c || c == a {
                return None;
            }
            let (next, previous) = if a == v {
                (b, c)
            } else if b == v {
                (c, a)
            } else {
                (a, b)
            };
            if by_next.insert(next, (f, previous)).is_some()
                || by_previous.insert(previous, f).is_some()
            {
                return None;
            }
        }
        let starts: Vec<u32> = by_next
            .keys()
            .copied()
            .filter(|n| !by_previous.contains_key(n))
            .collect();
        let closed = starts.is_empty() && !faces.is_empty();
        let mut at = match *starts {
            [] => *by_next.keys().min().unwrap_or(&v),
            [start] => start,
            _ => return None,
        };
        let mut fan = Fan {
            closed,
            faces: Vec::new(),
            vertices: Vec::new(),
            edges: Vec::new(),
        };
        while let Some((f, previous)) = by_next.remove(&at) {
            fan.faces.push(f);
            fan.vertices.push(at);
            at = previous;
        }
        if !closed && !faces.is_empty() {
            fan.vertices.push(at);
        }
        fan.edges = fan.vertices.iter().map(|&w| oracle.edge(v, w)).collect();
        by_next.is_empty().then_some(fan)
    }
}
