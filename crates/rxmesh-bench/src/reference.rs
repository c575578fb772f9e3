//! Figures measured elsewhere, to compare with.
//!
//! GPU figures: RXMesh (the C++/CUDA reference, patches of 512 faces) and MeshTaichi, on one NVIDIA H200 (driver 580), device
//! time, medians. CPU figures: the best of the named libraries on a machine of two cores, one thread each. Both on a
//! scanned dragon of 20,000 faces and its Loop subdivisions; the meshes here have the same sizes but another shape, so
//! ratios compare like with like in size, not in every detail.

use serde::{Deserialize, Serialize};

use crate::mesh::BASE_FACES;

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

/// Figures over sizes that are not those of the bench.
struct Curve {
    row: &'static str,
    system: &'static str,
    /// Faces and milliseconds.
    points: &'static [(u32, f64)],
}

/// GPU figures. The spheres are subdivided icosahedra, whose sizes are 2 % from those of the bench.
const CURVES: &[Curve] = &[Curve {
    row: "track",
    system: "RXMesh, sphere",
    points: &[
        (1280, 12.5),
        (20_480, 40.8),
        (81_920, 108.0),
        (327_680, 359.0),
    ],
}];

/// How far the size of a curve's point may be from that of the mesh it is compared with, as a part.
const NEAR: f64 = 0.05;

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
    gpu("delaunay-speculative", "", [0.0, 0.0, 100.0, 0.0]),
    gpu("remesh-speculative", "", [200.0, 0.0, 1000.0, 0.0]),
    gpu("track-speculative", "", [20.0, 0.0, 0.0, 0.0]),
    cpu("delaunay", "", [0.0, 0.0, 120.0, 0.0]),
    cpu("remesh", "", [0.0, 0.0, 2500.0, 0.0]),
    cpu("simplify", "", [0.0, 0.0, 1000.0, 0.0]),
    cpu("build", "", [0.0, 0.0, 200.0, 0.0]),
    cpu("normals", "", [0.0, 0.0, 15.0, 0.0]),
    cpu("vv", "", [0.0, 0.0, 35.0, 0.0]),
    cpu("mcf", "", [0.0, 0.0, 500.0, 0.0]),
    cpu("geodesic", "", [0.0, 0.0, 500.0, 0.0]),
];

/// A figure measured elsewhere that is no time, for every size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AmountReference {
    /// What was measured or calculated.
    pub(crate) system: String,
    /// In the unit of the row.
    pub(crate) value: f64,
}

/// Rows, whether they are measured on GPUs only, systems and values. All from Mahmoud et al. 2024.
const AMOUNTS: &[(&str, bool, &str, f64)] = &[
    ("slowdown", true, "paper, Table 3, mean", 1.10),
    ("slowdown-speculative", true, "paper, Table 3, mean", 1.10),
    ("bytes", false, "paper, Appendix A", 18.75),
    ("bytes", false, "RXMesh 2021, calculated", 37.4),
    ("bytes-speculative", false, "paper, Appendix A", 18.75),
];

/// Most wasted work on a GPU from this subdivision level on, in percent (Mahmoud et al. 2024, section 4.3 and Figure 6).
const WASTED_GOAL: (u32, f64) = (3, 2.0);

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

/// What others need for a row at a subdivision level; for both engines of edits.
pub(crate) fn references(row: &str, cuda: bool, level: u32) -> Vec<Reference> {
    let row = without_engine(row);
    let faces = f64::from((BASE_FACES as u32) << (2 * level));
    let near = |&&(n, _): &&(u32, f64)| (f64::from(n) / faces - 1.0).abs() < NEAR;
    let on_curve = |c: &Curve| {
        let &(_, ms) = c.points.iter().find(near)?;
        Some(Reference {
            system: c.system.to_owned(),
            ms,
        })
    };
    let curves = CURVES.iter().filter(|c| cuda && c.row == row);
    find(FIGURES, row, cuda, level)
        .chain(curves.filter_map(on_curve))
        .collect()
}

/// The row that measures the same with the default engine of edits.
pub(crate) fn without_engine(row: &str) -> &str {
    row.strip_suffix("-speculative").unwrap_or(row)
}

/// Figures of others for a row over sizes of their own: the system, faces and milliseconds.
pub(crate) fn curve(row: &str, cuda: bool) -> Option<(&'static str, &'static [(u32, f64)])> {
    let curve = CURVES.iter().find(|c| cuda && c.row == row)?;
    Some((curve.system, curve.points))
}

/// What others have for a row that is no time.
pub(crate) fn amounts(row: &str, cuda: bool) -> Vec<AmountReference> {
    let found = AMOUNTS.iter().filter(|a| a.0 == row && (cuda || !a.1));
    found
        .map(|&(_, _, system, value)| AmountReference {
            system: system.to_owned(),
            value,
        })
        .collect()
}

/// What this project wants of a row that is no time.
pub(crate) fn amount_goal(row: &str, cuda: bool, level: u32) -> Option<f64> {
    let (from, most) = WASTED_GOAL;
    (cuda && level >= from && row.starts_with("wasted")).then_some(most)
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
    fn both_engines_of_edits_have_the_same_references() {
        for (level, ms) in [(0, 40.8), (1, 108.0), (2, 359.0)] {
            for row in ["track", "track-speculative"] {
                let found = references(row, true, level);
                assert_eq!(found.len(), 1);
                assert_eq!(found[0].ms, ms);
            }
        }
        assert!(
            references("track", true, 3).is_empty() && references("track", false, 0).is_empty()
        );
        assert_eq!(references("delaunay-speculative", true, 3)[0].ms, 356.0);
        assert_eq!(goal("delaunay-speculative", true, 3), Some(100.0));
        assert_eq!(goal("delaunay", true, 3), Some(2.5));
    }

    #[test]
    fn figures_that_are_no_times() {
        assert_eq!(amounts("slowdown-speculative", true)[0].value, 1.10);
        assert!(amounts("slowdown-speculative", false).is_empty());
        assert_eq!(amounts("bytes-speculative", false).len(), 1);
        assert_eq!(amounts("bytes", false)[1].value, 37.4);
        assert_eq!(amount_goal("wasted-all", true, 3), Some(2.0));
        assert_eq!(amount_goal("wasted-all", true, 2), None);
        assert_eq!(amount_goal("slowdown", true, 3), None);
    }

    #[test]
    fn every_figure_belongs_to_a_row() {
        let named = FIGURES.iter().chain(GOALS).map(|f| f.row);
        let others = CURVES.iter().map(|c| c.row);
        for row in named.chain(others).chain(AMOUNTS.iter().map(|a| a.0)) {
            assert!(crate::rows::ROWS.iter().any(|r| r.name == row), "{row}");
        }
    }
}
