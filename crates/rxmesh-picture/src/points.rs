//! Points as small balls, for meshes without faces.

use glam::Vec3;
use rxmesh_host::mesh::{ElementKind, Extras, MeshError};
use rxmesh_host::{TriMesh, generate};

/// Most points that are drawn as round balls; of more each has few pixels.
const ROUND: usize = 20_000;
/// Radius of a ball over the distance that points on a surface have on average.
const SIZE: f32 = 0.45;

/// Returns a mesh with a ball around each point, with the point's columns.
pub(crate) fn balls(points: &TriMesh) -> Result<TriMesh, MeshError> {
    let ball = match points.positions.len() <= ROUND {
        true => generate::icosphere(2)?,
        false => octahedron(),
    };
    let of_ball = ball.positions.len();
    let radius = radius(&points.positions);
    let rows: Vec<u32> = (0..points.positions.len() as u32)
        .flat_map(|v| std::iter::repeat_n(v, of_ball))
        .collect();
    let columns = points
        .extras
        .columns
        .iter()
        .filter(|c| c.element == ElementKind::Vertex);
    let around = |p: &Vec3| {
        let p = *p;
        ball.positions.iter().map(move |q| p + *q * radius)
    };
    let faces = |v: usize| {
        let first = (v * of_ball) as u32;
        ball.faces.iter().map(move |f| f.map(|c| first + c))
    };
    let mesh = TriMesh {
        positions: points.positions.iter().flat_map(around).collect(),
        faces: (0..points.positions.len()).flat_map(faces).collect(),
        extras: Extras {
            columns: columns.map(|c| c.gather(&rows)).collect(),
            ..Extras::default()
        },
        placement: points.placement,
    };
    mesh.validate()?;
    Ok(mesh)
}

/// Returns the radius of the balls.
fn radius(points: &[Vec3]) -> f32 {
    let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let size = (high.as_dvec3() - low.as_dvec3()).length();
    let radius = f64::from(SIZE) * size / (points.len() as f64).sqrt();
    // Steps of floats far from the origin are larger than a ball.
    let largest = low.abs().max(high.abs()).max_element();
    match radius > 0.0 {
        true => (radius as f32)
            .min(0.05 * size as f32)
            .max(8.0 * f32::EPSILON * largest),
        false => (0.1 * largest).max(1.0),
    }
}

fn octahedron() -> TriMesh {
    let positions = vec![
        Vec3::X,
        Vec3::Y,
        Vec3::NEG_X,
        Vec3::NEG_Y,
        Vec3::Z,
        Vec3::NEG_Z,
    ];
    let side = |k: u32| [[k, (k + 1) % 4, 4], [(k + 1) % 4, k, 5]];
    TriMesh {
        positions,
        faces: (0..4).flat_map(side).collect(),
        ..TriMesh::default()
    }
}
