//! Meshes of the surfaces' rows. Those of the recorded baselines were made in the same way: closed, of one component,
//! bumpy, so that no coordinate is trivial.

use crate::mesh::flip_edges;
use anyhow::{Context as _, Result, bail};
use glam::Vec3;
use rxmesh_host::mesh::{EdgeTable, Faces, Order, PolyMesh, Rng, TriMesh};

/// Name of a mesh: `sphere:40`, `turned:26`, `irregular:16`, `polygons:16`, `triangles:16`; a final `S` shuffles
/// vertices and faces, `R` and `M` shuffle them and then order them by Cuthill and McKee, or along a Morton curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    kind: Kind,
    n: u32,
    shuffled: bool,
    order: Option<Order>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A sphere of `6 n^2` quads, projected from a cube.
    Sphere,
    /// The same with turned edges: about 8 % of the vertices are irregular.
    Turned,
    /// `36 n^2` quads: three for each triangle of `triangles:n`.
    Irregular,
    /// The dual of `triangles:n`: about `6 n^2` polygons of 3 to about 10 corners.
    Polygons,
    /// `12 n^2` triangles, valences from 3 to 10.
    Triangles,
}

impl std::str::FromStr for Name {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Name> {
        let (kind, n) = text.split_once(':').context("no `:`")?;
        let digits = n.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let (shuffled, order) = match &n[digits.len()..] {
            "" => (false, None),
            "S" => (true, None),
            "R" => (true, Some(Order::Rcm)),
            "M" => (true, Some(Order::Spatial)),
            other => bail!("there is no order `{other}`"),
        };
        let kind = match kind {
            "sphere" => Kind::Sphere,
            "turned" => Kind::Turned,
            "irregular" => Kind::Irregular,
            "polygons" => Kind::Polygons,
            "triangles" => Kind::Triangles,
            _ => bail!("there is no mesh `{kind}`"),
        };
        Ok(Name {
            kind,
            n: digits.parse()?,
            shuffled,
            order,
        })
    }
}

impl Name {
    pub(crate) fn make(self) -> Result<PolyMesh> {
        let mut mesh = match self.kind {
            Kind::Sphere => sphere(self.n)?,
            Kind::Turned => turned(self.n)?,
            Kind::Triangles => triangles(self.n)?.into(),
            Kind::Irregular => thirds(&triangles(self.n)?),
            Kind::Polygons => dual(&triangles(self.n)?),
        };
        if self.shuffled {
            shuffle(&mut mesh);
        }
        if let Some(order) = self.order {
            mesh.reorder(order);
        }
        mesh.validate()?;
        Ok(mesh)
    }
}

/// Returns a point of the unit sphere, moved in or out.
fn bumpy(p: Vec3) -> Vec3 {
    let p = p.normalize();
    p * (1.0 + 0.15 * (3.0 * p.x + 1.0).sin() * (5.0 * p.y).cos() + 0.1 * (7.0 * p.z).sin())
}

/// Makes a cube of `n` cells per edge, projected onto a sphere.
fn sphere(n: u32) -> Result<PolyMesh> {
    let sides = [
        Vec3::X,
        Vec3::NEG_X,
        Vec3::Y,
        Vec3::NEG_Y,
        Vec3::Z,
        Vec3::NEG_Z,
    ];
    let mut ids = std::collections::HashMap::new();
    let (mut positions, mut corners) = (Vec::new(), Vec::new());
    for up in sides {
        let right = Vec3::new(up.y, up.z, up.x);
        let front = up.cross(right);
        let mut vertex = |i: u32, j: u32| {
            let at = |k: u32| (2 * k) as f32 - n as f32;
            let p = up * n as f32 + right * at(i) + front * at(j);
            // Whole numbers, so that the sides agree on shared vertices.
            let key = p.to_array().map(|c| c as i32);
            *ids.entry(key).or_insert_with(|| {
                // Cells of similar angles.
                let angle = p / n as f32 * std::f32::consts::FRAC_PI_4;
                positions.push(bumpy(Vec3::new(
                    angle.x.tan(),
                    angle.y.tan(),
                    angle.z.tan(),
                )));
                positions.len() as u32 - 1
            })
        };
        for j in 0..n {
            for i in 0..n {
                corners.extend([
                    vertex(i, j),
                    vertex(i + 1, j),
                    vertex(i + 1, j + 1),
                    vertex(i, j + 1),
                ]);
            }
        }
    }
    let quads = vec![4; corners.len() / 4];
    Ok(PolyMesh::new(positions, &quads, corners)?)
}

