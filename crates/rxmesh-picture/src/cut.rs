//! Meshes cut open by a plane, so that the inside is seen.

use glam::Vec3;
use rxmesh_host::mesh::{ElementKind, Extras};
use rxmesh_host::{TetMesh, TriMesh};

/// Plane across an axis. Elements whose middle lies beyond it are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutPlane {
    /// Axis that the plane crosses: 0, 1 or 2.
    pub axis: usize,
    /// Place of the plane along the mesh's box, from 0 to 1.
    pub at: f64,
    /// `true` if the elements above the plane are left out, else those below.
    pub above: bool,
}

impl CutPlane {
    /// Returns, for each element, whether it stays.
    fn keeps<const N: usize>(&self, positions: &[Vec3], elements: &[[u32; N]]) -> Vec<bool> {
        let along = |v: u32| f64::from(positions[v as usize][self.axis]);
        let corners = || elements.iter().flatten().map(|&v| along(v));
        let low = corners().fold(f64::INFINITY, f64::min);
        let high = corners().fold(f64::NEG_INFINITY, f64::max);
        let plane = low + self.at * (high - low);
        let keep = |element: &[u32; N]| {
            let middle = element.iter().map(|&v| along(v)).sum::<f64>() / N as f64;
            (middle <= plane) == self.above
        };
        elements.iter().map(keep).collect()
    }

    /// Returns the faces of a surface on the side that stays.
    pub fn surface(&self, mesh: &TriMesh) -> TriMesh {
        mesh.with_faces(&self.keeps(&mesh.positions, &mesh.faces))
    }

    /// Returns the boundary of the cells of a volume on the side that stays: whole cells, so that they can be seen.
    pub fn volume(&self, mesh: &TetMesh) -> TriMesh {
        let keep = self.keeps(&mesh.positions, &mesh.cells);
        let kept: Vec<u32> = (0..keep.len() as u32)
            .filter(|&c| keep[c as usize])
            .collect();
        let columns = mesh
            .extras
            .columns
            .iter()
            .map(|column| match column.element {
                ElementKind::Cell => column.gather(&kept),
                _ => column.clone(),
            });
        let part = TetMesh {
            positions: mesh.positions.clone(),
            cells: kept.iter().map(|&c| mesh.cells[c as usize]).collect(),
            extras: Extras {
                columns: columns.collect(),
                ..Extras::default()
            },
            placement: mesh.placement,
        };
        part.boundary().surface
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_host::generate;

    #[test]
    fn half_of_a_ball_stays() {
        let ball = generate::tet_ball(3).unwrap();
        let cut = CutPlane {
            axis: 0,
            at: 0.5,
            above: true,
        };
        let half = cut.volume(&ball);
        half.validate().unwrap();
        let whole = ball.boundary().surface;
        assert!(half.positions.iter().all(|p| p.x < 0.5));
        // The open side has faces, too.
        assert!(2 * half.face_count() > whole.face_count());
        let shell = cut.surface(&whole);
        assert!(2 * shell.face_count() <= whole.face_count() + 8);
        let other = CutPlane {
            above: false,
            ..cut
        }
        .surface(&whole);
        assert_eq!(shell.face_count() + other.face_count(), whole.face_count());
    }
}
