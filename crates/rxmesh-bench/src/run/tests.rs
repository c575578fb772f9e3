//! Tests of the flags of a run.

use super::*;

/// Returns the arguments of a command line.
pub(crate) fn arguments(line: &[&str]) -> RunArguments {
    RunArguments::parsed(line).expect("arguments of the bench")
}

/// Measures a subject's rows on the CPU with one sample each, none of which may fail.
pub(crate) fn measured<S: Subject>(line: &[&str]) -> Result<BenchRecord> {
    let few = [
        "--engine", "cpu", "--repeat", "1", "--budget", "0", "--batch", "1",
    ];
    let (mut records, failed) = measure::<S>(&arguments(&[&few, line].concat()))?;
    ensure!(failed.is_empty(), "{failed:?}");
    Ok(records.remove(0))
}

#[test]
fn other_methods_are_measured_on_request_beside_the_rows_they_are_compared_with() -> Result<()> {
    let names = |line: &[&str]| -> Result<Vec<&str>> {
        let rows = arguments(line).rows::<Triangles>(Triangles::is_default)?;
        Ok(rows.iter().map(|row| row.name).collect())
    };
    let default = names(&[])?;
    assert!(default.contains(&"ve-sorted") && default.contains(&"delaunay"));
    let on_request = |name: &&str| name.contains("-directed") || name.contains("-patches-");
    assert!(!default.iter().any(on_request));
    let rivals = names(&["--rivals"])?;
    for name in [
        "vv",
        "ef-shuffled",
        "bytes",
        "normals-gather",
        "geodesic",
        "vv-directed",
        "ef-directed-faces-sorted",
        "normals-matrix",
        "vv-patches-256",
        "bytes-patches-1024",
    ] {
        assert_eq!(rivals.iter().filter(|n| **n == name).count(), 1, "{name}");
    }
    assert!(!rivals.contains(&"delaunay") && !rivals.contains(&"vv-prepared"));
    Ok(())
}

#[test]
fn rows_are_asked_for_by_name_or_beginning() -> Result<()> {
    assert_eq!(
        names("VC, gather;springs,x"),
        ["VC, gather", "springs", "x"]
    );
    let count =
        |line: &[&str]| -> Result<usize> { Ok(arguments(line).rows::<Triangles>(|_| true)?.len()) };
    // One row has exactly this name, and others begin so.
    assert_eq!(count(&["--rows", "vv"])?, 1);
    assert!(count(&["--rows", "mcf-"])? > 1);
    assert!(count(&["--rows", "no such row"]).is_err());
    assert!(
        arguments(&["--jitter", "1", "--mesh", "a"])
            .check_others::<crate::volumes::TetMeshes>()
            .is_err()
    );
    Ok(())
}
