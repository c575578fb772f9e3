//! Lengths that may be given as a part of the mesh's size.

use crate::mesh::{MeshError, TriMesh};
use crate::units::{Quantity, QuantityKind};
use std::fmt;
use std::str::FromStr;

/// A length, in the mesh's unit or as a part of the diagonal of its bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// In the mesh's unit.
    Absolute(f64),
    /// In diagonals of the bounding box.
    OfDiagonal(f64),
}

impl Default for Length {
    fn default() -> Length {
        Length::Absolute(0.0)
    }
}

impl Length {
    /// Returns the length between positions of a mesh, in the unit of the frame that they are given in.
    pub(super) fn on(self, mesh: &TriMesh) -> f64 {
        match self {
            Length::Absolute(length) => length / mesh.placement.scale,
            Length::OfDiagonal(part) => part * diagonal(mesh),
        }
    }

    /// Refuses an invalid length, under a name.
    pub(super) fn valid(self, what: &'static str) -> Result<(), MeshError> {
        match self.number() >= 0.0 && self.number().is_finite() {
            true => Ok(()),
            false => Err(MeshError::BadParameter {
                what,
                asked: self.to_string(),
                possible: "a length of 0 or more",
            }),
        }
    }

    /// Returns the number in it.
    fn number(self) -> f64 {
        match self {
            Length::Absolute(x) | Length::OfDiagonal(x) => x,
        }
    }
}

/// Parts of the diagonal stay.
impl Quantity for Length {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        if let Length::Absolute(length) = self {
            length.scale_as(kind, factor);
        }
    }
}

/// Returns the diagonal of the box around the faces, in the unit of positions; 0 without vertices.
pub(super) fn diagonal(mesh: &TriMesh) -> f64 {
    crate::mesh::diagonal(&mesh.positions, mesh.faces.as_flattened())
}

/// Parses `0.01`, or `0.1%` of the diagonal.
impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Length, String> {
        let (number, percent) = match text.strip_suffix('%') {
            Some(number) => (number, true),
            None => (text, false),
        };
        let number: f64 = number.trim().parse().map_err(|e| format!("{e}"))?;
        let length = match percent {
            true => Length::OfDiagonal(number / 100.0),
            false => Length::Absolute(number),
        };
        match length.number() >= 0.0 && length.number().is_finite() {
            true => Ok(length),
            false => Err("a length is 0 or more, or a percentage of the mesh's diagonal".into()),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Absolute(length) => write!(f, "{length}"),
            Length::OfDiagonal(part) => write!(f, "{}%", 100.0 * part),
        }
    }
}

/// Writes a number, or text with a per cent sign, as it is parsed.
#[cfg(feature = "serde")]
impl serde::Serialize for Length {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Length::Absolute(length) => to.serialize_f64(*length),
            Length::OfDiagonal(_) => to.collect_str(self),
        }
    }
}
