//! Scaling, turning and moving meshes.

use crate::Error;
use crate::algo::Options;
use crate::mesh::{TriMesh, box_of_corners};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3, Vec3Swizzles};
use std::fmt;
use std::str::FromStr;

/// Changes of a mesh: always in the order of the fields, whatever the order in which they were given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct TransformOptions {
    /// Map by a matrix of 12 or 16 numbers, row by row; the fourth of each row moves.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "NUMBERS", allow_hyphen_values = true)
    )]
    pub matrix: Option<AffineMatrix>,
    /// Turn one axis into another, such as y,z for meshes whose y axis points up.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FROM,TO", allow_hyphen_values = true)
    )]
    pub up_axis: Option<UpAxis>,
    /// Turn about an axis through the origin, by degrees: z,90 or 1,1,0,45.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "AXIS,DEGREES", allow_hyphen_values = true)
    )]
    pub rotate: Option<Rotation>,
    /// Scale about the origin, by one number or one for each axis.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "S|X,Y,Z", allow_hyphen_values = true)
    )]
    pub scale: Option<Factors>,
    /// Move the middle of the bounding box to the origin.
    #[cfg_attr(feature = "cli", arg(long))]
    pub center: bool,
    /// As --center, and scale the longest side of the bounding box to 1.
    #[cfg_attr(feature = "cli", arg(long))]
    pub normalize: bool,
    /// Move.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)
    )]
    pub translate: Option<Factors>,
}

units!(TransformOptions {});

changeable!(TransformOptions);

impl Options for TransformOptions {
    fn check(&self) -> Result<(), Error> {
        if *self == TransformOptions::default() {
            return Err(Error::Options("no transformation is given".into()));
        }
        let map = self.linear();
        let determinant = map.matrix3.determinant();
        if !map.is_finite() || determinant == 0.0 || !determinant.is_finite() {
            return Err(Error::Options(format!(
                "the map has the determinant {determinant}, but must have a finite one that is not 0"
            )));
        }
        Ok(())
    }
}

impl TransformOptions {
    /// Returns the part that does not depend on the mesh.
    fn linear(&self) -> DAffine3 {
        let mut map = self.matrix.map_or(DAffine3::IDENTITY, |m| m.0);
        for next in [
            self.up_axis.map(UpAxis::matrix),
            self.rotate.map(Rotation::matrix),
            self.scale.map(|s| DMat3::from_diagonal(s.0)),
        ] {
            map = DAffine3::from_mat3(next.unwrap_or(DMat3::IDENTITY)) * map;
        }
        map
    }

    /// Returns the map for a mesh.
    pub fn map(&self, mesh: &TriMesh) -> DAffine3 {
        let mut map = self.linear();
        if self.center || self.normalize {
            let [low, high] = mapped_bounds(&map, mesh);
            let size = (high - low).max_element();
            let scale = if self.normalize && size > 0.0 {
                1.0 / size
            } else {
                1.0
            };
            let back = DAffine3::from_translation((low + high) * -0.5);
            map = DAffine3::from_scale(DVec3::splat(scale)) * back * map;
        }
        DAffine3::from_translation(self.translate.map_or(DVec3::ZERO, |t| t.0)) * map
    }
}

/// Returns the bounding box of a mapped mesh.
fn mapped_bounds(map: &DAffine3, mesh: &TriMesh) -> [DVec3; 2] {
    let at = |p: &Vec3| map.transform_point3(mesh.placement.world(*p));
    box_of_corners(&mesh.positions, mesh.faces.as_flattened(), at).unwrap_or_default()
}

/// An affine map as a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffineMatrix(pub DAffine3);

/// A turn of one axis into another; the third one stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpAxis {
    /// Unit vector along an axis.
    pub from: DVec3,
    /// Direction that it is turned to: along another axis.
    pub to: DVec3,
}

