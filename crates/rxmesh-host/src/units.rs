//! Units of numbers in options and reports, as far as they depend on the unit of length.

use glam::Vec3;

/// Kind of a quantity, which decides the power of the unit of length in its unit. Units of time and mass are the same
/// everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityKind {
    /// Length.
    Length,
    /// Squared length.
    Area,
    /// Cubed length.
    Volume,
    /// One over length, as of a curvature.
    PerLength,
    /// One over squared length, as of a Gaussian curvature.
    PerArea,
    /// Length over time.
    Speed,
    /// Length over squared time.
    Acceleration,
    /// Mass times squared length over squared time.
    Energy,
}

impl QuantityKind {
    /// Returns the power of the unit of length in it.
    pub const fn power(self) -> i32 {
        match self {
            QuantityKind::Length | QuantityKind::Speed | QuantityKind::Acceleration => 1,
            QuantityKind::Area | QuantityKind::Energy => 2,
            QuantityKind::Volume => 3,
            QuantityKind::PerLength => -1,
            QuantityKind::PerArea => -2,
        }
    }

    /// Returns the unit in words, for tables.
    pub const fn name(self) -> &'static str {
        match self {
            QuantityKind::Length => "length",
            QuantityKind::Area => "length²",
            QuantityKind::Volume => "length³",
            QuantityKind::PerLength => "1/length",
            QuantityKind::PerArea => "1/length²",
            QuantityKind::Speed => "length/time",
            QuantityKind::Acceleration => "length/time²",
            QuantityKind::Energy => "mass·length²/time²",
        }
    }

    /// Converts a number to a unit of length that is `1 / factor` of the old one.
    fn scaled(self, number: f64, factor: f64) -> f64 {
        // Step by step: powers of the factor may be out of range where the result is not.
        let times = 0..self.power().unsigned_abs();
        if self.power() < 0 {
            times.fold(number, |x, _| x / factor)
        } else {
            times.fold(number, |x, _| x * factor)
        }
    }
}

/// Numbers of a [`QuantityKind`].
pub trait Quantity {
    /// Converts to a unit of length that is `1 / factor` of the old one. 32-bit numbers are rounded once.
    fn scale_as(&mut self, kind: QuantityKind, factor: f64);
}

impl Quantity for f64 {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        *self = kind.scaled(*self, factor);
    }
}

impl Quantity for f32 {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        *self = kind.scaled(f64::from(*self), factor) as f32;
    }
}

impl Quantity for Vec3 {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        for component in self.as_mut() {
            component.scale_as(kind, factor);
        }
    }
}

impl<Q: Quantity> Quantity for Option<Q> {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        if let Some(quantity) = self {
            quantity.scale_as(kind, factor);
        }
    }
}

impl<Q: Quantity> Quantity for Vec<Q> {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        for quantity in self {
            quantity.scale_as(kind, factor);
        }
    }
}

impl<Q: Quantity, const N: usize> Quantity for [Q; N] {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        for quantity in self {
            quantity.scale_as(kind, factor);
        }
    }
}

/// Unit of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldUnit {
    /// Name of the field.
    pub field: &'static str,
    /// Unit of its number, or of each of its numbers.
    pub unit: Units,
}

/// Unit of a number, or those of the fields of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Unit of one number.
    One(QuantityKind),
    /// Units of the fields of a struct.
    Fields(&'static [FieldUnit]),
}

/// Options and reports, some of whose fields may depend on the unit of length. [`units!`](crate::units!) implements it.
///
/// ```
/// use rxmesh_host::units;
/// use rxmesh_host::units::InUnits;
///
/// struct Edges {
///     mean_length: f32,
///     largest_angle: f32,
/// }
/// units!(Edges { mean_length: Length });
///
/// struct Report {
///     area: f64,
///     edges: Option<Edges>,
/// }
/// units!(Report { area: Area, edges });
///
/// let edges = Edges { mean_length: 0.5, largest_angle: 90.0 };
/// let mut report = Report { area: 3.0, edges: Some(edges) };
/// // Metres to millimetres.
/// report.scale(1000.0);
/// assert_eq!(report.area, 3e6);
/// assert_eq!(report.edges.unwrap().mean_length, 500.0);
/// ```
pub trait InUnits {
    /// Units of the fields that have one.
    const UNITS: &'static [FieldUnit] = &[];

    /// Converts to a unit of length that is `1 / factor` of the old one, or to a mesh whose coordinates were multiplied
    /// by `factor`: lengths are multiplied by it, areas by its square, and so on. What has no such unit stays.
    ///
    /// [`TriMesh::normalise`](crate::mesh::TriMesh::normalise) divides coordinates by the scale of the new placement.
    fn scale(&mut self, factor: f64) {
        let _ = factor;
    }
}

/// Nothing, which has no unit.
impl InUnits for () {}

impl<T: InUnits> InUnits for Option<T> {
    const UNITS: &'static [FieldUnit] = T::UNITS;

