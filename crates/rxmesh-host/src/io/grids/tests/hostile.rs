//! Whatever the bytes of a file are: an answer, no panic, no memory that the file cannot fill.

use super::*;
use proptest::prelude::*;

fn survives(name: &str, bytes: &[u8]) {
    if let Ok(loaded) = read_grid_bytes(bytes, Path::new(name), &GridReadOptions::default()) {
        loaded.grid.validate().unwrap();
    }
}

#[test]
fn cut_files_are_refused() {
    for (name, bytes) in samples() {
        // The last number of a text, and the space and the end of the tag after the data, may lack their end.
        let slack = match () {
            _ if name.ends_with(".vti") => ">\n".len(),
            _ if bytes.ends_with(b"\n") => {
                bytes.len() - bytes.iter().rposition(|b| *b == b' ').unwrap()
            }
            _ => 0,
        };
        let end = bytes.len() - slack;
        for end in 0..end {
            let error = refused(name, &bytes[..end]);
            assert!(error.starts_with(&format!("{name}: ")), "{error}");
        }
        (end..bytes.len()).for_each(|end| survives(name, &bytes[..end]));
    }
}

#[test]
fn sizes_do_not_fill_memory() {
    let half = "z".repeat(8);
    let text = format!(
        "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"0 999 0 999 0 999\"><Piece><PointData>\
            <DataArray type=\"Float64\" format=\"binary\">{half}</DataArray></PointData></Piece></ImageData></VTKFile>"
    );
    let error = refused("a.vti", text.as_bytes());
    assert!(error.contains("array ''"), "{error}");
    let head = "NRRD0001\ntype: double\ndimension: 3\nsizes: 999 999 999\nencoding: gzip\n\n";
    let bytes = [head.as_bytes(), &gzip::pack(&[b"ab"])].concat();
    assert!(refused("a.nrrd", &bytes).contains("fill memory"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn changed_bytes_are_read_or_refused(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let all = samples();
        let (name, mut bytes) = all[which.index(all.len())].clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survives(name, &bytes);
    }
}
