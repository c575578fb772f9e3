//! Commands: operations of the library, and files of this folder.

mod check;
mod cloth;
mod completions;
mod convert;
mod distance;
mod generate;
mod info;
mod merge;
mod repair;
mod sample;
mod shortcut;
mod simulate;
mod soft;
mod subdivide;
mod track;
mod transform;

use crate::app::Entry;
use crate::frame::{OnConnectivity, OnVertices};
use rxmesh::ops;

macro_rules! operations {
    (
        Vertices { $($vertices:ident in $v:ident),* $(,)? }
        Connectivity { $($connectivity:ident in $c:ident),* $(,)? }
    ) => {
        /// Operations on vertices.
        const VERTICES: &[Entry] = &[$(Entry::of::<OnVertices<ops::$vertices>>()),*];

        /// Operations on the connectivity.
        const CONNECTIVITY: &[Entry] = &[$(Entry::of::<OnConnectivity<ops::$connectivity>>()),*];
    };
}
rxmesh::for_each_operation!(operations);

/// Commands that are not operations.
const SCENES: &[Entry] = &[
    Entry::of::<simulate::Simulate>(),
    Entry::of::<cloth::Cloth>(),
    Entry::of::<soft::Soft>(),
    Entry::of::<subdivide::Subdivide>(),
];
const TOOLS: &[Entry] = &[
    Entry::of::<track::Track>(),
    Entry::of::<info::Info>(),
    Entry::of::<check::Check>(),
    Entry::of::<distance::Distance>(),
    Entry::of::<repair::Repair>(),
    Entry::of::<convert::Convert>(),
    Entry::of::<transform::Transform>(),
    Entry::of::<merge::Merge>(),
    Entry::of::<sample::Sample>(),
    Entry::of::<generate::Generate>(),
    Entry::of::<completions::Completions>(),
];

/// Lists of commands, in the order of the help.
const LISTS: [&[Entry]; 4] = [VERTICES, SCENES, CONNECTIVITY, TOOLS];

/// Number of commands.
const COUNT: usize = VERTICES.len() + SCENES.len() + CONNECTIVITY.len() + TOOLS.len();

/// Every command, in the order of the help.
pub(crate) const ALL: &[Entry] = &concat();

const fn concat() -> [Entry; COUNT] {
    let mut all = [TOOLS[0]; COUNT];
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
