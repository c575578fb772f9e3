//! Errors as exceptions.

use super::arrays::{wrong_index, wrong_value};
use super::read::mesh_error;
use crate::forms::Failure;
use crate::keywords::{ArgumentError, argument_error, with_keywords};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use rxmesh::Error;
use rxmesh::host::Error as HostError;
use rxmesh::host::engine::EngineError;
use rxmesh::host::patch::PatchError;
use rxmesh::simulation::scene::SceneError;

/// The class, under its name in Python.
mod class {
    pyo3::create_exception!(
        rxmesh,
        Error,
        pyo3::exceptions::PyRuntimeError,
        "Error of an engine, or of work that is refused."
    );
}
pub(super) use class::Error as RxmeshError;

/// Place of a value that is not finite in positions.
const NOT_FINITE: &str = "a vertex coordinate";

/// Kinds of exceptions.
enum ExceptionKind {
    Value,
    Os,
    Memory,
    Other,
}

/// Returns the exception of a call that failed.
pub(super) fn of_failure(failure: Failure) -> PyErr {
    match failure {
        Failure::Usage(e) => of_argument(argument_error(&e)),
        Failure::Work(e) => of_error(&e),
    }
}

/// Returns the exception of an argument that cannot be used.
pub(super) fn of_argument(e: ArgumentError) -> PyErr {
    match e {
        ArgumentError::Type(what) => PyTypeError::new_err(what),
        ArgumentError::Value(what) => PyValueError::new_err(what),
    }
}

/// Returns the exception of an error.
pub(super) fn of_error(e: &Error) -> PyErr {
    match e {
        Error::Host(HostError::Mesh(e)) => return mesh_error(e),
        Error::Host(HostError::Patch(PatchError::FaceIndex {
            face,
            index,
            vertex_count,
        })) => {
            return wrong_corner("f", *face, *index, *vertex_count);
        }
        Error::Host(HostError::NotFinite { what: NOT_FINITE }) => return wrong_value("v", e),
        _ => {}
    }
    let text = with_keywords(&one_line(e));
    match kind(e) {
        ExceptionKind::Value => PyValueError::new_err(text),
        ExceptionKind::Os => PyOSError::new_err(text),
        ExceptionKind::Memory => PyMemoryError::new_err(text),
        ExceptionKind::Other => RxmeshError::new_err(text),
    }
}

/// Returns the error of a corner that names no vertex.
pub(super) fn wrong_corner(name: &str, row: usize, index: u32, vertices: usize) -> PyErr {
    // Positions have fewer than 2^31 rows: a larger number is a negative one of 32 bits.
    wrong_index(name, row, index.cast_signed().into(), vertices)
}

fn kind(e: &Error) -> ExceptionKind {
    match e {
        Error::Host(e) => host_kind(e),
        Error::In { source, .. } => kind(source),
        Error::Message(_) => ExceptionKind::Value,
        Error::Stopped => ExceptionKind::Other,
        Error::Other(e) => match e.downcast_ref::<SceneError>() {
            Some(SceneError::Io { .. }) => ExceptionKind::Os,
            Some(_) => ExceptionKind::Value,
            None if e.is::<std::io::Error>() => ExceptionKind::Os,
            None => ExceptionKind::Other,
        },
    }
}

fn host_kind(e: &HostError) -> ExceptionKind {
    match e {
        HostError::Io(_) => ExceptionKind::Os,
        HostError::Engine(EngineError::OutOfMemory { .. }) => ExceptionKind::Memory,
        HostError::Mesh(_)
        | HostError::Grid(_)
        | HostError::Patch(_)
        | HostError::Options(_)
        | HostError::NotFinite { .. }
        | HostError::TooLarge { .. }
        | HostError::TooManyFaces { .. }
        | HostError::Outgrown { .. } => ExceptionKind::Value,
        HostError::OfMesh { error, .. } => host_kind(error),
        _ => ExceptionKind::Other,
    }
}

/// Formats an error and its causes in one line. A cause whose text is in the message already is not repeated.
fn one_line(e: &Error) -> String {
    let mut line = e.to_string();
    let mut cause = std::error::Error::source(e);
    while let Some(e) = cause {
        let text = e.to_string();
        if !line.contains(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        cause = e.source();
    }
    line
}
