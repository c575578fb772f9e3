//! OFF as binary. Geomview writes big-endian numbers and a count of colour values after each face; other programs (the
//! Polygon Mesh Processing library) write little-endian numbers and no colours. Nothing in the file tells the two
//! apart, so the layout is the one under which the sizes match the file.

use super::super::error::Fault;
use super::super::soup::{Polygon, Soup};
use super::Prefix;
use glam::Vec3;

#[derive(Clone, Copy)]
struct Layout {
    big: bool,
    colours: bool,
}

pub(super) fn read(bytes: &[u8], body: usize, prefix: Prefix) -> Result<Soup, Fault> {
    if prefix.texcoords || prefix.colours || prefix.normals {
        return Err(Fault::text(
            0,
            "binary OFF is read without texture coordinates, colours and normals of vertices only",
        ));
    }
    let layouts = [(true, true), (false, false), (false, true), (true, false)];
    let mut first_fault = None;
    for (big, colours) in layouts {
        let mut cursor = Cursor {
            bytes,
            pos: body,
            layout: Layout { big, colours },
        };
        match cursor.soup() {
            Ok(soup) if cursor.pos == bytes.len() => return Ok(soup),
            Ok(_) => {}
            // The fault that comes last in the file belongs to the layout that fits best.
            Err(fault) if first_fault.as_ref().is_none_or(|(at, _)| cursor.pos > *at) => {
                first_fault = Some((cursor.pos, fault));
            }
            Err(_) => {}
        }
    }
    Err(first_fault.map_or_else(
        || Fault::byte(bytes.len(), "bytes are left over after the last face"),
        |f| f.1,
    ))
}

struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
    layout: Layout,
}

impl Cursor<'_> {
    fn word(&mut self, what: &str) -> Result<u32, Fault> {
        let Some(&raw) = self.bytes[self.pos..].first_chunk::<4>() else {
            return Err(Fault::byte(
                self.bytes.len(),
                format!("the file ends, {what} expected"),
            ));
        };
        self.pos += 4;
        Ok(if self.layout.big {
            u32::from_be_bytes(raw)
        } else {
            u32::from_le_bytes(raw)
        })
    }

    fn soup(&mut self) -> Result<Soup, Fault> {
        let start = self.pos;
        let vertices = self.word("the number of vertices")? as usize;
        let faces = self.word("the number of faces")? as usize;
        self.word("the number of edges")?;
        let left = self.bytes.len() - self.pos;
        if vertices as u64 * 12 + faces as u64 * 8 > left as u64 {
            self.pos = start;
            let what = format!(
                "{vertices} vertices and {faces} faces are promised, {left} bytes cannot hold them"
            );
            return Err(Fault::byte(start, what));
        }
        let mut soup = Soup {
            binary: true,
            ..Soup::default()
        };
        let positions = &mut soup.points.positions;
        positions.reserve_exact(vertices);
        for v in 0..vertices {
            let at = self.pos;
            let mut p = [0f32; 3];
            for x in &mut p {
                *x = f32::from_bits(self.word("a coordinate")?);
            }
            if !Vec3::from_array(p).is_finite() {
                return Err(Fault::byte(
                    at,
                    format!("vertex {v} (counted from 0) lies at {p:?}, which is not finite"),
                ));
            }
            positions.push(Vec3::from_array(p));
        }
        soup.corners.reserve_exact(3 * faces);
        let mut left_out = Vec::new();
        (0..faces).try_for_each(|f| self.face(f, &mut soup, &mut left_out))?;
        if !left_out.is_empty() {
            soup.warnings.push(format!(
                "{} of {faces} faces have fewer than three corners and are left out",
                left_out.len()
            ));
        }
        Ok(soup)
    }

    fn face(
        &mut self,
        face: usize,
        soup: &mut Soup,
        left_out: &mut Vec<usize>,
    ) -> Result<(), Fault> {
        let at = self.pos;
        let corners = self.word("the number of corners")?;
        if corners < 1 || corners as usize > (self.bytes.len() - self.pos) / 4 {
            return Err(Fault::byte(
                at,
                format!("face {face} (counted from 0) states {corners} corners"),
            ));
        }
        for _ in 0..corners {
            let v = self.word("a vertex")?;
            if v as usize >= soup.points.len() {
                let n = soup.points.len();
                let what = format!(
                    "face {face} names vertex {v} (both counted from 0), but the file has {n}"
                );
                return Err(Fault::byte(self.pos - 4, what));
            }
            soup.corners.push(v);
        }
        if corners < 3 {
            left_out.push(face);
            soup.corners.truncate(soup.corners.len() - corners as usize);
        }
        if corners > 3 {
            soup.polygons.push(Polygon {
                face: (face - left_out.len()) as u32,
                corners,
                at,
            });
        }
        if self.layout.colours {
            let at = self.pos;
            let n = self.word("the number of colour values")?;
            if n > 4 {
                return Err(Fault::byte(
                    at,
                    format!("face {face} (counted from 0) has {n} colour values, 4 are possible"),
                ));
            }
            if n > 0 && soup.warnings.is_empty() {
                soup.warnings
                    .push("colours of faces in binary OFF are not kept".into());
            }
            (0..n).try_for_each(|_| self.word("a colour value").map(|_| ()))?;
        }
        Ok(())
    }
}
