//! Points on the input from which the vertices of a changed mesh take their values.

use super::order::NewElements;
use crate::algo::distance::tree::{HostTree, Nearest, closest_parts, mean};
use crate::edit::Motion;
use crate::mesh::{Column, TriMesh};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Distance, relative to the size of the faces around it, up to which the closest point whose face has a similar normal
/// is taken without examining the others.
const NEAR: f64 = 0.5;

/// Fewest faces of a component that has a tree; the faces of a smaller one are all looked at.
const FEWEST: usize = 64;

/// Surface that came in. Each connected component is searched apart: edits do not join components, and hundreds of them
/// may lie in the same place, as the meshes of a batch do.
#[derive(Debug)]
pub(super) struct InputSurface {
    /// Component of each face.
    parts: Vec<u32>,
    components: Vec<Component>,
    normals: Vec<Vec3>,
}

/// Connected component of the surface that came in.
#[derive(Debug)]
enum Component {
    Tree(HostTree),
    /// Numbers of its faces.
    Few(Vec<u32>),
}

impl InputSurface {
    pub(super) fn new(mesh: &TriMesh) -> InputSurface {
        let mut parent: Vec<u32> = (0..mesh.vertex_count() as u32).collect();
        for [a, b, c] in &mesh.faces {
            for other in [b, c] {
                let (u, v) = (root(&mut parent, *a), root(&mut parent, *other));
                parent[u.max(v) as usize] = u.min(v);
            }
        }
        // The number of each component, at its least vertex.
        let mut numbers = vec![u32::MAX; mesh.vertex_count()];
        let mut members: Vec<Vec<u32>> = Vec::new();
        let parts = (0..).zip(&mesh.faces).map(|(i, f)| {
            let number = &mut numbers[root(&mut parent, f[0]) as usize];
            if *number == u32::MAX {
                *number = members.len() as u32;
                members.push(Vec::new());
            }
            members[*number as usize].push(i);
            *number
        });
        let parts = parts.collect();
        let component = |members: Vec<u32>| match members.len() < FEWEST {
            true => Component::Few(members),
            false => Component::Tree(HostTree::of(&mesh.positions, &mesh.faces, members)),
        };
        let normal = |f: &[u32; 3]| normal(f.map(|v| mesh.positions[v as usize]));
        InputSurface {
            parts,
            components: members.into_par_iter().lean().map(component).collect(),
            normals: mesh.faces.iter().map(normal).collect(),
        }
    }

    /// Returns the place closest to `p` on the faces that `accepts` names, of the component of face `of`: on one that
    /// looks along `normal` unless the others are much closer, as where two sheets lie together. `mesh` is the one that
    /// the surface was made of.
    pub(super) fn nearest(
        &self,
        mesh: &TriMesh,
        p: DVec3,
        of: u32,
        (normal, size): (Vec3, f64),
        any: impl Fn(u32) -> bool,
    ) -> Option<Nearest> {
        let component = &self.components[self.parts[of as usize] as usize];
        let along = |f: u32| any(f) && self.normals[f as usize].dot(normal) > 0.0;
        // No face agrees with a zero normal, and the search would visit them all.
        let first = match normal == Vec3::ZERO {
            true => None,
            false => component.nearest(mesh, p, &along),
        };
        match first {
            Some(at) if at.square <= (NEAR * size).powi(2) => first,
            _ => {
                let second = component.nearest(mesh, p, &any)?;
                first
                    .filter(|at| at.square.sqrt() <= 2.0 * second.square.sqrt() + NEAR * size)
                    .or(Some(second))
            }
        }
    }
}

impl Component {
    /// Returns the closest place as [`HostTree::nearest`].
    fn nearest(&self, mesh: &TriMesh, p: DVec3, accepts: &impl Fn(u32) -> bool) -> Option<Nearest> {
        let faces = match self {
            Component::Tree(tree) => return tree.nearest(p, accepts),
            Component::Few(faces) => faces,
        };
        let accepted = faces.iter().filter(|f| accepts(**f));
        let places = accepted.map(|&face| {
            let corners = mesh.faces[face as usize].map(|v| mesh.positions[v as usize].as_dvec3());
            let (parts, square) = closest_parts(p, corners);
            Nearest {
                face,
                parts,
                square,
            }
        });
        // A corner that is no number is near nothing.
        let places = places.filter(|at| at.square <= f64::INFINITY);
        places.min_by(|a, b| (a.square.total_cmp(&b.square)).then(a.face.cmp(&b.face)))
    }
}

