//! `args!`.

/// Declares an argument of kernels: a `Copy` struct, generic or not, of views, numbers and other arguments. A launch
/// finds and checks all memory that it names ([`Bind`](crate::mem::Bind)).
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
///         /// Terms of the sum.
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
            // Without fields there is nothing to call.
            #[allow(unused_unsafe)]
            unsafe fn visit(&mut self, resolve: &mut dyn FnMut($crate::mem::Piece) -> Option<usize>) {
                let _ = &resolve;
                // SAFETY: the caller's.
                unsafe { $($crate::mem::Bind::visit(&mut self.$field, resolve);)* }
            }
        }

        impl $(<$($of $(: $bound)?),*>)? $crate::mem::Hashed for $name $(<$($of),*>)?
        where
            $($ty: $crate::mem::Hashed),*
        {
            const HASH: u64 = {
                let hash = $crate::mem::HASH_START;
                $(
                    let hash = $crate::mem::hash_text(hash, concat!(stringify!($field), ":", stringify!($ty)));
                    let hash = $crate::mem::hash_word(hash, <$ty as $crate::mem::Hashed>::HASH);
                )*
                hash
            };
        }
    };
}
