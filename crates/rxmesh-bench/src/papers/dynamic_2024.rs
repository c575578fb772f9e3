//! Dynamic RXMesh (Mahmoud, Porumbescu and Owens 2024, preprint).

use super::{Paper, on_surfaces};

#[rustfmt::skip]
pub(super) static PAPER: Paper = Paper {
    title: "Dynamic RXMesh (2024)",
    gpu: ("A100, 80 GB", 2039.0),
    system: "",
    experiments: &[
        on_surfaces("Table 1, geodesic distance",
            "Printed for 5.2 and 19.9 million faces. Here another algorithm.",
            &["--rows", "geodesic", "--sizes", "20k,320k,1.28m,5.12m,20.48m"])
            .printed(&[("geodesic", "5.12m", 850.0), ("geodesic", "20.48m", 3600.0)]),
        on_surfaces("Table 2, Delaunay flips", "Printed for 5.486 million faces; opening and closing are a row \
            of their own.",
            &["--rows", "delaunay;delaunay-speculative;edit-open-close", "--sizes", "20k,320k,1.28m,5.12m"])
            .printed(&[("delaunay", "5.12m", 4678.0), ("delaunay-speculative", "5.12m", 4678.0)]),
        on_surfaces("Table 3, an iteration of mean curvature flow after flips over before", "The text: 1.101 in \
            the mean, \
            1.473 at most, on the patches that flips leave. Here patches are packed anew.",
            &["--rows", "slowdown;slowdown-speculative", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Table 4, remeshing", "Printed for 1.4 million faces, which become 1.4 million.",
            &["--rows", "remesh;remesh-speculative", "--sizes", "20k,320k,1.28m,5.12m"])
            .printed(&[("remesh", "1.28m", 36800.0), ("remesh-speculative", "1.28m", 36800.0)]),
        on_surfaces("Figure 6, wasted work", "The text: about 60 % for small meshes, below 2 % for large ones, \
            if every \
            visit locks all neighbours.", &["--rows", "wasted;wasted-all", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 13, tracking", "The text: 100 frames of a grid in curl noise. Here a frame on \
            closed surfaces.",
            &["--rows", "track;track-speculative", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Appendix A, bytes a face", "Ribbon rows, padding and headers are in ours.",
            &["--rows", "bytes;bytes-speculative", "--sizes", "20k,320k,1.28m,5.12m"])
            .printed(&[("bytes", "20k", 18.75), ("bytes", "320k", 18.75), ("bytes", "1.28m", 18.75),
                ("bytes", "5.12m", 18.75)]),
    ],
};
