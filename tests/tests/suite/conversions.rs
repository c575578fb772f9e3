//! Arrays of other libraries, of 32 and 64 bits and with gaps, become positions and corners as the host would convert
//! them.

use crate::construction::foreign;
use rxmesh_host::Vec3;
use rxmesh_host::engine::{Engine, Foreign};
use rxmesh_host::kernels::math::hash;
use rxmesh_host::parallel::convert::{ForeignRows, WrongCorner, widen_floats, widen_indices};
use rxmesh_tests::conformance;

conformance! {
    points_of_doubles, points_far_away_and_beyond_range, corners_of_longs, wrong_corners, gaps_and_turns, wide_numbers,
    other_arrays
}

/// Uploads numbers and describes them as rows of three that follow each other.
fn rows<T: bytemuck::Pod>(engine: &Engine, numbers: &[T], use_rows: impl FnOnce(ForeignRows)) {
    let buffer = engine.upload(numbers).unwrap();
    engine.synchronize().unwrap();
    let size = size_of::<T>();
    let array = Foreign {
        len: numbers.len() / 3,
        ..foreign(engine, &buffer)
    };
    use_rows(ForeignRows::new(array, size, [3 * size as isize, size as isize]).unwrap());
}

fn bits(points: &[Vec3]) -> Vec<[u32; 3]> {
    let of = |p: &Vec3| p.to_array().map(f32::to_bits);
    points.iter().map(of).collect()
}

/// Coordinates from -1 to 1 whose last digits 32 bits do not hold.
fn doubles(n: u32) -> Vec<f64> {
    let one = |i: u32| f64::from(hash(i)) / f64::from(u32::MAX) * 2.0 - 1.0;
    (0..3 * n).map(one).collect()
}

fn points_of_doubles(engine: &Engine) {
    for n in [33, 1500] {
        let numbers = doubles(n);
        let want: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
        let want = bits(bytemuck::cast_slice(&want));
        rows(engine, &numbers, |given| {
            // SAFETY: the array lives meanwhile, and nothing writes it.
            let got = unsafe { given.positions(engine) }.unwrap();
            assert_eq!(bits(&got.unwrap().read().unwrap()), want, "{n} points");
        });
    }
}

type Change<'a> = &'a dyn Fn(&mut Vec<f64>);

