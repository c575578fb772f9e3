//! Packed text: its checksum, its length with [`recent`] numbers, and an LZMA stream of that.

#[cfg(feature = "pack")]
use std::path::Path;

use crate::recent;

/// Bytes before the stream: checksum and length.
#[cfg(feature = "unpack")]
const HEAD: usize = 16;

/// Most bytes that packed text may unpack to: more is no PTX.
#[cfg(feature = "unpack")]
const MOST_BYTES: u64 = 1 << 28;

/// LZMA's literal context, literal position and position bits: text is not aligned.
const CONTEXT: [u32; 3] = [4, 0, 0];

/// Returns the bytes of the dictionary for a text: all of it.
fn dictionary(length: u64) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX).max(1 << 12)
}

/// Returns the FNV-1a hash of a text (Fowler, Noll, Vo).
fn checksum(text: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Packs a text.
///
/// # Errors
///
/// The encoder reports them.
#[cfg(feature = "pack")]
pub fn pack(text: &str) -> std::io::Result<Vec<u8>> {
    pack_with(text, SMALL)
}

/// Presets of LZMA: for programs that are released, and for those of a day, which wait for their build scripts.
#[cfg(feature = "pack")]
const SMALL: u32 = 6;
#[cfg(feature = "pack")]
const QUICK: u32 = 0;

#[cfg(feature = "pack")]
fn pack_with(text: &str, preset: u32) -> std::io::Result<Vec<u8>> {
    use std::io::Write as _;
    let places = recent::encode(text);
    if recent::decode(&places).as_deref() != Some(text) {
        let why = "the text has what stands for recent numbers";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, why));
    }
    let [lc, lp, pb] = CONTEXT;
    let mut options = lzma_rust2::LzmaOptions::with_preset(preset);
    options.dict_size = dictionary(places.len() as u64);
    (options.lc, options.lp, options.pb) = (lc, lp, pb);
    if preset == SMALL {
        options.nice_len = 64;
    }
    let mut out = Vec::new();
    out.extend(checksum(text.as_bytes()).to_le_bytes());
    out.extend((places.len() as u64).to_le_bytes());
    let mut writer = lzma_rust2::LzmaWriter::new_no_header(out, &options, false)?;
    writer.write_all(places.as_bytes())?;
    writer.finish()
}

/// Packs a file of the package for its program, for build scripts: `ptx/NAME.ptx` to `NAME.ptx.lzma` in `OUT_DIR`, for
/// `include_bytes!`. Does nothing without the package's feature `cuda`. Release builds get the smallest file, others
/// one that takes a fraction of the time.
///
/// # Errors
///
/// The file cannot be read or the result cannot be written.
#[cfg(feature = "pack")]
pub fn pack_file(file: &str) -> std::io::Result<()> {
    println!("cargo::rerun-if-changed={file}");
    if std::env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return Ok(());
    }
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let preset = if is_release { SMALL } else { QUICK };
    let packed = pack_with(&std::fs::read_to_string(file)?, preset)?;
    let out = std::env::var_os("OUT_DIR").ok_or(std::io::ErrorKind::NotFound)?;
    let name = Path::new(file).file_name().unwrap_or_default();
    std::fs::write(
        Path::new(&out).join(name).with_extension("ptx.lzma"),
        packed,
    )
}

/// Unpacks a text.
///
/// # Errors
///
/// A message, if the bytes are not those of a packed text.
#[cfg(feature = "unpack")]
pub fn unpack(packed: &[u8]) -> Result<String, String> {
    use std::io::Read as _;
    let (head, stream) = packed.split_at_checked(HEAD).ok_or("it has no head")?;
    let word = |at: usize| {
        let bytes = head[at..at + 8].iter().rev();
        bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    let (sum, length) = (word(0), word(8));
    if length > MOST_BYTES {
        return Err(format!("it would be {length} bytes long"));
    }
    let [lc, lp, pb] = CONTEXT;
    let mut reader =
        lzma_rust2::LzmaReader::new(stream, length, lc, lp, pb, dictionary(length), None)
            .map_err(|e| e.to_string())?;
    let mut places = Vec::with_capacity(length as usize);
    reader.read_to_end(&mut places).map_err(|e| e.to_string())?;
    let places = String::from_utf8(places).map_err(|e| e.to_string())?;
    let text = recent::decode(&places).ok_or("a number is wrong")?;
    if checksum(text.as_bytes()) != sum {
        return Err("its checksum is wrong".to_owned());
    }
    Ok(text)
}

#[cfg(all(test, feature = "pack", feature = "unpack"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() -> std::io::Result<()> {
        let text = "mov.u32 %r1, %r2;\n".repeat(100);
        for text in ["", "a", &text] {
            assert_eq!(unpack(&pack(text)?).as_deref(), Ok(text));
            assert_eq!(unpack(&pack_with(text, QUICK)?).as_deref(), Ok(text));
        }
        assert!(pack(&text)?.len() < 100);
        Ok(())
    }

    /// The last bytes of a stream are not always read; no other damage goes unnoticed, and none gives another text.
    #[test]
    fn damage_is_found() -> std::io::Result<()> {
        let text: String = (0..1000)
            .map(|i| format!("mov.u32 %r{i}, %r{};\n", i * i))
            .collect();
        let packed = pack(&text)?;
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            for bytes in [&damaged[..], &packed[..at]] {
                let found = unpack(bytes);
                let last = at + 8 > packed.len();
                assert!(
                    found.is_err() || last && found.as_deref() == Ok(&*text),
                    "byte {at}"
                );
            }
        }
        Ok(())
    }
}
