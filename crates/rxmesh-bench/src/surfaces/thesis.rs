//! Rows of the thesis' tables (Mlakar 2018, chapter 6): times of uniform Catmull-Clark, Loop and sqrt(3) (tables 6.1,
//! 6.2, 6.7), memory (6.3, 6.4) and the effect of the mesh's order (6.8). Its meshes are not available under free
//! terms; these are generated ones with the same numbers of faces, and with the irregular vertices that edge flips
//! leave. Its times are those of its optimised version on a Titan X (Pascal), sums of kernels' times; ours are calls,
//! from faces and positions on the engine, in the general form from a mesh with its adjacency; memory is counted from
//! faces on the host.
//! Rows of feature-adaptive subdivision (6.5, 6.6) are of meshes with about as many quads as the thesis', 8 % of whose
//! vertices are irregular: what the thesis' have is not printed.
//! Each other row exists in the fast form and in the general one, which makes the topology of all levels and the
//! positions in existing memory. "As it comes" is shuffled: the order of the thesis' meshes is not known. Table 6.8
//! states level 2 of Blue Crab, but its numbers of faces are those of level 1.

use anyhow::Result;
use rxmesh_host::mesh::Order::{Rcm, Spatial};
use rxmesh_subdivision::Scheme::{self, CatmullClark};
use rxmesh_subdivision::kernels::matrix::{Loop, Sqrt3};

use super::rows::{
    CATMULL_CLARK, PolygonBench, Row, adaptive_all, adaptive_bytes, all, bytes, general,
    general_bytes, mapped_spmv, ordering, row,
};
use crate::subject::Measured;

const LOOP: Loop = Loop { smooth_corners: 0 };
const SQRT3: Sqrt3 = Sqrt3 {};

/// Returns the thesis' baseline in milliseconds.
const fn thesis(ms: f64) -> Option<(f64, &'static str)> {
    Some((ms, "the thesis, Titan X"))
}

/// Makes two rows of times for each mesh, in the fast and in the general form.
macro_rules! times {
    ($fast:expr, $general:expr; $($name:literal, $mesh:literal, $levels:literal, $faces:literal, $ms:literal;)*) => {
        &[$(
            row(concat!("thesis ", $name), $mesh, $levels, $faces, None, thesis($ms), |b| all(b, $fast)),
            row(concat!("thesis ", $name, ", general"), $mesh, $levels, $faces, None, thesis($ms), |b| {
                general(b, $general)
            }),
        )*]
    };
}

/// Makes two rows of bytes a face for each mesh; the thesis' figures are gigabytes.
macro_rules! memory {
    ($fast:expr, $general:expr; $($name:literal, $mesh:literal, $levels:literal, $faces:literal, $gb:literal;)*) => {
        &[$(
            row(concat!("thesis ", $name), $mesh, $levels, $faces, None, thesis($gb * 1e9 / $faces as f64), |b| {
                bytes(b, $fast)
            })
            .of_bytes(),
            row(
                concat!("thesis ", $name, ", general"),
                $mesh,
                $levels,
                $faces,
                None,
                thesis($gb * 1e9 / $faces as f64),
                |b| general_bytes(b, $general),
            )
            .of_bytes(),
        )*]
    };
}

/// Makes the rows of a mesh in three orders: products, ordering, and each level with the thesis' times as the mesh
/// comes and by Cuthill and McKee.
macro_rules! orders {
    ($(
        $name:literal, $n:literal, $faces:literal,
        [$($levels:literal $final:literal $comes:literal $rcm:literal),*];
    )*) => {
        &[$(
            orders!(@row $name, ", product, as it comes", $n, "S", 0, $faces, None, mapped_spmv),
            orders!(@row $name, ", product, rcm", $n, "R", 0, $faces, None, mapped_spmv),
            orders!(@row $name, ", product, spatial", $n, "M", 0, $faces, None, mapped_spmv),
            orders!(@row $name, ", ordering, rcm", $n, "S", 0, $faces, None, |b| ordering(b, Rcm)),
            orders!(@row $name, ", ordering, spatial", $n, "S", 0, $faces, None, |b| ordering(b, Spatial)),
            $(
                orders!(@row $name, ", as it comes", $n, "S", $levels, $final, thesis($comes), quads),
                orders!(@row $name, ", general, as it comes", $n, "S", $levels, $final, thesis($comes), any_quads),
                orders!(@row $name, ", rcm", $n, "R", $levels, $final, thesis($rcm), quads),
                orders!(@row $name, ", general, rcm", $n, "R", $levels, $final, thesis($rcm), any_quads),
                orders!(@row $name, ", spatial", $n, "M", $levels, $final, None, quads),
                orders!(@row $name, ", general, spatial", $n, "M", $levels, $final, None, any_quads),
            )*
        )*]
    };
    (@row $name:literal, $what:literal, $n:literal, $order:literal, $levels:literal, $faces:literal, $rival:expr,
        $work:expr) => {
        row(
            concat!("thesis 6.8, ", $name, $what),
            concat!("triangles:", $n, $order),
            $levels,
            $faces,
            None,
            $rival,
            $work,
        )
    };
}

/// Makes a row of feature-adaptive Catmull-Clark to level 6; `faces` are those of the mesh.
const fn adaptive(name: &'static str, mesh: &'static str, faces: u64, ms: f64) -> Row {
    row(name, mesh, 6, faces, None, thesis(ms), adaptive_all)
}

/// Makes a row of bytes a face of the mesh; the thesis' figure is in megabytes.
const fn patches_memory(name: &'static str, mesh: &'static str, faces: u64, mb: f64) -> Row {
    row(
        name,
        mesh,
        6,
        faces,
        None,
        thesis(mb * 1e6 / faces as f64),
        adaptive_bytes,
    )
    .of_bytes()
}

