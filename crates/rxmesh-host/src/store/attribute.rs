//! Attributes: typed values on the elements of one kind, with a copy on the host and one on the engine.

use super::layout::Layout;
use super::{Dimension, RxMesh};
use crate::engine::{Buffer, EngineError};
use crate::error::{AttributeError, Error};
use rxmesh_kernels::attr::{
    Accumulate, Finish, PlaceMap, Read, Staged, StagedSum, Sum, Value, View, ViewMut, Write,
};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::{Element, Kind};
use std::marker::PhantomData;
use std::sync::Arc;

/// Copies that hold the current values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fresh {
    Both,
    Host,
    Device,
}

/// A `T` for each element of kind `K`, in linear ids: a patch's values lie together.
///
/// Kernels use the copy on the engine; a copy on the host is made on demand. The attribute tracks which of them is
/// current: using a stale one is an error that names the missing call.
pub struct Attribute<K, T> {
    device: Buffer<T>,
    host: Vec<T>,
    fresh: Fresh,
    mesh: u64,
    layout: Layout,
    place: PlaceMap,
    /// Input's index of each linear id, when the values lie in the input's order.
    source: Option<Arc<[u32]>>,
    /// Length of the linear id space.
    linear_len: usize,
    of: PhantomData<K>,
}

impl<K: Element, T: Value> std::fmt::Debug for Attribute<K, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Attribute<{:?}, {}>({} values, current: {:?})",
            K::KIND,
            std::any::type_name::<T>(),
            self.device.len(),
            self.fresh
        )
    }
}

pub(super) fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Vertex => "vertices",
        Kind::Edge => "edges",
        Kind::Face => "faces",
        Kind::Cell => "cells",
    }
}

impl<K: Element, T: Value> Attribute<K, T> {
    pub(super) fn zeroed<D: Dimension>(rx: &RxMesh<D>, layout: Layout) -> Result<Self, Error> {
        layout.check::<T>(K::KIND)?;
        let device = rx.engine().zeroed(layout.len(rx, K::KIND))?;
        let (place, source) = layout.place(rx, K::KIND)?;
        Ok(Attribute::over(rx, device, layout, place, source))
    }

    pub(super) fn from_input<D: Dimension>(
        rx: &RxMesh<D>,
        input: &[T],
        layout: Layout,
    ) -> Result<Self, Error> {
        let linear = to_linear::<D, K, T>(rx, input)?;
        layout.check::<T>(K::KIND)?;
        let (place, source) = layout.place(rx, K::KIND)?;
        let device = if layout.is_plain() {
            rx.engine().upload(&linear)?
        } else {
            let n = layout.len(rx, K::KIND);
            rx.engine()
                .upload(&layout.to_device(&linear, source.as_deref(), n))?
        };
        let mut attribute = Attribute::over(rx, device, layout, place, source);
        attribute.host = linear;
        attribute.fresh = Fresh::Both;
        Ok(attribute)
    }

    /// Creates an attribute over values that are on the engine.
    fn over<D: Dimension>(
        rx: &RxMesh<D>,
        device: Buffer<T>,
        layout: Layout,
        place: PlaceMap,
        source: Option<Arc<[u32]>>,
    ) -> Self {
        device.set_mesh(rx.id());
        Attribute {
            device,
            host: Vec::new(),
            fresh: Fresh::Device,
            mesh: rx.id(),
            layout,
            place,
            source,
            linear_len: rx.linear_len(K::KIND) as usize,
            of: PhantomData,
        }
    }

    /// Returns order and layout of the values on the engine.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Creates an attribute of values of the elements of a mesh that are on the engine already, one a linear id.
    pub(crate) fn from_buffer(rx: &RxMesh, device: Buffer<T>) -> Self {
        Attribute::over(rx, device, Layout::default(), PlaceMap::plain(), None)
    }

    /// Returns the number of values: the length of the linear id space.
    pub fn len(&self) -> usize {
        self.linear_len
    }

    /// Returns `true` if there is no value.
    pub fn is_empty(&self) -> bool {
        self.linear_len == 0
    }

    /// Returns the host's values in linear ids.
    ///
    /// # Errors
    ///
    /// [`AttributeError::HostStale`].
    pub fn host(&self) -> Result<&[T], AttributeError> {
        if self.fresh == Fresh::Device {
            Err(AttributeError::HostStale)
        } else {
            Ok(&self.host)
        }
    }

