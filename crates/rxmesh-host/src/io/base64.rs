//! Base64 (RFC 4648, section 4).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends bytes as text, padded.
pub fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= chunk.len() { digit } else { b'=' });
        }
    }
}

/// Decodes text to bytes: `most` at most, and as far as the padding, spaces ignored. Returns them and the number of
/// bytes of the text that they took.
///
/// # Errors
///
/// The place of a character outside the alphabet.
pub fn decode(text: &[u8], most: usize) -> Result<(Vec<u8>, usize), usize> {
    let mut out = Vec::with_capacity(most.min(text.len() / 4 * 3 + 3));
    let (mut bits, mut digits) = (0u32, 0);
    let mut end = text.len();
    for (at, &c) in text.iter().enumerate() {
        if digits == 0 && out.len() >= most {
            end = at;
            break;
        }
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                // A second one may follow.
                end = (at + if digits == 2 { 2 } else { 1 }).min(text.len());
                break;
            }
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => return Err(at),
        };
        bits = bits << 6 | u32::from(value);
        digits += 1;
        if digits == 4 {
            out.extend(&bits.to_be_bytes()[1..]);
            (bits, digits) = (0, 0);
        }
    }
    match digits {
        2 => out.push((bits >> 4) as u8),
        3 => out.extend([(bits >> 10) as u8, (bits >> 2) as u8]),
        _ => {}
    }
    out.truncate(most);
    Ok((out, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_rfc() {
        let pairs = [
            "", "", "f", "Zg==", "fo", "Zm8=", "foo", "Zm9v", "foob", "Zm9vYg==", "fooba",
            "Zm9vYmE=",
        ];
        for pair in pairs.chunks(2) {
            let mut text = Vec::new();
            encode(pair[0].as_bytes(), &mut text);
            assert_eq!(text, pair[1].as_bytes());
            let (bytes, taken) = decode(&text, 100).unwrap();
            assert_eq!((&bytes[..], taken), (pair[0].as_bytes(), text.len()));
        }
        assert_eq!(decode(b"Zm9v YmFy\n", 3).unwrap(), (b"foo".to_vec(), 4));
        assert_eq!(decode(b"Zm9*", 100), Err(3));
    }
}
