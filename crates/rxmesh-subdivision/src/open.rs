//! Edges of three faces or more, and edges that two faces traverse in the same direction, cut open and made sharp.

use crate::parts::{next_corners, parts};
use rxmesh_host::Error;
use rxmesh_host::mesh::{ElementKind, PolyMesh, SharpEdge, SharpVertex};
use rxmesh_subdivision_kernels::topology::NONE;
use std::collections::HashMap;

/// Mesh whose edges have two faces at most, which traverse them in opposite directions.
#[derive(Debug)]
pub struct Opened {
    /// Mesh: copies of split vertices follow all others. Faces and their order are kept.
    pub mesh: PolyMesh,
    /// Original vertex of each vertex.
    pub origins: Vec<u32>,
    /// Number of edges that were cut open.
    pub edges: usize,
}

/// Edges of a mesh.
struct Edges {
    /// Half-edges of each edge, by its ends.
    sides: HashMap<[u32; 2], Vec<usize>>,
    /// Twin of each half-edge, [`NONE`] at boundaries and at edges that are cut.
    twins: Vec<u32>,
    /// Next corner of each corner in its face.
    next: Vec<usize>,
}

/// Cuts open the edges of three faces or more, and of two faces that traverse them in the same direction, and makes
/// them infinitely sharp, as OpenSubdiv does: so the mesh has a surface. Along a cut each sheet has separate points at
/// the same positions.
///
/// A vertex on two such edges, and on nothing else that is sharp or open, with two faces or more of every sheet, is a
/// crease; others at their ends are corners. (OpenSubdiv decreases the sharpness of other edges there.) An edge that
/// two faces traverse in the same direction, with no other cut at either end, keeps its vertices: a vertex is split
/// only where cuts separate its faces.
///
/// # Errors
///
/// Errors of the mesh ([`PolyMesh::validate`]).
pub fn open_edges(mesh: &PolyMesh) -> Result<Opened, Error> {
    mesh.validate()?;
    let edges = Edges::new(mesh);
    let cut: HashMap<[u32; 2], bool> = edges
        .sides
        .iter()
        .map(|(&ends, sides)| (ends, edges.is_cut(mesh, sides)))
        .collect();
    let count = cut.values().filter(|cut| **cut).count();
    let mut origins: Vec<u32> = (0..mesh.vertex_count() as u32).collect();
    if count == 0 {
        let mesh = mesh.clone();
        return Ok(Opened {
            mesh,
            origins,
            edges: 0,
        });
    }
    let mut touched = vec![false; mesh.vertex_count()];
    for (ends, _) in cut.iter().filter(|(_, cut)| **cut) {
        ends.iter().for_each(|&v| touched[v as usize] = true);
    }
    // The first copy of a vertex keeps its id.
    let roots = parts(mesh, &edges.twins, |_| false);
    let mut copies: Vec<Vec<u32>> = vec![Vec::new(); mesh.vertex_count()];
    let mut names = HashMap::new();
    let mut corners = mesh.corners.clone();
    for (corner, &v) in mesh.corners.iter().enumerate() {
        if touched[v as usize] {
            corners[corner] = *names.entry(roots[corner]).or_insert_with(|| {
                let name = if copies[v as usize].is_empty() {
                    v
                } else {
                    origins.push(v);
                    origins.len() as u32 - 1
                };
                copies[v as usize].push(name);
                name
            });
        }
    }
    let mut opened = PolyMesh {
        positions: origins
            .iter()
            .map(|&v| mesh.positions[v as usize])
            .collect(),
        corners,
        ..mesh.clone()
    };
    for column in &mut opened.extras.columns {
        if column.element == ElementKind::Vertex {
            *column = column.gather(&origins);
        }
    }
    edges.sharpen(mesh, &mut opened, &cut, &copies);
    Ok(Opened {
        mesh: opened,
        origins,
        edges: count,
    })
}

impl Edges {
    fn new(mesh: &PolyMesh) -> Edges {
        let next = next_corners(mesh);
        let mut sides: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
        for (h, &after) in next.iter().enumerate() {
            let ends = [mesh.corners[h], mesh.corners[after]];
            sides.entry(key(ends)).or_default().push(h);
        }
        let mut twins = vec![NONE; next.len()];
        for sides in sides.values() {
            if let [a, b] = sides[..]
                && mesh.corners[a] != mesh.corners[b]
            {
                (twins[a], twins[b]) = (b as u32, a as u32);
            }
        }
        Edges { sides, twins, next }
    }

