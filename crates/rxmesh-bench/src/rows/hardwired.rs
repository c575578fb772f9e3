//! Vertex normals without a mesh structure, which RXMesh 2021 compares with (section 8.4): hardwired kernels on the
//! index list of the faces, and products with the mesh matrix (Mlakar 2018).

use anyhow::Result;
use glam::Vec3;
use rxmesh_bench_kernels::normals::{AddNormals, ClearWords, CornerNormals, UnitRows};
use rxmesh_host::engine::Buffer;
use rxmesh_host::mesh::{PolyMesh, TriMesh};
use rxmesh_subdivision::{Mesh, matrix};

use super::{Measured, Row, TriangleBench};
use crate::directed::layout::load;
use crate::floor::Floor;
use crate::measure::{self, median};
use rxmesh_host::engine::Engine;

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "normals-indexed",
        "vertex normals by a hardwired kernel: a thread for each face adds to its vertices with atomics",
        indexed,
    )
    .counts(
        "three launches: zero, add, scale to unit length",
        "faces 12 F, positions 12 V",
        "normals 12 V",
    )
    .of_rival(),
    Row::time(
        "normals-indexed-gather",
        "vertex normals by a hardwired kernel: a thread for each vertex gathers over a list of its corners",
        gathered,
    )
    .counts(
        "launch",
        "corners 24 F, starts 4 V, positions 12 V",
        "normals 12 V",
    )
    .of_rival(),
    Row::time(
        "normals-matrix",
        "vertex normals as a product with the mesh matrix, weighted by area",
        by_matrix,
    )
    .counts(
        "three launches: normals of faces, product, scale to unit length",
        "mesh matrix, positions 12 V",
        "normals 12 F and 12 V",
    )
    .of_rival(),
];

/// Hardwired normals on an engine.
pub(crate) struct IndexedNormals<'a> {
    engine: &'a Engine,
    faces: Buffer<u32>,
    x: Buffer<Vec3>,
    n: Buffer<Vec3>,
}

impl<'a> IndexedNormals<'a> {
    pub(crate) fn new(engine: &'a Engine, mesh: &TriMesh) -> Result<Self> {
        load(engine)?;
        Ok(Self {
            engine,
            faces: engine.upload(mesh.faces.as_flattened())?,
            x: engine.upload(&mesh.positions)?,
            n: engine.zeroed(mesh.positions.len())?,
        })
    }

    /// Sets the sums to zero.
    fn clear(&self) -> Result<()> {
        let words = self.n.global_mut().cast();
        let count = (3 * self.n.len() as u32).div_ceil(4);
        // SAFETY: four words an index (contract U4).
        unsafe { self.engine.run_flat(count, ClearWords { words })? };
        Ok(())
    }

    /// Adds the faces' contributions.
    fn add(&self) -> Result<()> {
        let kernel = AddNormals {
            faces: self.faces.global(),
            x: self.x.global(),
            n: self.n.global_mut().cast(),
        };
        let count = self.faces.len() as u32 / 3;
        // SAFETY: three vertices a face, which the mesh has (contracts U3, U4).
        unsafe { self.engine.run_flat(count, kernel)? };
        Ok(())
    }

    fn scale(&self) -> Result<()> {
        let n = self.n.global_mut();
        // SAFETY: one vector an index (contracts U3, U4).
        unsafe { self.engine.run_flat(self.n.len() as u32, UnitRows { n })? };
        Ok(())
    }

    pub(crate) fn compute(&self) -> Result<()> {
        self.clear()?;
        self.add()?;
        self.scale()
    }

    pub(crate) fn read(&self) -> Result<Vec<Vec3>> {
        Ok(self.n.read()?)
    }
}

fn indexed(b: &TriangleBench<'_>) -> Result<Measured> {
    let normals = IndexedNormals::new(b.engine, b.mesh)?;
    let adding = measure::launches(b.engine, b.effort, || normals.add())?;
    let times = measure::launches(b.engine, b.effort, || normals.compute())?;
    let measured = b.of_vertices(Floor::default(), times);
    Ok(measured.with("adding_ms", median(&adding.ms)))
}

