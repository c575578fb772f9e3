//! Limits of the growth of a mesh.

use crate::Error;
use crate::edit::{Edits, Session};
use rxmesh_kernels::topo::Kind;

/// Limits of the growth of a mesh.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct Guard {
    /// Most faces.
    pub(in crate::algo) most: u64,
    /// Faces that were expected.
    pub(in crate::algo) expected: u64,
}

impl Guard {
    /// Checks that the session has at most [`Guard::most`] faces.
    ///
    /// # Errors
    ///
    /// [`Error::Outgrown`].
    pub(in crate::algo) fn check<C: Edits>(&self, session: &Session<C>) -> Result<(), Error> {
        // The number of slots is known without a read-back.
        if u64::from(session.capacity(Kind::Face)) <= self.most {
            return Ok(());
        }
        let faces = session.count(Kind::Face)?;
        if u64::from(faces) <= self.most {
            return Ok(());
        }
        Err(Error::Outgrown {
            faces,
            expected: self.expected,
            limit: self.most,
        })
    }
}
