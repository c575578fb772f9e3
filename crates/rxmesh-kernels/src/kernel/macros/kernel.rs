//! `kernel!`.

/// Declares a kernel: a `Copy` struct whose fields are its arguments, and its form.
///
/// ```
/// use rxmesh_kernels::{Vec3, attr::{Read, Write}, kernel, kernel::ForEach};
/// use rxmesh_kernels::{query::{Neighbours, VV}, topo::{Owned, Vertex}};
///
/// kernel! {
///     /// Moves each vertex to the mean of its neighbours.
///     pub struct Smooth: ForEach<VV> {
///         /// Positions.
///         pub x: Read<Vertex, Vec3>,
///         /// New positions.
///         pub y: Write<Vertex, Vec3>,
///     }
/// }
///
/// impl ForEach<VV> for Smooth {
///     fn run(&self, v: Owned<Vertex>, ring: Neighbours<VV>) {
///         let sum: Vec3 = ring.iter().map(|w| self.x.get(w)).sum();
///         self.y.set(v, if ring.is_empty() { self.x.get(v) } else { sum / ring.len() as f32 });
///     }
/// }
/// ```
///
/// Forms: `ForEach<R>`, `Scatter<R>` (with `R` one relation or a tuple of up to three), `Distribute<R, W>` (with `W`
/// the length of the rows), `Patch`, `Block`, `Grid`, `Flat`; the last four only declare the struct and leave
/// [`PatchKernel`](crate::kernel::PatchKernel), [`BlockKernel`](crate::kernel::BlockKernel),
/// [`GridKernel`](crate::kernel::GridKernel) or [`FlatKernel`](crate::kernel::FlatKernel) to you. `threads = N` before
/// the brace sets the CUDA block's width for the first three.
///
/// The first three need no `unsafe`, because all fields have to be [`Typed`](crate::attr::Typed): a field that takes
/// any index does not compile.
///
/// ```compile_fail,E0277
/// # use rxmesh_kernels::{kernel, kernel::ForEach, mem::GlobalMut, query::{Neighbours, VV}, topo::{Owned, Vertex}};
/// kernel! {
///     /// Two patches could write the same element at a time.
///     pub struct Race: ForEach<VV> {
///         /// Any of them.
///         pub any: GlobalMut<u32>,
///     }
/// }
/// impl ForEach<VV> for Race {
///     fn run(&self, v: Owned<Vertex>, _: Neighbours<VV>) {
///         self.any.set(0, v.local());
///     }
/// }
/// ```
#[macro_export]
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis struct $name:ident : ForEach<$rel:ty> $(, threads = $threads:literal)? {
        $($fields:tt)*
    }) => {
        $crate::kernel!(@fields [$(#[$meta])* $vis struct $name] { $($fields)* });
        $crate::kernel!(@typed { $($fields)* });
        $crate::kernel!(@patch $name, $rel, run_for_each $(, $threads)?);
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Scatter<$rel:ty> $(, threads = $threads:literal)? {
        $($fields:tt)*
    }) => {
        $crate::kernel!(@fields [$(#[$meta])* $vis struct $name] { $($fields)* });
        $crate::kernel!(@typed { $($fields)* });
        $crate::kernel!(@patch $name, $rel, run_scatter $(, $threads)?);
    };
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident : Distribute<$rel:ty, $width:literal>
        $(, threads = $threads:literal)? { $($fields:tt)* }
    ) => {
        $crate::kernel!(@fields [$(#[$meta])* $vis struct $name] { $($fields)* });
        $crate::kernel!(@typed { $($fields)* });

        // SAFETY: fields are `Typed`, and as many values are put as rows are long (contracts U1 to U4).
        unsafe impl $crate::volume::distribute::Distributes for $name {
            $(const THREADS: u32 = $threads;)?
            type Relation = $rel;
            type Value = <$name as $crate::volume::distribute::Distribute<$rel, $width>>::Value;
            #[inline(always)]
            fn give(
                &self,
                e: $crate::topo::Owned<<$rel as $crate::query::Relation>::Source>,
                n: $crate::query::Neighbours<$rel>,
                to: $crate::volume::distribute::GivenValues,
                i: u32,
            ) {
                const { assert!(matches!(<$rel as $crate::query::Relation>::FIXED, Some($width))) };
                let values = $crate::volume::distribute::Distribute::<$rel, $width>::run(self, e, n);
                to.put(i, values);
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Patch { $($fields:tt)* }) => {
        $crate::kernel!(@fields [$(#[$meta])* $vis struct $name] { $($fields)* });
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Block { $($fields:tt)* }) => {
        $crate::args! { $(#[$meta])* $vis struct $name { $($fields)* } }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Grid { $($fields:tt)* }) => {
        $crate::args! { $(#[$meta])* $vis struct $name { $($fields)* } }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Flat { $($fields:tt)* }) => {
        $crate::args! { $(#[$meta])* $vis struct $name { $($fields)* } }
    };
    (@fields [$(#[$meta:meta])* $vis:vis struct $name:ident] {
        $($(#[$fmeta:meta])* $fvis:vis $field:ident : $ty:ty),* $(,)?
    }) => {
        $crate::args! { $(#[$meta])* $vis struct $name { $($(#[$fmeta])* $fvis $field: $ty),* } }

        // SAFETY: all fields keep the contract of `Field`.
        unsafe impl $crate::kernel::Fields for $name {
            const STORES: bool = false $(|| <$ty as $crate::attr::Field>::STORES)*;
            #[inline(always)]
            fn is_plain(&self) -> bool {
                true $(&& $crate::attr::Field::is_plain(&self.$field))*
            }
            #[inline(always)]
            unsafe fn assume_plain(self) -> Self {
                // SAFETY: the caller's.
                unsafe { $name { $($field: $crate::attr::Field::assume_plain(self.$field)),* } }
            }
            fn staged(&self, f: &mut dyn FnMut($crate::attr::StagedField)) {
                let _ = &f;
                $(if let Some(field) = $crate::attr::Field::staged(&self.$field, stringify!($field)) {
                    f(field);
                })*
            }
            fn unstage(&mut self, name: &str) {
                let _ = name;
                $(if name == stringify!($field) {
                    $crate::attr::Field::unstage(&mut self.$field);
                })*
            }
            #[inline(always)]
            fn carve(&mut self, header: &$crate::topo::PatchHeader, plan: &mut $crate::mem::Plan) {
                let _ = (&header, &plan);
                $($crate::attr::Field::carve(&mut self.$field, header, plan);)*
            }
            #[inline(always)]
            fn load<B: $crate::exec::Block>(&self, p: $crate::exec::Phase<B>, patch: &$crate::topo::Patch) {
                let _ = (&p, &patch);
                $($crate::attr::Field::load(&self.$field, p, patch);)*
            }
            #[inline(always)]
            fn store<B: $crate::exec::Block>(&self, p: $crate::exec::Phase<B>, patch: &$crate::topo::Patch) {
                let _ = (&p, &patch);
                $($crate::attr::Field::store(&self.$field, p, patch);)*
            }
        }
    };
    (@typed { $($(#[$fmeta:meta])* $fvis:vis $field:ident : $ty:ty),* $(,)? }) => {
        const _: () = {
            const fn typed<T: $crate::attr::Typed>() {}
            $(typed::<$ty>();)*
        };
    };
    (@patch $name:ident, $rel:ty, $run:ident $(, $threads:literal)?) => {
        // SAFETY: the driver keeps the contracts for fields that are `Typed`, whatever the body does (U1 to U4).
        unsafe impl $crate::kernel::PatchKernel for $name {
            $(const THREADS: u32 = $threads;)?
            const NEEDS: $crate::topo::Needs = <$rel as $crate::query::Relations>::NEEDS;
            type Tables = $crate::kernel::ForEachTables<<$rel as $crate::query::Relations>::Tables>;
            const OFTEN: u8 = <$rel as $crate::query::Relations>::OFTEN;
            fn staged(&self, f: &mut dyn FnMut($crate::attr::StagedField)) {
                $crate::kernel::Fields::staged(self, f);
            }
            fn unstage(&mut self, name: &str) {
                $crate::kernel::Fields::unstage(self, name);
            }
            #[inline(always)]
            fn carve(&mut self, header: &$crate::topo::PatchHeader, plan: &mut $crate::mem::Plan) -> Self::Tables {
                $crate::kernel::carve_for_each::<$rel, Self>(self, header, plan, None)
            }
            #[inline(always)]
            fn run<B: $crate::exec::Block>(&self, b: B, patch: &$crate::topo::Patch, tables: &Self::Tables) {
                $crate::kernel::$run::<$rel, Self, B>(self, b, patch, tables);
            }
        }

        // SAFETY: as above.
        unsafe impl $crate::kernel::AnyArguments for $name {}

        // SAFETY: as above.
        unsafe impl $crate::kernel::OverRelations for $name {
            $(const THREADS: u32 = $threads;)?
            type Relations = $rel;
            #[inline(always)]
            fn run_over<B: $crate::exec::Block>(
                &self,
                b: B,
                patch: &$crate::topo::Patch,
                tables: &$crate::kernel::ForEachTables<<$rel as $crate::query::Relations>::Tables>,
            ) {
                $crate::kernel::$run::<$rel, Self, B>(self, b, patch, tables);
            }
        }
    };
}
