//! From a mesh to a mesh, with all that it carries.

use crate::{Boundary, FaceVarying, Options, Scheme, Subdivision};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{
    Column, ColumnData, CornerLayer, ElementKind, Extras, Faces, NO_VALUE, NORMAL, PolyMesh,
    SharpEdge, SharpVertex, Tag,
};
use rxmesh_host::{Error, Vec3};
use rxmesh_subdivision_kernels::build::Around;
use serde::Serialize;
use std::collections::HashMap;

/// A refined mesh.
#[derive(Debug)]
pub struct Refined {
    /// The mesh; faces of a base face are adjacent, base faces in their order.
    pub mesh: PolyMesh,
    /// What could not be taken along.
    pub warnings: Vec<String>,
}

/// What a refined mesh has beside its faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Places {
    /// Put the vertices where they end when the mesh is refined for ever.
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: bool,
    /// Give each vertex the normal of the limit surface.
    #[cfg_attr(feature = "cli", arg(long))]
    pub normals: bool,
}

/// Refines a mesh with all that it carries.
///
/// Columns of floats and colours of vertices are values as positions are; texture coordinates of corners are refined
/// over the seams that they have, as [`Options::face_varying`] says. Faces have the columns, groups and materials of
/// those that they come from. Normals, and columns of whole numbers of vertices, are left out, which the warnings say.
/// Sharpness is used up and not carried; so are holes.
///
/// # Errors
///
/// As [`Subdivision::new`]; [`MeshError::NotFinite`](rxmesh_host::mesh::MeshError::NotFinite) for positions that leave
/// the range of floats.
pub fn refine(
    engine: &Engine,
    mesh: &PolyMesh,
    options: &Options,
    places: Places,
) -> Result<Refined, Error> {
    let surface = Subdivision::new(engine, mesh, options)?;
    let corners = surface.faces_to_host()?;
    let parents: Vec<u32> = (0..surface.face_count())
        .map(|f| surface.parent(f))
        .collect();
    let (positions, normals) = positions(&surface, mesh, places)?;
    let faces = match surface.face_size() {
        Some(n) => Faces::Same(n),
        // Without a level the faces are those of the mesh, holes apart.
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
        corner_normals: None,
        tags: tags(&mesh.extras.tags, &parents),
        comments: mesh.extras.comments.clone(),
    };
    refined.extras.columns.extend(normals);
    if mesh.extras.corner_normals.is_some() {
        warnings.push("normals of face corners are left out".into());
    }
    refined.validate()?;
    Ok(Refined {
        mesh: refined,
        warnings,
    })
}

/// Positions of the surface, and normals where they are asked for.
fn positions(
    surface: &Subdivision,
    mesh: &PolyMesh,
    places: Places,
) -> Result<(Vec<Vec3>, Option<Column>), Error> {
    let engine = surface.mesh().engine();
    let n = 3 * surface.vertex_count() as usize;
    let x: Vec<f32> = mesh.positions.iter().flat_map(|p| p.to_array()).collect();
    let mut values = engine.zeroed(n)?;
    surface.values(3, &engine.upload(&x)?, &mut values)?;
    let mut normal = None;
    if places != Places::default() {
        let (mut points, mut normals) = (engine.zeroed(n)?, engine.zeroed(n)?);
        surface.limit(&values, &mut points, &mut normals)?;
        if places.normals {
            normal = Some(Column {
                name: NORMAL.into(),
                element: ElementKind::Vertex,
                width: 3,
                data: ColumnData::F32(normals.read()?),
            });
        }
        if places.limit {
            values = points;
        }
    }
    let values = values.read()?;
    let points = values.as_chunks::<3>().0.iter();
    Ok((points.map(|&p| Vec3::from_array(p)).collect(), normal))
}

/// The columns of a refined mesh; `values` makes values of its vertices of those of the mesh, so many each.
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

