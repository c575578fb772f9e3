//! Mesh matrix as a language (Mlakar 2018, chapters 3 to 5): mapped products that read the mesh and are never stored,
//! or are stored as CSR if they are needed repeatedly.
//!
//! The mesh matrix M is [`Topology`](crate::topology::Topology): one column per face, one row per vertex, one entry per
//! half-edge. [`Topology::range`](crate::topology::Topology::range) is its CSC form, reduced when all faces have the
//! same size (section 5.1); [`Topology::row`](crate::topology::Topology::row) is its CSR form. User code is small:
//!
//! | trait | says | of the thesis |
//! | --- | --- | --- |
//! | [`Map`] | value of an entry in M{Q} x | action maps of SpMV, section 3.2 |
//! | [`Gamma`] | value of a pair of corners of a face in M M^T {Q}\[gamma\] | action maps of SpGEMM, (4.7) |
//! | [`Rule`] | terms of a row, for any matrix that can be computed | implicit SpGEMM, section 5.2 |
//! | [`Scheme`] | masks of new vertices, and the split of faces | chapter 4 |
//!
//! | kernel | does | of the thesis |
//! | --- | --- | --- |
//! | [`Multiply`] | a matrix times rows of values | algorithm 1, (3.2), (3.3) |
//! | [`CountTerms`], [`FillIds`], [`FillValues`] | a matrix to CSR: count, prefix sum, fill | algorithm 2, section 5.2
//! |
//! | [`SelectFaces`], [`SelectVertices`] | propagation | (4.35) to (4.38) |
//! | [`ListSelected`], [`ExtractFaces`], [`ExtractVertices`] | extraction of a mesh | Figure 4.17 |
//! | [`FacePoints`], [`Points`] | a level of a scheme: new values | (4.8) to (4.32) |
//! | [`split`] | a level of a scheme: new faces with twins, edges and rows | tables 4.1 and 4.2, section 4.3.2 |
//! | [`dual`] | the same for schemes with one new vertex per corner | - |
//!
//! All sums are gathers in the order of the rows, so that the same input gives the same bits on every run; the thesis
//! scatters direct products with atomic additions (section 5.3, algorithm 3).
//!
//! Errors of the thesis are corrected here: algorithm 1 multiplies `x[row]`, which must be `x[column]`; (4.32) has 1/n
//! where (4.29) has 1/n^2; "`M(i, j)` is the i-th entry in the j-th row" exchanges rows and columns; the map of a
//! polygon's corners depends on the order of its face.

pub mod csr;
pub mod dual;
pub mod gamma;
pub mod map;
pub mod multiply;
pub mod normals;
pub mod rule;
pub mod scheme;
pub mod schemes;
pub mod select;
pub mod split;

pub use csr::{CompactIds, CountTerms, FillIds, FillValues, SortLongIds};
pub use gamma::{Collision, EdgeUses, FaceOfSides, Gamma, Pairs, Power, Sides};
pub use map::{
    ByColumn, ByEntry, ByPosition, ByRow, Constant, Map, MatrixEntry, OverOrder, OverValence,
};
pub use multiply::{Lanes, Multiply};
pub use normals::{FaceNormals, Normalise};
pub use rule::{Direct, Operand, Product, Rule, Stored, Transposed};
pub use scheme::{FacePoints, Level, LevelRows, Points, Scheme, Split, Terms};
pub use schemes::{CatmullClark, DooSabin, Loop, Sqrt3};
pub use select::{ExtractFaces, ExtractVertices, ListSelected, SelectFaces, SelectVertices};

