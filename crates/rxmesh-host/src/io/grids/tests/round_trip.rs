//! Written and read again.

use super::*;

#[test]
fn images_keep_everything() {
    for encoding in [Encoding::Binary, Encoding::Ascii, Encoding::Base64] {
        for name in ["a.vti", "a.vti.gz"] {
            let (bytes, report) = written(name, &laden(), encoding);
            assert_eq!(report.bytes, bytes.len() as u64);
            assert_eq!(report.warnings, [""; 0]);
            let mut back = read(name, &bytes).grid;
            // The first column of one value a point is the one that programs show.
            assert_eq!(back.columns[0].name, "distance");
            back.columns[..2].swap(0, 1);
            assert_eq!(back, laden());
        }
    }
}

#[test]
fn arrays_and_rasters_keep_a_column() {
    for (name, encoding) in [
        ("a.npy", Encoding::Binary),
        ("a.npy.gz", Encoding::Binary),
        ("a.nrrd", Encoding::Binary),
        ("a.nrrd", Encoding::Ascii),
        ("a.nrrd.gz", Encoding::Ascii),
    ] {
        let (bytes, report) = written(name, &laden(), encoding);
        assert!(report.warnings[0].contains("holds one column, 'distance': velocity, a <name>"));
        let back = read(name, &bytes).grid;
        assert_eq!(back.columns.len(), 1);
        assert_eq!(back.columns[0].data, laden().columns[1].data);
        assert_eq!(back.counts, laden().counts);
        if report.format.holds_places() {
            assert_eq!(
                (back.origin, back.spacing),
                (laden().origin, laden().spacing)
            );
            assert_eq!(back.columns[0].name, "distance");
        }
    }
}

#[test]
fn every_type_comes_back() {
    let columns = [
        ColumnData::I8(vec![-3, 4]),
        ColumnData::U8(vec![3, 255]),
        ColumnData::I16(vec![-300, 4]),
        ColumnData::U16(vec![3, 65535]),
        ColumnData::I32(vec![-70000, 4]),
        ColumnData::U32(vec![3, u32::MAX]),
        ColumnData::F32(vec![f32::INFINITY, 0.1]),
        ColumnData::F64(vec![-1e300, 0.1]),
    ];
    for data in columns {
        let mut grid = Grid::new([1, 2, 1], DVec3::ZERO, DVec3::ONE).unwrap();
        grid.add_column(column("values", 1, data)).unwrap();
        for (name, encoding) in [
            ("a.vti", Encoding::Binary),
            ("a.vti", Encoding::Ascii),
            ("a.npy", Encoding::Binary),
            ("a.nrrd", Encoding::Binary),
            ("a.nrrd", Encoding::Ascii),
        ] {
            let bytes = written(name, &grid, encoding).0;
            assert_eq!(read(name, &bytes).grid, grid, "{name}");
        }
    }
}

#[test]
fn vectors_in_nrrd() {
    let mut grid = laden();
    grid.columns.truncate(1);
    for encoding in [Encoding::Binary, Encoding::Ascii] {
        assert_eq!(
            read("a.nrrd", &written("a.nrrd", &grid, encoding).0).grid,
            grid
        );
    }
    let options = GridWriteOptions::default();
    let error = write_grid_bytes(Path::new("a.npy"), &grid, &options)
        .unwrap_err()
        .to_string();
    assert!(error.contains("no column with one value"), "{error}");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let of = |name: &str, encoding| {
        let options = GridWriteOptions::default().with(|o| o.encoding = encoding);
        write_grid_bytes(Path::new(name), &laden(), &options)
            .unwrap_err()
            .to_string()
    };
    assert!(of("a.ply", Encoding::Binary).contains("formats of grids are vti, npy and nrrd"));
    assert!(of("a.nhdr", Encoding::Binary).contains("write .nrrd"));
    assert!(of("a.npy", Encoding::Ascii).contains("NPY has no text"));
    let mut grid = laden();
    grid.spacing.x = 0.0;
    let options = GridWriteOptions::default();
    let error = write_grid_bytes(Path::new("a.vti"), &grid, &options)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("a.vti: the spacing"), "{error}");
}

#[test]
fn a_file_is_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vti");
    let report = write_grid(&path, &laden(), &GridWriteOptions::default()).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), report.bytes);
    let back = read_grid(&path, &GridReadOptions::default()).unwrap();
    assert_eq!(back.grid.columns.len(), 3);
    let nowhere = folder.path().join("no").join("a.vti");
    write_grid(&nowhere, &laden(), &GridWriteOptions::default()).unwrap_err();
}
