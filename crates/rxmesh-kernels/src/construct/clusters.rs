//! Clusters of neighbouring faces: some faces are drawn as seeds, and all clusters grow at the same pace over shared
//! edges. A face that no cluster reaches in the rounds there are is a cluster of its own.

use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::hash;
use crate::mem::{Global, GlobalMut};
use crate::repack::{NONE, RepackMesh};

kernel_list! {
    flat cluster_seed: ClusterSeed;
    flat cluster_grow: ClusterGrow;
    flat cluster_roots: ClusterRoots;
    flat cluster_label: ClusterLabel;
}

kernel! {
    /// Draws the seeds. An index a face.
    pub struct ClusterSeed: Flat {
        /// The face itself for a seed, [`NONE`] for others.
        pub root: GlobalMut<u32>,
        /// One of so many faces is a seed.
        pub one_of: u32,
    }
}

// SAFETY: indices of one launch write apart (contracts U3, U4).
unsafe impl FlatKernel for ClusterSeed {
    #[inline(always)]
    fn run(&self, f: u32) {
        let drawn = hash(f).is_multiple_of(self.one_of);
        self.root.set(f, if drawn { f } else { NONE });
    }
}

kernel! {
    /// A face that belongs nowhere takes a seed of its neighbours'; among several, lots decide. An index a face.
    pub struct ClusterGrow: Flat {
        /// The mesh; its labels are the seeds of the round before.
        pub flat: RepackMesh,
        /// The seeds after this round.
        pub root: GlobalMut<u32>,
        /// Number of the round.
        pub round: u32,
    }
}

// SAFETY: indices of one launch write apart, and read what an earlier launch wrote (contracts U3, U4).
unsafe impl FlatKernel for ClusterGrow {
    #[inline(always)]
    fn run(&self, f: u32) {
        let flat = &self.flat;
        let mut root = flat.label.get(f);
        if root == NONE {
            let (mut lowest, mut k) = ((NONE, NONE), 0);
            while k < 3 {
                let edge = flat.fe.get(3 * f + k) >> 1;
                let other = flat.across(edge, f).unwrap_or(NONE);
                if other != NONE {
                    let offer = flat.label.get(other);
                    if offer != NONE {
                        lowest = lowest.min((hash(offer ^ self.round), offer));
                    }
                }
                k += 1;
            }
            root = lowest.1;
        }
        self.root.set(f, root);
    }
}

kernel! {
    /// Which faces name a cluster, as ones and zeroes. An index a face.
    pub struct ClusterRoots: Flat {
        /// The seeds, or [`NONE`].
        pub root: Global<u32>,
        /// A word a face.
        pub names: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart (contracts U3, U4).
unsafe impl FlatKernel for ClusterRoots {
    #[inline(always)]
    fn run(&self, f: u32) {
        let root = self.root.get(f);
        self.names.set(f, u32::from(root == f || root == NONE));
    }
}

kernel! {
    /// Labels from 0 on. An index a face.
    pub struct ClusterLabel: Flat {
        /// The seeds, or [`NONE`].
        pub root: Global<u32>,
        /// Clusters named by faces before each face.
        pub number: Global<u32>,
        /// The labels.
        pub label: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart (contracts U3, U4).
unsafe impl FlatKernel for ClusterLabel {
    #[inline(always)]
    fn run(&self, f: u32) {
        let root = self.root.get(f);
        let name = if root == NONE { f } else { root };
        self.label.set(f, self.number.get(name));
    }
}
