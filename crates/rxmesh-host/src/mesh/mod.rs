//! Meshes as they lie in files: positions, faces, and their other data.
//!
//! [`TriMesh`] is the input of the patcher; [`PolyMesh`] has polygons, from which surfaces are made; [`TetMesh`] fills
//! a volume. [`check()`] finds the defects of one, [`generate`] makes some.

mod check;
mod cut;
mod cutter;
mod digits;
mod edges;
mod error;
mod extent;
mod extras;
mod face_list;
pub mod generate;
mod material_look;
mod merge;
mod name;
mod order;
mod part;
mod placement;
mod points;
mod poly;
mod polygon;
mod quads;
mod quality;
mod rng;
mod section;
mod sets;
mod sharpen;
mod solid;
mod source_materials;
mod split_seams;
#[cfg(test)]
mod tests;
mod tet;
mod transform;
mod volumes;
mod wedges;

pub use check::{
    CheckReport, Deviation, EdgeLengths, FacePairs, Findings, PolygonCounts, PolygonReport,
    SLIVER_DEGREES, TetReport, Valence, Worst, check, check_poly, check_tets, intersection_pairs,
    self_intersection_pairs, self_intersections, self_intersections_poly,
};
pub(crate) use cut::CREASE;
pub use cut::{HOLE, SHARPNESS};
pub(crate) use digits::{CoordinateText, Digits};
pub use edges::EdgeTable;
pub(crate) use edges::is_proper;
pub use error::MeshError;
pub use extent::UsedVertices;
pub(crate) use extent::{box_of_corners, diagonal};
pub use extras::{
    COLOR, Column, ColumnData, CornerLayer, ElementKind, Extras, NO_VALUE, NORMAL, Tag, TagKind,
};
pub(crate) use extras::{each_type, is_free_name};
pub use material_look::{BaseTexture, MaterialImage, MaterialLook, TextureWrap};
pub use merge::{Merged, merge};
pub(crate) use name::shown_name;
pub use name::{bytes_of_name, name_of_bytes};
pub use order::{Order, Reordering};
pub(crate) use part::{part_of_layer, part_of_tags};
pub use placement::Placement;
pub(crate) use placement::{bounding_box, may_need_placement, placement_of, placement_of_points};
pub use points::round_points;
pub(crate) use points::{frame_of, place_bits};
pub use poly::{Faces, PolyMesh, SharpEdge, SharpVertex};
pub use quality::{Quality, Spread, quality};
pub use rng::Rng;
pub use section::{Section, section};
pub(crate) use sets::Sets;
pub use solid::{Solid, solid, volume};
pub use source_materials::SourceMaterials;
pub(crate) use source_materials::{ImageContent, SourceSkin, SourceSkins};
pub use split_seams::{PIECE, SplitSeams};
pub use tet::{CELL_FACES, MAX_CELLS, TetMesh, VolumeBoundary};
pub use wedges::Wedges;
pub(crate) use wedges::entry_bits;

use crate::par::position_first;
use glam::Vec3;

/// Most vertices a mesh may have: the id 2^32 - 1 means "none".
pub const MAX_VERTICES: usize = u32::MAX as usize;
/// Most faces a mesh may have: three edges a face must fit into 32-bit ids in the worst case.
pub const MAX_FACES: usize = (u32::MAX / 3) as usize;

/// A triangle mesh: vertices and faces in the order of the file, indices from 0.
///
/// The fields are open because most code only reads them. Code that changes them has to keep
/// [`validate`](Self::validate) true, which every consumer at a module border calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriMesh {
    /// Positions of the vertices, in the frame that `placement` puts into the world.
    pub positions: Vec<Vec3>,
    /// Three vertices per face.
    pub faces: Vec<[u32; 3]>,
    /// Other data of the file, or computed for the mesh.
    pub extras: Extras,
    /// Frame of the positions in the world. Files that are far from the origin, and whose coordinates have more digits
    /// than 32-bit floats hold there, are read into a local frame; for all others this is the world itself.
    pub placement: Placement,
}

impl TriMesh {
    /// Makes a mesh without extras after checking it.
    pub fn new(positions: Vec<Vec3>, faces: Vec<[u32; 3]>) -> Result<TriMesh, MeshError> {
        let mesh = TriMesh {
            positions,
            faces,
            ..TriMesh::default()
        };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Checks counts, placement, indices, positions and the lengths of all extras; names the first offender.
    pub fn validate(&self) -> Result<(), MeshError> {
        check_counts(self.positions.len() as u64, self.faces.len() as u64)?;
        self.placement.validate()?;
        let bad = position_first(&self.positions, |p| !p.is_finite());
        if let Some(vertex) = bad {
            return Err(MeshError::NotFinite {
                vertex,
                position: self.positions[vertex].to_array(),
            });
        }
        let vertices = self.positions.len();
        let outside = |f: &[u32; 3]| f[0].max(f[1]).max(f[2]) as usize >= vertices;
        if let Some(face) = position_first(&self.faces, outside) {
            let index = *self.faces[face]
                .iter()
                .find(|&&v| v as usize >= vertices)
                .unwrap_or(&0);
            return Err(MeshError::IndexOutOfRange {
                face,
                index,
                vertices,
            });
        }
        self.extras
            .validate(vertices, 3 * self.faces.len(), &Faces::Same(3))
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Returns the number of faces.
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }
}

/// Refuses counts that 32-bit ids cannot name.
pub(crate) fn check_counts(vertices: u64, faces: u64) -> Result<(), MeshError> {
    for (what, asked, limit) in [
        ("vertices", vertices, MAX_VERTICES as u64),
        ("faces", faces, MAX_FACES as u64),
    ] {
        if asked > limit {
            return Err(MeshError::TooLarge { what, asked, limit });
        }
    }
    Ok(())
}
