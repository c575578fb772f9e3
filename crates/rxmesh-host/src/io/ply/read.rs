//! Elements of a PLY file become a soup.

use super::super::error::Fault;
use super::super::points::{Coordinate, CoordinateBits, FilePoints};
use super::super::scan::LeftOut;
use super::super::soup::{Polygon, Soup};
use super::body::{Binary, Text, ValueReader, most};
use super::columns::{self, Filling, Texcoords};
use super::edges::Edge;
use super::header::{self, Encoding, Header, PlyElement, Property, PropertyType, ScalarType};
use super::strips;
use crate::mesh::{Column, ElementKind, shown_name};

pub(in crate::io) fn read(bytes: &[u8], bits: CoordinateBits) -> Result<Soup, Fault> {
    let header = header::parse(bytes)?;
    match header.encoding {
        Encoding::Ascii => PlyReader::run(&header, Text::new(bytes, header.body), bytes, bits),
        e => PlyReader::run(&header, Binary::new(bytes, header.body, e), bytes, bits),
    }
}

/// Destination of a property.
enum Fate {
    /// Coordinate 0, 1 or 2.
    Position(usize),
    Indices,
    Texcoords,
    /// Place in the list of columns.
    Column(usize),
    Skipped,
}

pub(super) struct PlyReader<S> {
    pub(super) source: S,
    encoding: Encoding,
    pub(super) vertices: usize,
    pub(super) soup: Soup,
}

impl<S: ValueReader> PlyReader<S> {
    fn run(header: &Header, source: S, bytes: &[u8], bits: CoordinateBits) -> Result<Soup, Fault> {
        let vertices = header
            .elements
            .iter()
            .find(|e| e.name == "vertex")
            .map_or(0, |e| e.count);
        let soup = Soup {
            points: FilePoints::new(bits),
            binary: header.encoding != Encoding::Ascii,
            comments: header.comments.clone(),
            warnings: header.warnings.clone(),
            ..Soup::default()
        };
        let mut reader = PlyReader {
            source,
            encoding: header.encoding,
            vertices,
            soup,
        };
        for e in header.elements.iter().filter(|e| !e.properties.is_empty()) {
            reader.check_count(e)?;
            match e.name.as_str() {
                "vertex" => reader.vertices(e)?,
                "face" => reader.faces(e)?,
                "tristrips" => reader.strips(e)?,
                "edge" => match Edge::of(e) {
                    Some(edge) => reader.edges(e, &edge)?,
                    None => reader.skip(e)?,
                },
                _ => reader.skip(e)?,
            }
        }
        if let Some(stray) = &header.stray {
            reader.stray(stray)?;
        }
        let what = "lines have more values than the header declares, which are passed over";
        let warning = reader.source.long_rows().warning(bytes, what);
        reader.soup.warnings.extend(warning);
        reader.drop_partial();
        Ok(reader.soup)
    }

    /// Accepts a header with a line that was ignored, with a warning, if the rows match the file.
    fn stray(&mut self, words: &str) -> Result<(), Fault> {
        if !self.source.is_over() {
            let what = format!(
                "{words}, and then the rows do not fit the header: there is more after the last one"
            );
            return Err(self.source.fault(self.source.offset(), what));
        }
        if let Some(at) = self.source.long_rows().first {
            let what = format!(
                "{words}, and then the rows do not fit the header: there are more values on this line"
            );
            return Err(self.source.fault(at, what));
        }
        self.soup.warnings.push(words.to_owned());
        Ok(())
    }

    /// Removes the values that not all faces have: strips bring neither columns nor texture coordinates.
    fn drop_partial(&mut self) {
        let (faces, soup) = (self.soup.face_count(), &mut self.soup);
        let whole = |c: &Column| c.element != ElementKind::Face || c.data.len() == c.width * faces;
        let names = soup.columns.iter().filter(|c| !whole(c)).map(|c| &c.name);
        soup.warnings.extend(names.map(|name| {
            let name = shown_name(name);
            format!("property '{name}' of element 'face' is not kept: not all faces have it")
        }));
        soup.columns.retain(whole);
        let corners = soup.corners.len();
        if soup
            .corner_texcoords
            .take_if(|l| l.corners.len() != corners)
            .is_some()
        {
            let what = "texture coordinates of corners are not kept: not all faces have them";
            soup.warnings.push(what.to_owned());
        }
    }

