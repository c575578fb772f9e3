//! Lines outside of bodies.

/// Returns the version of the PTX language: `.version 6.3`.
pub(crate) fn version(line: &str) -> Option<(u32, u32)> {
    let (major, minor) = line.strip_prefix(".version ")?.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the number of the target, and the text after it: `.target sm_90a, debug`.
pub(crate) fn target(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix(".target sm_")?.trim_end();
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = rest.split_at(digits.unwrap_or(rest.len()));
    Some((number.parse().ok()?, rest))
}

/// Returns the name of the kernel that begins on a line.
pub(crate) fn entry(line: &str) -> Option<&str> {
    let line = line.strip_prefix(".visible ").unwrap_or(line);
    let name = line.strip_prefix(".entry ")?;
    name.split(['(', ' ', '\n', '\r']).next()
}
