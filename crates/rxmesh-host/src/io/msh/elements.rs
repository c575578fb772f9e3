//! `$Elements`.

use super::super::error::Fault;
use super::read::{Reader, Version};

/// Nodes of an element of a type, and what such elements are called, `None` for tetrahedra.
fn kind(number: i64) -> Option<(usize, Option<&'static str>)> {
    let (lines, triangles, quads) = (Some("lines"), Some("triangles"), Some("quadrilaterals"));
    let (hexahedra, prisms, pyramids) = (Some("hexahedra"), Some("prisms"), Some("pyramids"));
    Some(match number {
        1 => (2, lines),
        2 => (3, triangles),
        3 => (4, quads),
        4 => (4, None),
        5 => (8, hexahedra),
        6 => (6, prisms),
        7 => (5, pyramids),
        8 => (3, lines),
        9 => (6, triangles),
        10 => (9, quads),
        11 => (10, None),
        12 => (27, hexahedra),
        13 => (18, prisms),
        14 => (14, pyramids),
        15 => (1, Some("points")),
        16 => (8, quads),
        17 => (20, hexahedra),
        18 => (15, prisms),
        19 => (13, pyramids),
        20 => (9, triangles),
        21 => (10, triangles),
        22 => (12, triangles),
        23 | 24 => (15, triangles),
        25 => (21, triangles),
        26 => (4, lines),
        27 => (5, lines),
        28 => (6, lines),
        29 => (20, None),
        30 => (35, None),
        31 => (56, None),
        36 => (16, quads),
        37 => (25, quads),
        38 => (36, quads),
        92 => (64, hexahedra),
        93 => (125, hexahedra),
        _ => return None,
    })
}

/// Elements that follow each other and are alike.
struct Block {
    nodes: usize,
    name: Option<&'static str>,
    count: usize,
    tags: usize,
}

