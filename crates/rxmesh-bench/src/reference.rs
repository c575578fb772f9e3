//! Figures measured elsewhere, to compare with.
//!
//! GPU figures: RXMesh (the C++/CUDA reference, patches of 512 faces) and MeshTaichi, on one NVIDIA H200 (driver 580), device
//! time, medians. CPU figures: the best of the named libraries on a machine of two cores, one thread each. Both on a
//! scanned dragon of 20,000 faces and its Loop subdivisions; the meshes here have the same sizes but another shape, so
//! ratios compare like with like in size, not in every detail.

use serde::{Deserialize, Serialize};

/// A figure measured elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reference {
    /// What was measured.
    pub(crate) system: String,
    /// Milliseconds.
    pub(crate) ms: f64,
}

/// Figures of a row at 20 thousand, 320 thousand, 1.28 million and 5.12 million faces; 0 where there is none.
struct Figures {
    row: &'static str,
    cuda: bool,
    system: &'static str,
    ms: [f64; 4],
}

const fn gpu(row: &'static str, system: &'static str, ms: [f64; 4]) -> Figures {
    Figures {
        row,
        cuda: true,
        system,
        ms,
    }
}

const fn cpu(row: &'static str, system: &'static str, ms: [f64; 4]) -> Figures {
    Figures {
        row,
        cuda: false,
        system,
        ms,
    }
}

/// The first of a row's figures is the one that the table compares with.
const FIGURES: &[Figures] = &[
    gpu(
        "build",
        "RXMesh, constructor",
        [25.0, 276.0, 1521.0, 10750.0],
    ),
    gpu("vv", "RXMesh", [0.029, 0.0705, 0.205, 0.746]),
    gpu("oriented-vv", "RXMesh", [0.043, 0.0966, 0.281, 1.026]),
    gpu("ve", "RXMesh", [0.026, 0.0649, 0.177, 0.639]),
    gpu("vf", "RXMesh", [0.026, 0.0652, 0.179, 0.646]),
    gpu("ev", "RXMesh", [0.011, 0.0291, 0.0836, 0.300]),
    gpu("ef", "RXMesh", [0.021, 0.0544, 0.148, 0.533]),
    gpu("fv", "RXMesh", [0.012, 0.0313, 0.0857, 0.308]),
    gpu("fe", "RXMesh", [0.011, 0.0288, 0.0799, 0.291]),
    gpu("ff", "RXMesh", [0.025, 0.0629, 0.181, 0.659]),
    gpu("diamond", "RXMesh", [0.016, 0.0436, 0.120, 0.429]),
    gpu("normals", "RXMesh, patched", [0.0255, 0.0652, 0.195, 0.738]),
    gpu(
        "normals",
        "MeshTaichi, staged",
        [0.013, 0.020, 0.060, 0.222],
    ),
    gpu(
        "normals",
        "indexed kernel with atomics",
        [0.0098, 0.0434, 0.147, 0.605],
    ),
    gpu(
        "mcf-iteration",
        "RXMesh, matrix-free, uniform weights",
        [0.098, 0.234, 0.705, 2.595],
    ),
    gpu(
        "mcf-iteration",
        "RXMesh, assembled CSR, cuSPARSE",
        [0.098, 0.114, 0.161, 0.464],
    ),
    gpu(
        "mcf-iteration",
        "RXMesh, matrix-free, cotangent weights",
        [0.0, 0.0, 0.913, 0.0],
    ),
    gpu(
        "smooth-step",
        "RXMesh, gradient descent",
        [0.027, 0.078, 0.251, 0.955],
    ),
    gpu(
        "filter-iteration",
        "RXMesh, repaired, 256-face patches",
        [2.13, 7.78, 27.4, 0.0],
    ),
    gpu("levels", "MeshTaichi, on the host", [4.4, 18.6, 36.7, 0.0]),
    gpu(
        "geodesic",
        "RXMesh, level sets on the host not counted",
        [6.7, 29.0, 101.0, 0.0],
    ),
    gpu(
        "geodesic",
        "MeshTaichi, level sets on the host counted",
        [15.3, 69.6, 156.7, 0.0],
    ),
    gpu(
        "spring-gather",
        "MeshTaichi, staged, force only",
        [0.012, 0.013, 0.027, 0.139],
    ),
    gpu(
        "spring-scatter",
        "MeshTaichi, staged, force only",
        [0.016, 0.025, 0.079, 0.276],
    ),
    gpu("spring-implicit", "MeshTaichi", [0.69, 0.70, 1.92, 3.9]),
    gpu("delaunay", "RXMesh", [120.0, 189.0, 356.0, 1065.0]),
    gpu("remesh", "RXMesh", [809.0, 1354.0, 3153.0, 11832.0]),
    gpu("simplify", "RXMesh, quadrics", [1104.0, 0.0, 0.0, 0.0]),
    gpu("simplify", "RXMesh, shortest edge", [1000.0, 0.0, 0.0, 0.0]),
    gpu("track", "RXMesh, sphere", [40.8, 359.0, 0.0, 0.0]),
    cpu(
        "delaunay",
        "geometry-central, extrinsic",
        [5.0, 167.0, 556.0, 0.0],
    ),
    cpu("remesh", "geometry-central", [29.0, 1370.0, 6200.0, 0.0]),
    cpu("remesh", "CGAL", [180.0, 5800.0, 34000.0, 0.0]),
    cpu("remesh", "pmp", [200.0, 9300.0, 45000.0, 0.0]),
    cpu("simplify", "meshoptimizer", [5.4, 177.0, 1430.0, 0.0]),
    cpu("simplify", "pmp", [100.0, 2900.0, 14300.0, 0.0]),
    cpu("build", "pmp", [3.0, 47.0, 193.0, 0.0]),
    cpu("build", "CGAL", [3.0, 57.0, 235.0, 0.0]),
    cpu("build", "OpenMesh", [5.0, 70.0, 277.0, 0.0]),
    cpu("build", "geometry-central", [7.5, 600.0, 3200.0, 0.0]),
    cpu("normals", "PyMeshLab", [0.6, 9.0, 40.0, 0.0]),
    cpu("normals", "Open3D", [0.2, 5.0, 63.0, 0.0]),
    cpu("normals", "libigl", [1.2, 32.0, 150.0, 0.0]),
    cpu("vv", "pmp", [0.2, 16.0, 90.0, 0.0]),
    cpu("vv", "geometry-central", [0.0, 19.0, 93.0, 0.0]),
    cpu("mcf", "CHOLMOD", [56.0, 1160.0, 6600.0, 0.0]),
    cpu("mcf", "pmp LDLT", [21.0, 770.0, 8200.0, 0.0]),
    cpu("geodesic", "pmp, fast marching", [21.0, 390.0, 1800.0, 0.0]),
    cpu(
        "geodesic",
        "CGAL, heat, all in",
        [46.0, 1700.0, 16000.0, 0.0],
    ),
    cpu(
        "geodesic",
        "geometry-central, heat, all in",
        [34.0, 1800.0, 21000.0, 0.0],
    ),
];

