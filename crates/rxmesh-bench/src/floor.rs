//! Lower bounds: the bytes that a row must move, each input read once and each output written once. Divided by the
//! measured copy bandwidth they give the time that no version can beat while its data comes from memory.

use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::{Kind, PatchHeader};
use serde::{Deserialize, Serialize};

/// Bytes of a row, with a description of what they include.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Floor {
    /// Number of bytes.
    pub(crate) bytes: u64,
    /// Description of what was counted.
    pub(crate) counted: String,
}

/// Sizes of a patched mesh's parts in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TopologyBytes {
    headers: u64,
    ev: u64,
    fe: u64,
    ribbons: [u64; 3],
    /// Numbers of vertices, edges and faces.
    pub(crate) counts: [u64; 3],
}

/// Part of the topology that a kernel reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopologyPart {
    /// Local vertices of the edges.
    Ev,
    /// Local edges of the faces.
    Fe,
    /// Linear ids of the ribbon elements of a kind.
    Ribbon(Kind),
}

impl TopologyBytes {
    pub(crate) fn of(rx: &RxMesh) -> Self {
        let headers = rx.headers();
        let sum = |of: &dyn Fn(&PatchHeader) -> u32| {
            headers.iter().map(|h| u64::from(of(h))).sum::<u64>()
        };
        let ribbon = |k: usize| sum(&|h| 4 * u32::from(h.total[k] - h.owned[k]));
        Self {
            headers: 64 * headers.len() as u64,
            ev: sum(&|h| 4 * u32::from(h.total[1])),
            fe: sum(&|h| 6 * u32::from(h.total[2])),
            ribbons: [0, 1, 2].map(ribbon),
            counts: [Kind::Vertex, Kind::Edge, Kind::Face].map(|k| u64::from(rx.count(k))),
        }
    }

    /// Returns the floor of a kernel that reads these parts of the topology (and the headers) and moves more besides.
    pub(crate) fn floor(&self, parts: &[TopologyPart], beside: &[(u64, &str)]) -> Floor {
        let mut bytes = 0;
        let mut words = Vec::new();
        if !parts.is_empty() {
            bytes += self.headers;
            words.push("headers".to_owned());
        }
        for part in parts {
            let (size, word) = match part {
                TopologyPart::Ev => (self.ev, "EV"),
                TopologyPart::Fe => (self.fe, "FE"),
                TopologyPart::Ribbon(Kind::Vertex) => (self.ribbons[0], "ribbon V"),
                TopologyPart::Ribbon(Kind::Edge) => (self.ribbons[1], "ribbon E"),
                TopologyPart::Ribbon(Kind::Face) => (self.ribbons[2], "ribbon F"),
                // The rows are those of surfaces.
                TopologyPart::Ribbon(Kind::Cell) => (0, "ribbon C"),
            };
            bytes += size;
            words.push(word.to_owned());
        }
        for (size, word) in beside {
            bytes += size;
            words.push((*word).to_owned());
        }
        Floor {
            bytes,
            counted: words.join(" + "),
        }
    }
}