impl Reader<'_> {
    pub(super) fn elements(&mut self, version: Version) -> Result<(), Fault> {
        let at = self.source.at();
        match (version, self.source.binary) {
            (Version::V2, None) => self.element_lines()?,
            (Version::V2, Some(_)) => self.element_runs()?,
            _ => self.element_blocks(version)?,
        }
        if self.volume.cells.len() > crate::mesh::MAX_CELLS {
            return Err(self
                .source
                .fault(at, "more tetrahedra than 32-bit ids can name"));
        }
        let twice = |tag| {
            self.source
                .fault(at, format!("element {tag} is there twice"))
        };
        self.elements.sort().map_err(twice)
    }

    fn kind(&self, at: usize, number: i64) -> Result<(usize, Option<&'static str>), Fault> {
        let unknown = || {
            self.source
                .fault(at, format!("elements of type {number} are not known"))
        };
        kind(number).ok_or_else(unknown)
    }

    /// Version 2 as text: a line an element.
    fn element_lines(&mut self) -> Result<(), Fault> {
        let at = self.source.at();
        let n = self.source.int("the number of elements")?;
        let n = self.source.count(at, n, "the number of elements", [8, 8])?;
        for _ in 0..n {
            let tag = self.source.int("the number of an element")?;
            let at = self.source.at();
            let number = self.source.int("the type of an element")?;
            let (nodes, name) = self.kind(at, number)?;
            let at = self.source.at();
            let tags = self.source.int("the number of tags")?;
            let block = Block {
                nodes,
                name,
                count: 1,
                tags: self.source.count(at, tags, "the number of tags", [2, 4])?,
            };
            self.element_2(tag, &block)?;
            self.volume
                .pass(name.unwrap_or_default(), u64::from(name.is_some()));
        }
        Ok(())
    }

    /// Version 2 in bytes: runs of elements of one type. Their number in all is text.
    fn element_runs(&mut self) -> Result<(), Fault> {
        let at = self.source.at();
        let (_, n) = self.source.tokens.whole("the number of elements")?;
        self.source.begin();
        let n = self.source.count(at, n, "the number of elements", [8, 8])?;
        let mut done = 0;
        while done < n {
            let at = self.source.at();
            let number = self.source.int("the type of elements")?;
            let (nodes, name) = self.kind(at, number)?;
            let (follow, tags) = (self.source.int("a count")?, self.source.int("a count")?);
            let tags = self.source.count(at, tags, "the number of tags", [2, 4])?;
            let size = 4 * (1 + tags + nodes);
            let count = self
                .source
                .count(at, follow, "the number of elements", [size, size])?;
            if count == 0 || done + count > n {
                let what = format!("{count} elements follow, but {} are left", n - done);
                return Err(self.source.fault(at, what));
            }
            let block = Block {
                nodes,
                name,
                count,
                tags,
            };
            for _ in 0..count {
                let tag = self.source.int("the number of an element")?;
                self.element_2(tag, &block)?;
            }
            self.volume.pass(
                name.unwrap_or_default(),
                match name {
                    Some(_) => count as u64,
                    None => 0,
                },
            );
            done += count;
        }
        Ok(())
    }

    /// The rest of an element of version 2: tags, nodes.
    fn element_2(&mut self, tag: i64, block: &Block) -> Result<(), Fault> {
        let mut tags = [0; 2];
        for k in 0..block.tags {
            let value = self.source.int("a tag")?;
            if let Some(t) = tags.get_mut(k) {
                *t = value;
            }
        }
        self.corners(tag, block, tags)
    }

    fn element_blocks(&mut self, version: Version) -> Result<(), Fault> {
        let at = self.source.at();
        let blocks = self.source.size("the number of blocks")?;
        let blocks = self
            .source
            .count(at, blocks, "the number of blocks", [8, 12])?;
        let at = self.source.at();
        let n = self.source.size("the number of elements")?;
        let n = self.source.count(at, n, "the number of elements", [4, 8])?;
        if version == Version::V41 {
            self.source.size("the smallest number of an element")?;
            self.source.size("the largest number of an element")?;
        }
        let mut done = 0;
        for _ in 0..blocks {
            done += self.element_block(version)?;
        }
        match done == n {
            true => Ok(()),
            false => {
                let what = format!("{n} elements are promised, the blocks have {done}");
                Err(self.source.fault(at, what))
            }
        }
    }

    fn element_block(&mut self, version: Version) -> Result<usize, Fault> {
        let (first, second) = (self.source.int("an entity")?, self.source.int("an entity")?);
        let [dimension, entity] = match version {
            Version::V41 => [first, second],
            _ => [second, first],
        };
        let at = self.source.at();
        let number = self.source.int("the type of elements")?;
        let (nodes, name) = self.kind(at, number)?;
        let at = self.source.at();
        let count = self.source.size("the number of elements of a block")?;
        let least = [2 * (1 + nodes), 4 * (1 + nodes)];
        let count = self
            .source
            .count(at, count, "the number of elements of a block", least)?;
        let block = Block {
            nodes,
            name,
            count,
            tags: 0,
        };
        let region = self.groups.find(dimension, entity);
        for _ in 0..block.count {
            let tag = match version {
                Version::V41 => self.source.size("the number of an element")?,
                _ => self.source.int("the number of an element")?,
            };
            self.corners(tag, &block, [region, entity])?;
        }
        self.volume.pass(
            name.unwrap_or_default(),
            match name {
                Some(_) => count as u64,
                None => 0,
            },
        );
        Ok(count)
    }

    /// The nodes of an element, kept if it is a tetrahedron.
    fn corners(
        &mut self,
        tag: i64,
        block: &Block,
        [region, entity]: [i64; 2],
    ) -> Result<(), Fault> {
        let mut nodes = [0u32; 125];
        for v in &mut nodes[..block.nodes] {
            let at = self.source.at();
            let node = match self.version {
                Some(Version::V41) => self.source.size("a node")?,
                _ => self.source.int("a node")?,
            };
            if block.name.is_none() {
                let missing = || {
                    let what =
                        format!("element {tag} names node {node}, which is not there before it");
                    self.source.fault(at, what)
                };
                *v = self.nodes.find(node).ok_or_else(missing)?;
            }
        }
        if block.name.is_some() {
            return Ok(());
        }
        self.volume.tetrahedron(&nodes[..block.nodes]);
        self.elements.push(tag);
        // Tags are of 32 bits in the format.
        self.regions.push(region as i32);
        self.entities.push(entity as i32);
        Ok(())
    }
}