/// Returns the normal of a triangle, twice its area long.
fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a)
}

pub(super) fn root(parent: &mut [u32], mut f: u32) -> u32 {
    while parent[f as usize] != f {
        parent[f as usize] = parent[parent[f as usize] as usize];
        f = parent[f as usize];
    }
    f
}

/// Points on the input that the vertices of a new mesh come from.
#[derive(Debug)]
pub(super) struct InputPoints {
    /// Point that is looked up.
    pub(super) at: Vec<DVec3>,
    /// Place on the surface; `None` for a vertex that is one of the input's and has not moved: its values stay.
    pub(super) spots: Vec<Option<Nearest>>,
    /// Normals of the vertices, by which sheets are distinguished.
    pub(super) normals: Vec<Vec3>,
    /// Length of the longest edge of the faces around each vertex.
    pub(super) sizes: Vec<f64>,
}

impl InputPoints {
    /// Finds the places; `x` are the current positions and `come` the points of the input that vertices have come
    /// with, both by slot.
    pub(super) fn new(
        old: &TriMesh,
        order: &NewElements,
        surface: &InputSurface,
        motion: Motion,
        x: &[Vec3],
        come: &[Vec3],
    ) -> InputPoints {
        let from = match motion {
            Motion::OnSurface => x,
            Motion::None | Motion::WithSurface => come,
        };
        let n = order.vertices.len();
        let points: Vec<Vec3> = order
            .vertices
            .iter()
            .map(|v| from[v.slot as usize])
            .collect();
        let mut normals = vec![Vec3::ZERO; n];
        let mut sizes = vec![0.0f64; n];
        let mut of = vec![u32::MAX; n];
        for face in &order.faces {
            let corners = face.corners.map(|v| points[v as usize]);
            // If the surface was rotated, the normals of faces are those of the faces that they come from.
            let up = match motion {
                Motion::OnSurface => normal(corners),
                _ => surface.normals[face.origin as usize],
            };
            let [a, b, c] = corners;
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            for v in face.corners.map(|v| v as usize) {
                normals[v] += up;
                sizes[v] = sizes[v].max(longest.into());
                of[v] = of[v].min(face.origin);
            }
        }
        let spot = |i: usize| {
            let v = order.vertices[i];
            let stays = !v.born && points[i] == old.positions[v.origin as usize];
            if stays || of[i] == u32::MAX || !points[i].is_finite() {
                return None;
            }
            let side = (normals[i], sizes[i]);
            surface.nearest(old, points[i].as_dvec3(), of[i], side, |_| true)
        };
        InputPoints {
            at: points.iter().map(|p| p.as_dvec3()).collect(),
            spots: (0..n).into_par_iter().lean().map(spot).collect(),
            normals,
            sizes,
        }
    }

    /// Samples a column at the positions of vertices that are new or have moved: means of floats and colours, else the
    /// value of the nearest corner.
    pub(super) fn put(
        &self,
        old: &TriMesh,
        order: &NewElements,
        from: &Column,
        column: &mut Column,
    ) {
        let (width, blended) = (column.width, from.is_blended());
        for (row, spot) in self.spots.iter().enumerate() {
            let Some(spot) = spot else { continue };
            let corners = old.faces[spot.face as usize];
            let at = |v: u32, k: usize| from.data.get(width * v as usize + k);
            let origin = order.vertices[row].origin;
            let nearest = corners
                .into_iter()
                .zip(spot.parts)
                .max_by(|(v, a), (w, b)| a.total_cmp(b).then((*v == origin).cmp(&(*w == origin))));
            for k in 0..width {
                let value = match nearest {
                    Some((v, _)) if !blended => at(v, k),
                    _ => mean(corners.map(|v| at(v, k)), spot.parts),
                };
                column.data.set(width * row + k, value);
            }
        }
    }
}
