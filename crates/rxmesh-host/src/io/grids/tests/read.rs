//! Files as other programs write them, and what is wrong with files.

use super::goldens::*;
use super::*;
use std::fs;

#[test]
fn arrays_of_numpy() {
    for (text, kind) in [(NPY_F4, "F32"), (NPY_I2, "I16"), (NPY_U1, "U8")] {
        let LoadedGrid { grid, warnings, .. } = read("a.npy", &golden(text));
        assert_eq!(warnings, [""; 0]);
        assert_eq!(grid.counts, [2, 3, 4]);
        assert_eq!((grid.origin, grid.spacing), (DVec3::ZERO, DVec3::ONE));
        let column = grid.scalar(Some("values")).unwrap();
        assert_eq!(doubles(column), values());
        assert!(format!("{:?}", column.data).starts_with(kind));
    }
    // In C order: z is fastest in the file.
    let halves = read("a.npy", &golden(NPY_F2)).grid;
    let found = doubles(&halves.columns[0]);
    let tiny = 2f64.powi(-24);
    let of_file = [0.0, 1.0, -2.0, 65504.0, tiny, f64::INFINITY, -0.0, 0.333];
    for (i, want) in of_file.into_iter().enumerate() {
        let (x, y, z) = (i / 4, i / 2 % 2, i % 2);
        let got = found[x + 2 * (y + 2 * z)];
        assert!(got == want || (got - want).abs() < 2e-4, "{i}: {got}");
    }
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{\"shape\":{shape},\"fortran_order\" : True, 'descr':'{descr}'}}\n");
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], text.as_bytes(), data].concat()
}

#[test]
fn every_type_of_numpy() {
    let cases: [(&str, &[u8], f64); 20] = [
        ("|b1", &[1], 1.0),
        ("?", &[7], 1.0),
        ("|i1", &[0xFE], -2.0),
        ("|u1", &[0xFE], 254.0),
        ("<i2", &[0xFE, 0xFF], -2.0),
        (">i2", &[0xFF, 0xFE], -2.0),
        ("<u2", &[1, 2], 513.0),
        (">u2", &[1, 2], 258.0),
        ("<i4", &[0xFE, 0xFF, 0xFF, 0xFF], -2.0),
        (">u4", &[0, 0, 1, 2], 258.0),
        ("=u4", &[1, 0, 0, 0], 1.0),
        (
            "<i8",
            &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            -2.0,
        ),
        (">u8", &[0, 0, 0, 1, 0, 0, 0, 0], 4294967296.0),
        ("<f2", &[0x00, 0x3C], 1.0),
        (">f2", &[0xC0, 0x00], -2.0),
        ("<f4", &[0, 0, 0x80, 0x3F], 1.0),
        (">f4", &[0xC0, 0, 0, 0], -2.0),
        ("f4", &[0, 0, 0x80, 0x3F], 1.0),
        ("<f8", &[0, 0, 0, 0, 0, 0, 0xF0, 0x3F], 1.0),
        (">f8", &[0xC0, 0, 0, 0, 0, 0, 0, 0], -2.0),
    ];
    for (descr, data, want) in cases {
        let grid = read("a.npy", &npy(descr, "(1, 1L, 1)", data)).grid;
        assert_eq!(doubles(&grid.columns[0]), [want], "{descr}");
    }
}

