//! Examples as a program runs them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns an example that cargo has built beside the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(file);
    assert!(
        path.is_file(),
        "{} is not built; `cargo test -p rxmesh` builds it",
        path.display()
    );
    path
}

/// Runs an example in a folder with the data that it reads, and returns its lines.
fn lines(name: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::copy(
        root.join("data/bunny.obj"),
        folder.path().join("data/bunny.obj"),
    )
    .unwrap();
    let out = Command::new(example(name))
        .current_dir(&folder)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{name}: {errors}");
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Returns the numbers in a line.
fn numbers(line: &str) -> Vec<f64> {
    line.split([' ', ',', ':'])
        .filter_map(|word| word.parse().ok())
        .collect()
}

#[test]
fn quickstart() {
    let lines = lines("quickstart");
    let [left, all] = numbers(&lines[0])[..] else {
        panic!("{lines:?}")
    };
    assert!((990.0..=1000.0).contains(&left), "{lines:?}");
    assert_eq!(all, 3674.0, "{lines:?}");
}

#[test]
fn device_arrays() {
    let lines = lines("device_arrays");
    let [mixed, all, sum] = numbers(&lines[0])[..] else {
        panic!("{lines:?}")
    };
    assert!(0.0 < mixed && mixed < all, "{lines:?}");
    // Means of neighbours keep that the parts of a colour add up to one.
    assert!((sum - all).abs() <= 1.0, "{lines:?}");
}

/// The icosahedron's edges are 1.05 long. Four levels halve them four times, and the ball makes them up to a quarter
/// longer.
#[test]
fn own_kernel() {
    let lines = lines("own_kernel");
    let [least, most] = numbers(&lines[0])[..] else {
        panic!("{lines:?}")
    };
    let shortest = 1.05 / 16.0;
    assert!(shortest < least && least < most, "{lines:?}");
    assert!(most < 1.26 * shortest, "{lines:?}");
}

/// Each split of a face makes two more. Normals rise by 30 degrees or more on a quarter of a ball, which has 320 faces.
#[test]
fn own_operator() {
    let lines = lines("own_operator");
    let [split, faces] = numbers(&lines[0])[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(faces, 320.0 + 2.0 * split, "{lines:?}");
    assert!((70.0..90.0).contains(&split), "{lines:?}");
}

/// A newcomer reads each on one screen.
#[test]
fn examples_are_short() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.lines().count() < 40, "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 4, "each has a test here");
}
