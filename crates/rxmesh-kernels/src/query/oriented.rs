//! Oriented rows of a vertex: its faces, edges and neighbours counter-clockwise.
//!
//! For vertices whose faces form one consistently oriented fan: closed, or open at a boundary. Any other vertex
//! raises [`FaultCode::NotOrientable`]. The row starts at the boundary, or at the face with the lowest local id.

use super::csr::CsrRow;
use super::vertex::VertexFaces;
use super::{Relation, Row, VF};
use crate::exec::{Block, Phase};
use crate::mem::{FaultCode, Plan, Shared};
use crate::topo::{Edge, Face, Id, Patch, PatchHeader, Vertex};

/// What the oriented relations keep: the stored sections, and VF in fan order.
pub type Fan = VertexFaces;

/// The sides (FE entries) by which a fan enters and leaves one face around a vertex: `out` starts at the
/// vertex, `inn` ends there.
#[derive(Clone, Copy)]
struct Corner {
    out: u32,
    inn: u32,
    next: u32,
    previous: u32,
}

#[inline(always)]
fn corner(fan: &Fan, f: u32, v: u32) -> Corner {
    let [a, b, c] = fan.fe.sides(f);
    let [x, y, z] = [a, b, c].map(|side| fan.ev.start(side));
    if x == v {
        Corner {
            out: a >> 1,
            inn: c >> 1,
            next: y,
            previous: z,
        }
    } else if y == v {
        Corner {
            out: b >> 1,
            inn: a >> 1,
            next: z,
            previous: x,
        }
    } else {
        Corner {
            out: c >> 1,
            inn: b >> 1,
            next: x,
            previous: y,
        }
    }
}

fn carve(h: &PatchHeader, plan: &mut Plan) -> Fan {
    VF::carve(h, plan)
}

/// Brings every row of VF into fan order.
#[inline(always)]
fn build<B: Block>(b: B, patch: &Patch, fan: &Fan, scratch: Shared<u32>) {
    VF::build(b, patch, fan, scratch);
    b.each(patch.owned::<Vertex>(), |v| {
        if !chain(fan, v) {
            patch.fault().raise(
                FaultCode::NotOrientable,
                patch.own::<Vertex>(v).linear(),
                patch.id(),
            );
        }
    });
}

/// Sorts one row into a fan by selection; false when the faces are not one fan.
#[inline(always)]
pub(super) fn chain(fan: &Fan, v: u32) -> bool {
    let csr = fan.csr;
    let (lo, hi) = csr.bounds(v);
    let at = |i: u32| corner(fan, csr.value(i), v);
    let swap = |i: u32, j: u32| {
        let (x, y) = (csr.value(i), csr.value(j));
        csr.set_value(i, y);
        csr.set_value(j, x);
    };
    // A face is first when no face comes before it: none enters by the edge it leaves by. More than one is no fan, and
    // neither is a face that repeats a vertex.
    let mut one_fan = true;
    let mut i = lo;
    let mut first = lo;
    let mut starts = 0;
    while i < hi {
        let c = at(i);
        one_fan &= c.next != v && c.previous != v && c.next != c.previous;
        let mut j = lo;
        let mut before = 0;
        while j < hi {
            before += u32::from(at(j).inn == c.out);
            j += 1;
        }
        one_fan &= before <= 1;
        if before == 0 {
            first = i;
            starts += 1;
        }
        i += 1;
    }
    if lo < hi {
        swap(lo, first);
    }
    let mut i = lo;
    while i + 1 < hi {
        let inn = at(i).inn;
        let mut j = i + 1;
        while j < hi && at(j).out != inn {
            j += 1;
        }
        if j == hi {
            return false;
        }
        swap(i + 1, j);
        i += 1;
    }
    one_fan && starts <= 1 && (lo == hi || starts == 1 || at(hi - 1).inn == at(lo).out)
}

macro_rules! fan_relation {
    ($(#[$doc:meta])* $name:ident, $target:ty, $row:ty, $label:literal, $prepare:literal, $make:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        // SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
        unsafe impl Relation for $name {
            type Source = Vertex;
            type Target = $target;
            type Tables = Fan;
            type Row = $row;
            const NAME: &'static str = $label;
            const PREPARE: &'static str = $prepare;

            #[inline(always)]
            fn carve(h: &PatchHeader, plan: &mut Plan) -> Fan {
                carve(h, plan)
            }
            #[inline(always)]
            fn prepare<B: Block>(p: Phase<B>, patch: &Patch, fan: &Fan) {
                VF::prepare(p, patch, fan);
            }
            #[inline(always)]
            fn build<B: Block>(b: B, patch: &Patch, fan: &Fan, scratch: Shared<u32>) {
                build(b, patch, fan, scratch);
            }
            #[inline(always)]
            fn row(_patch: &Patch, fan: &Fan, v: u32) -> $row {
                $make(fan, v)
            }
        }
    };
}

fan_relation!(
    /// The faces of a vertex, counter-clockwise.
    OrientedVF, Face, CsrRow, "oriented VF", "rx_prepare_oriented_vf", |fan: &Fan, v| fan.csr.row(v)
);
fan_relation!(
    /// The edges of a vertex, counter-clockwise.
    OrientedVE, Edge, FanRow<false>, "oriented VE", "rx_prepare_oriented_ve", FanRow::new
);
fan_relation!(
    /// The vertices around a vertex, counter-clockwise.
    OrientedVV, Vertex, FanRow<true>, "oriented VV", "rx_prepare_oriented_vv", FanRow::new
);

/// A row of edges (or of the vertices at their other end) around a vertex, read off the faces in fan order.
#[derive(Clone, Copy, Debug)]
pub struct FanRow<const VERTICES: bool> {
    fan: Fan,
    faces: CsrRow,
    vertex: u32,
    n: u32,
    at: u32,
}

impl<const VERTICES: bool> FanRow<VERTICES> {
    #[inline(always)]
    fn new(fan: &Fan, v: u32) -> Self {
        let faces = fan.csr.row(v);
        let n = faces.len();
        let open =
            n > 0 && corner(fan, faces.get(0), v).out != corner(fan, faces.get(n - 1), v).inn;
        FanRow {
            fan: *fan,
            faces,
            vertex: v,
            n: n + u32::from(open),
            at: 0,
        }
    }
}

impl<const VERTICES: bool> Row for FanRow<VERTICES> {
    type Iter = Self;
    #[inline(always)]
    fn len(&self) -> u32 {
        self.n
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        let faces = self.faces.len();
        let last = i == faces;
        let c = corner(
            &self.fan,
            self.faces.get(if last { i - 1 } else { i }),
            self.vertex,
        );
        match (VERTICES, last) {
            (true, false) => c.next,
            (true, true) => c.previous,
            (false, false) => c.out,
            (false, true) => c.inn,
        }
    }
    #[inline(always)]
    fn iter(&self) -> Self {
        *self
    }
}

impl<const VERTICES: bool> Iterator for FanRow<VERTICES> {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.at == self.n {
            return None;
        }
        self.at += 1;
        Some(self.get(self.at - 1))
    }
}