    /// Refuses counts that the rest of the file cannot hold before anything is reserved for them.
    fn check_count(&self, e: &PlyElement) -> Result<(), Fault> {
        let least = (e.least_row(self.encoding) as u128) * e.count as u128;
        let left = self.source.left();
        if least > left as u128 + 1 {
            let (name, count) = (&e.name, e.count);
            let what = format!(
                "the header promises {count} of element '{name}', which take {least} bytes or more, but only {left} \
                    are left: the file is cut off or the count is wrong"
            );
            return Err(self.source.fault(self.source.offset(), what));
        }
        Ok(())
    }

    fn vertices(&mut self, e: &PlyElement) -> Result<(), Fault> {
        let (fates, mut columns) = self.fates(e, ElementKind::Vertex);
        for (k, name) in ["x", "y", "z"].into_iter().enumerate() {
            if !fates
                .iter()
                .any(|f| matches!(f, Fate::Position(p) if *p == k))
            {
                let what = format!("element 'vertex' has no number called '{name}'");
                return Err(self.source.fault(self.source.offset(), what));
            }
        }
        self.soup.points.reserve(e.count);
        for row in 0..e.count {
            self.source.begin_row("vertex", row)?;
            let mut p = [Coordinate::default(); 3];
            for (property, fate) in e.properties.iter().zip(&fates) {
                match (&property.kind, fate) {
                    (PropertyType::Scalar(t), Fate::Position(k)) => {
                        p[*k] = self.coordinate(t, property, row)?
                    }
                    (PropertyType::Scalar(t), Fate::Column(c)) => {
                        columns[*c].take(&mut self.source, t)?;
                    }
                    _ => self.skip_value(property)?,
                }
            }
            self.source.end_row();
            self.soup.points.push(p);
        }
        self.keep(columns, ElementKind::Vertex);
        Ok(())
    }

    fn coordinate(
        &mut self,
        t: &ScalarType,
        property: &Property,
        row: usize,
    ) -> Result<Coordinate, Fault> {
        let at = self.source.offset();
        let name = &property.name;
        let read = self.source.coordinate(t, name, &mut self.soup.points)?;
        read.map_err(|refused| {
            refused.of(|what| {
                let what = format!("{what} ({name} of vertex {row}, counted from 0)");
                self.source.fault(at, what)
            })
        })
    }

    fn faces(&mut self, e: &PlyElement) -> Result<(), Fault> {
        let (fates, mut columns) = self.fates(e, ElementKind::Face);
        if !fates.iter().any(|f| matches!(f, Fate::Indices)) {
            let what =
                "element 'face' has no list called 'vertex_indices' or 'vertex_index'".to_owned();
            return Err(self.source.fault(self.source.offset(), what));
        }
        let mut texcoords = Texcoords::default();
        let mut face = self.soup.face_count() as u32;
        let (mut short, mut unfit) = (LeftOut::default(), LeftOut::default());
        // A row that is accepted has a length and three indices: four bytes at least.
        self.soup
            .corners
            .reserve_exact(3 * e.count.min(self.source.left() / 4));
        for row in 0..e.count {
            self.source.begin_row("face", row)?;
            let at = self.source.offset();
            let first = self.soup.corners.len();
            let mut list = Vec::new();
            for (property, fate) in e.properties.iter().zip(&fates) {
                match (&property.kind, fate) {
                    (PropertyType::List(n, t), Fate::Indices) => {
                        self.indices(n, t, property, row)?
                    }
                    (PropertyType::List(n, t), Fate::Texcoords) => {
                        for _ in 0..self.list_length(n, t, property)? {
                            list.push(self.source.value(t, &property.name)? as f32);
                        }
                    }
                    (PropertyType::Scalar(t), Fate::Column(c)) => {
                        columns[*c].take(&mut self.source, t)?;
                    }
                    _ => self.skip_value(property)?,
                }
            }
            self.source.end_row();
            let n = self.soup.corners.len() - first;
            if n < 3 {
                self.soup.corners.truncate(first);
                columns.iter_mut().for_each(columns::Filling::drop_last);
                short.note(row);
                continue;
            }
            if n > 3 {
                self.soup.polygons.push(Polygon {
                    face,
                    corners: n as u32,
                    at,
                });
            }
            face += 1;
            if !texcoords.add(first, n, &list) {
                unfit.note(row);
            }
        }
        for (all, what) in [
            (short, "faces of less than three corners are left out"),
            (
                unfit,
                "faces have a list 'texcoord' without two numbers for each corner, which is left out",
            ),
        ] {
            self.soup.warnings.extend(all.first.map(|row| {
                let n = all.count;
                format!("{n} {what}, the first is face {row} (counted from 0)")
            }));
        }
        self.soup.corner_texcoords = texcoords.finish(self.soup.corners.len());
        self.keep(columns, ElementKind::Face);
        Ok(())
    }

