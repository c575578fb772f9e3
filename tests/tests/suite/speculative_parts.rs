//! The parts of the speculative patch engine, each by itself under contention: stash, tables of ribbons, queue, locks.
//! The oracles are the standard library's maps, and counts.

use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::mem::GlobalMut;
use rxmesh_speculative::kernels::table::{capacity, words_for};
use rxmesh_speculative::kernels::{
    EMPTY_SLOT, FillQueue, Locks, OVERFLOW, PatchQueue, RibbonEntry, STASH_SLOTS,
};
use rxmesh_test_kernels::exercise::{
    ExerciseLocks, ExerciseQueue, ExerciseStash, ExerciseTable, GUARDED, NONE, TABLE_STEPS,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::launch::Launch;
use std::collections::{HashMap, HashSet};

conformance! {
    tables, tables_that_overflow, tables_without_room, stashes, queues, small_queues, queue_without_room, locks,
    two_locks_in_opposite_orders, many_small_runs
}

/// Returns an engine with more concurrent blocks than processors, so that they are interrupted at any point.
fn crowd(engine: &Engine) -> Engine {
    if engine.name() == "cpu" {
        Engine::cpu_with_threads(6).expect("six threads")
    } else {
        engine.clone()
    }
}

/// Returns an amount of work: much on a GPU, little where threads are slow.
fn amount(engine: &Engine, on_gpu: u32, usual: u32, slow: u32, very_slow: u32) -> u32 {
    match () {
        () if engine.is_cuda() => on_gpu,
        () if is_very_slow(engine) => very_slow,
        () if is_slow(engine) => slow,
        () => usual,
    }
}

/// Pseudo-random numbers.
struct Random(u32);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        hash(self.0) % n
    }

    /// Returns `n` distinct numbers below `most`.
    fn distinct(&mut self, n: u32, most: u32) -> Vec<u32> {
        let mut all: Vec<u32> = (0..most).collect();
        for i in 0..n {
            let j = i + self.below(most - i);
            all.swap(i as usize, j as usize);
        }
        all.truncate(n as usize);
        all
    }
}

// Tables.

/// Entries that a block put into its table, and the results.
struct Filled {
    entries: Vec<RibbonEntry>,
    others: Vec<RibbonEntry>,
    steps: Vec<Vec<u32>>,
    table: Vec<u32>,
}

/// Runs blocks with `n` entries each on tables of `words` words, whose keys come from `key(block)`.
fn fill_tables(
    engine: &Engine,
    (n, words, blocks, shared): (u32, u32, u32, bool),
    keys: impl Fn(u32) -> Vec<u32>,
) -> Vec<Filled> {
    let mut entries = Vec::new();
    let mut others = Vec::new();
    for block in 0..blocks {
        let mut random = Random(block ^ n << 8);
        // Owners are different for different elements, as in a mesh: inverse look-ups have one answer.
        let homes = random.distinct(2 * n, 1 << 15);
        for (i, local) in keys(block).into_iter().enumerate() {
            let entry = |home: u32| RibbonEntry {
                local,
                slot: home % 64,
                at: home / 64 * 13,
            };
            entries.push(entry(homes[i]));
            others.push(entry(homes[i + n as usize]));
        }
    }
    let packed = |of: &[RibbonEntry]| of.iter().map(|e| e.pack()).collect::<Vec<u32>>();
    let (input, other) = (
        engine.upload(&packed(&entries)).unwrap(),
        engine.upload(&packed(&others)).unwrap(),
    );
    let tables = engine.zeroed::<u32>((blocks * words) as usize).unwrap();
    let out = engine
        .zeroed::<u32>((blocks * n * TABLE_STEPS) as usize)
        .unwrap();
    let kernel = ExerciseTable {
        n,
        words,
        shared: u32::from(shared),
        entries: input.global(),
        others: other.global(),
        tables: tables.global_mut(),
        out: out.global_mut(),
    };
    engine.launch_blocks(blocks, kernel).unwrap();
    let (out, tables) = (out.read().unwrap(), tables.read().unwrap());
    let part = |of: &[u32], i: u32, n: u32| of[(i * n) as usize..((i + 1) * n) as usize].to_vec();
    (0..blocks)
        .map(|block| Filled {
            entries: entries[(block * n) as usize..][..n as usize].to_vec(),
            others: others[(block * n) as usize..][..n as usize].to_vec(),
            steps: (0..TABLE_STEPS)
                .map(|step| part(&out, block * TABLE_STEPS + step, n))
                .collect(),
            table: part(&tables, block, words),
        })
        .collect()
}

