//! Columns while they are being filled, and the names under which programs write colours, normals and texture
//! coordinates.

use super::super::error::Fault;
use super::super::numbers::Numbers;
use super::body::ValueReader;
use super::header::{Property, ScalarType};
use crate::mesh::{
    COLOR, Column, ColumnData, CornerLayer, ElementKind, NO_VALUE, NORMAL, shown_name,
};
use std::collections::HashMap;

/// Names of the parts of a normal.
const NORMALS: [[&str; 3]; 2] = [["nx", "ny", "nz"], ["normal_x", "normal_y", "normal_z"]];

/// Names of the parts of a colour, the last of which may be missing. The format's own come first.
const COLOURS: [[&str; 4]; 3] = [
    ["red", "green", "blue", "alpha"],
    ["r", "g", "b", "a"],
    [
        "diffuse_red",
        "diffuse_green",
        "diffuse_blue",
        "diffuse_alpha",
    ],
];

/// Names of a pair of texture coordinates, and one beside which they are something else (velocities, tangents).
const TEXTURES: [([&str; 2], &str); 4] = [
    (["s", "t"], ""),
    (["texture_u", "texture_v"], ""),
    (["u", "v"], "w"),
    (["tx", "ty"], "tz"),
];

/// One number per row while rows are read.
pub(super) struct Filling {
    name: String,
    values: Values,
}

enum Values {
    Plain(ColumnData),
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    /// Colours of the Point Cloud Library, three or four bytes in a number of 32 bits; that type is kept beside them.
    Packed(ScalarType, Vec<u32>),
}

impl Filling {
    /// Creates a column of a property of type `t`, with capacity for `n` rows.
    pub(super) fn new(property: &Property, t: &ScalarType, n: usize) -> Filling {
        let packed = matches!(property.name.as_str(), "rgb" | "rgba");
        let values = match t {
            ScalarType::Int | ScalarType::UInt | ScalarType::Float if packed => {
                Values::Packed(*t, Vec::with_capacity(n))
            }
            ScalarType::Char => Values::Plain(ColumnData::I8(Vec::with_capacity(n))),
            ScalarType::UChar => Values::Plain(ColumnData::U8(Vec::with_capacity(n))),
            ScalarType::Short => Values::Plain(ColumnData::I16(Vec::with_capacity(n))),
            ScalarType::UShort => Values::Plain(ColumnData::U16(Vec::with_capacity(n))),
            ScalarType::Int => Values::Plain(ColumnData::I32(Vec::with_capacity(n))),
            ScalarType::UInt => Values::Plain(ColumnData::U32(Vec::with_capacity(n))),
            ScalarType::Long => Values::Signed(Vec::with_capacity(n)),
            ScalarType::ULong => Values::Unsigned(Vec::with_capacity(n)),
            ScalarType::Half | ScalarType::Float => {
                Values::Plain(ColumnData::F32(Vec::with_capacity(n)))
            }
            ScalarType::Double => Values::Plain(ColumnData::F64(Vec::with_capacity(n))),
        };
        let name = property.name.clone();
        Filling { name, values }
    }

    /// Removes the last row.
    pub(super) fn drop_last(&mut self) {
        match &mut self.values {
            Values::Plain(data) => {
                crate::mesh::each_type!(data, v => {
                    v.pop();
                });
            }
            Values::Signed(v) => {
                v.pop();
            }
            Values::Unsigned(v) => {
                v.pop();
            }
            Values::Packed(_, v) => {
                v.pop();
            }
        }
    }

    /// Reads the next value of the file.
    #[inline]
    pub(super) fn take(
        &mut self,
        source: &mut impl ValueReader,
        t: &ScalarType,
    ) -> Result<(), Fault> {
        let name = &self.name;
        match &mut self.values {
            Values::Plain(data) => push(data, source.value(t, name)?),
            Values::Signed(v) => v.push(source.wide(t, name)? as i64),
            Values::Unsigned(v) => v.push(source.wide(t, name)? as u64),
            Values::Packed(_, v) => v.push(source.bits(t, name)?),
        }
        Ok(())
    }

    /// Returns the column; with `colours`, numbers called `rgb` may be colours.
    fn finish(self, element: ElementKind, colours: bool, warnings: &mut Vec<String>) -> Column {
        let mut column = Column {
            name: self.name,
            element,
            width: 1,
            data: ColumnData::U8(Vec::new()),
        };
        column.data = match self.values {
            Values::Plain(data) => data,
            Values::Signed(v) => narrow(&column, Numbers::I64(v), warnings),
            Values::Unsigned(v) => narrow(&column, Numbers::U64(v), warnings),
            Values::Packed(t, v) => match unpacked(&column.name, t, &v).filter(|_| colours) {
                Some((width, bytes)) => {
                    (column.name, column.width) = (COLOR.into(), width);
                    ColumnData::U8(bytes)
                }
                None => match t {
                    ScalarType::Int => ColumnData::I32(v.iter().map(|&x| x as i32).collect()),
                    ScalarType::UInt => ColumnData::U32(v),
                    _ => ColumnData::F32(v.into_iter().map(f32::from_bits).collect()),
                },
            },
        };
        column
    }
}

