//! Operations, one file each, and the list of them ([`for_each_operation`](crate::for_each_operation)).

automod::dir!(pub "src/ops");

/// Calls a macro with the list of operations, by the form of the mesh that they work on: from it programs, bindings and
/// tests make theirs. One more operation is one more line here.
///
/// ```
/// macro_rules! names {
///     ($($on:ident { $($operation:ident in $module:ident),* $(,)? })*) => {
///         [$($(<rxmesh::ops::$operation as rxmesh::Operation>::NAME,)*)*]
///     };
/// }
/// assert!(rxmesh::for_each_operation!(names).contains(&"simplify"));
/// ```
#[macro_export]
macro_rules! for_each_operation {
    ($callback:ident) => {
        $callback! {
            Vertices {
                Mcf in mcf,
                Normals in normals,
                Filter in filter,
                Geodesic in geodesic,
                Curvature in curvature,
                Quality in quality,
                Components in components,
                Smooth in smooth,
                Spring in spring,
            }
            Connectivity {
                Delaunay in delaunay,
                Simplify in simplify,
                Remesh in remesh,
                Track in track,
            }
            Scene {
                Simulate in simulate,
            }
            Body {
                Cloth in cloth,
                Soft in soft,
            }
            Tool {
                Subdivide in subdivide,
                Check in check,
                Distance in distance,
                Repair in repair,
                Transform in transform,
                Merge in merge,
                Sample in sample,
                Wrap in wrap,
                Sdf in sdf,
                Isosurface in isosurface,
            }
        }
    };
}

macro_rules! export {
    (
        $($kind:ident { $($operation:ident in $module:ident),* $(,)? })*
    ) => {
        $($(#[doc(inline)] pub use $module::$operation;)*)*
    };
}
for_each_operation!(export);
