//! The header of a PLY file.

use super::super::alike::Alike;
use super::super::error::Fault;
use super::super::scan::{is_space, quote};
use super::super::soup;
use crate::mesh::{name_of_bytes, shown_name};
use std::collections::{HashMap, HashSet};

/// Most bytes of a header; a file whose header has no end is not read further.
pub(in crate::io) const LONGEST: usize = 1 << 20;

/// Encoding of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    BinaryBigEndian,
    BinaryLittleEndian,
}

/// Type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarType {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    /// A float of 16 bits.
    Half,
    Float,
    Double,
}

impl ScalarType {
    /// Returns the type of that name: those of the format, and those that programs add to it for 64 and 16 bits.
    fn parse(word: &[u8]) -> Option<ScalarType> {
        let word = word.to_ascii_lowercase();
        let word = word.strip_suffix(b"_t").unwrap_or(&word);
        Some(match word {
            b"char" | b"int8" => ScalarType::Char,
            b"uchar" | b"uint8" => ScalarType::UChar,
            b"short" | b"int16" => ScalarType::Short,
            b"ushort" | b"uint16" => ScalarType::UShort,
            b"int" | b"int32" => ScalarType::Int,
            b"uint" | b"uint32" => ScalarType::UInt,
            b"long" | b"longlong" | b"int64" => ScalarType::Long,
            b"ulong" | b"ulonglong" | b"uint64" => ScalarType::ULong,
            b"half" | b"float16" => ScalarType::Half,
            b"float" | b"float32" => ScalarType::Float,
            b"double" | b"float64" => ScalarType::Double,
            _ => return None,
        })
    }

    /// Returns the name that every reader knows; this program writes no numbers of 64 and 16 bits except doubles.
    pub(super) fn name(self) -> &'static str {
        match self {
            ScalarType::Char => "char",
            ScalarType::UChar => "uchar",
            ScalarType::Short => "short",
            ScalarType::UShort => "ushort",
            ScalarType::Int => "int",
            ScalarType::UInt => "uint",
            ScalarType::Long => "int64",
            ScalarType::ULong => "uint64",
            ScalarType::Half => "float16",
            ScalarType::Float => "float",
            ScalarType::Double => "double",
        }
    }

    /// Returns the number of bytes of a number in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            ScalarType::Char | ScalarType::UChar => 1,
            ScalarType::Short | ScalarType::UShort | ScalarType::Half => 2,
            ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
            ScalarType::Long | ScalarType::ULong | ScalarType::Double => 8,
        }
    }
}

/// Type of a property's values in each row.
#[derive(Debug, Clone, Copy)]
pub(super) enum PropertyType {
    Scalar(ScalarType),
    /// Types of its length and of its values.
    List(ScalarType, ScalarType),
}

pub(super) struct Property {
    /// As [`name_of_bytes`] makes it.
    pub(super) name: String,
    pub(super) kind: PropertyType,
}

pub(super) struct PlyElement {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
}

impl PlyElement {
    /// Returns the fewest bytes a row can take: lists may be empty, numbers in text have one digit and a separator.
    pub(super) fn least_row(&self, encoding: Encoding) -> usize {
        let least = |p: &Property| match (encoding, &p.kind) {
            (Encoding::Ascii, _) => 2,
            (_, PropertyType::Scalar(t) | PropertyType::List(t, _)) => t.size(),
        };
        self.properties.iter().map(least).sum()
    }
}

pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<PlyElement>,
    /// Lines `comment` and `obj_info`, without these words.
    pub(super) comments: Vec<String>,
    /// Offset of the first row.
    pub(super) body: usize,
    /// Lines that no header has, and that were passed over: in words.
    pub(super) stray: Option<String>,
    /// Names that had to change.
    pub(super) warnings: Vec<String>,
    /// Names of several words.
    joined: Alike,
}