/// Checks all properties of a table in which every entry was inserted.
fn check_full_service(filled: &Filled) {
    let oracle: HashMap<u32, u32> = filled.entries.iter().map(|e| (e.local, e.pack())).collect();
    let homes: HashMap<(u32, u32), u32> = filled
        .others
        .iter()
        .map(|e| ((e.slot, e.at), e.local))
        .collect();
    for (i, (entry, other)) in filled.entries.iter().zip(&filled.others).enumerate() {
        let odd = i % 2 == 1;
        let got = |step: usize| filled.steps[step][i];
        assert_eq!(got(0), 1, "{entry:?} is inserted");
        assert_eq!(got(1), oracle[&entry.local], "{entry:?} is found");
        assert_eq!(got(2), u32::from(odd), "{entry:?} is removed");
        let left = if odd { NONE } else { entry.pack() };
        assert_eq!(got(3), left, "{entry:?} after the removal");
        assert_eq!(got(4), if odd { 1 } else { NONE }, "{entry:?} comes again");
        assert_eq!(got(5), 1, "{entry:?} is replaced");
        assert_eq!(got(6), other.pack(), "{entry:?} has another home");
        let inverse = if i < 32 {
            homes[&(other.slot, other.at)]
        } else {
            NONE
        };
        assert_eq!(got(7), inverse, "{other:?} backwards");
    }
    let there: Vec<u32> = filled
        .table
        .iter()
        .filter_map(|&w| RibbonEntry::unpack(w).map(RibbonEntry::pack))
        .collect();
    assert_eq!(there.len(), filled.entries.len(), "each entry once");
    let want: HashSet<u32> = filled.others.iter().map(|e| e.pack()).collect();
    assert_eq!(there.into_iter().collect::<HashSet<_>>(), want);
}

/// At the load for which tables are made, and at lower ones, every entry finds a slot; random keys and, as in patches,
/// consecutive ones.
fn tables(engine: &Engine) {
    let engine = &crowd(engine);
    let most = amount(engine, 6000, 2000, 500, 100);
    let blocks = amount(engine, 400, 12, 3, 1);
    for n in [1, 2, 5, 12, 33, 100, 500, 2000, 6000] {
        if n > most {
            continue;
        }
        for shared in [true, false] {
            for (words, in_a_row) in [
                (words_for(n), false),
                (words_for(n), true),
                (words_for(2 * n), false),
            ] {
                let keys = |block: u32| {
                    let mut random = Random(block ^ n);
                    let (first, random) = (random.below(8191 - n + 1), random.distinct(n, 8191));
                    if in_a_row {
                        (first..first + n).collect()
                    } else {
                        random
                    }
                };
                let blocks = if n > 1000 { blocks.min(132) } else { blocks };
                for filled in fill_tables(engine, (n, words, blocks, shared), keys) {
                    check_full_service(&filled);
                }
            }
        }
    }
}

/// More entries than hashed words, by the size of the overflow area: most tables hold all of them, and those have all
/// properties of a table.
fn tables_that_overflow(engine: &Engine) {
    let engine = &crowd(engine);
    let blocks = amount(engine, 400, 40, 10, 2);
    let hashed = capacity(40);
    let n = hashed + OVERFLOW / 2;
    let mut whole = 0;
    for shared in [true, false] {
        let keys = |block: u32| Random(block ^ 77).distinct(n, 8191);
        for filled in fill_tables(engine, (n, hashed + OVERFLOW, blocks, shared), keys) {
            let in_overflow = |words: &[u32]| {
                let words = &words[hashed as usize..];
                words
                    .iter()
                    .filter(|&&w| RibbonEntry::unpack(w).is_some())
                    .count()
            };
            if filled.steps[0].iter().all(|&ok| ok == 1)
                && filled.steps[4].iter().all(|&ok| ok != 0)
            {
                assert!(in_overflow(&filled.table) >= (OVERFLOW / 2) as usize);
                check_full_service(&filled);
                whole += 1;
            }
        }
    }
    assert!(whole > 0, "no table took all entries");
}

