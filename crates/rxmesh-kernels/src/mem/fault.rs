//! The fault word, by which a kernel, which cannot panic, reports a fault.

use super::GlobalMut;

/// Kind of a fault in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum FaultCode {
    /// The kernel carved more shared memory than the launch gave (details: patch, bytes carved).
    SharedMemory = 1,
    /// An oriented query met a vertex whose faces are not one consistently oriented fan
    /// (details: linear id of the vertex, patch).
    NotOrientable = 2,
    /// A query's output did not fit the capacity that was allocated for it (details: linear id, needed).
    OutputOverflow = 3,
    /// Fault reported by a user kernel (details: the kernel's).
    User = 4,
}

impl FaultCode {
    /// Returns the code of a fault word, if it is one.
    pub fn from_word(word: u32) -> Option<FaultCode> {
        [
            FaultCode::SharedMemory,
            FaultCode::NotOrientable,
            FaultCode::OutputOverflow,
            FaultCode::User,
        ]
        .into_iter()
        .find(|&c| c as u32 == word)
    }
}

/// Words of a fault record: not used, code, two details, number of faults raised. (The device compiler gives an address
/// space to everything but the very address of an argument, so word 0 stays out of use.)
pub const FAULT_WORDS: usize = 5;

/// Destination of a kernel's first fault. The host turns it into a typed error.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    words: GlobalMut<u32>,
}

impl Fault {
    /// Creates a fault record over [`FAULT_WORDS`] words that the host zeroed.
    ///
    /// # Safety
    ///
    /// The view is bound, and its memory lives as long as kernels use the record (contract U4).
    pub unsafe fn new(words: GlobalMut<u32>) -> Fault {
        Fault { words }
    }

    /// Reports a fault; only the first of a launch is kept.
    #[cold]
    #[inline(always)]
    pub fn raise(self, code: FaultCode, a: u32, b: u32) {
        if self.words.fetch_add(4, 1) == 0 {
            self.words.store(1, code as u32);
            self.words.store(2, a);
            self.words.store(3, b);
        }
    }
}

// SAFETY: the words belong to the engine, which binds them for good when it makes the record (contract U4).
unsafe impl super::Bind for Fault {
    #[inline(always)]
    fn bind(&self) {
        self.words.bind();
    }
    unsafe fn visit(&mut self, _resolve: &mut dyn FnMut(super::Piece) -> Option<usize>) {}
}

crate::hashed! { [] Fault }
