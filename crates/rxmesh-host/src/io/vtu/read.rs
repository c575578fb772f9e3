//! Reading VTU, VTP and their parallel forms.

use super::super::Format;
use super::super::budget::Budget;
use super::super::content::{self, Content};
use super::super::error::Fault;
use super::super::names;
use super::super::numbers::{NumberType, Numbers};
use super::super::points::CoordinateBits;
use super::super::volume::{Role, Volume};
use super::super::vtk::{CellList, KeptRows, PolyDataSection};
use super::data::{RangeWords, Wrong, numbers};
use super::tags::{Array, ArraySource, DatasetType, Piece, Section, VtuFile, Wanted, tags};
use crate::mesh::ElementKind;
use std::collections::HashSet;
use std::path::Path;

/// Attributes of ghosts that say that a cell is a copy (1) or is not to be seen (32).
const GHOST: i64 = 1 | 32;

/// Reads a file; `name` is its path, which those of a parallel file's pieces are relative to.
pub(in super::super) fn read(
    bytes: &[u8],
    bits: CoordinateBits,
    name: &Path,
) -> Result<Volume, Fault> {
    let file = tags(bytes, Wanted::Meshes)?;
    let mut budget = Budget::of(bytes.len());
    let mut all = match &file.sources {
        None => pieces(bytes, bits, &file, &mut budget)?,
        Some(sources) => parallel(bits, name, sources, &mut budget)?,
    };
    if all.is_empty() {
        all.push(Volume::new(bits, 0));
    }
    let mut volume = Volume::join(all)?;
    if file.field_data {
        let what = "arrays of the whole data set are not kept".to_owned();
        if !volume.warnings.contains(&what) {
            volume.warnings.push(what);
        }
    }
    Ok(volume)
}

/// Reads the pieces of a file, those without points and cells apart.
fn pieces(
    bytes: &[u8],
    bits: CoordinateBits,
    file: &VtuFile,
    budget: &mut Budget,
) -> Result<Vec<Volume>, Fault> {
    let mut all = Vec::new();
    let filled = |p: &&Piece| p.points > 0 || p.cells > 0;
    for piece in file.pieces.iter().filter(filled) {
        let mut volume = Volume::new(bits, 0);
        volume.budget = std::mem::take(budget);
        volume.flat = file.kind == DatasetType::PolyData;
        let mut reader = VtuReader {
            bytes,
            file,
            piece,
            volume,
        };
        reader.read()?;
        *budget = std::mem::take(&mut reader.volume.budget);
        all.push(reader.volume);
    }
    Ok(all)
}

/// Reads the files that a parallel file lists.
fn parallel(
    bits: CoordinateBits,
    name: &Path,
    sources: &[(String, usize)],
    budget: &mut Budget,
) -> Result<Vec<Volume>, Fault> {
    let folder = name.parent().unwrap_or(Path::new(""));
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    for (source, at) in sources {
        if !seen.insert(source) {
            let what = format!("the piece '{}' is there twice", names::shown(source));
            return Err(Fault::text(*at, what));
        }
        let path = folder.join(source);
        let packed = super::super::bytes_of(&path).map_err(|e| {
            let what = format!("the piece '{}' is missing: {e}", names::shown(source));
            Fault::text(*at, what)
        })?;
        let Content { bytes, warnings } = content::plain(&packed).map_err(|what| {
            Fault::text(
                *at,
                format!("of the piece '{}': {what}", names::shown(source)),
            )
        })?;
        let bytes = content::text(bytes, Format::Vtu);
        budget.add(bytes.len());
        let placed = |fault: Fault| {
            let double = fault.wants_double();
            let mut outer = Fault::text(
                *at,
                format!("of the piece {}", fault.in_file(&path, &bytes)),
            );
            if double {
                outer = outer.wanting_double();
            }
            outer
        };
        let file = tags(&bytes, Wanted::Meshes).map_err(placed)?;
        if file.sources.is_some() {
            let what = format!(
                "the piece '{}' is a list of pieces itself",
                names::shown(source)
            );
            return Err(Fault::text(*at, what));
        }
        let first = all.len();
        all.extend(pieces(&bytes, bits, &file, budget).map_err(placed)?);
        if let Some(piece) = all.get_mut(first) {
            piece.warnings.splice(0..0, warnings);
        }
    }
    Ok(all)
}

struct VtuReader<'a> {
    bytes: &'a [u8],
    file: &'a VtuFile,
    piece: &'a Piece,
    volume: Volume,
}

