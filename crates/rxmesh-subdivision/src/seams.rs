//! Corner values as a separate mesh: it has the faces of the mesh, its vertices are pairs of a vertex and a value, and
//! seams are its boundaries. Sharpness there follows OpenSubdiv's `Vtr::FVarLevel`.

use crate::{Creasing, FaceVarying, HostMesh, Options};
use rxmesh_host::mesh::{CornerLayer, NO_VALUE, PolyMesh, SharpEdge, SharpVertex};
use rxmesh_subdivision_kernels::catmull_clark::creases::worn;
use rxmesh_subdivision_kernels::sharpness::after;
use rxmesh_subdivision_kernels::topology::NONE;
use std::collections::HashMap;

/// Vertices of the values' mesh.
#[derive(Debug)]
pub(crate) struct SplitValues {
    /// Vertex of each corner.
    pub(crate) corners: Vec<u32>,
    /// Values of the vertices, row after row.
    pub(crate) values: Vec<f32>,
    /// `true` for each face with a corner without a value. Its vertices are not shared with other faces, and are
    /// ignored.
    pub(crate) lacks: Vec<bool>,
}

impl SplitValues {
    /// Makes a vertex for each pair of a vertex and a value of a corner: values may be used at several vertices.
    pub(crate) fn new(mesh: &PolyMesh, layer: &CornerLayer) -> SplitValues {
        let width = layer.width;
        let mut split = SplitValues {
            corners: Vec::with_capacity(layer.corners.len()),
            values: Vec::new(),
            lacks: Vec::with_capacity(mesh.face_count()),
        };
        let mut known = HashMap::new();
        for face in 0..mesh.face_count() {
            let range = mesh.range(face);
            let lacks = layer.corners[range.clone()].contains(&NO_VALUE);
            split.lacks.push(lacks);
            for corner in range {
                let next = (split.values.len() / width) as u32;
                let value = layer.corners[corner];
                let id = if lacks {
                    split.values.extend(std::iter::repeat_n(0.0, width));
                    next
                } else {
                    let key = (mesh.corners[corner], value);
                    *known.entry(key).or_insert_with(|| {
                        let at = width * value as usize;
                        split.values.extend(&layer.values[at..at + width]);
                        next
                    })
                };
                split.corners.push(id);
            }
        }
        split
    }
}

/// Faces that share a vertex of the values' mesh.
#[derive(Clone, Default)]
struct Span {
    /// Number of faces.
    faces: u32,
    /// Number of edges between two of them.
    inner: u32,
    /// `true` if such an edge is infinitely sharp.
    sharp: bool,
    /// Finite sharpness of such edges.
    semi_sharp: Vec<f32>,
}

impl Span {
    /// Returns `true` if it is a corner in any mode: a crease ends at the seam, or there are several fans of faces.
    fn is_held(&self) -> bool {
        self.sharp || self.faces > self.inner + 1
    }

    fn is_open(&self) -> bool {
        self.faces > self.inner
    }
}

/// Seams at a vertex of the mesh.
#[derive(Clone, Default)]
struct Vertex {
    /// Vertices of the values' mesh at this vertex.
    values: Vec<u32>,
    /// `true` if it is at a boundary of the faces that have values.
    is_open: bool,
    /// Finite sharpness of seams.
    semi_sharp: Vec<f32>,
}

/// Sharpness in a values' mesh.
pub(crate) struct Seams<'a> {
    mesh: &'a PolyMesh,
    base: &'a HostMesh,
    edges: HashMap<[u32; 2], f32>,
}

