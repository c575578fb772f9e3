//! Choice of the values that kernels keep in shared memory (MeshTaichi 2022, section 5.2.2), made at each launch.

use super::launch::measure;
use rxmesh_kernels::attr::StagedField;
use rxmesh_kernels::kernel::{PatchKernel, bit};
use rxmesh_kernels::topo::PatchHeader;
use std::any::TypeId;
use std::cmp::Reverse;

/// Staged fields of kernels whose values go to shared memory. The values of the others stay in global memory, and the
/// kernel's body does not notice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StagingChoice {
    /// The fields that let two blocks share a multiprocessor, or one if relations alone need more than half of it, and
    /// of values to read those of at most 16 KiB a patch; on a CPU all. Sums come first, because they would race in
    /// global memory, then values that bodies read often, which are those of the elements in the rows of their
    /// relations, small values before large ones.
    #[default]
    Auto,
    /// All that fit a block.
    All,
    /// None.
    Never,
    /// Fields of these names, as far as they fit a block.
    Only(Vec<String>),
}

impl StagingChoice {
    /// Returns the names of the fields that may be staged; `None` for all.
    fn only(&self) -> Option<&[String]> {
        match self {
            StagingChoice::Auto | StagingChoice::All => None,
            StagingChoice::Never => Some(&[]),
            StagingChoice::Only(names) => Some(names),
        }
    }
}

/// A patch kernel without its type: the code of a launch is compiled once instead of for each kernel.
pub(super) trait Stages {
    /// Returns the type of the kernel and [`PatchKernel::plan_key`].
    fn key(&self) -> (TypeId, u64);
    /// [`PatchKernel::OFTEN`].
    fn often(&self) -> u8;
    /// [`PatchKernel::staged`].
    fn fields(&self, f: &mut dyn FnMut(StagedField));
    /// [`PatchKernel::unstage`].
    fn leave(&mut self, name: &str);
    /// Returns the shared memory that a patch needs.
    fn measure(&self, header: &PatchHeader) -> u32;
}

impl<K: PatchKernel> Stages for K {
    fn key(&self) -> (TypeId, u64) {
        (TypeId::of::<K>(), self.plan_key())
    }
    fn often(&self) -> u8 {
        K::OFTEN
    }
    fn fields(&self, f: &mut dyn FnMut(StagedField)) {
        self.staged(f);
    }
    fn leave(&mut self, name: &str) {
        self.unstage(name);
    }
    fn measure(&self, header: &PatchHeader) -> u32 {
        let mut kernel = *self;
        measure(&mut |plan| {
            kernel.carve(header, plan);
        })
    }
}

/// Kernel before its launch, with the fields that stay staged.
pub(super) struct Fitting<'a> {
    pub(super) kernel: &'a mut dyn Stages,
    /// Fields that are still staged; the last one is unstaged first.
    fields: Vec<(usize, StagedField)>,
    /// Bits of the staged fields, by their place in the kernel.
    staged: u64,
}

impl<'a> Fitting<'a> {
    /// Stages the fields that the choice allows.
    pub(super) fn new(kernel: &'a mut dyn Stages, choice: &StagingChoice) -> Self {
        let mut fields = Vec::new();
        kernel.fields(&mut |field| fields.push((fields.len(), field)));
        let often = kernel.often();
        fields.sort_by_key(|&(place, f)| {
            let often = often & bit(f.kind) != 0;
            (f.sums, often, Reverse(f.bytes), place)
        });
        let mut fitting = Fitting {
            kernel,
            staged: (1 << fields.len()) - 1,
            fields,
        };
        // Outside of the loop: inside, a compiler may read the number of names before it tests whether there are any.
        if let Some(names) = choice.only() {
            let fields = std::mem::take(&mut fitting.fields);
            for field in fields {
                if names.iter().any(|n| n == field.1.name) {
                    fitting.fields.push(field);
                } else {
                    fitting.unstage(field);
                }
            }
        }
        fitting.fields.reverse();
        fitting
    }

    /// Returns the set of staged fields as bits.
    pub(super) fn staged(&self) -> u64 {
        self.staged
    }

    /// Unstages the fields of values to read that are too large.
    pub(super) fn give_up_large(&mut self, is_large: impl Fn(&StagedField) -> bool) {
        for field in std::mem::take(&mut self.fields) {
            if !field.1.sums && is_large(&field.1) {
                self.unstage(field);
            } else {
                self.fields.push(field);
            }
        }
    }

    /// Unstages the next field and returns its name.
    pub(super) fn give_up(&mut self) -> Option<&'static str> {
        let field = self.fields.pop()?;
        self.unstage(field);
        Some(field.1.name)
    }

    fn unstage(&mut self, (place, field): (usize, StagedField)) {
        self.kernel.leave(field.name);
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
            /// Values of the rows' elements.
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
            View::new(Global::empty(), rxmesh_kernels::attr::PlaceMap::plain())
        }
        let sums = rxmesh_kernels::attr::ViewMut::new(
            GlobalMut::empty(),
            rxmesh_kernels::attr::PlaceMap::plain(),
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
        let mut kernel = many();
        let mut fitting = Fitting::new(&mut kernel, choice);
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
    fn large_values_to_read_are_left_and_sums_are_not() {
        let mut kernel = many();
        let mut fitting = Fitting::new(&mut kernel, &StagingChoice::Auto);
        fitting.give_up_large(|field| field.bytes > 4);
        let staged = fitting.staged();
        let names: Vec<&str> = std::iter::from_fn(|| fitting.give_up()).collect();
        assert_eq!((names, staged), (vec!["once", "often", "sum"], 0b1011));
        let mut kernel = many();
        let mut fitting = Fitting::new(&mut kernel, &StagingChoice::Auto);
        fitting.give_up_large(|_| true);
        assert_eq!(fitting.give_up(), Some("sum"));
    }

    #[test]
    fn what_gives_up_is_no_longer_staged() {
        let mut kernel = many();
        let mut fitting = Fitting::new(&mut kernel, &StagingChoice::All);
        let count = |k: &dyn Stages| {
            let mut n = 0;
            k.fields(&mut |_| n += 1);
            n
        };
        for left in (0..4).rev() {
            fitting.give_up();
            assert_eq!(count(fitting.kernel), left);
        }
        assert_eq!((fitting.staged(), fitting.give_up()), (0, None));
    }
}
