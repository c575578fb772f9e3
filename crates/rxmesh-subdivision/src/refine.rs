//! Refinement of a mesh with all its attributes.

use crate::normals;
use crate::seams::{Seams, SplitValues};
use crate::{Boundary, FaceVarying, HostMesh, Options, Scheme, Subdivision};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{
    Column, ColumnData, CornerLayer, ElementKind, Extras, Faces, NO_VALUE, NORMAL, PolyMesh, Tag,
    TriMesh,
};
use rxmesh_host::{Error, Vec3};
use rxmesh_subdivision_kernels::build::Neighbourhood;
use serde::Serialize;

/// A refined mesh.
#[derive(Debug)]
pub struct Refined {
    /// Mesh; faces of a base face are contiguous, in the order of the base faces.
    pub mesh: PolyMesh,
    /// Warnings about attributes that could not be carried over.
    pub warnings: Vec<String>,
}

/// Options for positions and normals of a refined mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct VertexOptions {
    /// Move the vertices to their limit positions.
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: bool,
    /// Give each vertex the normal of the limit surface.
    #[cfg_attr(feature = "cli", arg(long))]
    pub normals: bool,
    /// Give each corner of a face the normal of the limit surface on its side of infinitely sharp edges.
    #[cfg_attr(feature = "cli", arg(long))]
    pub split_normals: bool,
}

/// Refines a mesh with all its attributes.
///
/// Columns of floats and colours of vertices are interpolated as positions are; texture coordinates of corners are
/// refined over their seams, according to [`Options::face_varying`]. Faces inherit the columns, groups and materials of
/// their base faces. Normals, and integer columns of vertices, are left out, which the warnings report. An infinitely
/// sharp edge with nothing sharp at either end has one normal on both sides. Sharpness and holes are not carried over.
///
/// # Errors
///
/// As [`Subdivision::new`]; [`MeshError::NotFinite`](rxmesh_host::mesh::MeshError::NotFinite) for positions out of the
/// range of floats.
pub fn refine(
    engine: &Engine,
    mesh: &PolyMesh,
    options: &Options,
    places: VertexOptions,
) -> Result<Refined, Error> {
    let surface = Subdivision::new(engine, mesh, options)?;
    let corners = surface.faces_to_host()?;
    let parents: Vec<u32> = (0..surface.face_count())
        .map(|f| surface.parent(f))
        .collect();
    let Positions {
        positions,
        normals,
        split,
    } = positions(&surface, mesh, options, places, &parents)?;
    let faces = match surface.face_size() {
        Some(n) => Faces::Same(n),
        // Without a level the faces are those of the mesh, without holes.
        None => Faces::of_sizes(
            &parents
                .iter()
                .map(|&f| mesh.face(f as usize).len() as u32)
                .collect::<Vec<u32>>(),
        ),
    };
    let mut warnings = Vec::new();
    let mut refined = PolyMesh {
        positions,
        faces,
        corners,
        placement: mesh.placement,
        ..PolyMesh::default()
    };
    let of_host = |width: u32, x: &[f32]| surface.values_of_host(width, x);
    refined.extras = Extras {
        columns: columns(&of_host, mesh, &parents, &mut warnings)?,
        corner_texcoords: match &mesh.extras.corner_texcoords {
            Some(layer) => Some(texcoords(&surface, mesh, layer, options, &parents)?),
            None => None,
        },
        corner_normals: split,
        tags: tags(&mesh.extras.tags, &parents),
        comments: mesh.extras.comments.clone(),
        materials: mesh.extras.materials.clone(),
    };
    refined.extras.columns.extend(normals);
    if mesh.extras.corner_normals.is_some() && !places.split_normals {
        warnings.push("normals of face corners are left out".into());
    }
    refined.validate()?;
    Ok(Refined {
        mesh: refined,
        warnings,
    })
}

/// Refines a mesh of triangles: quads of the surface are cut into triangles. Extras are not carried over.
///
/// # Errors
///
/// As [`refine()`].
pub fn refine_triangles(
    engine: &Engine,
    mesh: &TriMesh,
    options: &Options,
) -> Result<TriMesh, Error> {
    let bare = TriMesh {
        positions: mesh.positions.clone(),
        faces: mesh.faces.clone(),
        placement: mesh.placement,
        ..TriMesh::default()
    };
    let refined = refine(engine, &bare.into(), options, VertexOptions::default())?;
    let (triangles, _) = refined.mesh.triangulate()?;
    Ok(triangles)
}

