//! Meshes whose connectivity stays.

use super::{EngineArrays, MeshPatches, Several};
use crate::log::of_mesh;
use crate::{Log, Result, Stage, stage};
use rxmesh_host::Vec3;
use rxmesh_host::algo::{normals, volume};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::attr::Value;
use rxmesh_host::kernels::topo::{Element, Kind, Vertex};
use rxmesh_host::mesh::{
    self, Column, ColumnData, ElementKind, Extras, NORMAL, Placement, SplitSeams, TriMesh,
    UsedVertices,
};
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_host::units::{Quantity, QuantityKind};
use std::sync::Arc;

/// Column that MeshLab, PyVista and others map to colours.
const QUALITY: &str = "quality";

/// Mesh that is ready to be cut into patches.
#[derive(Debug)]
pub struct Prepared {
    mesh: TriMesh,
    several: Option<Several>,
    seams: Option<SplitSeams>,
    /// The mesh with split vertices joined.
    joined: Option<TriMesh>,
}

impl Prepared {
    /// Prepares a mesh, or several that are joined. With `joins_seams`, vertices that the file has split are joined.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound, if seams are joined.
    pub fn new(
        mesh: TriMesh,
        several: Option<Several>,
        joins_seams: bool,
        log: &mut dyn Log,
    ) -> Result<Prepared> {
        let mut seams = None;
        if joins_seams {
            mesh.validate().map_err(|e| of_mesh(log, e.into()))?;
            let labels = several.as_ref().map(|s| &s.labels[..]);
            seams = SplitSeams::find(&mesh, labels);
        }
        let mut several = several;
        if let Some(seams) = &seams {
            log.warn(seams.message());
            if let Some(several) = &mut several {
                several.labels = seams.collect(&several.labels);
            }
        }
        let joined = seams.as_ref().map(|seams| seams.shape(&mesh));
        Ok(Prepared {
            mesh,
            several,
            seams,
            joined,
        })
    }

    /// Returns the mesh that is to be cut into patches.
    pub fn shape(&self) -> &TriMesh {
        self.joined.as_ref().unwrap_or(&self.mesh)
    }

    /// Moves the mesh to an engine, with the patches of [`Prepared::shape`].
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn upload(
        self,
        engine: &Engine,
        patches: MeshPatches,
        log: &mut dyn Log,
    ) -> Result<Vertices> {
        let Prepared {
            mut mesh,
            several,
            seams,
            joined,
        } = self;
        drop(joined);
        let read = mesh.positions.clone();
        let home = mesh.normalise();
        let normalised = std::mem::replace(&mut mesh.positions, read);
        let placement = std::mem::replace(&mut mesh.placement, home);
        let normalised = match &seams {
            Some(seams) => seams.collect(&normalised),
            None => normalised,
        };
        let (rx, x) = stage(log, Stage::Upload, || {
            let rx = patches.into_mesh(engine)?;
            let x = rx.attribute_from::<Vertex, Vec3>(&normalised)?;
            engine.synchronize()?;
            Ok((rx, x))
        })?;
        Ok(Vertices {
            mesh: Arc::new(mesh),
            rx: Arc::new(rx),
            x,
            placement,
            several,
            seams: seams.map(Arc::new),
            resident: None,
            moved: None,
            arrays: None,
            is_unseen: false,
            has_left_arrays: false,
        })
    }
}

/// Mesh on an engine whose connectivity stays.
#[derive(Debug)]
pub struct Vertices {
    /// Mesh on the host, with the positions before the move if `moved`; empty if `is_unseen`.
    pub(super) mesh: Arc<TriMesh>,
    /// Mesh on the engine.
    pub rx: Arc<RxMesh>,
    /// Positions in working units.
    pub x: Attribute<Vertex, Vec3>,
    /// Place and scale of the working units.
    pub(super) placement: Placement,
    /// Several meshes, if it is not one.
    pub several: Option<Several>,
    /// Vertices that the file has split, which are joined on the engine.
    pub(super) seams: Option<Arc<SplitSeams>>,
    /// Set if positions stay on the engine until the host asks for them.
    pub(super) resident: Option<Resident>,
    /// Move whose positions are on the engine only.
    pub(super) moved: Option<Moved>,
    /// Arrays on the engine that the mesh was made of, if it was.
    pub(super) arrays: Option<EngineArrays>,
    /// `true` until the host has a copy of the arrays.
    pub(super) is_unseen: bool,
    /// `true` if positions are others than those of the arrays.
    pub(super) has_left_arrays: bool,
}

/// Vertices that stay on the engine between operations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resident {
    /// `true` if the file may have split vertices, which operations that join them need joined.
    pub(super) split: bool,
}

