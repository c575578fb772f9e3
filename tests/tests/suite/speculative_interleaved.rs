//! Stash, tables and queue of the speculative patch engine over memory whose every access may yield to another thread:
//! interruptions between two accesses, which are rare on one processor otherwise, happen all the time here.

use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::mem::Words;
use rxmesh_speculative::kernels::{
    CuckooTable, FillQueue, OVERFLOW, PatchQueue, Queue, RibbonEntry, STASH_SLOTS, Stash,
};
use rxmesh_tests::extent::extent;
use rxmesh_tests::launch::Launch;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

thread_local! {
    static RANDOM: Cell<u32> = const { Cell::new(1) };
}

/// Returns a pseudo-random number below `n`, of this thread.
fn below(n: u32) -> u32 {
    RANDOM.with(|state| {
        let mut x = state.get();
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        state.set(x);
        x % n
    })
}

/// Words whose users interrupt each other.
#[derive(Clone, Copy)]
struct Restless<'a>(&'a [AtomicU32]);

impl Restless<'_> {
    fn at(&self, i: u32) -> &AtomicU32 {
        if below(3) == 0 {
            thread::yield_now();
        }
        &self.0[i as usize]
    }
}

impl Words for Restless<'_> {
    const SHARED: bool = false;
    fn len(self) -> u32 {
        self.0.len() as u32
    }
    fn get(self, i: u32) -> u32 {
        self.load(i)
    }
    fn set(self, i: u32, v: u32) {
        self.at(i).store(v, SeqCst);
    }
    fn load(self, i: u32) -> u32 {
        self.at(i).load(SeqCst)
    }
    fn compare_exchange(self, i: u32, old: u32, new: u32) -> u32 {
        match self.at(i).compare_exchange(old, new, SeqCst, SeqCst) {
            Ok(was) | Err(was) => was,
        }
    }
    fn swap(self, i: u32, v: u32) -> u32 {
        self.at(i).swap(v, SeqCst)
    }
    fn fetch_add(self, i: u32, v: u32) -> u32 {
        self.at(i).fetch_add(v, SeqCst)
    }
    fn fetch_or(self, i: u32, v: u32) -> u32 {
        self.at(i).fetch_or(v, SeqCst)
    }
    fn fetch_and(self, i: u32, v: u32) -> u32 {
        self.at(i).fetch_and(v, SeqCst)
    }
    fn fetch_min(self, i: u32, v: u32) -> u32 {
        self.at(i).fetch_min(v, SeqCst)
    }
    fn sort_alone(self, _n: u32) {
        unreachable!("nothing here is sorted");
    }
}

const THREADS: u32 = 4;

/// Runs `f(t)` concurrently on each of the threads.
fn together<R: Send>(seed: u32, f: impl Fn(u32) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|t| {
                let f = &f;
                scope.spawn(move || {
                    RANDOM.set((seed * THREADS + t).wrapping_mul(0x9e37_79b9) | 1);
                    f(t)
                })
            })
            .collect();
        let ended = threads.into_iter().map(|t| t.join());
        ended.map(|r| r.expect("no panic")).collect()
    })
}

fn memory(n: u32) -> Vec<AtomicU32> {
    (0..n).map(|_| AtomicU32::new(u32::MAX)).collect()
}

#[test]
fn a_stash_gives_a_patch_one_slot() {
    for seed in 0..extent(100, 400) {
        let words = memory(STASH_SLOTS);
        let stash = Stash(Restless(&words));
        // Some slots are taken and some in between are free again.
        (0..20).for_each(|p| _ = stash.insert(1000 + p));
        (0..20).step_by(3).for_each(|slot| stash.remove(slot));
        let patches = 1 + seed % 50;
        let slots = together(seed, |t| {
            let slot = |k: u32| {
                let patch = (k * 7 + t) % patches;
                (patch, stash.insert(patch).expect("room for all"))
            };
            (0..patches).map(slot).collect::<Vec<_>>()
        });
        let mut of = HashMap::new();
        for (patch, slot) in slots.into_iter().flatten() {
            assert_eq!(*of.entry(patch).or_insert(slot), slot, "patch {patch}");
            assert_eq!(stash.get(slot), patch);
        }
        let mut held: Vec<u32> = (0..STASH_SLOTS).map(|slot| stash.get(slot)).collect();
        held.retain(|&p| p != u32::MAX);
        assert_eq!(held.iter().collect::<HashSet<_>>().len(), held.len());
        assert_eq!(held.len(), 13 + of.len());
        assert_eq!(stash.count() as usize, held.len());
    }
}

