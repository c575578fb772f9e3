//! Local changes of elements that a program has chosen: edges, faces and vertices.
//!
//! The operators are those of section 3 and Figure 4 of Mahmoud et al. 2024 that need no criterion: each is a template
//! and a filling, and the program chooses the seeds.

pub mod delete;
pub mod edges;
pub mod faces;
pub mod vertices;

use crate::args;
use crate::mem::GlobalMut;
use delete::{DeleteEdges, DeleteFaces, DeleteVertices};
use edges::{CollapseChosen, FlipChosen, SplitChosen};
use faces::{CollapseFaces, SplitFacesInFour, SplitFacesInThree};
use vertices::{RemoveVertices, SplitVertices};

kernel_list! {
    operator flip_chosen: FlipChosen;
    operator split_chosen: SplitChosen;
    operator collapse_chosen: CollapseChosen;
    operator delete_chosen_edges: DeleteEdges;
    operator delete_chosen_faces: DeleteFaces;
    operator delete_chosen_vertices: DeleteVertices;
    operator collapse_chosen_faces: CollapseFaces;
    operator split_chosen_faces_in_three: SplitFacesInThree;
    operator split_chosen_faces_in_four: SplitFacesInFour;
    operator remove_chosen_vertices: RemoveVertices;
    operator split_chosen_vertices: SplitVertices;
}

args! {
    /// Elements of a kind that are to be changed, and those that were.
    pub struct ChosenElements {
        /// Nonzero for an element that is to be changed, else 0; new elements get 0. By element.
        pub asked: GlobalMut<u32>,
        /// 1 in the slot of an element that was changed, whose slot a new one may have taken.
        pub done: GlobalMut<u32>,
    }
}

impl ChosenElements {
    #[inline(always)]
    fn has(&self, id: u32) -> bool {
        self.asked.get(id) != 0
    }

    /// Notes an element that is new or was changed: it is not to be changed.
    #[inline(always)]
    fn enter(&self, id: u32) {
        self.asked.set(id, 0);
    }

    /// Notes the seed of a cavity that is filled. No other cavity of the run has this seed.
    #[inline(always)]
    fn finish(&self, seed: u32) {
        self.done.set(seed, 1);
    }
}
