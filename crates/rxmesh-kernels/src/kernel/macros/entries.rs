//! `entries!`, and the macros that list the kernels of a crate by it.

/// Lists the kernels of a crate of your own, once: [`entries!`](crate::entries),
/// [`export_entries!`](crate::export_entries) and the fingerprint of the list.
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
///     /// The list that `Engine::load_ptx` takes with the PTX.
///     pub KERNELS = "my_fingerprint";
///     flat my_count: Count;
/// }
/// # assert_eq!(KERNELS[0].name, "rx_my_count");
/// ```
///
/// The literal is the symbol that carries the list's fingerprint in the PTX. Names are shared with all modules that an
/// engine has loaded, this library's among them: give yours a prefix. With `, feature "name"` after it the PTX entries
/// are made only where that feature of the crate is on: for crates whose kernels others use in kernels of theirs, and
/// which should not be in their PTX.
#[macro_export]
macro_rules! kernels {
    ($(#[$meta:meta])* $vis:vis $list:ident = $fingerprint:literal, feature $feature:literal; $($rest:tt)*) => {
        $crate::entries! { $(#[$meta])* $vis $list; $($rest)* }
        #[cfg(feature = $feature)]
        $crate::export_entries! { $($rest)* }
        #[cfg(feature = $feature)]
        $crate::export_fingerprint! { $fingerprint = $list }
    };
    ($(#[$meta:meta])* $vis:vis $list:ident = $fingerprint:literal; $($rest:tt)*) => {
        $crate::entries! { $(#[$meta])* $vis $list; $($rest)* }
        $crate::export_entries! { $($rest)* }
        $crate::export_fingerprint! { $fingerprint = $list }
    };
}

/// Lists kernels: gives each its name, and makes the list that the host checks against the PTX.
///
/// `entries! { pub LIST; form name: Type; ... }`, with these forms:
///
/// | form | of | PTX entries |
/// | --- | --- | --- |
/// | `patch name: K` | a [`PatchKernel`](crate::kernel::PatchKernel) | `rx_name` |
/// | `listed name: K` | a [`PatchKernel`](crate::kernel::PatchKernel) that runs on patches that kernels have listed | `rx_name` |
/// | `prepared name: K` | a [`ForEach`](crate::kernel::ForEach) or [`Scatter`](crate::kernel::Scatter) kernel, which shall run on prepared relations too | `rx_name`, `rx_name_prepared` |
/// | `distribute name: K` | a [`Distribute`](crate::volume::distribute::Distribute) kernel | `rx_name` |
/// | `prepare name: R` | the preparation of relation `R` | `rx_name` |
/// | `block name: K` | a [`BlockKernel`](crate::kernel::BlockKernel) | `rx_name` |
/// | `grid name: K` | a [`GridKernel`](crate::kernel::GridKernel) | `rx_name` |
/// | `flat name: K` | a [`FlatKernel`](crate::kernel::FlatKernel) | `rx_name` |
/// | `operator name: O` | an [`Operator`](crate::cavity::Operator), for edits by claims | `rx_name_want`, `rx_name_claim`, `rx_name_resolve`, `rx_name_fill`, `rx_name_rounds` |
/// | `block name: K as O` | a block kernel of another crate's that is generic over operators, for `O` ([`EntryOf`](crate::kernel::EntryOf)) | `rx_name` |
///
/// On the device every kernel becomes a PTX entry by [`export_entries!`](crate::export_entries), which takes the same
/// lines. `of [a::LIST, b::LIST];` as the first line puts other lists before these lines.
#[macro_export]
macro_rules! entries {
    (
        $(#[$meta:meta])* $vis:vis $list:ident;
        of [$($of:expr),* $(,)?];
        $($form:ident $name:ident : $ty:ty $(as $op:ty)?;)*
    ) => {
        $(#[$meta])*
        /// Kernels: name and parameters, in the order of the PTX.
        $vis const $list: &[$crate::kernel::KernelInfo] = {
            const PARTS: &[&[$crate::kernel::KernelInfo]] = &[
                $($of,)*
                $($crate::entries!(@info $form $name $ty)),*
            ];
            const ALL: [$crate::kernel::KernelInfo; $crate::kernel::total(PARTS)] =
                $crate::kernel::concat(PARTS);
            &ALL
        };
        $($crate::entries!(@name $form $name $ty $(as $op)?);)*
    };
    ($(#[$meta:meta])* $vis:vis $list:ident; $($form:ident $name:ident : $ty:ty $(as $op:ty)?;)*) => {
        $crate::entries! { $(#[$meta])* $vis $list; of []; $($form $name: $ty $(as $op)?;)* }
    };
    (@name $form:ident $name:ident $ty:ty as $op:ty) => {
        // SAFETY: `export_entries!` makes the entry of the same line.
        unsafe impl $crate::kernel::EntryOf<$ty> for $op {
            const NAME: &'static str = $crate::entries!(@rx $name);
        }
    };
    (@name prepare $name:ident $ty:ty) => {
        const _: () = $crate::kernel::same_name(<$ty as $crate::query::Relation>::PREPARE, $crate::entries!(@rx $name));
    };
    (@name prepared $name:ident $ty:ty) => {
        $crate::entries!(@name patch $name $ty);
        // SAFETY: `export_entries!` makes the entry of the same line.
        unsafe impl $crate::kernel::PreparedEntry for $ty {
            const NAME: &'static str = $crate::entries!(@rx $name "_prepared");
        }
    };
    (@name listed $name:ident $ty:ty) => {
        // SAFETY: `export_entries!` makes the entry of the same line.
        unsafe impl $crate::kernel::ListedEntry for $ty {
            const NAME: &'static str = $crate::entries!(@rx $name);
        }
    };
    (@name distribute $name:ident $ty:ty) => {
        // SAFETY: `export_entries!` makes the entry of the same line.
        unsafe impl $crate::volume::distribute::DistributeEntry for $ty {
            const NAME: &'static str = $crate::entries!(@rx $name);
        }
    };
    (@name operator $name:ident $ty:ty) => {
        // SAFETY: `export_entries!` makes the entry of the same line.
        unsafe impl $crate::cavity::OperatorEntry for $ty {
            const WANT: &'static str = $crate::entries!(@rx $name "_want");
            const CLAIM: &'static str = $crate::entries!(@rx $name "_claim");
            const RESOLVE: &'static str = $crate::entries!(@rx $name "_resolve");
            const FILL: &'static str = $crate::entries!(@rx $name "_fill");
            const ROUNDS: &'static str = $crate::entries!(@rx $name "_rounds");
        }
    };
    (@name $form:ident $name:ident $ty:ty) => {
        // SAFETY: `export_entries!` makes the entry of the same line.
        unsafe impl $crate::kernel::Entry for $ty {
            const NAME: &'static str = $crate::entries!(@rx $name);
        }
    };
    (@rx $name:ident $($suffix:literal)?) => { concat!("rx_", stringify!($name) $(, $suffix)?) };
    (@info patch $name:ident $ty:ty) => { &[$crate::entries!(@layout [$name] $crate::kernel::PatchArgs<$ty>)] };
    (@info listed $name:ident $ty:ty) => { &[$crate::entries!(@layout [$name] $crate::kernel::ListedArgs<$ty>)] };
    (@info prepared $name:ident $ty:ty) => {
        &[
            $crate::entries!(@layout [$name] $crate::kernel::PatchArgs<$ty>),
            $crate::entries!(@layout [$name "_prepared"] $crate::kernel::PatchArgs<$crate::kernel::OnPrepared<$ty>>),
        ]
    };
    (@info distribute $name:ident $ty:ty) => {
        $crate::entries!(@info patch $name $crate::volume::distribute::DistributeOver<$ty>)
    };
    (@info prepare $name:ident $ty:ty) => {
        &[$crate::entries!(@layout [$name] $crate::kernel::PatchArgs<$crate::query::prepare::PrepareRows<$ty>>)]
    };
    (@info block $name:ident $ty:ty) => { &[$crate::entries!(@layout [$name] $crate::kernel::BlockArgs<$ty>)] };
    (@info grid $name:ident $ty:ty) => { &[$crate::entries!(@layout [$name] $crate::kernel::GridArgs<$ty>)] };
    (@info flat $name:ident $ty:ty) => { &[$crate::entries!(@layout [$name] $crate::kernel::FlatArgs<$ty>)] };
    (@info operator $name:ident $ty:ty) => {
        &[
            $crate::entries!(@layout [$name "_want"] $crate::kernel::BlockArgs<$crate::cavity::Want<$ty>>),
            $crate::entries!(@layout [$name "_claim"] $crate::kernel::BlockArgs<$crate::cavity::Claim<$ty>>),
            $crate::entries!(@layout [$name "_resolve"] $crate::kernel::BlockArgs<$crate::cavity::Resolve<$ty>>),
            $crate::entries!(@layout [$name "_fill"] $crate::kernel::BlockArgs<$crate::cavity::FillIn<$ty>>),
            $crate::entries!(@layout [$name "_rounds"] $crate::kernel::GridArgs<$crate::cavity::Rounds<$ty>>),
        ]
    };
    (@layout [$($name:tt)*] $args:ty) => {
        $crate::kernel::KernelInfo {
            name: $crate::entries!(@rx $($name)*),
            size: size_of::<$args>(),
            align: align_of::<$args>(),
            fields: <$args as $crate::mem::Hashed>::HASH,
        }
    };
}

/// Makes PTX entries of kernels, from the lines of [`entries!`](crate::entries); compiles to nothing on the host.
#[macro_export]
macro_rules! export_entries {
    (of [$($of:expr),* $(,)?]; $($line:tt)*) => {
        $crate::export_entries! { $($line)* }
    };
    ($($form:ident $name:ident : $ty:ty $(as $op:ty)?;)*) => {
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            $($crate::export_entries!(@entry $form [$name] $ty);)*
        };
    };
    (@entry distribute [$($name:tt)*] $ty:ty) => {
        $crate::export_entries!(@entry patch [$($name)*] $crate::volume::distribute::DistributeOver<$ty>);
    };
    (@entry prepare [$($name:tt)*] $ty:ty) => {
        $crate::export_entries!(@entry patch [$($name)*] $crate::query::prepare::PrepareRows<$ty>);
    };
    (@entry prepared [$($name:tt)*] $ty:ty) => {
        $crate::export_entries!(@entry patch [$($name)*] $ty);
        $crate::export_entries!(@entry patch [$($name)* "_prepared"] $crate::kernel::OnPrepared<$ty>);
    };
    (@entry operator [$($name:tt)*] $ty:ty) => {
        $crate::export_entries!(@entry block [$($name)* "_want"] $crate::cavity::Want<$ty>);
        $crate::export_entries!(@entry block [$($name)* "_claim"] $crate::cavity::Claim<$ty>);
        $crate::export_entries!(@entry block [$($name)* "_resolve"] $crate::cavity::Resolve<$ty>);
        $crate::export_entries!(@entry block [$($name)* "_fill"] $crate::cavity::FillIn<$ty>);
        $crate::export_entries!(@entry grid [$($name)* "_rounds"] $crate::cavity::Rounds<$ty>);
    };
    (@entry patch [$name:ident $($suffix:literal)?] $ty:ty) => {
        const _: () = {
            #[unsafe(export_name = concat!("rx_", stringify!($name) $(, $suffix)?))]
            unsafe extern "ptx-kernel" fn entry(args: $crate::kernel::PatchArgs<$ty>) {
                // SAFETY: the launcher passes device addresses and the measured shared memory (contracts U2, U4).
                unsafe { $crate::kernel::device::run_patch(args) }
            }
        };
    };
    (@entry listed [$name:ident] $ty:ty) => {
        const _: () = {
            #[unsafe(export_name = concat!("rx_", stringify!($name)))]
            unsafe extern "ptx-kernel" fn entry(args: $crate::kernel::ListedArgs<$ty>) {
                // SAFETY: as for patch kernels.
                unsafe { $crate::kernel::device::run_listed(args) }
            }
        };
    };
    (@entry block [$name:ident $($suffix:literal)?] $ty:ty) => {
        const _: () = {
            #[unsafe(export_name = concat!("rx_", stringify!($name) $(, $suffix)?))]
            unsafe extern "ptx-kernel" fn entry(args: $crate::kernel::BlockArgs<$ty>) {
                // SAFETY: as for patch kernels.
                unsafe { $crate::kernel::device::run_block(args) }
            }
        };
    };
    (@entry grid [$name:ident $($suffix:literal)?] $ty:ty) => {
        const _: () = {
            #[unsafe(export_name = concat!("rx_", stringify!($name) $(, $suffix)?))]
            unsafe extern "ptx-kernel" fn entry(args: $crate::kernel::GridArgs<$ty>) {
                // SAFETY: as for patch kernels; the launcher makes launches of several steps cooperative.
                unsafe { $crate::kernel::device::run_grid(args) }
            }
        };
    };
    (@entry flat [$name:ident $($suffix:literal)?] $ty:ty) => {
        const _: () = {
            #[unsafe(export_name = concat!("rx_", stringify!($name) $(, $suffix)?))]
            unsafe extern "ptx-kernel" fn entry(args: $crate::kernel::FlatArgs<$ty>) {
                // SAFETY: as for patch kernels.
                unsafe { $crate::kernel::device::run_flat(args) }
            }
        };
    };
}

/// Puts the fingerprint of a list of kernels into the PTX under a symbol: `export_fingerprint! { "symbol" = LIST }`;
/// compiles to nothing on the host, which compares it when it loads the module.
#[macro_export]
macro_rules! export_fingerprint {
    ($fingerprint:literal = $list:expr) => {
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            #[unsafe(export_name = $fingerprint)]
            #[used]
            static FINGERPRINT: u64 = $crate::kernel::fingerprint($list);
        };
    };
}
