//! Data of points and cells.

use super::super::error::Fault;
use super::super::names;
use super::super::numbers::Scalar;
use super::super::scan::quote;
use super::read::{Reader, scalar};
use crate::mesh::ElementKind;

impl Reader<'_> {
    pub(super) fn data(&mut self, element: ElementKind, at: usize) -> Result<(), Fault> {
        self.cells()?;
        let n = self.tokens.count("the number of rows", 0)?;
        let all = match element {
            ElementKind::Vertex => self.volume.points.len(),
            _ => self.kept.as_ref().map_or(0, |k| k.1),
        };
        if n != all {
            return Err(Fault::text(
                at,
                format!("{n} rows of data for {all} {element}s"),
            ));
        }
        self.rows = Some((element, n));
        Ok(())
    }

    pub(super) fn attribute(&mut self, at: usize, word: &[u8]) -> Result<(), Fault> {
        if word == b"FIELD" {
            return self.field();
        }
        let Some((_, rows)) = self.rows else {
            let what = format!("{} is not known here", quote(word));
            return Err(Fault::text(at, what));
        };
        let name = self.name()?;
        match word {
            b"SCALARS" => {
                let scalar = self.scalar()?;
                let width = match self.tokens.line() {
                    b"" => 1,
                    text => whole(text)
                        .ok_or_else(|| Fault::text(at, "a number of components expected"))?,
                };
                let (at, word) = self.tokens.expected("'LOOKUP_TABLE'")?;
                if !word.eq_ignore_ascii_case(b"LOOKUP_TABLE") {
                    let what = format!("'LOOKUP_TABLE' expected, not {}", quote(word));
                    return Err(Fault::text(at, what));
                }
                self.name()?;
                self.column(&name, width, scalar, rows)
            }
            b"VECTORS" | b"NORMALS" | b"TENSORS" | b"TENSORS6" | b"GLOBAL_IDS"
            | b"PEDIGREE_IDS" => {
                let scalar = self.scalar()?;
                let width = match word {
                    b"TENSORS" => 9,
                    b"TENSORS6" => 6,
                    b"VECTORS" | b"NORMALS" => 3,
                    _ => 1,
                };
                self.column(&name, width, scalar, rows)
            }
            b"TEXTURE_COORDINATES" => {
                let width = self.tokens.count("the number of coordinates", 0)?;
                let scalar = self.scalar()?;
                self.column(&name, width, scalar, rows)
            }
            b"COLOR_SCALARS" => {
                let width = self.tokens.count("the number of values", 0)?;
                let scalar = if self.binary { Scalar::U8 } else { Scalar::F32 };
                self.column(&name, width, scalar, rows)
            }
            b"LOOKUP_TABLE" => {
                let n = self.tokens.count("the number of colours", 4)?;
                let scalar = if self.binary { Scalar::U8 } else { Scalar::F32 };
                self.array(scalar, 4 * n, "colours").map(drop)
            }
            _ => Err(Fault::text(at, format!("{} is not known", quote(word)))),
        }
    }

    /// Arrays with widths of their own.
    fn field(&mut self) -> Result<(), Fault> {
        self.name()?;
        for _ in 0..self.tokens.count("the number of arrays", 4)? {
            if self.tokens.peek().is_some_and(|(_, w)| w == b"METADATA") {
                let (at, word) = self.tokens.expected("")?;
                self.section(at, word)?;
            }
            let at = self.tokens.offset();
            let name = self.name()?;
            let width = self.tokens.count("the number of components", 0)?;
            let n = self.tokens.count("the number of rows", 0)?;
            let (at_type, word) = self.tokens.expected("a type")?;
            match (self.rows, scalar(word)) {
                (Some((_, rows)), Some(scalar)) if rows == n => {
                    self.column(&name, width, scalar, n)?;
                }
                (Some((element, rows)), _) if rows != n => {
                    let what = format!(
                        "array '{}' has {n} rows for {rows} {element}s",
                        names::shown(&name)
                    );
                    return Err(Fault::text(at, what));
                }
                (None, Some(scalar)) => {
                    let numbers = width.saturating_mul(n);
                    self.array(scalar, numbers, "numbers")?;
                    let name = names::shown(&name);
                    self.volume
                        .warnings
                        .push(format!("array '{name}' of the whole data set is not kept"));
                }
                _ => {
                    return Err(Fault::text(
                        at_type,
                        format!("arrays of {} are not read", quote(word)),
                    ));
                }
            }
        }
        Ok(())
    }

    fn column(
        &mut self,
        name: &str,
        width: usize,
        scalar: Scalar,
        rows: usize,
    ) -> Result<(), Fault> {
        let at = self.tokens.offset();
        if width == 0 {
            return Err(Fault::text(at, "an array without values"));
        }
        let numbers = self.array(scalar, width.saturating_mul(rows), "numbers")?;
        let (Some((element, _)), Some((kept, all))) = (self.rows, &self.kept) else {
            return Ok(());
        };
        let numbers = match element {
            ElementKind::Cell if kept.len() < *all => numbers.rows(width, kept),
            _ => numbers,
        };
        self.volume.column(name, element, width, numbers);
        Ok(())
    }

    /// A name, in which `%20` stands for a space.
    fn name(&mut self) -> Result<String, Fault> {
        let (_, word) = self.tokens.expected("a name")?;
        let (mut out, mut rest) = (Vec::new(), word);
        while let Some((&b, more)) = rest.split_first() {
            let code = more.get(..2).and_then(|h| std::str::from_utf8(h).ok());
            let code = code.and_then(|h| u8::from_str_radix(h, 16).ok());
            match (b, code) {
                (b'%', Some(code)) => {
                    out.push(code);
                    rest = &more[2..];
                }
                _ => {
                    out.push(b);
                    rest = more;
                }
            }
        }
        Ok(names::from_bytes(&out))
    }
}

fn whole(text: &[u8]) -> Option<usize> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}
