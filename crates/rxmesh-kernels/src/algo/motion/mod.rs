//! Surfaces that move: mass-spring systems, tracking of a surface in a flow.

pub mod curl_noise;
pub mod spring;
pub mod track;

kernel_list! {
    of [spring::KERNELS, track::KERNELS];
}