fn points_far_away_and_beyond_range(engine: &Engine) {
    let far = |numbers: &mut Vec<f64>| numbers.iter_mut().for_each(|x| *x += 5e5);
    let outlier = |numbers: &mut Vec<f64>| {
        numbers.iter_mut().for_each(|x| *x += 1e7);
        numbers[..3].fill(-1e7);
    };
    let large = |numbers: &mut Vec<f64>| numbers[100] = 1e300;
    let none = |numbers: &mut Vec<f64>| numbers[101] = f64::NAN;
    let minus_none = |numbers: &mut Vec<f64>| numbers[102] = -f64::NAN;
    let changes: [Change<'_>; 5] = [&far, &outlier, &large, &none, &minus_none];
    for (i, change) in changes.into_iter().enumerate() {
        let mut numbers = doubles(1500);
        change(&mut numbers);
        rows(engine, &numbers, |given| {
            // SAFETY: as above.
            let got = unsafe { given.positions(engine) }.unwrap();
            assert!(got.is_none(), "case {i}");
        });
    }
}

fn corners_of_longs(engine: &Engine) {
    let numbers: Vec<u32> = (0..3 * 700).map(|i| hash(i) % 500).collect();
    let want: Vec<[u32; 3]> = numbers.as_chunks().0.to_vec();
    let longs: Vec<i64> = numbers.iter().map(|&i| i64::from(i)).collect();
    let read = |given: ForeignRows| {
        // SAFETY: as above.
        let got = unsafe { given.corners(engine, 500) }.unwrap();
        assert_eq!(got.unwrap().read().unwrap(), want);
    };
    rows(engine, &longs, read);
    rows(engine, &numbers, read);
}

/// The first of several wrong numbers is found.
fn wrong_corners(engine: &Engine) {
    for wrong in [
        500,
        -1,
        i64::from(i32::MIN),
        1 << 32,
        (1 << 32) + 3,
        i64::MIN,
    ] {
        let mut numbers: Vec<i64> = (0..3 * 700).map(|i| i64::from(hash(i) % 500)).collect();
        for at in [3 * 613, 3 * 204 + 1, 2099] {
            numbers[at] = if at < 1000 { wrong } else { -5 };
        }
        rows(engine, &numbers, |given| {
            // SAFETY: as above.
            let got = unsafe { given.corners(engine, 500) }.unwrap();
            let value = [wrong as u32, (wrong >> 32) as u32];
            assert_eq!(got.unwrap_err(), WrongCorner { face: 204, value });
        });
    }
}

/// Columns one after the other, rows with gaps, and rows in the other order.
fn gaps_and_turns(engine: &Engine) {
    let (n, wide) = (41, 5);
    let numbers: Vec<f64> = doubles(n * 2)
        .into_iter()
        .take((n * wide) as usize)
        .collect();
    let buffer = engine.upload(&numbers).unwrap();
    engine.synchronize().unwrap();
    let whole = foreign(engine, &buffer);
    for (first, strides) in [
        (1, [wide as isize, 1]),
        (2, [1, n as isize]),
        ((n - 1) * wide + 2, [-(wide as isize), -1]),
        (7, [0, 1]),
    ] {
        let array = Foreign {
            address: whole.address + 8 * u64::from(first),
            len: n as usize,
            ..whole
        };
        let given = ForeignRows::new(array, 8, strides.map(|s| 8 * s)).unwrap();
        // SAFETY: as above.
        let got = unsafe { given.positions(engine) }.unwrap();
        if strides[0] == 0 {
            // One point, which has a place and no shape.
            assert!(got.is_none());
            continue;
        }
        let got = got.unwrap();
        let at = |row: isize, column: isize| {
            numbers[(first as isize + row * strides[0] + column * strides[1]) as usize] as f32
        };
        let want = (0..n as isize).map(|r| Vec3::new(at(r, 0), at(r, 1), at(r, 2)));
        assert_eq!(bits(&got.read().unwrap()), bits(&want.collect::<Vec<_>>()));
    }
}

fn wide_numbers(engine: &Engine) {
    let floats: Vec<f32> = (0..777)
        .map(|i| f32::from_bits(hash(i) & 0x7f00_ffff))
        .collect();
    let got = widen_floats(&engine.upload(&floats).unwrap()).unwrap();
    let want: Vec<f64> = floats.into_iter().map(f64::from).collect();
    assert_eq!(got.read().unwrap(), want);
    let numbers: Vec<u32> = (0..777).map(hash).collect();
    let got = widen_indices(&engine.upload(&numbers).unwrap()).unwrap();
    let want: Vec<u64> = numbers.into_iter().map(u64::from).collect();
    assert_eq!(got.read().unwrap(), want);
}

/// Arrays without rows, and arrays that kernels do not take.
fn other_arrays(engine: &Engine) {
    let numbers = engine.upload(&[0f64; 3]).unwrap();
    engine.synchronize().unwrap();
    let none = Foreign {
        len: 0,
        ..foreign(engine, &numbers)
    };
    let none = ForeignRows::new(none, 8, [24, 8]).unwrap();
    // SAFETY: as above.
    let got = unsafe { none.positions(engine) }.unwrap().unwrap();
    assert!(got.is_empty());
    let array = Foreign {
        address: 4096,
        len: 10,
        stream: 0,
    };
    assert!(ForeignRows::new(array, 8, [24, 8]).is_some());
    for (array, size, strides) in [
        (array, 2, [6, 2]),
        (array, 8, [26, 8]),
        (
            Foreign {
                address: 4098,
                ..array
            },
            4,
            [12, 4],
        ),
        (
            Foreign {
                len: 1 << 40,
                ..array
            },
            4,
            [12, 4],
        ),
        (array, 4, [1 << 40, 4]),
    ] {
        assert!(ForeignRows::new(array, size, strides).is_none());
    }
}