#[test]
fn what_is_wrong_with_an_array_is_named() {
    for (bytes, want) in [
        (
            npy("<f4", "(2, 3)", &[0; 24]),
            "byte 0: the array has the shape (2, 3): a grid has 3",
        ),
        (
            npy("<f4", "(1, 2, 3, 1)", &[0; 24]),
            "the shape (1, 2, 3, 1)",
        ),
        (npy("<f4", "()", &[0; 4]), "the shape ()"),
        (
            npy("<f4", "(1, 2, 3)", &[0; 23]),
            "(1, 2, 3) has more numbers than the 23 bytes",
        ),
        (npy("<f4", "(0, 2, 3)", &[]), "0 x 2 x 3 points has none"),
        (npy("<f4", "(65536, 65536, 65536)", &[]), "too large"),
        (
            npy("<f4", "(99999999999999999999, 1, 1)", &[]),
            "a whole number expected",
        ),
        (npy("<f4", "(1, -2, 3)", &[]), "a whole number expected"),
        (npy("<c8", "(1, 1, 1)", &[0; 8]), "'<c8' are not read"),
        (npy("|O", "(1, 1, 1)", &[0; 8]), "'|O' are not read"),
        (npy("<u8", "(1, 1, 1)", &[0xFF; 8]), "more digits"),
        (b"\x93NUMPY\x04\0".to_vec(), "byte 6: version 4"),
    ] {
        let error = refused("a.npy", &bytes);
        assert!(
            error.starts_with("a.npy: ") && error.contains(want),
            "{want}: {error}"
        );
    }
    let fields = b"\x93NUMPY\x01\0\x1d\0{'descr': [('a', '<f4')], 'q'}";
    assert!(refused("a.npy", fields).contains("the array has fields"));
    let more = read("a.npy", &npy("|u1", "(1, 1, 1)", &[5, 6, 7]));
    assert_eq!(more.warnings, ["2 bytes after the array are not read"]);
}

#[test]
fn files_of_nrrd() {
    let raw = read("a.nrrd", &golden(NRRD_RAW)).grid;
    assert_eq!((raw.counts, raw.origin), ([2, 3, 4], dvec3(1.0, 2.0, 3.0)));
    assert_eq!(raw.spacing, dvec3(0.5, 1.0, 2.0));
    assert_eq!(doubles(&raw.columns[0]), values());
    let packed = read("a.nrrd", &golden(NRRD_GZIP)).grid;
    assert_eq!(
        (packed.origin, packed.spacing),
        (DVec3::ZERO, dvec3(0.5, 1.0, 2.0))
    );
    assert_eq!(doubles(&packed.columns[0]), values());
    assert!(matches!(packed.columns[0].data, ColumnData::I16(_)));
    let text = read("a.nrrd", &golden(NRRD_ASCII)).grid;
    let quarter: Vec<f64> = values().iter().map(|x| x + 0.25).collect();
    assert_eq!(doubles(&text.columns[0]), quarter);
    assert_eq!(text.columns[0].name, "values");
}

fn nrrd(fields: &str, data: &str) -> Vec<u8> {
    let head = "NRRD0005\n# a comment\nkey:=value\ntype: unsigned char\nencoding: txt\n";
    format!("{head}{fields}\n{data}").into_bytes()
}

#[test]
fn fields_of_nrrd() {
    let of = |fields: &str, data: &str| read("a.nrrd", &nrrd(fields, data)).grid;
    let small = of("dimension: 3\r\nsizes: 2 1 1\r\n\r", "1, 2\n");
    assert_eq!(doubles(&small.columns[0]), [1.0, 2.0]);
    let ends = of(
        "dimension: 3\nsizes: 2 3 1\naxis mins: 1 2 NaN\naxismaxs: 3 5 nan\ncenters: node cell ???\n",
        "1 2 3 4 5 6",
    );
    assert_eq!(ends.origin, dvec3(1.0, 2.5, 0.0));
    assert_eq!(ends.spacing, dvec3(2.0, 1.0, 1.0));
    let first = of(
        "dimension: 4\nsizes: 2 1 1 3\nkinds: vector domain domain domain\n",
        "1 2 3 4 5 6",
    );
    assert_eq!((first.counts, first.columns[0].width), ([1, 1, 3], 2));
    assert_eq!(doubles(&first.columns[0]), [1., 2., 3., 4., 5., 6.]);
    let last = of(
        "dimension: 4\nsizes: 3 1 1 2\nspace directions: (1,0,0) (0,1,0) (0,0,1) none\n",
        "1 2 3 4 5 6",
    );
    assert_eq!((last.counts, last.columns[0].width), ([3, 1, 1], 2));
    assert_eq!(doubles(&last.columns[0]), [1., 4., 2., 5., 3., 6.]);
    let hex = b"NRRD0001\ntype: short\ndimension: 3\nsizes: 2 1 1\nencoding: hex\nendian: big\n\n0001 FFfe\n";
    assert_eq!(doubles(&read("a.nrrd", hex).grid.columns[0]), [1.0, -2.0]);
    let skip = b"NRRD0001\ntype: char\ndimension: 3\n";
    assert!(refused("a.nrrd", skip).contains("does not end"));
    let skip = b"NRRD0002\ntype: uint8\ndimension: 3\nsizes: 2 1 1\nencoding: raw\nline skip: 1\n\
        byte skip: 2\n\nab\ncd\x01\x02";
    assert_eq!(doubles(&read("a.nrrd", skip).grid.columns[0]), [1.0, 2.0]);
    let end = b"NRRD0002\ntype: uint8\ndimension: 3\nsizes: 2 1 1\nencoding: raw\nbyteskip: -1\n\nab\ncd\x01\x02";
    assert_eq!(doubles(&read("a.nrrd", end).grid.columns[0]), [1.0, 2.0]);
}