/// Where this project wants to be, in the order of [`Figures::ms`]. On GPUs for one H200, on CPUs for two cores.
const GOALS: &[Figures] = &[
    gpu("build", "16 host cores", [0.0, 0.0, 100.0, 400.0]),
    gpu("vv", "", [0.0, 0.0, 0.015, 0.0]),
    gpu("ve", "", [0.0, 0.0, 0.015, 0.0]),
    gpu("vf", "", [0.0, 0.0, 0.015, 0.0]),
    gpu("ev", "", [0.0, 0.0, 0.012, 0.0]),
    gpu("fv", "", [0.0, 0.0, 0.012, 0.0]),
    gpu("fe", "", [0.0, 0.0, 0.012, 0.0]),
    gpu("ef", "", [0.0, 0.0, 0.020, 0.0]),
    gpu("ff", "", [0.0, 0.0, 0.020, 0.0]),
    gpu("diamond", "", [0.0, 0.0, 0.020, 0.0]),
    gpu("normals", "", [0.0, 0.0, 0.025, 0.0]),
    gpu("mcf-iteration", "", [0.012, 0.0, 0.065, 0.0]),
    gpu("smooth-step", "", [0.0, 0.0, 0.020, 0.0]),
    gpu("filter-iteration", "", [0.0, 0.0, 3.0, 0.0]),
    gpu("geodesic", "", [0.0, 0.0, 15.0, 0.0]),
    gpu("spring-gather", "", [0.0, 0.0, 0.015, 0.0]),
    gpu("spring-scatter", "", [0.0, 0.0, 0.030, 0.0]),
    gpu("spring-implicit", "", [0.1, 0.0, 0.4, 0.0]),
    gpu("vv-prepared", "", [0.0, 0.0, 0.011, 0.0]),
    gpu("ve-prepared", "", [0.0, 0.0, 0.011, 0.0]),
    gpu("vf-prepared", "", [0.0, 0.0, 0.011, 0.0]),
    gpu("ff-prepared", "", [0.0, 0.0, 0.020, 0.0]),
    gpu("diamond-prepared", "", [0.0, 0.0, 0.020, 0.0]),
    gpu("normals-gather", "", [0.0, 0.0, 0.025, 0.0]),
    gpu("mcf-iteration-assembled", "", [0.012, 0.0, 0.035, 0.0]),
    gpu("edit-open-close", "", [0.0, 0.0, 3.0, 0.0]),
    gpu("delaunay", "", [0.5, 0.0, 2.5, 8.0]),
    gpu("remesh", "", [10.0, 0.0, 60.0, 0.0]),
    gpu("simplify", "", [5.0, 0.0, 50.0, 0.0]),
    gpu("track", "", [1.5, 0.0, 0.0, 0.0]),
    cpu("delaunay", "", [0.0, 0.0, 120.0, 0.0]),
    cpu("remesh", "", [0.0, 0.0, 2500.0, 0.0]),
    cpu("simplify", "", [0.0, 0.0, 1000.0, 0.0]),
    cpu("build", "", [0.0, 0.0, 200.0, 0.0]),
    cpu("normals", "", [0.0, 0.0, 15.0, 0.0]),
    cpu("vv", "", [0.0, 0.0, 35.0, 0.0]),
    cpu("mcf", "", [0.0, 0.0, 500.0, 0.0]),
    cpu("geodesic", "", [0.0, 0.0, 500.0, 0.0]),
];