/// Without capacity, an insertion reports each entry that is missing, and the others are present, each once.
fn tables_without_room(engine: &Engine) {
    let engine = &crowd(engine);
    let blocks = amount(engine, 400, 12, 4, 1);
    for n in [8, 64, 300] {
        let words = n + OVERFLOW;
        for (entries, shared) in [
            (n + OVERFLOW + 1, true),
            (n + OVERFLOW + 20, false),
            (2 * n + OVERFLOW, true),
        ] {
            let keys = |block: u32| Random(block ^ 5).distinct(entries, 8191);
            for filled in fill_tables(engine, (entries, words, blocks, shared), keys) {
                let refused = filled.steps[0].iter().filter(|&&ok| ok == 0).count();
                let missing = filled.steps[1].iter().filter(|&&w| w == NONE).count();
                assert!(refused >= (entries - words) as usize, "{refused} refused");
                assert_eq!(refused, missing, "refusals and missing entries");
                for (entry, &found) in filled.entries.iter().zip(&filled.steps[1]) {
                    assert!(found == NONE || found == entry.pack(), "{entry:?}");
                }
            }
        }
    }
}

// Stashes.

fn stashes(engine: &Engine) {
    let engine = &crowd(engine);
    let blocks = amount(engine, 1000, 60, 20, 4);
    let n = 300;
    // The last kind has more patches than slots.
    for (patches, shared) in [
        (1, true),
        (5, false),
        (40, true),
        (64, false),
        (64, true),
        (90, true),
        (90, false),
    ] {
        let lists: Vec<u32> = (0..blocks)
            .flat_map(|block| {
                let mut random = Random(block ^ patches << 20);
                let numbers: Vec<u32> = random
                    .distinct(patches, 5000)
                    .iter()
                    .map(|p| p * 800_000)
                    .collect();
                (0..n).map(move |i| match i < patches {
                    true => numbers[i as usize],
                    false => numbers[random.below(patches) as usize],
                })
            })
            .collect();
        let input = engine.upload(&lists).unwrap();
        let stash = engine
            .zeroed::<u32>((blocks * STASH_SLOTS) as usize)
            .unwrap();
        let out = engine
            .zeroed::<u32>((blocks * (3 * n + 3)) as usize)
            .unwrap();
        let kernel = ExerciseStash {
            n,
            shared: u32::from(shared),
            patches: input.global(),
            stashes: stash.global_mut(),
            out: out.global_mut(),
        };
        engine.launch_blocks(blocks, kernel).unwrap();
        let (out, stash) = (out.read().unwrap(), stash.read().unwrap());
        for block in 0..blocks as usize {
            let m = n as usize;
            let list = &lists[block * m..][..m];
            let out = &out[block * (3 * m + 3)..][..3 * m + 3];
            let after = &stash[block * STASH_SLOTS as usize..][..STASH_SLOTS as usize];
            check_stash(list, out, after, patches);
        }
    }
}

/// Checks a stash's results on insertions, after every other slot was emptied, and on further insertions.
fn check_stash(list: &[u32], out: &[u32], after: &[u32], patches: u32) {
    let n = list.len();
    // One slot per patch, one patch per slot, for every thread.
    let one_to_one = |slots: &[u32]| {
        let mut of: HashMap<u32, u32> = HashMap::new();
        for (&patch, &slot) in list.iter().zip(slots) {
            assert_eq!(*of.entry(patch).or_insert(slot), slot, "slots of {patch}");
        }
        let used: Vec<u32> = of.values().copied().filter(|&s| s != NONE).collect();
        assert!(used.iter().all(|&s| s < STASH_SLOTS));
        assert_eq!(used.iter().collect::<HashSet<_>>().len(), used.len());
        assert_eq!(
            used.len() as u32,
            patches.min(STASH_SLOTS),
            "patches that have a slot"
        );
        of
    };
    let first = one_to_one(&out[..n]);
    assert_eq!(out[3 * n], patches.min(STASH_SLOTS));
    for (patch, &slot) in list.iter().zip(&out[n..2 * n]) {
        let stays = first[patch] != NONE && first[patch] % 2 == 0;
        assert_eq!(slot, if stays { first[patch] } else { NONE }, "{patch}");
    }
    assert_eq!(out[3 * n + 1], patches.min(STASH_SLOTS).div_ceil(2));
    let second = one_to_one(&out[2 * n..3 * n]);
    assert_eq!(out[3 * n + 2], patches.min(STASH_SLOTS));
    for (patch, &slot) in &second {
        if first[patch] != NONE && first[patch] % 2 == 0 {
            assert_eq!(slot, first[patch], "{patch} keeps its slot");
        }
        if slot != NONE {
            assert_eq!(after[slot as usize], *patch);
        }
    }
    let held = after.iter().filter(|&&p| p != EMPTY_SLOT).count();
    assert_eq!(held as u32, patches.min(STASH_SLOTS));
}

