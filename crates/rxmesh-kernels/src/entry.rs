//! THE one list of this crate's kernels: names, parameter layouts, PTX entries.

use crate::algo::boundary::{BoundaryEdges, BoundaryFaces, BoundaryVertices};
use crate::algo::cg::CgStep;
use crate::algo::closest::Project;
use crate::algo::curvature::Curvatures;
use crate::algo::delaunay::{CountDelaunay, DelaunayFlip};
use crate::algo::filter::{FilterBalls, FilterLarge};
use crate::algo::geodesic::{
    GeodesicAdvance, GeodesicClear, GeodesicFinish, GeodesicSources, GeodesicUpdate, LevelRanges,
    LevelRound,
};
use crate::algo::kring::{RingBound, RingGather, RingPack};
use crate::algo::mcf::{McfAssembled, McfFans, McfProduct, McfSetup};
use crate::algo::measure::{Affine, EdgeLengths};
use crate::algo::normals::{GatherNormals, VertexNormals};
use crate::algo::prepare::WritePrepared;
use crate::algo::reduce::{ReducePartials, ReducePatches};
use crate::algo::remesh::{
    Accept, CollapseShort, CountRings, Deviations, EqualiseFlip, MarkFeatures, Relax, SplitLong,
    SumLengths, WriteRings,
};
use crate::algo::rows::{CountRows, WriteRows};
use crate::algo::scan::{ScanAdd, ScanChunks, SumChunks};
use crate::algo::simplify::{
    Collapse, SimplifyCosts, SimplifyLocks, SimplifyQuadrics, SimplifyRefusals, SimplifySelect,
};
use crate::algo::smooth::{SmoothCotangent, SmoothUniform};
use crate::algo::spring::{
    SpringBegin, SpringEnd, SpringEnergies, SpringGather, SpringHeights, SpringLengths,
    SpringProduct, SpringScatter,
};
use crate::algo::track::{Advect, SmoothNullSpace, SplitStretched};
use crate::cavity::marked::{
    CollapseMarked, FlipMarked, RemoveMarked, SplitFaceMarked, SplitMarked,
};
use crate::cavity::{
    Claim, Collect, FillIn, Interpolate, Limit, RankChunks, RankWords, ResetClaims, Resolve,
};
use crate::edit::{Fill, Freeze, ListFree, MarkDead, MoveSet, OpenPatches, OpenVertices};
use crate::query::{
    Corners, Diamond, EE, EF, EV, FE, FF, FV, Fans, OrientedVE, OrientedVF, OrientedVV, VE, VF, VV,
};
use crate::repack::elements::{
    RepackIsolated, RepackLast, RepackNumber, RepackStarts, RepackTell, RepackUnused,
};
use crate::repack::extra::{
    RepackExtraCount, RepackExtraFind, RepackExtraList, RepackExtraStand, RepackExtraTell,
};
use crate::repack::faces::{RepackCount, RepackLabels, RepackPlace, RepackSort};
use crate::repack::permute::RepackPermute;
use crate::repack::recut::Recut;
use crate::repack::relabel::{
    RelabelCentre, RelabelDepth, RelabelFaces, RelabelMate, RelabelMove, RelabelPairs, RelabelPick,
    RelabelRegions, RelabelSeed, RelabelSettle, RelabelSpread, RelabelStart, RelabelUnite,
};
use crate::repack::ribbon::RepackRibbon;
use crate::repack::write::{RepackHeaders, RepackWrite};
use crate::speculative::FillQueue;
use crate::speculative::exercise::{ExerciseLocks, ExerciseQueue, ExerciseStash, ExerciseTable};

use crate::speculative::{
    BuildPatches, Census, Flatten, MarkSeeds, Merge, NumberElements, NumberVertices, PlaceByHandle,
    QueuePatches, Slice, Speculate,
};

