//! Reading VTU.

use super::super::error::Fault;
use super::super::numbers::Scalar;
use super::super::points::Bits;
use super::super::tokens::Tokens;
use super::super::volume::Volume;
use super::super::vtk::Grid;
use super::data::numbers;
use super::tags::{Array, File, Piece, Place, Section, tags};
use crate::mesh::ElementKind;

pub(in super::super) fn read(bytes: &[u8], bits: Bits) -> Result<Volume, Fault> {
    let file = tags(bytes)?;
    let [piece] = &file.pieces[..] else {
        let n = file.pieces.len();
        return Err(Fault::file(format!(
            "{n} pieces are there, and files of one are read"
        )));
    };
    let mut reader = Reader {
        bytes,
        file: &file,
        piece,
        volume: Volume::new(bits),
    };
    reader.points()?;
    let kept = reader.cells()?;
    for (section, array) in &piece.arrays {
        match section {
            Section::PointData => reader.column(array, ElementKind::Vertex, &kept)?,
            Section::CellData => reader.column(array, ElementKind::Cell, &kept)?,
            Section::Points | Section::Cells | Section::FieldData => {}
        }
    }
    if file.field_data {
        reader
            .volume
            .warnings
            .push("arrays of the whole data set are not kept".into());
    }
    Ok(reader.volume)
}

struct Reader<'a> {
    bytes: &'a [u8],
    file: &'a File,
    piece: &'a Piece,
    volume: Volume,
}

impl Reader<'_> {
    fn array(&self, section: Section, name: Option<&str>) -> Result<(&Array, Scalar), Fault> {
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

    fn points(&mut self) -> Result<(), Fault> {
        let n = self.piece.points;
        let (array, scalar) = self.array(Section::Points, None)?;
        if array.width != 3 {
            let what = format!("points have 3 coordinates, not {}", array.width);
            return Err(Fault::text(array.at, what));
        }
        let (place, at) = (array.place.clone(), array.at);
        let many = || Fault::text(at, format!("{n} points are too many"));
        let all = n.checked_mul(3).ok_or_else(many)?;
        // Checked before anything is reserved; text is then read again for all its digits.
        let numbers = numbers(self.bytes, self.file, array, scalar, all)?;
        let points = &mut self.volume.points;
        points.reserve(n);
        if let (Place::Text(range), true) = (&place, scalar.is_float()) {
            let mut tokens = Tokens::new(&self.bytes[..range.end]);
            tokens.go_to(range.start);
            return (0..n).try_for_each(|_| tokens.point(points));
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

    /// Takes the tetrahedra; returns which cells they are.
    fn cells(&mut self) -> Result<Vec<u32>, Fault> {
        let n = self.piece.cells;
        let read = |name: &str, n: usize| {
            let (array, scalar) = self.array(Section::Cells, Some(name))?;
            Ok::<_, Fault>((numbers(self.bytes, self.file, array, scalar, n)?, array.at))
        };
        let (offsets, at) = read("offsets", n)?;
        let (types, _) = read("types", n)?;
        let size = |i: usize| offsets.whole(i).and_then(|o| usize::try_from(o).ok());
        let Some(ends) = (0..n).map(size).collect::<Option<Vec<usize>>>() else {
            return Err(Fault::text(at, "an offset of the cells is no size"));
        };
        let (nodes, at) = read("connectivity", ends.last().copied().unwrap_or(0))?;
        let grid = Grid { ends, nodes, types };
        grid.take(&mut self.volume)
            .map_err(|what| Fault::text(at, what))
    }

    fn column(&mut self, array: &Array, element: ElementKind, kept: &[u32]) -> Result<(), Fault> {
        let rows = match element {
            ElementKind::Vertex => self.piece.points,
            _ => self.piece.cells,
        };
        let name = &array.name;
        let Some(scalar) = array.scalar else {
            let name = name.escape_debug();
            self.volume
                .warnings
                .push(format!("array '{name}' holds no numbers and is not kept"));
            return Ok(());
        };
        let many = || Fault::text(array.at, "too many numbers");
        let n = rows.checked_mul(array.width).ok_or_else(many)?;
        let mut numbers = numbers(self.bytes, self.file, array, scalar, n)?;
        if element == ElementKind::Cell && kept.len() < rows {
            numbers = numbers.rows(array.width, kept);
        }
        self.volume.column(name, element, array.width, numbers);
        Ok(())
    }
}
