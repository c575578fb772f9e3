//! Arrays of the caller that results are written into.

use super::arrays::{AnyArray, look, shape_text, wrong_type, wrong_value};
use super::element::ElementType;
use super::errors::of_error;
use super::gpu;
use super::work::run;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use rxmesh::host::Error as HostError;
use rxmesh::host::engine::{Buffer, EngineError};
use rxmesh::host::mesh::Placement;
use rxmesh::host::parallel::convert::widen_floats;
use rxmesh::{DVec3, Engine, Vec3};

/// Array of the caller that a result is written into: floats without gaps, which may be written.
pub(super) struct OutputArray<'py> {
    /// Name of the argument.
    name: String,
    /// Array as it was given.
    pub(super) object: Bound<'py, PyAny>,
    array: AnyArray<'py>,
}

/// Values of a result.
#[derive(Clone, Copy)]
pub(super) enum OutputValues<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl<'py> OutputArray<'py> {
    /// Takes an array that can be written.
    pub(super) fn new(name: &str, object: &Bound<'py, PyAny>) -> PyResult<OutputArray<'py>> {
        let needed = "an array that can be written is needed";
        if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            return Err(wrong_type(name, format!("{needed}, not a list")));
        }
        let module: String = object.get_type().getattr("__module__")?.extract()?;
        if matches!(module.split('.').next(), Some("jax" | "jaxlib")) {
            return Err(wrong_type(
                name,
                format!("{needed}, and those of jax are not"),
            ));
        }
        // Others would be converted, and the copy written.
        let is_array = ["__array_interface__", "__dlpack__"]
            .iter()
            .any(|interface| object.hasattr(*interface).unwrap_or(false));
        if !is_array && !gpu::is_on_gpu(object)? {
            let found = object.get_type().name()?;
            return Err(wrong_type(name, format!("{needed}, not {found}")));
        }
        let array = look(name, object, None)?;
        let (element, is_read_only, is_compact) = match &array {
            AnyArray::Host(view) => (view.element, view.is_read_only, view.is_compact()),
            AnyArray::Gpu(array) => (array.element(), array.is_read_only(), array.is_compact()),
        };
        if !matches!(element, ElementType::F32 | ElementType::F64) {
            let what = format!("float32 or float64 is needed, not {}", element.name());
            return Err(wrong_type(name, what));
        }
        if is_read_only {
            return Err(wrong_value(name, "the array is read only"));
        }
        if !is_compact {
            return Err(wrong_value(name, "the array is not contiguous (C order)"));
        }
        Ok(OutputArray {
            name: name.to_owned(),
            object: object.clone(),
            array,
        })
    }

    /// Refuses another shape.
    pub(super) fn check_shape(&self, wanted: &[usize]) -> PyResult<()> {
        let shape = self.array.shape();
        if shape == wanted {
            return Ok(());
        }
        let (wanted, found) = (shape_text(wanted), shape_text(shape));
        let what = format!("shape {wanted} is needed, not {found}");
        Err(wrong_value(&self.name, what))
    }

    /// Refuses another device than that of the call's arrays, and than the GPU that computes.
    pub(super) fn check_device(
        &self,
        of_arrays: Option<u32>,
        of_engine: Option<u32>,
    ) -> PyResult<()> {
        let here = self.array.gpu();
        if here == of_arrays || here.is_some() && here == of_engine {
            return Ok(());
        }
        let place = |gpu: Option<u32>| match gpu {
            Some(number) => format!("on GPU {number}"),
            None => "in main memory".to_owned(),
        };
        let what = format!(
            "the array is {}, and the result is {}",
            place(here),
            place(of_arrays.or(of_engine))
        );
        Err(wrong_value(&self.name, what))
    }

    /// Returns the number of the GPU; `None` in main memory.
    pub(super) fn gpu(&self) -> Option<u32> {
        self.array.gpu()
    }

    /// Writes values, as many as the array has, converted to its type.
    pub(super) fn fill(&self, py: Python<'_>, values: OutputValues<'_>) -> PyResult<()> {
        match (values, self.array.element()) {
            (OutputValues::Single(x), ElementType::F32) => self.write(py, x),
            (OutputValues::Double(x), ElementType::F64) => self.write(py, x),
            (OutputValues::Single(x), _) => {
                let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
                self.write(py, &wide)
            }
            (OutputValues::Double(x), _) => {
                let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
                self.write(py, &narrow)
            }
        }
    }