/// A turn about an axis through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Axis, of any length but 0.
    pub axis: DVec3,
    /// Angle in degrees.
    pub degrees: f64,
}

/// A number for each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors(pub DVec3);

/// Returns the matrix `a b^T`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

impl UpAxis {
    fn matrix(self) -> DMat3 {
        let UpAxis { from, to } = self;
        let third = from.cross(to);
        if third != DVec3::ZERO {
            // A quarter turn, exactly.
            return outer(to, from) - outer(from, to) + outer(third, third);
        }
        if from == to {
            return DMat3::IDENTITY;
        }
        // Half a turn about one of the other axes.
        let other = from.zxy();
        DMat3::IDENTITY - (outer(from, from) + outer(other, other)) * 2.0
    }
}

impl Rotation {
    fn matrix(self) -> DMat3 {
        let by = DQuat::from_axis_angle(self.axis.normalize(), self.degrees.to_radians());
        DMat3::from_quat(by)
    }
}

/// Parses finite numbers between commas.
fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |word: &str| match word.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(format!("'{word}' is not a finite number")),
    };
    text.split(',').map(number).collect()
}

/// Returns the unit vector of an axis: x, -y, ...
fn axis(name: &str) -> Result<DVec3, String> {
    let (sign, name) = match name.trim().strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, name.trim()),
    };
    let of = match name {
        "x" => DVec3::X,
        "y" => DVec3::Y,
        "z" => DVec3::Z,
        _ => {
            return Err(format!(
                "'{name}' is not one of the axes x, y, z, -x, -y, -z"
            ));
        }
    };
    Ok(of * sign)
}

impl FromStr for AffineMatrix {
    type Err = String;

    fn from_str(text: &str) -> Result<AffineMatrix, String> {
        let n = numbers(text)?;
        let last = n.get(12..).filter(|last| !last.is_empty());
        if !matches!(n.len(), 12 | 16) {
            return Err(format!("12 or 16 numbers are needed, not {}", n.len()));
        }
        if last.is_some_and(|last| last != [0.0, 0.0, 0.0, 1.0]) {
            return Err("the last row must be 0,0,0,1".into());
        }
        let column = |k: usize| DVec3::new(n[k], n[4 + k], n[8 + k]);
        let linear = DMat3::from_cols(column(0), column(1), column(2));
        Ok(AffineMatrix(DAffine3::from_mat3_translation(
            linear,
            column(3),
        )))
    }
}

impl FromStr for UpAxis {
    type Err = String;

    fn from_str(text: &str) -> Result<UpAxis, String> {
        let (from, to) = text
            .split_once(',')
            .ok_or("two axes are needed, as in y,z")?;
        Ok(UpAxis {
            from: axis(from)?,
            to: axis(to)?,
        })
    }
}

impl FromStr for Rotation {
    type Err = String;

    fn from_str(text: &str) -> Result<Rotation, String> {
        let needed = "an axis and an angle are needed, as in z,90 or 1,1,0,45";
        let (about, angle) = text.rsplit_once(',').ok_or(needed)?;
        let [degrees] = numbers(angle)?[..] else {
            return Err(needed.into());
        };
        let axis = match about.contains(',') {
            false => axis(about)?,
            true => match numbers(about)?[..] {
                [x, y, z] => DVec3::new(x, y, z),
                _ => return Err(needed.into()),
            },
        };
        match axis.try_normalize() {
            Some(axis) => Ok(Rotation { axis, degrees }),
            None => Err("the axis has no length".into()),
        }
    }
}

/// One number stands for three.
impl FromStr for Factors {
    type Err = String;

    fn from_str(text: &str) -> Result<Factors, String> {
        match numbers(text)?[..] {
            [x] => Ok(Factors(DVec3::splat(x))),
            [x, y, z] => Ok(Factors(DVec3::new(x, y, z))),
            _ => Err("one number or three are needed".into()),
        }
    }
}

