//! Boundary edges are divided at boundary vertices of the other side.

use super::Border;
use crate::mesh::{CornerLayer, MeshError, NO_VALUE, TriMesh};
use crate::par::IntoLean;
use crate::repair::boxes::{Box3, Boxes, is_far, near_order};
use crate::repair::graft::{NewFace, add_entry, check_room, graft};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashSet;

/// Most edges near to one vertex that are examined.
const MOST_NEAR: usize = 64;

/// An edge that is to be divided.
struct Division {
    half: u32,
    /// Vertices between its ends and their positions along it, in order.
    at: Vec<(f64, u32)>,
}

/// Divides edges if that joins them with others. Returns their number.
pub(super) fn divide(mesh: &mut TriMesh, border: &Border, reach: f64) -> Result<usize, MeshError> {
    let mut divisions = near_edges(mesh, border, reach);
    // One that is given up can leave others without an edge in common: each time there are fewer.
    loop {
        let count = |d: &[Division]| d.iter().map(|d| d.at.len()).sum::<usize>();
        let before = count(&divisions);
        let links = links(mesh, border, &divisions);
        divisions
            .par_iter_mut()
            .lean()
            .for_each(|d| keep_joined(mesh, &links, d));
        divisions.retain(|d| !d.at.is_empty() && is_possible(mesh, border, d));
        let mut taken = Taken::default();
        divisions.retain(|d| taken.take(mesh, d));
        if count(&divisions) == before {
            break;
        }
    }
    if divisions.is_empty() {
        return Ok(0);
    }
    check_room(mesh, 0, divisions.iter().map(|d| d.at.len()).sum())?;
    let mut faces = Vec::new();
    for d in &divisions {
        carry_out(mesh, d, &mut faces);
    }
    graft(mesh, &[], &faces)?;
    Ok(divisions.len())
}

/// Returns the first and last vertex of a half-edge.
fn ends(mesh: &TriMesh, half: u32) -> [u32; 2] {
    let (f, k) = (half as usize / 3, half as usize % 3);
    [mesh.faces[f][k], mesh.faces[f][(k + 1) % 3]]
}

/// Returns the vertex opposite to a half-edge in its face.
fn apex(mesh: &TriMesh, half: u32) -> u32 {
    mesh.faces[half as usize / 3][(half as usize + 2) % 3]
}

/// Returns for each boundary edge the boundary vertices that lie beside it, of which no other edge is nearer.
fn near_edges(mesh: &TriMesh, border: &Border, reach: f64) -> Vec<Division> {
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let boxes: Vec<Box3> = border
        .halves
        .iter()
        .map(|&h| {
            let [a, b] = ends(mesh, h).map(at);
            (a.min(b), a.max(b))
        })
        .collect();
    let middles: Vec<DVec3> = boxes
        .iter()
        .map(|(low, high)| 0.5 * (*low + *high))
        .collect();
    let order = near_order(&middles);
    let tree = Boxes::new(order.iter().map(|&i| boxes[i as usize]));
    let nearest = |&v: &u32| {
        let (p, mut best, mut seen) = (at(v), None::<(f64, u32, f64)>, 0);
        tree.visit(
            |b| is_far(b, p, reach),
            |leaf| {
                let half = border.halves[order[leaf] as usize];
                let [a, b] = ends(mesh, half).map(at);
                let side = b - a;
                let along = (p - a).dot(side) / side.length_squared();
                let distance = p.distance(a + along * side);
                let inside = along > 0.0 && along < 1.0 && p.distance(a).min(p.distance(b)) > reach;
                let own = mesh.faces[half as usize / 3].contains(&v);
                let here = (distance, half, along);
                if inside
                    && !own
                    && distance <= reach
                    && best.is_none_or(|b| (distance, half) < (b.0, b.1))
                {
                    best = Some(here);
                }
                seen += 1;
                seen > MOST_NEAR
            },
        );
        best.map(|(_, half, along)| (half, along, v))
    };
    let mut found: Vec<(u32, f64, u32)> = border
        .vertices
        .par_iter()
        .lean()
        .filter_map(nearest)
        .collect();
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let of_edge = found.chunk_by(|a, b| a.0 == b.0);
    let division = |near: &[(u32, f64, u32)]| Division {
        half: near[0].0,
        at: near.iter().map(|n| (n.1, n.2)).collect(),
    };
    of_edge.map(division).collect()
}

/// Returns all vertices along a division, its ends with them.
fn chain(mesh: &TriMesh, d: &Division) -> Vec<u32> {
    let [a, b] = ends(mesh, d.half);
    let mut chain = vec![a];
    chain.extend(d.at.iter().map(|(_, v)| *v));
    chain.push(b);
    chain
}

/// Returns the boundary edges as they would be after all divisions, first and last vertex.
fn links(mesh: &TriMesh, border: &Border, divisions: &[Division]) -> HashSet<[u32; 2]> {
    let divided: HashSet<u32> = divisions.iter().map(|d| d.half).collect();
    let whole = border.halves.iter().filter(|h| !divided.contains(h));
    let mut links: HashSet<[u32; 2]> = whole.map(|&h| ends(mesh, h)).collect();
    for d in divisions {
        links.extend(chain(mesh, d).windows(2).map(|w| [w[0], w[1]]));
    }
    links
}

