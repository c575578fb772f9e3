//! Meshes whose connectivity stays.

use super::Several;
use crate::log::of_mesh;
use crate::{Log, Result, Stage, stage};
use rxmesh_host::Vec3;
use rxmesh_host::algo::normals;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::attr::Value;
use rxmesh_host::kernels::topo::{Element, Kind, Vertex};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, NORMAL, Placement, SplitSeams, TriMesh};
use rxmesh_host::patch::PatchSet;
use rxmesh_host::store::{Attribute, RxMesh};

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
    pub fn upload(self, engine: &Engine, set: PatchSet, log: &mut dyn Log) -> Result<Vertices> {
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
            let rx = RxMesh::from_patches(engine, set)?;
            let x = rx.attribute_from::<Vertex, Vec3>(&normalised)?;
            engine.synchronize()?;
            Ok((rx, x))
        })?;
        Ok(Vertices {
            mesh,
            rx,
            x,
            placement,
            several,
            seams,
        })
    }
}

/// Mesh on an engine whose connectivity stays.
#[derive(Debug)]
pub struct Vertices {
    /// Mesh as it came; [`Vertices::move_vertices`] changes its positions.
    pub mesh: TriMesh,
    /// Mesh on the engine.
    pub rx: RxMesh,
    /// Positions in working units.
    pub x: Attribute<Vertex, Vec3>,
    /// Place and scale of the working units.
    placement: Placement,
    /// Several meshes, if it is not one.
    pub several: Option<Several>,
    /// Vertices that the file has split, which are joined on the engine.
    seams: Option<SplitSeams>,
}

impl Vertices {
    /// Returns the scale from working units to the user's (a power of two).
    pub fn unit(&self) -> f64 {
        match &self.several {
            // Each was given in the world's unit, and all share another one.
            Some(_) => self.placement.scale,
            None => self.placement.scale / self.mesh.placement.scale,
        }
    }

    /// Returns the longest side of the box around the mesh's faces, in the world; 0 without vertices.
    pub fn size(&self) -> f64 {
        let used = self.mesh.used_vertices();
        let counted = (0..).zip(&self.mesh.positions);
        let counted = counted.filter(|(v, _)| used.contains(*v));
        let nothing = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let [low, high] = counted.fold(nothing, |[a, b], (_, p)| [a.min(*p), b.max(*p)]);
        let size = f64::from((high - low).max_element().max(0.0));
        size * self.mesh.placement.scale
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

    /// Does work that moves vertices, as [`Vertices::compute`]: positions come back into the mesh, and normals that it
    /// had are computed again.
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
        let had_normals = self.drop_normals(log);
        if self.mesh.faces.is_empty() {
            let path = log
                .mesh_name()
                .map_or(String::new(), |name| format!("{name}: "));
            log.warn(format!(
                "{path}there are no faces, so nothing holds the vertices together"
            ));
        }
        let (result, n) = self.compute(log, name, |rx, x| {
            let result = work(rx, x)?;
            let n = had_normals.then(|| normals_of(rx, x)).transpose()?;
            Ok((result, n))
        })?;
        let (positions, mut normals) = stage(log, Stage::Download, || {
            let positions = self.x.to_input(&self.rx)?;
            let normals = n.map(|mut n| n.to_input(&self.rx)).transpose()?;
            Ok((positions, normals))
        })?;
        let home = std::mem::replace(&mut self.mesh.placement, self.placement);
        self.mesh.positions = match &self.seams {
            Some(seams) => seams.spread(&positions),
            None => positions,
        };
        if let (Some(seams), Some(normals)) = (&self.seams, &mut normals) {
            *normals = seams.normals(&self.mesh, normals);
        }
        self.mesh.return_to(home);
        if let Some(normals) = normals {
            self.mesh.set_vertex_normals(normals)?;
        }
        Ok(result)
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
    /// beside each name is the power of a length that its unit has.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn add_columns<E: Element, const N: usize>(
        &mut self,
        log: &mut dyn Log,
        columns: [(&str, i32, &mut Attribute<E, f32>); N],
    ) -> Result<()> {
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
        Ok(self.mesh.add_column(Column {
            name: name.into(),
            element,
            width: 1,
            data,
        })?)
    }

    /// Drops the normals of the input, which do not belong to the new positions. Returns `true` if vertices had some,
    /// to be computed again.
    fn drop_normals(&mut self, log: &mut dyn Log) -> bool {
        let extras = &mut self.mesh.extras;
        let corners = extras.corner_normals.take().is_some();
        let vertices = extras.column(ElementKind::Vertex, NORMAL).is_some();
        let faces = extras.column(ElementKind::Face, NORMAL).is_some();
        extras.columns.retain(|c| c.name != NORMAL);
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
