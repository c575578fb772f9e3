//! Sews patches into the mesh, with values for the new elements.

use super::loops::HoleLoop;
use super::patch::HolePatch;
use crate::mesh::{CornerLayer, MeshError, NO_VALUE, TriMesh};
use crate::repair::graft::{NO_ENTRIES, NewFace, NewVertex, add_entry, check_room, graft};
use glam::DVec3;
use std::collections::{HashMap, VecDeque};

/// Adds all patches to the mesh.
pub(super) fn sew(mesh: &mut TriMesh, patches: &[(HoleLoop, HolePatch)]) -> Result<(), MeshError> {
    let new_vertices = patches.iter().map(|(_, p)| p.parents.len()).sum();
    let new_faces = patches.iter().map(|(_, p)| p.faces.len()).sum();
    check_room(mesh, new_vertices, new_faces)?;
    let mut vertices = Vec::with_capacity(new_vertices);
    let mut faces = Vec::with_capacity(new_faces);
    for (ring, patch) in patches {
        let first = (mesh.positions.len() + vertices.len()) as u32;
        let name = |v: u32| match ring.vertices.get(v as usize) {
            Some(&old) => old,
            None => first + v - patch.ring,
        };
        let normals = normals(patch);
        let texcoords = texcoords(mesh, ring, patch);
        let entries = normal_entries(mesh, &normals);
        for (i, parents) in patch.parents.iter().enumerate() {
            let v = patch.ring as usize + i;
            vertices.push(NewVertex {
                position: patch.points[v].as_vec3(),
                parents: parents.map(name),
                normal: normals[v],
            });
        }
        let of = |entries: &Option<Vec<u32>>, f: &[u32; 3]| {
            entries
                .as_ref()
                .map_or(NO_ENTRIES, |e| f.map(|v| e[v as usize]))
        };
        let origins = origins(ring, patch);
        faces.extend(patch.faces.iter().zip(origins).map(|(f, origin)| NewFace {
            corners: f.map(name),
            origin,
            texcoords: of(&texcoords, f),
            normals: of(&entries, f),
        }));
    }
    graft(mesh, &vertices, &faces)
}

/// Returns for each new face the old one beyond the nearest side of the ring, counted in faces.
fn origins(ring: &HoleLoop, patch: &HolePatch) -> Vec<u32> {
    let n = patch.ring;
    let mut at: HashMap<[u32; 2], u32> = HashMap::with_capacity(3 * patch.faces.len());
    for (f, corners) in patch.faces.iter().enumerate() {
        (0..3).for_each(|k| {
            at.insert([corners[k], corners[(k + 1) % 3]], f as u32);
        });
    }
    let mut origin = vec![u32::MAX; patch.faces.len()];
    let mut queue = VecDeque::new();
    for i in 0..n {
        if let Some(&f) = at.get(&[i, (i + 1) % n])
            && origin[f as usize] == u32::MAX
        {
            origin[f as usize] = ring.face(i as usize);
            queue.push_back(f);
        }
    }
    while let Some(f) = queue.pop_front() {
        let corners = patch.faces[f as usize];
        for k in 0..3 {
            if let Some(&g) = at.get(&[corners[(k + 1) % 3], corners[k]])
                && origin[g as usize] == u32::MAX
            {
                origin[g as usize] = origin[f as usize];
                queue.push_back(g);
            }
        }
    }
    origin
}

/// Computes normals of the patch's vertices, from the new faces alone, weighted by area.
fn normals(patch: &HolePatch) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; patch.points.len()];
    for f in &patch.faces {
        let [a, b, c] = f.map(|v| patch.points[v as usize]);
        let normal = (b - a).cross(c - a);
        f.iter().for_each(|&v| sums[v as usize] += normal);
    }
    sums.into_iter().map(DVec3::normalize_or_zero).collect()
}

/// Adds entries for the normals of the patch's vertices, if corners have normals.
fn normal_entries(mesh: &mut TriMesh, normals: &[DVec3]) -> Option<Vec<u32>> {
    let layer = mesh
        .extras
        .corner_normals
        .as_mut()
        .filter(|l| l.width == 3)?;
    Some(
        normals
            .iter()
            .map(|n| add_entry(layer, n.as_vec3().to_array()))
            .collect(),
    )
}

/// Adds entries for the texture coordinates of the patch's vertices, if each vertex of the ring has one value in the
/// faces around the hole.
fn texcoords(mesh: &mut TriMesh, ring: &HoleLoop, patch: &HolePatch) -> Option<Vec<u32>> {
    let layer = mesh.extras.corner_texcoords.as_mut()?;
    let n = ring.mates.len();
    let corner = |half: u32, k: u32| layer.corners[(half / 3 * 3 + (half + k) % 3) as usize];
    let value = |layer: &CornerLayer, e: u32| -> [f32; 3] {
        let at = &layer.values[layer.width * e as usize..][..layer.width];
        std::array::from_fn(|k| at.get(k).copied().unwrap_or(0.0))
    };
    let mut entries = Vec::with_capacity(patch.points.len());
    for i in 0..n {
        let (mine, before) = (
            corner(ring.mates[i], 1),
            corner(ring.mates[(i + n - 1) % n], 0),
        );
        if mine == NO_VALUE || before == NO_VALUE || value(layer, mine) != value(layer, before) {
            return None;
        }
        entries.push(mine);
    }
    for parents in &patch.parents {
        let of = parents.map(|p| value(layer, entries[p as usize]));
        let mean: Vec<f32> = (0..layer.width)
            .map(|k| (of[0][k] + of[1][k] + of[2][k]) / 3.0)
            .collect();
        entries.push(add_entry(layer, mean));
    }
    Some(entries)
}