impl<'a> Seams<'a> {
    /// Reads the sharpness of a mesh, with its adjacency.
    pub(crate) fn new(mesh: &'a PolyMesh, base: &'a HostMesh) -> Seams<'a> {
        let edges = mesh.sharp_edges.iter();
        Seams {
            mesh,
            base,
            edges: edges.map(|e| (key(e.ends), e.sharpness)).collect(),
        }
    }

    /// Returns the sharpness of an edge by its ends, boundaries not considered.
    pub(crate) fn sharpness(&self, ends: [u32; 2]) -> f32 {
        self.edges.get(&key(ends)).copied().unwrap_or(0.0)
    }

    /// Makes sharp in `own` all that is sharp in the mesh, including the vertices `held`.
    pub(crate) fn sharpen(&self, own: &mut PolyMesh, held: &[u32]) {
        let mesh = self.mesh;
        let mut vertices: HashMap<u32, f32> = mesh
            .sharp_vertices
            .iter()
            .map(|v| (v.vertex, v.sharpness))
            .collect();
        vertices.extend(held.iter().map(|&v| (v, PolyMesh::SHARP)));
        if self.edges.is_empty() && vertices.is_empty() {
            return;
        }
        for face in 0..mesh.face_count() {
            for (here, next) in sides(mesh, face) {
                let ends = [mesh.corners[here], mesh.corners[next]];
                if let Some(&sharpness) = self.edges.get(&key(ends)) {
                    let ends = [own.corners[here], own.corners[next]];
                    own.sharp_edges.push(SharpEdge { ends, sharpness });
                }
                if let Some(&sharpness) = vertices.get(&mesh.corners[here]) {
                    let vertex = own.corners[here];
                    own.sharp_vertices.push(SharpVertex { vertex, sharpness });
                }
            }
        }
    }

    /// Makes corners in `own` where the mode requires them, in addition to vertices of one face.
    pub(crate) fn hold(&self, own: &mut PolyMesh, lacks: &[bool], options: &Options) {
        let (spans, vertices) = self.spans(&own.corners, lacks);
        let mode = options.face_varying;
        let mut hold = |vertex: u32, sharpness: f32| {
            own.sharp_vertices.push(SharpVertex { vertex, sharpness });
        };
        if mode == FaceVarying::Boundaries {
            let open = spans.iter().enumerate().filter(|(_, s)| s.is_open());
            open.for_each(|(v, _)| hold(v as u32, PolyMesh::SHARP));
        }
        if ![FaceVarying::CornersPlus1, FaceVarying::CornersPlus2].contains(&mode) {
            return;
        }
        let own_sharpness: HashMap<u32, f32> = self
            .mesh
            .sharp_vertices
            .iter()
            .map(|v| (v.vertex, v.sharpness))
            .collect();
        for (v, vertex) in vertices.iter().enumerate() {
            if is_corner(vertex, &spans, mode) {
                vertex.values.iter().for_each(|&w| hold(w, PolyMesh::SHARP));
            } else if let [a, b] = vertex.values[..]
                && own_sharpness.get(&(v as u32)).is_none_or(|&s| s <= 0.0)
            {
                // One side is a corner while creases that end at the seam are sharp: the other depends on it.
                let [of_a, of_b] = [a, b].map(|w| &spans[w as usize].semi_sharp);
                let (other, lines) = match (of_a.is_empty(), of_b.is_empty()) {
                    (true, false) => (a, of_b),
                    (false, true) => (b, of_a),
                    _ => continue,
                };
                hold(other, lasting(lines, &vertex.semi_sharp, options.creasing));
            }
        }
    }

    fn spans(&self, own: &[u32], lacks: &[bool]) -> (Vec<Span>, Vec<Vertex>) {
        let mesh = self.mesh;
        let count = own.iter().max().map_or(0, |&v| v as usize + 1);
        let mut spans = vec![Span::default(); count];
        let mut vertices = vec![Vertex::default(); mesh.vertex_count()];
        // Next corner of each, and `true` if its face has values.
        let mut next = vec![0; own.len()];
        let mut valued = vec![false; own.len()];
        for (face, &lacks) in lacks.iter().enumerate() {
            for (here, there) in sides(mesh, face) {
                next[here] = there;
                valued[here] = !lacks;
            }
        }
        for h in (0..own.len()).filter(|&h| valued[h]) {
            let ends = [mesh.corners[h], mesh.corners[next[h]]];
            let span = &mut spans[own[h] as usize];
            span.faces += 1;
            if span.faces == 1 {
                vertices[ends[0] as usize].values.push(own[h]);
            }
            let twin = self.base.twins[h] as usize;
            if twin == NONE as usize || !valued[twin] {
                ends.iter()
                    .for_each(|&v| vertices[v as usize].is_open = true);
                continue;
            }
            let sharpness = self.sharpness(ends);
            let ends_some_day = 0.0 < sharpness && sharpness < PolyMesh::SHARP;
            if own[h] == own[next[twin]] && own[next[h]] == own[twin] {
                span.inner += 1;
                span.sharp |= sharpness >= PolyMesh::SHARP;
                if ends_some_day {
                    span.semi_sharp.push(sharpness);
                }
            } else if ends_some_day {
                vertices[ends[0] as usize].semi_sharp.push(sharpness);
            }
        }
        (spans, vertices)
    }
}

