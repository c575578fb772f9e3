//! Reading MEDIT.

use super::super::error::Fault;
use super::super::points::Bits;
use super::super::scan::quote;
use super::super::soup::head_comments;
use super::super::tokens::Tokens;
use super::super::volume::{MARKER, REGION, Volume, references};
use crate::mesh::ElementKind;

/// Elements that are counted and passed over.
const OTHERS: [(&str, &str); 7] = [
    ("Edges", "edges"),
    ("Triangles", "triangles"),
    ("Quadrilaterals", "quadrilaterals"),
    ("Hexahedra", "hexahedra"),
    ("Hexaedra", "hexahedra"),
    ("Prisms", "prisms"),
    ("Pyramids", "pyramids"),
];

pub(in super::super) fn read(bytes: &[u8], bits: Bits) -> Result<Volume, Fault> {
    let mut reader = Reader {
        tokens: Tokens::with_comments(bytes),
        volume: Volume::new(bits),
        regions: Vec::new(),
        dimension: false,
    };
    reader.volume.comments = head_comments(bytes, 0);
    while let Some((at, word)) = reader.tokens.next_at() {
        if word.eq_ignore_ascii_case(b"End") {
            break;
        }
        reader.section(at, word)?;
    }
    let Reader {
        mut volume,
        regions,
        ..
    } = reader;
    if let Some(regions) = references(regions, &[0]) {
        volume.column(REGION, ElementKind::Cell, 1, regions);
    }
    Ok(volume)
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    volume: Volume,
    regions: Vec<i32>,
    dimension: bool,
}

impl Reader<'_> {
    fn section(&mut self, at: usize, word: &[u8]) -> Result<(), Fault> {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        if is("MeshVersionFormatted") {
            self.tokens.whole("the version")?;
            Ok(())
        } else if is("Dimension") {
            self.dimension(at)
        } else if is("Vertices") {
            self.vertices(at)
        } else if is("Tetrahedra") {
            self.tetrahedra(4)
        } else if is("TetrahedraP2") {
            self.tetrahedra(10)
        } else if word.first().is_some_and(u8::is_ascii_alphabetic) {
            self.pass(word)
        } else {
            let what = format!("a keyword expected, {} is none", quote(word));
            Err(Fault::text(at, what))
        }
    }

    fn dimension(&mut self, at: usize) -> Result<(), Fault> {
        let (_, n) = self.tokens.whole("the dimension")?;
        if n != 3 {
            let what = format!("a volume needs three dimensions, this file has {n}");
            return Err(Fault::text(at, what));
        }
        self.dimension = true;
        Ok(())
    }

    fn vertices(&mut self, at: usize) -> Result<(), Fault> {
        if !self.dimension {
            return Err(Fault::text(
                at,
                "'Dimension 3' expected before the vertices",
            ));
        }
        if self.volume.points.len() > 0 {
            return Err(Fault::text(at, "there are vertices already"));
        }
        let n = self.tokens.count("the number of vertices", 8)?;
        self.volume.points.reserve(n);
        let mut markers = Vec::with_capacity(n);
        for _ in 0..n {
            self.tokens.point(&mut self.volume.points)?;
            markers.push(self.reference()?);
        }
        if let Some(markers) = references(markers, &[0]) {
            self.volume.column(MARKER, ElementKind::Vertex, 1, markers);
        }
        Ok(())
    }

    fn tetrahedra(&mut self, nodes: usize) -> Result<(), Fault> {
        let n = self
            .tokens
            .count("the number of tetrahedra", 2 * nodes + 2)?;
        self.volume.cells.reserve_exact(n);
        self.regions.reserve_exact(n);
        let mut cell = [0; 10];
        for _ in 0..n {
            for v in &mut cell[..nodes] {
                *v = self.vertex()?;
            }
            self.volume.tetrahedron(&cell[..nodes]);
            let region = self.reference()?;
            self.regions.push(region);
        }
        Ok(())
    }

    fn vertex(&mut self) -> Result<u32, Fault> {
        let (at, index) = self.tokens.whole("a vertex")?;
        let vertices = self.volume.points.len();
        match usize::try_from(index) {
            Ok(1..) if index as usize <= vertices => Ok(index as u32 - 1),
            _ => {
                let what = format!(
                    "a tetrahedron names vertex {index}, but there are {vertices} before it (counted from 1)"
                );
                Err(Fault::text(at, what))
            }
        }
    }

    fn reference(&mut self) -> Result<i32, Fault> {
        let (at, n) = self.tokens.whole("a reference")?;
        i32::try_from(n)
            .map_err(|_| Fault::text(at, format!("the reference {n} does not fit into 32 bits")))
    }

    /// Passes over a list that a volume has no use for: whatever comes before the next keyword.
    fn pass(&mut self, word: &[u8]) -> Result<(), Fault> {
        let named = OTHERS
            .iter()
            .find(|o| word.eq_ignore_ascii_case(o.0.as_bytes()));
        if let Some((_, name)) = named {
            let n = self.tokens.count("the number of elements", 4)?;
            self.volume.pass(*name, n as u64);
        } else {
            let name = String::from_utf8_lossy(word);
            let known = ["Corners", "Ridges"].iter().any(|k| **k == name)
                || ["Required", "Normal", "Tangent"]
                    .iter()
                    .any(|k| name.starts_with(k));
            if !known {
                let name = quote(word);
                self.volume.warnings.push(format!("{name} is not kept"));
            }
        }
        while let Some((_, word)) = self.tokens.peek() {
            if word.first().is_some_and(u8::is_ascii_alphabetic) {
                break;
            }
            self.tokens.next_at();
        }
        Ok(())
    }
}