/// Positions and normals of a surface.
struct Positions {
    positions: Vec<Vec3>,
    /// Normals of vertices, if requested.
    normals: Option<Column>,
    /// Normals of corners, if requested.
    split: Option<CornerLayer>,
}

fn positions(
    surface: &Subdivision,
    mesh: &PolyMesh,
    options: &Options,
    places: VertexOptions,
    parents: &[u32],
) -> Result<Positions, Error> {
    let engine = surface.mesh().engine();
    let n = 3 * surface.vertex_count() as usize;
    let x: Vec<f32> = mesh.positions.iter().flat_map(|p| p.to_array()).collect();
    let mut values = engine.zeroed(n)?;
    surface.values(3, &engine.upload(&x)?, &mut values)?;
    let (mut normal, mut split) = (None, None);
    if places != VertexOptions::default() {
        let (mut points, mut normals) = (engine.zeroed(n)?, engine.zeroed(n)?);
        surface.limit(&values, &mut points, &mut normals)?;
        let normals = normals.read()?;
        if places.split_normals {
            let all = normals::split(surface, mesh, options, &values, &normals, parents)?;
            split = Some(all);
        }
        if places.normals {
            normal = Some(Column {
                name: NORMAL.into(),
                element: ElementKind::Vertex,
                width: 3,
                data: ColumnData::F32(normals),
            });
        }
        if places.limit {
            values = points;
        }
    }
    let values = values.read()?;
    let points = values.as_chunks::<3>().0.iter();
    Ok(Positions {
        positions: points.map(|&p| Vec3::from_array(p)).collect(),
        normals: normal,
        split,
    })
}

/// Returns the columns of a refined mesh; `values` computes values of its vertices from `width` values per mesh vertex.
pub(crate) fn columns(
    values: &impl Fn(u32, &[f32]) -> Result<Vec<f32>, Error>,
    mesh: &PolyMesh,
    parents: &[u32],
    warnings: &mut Vec<String>,
) -> Result<Vec<Column>, Error> {
    let mut made = Vec::new();
    for column in &mesh.extras.columns {
        if column.element == ElementKind::Face {
            made.push(column.gather(parents));
        } else if column.is_blended() {
            made.push(blended(values, column)?);
        } else {
            warnings.push(format!("vertex column '{}' is left out", column.name));
        }
    }
    Ok(made)
}

/// Returns a column of the surface's vertices, in its original type.
fn blended(
    refined: &impl Fn(u32, &[f32]) -> Result<Vec<f32>, Error>,
    column: &Column,
) -> Result<Column, Error> {
    let values: Vec<f32> = (0..column.data.len())
        .map(|i| column.data.get(i) as f32)
        .collect();
    let values = refined(column.width as u32, &values)?;
    // Casts of floats saturate at the limits of a type's range.
    let data = match &column.data {
        ColumnData::I8(_) => ColumnData::I8(values.iter().map(|x| x.round() as i8).collect()),
        ColumnData::U8(_) => ColumnData::U8(values.iter().map(|x| x.round() as u8).collect()),
        ColumnData::I16(_) => ColumnData::I16(values.iter().map(|x| x.round() as i16).collect()),
        ColumnData::U16(_) => ColumnData::U16(values.iter().map(|x| x.round() as u16).collect()),
        ColumnData::I32(_) => ColumnData::I32(values.iter().map(|x| x.round() as i32).collect()),
        ColumnData::U32(_) => ColumnData::U32(values.iter().map(|x| x.round() as u32).collect()),
        ColumnData::F32(_) => ColumnData::F32(values),
        ColumnData::F64(_) => ColumnData::F64(values.iter().map(|&x| f64::from(x)).collect()),
    };
    Ok(Column {
        name: column.name.clone(),
        data,
        ..*column
    })
}

/// Moves statements to the first face that comes from theirs, or from a later one.
pub(crate) fn tags(tags: &[Tag], parents: &[u32]) -> Vec<Tag> {
    let first = |face: u32| parents.partition_point(|&p| p < face) as u32;
    let moved = tags.iter().map(|tag| Tag {
        face: first(tag.face),
        ..tag.clone()
    });
    moved.collect()
}

