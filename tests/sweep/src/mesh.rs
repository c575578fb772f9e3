//! Meshes in double precision, read and written in the simplest way: the judge should not share the program's code.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use glam::{DVec3, Vec3};
use rxmesh_host::io::{self, ReadOptions};
use rxmesh_host::mesh::{CheckReport, TriMesh, check};

/// Mesh of positions and faces.
#[derive(Clone, Debug)]
pub(crate) struct RawMesh {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) faces: Vec<[u32; 3]>,
}

impl RawMesh {
    /// Reads a file: OBJ here, other formats with the library.
    pub(crate) fn read(path: &Path) -> Result<RawMesh, String> {
        if path.extension().is_some_and(|e| e == "obj") {
            let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
            let text = String::from_utf8_lossy(&bytes).replace('\r', "");
            // A line that ends in a backslash continues on the next one.
            return RawMesh::obj(&text.replace("\\\n", " "));
        }
        let options = ReadOptions::default().with(|o| o.triangulate = true);
        let mesh = io::read(path, &options).map_err(|e| e.to_string())?.mesh;
        Ok(RawMesh {
            positions: (0..mesh.vertex_count()).map(|v| mesh.world(v)).collect(),
            faces: mesh.faces,
        })
    }

    fn obj(text: &str) -> Result<RawMesh, String> {
        let mut mesh = RawMesh {
            positions: Vec::new(),
            faces: Vec::new(),
        };
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => {
                    let mut number = || words.next().and_then(|w| w.parse().ok());
                    match (number(), number(), number()) {
                        (Some(x), Some(y), Some(z)) => mesh.positions.push(DVec3::new(x, y, z)),
                        _ => return Err(format!("no position: {line}")),
                    }
                }
                Some("f") => {
                    let known = mesh.positions.len() as i64;
                    let index = |word: &str| -> Option<u32> {
                        let i: i64 = word.split('/').next()?.parse().ok()?;
                        let i = if i < 0 { known + i } else { i - 1 };
                        u32::try_from(i).ok()
                    };
                    let corners: Option<Vec<u32>> = words.map(index).collect();
                    let corners = corners.ok_or_else(|| format!("no face: {line}"))?;
                    for k in 2..corners.len() {
                        mesh.faces.push([corners[0], corners[k - 1], corners[k]]);
                    }
                }
                _ => {}
            }
        }
        let outside = |f: &[u32; 3]| f.iter().any(|&v| v as usize >= mesh.positions.len());
        if mesh.faces.iter().any(outside) {
            return Err("a face names a vertex that is not there".into());
        }
        if mesh.positions.is_empty() || !mesh.positions.iter().all(|p| p.is_finite()) {
            return Err("no positions, or infinite ones".into());
        }
        Ok(mesh)
    }

    /// Writes an OBJ file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let mut text = String::new();
        for p in &self.positions {
            writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z).map_err(|e| e.to_string())?;
        }
        for [a, b, c] in &self.faces {
            writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).map_err(|e| e.to_string())?;
        }
        std::fs::write(path, text).map_err(|e| e.to_string())
    }

    /// Moves every vertex.
    pub(crate) fn each(&mut self, f: impl Fn(DVec3) -> DVec3) {
        for p in &mut self.positions {
            *p = f(*p);
        }
    }

    /// Returns the corners of the bounding box of the vertices that faces use.
    pub(crate) fn bounds(&self) -> (DVec3, DVec3) {
        let used: HashSet<u32> = self.faces.iter().flatten().copied().collect();
        let mut bounds = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for v in used {
            let p = self.positions[v as usize];
            bounds = (bounds.0.min(p), bounds.1.max(p));
        }
        match self.faces.is_empty() {
            true => (DVec3::ZERO, DVec3::ZERO),
            false => bounds,
        }
    }

    /// Returns the extents of the bounding box.
    pub(crate) fn size(&self) -> DVec3 {
        let (low, high) = self.bounds();
        high - low
    }

    /// Returns the diagonal of the bounding box.
    pub(crate) fn diagonal(&self) -> f64 {
        self.size().length()
    }

    fn sides(&self, f: &[u32; 3]) -> [DVec3; 3] {
        let [a, b, c] = f.map(|v| self.positions[v as usize]);
        [b - a, c - b, a - c]
    }

    /// Returns the area.
    pub(crate) fn area(&self) -> f64 {
        let area = |f| {
            let [a, b, _] = self.sides(f);
            a.cross(b).length() / 2.0
        };
        self.faces.iter().map(area).sum()
    }

    /// Returns the mean length of the edges, those of two faces counted twice.
    pub(crate) fn mean_edge(&self) -> f64 {
        let sum = |f| self.sides(f).iter().map(|s| s.length()).sum::<f64>();
        self.faces.iter().map(sum).sum::<f64>() / (3 * self.faces.len()).max(1) as f64
    }

    /// Returns the library's check of the connectivity.
    pub(crate) fn check(&self) -> Result<CheckReport, String> {
        let (low, high) = self.bounds();
        let (centre, size) = ((low + high) / 2.0, (high - low).length());
        let size = if size > 0.0 { size } else { 1.0 };
        let positions: Vec<Vec3> = self
            .positions
            .iter()
            .map(|&p| ((p - centre) / size).clamp(DVec3::splat(-10.0), DVec3::splat(10.0)))
            .map(|p| p.as_vec3())
            .collect();
        let mesh = TriMesh::new(positions, self.faces.clone()).map_err(|e| e.to_string())?;
        Ok(check(&mesh))
    }
}
