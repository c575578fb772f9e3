//! Options: the trait, the checks of numbers, and a method that changes some of them.

use crate::Error;
use crate::units::InUnits;

/// Gives an option struct a method that changes some of its fields, for programs that name only those.
macro_rules! changeable {
    ($options:ty) => {
        impl $options {
            /// Returns the same options with some changed: `Options::default().with(|o| o.seed = 7)`.
            #[must_use]
            pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
                change(&mut self);
                self
            }
        }
    };
}

/// Options of an algorithm. Their lengths and other numbers with a unit are declared ([`units!`](crate::units!)), so
/// that they can be converted.
pub trait Options: InUnits {
    /// Refuses numbers that are out of range on every mesh. Algorithms do so themselves, before anything is changed; a
    /// program may want to know before it reads a mesh.
    ///
    /// # Errors
    ///
    /// [`Error::Options`], which gives the fault and the possible values.
    fn check(&self) -> Result<(), Error>;
}

/// Options of an algorithm that has none.
impl Options for () {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Refuses an option that is not a finite number above zero.
pub(crate) fn positive(name: &str, v: f64) -> Result<(), Error> {
    if v > 0.0 && v.is_finite() {
        return Ok(());
    }
    Err(Error::Options(format!(
        "{name} is {v}, but must be a positive number"
    )))
}

/// Most cells of a grid along the longest side of a mesh's box.
pub(crate) const MOST_CELLS: u32 = 4096;

/// Refuses options of a grid around a mesh: a number of cells along the longest side that is out of range, a side of a
/// cell that is not positive.
pub(crate) fn cells_around(resolution: u32, fewest: u32, cell: Option<f64>) -> Result<(), Error> {
    if !(fewest..=MOST_CELLS).contains(&resolution) {
        return Err(Error::Options(format!(
            "the resolution is {resolution}, but must be from {fewest} to {MOST_CELLS} cells"
        )));
    }
    cell.map_or(Ok(()), |cell| positive("the side of a cell (cell)", cell))
}

/// Refuses an option that is not a finite number, or below zero.
pub(crate) fn not_negative(name: &str, v: f64) -> Result<(), Error> {
    if v >= 0.0 && v.is_finite() {
        return Ok(());
    }
    Err(Error::Options(format!(
        "{name} is {v}, but must be a finite number, 0 or more"
    )))
}