#[test]
fn what_is_wrong_with_nrrd_is_named() {
    for (fields, want) in [
        ("sizes: 1 1 1\n", "no field 'dimension'"),
        ("dimension: 3\n", "no field 'sizes'"),
        (
            "dimension: 3\nsizes: 1 1\n",
            "line 7: the field is '1 1', and must have 3 values",
        ),
        (
            "dimension: 2\nsizes: 1 1\n",
            "there are 2 axes, of 1 1 values",
        ),
        (
            "dimension: 99999\nsizes: 1 1\n",
            "line 6: an array of 99999 axes",
        ),
        ("dimension: 3\nsizes: 1 1 x\n", "'x' is no number"),
        ("dimension: 3\nsizes: 1 0 1\n", "has none"),
        ("dimension: 3\nsizes: 9999 9999 9999\n", "too large"),
        (
            "dimension: 3\nsizes: 999 999 999\n",
            "numbers expected in 3 characters",
        ),
        (
            "dimension: 3\nsizes: 2 1 1\n",
            "2 numbers expected, 1 are there",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\nsizes: 1 1 1\n",
            "line 8: the field 'sizes' is there twice",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\nwhat\n",
            "line 8: 'what' is no field",
        ),
        ("dimension: 3\nsizes: 1 1 1\nspacings: 1 -1 1\n", "positive"),
        (
            "dimension: 3\nsizes: 1 1 1\nkinds: RGB-color domain domain\n",
            "axis 0",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\nspace directions: (0,1,0) (1,0,0) (0,0,1)\n",
            "axis 0",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\nspace directions: (1,0,0) (0,1,0) (0,0,-1)\n",
            "axis 2",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\nspace directions: (1,0) (0,1)\n",
            "3 numbers",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\nspace origin: (1,inf,0)\n",
            "not finite",
        ),
        (
            "dimension: 4\nsizes: 5 1 1 5\n",
            "4 axes, of 5 1 1 5 values",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\ndata file: LIST\n",
            "'LIST' is not read",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\ndata file: a%03d.raw 1 2 1\n",
            "is not read",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\ndata file: ../a.raw\n",
            "is not read",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\ndata file: /etc/passwd\n",
            "is not read",
        ),
        (
            "dimension: 3\nsizes: 1 1 1\ndata file: no.raw\n",
            "is missing",
        ),
    ] {
        let error = refused("a.nrrd", &nrrd(fields, "12\n"));
        assert!(
            error.starts_with("a.nrrd: ") && error.contains(want),
            "{want}: {error}"
        );
    }
    let bzip = b"NRRD0001\ntype: int\ndimension: 3\nsizes: 1 1 1\nencoding: bzip2\n\n";
    assert!(refused("a.nrrd", bzip).contains("bzip2 are not read"));
    let block = b"NRRD0001\ntype: block\ndimension: 3\nsizes: 1 1 1\nencoding: raw\n\n";
    assert!(refused("a.nrrd", block).contains("line 2: the field is 'block'"));
    assert!(refused("a.nrrd", b"NRRD0009\n\n").contains("version '9'"));
}

