//! Data of points and cells.

use super::super::error::Fault;
use super::super::names;
use super::super::numbers::NumberType;
use super::super::scan::quote;
use super::super::volume::Role;
use super::cells::KeptRows;
use super::read::{VtkReader, scalar};
use crate::mesh::ElementKind;

/// Type of an array's values.
#[derive(Debug, Clone, Copy)]
enum ArrayType<'a> {
    Numbers(NumberType),
    Bits,
    Strings,
    /// Values of any type, each with its type.
    Variants,
    /// Values of a type that is not known by this name: one word each in text.
    Unknown(&'a [u8]),
}

impl ArrayType<'_> {
    fn name(self) -> String {
        match self {
            ArrayType::Numbers(_) => "numbers".into(),
            ArrayType::Bits => "bits".into(),
            ArrayType::Strings => "strings".into(),
            ArrayType::Variants => "values of several types".into(),
            ArrayType::Unknown(word) => format!("values of the unknown type {}", quote(word)),
        }
    }
}

impl<'a> VtkReader<'a> {
    pub(super) fn data(&mut self, element: ElementKind, at: usize) -> Result<(), Fault> {
        self.cells()?;
        let n = self.tokens.count("the number of rows", 0)?;
        let all = match element {
            ElementKind::Vertex => self.volume.points.len(),
            _ => self.kept.as_ref().map_or(0, KeptRows::cells),
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
                let kind = self.kind()?;
                let width = match self.tokens.line() {
                    b"" => 1,
                    text => whole(text)
                        .ok_or_else(|| Fault::text(at, "a number of components expected"))?,
                };
                let table = |w: &[u8]| w.eq_ignore_ascii_case(b"LOOKUP_TABLE");
                // Some writers leave it out.
                if self.tokens.peek().is_some_and(|(_, w)| table(w)) {
                    self.tokens.next_at();
                    self.name()?;
                }
                self.values(Role::Plain, &name, width, kind, rows)
            }
            b"VECTORS" | b"NORMALS" | b"TENSORS" | b"TENSORS6" | b"GLOBAL_IDS"
            | b"PEDIGREE_IDS" | b"EDGE_FLAGS" => {
                let kind = self.kind()?;
                let width = match word {
                    b"TENSORS" => 9,
                    b"TENSORS6" => 6,
                    b"VECTORS" | b"NORMALS" => 3,
                    _ => 1,
                };
                let role = match word {
                    b"NORMALS" => Role::Normals,
                    _ => Role::Plain,
                };
                self.values(role, &name, width, kind, rows)
            }
            b"TEXTURE_COORDINATES" => {
                let width = self.tokens.count("the number of coordinates", 0)?;
                let kind = self.kind()?;
                self.values(Role::Texcoords, &name, width, kind, rows)
            }
            b"COLOR_SCALARS" => {
                let width = self.tokens.count("the number of values", 0)?;
                let scalar = if self.binary {
                    NumberType::U8
                } else {
                    NumberType::F32
                };
                self.values(Role::Colors, &name, width, ArrayType::Numbers(scalar), rows)
            }
            b"LOOKUP_TABLE" => {
                let n = self.tokens.count("the number of colours", 4)?;
                let scalar = if self.binary {
                    NumberType::U8
                } else {
                    NumberType::F32
                };
                self.array(scalar, 4 * n, "colours").map(drop)
            }
            _ => Err(Fault::text(at, format!("{} is not known", quote(word)))),
        }
    }

    /// Reads arrays of any widths.
    fn field(&mut self) -> Result<(), Fault> {
        self.name()?;
        for _ in 0..self.tokens.count("the number of arrays", 4)? {
            while self.tokens.peek().is_some_and(|(_, w)| w == b"METADATA") {
                self.tokens.next_at();
                self.metadata();
            }
            let name = self.name()?;
            if name == "NULL_ARRAY" {
                continue;
            }
            let width = self.tokens.count("the number of components", 0)?;
            let n = self.tokens.count("the number of rows", 0)?;
            let kind = self.kind()?;
            match self.rows {
                Some((_, rows)) if rows == n => {
                    self.values(Role::Plain, &name, width, kind, n)?;
                    continue;
                }
                _ => self.skip(kind, width.saturating_mul(n))?,
            }
            let name = names::shown(&name);
            self.volume.warnings.push(match self.rows {
                Some((element, rows)) => {
                    format!("array '{name}' has {n} rows for {rows} {element}s and is not kept")
                }
                None => format!("array '{name}' of the whole data set is not kept"),
            });
        }
        Ok(())
    }

    /// Reads the type of an array.
    fn kind(&mut self) -> Result<ArrayType<'a>, Fault> {
        let (_, word) = self.tokens.expected("a type")?;
        Ok(match word.to_ascii_lowercase().as_slice() {
            b"bit" => ArrayType::Bits,
            b"string" | b"utf8_string" | b"vtkunicodestring" => ArrayType::Strings,
            b"variant" if !self.binary => ArrayType::Variants,
            _ => scalar(word).map_or(ArrayType::Unknown(word), ArrayType::Numbers),
        })
    }

    /// Reads values of the vertices or the elements: kept if they are numbers, else ignored with a warning.
    fn values(
        &mut self,
        role: Role,
        name: &str,
        width: usize,
        kind: ArrayType<'_>,
        rows: usize,
    ) -> Result<(), Fault> {
        let at = self.tokens.offset();
        let ArrayType::Numbers(scalar) = kind else {
            self.skip(kind, width.saturating_mul(rows))?;
            let (name, kind) = (names::shown(name), kind.name());
            self.volume
                .warnings
                .push(format!("array '{name}' holds {kind} and is not kept"));
            return Ok(());
        };
        if width == 0 {
            let name = names::shown(name);
            self.volume
                .warnings
                .push(format!("array '{name}' has no values and is not kept"));
            return Ok(());
        }
        let mut numbers = self.array(scalar, width.saturating_mul(rows), "numbers")?;
        let (Some((element, _)), Some(kept)) = (self.rows, &self.kept) else {
            return Ok(());
        };
        if element != ElementKind::Vertex {
            numbers = kept
                .rows(numbers, width, scalar, &mut self.volume)
                .map_err(|what| Fault::text(at, what))?;
        }
        self.volume.column_as(role, name, element, width, numbers);
        Ok(())
    }

    /// Passes over `n` values.
    fn skip(&mut self, kind: ArrayType<'_>, n: usize) -> Result<(), Fault> {
        let at = self.tokens.offset();
        let short = || Fault::text(at, format!("{n} values expected, but the file ends"));
        match (kind, self.binary) {
            (ArrayType::Numbers(scalar), _) => self.array(scalar, n, "numbers").map(drop),
            (ArrayType::Bits, false) => self.array(NumberType::U8, n, "bits").map(drop),
            (ArrayType::Bits, true) => self.array(NumberType::U8, n.div_ceil(8), "bits").map(drop),
            (ArrayType::Strings, false) => {
                self.tokens.line();
                for _ in 0..n {
                    if self.tokens.left() == 0 {
                        return Err(short());
                    }
                    self.tokens.line();
                }
                Ok(())
            }
            (ArrayType::Strings, true) => {
                self.tokens.line();
                (0..n).try_for_each(|_| self.string().ok_or_else(short))
            }
            (ArrayType::Unknown(_), false) => {
                for _ in 0..n {
                    self.tokens.next_at().ok_or_else(short)?;
                }
                Ok(())
            }
            (ArrayType::Unknown(word), true) => {
                let what = format!(
                    "the type {} is not known, so neither is the size of its values: a binary file cannot be read \
                        beyond such an array",
                    quote(word)
                );
                Err(Fault::text(at, what))
            }
            (ArrayType::Variants, _) => {
                // A type and a value each.
                for _ in 0..n.saturating_mul(2) {
                    self.tokens.next_at().ok_or_else(short)?;
                }
                Ok(())
            }
        }
    }

    /// Skips a string of a binary file: its length is in the first byte, after two bits that tell the number of bytes
    /// of the length.
    fn string(&mut self) -> Option<()> {
        let first = *self.tokens.take(1)?.first()?;
        let more = match first >> 6 {
            3 => 0,
            2 => 1,
            1 => 3,
            _ => 7,
        };
        let mut length = u64::from(first & 0x3f);
        for byte in self.tokens.take(more)? {
            length = length << 8 | u64::from(*byte);
        }
        self.tokens.take(usize::try_from(length).ok()?)?;
        Some(())
    }

    /// Reads a name, in which `%20` stands for a space.
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
