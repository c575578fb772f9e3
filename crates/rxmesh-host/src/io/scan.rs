//! Lines, words and numbers of text files.

use super::error::Fault;

/// Words of one line (or of a whole text), with their offsets. A word that starts with `#` ends the line.
#[derive(Clone)]
pub(super) struct LineWords<'a> {
    text: &'a [u8],
    pos: usize,
    base: usize,
    comments: bool,
}

impl<'a> LineWords<'a> {
    /// Splits `text`, which begins at byte `base` of the file, into words.
    pub(super) fn new(text: &'a [u8], base: usize) -> LineWords<'a> {
        LineWords {
            text,
            pos: 0,
            base,
            comments: true,
        }
    }

    /// Does the same for formats in which `#` is an ordinary character.
    pub(super) fn without_comments(text: &'a [u8], base: usize) -> LineWords<'a> {
        LineWords {
            text,
            pos: 0,
            base,
            comments: false,
        }
    }

    /// Returns the offset in the file of the next byte.
    pub(super) fn offset(&self) -> usize {
        self.base + self.pos
    }

    /// Returns the next word and its offset in the file.
    #[inline]
    pub(super) fn next_at(&mut self) -> Option<(usize, &'a [u8])> {
        let mut i = self.pos;
        while i < self.text.len() && is_space(self.text[i]) {
            i += 1;
        }
        let start = i;
        while i < self.text.len() && !is_space(self.text[i]) {
            i += 1;
        }
        self.pos = i;
        if start == i || (self.comments && self.text[start] == b'#') {
            self.pos = self.text.len();
            return None;
        }
        Some((self.base + start, &self.text[start..i]))
    }

    /// Returns the number of words that are left, up to `most`.
    pub(super) fn count_up_to(mut self, most: usize) -> usize {
        (0..most).take_while(|_| self.next_at().is_some()).count()
    }

    /// Reads the next word as a finite number; `what` names it in the error if it is missing.
    #[inline]
    pub(super) fn number(&mut self, what: &str) -> Result<f32, Fault> {
        let (at, word) = self.expected(what)?;
        number(word, at)
    }

    /// Returns the next word and its offset; `what` names it in the error if it is missing.
    #[inline]
    pub(super) fn expected(&mut self, what: &str) -> Result<(usize, &'a [u8]), Fault> {
        let end = self.offset();
        let ends = || Fault::text(end, format!("{what} expected, but the line ends"));
        self.next_at().ok_or_else(ends)
    }

    /// Returns the rest of the line, without surrounding space, comments included.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text[self.pos..].trim_ascii()
    }
}

/// Things of one kind that are left out: their number, and the offset of the first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LeftOut {
    pub(super) count: usize,
    pub(super) first: Option<usize>,
}

impl LeftOut {
    /// Counts one that is at `at`.
    pub(super) fn note(&mut self, at: usize) {
        self.count += 1;
        self.first.get_or_insert(at);
    }

    /// Adds those of a later part of the file.
    pub(super) fn append(&mut self, later: LeftOut) {
        self.count += later.count;
        self.first = self.first.or(later.first);
    }

    /// Returns one warning for all: `what` follows their number, and the line of the first ends it.
    pub(super) fn warning(self, bytes: &[u8], what: &str) -> Option<String> {
        let line = line_of(bytes, self.first?);
        Some(format!(
            "{} {what}, the first is on line {line}",
            self.count
        ))
    }
}

/// Returns a text from its first line on that is neither blank nor a comment, empty if there is none. Lines may end in
/// a carriage return alone; of a long text only the beginning is read.
pub(super) fn after_comments(text: &[u8]) -> &[u8] {
    const LONGEST: usize = 1 << 20;
    let mut rest = &text[..text.len().min(LONGEST)];
    loop {
        rest = rest.trim_ascii_start();
        if !rest.starts_with(b"#") {
            return rest;
        }
        let end = memchr::memchr2(b'\n', b'\r', rest);
        rest = end.map_or(&[], |end| &rest[end..]);
    }
}

/// Returns the line of a byte, counted from 1.
pub(super) fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &bytes[..at.min(bytes.len())]).count()
}

#[inline]
pub(super) fn is_space(b: u8) -> bool {
    // Tab, line feed, vertical tab, form feed, carriage return.
    b == b' ' || (9..=13).contains(&b)
}

/// Lines of a text: each with the offset of its first byte, without the line feed.
#[derive(Clone)]
pub(super) struct TextLines<'a> {
    text: &'a [u8],
    pos: usize,
    base: usize,
}

impl<'a> TextLines<'a> {
    /// Splits `text`, which begins at byte `base` of the file, into lines.
    pub(super) fn new(text: &'a [u8], base: usize) -> TextLines<'a> {
        TextLines { text, pos: 0, base }
    }

    /// Returns the offset in the file of the next line.
    pub(super) fn offset(&self) -> usize {
        self.base + self.pos
    }

    /// Returns the words of the next line that has one, comments left out.
    pub(super) fn next_words(&mut self) -> Option<LineWords<'a>> {
        loop {
            let (at, line) = self.next()?;
            let words = LineWords::new(line, at);
            if words.clone().next_at().is_some() {
                return Some(words);
            }
        }
    }
}

impl<'a> Iterator for TextLines<'a> {
    type Item = (usize, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<(usize, &'a [u8])> {
        if self.pos >= self.text.len() {
            return None;
        }
        let start = self.pos;
        let end = memchr::memchr(b'\n', &self.text[start..]).map_or(self.text.len(), |n| start + n);
        self.pos = end + 1;
        Some((self.base + start, &self.text[start..end]))
    }
}

/// Parses a finite number. It is parsed as f32 at once, not as f64 and then rounded: rounding twice can miss the
/// nearest f32, and then the file would not give the same bits.
#[inline]
pub(super) fn number(word: &[u8], at: usize) -> Result<f32, Fault> {
    let parsed = std::str::from_utf8(word)
        .ok()
        .and_then(|s| s.parse::<f32>().ok());
    match parsed {
        Some(x) if x.is_finite() => Ok(x),
        Some(_) if word.iter().any(u8::is_ascii_digit) => Err(Fault::text(
            at,
            format!("{} is too large for a 32-bit float", quote(word)),
        )),
        Some(_) => Err(Fault::text(
            at,
            format!("{} is not a finite number", quote(word)),
        )),
        None => Err(Fault::text(at, format!("{} is not a number", quote(word)))),
    }
}

/// Parses an integer that may be written as a whole number only.
pub(super) fn integer(word: &[u8], at: usize, what: &str) -> Result<i64, Fault> {
    let parsed = std::str::from_utf8(word)
        .ok()
        .and_then(|s| s.parse::<i64>().ok());
    parsed.ok_or_else(|| {
        Fault::text(
            at,
            format!("{what} expected, {} is not a whole number", quote(word)),
        )
    })
}

/// Returns a word in quotes for a message, shortened in case a binary file was taken for text.
pub(super) fn quote(word: &[u8]) -> String {
    const SHOWN: usize = 40;
    let dots = if word.len() > SHOWN { "..." } else { "" };
    format!(
        "'{}{dots}'",
        String::from_utf8_lossy(&word[..word.len().min(SHOWN)]).escape_debug()
    )
}
