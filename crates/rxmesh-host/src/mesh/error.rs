//! Errors of a mesh given as vectors.

use super::ElementKind;

/// Why a mesh, or something that was to be attached to it, was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A face names a vertex that does not exist.
    #[error(
        "face {face} names vertex {index}, but the mesh has {vertices} vertices (faces and vertices are counted from 0)"
    )]
    IndexOutOfRange {
        /// Face, counted from 0.
        face: usize,
        /// The vertex it names, counted from 0.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A cell names a vertex that does not exist.
    #[error(
        "cell {cell} names vertex {index}, but the mesh has {vertices} vertices (cells and vertices are counted from 0)"
    )]
    CellIndexOutOfRange {
        /// Cell, counted from 0.
        cell: usize,
        /// The vertex it names, counted from 0.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A face that has a vertex twice, where faces must be simple.
    #[error("face {face} has vertex {vertex} twice (faces and vertices are counted from 0)")]
    RepeatedVertex {
        /// Face, counted from 0.
        face: u32,
        /// Vertex, counted from 0.
        vertex: u32,
    },
    /// An edge that more than two faces share, or that two faces walk in the same direction, where a surface is needed.
    #[error(
        "the edge of face {face} that leaves vertex {vertex} has more than two faces, or two that walk it in the same \
            direction (faces and vertices are counted from 0)"
    )]
    NoSurface {
        /// A face of the edge, counted from 0.
        face: u32,
        /// Corner of the face at which the edge starts, counted from 0.
        vertex: u32,
    },
    /// A vertex position is NaN or infinite.
    #[error("vertex {vertex} (counted from 0) lies at {position:?}, which is not finite")]
    NotFinite {
        /// Vertex, counted from 0.
        vertex: usize,
        /// Position as given.
        position: [f32; 3],
    },
    /// More elements than 32-bit ids can name.
    #[error("{asked} {what} requested, at most {limit} fit into 32-bit ids")]
    TooLarge {
        /// "vertices", "faces" or "cells".
        what: &'static str,
        /// Requested number.
        asked: u64,
        /// Largest number allowed.
        limit: u64,
    },
    /// A column has the wrong number of values.
    #[error("column '{name}' has {got} values, {expected} are needed: {width} for each {element}")]
    ColumnLength {
        /// Name of the column.
        name: String,
        /// Values that came.
        got: usize,
        /// Values needed.
        expected: usize,
        /// Values a row.
        width: usize,
        /// Kind of element that a row belongs to.
        element: ElementKind,
    },
    /// A column's name cannot be written to a file.
    #[error("column name '{name}' cannot be used: {why}")]
    ColumnName {
        /// Name of the column.
        name: String,
        /// Reason, with the possible names.
        why: &'static str,
    },
    /// A corner layer, a tag or another extra does not fit the mesh.
    #[error("{what}")]
    Extras {
        /// Whole message.
        what: String,
    },
    /// The requested shape of a generator does not exist.
    #[error("{what} = {asked} is not possible: {possible}")]
    BadParameter {
        /// Name of the parameter.
        what: &'static str,
        /// Value that came.
        asked: String,
        /// Description of accepted values.
        possible: &'static str,
    },
}
