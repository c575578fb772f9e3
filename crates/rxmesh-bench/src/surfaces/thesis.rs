//! Rows of the thesis' tables (Mlakar 2018, chapter 6): times of uniform Catmull-Clark, Loop and sqrt(3) (tables 6.1,
//! 6.2, 6.7), memory (6.3, 6.4) and the effect of the mesh's order (6.8). Its meshes are not available under free
//! terms; these are generated ones with the same numbers of faces, and with the irregular vertices that edge flips
//! leave. Its times are those of its optimised version on a Titan X (Pascal), sums of kernels' times; ours are calls,
//! from faces on the host.
//! Each row exists in the fast form and in the general one, which makes the topology of all levels and the positions in
//! existing memory. "As it comes" is shuffled: the order of the thesis' meshes is not known. Table 6.8 states level 2
//! of Blue Crab, but its numbers of faces are those of level 1.

use anyhow::Result;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Order, PolyMesh};
use rxmesh_subdivision::Mesh;
use rxmesh_subdivision::kernels::matrix::{CatmullClark, Loop, Sqrt3};
use rxmesh_subdivision::matrix::{GeneralSubdivision, Listed};

use super::rows::{
    Measured, Row, all_of_quads, all_of_sqrt3, all_of_triangles, bytes_of_quads,
    bytes_of_triangles, general, general_of, mapped_spmv, most_allocated, row,
};
use crate::measure::{self, Effort};

/// Returns the thesis' baseline in milliseconds.
const fn thesis(ms: f64) -> Option<(f64, &'static str)> {
    Some((ms, "the thesis, Titan X"))
}

