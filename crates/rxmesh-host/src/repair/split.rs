//! Vertices and edges of several sheets, split into one for each.

use super::on_edges::{part_edges, shared_edges};
use super::rebuild::{pick_vertices, turn_faces};
use super::sheets::{NONE, Sheets, runs_up};
use crate::mesh::{EdgeTable, Sets, TriMesh, is_proper};
use std::collections::HashMap;

/// Most times that edges are parted.
const MOST_ROUNDS: usize = 32;

/// Counts of [`split_non_manifold`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SplitReport {
    /// Copies of vertices: one for each fan of faces beyond the first.
    pub copies: u64,
    /// Faces that were turned over.
    pub turned: u64,
    /// Edges cut open because no turning of faces makes their two faces agree: the mesh is not orientable.
    pub cuts: u64,
    /// New vertices on edges, where several sheets have an edge between the same two vertices.
    pub on_edges: u64,
    /// Faces dropped at such edges, where these are too short for a vertex on them.
    pub dropped: u64,
}

impl SplitReport {
    /// Adds the counts of a later pass; cuts that were made stay cut.
    pub(super) fn add(&mut self, more: &SplitReport) {
        self.copies += more.copies;
        self.turned += more.turned;
        self.cuts += more.cuts;
        self.on_edges += more.on_edges;
        self.dropped += more.dropped;
    }
}

/// Makes the mesh manifold and oriented alike: every edge has two faces at most, every vertex one fan.
///
/// If more than two faces meet at an edge, pairs of them continue each other: first faces that are connected elsewhere,
/// then those between which the surface bends least; solids that touch along an edge each keep their own faces. A face
/// that finds no partner ends there. Each fan of faces at a vertex then gets a separate vertex, the first one the
/// vertex itself and the others copies of it after all vertices. Faces are turned over as [`orient`](super::orient())
/// does; a surface that cannot be oriented is cut open. If two sheets still have an edge between the same two vertices,
/// one of them gets a vertex on it. Faces that name a vertex twice are left alone.
pub fn split_non_manifold(mesh: &mut TriMesh) -> SplitReport {
    split(mesh, Touching::Part)
}

/// Treatment of vertices in which several open fans of faces meet, and nothing else that is not manifold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touching {
    /// Gives each fan a separate vertex.
    Part,
    /// Keeps the vertices: the boundary loops there are those of holes that touch, and are to be filled one by one.
    Keep,
}

/// Works like [`split_non_manifold`].
pub(super) fn split(mesh: &mut TriMesh, touching: Touching) -> SplitReport {
    let mut report = SplitReport::default();
    for round in 0.. {
        let sheets = Sheets::new(mesh);
        let fans = FanFaces::new(mesh, &sheets, touching);
        let shared = if sheets.is_simple || round == MOST_ROUNDS {
            Vec::new()
        } else {
            shared_edges(&fans.faces, &sheets)
        };
        if shared.is_empty() {
            report.cuts = sheets.cuts;
            report.copies = fans.copied.len() as u64;
            report.turned = sheets.turned.iter().filter(|turned| **turned).count() as u64;
            fans.put_into(mesh);
            turn_faces(mesh, &sheets.turned);
            break;
        }
        let (on_edges, dropped) = part_edges(mesh, shared);
        report.on_edges += on_edges;
        report.dropped += dropped;
    }
    report
}

/// Returns the corner of the half-edge's face at its lower vertex, and that at its upper one.
fn corners(mesh: &TriMesh, half: u32) -> [u32; 2] {
    let next = half / 3 * 3 + (half + 1) % 3;
    if runs_up(mesh, half) {
        [half, next]
    } else {
        [next, half]
    }
}

/// Unites the open fans of each vertex, but at the ends of edges that are split.
fn unite_open(mesh: &TriMesh, sheets: &Sheets, fans: &mut Sets) {
    let mut is_split = vec![false; mesh.positions.len()];
    if !sheets.is_simple {
        let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
        for (e, ends) in table.edges.iter().enumerate() {
            let along = table.along(e);
            let is_cut = || along.len() == 2 && sheets.partner[along[0] as usize] == NONE;
            if along.len() > 2 || is_cut() {
                ends.iter().for_each(|&v| is_split[v as usize] = true);
            }
        }
    }
    let mut first = vec![NONE; mesh.positions.len()];
    for (f, face) in mesh.faces.iter().enumerate().filter(|(_, f)| is_proper(f)) {
        for (k, &v) in face.iter().enumerate() {
            let (corner, before) = (3 * f + k, 3 * f + (k + 2) % 3);
            let is_open = sheets.partner[corner] == NONE || sheets.partner[before] == NONE;
            if !is_open || is_split[v as usize] {
                continue;
            }
            let first = &mut first[v as usize];
            if *first == NONE {
                *first = corner as u32;
            } else {
                fans.unite(*first, corner as u32);
            }
        }
    }
}

/// Faces with a vertex for each fan of them.
struct FanFaces {
    faces: Vec<[u32; 3]>,
    /// Vertices of which the ones after all others are copies.
    copied: Vec<u32>,
}

impl FanFaces {
    fn new(mesh: &TriMesh, sheets: &Sheets, touching: Touching) -> FanFaces {
        let mut fans = Sets::new(3 * mesh.faces.len());
        for (half, &partner) in sheets.partner.iter().enumerate() {
            if partner != NONE && (half as u32) < partner {
                let (own, other) = (corners(mesh, half as u32), corners(mesh, partner));
                fans.unite(own[0], other[0]);
                fans.unite(own[1], other[1]);
            }
        }
        if touching == Touching::Keep {
            unite_open(mesh, sheets, &mut fans);
        }
        // The first fan of each vertex keeps it. A fan is named by its first corner.
        let mut first: Vec<u32> = vec![NONE; mesh.positions.len()];
        let mut more: Vec<(u32, u32)> = Vec::new();
        let proper = || mesh.faces.iter().enumerate().filter(|(_, f)| is_proper(f));
        for (f, face) in proper() {
            for (k, &v) in face.iter().enumerate() {
                let corner = (3 * f + k) as u32;
                let first = &mut first[v as usize];
                if *first == NONE {
                    *first = corner;
                } else if fans.root(corner) == corner {
                    more.push((v, corner));
                }
            }
        }
        more.sort_unstable();
        let mut faces = mesh.faces.clone();
        let count = mesh.positions.len() as u32;
        let numbered = more.iter().enumerate();
        let copy: HashMap<u32, u32> = numbered.map(|(i, m)| (m.1, count + i as u32)).collect();
        if !copy.is_empty() {
            for (f, face) in proper() {
                let mut own = |k: usize| copy.get(&fans.root((3 * f + k) as u32)).copied();
                faces[f] = [0, 1, 2].map(|k| own(k).unwrap_or(face[k]));
            }
        }
        FanFaces {
            faces,
            copied: more.into_iter().map(|m| m.0).collect(),
        }
    }

    fn put_into(self, mesh: &mut TriMesh) {
        if !self.copied.is_empty() {
            let rows: Vec<u32> = (0..mesh.positions.len() as u32)
                .chain(self.copied)
                .collect();
            pick_vertices(mesh, &rows);
            mesh.faces = self.faces;
        }
    }
}
