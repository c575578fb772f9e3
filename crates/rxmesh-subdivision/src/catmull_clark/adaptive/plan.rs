//! Quadtrees of cells, and the list of patches.

use super::super::kept::SurfaceFaces;
use super::super::quads::Creased;
use crate::launch::Launch;
use crate::sums;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::adaptive::blocks;
use rxmesh_subdivision_kernels::catmull_clark::adaptive::cells::Rules;
use rxmesh_subdivision_kernels::catmull_clark::adaptive::patches;
use rxmesh_subdivision_kernels::catmull_clark::adaptive::plan::{
    ListCells, LookAtCells, MarkCorners, MarkKept, NODE_WORDS, PATCH_WORDS,
};
use rxmesh_subdivision_kernels::catmull_clark::{ComponentCount, Three};
use rxmesh_subdivision_kernels::topology::NONE;

/// Trees and patches on the engine; their fields are those of [`ListCells`].
#[derive(Debug)]
pub(super) struct Plan {
    /// First node of each level, and the end of the last.
    starts: Vec<u32>,
    patch_count: u32,
    pub(super) nodes: Buffer<u32>,
    patches: Buffer<u32>,
    pub(super) roots: Buffer<u32>,
    pub(super) quarters: Buffer<u32>,
    pub(super) rows: Buffer<u32>,
    pub(super) chains: Buffer<u32>,
}

impl Plan {
    pub(super) fn new(base: &Creased, kept: &SurfaceFaces, depth: u32) -> Result<Plan, Error> {
        let engine = base.mesh.engine();
        let faces = base.mesh.face_count();
        let rules = Rules {
            mesh: base.mesh.topology(),
            creases: base.creases(),
            depth,
        };
        let marks = marks(engine, kept, faces)?;
        let (rows, irregular) = rows(engine, rules, base.mesh.corner_count())?;
        let mut plan = Plan {
            starts: vec![0],
            patch_count: 0,
            nodes: engine.zeroed(0)?,
            patches: engine.zeroed(0)?,
            roots: engine.upload(&vec![NONE; faces as usize])?,
            quarters: engine.zeroed(0)?,
            rows,
            chains: engine.zeroed(irregular as usize * depth as usize)?,
        };
        let (mut level, mut cells) = (0, faces);
        while cells > 0 {
            cells = 4 * plan.add_level(engine, rules, &marks, level, cells)?;
            level += 1;
        }
        Ok(plan)
    }

    /// Classifies the cells of a level and lists them; returns the number of nodes among them.
    fn add_level(
        &mut self,
        engine: &Engine,
        rules: Rules,
        kept: &Buffer<u32>,
        level: u32,
        cells: u32,
    ) -> Result<u32, Error> {
        let n = cells as usize;
        let (kinds, nodes, patches) = (engine.zeroed(n)?, engine.zeroed(n)?, engine.zeroed(n)?);
        let first_node = self.node_count();
        // First node of the previous level.
        let first = level
            .checked_sub(1)
            .map_or(0, |before| self.starts[before as usize]);
        let look = LookAtCells {
            rules,
            level,
            first,
            nodes: self.nodes.global(),
            kept: view(kept),
            kinds: kinds.global_mut(),
            node: nodes.global_mut(),
            patch: patches.global_mut(),
        };
        engine.launch_flat(cells, look)?;
        let more_nodes = sums::exclusive(engine, &nodes)?;
        let more_patches = sums::exclusive(engine, &patches)?;
        let node_count = first_node as u64 + u64::from(more_nodes);
        let patch_count = u64::from(self.patch_count) + u64::from(more_patches);
        check(node_count, patch_count)?;
        self.nodes = self
            .nodes
            .grown(node_count as usize * NODE_WORDS as usize)?;
        self.quarters = self.quarters.grown(4 * node_count as usize)?;
        self.patches = self
            .patches
            .grown(patch_count as usize * PATCH_WORDS as usize)?;
        let list = ListCells {
            rules,
            level,
            first,
            kinds: kinds.global(),
            nodes_before: nodes.global(),
            patches_before: patches.global(),
            first_node,
            first_patch: self.patch_count,
            nodes: self.nodes.global_mut(),
            patches: self.patches.global_mut(),
            roots: self.roots.global_mut(),
            quarters: self.quarters.global_mut(),
            rows: self.rows.global(),
            chains: self.chains.global_mut(),
        };
        engine.launch_flat(cells, list)?;
        self.starts.push(node_count as u32);
        self.patch_count = patch_count as u32;
        Ok(more_nodes)
    }

    /// Returns the first node and the number of nodes of each level that has any.
    pub(super) fn levels(&self) -> impl Iterator<Item = (u32, u32)> {
        let pairs = self.starts.windows(2);
        pairs.map(|p| (p[0], p[1] - p[0])).filter(|&(_, n)| n > 0)
    }

    pub(super) fn node_count(&self) -> u32 {
        *self.starts.last().unwrap_or(&0)
    }

    pub(super) fn patch_count(&self) -> u32 {
        self.patch_count
    }

    pub(super) fn patches(&self) -> &Buffer<u32> {
        &self.patches
    }

    pub(super) fn bytes(&self) -> u64 {
        let all = [
            &self.nodes,
            &self.patches,
            &self.roots,
            &self.quarters,
            &self.rows,
            &self.chains,
        ];
        all.iter().map(|b| 4 * b.len() as u64).sum()
    }
}

/// Refuses sizes that 32 bits cannot address.
fn check(nodes: u64, patches: u64) -> Result<(), Error> {
    let most = u64::from(u32::MAX);
    let node = u64::from(blocks::POINTS * Three::N);
    let patch = u64::from(patches::POINTS * Three::N);
    for (what, count, limit) in [
        ("cells that are divided", nodes, most / node),
        ("patches", patches, most / patch),
    ] {
        if count > limit {
            return Err(Error::TooLarge { what, count, limit });
        }
    }
    Ok(())
}

/// Returns marks of the quads that are part of the surface; an empty buffer when all are.
fn marks(engine: &Engine, kept: &SurfaceFaces, faces: u32) -> Result<Buffer<u32>, Error> {
    let quads = kept.view();
    if quads.is_empty() && kept.count() == faces {
        return Ok(engine.zeroed(0)?);
    }
    let marks = engine.zeroed(faces as usize)?;
    let kernel = MarkKept {
        quads,
        marks: marks.global_mut(),
    };
    engine.launch_flat(kept.count(), kernel)?;
    Ok(marks)
}

/// Numbers the corners at irregular vertices, and returns their count; there is one entry more than corners.
fn rows(engine: &Engine, rules: Rules, corners: u32) -> Result<(Buffer<u32>, u32), Error> {
    let rows = engine.zeroed(corners as usize + 1)?;
    let kernel = MarkCorners {
        rules,
        marks: rows.global_mut(),
    };
    engine.launch_flat(corners, kernel)?;
    let count = sums::exclusive(engine, &rows)?;
    Ok((rows, count))
}

fn view(buffer: &Buffer<u32>) -> Global<u32> {
    if buffer.is_empty() {
        Global::empty()
    } else {
        buffer.global()
    }
}