    fn scale(&mut self, factor: f64) {
        if let Some(inner) = self {
            inner.scale(factor);
        }
    }
}

impl<T: InUnits> InUnits for Vec<T> {
    const UNITS: &'static [FieldUnit] = T::UNITS;

    fn scale(&mut self, factor: f64) {
        for inner in self {
            inner.scale(factor);
        }
    }
}

impl<T: InUnits> InUnits for Box<T> {
    const UNITS: &'static [FieldUnit] = T::UNITS;

    fn scale(&mut self, factor: f64) {
        self.as_mut().scale(factor);
    }
}

/// Returns the units of a field, whose type follows from the function that borrows it.
#[doc(hidden)]
pub const fn units_of<S, F: InUnits>(_field: fn(&S) -> &F) -> &'static [FieldUnit] {
    F::UNITS
}

/// Declares the units of a struct's fields, in one line: `units!(Report { area: Area, edges })`. A field with a
/// [kind](crate::units::QuantityKind) is a number or several ([`Quantity`]); one without is a
/// struct that has units itself. Fields that are not named do not depend on the unit of length; without any, the braces
/// are empty.
#[macro_export]
macro_rules! units {
    (
        $type:ident $(<$($generic:ident),+>)?
        { $($field:ident $(: $unit:ident)?),* $(,)? }
    ) => {
        impl $(<$($generic: $crate::units::InUnits),+>)? $crate::units::InUnits
            for $type $(<$($generic),+>)?
        {
            const UNITS: &'static [$crate::units::FieldUnit] = &[$($crate::units::FieldUnit {
                field: stringify!($field),
                unit: $crate::units!(@unit $field $($unit)?),
            }),*];

            fn scale(&mut self, factor: f64) {
                let _ = factor;
                $($crate::units!(@scale (&mut self.$field) factor $($unit)?);)*
            }
        }
    };
    (@unit $field:ident $unit:ident) => {
        $crate::units::Units::One($crate::units::QuantityKind::$unit)
    };
    (@unit $field:ident) => {
        $crate::units::Units::Fields($crate::units::units_of(|all: &Self| &all.$field))
    };
    (@scale ($field:expr) $factor:ident $unit:ident) => {
        $crate::units::Quantity::scale_as($field, $crate::units::QuantityKind::$unit, $factor)
    };
    (@scale ($field:expr) $factor:ident) => {
        $crate::units::InUnits::scale($field, $factor)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_power_is_converted() {
        let scaled = |kind: QuantityKind, mut x: f64, factor| {
            x.scale_as(kind, factor);
            x
        };
        let factor = 8.0f64;
        for unit in [
            QuantityKind::Length,
            QuantityKind::Area,
            QuantityKind::Volume,
            QuantityKind::PerLength,
            QuantityKind::PerArea,
            QuantityKind::Speed,
            QuantityKind::Acceleration,
            QuantityKind::Energy,
        ] {
            let want = 3.7 * factor.powi(unit.power());
            assert_eq!(scaled(unit, 3.7, factor), want, "{unit:?}");
            assert_eq!(scaled(unit, want, 1.0 / factor), 3.7, "{unit:?}");
        }
        // The factor's powers may be beyond 64 bits where results are not.
        assert_eq!(
            scaled(QuantityKind::Area, 2f64.powi(-800), 2f64.powi(600)),
            2f64.powi(400)
        );
        assert_eq!(scaled(QuantityKind::PerArea, 0.0, 2f64.powi(-600)), 0.0);
    }

    #[test]
    fn fields_are_declared_and_converted() {
        #[derive(Debug, PartialEq)]
        struct InnerReport {
            curvature: [f64; 2],
            angle: f64,
        }
        units!(InnerReport {
            curvature: PerLength
        });

        #[derive(Debug, PartialEq)]
        struct Outer<T> {
            length: Option<f32>,
            gravity: Vec3,
            inner: Vec<T>,
            count: u32,
        }
        units!(Outer<T> { length: Length, gravity: Acceleration, inner });

        let make = |length: f32, curvature: f64| Outer {
            length: Some(length),
            gravity: Vec3::new(0.0, length, -length),
            inner: vec![InnerReport {
                curvature: [curvature, -curvature],
                angle: 0.5,
            }],
            count: 3,
        };
        let mut outer = make(1.5, 4.0);
        outer.scale(2.0);
        assert_eq!(outer, make(3.0, 2.0));
        let one = |field, unit| FieldUnit {
            field,
            unit: Units::One(unit),
        };
        const INNER: &[FieldUnit] = <InnerReport as InUnits>::UNITS;
        assert_eq!(INNER, [one("curvature", QuantityKind::PerLength)]);
        let inner = FieldUnit {
            field: "inner",
            unit: Units::Fields(INNER),
        };
        let want = [
            one("length", QuantityKind::Length),
            one("gravity", QuantityKind::Acceleration),
            inner,
        ];
        assert_eq!(Outer::<InnerReport>::UNITS, want);
    }
}