#[test]
fn data_beside_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let head =
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 3 1 1\nencoding: raw\ndata file: a.raw\n";
    let path = folder.path().join("a.nhdr");
    fs::write(&path, head).unwrap();
    fs::write(folder.path().join("a.raw"), [1, 2, 3]).unwrap();
    let found = read_grid(&path, &GridReadOptions::default()).unwrap();
    assert_eq!(doubles(&found.grid.columns[0]), [1.0, 2.0, 3.0]);
    fs::write(folder.path().join("a.raw"), [1, 2]).unwrap();
    let error = read_grid(&path, &GridReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 6: of the data file") && error.contains("3 bytes"),
        "{error}"
    );
}

#[test]
fn images_of_vtk() {
    for text in [
        VTI_RAW,
        VTI_BASE64_BIG,
        VTI_ZLIB,
        VTI_LZ4,
        VTI_LZMA,
        VTI_BINARY,
    ] {
        let LoadedGrid { grid, warnings, .. } = read("a.vti", &golden(text));
        assert_eq!(warnings, [""; 0]);
        assert_eq!(
            (grid.counts, grid.origin),
            ([2, 3, 4], dvec3(1.0, 2.0, 3.0))
        );
        assert_eq!(grid.spacing, dvec3(0.5, 1.0, 2.0));
        // The one that programs show is the first.
        assert_eq!(grid.columns.len(), 2);
        assert_eq!(grid.columns[0].name, "sdf");
        assert_eq!(doubles(&grid.columns[0]), values());
        assert_eq!(
            (&grid.columns[1].name[..], grid.columns[1].width),
            ("vec", 3)
        );
        assert_eq!(doubles(&grid.columns[1])[3 * 23..], [1.0, 2.0, 3.0]);
    }
    let cells = read("a.vti", &golden(VTI_CELLS));
    assert!(cells.warnings[0].contains("centres of the cells"));
    assert_eq!(
        (cells.grid.counts, cells.grid.origin),
        ([1, 2, 3], dvec3(1.25, 2.5, 4.0))
    );
    assert_eq!(
        doubles(cells.grid.scalar(None).unwrap()),
        [0., 10., 1., 11., 2., 12.]
    );
}

/// Returns an image of 3 x 2 x 1 points.
fn image(pieces: &str) -> String {
    format!(
        "<VTKFile type=\"ImageData\">\n<ImageData WholeExtent=\"4 6 0 1 0 0\" Origin=\"1 2 3\" \
            Spacing=\"2 1 1\">\n{pieces}</ImageData>\n</VTKFile>\n"
    )
}

fn piece(extent: &str, section: &str, values: &str) -> String {
    format!(
        "<Piece Extent=\"{extent}\">\n<{section}><DataArray type=\"Int32\" Name=\"a b\">{values}</DataArray>\
            </{section}></Piece>\n"
    )
}

