//! Cells of VTK's data sets, in any of its formats.

use super::super::error::Fault;
use super::super::numbers::{NumberType, Numbers};
use super::super::volume::Volume;
use std::borrow::Cow;

/// VTK's numbers of cell types.
pub(in super::super) const TETRAHEDRON: u8 = 10;
pub(in super::super) const TRIANGLE: u8 = 5;
pub(in super::super) const POLYGON: u8 = 7;
pub(in super::super) const QUAD: u8 = 9;
const POLY_VERTEX: u8 = 2;
const POLY_LINE: u8 = 4;
const TRIANGLE_STRIP: u8 = 6;
const PIXEL: u8 = 8;
/// No number of VTK's: cells that are passed over without a word.
const GHOST: u8 = 255;

/// Cells as the file lists them: where the nodes of each end, the nodes of all, and their types.
#[derive(Debug, Default)]
pub(in super::super) struct CellList {
    pub(in super::super) ends: Vec<usize>,
    pub(in super::super) nodes: Numbers,
    pub(in super::super) types: Numbers,
}

/// Parts of poly data, which have cells of one type each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum PolyDataSection {
    Vertices,
    Lines,
    Polygons,
    Strips,
}

impl PolyDataSection {
    /// Returns VTK's number of the type.
    pub(in super::super) fn cell_type(self) -> u8 {
        match self {
            PolyDataSection::Vertices => POLY_VERTEX,
            PolyDataSection::Lines => POLY_LINE,
            PolyDataSection::Polygons => POLYGON,
            PolyDataSection::Strips => TRIANGLE_STRIP,
        }
    }
}

/// Elements that were kept, by the rows that their values have among all cells.
#[derive(Debug, Default)]
pub(in super::super) struct KeptRows {
    rows: Vec<u32>,
    /// Number of cells in the file.
    cells: usize,
}

impl KeptRows {
    /// Returns the number of cells in the file.
    pub(in super::super) fn cells(&self) -> usize {
        self.cells
    }

    /// Returns the rows of the elements that were kept, of numbers of all cells; the error is the reason why there are
    /// too many.
    pub(in super::super) fn rows(
        &self,
        numbers: Numbers,
        width: usize,
        scalar: NumberType,
        volume: &mut Volume,
    ) -> Result<Numbers, String> {
        let same = self.rows.len() == self.cells && self.rows.iter().zip(0..).all(|(r, i)| *r == i);
        if same {
            return Ok(numbers);
        }
        // A strip of triangles makes many rows of one.
        let bytes = self.rows.len().saturating_mul(width);
        volume.budget.take(bytes.saturating_mul(scalar.size()))?;
        Ok(numbers.rows(width, &self.rows))
    }
}

impl CellList {
    /// Adds cells of one type; the error is the fault.
    pub(in super::super) fn append(
        &mut self,
        ends: &[usize],
        nodes: &Numbers,
        part: PolyDataSection,
    ) -> Result<(), String> {
        let mut all = std::mem::take(&mut self.nodes).into_whole();
        let first = all.len();
        let used = ends.last().copied().unwrap_or(0);
        if used > nodes.len() {
            let n = nodes.len();
            return Err(format!("the cells end at node {used} of {n}"));
        }
        all.extend((0..used).map(|i| nodes.whole(i).unwrap_or(-1)));
        self.nodes = Numbers::I64(all);
        self.ends.extend(ends.iter().map(|e| e + first));
        let mut types = std::mem::take(&mut self.types).into_whole();
        types.resize(types.len() + ends.len(), part.cell_type().into());
        self.types = Numbers::I64(types);
        Ok(())
    }

    /// Marks cells as ghosts, which are then passed over.
    pub(in super::super) fn make_empty(&mut self, cells: &[usize]) {
        let mut types = std::mem::take(&mut self.types).into_whole();
        cells.iter().for_each(|&i| {
            if let Some(t) = types.get_mut(i) {
                *t = GHOST.into();
            }
        });
        self.types = Numbers::I64(types);
    }

    /// Adds the tetrahedra and the faces to the volume; returns those that are kept, or the fault. `at` is the place of
    /// the cells in the file.
    pub(in super::super) fn take(
        &self,
        volume: &mut Volume,
        at: usize,
    ) -> Result<KeptRows, String> {
        if self.ends.len() != self.types.len() {
            let (cells, types) = (self.ends.len(), self.types.len());
            return Err(format!("{cells} cells have {types} types"));
        }
        let (mut solid, mut flat, mut start) = (Vec::new(), Vec::new(), 0);
        let mut corners = Vec::new();
        for (i, &end) in self.ends.iter().enumerate() {
            if end < start || end > self.nodes.len() {
                let nodes = self.nodes.len();
                return Err(format!(
                    "cell {i} (counted from 0) ends at node {end} of {nodes}, and begins at {start}"
                ));
            }
            let number = self.types.whole(i).unwrap_or(-1);
            let nodes = start..end;
            start = end;
            let form = Form::of(number);
            match form {
                Form::Ghost => continue,
                Form::Solid => {
                    volume.pass_cells(name(number), 1);
                    continue;
                }
                Form::Other => {
                    volume.pass(name(number), 1);
                    continue;
                }
                _ => {}
            }
            if !form.fits(nodes.len()) {
                let (n, name) = (nodes.len(), form.name());
                let what = format!("cell {i} (counted from 0) is {name} of {n} nodes");
                if matches!(form, Form::Tetrahedron(_)) {
                    return Err(what);
                }
                volume.lose_face(Fault::text(at, what));
                continue;
            }
            corners.clear();
            let vertices = volume.points.len();
            let missing = nodes.clone().try_for_each(|at| {
                corners.push(self.vertex(i, at, vertices)?);
                Ok(())
            });
            match (missing, form) {
                (Ok(()), _) => {}
                (Err(what), Form::Tetrahedron(_)) => return Err(what),
                (Err(what), _) => {
                    volume.lose_face(Fault::text(at, what));
                    continue;
                }
            }
            match form {
                Form::Tetrahedron(_) => {
                    volume.tetrahedron(&corners);
                    solid.push(i as u32);
                }
                Form::Strip => {
                    for k in 2..corners.len() {
                        let [a, b, c] = [corners[k - 2], corners[k - 1], corners[k]];
                        let triangle = if k % 2 == 0 { [a, b, c] } else { [b, a, c] };
                        volume.face(&triangle, 3, at);
                        flat.push(i as u32);
                    }
                }
                Form::Polygon if corners.len() < 3 => {
                    volume.pass("polygons of fewer than three corners", 1);
                }
                _ => {
                    if form == Form::Pixel {
                        corners.swap(2, 3);
                    }
                    volume.face(&corners, form.corners(corners.len()), at);
                    flat.push(i as u32);
                }
            }
        }
        volume.accept_points();
        Ok(KeptRows {
            rows: if volume.is_surface() { flat } else { solid },
            cells: self.ends.len(),
        })
    }

