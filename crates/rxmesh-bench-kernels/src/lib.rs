//! Kernels of the methods that the bench compares this library with. Only `rxmesh-bench` loads them: programs and
//! libraries of users carry none of them (decision 182).
//!
//! - [`half_edges`]: parallel directed edges in two layouts (Campagna, Kobbelt and Seidel 1998; RXMesh 2021, section
//!   7);
//! - [`queries`]: the eight relations over them;
//! - [`entries`]: values for each neighbour, under all relations of volumes;
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

pub mod entries;
pub mod filter;
pub mod flow;
pub mod fronts;
pub mod half_edges;
pub mod normals;
pub mod queries;

use entries::ShareEntries;
use filter::{DirectedBalls, LargeBalls};
use flow::{FlowDirection, FlowProduct};
use fronts::FrontStep;
use half_edges::{PairedHalfEdges, TripleHalfEdges};
use normals::{AddNormals, ClearWords, CornerNormals, DirectedNormals, UnitRows};
use queries::{
    DirectedEf, DirectedEv, DirectedFe, DirectedFf, DirectedFv, DirectedVe, DirectedVf, DirectedVv,
};
use rxmesh_kernels::query::{CC, CE, CF, CV, EC, EE, EF, EV, FC, FE, FF, FV, VC, VE, VF, VV};

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
    prepared share_entries_vv: ShareEntries<VV>;
    prepared share_entries_ve: ShareEntries<VE>;
    prepared share_entries_vf: ShareEntries<VF>;
    prepared share_entries_vc: ShareEntries<VC>;
    prepared share_entries_ev: ShareEntries<EV>;
    prepared share_entries_ee: ShareEntries<EE>;
    prepared share_entries_ef: ShareEntries<EF>;
    prepared share_entries_ec: ShareEntries<EC>;
    prepared share_entries_fv: ShareEntries<FV>;
    prepared share_entries_fe: ShareEntries<FE>;
    prepared share_entries_ff: ShareEntries<FF>;
    prepared share_entries_fc: ShareEntries<FC>;
    prepared share_entries_cv: ShareEntries<CV>;
    prepared share_entries_ce: ShareEntries<CE>;
    prepared share_entries_cf: ShareEntries<CF>;
    prepared share_entries_cc: ShareEntries<CC>;
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_bench_fingerprint";
