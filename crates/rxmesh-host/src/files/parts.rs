//! Large files, read in parts by several threads: most of the time the system makes pages for the bytes.

use crate::par::IntoLean;
use rayon::prelude::*;
use std::fs::File;
use std::io::{ErrorKind, Result};

/// Bytes that a task reads.
pub(super) const PART: usize = 1 << 20;

/// Reads the first `size` bytes of a file, or all of them if it has become shorter.
pub(super) fn read(file: &File, size: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; size];
    let parts = bytes.par_chunks_mut(PART).enumerate().lean();
    let read = |(number, part): (usize, &mut [u8])| fill(file, part, number * PART);
    let filled = parts.map(read).collect::<Result<Vec<usize>>>()?;
    // Without what lies after the first part that the file did not fill.
    let full = filled.iter().take_while(|n| **n == PART).count();
    let last = filled.get(full).copied().unwrap_or(0);
    bytes.truncate(full * PART + last);
    Ok(bytes)
}

/// Reads bytes from a place on. Returns their number, which is less than asked for at the end of the file.
fn fill(file: &File, part: &mut [u8], from: usize) -> Result<usize> {
    let mut done = 0;
    while done < part.len() {
        match read_at(file, &mut part[done..], (from + done) as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], from: u64) -> Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, from)
}

#[cfg(not(unix))]
fn read_at(_file: &File, _bytes: &mut [u8], _from: u64) -> Result<usize> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        for size in [0, 1, PART - 1, PART, PART + 1, 3 * PART, 5 * PART / 2] {
            let content: Vec<u8> = (0..size).map(|i| (i * 7 / 3) as u8).collect();
            std::fs::write(&path, &content).unwrap();
            let file = File::open(&path).unwrap();
            assert!(read(&file, size).unwrap() == content, "{size}");
            // It was longer when it was looked at.
            for more in [1, PART, 2 * PART + 5] {
                assert!(
                    read(&file, size + more).unwrap() == content,
                    "{size} + {more}"
                );
            }
            assert!(read(&file, size / 2).unwrap() == content[..size / 2]);
            assert!(crate::files::read(&path).unwrap() == content, "{size}");
        }
    }
}
