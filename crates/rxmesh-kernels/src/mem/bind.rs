//! Arguments of kernels: the memory that they name, and the hash of their layout.

/// Argument of a kernel: every type that holds addresses of global memory, and every type composed of such types.
///
/// A view that the host makes is *unbound*: it names memory by a handle ([`Global::unbound`](super::Global::unbound))
/// and has no element that could be accessed. A launch *binds* the kernel's own copy: [`Bind::visit`] brings every
/// piece to its address. Declare arguments with [`args!`](crate::args) or [`kernel!`](crate::kernel!), which write the
/// two methods.
///
/// # Safety
///
/// `bind` and `visit` reach every view that the value holds, each with the access that the kernel makes of it; the
/// value holds addresses of global memory in no other form (contract U4 of docs/inside/unsafe.md).
pub unsafe trait Bind {
    /// Tells the device compiler of every address that it is of global memory (`ld.global` instead of a slow generic
    /// `ld`), before anything else in an entry; nothing on the host.
    fn bind(&self);

    /// Calls `resolve` with every piece of memory and takes over the address that it returns, if any. Pieces of no
    /// bytes are passed over.
    ///
    /// # Safety
    ///
    /// An address that `resolve` gives is that of memory as [`Global::new`](super::Global::new) and
    /// [`GlobalMut::new`](super::GlobalMut::new) want it for the piece (contract U4).
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>);
}

/// Hash of the names and types of an argument's fields, in their order, and of theirs: part of the fingerprint with
/// which the host tells that PTX was compiled from other arguments. [`args!`](crate::args) writes it.
pub trait Hashed {
    /// Hash of the type.
    const HASH: u64;
}

/// Start of a hash (FNV-1a, 64 bit).
pub const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

const HASH_PRIME: u64 = 0x0100_0000_01b3;

/// Continues a hash with a text, except its white space, which compilers set as they like.
pub const fn hash_text(mut hash: u64, text: &str) -> u64 {
    let text = text.as_bytes();
    let mut i = 0;
    while i < text.len() {
        if !text[i].is_ascii_whitespace() {
            hash = (hash ^ text[i] as u64).wrapping_mul(HASH_PRIME);
        }
        i += 1;
    }
    // Parts two texts.
    (hash ^ 0xff).wrapping_mul(HASH_PRIME)
}

/// Continues a hash with a word.
pub const fn hash_word(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ (word & 0xffff_ffff)).wrapping_mul(HASH_PRIME);
    (mixed ^ (word >> 32)).wrapping_mul(HASH_PRIME)
}

/// [`Hashed`] of arguments whose fields are their own affair: of their names.
#[macro_export]
macro_rules! hashed {
    ($([$($of:tt)*] $ty:ty),* $(,)?) => {$(
        impl<$($of)*> $crate::mem::Hashed for $ty {
            const HASH: u64 = $crate::mem::hash_text($crate::mem::HASH_START, stringify!($ty));
        }
    )*};
}

/// Access of a kernel to a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads the piece.
    Read,
    /// May write the piece.
    Write,
    /// Belongs to another argument of the kernel; the kernel's author is responsible for the order of accesses
    /// (contract U3).
    Again,
}

/// A piece of memory that a kernel's argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Handle of the memory.
    pub at: usize,
    /// Size in bytes.
    pub bytes: usize,
    /// Alignment of its address.
    pub align: usize,
    /// Access of the kernel.
    pub access: Access,
}
