//! Limit of the number of winners, between resolve and fill-in.

use super::round::{Counter, Round};
use super::{ClaimTables, Key};
use crate::edit::NONE;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::mem::{Plan, Shared};

kernel! {
    /// Keeps the winners with the smallest keys, and enters the others for the next round. For operators that need no
    /// new slots. One block.
    pub struct LimitWinners: Block {
        /// Claims; their values on the elements that a winner holds are its key.
        pub claims: ClaimTables,
        /// State of the round; [`Counter::Most`] is the number of winners to keep.
        pub round: Round,
    }
}

/// Bits of a key that one pass sorts by.
const DIGIT_BITS: u32 = 11;
const DIGITS: u32 = 1 << DIGIT_BITS;

/// Passes over the bits of a key below its epoch.
const PASSES: u32 = Key::ORDER_BITS.div_ceil(DIGIT_BITS);

/// Shared memory of [`LimitWinners`].
#[derive(Clone, Copy)]
pub struct LimitTables {
    /// Keys by their digit.
    counts: Shared<u32>,
    /// Words 1 and 2: the digits found so far, highest first. Word 3: number of keys to keep among those that begin so.
    found: Shared<u32>,
    scratch: Shared<u32>,
}

impl LimitTables {
    #[inline(always)]
    fn prefix(&self) -> u64 {
        u64::from(self.found.get(1)) << 32 | u64::from(self.found.get(2))
    }
}

impl LimitTables {
    /// Reserves the space.
    #[inline(always)]
    pub fn carve(plan: &mut Plan) -> LimitTables {
        // In this order: the device compiler takes word 0 of the first piece for one that could be anywhere.
        let found = plan.take(4);
        LimitTables {
            counts: plan.take(DIGITS),
            found,
            scratch: plan.take(SCRATCH_WORDS),
        }
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for LimitWinners {
    const THREADS: u32 = 1024;
    type Tables = LimitTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> LimitTables {
        LimitTables::carve(plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, t: &LimitTables) {
        let round = &self.round;
        if round.stopped() {
            return;
        }
        let n = round.counter(Counter::Winners);
        let most = round.counter(Counter::Most);
        if n > most {
            keep_first(b, t, round, &self.claims, [n, most], |i| i);
        }
    }
}

/// Keeps of `n` winners the `most` with the smallest keys, and enters the others for the next round. `winner` is the
/// place of each in the list of winners.
#[inline(always)]
pub(crate) fn keep_first<B: Block>(
    b: B,
    t: &LimitTables,
    round: &Round,
    claims: &ClaimTables,
    [n, most]: [u32; 2],
    winner: impl Fn(u32) -> u32,
) {
    // Its key below the epoch; `None` if the cavity was refused.
    let key = |i: u32| {
        let i = winner(i);
        if round.winners.get(2 * i) == NONE {
            return None;
        }
        let record = round.winners.get(2 * i + 1);
        Some(claims.order_of(round.records.from(record)))
    };
    let winners = b.count(n, t.scratch, |i| key(i).is_some());
    if winners <= most {
        return;
    }
    b.lead(|| {
        t.found.set(1, 0);
        t.found.set(2, 0);
        t.found.set(3, most);
    });
    let mut pass = PASSES;
    while pass > 0 {
        pass -= 1;
        find_digit(b, t, n, pass * DIGIT_BITS, key);
    }
    // As many keys as wanted are below this one.
    let bound = t.prefix();
    b.phase(|p| {
        p.each(n, |i| {
            if key(i).is_some_and(|k| k >= bound) {
                let i = winner(i);
                round.enqueue(round.winners.get(2 * i));
                round.winners.set(2 * i, NONE);
            }
        });
        p.lead(|| round.count(Counter::Conflicts, winners - most));
    });
}

/// Finds the digit at bit `shift` of the first key that is too much.
#[inline(always)]
fn find_digit<B: Block>(
    b: B,
    t: &LimitTables,
    n: u32,
    shift: u32,
    key: impl Fn(u32) -> Option<u64>,
) {
    b.each(DIGITS, |i| t.counts.set(i, 0));
    let prefix = t.prefix();
    b.each(n, |i| {
        if let Some(key) = key(i).map(|k| k >> shift)
            && key >> DIGIT_BITS == prefix
        {
            t.counts.fetch_add(key as u32 % DIGITS, 1);
        }
    });
    let left = t.found.get(3);
    b.scan(t.counts, DIGITS, t.scratch);
    // The last digit below which there are no more than are left.
    b.each(DIGITS, |digit| {
        let before = t.counts.get(digit);
        let next = if digit + 1 < DIGITS {
            t.counts.get(digit + 1)
        } else {
            u32::MAX
        };
        if before <= left && next > left {
            let prefix = prefix << DIGIT_BITS | u64::from(digit);
            t.found.set(1, (prefix >> 32) as u32);
            t.found.set(2, prefix as u32);
            t.found.set(3, left - before);
        }
    });
}
