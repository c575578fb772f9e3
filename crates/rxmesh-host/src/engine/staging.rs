//! Which values kernels keep in shared memory (MeshTaichi 2022, section 5.2.2): decided at each launch.

use rxmesh_kernels::attr::StagedField;
use rxmesh_kernels::kernel::{PatchKernel, bit};
use std::cmp::Reverse;

/// Which staged fields of kernels have their values in shared memory. The others' values stay in global memory, and the
/// kernel's body does not notice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StagingChoice {
    /// As many as leave room for two blocks a multiprocessor, or, where relations alone need more than that, for one;
    /// on a CPU all. Sums come first, because they would race in global memory, then values that bodies read often,
    /// which are those of the elements in the rows of their relations, small values before large ones.
    #[default]
    Auto,
    /// All that fit a block.
    All,
    /// None.
    Never,
    /// Those of these names, as far as they fit a block.
    Only(Vec<String>),
}

impl StagingChoice {
    /// Whether a field may be staged at all.
    fn allows(&self, name: &str) -> bool {
        match self {
            StagingChoice::Auto | StagingChoice::All => true,
            StagingChoice::Never => false,
            StagingChoice::Only(names) => names.iter().any(|n| n == name),
        }
    }
}

/// A kernel on its way to a launch: its staged fields, and which of them it keeps.
#[derive(Clone)]
pub(super) struct Fitting<K> {
    pub(super) kernel: K,
    /// In the order in which they give up.
    fields: Vec<(usize, StagedField)>,
    /// A bit for each that the kernel has and that has not given up, by its place in the kernel.
    staged: u64,
}

impl<K: PatchKernel> Fitting<K> {
    /// With the fields that the choice allows.
    pub(super) fn new(kernel: K, choice: &StagingChoice) -> Self {
        let mut fields = Vec::new();
        kernel.staged(&mut |field| fields.push((fields.len(), field)));
        fields.sort_by_key(|&(place, f)| {
            let often = K::OFTEN & bit(f.kind) != 0;
            (f.sums, often, Reverse(f.bytes), place)
        });
        let mut fitting = Fitting {
            kernel,
            staged: (1 << fields.len()) - 1,
            fields,
        };
        let refused = fitting
            .fields
            .iter()
            .filter(|(_, f)| !choice.allows(f.name));
        for field in refused.copied().collect::<Vec<_>>() {
            fitting.unstage(field);
        }
        fitting.fields.retain(|(_, f)| choice.allows(f.name));
        fitting.fields.reverse();
        fitting
    }

    /// What is staged: a number that is another one for each set of fields.
    pub(super) fn staged(&self) -> u64 {
        self.staged
    }

    /// Has the next field give up, and says which.
    pub(super) fn give_up(&mut self) -> Option<&'static str> {
        let field = self.fields.pop()?;
        self.unstage(field);
        Some(field.1.name)
    }

    fn unstage(&mut self, (place, field): (usize, StagedField)) {
        self.kernel.unstage(field.name);
        self.staged &= !(1 << place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_kernels::attr::{Read, Staged, StagedSum, View};
    use rxmesh_kernels::kernel;
    use rxmesh_kernels::kernel::Scatter;
    use rxmesh_kernels::mem::{Global, GlobalMut};
    use rxmesh_kernels::query::{EV, Neighbours};
    use rxmesh_kernels::topo::{Edge, Local, Vertex};

    kernel! {
        /// Has one field of each kind.
        pub struct Many: Scatter<EV> {
            /// Of the rows' elements.
            pub often: Staged<Vertex, f32>,
            /// Sums of them.
            pub sum: StagedSum<Vertex, f32>,
            /// Larger.
            pub large: Staged<Vertex, [f32; 9]>,
            /// Read once a body.
            pub once: Staged<Edge, f32>,
            /// Never staged.
            pub there: Read<Edge, f32>,
        }
    }

    impl Scatter<EV> for Many {
        fn run(&self, e: Local<Edge>, n: Neighbours<EV>) {
            for v in n.iter() {
                self.sum.add(v, self.often.get(v) + self.once.get(e));
            }
        }
    }

    fn many() -> Many {
        fn view<T: rxmesh_kernels::attr::Value>() -> View<T> {
            View::new(Global::empty(), rxmesh_kernels::attr::Place::plain())
        }
        let sums = rxmesh_kernels::attr::ViewMut::new(
            GlobalMut::empty(),
            rxmesh_kernels::attr::Place::plain(),
        );
        // SAFETY: never launched (contract U4).
        unsafe {
            Many {
                often: Staged::new(view()),
                sum: StagedSum::new(sums),
                large: Staged::new(view()),
                once: Staged::new(view()),
                there: Read::new(view()),
            }
        }
    }

    fn names(choice: &StagingChoice) -> (Vec<&'static str>, u64) {
        let mut fitting = Fitting::new(many(), choice);
        let staged = fitting.staged();
        (std::iter::from_fn(|| fitting.give_up()).collect(), staged)
    }

    #[test]
    fn fields_give_up_in_the_order_of_what_they_save() {
        let all = ["once", "large", "often", "sum"];
        assert_eq!(names(&StagingChoice::Auto), (all.to_vec(), 0b1111));
        assert_eq!(names(&StagingChoice::All), (all.to_vec(), 0b1111));
        assert_eq!(names(&StagingChoice::Never), (vec![], 0));
        let only = StagingChoice::Only(vec!["sum".into(), "once".into()]);
        assert_eq!(names(&only), (vec!["once", "sum"], 0b1010));
    }

    #[test]
    fn what_gives_up_is_no_longer_staged() {
        let mut fitting = Fitting::new(many(), &StagingChoice::All);
        let count = |k: &Many| {
            let mut n = 0;
            PatchKernel::staged(k, &mut |_| n += 1);
            n
        };
        for left in (0..4).rev() {
            fitting.give_up();
            assert_eq!(count(&fitting.kernel), left);
        }
        assert_eq!((fitting.staged(), fitting.give_up()), (0, None));
    }
}
