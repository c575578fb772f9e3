//! Parser of PTX text, complete enough to check the code that the compiler generated for a kernel.

use std::fmt;

use crate::line;

/// A PTX file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PtxModule {
    /// Version of the PTX language, for instance `6.3`.
    pub version: String,
    /// Oldest architecture that the PTX runs on, for instance `sm_75`.
    pub target: String,
    /// Kernels, in the order of the text.
    pub entries: Vec<PtxEntry>,
    /// Functions with a body that are not kernels: those that the compiler did not inline.
    pub functions: Vec<PtxEntry>,
}

/// A kernel or function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PtxEntry {
    /// Symbol.
    pub name: String,
    /// Parameters.
    pub params: Vec<Param>,
    /// Number of block-wide barriers (`bar.sync`, `barrier.sync`, `bar.red`) in the text.
    pub barriers: usize,
    /// Loads, stores and atomics without a state space, which the hardware has to resolve at each access.
    pub generic_accesses: Vec<String>,
    /// Declared local memory: arrays on the stack.
    pub local: Vec<String>,
    /// Names of called functions.
    pub calls: Vec<String>,
    /// Number of instructions.
    pub instructions: usize,
}

/// A parameter of an [`PtxEntry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
}

/// Reason why a text is not PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PtxError {
    /// `.version` or `.target` is missing.
    Missing(&'static str),
    /// A line cannot be parsed.
    Syntax {
        /// Number of the line, from 1.
        line: usize,
        /// Construct that was expected.
        reason: String,
    },
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PtxError::Missing(what) => {
                write!(f, "the text has no {what} directive: it is not PTX")
            }
            PtxError::Syntax { line, reason } => write!(f, "line {line}: {reason}"),
        }
    }
}

impl std::error::Error for PtxError {}

impl PtxModule {
    /// Parses PTX text.
    pub fn parse(text: &str) -> Result<Self, PtxError> {
        Parser::default().run(text)
    }

    /// Returns the kernel of this name.
    pub fn entry(&self, name: &str) -> Option<&PtxEntry> {
        self.entries.iter().find(|e| e.name == name)
    }
}

/// Function that is being parsed.
struct Open {
    entry: PtxEntry,
    is_kernel: bool,
    /// Depth of braces; 0 until the body begins.
    depth: usize,
    in_params: bool,
}

#[derive(Default)]
struct Parser {
    module: PtxModule,
    open: Option<Open>,
}

