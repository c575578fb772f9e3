//! Sums over the rows of a relation.

use crate::Error;
use crate::store::{Attribute, AttributeError, Dimension, RxMesh};
use rxmesh_kernels::attr::Sum;
use rxmesh_kernels::kernel::{Entry, PreparedEntry};
use rxmesh_kernels::query::Relation;
use rxmesh_kernels::volume::gather::Gather;
use rxmesh_kernels::volume::words::{Deal, MOST_WIDE, StagedWords};

/// Sets `y` of each element to the sum of `x` over its neighbours. The relation is computed on the fly or prepared as
/// [`RxMesh::set_relation_choice`] sets.
///
/// ```
/// # use rxmesh_host::{engine::Engine, kernels::{query::VC, topo::{Cell, Vertex}}, patch::VolumeOptions};
/// # use rxmesh_host::{store::{Attribute, RxMesh}, volume::gather};
/// let rx = RxMesh::from_cells(&Engine::cpu(), 5, &[[0, 1, 2, 3], [0, 2, 1, 4]], &VolumeOptions::default())?;
/// let mass: Attribute<Cell, f32> = rx.attribute_from(&[4.0, 8.0])?;
/// let mut around: Attribute<Vertex, f32> = rx.attribute()?;
/// gather::<VC, _, _>(&rx, &mass, &mut around)?;
/// assert_eq!(around.to_input(&rx)?, [12.0, 12.0, 12.0, 4.0, 8.0]);
/// # Ok::<(), rxmesh_host::Error>(())
/// ```
///
/// # Errors
///
/// As [`RxMesh::run_for_each`], attributes that are stale or do not lie in patch order with their words together, or
/// any error of the engine.
pub fn gather<R: Relation, T: Sum, D: Dimension>(
    rx: &RxMesh<D>,
    x: &Attribute<R::Target, T>,
    y: &mut Attribute<R::Source, T>,
) -> Result<(), Error>
where
    Gather<R>: Entry + PreparedEntry,
{
    const {
        assert!(
            T::COMPONENTS > 0 && T::COMPONENTS <= MOST_WIDE,
            "1 to 8,192 numbers a value"
        )
    };
    if [x.mesh_id(), y.mesh_id()] != [rx.id(); 2] {
        return Err(AttributeError::OtherMesh.into());
    }
    let kernel = Gather::<R> {
        x: StagedWords::new(x.global()?.cast(), T::COMPONENTS),
        y: y.global_mut()?.cast(),
        deal: Deal::new(T::COMPONENTS),
        width: T::COMPONENTS,
    };
    rx.launch_for_each(kernel)
}
