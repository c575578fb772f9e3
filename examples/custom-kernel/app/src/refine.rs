//! More triangles where the cloth bends: the operator of this project, run by a session, and checked on the host.

use std::collections::HashMap;

use cloth_kernels::Refine;
use rxmesh_host::Vec3;
use rxmesh_host::edit::{RunReport, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, quality};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;

use crate::Result;

/// Thresholds of the refinement.
pub(crate) struct RefineOptions {
    /// Length up to which an edge is not split.
    length: f32,
    /// Cosine of the angle between the normals of an edge's faces above which it is not split.
    flat: f32,
}

impl RefineOptions {
    /// For a cloth: half of its mean edge, and a bend of three degrees.
    pub(crate) fn of(mesh: &TriMesh) -> RefineOptions {
        RefineOptions {
            length: 0.5 * quality(mesh).edge_length.mean as f32,
            flat: 3f32.to_radians().cos(),
        }
    }
}

/// Refined mesh and the report of the run.
pub(crate) struct RefinedMesh {
    pub(crate) mesh: TriMesh,
    pub(crate) report: RunReport,
}

/// Splits edges until none is long where the cloth bends.
pub(crate) fn refine(
    engine: &Engine,
    mesh: &TriMesh,
    options: &RefineOptions,
    patch_size: u32,
) -> Result<RefinedMesh> {
    let patches = PatchOptions::default().with(|o| {
        o.patch_size = patch_size;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &patches)?;
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    // A mesh that is to change is opened as a session, which takes attributes along as columns.
    let mut session = Session::open(&rx)?;
    let x = session.attach(&x)?;
    // SAFETY: positions are a column of the session's vertices, as `Refine` wants them.
    let report = unsafe {
        session.run_operator(1000, |s| {
            Ok(Refine {
                x: s.write(x)?,
                longest: options.length * options.length,
                flat: options.flat,
            })
        })?
    };
    let wrong = session.validate()?;
    if let Some(first) = wrong.first() {
        return Err(format!("{} violations, first {first:?}", wrong.len()).into());
    }
    let (mesh, _) = session.to_mesh(x)?;
    Ok(RefinedMesh { mesh, report })
}

/// Checks the number of splits against naive code, and that the surface is the same.
///
/// A split leaves its faces in their planes. So an edge bends before as after, the edges across the faces are flat, and
/// an edge is split into as many parts as it takes, whatever happens around it. Rounding decides about edges that are
/// at a limit to a few digits: there may be fewer or more of these.
pub(crate) fn check(
    before: &TriMesh,
    refined: &RefinedMesh,
    options: &RefineOptions,
) -> Result<()> {
    let (least, most) = (
        splits(before, options, 1e-4),
        splits(before, options, -1e-4),
    );
    let done = refined.report.done;
    if !refined.report.finished || !(least..=most).contains(&done) {
        return Err(format!("{done} splits, but {least} to {most} are expected").into());
    }
    let after = &refined.mesh;
    let more = after.vertex_count() - before.vertex_count();
    if more as u64 != done {
        return Err(format!("{more} vertices more, but {done} splits").into());
    }
    let (a, b) = (area(before), area(after));
    if (a - b).abs() > 1e-5 * a {
        return Err(format!("the area was {a} and is {b}").into());
    }
    Ok(())
}

/// Splits of edges that are longer and bend more than the limits by some part.
fn splits(mesh: &TriMesh, options: &RefineOptions, part: f32) -> u64 {
    let at = |v: u32| mesh.positions[v as usize];
    let mut faces: HashMap<[u32; 2], Vec<Vec3>> = HashMap::new();
    for f in &mesh.faces {
        let normal = (at(f[1]) - at(f[0]))
            .cross(at(f[2]) - at(f[0]))
            .normalize_or_zero();
        for k in 0..3 {
            let (a, b) = (f[k], f[(k + 1) % 3]);
            faces.entry([a.min(b), a.max(b)]).or_default().push(normal);
        }
    }
    let of_edge = |(&[a, b], normals): (&[u32; 2], &Vec<Vec3>)| {
        let bends = matches!(normals[..], [n, m] if n.dot(m) < options.flat - part * 0.01);
        let mut length = at(a).distance(at(b));
        let mut parts = 1u64;
        while bends && length > options.length * (1.0 + part) {
            (length, parts) = (length * 0.5, parts * 2);
        }
        parts - 1
    };
    faces.iter().map(of_edge).sum()
}

fn area(mesh: &TriMesh) -> f64 {
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let double = |f: &[u32; 3]| (at(f[1]) - at(f[0])).cross(at(f[2]) - at(f[0])).length();
    mesh.faces.iter().map(double).sum::<f64>() * 0.5
}
