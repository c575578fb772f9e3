//! PTX text, one kernel at a time: the driver compiles only launched kernels.

use super::EngineError;
#[cfg(feature = "cuda")]
use super::Ptx;
use rxmesh_kernels::kernel::{KernelInfo, fingerprint};
#[cfg(feature = "cuda")]
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::CString;
use std::ops::Range;

/// A PTX text divided into the part that all kernels share and the kernels.
pub(super) struct Library {
    /// The fingerprint of its list, and the symbol that carries it.
    fingerprint: (String, u64),
    text: String,
    shared: Vec<Range<usize>>,
    entries: HashMap<String, Range<usize>>,
}

impl Library {
    /// Cuts a text, after checking that it carries the list's fingerprint and holds all of its kernels.
    pub(super) fn new(
        text: &str,
        symbol: &str,
        kernels: &[KernelInfo],
    ) -> Result<Library, EngineError> {
        let found = fingerprint_in(text, symbol)
            .ok_or_else(|| EngineError::Ptx(format!("the PTX has no symbol `{symbol}`")))?;
        let want = fingerprint(kernels);
        if found != want {
            return Err(EngineError::Ptx(format!(
                "the PTX was built from other sources (fingerprint {found:016x}, this build has {want:016x}); rebuild \
                    it"
            )));
        }
        let mut library = cut(text);
        library.fingerprint = (symbol.to_string(), want);
        match kernels
            .iter()
            .find(|k| !library.entries.contains_key(k.name))
        {
            Some(k) => Err(EngineError::UnknownKernel(k.name)),
            None => Ok(library),
        }
    }

    /// Returns `true` if the library was loaded for this list.
    pub(super) fn is(&self, symbol: &str, kernels: &[KernelInfo]) -> bool {
        self.fingerprint.0 == symbol && self.fingerprint.1 == fingerprint(kernels)
    }

    /// Returns `true` if there is a kernel of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Returns the text of a module with one kernel.
    pub(super) fn module(&self, name: &str) -> Option<CString> {
        let entry = self.entries.get(name)?.clone();
        let mut text = String::with_capacity(entry.len() + 1024);
        for part in &self.shared {
            text.push_str(&self.text[part.clone()]);
        }
        text.push_str(&self.text[entry]);
        CString::new(text).ok()
    }
}

/// Returns the reason why PTX cannot run on a device of a compute capability (major, minor), if any.
pub(super) fn check_target(text: &str, (major, minor): (u32, u32)) -> Result<(), String> {
    let target = text
        .lines()
        .find_map(|line| line.trim().strip_prefix(".target sm_"))
        .and_then(|rest| {
            let digits = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            rest[..digits].parse::<u32>().ok()
        })
        .ok_or("the PTX names no target (.target)")?;
    // Two digits or more, the last of which is the minor number.
    if 10 * major + minor < target {
        return Err(format!(
            "its compute capability is {major}.{minor}, but the kernels need {}.{} or later",
            target / 10,
            target % 10
        ));
    }
    Ok(())
}

/// Limit of the unpacked size of PTX in bytes: longer data is refused.
#[cfg(feature = "cuda")]
const MOST_BYTES: usize = 1 << 28;

/// Returns the text of the PTX, decompressed if needed.
#[cfg(feature = "cuda")]
pub(super) fn unpack(ptx: Ptx<'_>) -> Result<Cow<'_, str>, EngineError> {
    let packed = match ptx {
        Ptx::Text(text) => return Ok(Cow::Borrowed(text)),
        Ptx::Packed(packed) => packed,
    };
    let damaged = |why: String| EngineError::Ptx(format!("the packed PTX is damaged: {why}"));
    let text = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(packed, MOST_BYTES)
        .map_err(|e| damaged(e.to_string()))?;
    let text = String::from_utf8(text).map_err(|e| damaged(e.to_string()))?;
    Ok(Cow::Owned(text))
}

/// Kernels run from a line with `.entry` to the next line that is a closing brace.
fn cut(text: &str) -> Library {
    let mut library = Library {
        fingerprint: Default::default(),
        text: text.to_string(),
        shared: Vec::new(),
        entries: HashMap::new(),
    };
    let (mut at, mut from, mut name) = (0, 0, None);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if name.is_none() {
            name = entry_name(line).map(str::to_string);
            if name.is_some() {
                library.shared.push(from..at);
                from = at;
            }
        }
        if line.starts_with('}')
            && let Some(name) = name.take()
        {
            library.entries.insert(name, from..end);
            from = end;
        }
        at = end;
    }
    library.shared.push(from..at);
    library
}