impl Parser {
    fn run(mut self, text: &str) -> Result<PtxModule, PtxError> {
        for (index, line) in text.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default().trim();
            if !line.is_empty() {
                self.line(line).map_err(|reason| PtxError::Syntax {
                    line: index + 1,
                    reason,
                })?;
            }
        }
        if let Some(open) = self.open {
            let reason = format!("{} has no end", open.entry.name);
            return Err(PtxError::Syntax {
                line: text.lines().count(),
                reason,
            });
        }
        if self.module.version.is_empty() {
            return Err(PtxError::Missing(".version"));
        }
        if self.module.target.is_empty() {
            return Err(PtxError::Missing(".target"));
        }
        Ok(self.module)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let Some(open) = &mut self.open else {
            return self.outside(line);
        };
        if open.depth == 0 && line.ends_with(';') && !line.contains('{') {
            // A declaration has no body.
            self.open = None;
            return Ok(());
        }
        if open.depth == 0 && open.in_params {
            if line.contains(".param") {
                open.entry.params.push(param(line)?);
            }
            if line.contains(')') {
                open.in_params = false;
            }
        } else if open.depth == 0 && line.starts_with('(') {
            // The parameters of a function with a result begin on a new line.
            open.in_params = !line.contains(')');
        } else if open.depth > 0 {
            body(&mut open.entry, line);
        }
        // Braces of vector operands open and close on one line.
        open.depth += line.matches('{').count();
        let closing = line.matches('}').count();
        open.depth = open.depth.checked_sub(closing).ok_or("a brace too many")?;
        if closing > 0 && open.depth == 0 {
            let Some(done) = self.open.take() else {
                return Ok(());
            };
            let list = if done.is_kernel {
                &mut self.module.entries
            } else {
                &mut self.module.functions
            };
            list.push(done.entry);
        }
        Ok(())
    }

    fn outside(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        match first {
            ".version" => self.module.version = words.next().ok_or("a version")?.to_owned(),
            ".target" => {
                self.module.target = words
                    .next()
                    .ok_or("a target")?
                    .trim_end_matches(',')
                    .to_owned()
            }
            _ => {
                let is_kernel = line::entry(line).is_some();
                let Some((_, after)) = line
                    .split_once(".entry ")
                    .or_else(|| line.split_once(".func "))
                else {
                    return Ok(());
                };
                if line.ends_with(';') || line.contains(".extern") {
                    return Ok(());
                }
                // `.func (.param .b32 result) name(`: the result comes before the name.
                let after = after.trim_start();
                let after = match after.strip_prefix('(') {
                    Some(rest) => rest
                        .split_once(')')
                        .ok_or("a result in parentheses")?
                        .1
                        .trim_start(),
                    None => after,
                };
                let name = after
                    .split('(')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_owned();
                if name.is_empty() {
                    return Err("a name after .entry or .func".to_owned());
                }
                let in_params = after.contains('(') && !after.contains(')');
                let entry = PtxEntry {
                    name,
                    ..PtxEntry::default()
                };
                self.open = Some(Open {
                    entry,
                    is_kernel,
                    depth: 0,
                    in_params,
                });
            }
        }
        Ok(())
    }
}

/// Parses `.param .u64 .ptr .align 1 name` and `.param .align 8 .b8 name[64]`.
fn param(line: &str) -> Result<Param, String> {
    let mut unit = None;
    let mut align = None;
    let mut words = line
        .trim_matches(|c: char| ",()".contains(c))
        .split_whitespace()
        .peekable();
    while let Some(word) = words.next() {
        match word {
            ".align" if unit.is_none() => align = words.next().and_then(|w| w.parse().ok()),
            _ => unit = unit.or_else(|| type_size(word.strip_prefix('.')?)),
        }
    }
    let unit = unit.ok_or_else(|| format!("a type in the parameter `{line}`"))?;
    let count = match line.split_once('[') {
        Some((_, rest)) => {
            let number = rest.split(']').next().unwrap_or_default();
            number
                .parse()
                .map_err(|_| format!("a size in the parameter `{line}`"))?
        }
        None => 1,
    };
    Ok(Param {
        size: unit * count,
        align: align.unwrap_or(unit),
    })
}

/// Returns the size in bytes of a PTX type such as `u64`, `b8`, `f32`.
fn type_size(name: &str) -> Option<usize> {
    let bits: usize = name.strip_prefix(['u', 's', 'b', 'f'])?.parse().ok()?;
    Some(bits / 8)
}

