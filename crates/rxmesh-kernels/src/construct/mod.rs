//! From the faces of any indexed triangle set to the flat arrays that [`crate::repack`] cuts into patches: edges
//! ([`connect`]), and clusters of neighbouring faces as first labels ([`clusters`]).

pub mod clusters;
pub mod connect;

kernel_list! {
    of [
        connect::KERNELS,
        clusters::KERNELS,
    ];
}
