//! Phases and collectives of blocks, through kernels of the suite's own. Those are in no PTX: on a GPU the collectives
//! are tested through their users (`scan.rs`, `reductions.rs`, `queries.rs`).

use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_host::kernels::kernel::BlockKernel;
use rxmesh_host::kernels::mem::{Bits, Global, GlobalMut, Plan, Shared};
use rxmesh_host::kernels::{entries, kernel, math};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::launch::Launch;

conformance! { each, phase, lead, scan, sum, min_and_max, count_and_any, compact, collectives_in_a_row, bits }

/// Critical numbers of items: around the width of a warp, of a chunk, of a block.
const SIZES: [u32; 14] = [
    0, 1, 2, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 2047, 5000,
];
const BLOCKS: u32 = 3;

kernel! {
    /// One test kernel with many programs: `what` chooses.
    struct Exercise: Block {
        /// Number of items per block.
        n: u32,
        /// Program.
        what: u32,
        /// `n` values per block.
        data: Global<u32>,
        /// `n + 2` results per block.
        out: GlobalMut<u32>,
        /// Four floats per block.
        floats: GlobalMut<f64>,
    }
}

entries! {
    EXERCISES;
    block exercise: Exercise;
}

#[derive(Clone, Copy)]
struct CollectiveTables {
    a: Shared<u32>,
    b: Shared<u32>,
    scratch: Shared<u32>,
    bits: Bits,
}

const EACH: u32 = 0;
const PHASE: u32 = 1;
const LEAD: u32 = 2;
const SCAN: u32 = 3;
const FLOATS: u32 = 4;
const COUNT: u32 = 5;
const COMPACT: u32 = 6;
const ROW: u32 = 7;
const BITS: u32 = 8;

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for Exercise {
    type Tables = CollectiveTables;

    fn carve(&mut self, plan: &mut Plan) -> CollectiveTables {
        let n = self.n + 2;
        CollectiveTables {
            a: plan.take(n),
            b: plan.take(n),
            scratch: plan.take(SCRATCH_WORDS),
            bits: Bits::take(plan, n),
        }
    }

    fn run<B: Block>(&self, b: B, block: u32, t: &CollectiveTables) {
        let n = self.n;
        let (data, out) = (self.data.from(block * n), self.out.from(block * (n + 2)));
        let floats = self.floats.from(4 * block);
        let odd = |i: u32| data.get(i) % 2 == 1;
        match self.what {
            EACH => {
                // Each phase reads values that other threads wrote in the previous one.
                b.each(n, |i| t.a.set(i, data.get(i)));
                for _ in 0..4 {
                    b.each(n, |i| t.b.set(i, t.a.get(n - 1 - i).wrapping_add(1)));
                    b.each(n, |i| t.a.set(i, t.b.get((i + 1) % n)));
                }
                b.last_phase(|p| p.each(n, |i| out.set(i, t.a.get(i))));
            }
            PHASE => {
                b.phase(|p| {
                    p.each(n, |i| t.a.set(i, 3 * data.get(i)));
                    p.each(n, |i| t.b.set(n - 1 - i, data.get(i)));
                    p.lead(|| t.a.set(n, 17));
                });
                b.last_phase(|p| {
                    p.each(n, |i| {
                        out.set(i, t.a.get(n - 1 - i) + t.b.get(i) + t.a.get(n))
                    })
                });
            }
            LEAD => {
                b.each(n, |i| t.a.set(i, data.get(i)));
                b.lead(|| (1..n).for_each(|i| t.a.set(i, t.a.get(i) ^ t.a.get(i - 1))));
                b.each(n, |i| out.set(i, t.a.get(i)));
                b.lead(|| out.set(n, if n > 0 { out.get(n - 1) } else { 0 }));
            }
            SCAN => {
                b.each(n, |i| t.a.set(i, data.get(i)));
                let total = b.scan(t.a, n, t.scratch);
                b.each(n, |i| out.set(i, t.a.get(i)));
                b.last_phase(|p| p.lead(|| out.set(n, total)));
            }
            FLOATS => {
                let x = |i: u32| f64::from(data.get(i)) - 500.0;
                let sum = b.sum(n, t.scratch, x);
                let least = b.min(n, t.scratch, x);
                let most = b.max(n, t.scratch, x);
                b.last_phase(|p| {
                    p.lead(|| {
                        [sum, least, most]
                            .iter()
                            .zip(0..)
                            .for_each(|(&v, k)| floats.set(k, v))
                    })
                });
            }
            COUNT => {
                let (count, any, none) = (
                    b.count(n, t.scratch, odd),
                    b.any(n, t.scratch, |i| i + 1 == n),
                    b.any(n, t.scratch, |_| false),
                );
                b.last_phase(|p| {
                    p.lead(|| {
                        out.set(0, count);
                        out.set(1, u32::from(any) + 2 * u32::from(none));
                    });
                });
            }
            COMPACT => {
                let n_out = b.compact(n, t.a, t.b, t.scratch, odd);
                b.last_phase(|p| {
                    p.each(n_out, |i| out.set(i, t.a.get(i)));
                    p.lead(|| out.set(n + 1, n_out));
                });
            }
            ROW => {
                // One after the other over the same scratch buffer, each depending on the previous one.
                b.each(n, |i| t.a.set(i, data.get(i) % 8));
                let total = b.scan(t.a, n, t.scratch);
                let count = b.count(n, t.scratch, |i| t.a.get(i) < total / 2);
                let sum = b.sum(n, t.scratch, |i| f64::from(t.a.get(i) / (count + 1)));
                b.each(n, |i| t.a.set(i, u32::from(i % 3 == 0)));
                let threes = b.scan(t.a, n, t.scratch);
                b.last_phase(|p| {
                    p.lead(|| {
                        out.set(0, total + threes);
                        out.set(1, count);
                        floats.set(0, sum);
                    });
                });
            }
            _ => {
                b.phase(|p| t.bits.clear(p));
                b.each(n, |i| _ = t.bits.insert(data.get(i) % n));
                b.each(n, |i| {
                    out.set(
                        i,
                        u32::from(t.bits.contains(i))
                            + 2 * u32::from(!t.bits.insert(data.get(i) % n)),
                    )
                });
            }
        }
    }
}

