use super::*;
use crate::mem::Hashed;

crate::args! { struct Inner { x: Global<u32>, y: GlobalMut<u32> } }
crate::args! { struct Kernel { from: u32, to: u32, inner: Inner } }

fn of<K: Hashed>() -> u64 {
    fingerprint(&[KernelInfo {
        name: "rx_test",
        size: size_of::<K>(),
        align: align_of::<K>(),
        fields: K::HASH,
    }])
}

/// Parameters of the same size, in which a kernel would take one for another.
#[test]
fn the_fingerprint_tells_order_names_and_types_of_fields() {
    let want = of::<Kernel>();
    mod swapped {
        use super::*;
        crate::args! { pub(super) struct Kernel { to: u32, from: u32, inner: Inner } }
    }
    mod renamed {
        use super::*;
        crate::args! { pub(super) struct Kernel { from: u32, until: u32, inner: Inner } }
    }
    mod retyped {
        use super::*;
        crate::args! { pub(super) struct Kernel { from: u32, to: i32, inner: Inner } }
    }
    mod inside {
        use super::*;
        crate::args! { pub(super) struct Inner { x: GlobalMut<u32>, y: Global<u32> } }
        crate::args! { pub(super) struct Kernel { from: u32, to: u32, inner: Inner } }
    }
    mod same {
        use super::*;
        crate::args! { pub(super) struct Kernel { from :u32, to: u32, inner: Inner } }
    }
    assert_eq!(of::<same::Kernel>(), want);
    let others = [
        of::<swapped::Kernel>(),
        of::<renamed::Kernel>(),
        of::<retyped::Kernel>(),
        of::<inside::Kernel>(),
    ];
    assert!(
        others.iter().all(|&other| other != want),
        "{others:x?} {want:x}"
    );
}