/// Irregular vertices that a turned edge makes.
const TURNED: usize = 4;

/// Vertices for each irregular one.
const VERTICES_PER_IRREGULAR: usize = 12;

/// Turns edges of the sphere's quads: an edge between two quads becomes another diagonal of their hexagon, which
/// changes the valence of four vertices by one. No vertex takes part twice.
fn turned(n: u32) -> Result<PolyMesh> {
    let mut mesh = sphere(n)?;
    let quads: &mut [[u32; 4]] = bytemuck::cast_slice_mut(&mut mesh.corners);
    // Face and corner that start at the first vertex of a directed edge.
    let mut along = std::collections::HashMap::new();
    for (f, quad) in quads.iter().enumerate() {
        for k in 0..4 {
            along.insert([quad[k], quad[(k + 1) % 4]], (f, k));
        }
    }
    let mut touched = vec![false; mesh.positions.len()];
    let mut left = mesh.positions.len() / (TURNED * VERTICES_PER_IRREGULAR);
    for start in Rng::new(3).permutation(quads.len()) {
        let (f, k) = (start as usize, start as usize % 4);
        let [a, b, c, d] = std::array::from_fn(|i| quads[f][(k + i) % 4]);
        let Some(&(g, j)) = along.get(&[b, a]) else {
            continue;
        };
        let [x, y] = [2, 3].map(|i| quads[g][(j + i) % 4]);
        // Around: a, x, y, b, c, d; the edge from a to b becomes one from x to c.
        let around = [a, x, y, b, c, d];
        if left == 0 || around.iter().any(|&v| touched[v as usize]) {
            continue;
        }
        left -= 1;
        around.iter().for_each(|&v| touched[v as usize] = true);
        (quads[f], quads[g]) = ([x, c, d, a], [x, y, b, c]);
    }
    Ok(mesh)
}

/// Splits the sphere's quads into two triangles each, and flips a third of the edges.
fn triangles(n: u32) -> Result<TriMesh> {
    let quads = sphere(n)?;
    let halves = |q: &[u32]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
    let faces: Vec<[u32; 3]> = quads.corners.chunks_exact(4).flat_map(halves).collect();
    let flips = faces.len() / 2;
    let mut mesh = TriMesh::new(quads.positions, faces)?;
    for _ in 0..2 {
        flip_edges(&mut mesh, flips / 2);
    }
    Ok(mesh)
}

/// Splits each triangle into three quads, between its corners, the midpoints of its sides and its centre.
fn thirds(mesh: &TriMesh) -> PolyMesh {
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    let (v, e) = (mesh.positions.len() as u32, table.len() as u32);
    let mut positions = mesh.positions.clone();
    let at = |v: u32| mesh.positions[v as usize];
    positions.extend(table.edges.iter().map(|&[a, b]| bumpy(at(a) + at(b))));
    positions.extend(
        mesh.faces
            .iter()
            .map(|f| bumpy(f.iter().map(|&v| at(v)).sum())),
    );
    let mut side = vec![0; 3 * mesh.faces.len()];
    for edge in 0..table.len() {
        for &corner in table.along(edge) {
            side[corner as usize] = edge as u32;
        }
    }
    let mut corners = Vec::new();
    for (f, face) in mesh.faces.iter().enumerate() {
        let middle = |k: usize| v + side[3 * f + k % 3];
        for (k, &corner) in face.iter().enumerate() {
            corners.extend([corner, middle(k), v + e + f as u32, middle(k + 2)]);
        }
    }
    PolyMesh {
        positions,
        corners,
        faces: Faces::Same(4),
        ..PolyMesh::default()
    }
}

