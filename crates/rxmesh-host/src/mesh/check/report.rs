//! Findings of `check`, as text and as data.

use super::PolygonReport;
use crate::mesh::Placement;
use glam::Vec3;
use std::fmt;

/// Maximum number of offenders named for each kind of finding.
const NAMED: usize = 10;

/// A count with its first offenders.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Findings<T> {
    /// Number of offenders in all.
    pub count: u64,
    /// `true` if there may be more: the search ended early, because it would have taken too long.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub at_least: bool,
    /// First ten at most, numbered from 0.
    pub first: Vec<T>,
}

impl<T> Default for Findings<T> {
    fn default() -> Self {
        Findings {
            count: 0,
            at_least: false,
            first: Vec::new(),
        }
    }
}

impl<T> Findings<T> {
    pub(super) fn add(&mut self, offender: T) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(offender);
        }
    }
}

impl<T> FromIterator<T> for Findings<T> {
    fn from_iter<I: IntoIterator<Item = T>>(offenders: I) -> Self {
        let mut all = Findings::default();
        offenders.into_iter().for_each(|o| all.add(o));
        all
    }
}

/// A vertex and the number of its edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Valence {
    /// Number of edges that end at the vertex.
    pub valence: u32,
    /// First vertex that has it.
    pub vertex: u32,
}

/// Shortest, mean and longest edge.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EdgeLengths {
    /// Shortest.
    pub min: f64,
    /// Mean over all edges.
    pub mean: f64,
    /// Longest.
    pub max: f64,
}

units!(EdgeLengths {
    min: Length,
    mean: Length,
    max: Length
});

impl EdgeLengths {
    /// Returns the lengths of the edges between these positions, in the world; `None` if there is no edge.
    ///
    /// # Panics
    ///
    /// When an edge names a position that is not there.
    pub fn of(
        positions: &[Vec3],
        placement: &Placement,
        edges: &[[u32; 2]],
    ) -> Option<EdgeLengths> {
        let at = |v: u32| positions[v as usize].as_dvec3();
        let mut lengths = EdgeLengths {
            min: f64::INFINITY,
            mean: 0.0,
            max: 0.0,
        };
        for &[a, b] in edges {
            let l = placement.scale * at(a).distance(at(b));
            lengths.min = lengths.min.min(l);
            lengths.max = lengths.max.max(l);
            lengths.mean += l / edges.len() as f64;
        }
        (!edges.is_empty()).then_some(lengths)
    }
}

/// All findings of [`check`](super::check()). The field names are the keys of the JSON form and stay.
///
/// Edges are named by their two vertices, the smaller first. All numbers count from 0.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CheckReport {
    /// Number of vertices, isolated ones included.
    pub vertices: u64,
    /// Number of edges.
    pub edges: u64,
    /// Number of faces, degenerate ones included.
    pub faces: u64,
    /// `true` if there are faces, and every edge has two or more.
    pub closed: bool,
    /// `true` if there is no non-manifold edge or vertex and no degenerate face.
    pub manifold: bool,
    /// `true` if the faces can be turned so that every edge with two faces is run along in both directions.
    pub orientable: bool,
    /// `true` if they are turned so already.
    pub consistently_oriented: bool,
    /// Vertices that a proper face uses, minus edges, plus proper faces.
    pub euler_characteristic: i64,
    /// Number of handles over all components; only for manifold orientable meshes.
    pub genus: Option<i64>,
    /// Sets of faces connected through shared edges.
    pub face_components: u64,
    /// Sets of faces connected through shared vertices.
    pub vertex_components: u64,
    /// Boundary loops.
    pub boundary_loops: u64,
    /// Edges with one face.
    pub boundary_edges: Findings<[u32; 2]>,
    /// Edges with more than two faces.
    pub non_manifold_edges: Findings<[u32; 2]>,
    /// Vertices whose faces are not one fan, open or closed. The ends of non-manifold edges are among them.
    pub non_manifold_vertices: Findings<u32>,
    /// Edges whose two faces run along them in the same direction.
    pub inconsistent_edges: Findings<[u32; 2]>,
    /// Faces that name a vertex twice.
    pub degenerate_faces: Findings<u32>,
    /// Faces whose area is exactly 0 (cross product of two edges, for polygons their sum over the fan around the first
    /// corner, in double precision), degenerate ones included. There is no tolerance: "nearly 0" depends on the size of
    /// the mesh.
    pub zero_area_faces: Findings<u32>,
    /// Faces with the same vertices as an earlier face, in any order.
    pub duplicate_faces: Findings<u32>,
    /// Faces that share no edge with another.
    pub isolated_faces: Findings<u32>,
    /// Vertices that no face names.
    pub isolated_vertices: Findings<u32>,
    /// Vertices that only degenerate faces name.
    pub only_degenerate_vertices: u64,
    /// Vertices at exactly the place of an earlier vertex.
    pub duplicate_vertices: Findings<u32>,
    /// Pairs of faces that intersect ([`self_intersections`](super::self_intersections)); `None` without
    /// a search: [`check`](super::check()) does none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub self_intersections: Option<Findings<[u32; 2]>>,
    /// Largest valence.
    pub max_valence: Option<Valence>,
    /// Smallest valence of a vertex that has an edge.
    pub min_valence: Option<Valence>,
    /// Lowest and highest corner, in the world.
    pub bounding_box: Option<[[f64; 3]; 2]>,
    /// Lengths of the edges, in the world.
    pub edge_length: Option<EdgeLengths>,
    /// Findings about polygons; `None` for triangles without sharpness and holes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub polygons: Option<PolygonReport>,
}

