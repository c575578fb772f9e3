//! `args!`, `kernel!` and `entries!`.

/// Declares an argument of kernels: a `Copy` struct, generic or not, of views, numbers and other arguments. A launch finds and checks all
/// memory that it names ([`Bind`](crate::mem::Bind)).
///
/// ```
/// use rxmesh_kernels::{args, mem::{Bind, Global, GlobalMut}};
///
/// args! {
///     /// Sums of rows.
///     pub struct Sums<S> {
///         /// Where each row starts.
///         pub starts: Global<u32>,
///         /// The sums.
///         pub sums: GlobalMut<f32>,
///         /// What is summed up.
///         pub source: S,
///     }
/// }
/// ```
///
/// A parameter may have one bound, as in `Sums<S: Trait>`.
#[macro_export]
macro_rules! args {
    ($(#[$meta:meta])* $vis:vis struct $name:ident $(<$($of:ident $(: $bound:path)?),*>)? {
        $($(#[$fmeta:meta])* $fvis:vis $field:ident : $ty:ty),* $(,)?
    }) => {
        $(#[$meta])* #[repr(C)] #[derive(Clone, Copy, Debug)]
        $vis struct $name $(<$($of $(: $bound)?),*>)? { $($(#[$fmeta])* $fvis $field: $ty),* }

        // SAFETY: all fields, each of which keeps the contract (U4).
        unsafe impl $(<$($of $(: $bound)?),*>)? $crate::mem::Bind for $name $(<$($of),*>)?
        where
            $($ty: $crate::mem::Bind),*
        {
            #[inline(always)]
            fn bind(&self) {
                $($crate::mem::Bind::bind(&self.$field);)*
            }
            unsafe fn visit(&mut self, resolve: &mut dyn FnMut($crate::mem::Piece) -> Option<usize>) {
                let _ = &resolve;
                // SAFETY: the caller's.
                unsafe { $($crate::mem::Bind::visit(&mut self.$field, resolve);)* }
            }
        }
    };
}

/// Declares a kernel: a `Copy` struct whose fields are its arguments, and how it runs.
///
/// ```
/// use rxmesh_kernels::{Vec3, attr::{Read, Write}, kernel, kernel::ForEach, query::{Neighbours, VV}, topo::{Owned, Vertex}};
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
/// Forms: `ForEach<R>`, `Scatter<R>` (with `R` one relation or a tuple of up to three), `Patch`, `Block`, `Flat`;
/// the last three only declare the struct and leave [`PatchKernel`](crate::kernel::PatchKernel),
/// [`BlockKernel`](crate::kernel::BlockKernel) or [`FlatKernel`](crate::kernel::FlatKernel) to you. `threads = N` before the
/// brace sets the CUDA block's width for the first two.
///
/// The first two need no `unsafe`, because all fields have to be [`Typed`](crate::attr::Typed): what takes any index does not compile.
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
    ($(#[$meta:meta])* $vis:vis struct $name:ident : ForEach<$rel:ty> $(, threads = $threads:literal)? { $($fields:tt)* }) => {
        $crate::kernel!(@fields [$(#[$meta])* $vis struct $name] { $($fields)* });
        $crate::kernel!(@typed { $($fields)* });
        $crate::kernel!(@patch $name, $rel, run_for_each $(, $threads)?);
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Scatter<$rel:ty> $(, threads = $threads:literal)? { $($fields:tt)* }) => {
        $crate::kernel!(@fields [$(#[$meta])* $vis struct $name] { $($fields)* });
        $crate::kernel!(@typed { $($fields)* });
        $crate::kernel!(@patch $name, $rel, run_scatter $(, $threads)?);
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Patch { $($fields:tt)* }) => {
        $crate::kernel!(@fields [$(#[$meta])* $vis struct $name] { $($fields)* });
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Block { $($fields:tt)* }) => {
        $crate::args! { $(#[$meta])* $vis struct $name { $($fields)* } }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident : Flat { $($fields:tt)* }) => {
        $crate::args! { $(#[$meta])* $vis struct $name { $($fields)* } }
    };
    (@fields [$(#[$meta:meta])* $vis:vis struct $name:ident] { $($(#[$fmeta:meta])* $fvis:vis $field:ident : $ty:ty),* $(,)? }) => {
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
            fn unstage(&mut self, sums: bool) -> Option<&'static str> {
                let _ = sums;
                $(if $crate::attr::Field::unstage(&mut self.$field, sums) {
                    return Some(stringify!($field));
                })*
                None
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
            type Tables = $crate::kernel::ForEachTables<<$rel as $crate::query::Relations>::Tables>;
            fn unstage(&mut self, sums: bool) -> Option<&'static str> {
                $crate::kernel::Fields::unstage(self, sums)
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

/// Lists the kernels of a crate of your own, once: [`entries!`](crate::entries) and [`export_entries!`](crate::export_entries) in one.
///
/// ```
/// # use rxmesh_kernels::{kernel, kernel::FlatKernel, mem::GlobalMut};
/// kernel! {
///     /// Counts.
///     pub struct Count: Flat {
///         /// Where to.
///         pub to: GlobalMut<u32>,
///     }
/// }
/// // SAFETY: each index writes its own element; launches are as long as `to`.
/// unsafe impl FlatKernel for Count {
///     fn run(&self, i: u32) {
///         self.to.set(i, i);
///     }
/// }
///
/// rxmesh_kernels::kernels! {
///     /// What `Engine::load_ptx` takes beside the PTX.
///     pub KERNELS = "my_fingerprint";
///     flat my_count: Count;
/// }
/// # assert_eq!(KERNELS[0].name, "rx_my_count");
/// ```
///
/// The literal is the symbol that carries the list's fingerprint in the PTX. Names are shared with all modules that an engine
/// has loaded, this library's among them: give yours a prefix.
#[macro_export]
macro_rules! kernels {
    ($(#[$meta:meta])* $vis:vis $list:ident = $fingerprint:literal; $($rest:tt)*) => {
        $crate::entries! { $(#[$meta])* $vis $list; $($rest)* }
        $crate::export_entries! { $fingerprint = $list; $($rest)* }
    };
}

/// Lists the kernels of a crate: gives each its name, and makes the list the host checks against the PTX.
///
/// `entries! { pub LIST; patch name: Type; prepared name: Type; block name: Type; flat name: Type; }`: `prepared` is a
/// [`ForEach`](crate::kernel::ForEach) or [`Scatter`](crate::kernel::Scatter) kernel once more, on prepared relations;
/// `prepare name: R` is what prepares relation `R`; `claim name: O`, `resolve name: O` and `fill name: O` are the three kernels of an
/// [`Operator`](crate::cavity::Operator), all of which it needs, and `speculate name: O` is its kernel on the speculative engine. On the device every kernel becomes
/// a PTX entry by [`export_entries!`](crate::export_entries), which takes the same list.
#[macro_export]
macro_rules! entries {
    ($(#[$meta:meta])* $vis:vis $list:ident; $($form:ident $name:ident : $ty:ty;)*) => {
        $(#[$meta])*
        /// The crate's kernels: name and parameter layout, in the order of the PTX.
        $vis const $list: &[$crate::kernel::KernelInfo] = &[$($crate::entries!(@info $form $name $ty)),*];
        $($crate::entries!(@name $form $name $ty);)*
    };
    (@name prepare $name:ident $ty:ty) => {
        const _: () = $crate::kernel::same_name(<$ty as $crate::query::Relation>::PREPARE, concat!("rx_", stringify!($name)));
    };
    (@name prepared $name:ident $ty:ty) => {
        impl $crate::kernel::PreparedEntry for $ty {
            const NAME: &'static str = concat!("rx_", stringify!($name));
        }
    };
    (@name claim $name:ident $ty:ty) => {
        impl $crate::kernel::ClaimEntry for $ty {
            const NAME: &'static str = concat!("rx_", stringify!($name));
        }
    };
    (@name resolve $name:ident $ty:ty) => {
        impl $crate::kernel::ResolveEntry for $ty {
            const NAME: &'static str = concat!("rx_", stringify!($name));
        }
    };
    (@name fill $name:ident $ty:ty) => {
        impl $crate::kernel::FillEntry for $ty {
            const NAME: &'static str = concat!("rx_", stringify!($name));
        }
    };
    (@name speculate $name:ident $ty:ty) => {
        impl $crate::kernel::SpeculateEntry for $ty {
            const NAME: &'static str = concat!("rx_", stringify!($name));
        }
    };
    (@name $form:ident $name:ident $ty:ty) => {
        impl $crate::kernel::Entry for $ty {
            const NAME: &'static str = concat!("rx_", stringify!($name));
        }
    };
    (@info patch $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::PatchArgs<$ty>) };
    (@info prepare $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::PatchArgs<$crate::algo::prepare::PrepareRows<$ty>>) };
    (@info prepared $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::PatchArgs<$crate::kernel::OnPrepared<$ty>>) };
    (@info block $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::BlockArgs<$ty>) };
    (@info flat $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::FlatArgs<$ty>) };
    (@info claim $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::FlatArgs<$crate::cavity::Claim<$ty>>) };
    (@info resolve $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::BlockArgs<$crate::cavity::Resolve<$ty>>) };
    (@info fill $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::FlatArgs<$crate::cavity::FillIn<$ty>>) };
    (@info speculate $name:ident $ty:ty) => { $crate::entries!(@layout $name, $crate::kernel::BlockArgs<$crate::speculative::Speculate<$ty>>) };
    (@layout $name:ident, $args:ty) => {
        $crate::kernel::KernelInfo {
            name: concat!("rx_", stringify!($name)),
            size: size_of::<$args>(),
            align: align_of::<$args>(),
        }
    };
}

/// Makes PTX entries of the kernels of a list (see [`entries!`](crate::entries)); compiles to nothing on the host.
#[macro_export]
macro_rules! export_entries {
    ($fingerprint:literal = $list:expr; $($form:ident $name:ident : $ty:ty;)*) => {
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            /// Fingerprint of the kernel list: the host reads it when it loads the module.
            #[unsafe(export_name = $fingerprint)]
            #[used]
            static FINGERPRINT: u64 = $crate::kernel::fingerprint($list);
            $($crate::export_entries!(@entry $form $name $ty);)*
        };
    };
    (@entry patch $name:ident $ty:ty) => {
        const _: () = {
            #[unsafe(export_name = concat!("rx_", stringify!($name)))]
            unsafe extern "ptx-kernel" fn entry(args: $crate::kernel::PatchArgs<$ty>) {
                // SAFETY: the launcher passes device addresses and the measured shared memory (contracts U2, U4).
                unsafe { $crate::kernel::device::run_patch(args) }
            }
        };
    };
    (@entry prepare $name:ident $ty:ty) => {
        $crate::export_entries!(@entry patch $name $crate::algo::prepare::PrepareRows<$ty>);
    };
    (@entry prepared $name:ident $ty:ty) => {
        $crate::export_entries!(@entry patch $name $crate::kernel::OnPrepared<$ty>);
    };
    (@entry claim $name:ident $ty:ty) => {
        $crate::export_entries!(@entry flat $name $crate::cavity::Claim<$ty>);
    };
    (@entry resolve $name:ident $ty:ty) => {
        $crate::export_entries!(@entry block $name $crate::cavity::Resolve<$ty>);
    };
    (@entry fill $name:ident $ty:ty) => {
        $crate::export_entries!(@entry flat $name $crate::cavity::FillIn<$ty>);
    };
    (@entry speculate $name:ident $ty:ty) => {
        $crate::export_entries!(@entry block $name $crate::speculative::Speculate<$ty>);
    };
    (@entry block $name:ident $ty:ty) => {
        const _: () = {
            #[unsafe(export_name = concat!("rx_", stringify!($name)))]
            unsafe extern "ptx-kernel" fn entry(args: $crate::kernel::BlockArgs<$ty>) {
                // SAFETY: as for patch kernels.
                unsafe { $crate::kernel::device::run_block(args) }
            }
        };
    };
    (@entry flat $name:ident $ty:ty) => {
        const _: () = {
            #[unsafe(export_name = concat!("rx_", stringify!($name)))]
            unsafe extern "ptx-kernel" fn entry(args: $crate::kernel::FlatArgs<$ty>) {
                // SAFETY: as for patch kernels.
                unsafe { $crate::kernel::device::run_flat(args) }
            }
        };
    };
}