/// Lines of a header: each with the offset of its first byte, without its end. All end as the first one does: in a line
/// feed (with a carriage return before it or not), or in a carriage return alone, after which binary rows may begin
/// with any byte.
struct HeaderLines<'a> {
    bytes: &'a [u8],
    pos: usize,
    end: u8,
}

impl<'a> HeaderLines<'a> {
    fn new(bytes: &'a [u8]) -> HeaderLines<'a> {
        let first = memchr::memchr2(b'\r', b'\n', bytes);
        let lone = |i: usize| bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
        let end = match first.is_some_and(lone) {
            true => b'\r',
            false => b'\n',
        };
        HeaderLines { bytes, pos: 0, end }
    }
}

impl<'a> Iterator for HeaderLines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<(usize, &'a [u8])> {
        let rest = self.bytes.get(self.pos..).filter(|rest| !rest.is_empty())?;
        let at = self.pos;
        let line = &rest[..memchr::memchr(self.end, rest).unwrap_or(rest.len())];
        self.pos += line.len() + 1;
        Some((at, line))
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Header, Fault> {
    let end = end_of_header(bytes)?;
    let mut encoding = None;
    let mut header = Header {
        encoding: Encoding::Ascii,
        elements: Vec::new(),
        comments: Vec::new(),
        body: end,
        stray: None,
        warnings: Vec::new(),
        joined: Alike::default(),
    };
    let mut strays = Strays::default();
    for (number, (at, line)) in HeaderLines::new(&bytes[..end]).enumerate() {
        let text = line.trim_ascii();
        let mut words = text.split(|b| is_space(*b)).filter(|w| !w.is_empty());
        let known = match words.next().unwrap_or_default() {
            b"ply" | b"end_header" => Some(()),
            word @ (b"comment" | b"obj_info") => {
                header.comments.push(soup::comment(&text[word.len()..]));
                Some(())
            }
            b"format" => encoding_of(words).map(|e| encoding = encoding.or(Some(e))),
            b"element" => header.element(words, at)?,
            b"property" => header.property(words),
            _ if words.any(is_declared) => None,
            _ => {
                strays.add(number + 1, text);
                Some(())
            }
        };
        known.ok_or_else(|| {
            let what = format!("{} is not a line that a PLY header has here", quote(text));
            Fault::text(at, what)
        })?;
    }
    header.stray = strays.words();
    let no_format = "the header has no valid line 'format ascii 1.0' (or binary_little_endian, binary_big_endian)";
    header.encoding = encoding.ok_or_else(|| Fault::text(0, no_format))?;
    let joined = std::mem::take(&mut header.joined);
    let many = "properties have names of several words, which are one now";
    header.warnings.extend(joined.warnings(many));
    header.name_apart();
    Ok(header)
}

fn encoding_of<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Option<Encoding> {
    Some(match words.next()? {
        b"ascii" => Encoding::Ascii,
        b"binary_little_endian" => Encoding::BinaryLittleEndian,
        b"binary_big_endian" => Encoding::BinaryBigEndian,
        _ => return None,
    })
}

impl Header {
    /// Parses `element NAME COUNT`; `None` for another line.
    fn element<'a>(
        &mut self,
        mut words: impl Iterator<Item = &'a [u8]>,
        at: usize,
    ) -> Result<Option<()>, Fault> {
        let (name, count) = (words.next(), words.next());
        let count = count.and_then(|w| std::str::from_utf8(w).ok()?.parse().ok());
        let (Some(name), Some(count), None) = (name, count, words.next()) else {
            return Ok(None);
        };
        let name = name_of_bytes(name);
        if self.elements.iter().any(|e| e.name == name) {
            let what = format!("the header declares element '{}' twice", shown_name(&name));
            return Err(Fault::text(at, what));
        }
        self.elements.push(PlyElement {
            name,
            count,
            properties: Vec::new(),
        });
        Ok(Some(()))
    }

