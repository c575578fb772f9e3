//! Polygon meshes become triangle meshes, and what triangles hold of sharpness comes back.

use super::polygon::triangulate;
use super::{
    Column, ColumnData, ElementKind, Faces, MeshError, PolyMesh, SharpVertex, TriMesh, check_counts,
};
use glam::Vec3;

/// Name of the vertex column that holds how sharp vertices are.
pub const SHARPNESS: &str = "sharpness";
/// Name of the face column that says which faces are holes: those whose value is not 0.
pub const HOLE: &str = "hole";
/// Another name under which files hold sharpness.
pub(crate) const CREASE: &str = "crease";

impl PolyMesh {
    /// The mesh with its polygons cut into triangles, and what that changed or lost, in words.
    ///
    /// Convex polygons become fans around their first corner, others are cut by ear clipping along their Newell normal.
    /// Face columns repeat their row, corner layers and tags follow. Vertex sharpness becomes the column [`SHARPNESS`],
    /// holes become the column [`HOLE`]; sharp edges are lost, with a warning.
    ///
    /// # Errors
    ///
    /// A polygon that is not convex and has more than 20,000 corners; more triangles than ids.
    ///
    /// # Panics
    ///
    /// When the mesh is not [valid](Self::validate).
    pub fn triangulate(mut self) -> Result<(TriMesh, Vec<String>), MeshError> {
        let mut warnings = Vec::new();
        if self.face_size() != Some(3) {
            warnings.extend(self.cut_faces()?);
        }
        warnings.extend(self.give_marks());
        let mesh = TriMesh {
            positions: self.positions,
            faces: self.corners.as_chunks::<3>().0.to_vec(),
            extras: self.extras,
            placement: self.placement,
        };
        Ok((mesh, warnings))
    }

    /// Replaces every polygon by triangles. Says how many there were.
    fn cut_faces(&mut self) -> Result<Option<String>, MeshError> {
        let faces = self.face_count();
        check_counts(0, self.corners.len() as u64)?;
        let mut picked: Vec<u32> = Vec::with_capacity(self.corners.len());
        let mut source: Vec<u32> = Vec::with_capacity(self.corners.len());
        let mut first_child: Vec<u32> = Vec::with_capacity(faces + 1);
        let mut polygons = 0;
        for face in 0..faces {
            first_child.push(source.len() as u32);
            let range = self.range(face);
            let start = range.start as u32;
            if range.len() == 3 {
                picked.extend([start, start + 1, start + 2]);
            } else {
                polygons += 1;
                let corners = self.corners[range.clone()].iter();
                let points: Vec<Vec3> = corners.map(|&v| self.positions[v as usize]).collect();
                let triangles = triangulate(&points).map_err(|what| MeshError::Polygon {
                    face: face as u32,
                    what,
                })?;
                picked.extend(triangles.iter().flatten().map(|&k| start + k));
            }
            source.extend(std::iter::repeat_n(face as u32, range.len() - 2));
        }
        first_child.push(source.len() as u32);
        self.renumber(&picked, &source, &first_child);
        let triangles = source.len();
        Ok((polygons > 0).then(|| {
            format!(
                "{polygons} of {faces} faces were polygons and are now triangles: {triangles} faces"
            )
        }))
    }

    /// Takes the corners `picked`, three for each triangle; triangle `i` is a part of face `source[i]`.
    fn renumber(&mut self, picked: &[u32], source: &[u32], first_child: &[u32]) {
        let pick = |v: &mut Vec<u32>| *v = picked.iter().map(|&c| v[c as usize]).collect();
        pick(&mut self.corners);
        let extras = &mut self.extras;
        let layers = [&mut extras.corner_texcoords, &mut extras.corner_normals];
        layers
            .into_iter()
            .flatten()
            .for_each(|l| pick(&mut l.corners));
        for c in extras.columns.iter_mut() {
            if c.element == ElementKind::Face {
                *c = c.gather(source);
            }
        }
        for t in &mut extras.tags {
            t.face = first_child[t.face as usize];
        }
        let children = |&f: &u32| first_child[f as usize]..first_child[f as usize + 1];
        self.holes = self.holes.iter().flat_map(children).collect();
        self.faces = Faces::Same(3);
    }

    /// Columns of what is known of vertices and faces as surfaces are made of them.
    pub(crate) fn mark_columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        if !self.sharp_vertices.is_empty() {
            let mut sharpness = vec![0.0; self.vertex_count()];
            for v in &self.sharp_vertices {
                sharpness[v.vertex as usize] = v.sharpness;
            }
            columns.push(column(
                ElementKind::Vertex,
                SHARPNESS,
                ColumnData::F32(sharpness),
            ));
        }
        if !self.holes.is_empty() {
            let mut holes = vec![0; self.face_count()];
            self.holes.iter().for_each(|&f| holes[f as usize] = 1);
            columns.push(column(ElementKind::Face, HOLE, ColumnData::U8(holes)));
        }
        columns
    }

    /// Turns sharpness and holes into columns. Says what is lost.
    fn give_marks(&mut self) -> Option<String> {
        let columns = self.mark_columns();
        columns.into_iter().for_each(|c| self.extras.put(c));
        let edges = self.sharp_edges.len();
        (edges > 0).then(|| format!("a triangle mesh holds no sharp edges: {edges} are not kept"))
    }

    /// Turns columns of sharpness and holes into what they say.
    ///
    /// # Errors
    ///
    /// A sharpness that is negative or no number.
    pub(crate) fn take_marks(&mut self) -> Result<(), MeshError> {
        let names = [SHARPNESS, CREASE];
        if let Some(c) = self.take_column(ElementKind::Vertex, &names) {
            for vertex in 0..c.data.len() as u32 {
                let sharpness = c.data.get(vertex as usize) as f32;
                if sharpness.is_nan() || sharpness < 0.0 {
                    let name = &c.name;
                    let what = format!(
                        "property '{name}' of vertex {vertex} (counted from 0) is {sharpness}, but must be 0 or more"
                    );
                    return Err(MeshError::Extras { what });
                }
                if sharpness > 0.0 {
                    self.sharp_vertices.push(SharpVertex { vertex, sharpness });
                }
            }
        }
        if let Some(c) = self.take_column(ElementKind::Face, &[HOLE]) {
            let faces = 0..c.data.len() as u32;
            self.holes
                .extend(faces.filter(|&f| c.data.get(f as usize) != 0.0));
            self.holes.sort_unstable();
            self.holes.dedup();
        }
        Ok(())
    }

    /// Takes the first of the columns away that is there and has one value a row.
    fn take_column(&mut self, element: ElementKind, names: &[&str]) -> Option<Column> {
        let columns = &mut self.extras.columns;
        let place = |name: &&str| {
            let known = |c: &Column| c.element == element && c.name == *name && c.width == 1;
            columns.iter().position(known)
        };
        names.iter().find_map(place).map(|at| columns.remove(at))
    }
}

fn column(element: ElementKind, name: &str, data: ColumnData) -> Column {
    Column {
        name: name.into(),
        element,
        width: 1,
        data,
    }
}
