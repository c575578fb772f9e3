//! The colouring itself: items, each in some groups; no two items of a group have the same colour.

/// A colour for each item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    /// The colour of each item, from 0 on.
    pub colours: Vec<u32>,
    /// Number of colours.
    pub count: u32,
}

impl Colouring {
    /// Number of items of each colour.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.count as usize];
        for &c in &self.colours {
            sizes[c as usize] += 1;
        }
        sizes
    }
}

/// Colours items greedily: those in the most groups first, among equals the first, each with the first colour that none
/// of its groups has yet. The same colours on every run. `groups_of` shows the groups of an item, each below `groups`.
pub fn greedy(
    items: usize,
    groups: usize,
    groups_of: impl Fn(usize, &mut dyn FnMut(u32)),
) -> Colouring {
    let mut sizes = vec![0u32; items];
    for (item, size) in sizes.iter_mut().enumerate() {
        groups_of(item, &mut |_| *size += 1);
    }
    let mut used = Used::new(groups);
    let mut colours = vec![0; items];
    let mut count = 0;
    for item in by_size(&sizes) {
        let colour = used.first_free(|f| groups_of(item as usize, f));
        groups_of(item as usize, &mut |g| used.set(g, colour));
        colours[item as usize] = colour;
        count = count.max(colour + 1);
    }
    Colouring { colours, count }
}

/// Items by falling size, equal ones in their order.
fn by_size(sizes: &[u32]) -> Vec<u32> {
    let most = sizes.iter().copied().max().unwrap_or(0);
    let place = |size: u32| (most - size) as usize;
    let mut starts = vec![0u32; most as usize + 2];
    for &size in sizes {
        starts[place(size) + 1] += 1;
    }
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    let mut order = vec![0; sizes.len()];
    for (item, &size) in sizes.iter().enumerate() {
        let at = &mut starts[place(size)];
        order[*at as usize] = item as u32;
        *at += 1;
    }
    order
}

/// The colours that each group has: bits in words, of which all groups have as many.
struct Used {
    words: usize,
    bits: Vec<u64>,
}

impl Used {
    fn new(groups: usize) -> Used {
        Used {
            words: 1,
            bits: vec![0; groups],
        }
    }

    /// The first colour that none of the groups has.
    fn first_free(&self, groups: impl Fn(&mut dyn FnMut(u32))) -> u32 {
        for word in 0..self.words {
            let mut taken = 0;
            groups(&mut |g| taken |= self.bits[g as usize * self.words + word]);
            if taken != u64::MAX {
                return 64 * word as u32 + taken.trailing_ones();
            }
        }
        64 * self.words as u32
    }

    fn set(&mut self, group: u32, colour: u32) {
        if colour as usize >= 64 * self.words {
            self.widen();
        }
        self.bits[group as usize * self.words + colour as usize / 64] |= 1 << (colour % 64);
    }

    /// Room for twice as many colours.
    fn widen(&mut self) {
        let wider = self.bits.chunks(self.words).flat_map(|row| {
            let zeroes = std::iter::repeat_n(0, self.words);
            row.iter().copied().chain(zeroes)
        });
        self.bits = wider.collect();
        self.words *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowded_group_takes_many_colours() {
        // 200 items in one group, and each in one of its own.
        let c = greedy(200, 201, |i, f| {
            f(0);
            f(i as u32 + 1);
        });
        assert_eq!(c.count, 200);
        assert_eq!(c.sizes(), vec![1; 200]);
        assert_eq!(c.colours, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn items_apart_share_a_colour() {
        let c = greedy(6, 6, |i, f| f(i as u32));
        assert_eq!((c.count, c.sizes()), (1, vec![6]));
        assert_eq!(greedy(0, 0, |_, _| {}).count, 0);
        // Without groups nothing is in the way.
        assert_eq!(greedy(3, 0, |_, _| {}).count, 1);
    }

    #[test]
    fn a_cycle_of_even_length_takes_two_colours() {
        let c = greedy(8, 8, |i, f| {
            f(i as u32);
            f((i as u32 + 1) % 8);
        });
        assert_eq!(c.count, 2);
    }
}
