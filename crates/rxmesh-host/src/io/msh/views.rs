//! `$NodeData` and `$ElementData`: columns.

use super::super::error::Fault;
use super::super::names;
use super::super::scan::{integer, quote};
use super::read::{MshReader, doubles};
use crate::mesh::ElementKind;

impl MshReader<'_> {
    pub(super) fn view(&mut self, element: ElementKind) -> Result<(), Fault> {
        let tokens = &mut self.source.tokens;
        let strings = tokens.count("the number of strings", 2)?;
        tokens.line();
        let mut name = String::new();
        for k in 0..strings {
            let line = tokens.line();
            if k == 0 {
                name = names::from_bytes(line).trim_matches('"').to_owned();
            }
        }
        for _ in 0..tokens.count("the number of real numbers", 2)? {
            tokens.real("a real number")?;
        }
        let at = tokens.offset();
        let mut numbers = Vec::new();
        for _ in 0..tokens.count("the number of whole numbers", 2)? {
            let (at, word) = tokens.expected("a whole number")?;
            numbers.push(integer(word, at, "a whole number")?);
        }
        let [_, width, rows, ..] = numbers[..] else {
            let what = "three whole numbers expected: a time step, the values of a row, the rows";
            return Err(Fault::text(at, what));
        };
        if ![1, 3, 9].contains(&width) {
            return Err(Fault::text(
                at,
                format!("rows have 1, 3 or 9 values, not {width}"),
            ));
        }
        if self.source.binary.is_some() {
            self.source.begin();
        }
        let width = width as usize;
        let least = [2 + 2 * width, 4 + 8 * width];
        let rows = self.source.count(at, rows, "the number of rows", least)?;
        self.rows(element, &name, width, rows)
    }

    fn rows(
        &mut self,
        element: ElementKind,
        name: &str,
        width: usize,
        rows: usize,
    ) -> Result<(), Fault> {
        let surface = self.volume.is_surface();
        let elements = match surface {
            true => &self.faces.tags,
            false => &self.cells.tags,
        };
        let own = match element {
            ElementKind::Vertex => self.nodes.len(),
            _ => elements.len(),
        };
        let at = self.source.at();
        let taken = self.volume.budget.take(own.saturating_mul(8 * width));
        taken.map_err(|what| self.source.fault(at, what))?;
        let mut values = vec![f64::NAN; own * width];
        let mut found = 0;
        for _ in 0..rows {
            let at = self.source.at();
            let tag = self.source.int("the number of a node or element")?;
            let place = match element {
                ElementKind::Vertex => self.nodes.find(tag),
                _ => elements.find(tag),
            };
            if place.is_none() && element == ElementKind::Vertex {
                let what = format!(
                    "{} has a value for node {tag}, which does not exist",
                    quote(name.as_bytes())
                );
                return Err(self.source.fault(at, what));
            }
            found += usize::from(place.is_some());
            for k in 0..width {
                let value = self.source.real("a value")?;
                if let Some(place) = place {
                    values[place as usize * width + k] = value;
                }
            }
        }
        if found == 0 && own > 0 {
            // A column of triangles, for example.
            let name = quote(name.as_bytes());
            self.volume.warnings.push(format!(
                "{element} column {name} has no row of ours and is not kept"
            ));
            return Ok(());
        }
        if found < own {
            let name = quote(name.as_bytes());
            self.volume.warnings.push(format!(
                "{element} column {name} has {found} rows for {own} {}: the others are NaN",
                match (element, surface) {
                    (ElementKind::Vertex, _) => "vertices",
                    (_, true) => "faces",
                    (_, false) => "cells",
                }
            ));
        }
        self.volume.column(name, element, width, doubles(values));
        Ok(())
    }
}