struct CollectiveResults {
    data: Vec<u32>,
    out: Vec<u32>,
    floats: Vec<f64>,
}

/// Runs a program on three blocks of `n` random items; passes each block's items and results to `check`.
fn exercise(engine: &Engine, what: u32, check: impl Fn(u32, CollectiveResults)) {
    if engine.is_cuda() {
        return;
    }
    let most = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 1025,
        _ => u32::MAX,
    };
    for n in SIZES.into_iter().filter(|&n| n <= most) {
        let data: Vec<u32> = (0..BLOCKS * n)
            .map(|i| math::hash(i ^ n << 16) % 1000)
            .collect();
        let (input, out) = (
            engine.upload(&data).unwrap(),
            engine.zeroed((BLOCKS * (n + 2)) as usize).unwrap(),
        );
        let floats = engine.zeroed(4 * BLOCKS as usize).unwrap();
        for _ in 0..3 {
            let kernel = Exercise {
                n,
                what,
                data: input.global(),
                out: out.global_mut(),
                floats: floats.global_mut(),
            };
            engine.launch_blocks(BLOCKS, kernel).unwrap();
            let (out, floats) = (out.read().unwrap(), floats.read().unwrap());
            for block in 0..BLOCKS as usize {
                let (n, m) = (n as usize, n as usize + 2);
                check(
                    n as u32,
                    CollectiveResults {
                        data: data[block * n..(block + 1) * n].to_vec(),
                        out: out[block * m..(block + 1) * m].to_vec(),
                        floats: floats[4 * block..4 * block + 4].to_vec(),
                    },
                );
            }
        }
    }
}

fn each(engine: &Engine) {
    exercise(engine, EACH, |n, o| {
        let n = n as usize;
        let mut want = o.data;
        for _ in 0..4 {
            want.reverse();
            want.iter_mut().for_each(|x| *x += 1);
            want.rotate_left(n.min(1));
        }
        assert_eq!(o.out[..n], want, "n = {n}");
    });
}