/// Makes a polygon around every vertex, between the centres of its triangles.
fn dual(mesh: &TriMesh) -> PolyMesh {
    let at = |v: u32| mesh.positions[v as usize];
    let positions = mesh
        .faces
        .iter()
        .map(|f| bumpy(f.iter().map(|&v| at(v)).sum()));
    let positions: Vec<Vec3> = positions.collect();
    // The next face around a vertex, counter-clockwise, starts at the last side of this one.
    let mut starts = std::collections::HashMap::new();
    for (f, face) in mesh.faces.iter().enumerate() {
        for (k, &v) in face.iter().enumerate() {
            starts.insert([v, face[(k + 1) % 3]], (f as u32, face[(k + 2) % 3]));
        }
    }
    let mut first = vec![None; mesh.positions.len()];
    for face in &mesh.faces {
        for (k, &v) in face.iter().enumerate() {
            first[v as usize] = Some(face[(k + 1) % 3]);
        }
    }
    let (mut sizes, mut corners) = (Vec::new(), Vec::new());
    for (v, start) in first.iter().enumerate() {
        let Some(start) = *start else { continue };
        let (mut next, mut n) = (start, 0);
        while let Some(&(f, tip)) = starts.get(&[v as u32, next]) {
            corners.push(f);
            n += 1;
            next = tip;
            if next == start {
                break;
            }
        }
        sizes.push(n);
    }
    PolyMesh {
        positions,
        corners,
        faces: Faces::of_sizes(&sizes),
        ..PolyMesh::default()
    }
}

/// Shuffles vertices, and faces of equal size.
fn shuffle(mesh: &mut PolyMesh) {
    let mut rng = Rng::new(1);
    let order = rng.permutation(mesh.vertex_count());
    let mut positions = vec![Vec3::ZERO; mesh.vertex_count()];
    for (v, &to) in order.iter().enumerate() {
        positions[to as usize] = mesh.positions[v];
    }
    mesh.positions = positions;
    let faces = rng.permutation(mesh.face_count());
    let face = |f: &u32| mesh.face(*f as usize);
    let sizes: Vec<u32> = faces.iter().map(|f| face(f).len() as u32).collect();
    mesh.corners = faces
        .iter()
        .flat_map(|f| face(f).iter().map(|&v| order[v as usize]))
        .collect();
    mesh.faces = Faces::of_sizes(&sizes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_host::engine::Engine;
    use rxmesh_subdivision::Mesh;
    use rxmesh_subdivision::kernels::build::Neighbourhood;

    /// Each is closed and of genus 0, with the number of faces that its name implies.
    #[test]
    fn the_meshes_are_what_they_are_called() -> Result<()> {
        for (name, faces) in [
            ("sphere:5", 150),
            ("sphere:5S", 150),
            ("sphere:5R", 150),
            ("sphere:5M", 150),
            ("turned:5", 150),
            ("triangles:4", 192),
            ("irregular:4", 576),
            ("polygons:4", 98),
        ] {
            let poly = name.parse::<Name>()?.make()?;
            assert_eq!(poly.face_count(), faces, "{name}");
            let mesh = Mesh::new(&Engine::cpu(), &poly)?;
            let euler =
                i64::from(mesh.vertex_count()) - i64::from(mesh.edge_count()) + faces as i64;
            assert_eq!(euler, 2, "{name}");
            let around = mesh.to_host()?.around;
            assert!(
                around.iter().all(|&a| a == Neighbourhood::Interior as u32),
                "{name}"
            );
        }
        for wrong in ["sphere", "ball:3", "sphere:", "sphere:3Q", "sphere:S3"] {
            assert!(wrong.parse::<Name>().is_err(), "{wrong}");
        }
        Ok(())
    }

    /// After a shuffle, neighbours in the mesh are brought near each other in memory again.
    #[test]
    fn orders_bring_neighbours_together() -> Result<()> {
        let spread = |name: &str| -> Result<u64> {
            let mesh = name.parse::<Name>()?.make()?;
            let quads = mesh.corners.as_chunks::<4>().0.iter();
            Ok(quads.map(|q| u64::from(q[0].abs_diff(q[2]))).sum())
        };
        let shuffled = spread("sphere:20S")?;
        for ordered in ["sphere:20R", "sphere:20M"] {
            assert!(4 * spread(ordered)? < shuffled, "{ordered}");
        }
        Ok(())
    }
}
