//! Elements of vertices: differences to the element before, byte by byte, of versions 0 and 1.

use super::source::{Source, Wrong, signed};

/// Bytes of a block.
pub(super) const BLOCK: usize = 1 << 13;
/// Most elements of a block.
pub(super) const MOST: usize = 256;
/// Elements of a group, which has one number of bits.
pub(super) const GROUP: usize = 16;
/// Least bytes at the end, by version.
pub(super) const LEAST_TAIL: [usize; 2] = [32, 24];

/// Bits of the differences of a group, by its two bits in the header.
pub(super) type BitWidths = [u32; 4];
pub(super) const VERSION_0: BitWidths = [0, 2, 4, 8];
/// Bits in version 1, by the control bits of a byte of the elements.
const VERSION_1: [BitWidths; 2] = [[0, 1, 2, 4], [1, 2, 4, 8]];

/// Unpacks `count` elements of `stride` bytes.
pub(super) fn decode(
    mut source: Source<'_>,
    count: usize,
    stride: usize,
) -> Result<Vec<u8>, Wrong> {
    let version = match source.byte()? {
        0xA0 => 0,
        0xA1 => 1,
        _ => return Err("the packed bytes do not begin as those of attributes do"),
    };
    let tail_size = if version == 0 {
        stride
    } else {
        stride + stride / 4
    };
    let tail = source.take_end(tail_size)?;
    source.take_end(LEAST_TAIL[version].saturating_sub(tail_size))?;
    let (first, channels) = tail.split_at(stride);
    let mut last = first.to_vec();
    let block = (BLOCK / stride / GROUP * GROUP).min(MOST);
    let mut all = vec![0; count * stride];
    for elements in all.chunks_mut(block * stride) {
        let count = elements.len() / stride;
        let controls = match version {
            0 => &[][..],
            _ => source.take(stride / 4)?,
        };
        for k in 0..stride / 4 {
            let control = controls.get(k).copied();
            let mut deltas = [[0; MOST]; 4];
            for (byte, deltas) in deltas.iter_mut().enumerate() {
                let control = control.map(|c| c >> (2 * byte) & 3);
                column(&mut source, control, &mut deltas[..], count)?;
            }
            let channel = channels.get(k).copied().unwrap_or(0);
            let last = &mut last[4 * k..4 * k + 4];
            add(&deltas, channel, last, &mut elements[4 * k..], stride)?;
        }
    }
    source.end()?;
    Ok(all)
}

/// Reads the differences of one byte of the elements of a block.
fn column(
    source: &mut Source<'_>,
    control: Option<u8>,
    deltas: &mut [u8],
    count: usize,
) -> Result<(), Wrong> {
    let bits = match control {
        None => VERSION_0,
        Some(2) => return Ok(()),
        Some(3) => {
            deltas[..count].copy_from_slice(source.take(count)?);
            return Ok(());
        }
        Some(control) => VERSION_1[usize::from(control)],
    };
    let groups = count.div_ceil(GROUP);
    let header = source.take(groups.div_ceil(4))?;
    let of_groups = deltas.as_chunks_mut::<GROUP>().0.iter_mut().take(groups);
    for (g, deltas) in of_groups.enumerate() {
        let width = bits[usize::from(header[g / 4] >> (2 * (g % 4)) & 3)];
        group(source, width, deltas)?;
    }
    Ok(())
}

/// Reads the differences of a group: the largest number of the bits stands for a byte that follows them.
fn group(source: &mut Source<'_>, bits: u32, deltas: &mut [u8; GROUP]) -> Result<(), Wrong> {
    match bits {
        0 => {}
        8 => deltas.copy_from_slice(source.take(GROUP)?),
        bits => {
            let packed = source.take(2 * bits as usize)?;
            let largest = (1u8 << bits) - 1;
            let each = 8 / bits;
            for (k, delta) in (0u32..).zip(deltas) {
                let within = k % each;
                // Single bits count from the lowest, others from the highest.
                let shift = if bits == 1 {
                    within
                } else {
                    8 - bits * (within + 1)
                };
                let value = packed[(k / each) as usize] >> shift & largest;
                *delta = if value == largest {
                    source.byte()?
                } else {
                    value
                };
            }
        }
    }
    Ok(())
}

/// Adds differences of four bytes to the element before, by the channel's way.
fn add(
    deltas: &[[u8; MOST]; 4],
    channel: u8,
    last: &mut [u8],
    elements: &mut [u8],
    stride: usize,
) -> Result<(), Wrong> {
    let mut value = [last[0], last[1], last[2], last[3]];
    let rotation = u32::from(channel >> 4);
    if channel & 3 == 3 {
        return Err("a channel's way is none of the extension's");
    }
    for (i, element) in elements.chunks_mut(stride).enumerate() {
        let delta = [0, 1, 2, 3].map(|byte| deltas[byte][i]);
        value = match channel & 3 {
            0 => [0, 1, 2, 3].map(|k| value[k].wrapping_add(signed(u32::from(delta[k])) as u8)),
            1 => {
                let [a, b, c, d] = value;
                let sum = |v: [u8; 2], d: [u8; 2]| {
                    let d = signed(u32::from(u16::from_le_bytes(d))) as u16;
                    u16::from_le_bytes(v).wrapping_add(d).to_le_bytes()
                };
                let [low, high] = [
                    sum([a, b], [delta[0], delta[1]]),
                    sum([c, d], [delta[2], delta[3]]),
                ];
                [low[0], low[1], high[0], high[1]]
            }
            _ => {
                let delta = u32::from_le_bytes(delta).rotate_right(rotation);
                (u32::from_le_bytes(value) ^ delta).to_le_bytes()
            }
        };
        element[..4].copy_from_slice(&value);
    }
    last.copy_from_slice(&value);
    Ok(())
}
