//! Several meshes as one, so that every algorithm works on all of them at once.

use crate::mesh::{MeshError, Placement, SourceMaterials, Tag, TagKind, TriMesh, merge};
use crate::par::IntoLean;
use glam::DVec3;
use rayon::prelude::*;
use std::sync::Arc;

/// Several meshes joined to one, with the data needed to part them again.
///
/// Small meshes do not fill a GPU, and each launch costs the same for few faces and for many: joined, thousands of them
/// take hardly longer than one of their size. Nothing connects them, so that results for each vertex, edge or face are
/// the same as alone. Properties of a mesh as a whole go by the labels of the vertices:
/// [`simplify_batch`](crate::algo::improve::simplify::simplify_batch),
/// [`remesh_batch`](crate::algo::improve::remesh::remesh_batch) and
/// [`mean_curvature_flow_batch`](crate::algo::smooth::mcf::mean_curvature_flow_batch) take options for each mesh.
///
/// ```
/// # fn main() -> Result<(), rxmesh_host::Error> {
/// use rxmesh_host::batch::Batch;
/// use rxmesh_host::mesh::generate;
///
/// let meshes = vec![generate::icosphere(1)?, generate::torus(6, 8, 2.0, 0.5)?];
/// let counts: Vec<usize> = meshes.iter().map(|m| m.face_count()).collect();
/// let (mesh, batch) = Batch::join(meshes)?;
/// assert_eq!(mesh.face_count(), counts.iter().sum::<usize>());
/// let parts = batch.part(&mesh, &batch.labels());
/// assert_eq!(parts.iter().map(|m| m.face_count()).collect::<Vec<_>>(), counts);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Batch {
    members: Vec<JoinedMesh>,
    /// Columns that were left out because not all meshes have them, and the first mesh that has not.
    pub left_out: Vec<(String, usize)>,
}

/// Data of one of the joined meshes.
#[derive(Debug)]
struct JoinedMesh {
    vertices: usize,
    faces: usize,
    /// Frame that it had.
    home: Placement,
    /// Frame that its positions are given in.
    frame: Placement,
    comments: Vec<String>,
    materials: Option<Arc<SourceMaterials>>,
    /// `true` if the mesh has tags (groups, materials and so on).
    tagged: bool,
}

impl Batch {
    /// Joins meshes one after the other: vertices and faces in their order. Each lies near the origin, whatever its
    /// place in the world, in a unit of length that all share: a power of two near the size of the largest.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound, or more elements than 32-bit ids can name.
    pub fn join(mut meshes: Vec<TriMesh>) -> Result<(TriMesh, Batch), MeshError> {
        meshes.iter().try_for_each(TriMesh::validate)?;
        let homes: Vec<Placement> = meshes
            .par_iter_mut()
            .lean()
            .map(TriMesh::normalise)
            .collect();
        let scales = meshes.iter().filter(|m| !m.positions.is_empty());
        let scale = scales.map(|m| m.placement.scale).reduce(f64::max);
        let scale = scale.unwrap_or(1.0);
        let mut members = Vec::with_capacity(meshes.len());
        for (mesh, home) in meshes.iter_mut().zip(homes) {
            let frame = Placement {
                scale,
                ..mesh.placement
            };
            mesh.place(frame);
            // To the joined mesh all of them lie in the same place.
            mesh.placement = joint(scale);
            members.push(JoinedMesh {
                vertices: mesh.vertex_count(),
                faces: mesh.face_count(),
                home,
                frame,
                comments: std::mem::take(&mut mesh.extras.comments),
                materials: mesh.extras.materials.take(),
                tagged: !mesh.extras.tags.is_empty(),
            });
        }
        let merged = merge(meshes)?;
        let left_out = merged.left_out;
        Ok((merged.mesh, Batch { members, left_out }))
    }

    /// Returns the number of meshes.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns `true` if there is no mesh.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns for each vertex of the joined mesh the number of its mesh.
    pub fn labels(&self) -> Vec<u32> {
        let members = (0..).zip(&self.members);
        members
            .flat_map(|(label, m)| std::iter::repeat_n(label, m.vertices))
            .collect()
    }

