//! High Performance Mesh Subdivision through Sparse Matrix Algebra on the GPU (Mlakar 2018). Its figures stand with the
//! rows.

use super::{Paper, on_polygons};

#[rustfmt::skip]
pub(super) static PAPER: Paper = Paper {
    title: "Subdivision by sparse matrices (2018)",
    gpu: ("Titan X (Pascal)", 480.0),
    system: "the thesis, Titan X",
    experiments: &[
        on_polygons("Table 6.1, Catmull-Clark", BASE, &["--rows", "thesis 6.1"]),
        on_polygons("Table 6.2, Loop", BASE, &["--rows", "thesis 6.2"]),
        on_polygons("Table 6.3, memory of Catmull-Clark", MEMORY, &["--rows", "thesis 6.3"]),
        on_polygons("Table 6.4, memory of Loop", MEMORY, &["--rows", "thesis 6.4"]),
        on_polygons("Table 6.5, feature-adaptive Catmull-Clark", "Times from faces on the host, with control points \
            of bicubic \
            patches, which the thesis does not make.", &["--rows", "thesis 6.5"]),
        on_polygons("Table 6.6, memory of it", "Per face of the base mesh.", &["--rows", "thesis 6.6"]),
        on_polygons("Table 6.7, sqrt(3)", BASE, &["--rows", "thesis 6.7"]),
        on_polygons("Table 6.8, orders",
            "`as it comes` is shuffled here. `rcm` is by Cuthill and McKee, `spatial` along a \
            Morton curve.", &["--rows", "thesis 6.8"]),
    ],
};

const BASE: &str = "Rows of the general form leave out the adjacency of the base mesh, which the thesis' times \
    include.";
const MEMORY: &str = "Per face of the result.";
