//! Boundary vertices that nearly touch become one.

use super::Border;
use crate::mesh::{EdgeTable, ElementKind, TriMesh};
use crate::par::IntoLean;
use crate::repair::boxes::{Boxes, is_far, near_order};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// Most neighbours of one vertex that are examined.
const MOST_NEAR: usize = 64;

/// Vertices move together over at most this part of the shortest edge at either.
const PART_OF_EDGE: f64 = 0.5;

/// Welds all vertices that can be welded. Returns the number of vertices that went into others.
pub(super) fn weld(mesh: &mut TriMesh, border: &Border, reach: f64) -> usize {
    let corners = IncidentFaces::new(mesh, border);
    let pairs = near_pairs(mesh, border, &corners, reach);
    if pairs.is_empty() {
        return 0;
    }
    let mut groups = WeldGroups::new(mesh, &corners);
    for (_, a, b) in pairs {
        groups.unite(a, b);
    }
    let mut groups = groups.members;
    groups.retain(|group| group.len() > 1);
    // Taking a group apart can make another one senseless; each time there are fewer.
    loop {
        let before = groups.len();
        let merged: usize = groups.iter().map(Vec::len).sum();
        groups = joined_by_edges(mesh, &groups);
        groups = keep_solid(mesh, &corners, groups);
        if groups.len() == before && groups.iter().map(Vec::len).sum::<usize>() == merged {
            break;
        }
    }
    apply(mesh, &groups)
}

/// Faces of the boundary's vertices.
struct IncidentFaces {
    /// Place of each boundary vertex in the lists; `u32::MAX` for others.
    place: Vec<u32>,
    starts: Vec<u32>,
    faces: Vec<u32>,
}

impl IncidentFaces {
    fn new(mesh: &TriMesh, border: &Border) -> IncidentFaces {
        let mut place = vec![u32::MAX; mesh.positions.len()];
        for (i, &v) in border.vertices.iter().enumerate() {
            place[v as usize] = i as u32;
        }
        let mut starts = vec![0u32; border.vertices.len() + 1];
        let is_proper = |f: &[u32; 3]| f[0] != f[1] && f[1] != f[2] && f[2] != f[0];
        let proper = || mesh.faces.iter().enumerate().filter(|(_, f)| is_proper(f));
        let places = |f: &[u32; 3]| {
            f.map(|v| place[v as usize])
                .into_iter()
                .filter(|&p| p != u32::MAX)
        };
        for (_, f) in proper() {
            places(f).for_each(|p| starts[p as usize + 1] += 1);
        }
        for i in 0..border.vertices.len() {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut faces = vec![0; next[border.vertices.len()] as usize];
        for (i, f) in proper() {
            for p in places(f) {
                faces[next[p as usize] as usize] = i as u32;
                next[p as usize] += 1;
            }
        }
        IncidentFaces {
            place,
            starts,
            faces,
        }
    }

    fn of(&self, v: u32) -> &[u32] {
        let p = self.place[v as usize] as usize;
        &self.faces[self.starts[p] as usize..self.starts[p + 1] as usize]
    }
}

fn at(mesh: &TriMesh, v: u32) -> DVec3 {
    mesh.positions[v as usize].as_dvec3()
}

/// Returns the pairs of boundary vertices that may become one, the nearest first: distance, smaller and larger vertex.
fn near_pairs(
    mesh: &TriMesh,
    border: &Border,
    corners: &IncidentFaces,
    reach: f64,
) -> Vec<(f64, u32, u32)> {
    let points: Vec<DVec3> = border.vertices.iter().map(|&v| at(mesh, v)).collect();
    let order = near_order(&points);
    let boxes = Boxes::new(
        order
            .iter()
            .map(|&i| (points[i as usize], points[i as usize])),
    );
    let shortest: Vec<f64> = border
        .vertices
        .par_iter()
        .lean()
        .map(|&v| {
            let around = corners.of(v).iter().flat_map(|&f| mesh.faces[f as usize]);
            let others = around.filter(|&w| w != v);
            others
                .map(|w| at(mesh, v).distance(at(mesh, w)))
                .fold(f64::INFINITY, f64::min)
        })
        .collect();
    let of_vertex = |i: usize| {
        let (p, mut found, mut seen) = (points[i], Vec::new(), 0);
        let reach = reach.min(PART_OF_EDGE * shortest[i]);
        boxes.visit(
            |b| is_far(b, p, reach),
            |leaf| {
                let j = order[leaf] as usize;
                let distance = p.distance(points[j]);
                if j > i && distance <= reach.min(PART_OF_EDGE * shortest[j]) {
                    found.push((distance, border.vertices[i], border.vertices[j]));
                }
                seen += 1;
                seen > MOST_NEAR
            },
        );
        found
    };
    let mut pairs: Vec<(f64, u32, u32)> = (0..points.len())
        .into_par_iter()
        .lean()
        .flat_map_iter(of_vertex)
        .collect();
    pairs.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    pairs
}

/// Groups of vertices that are to become one.
struct WeldGroups<'a> {
    mesh: &'a TriMesh,
    corners: &'a IncidentFaces,
    /// Group of each boundary vertex, by place.
    group: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl<'a> WeldGroups<'a> {
    fn new(mesh: &'a TriMesh, corners: &'a IncidentFaces) -> WeldGroups<'a> {
        let mut members = vec![Vec::new(); corners.starts.len() - 1];
        for (v, &p) in corners
            .place
            .iter()
            .enumerate()
            .filter(|(_, p)| **p != u32::MAX)
        {
            members[p as usize].push(v as u32);
        }
        WeldGroups {
            mesh,
            corners,
            group: (0..members.len() as u32).collect(),
            members,
        }
    }

