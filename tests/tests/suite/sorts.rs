//! Sorts inside a block, in shared memory and in global memory.

use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::math::hash;
use rxmesh_test_kernels::sorts::SortLists;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::launch::Launch;

conformance! { shared_memory, global_memory, sorted_and_turned_around }

/// Lengths around those of a warp, of the lists that it sorts by itself, and of the powers of two.
const LENGTHS: [u32; 34] = [
    5, 0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513,
    700, 1000, 1023, 1024, 1025, 1500, 2047, 2048, 2049, 3000, 4096, 5000,
];

/// Sorts lists of these lengths with a capacity of `room` words in shared memory.
fn check(engine: &Engine, room: u32, lengths: &[u32], word: impl Fn(u32, u32) -> u32) {
    let mut starts = vec![0];
    let mut words = Vec::new();
    for (list, &n) in (0..).zip(lengths) {
        words.extend((0..n).map(|i| word(list, i)));
        starts.push(words.len() as u32);
    }
    let (on_engine, ends) = (
        engine.upload(&words).unwrap(),
        engine.upload(&starts).unwrap(),
    );
    let kernel = SortLists {
        words: on_engine.global_mut(),
        starts: ends.global(),
        room,
    };
    engine.launch_blocks(lengths.len() as u32, kernel).unwrap();
    let sorted = on_engine.read().unwrap();
    for range in starts.windows(2).map(|w| w[0] as usize..w[1] as usize) {
        words[range.clone()].sort_unstable();
        assert!(
            sorted[range.clone()] == words[range.clone()],
            "{} words",
            range.len()
        );
    }
}

fn lengths(engine: &Engine) -> &'static [u32] {
    &LENGTHS[..suited(engine, [LENGTHS.len(), 24, 16])]
}

/// Returns words of all sizes, with few distinct ones, and the largest number, which marks the words beyond the end.
fn awkward(list: u32, i: u32) -> u32 {
    let h = hash(1000 * list + i);
    match h % 8 {
        0 => u32::MAX,
        1 | 2 => hash(h) % 10,
        _ => hash(h),
    }
}

fn shared_memory(engine: &Engine) {
    check(engine, 5000, lengths(engine), awkward);
}

fn global_memory(engine: &Engine) {
    check(engine, 64, lengths(engine), awkward);
}

fn sorted_and_turned_around(engine: &Engine) {
    check(engine, 5000, lengths(engine), |_, i| i / 2);
    check(engine, 5000, lengths(engine), |_, i| u32::MAX - i);
    check(engine, 5000, lengths(engine), |_, i| {
        if i % 2 == 0 { i } else { u32::MAX - i }
    });
    check(engine, 5000, lengths(engine), |_, _| 7);
}
