//! The colour of the surface: one colour, colours or values of vertices and faces, labels, checkers, or textures.

use crate::color::{LinearColor, Rgb, label_color, mix};
use crate::error::PictureError;
use crate::labels;
use crate::marks::line;
use crate::options::{Paint, PictureOptions, fault};
use crate::render::Panel;
use crate::surface::Hit;
use crate::texture::{MeshTextures, TextureCoat};
use crate::values::{SurfaceValues, ValueScale};
use rxmesh_host::TriMesh;
use rxmesh_host::mesh::{COLOR, Column, ColumnData, ElementKind, NO_VALUE};

/// Colour of a surface that has none.
pub(crate) const USUAL: Rgb = Rgb([0x86, 0xa9, 0xd6]);
/// Colour where a value is missing.
const MISSING: LinearColor = [0.30, 0.29, 0.28];
/// Colours of checkers, and their number along a unit of texture coordinates.
pub(crate) const CHECKERS: [Rgb; 2] = [Rgb([0xf2, 0xef, 0xe8]), Rgb([0x5d, 0x86, 0xb8])];
pub(crate) const CHECKERS_A_UNIT: f32 = 16.0;

/// Colour of a surface.
#[derive(Debug)]
pub(crate) enum Coat {
    Plain(LinearColor),
    Vertices(Vec<LinearColor>),
    Faces(Vec<LinearColor>),
    Labels(Vec<u32>),
    Values(SurfaceValues),
    /// Texture coordinates of the corners of the faces; `NaN` where there are none.
    Checkers(Vec<[f32; 2]>),
    Textured(TextureCoat),
}

impl Coat {
    /// Returns the coat of a mesh; a column has the scale. Textures come before all others.
    pub(crate) fn new(
        panel: &Panel<'_>,
        options: &PictureOptions,
        scale: Option<&ValueScale>,
        textures: Option<&MeshTextures>,
    ) -> Result<Coat, PictureError> {
        let mesh = panel.mesh;
        if let Some(textures) = textures {
            return Ok(Coat::Textured(TextureCoat::new(mesh, textures)));
        }
        let paint = if panel.is_plain {
            &Paint::Usual
        } else {
            &options.paint
        };
        Ok(match (paint, scale) {
            (Paint::Column(name), Some(scale)) => {
                Coat::Values(SurfaceValues::new(Coat::column(mesh, name)?, scale))
            }
            (Paint::Plain(color), _) => Coat::Plain(color.linear()),
            (Paint::Checker, _) => Coat::Checkers(texture_coordinates(mesh)?),
            (Paint::Labels, _) => match panel.labels {
                Some(labels) if labels.len() == mesh.face_count() => Coat::Labels(labels.to_vec()),
                labels => {
                    let (count, faces) = (labels.map_or(0, <[u32]>::len), mesh.face_count());
                    return fault(format!("there are {count} labels for {faces} faces"));
                }
            },
            (Paint::Groups, _) => Coat::Labels(labels::groups(mesh)?),
            (Paint::Parts, _) => Coat::Labels(labels::parts(mesh)),
            (Paint::Usual | Paint::Column(_) | Paint::Texture(_), _) => usual(mesh),
        })
    }

    /// Returns the column of values of a name.
    pub(crate) fn column<'a>(mesh: &'a TriMesh, name: &str) -> Result<&'a Column, PictureError> {
        let scalar = mesh.extras.columns.iter().filter(|c| c.width == 1);
        if let Some(column) = scalar.clone().find(|c| c.name == name) {
            return Ok(column);
        }
        let names: Vec<&str> = scalar.map(|c| c.name.as_str()).collect();
        let there = match names.is_empty() {
            true => "there is none".to_owned(),
            false => format!("there are {}", names.join(", ")),
        };
        fault(format!(
            "no column of one value a row is named '{name}'; {there}"
        ))
    }

    /// Returns the colour at a place.
    pub(crate) fn color(&self, hit: &Hit) -> LinearColor {
        match self {
            Coat::Plain(color) => *color,
            Coat::Vertices(colors) => {
                let of = hit.corners.map(|v| colors[v as usize]);
                std::array::from_fn(|i| hit.blend([of[0][i], of[1][i], of[2][i]]))
            }
            Coat::Faces(colors) => colors[hit.face],
            Coat::Labels(labels) => label_color(labels[hit.face]),
            Coat::Values(values) => values.color(hit).unwrap_or(MISSING),
            Coat::Checkers(corners) => checker(hit, &corners[3 * hit.face..3 * hit.face + 3]),
            Coat::Textured(coat) => coat.color(hit),
        }
    }

    /// Returns `true` if the other side of a face has the same colour.
    pub(crate) fn is_two_sided(&self, face: usize) -> bool {
        matches!(self, Coat::Textured(coat) if coat.is_two_sided(face))
    }

    /// Draws lines of equal value over the light of a place.
    pub(crate) fn lines(&self, hit: &Hit, light: LinearColor) -> LinearColor {
        match self {
            Coat::Values(values) => values.lines(hit, light),
            _ => light,
        }
    }
}