    /// Parses `property TYPE NAME` or `property list TYPE TYPE NAME`; `None` for another line. A name is any word;
    /// several words are joined to one.
    fn property<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>) -> Option<()> {
        let element = self.elements.last_mut()?;
        let kind = match words.next()? {
            b"list" => {
                let mut next = || ScalarType::parse(words.next()?);
                PropertyType::List(next()?, next()?)
            }
            word => PropertyType::Scalar(ScalarType::parse(word)?),
        };
        let words: Vec<&[u8]> = words.collect();
        let name = name_of_bytes(&words.join(&b'_'));
        if words.is_empty() {
            return None;
        }
        if words.len() > 1 {
            let shown = shown_name(&name);
            self.joined.add(&shown, || {
                format!(
                    "property '{}' of element '{}' is now called '{shown}'",
                    shown_name(&name_of_bytes(&words.join(&b' '))),
                    shown_name(&element.name),
                )
            });
        }
        element.properties.push(Property { name, kind });
        Some(())
    }

    /// Gives properties new names whose element has one of that name before them.
    fn name_apart(&mut self) {
        for element in &mut self.elements {
            let mut taken: HashSet<String> =
                element.properties.iter().map(|p| p.name.clone()).collect();
            if taken.len() == element.properties.len() {
                continue;
            }
            let of = shown_name(&element.name).to_string();
            let mut seen = HashMap::new();
            let mut renamed = Alike::default();
            for property in &mut element.properties {
                let number: &mut usize = seen.entry(property.name.clone()).or_default();
                *number += 1;
                if *number == 1 {
                    continue;
                }
                let name = loop {
                    let name = format!("{}_{number}", property.name);
                    if taken.insert(name.clone()) {
                        break name;
                    }
                    *number += 1;
                };
                let (old, new) = (shown_name(&property.name), shown_name(&name));
                renamed.add(&new, || {
                    format!("element '{of}' has property '{old}' more than once: another is now called '{new}'")
                });
                property.name = name;
            }
            let many = format!(
                "properties of element '{of}' have names that others have, and new ones now"
            );
            self.warnings.extend(renamed.warnings(&many));
        }
    }
}

/// Words of declarations that are no names of types.
const DECLARED: [&[u8]; 6] = [
    b"list",
    b"vertex",
    b"face",
    b"ascii",
    b"binary_little_endian",
    b"binary_big_endian",
];

/// Returns `true` for a word of declarations: a line with one of them may be a misspelt declaration, without which all
/// that follows would be misread.
fn is_declared(word: &[u8]) -> bool {
    DECLARED.contains(&word) || ScalarType::parse(word).is_some()
}

/// Lines that mean nothing in a header: a comment without its word, an empty line.
#[derive(Default)]
struct Strays {
    first: Option<(usize, String)>,
    count: usize,
}

impl Strays {
    fn add(&mut self, number: usize, line: &[u8]) {
        self.count += 1;
        self.first.get_or_insert_with(|| (number, quote(line)));
    }

    /// Returns a warning about them, if there are any.
    fn words(self) -> Option<String> {
        let (number, line) = self.first?;
        let more = match self.count {
            1 => String::new(),
            n => format!(" ({n} such lines in all)"),
        };
        Some(format!(
            "line {number}: {line} is not a line that a PLY header has: passed over{more}"
        ))
    }
}

/// Returns the offset of the first row.
fn end_of_header(bytes: &[u8]) -> Result<usize, Fault> {
    if !bytes.trim_ascii_start().starts_with(b"ply") {
        return Err(Fault::text(0, "a PLY file begins with 'ply'"));
    }
    let head = &bytes[..bytes.len().min(LONGEST)];
    let mut lines = HeaderLines::new(head);
    while let Some((_, line)) = lines.next() {
        if line.trim_ascii() == b"end_header" {
            return Ok(lines.pos.min(bytes.len()));
        }
    }
    Err(Fault::text(
        head.len(),
        "the header does not end: there is no line 'end_header'",
    ))
}