/// RXMesh's device bytes a face, by size.
const BYTES_A_FACE: [f64; 4] = [0.0, 79.0, 75.0, 70.0];

/// Index of a subdivision level in the lists above.
fn column(level: u32) -> Option<usize> {
    match level {
        0 => Some(0),
        2 => Some(1),
        3 => Some(2),
        4 => Some(3),
        _ => None,
    }
}

fn find<'a>(
    list: &'a [Figures],
    row: &'a str,
    cuda: bool,
    level: u32,
) -> impl Iterator<Item = Reference> + 'a {
    list.iter()
        .filter(move |f| f.row == row && f.cuda == cuda)
        .filter_map(move |f| Some((f, f.ms[column(level)?])))
        .filter(|&(_, ms)| ms > 0.0)
        .map(|(f, ms)| Reference {
            system: f.system.to_owned(),
            ms,
        })
}

/// What others need for a row at a subdivision level.
pub(crate) fn references(row: &str, cuda: bool, level: u32) -> Vec<Reference> {
    find(FIGURES, row, cuda, level).collect()
}

/// What this project wants to need.
pub(crate) fn goal(row: &str, cuda: bool, level: u32) -> Option<f64> {
    find(GOALS, row, cuda, level).next().map(|r| r.ms)
}

/// RXMesh's device bytes a face at a subdivision level.
pub(crate) fn bytes_a_face(level: u32) -> Option<f64> {
    column(level).map(|c| BYTES_A_FACE[c]).filter(|&b| b > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_row_engine_and_size() {
        assert_eq!(references("vv", true, 3)[0].ms, 0.205);
        assert_eq!(references("vv", false, 3)[0].ms, 90.0);
        assert!(references("vv", true, 1).is_empty());
        assert_eq!(references("mcf-iteration", true, 3).len(), 3);
        assert_eq!(goal("normals", true, 3), Some(0.025));
        assert_eq!(goal("normals", true, 2), None);
        assert_eq!(bytes_a_face(3), Some(75.0));
    }

    #[test]
    fn every_figure_belongs_to_a_row() {
        for figures in FIGURES.iter().chain(GOALS) {
            assert!(
                crate::rows::ROWS.iter().any(|r| r.name == figures.row),
                "{}",
                figures.row
            );
        }
    }
}
