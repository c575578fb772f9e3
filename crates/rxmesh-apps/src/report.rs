//! What the applications say in the record. Their keys stand beside the record's own.

use rxmesh_host::algo::curvature::CurvatureReport;
use rxmesh_host::algo::filter::FilterReport;
use rxmesh_host::algo::geodesic::GeodesicReport;
use rxmesh_host::algo::mcf::McfReport;
use rxmesh_host::algo::smooth::SmoothReport;
use rxmesh_host::algo::spring::{SpringEnergy, SpringSolve};
use serde::Serialize;

/// The keys of one application.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Report {
    Mcf(McfRecord),
    Normals { normals: NormalsRecord },
    Filter(FilterRecord),
    Geodesic(GeodesicRecord),
    Curvature(CurvatureRecord),
    Smooth(SmoothRecord),
    Spring(SpringRecord),
}

#[derive(Debug, Serialize)]
pub(crate) struct McfRecord {
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u32,
    pub(crate) matrix_free: bool,
    pub(crate) preconditioner: bool,
    #[serde(flatten)]
    pub(crate) report: McfReport,
}

#[derive(Debug, Serialize)]
pub(crate) struct NormalsRecord {
    /// Vertices without a face of positive area: their normal is zero.
    pub(crate) zero: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct FilterRecord {
    /// A length, or the rule by which each vertex or mesh gets its own.
    pub(crate) sigma_c: LengthOrRule,
    /// A length; nothing for each ball's own.
    pub(crate) sigma_s: Option<f64>,
    #[serde(flatten)]
    pub(crate) report: FilterReport,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum LengthOrRule {
    Length(f64),
    Rule(&'static str),
}

#[derive(Debug, Serialize)]
pub(crate) struct GeodesicRecord {
    /// As given.
    pub(crate) sources: Vec<u32>,
    pub(crate) threshold: f64,
    /// Vertices that no source reaches.
    pub(crate) unreached: u64,
    #[serde(flatten)]
    pub(crate) report: GeodesicReport,
}

#[derive(Debug, Serialize)]
pub(crate) struct CurvatureRecord {
    #[serde(flatten)]
    pub(crate) report: CurvatureReport,
    /// Total Gaussian curvature less `2 pi` times the Euler characteristic.
    pub(crate) gauss_bonnet_difference: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct SmoothRecord {
    pub(crate) lambda: f64,
    pub(crate) mu: Option<f64>,
    #[serde(flatten)]
    pub(crate) report: SmoothReport,
}

#[derive(Debug, Serialize)]
pub(crate) struct SpringRecord {
    pub(crate) method: &'static str,
    pub(crate) steps: u32,
    /// Seconds.
    pub(crate) time_step: f64,
    /// Vertices that stay.
    pub(crate) pinned: u64,
    /// At the end.
    pub(crate) energy: SpringEnergy,
    /// Of the last implicit step; nothing for the other methods.
    pub(crate) last_solve: Option<SpringSolve>,
}