/// A column of the surface's vertices, in its own type.
fn blended(
    refined: &impl Fn(u32, &[f32]) -> Result<Vec<f32>, Error>,
    column: &Column,
) -> Result<Column, Error> {
    let values: Vec<f32> = (0..column.data.len())
        .map(|i| column.data.get(i) as f32)
        .collect();
    let values = refined(column.width as u32, &values)?;
    // Casts of floats hold on to the ends of a type's range.
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

/// Statements hold from the first face on that comes from theirs, or from a later one.
pub(crate) fn tags(tags: &[Tag], parents: &[u32]) -> Vec<Tag> {
    let first = |face: u32| parents.partition_point(|&p| p < face) as u32;
    let moved = tags.iter().map(|tag| Tag {
        face: first(tag.face),
        ..tag.clone()
    });
    moved.collect()
}

/// Texture coordinates: a surface of their own, whose vertices are the layer's entries.
fn texcoords(
    of: &Subdivision,
    mesh: &PolyMesh,
    layer: &CornerLayer,
    options: &Options,
    parents: &[u32],
) -> Result<CornerLayer, Error> {
    let width = layer.width;
    let linear = options.face_varying == FaceVarying::All;
    let mut values = layer.values.clone();
    let mut corners = layer.corners.clone();
    let mut lacks = vec![false; mesh.face_count()];
    for (face, lacks) in lacks.iter_mut().enumerate() {
        let range = mesh.range(face);
        *lacks = corners[range.clone()].contains(&NO_VALUE);
        if *lacks {
            // Entries of its own, which are not looked at.
            for corner in range {
                corners[corner] = (values.len() / width) as u32;
                values.extend(std::iter::repeat_n(0.0, width));
            }
        }
    }
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
            // The middle of a polygon is smooth from the next level on, unless its quads are apart.
            let quads = PolyMesh {
                corners: one.corners,
                ..PolyMesh::default()
            };
            one = in_pieces(of, quads, one.values, width, options.levels - 1, options)?;
        }
        one
    } else {
        sharpen(&mut own, mesh, &held(of, mesh, options.boundary)?);
        if options.face_varying == FaceVarying::Boundaries {
            hold_boundaries(&mut own);
        }
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

/// Values over a mesh whose vertices they belong to.
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

/// As [`over`], each face by itself: what is linear along its sides stays so.
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

/// The vertices that are corners without being listed: those of one face where the boundary's rule says so, and those
/// where the surface is not manifold.
fn held(of: &Subdivision, mesh: &PolyMesh, boundary: Boundary) -> Result<Vec<u32>, Error> {
    let corners = boundary == Boundary::EdgeAndCorner;
    let around = of.mesh().to_host()?.around;
    let is_held = |&v: &u32| {
        let around = around[v as usize];
        around == Around::Fans as u32 || corners && around == Around::Corner as u32
    };
    Ok((0..mesh.vertex_count() as u32).filter(is_held).collect())
}

/// The faces that nothing comes from.
fn without(faces: usize, parents: &[u32]) -> Vec<u32> {
    let mut used = vec![false; faces];
    parents.iter().for_each(|&f| used[f as usize] = true);
    (0..faces as u32).filter(|&f| !used[f as usize]).collect()
}

/// What is sharp in `mesh` is sharp in `own`, which has the same faces and other vertices; so are the vertices `held`.
fn sharpen(own: &mut PolyMesh, mesh: &PolyMesh, held: &[u32]) {
    let key = |a: u32, b: u32| [a.min(b), a.max(b)];
    let edges: HashMap<[u32; 2], f32> = mesh
        .sharp_edges
        .iter()
        .map(|e| (key(e.ends[0], e.ends[1]), e.sharpness))
        .collect();
    let mut vertices: HashMap<u32, f32> = mesh
        .sharp_vertices
        .iter()
        .map(|v| (v.vertex, v.sharpness))
        .collect();
    vertices.extend(held.iter().map(|&v| (v, PolyMesh::SHARP)));
    if edges.is_empty() && vertices.is_empty() {
        return;
    }
    for face in 0..mesh.face_count() {
        let range = mesh.range(face);
        let n = range.len();
        for k in 0..n {
            let (here, next) = (range.start + k, range.start + (k + 1) % n);
            if let Some(&sharpness) = edges.get(&key(mesh.corners[here], mesh.corners[next])) {
                let ends = [own.corners[here], own.corners[next]];
                own.sharp_edges.push(SharpEdge { ends, sharpness });
            }
            if let Some(&sharpness) = vertices.get(&mesh.corners[here]) {
                let vertex = own.corners[here];
                own.sharp_vertices.push(SharpVertex { vertex, sharpness });
            }
        }
    }
}

/// Makes corners of all vertices at a boundary.
fn hold_boundaries(own: &mut PolyMesh) {
    let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
    for face in 0..own.face_count() {
        let f = own.face(face);
        for k in 0..f.len() {
            let (a, b) = (f[k], f[(k + 1) % f.len()]);
            *sides.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
    }
    let mut held: Vec<u32> = sides
        .iter()
        .filter(|(_, n)| **n == 1)
        .flat_map(|(e, _)| *e)
        .collect();
    held.sort_unstable();
    held.dedup();
    own.sharp_vertices
        .extend(held.into_iter().map(|vertex| SharpVertex {
            vertex,
            sharpness: PolyMesh::SHARP,
        }));
}
