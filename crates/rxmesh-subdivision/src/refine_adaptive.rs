//! Refinement of a mesh to the patches of its surface.

use crate::catmull_clark::{Adaptive, PatchCount, Tessellation};
use crate::refine::{columns, tags};
use crate::{Options, Refined, Scheme, VertexOptions};
use rxmesh_host::Error;
use rxmesh_host::Vec3;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, Extras, Faces, NORMAL, PolyMesh};

/// Makes a mesh of the limit surface with one face per bicubic patch ([`Adaptive::tessellate`]): few faces where the
/// mesh is regular, smaller ones towards irregular vertices and semi-sharp features.
///
/// Vertices lie on the surface, whatever `places` says. Columns are carried over as by [`refine`](crate::refine());
/// texture coordinates and normals of corners are left out, which the warnings report.
///
/// # Errors
///
/// As [`Adaptive::new`]; [`Error::Options`] for schemes other than Catmull-Clark;
/// [`MeshError::NotFinite`](rxmesh_host::mesh::MeshError::NotFinite) for positions out of the range of floats.
pub fn refine_adaptive(
    engine: &Engine,
    mesh: &PolyMesh,
    options: &Options,
    places: VertexOptions,
) -> Result<(Refined, Vec<PatchCount>), Error> {
    if options.scheme != Scheme::CatmullClark {
        return Err(Error::Options(
            "only Catmull-Clark surfaces have adaptive patches".into(),
        ));
    }
    let mut surface = Adaptive::new(engine, mesh, options)?;
    let patches = surface.patches()?;
    let made = surface.tessellate()?;
    let parents: Vec<u32> = patches.iter().map(|p| surface.parent(p.face)).collect();
    // Faces in the order of their base faces.
    let mut order: Vec<usize> = (0..patches.len()).collect();
    order.sort_by_key(|&p| parents[p]);
    let parents: Vec<u32> = order.iter().map(|&p| parents[p]).collect();
    let corners: Vec<&Vec<u32>> = order.iter().map(|&p| &made.corners[p]).collect();

    let at = VertexParameters::new(engine, &made)?;
    let x: Vec<f32> = mesh.positions.iter().flat_map(|p| p.to_array()).collect();
    let (positions, normals) = at.positions(&surface, &x)?;
    let sizes: Vec<u32> = corners.iter().map(|f| f.len() as u32).collect();
    let points = positions.as_chunks::<3>().0.iter();
    let mut refined = PolyMesh {
        positions: points.map(|&p| Vec3::from_array(p)).collect(),
        faces: Faces::of_sizes(&sizes),
        corners: corners.into_iter().flatten().copied().collect(),
        placement: mesh.placement,
        ..PolyMesh::default()
    };
    let mut warnings = Vec::new();
    let values = |width: u32, x: &[f32]| at.values(&surface, width, x);
    refined.extras = Extras {
        columns: columns(&values, mesh, &parents, &mut warnings)?,
        tags: tags(&mesh.extras.tags, &parents),
        comments: mesh.extras.comments.clone(),
        materials: mesh.extras.materials.clone(),
        ..Extras::default()
    };
    surface.check()?;
    if places.normals {
        refined.extras.columns.push(Column {
            name: NORMAL.into(),
            element: ElementKind::Vertex,
            width: 3,
            data: ColumnData::F32(normals),
        });
    }
    for (layer, what) in [
        (&mesh.extras.corner_texcoords, "texture coordinates"),
        (&mesh.extras.corner_normals, "normals"),
    ] {
        if layer.is_some() {
            warnings.push(format!("{what} of face corners are left out"));
        }
    }
    refined.validate()?;
    let refined = Refined {
        mesh: refined,
        warnings,
    };
    Ok((refined, PatchCount::of(&patches)))
}

/// Parameters of the vertices on the engine.
struct VertexParameters<'a> {
    engine: &'a Engine,
    faces: Buffer<u32>,
    places: Buffer<f32>,
}

impl<'a> VertexParameters<'a> {
    fn new(engine: &'a Engine, made: &Tessellation) -> Result<VertexParameters<'a>, Error> {
        Ok(VertexParameters {
            engine,
            faces: engine.upload(&made.faces)?,
            places: engine.upload(&made.places)?,
        })
    }

    /// Computes control points from values of the mesh.
    fn control(&self, surface: &Adaptive, width: u32, x: &[f32]) -> Result<Buffer<f32>, Error> {
        let rows = surface.control_count() as usize;
        let mut control = self.engine.zeroed(rows * width as usize)?;
        surface.values(width, &self.engine.upload(x)?, &mut control)?;
        Ok(control)
    }

    /// Computes values at the vertices.
    fn values(&self, surface: &Adaptive, width: u32, x: &[f32]) -> Result<Vec<f32>, Error> {
        let control = self.control(surface, width, x)?;
        let mut out = self.engine.zeroed(self.faces.len() * width as usize)?;
        surface.evaluate(width, &control, &self.faces, &self.places, &mut out)?;
        Ok(out.read()?)
    }

    /// Computes positions and normals at the vertices.
    fn positions(&self, surface: &Adaptive, x: &[f32]) -> Result<(Vec<f32>, Vec<f32>), Error> {
        let control = self.control(surface, 3, x)?;
        let n = 3 * self.faces.len();
        let (mut points, mut normals) = (self.engine.zeroed(n)?, self.engine.zeroed(n)?);
        surface.evaluate_normals(
            &control,
            &self.faces,
            &self.places,
            &mut points,
            &mut normals,
        )?;
        Ok((points.read()?, normals.read()?))
    }
}