/// Normals gathered over a list of corners.
pub(crate) struct GatheredNormals<'a> {
    engine: &'a Engine,
    starts: Buffer<u32>,
    corners: Buffer<u64>,
    x: Buffer<Vec3>,
    n: Buffer<Vec3>,
}

impl<'a> GatheredNormals<'a> {
    pub(crate) fn new(engine: &'a Engine, mesh: &TriMesh) -> Result<Self> {
        load(engine)?;
        let mut starts = vec![0u32; mesh.vertex_count() + 1];
        for &v in mesh.faces.iter().flatten() {
            starts[v as usize + 1] += 1;
        }
        for v in 0..mesh.vertex_count() {
            starts[v + 1] += starts[v];
        }
        let (mut ends, mut corners) = (starts.clone(), vec![0; 3 * mesh.face_count()]);
        for &[a, b, c] in &mesh.faces {
            for [v, next, previous] in [[a, b, c], [b, c, a], [c, a, b]] {
                let at = &mut ends[v as usize];
                corners[*at as usize] = u64::from(previous) << 32 | u64::from(next);
                *at += 1;
            }
        }
        Ok(Self {
            engine,
            starts: engine.upload(&starts)?,
            corners: engine.upload(&corners)?,
            x: engine.upload(&mesh.positions)?,
            n: engine.zeroed(mesh.positions.len())?,
        })
    }

    pub(crate) fn compute(&self) -> Result<()> {
        let kernel = CornerNormals {
            starts: self.starts.global(),
            corners: self.corners.global(),
            x: self.x.global(),
            n: self.n.global_mut(),
        };
        // SAFETY: corners of the mesh, counted (contracts U3, U4).
        unsafe { self.engine.run_flat(self.n.len() as u32, kernel)? };
        Ok(())
    }

    pub(crate) fn read(&self) -> Result<Vec<Vec3>> {
        Ok(self.n.read()?)
    }
}

fn gathered(b: &TriangleBench<'_>) -> Result<Measured> {
    let normals = GatheredNormals::new(b.engine, b.mesh)?;
    let times = measure::launches(b.engine, b.effort, || normals.compute())?;
    Ok(b.of_vertices(Floor::default(), times))
}

/// Normals as products with the mesh matrix.
pub(crate) struct MatrixNormals {
    mesh: Mesh,
    x: Buffer<f32>,
    faces: Buffer<f32>,
    n: Buffer<f32>,
}

impl MatrixNormals {
    pub(crate) fn new(engine: &Engine, mesh: &TriMesh) -> Result<Self> {
        let polygons = PolyMesh::from(TriMesh {
            positions: mesh.positions.clone(),
            faces: mesh.faces.clone(),
            ..TriMesh::default()
        });
        let x: Vec<f32> = mesh.positions.iter().flat_map(|p| p.to_array()).collect();
        Ok(Self {
            mesh: Mesh::new(engine, &polygons)?,
            x: engine.upload(&x)?,
            faces: engine.zeroed(3 * mesh.face_count())?,
            n: engine.zeroed(x.len())?,
        })
    }

    pub(crate) fn compute(&mut self) -> Result<()> {
        let (faces, n) = (&mut self.faces, &mut self.n);
        Ok(matrix::vertex_normals(&self.mesh, &self.x, faces, n)?)
    }

    pub(crate) fn read(&self) -> Result<Vec<Vec3>> {
        let n = self.n.read()?;
        Ok(n.chunks_exact(3).map(Vec3::from_slice).collect())
    }
}

fn by_matrix(b: &TriangleBench<'_>) -> Result<Measured> {
    let mut normals = MatrixNormals::new(b.engine, b.mesh)?;
    let times = measure::launches(b.engine, b.effort, || normals.compute())?;
    Ok(b.of_vertices(Floor::default(), times))
}