/// Records a line of a body.
fn body(entry: &mut PtxEntry, line: &str) {
    if line.starts_with(".local") {
        entry.local.push(line.trim_end_matches(';').to_owned());
    }
    // Inline assembly has several instructions on a line, in braces.
    for instruction in line.split(';') {
        let instruction = instruction
            .trim_start_matches(['{', '}', ' ', '\t'])
            .trim_end();
        let mut words = instruction.split_whitespace();
        let mut mnemonic = words.next().unwrap_or_default();
        if mnemonic.starts_with('@') {
            mnemonic = words.next().unwrap_or_default();
        }
        if mnemonic.is_empty() || mnemonic.starts_with('.') || mnemonic.ends_with(':') {
            continue;
        }
        if !mnemonic.starts_with(|c: char| c.is_ascii_lowercase()) {
            continue;
        }
        entry.instructions += 1;
        let parts: Vec<&str> = mnemonic.split('.').collect();
        match parts[0] {
            "bar" | "barrier" if matches!(parts.get(1), Some(&("sync" | "red"))) => {
                entry.barriers += 1
            }
            "barrier"
                if parts.get(1) == Some(&"cta")
                    && matches!(parts.get(2), Some(&("sync" | "red"))) =>
            {
                entry.barriers += 1
            }
            "ld" | "ldu" | "st" | "atom" | "red" if !parts.iter().any(|p| is_state_space(p)) => {
                entry.generic_accesses.push(instruction.to_owned());
            }
            "call" => {
                // `call.uni (retval0), name, (param0);`
                let operands = words.collect::<Vec<_>>().join(" ");
                let operands = match operands.strip_prefix('(') {
                    Some(rest) => rest.split_once("),").map_or(rest, |(_, r)| r),
                    None => &operands,
                };
                let name = operands.split(',').next().unwrap_or_default().trim();
                entry.calls.push(name.to_owned());
            }
            _ => {}
        }
    }
}

fn is_state_space(part: &str) -> bool {
    matches!(
        part.split("::").next(),
        Some("global" | "shared" | "local" | "param" | "const")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// rxmesh-ptx sources=0 rustc=1 target=sm_75 options=none
.version 6.3
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.func panic
()
;
.func  (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	st.param.b32 	[func_retval0], %r1;
	ret;
}
	// .globl	k
.visible .entry k(
	.param .u64 .ptr .align 1 k_param_0,
	.param .align 8 .b8 k_param_1[24],
	.param .u32 k_param_2
)
.maxntid 256
{
	.local .align 4 .b8 	__local_depot1[4];
	.reg .b32 	%r<3>;
	ld.param.b64 	%rd1, [k_param_0];
$L__BB0_1:
	@%p1 ld.b32 	%r1, [%rd1];
	// begin inline asm
	{ .reg .u64 t; cvta.to.shared.u64 t, %rd3; red.shared.add.f32 [t], %r5; }
	// end inline asm
	ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];
	bar.sync 	0;
	bar.warp.sync 	-1;
	barrier.sync 	1;
	{ // callseq 0, 0
	.param .b32 param0;
	call.uni (retval0), helper, (param0);
	} // callseq 0
	call.uni panic, ();
	atom.shared::cta.add.u32 %r1, [%rd1], 1;
	ret;
}
.visible .entry empty()
{
	ret;
}
";

    #[test]
    fn reads_entries() -> Result<(), PtxError> {
        let module = PtxModule::parse(TEXT)?;
        assert_eq!(
            (module.version.as_str(), module.target.as_str()),
            ("6.3", "sm_75")
        );
        let names: Vec<&str> = module.entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["k", "empty"]);
        assert_eq!(module.functions.len(), 1);
        assert_eq!(module.functions[0].name, "helper");
        let k = &module.entries[0];
        let sizes: Vec<usize> = k.params.iter().map(|p| p.size).collect();
        assert_eq!(sizes, [8, 24, 4]);
        assert_eq!(k.params[1].align, 8);
        assert_eq!(k.barriers, 2, "a warp's barrier is not one of the block");
        assert_eq!(k.generic_accesses, ["@%p1 ld.b32 \t%r1, [%rd1]"]);
        assert_eq!(k.calls, ["helper", "panic"]);
        assert_eq!(k.local.len(), 1);
        assert!(
            module
                .entry("empty")
                .is_some_and(|e| e.params.is_empty() && e.instructions == 1)
        );
        Ok(())
    }

    #[test]
    fn rejects_other_texts() {
        assert_eq!(
            PtxModule::parse("hello"),
            Err(PtxError::Missing(".version"))
        );
        assert!(matches!(
            PtxModule::parse(".version 6.3\n.visible .entry k(\n)\n{\n"),
            Err(PtxError::Syntax { .. })
        ));
    }
}
