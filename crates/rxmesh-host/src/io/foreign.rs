//! Formats that are not read and share an extension with one that is: named in the error of a file that cannot be read.

use super::Format;
use super::content::HEAD;

/// Extensions of FreeFem's files.
const FREEFEM: [&str; 2] = ["msh", "mesh"];

/// Programs whose files have these beginnings, after blanks and lines of comments.
const BEGINNINGS: [(&[u8], &str); 14] = [
    (b"MFEM ", "MFEM"),
    (b"BEGIN POINTS LIST", "GetFEM"),
    (b"BEGIN MESH STRUCTURE", "GetFEM"),
    (b"\x00\x10[MeshSerializer_v", "Ogre"),
    (b"[MeshSerializer_v", "Ogre"),
    (b"<mesh>", "Ogre (XML)"),
    (b"<mesh ", "Ogre (XML)"),
    (b"version 1.", "Roblox"),
    (b"version 2.", "Roblox"),
    (b"mesh3d", "Netgen"),
    (b"*HEADING", "Abaqus"),
    (b"*NODE", "Abaqus"),
    (b"*PART", "Abaqus"),
    (b"<dolfin", "DOLFIN"),
];

/// Returns a message about a file of a known format that is not read; `None` for any other. `format` is the one that it
/// was to be read as.
pub(super) fn words(bytes: &[u8], format: Option<Format>) -> Option<String> {
    // OFF without its word begins with three counts as well.
    let shares_name = |f: Format| FREEFEM.iter().any(|e| f.extensions().contains(e));
    let freefem = || (format.is_some_and(shares_name) && is_freefem(bytes)).then_some("FreeFem");
    let program = program(bytes).or_else(freefem)?;
    Some(format!(
        "this is a file of {program}, whose format is not read; {} are",
        Format::list(|_| true)
    ))
}

fn program(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let begin = without_comments(head);
    let known = BEGINNINGS.iter().find(|(word, _)| {
        let start = begin.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    });
    if let Some((_, program)) = known {
        return Some(program);
    }
    let first = begin.split(|b| *b == b'\n').next().unwrap_or_default();
    let words: Vec<&[u8]> = words_of(first).collect();
    let has = |word: &[u8]| words.iter().any(|w| w.eq_ignore_ascii_case(word));
    if words
        .first()
        .is_some_and(|w| w.eq_ignore_ascii_case(b"MESH"))
        && (has(b"elemtype") || has(b"dimension"))
    {
        return Some("GiD");
    }
    if memchr::memmem::find(head, b"FoamFile").is_some() {
        return Some("OpenFOAM");
    }
    is_fluent(begin).then_some("Fluent")
}

fn words_of(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|w| !w.is_empty())
}

/// Skips blanks and lines that begin with `#`, `%`, `//` or `**`.
fn without_comments(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let comment = [&b"#"[..], b"//", b"**", b"%"]
            .iter()
            .any(|c| text.starts_with(c));
        match memchr::memchr(b'\n', text) {
            Some(end) if comment => text = &text[end..],
            _ => return text,
        }
    }
}

/// Returns `true` for sections in brackets that begin with their number: `(0 "a comment")`, `(2 3)`, `(10 (0 1 8 0
/// 3))`.
fn is_fluent(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"(") else {
        return false;
    };
    let number = words_of(rest).next().unwrap_or_default();
    let digits = number.iter().take_while(|b| b.is_ascii_digit()).count();
    (1..=4).contains(&digits) && matches!(number.get(digits), None | Some(b'(' | b'"' | b')'))
}

/// Returns `true` for three counts on the first line, then a vertex: two coordinates and a label.
fn is_freefem(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let mut lines = text.split(|b| *b == b'\n').map(words_of);
    let numbers = |words: Option<&[u8]>, whole: bool| {
        let word = words.and_then(|w| std::str::from_utf8(w).ok());
        word.is_some_and(|w| match whole {
            true => w.parse::<u32>().is_ok(),
            false => w.parse::<f64>().is_ok(),
        })
    };
    let mut row = |whole: bool| {
        let mut words = lines.next().into_iter().flatten();
        (0..3).all(|_| numbers(words.next(), whole)) && words.next().is_none()
    };
    row(true) && row(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_are_not_read_are_known_by_their_beginning() {
        let cases: [(&[u8], Option<&str>); 16] = [
            (b"MFEM mesh v1.0\n\ndimension\n2\n", Some("MFEM")),
            (b"# a comment\nMFEM NURBS mesh v1.0\n", Some("MFEM")),
            (b"MFEM INLINE mesh v1.0\ntype = tet\n", Some("MFEM")),
            (
                b"(0 \"grid written by a program\")\n(2 3)\n",
                Some("Fluent"),
            ),
            (b"(2 2)\n(10 (0 1 4 0 2))\n", Some("Fluent")),
            (b"** a comment\n*Heading\n a part\n*Node\n", Some("Abaqus")),
            (b"*NODE\n1, 0, 0, 0\n", Some("Abaqus")),
            (
                b"MESH \"a\" dimension 3 ElemType Tetrahedra Nnode 4\n",
                Some("GiD"),
            ),
            (
                b"# encoding utf-8\nMESH dimension 2 elemtype Triangle\n",
                Some("GiD"),
            ),
            (
                b"/*---*\\\n*/\nFoamFile\n{\n version 2.0;\n",
                Some("OpenFOAM"),
            ),
            (b"% GETFEM MESH FILE\nBEGIN POINTS LIST\n", Some("GetFEM")),
            (b"BEGIN POINTS LIST\n", Some("GetFEM")),
            (b"\x00\x10[MeshSerializer_v1.41]\n\x00\x30", Some("Ogre")),
            (b"MeshVersionFormatted 1\nDimension 3\n", None),
            (b"3 2 1\n1 2\n", None),
            (b"mesh of a thing\n", None),
        ];
        for (text, expected) in cases {
            let shown = String::from_utf8_lossy(text);
            assert_eq!(program(text), expected, "{shown}");
        }
        let plane = b"4 2 4\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n1 2 3 0\n";
        let of = |format| words(plane, Some(format));
        assert!(of(Format::Msh).unwrap().contains("a file of FreeFem"));
        assert_eq!(of(Format::Off), None);
        assert_eq!(words(b"3 2 1\n1 2\n", Some(Format::Msh)), None);
    }
}
