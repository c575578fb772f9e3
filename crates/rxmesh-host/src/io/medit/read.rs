//! Reading MEDIT.

use super::super::error::Fault;
use super::super::numbers::Numbers;
use super::super::points::CoordinateBits;
use super::super::scan::quote;
use super::super::soup::head_comments;
use super::super::tokens::Tokens;
use super::super::volume::{MARKER, REGION, Role, Volume, references};
use super::keywords::{MeditElement, of_name};
use crate::mesh::{ColumnData, ElementKind};

pub(in super::super) fn read(bytes: &[u8], bits: CoordinateBits) -> Result<Volume, Fault> {
    if super::is_binary(bytes) {
        return super::binary::read(bytes, bits);
    }
    let mut reader = MeditReader {
        tokens: Tokens::with_comments(bytes),
        draft: Draft::new(Volume::new(bits, bytes.len())),
        dimension: None,
    };
    reader.draft.volume.comments = head_comments(bytes, 0);
    while let Some((at, word)) = reader.tokens.next_at() {
        if word.eq_ignore_ascii_case(b"End") {
            break;
        }
        reader.section(at, word)?;
    }
    Ok(reader.draft.finish())
}

/// Mesh with the values of its elements, in text and in bytes.
pub(super) struct Draft {
    pub(super) volume: Volume,
    /// References of the tetrahedra, and of the faces.
    pub(super) cells: Vec<i32>,
    pub(super) faces: Vec<i32>,
    /// Normals, three numbers each, and which one a vertex has: pairs of vertex and normal, counted from 1.
    pub(super) normals: Vec<f64>,
    pub(super) of_vertices: Vec<[i64; 2]>,
}

impl Draft {
    pub(super) fn new(volume: Volume) -> Draft {
        Draft {
            volume,
            cells: Vec::new(),
            faces: Vec::new(),
            normals: Vec::new(),
            of_vertices: Vec::new(),
        }
    }

    /// Returns the index of a vertex that an element names, counted from 1.
    fn vertex(&self, element: MeditElement, index: i64) -> Result<u32, String> {
        let what = match element.corners {
            Some(0) => "a tetrahedron",
            _ => "a face",
        };
        let vertices = self.volume.points.len();
        match usize::try_from(index) {
            Ok(n) if (1..=vertices).contains(&n) => Ok(n as u32 - 1),
            _ => Err(format!(
                "{what} names vertex {index}, but there are {vertices} before it (counted from 1)"
            )),
        }
    }

    /// Adds an element that is kept, of the nodes that are named. `fault` places a fault.
    pub(super) fn element(
        &mut self,
        element: MeditElement,
        nodes: &[i64],
        reference: i32,
        at: usize,
        fault: impl Fn(String) -> Fault,
    ) -> Result<(), Fault> {
        if element.corners.is_none() {
            return Ok(());
        }
        let named = nodes.iter().map(|&n| self.vertex(element, n));
        let corners: Result<Vec<u32>, String> = named.collect();
        match (element.corners, corners) {
            (None, _) => {}
            (Some(0), Ok(nodes)) => {
                self.volume.tetrahedron(&nodes);
                self.cells.push(reference);
            }
            (Some(0), Err(what)) => return Err(fault(what)),
            (Some(corners), Ok(nodes)) => {
                self.volume.face(&nodes, corners, at);
                self.faces.push(reference);
            }
            (Some(_), Err(what)) => self.volume.lose_face(fault(what)),
        }
        Ok(())
    }

    /// Counts elements that are not kept.
    pub(super) fn pass(&mut self, element: MeditElement, n: usize) {
        match (element.corners, element.solid) {
            (Some(_), _) => {}
            (None, true) => self.volume.pass_cells(element.plural, n as u64),
            (None, false) => self.volume.pass(element.plural, n as u64),
        }
    }

    pub(super) fn markers(&mut self, markers: Vec<i32>) {
        if let Some(markers) = references(markers, &[0]) {
            self.volume.column(MARKER, ElementKind::Vertex, 1, markers);
        }
    }

    pub(super) fn finish(mut self) -> Volume {
        let references_of = match self.volume.is_surface() {
            true => self.faces,
            false => self.cells,
        };
        if let Some(regions) = references(references_of, &[0]) {
            self.volume.column(REGION, ElementKind::Cell, 1, regions);
        }
        if self.of_vertices.is_empty() || !self.volume.is_surface() {
            return self.volume;
        }
        let vertices = self.volume.points.len();
        let mut values = vec![0f32; 3 * vertices];
        let mut known = vec![false; vertices];
        for [vertex, normal] in self.of_vertices {
            let place = |n: i64, of: usize| usize::try_from(n - 1).ok().filter(|n| *n < of);
            let (v, n) = (
                place(vertex, vertices),
                place(normal, self.normals.len() / 3),
            );
            if let (Some(v), Some(n)) = (v, n) {
                known[v] = true;
                (0..3).for_each(|k| values[3 * v + k] = self.normals[3 * n + k] as f32);
            }
        }
        let missing = known.iter().filter(|k| !**k).count();
        if missing > 0 {
            self.volume.warnings.push(format!(
                "normals are not kept: {missing} of {vertices} vertices have none"
            ));
        } else {
            let normals = Numbers::Kept(ColumnData::F32(values));
            let vertex = ElementKind::Vertex;
            self.volume
                .column_as(Role::Normals, "normal", vertex, 3, normals);
        }
        self.volume
    }
}

