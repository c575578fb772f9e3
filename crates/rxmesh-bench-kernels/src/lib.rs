//! Kernels of the methods that the bench compares this library with. Only `rxmesh-bench` loads them: programs and
//! libraries of users carry none of them (decision 182).
//!
//! - [`half_edges`]: parallel directed edges in two layouts (Campagna, Kobbelt and Seidel 1998; RXMesh 2021, section
//!   7);
//! - [`queries`]: the eight relations over them;
//! - [`flow`]: mean curvature flow without a matrix;
//! - [`filter`]: bilateral filter over balls;
//! - [`fronts`]: distances along the surface;
//! - [`normals`]: vertex normals over directed edges, and from an index list alone.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

// Brings the panic handler into the device build.
#[cfg(target_arch = "nvptx64")]
use cuda_std as _;

/// Makes kernels that are generic over the layout of the half-edges known by the names that the layouts keep.
macro_rules! entries_by_layout {
    ($($kernel:ident)*) => {$(
        // SAFETY: the name is the promise of `EntryOf`.
        unsafe impl<M> rxmesh_kernels::kernel::Entry for $kernel<M>
        where
            M: crate::half_edges::HalfEdges + rxmesh_kernels::kernel::EntryOf<$kernel<M>>,
        {
            const NAME: &'static str = <M as rxmesh_kernels::kernel::EntryOf<$kernel<M>>>::NAME;
        }
    )*};
}

pub mod filter;
pub mod flow;
pub mod fronts;
pub mod half_edges;
pub mod normals;
pub mod queries;

use filter::{DirectedBalls, LargeBalls};
use flow::{FlowDirection, FlowProduct};
use fronts::FrontStep;
use half_edges::{PairedHalfEdges, TripleHalfEdges};
use normals::{AddNormals, ClearWords, CornerNormals, DirectedNormals, UnitRows};
use queries::{
    DirectedEf, DirectedEv, DirectedFe, DirectedFf, DirectedFv, DirectedVe, DirectedVf, DirectedVv,
};

rxmesh_kernels::kernels! {
    /// Fingerprint that `Engine::load_ptx` compares with the PTX.
    pub KERNELS = "rx_bench_fingerprint", feature "entries";
    flat paired_vv: DirectedVv<PairedHalfEdges> as PairedHalfEdges;
    flat paired_ve: DirectedVe<PairedHalfEdges> as PairedHalfEdges;
    flat paired_vf: DirectedVf<PairedHalfEdges> as PairedHalfEdges;
    flat paired_fv: DirectedFv<PairedHalfEdges> as PairedHalfEdges;
    flat paired_fe: DirectedFe<PairedHalfEdges> as PairedHalfEdges;
    flat paired_ff: DirectedFf<PairedHalfEdges> as PairedHalfEdges;
    flat paired_ev: DirectedEv<PairedHalfEdges> as PairedHalfEdges;
    flat paired_ef: DirectedEf<PairedHalfEdges> as PairedHalfEdges;
    flat paired_normals: DirectedNormals<PairedHalfEdges> as PairedHalfEdges;
    block paired_product: FlowProduct<PairedHalfEdges> as PairedHalfEdges;
    block paired_balls: DirectedBalls<PairedHalfEdges> as PairedHalfEdges;
    flat paired_large_balls: LargeBalls<PairedHalfEdges> as PairedHalfEdges;
    flat paired_fronts: FrontStep<PairedHalfEdges> as PairedHalfEdges;
    flat triple_vv: DirectedVv<TripleHalfEdges> as TripleHalfEdges;
    flat triple_ve: DirectedVe<TripleHalfEdges> as TripleHalfEdges;
    flat triple_vf: DirectedVf<TripleHalfEdges> as TripleHalfEdges;
    flat triple_fv: DirectedFv<TripleHalfEdges> as TripleHalfEdges;
    flat triple_fe: DirectedFe<TripleHalfEdges> as TripleHalfEdges;
    flat triple_ff: DirectedFf<TripleHalfEdges> as TripleHalfEdges;
    flat triple_ev: DirectedEv<TripleHalfEdges> as TripleHalfEdges;
    flat triple_ef: DirectedEf<TripleHalfEdges> as TripleHalfEdges;
    flat triple_normals: DirectedNormals<TripleHalfEdges> as TripleHalfEdges;
    block triple_product: FlowProduct<TripleHalfEdges> as TripleHalfEdges;
    block triple_balls: DirectedBalls<TripleHalfEdges> as TripleHalfEdges;
    flat triple_large_balls: LargeBalls<TripleHalfEdges> as TripleHalfEdges;
    flat triple_fronts: FrontStep<TripleHalfEdges> as TripleHalfEdges;
    flat flow_direction: FlowDirection;
    flat add_normals: AddNormals;
    flat clear_words: ClearWords;
    flat corner_normals: CornerNormals;
    flat unit_rows: UnitRows;
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_bench_fingerprint";