/// Returns the colours of the mesh, if it has any.
fn usual(mesh: &TriMesh) -> Coat {
    let colors = |element| mesh.extras.column(element, COLOR).and_then(colors_of);
    if let Some(colors) = colors(ElementKind::Vertex) {
        return Coat::Vertices(colors);
    }
    match colors(ElementKind::Face) {
        Some(colors) => Coat::Faces(colors),
        None => Coat::Plain(USUAL.linear()),
    }
}

/// Returns the colours of a column in linear light.
pub(crate) fn colors_of(column: &Column) -> Option<Vec<LinearColor>> {
    let colors = rgb_of(column)?;
    Some(colors.into_iter().map(Rgb::linear).collect())
}

/// Returns the colours of a column: of whole numbers up to their type's greatest, of floats up to 1. `None` if it has
/// not three or four numbers a row.
pub(crate) fn rgb_of(column: &Column) -> Option<Vec<Rgb>> {
    if !(3..=4).contains(&column.width) {
        return None;
    }
    let most = match &column.data {
        ColumnData::I8(_) => f64::from(i8::MAX),
        ColumnData::U8(_) => f64::from(u8::MAX),
        ColumnData::I16(_) => f64::from(i16::MAX),
        ColumnData::U16(_) => f64::from(u16::MAX),
        ColumnData::I32(_) => f64::from(i32::MAX),
        ColumnData::U32(_) => f64::from(u32::MAX),
        ColumnData::F32(_) | ColumnData::F64(_) => 1.0,
    };
    let channel = |i: usize| {
        let value = column.data.get(i) / most;
        (255.0 * value.clamp(0.0, 1.0) + 0.5) as u8
    };
    let rows = 0..column.data.len() / column.width;
    let color = |row: usize| Rgb([0, 1, 2].map(|k| channel(row * column.width + k)));
    Some(rows.map(color).collect())
}

/// Returns the texture coordinates of the corners: those of the corners, else `s` and `t` of the vertices.
pub(crate) fn texture_coordinates(mesh: &TriMesh) -> Result<Vec<[f32; 2]>, PictureError> {
    if let Some(layer) = &mesh.extras.corner_texcoords {
        let at = |&entry: &u32| match entry {
            NO_VALUE => [f32::NAN; 2],
            entry => {
                let first = entry as usize * layer.width;
                [layer.values[first], layer.values[first + 1]]
            }
        };
        return Ok(layer.corners.iter().map(at).collect());
    }
    let column = |name| {
        mesh.extras
            .column(ElementKind::Vertex, name)
            .filter(|c| c.width == 1)
    };
    let (Some(s), Some(t)) = (column("s"), column("t")) else {
        return fault("the mesh has no texture coordinates".into());
    };
    let at = |&v: &u32| [s, t].map(|c| c.data.get(v as usize) as f32);
    Ok(mesh.faces.iter().flatten().map(at).collect())
}

/// Returns the colour of a checker; where they are too small to be seen, the colour between.
fn checker(hit: &Hit, corners: &[[f32; 2]]) -> LinearColor {
    let [a, b, c] = hit.weights;
    let at =
        |i: usize| CHECKERS_A_UNIT * (a * corners[0][i] + b * corners[1][i] + c * corners[2][i]);
    let (u, v) = (at(0), at(1));
    if !u.is_finite() || !v.is_finite() {
        return MISSING;
    }
    // Distance to the nearest border in pixels decides how much of a pixel is in the next checker.
    let near = |x: f32, i: usize| {
        let slope = CHECKERS_A_UNIT * slope(hit, [0, 1, 2].map(|k| corners[k][i]));
        let border = (x - (x + 0.5).floor()).abs();
        0.5 - line(border / slope.max(1e-6), 0.0).max((0.5 - border / slope.max(1e-6)).max(0.0))
    };
    let odd = ((u.floor() as i64 + v.floor() as i64) & 1) as usize;
    let clear = 2.0 * near(u, 0).min(near(v, 1)).max(0.0);
    let [same, other] = [CHECKERS[odd].linear(), CHECKERS[1 - odd].linear()];
    mix(mix(same, other, 0.5), same, clear)
}

/// Returns the change of a value per pixel, of the values at the corners of a face.
pub(crate) fn slope(hit: &Hit, values: [f32; 3]) -> f32 {
    let [_, b, c] = hit.places();
    let (v1, v2) = (values[1] - values[0], values[2] - values[0]);
    let area = hit.area.abs().max(1e-6);
    let (x, y) = (
        (v1 * c[1] - v2 * b[1]) / area,
        (b[0] * v2 - c[0] * v1) / area,
    );
    (x * x + y * y).sqrt()
}