/// Hands the list to a macro: what is listed here exists on every engine.
macro_rules! list {
    ($to:path { $($head:tt)* }) => {
        $to! {
            $($head)*
            patch count_vv: CountRows<VV>;
            patch count_ve: CountRows<VE>;
            patch count_vf: CountRows<VF>;
            patch count_ef: CountRows<EF>;
            patch count_ee: CountRows<EE>;
            patch count_ff: CountRows<FF>;
            patch count_ev: CountRows<EV>;
            patch count_fv: CountRows<FV>;
            patch count_fe: CountRows<FE>;
            patch count_diamond: CountRows<Diamond>;
            patch count_oriented_vv: CountRows<OrientedVV>;
            patch count_oriented_ve: CountRows<OrientedVE>;
            patch count_oriented_vf: CountRows<OrientedVF>;
            patch write_vv: WriteRows<VV>;
            patch write_ve: WriteRows<VE>;
            patch write_vf: WriteRows<VF>;
            patch write_ev: WriteRows<EV>;
            patch write_ee: WriteRows<EE>;
            patch write_ef: WriteRows<EF>;
            patch write_fv: WriteRows<FV>;
            patch write_fe: WriteRows<FE>;
            patch write_ff: WriteRows<FF>;
            patch write_diamond: WriteRows<Diamond>;
            patch write_oriented_vv: WriteRows<OrientedVV>;
            patch write_oriented_ve: WriteRows<OrientedVE>;
            patch write_oriented_vf: WriteRows<OrientedVF>;
            patch count_corners: CountRows<Corners>;
            patch write_corners: WriteRows<Corners>;
            prepare prepare_vv: VV;
            prepare prepare_ve: VE;
            prepare prepare_vf: VF;
            prepare prepare_ef: EF;
            prepare prepare_ee: EE;
            prepare prepare_fv: FV;
            prepare prepare_ff: FF;
            prepare prepare_diamond: Diamond;
            prepare prepare_corners: Corners;
            prepare prepare_fans: Fans;
            prepare prepare_oriented_vv: OrientedVV;
            prepare prepare_oriented_ve: OrientedVE;
            prepare prepare_oriented_vf: OrientedVF;
            patch write_prepared_vv: WritePrepared<VV>;
            patch write_prepared_ve: WritePrepared<VE>;
            patch write_prepared_vf: WritePrepared<VF>;
            patch write_prepared_ef: WritePrepared<EF>;
            patch write_prepared_ee: WritePrepared<EE>;
            patch write_prepared_fv: WritePrepared<FV>;
            patch write_prepared_ff: WritePrepared<FF>;
            patch write_prepared_diamond: WritePrepared<Diamond>;
            patch write_prepared_corners: WritePrepared<Corners>;
            patch write_prepared_oriented_vv: WritePrepared<OrientedVV>;
            patch boundary_edges: BoundaryEdges;
            patch boundary_vertices: BoundaryVertices;
            patch boundary_faces: BoundaryFaces;
            flat ring_bound: RingBound;
            flat ring_gather: RingGather;
            flat ring_pack: RingPack;
            block scan_chunks: ScanChunks;
            flat scan_add: ScanAdd;
            block sum_chunks: SumChunks;
            patch edge_lengths: EdgeLengths;
            flat affine: Affine;
            patch reduce_patches: ReducePatches;
            block reduce_partials: ReducePartials;
            patch vertex_normals: VertexNormals;
            prepared vertex_normals_prepared: VertexNormals;
            patch gather_normals: GatherNormals;
            prepared gather_normals_prepared: GatherNormals;
            patch mcf_product: McfProduct;
            patch mcf_setup: McfSetup;
            patch mcf_assembled: McfAssembled;
            patch mcf_fans: McfFans;
            block cg_step: CgStep;
            patch smooth_uniform: SmoothUniform;
            prepared smooth_uniform_prepared: SmoothUniform;
            patch smooth_cotangent: SmoothCotangent;
            patch curvatures: Curvatures;
            flat geodesic_clear: GeodesicClear;
            flat geodesic_sources: GeodesicSources;
            patch level_round: LevelRound;
            patch level_ranges: LevelRanges;
            patch geodesic_update: GeodesicUpdate;
            block geodesic_advance: GeodesicAdvance;
            patch geodesic_finish: GeodesicFinish;
            patch spring_lengths: SpringLengths;
            patch spring_gather: SpringGather;
            patch spring_scatter: SpringScatter;
            flat spring_begin: SpringBegin;
            patch spring_product: SpringProduct;
            flat spring_end: SpringEnd;
            patch spring_energies: SpringEnergies;
            flat spring_heights: SpringHeights;
            block filter_balls: FilterBalls;
            flat filter_large: FilterLarge;
            flat relabel_start: RelabelStart;
            block relabel_pairs: RelabelPairs;
            flat relabel_pick: RelabelPick;
            flat relabel_mate: RelabelMate;
            flat relabel_unite: RelabelUnite;
            flat relabel_depth: RelabelDepth;
            flat relabel_centre: RelabelCentre;
            flat relabel_seed: RelabelSeed;
            flat relabel_spread: RelabelSpread;
            flat relabel_settle: RelabelSettle;
            flat relabel_move: RelabelMove;
            block relabel_regions: RelabelRegions;
            flat relabel_faces: RelabelFaces;
            block recut: Recut;
            flat repack_count: RepackCount;
            block repack_labels: RepackLabels;
            flat repack_place: RepackPlace;
            block repack_sort: RepackSort;
            block repack_tell: RepackTell;
            block repack_starts: RepackStarts;
            flat repack_unused: RepackUnused;
            flat repack_isolated: RepackIsolated;
            flat repack_last: RepackLast;
            block repack_number: RepackNumber;
            flat repack_extra_find: RepackExtraFind;
            flat repack_extra_count: RepackExtraCount;
            flat repack_extra_list: RepackExtraList;
            flat repack_extra_stand: RepackExtraStand;
            flat repack_extra_tell: RepackExtraTell;
            block repack_ribbon: RepackRibbon;
            block repack_headers: RepackHeaders;
            block repack_write: RepackWrite;
            flat repack_permute: RepackPermute;
            flat fill: Fill;
            patch patches_number_vertices: NumberVertices;
            patch patches_number_elements: NumberElements;
            patch patches_build: BuildPatches;
            flat patches_place: PlaceByHandle;
            block patches_flatten: Flatten;
            flat patches_mark: MarkSeeds;
            flat patches_queue: QueuePatches;
            block patches_census: Census;
            block patches_slice: Slice;
            block patches_merge: Merge;
            patch open_patches: OpenPatches;
            flat open_vertices: OpenVertices;
            flat freeze: Freeze;
            flat mark_dead: MarkDead;
            flat move_set: MoveSet;
            flat list_free: ListFree;
            flat reset_claims: ResetClaims;
            block collect: Collect;
            block limit: Limit;
            flat interpolate: Interpolate;
            block rank_words: RankWords;
            block rank_chunks: RankChunks;
            flat flip_marked_claim: Claim<FlipMarked>;
            block flip_marked_resolve: Resolve<FlipMarked>;
            flat flip_marked_fill: FillIn<FlipMarked>;
            block flip_marked_speculate: Speculate<FlipMarked>;
            flat split_marked_claim: Claim<SplitMarked>;
            block split_marked_resolve: Resolve<SplitMarked>;
            flat split_marked_fill: FillIn<SplitMarked>;
            block split_marked_speculate: Speculate<SplitMarked>;
            flat collapse_marked_claim: Claim<CollapseMarked>;
            block collapse_marked_resolve: Resolve<CollapseMarked>;
            flat collapse_marked_fill: FillIn<CollapseMarked>;
            block collapse_marked_speculate: Speculate<CollapseMarked>;
            flat split_face_marked_claim: Claim<SplitFaceMarked>;
            block split_face_marked_resolve: Resolve<SplitFaceMarked>;
            flat split_face_marked_fill: FillIn<SplitFaceMarked>;
            block split_face_marked_speculate: Speculate<SplitFaceMarked>;
            flat remove_marked_claim: Claim<RemoveMarked>;
            block remove_marked_resolve: Resolve<RemoveMarked>;
            flat remove_marked_fill: FillIn<RemoveMarked>;
            block remove_marked_speculate: Speculate<RemoveMarked>;
            flat delaunay_claim: Claim<DelaunayFlip>;
            block delaunay_resolve: Resolve<DelaunayFlip>;
            flat delaunay_fill: FillIn<DelaunayFlip>;
            block delaunay_speculate: Speculate<DelaunayFlip>;
            flat delaunay_count: CountDelaunay;
            flat simplify_quadrics: SimplifyQuadrics;
            flat simplify_locks: SimplifyLocks;
            flat simplify_costs: SimplifyCosts;
            block simplify_select: SimplifySelect;
            flat simplify_claim: Claim<Collapse>;
            block simplify_resolve: Resolve<Collapse>;
            flat simplify_fill: FillIn<Collapse>;
            flat simplify_refusals: SimplifyRefusals;
            block sum_lengths: SumLengths;
            flat mark_features: MarkFeatures;
            flat split_long_claim: Claim<SplitLong>;
            block split_long_resolve: Resolve<SplitLong>;
            flat split_long_fill: FillIn<SplitLong>;
            block split_long_speculate: Speculate<SplitLong>;
            flat collapse_short_claim: Claim<CollapseShort>;
            block collapse_short_resolve: Resolve<CollapseShort>;
            flat collapse_short_fill: FillIn<CollapseShort>;
            block collapse_short_speculate: Speculate<CollapseShort>;
            flat deviations: Deviations;
            flat equalise_claim: Claim<EqualiseFlip>;
            block equalise_resolve: Resolve<EqualiseFlip>;
            flat equalise_fill: FillIn<EqualiseFlip>;
            block equalise_speculate: Speculate<EqualiseFlip>;
            flat count_rings: CountRings;
            flat write_rings: WriteRings;
            flat relax: Relax;
            flat accept: Accept;
            flat project: Project;
            flat advect: Advect;
            flat split_stretched_claim: Claim<SplitStretched>;
            block split_stretched_resolve: Resolve<SplitStretched>;
            flat split_stretched_fill: FillIn<SplitStretched>;
            block split_stretched_speculate: Speculate<SplitStretched>;
            flat smooth_null_space: SmoothNullSpace;
            flat fill_queue: FillQueue;
            block exercise_table: ExerciseTable;
            block exercise_stash: ExerciseStash;
            block exercise_queue: ExerciseQueue;
            block exercise_locks: ExerciseLocks;
        }
    };
}

list!(crate::entries { pub KERNELS; });

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_fingerprint";

#[cfg(feature = "entries")]
list!(crate::export_entries { "rx_fingerprint" = KERNELS; });
