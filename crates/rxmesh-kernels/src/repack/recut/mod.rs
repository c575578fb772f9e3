//! Cuts regions into patches by nested dissection of orders by distance: a region's faces are ordered from one end to
//! the other, the order is cut in the middle, and the halves are treated the same way until every part is a patch
//! (George and Liu 1978, section 3, for the ends that are far from each other). Any set of faces can be cut like this,
//! and parts are of the requested size.
//!
//! Distances are found breadth first, in all pieces of a region at a time. The order of a queue's faces depends on the
//! order of threads; their distances do not, and nothing else is read.

mod desk;

use super::relabel::Regions;
use super::{NONE, RepackArrays, RepackMesh, Stat};
use crate::exec::Block;
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::lanes::three;
use crate::mem::{GlobalMut, Plan, Shared, Words};
pub use desk::CutTables;
use desk::{Desk, PieceEnd, Spare};

kernel_list! {
    block recut: Recut;
}

/// Regions with more faces than this are cut in global memory instead of shared memory.
pub const CUT_ROOM: u32 = 4096;

/// So are regions that are cut into more parts.
pub const PARTS: u32 = 256;

/// Limit of restarts of an order if the faces are not connected; then the remaining faces come all at once.
const RESTARTS: u32 = 64;

/// Words that [`Recut::spare`] has a face.
pub const SPARE_WORDS: u32 = 9;