/// Move that the host has not seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    /// `true` if the mesh has normals of vertices, which are to be computed anew.
    normals: bool,
}

impl Vertices {
    /// Has positions stay on the engine until [`Vertices::mesh`] asks for them. `mesh` is what came, to be shared.
    pub(crate) fn keep_on_engine(&mut self, mesh: Arc<TriMesh>) {
        let split = || mesh.validate().is_err() || SplitSeams::find(&mesh, None).is_some();
        self.resident = Some(Resident {
            split: self.seams.is_some() || split(),
        });
        self.mesh = mesh;
    }

    /// Returns `true` if an operation that joins split vertices, or does not, can work on these.
    pub(crate) fn serves(&self, joins_seams: bool) -> bool {
        match (joins_seams, self.resident) {
            (true, Some(Resident { split })) => self.seams.is_some() || !split,
            (false, Some(_)) => self.seams.is_none(),
            (_, None) => false,
        }
    }

    /// Returns `true` if positions are newer on the engine than on the host.
    pub(crate) fn is_moved(&self) -> bool {
        self.moved.is_some()
    }

    /// Returns a copy with separate positions, made on the engine; patches are shared.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub(crate) fn copy(&self) -> Result<Vertices> {
        let mut x = self.rx.attribute()?;
        x.copy_from(&self.x)?;
        Ok(Vertices {
            mesh: self.mesh.clone(),
            rx: self.rx.clone(),
            x,
            placement: self.placement,
            several: self.several.clone(),
            seams: self.seams.clone(),
            resident: self.resident,
            moved: self.moved,
            arrays: self.arrays.clone(),
            is_unseen: self.is_unseen,
            has_left_arrays: self.has_left_arrays,
        })
    }

    /// Returns the vertices that are joined on the engine.
    pub(crate) fn seams(&self) -> Option<&SplitSeams> {
        self.seams.as_deref()
    }

    /// Returns the mesh on the host. Copies positions back if they are newer on the engine, and computes normals anew
    /// that it had.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn mesh(&mut self, log: &mut dyn Log) -> Result<&TriMesh> {
        self.shared_mesh(log).map(|mesh| &**mesh)
    }

    /// Returns the mesh on the host to change, as [`Vertices::mesh`]. The copy on the engine is this operation's alone
    /// after that.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn mesh_mut(&mut self, log: &mut dyn Log) -> Result<&mut TriMesh> {
        self.shared_mesh(log)?;
        self.resident = None;
        Ok(Arc::make_mut(&mut self.mesh))
    }

    /// Returns the mesh on the host, as [`Vertices::mesh`], without a copy of it if nothing else holds it.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn into_mesh(mut self, log: &mut dyn Log) -> Result<TriMesh> {
        self.shared_mesh(log)?;
        Ok(Arc::unwrap_or_clone(self.mesh))
    }

    /// Works like [`Vertices::mesh`].
    pub(crate) fn shared_mesh(&mut self, log: &mut dyn Log) -> Result<&Arc<TriMesh>> {
        self.see(log)?;
        if let Some(Moved { normals }) = self.moved {
            let n = normals.then(|| normals_of(&self.rx, &self.x)).transpose()?;
            self.read_back(log, n)?;
        }
        Ok(&self.mesh)
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        let arrays = self.arrays.as_ref();
        let arrays = arrays.filter(|_| self.is_unseen);
        arrays.map_or(self.mesh.vertex_count(), |arrays| arrays.counts()[0])
    }

    /// Returns the number of faces.
    pub fn face_count(&self) -> usize {
        let arrays = self.arrays.as_ref().filter(|_| self.is_unseen);
        arrays.map_or(self.mesh.face_count(), |arrays| arrays.counts()[1])
    }

    /// Returns the vertices that belong to faces, or all if there are no faces.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn used_vertices(&mut self, log: &mut dyn Log) -> Result<UsedVertices> {
        self.see(log)?;
        Ok(self.mesh.used_vertices())
    }

    /// Returns the attributes of the mesh on the host. Normals may be those before a move that the host has not seen.
    /// Columns that are on the engine are not among them.
    pub fn extras(&self) -> &Extras {
        &self.mesh.extras
    }

    /// Sets the normals of the vertices, and returns them in the order of the file.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn take_vertex_normals(
        &mut self,
        log: &mut dyn Log,
        normals: &mut Attribute<Vertex, Vec3>,
    ) -> Result<Vec<Vec3>> {
        let values = self.download(log, normals)?;
        Arc::make_mut(&mut self.mesh).set_vertex_normals(values.clone())?;
        Ok(values)
    }

    /// Computes the signed volume of the cones from the middle of the bounding box to the faces, in working units: that
    /// of the solid for a closed mesh. On the host, or on the engine if positions stay there, where sums are those of
    /// 32-bit volumes.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn volume(&self) -> Result<f64> {
        let (mut volume, scale) = if self.resident.is_some() {
            (volume::volume(&self.rx, &self.x)?, self.placement.scale)
        } else {
            let here = &self.mesh;
            let volume = mesh::volume(&here.positions, &here.faces);
            (volume, here.placement.scale)
        };
        volume.scale_as(QuantityKind::Volume, scale / self.unit());
        Ok(volume)
    }

    /// Returns the scale from working units to the user's (a power of two).
    pub fn unit(&self) -> f64 {
        match &self.several {
            // Each was given in the world's unit, and all share another one.
            Some(_) => self.placement.scale,
            None => self.placement.scale / self.mesh.placement.scale,
        }
    }

    /// Returns the longest side of the box around the mesh's faces, in the world; 0 without vertices.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn size(&mut self, log: &mut dyn Log) -> Result<f64> {
        let mesh = self.mesh(log)?;
        let used = mesh.used_vertices();
        let counted = (0..).zip(&mesh.positions);
        let counted = counted.filter(|(v, _)| used.contains(*v));
        let nothing = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let [low, high] = counted.fold(nothing, |[a, b], (_, p)| [a.min(*p), b.max(*p)]);
        let size = f64::from((high - low).max_element().max(0.0));
        Ok(size * mesh.placement.scale)
    }

    /// Returns the scale from working units to the world's coordinates (a power of two).
    pub fn world_unit(&self) -> f64 {
        self.placement.scale
    }

    /// Does the operation's work and waits for it. Errors begin with the mesh's name.
    ///
    /// # Errors
    ///
    /// Those of the work and of the engine.
    pub fn compute<T>(
        &mut self,
        log: &mut dyn Log,
        name: &'static str,
        work: impl FnOnce(&RxMesh, &mut Attribute<Vertex, Vec3>) -> Result<T>,
    ) -> Result<T> {
        let (rx, x) = (&self.rx, &mut self.x);
        stage(log, Stage::Work(name), || {
            let result = work(rx, x)?;
            rx.engine().synchronize()?;
            Ok(result)
        })
    }

    /// Moves vertices by some work, as [`Vertices::compute`]. Positions come back into the mesh, or stay on the engine
    /// until [`Vertices::mesh`] asks for them; normals that the mesh had are computed again.
    ///
    /// # Errors
    ///
    /// Those of the work and of the engine.
    pub fn move_vertices<T>(
        &mut self,
        log: &mut dyn Log,
        name: &'static str,
        work: impl FnOnce(&RxMesh, &mut Attribute<Vertex, Vec3>) -> Result<T>,
    ) -> Result<T> {
        let unseen = self.moved.is_some_and(|moved| moved.normals);
        let had_normals = self.drop_normals(log) || unseen;
        self.drop_engine_normals();
        if self.face_count() == 0 {
            let path = log
                .mesh_name()
                .map_or(String::new(), |name| format!("{name}: "));
            log.warn(format!(
                "{path}there are no faces, so nothing holds the vertices together"
            ));
        }
        if self.resident.is_some() {
            self.has_left_arrays = true;
            let result = self.compute(log, name, work)?;
            self.moved = Some(Moved {
                normals: had_normals,
            });
            return Ok(result);
        }
        let (result, n) = self.compute(log, name, |rx, x| {
            let result = work(rx, x)?;
            let n = had_normals.then(|| normals_of(rx, x)).transpose()?;
            Ok((result, n))
        })?;
        self.read_back(log, n)?;
        Ok(result)
    }

    /// Copies positions back into the mesh, and normals if there are some.
    fn read_back(
        &mut self,
        log: &mut dyn Log,
        normals: Option<Attribute<Vertex, Vec3>>,
    ) -> Result<()> {
        let (positions, mut normals) = stage(log, Stage::Download, || {
            let positions = self.x.to_input(&self.rx)?;
            let normals = normals.map(|mut n| n.to_input(&self.rx)).transpose()?;
            Ok((positions, normals))
        })?;
        let mesh = Arc::make_mut(&mut self.mesh);
        let home = std::mem::replace(&mut mesh.placement, self.placement);
        mesh.positions = match &self.seams {
            Some(seams) => seams.spread(&positions),
            None => positions,
        };
        if let (Some(seams), Some(normals)) = (&self.seams, &mut normals) {
            *normals = seams.normals(mesh, normals);
        }
        mesh.return_to(home);
        if let Some(normals) = normals {
            mesh.set_vertex_normals(normals)?;
        }
        self.moved = None;
        Ok(())
    }

    /// Copies values of elements back, in the order of the file.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn download<E: Element, T: Value>(
        &mut self,
        log: &mut dyn Log,
        values: &mut Attribute<E, T>,
    ) -> Result<Vec<T>> {
        let rx = &self.rx;
        stage(log, Stage::Download, || Ok(values.to_input(rx)?))
    }

    /// Copies values of vertices or faces into the mesh as columns, and warns of columns that they replace. The number
    /// beside each name is the power of a length that its unit has. They stay on the engine if the mesh is one of
    /// arrays there, whose unit is 1.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn add_columns<E: Element, const N: usize>(
        &mut self,
        log: &mut dyn Log,
        columns: [(&str, i32, &mut Attribute<E, f32>); N],
    ) -> Result<()> {
        if self.is_of_arrays() {
            for (name, _, a) in columns {
                self.add_on_engine(element_of::<E>(), name, a)?;
            }
            return Ok(());
        }
        let mut values = Vec::with_capacity(N);
        let unit = self.unit();
        stage(log, Stage::Download, || {
            for (name, power, a) in columns {
                let data = in_units(a.to_input(&self.rx)?, unit.powi(power));
                values.push((name, data));
            }
            Ok(())
        })?;
        for (name, data) in values {
            self.put_column(log, element_of::<E>(), name, data)?;
        }
        Ok(())
    }

    /// Copies a column to the one by which other programs colour vertices or faces: as floats, with the largest finite
    /// value in place of infinite ones.
    ///
    /// # Errors
    ///
    /// A column that does not fit the mesh.
    pub fn show<E: Element>(&mut self, log: &mut dyn Log, name: &str) -> Result<()> {
        let element = element_of::<E>();
        let Some(column) = self.mesh.extras.column(element, name) else {
            return Ok(());
        };
        let values = (0..column.data.len()).map(|i| column.data.get(i) as f32);
        let finite = values.clone().filter(|x| x.is_finite());
        let largest = finite.fold(f32::NEG_INFINITY, f32::max);
        let data = ColumnData::F32(values.map(|x| x.min(largest)).collect());
        self.put_column(log, element, QUALITY, data)
    }

    /// Adds a column, and warns if it replaces one of the input.
    ///
    /// # Errors
    ///
    /// A column that does not fit the mesh.
    pub fn put_column(
        &mut self,
        log: &mut dyn Log,
        element: ElementKind,
        name: &str,
        data: ColumnData,
    ) -> Result<()> {
        let extras = &self.mesh.extras;
        if extras.column(element, name).is_some() {
            log.warn(format!("the input's column '{name}' is replaced"));
        }
        Ok(Arc::make_mut(&mut self.mesh).add_column(Column {
            name: name.into(),
            element,
            width: 1,
            data,
        })?)
    }

    /// Drops the normals of the input, which do not belong to the new positions. Returns `true` if vertices had some,
    /// to be computed again.
    fn drop_normals(&mut self, log: &mut dyn Log) -> bool {
        let extras = &self.mesh.extras;
        let corners = extras.corner_normals.is_some();
        let vertices = extras.column(ElementKind::Vertex, NORMAL).is_some();
        let faces = extras.column(ElementKind::Face, NORMAL).is_some();
        if corners || extras.columns.iter().any(|c| c.name == NORMAL) {
            let extras = &mut Arc::make_mut(&mut self.mesh).extras;
            extras.corner_normals = None;
            extras.columns.retain(|c| c.name != NORMAL);
        }
        if corners {
            log.warn(
                "the input's normals of corners no longer fit; normals of vertices take their place, without \
                creases".into(),
            );
        }
        if faces {
            log.warn("the input's normals of faces do not fit the result and are left out".into());
        }
        vertices || corners
    }
}

/// Multiplies values by a power of two; the result has 64 bits where 32 would lose some.
fn in_units(mut values: Vec<f32>, factor: f64) -> ColumnData {
    let scaled = |x: f32| f64::from(x) * factor;
    let fits = |x: &f32| {
        let (wide, narrow) = (scaled(*x), scaled(*x) as f32);
        !x.is_finite() || f64::from(narrow) == wide
    };
    if values.iter().all(fits) {
        values.iter_mut().for_each(|x| *x = scaled(*x) as f32);
        return ColumnData::F32(values);
    }
    ColumnData::F64(values.into_iter().map(scaled).collect())
}

fn normals_of(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<Attribute<Vertex, Vec3>> {
    let mut n = rx.attribute()?;
    normals::vertex_normals(rx, x, &mut n)?;
    Ok(n)
}

/// Returns the kind of element of columns.
fn element_of<E: Element>() -> ElementKind {
    match E::KIND {
        Kind::Face => ElementKind::Face,
        _ => ElementKind::Vertex,
    }
}
