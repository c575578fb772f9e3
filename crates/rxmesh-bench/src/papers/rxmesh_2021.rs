//! RXMesh (Mahmoud, Porumbescu and Owens 2021).

use super::{Experiment, ExperimentOn, Paper, on_surfaces};

const QUERIES: &str = "vv;ve;vf;fv;fe;ff;ev;ef";

#[rustfmt::skip]
pub(super) static PAPER: Paper = Paper {
    title: "RXMesh (2021)",
    gpu: ("Tesla V100", 900.0),
    system: "",
    experiments: &[
        on_surfaces("Figure 5a, time of patching", "The text: tens of milliseconds to 15 s for up to 57 million faces.",
            &["--rows", "build;build-engine", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 5b, patches of at most 256 faces", PATCHES,
            &["--rows", QUERIES, "--patch-size", "256", "--sizes", "1.28m"]),
        on_surfaces("Figure 5b, patches of at most 384 faces", PATCHES,
            &["--rows", QUERIES, "--patch-size", "384", "--sizes", "1.28m"]),
        on_surfaces("Figure 5b, patches of at most 512 faces", PATCHES,
            &["--rows", QUERIES, "--patch-size", "512", "--sizes", "1.28m"]),
        on_surfaces("Figure 5b, patches of at most 768 faces", PATCHES,
            &["--rows", QUERIES, "--patch-size", "768", "--sizes", "1.28m"]),
        on_surfaces("Figure 5b, patches of at most 1,024 faces", PATCHES,
            &["--rows", QUERIES, "--patch-size", "1024", "--sizes", "1.28m"]),
        on_surfaces("Figure 6 and Table 2, given order", "The text: over directed edges 4.95 (VV), 3.48 (VE), \
            4.8 (VF), \
            1.27 (FV), 1.05 (FE), 0.87 (FF), 0.86 (EV), 0.64 (EF). Directed edges are not measured here.",
            &["--rows", QUERIES, "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 6 and Table 2, sorted", "The text: 3.92, 2.89, 3.77, 1.04, 0.93, 0.72, 0.86, 0.63.",
            &["--rows", QUERIES, "--input", "sorted", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 6 and Table 2, shuffled", "The text: 8.37, 5.48, 8.19, 3.86, 2.01, 2.55, 0.85, 0.62.",
            &["--rows", QUERIES, "--input", "shuffled", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 8a, mean curvature flow", "The text: 4.6 times as fast as directed edges, 210 times \
            as fast as \
            OpenMesh on a core.", &["--rows", "mcf;mcf-iteration", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 8b, geodesic distance", "The text: 15.5 times as fast as directed edges, by level \
            sets. Here \
            another algorithm.", &["--rows", "geodesic", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 8c, bilateral filter", "The text: 68.4 times as fast as OpenMesh on a core, 0.89 \
            times as fast \
            as directed edges.", &["--rows", "filter-iteration", "--sizes", "20k,320k,1.28m,5.12m"]),
        on_surfaces("Figure 8d, vertex normals", "The text: an indexed kernel is 1.12 times as fast.",
            &["--rows", "normals;normals-gather", "--sizes", "20k,320k,1.28m,5.12m"]),
        Experiment {
            item: "Section 7.1, bytes a face",
            says: "The text: 45.4, and 34 for first-order queries; directed edges 42.",
            meshes: ExperimentOn::Surfaces,
            line: &["--rows", "bytes", "--sizes", "20k,320k,1.28m,5.12m"],
            printed: &[
                ("bytes", "20k", 45.4), ("bytes", "320k", 45.4), ("bytes", "1.28m", 45.4), ("bytes", "5.12m", 45.4),
            ],
        },
    ],
};

const PATCHES: &str = "The text chooses 768 of six sizes, on 20 million faces.";
