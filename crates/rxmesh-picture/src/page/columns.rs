//! Columns of a page: values, labels and colours of vertices and faces.

use super::materials::DescribedMaterials;
use super::pack::{ArrayPlace, PackedArrays};
use super::{PageMesh, text_of};
use crate::coat::rgb_of;
use crate::color::{Encoder, LinearColor, Ramp, label_color, label_count};
use crate::options::{ColorMap, Paint, PictureOptions};
use crate::values::ValueScale;
use rxmesh_host::TriMesh;
use rxmesh_host::mesh::{COLOR, Column, ColumnData, ElementKind};
use serde::Serialize;

/// Largest whole number of a value; the next one stands for a missing value.
pub(super) const VALUE_STEPS: f64 = 65_534.0;

/// Number of colours of a map on a page.
pub(super) const COLORS: usize = 256;

/// Name in place of a map for colours that need none: three numbers from 0 to 255 a row.
pub(super) const RGB: &str = "rgb";

/// Name of the map of whole numbers that are names and not sizes.
pub(super) const LABELS: &str = "labels";

/// Returns the colours of a map: red, green and blue bytes in base 64.
pub(super) fn table(map: &str) -> String {
    let encoder = Encoder::new();
    let ramp = Ramp::new(ColorMap::Auto, map == "coolwarm");
    let color = |i: usize| -> LinearColor {
        match map {
            LABELS => label_color(i as u32),
            _ => ramp.at(i as f32 / (COLORS - 1) as f32),
        }
    };
    let bytes = (0..COLORS).flat_map(color).map(|l| encoder.encode(l));
    text_of(&bytes.collect::<Vec<u8>>())
}

/// Description of a column on a page.
#[derive(Serialize)]
pub(super) struct DescribedColumn<'a> {
    pub(super) name: &'a str,
    pub(super) of: &'static str,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) map: &'static str,
    pub(super) values: ArrayPlace,
    /// Draws of materials, which have texture coordinates as values.
    #[serde(flatten)]
    pub(super) materials: Option<DescribedMaterials>,
}

/// Returns the name that labels have in the list of columns.
pub(super) fn labels_name(paint: &Paint) -> Option<&'static str> {
    match paint {
        Paint::Labels => Some("labels"),
        Paint::Groups => Some("groups"),
        Paint::Parts => Some("parts"),
        _ => None,
    }
}

/// Returns the columns of one value per vertex or face.
pub(super) fn scalars(mesh: &TriMesh) -> impl Iterator<Item = &Column> {
    let is_shown =
        |c: &&Column| c.width == 1 && matches!(c.element, ElementKind::Vertex | ElementKind::Face);
    mesh.extras.columns.iter().filter(is_shown)
}

/// Describes labels of faces, and adds them: values that lie on the entries of the map exactly.
pub(super) fn describe_labels<'a>(
    name: &'a str,
    labels: &[u32],
    arrays: &mut PackedArrays,
) -> DescribedColumn<'a> {
    let step = VALUE_STEPS / (COLORS - 1) as f64;
    let count = label_count();
    let value = |&label: &u32| (f64::from(label % count) * step + 0.5) as u16;
    let values: Vec<u16> = labels.iter().map(value).collect();
    DescribedColumn {
        name,
        of: "face",
        low: 0.0,
        high: 0.0,
        map: LABELS,
        values: arrays.add_16(&values, 1),
        materials: None,
    }
}

/// Describes the colours of vertices, else of faces, and adds them.
pub(super) fn describe_colors(
    mesh: &TriMesh,
    arrays: &mut PackedArrays,
) -> Option<DescribedColumn<'static>> {
    let kinds = [(ElementKind::Vertex, "vertex"), (ElementKind::Face, "face")];
    let found = kinds.into_iter().find_map(|(kind, of)| {
        let colors = mesh.extras.column(kind, COLOR).and_then(rgb_of)?;
        Some((of, colors))
    });
    let (of, colors) = found?;
    let values: Vec<u16> = colors.iter().flat_map(|c| c.0).map(u16::from).collect();
    Some(DescribedColumn {
        name: COLOR,
        of,
        low: 0.0,
        high: 0.0,
        map: RGB,
        values: arrays.add_16(&values, 3),
        materials: None,
    })
}

/// Describes a column on the scale of all columns of its name, and adds its values.
pub(super) fn describe_column<'a>(
    column: &'a Column,
    (all, options): (&[PageMesh<'_>], &PictureOptions),
    arrays: &mut PackedArrays,
) -> Option<DescribedColumn<'a>> {
    let of = match column.element {
        ElementKind::Face => "face",
        _ => "vertex",
    };
    if let (ElementKind::Face, ColumnData::U32(labels)) = (column.element, &column.data) {
        return Some(describe_labels(&column.name, labels, arrays));
    }
    let alike = all.iter().flat_map(|one| scalars(one.mesh));
    let alike: Vec<&Column> = alike.filter(|c| c.name == column.name).collect();
    // Map and range are for the column that is shown first.
    let is_first = matches!(&options.paint, Paint::Column(name) if *name == column.name);
    let usual = PictureOptions::default();
    let chosen = if is_first { options } else { &usual };
    let scale = ValueScale::new(&alike, chosen)?;
    let value = |i: usize| match column.data.get(i) {
        value if value.is_finite() => {
            (f64::from(scale.place(value)).clamp(0.0, 1.0) * VALUE_STEPS + 0.5) as u16
        }
        _ => u16::MAX,
    };
    let values: Vec<u16> = (0..column.data.len()).map(value).collect();
    Some(DescribedColumn {
        name: &column.name,
        of,
        low: scale.low,
        high: scale.high,
        map: match (chosen.map, scale.is_signed) {
            (ColorMap::Coolwarm, _) | (ColorMap::Auto, true) => "coolwarm",
            _ => "viridis",
        },
        values: arrays.add_16(&values, 1),
        materials: None,
    })
}
