//! Prefix sums over whole buffers.

use rxmesh_host::Error;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::parallel::scan::CHUNK;
use rxmesh_host::parallel::scan::exclusive;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;

conformance! { awkward_sizes, many_chunks, zeroes, a_total_that_just_fits, a_total_that_does_not_fit }

fn check(engine: &Engine, data: &[u32]) {
    let mut buffer = engine.upload(data).unwrap();
    let mut total = 0u64;
    let want: Vec<u32> = data
        .iter()
        .map(|&x| (total as u32, total += u64::from(x)).0)
        .collect();
    assert_eq!(
        u64::from(exclusive(engine, &mut buffer).unwrap()),
        total,
        "{} values",
        data.len()
    );
    assert_eq!(buffer.read().unwrap(), want, "{} values", data.len());
}

fn awkward_sizes(engine: &Engine) {
    let c = CHUNK as usize;
    for n in [
        0,
        1,
        2,
        31,
        32,
        33,
        63,
        64,
        65,
        255,
        256,
        257,
        1023,
        1024,
        1025,
        c - 1,
        c,
        c + 1,
        5000,
        3 * c + 5,
    ] {
        check(
            engine,
            &(0..n as u32).map(|i| hash(i) % 1000).collect::<Vec<_>>(),
        );
    }
}

/// More chunks than one block scans: the totals of the chunks are scanned in the same way.
fn many_chunks(engine: &Engine) {
    if !is_slow(engine) {
        let n = CHUNK * (CHUNK + 3) + 17;
        check(engine, &(0..n).map(|i| hash(i) % 100).collect::<Vec<_>>());
    }
}

fn zeroes(engine: &Engine) {
    check(engine, &vec![0; 3000]);
}

fn a_total_that_just_fits(engine: &Engine) {
    let mut data = vec![0; 2500];
    (data[7], data[2400]) = (u32::MAX - 10, 10);
    check(engine, &data);
}

fn a_total_that_does_not_fit(engine: &Engine) {
    let mut data = vec![1; 2500];
    data[3] = u32::MAX - 100;
    let mut buffer = engine.upload(&data).unwrap();
    let count = u64::from(u32::MAX) - 100 + 2499;
    match exclusive(engine, &mut buffer) {
        Err(Error::TooLarge {
            count: c, limit, ..
        }) => assert_eq!((c, limit), (count, u64::from(u32::MAX))),
        other => panic!("{other:?}"),
    }
    assert_eq!(buffer.read().unwrap(), data, "untouched");
}
