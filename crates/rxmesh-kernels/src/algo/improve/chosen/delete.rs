//! Deletion of chosen elements with all that contain them: the holes stay open.

use super::ChosenElements;
use crate::args;
use crate::cavity::{Cavity, Hole, Operator, Priority, Seed, Site, template};
use crate::edit::HalfEdgeMesh;

macro_rules! delete {
    ($($name:ident $template:ident, $what:literal;)*) => {$(
        args! {
            #[doc = concat!("Deletes chosen ", $what, ". The hole stays open.")]
            pub struct $name {
                /// Chosen elements.
                pub chosen: ChosenElements,
            }
        }

        // SAFETY: `fill` writes the word of its seed, all else only reads; ids are the mesh's (contracts U3, U4).
        unsafe impl Operator for $name {
            type Template = template::$template;
            /// Seed.
            type Plan = u32;
            const LEAVES_HOLE: bool = true;
            // A program asks for few rounds: a kernel that has all their steps would be loaded for nothing.
            const TOGETHER: bool = false;

            #[inline(always)]
            fn template(&self) -> template::$template {
                template::$template
            }

            #[inline(always)]
            fn candidate(&self, _mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
                self.chosen.has(seed.0).then_some(Priority::NONE)
            }

            #[inline(always)]
            fn plan(&self, cavity: &Cavity<impl Site>) -> u32 {
                cavity.seed()
            }

            #[inline(always)]
            fn fill(&self, seed: u32, _hole: &mut Hole<'_, impl Site>) {
                self.chosen.finish(seed);
            }
        }
    )*};
}

delete! {
    DeleteVertices V, "vertices with their edges and faces";
    DeleteEdges E, "edges with their faces";
    DeleteFaces F, "faces";
}