    /// Returns the host's values in linear ids, to change; the engine's copy is stale afterwards.
    ///
    /// # Errors
    ///
    /// [`AttributeError::HostStale`].
    pub fn host_mut(&mut self) -> Result<&mut [T], AttributeError> {
        if self.fresh == Fresh::Device {
            return Err(AttributeError::HostStale);
        }
        self.fresh = Fresh::Host;
        Ok(&mut self.host)
    }

    /// Copies the host's values to the engine if they are newer.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn upload(&mut self) -> Result<(), EngineError> {
        if self.fresh == Fresh::Host {
            if self.layout.is_plain() {
                self.device.write(&self.host)?;
            } else {
                let source = self.source.as_deref();
                let placed = self.layout.to_device(&self.host, source, self.device.len());
                self.device.write(&placed)?;
            }
            self.fresh = Fresh::Both;
        }
        Ok(())
    }

    /// Copies the engine's values to the host if they are newer, after all launches have ended.
    ///
    /// # Errors
    ///
    /// A fault that a kernel raised, or any error of the engine.
    pub fn download(&mut self) -> Result<(), EngineError> {
        if self.fresh == Fresh::Device {
            self.host.resize(self.linear_len, T::zeroed());
            if self.layout.is_plain() {
                self.device.read_into(&mut self.host)?;
            } else {
                let (placed, source) = (self.device.read()?, self.source.as_deref());
                self.layout.read_device(&placed, source, &mut self.host);
            }
            self.fresh = Fresh::Both;
        }
        Ok(())
    }

    /// Returns the current values in the input's order, downloaded if need be. Edges come in linear order, without
    /// slack.
    ///
    /// # Errors
    ///
    /// [`AttributeError::OtherMesh`], or as [`Attribute::download`].
    pub fn to_input<D: Dimension>(&mut self, rx: &RxMesh<D>) -> Result<Vec<T>, Error> {
        if rx.id() != self.mesh {
            return Err(AttributeError::OtherMesh.into());
        }
        self.download()?;
        let Some(source) = rx.source(K::KIND)? else {
            let owned = rx.headers().iter().flat_map(|h| {
                let base = h.base_of(K::KIND) as usize;
                base..base + h.owned_of(K::KIND) as usize
            });
            return Ok(owned.map(|i| self.host[i]).collect());
        };
        let mut out = vec![T::zeroed(); rx.count(K::KIND) as usize];
        for (&to, &value) in source.iter().zip(&self.host) {
            if to != u32::MAX {
                out[to as usize] = value;
            }
        }
        Ok(out)
    }

    /// Takes over the values of another attribute of the same mesh, on the engine.
    ///
    /// # Errors
    ///
    /// [`AttributeError::OtherMesh`], [`AttributeError::DeviceStale`], [`AttributeError::Layout`] when the two lie
    /// differently, or any error of the engine.
    pub fn copy_from(&mut self, other: &Attribute<K, T>) -> Result<(), Error> {
        if other.mesh != self.mesh {
            return Err(AttributeError::OtherMesh.into());
        }
        other.device()?;
        if other.layout != self.layout {
            return Err(AttributeError::Layout(format!("{:?}", other.layout)).into());
        }
        self.device.copy_from(&other.device)?;
        self.fresh = Fresh::Device;
        Ok(())
    }

    /// Sets all values to zero, on the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn clear(&mut self) -> Result<(), EngineError> {
        self.device.clear()?;
        self.fresh = Fresh::Device;
        Ok(())
    }

    fn device(&self) -> Result<(), AttributeError> {
        if self.fresh == Fresh::Host {
            Err(AttributeError::DeviceStale)
        } else {
            Ok(())
        }
    }

    /// Returns a kernel argument that reads.
    ///
    /// # Errors
    ///
    /// [`AttributeError::DeviceStale`].
    pub fn read(&self) -> Result<Read<K, T>, AttributeError> {
        let view = self.view()?;
        // SAFETY: a value for each element of the mesh that the buffer belongs to; launches on another mesh refuse it
        // (contract U4).
        Ok(unsafe { Read::new(view) })
    }

    /// Returns a kernel argument that reads through shared memory.
    ///
    /// # Errors
    ///
    /// [`AttributeError::DeviceStale`].
    pub fn staged(&self) -> Result<Staged<K, T>, AttributeError> {
        let view = self.view()?;
        // SAFETY: as `read`.
        Ok(unsafe { Staged::new(view) })
    }

    /// Returns a kernel argument that writes owned elements; the host's copy is stale afterwards.
    ///
    /// # Errors
    ///
    /// [`AttributeError::DeviceStale`].
    pub fn write(&mut self) -> Result<Write<K, T>, AttributeError> {
        let view = self.view_mut()?;
        // SAFETY: as `read`.
        Ok(unsafe { Write::new(view) })
    }

    fn view(&self) -> Result<View<T>, AttributeError> {
        self.device()?;
        Ok(View::new(self.device.global(), self.place))
    }

    fn view_mut(&mut self) -> Result<ViewMut<T>, AttributeError> {
        self.device()?;
        self.fresh = Fresh::Device;
        Ok(ViewMut::new(self.device.global_mut(), self.place))
    }

    fn plain(&self) -> Result<(), AttributeError> {
        if self.layout.is_plain() {
            Ok(())
        } else {
            Err(AttributeError::Layout(format!("{:?}", self.layout)))
        }
    }

    /// Returns the values on the engine, for low-level kernels.
    ///
    /// # Errors
    ///
    /// [`AttributeError::DeviceStale`], [`AttributeError::Layout`].
    pub fn global(&self) -> Result<Global<T>, AttributeError> {
        self.plain()?;
        self.device()?;
        Ok(self.device.global())
    }

    /// Returns the values on the engine to change, for low-level kernels; the host's copy is stale afterwards.
    ///
    /// # Errors
    ///
    /// [`AttributeError::DeviceStale`], [`AttributeError::Layout`].
    pub fn global_mut(&mut self) -> Result<GlobalMut<T>, AttributeError> {
        self.plain()?;
        self.device()?;
        self.fresh = Fresh::Device;
        Ok(self.device.global_mut())
    }

    /// Returns the mesh that the attribute belongs to.
    pub(crate) fn mesh_id(&self) -> u64 {
        self.mesh
    }

    /// Returns the buffer on the engine, whichever copy is current.
    pub(crate) fn buffer(&self) -> &Buffer<T> {
        &self.device
    }

    /// Returns the values of the engine's copy, current or not, in its order and layout.
    ///
    /// The buffer itself is private: a kernel's argument made of it would bypass the check that the engine's copy is
    /// current.
    ///
    /// ```compile_fail,E0624
    /// # use rxmesh_host::{kernels::{mem::GlobalMut, topo::Vertex}, store::Attribute};
    /// fn past_the_check(x: &Attribute<Vertex, f32>) -> GlobalMut<f32> {
    ///     x.buffer().global_mut()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// A fault of an earlier kernel, or any error of the engine.
    pub fn engine_values(&self) -> Result<Vec<T>, EngineError> {
        self.device.read()
    }
}

