//! Headers of NRRD.

use super::MAGIC;
use crate::io::error::Fault;
use crate::io::numbers::{ByteOrder, NumberType};
use crate::io::scan::{TextLines, quote};

/// Most axes of an array (`NRRD_DIM_MAX`).
const MOST_AXES: usize = 16;

/// Encoding of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataEncoding {
    Raw,
    Text,
    Hex,
    Gzip,
}

/// Place of a sample in its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Centering {
    #[default]
    Node,
    Cell,
}

/// An axis of the array.
#[derive(Debug, Clone, Default)]
pub(super) struct Axis {
    pub(super) size: u64,
    pub(super) spacing: Option<f64>,
    /// Ends of the axis.
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) centering: Centering,
    pub(super) direction: Option<[f64; 3]>,
    /// `true` if the axis has the values of a point, and is none of space.
    pub(super) is_value: bool,
}

/// A header.
#[derive(Debug)]
pub(super) struct NrrdHeader {
    pub(super) scalar: NumberType,
    pub(super) order: ByteOrder,
    pub(super) encoding: DataEncoding,
    pub(super) axes: Vec<Axis>,
    /// Place of the line with the sizes.
    pub(super) sizes_at: usize,
    pub(super) origin: Option<[f64; 3]>,
    /// Name of the values, if it is one word.
    pub(super) content: Option<String>,
    pub(super) line_skip: u64,
    pub(super) byte_skip: i64,
    /// Name of a separate file with the data, and the place of the field.
    pub(super) file: Option<(String, usize)>,
    /// Place after the header.
    pub(super) data: usize,
}

/// A field: its value, and the place of its line.
#[derive(Clone, Copy)]
struct Field<'a> {
    value: &'a str,
    at: usize,
}

/// Fields that this reader uses.
#[derive(Default)]
struct Fields<'a> {
    kind: Option<Field<'a>>,
    dimension: Option<Field<'a>>,
    sizes: Option<Field<'a>>,
    endian: Option<Field<'a>>,
    encoding: Option<Field<'a>>,
    spacings: Option<Field<'a>>,
    lows: Option<Field<'a>>,
    highs: Option<Field<'a>>,
    centerings: Option<Field<'a>>,
    kinds: Option<Field<'a>>,
    content: Option<Field<'a>>,
    line_skip: Option<Field<'a>>,
    byte_skip: Option<Field<'a>>,
    file: Option<Field<'a>>,
    directions: Option<Field<'a>>,
    origin: Option<Field<'a>>,
}

impl<'a> Fields<'a> {
    /// Returns the field of a name; names may lack their spaces.
    fn of(&mut self, name: &str) -> Option<&mut Option<Field<'a>>> {
        let mut name = name.to_ascii_lowercase();
        name.retain(|c| c != ' ');
        Some(match &name[..] {
            "type" => &mut self.kind,
            "dimension" => &mut self.dimension,
            "sizes" => &mut self.sizes,
            "endian" => &mut self.endian,
            "encoding" => &mut self.encoding,
            "spacings" => &mut self.spacings,
            "axismins" => &mut self.lows,
            "axismaxs" => &mut self.highs,
            "centers" | "centerings" => &mut self.centerings,
            "kinds" => &mut self.kinds,
            "content" => &mut self.content,
            "lineskip" => &mut self.line_skip,
            "byteskip" => &mut self.byte_skip,
            "datafile" => &mut self.file,
            "spacedirections" => &mut self.directions,
            "spaceorigin" => &mut self.origin,
            _ => return None,
        })
    }
}

