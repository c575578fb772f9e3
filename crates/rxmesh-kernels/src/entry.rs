//! This crate's kernels: the lists of its modules, each of which is next to its kernels.

crate::kernels! {
    pub KERNELS = "rx_fingerprint", feature "entries";
    of [
        crate::algebra::KERNELS,
        crate::algo::KERNELS,
        crate::cavity::KERNELS,
        crate::construct::KERNELS,
        crate::edit::KERNELS,
        crate::readback::KERNELS,
        crate::parallel::KERNELS,
        crate::query::KERNELS,
        crate::repack::KERNELS,
        crate::volume::KERNELS,
    ];
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_fingerprint";
