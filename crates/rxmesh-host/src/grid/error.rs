//! Errors of grids.

use crate::mesh::ElementKind;
use glam::DVec3;

/// Reason why a grid, or a column of it, was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// An axis without points.
    #[error("a grid of {} points has none: at least 1 is needed along each axis", product(*counts))]
    Empty {
        /// Number of points along x, y and z.
        counts: [u32; 3],
    },
    /// More points than 32-bit ids can name.
    #[error("a grid of {} points is too large: fewer than {} are possible", product(*counts), u32::MAX)]
    TooLarge {
        /// Number of points along x, y and z.
        counts: [u32; 3],
    },
    /// A point at a place that is not finite.
    #[error("a point of the grid lies at {origin}, which is not finite")]
    Origin {
        /// Place of the point.
        origin: DVec3,
    },
    /// Points at no distance from each other.
    #[error("the spacing of the grid is {spacing}: positive numbers are needed")]
    Spacing {
        /// Distance of neighbouring points along x, y and z.
        spacing: DVec3,
    },
    /// A column without a name.
    #[error("a column of the grid has no name")]
    Unnamed,
    /// Two columns of one name.
    #[error("two columns of the grid have the name '{name}'")]
    SameName {
        /// Name of both.
        name: String,
    },
    /// A column of other elements.
    #[error("column '{name}' has rows of {element}s: columns of a grid have rows of vertices")]
    Element {
        /// Name of the column.
        name: String,
        /// Kind of element that a row belongs to.
        element: ElementKind,
    },
    /// A column with too few or too many values.
    #[error("column '{name}' has {got} values: {width} for each of {points} points are needed")]
    Length {
        /// Name of the column.
        name: String,
        /// Number of values that came.
        got: usize,
        /// Values a point.
        width: usize,
        /// Number of points.
        points: usize,
    },
    /// A column that the grid does not have.
    #[error("{}", no_column(asked.as_deref(), names))]
    NoColumn {
        /// Name of the requested column; `None` for any with one value a point.
        asked: Option<String>,
        /// Names of the columns that there are.
        names: Vec<String>,
    },
    /// A column of several values a point, where one is needed.
    #[error(
        "column '{name}' has {width} values for each point of the grid, and 1 is needed; {}",
        listed("columns with one value", scalars)
    )]
    NotScalar {
        /// Name of the column.
        name: String,
        /// Values a point.
        width: usize,
        /// Names of the columns with one value a point.
        scalars: Vec<String>,
    },
}

fn product([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z}")
}

fn no_column(asked: Option<&str>, names: &[String]) -> String {
    let there = listed("columns", names);
    match asked {
        Some(asked) => format!("the grid has no column '{asked}'; {there}"),
        None => format!("the grid has no column with one value for each point; {there}"),
    }
}

fn listed(what: &str, names: &[String]) -> String {
    match names {
        [] => format!("there are no {what}"),
        names => format!("{what}: {}", names.join(", ")),
    }
}