/// Returns the thesis' baseline as bytes per face: `value` gigabytes for `faces` final faces.
const fn gb(value: f64, faces: u64) -> Option<(f64, &'static str)> {
    Some((value * 1e9 / faces as f64, "the thesis, Titan X"))
}

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row("thesis 6.1, archer", "irregular:7", 6, 7_225_344, None, thesis(7.54), all_of_quads),
    row("thesis 6.1, archer, general", "irregular:7", 6, 7_225_344, None, thesis(7.54), general),
    row("thesis 6.1, dress", "irregular:8", 6, 9_437_184, None, thesis(9.95), all_of_quads),
    row("thesis 6.1, dress, general", "irregular:8", 6, 9_437_184, None, thesis(9.95), general),
    row("thesis 6.1, Embreea", "triangles:577", 1, 11_985_444, None, thesis(8.3), all_of_quads),
    row("thesis 6.1, Embreea, general", "triangles:577", 1, 11_985_444, None, thesis(8.3), general),
    row("thesis 6.1, phil", "irregular:9", 6, 11_943_936, None, thesis(12.62), all_of_quads),
    row("thesis 6.1, phil, general", "irregular:9", 6, 11_943_936, None, thesis(12.62), general),
    row("thesis 6.1, hat", "irregular:11", 6, 17_842_176, None, thesis(18.44), all_of_quads),
    row("thesis 6.1, hat, general", "irregular:11", 6, 17_842_176, None, thesis(18.44), general),
    row("thesis 6.1, coat", "irregular:13", 6, 24_920_064, None, thesis(22.65), all_of_quads),
    row("thesis 6.1, coat, general", "irregular:13", 6, 24_920_064, None, thesis(22.65), general),
    row("thesis 6.1, neptune", "triangles:577", 2, 47_941_776, None, thesis(33.9), all_of_quads),
    row("thesis 6.1, neptune, general", "triangles:577", 2, 47_941_776, None, thesis(33.9), general),
    row("thesis 6.1, Bee", "triangles:1190", 1, 50_979_600, None, thesis(34.78), all_of_quads),
    row("thesis 6.1, Bee, general", "triangles:1190", 1, 50_979_600, None, thesis(34.78), general),
    row("thesis 6.3, archer", "irregular:7", 6, 7_225_344, None, gb(0.31, 7_225_344), bytes_of_quads),
    row("thesis 6.3, archer, general", "irregular:7", 6, 7_225_344, None, gb(0.31, 7_225_344), most_of_quads),
    row("thesis 6.3, dress", "irregular:8", 6, 9_437_184, None, gb(0.43, 9_437_184), bytes_of_quads),
    row("thesis 6.3, dress, general", "irregular:8", 6, 9_437_184, None, gb(0.43, 9_437_184), most_of_quads),
    row("thesis 6.3, Embreea", "triangles:577", 1, 11_985_444, None, gb(0.61, 11_985_444), bytes_of_quads),
    row("thesis 6.3, Embreea, general", "triangles:577", 1, 11_985_444, None, gb(0.61, 11_985_444), most_of_quads),
    row("thesis 6.3, phil", "irregular:9", 6, 11_943_936, None, gb(0.58, 11_943_936), bytes_of_quads),
    row("thesis 6.3, phil, general", "irregular:9", 6, 11_943_936, None, gb(0.58, 11_943_936), most_of_quads),
    row("thesis 6.3, hat", "irregular:11", 6, 17_842_176, None, gb(0.84, 17_842_176), bytes_of_quads),
    row("thesis 6.3, hat, general", "irregular:11", 6, 17_842_176, None, gb(0.84, 17_842_176), most_of_quads),
    row("thesis 6.3, coat", "irregular:13", 6, 24_920_064, None, gb(1.06, 24_920_064), bytes_of_quads),
    row("thesis 6.3, coat, general", "irregular:13", 6, 24_920_064, None, gb(1.06, 24_920_064), most_of_quads),
    row("thesis 6.3, neptune", "triangles:577", 2, 47_941_776, None, gb(2.24, 47_941_776), bytes_of_quads),
    row("thesis 6.3, neptune, general", "triangles:577", 2, 47_941_776, None, gb(2.24, 47_941_776), most_of_quads),
    row("thesis 6.3, Bee", "triangles:1190", 1, 50_979_600, None, gb(2.59, 50_979_600), bytes_of_quads),
    row("thesis 6.3, Bee, general", "triangles:1190", 1, 50_979_600, None, gb(2.59, 50_979_600), most_of_quads),
    row("thesis 6.2, archer", "triangles:16", 6, 12_582_912, None, thesis(10.53), all_of_triangles),
    row("thesis 6.2, archer, general", "triangles:16", 6, 12_582_912, None, thesis(10.53), general_loop),
    row("thesis 6.2, Embreea", "triangles:577", 1, 15_980_592, None, thesis(5.21), all_of_triangles),
    row("thesis 6.2, Embreea, general", "triangles:577", 1, 15_980_592, None, thesis(5.21), general_loop),
    row("thesis 6.2, dress", "triangles:19", 6, 17_743_872, None, thesis(14.61), all_of_triangles),
    row("thesis 6.2, dress, general", "triangles:19", 6, 17_743_872, None, thesis(14.61), general_loop),
    row("thesis 6.2, phil", "triangles:23", 6, 26_001_408, None, thesis(19.09), all_of_triangles),
    row("thesis 6.2, phil, general", "triangles:23", 6, 26_001_408, None, thesis(19.09), general_loop),
    row("thesis 6.2, hat", "triangles:27", 6, 35_831_808, None, thesis(27.41), all_of_triangles),
    row("thesis 6.2, hat, general", "triangles:27", 6, 35_831_808, None, thesis(27.41), general_loop),
    row("thesis 6.2, coat", "triangles:31", 6, 47_235_072, None, thesis(34.46), all_of_triangles),
    row("thesis 6.2, coat, general", "triangles:31", 6, 47_235_072, None, thesis(34.46), general_loop),
    row("thesis 6.2, neptune", "triangles:577", 2, 63_922_368, None, thesis(27.67), all_of_triangles),
    row("thesis 6.2, neptune, general", "triangles:577", 2, 63_922_368, None, thesis(27.67), general_loop),
    row("thesis 6.2, Bee", "triangles:1190", 1, 67_972_800, None, thesis(21.75), all_of_triangles),
    row("thesis 6.2, Bee, general", "triangles:1190", 1, 67_972_800, None, thesis(21.75), general_loop),
    row("thesis 6.4, archer", "triangles:16", 6, 12_582_912, None, gb(0.39, 12_582_912), bytes_of_triangles),
    row("thesis 6.4, archer, general", "triangles:16", 6, 12_582_912, None, gb(0.39, 12_582_912), most_of_loop),
    row("thesis 6.4, Embreea", "triangles:577", 1, 15_980_592, None, gb(0.47, 15_980_592), bytes_of_triangles),
    row("thesis 6.4, Embreea, general", "triangles:577", 1, 15_980_592, None, gb(0.47, 15_980_592), most_of_loop),
    row("thesis 6.4, dress", "triangles:19", 6, 17_743_872, None, gb(0.54, 17_743_872), bytes_of_triangles),
    row("thesis 6.4, dress, general", "triangles:19", 6, 17_743_872, None, gb(0.54, 17_743_872), most_of_loop),
    row("thesis 6.4, phil", "triangles:23", 6, 26_001_408, None, gb(0.74, 26_001_408), bytes_of_triangles),
    row("thesis 6.4, phil, general", "triangles:23", 6, 26_001_408, None, gb(0.74, 26_001_408), most_of_loop),
    row("thesis 6.4, hat", "triangles:27", 6, 35_831_808, None, gb(1.08, 35_831_808), bytes_of_triangles),
    row("thesis 6.4, hat, general", "triangles:27", 6, 35_831_808, None, gb(1.08, 35_831_808), most_of_loop),
    row("thesis 6.4, coat", "triangles:31", 6, 47_235_072, None, gb(1.36, 47_235_072), bytes_of_triangles),
    row("thesis 6.4, coat, general", "triangles:31", 6, 47_235_072, None, gb(1.36, 47_235_072), most_of_loop),
    row("thesis 6.4, neptune", "triangles:577", 2, 63_922_368, None, gb(1.91, 63_922_368), bytes_of_triangles),
    row("thesis 6.4, neptune, general", "triangles:577", 2, 63_922_368, None, gb(1.91, 63_922_368), most_of_loop),
    row("thesis 6.4, Bee", "triangles:1190", 1, 67_972_800, None, gb(2.02, 67_972_800), bytes_of_triangles),
    row("thesis 6.4, Bee, general", "triangles:1190", 1, 67_972_800, None, gb(2.02, 67_972_800), most_of_loop),
    row("thesis 6.7, fox", "triangles:7", 6, 428_652, None, thesis(1.07), all_of_sqrt3),
    row("thesis 6.7, fox, general", "triangles:7", 6, 428_652, None, thesis(1.07), general_sqrt3),
    row("thesis 6.7, goblet", "triangles:9", 6, 708_588, None, thesis(1.28), all_of_sqrt3),
    row("thesis 6.7, goblet, general", "triangles:9", 6, 708_588, None, thesis(1.28), general_sqrt3),
    row("thesis 6.7, Hhomer", "triangles:28", 6, 6_858_432, None, thesis(10.36), all_of_sqrt3),
    row("thesis 6.7, Hhomer, general", "triangles:28", 6, 6_858_432, None, thesis(10.36), general_sqrt3),
    row("thesis 6.7, trim-star", "triangles:30", 6, 7_873_200, None, thesis(10.29), all_of_sqrt3),
    row("thesis 6.7, trim-star, general", "triangles:30", 6, 7_873_200, None, thesis(10.29), general_sqrt3),
    row("thesis 6.7, Embreea", "triangles:577", 1, 11_985_444, None, thesis(4.21), all_of_sqrt3),
    row("thesis 6.7, Embreea, general", "triangles:577", 1, 11_985_444, None, thesis(4.21), general_sqrt3),
    row("thesis 6.7, neptune", "triangles:577", 2, 35_956_332, None, thesis(20.14), all_of_sqrt3),
    row("thesis 6.7, neptune, general", "triangles:577", 2, 35_956_332, None, thesis(20.14), general_sqrt3),
    row("thesis 6.7, girl bust", "triangles:72", 6, 45_349_632, None, thesis(79.48), all_of_sqrt3),
    row("thesis 6.7, girl bust, general", "triangles:72", 6, 45_349_632, None, thesis(79.48), general_sqrt3),
    row("thesis 6.7, Bee", "triangles:1190", 1, 50_979_600, None, thesis(15.67), all_of_sqrt3),
    row("thesis 6.7, Bee, general", "triangles:1190", 1, 50_979_600, None, thesis(15.67), general_sqrt3),
    row("thesis 6.8, angel, product, as it comes", "triangles:199S", 0, 475_212, None, None, mapped_spmv),
    row("thesis 6.8, angel, product, rcm", "triangles:199R", 0, 475_212, None, None, mapped_spmv),
    row("thesis 6.8, angel, product, spatial", "triangles:199M", 0, 475_212, None, None, mapped_spmv),
    row("thesis 6.8, angel, ordering, rcm", "triangles:199S", 0, 475_212, None, None, ordering_rcm),
    row("thesis 6.8, angel, ordering, spatial", "triangles:199S", 0, 475_212, None, None, ordering_spatial),
    row("thesis 6.8, angel, as it comes", "triangles:199S", 1, 1_425_636, None, thesis(3.69), all_of_quads),
    row("thesis 6.8, angel, general, as it comes", "triangles:199S", 1, 1_425_636, None, thesis(3.69), general),
    row("thesis 6.8, angel, rcm", "triangles:199R", 1, 1_425_636, None, thesis(1.5), all_of_quads),
    row("thesis 6.8, angel, general, rcm", "triangles:199R", 1, 1_425_636, None, thesis(1.5), general),
    row("thesis 6.8, angel, spatial", "triangles:199M", 1, 1_425_636, None, None, all_of_quads),
    row("thesis 6.8, angel, general, spatial", "triangles:199M", 1, 1_425_636, None, None, general),
    row("thesis 6.8, angel, as it comes", "triangles:199S", 2, 5_702_544, None, thesis(10.5), all_of_quads),
    row("thesis 6.8, angel, general, as it comes", "triangles:199S", 2, 5_702_544, None, thesis(10.5), general),
    row("thesis 6.8, angel, rcm", "triangles:199R", 2, 5_702_544, None, thesis(5.07), all_of_quads),
    row("thesis 6.8, angel, general, rcm", "triangles:199R", 2, 5_702_544, None, thesis(5.07), general),
    row("thesis 6.8, angel, spatial", "triangles:199M", 2, 5_702_544, None, None, all_of_quads),
    row("thesis 6.8, angel, general, spatial", "triangles:199M", 2, 5_702_544, None, None, general),
    row("thesis 6.8, angel, as it comes", "triangles:199S", 3, 22_810_176, None, thesis(29.67), all_of_quads),
    row("thesis 6.8, angel, general, as it comes", "triangles:199S", 3, 22_810_176, None, thesis(29.67), general),
    row("thesis 6.8, angel, rcm", "triangles:199R", 3, 22_810_176, None, thesis(18.35), all_of_quads),
    row("thesis 6.8, angel, general, rcm", "triangles:199R", 3, 22_810_176, None, thesis(18.35), general),
    row("thesis 6.8, angel, spatial", "triangles:199M", 3, 22_810_176, None, None, all_of_quads),
    row("thesis 6.8, angel, general, spatial", "triangles:199M", 3, 22_810_176, None, None, general),
    row("thesis 6.8, Bee, product, as it comes", "triangles:1190S", 0, 16_993_200, None, None, mapped_spmv),
    row("thesis 6.8, Bee, product, rcm", "triangles:1190R", 0, 16_993_200, None, None, mapped_spmv),
    row("thesis 6.8, Bee, product, spatial", "triangles:1190M", 0, 16_993_200, None, None, mapped_spmv),
    row("thesis 6.8, Bee, ordering, rcm", "triangles:1190S", 0, 16_993_200, None, None, ordering_rcm),
    row("thesis 6.8, Bee, ordering, spatial", "triangles:1190S", 0, 16_993_200, None, None, ordering_spatial),
    row("thesis 6.8, Bee, as it comes", "triangles:1190S", 1, 50_979_600, None, thesis(54.98), all_of_quads),
    row("thesis 6.8, Bee, general, as it comes", "triangles:1190S", 1, 50_979_600, None, thesis(54.98), general),
    row("thesis 6.8, Bee, rcm", "triangles:1190R", 1, 50_979_600, None, thesis(35.09), all_of_quads),
    row("thesis 6.8, Bee, general, rcm", "triangles:1190R", 1, 50_979_600, None, thesis(35.09), general),
    row("thesis 6.8, Bee, spatial", "triangles:1190M", 1, 50_979_600, None, None, all_of_quads),
    row("thesis 6.8, Bee, general, spatial", "triangles:1190M", 1, 50_979_600, None, None, general),
    row("thesis 6.8, Beetle, product, as it comes", "triangles:408S", 0, 1_997_568, None, None, mapped_spmv),
    row("thesis 6.8, Beetle, product, rcm", "triangles:408R", 0, 1_997_568, None, None, mapped_spmv),
    row("thesis 6.8, Beetle, product, spatial", "triangles:408M", 0, 1_997_568, None, None, mapped_spmv),
    row("thesis 6.8, Beetle, ordering, rcm", "triangles:408S", 0, 1_997_568, None, None, ordering_rcm),
    row("thesis 6.8, Beetle, ordering, spatial", "triangles:408S", 0, 1_997_568, None, None, ordering_spatial),
    row("thesis 6.8, Beetle, as it comes", "triangles:408S", 1, 5_992_704, None, thesis(42.9), all_of_quads),
    row("thesis 6.8, Beetle, general, as it comes", "triangles:408S", 1, 5_992_704, None, thesis(42.9), general),
    row("thesis 6.8, Beetle, rcm", "triangles:408R", 1, 5_992_704, None, thesis(5.63), all_of_quads),
    row("thesis 6.8, Beetle, general, rcm", "triangles:408R", 1, 5_992_704, None, thesis(5.63), general),
    row("thesis 6.8, Beetle, spatial", "triangles:408M", 1, 5_992_704, None, None, all_of_quads),
    row("thesis 6.8, Beetle, general, spatial", "triangles:408M", 1, 5_992_704, None, None, general),
    row("thesis 6.8, Beetle, as it comes", "triangles:408S", 2, 23_970_816, None, thesis(107.04), all_of_quads),
    row("thesis 6.8, Beetle, general, as it comes", "triangles:408S", 2, 23_970_816, None, thesis(107.04), general),
    row("thesis 6.8, Beetle, rcm", "triangles:408R", 2, 23_970_816, None, thesis(22.4), all_of_quads),
    row("thesis 6.8, Beetle, general, rcm", "triangles:408R", 2, 23_970_816, None, thesis(22.4), general),
    row("thesis 6.8, Beetle, spatial", "triangles:408M", 2, 23_970_816, None, None, all_of_quads),
    row("thesis 6.8, Beetle, general, spatial", "triangles:408M", 2, 23_970_816, None, None, general),
    row("thesis 6.8, Blue Crab, product, as it comes", "triangles:957S", 0, 10_990_188, None, None, mapped_spmv),
    row("thesis 6.8, Blue Crab, product, rcm", "triangles:957R", 0, 10_990_188, None, None, mapped_spmv),
    row("thesis 6.8, Blue Crab, product, spatial", "triangles:957M", 0, 10_990_188, None, None, mapped_spmv),
    row("thesis 6.8, Blue Crab, ordering, rcm", "triangles:957S", 0, 10_990_188, None, None, ordering_rcm),
    row("thesis 6.8, Blue Crab, ordering, spatial", "triangles:957S", 0, 10_990_188, None, None, ordering_spatial),
    row("thesis 6.8, Blue Crab, as it comes", "triangles:957S", 1, 32_970_564, None, thesis(42.04), all_of_quads),
    row("thesis 6.8, Blue Crab, general, as it comes", "triangles:957S", 1, 32_970_564, None, thesis(42.04), general),
    row("thesis 6.8, Blue Crab, rcm", "triangles:957R", 1, 32_970_564, None, thesis(23.83), all_of_quads),
    row("thesis 6.8, Blue Crab, general, rcm", "triangles:957R", 1, 32_970_564, None, thesis(23.83), general),
    row("thesis 6.8, Blue Crab, spatial", "triangles:957M", 1, 32_970_564, None, None, all_of_quads),
    row("thesis 6.8, Blue Crab, general, spatial", "triangles:957M", 1, 32_970_564, None, None, general),
    row("thesis 6.8, Armadillo, product, as it comes", "triangles:170S", 0, 346_800, None, None, mapped_spmv),
    row("thesis 6.8, Armadillo, product, rcm", "triangles:170R", 0, 346_800, None, None, mapped_spmv),
    row("thesis 6.8, Armadillo, product, spatial", "triangles:170M", 0, 346_800, None, None, mapped_spmv),
    row("thesis 6.8, Armadillo, ordering, rcm", "triangles:170S", 0, 346_800, None, None, ordering_rcm),
    row("thesis 6.8, Armadillo, ordering, spatial", "triangles:170S", 0, 346_800, None, None, ordering_spatial),
    row("thesis 6.8, Armadillo, as it comes", "triangles:170S", 1, 1_040_400, None, thesis(2.61), all_of_quads),
    row("thesis 6.8, Armadillo, general, as it comes", "triangles:170S", 1, 1_040_400, None, thesis(2.61), general),
    row("thesis 6.8, Armadillo, rcm", "triangles:170R", 1, 1_040_400, None, thesis(1.07), all_of_quads),
    row("thesis 6.8, Armadillo, general, rcm", "triangles:170R", 1, 1_040_400, None, thesis(1.07), general),
    row("thesis 6.8, Armadillo, spatial", "triangles:170M", 1, 1_040_400, None, None, all_of_quads),
    row("thesis 6.8, Armadillo, general, spatial", "triangles:170M", 1, 1_040_400, None, None, general),
    row("thesis 6.8, Armadillo, as it comes", "triangles:170S", 2, 4_161_600, None, thesis(7.68), all_of_quads),
    row("thesis 6.8, Armadillo, general, as it comes", "triangles:170S", 2, 4_161_600, None, thesis(7.68), general),
    row("thesis 6.8, Armadillo, rcm", "triangles:170R", 2, 4_161_600, None, thesis(3.44), all_of_quads),
    row("thesis 6.8, Armadillo, general, rcm", "triangles:170R", 2, 4_161_600, None, thesis(3.44), general),
    row("thesis 6.8, Armadillo, spatial", "triangles:170M", 2, 4_161_600, None, None, all_of_quads),
    row("thesis 6.8, Armadillo, general, spatial", "triangles:170M", 2, 4_161_600, None, None, general),
    row("thesis 6.8, Hunter, product, as it comes", "triangles:288S", 0, 995_328, None, None, mapped_spmv),
    row("thesis 6.8, Hunter, product, rcm", "triangles:288R", 0, 995_328, None, None, mapped_spmv),
    row("thesis 6.8, Hunter, product, spatial", "triangles:288M", 0, 995_328, None, None, mapped_spmv),
    row("thesis 6.8, Hunter, ordering, rcm", "triangles:288S", 0, 995_328, None, None, ordering_rcm),
    row("thesis 6.8, Hunter, ordering, spatial", "triangles:288S", 0, 995_328, None, None, ordering_spatial),
    row("thesis 6.8, Hunter, as it comes", "triangles:288S", 1, 2_985_984, None, thesis(13.95), all_of_quads),
    row("thesis 6.8, Hunter, general, as it comes", "triangles:288S", 1, 2_985_984, None, thesis(13.95), general),
    row("thesis 6.8, Hunter, rcm", "triangles:288R", 1, 2_985_984, None, thesis(2.48), all_of_quads),
    row("thesis 6.8, Hunter, general, rcm", "triangles:288R", 1, 2_985_984, None, thesis(2.48), general),
    row("thesis 6.8, Hunter, spatial", "triangles:288M", 1, 2_985_984, None, None, all_of_quads),
    row("thesis 6.8, Hunter, general, spatial", "triangles:288M", 1, 2_985_984, None, None, general),
    row("thesis 6.8, Hunter, as it comes", "triangles:288S", 2, 11_943_936, None, thesis(36.16), all_of_quads),
    row("thesis 6.8, Hunter, general, as it comes", "triangles:288S", 2, 11_943_936, None, thesis(36.16), general),
    row("thesis 6.8, Hunter, rcm", "triangles:288R", 2, 11_943_936, None, thesis(8.95), all_of_quads),
    row("thesis 6.8, Hunter, general, rcm", "triangles:288R", 2, 11_943_936, None, thesis(8.95), general),
    row("thesis 6.8, Hunter, spatial", "triangles:288M", 2, 11_943_936, None, None, all_of_quads),
    row("thesis 6.8, Hunter, general, spatial", "triangles:288M", 2, 11_943_936, None, None, general),];