units!(CheckReport {
    bounding_box: Length,
    edge_length,
    polygons
});

impl CheckReport {
    /// Returns the report as text, one finding per line.
    pub fn to_text(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |b: bool| if b { "yes" } else { "no" };
        writeln!(
            f,
            "{} vertices, {} edges, {} faces",
            self.vertices, self.edges, self.faces
        )?;
        writeln!(f, "closed: {}", yes(self.closed))?;
        writeln!(f, "manifold: {}", yes(self.manifold))?;
        let oriented = match (self.consistently_oriented, self.orientable) {
            (true, _) => "consistent",
            (false, true) => "mixed, some faces need turning",
            (false, false) => "mixed, and no turning of faces makes it consistent",
        };
        writeln!(f, "orientation: {oriented}")?;
        write!(f, "Euler characteristic: {}", self.euler_characteristic)?;
        self.genus.map_or(Ok(()), |g| write!(f, ", genus: {g}"))?;
        let (by_edge, by_vertex) = (self.face_components, self.vertex_components);
        writeln!(
            f,
            "\ncomponents: {by_edge} through edges, {by_vertex} through vertices"
        )?;
        writeln!(f, "boundary loops: {}", self.boundary_loops)?;
        if let Some([low, high]) = self.bounding_box {
            writeln!(f, "bounding box: {low:?} to {high:?}")?;
        }
        if let Some(l) = self.edge_length {
            writeln!(
                f,
                "edge length: {:.6e} min, {:.6e} mean, {:.6e} max",
                l.min, l.mean, l.max
            )?;
        }
        if let (Some(low), Some(high)) = (self.min_valence, self.max_valence) {
            writeln!(
                f,
                "valence: {} (vertex {}) to {} (vertex {})",
                low.valence, low.vertex, high.valence, high.vertex
            )?;
        }
        self.findings(f)
    }
}

impl CheckReport {
    fn findings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "boundary edges", &self.boundary_edges)?;
        line(f, "non-manifold edges", &self.non_manifold_edges)?;
        line(f, "non-manifold vertices", &self.non_manifold_vertices)?;
        line(
            f,
            "edges between faces of opposite orientation",
            &self.inconsistent_edges,
        )?;
        line(f, "degenerate faces", &self.degenerate_faces)?;
        line(f, "faces of zero area", &self.zero_area_faces)?;
        line(f, "duplicate faces", &self.duplicate_faces)?;
        line(f, "isolated faces", &self.isolated_faces)?;
        line(f, "isolated vertices", &self.isolated_vertices)?;
        line(f, "duplicate vertices", &self.duplicate_vertices)?;
        if let Some(pairs) = &self.self_intersections {
            line(f, "pairs of faces that intersect", pairs)?;
        }
        self.polygons.as_ref().map_or(Ok(()), |p| write!(f, "{p}"))
    }
}

pub(super) fn line<T: fmt::Debug>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    found: &Findings<T>,
) -> fmt::Result {
    let least = if found.at_least { "at least " } else { "" };
    write!(f, "{name}: {least}{}", found.count)?;
    if found.count > 0 {
        let list: Vec<String> = found.first.iter().map(|t| format!("{t:?}")).collect();
        let more = if found.count > NAMED as u64 {
            ", ..."
        } else {
            ""
        };
        write!(f, " ({}{more}; counted from 0)", list.join(", "))?;
    }
    writeln!(f)
}