struct MeditReader<'a> {
    tokens: Tokens<'a>,
    draft: Draft,
    dimension: Option<usize>,
}

impl MeditReader<'_> {
    fn section(&mut self, at: usize, word: &[u8]) -> Result<(), Fault> {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        if is("MeshVersionFormatted") {
            self.tokens.whole("the version")?;
            Ok(())
        } else if is("Dimension") {
            self.dimension(at)
        } else if is("Vertices") {
            self.vertices(at)
        } else if is("Normals") {
            self.normals()
        } else if is("NormalAtVertices") {
            self.normals_of_vertices()
        } else if let Some(element) = of_name(word) {
            self.elements(element)
        } else if word.first().is_some_and(u8::is_ascii_alphabetic) {
            self.pass(word)
        } else {
            let what = format!("a keyword expected, found {}", quote(word));
            Err(Fault::text(at, what))
        }
    }

    fn dimension(&mut self, at: usize) -> Result<(), Fault> {
        let (_, n) = self.tokens.whole("the dimension")?;
        if n != 2 && n != 3 {
            let what = format!("a mesh has two or three dimensions, this file has {n}");
            return Err(Fault::text(at, what));
        }
        self.dimension = Some(n as usize);
        Ok(())
    }

    fn vertices(&mut self, at: usize) -> Result<(), Fault> {
        let Some(dimension) = self.dimension else {
            return Err(Fault::text(
                at,
                "'Dimension 3' expected before the vertices",
            ));
        };
        if self.draft.volume.points.len() > 0 {
            return Err(Fault::text(at, "there are vertices already"));
        }
        let n = self
            .tokens
            .count("the number of vertices", 2 * dimension + 2)?;
        self.draft.volume.points.reserve(n);
        let mut markers = Vec::with_capacity(n);
        for _ in 0..n {
            let (tokens, mut axis) = (&mut self.tokens, 0);
            self.draft.volume.points.read_by(|name| {
                axis += 1;
                match axis > dimension {
                    true => Ok((tokens.offset(), &b"0"[..])),
                    false => tokens.expected(name),
                }
            })?;
            markers.push(self.reference()?);
        }
        self.draft.markers(markers);
        Ok(())
    }

    fn elements(&mut self, element: MeditElement) -> Result<(), Fault> {
        let nodes = element.nodes;
        let n = self.tokens.count("the number of elements", 2 * nodes + 2)?;
        self.draft.pass(element, n);
        let mut all = [0; 27];
        for _ in 0..n {
            let start = self.tokens.peek().map_or(0, |(at, _)| at);
            for v in &mut all[..nodes] {
                *v = self.tokens.whole("a vertex")?.1;
            }
            let reference = self.reference()?;
            let fault = |what| Fault::text(start, what);
            self.draft
                .element(element, &all[..nodes], reference, start, fault)?;
        }
        Ok(())
    }

    fn normals(&mut self) -> Result<(), Fault> {
        let n = self.tokens.count("the number of normals", 6)?;
        for _ in 0..3 * n {
            let x = self.tokens.real("a normal")?;
            self.draft.normals.push(x);
        }
        Ok(())
    }

    fn normals_of_vertices(&mut self) -> Result<(), Fault> {
        let n = self.tokens.count("the number of vertices", 4)?;
        for _ in 0..n {
            let (_, vertex) = self.tokens.whole("a vertex")?;
            let (_, normal) = self.tokens.whole("a normal")?;
            self.draft.of_vertices.push([vertex, normal]);
        }
        Ok(())
    }

    fn reference(&mut self) -> Result<i32, Fault> {
        let (at, n) = self.tokens.whole("a reference")?;
        i32::try_from(n)
            .map_err(|_| Fault::text(at, format!("the reference {n} does not fit into 32 bits")))
    }

    /// Passes over a list that a mesh has no use for: everything before the next keyword.
    fn pass(&mut self, word: &[u8]) -> Result<(), Fault> {
        let name = String::from_utf8_lossy(word);
        if !super::keywords::is_plain(&name) {
            let name = quote(word);
            self.draft
                .volume
                .warnings
                .push(format!("{name} is not kept"));
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