    /// Writes positions in a frame.
    pub(super) fn fill_points(
        &self,
        py: Python<'_>,
        positions: &[Vec3],
        placement: &Placement,
    ) -> PyResult<()> {
        if placement.is_world() {
            return self.fill(py, OutputValues::Single(bytemuck::cast_slice(positions)));
        }
        let world: Vec<DVec3> = positions.iter().map(|p| placement.world(*p)).collect();
        self.fill(py, OutputValues::Double(bytemuck::cast_slice(&world)))
    }

    fn write<T: bytemuck::Pod + Send + Sync>(&self, py: Python<'_>, values: &[T]) -> PyResult<()> {
        match &self.array {
            AnyArray::Host(view) => {
                view.write(values);
                Ok(())
            }
            AnyArray::Gpu(array) => {
                let (engine, place) = (array.engine().clone(), array.whole());
                let work = || -> Result<(), EngineError> {
                    let copy = engine.upload(values)?;
                    // SAFETY: the owner keeps the array, the types are the same, and its stream orders the copy.
                    unsafe { copy.copy_to(place) }?;
                    engine.synchronize()
                };
                self.done(run(py, Vec::new(), work)?)
            }
        }
    }

    /// Writes the values of a buffer, of as many floats as the array has. On the same GPU they stay there.
    pub(super) fn fill_from(&self, py: Python<'_>, values: &Buffer<f32>) -> PyResult<()> {
        if let AnyArray::Gpu(array) = &self.array
            && self.is_beside(values.engine())
        {
            let (place, is_wide) = (array.whole(), array.element() == ElementType::F64);
            let work = || -> Result<(), EngineError> {
                // SAFETY: the owner keeps the array of floats of this size, and its stream orders the copy.
                unsafe {
                    match is_wide {
                        true => widen_floats(values)?.copy_to(place)?,
                        false => values.copy_to(place)?,
                    }
                }
                values.engine().synchronize()
            };
            return self.done(run(py, Vec::new(), work)?);
        }
        let read = run(py, Vec::new(), || values.read())?;
        let read = read.map_err(|e| of_error(&HostError::from(e).into()))?;
        self.fill(py, OutputValues::Single(&read))
    }

    /// Writes the values of an array of floats with the same shape.
    pub(super) fn fill_with(&self, py: Python<'_>, source: &Bound<'py, PyAny>) -> PyResult<()> {
        let source = look(&self.name, source, None)?;
        if let AnyArray::Gpu(array) = &source
            && array.element() == ElementType::F32
            && self.is_beside(array.engine())
        {
            let (engine, place) = (array.engine().clone(), array.whole());
            let copied = run(py, Vec::new(), || {
                // SAFETY: the owner keeps the array of floats, and its stream orders the copy.
                unsafe { engine.copy_of::<f32>(place) }
            })?;
            let copied = copied.map_err(|e| of_error(&HostError::from(e).into()))?;
            return self.fill_from(py, &copied);
        }
        if let (AnyArray::Gpu(from), AnyArray::Gpu(to)) = (&source, &self.array)
            && [from.element(), to.element()] == [ElementType::F64; 2]
            && self.is_beside(from.engine())
        {
            let (engine, from, to) = (from.engine().clone(), from.whole(), to.whole());
            let work = || -> Result<(), EngineError> {
                // SAFETY: the owners keep both arrays of floats, and their streams order the copies.
                unsafe { engine.copy_of::<f64>(from)?.copy_to(to)? };
                engine.synchronize()
            };
            return self.done(run(py, Vec::new(), work)?);
        }
        let source = source.into_host(&self.name)?;
        match source.element {
            ElementType::F64 => self.fill(py, OutputValues::Double(&source.values())),
            _ => self.fill(py, OutputValues::Single(&source.values())),
        }
    }

    /// Returns `true` if the array is in the memory of an engine's GPU.
    pub(super) fn is_beside(&self, engine: &Engine) -> bool {
        match &self.array {
            AnyArray::Host(_) => false,
            // In builds for development the CPU may stand for a GPU.
            AnyArray::Gpu(array) => array.engine().gpu() == engine.gpu(),
        }
    }

    fn done(&self, result: Result<(), EngineError>) -> PyResult<()> {
        result.map_err(|e| {
            let e: rxmesh::Error = HostError::from(e).into();
            gpu::named(self.object.py(), &self.name, &of_error(&e))
        })
    }
}