#[test]
fn pieces_of_images() {
    let left = piece("4 5 0 1 0 0", "PointData", "1 2 4 5");
    let right = piece("5 6 0 1 0 0", "PointData", "2 3 5 6");
    let LoadedGrid { grid, warnings, .. } =
        read("a.vti", image(&(left.clone() + &right)).as_bytes());
    assert_eq!(warnings, [""; 0]);
    assert_eq!(
        (grid.counts, grid.origin),
        ([3, 2, 1], dvec3(9.0, 2.0, 3.0))
    );
    assert_eq!(
        doubles(grid.scalar(Some("a b")).unwrap()),
        [1., 2., 3., 4., 5., 6.]
    );
    let empty = piece("4 3 0 1 0 0", "PointData", "");
    read("a.vti", image(&(empty + &left + &right)).as_bytes());
    let other = right.replace("a b", "c");
    let mixed = read("a.vti", image(&(left.clone() + &other)).as_bytes());
    assert!(mixed.warnings[0].contains("'a b'") && mixed.grid.columns.is_empty());
    let error = refused("a.vti", image(&left).as_bytes());
    assert!(
        error.contains("line 2: the pieces have 4 of the 6 points"),
        "{error}"
    );
    let twice = refused("a.vti", image(&(left.clone() + &left)).as_bytes());
    assert!(
        twice.contains("the pieces have 4 of the 6 points"),
        "{twice}"
    );
    let beyond = piece("5 7 0 1 0 0", "PointData", "2 3 5 6 7 8");
    let error = refused("a.vti", image(&(left + &beyond)).as_bytes());
    assert!(error.contains("not in 'WholeExtent'"), "{error}");
    let cells = piece("4 6 0 1 0 0", "CellData", "1 2");
    let cells = read("a.vti", image(&cells).as_bytes()).grid;
    assert_eq!(
        (cells.counts, cells.origin),
        ([2, 1, 1], dvec3(10.0, 2.5, 3.0))
    );
}

#[test]
fn what_is_wrong_with_an_image_is_named() {
    let good = image(&piece("4 6 0 1 0 0", "PointData", "1 2 3 4 5 6"));
    read("a.vti", good.as_bytes());
    for (from, to, want) in [
        (
            "ImageData\"",
            "PolyData\"",
            "line 1: files of 'PolyData' are not read",
        ),
        (
            "WholeExtent",
            "Whole",
            "line 2: an image without 'WholeExtent'",
        ),
        ("4 6 0 1 0 0", "4 6 0 1 0", "must be six whole numbers"),
        ("4 6 0 1 0 0", "4 3 0 1 0 0", "has none"),
        ("4 6 0 1 0 0", "0 9999999 0 9999999 0 1", "too large"),
        (
            "4 6 0 1 0 0",
            "0 999 0 999 0 99",
            "the pieces have 6 of the 100000000 points",
        ),
        ("\"2 1 1\"", "\"2 1\"", "'Spacing' must be 3 numbers"),
        ("\"2 1 1\"", "\"2 -1 1\"", "positive"),
        ("\"1 2 3\"", "\"1 nan 3\"", "not finite"),
        (
            "Origin",
            "Direction=\"0 1 0 1 0 0 0 0 1\" Origin",
            "'Direction' is '0 1 0",
        ),
        (
            "1 2 3 4 5 6",
            "1 2 3 4 5",
            "line 4: array 'a b': 6 numbers expected in 9",
        ),
        (
            "1 2 3 4 5 6",
            "1 2 3 4 5 6 7",
            "line 4: array 'a b' has more than 6",
        ),
        ("1 2 3 4 5 6", "1 2 3 4 5 x", "line 4: 'x'"),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let error = refused("a.vti", text.as_bytes());
        assert!(
            error.starts_with("a.vti: ") && error.contains(want),
            "{want}: {error}"
        );
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn names_and_content_of_formats() {
    assert_eq!(
        GridFormat::of_name(Path::new("a.VTI.gz")),
        Some(GridFormat::Vti)
    );
    assert_eq!(
        GridFormat::of_name(Path::new("a.nhdr")),
        Some(GridFormat::Nrrd)
    );
    assert_eq!(GridFormat::of_name(Path::new("a.obj")), None);
    assert_eq!(GridFormat::list(), "vti, npy and nrrd");
    let other = read("a.vti", &golden(NPY_F4));
    assert_eq!(other.format, GridFormat::Npy);
    assert!(other.warnings[0].contains("the name says VTI, the content is NPY"));
    assert_eq!(read("a", &golden(NRRD_RAW)).format, GridFormat::Nrrd);
    assert!(refused("a.obj", b"v 0 0 0\n").contains("formats of grids are vti, npy and nrrd"));
    assert!(refused("a.npy", b"").contains("empty"));
    assert!(refused("a.npy", b"v 0 0 0\n").contains("byte 0"));
}
