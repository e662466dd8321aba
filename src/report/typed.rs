//! Rows as structs: each field by the name of its column, times as nanoseconds.

use super::rows::{Value, View};
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Reads each row into a `T`; columns that `T` does not name are passed over.
///
/// Fails when a column is missing or holds another type than `T` wants.
pub fn read<T: DeserializeOwned>(view: View<'_>) -> Result<Vec<T>, Error> {
    let names: Vec<&str> = view.names().collect();
    let mut rows = Vec::with_capacity(view.len());
    view.for_each_row(|row| {
        let fields = names.iter().copied().zip(row.iter().cloned());
        rows.push(T::deserialize(MapDeserializer::new(fields))?);
        Ok(())
    })?;
    Ok(rows)
}

impl IntoDeserializer<'_, Error> for Value<'_> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(v) => visitor.visit_bool(v),
            Self::Int(v) => visitor.visit_i64(v),
            Self::UInt(v) => visitor.visit_u64(v),
            Self::Float(v) => visitor.visit_f64(v),
            Self::Decimal(digits) => visitor.visit_f64(digits.parse().map_err(Error::custom)?),
            Self::Time(ns) => visitor.visit_i64(i64::try_from(ns).map_err(Error::custom)?),
            Self::Text(v) => visitor.visit_str(&v),
            Self::List(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter())),
            Self::Object(fields) => visitor.visit_map(MapDeserializer::new(fields.into_iter())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::batch;
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Row {
        text: Option<String>,
        int: Option<i64>,
        ratio: Option<f64>,
        at: Option<i64>,
        list: Option<Vec<Option<String>>>,
    }

    #[test]
    fn columns_become_fields() {
        let batch = batch();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
        let rows: Vec<Row> = read(view).unwrap();
        assert_eq!(
            rows,
            [
                Row {
                    text: Some("a \"b\"".to_owned()),
                    int: Some(-3),
                    ratio: Some(0.1),
                    at: Some(1_794_643_201_500_000_000),
                    list: Some(vec![Some("a".to_owned()), Some("b".to_owned()), None]),
                },
                Row { text: None, int: None, ratio: None, at: None, list: None },
            ]
        );
    }

    #[test]
    fn a_missing_column_is_told() {
        #[derive(Debug, Deserialize)]
        struct Other {
            #[expect(dead_code, reason = "only its name matters here")]
            lag_s: i64,
        }
        let batch = batch();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
        let error = read::<Other>(view).unwrap_err();
        assert!(error.to_string().contains("lag_s"), "{error}");
    }
}
