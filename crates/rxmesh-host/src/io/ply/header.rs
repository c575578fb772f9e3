//! The header of a PLY file.

use super::super::error::Fault;
use super::super::names;
use super::super::scan::quote;
use super::super::soup;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{DefaultElement, PropertyType, ScalarType};

pub(super) use ply_rs_bw::ply::Encoding;

/// The most a header may take; a file whose header has no end is not read further.
const LONGEST: usize = 1 << 20;

/// Bytes a scalar takes in a binary file.
pub(super) fn size(t: &ScalarType) -> usize {
    match t {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: PropertyType,
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// The fewest bytes a row can take: lists may be empty, numbers in text have one digit and a separator.
    pub(super) fn least_row(&self, encoding: Encoding) -> usize {
        let least = |p: &Property| match (encoding, &p.kind) {
            (Encoding::Ascii, _) => 2,
            (_, PropertyType::Scalar(t) | PropertyType::List(t, _)) => size(t),
        };
        self.properties.iter().map(least).sum()
    }
}

pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Lines `comment` and `obj_info`, without these words.
    pub(super) comments: Vec<String>,
    /// Where the rows begin.
    pub(super) body: usize,
    /// Lines that no header has, and that were passed over: in words.
    pub(super) stray: Option<String>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Header, Fault> {
    let body = end_of_header(bytes)?;
    // Comments come in any character set, and lines may end in a carriage return.
    let text = names::from_bytes(&bytes[..body]).replace('\r', "");
    let (known, stray) = without_strays(&text);
    let mut reader = Reader::new(known.as_bytes());
    let parsed = Parser::<DefaultElement>::new().read_header(&mut reader);
    let parsed = parsed.map_err(|e| refused(bytes, body, e.line()))?;
    let elements: Vec<Element> = parsed
        .elements
        .into_iter()
        .map(|(name, e)| Element {
            name,
            count: e.count,
            properties: e
                .properties
                .into_iter()
                .map(|(name, p)| Property {
                    name,
                    kind: p.data_type,
                })
                .collect(),
        })
        .collect();
    no_name_twice(&text, &elements)?;
    Ok(Header {
        encoding: parsed.encoding,
        elements,
        comments: comments(&text),
        body,
        stray,
    })
}

/// Words that the lines of a header begin with.
const KEYWORDS: [&str; 7] = [
    "ply",
    "format",
    "comment",
    "obj_info",
    "element",
    "property",
    "end_header",
];

/// Words of declarations: a line with one of them may be a declaration that is misspelt, without which all that follows
/// would be read wrong.
const DECLARED: [&str; 22] = [
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "float",
    "double",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "float32",
    "float64",
    "list",
    "vertex",
    "face",
    "ascii",
    "binary_little_endian",
    "binary_big_endian",
];

/// The header with lines that mean nothing in it (a comment without its word, an empty line) made comments, and what to
/// tell people of them.
fn without_strays(text: &str) -> (String, Option<String>) {
    let mut known = String::with_capacity(text.len());
    let (mut first, mut strays) = (None, 0);
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let keyword = words.next().is_some_and(|w| KEYWORDS.contains(&w));
        if keyword || words.any(|w| DECLARED.contains(&w)) {
            known += line;
        } else {
            known += "comment";
            strays += 1;
            first.get_or_insert((i + 1, line));
        }
        known += "\n";
    }
    let words = first.map(|(n, line)| {
        let more = match strays {
            1 => String::new(),
            n => format!(" ({n} such lines in all)"),
        };
        let line = quote(&names::to_bytes(line.trim()));
        format!("line {n}: {line} is not a line that a PLY header has: passed over{more}")
    });
    (known, words)
}

fn comments(text: &str) -> Vec<String> {
    let comment = |line: &str| {
        let line = line.trim_start();
        let words = ["comment", "obj_info"];
        let rest = words.iter().find_map(|w| line.strip_prefix(w))?;
        let ends = rest.is_empty() || rest.starts_with([' ', '\t']);
        ends.then(|| soup::comment(&names::to_bytes(rest)))
    };
    text.lines().filter_map(comment).collect()
}

fn end_of_header(bytes: &[u8]) -> Result<usize, Fault> {
    if !bytes.starts_with(b"ply") {
        return Err(Fault::text(0, "a PLY file begins with 'ply'"));
    }
    let head = &bytes[..bytes.len().min(LONGEST)];
    let mut lines = super::super::scan::Lines::new(head, 0);
    while let Some((_, line)) = lines.next() {
        if line.trim_ascii() == b"end_header" {
            return Ok(lines.offset().min(bytes.len()));
        }
    }
    Err(Fault::text(
        head.len(),
        "the header does not end: there is no line 'end_header'",
    ))
}

/// The crate's message shows its grammar; ours shows the line.
fn refused(bytes: &[u8], body: usize, line: Option<usize>) -> Fault {
    let mut lines = super::super::scan::Lines::new(&bytes[..body], 0);
    match line.and_then(|n| lines.nth(n.saturating_sub(1))) {
        Some((at, text)) => Fault::text(
            at,
            format!(
                "{} is not a line that a PLY header has here",
                quote(text.trim_ascii())
            ),
        ),
        None => Fault::text(
            0,
            "the header has no valid line 'format ascii 1.0' (or binary_little_endian, binary_big_endian)",
        ),
    }
}

/// The crate keeps one of two elements or properties with the same name, which would shift all that follows.
fn no_name_twice(text: &str, elements: &[Element]) -> Result<(), Fault> {
    let lines = |word: &str| {
        text.lines()
            .filter(|l| l.split_whitespace().next() == Some(word))
            .count()
    };
    let properties: usize = elements.iter().map(|e| e.properties.len()).sum();
    if lines("element") != elements.len() || lines("property") != properties {
        return Err(Fault::text(
            0,
            "the header declares an element, or a property of one element, twice",
        ));
    }
    Ok(())
}
