//! Progress of the work on an engine, for display.

use super::launch::Launcher as _;
use super::{Engine, on_backend};
use std::sync::PoisonError;

/// Last progress that an algorithm noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// Name of what is counted: `iteration`, `frame`.
    pub what: &'static str,
    /// Number of them that are done.
    pub done: u64,
}

impl Engine {
    /// Sets the progress of an algorithm, for [`Engine::last_note`]. Costs an uncontended lock: once per iteration is
    /// not too often.
    pub fn note(&self, what: &'static str, done: u64) {
        *self.0.note.lock().unwrap_or_else(PoisonError::into_inner) = Some(Note { what, done });
    }

    /// Clears the progress.
    pub fn clear_note(&self) {
        *self.0.note.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns the last note.
    pub fn last_note(&self) -> Option<Note> {
        *self.0.note.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the finished patches of the current launch and the number of all its patches; known on the CPU only.
    pub fn patches_done(&self) -> Option<(u32, u32)> {
        on_backend!(self, b => b.patches_done())
    }
}
