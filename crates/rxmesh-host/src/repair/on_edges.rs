//! Vertices on edges that several pairs of faces share.

use super::rebuild::{Between, NewFaces, pick_vertices, place_between};
use super::sheets::{NONE, Sheets, runs_up};
use crate::mesh::{EdgeTable, TriMesh, place_bits};
use std::collections::{HashMap, HashSet};

/// A vertex to be made on the edge of a face.
#[derive(Clone, Copy)]
struct OnEdge {
    vertex: u32,
    /// Position along the half-edge, from 0 at its beginning to 1.
    part: f32,
}

/// Returns half-edges that need a separate edge: several pairs of faces, or ends of faces, still have an edge between
/// the same two vertices when the faces are `faces`. All but the first are returned.
pub(super) fn shared_edges(faces: &[[u32; 3]], sheets: &Sheets) -> Vec<Vec<u32>> {
    let vertices = faces.iter().flatten().max().map_or(0, |&v| v as usize + 1);
    let table = EdgeTable::new(faces, vertices);
    let up = |h: u32| {
        let face = faces[h as usize / 3];
        (face[h as usize % 3] < face[(h as usize + 1) % 3]) ^ sheets.turned[h as usize / 3]
    };
    let partner = |h: u32| sheets.partner[h as usize];
    let first = |&&h: &&u32| partner(h) == NONE || h < partner(h);
    let pair = |&h: &u32| [h, partner(h)].into_iter().filter(|&h| h != NONE).collect();
    let mut shared = Vec::new();
    for e in 0..table.len() {
        match table.along(e) {
            [_] => {}
            &[g, h] if up(g) != up(h) => {}
            along => shared.extend(along.iter().filter(first).skip(1).map(pair)),
        }
    }
    shared
}

/// Adds a vertex on the edge of each set of half-edges, which they share. Returns the number of these vertices, and the
/// number of faces that were dropped because their edge is too short for one.
pub(super) fn part_edges(mesh: &mut TriMesh, shared: Vec<Vec<u32>>) -> (u64, u64) {
    let mut on: HashMap<u32, OnEdge> = HashMap::new();
    let mut taken = OccupiedPoints::new(mesh);
    let mut made: Vec<([u32; 2], f64)> = Vec::new();
    let mut dropped: HashSet<u32> = HashSet::new();
    for halves in shared {
        let face = mesh.faces[halves[0] as usize / 3];
        let k = halves[0] as usize % 3;
        let (a, b) = (face[k], face[(k + 1) % 3]);
        let ends = [a.min(b), a.max(b)];
        let Some(part) = taken.free_between(mesh, ends) else {
            dropped.extend(halves.iter().map(|h| h / 3));
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
    cut_faces(mesh, &on, &dropped).put_into(mesh);
    (made.len() as u64, dropped.len() as u64)
}

/// Places where vertices are.
struct OccupiedPoints(HashSet<[u32; 3]>);

impl OccupiedPoints {
    fn new(mesh: &TriMesh) -> OccupiedPoints {
        OccupiedPoints(mesh.positions.iter().map(|&p| place_bits(p)).collect())
    }

    /// Finds and takes a place on an edge without a vertex, as a part of the edge; the middle first. `None` if the edge
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
            .find(|&part| self.0.insert(place_bits(a.lerp(b, part).as_vec3())))
    }
}

/// Returns the faces without those dropped, and with those cut that have vertices on their edges.
fn cut_faces(mesh: &TriMesh, on: &HashMap<u32, OnEdge>, dropped: &HashSet<u32>) -> NewFaces {
    let mut new = NewFaces::default();
    for (f, &face) in mesh.faces.iter().enumerate() {
        if dropped.contains(&(f as u32)) {
            continue;
        }
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
