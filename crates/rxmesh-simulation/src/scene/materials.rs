//! `materials` of a body: materials of some of its cells.

use super::spec::no;
use crate::{Material, Materials};
use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::mesh::{ElementKind, Extras};
use serde::{Deserialize, Serialize};

/// Material of some cells: those that have a value in a column of the file, those whose centre is in a box, or those
/// that satisfy both.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CellMaterial {
    /// Name of the column; `region` by default.
    #[serde(default = "region")]
    pub column: String,
    /// Value of the cells in that column.
    pub value: Option<f64>,
    /// Lowest and highest corner of a box in the world, in metres.
    pub within: Option<[[f32; 3]; 2]>,
    /// Material of these cells.
    pub material: Material,
}

fn region() -> String {
    "region".into()
}

impl CellMaterial {
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.value.is_none() && self.within.is_none() {
            return Err(no("`value` or `within` must say of which cells it is"));
        }
        self.material.check()
    }

    /// Returns `true` for each cell that is selected.
    fn cells(
        &self,
        extras: &Extras,
        positions: &[Vec3],
        cells: &[[u32; 4]],
    ) -> Result<Vec<bool>, Error> {
        let mut all = vec![true; cells.len()];
        if let Some(value) = self.value {
            let values = self.values(extras)?;
            for (c, is) in all.iter_mut().enumerate() {
                *is &= values.data.get(c) == value;
            }
        }
        if let Some([low, high]) = self.within {
            let (low, high) = (Vec3::from(low), Vec3::from(high));
            for (cell, is) in cells.iter().zip(&mut all) {
                let sum: Vec3 = cell.iter().map(|&v| positions[v as usize]).sum();
                let centre = sum * 0.25;
                *is &= centre.cmpge(low).all() && centre.cmple(high).all();
            }
        }
        Ok(all)
    }

    fn values<'a>(&self, extras: &'a Extras) -> Result<&'a rxmesh_host::mesh::Column, Error> {
        let column = extras.column(ElementKind::Cell, &self.column);
        column.filter(|c| c.width == 1).ok_or_else(|| {
            let there = extras.columns.iter();
            let there = there.filter(|c| c.element == ElementKind::Cell && c.width == 1);
            let names: Vec<&str> = there.map(|c| &*c.name).collect();
            let names = match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(", "),
            };
            Error::Options(format!(
                "its cells have no column `{}` of one number; there are: {names}",
                self.column
            ))
        })
    }
}

/// Returns the materials of all cells: the last of the list that selects a cell, else the usual one.
pub(super) fn materials(
    usual: Material,
    list: &[CellMaterial],
    extras: &Extras,
    (positions, cells): (&[Vec3], &[[u32; 4]]),
) -> Result<Materials, Error> {
    if list.is_empty() {
        return Ok(Materials::uniform(usual));
    }
    let mut all = vec![usual; cells.len()];
    for (k, some) in list.iter().enumerate() {
        let named = |e| Error::Options(format!("materials {k}: {e}"));
        let of = some.cells(extras, positions, cells).map_err(named)?;
        if !of.contains(&true) {
            return Err(named(no("no cell is of it")));
        }
        let there = all.iter_mut().zip(of).filter(|(_, of)| *of);
        there.for_each(|(cell, _)| *cell = some.material);
    }
    Materials::of_cells(&all)
}