kernel! {
    /// Computes new labels of the faces of regions that are cut; a block takes a region. There may be more blocks.
    pub struct Recut: Block {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays: the place of each face in its region is stored where its session id is later.
        pub work: RepackArrays,
        /// Regions of labels.
        pub regions: Regions,
        /// Faces of the regions, in any order within a region; sorted when done.
        pub members: GlobalMut<u32>,
        /// [`SPARE_WORDS`] words a listed face if there are regions that shared memory cannot hold.
        pub spare: GlobalMut<u32>,
        /// New labels.
        pub label: GlobalMut<u32>,
        /// Most faces of a new label.
        pub full: u32,
        /// Most faces of a region that is cut in shared memory.
        pub room: u32,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for Recut {
    const THREADS: u32 = 256;
    type Tables = CutTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> CutTables {
        CutTables {
            across: plan.take(3 * self.room),
            distance: plan.take(self.room),
            list: plan.take(self.room),
            piece: plan.take(self.room),
            last: plan.take(PARTS),
            lost: plan.take(PARTS),
            reached: plan.take(4),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &CutTables) {
        if block >= self.work.stat(Stat::Cuts) {
            return;
        }
        let root = self.regions.cut_root.get(block);
        let start = self.regions.cut_start.get(block);
        let n = self.regions.size.get(root);
        let cuts = Cuts::new(n, self.full);
        if n <= self.room && cuts.parts <= PARTS {
            self.cut(b, root, start, cuts, *t, t.reached);
        } else {
            let words = self.spare.part(SPARE_WORDS * start, SPARE_WORDS * n);
            self.cut(b, root, start, cuts, Spare { words, n }, t.reached);
        }
    }
}

/// Parts into which a region is cut: of equally many faces each, or one more.
#[derive(Clone, Copy)]
struct Cuts {
    n: u32,
    parts: u32,
    /// Faces of a smaller part.
    small: u32,
    /// Parts that have one more.
    longer: u32,
}

impl Cuts {
    #[inline(always)]
    fn new(n: u32, full: u32) -> Cuts {
        let parts = n.div_ceil(full);
        Cuts {
            n,
            parts,
            small: n / parts,
            longer: n % parts,
        }
    }

    /// Returns the start of a part.
    #[inline(always)]
    fn start_of(&self, part: u32) -> u32 {
        self.small * part + part.min(self.longer)
    }

    /// Returns the part of a place in the order.
    #[inline(always)]
    fn part_of(&self, place: u32) -> u32 {
        let in_longer = self.longer * (self.small + 1);
        if place < in_longer {
            place / (self.small + 1)
        } else {
            self.longer + (place - in_longer) / self.small
        }
    }

    /// Returns the first part of the `i`th of `pieces` pieces, which may have none.
    #[inline(always)]
    fn first_of(&self, i: u32, pieces: u32) -> u32 {
        // 64 bits: both factors may be large where a region is.
        (u64::from(i) * u64::from(self.parts) / u64::from(pieces)) as u32
    }

    /// Returns the piece, of `pieces` pieces, that a part is in.
    #[inline(always)]
    fn piece_of(&self, part: u32, pieces: u32) -> u32 {
        let before = u64::from(part + 1) * u64::from(pieces) - 1;
        (before / u64::from(self.parts)) as u32
    }
}

/// A region that is being cut, with its current number of pieces.
#[derive(Clone, Copy)]
struct Region<D> {
    desk: D,
    cuts: Cuts,
    pieces: u32,
    /// Bits of a place.
    bits: u32,
    reached: Shared<u32>,
}

/// In [`Desk::lost`]: some face of the piece was not reached at first.
const LOST: u32 = 1 << 31;

/// In [`Desk::lost`]: all have been reached.
const ALL_REACHED: u32 = LOST - 1;

impl Recut {
    #[inline(always)]
    fn cut<B: Block, D: Desk>(
        &self,
        b: B,
        root: u32,
        start: u32,
        cuts: Cuts,
        desk: D,
        reached: Shared<u32>,
    ) {
        let n = cuts.n;
        let (members, place, list) = (
            self.members.part(start, n),
            self.work.face_session,
            desk.list(),
        );
        b.each(n, |i| list.set(i, members.get(i)));
        b.sort(list, n);
        b.each(n, |i| {
            let f = list.get(i);
            members.set(i, f);
            place.set(f, i);
        });
        b.each(n, |i| {
            self.join(members.get(i), root, i, desk);
            desk.put(i, 0);
            list.set(i, i);
        });
        let mut region = Region {
            desk,
            cuts,
            pieces: 1,
            bits: 32 - n.leading_zeros(),
            reached,
        };
        while region.pieces < cuts.parts {
            region.halve(b);
            region.pieces *= 2;
        }
        let (base, label) = (self.regions.base.get(root), self.label);
        b.last_phase(|p| {
            p.each(n, |i| {
                label.set(members.get(list.get(i)), base + cuts.part_of(i));
            });
        });
    }

    /// Writes the neighbours of face `f`, which has place `i`.
    #[inline(always)]
    fn join<D: Desk>(&self, f: u32, root: u32, i: u32, desk: D) {
        let flat = &self.flat;
        let mut k = 0;
        while k < 3 {
            let other = flat.across(flat.fe.get(3 * f + k) >> 1, f).unwrap_or(NONE);
            let inside = other != NONE && self.regions.root.get(flat.label.get(other)) == root;
            let place = if inside {
                self.work.face_session.get(other)
            } else {
                NONE
            };
            desk.join(3 * i + k, place);
            k += 1;
        }
    }
}

impl<D: Desk> Region<D> {
    /// Orders each piece between two faces that are far from each other, by how much farther a face is from the one
    /// than from the other, and cuts all pieces in the middle. A cut of this order runs straight, where one of an order
    /// by one distance would be an arc. There are fewer pieces than parts, so that none is empty.
    #[inline(always)]
    fn halve<B: Block>(self, b: B) {
        let (desk, cuts, pieces, n) = (self.desk, self.cuts, self.pieces, self.cuts.n);
        let (list, last, lost) = (desk.list(), desk.last(), desk.lost());
        b.each(pieces, |i| {
            // A half of a piece begins at the piece's end, which is far from most of it.
            let place = if i & 1 == 0 {
                cuts.start_of(cuts.first_of(i, pieces))
            } else {
                cuts.start_of(cuts.first_of(i + 1, pieces)) - 1
            };
            last.set(i, !(list.get(place) + 1));
            lost.set(i, ALL_REACHED);
        });
        if pieces == 1 {
            // From any face, for an end.
            self.spread(b, PieceEnd::Near);
        }
        let nearest = self.spread(b, PieceEnd::Near);
        let farthest = self.spread(b, PieceEnd::Far);
        // One word: the piece, the difference, the distance from the line between both ends, and the place. Bits that
        // do not fit are dropped from the third, then from the second.
        let bits_of = |n: u32| 32 - n.leading_zeros();
        let (most, bits) = (nearest + farthest, self.bits);
        let room = 32u32.saturating_sub(bits + bits_of(pieces - 1));
        let of_order = bits_of(most).min(room);
        let of_near = bits_of(nearest).min(room - of_order);
        b.each(n, |f| {
            let (piece, near) = (desk.piece(f), desk.distance(f, PieceEnd::Near));
            let order = if lost.get(piece) & LOST != 0 {
                // Parts that are not connected stay together.
                near
            } else {
                near + farthest - desk.distance(f, PieceEnd::Far)
            };
            let order = order >> (bits_of(most) - of_order);
            let near = near >> (bits_of(nearest) - of_near);
            let key = (piece << of_order | order) << of_near | near;
            list.set(f, key << bits | f);
        });
        b.sort(list, n);
        b.each(n, |i| {
            let f = list.get(i) & ((1 << bits) - 1);
            list.set(i, f);
            desk.put(f, cuts.piece_of(cuts.part_of(i), 2 * pieces));
        });
        if 2 * pieces < cuts.parts {
            b.each(3 * n, |side| {
                let other = desk.across(side);
                if other != NONE && desk.piece(other) != desk.piece(side / 3) {
                    desk.join(side, NONE);
                }
            });
        }
    }

    /// Finds the distances of all faces from the last face of their piece, and the new last faces; returns a distance
    /// that no face is beyond.
    #[inline(always)]
    fn spread<B: Block>(self, b: B, end: PieceEnd) -> u32 {
        let (desk, pieces, bits, reached) = (self.desk, self.pieces, self.bits, self.reached);
        let (list, last, lost, n) = (desk.list(), desk.last(), desk.lost(), self.cuts.n);
        b.each(n, |f| desk.forget(f, end));
        b.phase(|p| {
            p.lead(|| {
                reached.set(2, 0);
                reached.set(3, 0);
            });
            p.each(pieces, |i| {
                let f = (!last.get(i) & ((1 << bits) - 1)) - 1;
                last.set(i, !(f + 1));
                desk.reach(f, end, 0);
                list.set(i, f);
            });
        });
        let (mut low, mut high, mut distance) = (0, pieces, 0);
        let (mut turn, mut restarts) = (1, 0);
        while low < n {
            let (next, after) = (turn % 3 + 1, (turn + 1) % 3 + 1);
            let here = high;
            if low < high {
                // Distances that would not fit beside a place are cut off; then any face as far as that will do.
                let so_far = distance.min(NONE >> bits);
                let cut_off = so_far == NONE >> bits;
                b.phase(|p| {
                    p.lead(|| reached.set(after, 0));
                    p.each(high - low, |i| {
                        let f = list.get(low + i);
                        // All three at a time: a step is as long as its accesses that wait for each other.
                        let sides = three(|k| desk.across(3 * f + k as u32));
                        let far = three(|k| sides[k] != NONE && desk.is_far(sides[k], end));
                        let mut led = 0;
                        let mut leads = [false; 3];
                        let mut k = 0;
                        while k < 3 {
                            leads[k] = far[k] && desk.reach(sides[k], end, distance + 1);
                            led += u32::from(leads[k]);
                            k += 1;
                        }
                        if led > 0 {
                            let mut at = here + reached.fetch_add(next, led);
                            k = 0;
                            while k < 3 {
                                if leads[k] {
                                    list.set(at, sides[k]);
                                    at += 1;
                                }
                                k += 1;
                            }
                        }
                        // The last face leads no other, whatever the order of threads.
                        if led == 0 || cut_off {
                            last.fetch_min(desk.piece(f), !(so_far << bits | (f + 1)));
                        }
                    });
                });
                distance += 1;
            } else if restarts < RESTARTS {
                restarts += 1;
                b.each(n, |f| {
                    if desk.distance(f, end) == NONE {
                        lost.fetch_min(desk.piece(f), f);
                    }
                });
                b.phase(|p| {
                    p.lead(|| reached.set(after, 0));
                    p.each(pieces, |i| {
                        let f = lost.get(i) & ALL_REACHED;
                        if f != ALL_REACHED {
                            lost.set(i, LOST | ALL_REACHED);
                            desk.reach(f, end, distance);
                            list.set(here + reached.fetch_add(next, 1), f);
                        }
                    });
                });
            } else {
                b.each(n, |f| {
                    if desk.is_far(f, end) {
                        desk.reach(f, end, distance);
                    }
                });
                break;
            }
            low = high;
            high += reached.get(next);
            turn = next;
        }
        distance
    }
}
