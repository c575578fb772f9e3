//! Meshes of arrays in an engine's memory, which the host has no copy of until it asks for one.

use super::vertices::Resident;
use super::{PATCH_SIZE, Vertices};
use crate::{Error, Log, Result, Stage, stage};
use rxmesh_host::Vec3;
use rxmesh_host::engine::Buffer;
use rxmesh_host::kernels::attr::Value;
use rxmesh_host::kernels::topo::{Element, Vertex};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, NORMAL, Placement, TriMesh};
use rxmesh_host::store::{Attribute, RxMesh, reduce};
use std::sync::Arc;

/// Positions and triangles in an engine's memory, with values of their elements.
#[derive(Clone, Debug)]
pub struct EngineArrays {
    /// Position of each vertex.
    pub positions: Arc<Buffer<Vec3>>,
    /// Corners of each face.
    pub faces: Arc<Buffer<[u32; 3]>>,
    /// Values of vertices and faces.
    pub columns: Vec<EngineColumn>,
}

/// Values of the elements of one kind in an engine's memory, in the order of the arrays.
#[derive(Clone, Debug)]
pub struct EngineColumn {
    /// Name.
    pub name: String,
    /// Kind of element.
    pub element: ElementKind,
    /// Numbers of each element.
    pub width: usize,
    /// Numbers, element after element.
    pub values: Arc<Buffer<f32>>,
}

impl EngineColumn {
    fn to_host(&self) -> Result<Column> {
        Ok(Column {
            name: self.name.clone(),
            element: self.element,
            width: self.width,
            data: ColumnData::F32(self.values.read()?),
        })
    }
}

impl EngineArrays {
    /// Takes positions and faces of one engine. The first operation checks the faces' corners.
    pub fn new(positions: Buffer<Vec3>, faces: Buffer<[u32; 3]>) -> EngineArrays {
        EngineArrays {
            positions: Arc::new(positions),
            faces: Arc::new(faces),
            columns: Vec::new(),
        }
    }

    /// Returns the numbers of vertices and of faces.
    pub fn counts(&self) -> [usize; 2] {
        [self.positions.len(), self.faces.len()]
    }

    /// Copies the arrays to the host.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn to_host(&self) -> Result<TriMesh> {
        let mut mesh = TriMesh {
            positions: self.positions.read()?,
            faces: self.faces.read()?,
            ..TriMesh::default()
        };
        for column in &self.columns {
            mesh.add_column(column.to_host()?)?;
        }
        Ok(mesh)
    }
}

impl Vertices {
    /// Cuts the faces of arrays into patches on their engine. Positions are computed with as they are: they are the
    /// working units.
    ///
    /// # Errors
    ///
    /// Corners that name no vertex, positions that are not finite, and those of the engine.
    pub(crate) fn from_arrays(arrays: &EngineArrays, log: &mut dyn Log) -> Result<Vertices> {
        let (rx, x) = stage(log, Stage::Patches, || {
            let (positions, faces) = (&arrays.positions, &arrays.faces);
            let (rx, x) = RxMesh::from_engine_arrays::<Vec3>(positions, faces, PATCH_SIZE)?;
            check_finite(&rx, &x)?;
            Ok((rx, x))
        })?;
        Ok(Vertices {
            mesh: Arc::default(),
            rx: Arc::new(rx),
            x,
            placement: Placement::default(),
            several: None,
            seams: None,
            resident: Some(Resident { split: false }),
            moved: None,
            arrays: Some(arrays.clone()),
            is_unseen: true,
            has_left_arrays: false,
        })
    }

    /// Returns the arrays of a mesh that the host has not changed, with positions as they are.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub(crate) fn to_arrays(&self) -> Result<Option<EngineArrays>> {
        let (Some(arrays), Some(_)) = (&self.arrays, self.resident) else {
            return Ok(None);
        };
        let mut arrays = arrays.clone();
        if self.has_left_arrays {
            arrays.positions = Arc::new(self.rx.in_array_order(&self.x)?);
        }
        Ok(Some(arrays))
    }

    /// Drops normals on the engine, which do not belong to the positions after a move.
    pub(super) fn drop_engine_normals(&mut self) {
        if let Some(arrays) = &mut self.arrays {
            arrays.columns.retain(|c| c.name != NORMAL);
        }
    }

    /// Returns `true` if results stay on the engine.
    pub(crate) fn is_of_arrays(&self) -> bool {
        self.arrays.is_some()
    }

    /// Makes the host's copy of a mesh of arrays, if there is none. Positions are those before a move.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub(super) fn see(&mut self, log: &mut dyn Log) -> Result<()> {
        if let (Some(arrays), true) = (&self.arrays, self.is_unseen) {
            self.mesh = Arc::new(stage(log, Stage::Download, || arrays.to_host())?);
            self.is_unseen = false;
        }
        Ok(())
    }

    /// Adds values of a mesh of arrays, which stay on the engine. Returns `false` for other meshes.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub(crate) fn add_on_engine<E: Element, T: Value>(
        &mut self,
        element: ElementKind,
        name: &str,
        values: &Attribute<E, T>,
    ) -> Result<bool> {
        let Some(arrays) = &mut self.arrays else {
            return Ok(false);
        };
        let column = EngineColumn {
            name: name.into(),
            element,
            width: size_of::<T>() / size_of::<f32>(),
            values: Arc::new(self.rx.in_array_order(values)?.cast()?),
        };
        if !self.is_unseen {
            Arc::make_mut(&mut self.mesh).add_column(column.to_host()?)?;
        }
        arrays
            .columns
            .retain(|c| (c.element, &c.name[..]) != (element, name));
        arrays.columns.push(column);
        Ok(true)
    }

    /// Returns the values of a column, from the engine if they are there.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub(crate) fn column_values(&self, element: ElementKind, name: &str) -> Result<Vec<f64>> {
        let here = self.extras().column(element, name);
        let there = self.arrays.iter().flat_map(|arrays| &arrays.columns);
        let mut there = there.filter(|c| (c.element, &c.name[..]) == (element, name));
        Ok(match (here, there.next()) {
            (Some(column), _) => (0..column.data.len()).map(|i| column.data.get(i)).collect(),
            (None, Some(column)) => column.values.read()?.into_iter().map(f64::from).collect(),
            (None, None) => Vec::new(),
        })
    }
}

/// Refuses positions that are not finite.
pub(crate) fn check_finite(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<()> {
    match reduce::dot(rx, x, x)?.is_finite() {
        true => Ok(()),
        false => Err(Error::Host(rxmesh_host::Error::NotFinite {
            what: "a vertex coordinate",
        })),
    }
}
