//! Grids whose steps pass values from block to block: in one launch if a GPU holds all blocks at a time, else in one
//! launch per step.

use rxmesh_host::engine::Engine;
use rxmesh_test_kernels::steps::HandOn;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{in_one_and_step_by_step, suited};
use rxmesh_tests::launch::Launch;

conformance! {
    values_cross_blocks, the_step_that_stops, one_block_goes_on_alone, more_blocks_than_a_gpu_has_room_for, no_steps
}

/// Returns the content of both halves after `steps` steps of `blocks` blocks of `n` items, of which one continues alone
/// from a step on.
fn naive(values: &[u32], n: usize, blocks: usize, steps: u32, alone: u32) -> Vec<u32> {
    let mut halves = values.to_vec();
    for step in 0..steps {
        let (first, second) = halves.split_at_mut(n * blocks);
        let (from, to) = if step.is_multiple_of(2) {
            (first, second)
        } else {
            (second, first)
        };
        let all = if step < alone { blocks } else { 1 };
        for block in 0..all {
            let (left, right) = ((block + blocks - 1) % blocks, (block + 1) % blocks);
            for i in 0..n {
                let mirrored = n - 1 - i;
                to[block * n + i] =
                    from[left * n + mirrored].wrapping_add(from[right * n + mirrored]);
            }
        }
    }
    halves
}

/// Launches `ranges` of steps one after the other; `done` of them have something to do.
fn check(engine: &Engine, size: (u32, u32), ranges: &[(u32, u32)], stop: u32, done: u32) {
    check_alone(engine, size, ranges, [stop, u32::MAX], done);
}

/// The same, where one block continues alone from a step on.
fn check_alone(
    engine: &Engine,
    (n, blocks): (u32, u32),
    ranges: &[(u32, u32)],
    [stop, alone]: [u32; 2],
    done: u32,
) {
    let count = 2 * n * blocks;
    let start: Vec<u32> = (0..count).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let values = engine.upload(&start).unwrap();
    let kernel = HandOn {
        n,
        blocks,
        stop,
        alone,
        values: values.global_mut(),
    };
    for &(first, end) in ranges {
        engine.launch_grid(blocks, first..end, kernel).unwrap();
    }
    let want = naive(&start, n as usize, blocks as usize, done, alone);
    assert!(
        values.read().unwrap() == want,
        "{blocks} blocks of {n} items, steps {ranges:?}, stop at {stop}, alone from {alone}"
    );
}

fn values_cross_blocks(engine: &Engine) {
    let sizes = [(1, 1), (7, 2), (64, 3), (100, 5), (33, 40), (70, 131)];
    let sizes = &sizes[..suited(engine, [6, 5, 3])];
    in_one_and_step_by_step(engine, || {
        for &size in sizes {
            for steps in [1, 2, 7, 20] {
                check(engine, size, &[(0, steps)], u32::MAX, steps);
            }
            check(engine, size, &[(0, 3), (3, 4), (4, 9)], u32::MAX, 9);
        }
    });
}

fn the_step_that_stops(engine: &Engine) {
    in_one_and_step_by_step(engine, || {
        check(engine, (40, 6), &[(0, 3)], 2, 3);
        check(engine, (40, 6), &[(0, 1)], 0, 1);
    });
    // Within a launch, where blocks wait for each other.
    if engine.has_room_for_grid(6, &grid(engine)).unwrap() {
        check(engine, (40, 6), &[(0, 10)], 3, 4);
        check(engine, (40, 6), &[(0, 100)], 0, 1);
    } else {
        panic!("six blocks have room on every engine");
    }
}

fn one_block_goes_on_alone(engine: &Engine) {
    in_one_and_step_by_step(engine, || {
        for (alone, stop) in [(0, 5), (1, 5), (4, 5), (5, 5), (3, u32::MAX)] {
            let done = stop.saturating_add(1).min(9);
            check_alone(engine, (70, 9), &[(0, 9)], [stop, alone], done);
        }
        check_alone(engine, (1, 1), &[(0, 4)], [u32::MAX, 2], 4);
        check_alone(engine, (33, 5), &[(0, 3), (3, 8)], [u32::MAX, 4], 8);
    });
}

fn grid(engine: &Engine) -> HandOn {
    HandOn {
        n: 40,
        blocks: 6,
        stop: 0,
        alone: u32::MAX,
        values: engine.zeroed(480).unwrap().global_mut(),
    }
}

fn more_blocks_than_a_gpu_has_room_for(engine: &Engine) {
    let blocks = suited(engine, [100_000, 300, 40]);
    let has_room = engine.has_room_for_grid(blocks, &grid(engine)).unwrap();
    assert_eq!(has_room, !engine.is_cuda());
    check(engine, (3, blocks), &[(0, 5)], u32::MAX, 5);
    engine.set_grid_limit(Some(5));
    let with_limit = [5, 6].map(|n| engine.has_room_for_grid(n, &grid(engine)).unwrap());
    engine.set_grid_limit(None);
    assert_eq!(with_limit, [true, false]);
}

fn no_steps(engine: &Engine) {
    check(engine, (4, 3), &[(0, 0), (5, 5)], u32::MAX, 0);
}