    fn is_cut(&self, mesh: &PolyMesh, sides: &[usize]) -> bool {
        match *sides {
            [_] => false,
            [a, b] => mesh.corners[a] == mesh.corners[b],
            _ => true,
        }
    }

    /// Makes sharp in `opened` all that was sharp, all cuts, and the vertices that are no creases.
    fn sharpen(
        &self,
        mesh: &PolyMesh,
        opened: &mut PolyMesh,
        cut: &HashMap<[u32; 2], bool>,
        copies: &[Vec<u32>],
    ) {
        opened.sharp_edges.clear();
        let mut all = mesh.sharp_edges.clone();
        let mut opens: Vec<[u32; 2]> = cut.iter().filter(|(_, c)| **c).map(|(e, _)| *e).collect();
        opens.sort_unstable();
        all.extend(opens.iter().map(|&ends| SharpEdge {
            ends,
            sharpness: PolyMesh::SHARP,
        }));
        for edge in &all {
            let Some(sides) = self.sides.get(&key(edge.ends)) else {
                // Not an edge, which is reported when the surface is made.
                opened.sharp_edges.push(*edge);
                continue;
            };
            opened.sharp_edges.extend(sides.iter().map(|&h| SharpEdge {
                ends: [opened.corners[h], opened.corners[self.next[h]]],
                sharpness: edge.sharpness,
            }));
        }
        opened.sharp_vertices = mesh
            .sharp_vertices
            .iter()
            .flat_map(|s| {
                let names = &copies[s.vertex as usize];
                let all = if names.is_empty() {
                    vec![s.vertex]
                } else {
                    names.clone()
                };
                all.into_iter().map(|vertex| SharpVertex { vertex, ..*s })
            })
            .collect();
        let creases = self.creases(mesh, opened, cut, copies);
        for (v, names) in copies.iter().enumerate() {
            if !creases[v] {
                opened
                    .sharp_vertices
                    .extend(names.iter().map(|&vertex| SharpVertex {
                        vertex,
                        sharpness: PolyMesh::SHARP,
                    }));
            }
        }
    }

    /// Returns `true` for each vertex at which the cut edges continue as a line, the same for all sheets.
    fn creases(
        &self,
        mesh: &PolyMesh,
        opened: &PolyMesh,
        cut: &HashMap<[u32; 2], bool>,
        copies: &[Vec<u32>],
    ) -> Vec<bool> {
        let mut lines: Vec<Vec<u32>> = vec![Vec::new(); copies.len()];
        let mut is_crease: Vec<bool> = copies.iter().map(|c| !c.is_empty()).collect();
        for (&[a, b], sides) in &self.sides {
            if cut[&[a, b]] {
                lines[a as usize].push(b);
                lines[b as usize].push(a);
            } else if sides.len() == 1 {
                [a, b].iter().for_each(|&v| is_crease[v as usize] = false);
            }
        }
        for edge in mesh.sharp_edges.iter().filter(|e| e.sharpness > 0.0) {
            if !cut.get(&key(edge.ends)).is_some_and(|cut| *cut) {
                edge.ends
                    .iter()
                    .for_each(|&v| is_crease[v as usize] = false);
            }
        }
        // Number of faces of each copy, and the other ends of its open edges.
        let mut faces = vec![0; opened.vertex_count()];
        let mut ends: Vec<Vec<u32>> = vec![Vec::new(); opened.vertex_count()];
        for h in 0..self.next.len() {
            faces[opened.corners[h] as usize] += 1;
            if self.twins[h] == NONE {
                let next = self.next[h];
                ends[opened.corners[h] as usize].push(mesh.corners[next]);
                ends[opened.corners[next] as usize].push(mesh.corners[h]);
            }
        }
        for (v, names) in copies.iter().enumerate() {
            lines[v].sort_unstable();
            let along = |name: &u32| {
                let mut ends = ends[*name as usize].clone();
                ends.sort_unstable();
                ends == lines[v] && faces[*name as usize] > 1
            };
            is_crease[v] &= lines[v].len() == 2 && names.iter().all(along);
        }
        is_crease
    }
}

fn key([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
