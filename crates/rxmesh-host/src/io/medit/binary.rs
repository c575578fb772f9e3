//! MEDIT's binary form, `.meshb`: keywords as numbers, each with the place of the next (libMeshb, versions 1 to 4).

use super::super::error::Fault;
use super::super::points::CoordinateBits;
use super::super::tokens::count;
use super::super::volume::Volume;
use super::keywords::{MeditElement, name_of_number, of_number};
use super::read::Draft;

const DIMENSION: i32 = 3;
const VERTICES: i32 = 4;
const NORMAL_AT_VERTICES: i32 = 20;
const END: i32 = 54;
const NORMALS: i32 = 60;
/// Corners, ridges, required elements and tangents, which text files have as well without a word.
const PLAIN: [i32; 9] = [13, 14, 15, 16, 17, 18, 19, 21, 59];

pub(super) fn read(bytes: &[u8], bits: CoordinateBits) -> Result<Volume, Fault> {
    let little = bytes.starts_with(&[1, 0, 0, 0]);
    let mut volume = Volume::new(bits, bytes.len());
    volume.binary = true;
    let mut reader = MeditBinaryReader {
        bytes,
        pos: 4,
        little,
        version: 0,
        dimension: None,
        draft: Draft::new(volume),
    };
    let at = reader.pos;
    reader.version = i64::from(reader.int("the version")?);
    if !(1..=4).contains(&reader.version) {
        let what = format!("version {} is not read; 1 to 4 are", reader.version);
        return Err(Fault::byte(at, what));
    }
    while reader.section()? {}
    Ok(reader.draft.finish())
}

struct MeditBinaryReader<'a> {
    bytes: &'a [u8],
    pos: usize,
    little: bool,
    version: i64,
    dimension: Option<usize>,
    draft: Draft,
}

impl MeditBinaryReader<'_> {
    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Fault> {
        let taken = self
            .bytes
            .get(self.pos..)
            .and_then(|b| b.first_chunk::<N>());
        let ends = || Fault::byte(self.pos, format!("{what} expected, but the file ends"));
        let mut taken = *taken.ok_or_else(ends)?;
        self.pos += N;
        if !self.little {
            taken.reverse();
        }
        Ok(taken)
    }

    fn int(&mut self, what: &str) -> Result<i32, Fault> {
        Ok(i32::from_le_bytes(self.take(what)?))
    }

    /// Reads a count, a vertex or a reference: of 64 bits in version 4.
    fn whole(&mut self, what: &str) -> Result<i64, Fault> {
        match self.version {
            4 => Ok(i64::from_le_bytes(self.take(what)?)),
            _ => self.int(what).map(i64::from),
        }
    }

    fn real(&mut self, what: &str) -> Result<f64, Fault> {
        match self.version {
            1 => Ok(f32::from_le_bytes(self.take(what)?).into()),
            _ => Ok(f64::from_le_bytes(self.take(what)?)),
        }
    }

    /// Reads the next section, if there is one.
    fn section(&mut self) -> Result<bool, Fault> {
        if self.pos >= self.bytes.len() {
            return Ok(false);
        }
        let at = self.pos;
        let number = self.int("a keyword")?;
        if number == END {
            return Ok(false);
        }
        // Places are of 64 bits from version 3 on.
        let next = match self.version {
            3 | 4 => i64::from_le_bytes(self.take("the place of the next keyword")?),
            _ => i64::from(self.int("the place of the next keyword")?),
        };
        match number {
            DIMENSION => {
                let n = self.int("the dimension")?;
                if n != 2 && n != 3 {
                    let what = format!("a mesh has two or three dimensions, this file has {n}");
                    return Err(Fault::byte(at, what));
                }
                self.dimension = Some(n as usize);
            }
            VERTICES => self.vertices(at)?,
            NORMALS => {
                let n = self.count("the number of normals", 3 * self.real_size())?;
                for _ in 0..3 * n {
                    let x = self.real("a normal")?;
                    self.draft.normals.push(x);
                }
            }
            NORMAL_AT_VERTICES => {
                let n = self.count("the number of vertices", 2 * self.whole_size())?;
                for _ in 0..n {
                    let pair = [self.whole("a vertex")?, self.whole("a normal")?];
                    self.draft.of_vertices.push(pair);
                }
            }
            number => match of_number(number) {
                Some(element) => self.elements(element)?,
                None if PLAIN.contains(&number) => {}
                None => self
                    .draft
                    .volume
                    .warnings
                    .push(format!("{} is not kept", name_of_number(number))),
            },
        }
        // 0 says that nothing follows.
        if next == 0 {
            return Ok(false);
        }
        match usize::try_from(next) {
            Ok(next) if next > at && next <= self.bytes.len() => {
                self.pos = next;
                Ok(true)
            }
            _ => {
                let what = format!("the next keyword is said to be at byte {next}");
                Err(Fault::byte(at, what))
            }
        }
    }

    fn whole_size(&self) -> usize {
        if self.version == 4 { 8 } else { 4 }
    }

    fn real_size(&self) -> usize {
        if self.version == 1 { 4 } else { 8 }
    }

    /// Reads the count of items of `size` bytes.
    fn count(&mut self, what: &str, size: usize) -> Result<usize, Fault> {
        let at = self.pos;
        let n = self.whole(what)?;
        let left = self.bytes.len() - self.pos;
        count(n, size, left).map_err(|why| Fault::byte(at, format!("{what} is {n}{why}")))
    }

    fn vertices(&mut self, at: usize) -> Result<(), Fault> {
        let Some(dimension) = self.dimension else {
            return Err(Fault::byte(
                at,
                "the dimension is expected before the vertices",
            ));
        };
        if self.draft.volume.points.len() > 0 {
            return Err(Fault::byte(at, "there are vertices already"));
        }
        let size = dimension * self.real_size() + self.whole_size();
        let n = self.count("the number of vertices", size)?;
        self.draft.volume.points.reserve(n);
        let mut markers = Vec::with_capacity(n);
        for _ in 0..n {
            let mut p = [Default::default(); 3];
            for (axis, c) in p.iter_mut().enumerate() {
                let at = self.pos;
                let x = match axis < dimension {
                    true => self.real("a coordinate")?,
                    false => 0.0,
                };
                let taken = self.draft.volume.points.take(x);
                *c = taken.map_err(|r| r.of(|what| Fault::byte(at, what)))?;
            }
            self.draft.volume.points.push(p);
            markers.push(self.reference()?);
        }
        self.draft.markers(markers);
        Ok(())
    }

    fn elements(&mut self, element: MeditElement) -> Result<(), Fault> {
        let nodes = element.nodes;
        let size = (nodes + 1) * self.whole_size();
        let n = self.count("the number of elements", size)?;
        self.draft.pass(element, n);
        let mut all = [0; 27];
        for _ in 0..n {
            let start = self.pos;
            for v in &mut all[..nodes] {
                *v = self.whole("a vertex")?;
            }
            let reference = self.reference()?;
            let fault = |what| Fault::byte(start, what);
            self.draft
                .element(element, &all[..nodes], reference, start, fault)?;
        }
        Ok(())
    }

    fn reference(&mut self) -> Result<i32, Fault> {
        let at = self.pos;
        let n = self.whole("a reference")?;
        i32::try_from(n)
            .map_err(|_| Fault::byte(at, format!("the reference {n} does not fit into 32 bits")))
    }
}
