//! Several meshes as one.

use super::{
    Column, ColumnData, CornerLayer, ElementKind, Extras, MeshError, NO_VALUE, SourceMaterials,
    Tag, TagKind, TriMesh, check_counts, each_type, placement_of,
};
use glam::DVec3;
use std::sync::Arc;

/// Several meshes as one.
#[derive(Debug)]
pub struct Merged {
    /// Mesh of all parts.
    pub mesh: TriMesh,
    /// Columns that were left out, and for each the first mesh without such a column.
    pub left_out: Vec<(String, usize)>,
    /// Largest shift of a vertex along an axis: 32-bit floats near the origin of one mesh are not those near the origin
    /// of all.
    pub moved: f64,
}

/// Appends meshes to each other, each at its place in the world: vertices and faces in their order, nothing joined.
/// Columns that all meshes with such elements have, with the same name, width and type, are kept. Values of corners are
/// kept if any mesh has them, and statements on faces hold for the faces of their own mesh.
///
/// # Errors
///
/// A mesh that is not sound, or more elements than 32-bit ids can name.
pub fn merge(mut parts: Vec<TriMesh>) -> Result<Merged, MeshError> {
    parts.iter().try_for_each(TriMesh::validate)?;
    let total = |count: fn(&TriMesh) -> usize| parts.iter().map(count).sum::<usize>();
    check_counts(
        total(TriMesh::vertex_count) as u64,
        total(TriMesh::face_count) as u64,
    )?;
    let moved = to_one_place(&mut parts);
    let mut mesh = TriMesh {
        placement: parts.first().map_or_else(Default::default, |p| p.placement),
        ..TriMesh::default()
    };
    for part in &parts {
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(&part.positions);
        let shifted = part.faces.iter().map(|f| f.map(|v| v + first));
        mesh.faces.extend(shifted);
    }
    let (columns, left_out) = columns(&parts);
    mesh.extras = Extras {
        columns,
        corner_texcoords: layer(&parts, |e| e.corner_texcoords.as_ref()),
        corner_normals: layer(&parts, |e| e.corner_normals.as_ref()),
        tags: tags(&parts),
        comments: comments(&parts),
        materials: materials(&parts),
    };
    mesh.validate()?;
    Ok(Merged {
        mesh,
        left_out,
        moved,
    })
}

/// Gives all meshes one frame. Returns the largest move of a vertex.
fn to_one_place(parts: &mut [TriMesh]) -> f64 {
    let Some(first) = parts.first().map(|p| p.placement) else {
        return 0.0;
    };
    if parts.iter().all(|p| p.placement == first) {
        return 0.0;
    }
    let boxes = parts.iter().filter_map(TriMesh::bounding_box);
    let boxes = boxes.map(|b| b.map(DVec3::from_array));
    let union = |[a, b]: [DVec3; 2], [c, d]: [DVec3; 2]| [a.min(c), b.max(d)];
    let to = boxes
        .reduce(union)
        .map_or(first, |[low, high]| placement_of(low, high));
    let moves = parts.iter_mut().map(|p| p.place(to));
    moves.fold(0.0, f64::max)
}

fn rows(mesh: &TriMesh, element: ElementKind) -> usize {
    match element {
        ElementKind::Vertex => mesh.positions.len(),
        ElementKind::Face | ElementKind::Cell => mesh.faces.len(),
    }
}

/// Returns the columns that all meshes have, and the names of the others.
fn columns(parts: &[TriMesh]) -> (Vec<Column>, Vec<(String, usize)>) {
    let (mut kept, mut left_out) = (Vec::<Column>::new(), Vec::new());
    let mut seen: Vec<(ElementKind, &str)> = Vec::new();
    for column in parts.iter().flat_map(|p| &p.extras.columns) {
        let key = (column.element, &column.name[..]);
        // A column without rows is of any type.
        if seen.contains(&key) || column.data.is_empty() {
            continue;
        }
        seen.push(key);
        match joined(parts, column) {
            Ok(column) => kept.push(column),
            Err(part) => left_out.push((format!("{} column '{}'", key.0, key.1), part)),
        }
    }
    (kept, left_out)
}

