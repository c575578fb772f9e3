//! Orientation of faces, so that neighbours agree and the normals of closed surfaces point outwards.

use super::inside::Insides;
use super::rebuild::turn_faces;
use super::sheets::Sheets;
use crate::mesh::TriMesh;
use glam::DVec3;

/// Counts of [`orient`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OrientReport {
    /// Faces that were turned over.
    pub turned: u64,
    /// Edges with two faces that no turning makes agree: the mesh is not orientable.
    pub conflicts: u64,
}

/// Counts of [`orient_outward`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OutwardReport {
    /// Components without a boundary.
    pub closed: u64,
    /// Closed components that were turned over as a whole.
    pub turned: u64,
    /// Closed components that are cavities: inside an odd number of others.
    pub cavities: u64,
    /// Components with a boundary, which stay as they are.
    pub open: u64,
}

/// Turns faces over so that those on both sides of an edge agree, in each set of faces connected through edges.
///
/// The larger part of a set's area stays as it is. If neither part has two thirds, and the set is nearly closed, its
/// normals come to point outwards. At edges with more than two faces the pairs are those of
/// [`split_non_manifold`](super::split_non_manifold).
pub fn orient(mesh: &mut TriMesh) -> OrientReport {
    let sheets = Sheets::new(mesh);
    turn_faces(mesh, &sheets.turned);
    OrientReport {
        turned: sheets.turned.iter().filter(|turned| **turned).count() as u64,
        conflicts: sheets.cuts,
    }
}

/// Flips closed components whose normals point the wrong way. Outwards is right, and inwards for a cavity, which is a
/// component inside an odd number of others. The faces of each should agree ([`orient`]).
pub fn orient_outward(mesh: &mut TriMesh) -> OutwardReport {
    let sheets = Sheets::new(mesh);
    let mut report = OutwardReport::default();
    let is_closed = sheets.closed();
    let mut number = vec![usize::MAX; mesh.faces.len()];
    let mut closed: Vec<Vec<u32>> = Vec::new();
    for (f, &sheet) in sheets.sheet.iter().enumerate() {
        let sheet = sheet as usize;
        if !is_closed[sheet] {
            report.open += u64::from(sheet == f);
            continue;
        }
        if sheet == f {
            number[sheet] = closed.len();
            closed.push(Vec::new());
        }
        closed[number[sheet]].push(f as u32);
    }
    report.closed = closed.len() as u64;
    let depth = Insides::new(mesh, &closed).depths();
    let mut turned = vec![false; mesh.faces.len()];
    for (faces, depth) in closed.iter().zip(depth) {
        let cavity = depth % 2 == 1;
        report.cavities += u64::from(cavity);
        let volume = volume(mesh, faces);
        if volume != 0.0 && (volume < 0.0) != cavity {
            report.turned += 1;
            faces.iter().for_each(|&f| turned[f as usize] = true);
        }
    }
    turn_faces(mesh, &turned);
    report
}

/// Returns six times the volume that closed faces enclose, negative if their normals point inwards.
fn volume(mesh: &TriMesh, faces: &[u32]) -> f64 {
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    let origin = faces
        .first()
        .map_or(DVec3::ZERO, |&f| x(mesh.faces[f as usize][0]));
    let six = |&f: &u32| {
        let [a, b, c] = mesh.faces[f as usize].map(|v| x(v) - origin);
        a.dot(b.cross(c))
    };
    faces.iter().map(six).sum()
}