fn key([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Returns the corners of a face, each with the next one.
pub(crate) fn sides(mesh: &PolyMesh, face: usize) -> impl Iterator<Item = (usize, usize)> {
    let range = mesh.range(face);
    let turn = range.clone().skip(1).chain([range.start]);
    range.zip(turn)
}

/// Returns `true` if all values of a vertex are corners because of the seams.
fn is_corner(vertex: &Vertex, spans: &[Span], mode: FaceVarying) -> bool {
    let any = |what: fn(&Span) -> bool| vertex.values.iter().any(|&w| what(&spans[w as usize]));
    let both = mode == FaceVarying::CornersPlus2;
    match vertex.values.len() {
        0 => false,
        1 => both && !vertex.is_open && any(Span::is_open),
        2 => any(Span::is_held) || both && any(|s| s.faces == 1),
        _ => true,
    }
}

/// Returns the sharpness of a vertex that is a corner as long as any of `lines` at it is sharp, and then between corner
/// and crease depending on their final sharpness; `seams` are other sharp edges there.
///
/// If a seam is still sharp when the lines end, OpenSubdiv keeps the corner to the end of the level.
fn lasting(lines: &[f32], seams: &[f32], creasing: Creasing) -> f32 {
    let mut now = [lines, seams].concat();
    let mut level = 0.0;
    loop {
        let meeting = now.iter().filter(|&&s| s > 0.0);
        let meeting = meeting.fold((0.0, 0), |(sum, n), s| (sum + s, n + 1));
        let later = |&s: &f32| match creasing {
            Creasing::Uniform => after(s, 1),
            Creasing::Chaikin => worn(s, meeting),
        };
        let then: Vec<f32> = now.iter().map(later).collect();
        let (of_lines, of_seams) = then.split_at(lines.len());
        if of_lines.iter().all(|&s| s <= 0.0) {
            let last: Vec<f32> = now[..lines.len()]
                .iter()
                .copied()
                .filter(|&s| s > 0.0)
                .collect();
            let mean = last.iter().sum::<f32>() / last.len() as f32;
            let goes_on = of_seams.iter().any(|&s| s > 0.0);
            return level + if goes_on { 1.0 } else { mean.min(1.0) };
        }
        now = then;
        level += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_lines_lasts_as_they_do() {
        let uniform = |lines: &[f32], seams: &[f32]| lasting(lines, seams, Creasing::Uniform);
        assert_eq!(uniform(&[2.0], &[]), 2.0);
        assert_eq!(uniform(&[0.5, 1.25, 1.75], &[0.5]), 1.5);
        assert_eq!(uniform(&[1.25], &[2.0]), 1.25);
        assert_eq!(uniform(&[1.25], &[2.5]), 2.0);
        // A level later 0.75 and 0.25 are left, which end in the next.
        let chaikin = lasting(&[2.0, 1.0], &[], Creasing::Chaikin);
        assert_eq!(chaikin, 1.5);
    }
}