/// Returns one column of all meshes, or the first mesh that has no such column.
fn joined(parts: &[TriMesh], like: &Column) -> Result<Column, usize> {
    let mut all = Column {
        data: like.data.empty(),
        name: like.name.clone(),
        ..*like
    };
    for (i, part) in parts.iter().enumerate() {
        if rows(part, like.element) == 0 {
            continue;
        }
        let column = part.extras.column(like.element, &like.name);
        let column = column.filter(|c| c.width == like.width).ok_or(i)?;
        if !all.data.append(&column.data) {
            return Err(i);
        }
    }
    Ok(all)
}

impl ColumnData {
    /// Returns no values of the same type.
    fn empty(&self) -> ColumnData {
        fn same<T>(_: &[T]) -> Vec<T> {
            Vec::new()
        }
        match self {
            ColumnData::I8(v) => ColumnData::I8(same(v)),
            ColumnData::U8(v) => ColumnData::U8(same(v)),
            ColumnData::I16(v) => ColumnData::I16(same(v)),
            ColumnData::U16(v) => ColumnData::U16(same(v)),
            ColumnData::I32(v) => ColumnData::I32(same(v)),
            ColumnData::U32(v) => ColumnData::U32(same(v)),
            ColumnData::F32(v) => ColumnData::F32(same(v)),
            ColumnData::F64(v) => ColumnData::F64(same(v)),
        }
    }

    /// Appends values of the same type; `false` for another type.
    fn append(&mut self, other: &ColumnData) -> bool {
        fn vector<T: 'static>(of: &dyn std::any::Any) -> Option<&Vec<T>> {
            of.downcast_ref()
        }
        each_type!(self, v => match each_type!(other, o => vector(o as &dyn std::any::Any)) {
            Some(more) => {
                v.extend(more);
                true
            }
            None => false,
        })
    }
}

/// Joins the values of corners of all meshes; corners of those without have none.
fn layer<'a>(
    parts: &'a [TriMesh],
    of: impl Fn(&'a Extras) -> Option<&'a CornerLayer>,
) -> Option<CornerLayer> {
    let width = parts
        .iter()
        .filter_map(|p| of(&p.extras))
        .map(|l| l.width)
        .min()?;
    let mut all = CornerLayer {
        width,
        values: Vec::new(),
        corners: Vec::new(),
    };
    for part in parts {
        let Some(layer) = of(&part.extras) else {
            let corners = all.corners.len() + 3 * part.faces.len();
            all.corners.resize(corners, NO_VALUE);
            continue;
        };
        let first = all.entries() as u32;
        // A third coordinate that not all have goes.
        for entry in layer.values.chunks_exact(layer.width) {
            all.values.extend(&entry[..width]);
        }
        let shifted = layer.corners.iter().map(|&c| match c {
            NO_VALUE => NO_VALUE,
            c => c + first,
        });
        all.corners.extend(shifted);
    }
    Some(all)
}

/// Collects the statements on faces. A statement that holds at the end of a mesh is ended before the next one.
fn tags(parts: &[TriMesh]) -> Vec<Tag> {
    const ENDS: [(TagKind, &str); 4] = [
        (TagKind::Object, ""),
        (TagKind::Group, ""),
        (TagKind::Material, ""),
        (TagKind::Smoothing, "off"),
    ];
    let (mut all, mut first) = (Vec::<Tag>::new(), 0);
    for part in parts.iter().filter(|p| !p.faces.is_empty()) {
        let own = &part.extras.tags;
        for (kind, text) in ENDS {
            let begun = all.iter().rev().find(|t| t.kind == kind);
            let holds = begun.is_some_and(|t| t.text != text);
            if holds && !own.iter().any(|t| t.kind == kind && t.face == 0) {
                all.push(Tag {
                    face: first,
                    kind,
                    text: text.into(),
                });
            }
        }
        for tag in own {
            let known = tag.kind == TagKind::Library
                && all.iter().any(|t| t.kind == tag.kind && t.text == tag.text);
            if !known {
                all.push(Tag {
                    face: tag.face + first,
                    ..tag.clone()
                });
            }
        }
        first += part.faces.len() as u32;
    }
    all
}

/// Returns the materials if all meshes that have any have the same.
fn materials(parts: &[TriMesh]) -> Option<Arc<SourceMaterials>> {
    let mut all = parts.iter().filter_map(|p| p.extras.materials.as_ref());
    let first = all.next()?;
    let same = |m: &Arc<SourceMaterials>| Arc::ptr_eq(m, first) || m == first;
    all.all(same).then(|| first.clone())
}

