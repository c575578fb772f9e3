//! RXMesh (Mahmoud, Porumbescu and Owens 2021).

use super::{Experiment, ExperimentOn, Paper, on_surfaces, speedup};

/// The eight queries, ours and over directed edges in both layouts, in one order of the input.
macro_rules! queries {
    ($order:literal) => {
        concat!(
            "vv",
            $order,
            ";ve",
            $order,
            ";vf",
            $order,
            ";fv",
            $order,
            ";fe",
            $order,
            ";ff",
            $order,
            ";ev",
            $order,
            ";ef",
            $order,
            ";vv-directed",
            $order,
            ";ve-directed",
            $order,
            ";vf-directed",
            $order,
            ";fv-directed",
            $order,
            ";fe-directed",
            $order,
            ";ff-directed",
            $order,
            ";ev-directed",
            $order,
            ";ef-directed",
            $order,
            ";vv-directed-faces",
            $order,
            ";ve-directed-faces",
            $order,
            ";vf-directed-faces",
            $order,
            ";fv-directed-faces",
            $order,
            ";fe-directed-faces",
            $order,
            ";ff-directed-faces",
            $order,
            ";ev-directed-faces",
            $order,
            ";ef-directed-faces",
            $order,
        )
    };
}

#[rustfmt::skip]
pub(super) static PAPER: Paper = Paper {
    title: "RXMesh (2021)",
    gpu: ("Tesla V100", 900.0),
    system: "",
    experiments: &[
        on_surfaces("Figure 5a, time of patching", "The text: tens of milliseconds to 15 s for up to 57 million faces.",
            &["--rows", "build;build-engine", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 5b, patch sizes", "The text chooses 768 of six sizes, on 20 million faces. The other rows \
            are on patches of 512.",
            &["--rows", "vv-patches;ve-patches;vf-patches;fv-patches;fe-patches;ff-patches;ev-patches;ef-patches;\
            bytes-patches", "--sizes", "1.28m,5.12m"]),
        on_surfaces("Table 2 and Figure 6, given order", TABLE_2,
            &["--rows", queries!(""), "--sizes", "20k,320k,1.28m,5.12m"]).speedups(&[
            speedup("vv-directed", "vv", 4.95), speedup("ve-directed", "ve", 3.48), speedup("vf-directed", "vf", 4.8),
            speedup("fv-directed", "fv", 1.27), speedup("fe-directed", "fe", 1.05), speedup("ff-directed", "ff", 0.87),
            speedup("ev-directed", "ev", 0.86), speedup("ef-directed", "ef", 0.64),
        ]),
        on_surfaces("Table 2 and Figure 6, sorted", TABLE_2,
            &["--rows", queries!("-sorted"), "--sizes", "20k,320k,1.28m,5.12m"]).speedups(&[
            speedup("vv-directed-sorted", "vv-sorted", 3.92), speedup("ve-directed-sorted", "ve-sorted", 2.89),
            speedup("vf-directed-sorted", "vf-sorted", 3.77), speedup("fv-directed-sorted", "fv-sorted", 1.04),
            speedup("fe-directed-sorted", "fe-sorted", 0.93), speedup("ff-directed-sorted", "ff-sorted", 0.72),
            speedup("ev-directed-sorted", "ev-sorted", 0.86), speedup("ef-directed-sorted", "ef-sorted", 0.63),
        ]),
        on_surfaces("Table 2 and Figure 6, shuffled", TABLE_2,
            &["--rows", queries!("-shuffled"), "--sizes", "20k,320k,1.28m,5.12m"]).speedups(&[
            speedup("vv-directed-shuffled", "vv-shuffled", 8.37), speedup("ve-directed-shuffled", "ve-shuffled", 5.48),
            speedup("vf-directed-shuffled", "vf-shuffled", 8.19), speedup("fv-directed-shuffled", "fv-shuffled", 3.86),
            speedup("fe-directed-shuffled", "fe-shuffled", 2.01), speedup("ff-directed-shuffled", "ff-shuffled", 2.55),
            speedup("ev-directed-shuffled", "ev-shuffled", 0.85), speedup("ef-directed-shuffled", "ef-shuffled", 0.62),
        ]),
        on_surfaces("Figure 8a, mean curvature flow", "The text, sorted input: 4.6 times as fast as directed edges, \
            210 times as fast as OpenMesh on a core.",
            &["--rows", "mcf;mcf-iteration;mcf-iteration-directed;mcf-iteration-directed-faces", "--input", "sorted",
            "--sizes", "20k,320k,1.28m,5.12m"]).speedups(&[speedup("mcf-iteration-directed", "mcf-iteration", 4.6)]),
        on_surfaces("Figure 8b, geodesic distance", "The text, sorted input: 15.5 times as fast as directed edges, \
            both by level sets. Here that is the rival's algorithm, and this library has another one.",
            &["--rows", "geodesic;geodesic-directed;geodesic-directed-faces", "--input", "sorted", "--sizes",
            "20k,320k,1.28m,5.12m"]).speedups(&[speedup("geodesic-directed", "geodesic", 15.5)]),
        on_surfaces("Figure 8c, bilateral filter", "The text, sorted input: 68.4 times as fast as OpenMesh on a core; \
            directed edges are 1.12 times as fast.",
            &["--rows", "filter-iteration;filter-iteration-directed;filter-iteration-directed-faces", "--input",
            "sorted", "--sizes", "20k,320k,1.28m,5.12m"])
            .speedups(&[speedup("filter-iteration-directed", "filter-iteration", 1.0 / 1.12)]),
        on_surfaces("Figure 8d, vertex normals", "The text, sorted input: an indexed kernel is 1.12 times, Mesh Matrix \
            1.14 times as fast.",
            &["--rows", "normals;normals-gather;normals-directed;normals-directed-faces;normals-indexed;\
            normals-indexed-gather;normals-matrix", "--input", "sorted", "--sizes", "20k,320k,1.28m,5.12m"])
            .speedups(&[
            speedup("normals-indexed", "normals", 1.0 / 1.12), speedup("normals-matrix", "normals", 1.0 / 1.14),
        ]),
        Experiment {
            item: "Section 7.1, bytes a face",
            says: "The text: 45.4, and 34 for first-order queries; directed edges 42, or 44 in the layout by faces.",
            meshes: ExperimentOn::Surfaces,
            line: &["--rows", "bytes;bytes-directed;bytes-directed-faces", "--sizes", "20k,320k,1.28m,5.12m"],
            printed: &[
                ("bytes", "20k", 45.4), ("bytes", "320k", 45.4), ("bytes", "1.28m", 45.4), ("bytes", "5.12m", 45.4),
                ("bytes-directed", "5.12m", 42.0), ("bytes-directed-faces", "5.12m", 44.0),
            ],
            speedups: &[],
        },
    ],
};

const TABLE_2: &str = "The text prints speed-ups over parallel directed edges in its layout, `-directed` here; sorted \
    by patches there, along a Morton curve here. `-directed-faces` is the layout of Campagna et al.";
