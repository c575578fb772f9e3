//! Text of single kernels.

use std::collections::HashMap;
use std::ops::Range;

use crate::line;

/// A PTX text cut into what all kernels share and the kernels.
pub struct Kernels {
    text: String,
    shared: Vec<Range<usize>>,
    entries: HashMap<String, Range<usize>>,
}

impl Kernels {
    /// Cuts a text. A kernel runs from the line that names it to the next line that begins with a closing brace.
    pub fn cut(text: &str) -> Self {
        let (mut shared, mut entries) = (Vec::new(), HashMap::new());
        let (mut at, mut from, mut name) = (0, 0, None);
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            if name.is_none() {
                name = line::entry(line).map(str::to_owned);
                if name.is_some() {
                    shared.push(from..at);
                    from = at;
                }
            }
            if line.starts_with('}')
                && let Some(name) = name.take()
            {
                entries.insert(name, from..end);
                from = end;
            }
            at = end;
        }
        shared.push(from..at);
        Self {
            text: text.to_owned(),
            shared,
            entries,
        }
    }

    /// Returns `true` if there is a kernel of this name.
    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Returns the text of a module with one kernel.
    pub fn module(&self, name: &str) -> Option<String> {
        let entry = self.entries.get(name)?.clone();
        let mut text = String::with_capacity(entry.len() + 1024);
        for part in &self.shared {
            text.push_str(&self.text[part.clone()]);
        }
        text.push_str(&self.text[entry]);
        Some(text)
    }
}

/// Returns the compute capability that a text is for, as digits of which the last is the minor number: 75 for `sm_75`.
pub fn target(text: &str) -> Option<u32> {
    let (number, _) = text.lines().find_map(|l| line::target(l.trim()))?;
    Some(number)
}

/// Returns the value of a 64-bit constant: `.visible .global .align 8 .b8 SYMBOL[8] = {..}` or `.b64 SYMBOL = ..`.
pub fn constant(text: &str, symbol: &str) -> Option<u64> {
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

/// Returns the text with a kernel that uses at most `most` registers a thread; `None` if it has no body.
pub fn limit_registers(text: &str, name: &str, most: u32) -> Option<String> {
    let entry = text.find(&format!(".entry {name}("))?;
    let body = entry + text[entry..].find("\n{")?;
    Some(format!(
        "{}\n.maxnreg {most}{}",
        &text[..body],
        &text[body..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// header\n.version 6.3\n\n.visible .global .align 8 .b8 fp[8] = {1, 2, 0, 0, 0, 0, 0, 0};\n\n\
        .visible .entry a(\n\t.param .b32 p\n)\n{\n\tret;\n}\n\t// note\n.func f()\n{\n\tret;\n}\n\
        .visible .entry b()\n{\n\tret;\n}\n";

    #[test]
    fn a_module_has_the_shared_parts_and_one_kernel() {
        let kernels = Kernels::cut(TEXT);
        let a = kernels.module("a").unwrap_or_default();
        assert!(
            a.contains(".version")
                && a.contains("entry a(")
                && a.contains(".func f()")
                && !a.contains("entry b(")
        );
        assert!(kernels.has("b") && kernels.module("c").is_none());
    }

    #[test]
    fn constants_are_read() {
        assert_eq!(constant(TEXT, "fp"), Some(0x0201));
        assert_eq!(constant(".global .b64 fp = 7;", "fp"), Some(7));
        assert_eq!(constant(TEXT, "other"), None);
    }

    #[test]
    fn targets_are_read() {
        assert_eq!(target(".target sm_90a, debug\n"), Some(90));
        assert_eq!(target("// nothing"), None);
    }

    #[test]
    fn registers_are_limited_before_the_body() {
        let limited = limit_registers(TEXT, "a", 40).unwrap_or_default();
        assert!(
            limited.contains(")\n.maxnreg 40\n{\n\tret;\n}\n\t// note"),
            "{limited}"
        );
        assert_eq!(limit_registers(TEXT, "c", 40), None);
    }
}
