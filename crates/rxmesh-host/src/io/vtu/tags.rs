//! The tags of a VTU file: which arrays there are, and where their data lie.

use super::super::error::Fault;
use super::super::numbers::{Order, Scalar};
use super::super::scan::quote;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::ops::Range;

/// How an array's numbers are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// As text, between the tags.
    Text(Range<usize>),
    /// As base64, between the tags.
    Inline(Range<usize>),
    /// So far behind the `_` of the appended data.
    Appended(usize),
}

/// An array, not read yet.
#[derive(Debug, Clone)]
pub(super) struct Array {
    pub(super) name: String,
    /// `None` for strings and bits.
    pub(super) scalar: Option<Scalar>,
    pub(super) width: usize,
    pub(super) place: Place,
    /// Where its tag is.
    pub(super) at: usize,
}

/// The parts of a piece that have arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Points,
    Cells,
    PointData,
    CellData,
    FieldData,
}

/// A part of the mesh.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) points: usize,
    pub(super) cells: usize,
    pub(super) arrays: Vec<(Section, Array)>,
}

/// A file as its tags have it.
#[derive(Debug)]
pub(super) struct File {
    pub(super) order: Order,
    /// Bytes of a length.
    pub(super) header: usize,
    pub(super) packed: bool,
    pub(super) pieces: Vec<Piece>,
    /// What comes behind the `_`, and whether it is base64.
    pub(super) appended: Option<(usize, bool)>,
    pub(super) field_data: bool,
}

/// Attributes of a tag, and where it is.
struct Attributes {
    all: Vec<(String, String)>,
    at: usize,
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

    fn get(&self, name: &str) -> Option<&str> {
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
pub(super) fn tags(bytes: &[u8]) -> Result<File, Fault> {
    let mut reader = Reader::from_reader(bytes);
    let mut parser = Parser {
        bytes,
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
            Event::Start(tag) if tag.name().as_ref() == "DataArray" => {
                let content = loop {
                    let content = reader.buffer_position() as usize;
                    match reader.read_event() {
                        Ok(Event::End(_)) => break end..content,
                        Ok(Event::Text(_) | Event::Comment(_)) => {}
                        Ok(Event::Start(_) | Event::Empty(_)) => {
                            // Such as the range of the values' lengths.
                            return Err(Fault::text(
                                content,
                                "tags inside of an array are not read",
                            ));
                        }
                        _ => {
                            return Err(Fault::text(at, "an array does not end"));
                        }
                    }
                };
                parser.array(&Attributes::of(&tag, at)?, content)?;
            }
            Event::Empty(tag) if tag.name().as_ref() == "DataArray" => {
                parser.array(&Attributes::of(&tag, at)?, end..end)?;
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
    let file = parser.file.filter(|_| parser.grid);
    file.ok_or_else(|| Fault::file("there is no <UnstructuredGrid>"))
}

struct Parser<'a> {
    bytes: &'a [u8],
    file: Option<File>,
    section: Option<Section>,
    grid: bool,
    /// Tags that are open.
    depth: usize,
}

impl Parser<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), Fault> {
        let attributes = || Attributes::of(tag, at);
        match (tag.name().as_ref(), &mut self.file) {
            ("VTKFile", None) => self.file = Some(file(&attributes()?)?),
            (_, None) => return Err(Fault::text(at, "<VTKFile> expected")),
            ("UnstructuredGrid", Some(_)) => self.grid = true,
            ("Piece", Some(file)) => {
                let attributes = attributes()?;
                file.pieces.push(Piece {
                    points: attributes.size("NumberOfPoints", None)?,
                    cells: attributes.size("NumberOfCells", None)?,
                    arrays: Vec::new(),
                });
            }
            ("Points", Some(_)) => self.section = Some(Section::Points),
            ("Cells", Some(_)) => self.section = Some(Section::Cells),
            ("PointData", Some(_)) => self.section = Some(Section::PointData),
            ("CellData", Some(_)) => self.section = Some(Section::CellData),
            ("FieldData", Some(_)) => self.section = Some(Section::FieldData),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        if ["Points", "Cells", "PointData", "CellData", "FieldData"].contains(&name) {
            self.section = None;
        }
    }

    fn array(&mut self, attributes: &Attributes, content: Range<usize>) -> Result<(), Fault> {
        let (Some(section), Some(file)) = (self.section, &mut self.file) else {
            return Err(Fault::text(
                attributes.at,
                "an array that belongs to nothing",
            ));
        };
        let place = match attributes.get("format").unwrap_or("ascii") {
            "ascii" => Place::Text(content),
            "binary" => Place::Inline(content),
            "appended" => Place::Appended(attributes.size("offset", None)?),
            other => {
                let what = format!(
                    "the format {} of an array is not known",
                    quote(other.as_bytes())
                );
                return Err(Fault::text(attributes.at, what));
            }
        };
        let array = Array {
            name: attributes.get("Name").unwrap_or_default().to_owned(),
            scalar: attributes.get("type").and_then(scalar),
            width: attributes.size("NumberOfComponents", Some(1))?,
            place,
            at: attributes.at,
        };
        match (section, file.pieces.last_mut()) {
            (Section::FieldData, _) => file.field_data = true,
            (_, Some(piece)) => piece.arrays.push((section, array)),
            (_, None) => return Err(Fault::text(attributes.at, "an array outside of a <Piece>")),
        }
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
            return Err(Fault::text(
                end,
                "appended data begin with '_', which is not there",
            ));
        };
        if let Some(file) = &mut self.file {
            file.appended = Some((end + start + 1, coded));
        }
        Ok(())
    }
}

fn file(attributes: &Attributes) -> Result<File, Fault> {
    let wrong = |what: String| Err(Fault::text(attributes.at, what));
    match attributes.get("type") {
        Some("UnstructuredGrid") => {}
        other => {
            let other = quote(other.unwrap_or_default().as_bytes());
            return wrong(format!(
                "files of {other} are not read, only of 'UnstructuredGrid'"
            ));
        }
    }
    let packed = match attributes.get("compressor") {
        None | Some("") => false,
        Some("vtkZLibDataCompressor") => true,
        Some(other) => {
            let other = quote(other.as_bytes());
            return wrong(format!(
                "data packed by {other} are not read, only by 'vtkZLibDataCompressor'"
            ));
        }
    };
    Ok(File {
        order: match attributes.get("byte_order") {
            Some("BigEndian") => Order::Big,
            _ => Order::Little,
        },
        header: match attributes.get("header_type") {
            Some("UInt64") => 8,
            _ => 4,
        },
        packed,
        pieces: Vec::new(),
        appended: None,
        field_data: false,
    })
}

fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "Int8" => Scalar::I8,
        "UInt8" => Scalar::U8,
        "Int16" => Scalar::I16,
        "UInt16" => Scalar::U16,
        "Int32" => Scalar::I32,
        "UInt32" => Scalar::U32,
        "Int64" => Scalar::I64,
        "UInt64" => Scalar::U64,
        "Float32" => Scalar::F32,
        "Float64" => Scalar::F64,
        _ => return None,
    })
}
