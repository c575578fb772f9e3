//! Attributes in whole numbers of 8 and 16 bits (`KHR_mesh_quantization`).

use super::layout::{AccessorForm, rows};
use super::outgoing::VertexAttribute;
use super::values::Component;
use glam::{DVec3, Vec3};

/// Positions in steps, as whole numbers, and the transform that makes positions of them.
pub(super) struct QuantisedSteps {
    /// Whole numbers from 0 to 65,535.
    pub(super) positions: Vec<Vec3>,
    pub(super) size: f64,
    pub(super) origin: DVec3,
}

/// Puts positions on a grid of 65,535 steps along the longest side of their box.
pub(super) fn steps(positions: &[Vec3]) -> QuantisedSteps {
    let none = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let [low, high] = positions
        .iter()
        .fold(none, |[low, high], p| [low.min(*p), high.max(*p)]);
    let origin = low.as_dvec3();
    let longest = (high.as_dvec3() - origin).max_element();
    let size = if longest > 0.0 {
        longest / f64::from(u16::MAX)
    } else {
        1.0
    };
    let step = |p: &Vec3| ((p.as_dvec3() - origin) / size).round().as_vec3();
    QuantisedSteps {
        positions: positions.iter().map(step).collect(),
        size,
        origin,
    }
}

/// Returns the attribute of positions in steps.
pub(super) fn positions(steps: &[Vec3]) -> VertexAttribute<'static> {
    let words: Vec<u16> = steps
        .iter()
        .flat_map(|p| p.to_array())
        .map(|x| x as u16)
        .collect();
    VertexAttribute {
        name: "POSITION".into(),
        form: AccessorForm {
            component: Component::U16,
            width: 3,
            normalized: false,
        },
        bytes: rows(&words, 3, u16::to_le_bytes).into(),
    }
}

/// Returns an attribute in whole numbers, if they hold its values: directions in 8 bits, fractions from 0 to 1 in 16.
pub(super) fn attribute(attribute: VertexAttribute<'_>) -> VertexAttribute<'_> {
    let VertexAttribute { name, form, bytes } = attribute;
    let is = |prefix: &str| name.starts_with(prefix);
    if form.component != Component::F32
        || !["NORMAL", "TANGENT", "TEXCOORD_", "COLOR_"]
            .into_iter()
            .any(is)
    {
        return VertexAttribute { name, form, bytes };
    }
    let values: Vec<f32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect();
    let (component, bytes) = if is("NORMAL") || is("TANGENT") {
        let small: Vec<i8> = values.iter().map(|x| (x * 127.0).round() as i8).collect();
        (Component::I8, rows(&small, form.width, i8::to_le_bytes))
    } else if values.iter().all(|x| (0.0..=1.0).contains(x)) {
        let words: Vec<u16> = values
            .iter()
            .map(|x| (x * 65535.0).round() as u16)
            .collect();
        (Component::U16, rows(&words, form.width, u16::to_le_bytes))
    } else {
        return VertexAttribute { name, form, bytes };
    };
    VertexAttribute {
        form: AccessorForm {
            component,
            normalized: true,
            ..form
        },
        name,
        bytes: bytes.into(),
    }
}
