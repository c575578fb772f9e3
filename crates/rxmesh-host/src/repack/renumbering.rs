//! From session ids to linear ids.

use crate::Error;
use crate::engine::Buffer;
use crate::store::{Attribute, AttributeError, RxMesh};
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::repack::permute::RepackPermute;
use rxmesh_kernels::topo::{Element, Kind};
use std::sync::Arc;

/// Linear id of every session id of a mesh that was repacked.
#[derive(Debug)]
pub struct Renumbering {
    pub(super) mesh: u64,
    pub(super) linear: [Arc<Buffer<u32>>; 3],
}

impl Renumbering {
    /// Returns the linear id of each session id of a kind; `u32::MAX` where nothing lives.
    pub fn linear(&self, kind: Kind) -> &Buffer<u32> {
        &self.linear[kind as usize]
    }

    /// Returns the values of an attribute, given one a session id, on the repacked mesh.
    ///
    /// # Errors
    ///
    /// [`AttributeError::OtherMesh`], [`Error::Options`] when the values are not whole 32-bit words or not one a
    /// session id, or any error of the engine.
    pub fn attribute<K: Element, T: Value>(
        &self,
        mesh: &RxMesh,
        values: &Buffer<T>,
    ) -> Result<Attribute<K, T>, Error> {
        if mesh.id() != self.mesh {
            return Err(AttributeError::OtherMesh.into());
        }
        let linear = self.linear(K::KIND);
        let width = words_of::<T>()?;
        if values.len() != linear.len() {
            return Err(Error::Options(format!(
                "{} values were given for {} session ids",
                values.len(),
                linear.len()
            )));
        }
        let words = values.len() as u64 * u64::from(width);
        let words = u32::try_from(words).map_err(|_| Error::TooLarge {
            what: "words",
            count: words,
            limit: u32::MAX.into(),
        })?;
        let to = mesh
            .engine()
            .zeroed::<T>(mesh.linear_len(K::KIND) as usize)?;
        mesh.engine().launch_flat(
            words,
            RepackPermute {
                linear: linear.global(),
                from: values.global().cast(),
                to: to.global_mut().cast(),
                width,
            },
        )?;
        Ok(Attribute::from_buffer(mesh, to))
    }
}

/// Returns the number of 32-bit words of a value; an error if it is not made of whole ones.
pub(crate) fn words_of<T: Value>() -> Result<u32, Error> {
    if size_of::<T>() < 4 || !size_of::<T>().is_multiple_of(4) || align_of::<T>() < 4 {
        return Err(Error::Options(format!(
            "values of {} bytes cannot be moved: they are not whole 32-bit words",
            size_of::<T>()
        )));
    }
    Ok((size_of::<T>() / 4) as u32)
}
