//! The tags of a VTU file: its arrays, and the places of their data.

use super::super::error::Fault;
use super::super::numbers::{ByteOrder, NumberType};
use super::super::scan::quote;
use super::image::{Extent, ImageTag};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::ops::Range;

/// Encoding and place of an array's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ArraySource {
    /// Text between the tags, in pieces: comments and other elements may part it.
    Text(Vec<Range<usize>>),
    /// Base64 between the tags.
    Inline(Range<usize>),
    /// Offset after the `_` of the appended data.
    Appended(usize),
}

/// An array, not read yet.
#[derive(Debug, Clone)]
pub(super) struct Array {
    pub(super) name: String,
    /// `None` for strings and bits.
    pub(super) scalar: Option<NumberType>,
    pub(super) width: usize,
    pub(super) place: ArraySource,
    /// Offset of its tag.
    pub(super) at: usize,
}

/// Parts of a piece that have arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Points,
    Cells,
    Verts,
    Lines,
    Polys,
    Strips,
    PointData,
    CellData,
    FieldData,
}

impl Section {
    fn of(tag: &str) -> Option<Section> {
        Some(match tag {
            "Points" => Section::Points,
            "Cells" => Section::Cells,
            "Verts" => Section::Verts,
            "Lines" => Section::Lines,
            "Polys" => Section::Polys,
            "Strips" => Section::Strips,
            "PointData" => Section::PointData,
            "CellData" => Section::CellData,
            "FieldData" => Section::FieldData,
            _ => return None,
        })
    }
}

/// Packing of blocks of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Zlib,
    Lz4,
    Lzma,
}

/// Kind of data that a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DatasetType {
    Grid,
    PolyData,
    /// A regular grid of points.
    Image,
}

/// Kinds of data that a reader takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Meshes,
    Images,
}

/// A part of the mesh.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) points: usize,
    pub(super) cells: usize,
    /// Numbers of points, lines, strips and polygons of poly data.
    pub(super) verts: usize,
    pub(super) lines: usize,
    pub(super) strips: usize,
    pub(super) polys: usize,
    pub(super) arrays: Vec<(Section, Array)>,
    /// Names of the arrays that are normals and texture coordinates of points, as the tag says.
    pub(super) normals: Option<String>,
    pub(super) texcoords: Option<String>,
    /// Arrays that are not numbers.
    pub(super) strings: Vec<String>,
    /// Points of an image that the piece has, unless it has them all.
    pub(super) extent: Option<Extent>,
    /// Name of the array that programs show first, as the tags of points and cells say.
    pub(super) scalars: [Option<String>; 2],
}

/// A file as its tags have it.
#[derive(Debug)]
pub(super) struct VtuFile {
    pub(super) order: ByteOrder,
    /// Bytes of a length.
    pub(super) header: usize,
    pub(super) packed: Option<Packing>,
    pub(super) kind: DatasetType,
    /// Files of the pieces, for a file that only lists them.
    pub(super) sources: Option<Vec<(String, usize)>>,
    pub(super) pieces: Vec<Piece>,
    /// Points of an image.
    pub(super) image: Option<ImageTag>,
    /// Offset after the `_` of the appended data, and `true` if they are base64.
    pub(super) appended: Option<(usize, bool)>,
    pub(super) field_data: bool,
}

/// Attributes of a tag, and where it is.
pub(super) struct Attributes {
    all: Vec<(String, String)>,
    pub(super) at: usize,
}

impl Attributes {
    fn of(tag: &BytesStart<'_>, at: usize) -> Result<Attributes, Fault> {
        let mut all = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|e| Fault::text(at, e.to_string()))?;
            let value = quick_xml::escape::unescape(&attribute.value)
                .map_err(|e| Fault::text(at, e.to_string()))?
                .into_owned();
            all.push((attribute.key.as_ref().to_owned(), value));
        }
        Ok(Attributes { all, at })
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut all = self.all.iter();
        all.find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    fn size(&self, name: &str, missing: Option<usize>) -> Result<usize, Fault> {
        let given = self.get(name).map(|value| value.trim().parse());
        match given {
            None if missing.is_some() => Ok(missing.unwrap_or_default()),
            Some(Ok(n)) => Ok(n),
            _ => {
                let shown = quote(self.get(name).unwrap_or_default().as_bytes());
                Err(Fault::text(
                    self.at,
                    format!("'{name}' must be a number, and is {shown}"),
                ))
            }
        }
    }
}