/// Converts whole numbers of 64 bits to 32 if all fit, else to doubles; a warning gives the number of those that these
/// do not hold.
fn narrow(column: &Column, numbers: Numbers, warnings: &mut Vec<String>) -> ColumnData {
    let exact = |i: &usize| match &numbers {
        Numbers::I64(v) => v[*i] as f64 as i128 == i128::from(v[*i]),
        Numbers::U64(v) => v[*i] as f64 as i128 == i128::from(v[*i]),
        Numbers::Kept(_) => true,
    };
    let rounded = (0..numbers.len()).filter(|i| !exact(i)).count();
    if rounded == 0 && numbers.fits_double() {
        return numbers.into_column().unwrap_or(ColumnData::F64(Vec::new()));
    }
    if rounded > 0 {
        warnings.push(format!(
            "property '{}' of element '{}' has whole numbers beyond 2^53: {rounded} are rounded to the next 64-bit \
                float",
            shown_name(&column.name),
            column.element
        ));
    }
    ColumnData::F64((0..numbers.len()).map(|i| numbers.real(i)).collect())
}

/// Returns the width and the bytes of packed colours (blue lowest), or `None` if the numbers can be none: in `rgb` the
/// highest byte is not used.
fn unpacked(name: &str, t: ScalarType, values: &[u32]) -> Option<(usize, Vec<u8>)> {
    // Older files have the packed number as the float's value, and not as its bits.
    let value = |v: &u32| {
        let x = f32::from_bits(*v);
        let whole = x.fract() == 0.0 && (0.0..=16_777_215.0).contains(&x);
        whole.then_some(x as u32)
    };
    let whole: Option<Vec<u32>> = match t {
        ScalarType::Float => values.iter().map(value).collect(),
        _ => None,
    };
    let whole = whole.filter(|all| all.iter().any(|v| *v > 255));
    let (values, t) = match &whole {
        Some(whole) => (&whole[..], ScalarType::UInt),
        None => (values, t),
    };
    let unused = |v: &u32| matches!(v >> 24, 0 | 255);
    let alpha = name == "rgba" && values.iter().any(|v| v >> 24 != 0);
    if !alpha && !values.iter().all(unused) {
        return None;
    }
    // Floats from 0 to 1 are not packed bytes, whatever their name.
    let plain = |v: &u32| (1e-30..=1.0).contains(&f32::from_bits(*v));
    if t == ScalarType::Float && values.iter().any(plain) {
        return None;
    }
    let bytes = values.iter().flat_map(|v| {
        let [b, g, r, a] = v.to_le_bytes();
        [r, g, b, a].into_iter().take(if alpha { 4 } else { 3 })
    });
    Some((if alpha { 4 } else { 3 }, bytes.collect()))
}

/// Returns the columns of an element: parts of normals and colours become one, texture coordinates get the names `s`
/// and `t`.
pub(super) fn finish(
    fillings: Vec<Filling>,
    element: ElementKind,
    warnings: &mut Vec<String>,
) -> Vec<Column> {
    let named = |name: &str| fillings.iter().any(|f| f.name == name);
    let parts = COLOURS
        .iter()
        .any(|names| names[..3].iter().all(|n| named(n)));
    let both = named("rgb") && named("rgba");
    let columns = fillings.into_iter().map(|f| {
        let colours = !(parts || both && f.name == "rgb");
        f.finish(element, colours, warnings)
    });
    let mut columns: Vec<Column> = columns.collect();
    for names in &NORMALS {
        merge(&mut columns, NORMAL, names, |_| true);
    }
    for (i, names) in COLOURS.iter().enumerate() {
        // The format's own names are colours whatever they hold.
        let holds = |c: &Column| i == 0 || is_colour(&c.data);
        merge(&mut columns, COLOR, names, holds);
        merge(&mut columns, COLOR, &names[..3], holds);
    }
    if element == ElementKind::Vertex {
        name_texcoords(&mut columns);
    }
    columns
}

/// Returns `true` for numbers that can be parts of colours: of unsigned types, from 0 to 1, or whole from 0 to 255.
fn is_colour(data: &ColumnData) -> bool {
    let values = || (0..data.len()).map(|i| data.get(i));
    match data {
        ColumnData::U8(_) | ColumnData::U16(_) | ColumnData::U32(_) => true,
        ColumnData::F32(_) | ColumnData::F64(_) if values().all(|x| (0.0..=1.0).contains(&x)) => {
            true
        }
        _ => values().all(|x| (0.0..=255.0).contains(&x) && x.fract() == 0.0),
    }
}

