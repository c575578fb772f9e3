//! Measures of a mesh as a surface and as the border of a solid.

use super::extent::extent;
use super::{EdgeTable, TriMesh};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Area, volume and centres, in doubles. The same on every run, with any number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Solid {
    /// Area of the faces, in squared length.
    pub area: f64,
    /// Signed volume of the cones from the middle of the bounding box to the faces, in cubed length: positive if
    /// normals point out. It depends on that middle unless the mesh is closed.
    pub volume: f64,
    /// `true` if each edge has equally many faces in both directions, so that the faces bound a solid.
    pub closed: bool,
    /// Centre of mass: of the solid if the mesh is closed and has a volume, else of the surface. `None` without area.
    pub centre: Option<[f64; 3]>,
}

units!(Solid {
    area: Area,
    volume: Volume,
    centre: Length
});

/// Faces that are added up by one thread: sums have a fixed order.
const CHUNK: usize = 1 << 14;

/// Sums over faces: area, area times centre, volume, volume times centre (both but for a factor).
#[derive(Clone, Copy, Default)]
struct FaceSums {
    area: f64,
    first: DVec3,
    volume: f64,
    solid: DVec3,
}

impl FaceSums {
    fn plus(self, other: FaceSums) -> FaceSums {
        FaceSums {
            area: self.area + other.area,
            first: self.first + other.first,
            volume: self.volume + other.volume,
            solid: self.solid + other.solid,
        }
    }

    fn face([a, b, c]: [DVec3; 3]) -> FaceSums {
        let area = 0.5 * (b - a).cross(c - a).length();
        let volume = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        FaceSums {
            area,
            first: sum * (area / 3.0),
            volume,
            solid: sum * (volume / 4.0),
        }
    }
}

/// Measures a mesh whose edges are known, in the unit of the world.
///
/// # Panics
///
/// When a face names a vertex that is not there.
pub fn solid(mesh: &TriMesh, edges: &EdgeTable) -> Solid {
    let (middle, sums) = sums(&mesh.positions, &mesh.faces);
    let closed = !edges.is_empty() && balanced(&mesh.faces, edges);
    let centre = if closed && sums.volume != 0.0 {
        Some(middle + sums.solid / sums.volume)
    } else {
        (sums.area > 0.0).then(|| middle + sums.first / sums.area)
    };
    let place = mesh.placement;
    let centre = centre.map(|c| place.origin + place.scale * c);
    Solid {
        area: sums.area * place.scale.powi(2),
        volume: sums.volume * place.scale.powi(3),
        closed,
        centre: centre.filter(|c| c.is_finite()).map(|c| c.to_array()),
    }
}

/// Returns the signed volume of the cones from the middle of the bounding box to the faces, in cubed length: that of
/// the solid for a closed mesh. In the positions' own unit.
///
/// # Panics
///
/// As [`solid`].
pub fn volume(positions: &[Vec3], faces: &[[u32; 3]]) -> f64 {
    sums(positions, faces).1.volume
}

/// Returns the middle of the bounding box, and the sums about it.
fn sums(positions: &[Vec3], faces: &[[u32; 3]]) -> (DVec3, FaceSums) {
    let middle = match extent(positions, faces.as_flattened()) {
        Some([low, high]) => (low + high) * 0.5,
        None => DVec3::ZERO,
    };
    let at = |v: u32| positions[v as usize].as_dvec3() - middle;
    let parts: Vec<FaceSums> = faces
        .par_chunks(CHUNK)
        .lean()
        .map(|part| {
            let each = part.iter().map(|f| FaceSums::face(f.map(at)));
            each.fold(FaceSums::default(), FaceSums::plus)
        })
        .collect();
    (
        middle,
        parts.into_iter().fold(FaceSums::default(), FaceSums::plus),
    )
}

/// Returns `true` if each edge has equally many faces in both directions.
fn balanced(faces: &[[u32; 3]], table: &EdgeTable) -> bool {
    (0..table.len()).into_par_iter().lean().all(|e| {
        let start = table.edges[e][0];
        let forward = |&&h: &&u32| faces[h as usize / 3][h as usize % 3] == start;
        let along = table.along(e);
        2 * along.iter().filter(forward).count() == along.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Placement, TriMesh, generate};

    fn of(mesh: &TriMesh) -> Solid {
        let edges = EdgeTable::new(&mesh.faces, mesh.vertex_count());
        solid(mesh, &edges)
    }

    #[test]
    fn a_cylinder_far_away() {
        let mut mesh = generate::cylinder(256, 8, 2.0, 3.0, true).unwrap();
        for p in &mut mesh.positions {
            *p += Vec3::new(64.0, -32.0, 16.0);
        }
        let s = of(&mesh);
        let n = 256.0;
        let disk = 0.5 * n * 4.0 * (std::f64::consts::TAU / n).sin();
        assert!(s.closed);
        assert!((s.volume / (3.0 * disk) - 1.0).abs() < 1e-5, "{s:?}");
        let side = n * 2.0 * 2.0 * (std::f64::consts::PI / n).sin() * 3.0;
        assert!((s.area / (2.0 * disk + side) - 1.0).abs() < 1e-5, "{s:?}");
        let centre = DVec3::from_array(s.centre.unwrap());
        let [low, high] = mesh.bounding_box().unwrap().map(DVec3::from_array);
        assert!(centre.distance((low + high) * 0.5) < 1e-4, "{s:?}");
        // In the world, wherever positions are counted from.
        mesh.place(Placement {
            origin: DVec3::new(64.0, 0.0, 0.0),
            scale: 0.25,
        });
        let placed = of(&mesh);
        assert!((placed.volume / s.volume - 1.0).abs() < 1e-9);
        assert!((placed.area / s.area - 1.0).abs() < 1e-9);
        assert!(centre.distance(DVec3::from_array(placed.centre.unwrap())) < 1e-9);
    }

    #[test]
    fn what_is_open_has_the_centre_of_its_surface() {
        let mut mesh = generate::icosphere(3).unwrap();
        let whole = of(&mesh);
        assert!(whole.closed && whole.volume > 4.0);
        mesh.faces.iter_mut().for_each(|f| f.swap(0, 1));
        let inverted = of(&mesh);
        assert!((inverted.volume + whole.volume).abs() < 1e-9 && inverted.closed);
        // One face the other way round: each of its edges is passed twice in one direction.
        mesh.faces[0].swap(0, 1);
        assert!(!of(&mesh).closed);
        let open = of(&generate::grid(3, 2).unwrap());
        assert!(!open.closed && (open.area - 1.0).abs() < 1e-6);
        let centre = open.centre.unwrap();
        assert!((centre[0] - 0.5).abs() < 1e-6 && (centre[1] - 0.5).abs() < 1e-6);
        assert_eq!(of(&TriMesh::default()).centre, None);
    }
}
