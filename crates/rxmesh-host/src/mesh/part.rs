//! A part of a mesh: some of its faces, with everything that belongs to them.

use super::{CornerLayer, ElementKind, Extras, NO_VALUE, Tag, TagKind, TriMesh};
use crate::par::IntoLean;
use rayon::prelude::*;
use std::ops::Range;

impl TriMesh {
    /// Returns the mesh of the faces that are kept and of their vertices, both in their order, with their data:
    /// columns, values of corners, groups and materials. Vertices without a face that is kept are left out.
    ///
    /// # Panics
    ///
    /// When `keep` has not one entry per face.
    pub fn with_faces(&self, keep: &[bool]) -> TriMesh {
        assert_eq!(keep.len(), self.faces.len(), "an entry a face");
        let faces: Vec<u32> = indices(keep);
        let mut used = vec![false; self.positions.len()];
        for &f in &faces {
            for v in self.faces[f as usize] {
                used[v as usize] = true;
            }
        }
        let vertices = indices(&used);
        let mut renamed = vec![NO_VALUE; used.len()];
        for (new, &old) in vertices.iter().enumerate() {
            renamed[old as usize] = new as u32;
        }
        self.part(&vertices, &faces, &renamed)
    }

    /// Returns a mesh for each label below `count`: the vertices with that label and their faces, both in their order,
    /// with their data.
    ///
    /// # Panics
    ///
    /// When `labels` has not one entry per vertex, one is `count` or more, or the vertices of a face have different
    /// ones.
    pub fn split(&self, labels: &[u32], count: usize) -> Vec<TriMesh> {
        assert_eq!(labels.len(), self.positions.len(), "an entry a vertex");
        let mut vertices = vec![Vec::new(); count];
        let mut renamed = vec![NO_VALUE; labels.len()];
        for (v, &label) in labels.iter().enumerate() {
            let of = &mut vertices[label as usize];
            renamed[v] = of.len() as u32;
            of.push(v as u32);
        }
        let mut faces = vec![Vec::new(); count];
        for (f, corners) in self.faces.iter().enumerate() {
            let [a, b, c] = corners.map(|v| labels[v as usize]);
            assert!(a == b && a == c, "face {f} is of several parts");
            faces[a as usize].push(f as u32);
        }
        let parts = vertices.par_iter().zip(&faces).lean();
        parts.map(|(v, f)| self.part(v, f, &renamed)).collect()
    }

    /// Returns the mesh of some vertices and faces, with the new numbers of the vertices.
    fn part(&self, vertices: &[u32], faces: &[u32], renamed: &[u32]) -> TriMesh {
        let face = |&f: &u32| self.faces[f as usize].map(|v| renamed[v as usize]);
        let corners = |layer: &CornerLayer| part_of_layer(layer, faces);
        let extras = &self.extras;
        let columns = extras.columns.iter().map(|c| match c.element {
            ElementKind::Vertex => c.gather(vertices),
            ElementKind::Face | ElementKind::Cell => c.gather(faces),
        });
        TriMesh {
            positions: vertices
                .iter()
                .map(|&v| self.positions[v as usize])
                .collect(),
            faces: faces.iter().map(face).collect(),
            extras: Extras {
                columns: columns.collect(),
                corner_texcoords: extras.corner_texcoords.as_ref().map(corners),
                corner_normals: extras.corner_normals.as_ref().map(corners),
                tags: part_of_tags(&extras.tags, faces),
                comments: extras.comments.clone(),
                materials: extras.materials.clone(),
            },
            placement: self.placement,
        }
    }
}

/// Returns the indices at which `which` is `true`.
fn indices(which: &[bool]) -> Vec<u32> {
    let at = which.iter().enumerate().filter(|(_, yes)| **yes);
    at.map(|(i, _)| i as u32).collect()
}

/// Returns the corners of some faces, which may come several times, and the entries that they name, in their order.
pub(crate) fn part_of_layer(layer: &CornerLayer, faces: &[u32]) -> CornerLayer {
    let corners_of = |f: u32| -> Range<usize> { 3 * f as usize..3 * f as usize + 3 };
    let corners = || {
        let corners = faces.iter().flat_map(|&f| &layer.corners[corners_of(f)]);
        corners.copied()
    };
    let mut entries: Vec<u32> = corners().filter(|&c| c != NO_VALUE).collect();
    entries.par_sort_unstable();
    entries.dedup();
    let renamed = |c: u32| entries.binary_search(&c).map_or(NO_VALUE, |i| i as u32);
    let value = |&e: &u32| &layer.values[e as usize * layer.width..][..layer.width];
    CornerLayer {
        width: layer.width,
        values: entries.iter().flat_map(value).copied().collect(),
        corners: corners().map(renamed).collect(),
    }
}

