//! Makes one vertex of all corners at the same coordinates.

use glam::Vec3;

const EMPTY: u32 = u32::MAX;

/// Returns distinct points in the order of their first use, and the number of each corner's point.
///
/// Open addressing in one flat table of numbers: a general hash map needs several times the memory and time for
/// millions of corners. 0 and -0 are the same place; the first spelling stays.
pub(super) fn weld(corners: &[Vec3]) -> (Vec<Vec3>, Vec<u32>) {
    let mut bits = corners.len().max(4).ilog2().max(4);
    let mut table = vec![EMPTY; 1 << bits];
    let mut points: Vec<Vec3> = Vec::new();
    let mut ids = Vec::with_capacity(corners.len());
    for &c in corners {
        let mut slot = hash(c) >> (64 - bits);
        let id = loop {
            match table[slot as usize] {
                EMPTY => {
                    table[slot as usize] = points.len() as u32;
                    points.push(c);
                    break points.len() as u32 - 1;
                }
                id if points[id as usize] == c => break id,
                _ => slot = (slot + 1) & ((1 << bits) - 1),
            }
        };
        ids.push(id);
        if points.len() * 2 > table.len() {
            bits += 1;
            table = rebuilt(&points, bits);
        }
    }
    (points, ids)
}

fn rebuilt(points: &[Vec3], bits: u32) -> Vec<u32> {
    let mut table = vec![EMPTY; 1 << bits];
    for (id, &p) in points.iter().enumerate() {
        let mut slot = hash(p) >> (64 - bits);
        while table[slot as usize] != EMPTY {
            slot = (slot + 1) & ((1 << bits) - 1);
        }
        table[slot as usize] = id as u32;
    }
    table
}

/// Multiplies and folds, so that the high bits depend on every coordinate's every bit.
fn hash(p: Vec3) -> u64 {
    // Adding 0 turns -0 into 0.
    let [x, y, z] = p.to_array().map(|c| u64::from((c + 0.0).to_bits()));
    let mut h = (x << 32 | y).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 29) ^ z).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (h ^ (h >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
}