    /// Returns for each face of the joined mesh the number of its mesh.
    pub fn face_labels(&self) -> Vec<u32> {
        let members = (0..).zip(&self.members);
        members
            .flat_map(|(label, m)| std::iter::repeat_n(label, m.faces))
            .collect()
    }

    /// Returns the scale from the unit of the joined mesh to the unit of the mesh's own frame.
    pub fn unit(&self, mesh: usize) -> f64 {
        self.members[mesh].frame.scale / self.members[mesh].home.scale
    }

    /// Parts the meshes again, each into the frame that it came in if that loses nothing ([`TriMesh::return_to`]).
    /// `labels` gives the mesh of each vertex of `joined`, which may have changed.
    ///
    /// # Panics
    ///
    /// As [`TriMesh::split`].
    pub fn part(&self, joined: &TriMesh, labels: &[u32]) -> Vec<TriMesh> {
        let mut parts = joined.split(labels, self.len());
        let each = parts.par_iter_mut().zip(&self.members).lean();
        each.for_each(|(mesh, member)| {
            mesh.place(joint(member.frame.scale));
            mesh.placement = member.frame;
            mesh.return_to(member.home);
            mesh.extras.comments.clone_from(&member.comments);
            mesh.extras.materials.clone_from(&member.materials);
            match member.tagged {
                true => drop_ends(&mut mesh.extras.tags),
                false => mesh.extras.tags.clear(),
            }
        });
        parts
    }
}

/// Returns the frame of the joined mesh.
fn joint(scale: f64) -> Placement {
    Placement {
        origin: DVec3::ZERO,
        scale,
    }
}

/// Drops tags that only end a statement of the preceding mesh.
fn drop_ends(tags: &mut Vec<Tag>) {
    let mut begun = Vec::new();
    tags.retain(|tag| {
        let ends = match tag.kind {
            TagKind::Smoothing => tag.text == "off",
            TagKind::Library => false,
            _ => tag.text.is_empty(),
        };
        let first = !begun.contains(&tag.kind);
        if first && ends {
            return false;
        }
        begun.push(tag.kind);
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;
    use glam::DAffine3;

    /// Meshes far from each other, of different sizes, with statements on faces: each comes back to the last bit.
    #[test]
    fn meshes_come_back_as_they_were() {
        let mut far = generate::icosphere(1).unwrap();
        let map = DAffine3::from_scale_rotation_translation(
            DVec3::splat(3.0),
            glam::DQuat::from_rotation_x(0.3),
            DVec3::new(5e5, 5.4e6, 10.0),
        );
        far.transform(&map).unwrap();
        let mut small = generate::torus(6, 8, 2.0, 0.5).unwrap();
        small
            .transform(&DAffine3::from_scale(DVec3::splat(1e-12)))
            .unwrap();
        small.extras.comments = vec!["scanned".into()];
        let mut tagged = generate::grid(2, 2).unwrap();
        for (face, text) in [(0, "wood"), (4, "stone")] {
            tagged.extras.tags.push(Tag {
                face,
                kind: TagKind::Material,
                text: text.into(),
            });
        }
        let meshes = vec![far, tagged, small, generate::grid(1, 1).unwrap()];
        let (joined, batch) = Batch::join(meshes.clone()).unwrap();
        assert!(joined.positions.iter().all(|p| p.length() < 16.0));
        let parts = batch.part(&joined, &batch.labels());
        assert_eq!(parts.len(), meshes.len());
        for (part, mesh) in parts.iter().zip(&meshes) {
            assert_eq!(part, mesh);
        }
        assert_eq!(batch.face_labels().len(), joined.face_count());
    }

    #[test]
    fn no_mesh_and_empty_meshes() {
        let (joined, batch) = Batch::join(vec![]).unwrap();
        assert!(batch.is_empty() && batch.part(&joined, &[]).is_empty());
        let meshes = vec![TriMesh::default(), generate::grid(1, 1).unwrap()];
        let (joined, batch) = Batch::join(meshes.clone()).unwrap();
        assert_eq!(batch.part(&joined, &batch.labels()), meshes);
    }
}
