//! Seams that a file expresses as split vertices: several in one place, with different attributes or without a reason.

use super::{
    Column, ColumnData, CornerLayer, EdgeTable, ElementKind, MeshError, NO_VALUE, NORMAL, TriMesh,
    place_bits,
};
use glam::Vec3;
use std::collections::{BTreeMap, HashMap};

/// Name of the column that tells faces of different parts of the split surface apart while they are joined.
pub const PIECE: &str = "rxmesh_piece";

/// In [`PIECE`]: a part of at most [`FACET`] faces, as a surface that is shaded flat is made of.
const FACETS: i32 = -1;

/// Most faces of a facet: a triangle or a quadrilateral.
const FACET: usize = 2;

/// Names of the columns that are texture coordinates of vertices.
const TEXCOORDS: [&str; 2] = ["s", "t"];

/// Groups of vertices that are one vertex that was split: both ends of two boundary edges that lie in the same place
/// and run against each other. Edges in places where more than two meet are ignored.
#[derive(Clone, Debug)]
pub struct SplitSeams {
    /// Number of the joined vertex of each vertex.
    joined: Vec<u32>,
    /// First vertex of those that each joined vertex is made of.
    first: Vec<u32>,
    /// `true` for vertices whose partners have other normals.
    creased: Vec<bool>,
    /// Pairs of boundary edges.
    edges: usize,
    /// Vertex columns that become values of corners meanwhile.
    texcoords: bool,
    normals: bool,
}

impl SplitSeams {
    /// Finds split seams; `None` if there are none. With labels, a number for each vertex, only within the same one.
    pub fn find(mesh: &TriMesh, labels: Option<&[u32]>) -> Option<SplitSeams> {
        let n = mesh.vertex_count();
        let table = EdgeTable::new(&mesh.faces, n);
        let corners = mesh.faces.as_flattened();
        let ends = |half: u32| {
            let (f, k) = (half as usize / 3, half as usize % 3);
            [corners[3 * f + k], corners[3 * f + (k + 1) % 3]]
        };
        let borders = table.starts.windows(2).filter(|w| w[1] - w[0] == 1);
        let borders: Vec<u32> = borders.map(|w| table.half_edges[w[0] as usize]).collect();
        let place = |v: u32| {
            let p = place_bits(mesh.positions[v as usize]);
            (p, labels.map_or(0, |l| l[v as usize]))
        };
        let mut at: HashMap<_, (u32, u32)> = HashMap::new();
        for &half in &borders {
            let found = at.entry(ends(half).map(place)).or_insert((half, 0));
            found.1 += 1;
        }
        let mut parent: Vec<u32> = (0..n as u32).collect();
        let mut edges = 0;
        for &half in &borders {
            let [a, b] = ends(half);
            let key = [a, b].map(place);
            let (other, more) = match (at.get(&key), at.get(&[key[1], key[0]])) {
                (Some((_, 1)), Some(&(other, count))) => (other, count),
                _ => continue,
            };
            if more != 1 || other <= half || key[0] == key[1] {
                continue;
            }
            let [c, d] = ends(other);
            edges += 1;
            for (v, w) in [(a, d), (b, c)] {
                let (v, w) = (root(&mut parent, v), root(&mut parent, w));
                parent[v.max(w) as usize] = v.min(w);
            }
        }
        if edges == 0 {
            return None;
        }
        let mut joined = vec![u32::MAX; n];
        let mut first = Vec::new();
        for v in 0..n as u32 {
            let at = root(&mut parent, v);
            if at == v {
                joined[v as usize] = first.len() as u32;
                first.push(v);
            } else {
                joined[v as usize] = joined[at as usize];
            }
        }
        let mut seams = SplitSeams {
            creased: vec![false; n],
            joined,
            first,
            edges,
            texcoords: false,
            normals: false,
        };
        seams.look_at_columns(mesh);
        Some(seams)
    }

    fn look_at_columns(&mut self, mesh: &TriMesh) {
        let extras = &mesh.extras;
        let column = |name: &str| extras.column(ElementKind::Vertex, name);
        if let Some(normals) = column(NORMAL).filter(|c| c.width == 3) {
            let mut differ = vec![false; self.first.len()];
            for v in 0..self.joined.len() {
                differ[self.joined[v] as usize] |= self.differs(normals, v);
            }
            let creased = self.joined.iter().map(|&w| differ[w as usize]);
            self.creased = creased.collect();
            self.normals = extras.corner_normals.is_none() && differ.contains(&true);
        }
        let [s, t] = TEXCOORDS.map(|name| column(name).filter(|c| c.width == 1));
        if let (Some(s), Some(t), None) = (s, t, &extras.corner_texcoords) {
            let any = (0..self.joined.len()).any(|v| self.differs(s, v) || self.differs(t, v));
            self.texcoords = any;
        }
    }