/// Keeps the vertices of a division that get an edge in common with the other side.
fn keep_joined(mesh: &TriMesh, links: &HashSet<[u32; 2]>, d: &mut Division) {
    let chain = chain(mesh, d);
    let meets = |i: usize| links.contains(&[chain[i + 1], chain[i]]);
    let mut i = 0;
    d.at.retain(|_| {
        i += 1;
        meets(i - 1) || meets(i)
    });
}

/// Faces and edges taken by the divisions chosen so far.
#[derive(Default)]
struct Taken {
    /// Faces are divided once at a time.
    faces: HashSet<u32>,
    /// Parts of divided edges, first and last vertex.
    along: HashSet<[u32; 2]>,
    /// New edges inside of divided faces, the smaller vertex first.
    across: HashSet<[u32; 2]>,
}

impl Taken {
    /// Claims the faces and edges that a division needs, or none of them. Returns `true` if it has claimed them.
    fn take(&mut self, mesh: &TriMesh, d: &Division) -> bool {
        let (chain, apex) = (chain(mesh, d), apex(mesh, d.half));
        let along: Vec<[u32; 2]> = chain.windows(2).map(|w| [w[0], w[1]]).collect();
        let across: Vec<[u32; 2]> =
            d.at.iter()
                .map(|(_, v)| [apex.min(*v), apex.max(*v)])
                .collect();
        let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let free = !self.faces.contains(&(d.half / 3))
            && along
                .iter()
                .all(|e| !self.along.contains(e) && !self.across.contains(&sorted(*e)))
            && across.iter().all(|&[a, b]| {
                ![[a, b], [b, a]].iter().any(|e| self.along.contains(e))
                    && !self.across.contains(&[a, b])
            });
        if free {
            self.faces.insert(d.half / 3);
            self.along.extend(along);
            self.across.extend(across);
        }
        free
    }
}

/// Returns `true` if a division leaves every edge with two faces at most that agree, and every new face with its
/// orientation.
fn is_possible(mesh: &TriMesh, border: &Border, d: &Division) -> bool {
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let (chain, apex) = (chain(mesh, d), apex(mesh, d.half));
    let edge = |a: u32, b: u32| border.table.edges.binary_search(&[a.min(b), a.max(b)]).ok();
    let free = |a: u32, b: u32| match edge(a, b).map(|e| border.table.along(e)) {
        None => true,
        Some([h]) => ends(mesh, *h) == [b, a],
        Some(_) => false,
    };
    let normal = |a: u32, b: u32| (at(b) - at(a)).cross(at(apex) - at(a));
    let before = normal(chain[0], chain[chain.len() - 1]);
    d.at.iter().all(|(_, v)| edge(*v, apex).is_none())
        && chain
            .windows(2)
            .all(|w| free(w[0], w[1]) && normal(w[0], w[1]).dot(before) > 0.0)
}

/// Divides a face: its first part takes its place, the others are to be added.
fn carry_out(mesh: &mut TriMesh, d: &Division, faces: &mut Vec<NewFace>) {
    let (f, k) = (d.half as usize / 3, d.half as usize % 3);
    let corners = [0, 1, 2].map(|i| 3 * f + (k + i) % 3);
    let (chain, apex) = (chain(mesh, d), apex(mesh, d.half));
    let extras = &mut mesh.extras;
    let texcoords = entries(&mut extras.corner_texcoords, corners, d);
    let normals = entries(&mut extras.corner_normals, corners, d);
    let apexes = [&extras.corner_texcoords, &extras.corner_normals]
        .map(|layer| layer.as_ref().map_or(NO_VALUE, |l| l.corners[corners[2]]));
    for i in 1..chain.len() - 1 {
        faces.push(NewFace {
            corners: [chain[i], chain[i + 1], apex],
            origin: f as u32,
            texcoords: [texcoords[i], texcoords[i + 1], apexes[0]],
            normals: [normals[i], normals[i + 1], apexes[1]],
        });
    }
    mesh.faces[f][(k + 1) % 3] = chain[1];
    for (layer, entries) in [
        (&mut extras.corner_texcoords, &texcoords),
        (&mut extras.corner_normals, &normals),
    ] {
        if let Some(layer) = layer {
            layer.corners[corners[1]] = entries[1];
        }
    }
}

/// Returns the entries of a layer along a divided edge, those between the ends interpolated.
fn entries(layer: &mut Option<CornerLayer>, corners: [usize; 3], d: &Division) -> Vec<u32> {
    let Some(layer) = layer else {
        return vec![NO_VALUE; d.at.len() + 2];
    };
    let [a, b] = [layer.corners[corners[0]], layer.corners[corners[1]]];
    let mut entries = vec![a];
    for &(along, _) in &d.at {
        if a == NO_VALUE || b == NO_VALUE {
            entries.push(NO_VALUE);
            continue;
        }
        let value = |e: u32, k: usize| layer.values[layer.width * e as usize + k];
        let between = |k: usize| value(a, k) + along as f32 * (value(b, k) - value(a, k));
        let values: Vec<f32> = (0..layer.width).map(between).collect();
        entries.push(add_entry(layer, values));
    }
    entries.push(b);
    entries
}
