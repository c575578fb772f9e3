//! Lloyd rounds inside one region (RXMesh 2021, section 6.3 and Appendix C), of simplices with `N` corners: faces (3),
//! of which the comments speak, or the cells of a volume (4).
//!
//! As in the paper, a round grows all patches breadth first from their seeds and then moves each
//! seed to the face reached last when walking inwards from the patch's border. Two changes make
//! fewer and fuller patches in fewer rounds:
//!
//! - the first seeds are the centres of patches cut off greedily, not random faces;
//! - a patch that was too large starts a little later in the next round, one that was too small
//!   earlier (a quarter of a step is the unit), which evens out the sizes where plain rounds
//!   plateau.
//!
//! The last growth stops each patch at the limit; neighbours with capacity left take the rest. The rare pockets between
//! full patches are cut by halves ([`super::pockets`]), so that the work always ends.

use super::shared::NONE;

/// One region's faces in a patch order: the result of [`Lloyd::partition`].
pub(super) struct Partition {
    /// Local faces, by patch.
    pub(super) order: Vec<u32>,
    /// Start of each patch in `order`; the total at the end.
    pub(super) starts: Vec<u32>,
}

/// Steps of a growth are cut into this many phases.
const PHASES: usize = 4;
/// Average fill of a patch, as a part of the patch size, below 1 so that the last growth has capacity left.
pub(super) const FILL: f32 = 0.90;
/// Rounds of growing and centring before the last growth, of faces.
pub(super) const ROUNDS: u32 = 2;

/// Buffers for one region at a time; kept by a thread from region to region.
#[derive(Default)]
pub(super) struct Lloyd<const N: usize> {
    /// Neighbours of each local face, [`NONE`] beyond the region.
    pub(super) adjacent: Vec<[u32; N]>,
    pub(super) label: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    /// Faces in the order in which they were reached.
    pub(super) order: Vec<u32>,
    pub(super) queue: Vec<u32>,
    pub(super) limit: u32,
    seeds: Vec<u32>,
    delays: Vec<u32>,
    border: Vec<u32>,
    visited: Vec<bool>,
    by_delay: Vec<u32>,
    fronts: [Vec<u32>; PHASES],
    reached: Vec<u32>,
}

impl<const N: usize> Lloyd<N> {
    /// As [`ROUNDS`]. Balls take longer than discs to become even.
    const ROUNDS: u32 = if N == 3 { ROUNDS } else { 6 };

    /// Cuts the region in `self.adjacent` into patches of at most `limit` faces.
    pub(super) fn partition(&mut self, limit: u32) -> Partition {
        let faces = self.adjacent.len() as u32;
        self.limit = limit;
        if faces <= limit {
            return self.single();
        }
        let target = (limit as f32 * FILL).max(1.0);
        let patches = ((faces as f32 / target).ceil() as u32).max(2);
        self.first_seeds(patches);
        for round in 0..Self::ROUNDS {
            self.assign(u32::MAX);
            self.centre();
            if round > 0 {
                self.update_delays();
            }
        }
        self.assign(limit);
        self.cut_pockets();
        self.sorted()
    }

    /// Puts all faces in one patch, breadth first.
    fn single(&mut self) -> Partition {
        let faces = self.adjacent.len();
        self.visited.clear();
        self.visited.resize(faces, false);
        let mut order = Vec::with_capacity(faces);
        for face in 0..faces {
            let mut head = order.len();
            if !self.visited[face] {
                self.visited[face] = true;
                order.push(face as u32);
            }
            while head < order.len() {
                for other in self.adjacent[order[head] as usize] {
                    if other != NONE && !std::mem::replace(&mut self.visited[other as usize], true)
                    {
                        order.push(other);
                    }
                }
                head += 1;
            }
        }
        Partition {
            order,
            starts: vec![0, faces as u32],
        }
    }

    /// Cuts patches of equal size off greedily; the largest become the first seeds.
    fn first_seeds(&mut self, patches: u32) {
        let faces = self.adjacent.len();
        let target = faces as u32 / patches;
        self.label.clear();
        self.label.resize(faces, NONE);
        self.order.clear();
        let start = self.far_face();
        let (mut candidates, mut head) = (vec![start], 0);
        let mut cut: Vec<(u32, u32)> = Vec::new();
        let mut sweep = 0;
        loop {
            let seed = if head < candidates.len() {
                head += 1;
                candidates[head - 1]
            } else if sweep < faces {
                sweep += 1;
                sweep as u32 - 1
            } else {
                break;
            };
            if self.label[seed as usize] == NONE {
                let from = self.order.len();
                self.cut_off(seed, cut.len() as u32, target, &mut candidates);
                let size = self.order.len() - from;
                cut.push((size as u32, self.order[from + size / 2]));
            }
        }
        cut.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
        cut.truncate(patches as usize);
        self.seeds.clear();
        self.seeds.extend(cut.iter().map(|&(_, seed)| seed));
        self.delays.clear();
        self.delays.resize(self.seeds.len(), 0);
    }

    /// Returns the face reached last from face 0.
    fn far_face(&mut self) -> u32 {
        self.visited.clear();
        self.visited.resize(self.adjacent.len(), false);
        self.queue.clear();
        self.queue.push(0);
        self.visited[0] = true;
        let mut head = 0;
        while head < self.queue.len() {
            for other in self.adjacent[self.queue[head] as usize] {
                if other != NONE && !std::mem::replace(&mut self.visited[other as usize], true) {
                    self.queue.push(other);
                }
            }
            head += 1;
        }
        self.queue[head - 1]
    }

