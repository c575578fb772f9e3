//! Lengths that filters go by: rules under their names, or numbers.

use crate::units::{Quantity, QuantityKind};
use std::fmt;
use std::str::FromStr;

/// Closeness parameter sigma_c, a length. The ball around a vertex has twice this radius.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Closeness {
    /// For each vertex the mean length of its edges.
    #[default]
    MeanEdge,
    /// For each vertex the length of its shortest edge, as RXMesh 2021, section 8.3.
    ShortestEdge,
    /// For all vertices the mean length of all edges, measured once before the first iteration.
    MeshMeanEdge,
    /// The same given length for all, in the mesh's unit. Time grows with the square of it.
    Given(f64),
}

/// Similarity parameter sigma_s, a length: heights of neighbours much above it do not count.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Similarity {
    /// Standard deviation of the noise, one for all.
    #[default]
    Noise,
    /// For each vertex the standard deviation of the heights in its ball (Fleishman et al., section 3.1, where the user
    /// picks a flat neighbourhood; where the surface bends it is more than the noise).
    Ball,
    /// The same given length for all, in the mesh's unit.
    Given(f64),
}

/// Implements text form and unit of a length: a rule's name, or a number.
macro_rules! named {
    ($length:ident, $($name:literal => $rule:ident),*) => {
        /// The rule's name, or the length.
        impl fmt::Display for $length {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($length::$rule => f.write_str($name),)*
                    $length::Given(length) => length.fmt(f),
                }
            }
        }

        /// A rule's name, or a length.
        impl FromStr for $length {
            type Err = String;

            fn from_str(text: &str) -> Result<$length, String> {
                match text {
                    $($name => Ok($length::$rule),)*
                    _ => text.parse().map($length::Given).map_err(|_| {
                        format!("it is neither a number nor one of {}", [$($name),*].join(", "))
                    }),
                }
            }
        }

        /// Rules stay.
        impl Quantity for $length {
            fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
                if let $length::Given(length) = self {
                    length.scale_as(kind, factor);
                }
            }
        }

        /// A length as a number, a rule as its name.
        #[cfg(feature = "serde")]
        impl serde::Serialize for $length {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                match self {
                    $length::Given(length) => to.serialize_f64(*length),
                    rule => to.collect_str(rule),
                }
            }
        }
    };
}

named! {
    Closeness,
    "mean-edge" => MeanEdge, "shortest-edge" => ShortestEdge, "mesh-mean-edge" => MeshMeanEdge
}
named! { Similarity, "noise" => Noise, "ball" => Ball }
