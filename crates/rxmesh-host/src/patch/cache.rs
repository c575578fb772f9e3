//! Patch sets on disk, so that a mesh is cut only once.
//!
//! A file is a head of 64-bit little-endian words, then the arrays, each padded to 8 bytes, then a checksum
//! of everything before it. The head holds a magic number, the format's version, the key, the
//! counts and the lengths of the arrays; the lengths must add up to the size of the file before
//! anything is allocated. The key is a hash of the mesh, the options and the version, so that a file can
//! neither be taken for another mesh's nor for another version's.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use rxmesh_kernels::topo::PatchHeader;
use twox_hash::XxHash3_128;

use super::{PatchError, PatchOptions, PatchSet, PatchStats, build};
use crate::files;

const MAGIC: u64 = u64::from_le_bytes(*b"rxpatch\0");
/// Version of the format and of the results of [`build`]: raise it whenever either changes.
const VERSION: u64 = 1;
const ARRAYS: usize = 8;
const HEAD_WORDS: usize = 4 + 3 + ARRAYS;
const HEADER_WORDS: usize = size_of::<PatchHeader>() / 4;

/// Key of the input that a patch set was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheKey(u128);

impl CacheKey {
    /// Computes the key of a mesh and options.
    pub fn new(vertex_count: usize, faces: &[[u32; 3]], options: &PatchOptions) -> Self {
        let mut hasher = XxHash3_128::with_seed(VERSION);
        for word in [
            vertex_count as u64,
            faces.len() as u64,
            options.patch_size.into(),
            options.seed,
            options.growth.to_bits().into(),
        ] {
            hasher.write(&word.to_le_bytes());
        }
        if cfg!(target_endian = "little") {
            hasher.write(cast_slice(faces));
        } else {
            faces
                .as_flattened()
                .iter()
                .for_each(|v| hasher.write(&v.to_le_bytes()));
        }
        Self(hasher.finish_128())
    }
}

impl std::fmt::Display for CacheKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Why a file gave no patch set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The file could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a patch set of this format version.
    #[error("the file is no patch set of format version {VERSION}")]
    Foreign,
    /// The file is the patch set of another mesh or of other options.
    #[error("the patch set was made from another mesh or with other options")]
    OtherKey,
    /// The file is cut short, too long, or damaged.
    #[error("the patch set is damaged")]
    Damaged,
}

/// Loads the patch set at `path`, or builds it and saves it there.
///
/// A defective file and a failure to save it are ignored: the result is always right.
///
/// # Errors
///
/// The errors of [`build`].
pub fn build_cached(
    path: &Path,
    vertex_count: usize,
    faces: &[[u32; 3]],
    options: &PatchOptions,
) -> Result<PatchSet, PatchError> {
    let key = CacheKey::new(vertex_count, faces, options);
    if let Ok(set) = PatchSet::load(path, key)
        && set.is_of(vertex_count, faces)
    {
        return Ok(set);
    }
    let set = build(vertex_count, faces, options)?;
    // A cache that cannot be written costs time, nothing else.
    let _ = set.save(path, key);
    Ok(set)
}

impl PatchSet {
    /// Saves the set, whole or not at all.
    ///
    /// # Errors
    ///
    /// Whatever the file system says; a symbolic link, or a file that is no patch set, at `path`.
    pub fn save(&self, path: &Path, key: CacheKey) -> Result<(), CacheError> {
        let magic = MAGIC.to_le_bytes();
        Ok(files::replace_own(path, &magic, |file| {
            self.write_to(file, key)
        })?)
    }

    fn write_to(&self, file: &mut File, key: CacheKey) -> io::Result<()> {
        let headers = header_words(&self.headers);
        let mut head = vec![MAGIC, VERSION, key.0 as u64, (key.0 >> 64) as u64];
        head.extend(self.counts.map(u64::from));
        head.extend([
            headers.len() as u64,
            self.topology.len() as u64,
            self.masks.len() as u64,
            self.ribbons.len() as u64,
            self.vertex_source.len() as u64,
            self.face_source.len() as u64,
            self.vertex_linear.len() as u64,
            self.face_linear.len() as u64,
        ]);
        head.push(self.linear_len[1].into());
        let mut out = HashedFile {
            file,
            hasher: XxHash3_128::new(),
        };
        out.put(&mut head)?;
        out.put(&mut headers.clone())?;
        out.put(&mut self.topology.clone())?;
        for array in [
            &self.masks,
            &self.ribbons,
            &self.vertex_source,
            &self.face_source,
            &self.vertex_linear,
            &self.face_linear,
        ] {
            out.put(&mut array.clone())?;
        }
        let sum = out.hasher.finish_128().to_le_bytes();
        out.file.write_all(&sum)
    }