/// Returns all comments, each once.
fn comments(parts: &[TriMesh]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for comment in parts.iter().flat_map(|p| &p.extras.comments) {
        if !all.contains(comment) {
            all.push(comment.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    fn part(heat: bool, material: Option<&str>) -> TriMesh {
        let mut mesh = generate::grid(1, 1).unwrap();
        if heat {
            mesh.add_vertex_column("heat", vec![1.0, 2.0, 3.0, 4.0])
                .unwrap();
        }
        mesh.add_face_column("part", vec![7.0, 8.0]).unwrap();
        mesh.extras.tags.extend(material.map(|text| Tag {
            face: 0,
            kind: TagKind::Material,
            text: text.into(),
        }));
        mesh.extras.comments = vec!["scanned".into()];
        mesh
    }

    #[test]
    fn what_all_have_stays_and_the_rest_is_named() {
        let mut textured = part(false, None);
        textured.extras.corner_texcoords = Some(CornerLayer {
            width: 2,
            values: vec![0.5, 0.25],
            corners: vec![0, NO_VALUE, 0, 0, 0, 0],
        });
        let points = TriMesh::new(vec![glam::Vec3::ONE], vec![]).unwrap();
        let merged = merge(vec![part(true, Some("wood")), textured, points]).unwrap();
        let Merged {
            mesh,
            left_out,
            moved,
        } = merged;
        assert_eq!(moved, 0.0);
        assert_eq!((mesh.vertex_count(), mesh.face_count()), (9, 4));
        assert_eq!(
            mesh.faces[2..],
            generate::grid(1, 1).unwrap().faces[..]
                .iter()
                .map(|f| f.map(|v| v + 4))
                .collect::<Vec<_>>()
        );
        assert_eq!(left_out, [("vertex column 'heat'".to_owned(), 1)]);
        // Points have no faces, and so no column of them to miss.
        let faces = mesh.extras.column(ElementKind::Face, "part").unwrap();
        assert_eq!(faces.data, ColumnData::F32(vec![7.0, 8.0, 7.0, 8.0]));
        let uv = mesh.extras.corner_texcoords.as_ref().unwrap();
        assert_eq!(
            uv.corners[..8],
            [
                NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE, 0, NO_VALUE
            ]
        );
        let materials = mesh.extras.face_ranges(TagKind::Material, 4);
        assert_eq!(materials, [(0..2, "wood"), (2..4, "")]);
        assert_eq!(mesh.extras.comments, ["scanned"]);
    }

    #[test]
    fn a_column_of_another_type_is_another_column() {
        let mut other = part(false, None);
        let data = ColumnData::U8(vec![1, 2, 3, 4]);
        let column = Column {
            name: "heat".into(),
            element: ElementKind::Vertex,
            width: 1,
            data,
        };
        other.add_column(column).unwrap();
        let Merged { mesh, left_out, .. } = merge(vec![part(true, None), other]).unwrap();
        assert!(mesh.extras.column(ElementKind::Vertex, "heat").is_none());
        assert_eq!(left_out.len(), 1);
        assert_eq!(merge(vec![]).unwrap().mesh, TriMesh::default());
    }

    /// Meshes with different frames come into one, each where it was.
    #[test]
    fn every_mesh_stays_where_it_is() {
        let by = DVec3::new(500_000.0, 5_400_000.0, 0.0);
        let map = glam::DAffine3::from_translation(by);
        let mut parts = vec![part(false, None), part(false, None)];
        parts[0].transform(&map).unwrap();
        parts[1]
            .transform(&glam::DAffine3::from_translation(by + DVec3::X))
            .unwrap();
        let worlds: Vec<DVec3> = parts
            .iter()
            .flat_map(|p| (0..4).map(|v| p.world(v)))
            .collect();
        let merged = merge(parts).unwrap();
        assert!(merged.moved < 1e-6, "{}", merged.moved);
        for (v, world) in worlds.into_iter().enumerate() {
            assert!(merged.mesh.world(v).distance(world) < 1e-6);
        }
        // Far from each other 32 bits cannot hold both: it is said how much is lost.
        let mut far = part(false, None);
        far.transform(&map).unwrap();
        let moved = merge(vec![part(false, None), far]).unwrap().moved;
        assert!(moved < 0.5, "{moved}");
    }
}