impl<K: Element, T: Sum> Attribute<K, T> {
    /// Returns a kernel argument that adds to any element with atomics; the host's copy is stale afterwards.
    ///
    /// # Errors
    ///
    /// [`AttributeError::DeviceStale`].
    pub fn accumulate(&mut self) -> Result<Accumulate<K, T>, AttributeError> {
        let view = self.view_mut()?;
        // SAFETY: as `read`.
        Ok(unsafe { Accumulate::new(view) })
    }

    /// Returns a kernel argument that sums up in shared memory and overwrites the old values; the host's copy is stale
    /// afterwards.
    ///
    /// # Errors
    ///
    /// [`AttributeError::DeviceStale`].
    pub fn staged_sum<F: Finish<T>>(&mut self) -> Result<StagedSum<K, T, F>, AttributeError> {
        let view = self.view_mut()?;
        // SAFETY: as `read`.
        Ok(unsafe { StagedSum::new(view) })
    }
}

/// Brings values from the input's order into linear ids.
fn to_linear<D: Dimension, K: Element, T: Value>(
    rx: &RxMesh<D>,
    input: &[T],
) -> Result<Vec<T>, Error> {
    let want = rx.count(K::KIND) as usize;
    if input.len() != want {
        return Err(AttributeError::Length {
            got: input.len(),
            want,
            kind: plural(K::KIND),
        }
        .into());
    }
    let mut out = vec![T::zeroed(); rx.linear_len(K::KIND) as usize];
    match rx.source(K::KIND)? {
        Some(source) => {
            for (&from, to) in source.iter().zip(&mut out) {
                if from != u32::MAX {
                    *to = input[from as usize];
                }
            }
        }
        None => {
            let mut next = 0;
            for h in rx.headers() {
                let (base, n) = (h.base_of(K::KIND) as usize, h.owned_of(K::KIND) as usize);
                out[base..base + n].copy_from_slice(&input[next..next + n]);
                next += n;
            }
        }
    }
    Ok(out)
}
