//! Normals of face corners: one for each side of infinitely sharp edges.
//!
//! The mesh is cut along those edges. The surface of the cut mesh has the same faces, and several points for each point
//! of the original surface on such an edge. With the positions of the latter its limit normals are one-sided.

use crate::parts::{next_corners, parts};
use crate::refine::{held, without};
use crate::seams::Seams;
use crate::{Boundary, HostMesh, Options, Subdivision};
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_host::mesh::{CornerLayer, PolyMesh};
use rxmesh_subdivision_kernels::topology::NONE;
use std::collections::HashSet;

/// Computes the normals of all corners of a surface's faces, from its positions and its normals at vertices; `parents`
/// are the base faces of its faces.
pub(crate) fn split(
    surface: &Subdivision,
    mesh: &PolyMesh,
    options: &Options,
    values: &Buffer<f32>,
    normals: &[f32],
    parents: &[u32],
) -> Result<CornerLayer, Error> {
    let engine = surface.mesh().engine();
    let base = surface.mesh().to_host()?;
    let own = cut(mesh, &base, options.boundary);
    // All faces: holes are neighbours of others, too.
    let options = Options {
        boundary: Boundary::EdgeOnly,
        ..*options
    };
    let whole = PolyMesh {
        positions: mesh.positions.clone(),
        faces: mesh.faces.clone(),
        corners: mesh.corners.clone(),
        sharp_edges: mesh.sharp_edges.clone(),
        ..PolyMesh::default()
    };
    let points = Subdivision::new(engine, &whole, &options)?.faces_to_host()?;
    let cut = Subdivision::new(engine, &own, &options)?;
    let corners = cut.faces_to_host()?;

    // Original point of each point of the cut surface, and the number of copies.
    let mut origins = vec![NONE; cut.vertex_count() as usize];
    let mut copies = vec![0; surface.vertex_count() as usize];
    for (&own, &point) in corners.iter().zip(&points) {
        if origins[own as usize] == NONE {
            origins[own as usize] = point;
            copies[point as usize] += 1;
        }
    }
    let values = values.read()?;
    let at = |point: u32| 3 * point as usize..3 * point as usize + 3;
    let spread = |from: &[f32]| -> Vec<f32> {
        let all = origins.iter().map(|&point| &from[at(point)]);
        all.flatten().copied().collect()
    };
    let own_values = engine.upload(&spread(&values))?;
    let n = own_values.len();
    let (mut limits, mut one_sided) = (engine.zeroed(n)?, engine.zeroed(n)?);
    cut.limit(&own_values, &mut limits, &mut one_sided)?;
    let one_sided = one_sided.read()?;
    let mut all = spread(normals);
    for (own, &point) in origins.iter().enumerate() {
        if copies[point as usize] > 1 {
            all[at(own as u32)].copy_from_slice(&one_sided[at(own as u32)]);
        }
    }

    // Without the faces that are not part of the surface.
    let left_out: HashSet<u32> = without(mesh.face_count(), parents).into_iter().collect();
    let mut left = Vec::with_capacity(corners.len());
    let mut first = 0;
    for face in 0..cut.face_count() {
        let parent = cut.parent(face);
        let size = cut
            .face_size()
            .unwrap_or(mesh.face(parent as usize).len() as u32) as usize;
        if !left_out.contains(&parent) {
            left.extend(&corners[first..first + size]);
        }
        first += size;
    }
    Ok(CornerLayer {
        width: 3,
        values: all,
        corners: left,
    })
}

/// Cuts the mesh along the infinitely sharp edges. Vertices where three or more of these meet are corners.
fn cut(mesh: &PolyMesh, base: &HostMesh, boundary: Boundary) -> PolyMesh {
    let seams = Seams::new(mesh, base);
    let next = next_corners(mesh);
    let ends = |h: usize| [mesh.corners[h], mesh.corners[next[h]]];
    let is_sharp = |h: usize| seams.sharpness(ends(h)) >= PolyMesh::SHARP;
    let roots = parts(mesh, &base.twins, is_sharp);
    let mut sharp = vec![0; mesh.vertex_count()];
    for h in 0..next.len() {
        let twin = base.twins[h];
        // Each edge once, by its only or lower half-edge: no half-edge is larger than `NONE`.
        if h < twin as usize && (twin == NONE || is_sharp(h)) {
            ends(h).iter().for_each(|&v| sharp[v as usize] += 1);
        }
    }
    let mut ids = vec![NONE; roots.len()];
    let mut count = 0;
    let mut corners = Vec::with_capacity(roots.len());
    for root in roots {
        let id = &mut ids[root as usize];
        if *id == NONE {
            *id = count;
            count += 1;
        }
        corners.push(*id);
    }
    let mut own = PolyMesh {
        positions: vec![rxmesh_host::Vec3::ZERO; count as usize],
        faces: mesh.faces.clone(),
        corners,
        ..PolyMesh::default()
    };
    let mut corners = held(base, boundary);
    corners.extend((0..sharp.len() as u32).filter(|&v| sharp[v as usize] > 2));
    seams.sharpen(&mut own, &corners);
    own
}
