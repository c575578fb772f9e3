//! Nodes that searches walk, made on an engine.

use crate::Error;
use crate::engine::{Buffer, Engine};
use crate::parallel::scan;
use rxmesh_kernels::algo::distance::search::{NODE_WORDS, WIDTH};
use rxmesh_kernels::algo::distance::wide::{
    FitNodes, LinkNodes, STRETCH_END, STRETCH_WORDS, SplitNodes,
};
use rxmesh_kernels::mem::Global;

/// A hierarchy of boxes over triangles along a curve, with eight children a node; level by level, the roots first.
#[derive(Debug)]
pub(super) struct WideNodes {
    /// Stretches of the nodes, [`STRETCH_WORDS`] words each, and room for more.
    pub(super) stretches: Buffer<u32>,
    /// [`NODE_WORDS`] words each.
    pub(super) nodes: Buffer<u32>,
    /// First node of each level, and the number of nodes.
    levels: Vec<u32>,
}

impl WideNodes {
    /// Cuts stretches of triangles, whose places along the curve are given in order, into nodes; each stretch, from
    /// one place to another, has a root. Boxes are not written.
    pub(super) fn new(
        engine: &Engine,
        codes: Global<u32>,
        roots: &[[u32; 2]],
    ) -> Result<WideNodes, Error> {
        let mut words = vec![0; STRETCH_WORDS as usize * roots.len()];
        for (stretch, [from, to]) in words.chunks_mut(STRETCH_WORDS as usize).zip(roots) {
            (stretch[0], stretch[STRETCH_END as usize]) = (*from, *to);
        }
        let (mut first, mut size) = (0, roots.len() as u32);
        let mut levels = vec![first];
        let likely = size + codes.len() / LIKELY_TRIANGLES;
        let room = |nodes: u32| STRETCH_WORDS as usize * nodes as usize;
        let mut stretches = engine.upload(&words)?.grown(room(likely))?;
        while size > 0 {
            let mut counts = engine.uninit::<u32>(size as usize)?;
            let kernel = SplitNodes {
                codes,
                stretches: stretches.global_mut(),
                first,
                counts: counts.global_mut(),
            };
            engine.launch_flat(size, kernel)?;
            let below = scan::exclusive(engine, &mut counts)?;
            let next = first + size;
            if below > 0 {
                if stretches.len() < room(next + below) {
                    stretches = stretches.grown(room(next + 2 * below))?;
                }
                let kernel = LinkNodes {
                    stretches: stretches.global_mut(),
                    first,
                    next,
                    counts: counts.global(),
                };
                engine.launch_flat(size, kernel)?;
            }
            levels.push(next);
            (first, size) = (next, below);
        }
        Ok(WideNodes {
            stretches,
            nodes: engine.uninit(NODE_WORDS as usize * first as usize)?,
            levels,
        })
    }

    /// Writes boxes and links, from the last level up, from the words of the triangles.
    pub(super) fn fit(&self, triangles: Global<u32>) -> Result<(), Error> {
        for level in self.levels.windows(2).rev() {
            let kernel = FitNodes {
                triangles,
                stretches: self.stretches.global(),
                first: level[0],
                nodes: self.nodes.global_mut(),
            };
            let size = level[1] - level[0];
            self.nodes.engine().launch_flat(WIDTH * size, kernel)?;
        }
        Ok(())
    }
}

/// Triangles a node of most surfaces, or fewer.
const LIKELY_TRIANGLES: u32 = 8;
