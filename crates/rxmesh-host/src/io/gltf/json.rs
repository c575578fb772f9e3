//! Values of the JSON with their places in it, which messages name.

use super::super::error::Fault;
use serde_json::{Map, Value};
use std::fmt;

/// An object of JSON.
pub(super) type JsonObject = Map<String, Value>;

/// A list at the top of the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonList {
    pub(super) key: &'static str,
    /// Name of one entry in messages.
    pub(super) one: &'static str,
}

macro_rules! lists {
    ($($name:ident = $key:literal, $one:literal;)+) => {
        $(pub(super) const $name: JsonList = JsonList { key: $key, one: $one };)+
    };
}
lists! {
    ACCESSORS = "accessors", "accessor";
    BUFFERS = "buffers", "buffer";
    MATERIALS = "materials", "material";
    MESHES = "meshes", "mesh";
    NODES = "nodes", "node";
    SCENES = "scenes", "scene";
    SKINS = "skins", "skin";
    VIEWS = "bufferViews", "buffer view";
}

/// Place of an object in the document: `mesh 0 primitive 2`.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonPlace {
    outer: (&'static str, usize),
    inner: Option<(&'static str, usize)>,
}

impl fmt::Display for JsonPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.outer.0, self.outer.1)?;
        match self.inner {
            Some((name, index)) => write!(f, " {name} {index}"),
            None => Ok(()),
        }
    }
}

/// An object and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonItem<'a> {
    pub(super) object: &'a JsonObject,
    pub(super) place: JsonPlace,
}

/// Parses the document.
pub(super) fn parse(json: &[u8]) -> Result<JsonObject, Fault> {
    // Text before the first brace, such as a mark, is none of JSON's.
    let value: Value = serde_json::from_slice(json).map_err(|e| {
        let what = e.to_string();
        let what = match what.strip_prefix("recursion limit exceeded") {
            Some(rest) => format!("values are nested too deeply{rest}"),
            None => what,
        };
        Fault::file(format!("the JSON cannot be read: {what}"))
    })?;
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(Fault::file("the JSON is not an object")),
    }
}

/// Returns a list of the document, empty if there is none.
pub(super) fn list(document: &JsonObject, list: JsonList) -> Result<&[Value], Fault> {
    match document.get(list.key) {
        None => Ok(&[]),
        Some(Value::Array(all)) => Ok(all),
        Some(_) => Err(Fault::file(format!("'{}' is not a list", list.key))),
    }
}

/// Returns the place of an entry of a list.
pub(super) fn place(one: &'static str, index: usize) -> JsonPlace {
    JsonPlace {
        outer: (one, index),
        inner: None,
    }
}

/// Returns an entry of a list of the document.
pub(super) fn item(
    document: &JsonObject,
    of: JsonList,
    index: usize,
) -> Result<JsonItem<'_>, Fault> {
    let all = list(document, of)?;
    match all.get(index) {
        Some(Value::Object(object)) => Ok(JsonItem {
            object,
            place: place(of.one, index),
        }),
        Some(_) => Err(Fault::file(format!("{} {index} is not an object", of.one))),
        None => Err(Fault::file(format!(
            "{} {index} is named, but there are {}",
            of.one,
            all.len()
        ))),
    }
}

/// Returns a whole number that is not negative. `1.0` is one as well.
pub(super) fn whole(value: &Value) -> Option<usize> {
    /// From here on doubles leave out whole numbers.
    const MOST: f64 = (1u64 << 53) as f64;
    let n = match value.as_u64() {
        Some(n) => n,
        None => {
            let x = value.as_f64()?;
            (x.fract() == 0.0 && (0.0..=MOST).contains(&x)).then_some(x as u64)?
        }
    };
    usize::try_from(n).ok()
}

impl<'a> JsonItem<'a> {
    /// Returns a fault of this object.
    pub(super) fn fault(&self, what: impl fmt::Display) -> Fault {
        Fault::file(format!("{}: {what}", self.place))
    }

    fn wrong(&self, key: &str, expected: &str) -> Fault {
        let shown = self.object.get(key).map(|v| {
            let text: String = v.to_string().chars().take(40).collect();
            format!(", not {text}")
        });
        self.fault(format!(
            "'{key}' must be {expected}{}",
            shown.unwrap_or_default()
        ))
    }

    /// Returns a number that counts or names something.
    pub(super) fn index(&self, key: &str) -> Result<Option<usize>, Fault> {
        let Some(value) = self.object.get(key) else {
            return Ok(None);
        };
        let wrong = || self.wrong(key, "a whole number of 0 or more");
        whole(value).map(Some).ok_or_else(wrong)
    }

    /// Works like [`index`](Self::index), for a number that must be there.
    pub(super) fn required(&self, key: &str) -> Result<usize, Fault> {
        let missing = || self.fault(format!("'{key}' is missing"));
        self.index(key)?.ok_or_else(missing)
    }

    /// Returns a text.
    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.object.get(key)?.as_str()
    }

    /// Returns `true` if a flag is there and set.
    pub(super) fn flag(&self, key: &str) -> bool {
        self.object.get(key).and_then(Value::as_bool) == Some(true)
    }

    /// Returns a list of `N` numbers.
    pub(super) fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f64; N]>, Fault> {
        let Some(value) = self.object.get(key) else {
            return Ok(None);
        };
        let wrong = || self.wrong(key, &format!("{N} numbers"));
        let all = value
            .as_array()
            .filter(|a| a.len() == N)
            .ok_or_else(wrong)?;
        let mut numbers = [0.0; N];
        for (number, value) in numbers.iter_mut().zip(all) {
            *number = value.as_f64().ok_or_else(wrong)?;
        }
        Ok(Some(numbers))
    }

    /// Returns an object of this one, with the same place.
    pub(super) fn object(&self, key: &str) -> Result<Option<JsonItem<'a>>, Fault> {
        match self.object.get(key) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(JsonItem {
                object,
                place: self.place,
            })),
            Some(_) => Err(self.wrong(key, "an object")),
        }
    }

    /// Returns the values of a list of this object, empty if there is none.
    pub(super) fn values(&self, key: &str) -> Result<&'a [Value], Fault> {
        match self.object.get(key) {
            None => Ok(&[]),
            Some(Value::Array(all)) => Ok(all),
            Some(_) => Err(self.wrong(key, "a list")),
        }
    }

    /// Returns the objects of a list of this object; `one` is the name of one in messages.
    pub(super) fn items(&self, key: &str, one: &'static str) -> Result<Vec<JsonItem<'a>>, Fault> {
        let all = self.values(key)?.iter().enumerate();
        all.map(|(index, value)| {
            let place = JsonPlace {
                inner: Some((one, index)),
                ..self.place
            };
            match value {
                Value::Object(object) => Ok(JsonItem { object, place }),
                _ => Err(Fault::file(format!("{place} is not an object"))),
            }
        })
        .collect()
    }

    /// Returns an extension of this object.
    pub(super) fn extension(&self, name: &str) -> Result<Option<JsonItem<'a>>, Fault> {
        match self.object("extensions")? {
            Some(all) => all.object(name),
            None => Ok(None),
        }
    }
}