fn entry_name(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix(".visible .entry ")
        .or_else(|| line.strip_prefix(".entry "))?;
    Some(rest.split(['(', ' ', '\n', '\r']).next().unwrap_or(rest))
}

/// Returns the value of `.visible .global .align 8 .b8 SYMBOL[8] = {..}` or `.b64 SYMBOL = ..`.
fn fingerprint_in(text: &str, symbol: &str) -> Option<u64> {
    for line in text.lines().filter(|l| l.contains(".global ")) {
        if let Some((_, bytes)) = line.split_once(&format!(" {symbol}[8] = {{")) {
            let mut value = 0u64;
            for (i, byte) in bytes.split('}').next()?.split(',').enumerate() {
                value |= u64::from(byte.trim().parse::<u8>().ok()?) << (8 * i);
            }
            return Some(value);
        }
        if let Some((_, value)) = line.split_once(&format!(" {symbol} = ")) {
            return value.trim_end_matches(';').trim().parse().ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// header\n.version 6.3\n\n.visible .global .align 8 .b8 fp[8] = {1, 2, 0, 0, 0, 0, 0, 0};\n\n\
        .visible .entry a(\n\t.param .b32 p\n)\n{\n\tret;\n}\n\t// note\n.func f()\n{\n\tret;\n}\n\
        .visible .entry b()\n{\n\tret;\n}\n";

    #[test]
    fn a_module_has_the_shared_parts_and_one_kernel() {
        let library = cut(TEXT);
        let a = library
            .module("a")
            .expect("kernel a")
            .into_string()
            .expect("text");
        assert!(
            a.contains(".version")
                && a.contains("entry a(")
                && a.contains(".func f()")
                && !a.contains("entry b(")
        );
        assert!(library.module("c").is_none());
    }

    #[test]
    fn the_fingerprint_is_read_and_compared() {
        assert_eq!(fingerprint_in(TEXT, "fp"), Some(0x0201));
        assert_eq!(fingerprint_in(TEXT, "other"), None);
        assert!(matches!(
            Library::new(TEXT, "fp", &[]),
            Err(EngineError::Ptx(_))
        ));
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn packed_text_is_unpacked_and_damage_is_told() {
        let mut packed = miniz_oxide::deflate::compress_to_vec_zlib(TEXT.as_bytes(), 9);
        assert_eq!(unpack(Ptx::Packed(&packed)).as_deref(), Ok(TEXT));
        let last = packed.len() - 1;
        packed[last] ^= 1;
        let told = unpack(Ptx::Packed(&packed));
        assert!(matches!(told, Err(EngineError::Ptx(_))), "{told:?}");
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn launches_of_every_kernel_overlap() {
        let library = cut(include_str!("../../ptx/rxmesh_kernels.ptx"));
        for k in rxmesh_kernels::entry::KERNELS {
            let module = library.module(k.name).expect("every kernel");
            let text = module.to_str().expect("text");
            assert!(rxmesh_cuda_driver::early::overlapping(text).is_some());
        }
    }

    #[test]
    fn devices_are_new_enough_or_refused() {
        let text = include_str!("../../ptx/rxmesh_kernels.ptx");
        for capability in [(7, 5), (8, 0), (9, 0), (10, 0), (12, 1)] {
            assert_eq!(check_target(text, capability), Ok(()));
        }
        for (major, minor) in [(7, 0), (6, 1), (3, 5)] {
            let why = check_target(text, (major, minor)).expect_err("too old");
            assert!(
                why.contains(&format!("{major}.{minor}")) && why.contains("7.5"),
                "{why}"
            );
        }
        assert!(check_target("// nothing", (9, 0)).is_err());
        assert_eq!(check_target(".target sm_90a, debug\n", (9, 0)), Ok(()));
    }

    #[test]
    fn the_projects_text_belongs_to_the_projects_list() {
        let text = include_str!("../../ptx/rxmesh_kernels.ptx");
        let list = rxmesh_kernels::entry::KERNELS;
        let library = Library::new(text, rxmesh_kernels::entry::FINGERPRINT_SYMBOL, list)
            .expect("the committed PTX");
        for k in list {
            let module = library
                .module(k.name)
                .expect("every kernel")
                .into_string()
                .expect("text");
            assert_eq!(module.matches(".entry").count(), 1);
        }
    }
}
