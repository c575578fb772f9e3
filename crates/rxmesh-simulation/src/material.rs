//! Materials of cells.

use rxmesh_host::Error;
use rxmesh_simulation_kernels::material::Lame;

/// Elastic material of a cell.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Material {
    /// Young's modulus in pascals, positive.
    pub young: f64,
    /// Poisson's ratio, above -1 and below 0.5.
    pub poisson: f64,
    /// Density in kilograms per cubic metre at rest, positive.
    pub density: f64,
}

impl Default for Material {
    /// Returns soft rubber.
    fn default() -> Self {
        Material {
            young: 1e6,
            poisson: 0.45,
            density: 1000.0,
        }
    }
}

impl Material {
    /// Refuses numbers out of the range of materials.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] names the number and its range.
    pub fn check(&self) -> Result<(), Error> {
        let Material {
            young,
            poisson,
            density,
        } = *self;
        let positive = |what: &str, x: f64, unit: &str| {
            if x > 0.0 && (x as f32).is_normal() {
                return Ok(());
            }
            Err(Error::Options(format!(
                "{what} is {x} {unit}, but must be a positive number"
            )))
        };
        positive("Young's modulus", young, "Pa")?;
        positive("the density", density, "kg/m^3")?;
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(Error::Options(format!(
                "Poisson's ratio is {poisson}, but must be above -1 and below 0.5"
            )));
        }
        let Lame { mu, lambda } = self.lame();
        if !(mu.is_normal() && lambda.is_finite()) {
            return Err(Error::Options(format!(
                "a Young's modulus of {young} Pa with Poisson's ratio {poisson} is out of the range of 32-bit numbers"
            )));
        }
        Ok(())
    }

    /// Computes Lamé's parameters.
    pub fn lame(&self) -> Lame {
        let (young, nu) = (self.young, self.poisson);
        Lame {
            mu: (young / (2.0 * (1.0 + nu))) as f32,
            lambda: (young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))) as f32,
        }
    }
}

/// Materials of a body's cells, in the order of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Materials {
    /// The different materials.
    table: Vec<Material>,
    /// Index of each cell's material in the table; empty when all cells have the first.
    index: Vec<u16>,
}

impl Materials {
    /// Gives all cells one material.
    pub fn uniform(material: Material) -> Materials {
        Materials {
            table: vec![material],
            index: Vec::new(),
        }
    }

    /// Makes materials from a table and each cell's index in it.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for an index that is not in the table, no material, or too many.
    pub fn of_table(table: Vec<Material>, index: Vec<u16>) -> Result<Materials, Error> {
        if table.is_empty() || table.len() >= usize::from(u16::MAX) {
            return Err(Error::Options(format!(
                "{} materials, but there must be 1 to {}",
                table.len(),
                u16::MAX - 1
            )));
        }
        if let Some(cell) = index.iter().position(|&i| usize::from(i) >= table.len()) {
            return Err(Error::Options(format!(
                "cell {cell} has material {}, but there are {}",
                index[cell],
                table.len()
            )));
        }
        Ok(Materials { table, index })
    }

    /// Gives each cell its material; equal ones are stored once.
    ///
    /// # Errors
    ///
    /// As [`Materials::of_table`]; there may be 65,534 different ones.
    pub fn of_cells(cells: &[Material]) -> Result<Materials, Error> {
        let key = |m: &Material| [m.young, m.poisson, m.density].map(f64::to_bits);
        let mut places = std::collections::HashMap::new();
        let (mut table, mut index) = (Vec::new(), Vec::with_capacity(cells.len()));
        for material in cells {
            let place = *places.entry(key(material)).or_insert_with(|| {
                table.push(*material);
                table.len() - 1
            });
            index.push(u16::try_from(place).unwrap_or(u16::MAX));
        }
        if cells.is_empty() {
            table.push(Material::default());
        }
        Materials::of_table(table, index)
    }

    /// Returns the different materials.
    pub fn table(&self) -> &[Material] {
        &self.table
    }

    /// Returns the material of a cell.
    ///
    /// # Panics
    ///
    /// There is no such cell.
    pub fn of(&self, cell: usize) -> Material {
        match self.index.is_empty() {
            true => self.table[0],
            false => self.table[usize::from(self.index[cell])],
        }
    }

    /// Repeats the materials for copies of a mesh, one after the other.
    pub(crate) fn repeated(&self, copies: usize) -> Materials {
        Materials {
            table: self.table.clone(),
            index: self.index.repeat(copies),
        }
    }

    /// Refuses materials out of range, or a number of them that differs from the number of cells.
    pub(crate) fn check(&self, cells: usize) -> Result<(), Error> {
        for (place, material) in self.table.iter().enumerate() {
            material
                .check()
                .map_err(|e| Error::Options(format!("material {place}: {e}")))?;
        }
        if !self.index.is_empty() && self.index.len() != cells {
            return Err(Error::Options(format!(
                "{} materials were given for {cells} cells",
                self.index.len()
            )));
        }
        Ok(())
    }

    /// Returns the table for kernels, and the indices of cells in it if they differ: the `flat` cells have no
    /// stiffness.
    pub(crate) fn on_engine(&self, cells: usize, flat: &[u32]) -> (Vec<Lame>, Option<Vec<u16>>) {
        let mut table: Vec<Lame> = self.table.iter().map(Material::lame).collect();
        if self.index.is_empty() && flat.is_empty() {
            return (table, None);
        }
        let mut index = self.index.clone();
        index.resize(cells, 0);
        for &cell in flat {
            index[cell as usize] = table.len() as u16;
        }
        table.push(Lame::default());
        (table, Some(index))
    }
}