#[test]
fn a_table_misses_as_many_entries_as_it_refuses() {
    for seed in 0..extent(150, 600) {
        let hashed = 4 * (1 + seed % 8);
        let words = memory(hashed + OVERFLOW);
        let table = CuckooTable::new(Restless(&words));
        // From the usual load to more than the capacity.
        let n = match seed % 3 {
            0 => hashed * 4 / 5,
            1 => hashed + OVERFLOW / 2,
            _ => hashed + OVERFLOW + 8,
        };
        let entry = |i: u32| RibbonEntry {
            local: (seed * 97 + i * 5) % 8191,
            slot: i % 64,
            at: i,
        };
        let mine = |t: u32| (t..n).step_by(THREADS as usize);
        let refused: usize = together(seed, |t| {
            mine(t).filter(|&i| !table.insert(entry(i))).count()
        })
        .into_iter()
        .sum();
        let there: Vec<RibbonEntry> = (0..table.len()).filter_map(|i| table.entry(i)).collect();
        assert_eq!(there.len() + refused, n as usize, "seed {seed}");
        let found = (0..n)
            .filter(|&i| table.find(entry(i).local) == Some(entry(i)))
            .count();
        assert_eq!(
            found,
            there.len(),
            "each is found, and there once: seed {seed}"
        );
        if n < hashed {
            assert_eq!(refused, 0, "seed {seed}");
        }
        // Each key by two threads: one of them removes it.
        let removed: usize = together(seed, |t| {
            (t / 2..n)
                .step_by(2)
                .filter(|&i| table.remove(entry(i).local))
                .count()
        })
        .into_iter()
        .sum();
        assert_eq!(removed, there.len(), "seed {seed}");
        assert!((0..table.len()).all(|i| table.entry(i).is_none()));
    }
}

/// Takes each of `patches` patches `times` times from a queue of capacity `room`, and returns it in between; returns
/// the tickets that it took.
fn circulate(engine: &Engine, seed: u32, (room, patches, times): (u32, u32, u32)) -> u32 {
    let fresh = engine
        .zeroed::<u32>(PatchQueue::words_for(room) as usize)
        .unwrap();
    let fill = FillQueue::new(PatchQueue::new(fresh.global_mut()), patches).unwrap();
    engine.launch_flat(fill.len(), fill).unwrap();
    let words: Vec<AtomicU32> = fresh
        .read()
        .unwrap()
        .into_iter()
        .map(AtomicU32::new)
        .collect();
    let queue = Queue::new(Restless(&words));
    let taken = memory(patches);
    taken.iter().for_each(|t| t.store(0, SeqCst));
    let (held, most) = (AtomicU32::new(0), AtomicU32::new(0));
    let turn = |_: u32| {
        let mut in_vain = 0;
        while in_vain < 50 {
            let Some(patch) = queue.pop() else {
                in_vain += 1;
                continue;
            };
            most.fetch_max(held.fetch_add(1, SeqCst) + 1, SeqCst);
            let before = taken[patch as usize].fetch_add(1, SeqCst);
            held.fetch_sub(1, SeqCst);
            if before + 1 < times {
                assert!(queue.push(patch), "there is room: seed {seed}");
            }
        }
    };
    let mut turns = 0;
    while !queue.is_empty() || turns == 0 {
        together(seed + turns, turn);
        turns += 1;
        assert!(turns < 1000, "items stay in the queue: seed {seed}");
    }
    assert!(
        most.load(SeqCst) <= patches,
        "two had one patch: seed {seed}"
    );
    let taken: Vec<u32> = taken.iter().map(|t| t.load(SeqCst)).collect();
    assert_eq!(taken, vec![times; patches as usize], "seed {seed}");
    assert_eq!(queue.pop(), None);
    queue.tickets()
}

#[test]
fn a_queue_hands_out_what_it_got() {
    let engine = Engine::cpu_with_threads(1).unwrap();
    for seed in 0..extent(150, 600) {
        let (room, patches) = [(2, 1), (2, 2), (4, 3), (4, 4), (8, 3), (16, 16)][seed as usize % 6];
        circulate(&engine, seed, (room, patches, 12));
    }
}

/// A late item does not stay behind the takers: it would be found only after all slots of the queue have been visited.
#[test]
fn nothing_stays_behind_in_a_queue() {
    let engine = Engine::cpu_with_threads(1).unwrap();
    for seed in 0..100 {
        let (patches, times) = (3, 60);
        let tickets = circulate(&engine, seed, (1 << 12, patches, times));
        assert!(
            tickets < 4 * patches * times,
            "{tickets} tickets: seed {seed}"
        );
    }
}
