//! Commands: operations of the library, and files of this folder.

mod completions;
mod convert;
mod generate;
mod info;
mod render;
mod view;

use crate::app::Entry;
use crate::frame::{OnBody, OnConnectivity, OnScene, OnTool, OnVertices};
use rxmesh::ops;

macro_rules! operations {
    (
        Vertices { $($vertices:ident in $v:ident),* $(,)? }
        Connectivity { $($connectivity:ident in $c:ident),* $(,)? }
        Scene { $($scene:ident in $s:ident),* $(,)? }
        Body { $($body:ident in $b:ident),* $(,)? }
        Tool { $($tool:ident in $t:ident),* $(,)? }
    ) => {
        /// Operations on vertices.
        const VERTICES: &[Entry] = &[$(Entry::of::<OnVertices<ops::$vertices>>()),*];

        /// Operations on the connectivity.
        const CONNECTIVITY: &[Entry] = &[$(Entry::of::<OnConnectivity<ops::$connectivity>>()),*];

        /// Operations on scenes, and on bodies of a scene of their own.
        const SCENES: &[Entry] = &[
            $(Entry::of::<OnScene<ops::$scene>>(),)*
            $(Entry::of::<OnBody<ops::$body>>(),)*
        ];

        /// Operations on meshes as they are in files.
        const TOOLS: &[Entry] = &[$(Entry::of::<OnTool<ops::$tool>>()),*];
    };
}
rxmesh::for_each_operation!(operations);

/// Commands that are no operations: they know engines, files and the command line itself.
const INFO: &[Entry] = &[Entry::of::<info::Info>()];
const FILES: &[Entry] = &[
    Entry::of::<convert::Convert>(),
    Entry::of::<render::Render>(),
    Entry::of::<view::ViewCommand>(),
    Entry::of::<generate::Generate>(),
    Entry::of::<completions::Completions>(),
];

/// Lists of commands, in the order of the help.
const LISTS: [&[Entry]; 6] = [VERTICES, SCENES, CONNECTIVITY, INFO, TOOLS, FILES];

/// Number of commands.
const COUNT: usize =
    VERTICES.len() + SCENES.len() + CONNECTIVITY.len() + INFO.len() + TOOLS.len() + FILES.len();

/// Every command, in the order of the help.
pub(crate) const ALL: &[Entry] = &concat();

const fn concat() -> [Entry; COUNT] {
    let mut all = [INFO[0]; COUNT];
    let (mut list, mut n) = (0, 0);
    while list < LISTS.len() {
        let mut i = 0;
        while i < LISTS[list].len() {
            all[n] = LISTS[list][i];
            (i, n) = (i + 1, n + 1);
        }
        list += 1;
    }
    all
}
