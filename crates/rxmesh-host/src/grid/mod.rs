//! Regular grids: values at points that lie in rows along the axes, such as signed distances of a mesh or the voxels
//! of a scan.

mod axes;
mod error;
#[cfg(test)]
mod tests;

pub use crate::io::{
    GridFormat, GridReadOptions, GridWriteOptions, GridWriteReport, LoadedGrid,
    check_grid_output as check_output, read_grid as read, read_grid_bytes as read_bytes,
    write_grid as write, write_grid_bytes as write_bytes, write_grid_with as write_with,
};
pub(crate) use axes::reversed;
pub use error::GridError;

use crate::mesh::{Column, ColumnData, ElementKind};
use glam::DVec3;
use std::collections::HashSet;

/// Values at the points of a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Number of points along x, y and z.
    pub counts: [u32; 3],
    /// Place of the first point.
    pub origin: DVec3,
    /// Distance of neighbouring points along x, y and z: positive.
    pub spacing: DVec3,
    /// Columns with a row for each point ([`ElementKind::Vertex`]): x fastest, then y, then z.
    pub columns: Vec<Column>,
}

impl Grid {
    /// Creates a grid without columns.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate).
    pub fn new(counts: [u32; 3], origin: DVec3, spacing: DVec3) -> Result<Grid, GridError> {
        let grid = Grid {
            counts,
            origin,
            spacing,
            columns: Vec::new(),
        };
        grid.validate()?;
        Ok(grid)
    }

    /// Returns the number of points.
    ///
    /// # Errors
    ///
    /// No points along an axis; more points than 32-bit ids can name.
    pub fn points(&self) -> Result<usize, GridError> {
        points(self.counts)
    }

    /// Returns the place of a point, given by its number along each axis. Points beyond the grid continue it.
    pub fn place(&self, point: [u32; 3]) -> DVec3 {
        self.origin + self.spacing * DVec3::from(point.map(f64::from))
    }

    /// Returns the row of a point in each column, if the grid has it.
    pub fn row(&self, point: [u32; 3]) -> Option<usize> {
        let inside = (0..3).all(|axis| point[axis] < self.counts[axis]);
        let [x, y, z] = point.map(|n| n as usize);
        let [nx, ny, _] = self.counts.map(|n| n as usize);
        inside.then(|| x + nx * (y + ny * z))
    }

    /// Checks that the points can be counted, lie at finite places with a distance between them, and that each column
    /// has another name and a row for each point.
    ///
    /// # Errors
    ///
    /// The first fault found.
    pub fn validate(&self) -> Result<(), GridError> {
        let points = self.points()?;
        self.check_placement()?;
        let mut names = HashSet::new();
        self.columns.iter().try_for_each(|column| {
            let is_new = names.insert(&column.name);
            check_column(column, points, is_new)
        })
    }

    /// Adds a column.
    ///
    /// # Errors
    ///
    /// A column of another length or of other elements than vertices; a name that is empty or taken.
    pub fn add_column(&mut self, column: Column) -> Result<(), GridError> {
        let is_new = self.columns.iter().all(|other| other.name != column.name);
        check_column(&column, self.points()?, is_new)?;
        self.columns.push(column);
        Ok(())
    }

    /// Returns the column of that name, which must have one value a point; without a name, the first column with one
    /// value a point.
    ///
    /// # Errors
    ///
    /// No such column, with the names that there are; a column of several values a point.
    pub fn scalar(&self, name: Option<&str>) -> Result<&Column, GridError> {
        let found = match name {
            Some(name) => self.columns.iter().find(|c| c.name == name),
            None => self.columns.iter().find(|c| c.width == 1),
        };
        match found {
            Some(column) if column.width == 1 => Ok(column),
            Some(column) => Err(GridError::NotScalar {
                name: column.name.clone(),
                width: column.width,
                scalars: self.names(|c| c.width == 1),
            }),
            None => Err(GridError::NoColumn {
                asked: name.map(str::to_owned),
                names: self.names(|_| true),
            }),
        }
    }

    /// Returns the values of a column of one value a point in C order, with z fastest: as arrays with the axes x, y and
    /// z have them.
    ///
    /// # Errors
    ///
    /// A column of another length, or of several values a point.
    pub fn in_c_order(&self, column: &Column) -> Result<ColumnData, GridError> {
        check_column(column, self.points()?, true)?;
        if column.width != 1 {
            return Err(GridError::NotScalar {
                name: column.name.clone(),
                width: column.width,
                scalars: self.names(|c| c.width == 1),
            });
        }
        Ok(reversed(&column.data, self.counts.map(|n| n as usize)))
    }

    fn names(&self, which: impl Fn(&Column) -> bool) -> Vec<String> {
        let chosen = self.columns.iter().filter(|c| which(c));
        chosen.map(|c| c.name.clone()).collect()
    }

    fn check_placement(&self) -> Result<(), GridError> {
        let (origin, spacing) = (self.origin, self.spacing);
        if !origin.is_finite() {
            return Err(GridError::Origin { origin });
        }
        if !spacing.is_finite() || spacing.min_element() <= 0.0 {
            return Err(GridError::Spacing { spacing });
        }
        let last = self.place(self.counts.map(|n| n.saturating_sub(1)));
        match last.is_finite() {
            true => Ok(()),
            false => Err(GridError::Origin { origin: last }),
        }
    }
}

/// Returns the number of points of a grid with these numbers along the axes.
pub(crate) fn points(counts: [u32; 3]) -> Result<usize, GridError> {
    let product: u128 = counts.iter().map(|&n| u128::from(n)).product();
    match usize::try_from(product) {
        Ok(0) => Err(GridError::Empty { counts }),
        Ok(points) if product < u128::from(u32::MAX) => Ok(points),
        _ => Err(GridError::TooLarge { counts }),
    }
}

fn check_column(column: &Column, points: usize, is_new: bool) -> Result<(), GridError> {
    let name = || column.name.clone();
    if column.name.is_empty() {
        return Err(GridError::Unnamed);
    }
    if !is_new {
        return Err(GridError::SameName { name: name() });
    }
    if column.element != ElementKind::Vertex {
        let element = column.element;
        return Err(GridError::Element {
            name: name(),
            element,
        });
    }
    match points.checked_mul(column.width) {
        Some(length) if column.width > 0 && column.data.len() == length => Ok(()),
        _ => Err(GridError::Length {
            name: name(),
            got: column.data.len(),
            width: column.width,
            points,
        }),
    }
}
