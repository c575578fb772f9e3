//! Evaluation of the surface at any parameters.

use super::Adaptive;
use crate::launch::Launch;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, EngineError};
use rxmesh_subdivision_kernels::catmull_clark::adaptive::evaluate::{
    EvaluateDerivatives, EvaluateNormals, EvaluateValues, Samples,
};
use rxmesh_subdivision_kernels::topology::NONE;

impl Adaptive {
    /// Evaluates the surface at samples: `width` floats each, from control points that [`Adaptive::values`] made.
    /// `faces` are parameter faces, `places` u and v of each. Only launches a kernel; a sample that is not on the
    /// surface keeps its row, which [`Adaptive::check`] reports.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`]; any error of the engine.
    pub fn evaluate(
        &self,
        width: u32,
        control: &Buffer<f32>,
        faces: &Buffer<u32>,
        places: &Buffer<f32>,
        out: &mut Buffer<f32>,
    ) -> Result<(), Error> {
        let (n, w) = (faces.len(), width as usize);
        lengths([
            (control.len(), self.control_count() as usize * w),
            (places.len(), 2 * n),
            (out.len(), n * w),
        ])?;
        let kernel = EvaluateValues {
            samples: self.samples(faces, places),
            control: control.global(),
            width,
            out: out.global_mut(),
        };
        Ok(self.engine.launch_flat(n as u32, kernel)?)
    }

    /// Evaluates positions as [`Adaptive::evaluate`]: points of the surface, and its normals there, of length 1, or 0
    /// if there is none. On a crease the normal is that of the side of the parameter face; at an irregular vertex on a
    /// crease, or beside faces that are left out, it is that of the patch there.
    ///
    /// # Errors
    ///
    /// As [`Adaptive::evaluate`].
    pub fn evaluate_normals(
        &self,
        control: &Buffer<f32>,
        faces: &Buffer<u32>,
        places: &Buffer<f32>,
        points: &mut Buffer<f32>,
        normals: &mut Buffer<f32>,
    ) -> Result<(), Error> {
        let n = faces.len();
        lengths([
            (control.len(), 3 * self.control_count() as usize),
            (places.len(), 2 * n),
            (points.len(), 3 * n),
            (normals.len(), 3 * n),
        ])?;
        let kernel = EvaluateNormals {
            samples: self.samples(faces, places),
            rules: self.rules(),
            patches: self.plan.patches().global(),
            control: control.global(),
            points: points.global_mut(),
            normals: normals.global_mut(),
        };
        Ok(self.engine.launch_flat(n as u32, kernel)?)
    }

    /// Evaluates derivatives of values as [`Adaptive::evaluate`], by u and v of the parameter face: `first` has two
    /// values a sample, du and dv; `second` three, duu, duv and dvv, or is empty if they are not wanted. They are those
    /// of the bicubic patch at the sample: second derivatives of the surface do not exist at irregular vertices, and
    /// first ones are exact there but for the size of the last level's patch.
    ///
    /// # Errors
    ///
    /// As [`Adaptive::evaluate`].
    pub fn evaluate_derivatives(
        &self,
        width: u32,
        control: &Buffer<f32>,
        faces: &Buffer<u32>,
        places: &Buffer<f32>,
        [first, second]: [&mut Buffer<f32>; 2],
    ) -> Result<(), Error> {
        let (n, w) = (faces.len(), width as usize);
        lengths([
            (control.len(), self.control_count() as usize * w),
            (places.len(), 2 * n),
            (first.len(), 2 * n * w),
        ])?;
        if !second.is_empty() {
            lengths([(second.len(), 3 * n * w)])?;
        }
        let kernel = EvaluateDerivatives {
            samples: self.samples(faces, places),
            control: control.global(),
            width,
            first: first.global_mut(),
            second: second.global_mut(),
        };
        Ok(self.engine.launch_flat(n as u32, kernel)?)
    }

    fn samples(&self, faces: &Buffer<u32>, places: &Buffer<f32>) -> Samples {
        Samples {
            faces: faces.global(),
            places: places.global(),
            roots: self.plan.roots.global(),
            quarters: self.plan.quarters.global(),
            bad: self.bad.global_mut(),
        }
    }

    /// Checks, with a wait, that all samples since the last check are on the surface.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] names the first sample of a launch that is not: its face does not exist, or is a hole, or
    /// left out at a boundary, or its u or v is not from 0 to 1. Or an error of the engine.
    pub fn check(&mut self) -> Result<(), Error> {
        let bad = self.bad.read()?[0];
        if bad == NONE {
            return Ok(());
        }
        self.bad.write(&[NONE])?;
        Err(Error::Options(format!(
            "sample {bad} is no place of the surface: its face is none of {}, or left out, or its u or v is not from 0 \
                to 1 (counted from 0)",
            self.face_count()
        )))
    }
}

fn lengths<const N: usize>(pairs: [(usize, usize); N]) -> Result<(), EngineError> {
    match pairs.into_iter().find(|(got, want)| got != want) {
        Some((got, want)) => Err(EngineError::Length { got, want }),
        None => Ok(()),
    }
}
