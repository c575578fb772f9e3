//! One triangle into four, as a recipe for larger meshes of the same shape.

use super::{EdgeTable, MeshError, TriMesh, check_counts};
use glam::DVec3;
use rayon::prelude::*;

/// Where subdivision puts the new vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// In the middle of each edge; old vertices stay.
    Midpoint,
    /// By the masks of Loop (1987) with his original weights. Edges without exactly two faces use the midpoint, and
    /// their ends stay.
    Loop,
}

/// Divides every face into four, `levels` times. Extras do not survive.
///
/// New vertices follow the old ones, ordered by the edge they divide; the four children of face `f` are the faces
/// `4 f` to `4 f + 3`. Positions stay in double precision until the last level.
pub fn subdivide(mesh: &TriMesh, levels: u32, scheme: Scheme) -> Result<TriMesh, MeshError> {
    let factor = 4u64.checked_pow(levels).unwrap_or(u64::MAX);
    let faces = (mesh.faces.len() as u64).saturating_mul(factor);
    check_counts(mesh.positions.len() as u64, faces)?;
    mesh.validate()?;
    let mut points: Vec<DVec3> = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
    let mut faces = mesh.faces.clone();
    for _ in 0..levels {
        (points, faces) = level(points, faces, scheme)?;
    }
    let divided = TriMesh::new(points.par_iter().map(|p| p.as_vec3()).collect(), faces)?;
    Ok(TriMesh {
        placement: mesh.placement,
        ..divided
    })
}

fn level(
    points: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
    scheme: Scheme,
) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), MeshError> {
    let table = EdgeTable::new(&faces, points.len());
    check_counts((points.len() + table.len()) as u64, 4 * faces.len() as u64)?;
    if let Some(f) = table.edge_of.iter().position(|&e| e == u32::MAX) {
        let what = format!("face {} names a vertex twice and cannot be divided", f / 3);
        return Err(MeshError::Extras { what });
    }
    let first_new = points.len() as u32;
    let middles: Vec<DVec3> = (0..table.len())
        .into_par_iter()
        .map(|e| new_vertex(&points, &faces, &table, e, scheme))
        .collect();
    let mut next = match scheme {
        Scheme::Midpoint => points,
        Scheme::Loop => smoothed(&points, &table),
    };
    next.extend_from_slice(&middles);
    let children: Vec<[u32; 3]> = faces
        .par_iter()
        .enumerate()
        .flat_map_iter(|(i, &[a, b, c])| {
            let m = [0, 1, 2].map(|k| first_new + table.edge_of[3 * i + k]);
            [[a, m[0], m[2]], [m[0], b, m[1]], [m[2], m[1], c], m]
        })
        .collect();
    Ok((next, children))
}

fn new_vertex(
    p: &[DVec3],
    faces: &[[u32; 3]],
    table: &EdgeTable,
    e: usize,
    scheme: Scheme,
) -> DVec3 {
    let [a, b] = table.edges[e];
    let ends = p[a as usize] + p[b as usize];
    match (scheme, table.along(e)) {
        (Scheme::Loop, [g, h]) => {
            let opposite = |h: u32| p[faces[h as usize / 3][(h as usize + 2) % 3] as usize];
            0.375 * ends + 0.125 * (opposite(*g) + opposite(*h))
        }
        _ => 0.5 * ends,
    }
}

/// Old vertices under Loop's mask; ends of edges without exactly two faces stay.
fn smoothed(p: &[DVec3], table: &EdgeTable) -> Vec<DVec3> {
    let mut sum = vec![DVec3::ZERO; p.len()];
    let mut valence = vec![0u32; p.len()];
    let mut fixed = vec![false; p.len()];
    for (e, &[a, b]) in table.edges.iter().enumerate() {
        let (a, b) = (a as usize, b as usize);
        sum[a] += p[b];
        sum[b] += p[a];
        valence[a] += 1;
        valence[b] += 1;
        if table.along(e).len() != 2 {
            fixed[a] = true;
            fixed[b] = true;
        }
    }
    let moved = |v: usize| {
        let n = f64::from(valence[v].max(1));
        let c = 0.375 + 0.25 * (std::f64::consts::TAU / n).cos();
        let beta = (0.625 - c * c) / n;
        if fixed[v] || valence[v] == 0 {
            p[v]
        } else {
            (1.0 - n * beta) * p[v] + beta * sum[v]
        }
    };
    (0..p.len()).into_par_iter().map(moved).collect()
}