kernel_list! {
    flat matrix_direct_constant: Multiply<Direct<Constant>> as Constant;
    flat matrix_direct_valence: Multiply<Direct<OverValence>> as OverValence;
    flat matrix_direct_order: Multiply<Direct<OverOrder>> as OverOrder;
    flat matrix_direct_position: Multiply<Direct<ByPosition>> as ByPosition;
    flat matrix_direct_row: Multiply<Direct<ByRow>> as ByRow;
    flat matrix_direct_column: Multiply<Direct<ByColumn>> as ByColumn;
    flat matrix_direct_entry: Multiply<Direct<ByEntry>> as ByEntry;
    flat matrix_transposed_constant: Multiply<Transposed<Constant>> as Constant;
    flat matrix_transposed_valence: Multiply<Transposed<OverValence>> as OverValence;
    flat matrix_transposed_order: Multiply<Transposed<OverOrder>> as OverOrder;
    flat matrix_transposed_position: Multiply<Transposed<ByPosition>> as ByPosition;
    flat matrix_transposed_row: Multiply<Transposed<ByRow>> as ByRow;
    flat matrix_transposed_column: Multiply<Transposed<ByColumn>> as ByColumn;
    flat matrix_transposed_entry: Multiply<Transposed<ByEntry>> as ByEntry;
    flat matrix_multiply: Multiply<Stored> as Stored;
    flat matrix_product_count: CountTerms<Product<Stored, Stored>> as Stored;
    flat matrix_product_ids: FillIds<Product<Stored, Stored>> as Stored;
    flat matrix_product_values: FillValues<Product<Stored, Stored>> as Stored;
    flat matrix_faces_count: CountTerms<Pairs<FaceOfSides>> as FaceOfSides;
    flat matrix_faces_ids: FillIds<Pairs<FaceOfSides>> as FaceOfSides;
    flat matrix_faces_values: FillValues<Pairs<FaceOfSides>> as FaceOfSides;
    flat matrix_edges_count: CountTerms<Pairs<EdgeUses>> as EdgeUses;
    flat matrix_edges_ids: FillIds<Pairs<EdgeUses>> as EdgeUses;
    flat matrix_edges_values: FillValues<Pairs<EdgeUses>> as EdgeUses;
    flat matrix_sides_count: CountTerms<Pairs<Sides>> as Sides;
    flat matrix_sides_ids: FillIds<Pairs<Sides>> as Sides;
    flat matrix_sides_values: FillValues<Pairs<Sides>> as Sides;
    flat matrix_power_count: CountTerms<Pairs<Power>> as Power;
    flat matrix_power_ids: FillIds<Pairs<Power>> as Power;
    flat matrix_power_values: FillValues<Pairs<Power>> as Power;
    block matrix_sort_long: SortLongIds;
    flat matrix_compact: CompactIds;
    flat matrix_select_faces: SelectFaces;
    flat matrix_select_vertices: SelectVertices;
    flat matrix_list_selected: ListSelected;
    flat matrix_extract_faces: ExtractFaces;
    flat matrix_extract_vertices: ExtractVertices;
    flat matrix_face_normals: FaceNormals;
    flat matrix_normalise: Normalise;
    flat split_quads: split::SplitQuads;
    flat split_triangles: split::SplitTriangles;
    flat split_flips: split::SplitFlips;
    flat split_flip_rows: split::FlipRows;
    flat split_degrees: split::Degrees;
    flat split_dual_count: dual::DualCounts;
    flat split_dual: dual::DualFaces;
    flat scheme_doo_sabin_faces: FacePoints<DooSabin> as DooSabin;
    flat scheme_doo_sabin_points: Points<DooSabin> as DooSabin;
    flat scheme_doo_sabin_count: CountTerms<LevelRows<DooSabin>> as DooSabin;
    flat scheme_doo_sabin_ids: FillIds<LevelRows<DooSabin>> as DooSabin;
    flat scheme_doo_sabin_values: FillValues<LevelRows<DooSabin>> as DooSabin;
    flat scheme_catmull_clark_faces: FacePoints<CatmullClark> as CatmullClark;
    flat scheme_catmull_clark_points: Points<CatmullClark> as CatmullClark;
    flat scheme_catmull_clark_count: CountTerms<LevelRows<CatmullClark>> as CatmullClark;
    flat scheme_catmull_clark_ids: FillIds<LevelRows<CatmullClark>> as CatmullClark;
    flat scheme_catmull_clark_values: FillValues<LevelRows<CatmullClark>> as CatmullClark;
    flat scheme_loop_faces: FacePoints<Loop> as Loop;
    flat scheme_loop_points: Points<Loop> as Loop;
    flat scheme_loop_count: CountTerms<LevelRows<Loop>> as Loop;
    flat scheme_loop_ids: FillIds<LevelRows<Loop>> as Loop;
    flat scheme_loop_values: FillValues<LevelRows<Loop>> as Loop;
    flat scheme_sqrt3_faces: FacePoints<Sqrt3> as Sqrt3;
    flat scheme_sqrt3_points: Points<Sqrt3> as Sqrt3;
    flat scheme_sqrt3_count: CountTerms<LevelRows<Sqrt3>> as Sqrt3;
    flat scheme_sqrt3_ids: FillIds<LevelRows<Sqrt3>> as Sqrt3;
    flat scheme_sqrt3_values: FillValues<LevelRows<Sqrt3>> as Sqrt3;
}
