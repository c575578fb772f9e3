//! Memory.

use anyhow::Result;
use rxmesh_host::edit::{Claims, Session};
use rxmesh_kernels::topo::Kind;
#[cfg(feature = "speculative")]
use rxmesh_speculative::Speculative;
use serde_json::Map;

use super::{Measured, Row, TriangleBench};
use crate::conflicts::Counts;
use crate::record::Unit;
use crate::reference::Against;

pub(super) const BYTES_ROW: Row =
    Row::amount("bytes", "memory of the static mesh", bytes::<Claims>)
        .counts(
            "no time: bytes a face of the static mesh, without attributes",
            "",
            "",
        )
        .against(&[
            Against::new("paper, Appendix A", "papers", &["bytes a face, 2024"]),
            Against::new(
                "RXMesh 2021, counted there",
                "papers",
                &["bytes a face, 2021, counted in 2024"],
            ),
            Against::new("RXMesh 2021, Appendix D", "papers", &["bytes a face, 2021"]),
        ]);

pub(super) const ROWS: &[Row] = &[
    BYTES_ROW,
    #[cfg(feature = "speculative")]
    Row::amount(
        "bytes-speculative",
        "memory of the speculative scheduler's patches, with free capacity and spare patches",
        bytes::<Speculative>,
    )
    .of_speculative()
        .counts(
            "no time: bytes a face of a speculative session's patches, with free capacity and spare ones, \
             which the paper's figure leaves out",
            "",
            "",
        )
        .against(&[Against::new("paper, Appendix A", "papers", &["bytes a face, 2024"])]),
];

/// Returns the bytes per face, without attributes: of the static mesh, or of the speculative scheduler's patches.
fn bytes<C: Counts>(b: &TriangleBench<'_>) -> Result<Measured> {
    let faces = b.count(Kind::Face) as f64;
    let static_bytes = b.rx.device_bytes() as f64 / faces;
    let mut figures = Map::new();
    let value = match Session::<C>::open_with(b.rx)?.edits().patch_bytes() {
        None => static_bytes,
        Some(bytes) => {
            figures.insert("static_bytes_a_face".into(), static_bytes.into());
            bytes as f64 / faces
        }
    };
    Ok(Measured::amount(Unit::BytesAFace, vec![value], figures))
}