/// Reads the tags up to the appended data or the end.
pub(super) fn tags(bytes: &[u8], wanted: Wanted) -> Result<VtuFile, Fault> {
    let mut reader = Reader::from_reader(bytes);
    let mut parser = Parser {
        bytes,
        wanted,
        file: None,
        section: None,
        grid: false,
        depth: 0,
    };
    loop {
        let at = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|e| {
            let at = (reader.error_position() as usize).min(bytes.len());
            Fault::text(at, format!("not XML: {e}"))
        })?;
        let end = reader.buffer_position() as usize;
        match event {
            Event::Start(tag) if tag.name().as_ref() == "AppendedData" => {
                parser.appended(&tag, at, end)?;
                break;
            }
            Event::Start(tag) if is_array(&tag) => {
                let content = content(&mut reader, at, end)?;
                parser.array(&tag, at, content)?;
            }
            Event::Empty(tag) if is_array(&tag) => {
                parser.array(&tag, at, Vec::new())?;
            }
            Event::Start(tag) => {
                parser.depth += 1;
                parser.start(&tag, at)?;
            }
            Event::Empty(tag) => {
                parser.start(&tag, at)?;
                parser.end(tag.name().as_ref());
            }
            Event::End(tag) => {
                parser.depth = parser.depth.saturating_sub(1);
                parser.end(tag.name().as_ref());
            }
            Event::Eof if parser.depth > 0 => {
                return Err(Fault::text(bytes.len(), "the file ends inside of a tag"));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let Some(file) = parser.file else {
        return Err(Fault::file("there is no <VTKFile>"));
    };
    if !parser.grid {
        let what = match file.kind {
            DatasetType::Grid => "there is no <UnstructuredGrid>",
            DatasetType::PolyData => "there is no <PolyData>",
            DatasetType::Image => "there is no <ImageData>",
        };
        return Err(Fault::file(what));
    }
    Ok(file)
}

fn is_array(tag: &BytesStart<'_>) -> bool {
    ["DataArray", "Array"].contains(&tag.name().as_ref())
}

/// Returns the text of an array without that of elements inside of it, such as the range of the values' lengths. The
/// tag of the array is at `at`, its text begins at `from`.
fn content(reader: &mut Reader<&[u8]>, at: usize, from: usize) -> Result<Vec<Range<usize>>, Fault> {
    let mut ranges = Vec::new();
    let (mut depth, mut start) = (0usize, from);
    loop {
        let here = reader.buffer_position() as usize;
        let event = reader.read_event();
        let next = reader.buffer_position() as usize;
        if depth == 0 && !matches!(event, Ok(Event::Text(_))) && start < here {
            ranges.push(start..here);
        }
        match event {
            Ok(Event::End(_)) if depth == 0 => return Ok(ranges),
            Ok(Event::End(_)) => depth -= 1,
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::Text(_)) if depth == 0 => continue,
            Ok(Event::Eof) | Err(_) => return Err(Fault::text(at, "an array does not end")),
            Ok(_) => {}
        }
        start = next;
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    wanted: Wanted,
    file: Option<VtuFile>,
    section: Option<Section>,
    grid: bool,
    /// Tags that are open.
    depth: usize,
}

impl Parser<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), Fault> {
        let attributes = || Attributes::of(tag, at);
        match (tag.name().as_ref(), &mut self.file) {
            ("VTKFile", None) => self.file = Some(file(&attributes()?, self.wanted)?),
            (_, None) => return Err(Fault::text(at, "<VTKFile> expected")),
            ("UnstructuredGrid" | "PUnstructuredGrid", Some(file)) => {
                self.grid |= file.kind == DatasetType::Grid;
            }
            ("PolyData" | "PPolyData", Some(file)) => {
                self.grid |= file.kind == DatasetType::PolyData
            }
            ("ImageData", Some(file)) if file.kind == DatasetType::Image => {
                self.grid = true;
                file.image = Some(ImageTag::of(&attributes()?)?);
            }
            ("Piece", Some(file)) => match &mut file.sources {
                Some(sources) => {
                    let Some(source) = attributes()?.get("Source").map(str::to_owned) else {
                        return Err(Fault::text(at, "a piece without 'Source', its file"));
                    };
                    sources.push((source, at));
                }
                None => file.pieces.push(piece(&attributes()?, file.kind)?),
            },
            ("PointData", Some(file)) => {
                self.section = Some(Section::PointData);
                let attributes = attributes()?;
                if let Some(piece) = file.pieces.last_mut() {
                    piece.scalars[0] = attributes.get("Scalars").map(str::to_owned);
                    piece.normals = attributes.get("Normals").map(str::to_owned);
                    piece.texcoords = attributes.get("TCoords").map(str::to_owned);
                }
            }
            ("CellData", Some(file)) => {
                self.section = Some(Section::CellData);
                if let Some(piece) = file.pieces.last_mut() {
                    piece.scalars[1] = attributes()?.get("Scalars").map(str::to_owned);
                }
            }
            (name, Some(_)) => {
                if let Some(section) = Section::of(name) {
                    self.section = Some(section);
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        if Section::of(name).is_some() {
            self.section = None;
        }
    }

    fn array(
        &mut self,
        tag: &BytesStart<'_>,
        at: usize,
        content: Vec<Range<usize>>,
    ) -> Result<(), Fault> {
        let attributes = &Attributes::of(tag, at)?;
        let (Some(section), Some(file)) = (self.section, &mut self.file) else {
            return Err(Fault::text(
                attributes.at,
                "an array that belongs to nothing",
            ));
        };
        if section == Section::FieldData {
            file.field_data = true;
            return Ok(());
        }
        let Some(piece) = file.pieces.last_mut() else {
            return Err(Fault::text(attributes.at, "an array outside of a <Piece>"));
        };
        let name = attributes.get("Name").unwrap_or_default().to_owned();
        let strings = tag.name().as_ref() == "Array"
            || matches!(attributes.get("type"), Some("String" | "Bit"));
        if strings && matches!(section, Section::PointData | Section::CellData) {
            piece.strings.push(name);
            return Ok(());
        }
        let place = match attributes.get("format").unwrap_or("ascii") {
            "ascii" => ArraySource::Text(content),
            "binary" => {
                let filled = |r: &Range<usize>| !self.bytes[r.clone()].trim_ascii().is_empty();
                ArraySource::Inline(content.into_iter().find(filled).unwrap_or(0..0))
            }
            "appended" => ArraySource::Appended(attributes.size("offset", None)?),
            other => {
                let what = format!(
                    "the format {} of an array is not known",
                    quote(other.as_bytes())
                );
                return Err(Fault::text(attributes.at, what));
            }
        };
        let array = Array {
            name,
            scalar: attributes.get("type").and_then(scalar),
            width: attributes.size("NumberOfComponents", Some(1))?,
            place,
            at: attributes.at,
        };
        piece.arrays.push((section, array));
        Ok(())
    }

    fn appended(&mut self, tag: &BytesStart<'_>, at: usize, end: usize) -> Result<(), Fault> {
        let attributes = Attributes::of(tag, at)?;
        let coded = match attributes.get("encoding").unwrap_or("base64") {
            "raw" => false,
            "base64" => true,
            other => {
                let what = format!(
                    "the encoding {} of appended data is not known",
                    quote(other.as_bytes())
                );
                return Err(Fault::text(at, what));
            }
        };
        let Some(start) = memchr::memchr(b'_', &self.bytes[end..]) else {
            return Err(Fault::text(end, "appended data must begin with '_'"));
        };
        if let Some(file) = &mut self.file {
            file.appended = Some((end + start + 1, coded));
        }
        Ok(())
    }
}

fn piece(attributes: &Attributes, kind: DatasetType) -> Result<Piece, Fault> {
    if kind == DatasetType::Image {
        return Ok(Piece {
            extent: Extent::of(attributes, "Extent")?,
            ..Piece::default()
        });
    }
    let mut piece = Piece {
        points: attributes.size("NumberOfPoints", None)?,
        ..Piece::default()
    };
    if kind == DatasetType::Grid {
        piece.cells = attributes.size("NumberOfCells", None)?;
        return Ok(piece);
    }
    piece.verts = attributes.size("NumberOfVerts", Some(0))?;
    piece.lines = attributes.size("NumberOfLines", Some(0))?;
    piece.strips = attributes.size("NumberOfStrips", Some(0))?;
    piece.polys = attributes.size("NumberOfPolys", Some(0))?;
    let sizes = [piece.verts, piece.lines, piece.strips, piece.polys];
    let all = sizes.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
    piece.cells = all.ok_or_else(|| Fault::text(attributes.at, "too many elements"))?;
    Ok(piece)
}

fn file(attributes: &Attributes, wanted: Wanted) -> Result<VtuFile, Fault> {
    let wrong = |what: String| Err(Fault::text(attributes.at, what));
    let (kind, parallel) = match (wanted, attributes.get("type")) {
        (Wanted::Meshes, Some("UnstructuredGrid")) => (DatasetType::Grid, false),
        (Wanted::Meshes, Some("PUnstructuredGrid")) => (DatasetType::Grid, true),
        (Wanted::Meshes, Some("PolyData")) => (DatasetType::PolyData, false),
        (Wanted::Meshes, Some("PPolyData")) => (DatasetType::PolyData, true),
        (Wanted::Images, Some("ImageData")) => (DatasetType::Image, false),
        (_, other) => {
            let other = quote(other.unwrap_or_default().as_bytes());
            let read = match wanted {
                Wanted::Meshes => "'UnstructuredGrid', 'PolyData' and their parallel forms",
                Wanted::Images => "'ImageData'",
            };
            return wrong(format!("files of {other} are not read, only of {read}"));
        }
    };
    let packed = match attributes.get("compressor") {
        None | Some("") => None,
        Some("vtkZLibDataCompressor") => Some(Packing::Zlib),
        Some("vtkLZ4DataCompressor") => Some(Packing::Lz4),
        Some("vtkLZMADataCompressor") => Some(Packing::Lzma),
        Some(other) => {
            let other = quote(other.as_bytes());
            return wrong(format!(
                "data packed by {other} are not read, only by 'vtkZLibDataCompressor', 'vtkLZ4DataCompressor' and \
                    'vtkLZMADataCompressor'"
            ));
        }
    };
    Ok(VtuFile {
        order: match attributes.get("byte_order") {
            Some("BigEndian") => ByteOrder::Big,
            _ => ByteOrder::Little,
        },
        header: match attributes.get("header_type") {
            Some("UInt64") => 8,
            _ => 4,
        },
        packed,
        kind,
        sources: parallel.then(Vec::new),
        pieces: Vec::new(),
        image: None,
        appended: None,
        field_data: false,
    })
}

fn scalar(name: &str) -> Option<NumberType> {
    Some(match name {
        "Int8" => NumberType::I8,
        "UInt8" => NumberType::U8,
        "Int16" => NumberType::I16,
        "UInt16" => NumberType::U16,
        "Int32" => NumberType::I32,
        "UInt32" => NumberType::U32,
        "Int64" => NumberType::I64,
        "UInt64" => NumberType::U64,
        "Float32" => NumberType::F32,
        "Float64" => NumberType::F64,
        _ => return None,
    })
}
