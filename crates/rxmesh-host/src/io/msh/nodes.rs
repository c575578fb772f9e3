//! `$Nodes`.

use super::super::error::Fault;
use super::read::{MshReader, Version};

impl MshReader<'_> {
    pub(super) fn nodes(&mut self, version: Version) -> Result<(), Fault> {
        let at = self.source.at();
        match version {
            Version::V2 => self.nodes_2(at, false)?,
            Version::V40 | Version::V41 => self.node_blocks(version)?,
        }
        self.sort_nodes(at)
    }

    /// Reads `$ParametricNodes` of version 2: after the position the dimension and the number of the entity that a
    /// node lies on, and on curves and surfaces its parameters.
    pub(super) fn parametric_nodes(&mut self) -> Result<(), Fault> {
        let at = self.source.at();
        self.nodes_2(at, true)?;
        self.sort_nodes(at)
    }

    fn sort_nodes(&mut self, at: usize) -> Result<(), Fault> {
        if self.volume.points.len() > crate::mesh::MAX_VERTICES {
            return Err(self
                .source
                .fault(at, "more vertices than 32-bit ids can name"));
        }
        let twice = |tag| self.source.fault(at, format!("node {tag} is there twice"));
        self.nodes.sort().map_err(twice)
    }

    /// Reads nodes of version 2; their number is text, also in binary files.
    fn nodes_2(&mut self, at: usize, parametric: bool) -> Result<(), Fault> {
        let (_, n) = self.source.tokens.whole("the number of nodes")?;
        if self.source.binary.is_some() {
            self.source.begin();
        }
        let n = self.source.count(at, n, "the number of nodes", [8, 28])?;
        self.volume.points.reserve(n);
        self.nodes.reserve(n);
        for _ in 0..n {
            let tag = self.source.int("the number of a node")?;
            self.nodes.push(tag);
            self.source.point(&mut self.volume.points)?;
            if parametric {
                self.pass_parameters()?;
            }
        }
        Ok(())
    }

    /// Passes over the place of a node on its entity: in text the rest of the line.
    fn pass_parameters(&mut self) -> Result<(), Fault> {
        if self.source.binary.is_none() {
            self.source.begin();
            return Ok(());
        }
        let at = self.source.at();
        let dimension = self.source.int("the dimension of an entity")?;
        if !(0..=3).contains(&dimension) {
            let what = format!("an entity has 0 to 3 dimensions, not {dimension}");
            return Err(self.source.fault(at, what));
        }
        self.source.int("an entity")?;
        let parameters = if dimension == 3 { 0 } else { dimension };
        (0..parameters).try_for_each(|_| self.source.real("a parameter").map(drop))
    }

    fn node_blocks(&mut self, version: Version) -> Result<(), Fault> {
        let at = self.source.at();
        let blocks = self.source.size("the number of blocks")?;
        let blocks = self
            .source
            .count(at, blocks, "the number of blocks", [8, 12])?;
        let at = self.source.at();
        let n = self.source.size("the number of nodes")?;
        let n = self.source.count(at, n, "the number of nodes", [8, 24])?;
        if version == Version::V41 {
            self.source.size("the smallest number of a node")?;
            self.source.size("the largest number of a node")?;
        }
        self.volume.points.reserve(n);
        self.nodes.reserve(n);
        for _ in 0..blocks {
            self.node_block(version)?;
        }
        match self.nodes.len() == n {
            true => Ok(()),
            false => {
                let what = format!(
                    "{n} nodes are promised, the blocks have {}",
                    self.nodes.len()
                );
                Err(self.source.fault(at, what))
            }
        }
    }

    fn node_block(&mut self, version: Version) -> Result<(), Fault> {
        let first = self.source.int("an entity")?;
        let second = self.source.int("an entity")?;
        let dimension = if version == Version::V41 {
            first
        } else {
            second
        };
        let parametric = self.source.int("whether nodes are parametric")? != 0;
        let at = self.source.at();
        let n = self.source.size("the number of nodes of a block")?;
        let n = self
            .source
            .count(at, n, "the number of nodes of a block", [8, 28])?;
        let parameters = match parametric {
            true => dimension.clamp(0, 3),
            false => 0,
        };
        let point = |reader: &mut Self| {
            reader.source.point(&mut reader.volume.points)?;
            (0..parameters).try_for_each(|_| reader.source.real("a parameter").map(drop))
        };
        if version == Version::V40 {
            for _ in 0..n {
                let tag = self.source.int("the number of a node")?;
                self.nodes.push(tag);
                point(self)?;
            }
            return Ok(());
        }
        for _ in 0..n {
            let tag = self.source.size("the number of a node")?;
            self.nodes.push(tag);
        }
        (0..n).try_for_each(|_| point(self))
    }
}
