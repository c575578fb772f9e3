//! `cust` on top of this crate: links without CUDA, and where there is no driver reports an error instead of failing to
//! start.

#[test]
fn cust_reports_an_error_without_a_driver() {
    match rxmesh_cuda_driver::load() {
        Ok(()) => {
            assert!(rxmesh_cuda_driver::is_loaded());
            eprintln!(
                "a CUDA driver is installed here: only the error path is tested by this file"
            );
        }
        Err(e) => {
            let required = std::env::var("RXMESH_REQUIRE_CUDA").as_deref() == Ok("1");
            assert!(!required, "a GPU is required here: {e}");
            assert!(!rxmesh_cuda_driver::is_loaded());
            assert!(e.to_string().contains("CUDA driver"), "{e}");
            assert_eq!(
                rxmesh_cuda_driver::load(),
                Err(e),
                "the second call gives the same reason"
            );

            let error = cust::init(cust::CudaFlags::empty()).expect_err("there is no driver");
            assert_eq!(error as i32, rxmesh_cuda_driver::NO_DEVICE);
            assert!(!error.to_string().is_empty(), "the error can be printed");
            assert!(cust::device::Device::num_devices().is_err());
            assert!(cust::device::Device::get_device(0).is_err());
            assert!(cust::module::Module::from_ptx(".version 7.0", &[]).is_err());
        }
    }
}
