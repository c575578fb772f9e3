//! Helpers of the tests of pictures.

use rxmesh_picture::{Picture, PictureOptions};
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

pub(crate) fn small() -> PictureOptions {
    PictureOptions::default().with(|o| o.size = [200, 150])
}

pub(crate) fn decoded(png: &[u8]) -> Picture {
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = match info.color_type {
        png::ColorType::Rgba => bytes.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect(),
        _ => bytes.chunks(3).map(|c| [c[0], c[1], c[2], 255]).collect(),
    };
    Picture {
        width: info.width,
        height: info.height,
        pixels,
    }
}

/// Compares a picture with the file of its name. `RXMESH_WRITE_GOLDEN=1` writes the file.
pub(crate) fn compare(name: &str, picture: &Picture) {
    let file = |folder: &Path| folder.join(format!("{name}.png"));
    let golden = file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden"));
    if std::env::var_os("RXMESH_WRITE_GOLDEN").is_some() {
        fs::write(&golden, picture.to_png()).unwrap();
    }
    let want = fs::read(&golden).map(|png| decoded(&png));
    if want.as_ref().ok() == Some(picture) {
        return;
    }
    let seen: PathBuf = file(Path::new(env!("CARGO_TARGET_TMPDIR")));
    fs::write(&seen, picture.to_png()).unwrap();
    panic!("{} differs from {}", seen.display(), golden.display());
}
