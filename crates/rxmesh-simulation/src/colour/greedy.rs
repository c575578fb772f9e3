//! Greedy colouring of items, each in some groups; no two items of a group have the same colour.

/// Colouring of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    /// Colour of each item, from 0 on.
    pub colours: Vec<u32>,
    /// Number of colours.
    pub count: u32,
}

impl Colouring {
    /// Returns the number of items of each colour.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.count as usize];
        for &c in &self.colours {
            sizes[c as usize] += 1;
        }
        sizes
    }
}

/// Colours items greedily (Brelaz, "New Methods to Color the Vertices of a Graph", 1979). The next item is always one
/// whose neighbours have the most different colours, of these the one that reached this number last, and it takes the
/// lowest colour that none of its groups has. The first is the item in the most groups. Every run gives the same
/// colours. `groups_of` calls its argument for each group of an item, each below `groups`.
pub fn greedy(
    items: usize,
    groups: usize,
    groups_of: impl Fn(usize, &mut dyn FnMut(u32)),
) -> Colouring {
    let members = Members::new(items, groups, &groups_of);
    let mut sizes = vec![0u32; items];
    for (item, size) in sizes.iter_mut().enumerate() {
        groups_of(item, &mut |_| *size += 1);
    }
    let mut queue = ColourQueue::new(by_size(&sizes));
    let mut used = Used::new(groups);
    let mut colours = vec![NONE; items];
    let mut count = 0;
    while let Some(item) = queue.next(&colours) {
        let colour = used.first_free(|f| groups_of(item as usize, f));
        colours[item as usize] = colour;
        count = count.max(colour + 1);
        groups_of(item as usize, &mut |g| {
            used.set(g, colour);
            members.of(g).iter().for_each(|&i| queue.meets(i, colour));
        });
    }
    Colouring { colours, count }
}

/// Marks an item without a colour.
const NONE: u32 = u32::MAX;

/// Items of each group.
struct Members {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Members {
    fn new(
        items: usize,
        groups: usize,
        groups_of: &impl Fn(usize, &mut dyn FnMut(u32)),
    ) -> Members {
        let mut starts = vec![0; groups + 1];
        for item in 0..items {
            groups_of(item, &mut |g| starts[g as usize + 1] += 1);
        }
        for g in 0..groups {
            starts[g + 1] += starts[g];
        }
        let (mut next, mut all) = (starts.clone(), vec![0; starts[groups]]);
        for item in 0..items {
            groups_of(item, &mut |g| {
                let at = &mut next[g as usize];
                all[*at] = item as u32;
                *at += 1;
            });
        }
        Members { starts, items: all }
    }

    fn of(&self, group: u32) -> &[u32] {
        let g = group as usize;
        &self.items[self.starts[g]..self.starts[g + 1]]
    }
}

/// Work queue of items by the number of different neighbour colours, of which it counts the first 64.
struct ColourQueue {
    met: Vec<u64>,
    /// Items by that number; an item whose number has grown since is in a later list too.
    lists: Vec<Vec<u32>>,
    most: usize,
}

impl ColourQueue {
    fn new(mut order: Vec<u32>) -> ColourQueue {
        order.reverse();
        let mut lists = vec![Vec::new(); 65];
        let met = vec![0; order.len()];
        lists[0] = order;
        ColourQueue {
            met,
            lists,
            most: 0,
        }
    }

    /// Records that a neighbour of an item has this colour.
    fn meets(&mut self, item: u32, colour: u32) {
        let (met, bit) = (&mut self.met[item as usize], 1u64 << (colour % 64));
        if colour < 64 && *met & bit == 0 {
            *met |= bit;
            let n = met.count_ones() as usize;
            self.lists[n].push(item);
            self.most = self.most.max(n);
        }
    }

    /// Takes out the next item without a colour.
    fn next(&mut self, colours: &[u32]) -> Option<u32> {
        loop {
            while let Some(item) = self.lists[self.most].pop() {
                let same = self.met[item as usize].count_ones() as usize == self.most;
                if same && colours[item as usize] == NONE {
                    return Some(item);
                }
            }
            self.most = self.most.checked_sub(1)?;
        }
    }
}

/// Sorts items by falling size, equal ones in their order.
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

/// Colours of each group: a bit set of the same number of words for every group.
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

    /// Returns the first colour that none of the groups has.
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

    /// Doubles the number of colours that the bit sets hold.
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
        // 200 items in one group, and each in another that holds nothing else.
        let c = greedy(200, 201, |i, f| {
            f(0);
            f(i as u32 + 1);
        });
        assert_eq!(c.count, 200);
        assert_eq!(c.sizes(), vec![1; 200]);
    }

    #[test]
    fn items_apart_share_a_colour() {
        let c = greedy(6, 6, |i, f| f(i as u32));
        assert_eq!((c.count, c.sizes()), (1, vec![6]));
        assert_eq!(greedy(0, 0, |_, _| {}).count, 0);
        // Without groups no item has a neighbour.
        assert_eq!(greedy(3, 0, |_, _| {}).count, 1);
    }

    /// Points of a grid whose cubes are cut into six tetrahedra each: four colours suffice, given by the sum of the
    /// coordinates. Greedy colouring in an arbitrary order takes nine.
    #[test]
    fn few_colours_do() {
        const N: u32 = 16;
        let id = |[x, y, z]: [u32; 3]| (x * N + y) * N + z;
        let mut cells = Vec::new();
        for at in
            (0..(N - 1).pow(3)).map(|k| [k / (N - 1).pow(2), k / (N - 1) % (N - 1), k % (N - 1)])
        {
            for axes in [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]] {
                let mut p = at;
                let mut cell = vec![id(p)];
                for axis in axes {
                    p[axis] += 1;
                    cell.push(id(p));
                }
                cell.push(id(at.map(|x| x + 1)));
                cells.push(cell);
            }
        }
        // Multiplication by an odd number permutes the ids.
        let of = |i: usize| (i as u32).wrapping_mul(1_327_217_885) % N.pow(3);
        let mut groups = vec![Vec::new(); N.pow(3) as usize];
        for (c, cell) in cells.iter().enumerate() {
            cell.iter().for_each(|&v| groups[v as usize].push(c as u32));
        }
        let all =
            |i: usize, f: &mut dyn FnMut(u32)| groups[of(i) as usize].iter().for_each(|&g| f(g));
        let c = greedy(groups.len(), cells.len(), all);
        assert_eq!(c.count, 4);
        for cell in &cells {
            let mut seen: Vec<u32> = cell
                .iter()
                .map(|&v| c.colours[(0..groups.len()).find(|&i| of(i) == v).unwrap()])
                .collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 4);
        }
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
