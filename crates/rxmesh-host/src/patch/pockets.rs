//! Resolves the pockets that lie between full patches after the last growth.

use super::lloyd::Lloyd;
use super::shared::NONE;

impl<const N: usize> Lloyd<N> {
    /// Labels every face that the last growth left free. A large pocket becomes a patch (or several); a
    /// small one is united with a neighbour, and the two are cut by halves.
    pub(super) fn cut_pockets(&mut self) {
        if self.order.len() == self.adjacent.len() {
            return;
        }
        for face in 0..self.adjacent.len() as u32 {
            if self.label[face as usize] != NONE {
                continue;
            }
            let start = self.order.len();
            let label = self.take_free(face, self.limit);
            let size = self.sizes[label as usize];
            if size < self.limit / 4 {
                let pocket = self.order[start..].to_vec();
                if let Some(neighbour) = self.roomiest_neighbour(&pocket, label) {
                    self.share_evenly(neighbour, label);
                }
            }
        }
    }

    /// Makes a new patch of up to `limit` free faces around `seed`, and returns its label.
    fn take_free(&mut self, seed: u32, limit: u32) -> u32 {
        let label = self.sizes.len() as u32;
        let mut head = self.order.len();
        let start = head;
        self.label[seed as usize] = label;
        self.order.push(seed);
        while head < self.order.len() {
            for other in self.adjacent[self.order[head] as usize] {
                let taken = (self.order.len() - start) as u32;
                if other != NONE && self.label[other as usize] == NONE && taken < limit {
                    self.label[other as usize] = label;
                    self.order.push(other);
                }
            }
            head += 1;
        }
        self.sizes.push((self.order.len() - start) as u32);
        label
    }

    /// Returns the smallest patch beside some faces of patch `label`.
    fn roomiest_neighbour(&self, faces: &[u32], label: u32) -> Option<u32> {
        let beside = faces.iter().flat_map(|&f| self.adjacent[f as usize]);
        let labels = beside
            .filter(|&other| other != NONE)
            .map(|other| self.label[other as usize]);
        labels
            .filter(|&other| other != NONE && other != label)
            .min_by_key(|&other| (self.sizes[other as usize], other))
    }

    /// Unites two adjacent patches, and cuts them by halves again if they are too large for one.
    fn share_evenly(&mut self, a: u32, b: u32) {
        let both: Vec<u32> = (self.order.iter().copied())
            .filter(|&f| self.label[f as usize] == a || self.label[f as usize] == b)
            .collect();
        if both.len() as u32 <= self.limit {
            both.iter().for_each(|&f| self.label[f as usize] = a);
            self.sizes[a as usize] = both.len() as u32;
            self.sizes[b as usize] = 0;
            return;
        }
        let keep: Vec<u32> = both.iter().map(|&f| self.label[f as usize]).collect();
        if !self.halve(&both, a, b) {
            for (&face, &label) in both.iter().zip(&keep) {
                self.label[face as usize] = label;
            }
        }
    }

    /// Gives the half of `faces` nearest to a far end to `a` and the rest to `b`, with loose ends of the
    /// rest back to `a`. False if that leaves a patch that is too large or not contiguous.
    fn halve(&mut self, faces: &[u32], a: u32, b: u32) -> bool {
        let all = faces.len();
        let reached = self.walk(faces, faces[0], all);
        if reached.len() < all {
            return false;
        }
        let far = reached[all - 1];
        let first = self.walk(faces, far, all / 2).to_vec();
        self.mark(&first, a);
        let mut rest: Vec<Vec<u32>> = Vec::new();
        let mut left: Vec<u32> = (faces.iter().copied())
            .filter(|&f| self.label[f as usize] == NONE)
            .collect();
        while let Some(&seed) = left.first() {
            let part = self.walk(&left, seed, all).to_vec();
            self.mark(&part, b);
            left.retain(|&f| self.label[f as usize] == NONE);
            rest.push(part);
        }
        rest.sort_by_key(|part| std::cmp::Reverse(part.len()));
        let mut size = first.len();
        for part in &rest[1..] {
            let touches = part.iter().any(|&f| {
                let mut others = self.adjacent[f as usize].into_iter();
                others.any(|other| other != NONE && self.label[other as usize] == a)
            });
            if !touches {
                return false;
            }
            self.mark(part, a);
            size += part.len();
        }
        if size.max(rest[0].len()) as u32 > self.limit {
            return false;
        }
        self.sizes[a as usize] = size as u32;
        self.sizes[b as usize] = rest[0].len() as u32;
        true
    }

    fn mark(&mut self, faces: &[u32], label: u32) {
        faces.iter().for_each(|&f| self.label[f as usize] = label);
    }

    /// Walks breadth first through `faces` alone, from `seed`, until `count` are found. Leaves all of
    /// `faces` unlabelled and the found ones in `self.queue`.
    fn walk(&mut self, faces: &[u32], seed: u32, count: usize) -> &[u32] {
        const OPEN: u32 = NONE - 1;
        self.mark(faces, OPEN);
        self.queue.clear();
        self.queue.push(seed);
        self.label[seed as usize] = NONE;
        let mut head = 0;
        while head < self.queue.len() {
            for other in self.adjacent[self.queue[head] as usize] {
                if other != NONE && self.label[other as usize] == OPEN && self.queue.len() < count {
                    self.label[other as usize] = NONE;
                    self.queue.push(other);
                }
            }
            head += 1;
        }
        self.mark(faces, NONE);
        &self.queue
    }
}
