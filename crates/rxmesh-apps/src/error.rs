//! Errors as one line for people.

use std::io::Write;

/// Formats an error and its causes in one line. A cause whose text is in the message already is not repeated.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(|c| c.to_string()) {
        if line.contains(&cause) {
            continue;
        }
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(&cause);
    }
    line
}

/// Prints to stderr; a closed stderr is no reason to fail.
pub(crate) fn print(line: &str) {
    let _ = writeln!(std::io::stderr(), "error: {line}");
}

#[cfg(test)]
mod tests {
    use super::one_line;
    use anyhow::{Context, anyhow};

    #[test]
    fn causes_are_named_once() {
        let inner = Err::<(), _>(anyhow!("disk on fire"));
        let e = inner.context("cannot read: disk on fire").context("a.obj");
        assert_eq!(
            one_line(&e.unwrap_err()),
            "a.obj: cannot read: disk on fire"
        );
    }
}
