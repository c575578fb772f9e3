//! Numbers of registers and labels as places in a list of recent ones. Text has a new number, or one of the last few,
//! nearly everywhere: so it packs to three fifths of its packed size.
//!
//! Each kernel and kind (`%r`, `%rd`, `$L29_`, ...) has its own list. `%r!` is the number after the largest so far,
//! `%r3` the one with three others after it in the list, `%r+3` the largest so far and three more.

use std::fmt::Write as _;

use crate::line;

/// Numbers of one kind.
struct Recent<'a> {
    kind: &'a str,
    largest: u32,
    /// The last number is the most recent.
    numbers: Vec<u32>,
}

impl<'a> Recent<'a> {
    fn of<'r>(all: &'r mut Vec<Recent<'a>>, kind: &'a str) -> &'r mut Recent<'a> {
        let known = all.iter().position(|r| r.kind == kind);
        let at = known.unwrap_or(all.len());
        if known.is_none() {
            all.push(Recent {
                kind,
                largest: 0,
                numbers: Vec::new(),
            });
        }
        &mut all[at]
    }

    fn add(&mut self, number: u32) {
        self.largest = self.largest.max(number);
        self.numbers.push(number);
    }
}

/// Parts a text before the first number of a register or label: the text with the kind at its end, the length of the
/// kind, and the rest.
fn next(text: &str) -> Option<(&str, usize, &str)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = from
            + bytes[from..]
                .iter()
                .position(|b| matches!(b, b'%' | b'$'))?;
        let run = |at: usize, is: fn(&u8) -> bool| {
            at + bytes[at..]
                .iter()
                .position(|b| !is(b))
                .unwrap_or(bytes.len() - at)
        };
        let end = match bytes[at] {
            b'%' => run(at + 1, u8::is_ascii_lowercase),
            _ if bytes[at..].starts_with(b"$L") => {
                let digits = run(at + 2, u8::is_ascii_digit);
                let has_line = digits > at + 2 && bytes.get(digits) == Some(&b'_');
                if has_line { digits + 1 } else { at + 1 }
            }
            _ => at + 1,
        };
        if end > at + 1 {
            return Some((&text[..end], end - at, &text[end..]));
        }
        from = at + 1;
    }
}

/// Parts a text after its first digits.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// Replaces numbers by places. [`decode`] gives the text back, unless it has such places already.
#[cfg(feature = "pack")]
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        if line::entry(line).is_some() {
            all.clear();
        }
        let mut rest = line;
        while let Some((before, kind, after)) = next(rest) {
            out.push_str(before);
            let (number, after) = digits(after);
            rest = after;
            let Ok(n) = number.parse::<u32>() else {
                out.push_str(number);
                continue;
            };
            let recent = Recent::of(&mut all, &before[before.len() - kind..]);
            match recent.numbers.iter().rposition(|&known| known == n) {
                _ if n == recent.largest + 1 => out.push('!'),
                Some(at) => {
                    let _ = write!(out, "{}", recent.numbers.len() - 1 - at);
                    recent.numbers.remove(at);
                }
                None => {
                    let _ = write!(out, "+{}", i64::from(n) - i64::from(recent.largest));
                }
            }
            recent.add(n);
        }
        out.push_str(rest);
    }
    out
}

/// Replaces places by numbers; `None` if a place is wrong.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        if line::entry(line).is_some() {
            all.clear();
        }
        let mut rest = line;
        while let Some((before, kind, after)) = next(rest) {
            out.push_str(before);
            let recent = Recent::of(&mut all, &before[before.len() - kind..]);
            let n;
            if let Some(after) = after.strip_prefix('!') {
                n = recent.largest.checked_add(1)?;
                rest = after;
            } else if let Some(after) = after.strip_prefix('+') {
                let sign = usize::from(after.starts_with('-'));
                let (number, after) = digits(&after[sign..]);
                let step = number.parse::<u32>().ok()?;
                n = match sign {
                    0 => recent.largest.checked_add(step)?,
                    _ => recent.largest.checked_sub(step)?,
                };
                rest = after;
            } else {
                let (place, after) = digits(after);
                rest = after;
                if place.is_empty() {
                    continue;
                }
                let last = recent.numbers.len().checked_sub(1)?;
                n = recent
                    .numbers
                    .remove(last.checked_sub(place.parse().ok()?)?);
            }
            let _ = write!(out, "{n}");
            recent.add(n);
        }
        out.push_str(rest);
    }
    Some(out)
}

#[cfg(all(test, feature = "pack"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_places_and_numbers_again() {
        let text = ".reg .b32 %r<9>;\n.visible .entry a(\n)\n{\nadd.s32 %r1, %r2, %r1;\n$L3_7:\n@%p1 bra $L3_7;\n\
            mov.u32 %r9, %tid.x;\nld.b32 %r2, [%rd1+4];\nsub.s32 %r5, %r9, %r1;\n}\n\
            .visible .entry b(\n)\n{\nneg.s32 %r1, %r1;\n";
        let places = encode(text);
        assert!(
            places.contains("add.s32 %r!, %r!, %r1;\n$L3_+7:\n@%p! bra $L3_0;"),
            "{places}"
        );
        assert!(places.contains("sub.s32 %r+-4, %r2, %r"), "{places}");
        assert!(places.ends_with("neg.s32 %r!, %r0;\n"), "{places}");
        assert_eq!(decode(&places).as_deref(), Some(text));
        for wrong in ["%r0", "%r+x", "%r!%r5", "%r+-1"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
