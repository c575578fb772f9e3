//! Blocks of one thread.

use super::{Block, Internal};

/// A block of one thread: the CPU engine's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solo;

// SAFETY: one thread, rank 0 of 1; a barrier of one thread has nothing to order (contract U1).
unsafe impl Block for Solo {
    const SOLO: bool = true;
    #[inline(always)]
    fn rank(self, _: Internal) -> u32 {
        0
    }
    #[inline(always)]
    fn size(self, _: Internal) -> u32 {
        1
    }
    #[inline(always)]
    fn sync(self, _: Internal) {}
}

/// Primes above 2^31: coprime to every smaller number, so no index needs a search for common divisors.
const PRIMES: [u32; 16] = [
    2212086131, 2395657379, 2512980629, 2670619843, 2797553351, 2843696771, 3080054819, 3161589617,
    3221288093, 3386408173, 3495860639, 3677543731, 3884862361, 3934956709, 4030355149, 4193052181,
];

/// Permutes `0..n` by a bijection: `i -> a * i + c mod n` with `a` coprime to `n`. Phases are shorter
/// than 2^31; longer ones begin elsewhere and keep their order. The shuffling test engine applies it to the indices of
/// a phase ([`super::Block::order`]).
#[inline]
pub fn permute(i: u32, n: u32, seed: u32) -> u32 {
    let a = match PRIMES[(crate::math::hash(seed ^ n) % 16) as usize] {
        prime if n < 1 << 31 => prime,
        _ => 1,
    };
    let c = crate::math::hash(seed.wrapping_add(0x9e37_79b9));
    ((u64::from(a) * u64::from(i) + u64::from(c)) % u64::from(n)) as u32
}

#[cfg(test)]
mod tests {
    use super::permute;
    use std::vec;

    #[test]
    fn permute_is_a_bijection() {
        for n in 1..200 {
            for seed in 0..5 {
                let mut seen = vec![false; n as usize];
                for i in 0..n {
                    seen[permute(i, n, seed) as usize] = true;
                }
                assert!(seen.iter().all(|&s| s), "n = {n}, seed = {seed}");
            }
        }
    }
}