// The queue.

/// Work queue with its memory.
struct QueueMemory {
    words: Buffer<u32>,
}

impl QueueMemory {
    /// Makes a queue of capacity `room` with the first `patches` in it.
    fn new(engine: &Engine, room: u32, patches: u32) -> QueueMemory {
        let words = engine
            .zeroed::<u32>(PatchQueue::words_for(room) as usize)
            .unwrap();
        let queue = QueueMemory { words };
        let fill = FillQueue::new(queue.view(), patches).expect("room for all");
        engine.launch_flat(fill.len(), fill).unwrap();
        queue
    }

    fn view(&self) -> PatchQueue {
        PatchQueue::new(self.words.global_mut())
    }

    /// Returns its length, read on the host.
    fn len(&self) -> u32 {
        let mut words = self.words.read().unwrap();
        // SAFETY: the words live until the end of this function, and nothing else uses them (contract U4).
        PatchQueue::new(unsafe { GlobalMut::new(words.as_mut_ptr(), words.len() as u32) }).len()
    }
}

/// Most launches until a queue is empty. One is enough if no block gives up.
const LAUNCHES: u32 = 10_000;

/// Takes each patch `times` times and returns it in between.
fn circulate(engine: &Engine, patches: u32, room: u32, times: u32, blocks: u32, by_thread: u32) {
    let queue = QueueMemory::new(engine, room, patches);
    assert_eq!(queue.len(), patches);
    let zeroed = |n: u32| engine.zeroed::<u32>(n.max(1) as usize).unwrap();
    let (taken, baton, errors) = (zeroed(patches), zeroed(patches), zeroed(3));
    let mut launches = 0;
    while queue.len() > 0 {
        assert!(launches < LAUNCHES, "{} patches are left", queue.len());
        let kernel = ExerciseQueue {
            times,
            steps: 40,
            by_thread,
            queue: queue.view(),
            taken: taken.global_mut(),
            baton: baton.global_mut(),
            errors: errors.global_mut(),
        };
        engine.launch_blocks(blocks, kernel).unwrap();
        launches += 1;
    }
    let what = format!("{patches} patches, room for {room}, {blocks} blocks");
    assert_eq!(errors.read().unwrap()[1..], [0, 0], "{what}");
    assert_eq!(
        taken.read().unwrap()[..patches as usize],
        vec![times; patches as usize],
        "{what}"
    );
    assert_eq!(
        baton.read().unwrap()[..patches as usize],
        vec![times; patches as usize],
        "{what}"
    );
}

fn queues(engine: &Engine) {
    let engine = &crowd(engine);
    let blocks = amount(engine, 1000, 24, 6, 2);
    let times = amount(engine, 40, 40, 10, 3);
    for (patches, room) in [(1000, 1024), (300, 300), (100, 1000), (64, 64)] {
        for by_thread in [0, amount(engine, 64, 4, 32, 32)] {
            circulate(engine, patches, room, times, blocks, by_thread);
        }
    }
}

/// Fewer patches than blocks, and so small a capacity that the slots are reused all the time: takers meet pushers at
/// every slot.
fn small_queues(engine: &Engine) {
    let engine = &crowd(engine);
    let blocks = amount(engine, 1000, 24, 6, 2);
    let times = amount(engine, 300, 200, 20, 4);
    for (patches, room) in [(0, 1), (1, 1), (1, 2), (2, 2), (3, 4), (4, 4), (5, 64)] {
        for by_thread in [0, amount(engine, 64, 4, 32, 32)] {
            circulate(engine, patches, room, times, blocks, by_thread);
        }
    }
}

/// A full queue reports that and loses nothing. On the host: only the answers matter.
fn queue_without_room(engine: &Engine) {
    for room in [1u32, 2, 3, 8, 50] {
        let queue = QueueMemory::new(engine, room, 0);
        assert!(FillQueue::new(queue.view(), room.max(2).next_power_of_two() + 1).is_none());
        let mut words = queue.words.read().unwrap();
        // SAFETY: as in `QueueMemory::len`.
        let queue =
            PatchQueue::new(unsafe { GlobalMut::new(words.as_mut_ptr(), words.len() as u32) });
        let room = queue.capacity();
        for round in 0..5 {
            assert_eq!(queue.pop(), None);
            assert!((0..room).all(|i| queue.push(round + 3 * i)));
            assert!(!queue.push(7), "{room} are in");
            assert_eq!(queue.len(), room);
            let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).collect();
            let want: Vec<u32> = (0..room).map(|i| round + 3 * i).collect();
            assert_eq!(order, want, "first in, first out");
        }
    }
}

