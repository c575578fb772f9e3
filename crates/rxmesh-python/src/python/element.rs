//! Types of the elements of arrays.

/// Type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

macro_rules! tables {
    ($($name:ident $type:ident $short:literal $long:literal $code:literal,)*) => {
        impl ElementType {
            const ALL: &'static [ElementType] = &[$(ElementType::$name),*];

            /// Returns the number of bytes of an element.
            pub(super) const fn bytes(self) -> usize {
                match self {
                    $(ElementType::$name => size_of::<$type>(),)*
                }
            }

            /// Returns the name in array interfaces, without the order of bytes.
            pub(super) const fn short(self) -> &'static str {
                match self {
                    $(ElementType::$name => $short,)*
                }
            }

            /// Returns the name in numpy.
            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(ElementType::$name => $long,)*
                }
            }

            /// Returns code and bits in DLPack.
            pub(super) const fn dlpack(self) -> (u8, u8) {
                match self {
                    $(ElementType::$name => ($code, 8 * size_of::<$type>() as u8),)*
                }
            }
        }
    };
}
// Name, type in Rust, names in array interfaces and in numpy, code in DLPack.
tables! {
    Bool u8 "b1" "bool" 6,
    I8 i8 "i1" "int8" 0,
    I16 i16 "i2" "int16" 0,
    I32 i32 "i4" "int32" 0,
    I64 i64 "i8" "int64" 0,
    U8 u8 "u1" "uint8" 1,
    U16 u16 "u2" "uint16" 1,
    U32 u32 "u4" "uint32" 1,
    U64 u64 "u8" "uint64" 1,
    F32 f32 "f4" "float32" 2,
    F64 f64 "f8" "float64" 2,
}

impl ElementType {
    /// Returns the type of a name in array interfaces, such as `<f4`; `None` for others and for another order of bytes.
    pub(super) fn of_typestr(text: &str) -> Option<ElementType> {
        let (order, short) = text.split_at_checked(1)?;
        let native = match cfg!(target_endian = "little") {
            true => "<",
            false => ">",
        };
        let of = |t: &&ElementType| t.short() == short && (order == native || order == "|");
        Self::ALL.iter().find(of).copied()
    }

    /// Returns the type of code and bits in DLPack.
    pub(super) fn of_dlpack(code: u8, bits: u8) -> Option<ElementType> {
        Self::ALL
            .iter()
            .find(|t| t.dlpack() == (code, bits))
            .copied()
    }

    /// Returns `true` for whole numbers of 32 and 64 bits.
    pub(super) fn is_index(self) -> bool {
        use ElementType::{I32, I64, U32, U64};
        matches!(self, I32 | I64 | U32 | U64)
    }

    /// Returns a whole number of 32 or 64 bits, of its lower and higher word; the higher one of 32 bits is 0.
    pub(super) fn number(self, [low, high]: [u32; 2]) -> i128 {
        let bits = u64::from(high) << 32 | u64::from(low);
        match self {
            ElementType::I32 => i128::from(low.cast_signed()),
            ElementType::I64 => i128::from(bits.cast_signed()),
            _ => i128::from(bits),
        }
    }

    /// Returns the name in array interfaces.
    pub(super) fn typestr(self) -> String {
        let order = match (self.bytes(), cfg!(target_endian = "little")) {
            (1, _) => '|',
            (_, true) => '<',
            (_, false) => '>',
        };
        format!("{order}{}", self.short())
    }
}