    /// Returns `true` if a vertex has other values than the first that it is joined with.
    fn differs(&self, column: &Column, v: usize) -> bool {
        let first = self.first[self.joined[v] as usize] as usize;
        let width = column.width;
        let value = |v: usize, k: usize| column.data.get(width * v + k).to_bits();
        (0..width).any(|k| value(v, k) != value(first, k))
    }

    /// Returns the number of vertices that share their place with one before them.
    pub fn split_vertices(&self) -> usize {
        self.joined.len() - self.first.len()
    }

    /// Returns the number of pairs of boundary edges that are joined.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// Returns a message about the joined vertices, in one line.
    pub fn message(&self) -> String {
        format!(
            "{} vertices share their place with others, along {} edges: the sides of these seams are joined",
            self.split_vertices(),
            self.edges
        )
    }

    /// Returns a value for each vertex: that of the joined one.
    pub fn spread<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.joined.iter().map(|&v| values[v as usize]).collect()
    }

    /// Returns a value for each joined vertex: that of the first vertex that it is made of.
    pub fn collect<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.first.iter().map(|&v| values[v as usize]).collect()
    }

    /// Returns positions and faces of the joined mesh.
    pub fn shape(&self, mesh: &TriMesh) -> TriMesh {
        let face = |f: &[u32; 3]| f.map(|v| self.joined[v as usize]);
        TriMesh {
            positions: self.collect(&mesh.positions),
            faces: mesh.faces.iter().map(face).collect(),
            placement: mesh.placement,
            ..TriMesh::default()
        }
    }

    /// Returns normals of the vertices of a mesh whose positions were those of a joined one, given the joined one's: at
    /// creases those of each side.
    pub fn normals(&self, mesh: &TriMesh, joined: &[Vec3]) -> Vec<Vec3> {
        let mut sums = vec![Vec3::ZERO; mesh.vertex_count()];
        for f in &mesh.faces {
            let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
            for &v in f {
                sums[v as usize] += (b - a).cross(c - a);
            }
        }
        let all = self.spread(joined).into_iter().zip(sums).zip(&self.creased);
        all.map(|((smooth, sum), &creased)| {
            if creased {
                sum.normalize_or_zero()
            } else {
                smooth
            }
        })
        .collect()
    }

    /// Returns the joined mesh with all its data; texture coordinates and normals of vertices that are split for them
    /// become values of corners, other columns have the values of the first of the vertices. The column [`PIECE`] tells
    /// faces of different parts apart. The second value is the names of columns that have lost values.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound.
    pub fn join(&self, mesh: &TriMesh) -> Result<(TriMesh, Vec<String>), MeshError> {
        mesh.validate()?;
        let mut out = self.shape(mesh);
        out.extras = mesh.extras.clone();
        let mut lost = Vec::new();
        let corners = mesh.faces.as_flattened();
        let column = |name: &str| mesh.extras.column(ElementKind::Vertex, name);
        let mut moved: Vec<&str> = Vec::new();
        if let (true, Some(s), Some(t)) =
            (self.texcoords, column(TEXCOORDS[0]), column(TEXCOORDS[1]))
        {
            let value = |v: usize| [s.data.get(v) as f32, t.data.get(v) as f32];
            out.extras.corner_texcoords = Some(CornerLayer {
                width: 2,
                values: (0..mesh.vertex_count()).flat_map(value).collect(),
                corners: corners.to_vec(),
            });
            moved.extend(TEXCOORDS);
        }
        if let (true, Some(n)) = (self.normals, column(NORMAL)) {
            out.extras.corner_normals = Some(CornerLayer {
                width: 3,
                values: (0..n.data.len()).map(|i| n.data.get(i) as f32).collect(),
                corners: corners.to_vec(),
            });
            moved.push(NORMAL);
        }
        out.extras.columns.clear();
        for c in &mesh.extras.columns {
            if c.element != ElementKind::Vertex {
                out.extras.columns.push(c.clone());
            } else if !moved.contains(&&*c.name) {
                if c.name != NORMAL && (0..self.joined.len()).any(|v| self.differs(c, v)) {
                    lost.push(c.name.to_string());
                }
                out.extras.columns.push(c.gather(&self.first));
            }
        }
        out.add_column(Column {
            name: PIECE.into(),
            element: ElementKind::Face,
            width: 1,
            data: ColumnData::I32(pieces(mesh)),
        })?;
        Ok((out, lost))
    }

    /// Splits the vertices of a joined mesh again, after edits: where parts meet, and where corners have other texture
    /// coordinates or normals. Those that were columns of vertices are so again.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound.
    pub fn split_again(&self, mesh: &TriMesh) -> Result<TriMesh, MeshError> {
        mesh.validate()?;
        let extras = &mesh.extras;
        let piece = extras.column(ElementKind::Face, PIECE);
        let layers = [&extras.corner_texcoords, &extras.corner_normals];
        let bits = |layer: &CornerLayer, corner: usize| match layer.corners[corner] {
            NO_VALUE => [u32::MAX; 3],
            e => {
                let mut bits = [0; 3];
                let at = layer.width * e as usize;
                let values = &layer.values[at..at + layer.width];
                bits.iter_mut()
                    .zip(values)
                    .for_each(|(b, x)| *b = x.to_bits());
                bits
            }
        };
        let mut copies: BTreeMap<(u32, i64, [[u32; 3]; 2]), u32> = BTreeMap::new();
        let mut keys = Vec::with_capacity(3 * mesh.faces.len());
        for (f, face) in mesh.faces.iter().enumerate() {
            let part = piece.map_or(0, |c| c.data.get(f) as i64);
            // Each face without a piece gets separate vertices.
            let part = if part < 0 { -1 - f as i64 } else { part };
            for (k, &v) in face.iter().enumerate() {
                let values = layers.map(|l| l.as_ref().map_or([0; 3], |l| bits(l, 3 * f + k)));
                copies.insert((v, part, values), 0);
                keys.push((v, part, values));
            }
        }
        let mut used = vec![false; mesh.vertex_count()];
        copies.keys().for_each(|(v, ..)| used[*v as usize] = true);
        for v in (0..mesh.vertex_count() as u32).filter(|&v| !used[v as usize]) {
            copies.insert((v, i64::MIN, [[0; 3]; 2]), 0);
        }
        let of: Vec<u32> = copies.keys().map(|(v, ..)| *v).collect();
        copies
            .values_mut()
            .zip(0..)
            .for_each(|(number, i)| *number = i);
        let corners: Vec<u32> = keys.iter().map(|key| copies[key]).collect();
        let mut out = TriMesh {
            positions: of.iter().map(|&v| mesh.positions[v as usize]).collect(),
            faces: corners.as_chunks::<3>().0.to_vec(),
            placement: mesh.placement,
            extras: extras.clone(),
        };
        out.extras.columns.clear();
        for c in extras.columns.iter().filter(|c| c.name != PIECE) {
            out.extras.columns.push(match c.element {
                ElementKind::Vertex => c.gather(&of),
                _ => c.clone(),
            });
        }
        // A vertex has the values of one of its corners: they are the same in all of them.
        let of_vertices = |layer: &CornerLayer| {
            let mut values = vec![0.0f32; layer.width * of.len()];
            for (&v, &e) in corners.iter().zip(&layer.corners) {
                if e != NO_VALUE {
                    let (to, from) = (layer.width * v as usize, layer.width * e as usize);
                    values[to..to + layer.width]
                        .copy_from_slice(&layer.values[from..from + layer.width]);
                }
            }
            values
        };
        if let (true, Some(layer)) = (self.texcoords, &extras.corner_texcoords) {
            let values = of_vertices(layer);
            out.extras.corner_texcoords = None;
            for (k, name) in TEXCOORDS.iter().enumerate() {
                let values = values.iter().skip(k).step_by(layer.width);
                out.add_vertex_column(name, values.copied().collect())?;
            }
        }
        if let (true, Some(layer)) = (self.normals, &extras.corner_normals) {
            let values = of_vertices(layer);
            out.extras.corner_normals = None;
            out.set_vertex_normals(
                values
                    .as_chunks::<3>()
                    .0
                    .iter()
                    .map(|n| Vec3::from(*n))
                    .collect(),
            )?;
        }
        Ok(out)
    }
}

