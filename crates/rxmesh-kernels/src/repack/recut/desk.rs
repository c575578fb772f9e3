//! Tables of a region while it is cut, in shared or in global memory.

use crate::mem::{GlobalMut, Shared, Words};
use crate::repack::NONE;

/// Two ends of a piece that distances are counted from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceEnd {
    Near,
    Far,
}

/// Memory of a region while it is cut. Faces are named by their places in it.
pub(super) trait Desk: Copy {
    /// A word per face.
    type List: Words;
    /// Returns a face across a side, in the same piece; [`NONE`] if there is none.
    fn across(self, side: u32) -> u32;
    /// Sets the face across a side.
    fn join(self, side: u32, other: u32);
    /// Returns the distance of a face from an end of its piece; [`NONE`] if it has not been reached.
    fn distance(self, f: u32, end: PieceEnd) -> u32;
    /// Returns `true` if a face has not been reached yet, while others may be reaching it.
    fn is_far(self, f: u32, end: PieceEnd) -> bool;
    /// Reaches a face that has not been reached, or that others reach at the same distance at the same time. Returns
    /// `true` if it came first.
    fn reach(self, f: u32, end: PieceEnd, distance: u32) -> bool;
    /// Marks face `f` as not reached yet.
    fn forget(self, f: u32, end: PieceEnd);
    /// Returns the piece of a face.
    fn piece(self, f: u32) -> u32;
    /// Sets the piece of a face.
    fn put(self, f: u32, piece: u32);
    /// Returns the faces in the order of a queue, or sorted.
    fn list(self) -> Self::List;
    /// Returns for each piece the complement of its last face: its distance, and its place below.
    fn last(self) -> Self::List;
    /// Returns for each piece the first face that was not reached, and a flag that there ever was one.
    fn lost(self) -> Self::List;
}

/// Shared memory of [`Recut`](super::Recut).
#[derive(Clone, Copy)]
pub struct CutTables {
    /// Three a face; all bits for none.
    pub(super) across: Shared<u16>,
    /// Both distances, 16 bits each, of which all are set where a face has not been reached.
    pub(super) distance: Shared<u32>,
    pub(super) list: Shared<u32>,
    pub(super) piece: Shared<u8>,
    pub(super) last: Shared<u32>,
    pub(super) lost: Shared<u32>,
    /// Faces that a step has reached, in turns of three steps, from word 1 on.
    pub(super) reached: Shared<u32>,
}

/// No face, and no distance, in 16 bits.
const NONE_16: u32 = 0xffff;

impl CutTables {
    /// Returns the position of a distance's bits in its word.
    #[inline(always)]
    fn shift(end: PieceEnd) -> u32 {
        if end == PieceEnd::Near { 0 } else { 16 }
    }
}

#[inline(always)]
fn widened(half: u32) -> u32 {
    if half == NONE_16 { NONE } else { half }
}

impl Desk for CutTables {
    type List = Shared<u32>;
    #[inline(always)]
    fn across(self, side: u32) -> u32 {
        widened(self.across.get(side).into())
    }
    #[inline(always)]
    fn join(self, side: u32, other: u32) {
        self.across.set(side, other as u16);
    }
    #[inline(always)]
    fn distance(self, f: u32, end: PieceEnd) -> u32 {
        widened(self.distance.get(f) >> Self::shift(end) & NONE_16)
    }
    #[inline(always)]
    fn is_far(self, f: u32, end: PieceEnd) -> bool {
        self.distance.load(f) >> Self::shift(end) & NONE_16 == NONE_16
    }
    #[inline(always)]
    fn reach(self, f: u32, end: PieceEnd, distance: u32) -> bool {
        // All bits were set: one operation, where an exchange may have to be repeated.
        let shift = Self::shift(end);
        let others = !(NONE_16 << shift);
        self.distance.fetch_and(f, others | distance << shift) >> shift & NONE_16 == NONE_16
    }
    #[inline(always)]
    fn forget(self, f: u32, end: PieceEnd) {
        let bits = NONE_16 << Self::shift(end);
        self.distance.set(f, self.distance.get(f) | bits);
    }
    #[inline(always)]
    fn piece(self, f: u32) -> u32 {
        self.piece.get(f).into()
    }
    #[inline(always)]
    fn put(self, f: u32, piece: u32) {
        self.piece.set(f, piece as u8);
    }
    #[inline(always)]
    fn list(self) -> Shared<u32> {
        self.list
    }
    #[inline(always)]
    fn last(self) -> Shared<u32> {
        self.last
    }
    #[inline(always)]
    fn lost(self) -> Shared<u32> {
        self.lost
    }
}

/// The same in global memory.
#[derive(Clone, Copy)]
pub(super) struct Spare {
    pub(super) words: GlobalMut<u32>,
    pub(super) n: u32,
}

impl Spare {
    #[inline(always)]
    fn column(self, k: u32) -> GlobalMut<u32> {
        self.words.from(k * self.n)
    }

    #[inline(always)]
    fn distances(self, end: PieceEnd) -> GlobalMut<u32> {
        self.column(if end == PieceEnd::Near { 3 } else { 4 })
    }
}

impl Desk for Spare {
    type List = GlobalMut<u32>;
    #[inline(always)]
    fn across(self, side: u32) -> u32 {
        self.words.get(side)
    }
    #[inline(always)]
    fn join(self, side: u32, other: u32) {
        self.words.set(side, other);
    }
    #[inline(always)]
    fn distance(self, f: u32, end: PieceEnd) -> u32 {
        self.distances(end).get(f)
    }
    #[inline(always)]
    fn is_far(self, f: u32, end: PieceEnd) -> bool {
        self.distances(end).load(f) == NONE
    }
    #[inline(always)]
    fn reach(self, f: u32, end: PieceEnd, distance: u32) -> bool {
        self.distances(end).fetch_and(f, distance) == NONE
    }
    #[inline(always)]
    fn forget(self, f: u32, end: PieceEnd) {
        self.distances(end).set(f, NONE);
    }
    #[inline(always)]
    fn piece(self, f: u32) -> u32 {
        self.column(5).get(f)
    }
    #[inline(always)]
    fn put(self, f: u32, piece: u32) {
        self.column(5).set(f, piece);
    }
    #[inline(always)]
    fn list(self) -> GlobalMut<u32> {
        self.column(6)
    }
    #[inline(always)]
    fn last(self) -> GlobalMut<u32> {
        self.column(7)
    }
    #[inline(always)]
    fn lost(self) -> GlobalMut<u32> {
        self.column(8)
    }
}