/// Makes one column of several scalar ones of one type, in the place of the first, if all are there.
fn merge(columns: &mut Vec<Column>, name: &str, parts: &[&str], holds: impl Fn(&Column) -> bool) {
    let place = |part: &&str| {
        columns
            .iter()
            .position(|c| c.width == 1 && c.name == **part)
    };
    let Some(places) = parts.iter().map(place).collect::<Option<Vec<usize>>>() else {
        return;
    };
    let first = &columns[places[0]];
    let kind = std::mem::discriminant(&first.data);
    let fits = |&i: &usize| std::mem::discriminant(&columns[i].data) == kind && holds(&columns[i]);
    if !places.iter().all(fits) || columns.iter().any(|c| c.name == name) {
        return;
    }
    let rows = first.data.len();
    let mut data = like(&first.data, rows * parts.len());
    for row in 0..rows {
        places
            .iter()
            .for_each(|&i| push(&mut data, columns[i].data.get(row)));
    }
    let at = places.iter().copied().min().unwrap_or(0);
    columns[at] = Column {
        name: name.into(),
        element: first.element,
        width: parts.len(),
        data,
    };
    let mut index = 0;
    columns.retain(|_| {
        index += 1;
        index - 1 == at || !places.contains(&(index - 1))
    });
}

/// Gives the first pair of floats that are texture coordinates the names `s` and `t`.
fn name_texcoords(columns: &mut [Column]) {
    let place = |name: &str| columns.iter().position(|c| c.name == name);
    let float = |i: usize| {
        let data = &columns[i].data;
        matches!(data, ColumnData::F32(_) | ColumnData::F64(_)).then_some(i)
    };
    let pair = TEXTURES.iter().find_map(|([s, t], other)| {
        let pair = (place(s).and_then(float)?, place(t).and_then(float)?);
        place(other).is_none().then_some(pair)
    });
    if let Some((s, t)) = pair
        && ["s", "t"]
            .iter()
            .zip([s, t])
            .all(|(n, at)| place(n).is_none_or(|i| i == at))
    {
        columns[s].name = "s".into();
        columns[t].name = "t".into();
    }
}

fn like(data: &ColumnData, n: usize) -> ColumnData {
    match data {
        ColumnData::I8(_) => ColumnData::I8(Vec::with_capacity(n)),
        ColumnData::U8(_) => ColumnData::U8(Vec::with_capacity(n)),
        ColumnData::I16(_) => ColumnData::I16(Vec::with_capacity(n)),
        ColumnData::U16(_) => ColumnData::U16(Vec::with_capacity(n)),
        ColumnData::I32(_) => ColumnData::I32(Vec::with_capacity(n)),
        ColumnData::U32(_) => ColumnData::U32(Vec::with_capacity(n)),
        ColumnData::F32(_) => ColumnData::F32(Vec::with_capacity(n)),
        ColumnData::F64(_) => ColumnData::F64(Vec::with_capacity(n)),
    }
}

#[inline]
fn push(data: &mut ColumnData, x: f64) {
    match data {
        ColumnData::I8(v) => v.push(x as i8),
        ColumnData::U8(v) => v.push(x as u8),
        ColumnData::I16(v) => v.push(x as i16),
        ColumnData::U16(v) => v.push(x as u16),
        ColumnData::I32(v) => v.push(x as i32),
        ColumnData::U32(v) => v.push(x as u32),
        ColumnData::F32(v) => v.push(x as f32),
        ColumnData::F64(v) => v.push(x),
    }
}

/// Texture coordinates of corners: PLY repeats them at every corner, a layer holds each pair once.
#[derive(Default)]
pub(super) struct Texcoords {
    values: Vec<f32>,
    corners: Vec<u32>,
    known: HashMap<[u32; 2], u32>,
}

impl Texcoords {
    /// Adds the list of a face whose `n` corners begin at `first`; an empty list means none. Returns `false` for a list
    /// of another length, which is ignored.
    pub(super) fn add(&mut self, first: usize, n: usize, list: &[f32]) -> bool {
        if list.len() != 2 * n {
            return list.is_empty();
        }
        self.corners.resize(first, NO_VALUE);
        for pair in list.as_chunks::<2>().0 {
            let next = self.known.len() as u32;
            let id = *self.known.entry(pair.map(f32::to_bits)).or_insert(next);
            if id == next {
                self.values.extend_from_slice(pair);
            }
            self.corners.push(id);
        }
        true
    }

    pub(super) fn finish(mut self, corners: usize) -> Option<CornerLayer> {
        if self.corners.is_empty() {
            return None;
        }
        self.corners.resize(corners, NO_VALUE);
        Some(CornerLayer {
            width: 2,
            values: self.values,
            corners: self.corners,
        })
    }
}
