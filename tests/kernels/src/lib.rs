//! Kernels that only the conformance suite runs. They have their own PTX, so that the tests also run on a GPU.
//!
//! - [`alone`]: elements by themselves, and functions of numbers;
//! - [`marked`]: the usual local operators on seeds that the caller marks;
//! - [`entries`]: values for each neighbour, over all relations;
//! - [`exercise`]: the speculative scheduler's stash, tables, queue and locks, each by itself;
//! - [`sorts`]: sorts inside a block;
//! - [`steps`]: values that cross blocks from step to step of a grid;
//! - [`templates`]: every template of cavities, cavities that stay open, 1:4 splits;
//! - [`variants`]: operators that give cavities up, and cavities of several seeds;
//! - [`volumes`]: values of corners, relations of relations, and sums at neighbours.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

// Brings the panic handler into the device build.
#[cfg(target_arch = "nvptx64")]
use cuda_std as _;

pub mod alone;
pub mod entries;
pub mod exercise;
pub mod marked;
pub mod sorts;
pub mod steps;
pub mod templates;
pub mod variants;
pub mod volumes;

use alone::{Angles, CountActive, Powers};
use entries::{
    GiveCc, GiveCe, GiveCf, GiveCv, GiveEc, GiveEe, GiveEf, GiveEv, GiveFc, GiveFe, GiveFf, GiveFv,
    GiveProducts, GiveVc, GiveVe, GiveVf, GiveVv, ScatterNested, ShareCv, ShareEe, ShareVc,
};
use exercise::{ExerciseLocks, ExerciseQueue, ExerciseStash, ExerciseTable};
use marked::{CollapseMarked, FlipMarked, RemoveMarked, SplitFaceMarked, SplitMarked};
use rxmesh_speculative_kernels::Speculate;
use sorts::SortLists;
use steps::HandOn;
use templates::{
    Generations, PunchE, PunchF, PunchV, RefillEdges, RefillFaces, RefillVertices, SplitFour,
};
use variants::{ContractUnlessHeld, RefillCluster, SplitUnlessHeld};
use volumes::{
    CellEdgeVertices, GiveCorners, ScatterCe, ScatterCf, ScatterCv, ScatterEv, ScatterFe, ScatterFv,
};

rxmesh_kernels::kernels! {
    /// Fingerprint that `Engine::load_ptx` compares with the PTX.
    pub KERNELS = "rx_test_fingerprint", feature "entries";
    operator flip_marked: FlipMarked;
    operator split_marked: SplitMarked;
    operator collapse_marked: CollapseMarked;
    operator split_face_marked: SplitFaceMarked;
    operator remove_marked: RemoveMarked;
    block flip_marked_speculate: Speculate<FlipMarked> as FlipMarked;
    block split_marked_speculate: Speculate<SplitMarked> as SplitMarked;
    block collapse_marked_speculate: Speculate<CollapseMarked> as CollapseMarked;
    block split_face_marked_speculate: Speculate<SplitFaceMarked> as SplitFaceMarked;
    block remove_marked_speculate: Speculate<RemoveMarked> as RemoveMarked;
    operator refill_vertices: RefillVertices;
    operator refill_edges: RefillEdges;
    operator refill_faces: RefillFaces;
    operator punch_v: PunchV;
    operator punch_e: PunchE;
    operator punch_f: PunchF;
    operator split_four: SplitFour;
    block refill_vertices_speculate: Speculate<RefillVertices> as RefillVertices;
    block refill_edges_speculate: Speculate<RefillEdges> as RefillEdges;
    block refill_faces_speculate: Speculate<RefillFaces> as RefillFaces;
    block punch_v_speculate: Speculate<PunchV> as PunchV;
    block punch_e_speculate: Speculate<PunchE> as PunchE;
    block punch_f_speculate: Speculate<PunchF> as PunchF;
    block split_four_speculate: Speculate<SplitFour> as SplitFour;
    operator split_unless_held: SplitUnlessHeld;
    block split_unless_held_speculate: Speculate<SplitUnlessHeld> as SplitUnlessHeld;
    operator contract_unless_held: ContractUnlessHeld;
    block contract_unless_held_speculate: Speculate<ContractUnlessHeld> as ContractUnlessHeld;
    operator refill_cluster: RefillCluster;
    block refill_cluster_speculate: Speculate<RefillCluster> as RefillCluster;
    flat generations: Generations;
    block exercise_table: ExerciseTable;
    block exercise_stash: ExerciseStash;
    block exercise_queue: ExerciseQueue;
    block exercise_locks: ExerciseLocks;
    block sort_lists: SortLists;
    grid hand_on: HandOn;
    distribute give_corners: GiveCorners;
    distribute give_products: GiveProducts;
    prepared give_vv: GiveVv;
    prepared give_ve: GiveVe;
    prepared give_vf: GiveVf;
    prepared give_vc: GiveVc;
    prepared give_ev: GiveEv;
    prepared give_ee: GiveEe;
    prepared give_ef: GiveEf;
    prepared give_ec: GiveEc;
    prepared give_fv: GiveFv;
    prepared give_fe: GiveFe;
    prepared give_ff: GiveFf;
    prepared give_fc: GiveFc;
    prepared give_cv: GiveCv;
    prepared give_ce: GiveCe;
    prepared give_cf: GiveCf;
    prepared give_cc: GiveCc;
    prepared share_ten_cv: ShareCv;
    prepared share_ten_vc: ShareVc;
    prepared share_ten_ee: ShareEe;
    prepared scatter_nested: ScatterNested;
    prepared cell_edge_vertices: CellEdgeVertices;
    prepared scatter_cv: ScatterCv;
    prepared scatter_ce: ScatterCe;
    prepared scatter_ev: ScatterEv;
    prepared scatter_cf: ScatterCf;
    prepared scatter_fe: ScatterFe;
    prepared scatter_fv: ScatterFv;
    patch powers_of_edges: Powers;
    patch angles_of_edges: Angles;
    prepared count_edges: CountActive;
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_test_fingerprint";