/// Returns the part of each face, connected by shared vertices, [`FACETS`] for the smallest.
fn pieces(mesh: &TriMesh) -> Vec<i32> {
    let mut parent: Vec<u32> = (0..mesh.vertex_count() as u32).collect();
    for [a, b, c] in &mesh.faces {
        for w in [b, c] {
            let (u, v) = (root(&mut parent, *a), root(&mut parent, *w));
            parent[u.max(v) as usize] = u.min(v);
        }
    }
    let roots: Vec<u32> = mesh.faces.iter().map(|f| root(&mut parent, f[0])).collect();
    let mut faces = HashMap::new();
    for &r in &roots {
        *faces.entry(r).or_insert(0) += 1;
    }
    let piece = |r: &u32| if faces[r] <= FACET { FACETS } else { *r as i32 };
    roots.iter().map(piece).collect()
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns two squares of eight faces that meet in a line of split vertices, at right angles.
    fn two() -> TriMesh {
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        for side in 0..2u32 {
            for j in 0..3 {
                for i in 0..3 {
                    let (x, y) = (i as f32, j as f32);
                    positions.push(match side {
                        0 => Vec3::new(-x, y, 0.0),
                        _ => Vec3::new(0.0, y, x),
                    });
                }
            }
            for j in 0..2 {
                for i in 0..2 {
                    let a = 9 * side + 3 * j + i;
                    let quad = [a, a + 1, a + 4, a + 3];
                    let [a, b, c, d] = if side == 0 {
                        quad
                    } else {
                        [quad[0], quad[3], quad[2], quad[1]]
                    };
                    faces.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
        TriMesh {
            positions,
            faces,
            ..TriMesh::default()
        }
    }

    #[test]
    fn split_vertices_are_joined_and_split_again_with_their_values() {
        let mut mesh = two();
        let s: Vec<f32> = (0..18).map(|v| v as f32).collect();
        mesh.add_vertex_column("s", s.clone()).unwrap();
        mesh.add_vertex_column("t", s).unwrap();
        let seams = SplitSeams::find(&mesh, None).unwrap();
        assert_eq!((seams.split_vertices(), seams.edges()), (3, 2));
        let (joined, lost) = seams.join(&mesh).unwrap();
        assert_eq!((joined.vertex_count(), lost.len()), (15, 0));
        let border = |m: &TriMesh| {
            let table = EdgeTable::new(&m.faces, m.vertex_count());
            table.starts.windows(2).filter(|w| w[1] - w[0] == 1).count()
        };
        assert_eq!((border(&mesh), border(&joined)), (16, 12));
        let again = seams.split_again(&joined).unwrap();
        assert_eq!(again.vertex_count(), 18);
        let rows = |m: &TriMesh| {
            let column = |name| m.extras.column(ElementKind::Vertex, name).unwrap().clone();
            let (s, t) = (column("s"), column("t"));
            let row = |v: &u32| {
                let p = m.positions[*v as usize]
                    .to_array()
                    .map(|x| (x + 0.0).to_bits());
                (
                    p,
                    s.data.get(*v as usize).to_bits(),
                    t.data.get(*v as usize).to_bits(),
                )
            };
            m.faces.as_flattened().iter().map(row).collect::<Vec<_>>()
        };
        assert_eq!(rows(&again), rows(&mesh));
        assert!(again.extras.corner_texcoords.is_none() && again.extras.columns.len() == 2);
    }

    #[test]
    fn what_is_not_split_or_of_other_meshes_is_left_alone() {
        let mesh = two();
        let labels: Vec<u32> = (0..18).map(|v| v / 9).collect();
        assert!(SplitSeams::find(&mesh, Some(&labels)).is_none());
        let joined = SplitSeams::find(&mesh, None).unwrap().shape(&mesh);
        assert!(SplitSeams::find(&joined, None).is_none());
        // If three sheets meet in a line, no two of them can be said to belong together.
        let mut three = mesh;
        three
            .positions
            .extend([Vec3::Y, Vec3::Y * 2.0, Vec3::new(1.0, 1.0, -1.0)]);
        three.positions.extend([Vec3::ZERO]);
        three.faces.extend([[18, 19, 20], [21, 18, 20]]);
        assert!(SplitSeams::find(&three, None).is_none());
    }
}