/// Reads the header of a file.
pub(super) fn read(bytes: &[u8]) -> Result<NrrdHeader, Fault> {
    let mut lines = TextLines::new(bytes, 0);
    let (_, first) = lines.next().unwrap_or((0, &[]));
    match first.trim_ascii_end().strip_prefix(MAGIC) {
        Some([b'1'..=b'5']) => {}
        Some(version) => {
            let what = format!(
                "version {} of NRRD is not read, only 1 to 5",
                quote(version)
            );
            return Err(Fault::text(0, what));
        }
        None => return Err(Fault::text(0, "the file does not begin as NRRD does")),
    }
    let mut fields = Fields::default();
    let mut ends = false;
    for (at, line) in &mut lines {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            ends = true;
            break;
        }
        if line.starts_with(b"#") {
            continue;
        }
        let text = std::str::from_utf8(line);
        let parted = text.ok().and_then(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name, value))
        });
        let Some((name, value)) = parted else {
            // Text of comments and pairs may have any code page.
            if memchr::memchr(b':', line).is_some() {
                continue;
            }
            let what = format!("{} is no field of a header", quote(line));
            return Err(Fault::text(at, what));
        };
        if value.starts_with('=') {
            continue;
        }
        let value = value.trim();
        if let Some(field) = fields.of(name) {
            if field.is_some() {
                let what = format!("the field '{}' is there twice", name.trim());
                return Err(Fault::text(at, what));
            }
            *field = Some(Field { value, at });
        }
    }
    let data = lines.offset().min(bytes.len());
    if !ends && fields.file.is_none() {
        let what = "the header does not end with an empty line: the file is cut off";
        return Err(Fault::text(bytes.len(), what));
    }
    header(&fields, data)
}

fn header(fields: &Fields<'_>, data: usize) -> Result<NrrdHeader, Fault> {
    let missing = |name: &str| Fault::text(data, format!("the header has no field '{name}'"));
    let dimension = fields.dimension.ok_or_else(|| missing("dimension"))?;
    let sizes = fields.sizes.ok_or_else(|| missing("sizes"))?;
    let kind = fields.kind.ok_or_else(|| missing("type"))?;
    let encoding = fields.encoding.ok_or_else(|| missing("encoding"))?;
    let axes = dimension.number::<usize>()?;
    if !(1..=MOST_AXES).contains(&axes) {
        let what = format!("an array of {axes} axes is not possible: 1 to {MOST_AXES} are");
        return Err(Fault::text(dimension.at, what));
    }
    let mut axes = vec![Axis::default(); axes];
    sizes.each(&mut axes, |axis, word| {
        axis.size = word.parse().ok()?;
        Some(())
    })?;
    let real = |word: &str| word.parse::<f64>().ok();
    // Axes without a spacing or an end have NaN.
    let finite = |x: f64| Some(x).filter(|x| !x.is_nan());
    if let Some(field) = fields.spacings {
        field.each(&mut axes, |axis, word| {
            axis.spacing = finite(real(word)?);
            Some(())
        })?;
    }
    if let Some(field) = fields.lows {
        field.each(&mut axes, |axis, word| {
            axis.low = finite(real(word)?);
            Some(())
        })?;
    }
    if let Some(field) = fields.highs {
        field.each(&mut axes, |axis, word| {
            axis.high = finite(real(word)?);
            Some(())
        })?;
    }
    if let Some(field) = fields.centerings {
        field.each(&mut axes, |axis, word| {
            if word.eq_ignore_ascii_case("cell") {
                axis.centering = Centering::Cell;
            }
            Some(())
        })?;
    }
    if let Some(field) = fields.kinds {
        field.each(&mut axes, |axis, word| {
            let space = ["domain", "space", "time", "???", "none"];
            axis.is_value = !space.iter().any(|s| word.eq_ignore_ascii_case(s));
            Some(())
        })?;
    }
    if let Some(field) = fields.directions {
        let vectors = field.vectors()?;
        if vectors.len() != axes.len() {
            return Err(field.wrong(&format!("must have {} vectors", axes.len())));
        }
        for (axis, vector) in axes.iter_mut().zip(vectors) {
            axis.direction = vector;
            axis.is_value |= vector.is_none();
        }
    }
    let origin = match fields.origin {
        Some(field) => match field.vectors()?[..] {
            [origin] => origin,
            _ => return Err(field.wrong("must be one vector")),
        },
        None => None,
    };
    let order = match fields
        .endian
        .map(|f| f.value.to_ascii_lowercase())
        .as_deref()
    {
        Some("big") => ByteOrder::Big,
        _ => ByteOrder::Little,
    };
    let word = |c: &&str| !c.is_empty() && c.len() <= 64 && !c.contains(char::is_whitespace);
    let content = fields.content.map(|f| f.value).filter(word);
    Ok(NrrdHeader {
        scalar: kind.scalar()?,
        order,
        encoding: encoding.encoding()?,
        axes,
        sizes_at: sizes.at,
        origin,
        content: content.map(str::to_owned),
        line_skip: fields.line_skip.map_or(Ok(0), |f| f.number())?,
        byte_skip: fields.byte_skip.map_or(Ok(0), |f| f.number())?,
        file: fields.file.map(|f| (f.value.to_owned(), f.at)),
        data,
    })
}