impl fmt::Display for AffineMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, t) = (self.0.matrix3.transpose(), self.0.translation);
        let rows = [(m.x_axis, t.x), (m.y_axis, t.y), (m.z_axis, t.z)];
        let rows = rows.map(|(r, t)| format!("{},{},{},{t}", r.x, r.y, r.z));
        f.write_str(&rows.join(","))
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |a: DVec3| {
            let sign = if a.element_sum() < 0.0 { "-" } else { "" };
            let at = a.abs().max_position();
            format!("{sign}{}", ["x", "y", "z"][at])
        };
        write!(f, "{},{}", name(self.from), name(self.to))
    }
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DVec3 { x, y, z } = self.axis;
        write!(f, "{x},{y},{z},{}", self.degrees)
    }
}

impl fmt::Display for Factors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DVec3 { x, y, z } = self.0;
        write!(f, "{x},{y},{z}")
    }
}

/// Serialises values as text, in the form in which they are given.
#[cfg(feature = "serde")]
macro_rules! written {
    ($($of:ident),*) => {$(
        impl serde::Serialize for $of {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
    )*};
}
#[cfg(feature = "serde")]
written!(AffineMatrix, UpAxis, Rotation, Factors);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    fn near(map: DAffine3, from: [f64; 3], to: [f64; 3]) {
        let got = map.transform_point3(from.into());
        assert!(got.distance(to.into()) < 1e-12, "{from:?} went to {got}");
    }

    #[test]
    fn parts_come_in_one_order() {
        let mesh = generate::grid(2, 2).unwrap();
        let options = TransformOptions {
            up_axis: Some("y,z".parse().unwrap()),
            rotate: Some("z,90".parse().unwrap()),
            scale: Some("2".parse().unwrap()),
            translate: Some("0,0,1".parse().unwrap()),
            ..TransformOptions::default()
        };
        let map = options.map(&mesh);
        near(map, [1.0, 0.0, 0.0], [0.0, 2.0, 1.0]);
        near(map, [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]);
        let normal = TransformOptions {
            scale: Some("3,1,1".parse().unwrap()),
            normalize: true,
            ..TransformOptions::default()
        };
        let map = normal.map(&mesh);
        near(map, [0.0, 0.0, 0.0], [-0.5, -1.0 / 6.0, 0.0]);
        near(map, [1.0, 1.0, 0.0], [0.5, 1.0 / 6.0, 0.0]);
    }

    #[test]
    fn axes_turn_exactly() {
        let names = ["x", "y", "z", "-x", "-y", "-z"];
        for from in names {
            for to in names {
                let turn: UpAxis = format!("{from},{to}").parse().unwrap();
                let m = turn.matrix();
                assert_eq!(m * turn.from, turn.to, "{turn}");
                assert_eq!(m.determinant(), 1.0, "{turn}");
                assert_eq!(turn.to_string(), format!("{from},{to}"));
            }
        }
    }

    #[test]
    fn what_is_no_map_is_refused() {
        for bad in ["1,2", "a", "1,2,inf", ""] {
            assert!(bad.parse::<Factors>().is_err(), "{bad}");
        }
        for bad in ["w,90", "z", "0,0,0,90", "1,2,90"] {
            assert!(bad.parse::<Rotation>().is_err(), "{bad}");
        }
        let matrix = "1,0,0,5,0,1,0,6,0,0,1,7";
        let parsed: AffineMatrix = matrix.parse().unwrap();
        assert_eq!(parsed.to_string(), matrix);
        near(parsed.0, [0.0; 3], [5.0, 6.0, 7.0]);
        assert!(format!("{matrix},0,0,1,0").parse::<AffineMatrix>().is_err());
        let flat = TransformOptions {
            scale: Some(Factors(DVec3::new(1.0, 0.0, 1.0))),
            ..TransformOptions::default()
        };
        assert!(flat.check().is_err() && TransformOptions::default().check().is_err());
    }
}