    /// Returns a number for the group of a vertex; vertices inside of the mesh are on their own.
    fn name(&self, v: u32) -> (bool, u32) {
        match self.corners.place[v as usize] {
            u32::MAX => (false, v),
            p => (true, self.group[p as usize]),
        }
    }

    /// Returns the half-edges at a group: the group at the other end, and `true` for those that come from there.
    fn halves(&self, group: u32) -> Vec<((bool, u32), bool)> {
        let own = (true, group);
        let faces = self.members[group as usize]
            .iter()
            .flat_map(|&v| self.corners.of(v));
        let sides = faces.flat_map(|&f| {
            let [a, b, c] = self.mesh.faces[f as usize].map(|v| self.name(v));
            [(a, b), (b, c), (c, a)]
        });
        let here = sides.filter(|&(a, b)| a == own || b == own);
        let mut halves: Vec<_> = here
            .map(|(a, b)| if a == own { (b, false) } else { (a, true) })
            .collect();
        halves.sort_unstable();
        halves
    }

    /// Unites the groups of two vertices, if no face loses a corner and no edge gets a third face or two that disagree.
    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.name(a).1, self.name(b).1);
        if a == b {
            return;
        }
        let (of_a, of_b) = (self.halves(a), self.halves(b));
        let meets = of_a.iter().any(|(other, _)| *other == (true, b));
        let along = |halves: &[((bool, u32), bool)], other: (bool, u32)| {
            let from = halves.partition_point(|h| h.0 < other);
            halves[from..].iter().take_while(|h| h.0 == other).count()
        };
        let clashes = |half: &((bool, u32), bool)| {
            let there = along(&of_a, half.0);
            of_a.binary_search(half).is_ok() || there > 0 && there + along(&of_b, half.0) > 2
        };
        if meets || of_b.iter().any(clashes) {
            return;
        }
        let (from, into) = if self.members[a as usize].len() < self.members[b as usize].len() {
            (a, b)
        } else {
            (b, a)
        };
        let moved = std::mem::take(&mut self.members[from as usize]);
        for &v in &moved {
            self.group[self.corners.place[v as usize] as usize] = into;
        }
        self.members[into as usize].extend(moved);
    }
}

/// Returns new names of vertices: the smallest member of each group.
fn names(mesh: &TriMesh, groups: &[Vec<u32>]) -> Vec<u32> {
    let mut names: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    for group in groups {
        let first = group.iter().copied().min().unwrap_or(0);
        group.iter().for_each(|&v| names[v as usize] = first);
    }
    names
}