impl Field<'_> {
    fn wrong(&self, what: &str) -> Fault {
        let value = quote(self.value.as_bytes());
        Fault::text(self.at, format!("the field is {value}, and {what}"))
    }

    fn number<T: std::str::FromStr>(&self) -> Result<T, Fault> {
        let wrong = |_| self.wrong("must be a whole number");
        self.value.parse().map_err(wrong)
    }

    /// Reads a word for each axis.
    fn each(
        &self,
        axes: &mut [Axis],
        take: impl Fn(&mut Axis, &str) -> Option<()>,
    ) -> Result<(), Fault> {
        let words: Vec<&str> = self.value.split_ascii_whitespace().collect();
        if words.len() != axes.len() {
            return Err(self.wrong(&format!("must have {} values", axes.len())));
        }
        for (axis, word) in axes.iter_mut().zip(words) {
            let number = || self.wrong(&format!("{} is no number", quote(word.as_bytes())));
            take(axis, word).ok_or_else(number)?;
        }
        Ok(())
    }

    /// Reads vectors of three numbers, `(1,0,0)`, or `none`.
    fn vectors(&self) -> Result<Vec<Option<[f64; 3]>>, Fault> {
        let mut rest = self.value.trim_start();
        let mut all = Vec::new();
        while !rest.is_empty() {
            if all.len() > MOST_AXES {
                return Err(self.wrong("has too many vectors"));
            }
            let vector = if let Some(after) = rest.strip_prefix("none") {
                rest = after;
                None
            } else {
                let inner = rest.strip_prefix('(').and_then(|r| r.split_once(')'));
                let (inner, after) = inner.ok_or_else(|| self.wrong("must be vectors: (x,y,z)"))?;
                rest = after;
                let numbers = inner.split(',').map(|w| w.trim().parse::<f64>());
                let numbers: Result<Vec<f64>, _> = numbers.collect();
                let numbers = numbers.ok().and_then(|n| <[f64; 3]>::try_from(n).ok());
                Some(numbers.ok_or_else(|| self.wrong("vectors must have 3 numbers"))?)
            };
            all.push(vector);
            rest = rest.trim_start();
        }
        Ok(all)
    }

    fn encoding(&self) -> Result<DataEncoding, Fault> {
        Ok(match &self.value.to_ascii_lowercase()[..] {
            "raw" => DataEncoding::Raw,
            "text" | "txt" | "ascii" => DataEncoding::Text,
            "hex" => DataEncoding::Hex,
            "gzip" | "gz" => DataEncoding::Gzip,
            "bzip2" | "bz2" => {
                return Err(self.wrong(
                    "data packed by bzip2 are not read: `unu save -f nrrd -e gzip` packs them by gzip",
                ));
            }
            _ => return Err(self.wrong("must be raw, ascii, hex or gzip")),
        })
    }

    fn scalar(&self) -> Result<NumberType, Fault> {
        let name = self.value.to_ascii_lowercase();
        let words: Vec<&str> = name.split_ascii_whitespace().collect();
        Ok(match &words.join(" ")[..] {
            "signed char" | "int8" | "int8_t" => NumberType::I8,
            "uchar" | "unsigned char" | "uint8" | "uint8_t" => NumberType::U8,
            "short" | "short int" | "signed short" | "signed short int" | "int16" | "int16_t" => {
                NumberType::I16
            }
            "ushort" | "unsigned short" | "unsigned short int" | "uint16" | "uint16_t" => {
                NumberType::U16
            }
            "int" | "signed int" | "int32" | "int32_t" => NumberType::I32,
            "uint" | "unsigned int" | "uint32" | "uint32_t" => NumberType::U32,
            "longlong"
            | "long long"
            | "long long int"
            | "signed long long"
            | "signed long long int"
            | "int64"
            | "int64_t" => NumberType::I64,
            "ulonglong"
            | "unsigned long long"
            | "unsigned long long int"
            | "uint64"
            | "uint64_t" => NumberType::U64,
            "float" => NumberType::F32,
            "double" => NumberType::F64,
            _ => return Err(self.wrong("must be a type of numbers, such as float or uint8")),
        })
    }
}
