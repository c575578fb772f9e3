//! `cuInit` finds the driver by itself: nothing of this crate is called before it.

use rxmesh_cuda_driver as _;

#[test]
fn init_needs_no_explicit_load() {
    let initialised = cust::init(cust::CudaFlags::empty()).is_ok();
    if initialised {
        assert!(rxmesh_cuda_driver::is_loaded());
        assert!(cust::device::Device::num_devices().is_ok());
    } else {
        let required = std::env::var("RXMESH_REQUIRE_CUDA").as_deref() == Ok("1");
        assert!(!required, "a GPU is required here");
        eprintln!("no CUDA device here: cust::init reported an error, as it should");
    }
}