/// Rows, by tables.
#[rustfmt::skip]
pub(crate) const ROWS: &[&[Row]] = &[
    times! { CatmullClark, CATMULL_CLARK;
        "6.1, archer", "irregular:7", 6, 7_225_344, 7.54;
        "6.1, dress", "irregular:8", 6, 9_437_184, 9.95;
        "6.1, Embreea", "triangles:577", 1, 11_985_444, 8.3;
        "6.1, phil", "irregular:9", 6, 11_943_936, 12.62;
        "6.1, hat", "irregular:11", 6, 17_842_176, 18.44;
        "6.1, coat", "irregular:13", 6, 24_920_064, 22.65;
        "6.1, neptune", "triangles:577", 2, 47_941_776, 33.9;
        "6.1, Bee", "triangles:1190", 1, 50_979_600, 34.78;
    },
    times! { Scheme::Loop, LOOP;
        "6.2, archer", "triangles:16", 6, 12_582_912, 10.53;
        "6.2, Embreea", "triangles:577", 1, 15_980_592, 5.21;
        "6.2, dress", "triangles:19", 6, 17_743_872, 14.61;
        "6.2, phil", "triangles:23", 6, 26_001_408, 19.09;
        "6.2, hat", "triangles:27", 6, 35_831_808, 27.41;
        "6.2, coat", "triangles:31", 6, 47_235_072, 34.46;
        "6.2, neptune", "triangles:577", 2, 63_922_368, 27.67;
        "6.2, Bee", "triangles:1190", 1, 67_972_800, 21.75;
    },
    memory! { CatmullClark, CATMULL_CLARK;
        "6.3, archer", "irregular:7", 6, 7_225_344, 0.31;
        "6.3, dress", "irregular:8", 6, 9_437_184, 0.43;
        "6.3, Embreea", "triangles:577", 1, 11_985_444, 0.61;
        "6.3, phil", "irregular:9", 6, 11_943_936, 0.58;
        "6.3, hat", "irregular:11", 6, 17_842_176, 0.84;
        "6.3, coat", "irregular:13", 6, 24_920_064, 1.06;
        "6.3, neptune", "triangles:577", 2, 47_941_776, 2.24;
        "6.3, Bee", "triangles:1190", 1, 50_979_600, 2.59;
    },
    memory! { Scheme::Loop, LOOP;
        "6.4, archer", "triangles:16", 6, 12_582_912, 0.39;
        "6.4, Embreea", "triangles:577", 1, 15_980_592, 0.47;
        "6.4, dress", "triangles:19", 6, 17_743_872, 0.54;
        "6.4, phil", "triangles:23", 6, 26_001_408, 0.74;
        "6.4, hat", "triangles:27", 6, 35_831_808, 1.08;
        "6.4, coat", "triangles:31", 6, 47_235_072, 1.36;
        "6.4, neptune", "triangles:577", 2, 63_922_368, 1.91;
        "6.4, Bee", "triangles:1190", 1, 67_972_800, 2.02;
    },
    &[
        adaptive("thesis 6.5, hat", "turned:26", 4_056, 1.38),
        adaptive("thesis 6.5, dress", "turned:19", 2_166, 1.59),
        adaptive("thesis 6.5, phil", "turned:22", 2_904, 1.65),
        adaptive("thesis 6.5, coat", "turned:32", 6_144, 1.85),
        adaptive("thesis 6.5, archer", "turned:18", 1_944, 1.81),
        patches_memory("thesis 6.6, hat", "turned:26", 4_056, 0.98),
        patches_memory("thesis 6.6, dress", "turned:19", 2_166, 0.99),
        patches_memory("thesis 6.6, phil", "turned:22", 2_904, 2.67),
        patches_memory("thesis 6.6, coat", "turned:32", 6_144, 1.26),
        patches_memory("thesis 6.6, archer", "turned:18", 1_944, 3.15),
    ],
    times! { Scheme::Sqrt3, SQRT3;
        "6.7, fox", "triangles:7", 6, 428_652, 1.07;
        "6.7, goblet", "triangles:9", 6, 708_588, 1.28;
        "6.7, Hhomer", "triangles:28", 6, 6_858_432, 10.36;
        "6.7, trim-star", "triangles:30", 6, 7_873_200, 10.29;
        "6.7, Embreea", "triangles:577", 1, 11_985_444, 4.21;
        "6.7, neptune", "triangles:577", 2, 35_956_332, 20.14;
        "6.7, girl bust", "triangles:72", 6, 45_349_632, 79.48;
        "6.7, Bee", "triangles:1190", 1, 50_979_600, 15.67;
    },
    orders! {
        "angel", "199", 475_212, [1 1_425_636 3.69 1.5, 2 5_702_544 10.5 5.07, 3 22_810_176 29.67 18.35];
        "Bee", "1190", 16_993_200, [1 50_979_600 54.98 35.09];
        "Beetle", "408", 1_997_568, [1 5_992_704 42.9 5.63, 2 23_970_816 107.04 22.4];
        "Blue Crab", "957", 10_990_188, [1 32_970_564 42.04 23.83];
        "Armadillo", "170", 346_800, [1 1_040_400 2.61 1.07, 2 4_161_600 7.68 3.44];
        "Hunter", "288", 995_328, [1 2_985_984 13.95 2.48, 2 11_943_936 36.16 8.95];
    },
];

fn quads(b: &PolygonBench<'_>) -> Result<Measured> {
    all(b, CatmullClark)
}

fn any_quads(b: &PolygonBench<'_>) -> Result<Measured> {
    general(b, CATMULL_CLARK)
}