    /// Labels up to `size` free faces around `seed`; the free faces beyond become candidates.
    fn cut_off(&mut self, seed: u32, label: u32, size: u32, candidates: &mut Vec<u32>) {
        let mut head = self.order.len();
        let end = head + size as usize;
        self.label[seed as usize] = label;
        self.order.push(seed);
        while head < self.order.len() {
            for other in self.adjacent[self.order[head] as usize] {
                if other == NONE || self.label[other as usize] != NONE {
                    continue;
                }
                if self.order.len() < end {
                    self.label[other as usize] = label;
                    self.order.push(other);
                } else {
                    candidates.push(other);
                }
            }
            head += 1;
        }
    }

    /// Grows all patches at once, each to at most `limit` faces.
    fn assign(&mut self, limit: u32) {
        let patches = self.seeds.len();
        self.label.fill(NONE);
        self.sizes.clear();
        self.sizes.resize(patches, 1);
        self.order.clear();
        self.border.clear();
        for (patch, &seed) in self.seeds.iter().enumerate() {
            self.label[seed as usize] = patch as u32;
        }
        self.by_delay.clear();
        self.by_delay.extend(0..patches as u32);
        let delays = &self.delays;
        self.by_delay.sort_by_key(|&patch| delays[patch as usize]);
        let (mut waiting, mut time) = (0, 0);
        loop {
            while waiting < patches && self.delays[self.by_delay[waiting] as usize] <= time {
                let seed = self.seeds[self.by_delay[waiting] as usize];
                self.fronts[time as usize % PHASES].push(seed);
                waiting += 1;
            }
            self.advance(time as usize % PHASES, limit);
            time += 1;
            if self.fronts.iter().all(Vec::is_empty) {
                match self.by_delay.get(waiting) {
                    Some(&patch) => time = self.delays[patch as usize],
                    None => break,
                }
            }
        }
    }

    /// Moves one front a step outwards. A face's neighbours are all settled after its turn, so that
    /// this is where border faces are found.
    fn advance(&mut self, phase: usize, limit: u32) {
        let front = std::mem::take(&mut self.fronts[phase]);
        let mut reached = std::mem::take(&mut self.reached);
        let labels = &mut self.label[..];
        let (adjacent, sizes) = (&self.adjacent[..labels.len()], &mut self.sizes[..]);
        for &face in &front {
            let patch = labels[face as usize];
            let size = &mut sizes[patch as usize];
            let mut border = false;
            for other in adjacent[face as usize] {
                let Some(label) = labels.get_mut(other as usize) else {
                    border = true;
                    continue;
                };
                if *label == NONE && *size < limit {
                    *label = patch;
                    *size += 1;
                    reached.push(other);
                } else {
                    border |= *label != patch;
                }
            }
            if border {
                self.border.push(face);
            }
        }
        self.order.extend_from_slice(&front);
        self.reached = front;
        self.reached.clear();
        self.fronts[phase] = reached;
    }

    /// Moves each seed to the face reached last when walking inwards from the border of its patch.
    fn centre(&mut self) {
        self.queue.clear();
        self.queue.extend_from_slice(&self.border);
        let (queue, labels, seeds) = (&mut self.queue, &mut self.label[..], &mut self.seeds[..]);
        let adjacent = &self.adjacent[..labels.len()];
        // A face that was visited has this bit in its label; nothing reads the labels afterwards.
        const VISITED: u32 = 1 << 31;
        for &face in &*queue {
            labels[face as usize] |= VISITED;
        }
        let mut head = 0;
        while let Some(&face) = queue.get(head) {
            head += 1;
            let patch = labels[face as usize] & !VISITED;
            seeds[patch as usize] = face;
            for other in adjacent[face as usize] {
                if let Some(label) = labels.get_mut(other as usize)
                    && *label == patch
                {
                    *label |= VISITED;
                    queue.push(other);
                }
            }
        }
    }

    /// Lets large patches start later and small ones earlier.
    fn update_delays(&mut self) {
        let mean = self.adjacent.len() as f32 / self.sizes.len() as f32;
        // A disc of n faces has a radius of about sqrt(n / 1.5) steps, a ball of n cells one of 1.5 cbrt(n).
        let radius = match N {
            3 => PHASES as f32 * (mean / 1.5).sqrt(),
            _ => PHASES as f32 * 1.5 * mean.cbrt(),
        };
        let shift = |delay: u32, size: u32| {
            let error = (size as f32 / mean - 1.0).clamp(-0.8, 0.8);
            delay as i32 + (0.5 * radius * error).round() as i32
        };
        let pairs = || self.delays.iter().zip(&self.sizes);
        let least = pairs().map(|(&d, &s)| shift(d, s)).min().unwrap_or(0);
        let most = (1.5 * radius) as i32;
        let delays = pairs().map(|(&d, &s)| (shift(d, s) - least).min(most) as u32);
        self.delays = delays.collect();
    }

    /// Sorts the faces by patch, keeping the order in which they were reached.
    fn sorted(&self) -> Partition {
        let mut starts = vec![0; self.sizes.len() + 1];
        for &face in &self.order {
            starts[self.label[face as usize] as usize + 1] += 1;
        }
        for patch in 0..self.sizes.len() {
            starts[patch + 1] += starts[patch];
        }
        let mut cursor = starts.clone();
        let mut order = vec![0; self.order.len()];
        for &face in &self.order {
            let at = &mut cursor[self.label[face as usize] as usize];
            order[*at as usize] = face;
            *at += 1;
        }
        starts.dedup();
        Partition { order, starts }
    }
}