/// Refines texture coordinates as a separate surface, whose vertices are the layer's entries.
fn texcoords(
    of: &Subdivision,
    mesh: &PolyMesh,
    layer: &CornerLayer,
    options: &Options,
    parents: &[u32],
) -> Result<CornerLayer, Error> {
    let width = layer.width;
    let linear = options.face_varying == FaceVarying::All;
    let SplitValues {
        corners,
        values,
        lacks,
    } = SplitValues::new(mesh, layer);
    let mut own = PolyMesh {
        faces: mesh.faces.clone(),
        corners,
        holes: without(mesh.face_count(), parents),
        ..PolyMesh::default()
    };
    let mut refined = if linear {
        let polygons = options.scheme == Scheme::CatmullClark && own.face_size() != Some(4);
        let whole = !polygons || options.levels < 2;
        let first = if whole { options.levels } else { 1 };
        let mut one = in_pieces(of, own, values, width, first, options)?;
        if !whole {
            // The centre of a polygon is smooth from the next level on, unless its quads are separate.
            let quads = PolyMesh {
                corners: one.corners,
                ..PolyMesh::default()
            };
            one = in_pieces(of, quads, one.values, width, options.levels - 1, options)?;
        }
        one
    } else {
        let base = of.mesh().to_host()?;
        let seams = Seams::new(mesh, &base);
        seams.sharpen(&mut own, &held(&base, options.boundary));
        seams.hold(&mut own, &lacks, options);
        let boundary = match options.face_varying {
            FaceVarying::None => Boundary::EdgeOnly,
            _ => Boundary::EdgeAndCorner,
        };
        over(
            of,
            own,
            &values,
            width,
            &Options {
                boundary,
                ..*options
            },
        )?
    };
    // Faces of the result have as many corners as those of the surface.
    let mut at = 0;
    for &parent in parents {
        let n = of
            .face_size()
            .map_or(mesh.face(parent as usize).len(), |n| n as usize);
        if lacks[parent as usize] {
            refined.corners[at..at + n].fill(NO_VALUE);
        }
        at += n;
    }
    Ok(refined)
}

/// Refines values that belong to the vertices of `own`.
fn over(
    of: &Subdivision,
    mut own: PolyMesh,
    values: &[f32],
    width: usize,
    options: &Options,
) -> Result<CornerLayer, Error> {
    own.positions = vec![Vec3::ZERO; values.len() / width];
    let surface = Subdivision::new(of.mesh().engine(), &own, options)?;
    Ok(CornerLayer {
        width,
        values: surface.values_of_host(width as u32, values)?,
        corners: surface.faces_to_host()?,
    })
}

/// Refines as [`over`], each face separately: values that are linear along its sides stay so.
fn in_pieces(
    of: &Subdivision,
    mut own: PolyMesh,
    values: Vec<f32>,
    width: usize,
    levels: u32,
    options: &Options,
) -> Result<CornerLayer, Error> {
    let at = |&corner: &u32| &values[width * corner as usize..width * (corner as usize + 1)];
    let apart: Vec<f32> = own.corners.iter().flat_map(at).copied().collect();
    own.corners = (0..own.corners.len() as u32).collect();
    let options = Options {
        boundary: Boundary::EdgeAndCorner,
        levels,
        ..*options
    };
    over(of, own, &apart, width, &options)
}

/// Returns the vertices that are corners without being listed: those of one face, depending on the boundary rule, and
/// non-manifold ones.
pub(crate) fn held(base: &HostMesh, boundary: Boundary) -> Vec<u32> {
    let corners = boundary == Boundary::EdgeAndCorner;
    let is_held = |&v: &u32| {
        let around = base.around[v as usize];
        around == Neighbourhood::Fans as u32 || corners && around == Neighbourhood::Corner as u32
    };
    (0..base.around.len() as u32).filter(is_held).collect()
}

/// Returns the faces without a child.
pub(crate) fn without(faces: usize, parents: &[u32]) -> Vec<u32> {
    let mut used = vec![false; faces];
    parents.iter().for_each(|&f| used[f as usize] = true);
    (0..faces as u32).filter(|&f| !used[f as usize]).collect()
}
