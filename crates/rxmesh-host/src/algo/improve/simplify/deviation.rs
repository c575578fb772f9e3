//! Limit and measure of the distance of a simplified surface from its input.

use super::SimplifyOptions;
use super::work::SimplifyBuffers;
use crate::Error;
use crate::edit::Session;
use crate::units::{Quantity, QuantityKind};
use glam::DVec3;
use rxmesh_kernels::algo::improve::simplify::{
    BOUND_WORDS, SimplifyBounds, SimplifyDeviation, from_ordered,
};
use rxmesh_kernels::topo::Kind;
use std::fmt;
use std::str::FromStr;

/// Largest distance of a surface from its input.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Deviation {
    /// In the unit of positions.
    Length(f64),
    /// As a part of the diagonal of the bounding box: 0.001 is a thousandth of it.
    Part(f64),
}

/// Parts of the diagonal stay.
impl Quantity for Deviation {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        if let Deviation::Length(length) = self {
            length.scale_as(kind, factor);
        }
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deviation::Length(x) => write!(f, "{x}"),
            Deviation::Part(p) => write!(f, "{}%", 100.0 * p),
        }
    }
}

impl FromStr for Deviation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, part) = match text.strip_suffix('%') {
            Some(number) => (number.trim_end(), true),
            None => (text, false),
        };
        match number.parse::<f64>() {
            Ok(x) if part => Ok(Deviation::Part(x / 100.0)),
            Ok(x) => Ok(Deviation::Length(x)),
            Err(_) => Err("a number is expected, or a number and '%'".into()),
        }
    }
}

impl SimplifyBuffers {
    /// Returns for each mesh its largest distance from the input, squared and in the unit of lengths.
    pub(super) fn limits(
        &self,
        session: &Session,
        each: &[SimplifyOptions],
    ) -> Result<Vec<f32>, Error> {
        let parts = each
            .iter()
            .any(|o| matches!(o.error, Some(Deviation::Part(_))));
        let diagonals = match parts {
            true => self.diagonals(session, each.len())?,
            false => vec![0.0; each.len()],
        };
        let limit = |(o, diagonal): (&SimplifyOptions, f64)| {
            let length = match o.error {
                Some(Deviation::Length(length)) => length,
                Some(Deviation::Part(part)) => part * diagonal,
                None => return f32::INFINITY,
            };
            (length * f64::from(self.scale)).powi(2) as f32
        };
        Ok(each.iter().zip(diagonals).map(limit).collect())
    }

    /// Returns the diagonal of each mesh's bounding box.
    fn diagonals(&self, session: &Session, count: usize) -> Result<Vec<f64>, Error> {
        let words = BOUND_WORDS as usize;
        let bounds = session.engine().zeroed::<u32>(1 + words * count)?;
        let kernel = SimplifyBounds {
            mesh: session.mesh()?,
            surface: self.surface(session, self.lines(session)?)?,
            bounds: bounds.global_mut(),
        };
        session
            .engine()
            .launch_flat(session.capacity(Kind::Vertex), kernel)?;
        let bounds = bounds.read()?;
        let diagonal = |b: &[u32]| {
            let [x, y, z, a, b, c] = [0, 1, 2, 3, 4, 5].map(|k| match b[k] {
                0 => 0.0,
                bits => f64::from(from_ordered(bits)),
            });
            DVec3::new(x + a, y + b, z + c).length()
        };
        Ok(bounds[1..].chunks_exact(words).map(diagonal).collect())
    }

    /// Returns the distance of each mesh from its input, in the unit of positions; `None` without quadrics.
    pub(super) fn deviations(
        &self,
        session: &Session,
        count: usize,
    ) -> Result<Vec<Option<f64>>, Error> {
        if !self.has_quadrics() {
            return Ok(vec![None; count]);
        }
        let largest = session.engine().zeroed::<u32>(1 + count)?;
        let kernel = SimplifyDeviation {
            mesh: session.mesh()?,
            surface: self.surface(session, self.lines(session)?)?,
            largest: largest.global_mut(),
        };
        session
            .engine()
            .launch_flat(session.capacity(Kind::Vertex), kernel)?;
        let largest = largest.read()?;
        let length =
            |&bits: &u32| Some(f64::from(f32::from_bits(bits)).sqrt() / f64::from(self.scale));
        Ok(largest[1..].iter().map(length).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_parts_are_told_apart() {
        assert_eq!("0.25".parse(), Ok(Deviation::Length(0.25)));
        assert_eq!("0.5%".parse(), Ok(Deviation::Part(0.005)));
        assert_eq!("1e-1 %".parse(), Ok(Deviation::Part(0.001)));
        for bad in ["", "%", "x", "1%%", "1 mm"] {
            assert!(bad.parse::<Deviation>().is_err(), "{bad}");
        }
        for d in [Deviation::Length(0.125), Deviation::Part(0.25)] {
            assert_eq!(d.to_string().parse(), Ok(d));
        }
    }
}