impl<'a> VtuReader<'a> {
    fn read(&mut self) -> Result<(), Fault> {
        self.points()?;
        let (grid, at) = match self.file.kind {
            DatasetType::Grid => self.grid()?,
            DatasetType::PolyData => self.poly_data()?,
            DatasetType::Image => (CellList::default(), 0),
        };
        let grid = self.without_ghosts(grid)?;
        let kept = grid
            .take(&mut self.volume, at)
            .map_err(|what| Fault::text(at, what))?;
        for (section, array) in &self.piece.arrays {
            match section {
                Section::PointData => self.column(array, ElementKind::Vertex, &kept)?,
                Section::CellData => self.column(array, ElementKind::Cell, &kept)?,
                _ => {}
            }
        }
        for name in &self.piece.strings {
            let name = names::shown(name);
            self.volume.warnings.push(format!(
                "array '{name}' holds strings or bits and is not kept"
            ));
        }
        Ok(())
    }

    fn array(
        &self,
        section: Section,
        name: Option<&str>,
    ) -> Result<(&'a Array, NumberType), Fault> {
        let mut arrays = self.piece.arrays.iter().filter(|(s, _)| *s == section);
        let found = arrays.find(|(_, a)| name.is_none_or(|n| a.name.eq_ignore_ascii_case(n)));
        match found {
            Some((_, array)) => {
                let unknown = || Fault::text(array.at, "an array of a type that is not known");
                Ok((array, array.scalar.ok_or_else(unknown)?))
            }
            None => Err(Fault::file(match name {
                Some(name) => format!("the cells have no array '{name}'"),
                None => "there are no points".into(),
            })),
        }
    }

    fn numbers(&mut self, array: &Array, scalar: NumberType, n: usize) -> Result<Numbers, Wrong> {
        numbers(
            self.bytes,
            self.file,
            array,
            scalar,
            n,
            &mut self.volume.budget,
        )
    }

    fn points(&mut self) -> Result<(), Fault> {
        let n = self.piece.points;
        if n == 0 {
            return Ok(());
        }
        let (array, scalar) = self.array(Section::Points, None)?;
        if array.width != 3 {
            let what = format!("points have 3 coordinates, not {}", array.width);
            return Err(Fault::text(array.at, what));
        }
        let at = array.at;
        let many = || Fault::text(at, format!("{n} points are too many"));
        let all = n.checked_mul(3).ok_or_else(many)?;
        // Checked before anything is reserved; text is then read again for all its digits.
        let numbers = self.numbers(array, scalar, all)?;
        let points = &mut self.volume.points;
        points.reserve(n);
        if let (ArraySource::Text(ranges), true) = (&array.place, scalar.is_float()) {
            let mut words = RangeWords::new(self.bytes, ranges);
            return (0..n).try_for_each(|_| points.read_by(|axis| words.expected(axis)));
        }
        for i in 0..n {
            let mut p = [Default::default(); 3];
            for (k, c) in p.iter_mut().enumerate() {
                let x = numbers.real(3 * i + k);
                *c = points.take(x).map_err(|r| {
                    r.of(|what| Fault::byte(at, format!("point {i} (counted from 0): {what}")))
                })?;
            }
            points.push(p);
        }
        Ok(())
    }

    /// Reads the cells of an unstructured grid. Returns their place, too.
    fn grid(&mut self) -> Result<(CellList, usize), Fault> {
        let n = self.piece.cells;
        if n == 0 {
            return Ok((CellList::default(), 0));
        }
        let (array, scalar) = self.array(Section::Cells, Some("types"))?;
        let types = self.numbers(array, scalar, n)?;
        let (ends, nodes, at) = self.lists(Section::Cells, n)?;
        Ok((CellList { ends, nodes, types }, at))
    }

    /// Reads the ends of `n` lists of nodes, and the nodes. Returns their place, too.
    fn lists(&mut self, section: Section, n: usize) -> Result<(Vec<usize>, Numbers, usize), Fault> {
        let (array, scalar) = self.array(section, Some("offsets"))?;
        let offsets = self.numbers(array, scalar, n)?;
        let size = |i: usize| offsets.whole(i).and_then(|o| usize::try_from(o).ok());
        let Some(ends) = (0..n).map(size).collect::<Option<Vec<usize>>>() else {
            return Err(Fault::text(array.at, "an offset of the cells is no size"));
        };
        let (array, scalar) = self.array(section, Some("connectivity"))?;
        let nodes = self.numbers(array, scalar, ends.last().copied().unwrap_or(0))?;
        Ok((ends, nodes, array.at))
    }

