//! `$Elements`.

use super::super::error::Fault;
use super::read::{MshReader, Version};

/// Kinds of elements that differ in how they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MshElement {
    Tetrahedron,
    /// A face with this number of corners.
    Face(usize),
    /// Cells that are not kept.
    Cell(&'static str),
    /// Points and lines.
    Other(&'static str),
}

/// Returns the number of nodes of an element of a type, and its kind.
fn kind(number: i64) -> Option<(usize, MshElement)> {
    let (triangle, quad, lines) = (
        MshElement::Face(3),
        MshElement::Face(4),
        MshElement::Other("lines"),
    );
    let (hexahedra, prisms, pyramids) = (
        MshElement::Cell("hexahedra"),
        MshElement::Cell("prisms"),
        MshElement::Cell("pyramids"),
    );
    Some(match number {
        1 => (2, lines),
        2 => (3, triangle),
        3 => (4, quad),
        4 => (4, MshElement::Tetrahedron),
        5 => (8, hexahedra),
        6 => (6, prisms),
        7 => (5, pyramids),
        8 => (3, lines),
        9 => (6, triangle),
        10 => (9, quad),
        11 => (10, MshElement::Tetrahedron),
        12 => (27, hexahedra),
        13 => (18, prisms),
        14 => (14, pyramids),
        15 => (1, MshElement::Other("points")),
        16 => (8, quad),
        17 => (20, hexahedra),
        18 => (15, prisms),
        19 => (13, pyramids),
        20 => (9, triangle),
        21 => (10, triangle),
        22 => (12, triangle),
        23 | 24 => (15, triangle),
        25 => (21, triangle),
        26 => (4, lines),
        27 => (5, lines),
        28 => (6, lines),
        29 => (20, MshElement::Tetrahedron),
        30 => (35, MshElement::Tetrahedron),
        31 => (56, MshElement::Tetrahedron),
        36 => (16, quad),
        37 => (25, quad),
        38 => (36, quad),
        92 => (64, hexahedra),
        93 => (125, hexahedra),
        _ => return None,
    })
}

/// Elements that follow each other and are alike.
struct ElementBlock {
    nodes: usize,
    kind: MshElement,
    count: usize,
    tags: usize,
}

impl MshReader<'_> {
    pub(super) fn elements(&mut self, version: Version) -> Result<(), Fault> {
        let at = self.source.at();
        match (version, self.source.binary) {
            (Version::V2, None) => self.element_lines()?,
            (Version::V2, Some(_)) => self.element_runs()?,
            _ => self.element_blocks(version)?,
        }
        self.sorted(at)
    }

    /// Sorts the elements by their numbers for look-ups.
    fn sorted(&mut self, at: usize) -> Result<(), Fault> {
        if self.volume.cells.len() > crate::mesh::MAX_CELLS {
            return Err(self
                .source
                .fault(at, "more tetrahedra than 32-bit ids can name"));
        }
        let twice = |tag| {
            self.source
                .fault(at, format!("element {tag} is there twice"))
        };
        match self.volume.is_surface() {
            true => self.faces.tags.sort().map_err(twice),
            false => self.cells.tags.sort().map_err(twice),
        }
    }

    /// Reads elements of version 1: a line per element, with the number of its nodes.
    pub(super) fn elements_1(&mut self) -> Result<(), Fault> {
        let at = self.source.at();
        let n = self.source.int("the number of elements")?;
        let n = self
            .source
            .count(at, n, "the number of elements", [12, 12])?;
        for _ in 0..n {
            let tag = self.source.int("the number of an element")?;
            let at = self.source.at();
            let number = self.source.int("the type of an element")?;
            let (nodes, kind) = self.kind(at, number)?;
            let region = self.source.int("a physical region")?;
            let entity = self.source.int("an elementary region")?;
            let at = self.source.at();
            let given = self.source.int("the number of nodes")?;
            if given != nodes as i64 {
                let what = format!(
                    "element {tag} is of type {number}, which has {nodes} nodes, and has {given}"
                );
                return Err(self.source.fault(at, what));
            }
            let block = ElementBlock {
                nodes,
                kind,
                count: 1,
                tags: 0,
            };
            self.corners(tag, &block, [region, entity])?;
            self.pass_elements(kind, 1);
        }
        self.sorted(at)
    }

    /// Counts elements that are not kept.
    fn pass_elements(&mut self, kind: MshElement, n: usize) {
        match kind {
            MshElement::Cell(name) => self.volume.pass_cells(name, n as u64),
            MshElement::Other(name) => self.volume.pass(name, n as u64),
            MshElement::Tetrahedron | MshElement::Face(_) => {}
        }
    }

    fn kind(&self, at: usize, number: i64) -> Result<(usize, MshElement), Fault> {
        let unknown = || {
            self.source
                .fault(at, format!("elements of type {number} are not known"))
        };
        kind(number).ok_or_else(unknown)
    }

    /// Reads elements of version 2 as text: a line per element.
    fn element_lines(&mut self) -> Result<(), Fault> {
        let at = self.source.at();
        let n = self.source.int("the number of elements")?;
        let n = self.source.count(at, n, "the number of elements", [8, 8])?;
        for _ in 0..n {
            let tag = self.source.int("the number of an element")?;
            let at = self.source.at();
            let number = self.source.int("the type of an element")?;
            let (nodes, kind) = self.kind(at, number)?;
            let at = self.source.at();
            let tags = self.source.int("the number of tags")?;
            let block = ElementBlock {
                nodes,
                kind,
                count: 1,
                tags: self.source.count(at, tags, "the number of tags", [2, 4])?,
            };
            self.element_2(tag, &block)?;
            self.pass_elements(kind, 1);
        }
        Ok(())
    }

    /// Reads elements of version 2 in bytes: runs of elements of one type. Their number in all is text.
    fn element_runs(&mut self) -> Result<(), Fault> {
        let at = self.source.at();
        let (_, n) = self.source.tokens.whole("the number of elements")?;
        self.source.begin();
        let n = self.source.count(at, n, "the number of elements", [8, 8])?;
        let mut done = 0;
        while done < n {
            let at = self.source.at();
            let number = self.source.int("the type of elements")?;
            let (nodes, kind) = self.kind(at, number)?;
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
            let block = ElementBlock {
                nodes,
                kind,
                count,
                tags,
            };
            for _ in 0..count {
                let tag = self.source.int("the number of an element")?;
                self.element_2(tag, &block)?;
            }
            self.pass_elements(kind, count);
            done += count;
        }
        Ok(())
    }

    /// Reads the rest of an element of version 2: tags, nodes.
    fn element_2(&mut self, tag: i64, block: &ElementBlock) -> Result<(), Fault> {
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
        let (nodes, kind) = self.kind(at, number)?;
        let at = self.source.at();
        let count = self.source.size("the number of elements of a block")?;
        let least = [2 * (1 + nodes), 4 * (1 + nodes)];
        let count = self
            .source
            .count(at, count, "the number of elements of a block", least)?;
        let block = ElementBlock {
            nodes,
            kind,
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
        self.pass_elements(kind, count);
        Ok(count)
    }

    /// Reads the nodes of an element, kept if it is a tetrahedron or a face.
    fn corners(
        &mut self,
        tag: i64,
        block: &ElementBlock,
        [region, entity]: [i64; 2],
    ) -> Result<(), Fault> {
        let mut nodes = [0u32; 125];
        let start = self.source.at();
        let kept = matches!(block.kind, MshElement::Tetrahedron | MshElement::Face(_));
        let mut missing = None;
        for v in &mut nodes[..block.nodes] {
            let at = self.source.at();
            let node = match self.version {
                Some(Version::V41) => self.source.size("a node")?,
                _ => self.source.int("a node")?,
            };
            if !kept {
                continue;
            }
            match self.nodes.find(node) {
                Some(place) => *v = place,
                None => {
                    let what =
                        format!("element {tag} names node {node}, which is not defined before it");
                    missing.get_or_insert(self.source.fault(at, what));
                }
            }
        }
        let nodes = &nodes[..block.nodes];
        let own = match (block.kind, missing) {
            (MshElement::Tetrahedron, Some(fault)) => return Err(fault),
            (MshElement::Tetrahedron, None) => {
                self.volume.tetrahedron(nodes);
                &mut self.cells
            }
            (MshElement::Face(_), Some(fault)) => {
                self.volume.lose_face(fault);
                return Ok(());
            }
            (MshElement::Face(corners), None) => {
                self.volume.face(nodes, corners, start);
                &mut self.faces
            }
            (MshElement::Cell(_) | MshElement::Other(_), _) => return Ok(()),
        };
        own.tags.push(tag);
        // Tags are of 32 bits in the format.
        own.regions.push(region as i32);
        own.entities.push(entity as i32);
        Ok(())
    }
}
