//! MeshTaichi (Yu, Xu, Kuang, Hu and Liu 2022).

use super::{Experiment, ExperimentOn, Paper};

#[rustfmt::skip]
pub(super) static PAPER: Paper = Paper {
    title: "MeshTaichi (2022)",
    gpu: ("RTX 3090", 936.0),
    system: "",
    experiments: &[
        Experiment {
            item: "Table 1, Figure 11, springs of a surface",
            says: "Printed for 11, 170, 690 and 2,900 thousand vertices: forces alone. Here a step with integration.",
            meshes: ExperimentOn::Surfaces,
            line: &["--rows", "spring-scatter;spring-gather;spring-implicit", "--sizes", "20k,320k,1.28m,5.12m"],
            printed: &[
                ("spring-scatter", "20k", 0.007), ("spring-scatter", "320k", 0.040), ("spring-scatter", "1.28m", 0.164),
                ("spring-scatter", "5.12m", 0.666), ("spring-gather", "20k", 0.004), ("spring-gather", "320k", 0.026),
                ("spring-gather", "1.28m", 0.114), ("spring-gather", "5.12m", 0.472), ("spring-implicit", "20k", 0.308),
                ("spring-implicit", "320k", 0.912), ("spring-implicit", "1.28m", 3.408),
                ("spring-implicit", "5.12m", 13.142),
            ],
            speedups: &[],
        },
        Experiment {
            item: "Table 2, Figures 13 and 16, normals and geodesics",
            says: "The text: normals 0.713 ms for 8.1 and 0.77 ms for 13 million faces; geodesics 1.015 and 1.376 s.",
            meshes: ExperimentOn::Surfaces,
            line: &["--rows", "normals;normals-gather;geodesic", "--sizes", "20k,320k,1.28m,5.12m,20.48m"],
            printed: &[],
            speedups: &[],
        },
        Experiment {
            item: "Figure 8, patch sizes",
            says: "A chart in the text: 2,048 by default.",
            meshes: ExperimentOn::Volumes,
            line: &["--rows", "patches of"],
            printed: &[],
            speedups: &[],
        },
        Experiment {
            item: "Figure 19, 32 operations",
            says: "A chart of factors over Taichi in the text. `tried` in the record has the default form of each.",
            meshes: ExperimentOn::Volumes,
            line: OPERATIONS,
            printed: &[],
            speedups: &[],
        },
        Experiment {
            item: "Table 2, Figure 17, projective dynamics",
            says: "The text: 29.4 ms a frame for 701 thousand cells.",
            meshes: ExperimentOn::Bodies,
            line: &["--rows", "pd frame"],
            printed: &[],
            speedups: &[],
        },
        Experiment {
            item: "Table 2, Figure 18, 100 cloths",
            says: "The text: 4.19 ms a substep of five Jacobi iterations.",
            meshes: ExperimentOn::Bodies,
            line: &["--rows", "xpbd cloth substep"],
            printed: &[],
            speedups: &[],
        },
        Experiment {
            item: "Table 2, Figure 1, material points",
            says: "The text: 63 ms of mesh kernels a substep for 713.7 million cells, on an A100.",
            meshes: ExperimentOn::Bodies,
            line: &["--rows", "mpm substep"],
            printed: &[],
            speedups: &[],
        },
    ],
};

/// All operations by their names.
const OPERATIONS: &[&str] = &[
    "--rows",
    "VV, gather;VE, gather;VF, gather;VC, gather;EV, gather;EE, gather;EF, gather;EC, gather;FV, gather;FE, gather;\
     FF, gather;FC, gather;CV, gather;CE, gather;CF, gather;CC, gather;VV, scatter;VE, scatter;VF, scatter;VC, scatter;\
     EV, scatter;EE, scatter;EF, scatter;EC, scatter;FV, scatter;FE, scatter;FF, scatter;FC, scatter;CV, scatter;\
     CE, scatter;CF, scatter;CC, scatter",
];
