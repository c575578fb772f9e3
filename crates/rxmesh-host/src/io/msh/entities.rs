//! `$Entities` of version 4: the physical groups of the geometrical entities.

use super::super::error::Fault;
use super::read::{MshReader, Version};
use std::collections::HashMap;

/// First physical group of each entity that has one, by dimension and number.
#[derive(Debug, Default)]
pub(super) struct PhysicalGroups {
    first: HashMap<(i64, i64), i64>,
    /// Number of entities of each dimension that belong to several groups.
    pub(super) several: [u64; 4],
}

impl PhysicalGroups {
    /// Returns the group of an entity; 0 is none.
    pub(super) fn find(&self, dimension: i64, entity: i64) -> i64 {
        self.first.get(&(dimension, entity)).copied().unwrap_or(0)
    }
}

impl MshReader<'_> {
    pub(super) fn entities(&mut self, version: Version) -> Result<(), Fault> {
        let mut counts = [0; 4];
        for n in &mut counts {
            let at = self.source.at();
            let count = self.source.size("the number of entities")?;
            *n = self
                .source
                .count(at, count, "the number of entities", [8, 32])?;
        }
        for (dimension, n) in counts.into_iter().enumerate() {
            for _ in 0..n {
                let groups = self.entity(version, dimension as i64)?;
                self.groups.several[dimension] += u64::from(groups > 1);
            }
        }
        Ok(())
    }

    /// Reads one; returns how many groups it belongs to.
    fn entity(&mut self, version: Version, dimension: i64) -> Result<usize, Fault> {
        let tag = self.source.int("the number of an entity")?;
        // Points have a place in version 4.1, all else a box.
        let numbers = if dimension == 0 && version == Version::V41 {
            3
        } else {
            6
        };
        for _ in 0..numbers {
            self.source.real("a coordinate")?;
        }
        let groups = self.list("the number of physical groups")?;
        if let Some(&first) = groups.first() {
            self.groups.first.insert((dimension, tag), first);
        }
        if dimension > 0 {
            self.list("the number of bounding entities")?;
        }
        Ok(groups.len())
    }

    fn list(&mut self, what: &str) -> Result<Vec<i64>, Fault> {
        let at = self.source.at();
        let n = self.source.size(what)?;
        let n = self.source.count(at, n, what, [2, 4])?;
        (0..n).map(|_| self.source.int("an entity")).collect()
    }
}