    /// Loads a set that was saved under this key.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or differs from the one saved under this key.
    pub fn load(path: &Path, key: CacheKey) -> Result<Self, CacheError> {
        let file = crate::files::open(path)?;
        let size = file.metadata()?.len();
        let mut input = HashedFile {
            file,
            hasher: XxHash3_128::new(),
        };
        if size < 8 * (HEAD_WORDS as u64 + 1) + 16 {
            return Err(CacheError::Foreign);
        }
        let head: Vec<u64> = input.get(HEAD_WORDS + 1)?;
        if head[..2] != [MAGIC, VERSION] {
            return Err(CacheError::Foreign);
        }
        if head[2..4] != [key.0 as u64, (key.0 >> 64) as u64] {
            return Err(CacheError::OtherKey);
        }
        let lengths = checked_lengths(&head[7..7 + ARRAYS], size)?;
        let headers: Vec<u32> = input.get(lengths[0])?;
        let topology: Vec<u16> = input.get(lengths[1])?;
        let mut arrays: Vec<Vec<u32>> = Vec::new();
        for &length in &lengths[2..] {
            arrays.push(input.get(length)?);
        }
        let sum = input.hasher.finish_128().to_le_bytes();
        let mut saved = [0; 16];
        input
            .file
            .read_exact(&mut saved)
            .map_err(|_| CacheError::Damaged)?;
        let [
            masks,
            ribbons,
            vertex_source,
            face_source,
            vertex_linear,
            face_linear,
        ] = <[Vec<u32>; 6]>::try_from(arrays).map_err(|_| CacheError::Damaged)?;
        if saved != sum || !headers.len().is_multiple_of(HEADER_WORDS) {
            return Err(CacheError::Damaged);
        }
        let headers = headers_from_words(&headers);
        let small = |n: u64| u32::try_from(n).map_err(|_| CacheError::Damaged);
        let counts = [small(head[4])?, small(head[5])?, small(head[6])?];
        let mut set = Self {
            stats: PatchStats::default(),
            headers,
            topology,
            masks,
            ribbons,
            repacked: false,
            counts,
            linear_len: [
                small(lengths[4] as u64)?,
                small(head[HEAD_WORDS])?,
                small(lengths[5] as u64)?,
            ],
            vertex_source,
            face_source,
            vertex_linear,
            face_linear,
        };
        // Whoever wrote the checksum may have written anything.
        set.check().map_err(|_| CacheError::Damaged)?;
        set.stats = PatchStats::new(&set.headers, counts);
        Ok(set)
    }
}

/// Returns the lengths of the arrays, if a file of this size can hold exactly them.
fn checked_lengths(words: &[u64], size: u64) -> Result<Vec<usize>, CacheError> {
    let mut total = 8 * (HEAD_WORDS as u64 + 1) + 16;
    for (array, &length) in words.iter().enumerate() {
        let width = if array == 1 { 2 } else { 4 };
        let bytes = length
            .checked_mul(width)
            .and_then(|b| b.checked_next_multiple_of(8));
        total = bytes
            .and_then(|b| total.checked_add(b))
            .ok_or(CacheError::Damaged)?;
    }
    if total != size {
        return Err(CacheError::Damaged);
    }
    words
        .iter()
        .map(|&length| usize::try_from(length).map_err(|_| CacheError::Damaged))
        .collect()
}

/// A number that can be stored in little-endian order.
trait Word: Pod {
    /// Swaps the bytes on a big-endian machine.
    fn to_le(self) -> Self;
}

impl Word for u16 {
    fn to_le(self) -> Self {
        Self::to_le(self)
    }
}

impl Word for u32 {
    fn to_le(self) -> Self {
        Self::to_le(self)
    }
}

impl Word for u64 {
    fn to_le(self) -> Self {
        Self::to_le(self)
    }
}

/// A file, and the checksum of its content.
struct HashedFile<F> {
    file: F,
    hasher: XxHash3_128,
}

impl<F: Write> HashedFile<F> {
    fn put<T: Word>(&mut self, array: &mut [T]) -> io::Result<()> {
        array.iter_mut().for_each(|word| *word = word.to_le());
        let bytes: &[u8] = cast_slice(array);
        let padding = &[0; 8][..bytes.len().next_multiple_of(8) - bytes.len()];
        for part in [bytes, padding] {
            self.hasher.write(part);
            self.file.write_all(part)?;
        }
        Ok(())
    }
}

impl<F: Read> HashedFile<F> {
    fn get<T: Word>(&mut self, length: usize) -> Result<Vec<T>, CacheError> {
        let mut array = vec![T::zeroed(); length];
        let bytes: &mut [u8] = cast_slice_mut(&mut array);
        let mut padding = [0; 8];
        let padding = &mut padding[..bytes.len().next_multiple_of(8) - bytes.len()];
        for part in [bytes, padding] {
            self.file
                .read_exact(part)
                .map_err(|_| CacheError::Damaged)?;
            self.hasher.write(part);
        }
        array.iter_mut().for_each(|word| *word = word.to_le());
        Ok(array)
    }
}

fn header_words(headers: &[PatchHeader]) -> Vec<u32> {
    let pair = |a: u16, b: u16| u32::from(a) | u32::from(b) << 16;
    let words = headers.iter().flat_map(|h| {
        let ([o, t, c], b) = ([h.owned, h.total, h.capacity], h.base);
        let mut words = [0; HEADER_WORDS];
        words[..4].copy_from_slice(&[b[0], b[1], b[2], h.topology]);
        words[4..9].copy_from_slice(&[
            pair(o[0], o[1]),
            pair(o[2], t[0]),
            pair(t[1], t[2]),
            pair(c[0], c[1]),
            pair(c[2], h.reserved),
        ]);
        words[9..11].copy_from_slice(&[h.ribbon, h.mask]);
        words
    });
    words.collect()
}

fn headers_from_words(words: &[u32]) -> Vec<PatchHeader> {
    let (low, high) = (|w: u32| w as u16, |w: u32| (w >> 16) as u16);
    let rows = words.as_chunks::<HEADER_WORDS>().0.iter();
    rows.map(|w| PatchHeader {
        base: [w[0], w[1], w[2]],
        topology: w[3],
        owned: [low(w[4]), high(w[4]), low(w[5])],
        total: [high(w[5]), low(w[6]), high(w[6])],
        capacity: [low(w[7]), high(w[7]), low(w[8])],
        reserved: high(w[8]),
        ribbon: w[9],
        mask: w[10],
        ..PatchHeader::default()
    })
    .collect()
}