/// Returns the parts of groups that are connected by faces around the new vertex: those that only touch come apart
/// again.
fn joined_by_edges(mesh: &TriMesh, groups: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let names = names(mesh, groups);
    let faces: Vec<[u32; 3]> = mesh
        .faces
        .iter()
        .map(|f| f.map(|v| names[v as usize]))
        .collect();
    let table = EdgeTable::new(&faces, mesh.positions.len());
    // Old vertices of one new vertex that an edge of two faces joins.
    let mut parent: HashMap<u32, u32> = groups.iter().flatten().map(|&v| (v, v)).collect();
    for halves in (0..table.len()).map(|e| table.along(e)) {
        let [g, h] = halves else { continue };
        let ends = |h: u32| {
            let (f, k) = (h as usize / 3, h as usize % 3);
            [mesh.faces[f][k], mesh.faces[f][(k + 1) % 3]]
        };
        let [a, b] = ends(*g);
        let [mut c, mut d] = ends(*h);
        if names[a as usize] != names[c as usize] {
            (c, d) = (d, c);
        }
        for (a, b) in [(a, c), (b, d)] {
            if a != b {
                let (a, b) = (root(&parent, a), root(&parent, b));
                parent.insert(a.max(b), a.min(b));
            }
        }
    }
    let mut parts: HashMap<u32, Vec<u32>> = HashMap::new();
    for &v in groups.iter().flatten() {
        parts.entry(root(&parent, v)).or_default().push(v);
    }
    let mut parts: Vec<Vec<u32>> = parts.into_values().filter(|part| part.len() > 1).collect();
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts.sort_unstable();
    parts
}

fn root(parent: &HashMap<u32, u32>, mut v: u32) -> u32 {
    while parent[&v] != v {
        v = parent[&v];
    }
    v
}

/// Returns the position of the vertex of a group.
fn middle(mesh: &TriMesh, group: &[u32]) -> glam::Vec3 {
    let sum: DVec3 = group.iter().map(|&v| at(mesh, v)).sum();
    let mean = (sum / group.len() as f64).as_vec3();
    // Vertices at one place stay there to the last bit.
    let first = mesh.positions[group[0] as usize];
    if group.iter().all(|&v| mesh.positions[v as usize] == first) {
        first
    } else {
        mean
    }
}

/// Returns the groups that turn no face over and take no face's area.
fn keep_solid(mesh: &TriMesh, corners: &IncidentFaces, groups: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut places: HashMap<u32, glam::Vec3> = HashMap::new();
    for group in &groups {
        let p = middle(mesh, group);
        places.extend(group.iter().map(|&v| (v, p)));
    }
    let normal = |f: u32, moved: bool| {
        let [a, b, c] = mesh.faces[f as usize].map(|v| match places.get(&v) {
            Some(p) if moved => p.as_dvec3(),
            _ => at(mesh, v),
        });
        (b - a).cross(c - a)
    };
    let spoils = |&f: &u32| {
        let before = normal(f, false);
        before != DVec3::ZERO && before.dot(normal(f, true)) <= 0.0
    };
    let is_good = |group: &Vec<u32>| !group.iter().any(|&v| corners.of(v).iter().any(spoils));
    groups.into_par_iter().lean().filter(is_good).collect()
}

/// Carries the groups out. Returns the number of vertices that are gone.
fn apply(mesh: &mut TriMesh, groups: &[Vec<u32>]) -> usize {
    let names = names(mesh, groups);
    for group in groups {
        let p = middle(mesh, group);
        mesh.positions[names[group[0] as usize] as usize] = p;
    }
    let kept: Vec<u32> = (0..mesh.positions.len() as u32)
        .filter(|&v| names[v as usize] == v)
        .collect();
    let gone = mesh.positions.len() - kept.len();
    let mut number = vec![0; mesh.positions.len()];
    for (new, &old) in kept.iter().enumerate() {
        number[old as usize] = new as u32;
    }
    mesh.faces
        .par_iter_mut()
        .lean()
        .for_each(|f| *f = f.map(|v| number[names[v as usize] as usize]));
    mesh.positions = kept.iter().map(|&v| mesh.positions[v as usize]).collect();
    for column in &mut mesh.extras.columns {
        if column.element == ElementKind::Vertex {
            *column = column.gather(&kept);
        }
    }
    gone
}
