//! Vertices and edges of several sheets, split into one for each.

use super::rebuild::{Between, NewFaces, pick_vertices, place_between, turn_faces};
use super::sheets::{NONE, Sheets, runs_up};
use crate::mesh::{EdgeTable, Sets, TriMesh, is_proper};
use std::collections::{HashMap, HashSet};

/// What [`split_non_manifold`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
}

impl SplitReport {
    /// What a later pass did besides; cuts that were made stay cut.
    pub(super) fn add(&mut self, more: &SplitReport) {
        self.copies += more.copies;
        self.turned += more.turned;
        self.cuts += more.cuts;
        self.on_edges += more.on_edges;
    }
}

/// Makes the mesh manifold and oriented alike: every edge has two faces at most, every vertex one fan.
///
/// Where more than two faces meet at an edge, pairs of them go on into each other: first faces that hang together
/// elsewhere, then those between which the surface bends least; of solids that touch along an edge each keeps its own
/// faces. A face that finds no partner ends there. Each fan of faces at a vertex then has the vertex for itself, the
/// first one the vertex and the others copies of it behind all vertices. Faces are turned over as
/// [`orient`](super::orient()) does; a surface that cannot be oriented is cut open. Where two sheets still have an edge
/// between the same two vertices, one of them gets a vertex on it. Faces that name a vertex twice are left alone.
pub fn split_non_manifold(mesh: &mut TriMesh) -> SplitReport {
    let sheets = Sheets::new(mesh);
    let copies = copy_vertices(mesh, &sheets);
    let mut turned = sheets.turned.clone();
    let on_edges = part_edges(mesh, &sheets, &mut turned);
    turn_faces(mesh, &turned);
    SplitReport {
        copies,
        turned: sheets.turned.iter().filter(|turned| **turned).count() as u64,
        cuts: sheets.cuts,
        on_edges,
    }
}

/// The corner of the half-edge's face at its lower vertex, and that at its upper one.
fn corners(mesh: &TriMesh, half: u32) -> [u32; 2] {
    let next = half / 3 * 3 + (half + 1) % 3;
    if runs_up(mesh, half) {
        [half, next]
    } else {
        [next, half]
    }
}

/// Gives each fan of faces a vertex of its own; how many copies that took.
fn copy_vertices(mesh: &mut TriMesh, sheets: &Sheets) -> u64 {
    let mut fans = Sets::new(3 * mesh.faces.len());
    for (half, &partner) in sheets.partner.iter().enumerate() {
        if partner != NONE && (half as u32) < partner {
            let (own, other) = (corners(mesh, half as u32), corners(mesh, partner));
            fans.unite(own[0], other[0]);
            fans.unite(own[1], other[1]);
        }
    }
    // The first fan of each vertex keeps it. A fan is named by its first corner.
    let mut first: Vec<u32> = vec![NONE; mesh.positions.len()];
    let mut more: Vec<(u32, u32)> = Vec::new();
    for (f, face) in mesh.faces.iter().enumerate().filter(|(_, f)| is_proper(f)) {
        for (k, &v) in face.iter().enumerate() {
            let corner = (3 * f + k) as u32;
            let first = &mut first[v as usize];
            if *first == NONE {
                *first = fans.root(corner);
            } else if fans.root(corner) == corner && *first != corner {
                more.push((v, corner));
            }
        }
    }
    if more.is_empty() {
        return 0;
    }
    more.sort_unstable();
    let count = mesh.positions.len() as u32;
    let copy: HashMap<u32, u32> = more
        .iter()
        .enumerate()
        .map(|(i, m)| (m.1, count + i as u32))
        .collect();
    for (f, face) in mesh
        .faces
        .iter_mut()
        .enumerate()
        .filter(|(_, f)| is_proper(f))
    {
        for (k, v) in face.iter_mut().enumerate() {
            *v = *copy.get(&fans.root((3 * f + k) as u32)).unwrap_or(v);
        }
    }
    let rows: Vec<u32> = (0..count).chain(more.iter().map(|m| m.0)).collect();
    pick_vertices(mesh, &rows);
    more.len() as u64
}

/// A vertex to be made on the edge of a face.
#[derive(Clone, Copy)]
struct OnEdge {
    vertex: u32,
    /// From the half-edge's beginning.
    part: f32,
}

