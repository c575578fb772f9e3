//! New vertices and faces in a mesh, with all that the mesh carries.

use crate::mesh::{
    Column, ColumnData, CornerLayer, ElementKind, MeshError, NO_VALUE, NORMAL, Tag, TriMesh,
    check_counts,
};
use glam::{DVec3, Vec3};

/// A vertex to be added.
#[derive(Clone, Debug)]
pub(super) struct NewVertex {
    pub(super) position: Vec3,
    /// Vertices whose mean values it gets, old ones or new ones before it; the first counts for whole numbers.
    pub(super) parents: [u32; 3],
    /// Normal, for meshes that have some.
    pub(super) normal: DVec3,
}

/// A face to be added.
#[derive(Clone, Debug)]
pub(super) struct NewFace {
    pub(super) corners: [u32; 3],
    /// Old face whose values and groups it gets.
    pub(super) origin: u32,
    /// Entries of its corners in the layers of the mesh.
    pub(super) texcoords: [u32; 3],
    pub(super) normals: [u32; 3],
}

/// Adds vertices and faces. Vertices come after the old ones; faces too, unless the mesh has groups: then each comes
/// after the face that it has its values from.
///
/// Entries of new corners must be in the layers already.
pub(super) fn graft(
    mesh: &mut TriMesh,
    vertices: &[NewVertex],
    faces: &[NewFace],
) -> Result<(), MeshError> {
    add_vertices(mesh, vertices);
    let order = GraftedFaces::new(mesh, faces);
    let old = std::mem::take(&mut mesh.faces);
    mesh.faces = order.pick(&old, |f| f.corners);
    let extras = &mut mesh.extras;
    for (layer, entries) in [
        (
            &mut extras.corner_texcoords,
            (|f: &NewFace| f.texcoords) as fn(&NewFace) -> [u32; 3],
        ),
        (&mut extras.corner_normals, |f| f.normals),
    ] {
        if let Some(layer) = layer {
            let (corners, _) = layer.corners.as_chunks::<3>();
            layer.corners = order.pick(corners, entries).into_flattened();
        }
    }
    for column in &mut extras.columns {
        if column.element == ElementKind::Face {
            *column = column.gather(&order.origins);
            if is_normals(column) {
                order.face_normals(&mesh.positions, column);
            }
        }
    }
    for tag in &mut extras.tags {
        *tag = Tag {
            face: order.moved(tag.face),
            ..tag.clone()
        };
    }
    mesh.validate()
}

/// Refuses more vertices and faces than can be numbered.
pub(super) fn check_room(mesh: &TriMesh, vertices: usize, faces: usize) -> Result<(), MeshError> {
    check_counts(
        (mesh.positions.len() + vertices) as u64,
        (mesh.faces.len() + faces) as u64,
    )
}

/// Adds an entry to a layer of corners, and returns its number.
pub(super) fn add_entry(layer: &mut CornerLayer, values: impl IntoIterator<Item = f32>) -> u32 {
    let entry = layer.entries() as u32;
    layer.values.extend(values);
    entry
}

/// Returns `true` if a column holds normals as numbers from -1 to 1.
fn is_normals(column: &Column) -> bool {
    let floats = matches!(column.data, ColumnData::F32(_) | ColumnData::F64(_));
    column.name == NORMAL && column.width == 3 && floats
}

fn add_vertices(mesh: &mut TriMesh, vertices: &[NewVertex]) {
    let old = mesh.positions.len();
    mesh.positions.extend(vertices.iter().map(|v| v.position));
    // The old vertex that counts first, through new ones.
    let mut rows: Vec<u32> = (0..old as u32).collect();
    for v in vertices {
        rows.push(rows[v.parents[0] as usize]);
    }
    for column in &mut mesh.extras.columns {
        if column.element != ElementKind::Vertex {
            continue;
        }
        *column = column.gather(&rows);
        let width = column.width;
        for (row, v) in (old..).zip(vertices) {
            for k in 0..width {
                if is_normals(column) {
                    column.data.set(width * row + k, v.normal[k]);
                } else if column.is_blended() {
                    let sum: f64 = v
                        .parents
                        .iter()
                        .map(|&p| column.data.get(width * p as usize + k))
                        .sum();
                    column.data.set(width * row + k, sum / 3.0);
                }
            }
        }
    }
}

/// Faces of the new mesh.
struct GraftedFaces<'a> {
    /// Old face that each face is, or has its values from.
    origins: Vec<u32>,
    /// New face that each face is, if any.
    new: Vec<Option<&'a NewFace>>,
    /// Origins of new faces that are not at the end, ascending.
    between: Vec<u32>,
}

impl<'a> GraftedFaces<'a> {
    fn new(mesh: &TriMesh, faces: &'a [NewFace]) -> GraftedFaces<'a> {
        let old = mesh.faces.len() as u32;
        let mut all: Vec<(u32, Option<&NewFace>)> = (0..old).map(|f| (f, None)).collect();
        all.extend(faces.iter().map(|f| (f.origin, Some(f))));
        let grouped = mesh.extras.tags.iter().any(|t| t.face > 0);
        if grouped {
            all.sort_by_key(|(origin, new)| (*origin, new.is_some()));
        }
        let mut between: Vec<u32> = faces.iter().filter(|_| grouped).map(|f| f.origin).collect();
        between.sort_unstable();
        let (origins, new) = all.into_iter().unzip();
        GraftedFaces {
            origins,
            new,
            between,
        }
    }

    /// Collects a value for each face, old or new.
    fn pick<T: Copy>(&self, old: &[T], new: impl Fn(&NewFace) -> T) -> Vec<T> {
        let faces = self.origins.iter().zip(&self.new);
        faces
            .map(|(&origin, face)| face.map_or_else(|| old[origin as usize], &new))
            .collect()
    }

    /// Returns the first face of a statement that began at `face`.
    fn moved(&self, face: u32) -> u32 {
        face + self.between.partition_point(|&origin| origin < face) as u32
    }

    fn face_normals(&self, positions: &[Vec3], column: &mut Column) {
        for (row, face) in self.new.iter().enumerate() {
            let Some(face) = face else { continue };
            let [a, b, c] = face.corners.map(|v| positions[v as usize].as_dvec3());
            let normal = (b - a).cross(c - a).normalize_or_zero();
            (0..3).for_each(|k| column.data.set(3 * row + k, normal[k]));
        }
    }
}

/// No entries.
pub(super) const NO_ENTRIES: [u32; 3] = [NO_VALUE; 3];