    /// Returns vertex `at` of cell `i`.
    fn vertex(&self, i: usize, at: usize, vertices: usize) -> Result<u32, String> {
        let node = self.nodes.whole(at).and_then(|v| usize::try_from(v).ok());
        match node.filter(|v| *v < vertices) {
            Some(v) => Ok(v as u32),
            None => Err(format!(
                "cell {i} names vertex {}, but there are {vertices} (both counted from 0)",
                self.nodes.real(at)
            )),
        }
    }
}

/// Forms of cells that differ in how they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Tetrahedron with this number of nodes, or with any.
    Tetrahedron(Option<usize>),
    Triangle(Option<usize>),
    Quad(Option<usize>),
    Pixel,
    Polygon,
    /// Corners first, then a node on each edge.
    CurvedPolygon,
    Strip,
    /// Cells that are not kept.
    Solid,
    /// Points, lines and unknown ones.
    Other,
    Ghost,
}

impl Form {
    fn of(number: i64) -> Form {
        let small = u8::try_from(number).unwrap_or(0);
        match small {
            TRIANGLE => Form::Triangle(Some(3)),
            22 => Form::Triangle(Some(6)),
            34 => Form::Triangle(Some(7)),
            // Types of any order: Lagrange, Bezier.
            69 | 76 => Form::Triangle(None),
            PIXEL => Form::Pixel,
            QUAD => Form::Quad(Some(4)),
            23 => Form::Quad(Some(8)),
            28 => Form::Quad(Some(9)),
            30 => Form::Quad(Some(6)),
            70 | 77 => Form::Quad(None),
            POLYGON => Form::Polygon,
            36 => Form::CurvedPolygon,
            TRIANGLE_STRIP => Form::Strip,
            TETRAHEDRON => Form::Tetrahedron(Some(4)),
            24 => Form::Tetrahedron(Some(10)),
            71 | 78 => Form::Tetrahedron(None),
            11..=20 | 25..=27 | 29 | 31..=33 | 37 | 41 | 42 | 72..=74 | 79..=81 => Form::Solid,
            GHOST => Form::Ghost,
            _ => Form::Other,
        }
    }

    fn fits(self, nodes: usize) -> bool {
        let least = |least: usize, exact: Option<usize>| match exact {
            Some(n) => nodes == n,
            None => nodes >= least,
        };
        match self {
            Form::Tetrahedron(exact) => least(4, exact),
            Form::Triangle(exact) => least(3, exact),
            Form::Quad(exact) => least(4, exact),
            Form::Pixel => nodes == 4,
            Form::CurvedPolygon => nodes >= 6 && nodes.is_multiple_of(2),
            _ => true,
        }
    }

    /// Returns the number of corners of a face with `nodes` nodes.
    fn corners(self, nodes: usize) -> usize {
        match self {
            Form::Triangle(_) => 3,
            Form::Quad(_) | Form::Pixel => 4,
            Form::CurvedPolygon => nodes / 2,
            _ => nodes,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Form::Tetrahedron(_) => "a tetrahedron",
            Form::Triangle(_) => "a triangle",
            Form::Quad(_) | Form::Pixel => "a quadrilateral",
            _ => "a polygon",
        }
    }
}

/// Returns the plural name of the cells of a type.
fn name(number: i64) -> Cow<'static, str> {
    match number {
        0 => "empty cells".into(),
        1 | 2 => "points".into(),
        3 | 4 | 21 | 35 | 60 | 68 | 75 => "lines".into(),
        15 => "pentagonal prisms".into(),
        16 => "hexagonal prisms".into(),
        41 => "convex point sets".into(),
        51..=56 => "parametric cells".into(),
        61 => "triangles of higher order".into(),
        62 => "quadrilaterals of higher order".into(),
        63 => "polygons of higher order".into(),
        64 => "tetrahedra of higher order".into(),
        65 => "prisms of higher order".into(),
        66 => "pyramids of higher order".into(),
        67 => "hexahedra of higher order".into(),
        11 => "voxels".into(),
        12 | 25 | 29 | 33 | 72 | 79 => "hexahedra".into(),
        13 | 26 | 31 | 32 | 73 | 80 => "prisms".into(),
        14 | 27 | 37 | 74 | 81 => "pyramids".into(),
        42 => "polyhedra".into(),
        n => format!("cells of type {n}, which VTK does not name").into(),
    }
}