/// Where several pairs of faces have an edge between the same two vertices all but the first get a vertex on it; how
/// many that are.
fn part_edges(mesh: &mut TriMesh, sheets: &Sheets, turned: &mut Vec<bool>) -> u64 {
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    let agree = |g: u32, h: u32| {
        let up = |h: u32| runs_up(mesh, h) ^ turned[h as usize / 3];
        up(g) != up(h)
    };
    // Half-edges that share a new vertex, with the ends of the edge.
    let mut bundles: Vec<(Vec<u32>, [u32; 2])> = Vec::new();
    for (e, &ends) in table.edges.iter().enumerate() {
        match table.along(e) {
            [_] => {}
            &[g, h] if agree(g, h) => {}
            along => {
                let partner = |h: u32| sheets.partner[h as usize];
                let first = |&&h: &&u32| partner(h) == NONE || h < partner(h);
                let bundle =
                    |&h: &u32| [h, partner(h)].into_iter().filter(|&h| h != NONE).collect();
                bundles.extend(
                    along
                        .iter()
                        .filter(first)
                        .skip(1)
                        .map(|h| (bundle(h), ends)),
                );
            }
        }
    }
    if bundles.is_empty() {
        return 0;
    }
    let mut on: HashMap<u32, OnEdge> = HashMap::new();
    let mut taken = Places::new(mesh);
    let mut made: Vec<([u32; 2], f64)> = Vec::new();
    for (halves, ends) in bundles {
        let Some(part) = taken.free_between(mesh, ends) else {
            continue;
        };
        let vertex = (mesh.positions.len() + made.len()) as u32;
        for h in halves {
            let part = if runs_up(mesh, h) { part } else { 1.0 - part } as f32;
            on.insert(h, OnEdge { vertex, part });
        }
        made.push((ends, part));
    }
    let count = mesh.positions.len() as u32;
    let rows: Vec<u32> = (0..count).chain(made.iter().map(|m| m.0[0])).collect();
    pick_vertices(mesh, &rows);
    for (i, &(ends, part)) in made.iter().enumerate() {
        place_between(mesh, count + i as u32, ends, part);
    }
    let new = cut_faces(mesh, &on);
    *turned = new.source.iter().map(|&f| turned[f as usize]).collect();
    new.put_into(mesh);
    made.len() as u64
}

/// Places where vertices are.
struct Places(HashSet<[u32; 3]>);

impl Places {
    fn new(mesh: &TriMesh) -> Places {
        Places(mesh.positions.iter().map(|&p| Places::key(p)).collect())
    }

    fn key(p: glam::Vec3) -> [u32; 3] {
        p.to_array().map(|c| (c + 0.0).to_bits())
    }

    /// A place on an edge where no vertex is, as a part of the way, and takes it; the middle first. Nothing if the edge
    /// is too short for one.
    fn free_between(&mut self, mesh: &TriMesh, ends: [u32; 2]) -> Option<f64> {
        let [a, b] = ends.map(|e| mesh.positions[e as usize].as_dvec3());
        // 1/2, 1/4, 3/4, 1/8, ...
        let halved = |n: u32| {
            (1..1u32 << n)
                .step_by(2)
                .map(move |i| f64::from(i) / f64::from(1u32 << n))
        };
        (1..7)
            .flat_map(halved)
            .find(|&part| self.0.insert(Places::key(a.lerp(b, part).as_vec3())))
    }
}

/// The faces with those cut that have vertices on their edges.
fn cut_faces(mesh: &TriMesh, on: &HashMap<u32, OnEdge>) -> NewFaces {
    let mut new = NewFaces::default();
    for (f, &face) in mesh.faces.iter().enumerate() {
        let own = |k: usize| (face[k % 3], Between::at((3 * f + k % 3) as u32));
        let on = |k: usize| {
            let half = 3 * f + k % 3;
            on.get(&(half as u32)).map(|on| {
                let corners = [half as u32, (3 * f + (k + 1) % 3) as u32];
                (
                    on.vertex,
                    Between {
                        corners,
                        part: on.part,
                    },
                )
            })
        };
        let count = (0..3).filter(|&k| on(k).is_some()).count();
        // Begins where one edge with a vertex, or two in a row, begin.
        let k = (0..3)
            .find(|&k| on(k).is_some() && (count == 3 || on(k + 2).is_none()))
            .unwrap_or(0);
        let (a, b, c) = (own(k), own(k + 1), own(k + 2));
        let parts = match [on(k), on(k + 1), on(k + 2)] {
            [None, ..] => vec![[own(0), own(1), own(2)]],
            [Some(p), None, _] => vec![[a, p, c], [p, b, c]],
            [Some(p), Some(q), None] => vec![[a, p, q], [p, b, q], [a, q, c]],
            [Some(p), Some(q), Some(r)] => vec![[a, p, r], [p, b, q], [r, q, c], [p, q, r]],
        };
        for part in parts {
            let i = 3 * new.vertices.len() as u32;
            new.vertices.push(part.map(|c| c.0));
            new.source.push(f as u32);
            for (j, &(_, from)) in part.iter().enumerate() {
                if from != Between::at((3 * f + j) as u32) {
                    new.corners.push((i + j as u32, from));
                }
            }
        }
    }
    new
}
