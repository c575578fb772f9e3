//! All other platforms: the symbols exist, so that programs link, and always answer "no device".

use crate::DriverError;
use crate::symbols::for_each_symbol;

pub(crate) fn load() -> Result<(), DriverError> {
    Err(DriverError::UnsupportedPlatform)
}

pub(crate) fn is_loaded() -> bool {
    false
}

macro_rules! stubs {
    ($($name:ident,)*) => {
        $(
            // SAFETY: the symbol has the driver's name on purpose: it replaces the driver's library at link time.
            #[allow(missing_docs, unreachable_pub, non_snake_case)]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> i32 {
                // The C conventions of these platforms let the caller remove the arguments, so ignoring them is
                // harmless.
                crate::NO_DEVICE
            }
        )*
    };
}

for_each_symbol!(stubs);
