//! Files of sharp edges: a line each.

use super::error::Fault;
use super::scan::{LineWords, TextLines, integer, number, quote};
use super::{Format, IoError, bytes_of, content, plain};
use crate::mesh::SharpEdge;
use std::path::Path;

/// Reads sharp edges of a mesh with `vertices` vertices: lines `a b sharpness`, vertices counted from 0. Blank lines
/// and text after a `#` are ignored. An edge of sharpness 0 is kept: it can make an edge of the mesh smooth.
///
/// # Errors
///
/// A file that cannot be read; a line that is no sharp edge, with its number.
pub fn read_creases(path: &Path, vertices: usize) -> Result<Vec<SharpEdge>, IoError> {
    let bytes = bytes_of(path)?;
    // Lines of numbers, as OBJ has them.
    let bytes = content::text(plain(&bytes, path)?.bytes, Format::Obj);
    let mut lines = TextLines::new(&bytes, 0);
    let edges = std::iter::from_fn(|| lines.next_words()).map(|words| edge(words, vertices));
    let edges: Result<_, Fault> = edges.collect();
    edges.map_err(|fault| fault.in_file(path, &bytes))
}

fn edge(mut words: LineWords<'_>, vertices: usize) -> Result<SharpEdge, Fault> {
    let start = words.offset();
    let mut ends = [0; 2];
    for end in &mut ends {
        let (at, word) = words.expected("a vertex of a sharp edge")?;
        let v = integer(word, at, "a vertex of a sharp edge")?;
        if !(0..vertices as i64).contains(&v) {
            let what = format!(
                "a sharp edge names vertex {v} (counted from 0), but the mesh has {vertices}"
            );
            return Err(Fault::text(at, what));
        }
        *end = v as u32;
    }
    if ends[0] == ends[1] {
        let what = format!("a sharp edge goes from vertex {} to itself", ends[0]);
        return Err(Fault::text(start, what));
    }
    let (at, word) = words.expected("the sharpness of an edge")?;
    let sharpness = number(word, at)?;
    if sharpness < 0.0 {
        let what = format!("a sharpness is {sharpness}, but must be 0 or more");
        return Err(Fault::text(at, what));
    }
    match words.next_at() {
        None => Ok(SharpEdge { ends, sharpness }),
        Some((at, word)) => {
            let what = format!(
                "{} is one word too many: a line is 'a b sharpness'",
                quote(word)
            );
            Err(Fault::text(at, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<SharpEdge>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("creases.txt");
        std::fs::write(&path, text).unwrap();
        read_creases(&path, 8).map_err(|e| e.to_string())
    }

    #[test]
    fn lines_of_edges() {
        let edges =
            read("\u{feff}# around the top\n0 1 2.5\r\n\n 7\t3 10 # for ever\n1 2 0").unwrap();
        let edge = |a, b, sharpness| SharpEdge {
            ends: [a, b],
            sharpness,
        };
        assert_eq!(edges, [edge(0, 1, 2.5), edge(7, 3, 10.0), edge(1, 2, 0.0)]);
        assert_eq!(read("").unwrap(), []);
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, part) in [
            (
                "0 1 1\n0 8 1\n",
                "line 2: a sharp edge names vertex 8 (counted from 0), but the mesh has 8",
            ),
            ("-1 2 1", "line 1: a sharp edge names vertex -1"),
            (
                "0 1",
                "line 1: the sharpness of an edge expected, but the line ends",
            ),
            (
                "0",
                "line 1: a vertex of a sharp edge expected, but the line ends",
            ),
            (
                "#\n\n0 1.5 1",
                "line 3: a vertex of a sharp edge expected, '1.5' is not a whole number",
            ),
            ("0 1 x", "line 1: 'x' is not a number"),
            ("0 1 inf", "line 1: 'inf' is not a finite number"),
            ("0 1 -2", "line 1: a sharpness is -2"),
            ("3 3 1", "line 1: a sharp edge goes from vertex 3 to itself"),
            ("0 1 1 1", "line 1: '1' is one word too many"),
        ] {
            let message = read(text).unwrap_err();
            assert!(
                message.contains("creases.txt: ") && message.contains(part),
                "{text}: {message}"
            );
        }
        let missing = read_creases(Path::new("no/such.txt"), 8).unwrap_err();
        assert!(
            missing
                .to_string()
                .starts_with("no/such.txt: cannot be read"),
            "{missing}"
        );
    }
}