fn phase(engine: &Engine) {
    exercise(engine, PHASE, |n, o| {
        let n = n as usize;
        let want: Vec<u32> = (0..n).map(|i| 4 * o.data[n - 1 - i] + 17).collect();
        assert_eq!(o.out[..n], want, "n = {n}");
    });
}

fn lead(engine: &Engine) {
    exercise(engine, LEAD, |n, o| {
        let n = n as usize;
        let mut want = o.data;
        (1..n).for_each(|i| want[i] ^= want[i - 1]);
        assert_eq!(o.out[..n], want, "n = {n}");
        assert_eq!(o.out[n], want.last().copied().unwrap_or(0), "n = {n}");
    });
}

fn scan(engine: &Engine) {
    exercise(engine, SCAN, |n, o| {
        let n = n as usize;
        let want: Vec<u32> = (0..=n).map(|i| o.data[..i].iter().sum()).collect();
        assert_eq!(o.out[..=n], want, "n = {n}");
    });
}

fn sum(engine: &Engine) {
    exercise(engine, FLOATS, |n, o| {
        // Integers: exact in any order.
        assert_eq!(
            o.floats[0],
            o.data.iter().map(|&x| f64::from(x) - 500.0).sum::<f64>(),
            "n = {n}"
        );
    });
}

fn min_and_max(engine: &Engine) {
    exercise(engine, FLOATS, |n, o| {
        let x = || o.data.iter().map(|&x| f64::from(x) - 500.0);
        assert_eq!(o.floats[1], x().fold(f64::INFINITY, f64::min), "n = {n}");
        assert_eq!(
            o.floats[2],
            x().fold(f64::NEG_INFINITY, f64::max),
            "n = {n}"
        );
    });
}

fn count_and_any(engine: &Engine) {
    exercise(engine, COUNT, |n, o| {
        assert_eq!(
            o.out[0],
            o.data.iter().filter(|&x| x % 2 == 1).count() as u32,
            "n = {n}"
        );
        assert_eq!(o.out[1], u32::from(n > 0), "n = {n}");
    });
}

fn compact(engine: &Engine) {
    exercise(engine, COMPACT, |n, o| {
        let want: Vec<u32> = (0..n).filter(|&i| o.data[i as usize] % 2 == 1).collect();
        assert_eq!(o.out[n as usize + 1], want.len() as u32, "n = {n}");
        assert_eq!(o.out[..want.len()], want, "n = {n}");
    });
}

fn collectives_in_a_row(engine: &Engine) {
    exercise(engine, ROW, |n, o| {
        let mut total = 0;
        let before: Vec<u32> = o.data.iter().map(|x| (total, total += x % 8).0).collect();
        let count = before.iter().filter(|&&x| x < total / 2).count() as u32;
        let sum: f64 = before.iter().map(|x| f64::from(x / (count + 1))).sum();
        assert_eq!(
            (o.out[0], o.out[1]),
            (total + n.div_ceil(3), count),
            "n = {n}"
        );
        assert_eq!(o.floats[0], sum, "n = {n}");
    });
}

fn bits(engine: &Engine) {
    exercise(engine, BITS, |n, o| {
        let members: Vec<u32> = o.data.iter().map(|x| x % n).collect();
        let want: Vec<u32> = (0..n)
            .map(|i| 2 + u32::from(members.contains(&i)))
            .collect();
        assert_eq!(o.out[..n as usize], want, "n = {n}");
    });
}

/// A kernel that is in no PTX is an error on a GPU, not a crash.
#[test]
fn a_kernel_without_ptx_is_unknown_on_a_gpu() {
    rxmesh_tests::engines::run(rxmesh_tests::engines::Subject::Cuda, &|engine| {
        let (data, out, floats) = (
            engine.zeroed(4).unwrap(),
            engine.zeroed(6).unwrap(),
            engine.zeroed(4).unwrap(),
        );
        let kernel = Exercise {
            n: 4,
            what: EACH,
            data: data.global(),
            out: out.global_mut(),
            floats: floats.global_mut(),
        };
        assert_eq!(
            engine.launch_blocks(1, kernel),
            Err(EngineError::UnknownKernel("rx_exercise"))
        );
    });
    assert_eq!(EXERCISES[0].name, "rx_exercise");
}