    fn strips(&mut self, e: &PlyElement) -> Result<(), Fault> {
        for row in 0..e.count {
            self.source.begin_row("tristrips", row)?;
            for property in &e.properties {
                match (&property.kind, property.name.as_str()) {
                    (PropertyType::List(n, t), "vertex_indices" | "vertex_index") => {
                        let at = self.source.offset();
                        let length = self.list_length(n, t, property)?;
                        let list: Result<Vec<f64>, Fault> = (0..length)
                            .map(|_| self.source.value(t, &property.name))
                            .collect();
                        strips::triangles(&list?, self.vertices, &mut self.soup.corners).map_err(|v| {
                            let what = format!("strip {row} (counted from 0) names vertex {v}, but the file has \
                                {}", self.vertices);
                            self.source.fault(at, what)
                        })?;
                    }
                    _ => self.skip_value(property)?,
                }
            }
            self.source.end_row();
        }
        Ok(())
    }

    fn indices(
        &mut self,
        n: &ScalarType,
        t: &ScalarType,
        property: &Property,
        face: usize,
    ) -> Result<(), Fault> {
        for _ in 0..self.list_length(n, t, property)? {
            let at = self.source.offset();
            let v = self.source.value(t, &property.name)?;
            if !(v >= 0.0 && v < self.vertices as f64 && v.fract() == 0.0) {
                let what = format!(
                    "face {face} (counted from 0) names vertex {v}, but the file has {}",
                    self.vertices
                );
                return Err(self.source.fault(at, what));
            }
            self.soup.corners.push(v as u32);
        }
        Ok(())
    }

    fn list_length(
        &mut self,
        n: &ScalarType,
        t: &ScalarType,
        property: &Property,
    ) -> Result<usize, Fault> {
        let at = self.source.offset();
        let length = self.source.value(n, &property.name)?;
        let most = most(self.source.left(), t, self.encoding);
        if !(length >= 0.0 && length.fract() == 0.0 && length <= most as f64) {
            let what = format!(
                "list '{}' states {length} values, but the file can hold at most {most} more",
                property.name
            );
            return Err(self.source.fault(at, what));
        }
        Ok(length as usize)
    }

    pub(super) fn skip_value(&mut self, property: &Property) -> Result<(), Fault> {
        let (n, t) = match &property.kind {
            PropertyType::Scalar(t) => (1, t),
            PropertyType::List(n, t) => (self.list_length(n, t, property)?, t),
        };
        (0..n).try_for_each(|_| self.source.value(t, &property.name).map(|_| ()))
    }

    fn skip(&mut self, e: &PlyElement) -> Result<(), Fault> {
        if e.count > 0 {
            self.soup.warnings.push(format!(
                "element '{}' ({} rows) is not kept",
                shown_name(&e.name),
                e.count
            ));
        }
        for row in 0..e.count {
            self.source.begin_row(&e.name, row)?;
            e.properties.iter().try_for_each(|p| self.skip_value(p))?;
            self.source.end_row();
        }
        Ok(())
    }

    /// Decides the use of each property, and makes the columns.
    fn fates(&mut self, e: &PlyElement, element: ElementKind) -> (Vec<Fate>, Vec<Filling>) {
        let mut columns = Vec::new();
        let mut fate = |p: &Property| match (&p.kind, element, p.name.as_str()) {
            (PropertyType::Scalar(_), ElementKind::Vertex, "x") => Fate::Position(0),
            (PropertyType::Scalar(_), ElementKind::Vertex, "y") => Fate::Position(1),
            (PropertyType::Scalar(_), ElementKind::Vertex, "z") => Fate::Position(2),
            (PropertyType::List(..), ElementKind::Face, "vertex_indices" | "vertex_index") => {
                Fate::Indices
            }
            (PropertyType::List(..), ElementKind::Face, "texcoord") => Fate::Texcoords,
            (PropertyType::Scalar(t), ..) if crate::mesh::is_free_name(element, &p.name) => {
                columns.push(Filling::new(p, t, e.count));
                Fate::Column(columns.len() - 1)
            }
            _ => {
                let (name, of) = (shown_name(&p.name), shown_name(&e.name));
                let what = format!("property '{name}' of element '{of}' is not kept");
                self.soup.warnings.push(what);
                Fate::Skipped
            }
        };
        let fates = e.properties.iter().map(&mut fate).collect();
        (fates, columns)
    }

    fn keep(&mut self, columns: Vec<Filling>, element: ElementKind) {
        let mut columns = columns::finish(columns, element, &mut self.soup.warnings);
        self.soup.columns.append(&mut columns);
    }
}