/// Returns the statements that still hold for a face of `faces` (ascending, repeats possible); those on the whole file
/// stay.
pub(crate) fn part_of_tags(tags: &[Tag], faces: &[u32]) -> Vec<Tag> {
    let at = |face: u32| faces.partition_point(|&f| f < face) as u32;
    let holds = |&(i, tag): &(usize, &Tag)| {
        let next = tags[i + 1..].iter().find(|t| t.kind == tag.kind);
        let end = next.map_or(faces.len() as u32, |t| at(t.face));
        tag.kind == TagKind::Library || at(tag.face) < end
    };
    let kept = tags.iter().enumerate().filter(holds);
    kept.map(|(_, tag)| Tag {
        face: at(tag.face),
        ..tag.clone()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Column, ColumnData, NORMAL};
    use glam::Vec3;

    /// Returns three triangles that share no vertex, and a vertex of no face between them.
    fn three() -> TriMesh {
        let positions = (0..10).map(|i| Vec3::splat(i as f32)).collect();
        let faces = vec![[0, 1, 2], [4, 5, 6], [7, 9, 8]];
        let mut mesh = TriMesh::new(positions, faces).unwrap();
        let column = |name: &str, element, width, data| Column {
            name: name.into(),
            element,
            width,
            data,
        };
        let rows = |n: u8, width: u8| ColumnData::U8((0..n * width).collect());
        for c in [
            column(NORMAL, ElementKind::Vertex, 3, rows(10, 3)),
            column("heat", ElementKind::Vertex, 1, rows(10, 1)),
            column("part", ElementKind::Face, 2, rows(3, 2)),
        ] {
            mesh.add_column(c).unwrap();
        }
        mesh.extras.corner_texcoords = Some(CornerLayer {
            width: 2,
            values: (0..8).map(|i| i as f32).collect(),
            corners: vec![0, 1, NO_VALUE, 1, 1, 1, 3, 0, 3],
        });
        let tag = |face, kind, text: &str| Tag {
            face,
            kind,
            text: text.into(),
        };
        mesh.extras.tags = vec![
            tag(0, TagKind::Library, "all.mtl"),
            tag(0, TagKind::Group, "first"),
            tag(0, TagKind::Material, "wood"),
            tag(1, TagKind::Group, "second"),
            tag(2, TagKind::Group, "third"),
        ];
        mesh.validate().unwrap();
        mesh
    }

    #[test]
    fn everything_of_the_kept_faces_stays() {
        let part = three().with_faces(&[false, true, true]);
        part.validate().unwrap();
        assert_eq!(part.faces, [[0, 1, 2], [3, 5, 4]]);
        let at: Vec<f32> = part.positions.iter().map(|p| p.x).collect();
        assert_eq!(at, [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let column = |element, name| &part.extras.column(element, name).unwrap().data;
        assert_eq!(
            column(ElementKind::Vertex, "heat"),
            &ColumnData::U8(vec![4, 5, 6, 7, 8, 9])
        );
        assert_eq!(
            column(ElementKind::Vertex, NORMAL),
            &ColumnData::U8((12..30).collect())
        );
        assert_eq!(
            column(ElementKind::Face, "part"),
            &ColumnData::U8(vec![2, 3, 4, 5])
        );
        let uv = part.extras.corner_texcoords.unwrap();
        assert_eq!(uv.values, [0.0, 1.0, 2.0, 3.0, 6.0, 7.0]);
        assert_eq!(uv.corners, [1, 1, 1, 2, 0, 2]);
        let tags: Vec<(u32, &str)> = part
            .extras
            .tags
            .iter()
            .map(|t| (t.face, &t.text[..]))
            .collect();
        assert_eq!(
            tags,
            [(0, "all.mtl"), (0, "wood"), (0, "second"), (1, "third")]
        );
    }

    #[test]
    fn values_that_no_corner_names_go() {
        let part = three().with_faces(&[true, false, false]);
        part.validate().unwrap();
        assert_eq!(part.vertex_count(), 3);
        let uv = part.extras.corner_texcoords.unwrap();
        assert_eq!(uv.values, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(uv.corners, [0, 1, NO_VALUE]);
        let groups: Vec<&str> = part.extras.tags.iter().map(|t| &t.text[..]).collect();
        assert_eq!(groups, ["all.mtl", "first", "wood"]);
    }

    #[test]
    fn all_faces_or_none() {
        let mesh = three();
        let all = mesh.with_faces(&[true; 3]);
        all.validate().unwrap();
        // The vertex of no face is gone, and entry 2, which no corner names.
        assert_eq!((all.vertex_count(), all.face_count()), (9, 3));
        assert_eq!(all.extras.tags, mesh.extras.tags);
        let none = mesh.with_faces(&[false; 3]);
        none.validate().unwrap();
        assert_eq!((none.vertex_count(), none.face_count()), (0, 0));
        assert_eq!(none.extras.tags.len(), 1);
    }
}