    /// Reads the cells of poly data, in the order of the values of cells. Returns the place of the polygons, too.
    fn poly_data(&mut self) -> Result<(CellList, usize), Fault> {
        let parts = [
            (Section::Verts, PolyDataSection::Vertices, self.piece.verts),
            (Section::Lines, PolyDataSection::Lines, self.piece.lines),
            (Section::Polys, PolyDataSection::Polygons, self.piece.polys),
            (Section::Strips, PolyDataSection::Strips, self.piece.strips),
        ];
        let mut all = CellList::default();
        let mut place = 0;
        for (section, part, n) in parts.into_iter().filter(|p| p.2 > 0) {
            let (ends, nodes, at) = self.lists(section, n)?;
            all.append(&ends, &nodes, part)
                .map_err(|what| Fault::text(at, what))?;
            place = at;
        }
        Ok((all, place))
    }

    /// Empties the cells that are copies of another piece's.
    fn without_ghosts(&mut self, mut grid: CellList) -> Result<CellList, Fault> {
        let n = self.piece.cells;
        let named = |a: &Array| ["vtkGhostType", "vtkGhostLevels"].contains(&a.name.as_str());
        let mut arrays = self.piece.arrays.iter();
        let ghosts = arrays.find(|(s, a)| *s == Section::CellData && a.width == 1 && named(a));
        let Some((array, scalar)) = ghosts.and_then(|(_, a)| Some((a, a.scalar?))) else {
            return Ok(grid);
        };
        let values = match self.numbers(array, scalar, n) {
            Ok(values) => values,
            Err(Wrong::Length(_)) => {
                let name = names::shown(&array.name);
                self.volume.warnings.push(format!(
                    "array '{name}' does not have {n} rows: ghost cells are kept"
                ));
                return Ok(grid);
            }
            Err(Wrong::Other(fault)) => return Err(fault),
        };
        let levels = array.name == "vtkGhostLevels";
        let is_ghost = |i: usize| {
            let value = values.whole(i).unwrap_or(0);
            if levels {
                value > 0
            } else {
                value & GHOST != 0
            }
        };
        let ghosts: Vec<usize> = (0..n).filter(|&i| is_ghost(i)).collect();
        if !ghosts.is_empty() {
            let n = ghosts.len();
            grid.make_empty(&ghosts);
            self.volume.warnings.push(format!(
                "{n} ghost cells, which are copies of another piece's, are not kept"
            ));
        }
        Ok(grid)
    }

    fn column(
        &mut self,
        array: &Array,
        element: ElementKind,
        kept: &KeptRows,
    ) -> Result<(), Fault> {
        let rows = match element {
            ElementKind::Vertex => self.piece.points,
            _ => self.piece.cells,
        };
        let name = &array.name;
        if element != ElementKind::Vertex
            && (rows == 0 || matches!(&name[..], "vtkGhostType" | "vtkGhostLevels"))
        {
            return Ok(());
        }
        let Some(scalar) = array.scalar else {
            let name = names::shown(name);
            self.volume
                .warnings
                .push(format!("array '{name}' holds no numbers and is not kept"));
            return Ok(());
        };
        let many = || Fault::text(array.at, "too many numbers");
        let n = rows.checked_mul(array.width).ok_or_else(many)?;
        let mut numbers = match self.numbers(array, scalar, n) {
            Ok(numbers) => numbers,
            Err(Wrong::Length(_)) => {
                let (name, width) = (names::shown(name), array.width);
                self.volume.warnings.push(format!(
                    "array '{name}' does not have {rows} rows of {width} numbers and is not kept"
                ));
                return Ok(());
            }
            Err(Wrong::Other(fault)) => return Err(fault),
        };
        if element == ElementKind::Cell {
            numbers = kept
                .rows(numbers, array.width, scalar, &mut self.volume)
                .map_err(|what| Fault::text(array.at, what))?;
        }
        let is =
            |other: &Option<String>| element == ElementKind::Vertex && other.as_ref() == Some(name);
        let role = if is(&self.piece.normals) {
            Role::Normals
        } else if is(&self.piece.texcoords) {
            Role::Texcoords
        } else {
            Role::Plain
        };
        self.volume
            .column_as(role, name, element, array.width, numbers);
        Ok(())
    }
}
