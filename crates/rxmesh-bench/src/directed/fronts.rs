//! Distances along the surface by parallel fronts over directed edges.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_bench_kernels::fronts::FrontStep;
use rxmesh_bench_kernels::half_edges::NONE;
use rxmesh_host::engine::{Buffer, Engine};

use super::layout::HalfEdgeArrays;
use super::{DirectedEdges, next};

/// Steps before the counts start anew.
const STEPS: u32 = 1024;

/// Distances from one vertex. Levels of vertices by their number of edges from it are made before, as in the text.
pub(crate) struct DirectedFronts<'a, L> {
    engine: &'a Engine,
    layout: &'a L,
    x: Buffer<Vec3>,
    order: Buffer<u32>,
    /// Start of each level in the order, and the end.
    starts: Vec<u32>,
    /// Distances before the first step.
    far: Vec<f32>,
    distances: [Buffer<f32>; 2],
    unsettled: Buffer<u32>,
}

impl<'a, L: HalfEdgeArrays> DirectedFronts<'a, L> {
    pub(crate) fn new(
        engine: &'a Engine,
        layout: &'a L,
        mesh: &DirectedEdges,
        positions: &[Vec3],
        source: u32,
    ) -> Result<Self> {
        let (order, starts) = levels(mesh, source);
        let mut far = vec![f32::INFINITY; positions.len()];
        far[source as usize] = 0.0;
        Ok(Self {
            engine,
            layout,
            x: engine.upload(positions)?,
            order: engine.upload(&order)?,
            starts,
            distances: [engine.upload(&far)?, engine.upload(&far)?],
            unsettled: engine.zeroed(STEPS as usize)?,
            far,
        })
    }

    /// Sets the distances to those before the first step.
    pub(crate) fn reset(&mut self) -> Result<()> {
        for distances in &mut self.distances {
            distances.write(&self.far)?;
        }
        Ok(())
    }

    /// Steps until all levels are settled: the window of levels grows by one at its end in each step, and loses its
    /// first one when that is settled. Returns the number of steps.
    pub(crate) fn propagate(&mut self) -> Result<u32> {
        let levels = self.starts.len() as u32 - 1;
        let (mut first, mut end, mut steps) = (1, 2, 0);
        while first < levels {
            ensure!(steps < 64 * levels + 64, "the fronts do not end");
            end = levels.min(end);
            if steps % STEPS == 0 {
                self.unsettled.write(&[0; STEPS as usize])?;
            }
            let start = self.starts[first as usize];
            let [old, new] = &self.distances;
            let kernel = FrontStep {
                mesh: self.layout.view(),
                x: self.x.global(),
                order: self.order.global().from(start),
                old: old.global(),
                new: new.global_mut(),
                unsettled: self.unsettled.global_mut(),
                step: steps % STEPS,
                first: self.starts[first as usize + 1] - start,
            };
            let n = self.starts[end as usize] - start;
            // SAFETY: arrays of one mesh; the order has the levels' vertices, and steps have a count (contracts U3,
            // U4).
            unsafe { self.engine.run_flat(n, kernel)? };
            let count = self.unsettled.read_range((steps % STEPS) as usize, 1)?[0];
            self.distances.swap(0, 1);
            first += u32::from(count == 0);
            end += 1;
            steps += 1;
        }
        Ok(steps)
    }

    pub(crate) fn read(&self) -> Result<Vec<f32>> {
        Ok(self.distances[0].read()?)
    }
}

/// Returns the vertices by their number of edges from the source, and the start of each level and the end.
fn levels(mesh: &DirectedEdges, source: u32) -> (Vec<u32>, Vec<u32>) {
    let mut starts_of = vec![0u32; mesh.of_vertex.len() + 1];
    for h in 0..mesh.tails.len() as u32 {
        starts_of[mesh.tails[h as usize] as usize + 1] += 1;
        if mesh.twins[h as usize] == NONE {
            starts_of[mesh.tails[next(h) as usize] as usize + 1] += 1;
        }
    }
    for v in 0..mesh.of_vertex.len() {
        starts_of[v + 1] += starts_of[v];
    }
    let mut ends = starts_of.clone();
    let mut neighbours = vec![0u32; ends[mesh.of_vertex.len()] as usize];
    let mut add = |v: u32, w: u32| {
        let at = &mut ends[v as usize];
        neighbours[*at as usize] = w;
        *at += 1;
    };
    for h in 0..mesh.tails.len() as u32 {
        let [v, w] = [h, next(h)].map(|h| mesh.tails[h as usize]);
        add(v, w);
        if mesh.twins[h as usize] == NONE {
            add(w, v);
        }
    }
    let mut known = vec![false; mesh.of_vertex.len()];
    known[source as usize] = true;
    let (mut order, mut starts) = (vec![source], vec![0]);
    let mut done = 0;
    while done < order.len() {
        starts.push(order.len() as u32);
        for i in done..order.len() {
            let v = order[i] as usize;
            for &w in &neighbours[starts_of[v] as usize..starts_of[v + 1] as usize] {
                if !std::mem::replace(&mut known[w as usize], true) {
                    order.push(w);
                }
            }
        }
        done = starts[starts.len() - 1] as usize;
    }
    (order, starts)
}