// Locks.

/// Processes each item `times` times under the two of `locks` that it needs; returns the number of failed attempts.
fn work_under_locks(
    engine: &Engine,
    (items, locks, times, blocks, tries): (u32, u32, u32, u32, u32),
    wanted: impl Fn(u32) -> [u32; 2],
) -> u32 {
    let queue = QueueMemory::new(engine, items, items);
    let wanted: Vec<[u32; 2]> = (0..items).map(wanted).collect();
    let input = engine.upload::<u32>(wanted.as_flattened()).unwrap();
    let zeroed = |n: u32| engine.zeroed::<u32>(n as usize).unwrap();
    let (words, done, errors) = (zeroed(locks), zeroed(items), zeroed(4));
    let guarded = zeroed(locks * GUARDED);
    let mut launches = 0;
    while queue.len() > 0 {
        assert!(launches < LAUNCHES, "{} items are left", queue.len());
        let kernel = ExerciseLocks {
            times,
            steps: 50,
            first: launches * blocks,
            tries,
            queue: queue.view(),
            locks: Locks::new(words.global_mut()),
            wanted: input.global(),
            done: done.global_mut(),
            guarded: guarded.global_mut(),
            errors: errors.global_mut(),
        };
        // Blocks of a GPU that need the same locks and have one attempt can stay in lockstep for ever; alone, a block
        // finds no lock taken. The engine does the same.
        let crowd = blocks.checked_shr(launches / 64).unwrap_or(0).max(1);
        engine.launch_blocks(crowd, kernel).unwrap();
        launches += 1;
    }
    let what = format!("{items} items, {locks} locks, {blocks} blocks, {tries} tries");
    let errors = errors.read().unwrap();
    assert_eq!((errors[1], errors[3]), (0, 0), "{what}");
    assert_eq!(done.read().unwrap(), vec![times; items as usize], "{what}");
    let free = vec![0; locks as usize];
    assert_eq!(words.read().unwrap(), free, "every lock is free: {what}");
    let mut want = free;
    for [a, b] in wanted {
        want[a as usize] += times;
        want[b as usize] += if a == b { 0 } else { times };
    }
    for (i, &sum) in guarded.read().unwrap().iter().enumerate() {
        assert_eq!(sum, want[i / GUARDED as usize], "word {i}: {what}");
    }
    errors[2]
}

/// As in the engine: each patch needs its own lock and a neighbour's, near or far.
fn locks(engine: &Engine) {
    let engine = &crowd(engine);
    let blocks = amount(engine, 1000, 24, 6, 2);
    let times = amount(engine, 60, 60, 10, 2);
    for n in [3, 40, 500] {
        for tries in [1, 4, 12] {
            let sizes = (n, n, times, blocks, tries);
            work_under_locks(engine, sizes, |p| [p, (p + 1) % n]);
            work_under_locks(engine, sizes, |p| [p, hash(p ^ tries) % n]);
        }
    }
    // A block's own locks are always acquired.
    assert_eq!(
        work_under_locks(engine, (200, 200, times, blocks, 1), |p| [p, p]),
        0
    );
}

/// All need the same two locks, half of them in the opposite order: a deadlock, if any block waited.
fn two_locks_in_opposite_orders(engine: &Engine) {
    let engine = &crowd(engine);
    let blocks = amount(engine, 300, 24, 6, 2);
    let times = amount(engine, 40, 100, 20, 5);
    for tries in [1, 3, 10] {
        work_under_locks(engine, (blocks, 2, times, blocks, tries), |p| {
            [p % 2, 1 - p % 2]
        });
    }
}

/// Thousands of small runs of everything that blocks share, each with other numbers.
fn many_small_runs(engine: &Engine) {
    let engine = &crowd(engine);
    for seed in 0..amount(engine, 1000, 1000, 30, 4) {
        let mut random = Random(seed << 10);
        let patches = 1 + random.below(12);
        let blocks = 1 + random.below(16);
        let (times, tries) = (1 + random.below(12), 1 + random.below(6));
        let room = patches + random.below(5);
        circulate(engine, patches, room, times, blocks, random.below(3));
        let (locks, shift) = (1 + random.below(patches), random.below(patches));
        let sizes = (patches, locks, times, blocks, tries);
        work_under_locks(engine, sizes, |p| [p % locks, (p + shift) % locks]);
    }
}