const LOOP: Loop = Loop { smooth_corners: 0 };
const CATMULL_CLARK: CatmullClark = CatmullClark { smooth_corners: 0 };

fn general_loop(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    general_of(LOOP, engine, mesh, levels, effort)
}

fn general_sqrt3(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    general_of(Sqrt3 {}, engine, mesh, levels, effort)
}

/// Measures the peak memory from the faces on the host to faces and positions of the surface.
fn bytes_of<S: Listed>(
    scheme: S,
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
) -> Result<Measured> {
    most_allocated(engine, || {
        let surface = GeneralSubdivision::new(Mesh::new(engine, mesh)?, scheme, levels)?;
        let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
        let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
        Ok(surface.values(3, &x, &mut y)?)
    })
}

fn most_of_quads(engine: &Engine, mesh: &PolyMesh, levels: u32, _: Effort) -> Result<Measured> {
    bytes_of(CATMULL_CLARK, engine, mesh, levels)
}

fn most_of_loop(engine: &Engine, mesh: &PolyMesh, levels: u32, _: Effort) -> Result<Measured> {
    bytes_of(LOOP, engine, mesh, levels)
}

/// Measures ordering a mesh on the host.
fn ordering(engine: &Engine, mesh: &PolyMesh, order: Order, effort: Effort) -> Result<Measured> {
    let times = measure::calls(engine, effort, || {
        mesh.clone().reorder(order);
        Ok(())
    })?;
    Ok(times.into())
}

fn ordering_rcm(engine: &Engine, mesh: &PolyMesh, _: u32, effort: Effort) -> Result<Measured> {
    ordering(engine, mesh, Order::Rcm, effort)
}

fn ordering_spatial(engine: &Engine, mesh: &PolyMesh, _: u32, effort: Effort) -> Result<Measured> {
    ordering(engine, mesh, Order::Spatial, effort)
}
