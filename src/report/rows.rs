//! The rows of an answer as values: what every format of output prints from.
//!
//! Knows Arrow's types and nothing of what a column means. A value that a number format cannot hold
//! (NaN, an infinity) is unknown; a hash or any other binary value is lower-case hex; a list is sorted.

use arrow::array::{Array, ArrayAccessor, AsArray, OffsetSizeTrait, RecordBatch};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Decimal128Type, Decimal256Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, Schema, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// Rows to print: a schema and its batches, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Names and types of the columns.
    pub schema: &'a Schema,
    /// The rows.
    pub batches: &'a [RecordBatch],
}

impl<'a> View<'a> {
    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the columns, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        self.schema.fields().iter().map(|f| f.name().as_str())
    }

    /// Calls `each` with the values of every row, in order, until it fails.
    pub fn for_each_row<E>(
        &self,
        mut each: impl FnMut(&[Value<'a>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut row = Vec::with_capacity(self.schema.fields().len());
        for batch in self.batches {
            let columns: Vec<Reader<'a>> =
                batch.columns().iter().map(|c| reader(c.as_ref())).collect();
            for i in 0..batch.num_rows() {
                row.clear();
                row.extend(columns.iter().map(|read| read(i)));
                each(&row)?;
            }
        }
        Ok(())
    }
}

/// One value of one row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Unknown.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that may be too large for `Int`.
    UInt(u64),
    /// A finite number.
    Float(f64),
    /// The digits of a decimal number.
    Decimal(String),
    /// A UTC instant, nanoseconds since 1970.
    Time(i128),
    /// A text.
    Text(Cow<'a, str>),
    /// Values in order (see [`Value::compare`]).
    List(Vec<Value<'a>>),
    /// Named values.
    Object(Vec<(&'a str, Value<'a>)>),
}

impl Value<'_> {
    /// Whether it is unknown.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The order in which lists are printed: numbers by size, texts bytewise, unknown last.
    pub fn compare(&self, other: &Self) -> Ordering {
        let kind = |v: &Self| match v {
            Self::Bool(_) => 0,
            Self::Int(_) | Self::UInt(_) | Self::Float(_) => 1,
            Self::Decimal(_) => 2,
            Self::Time(_) => 3,
            Self::Text(_) => 4,
            Self::List(_) => 5,
            Self::Object(_) => 6,
            Self::Null => 7,
        };
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::UInt(a), Self::UInt(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => a.total_cmp(b),
            (Self::Decimal(a), Self::Decimal(b)) => a.cmp(b),
            (Self::Time(a), Self::Time(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::List(a), Self::List(b)) => a
                .iter()
                .zip(b)
                .map(|(x, y)| x.compare(y))
                .find(|o| o.is_ne())
                .unwrap_or_else(|| a.len().cmp(&b.len())),
            (a, b) => kind(a).cmp(&kind(b)),
        }
    }
}

/// Reads the value at a row of a column.
type Reader<'a> = Box<dyn Fn(usize) -> Value<'a> + 'a>;

/// What reads the values of a column, whatever its type.
fn reader<'a>(array: &'a dyn Array) -> Reader<'a> {
    match array.data_type() {
        DataType::Null => Box::new(|_| Value::Null),
        DataType::Boolean => values(array.as_boolean(), Value::Bool),
        DataType::Int8 => numbers::<Int8Type>(array, |v| Value::Int(v.into())),
        DataType::Int16 => numbers::<Int16Type>(array, |v| Value::Int(v.into())),
        DataType::Int32 => numbers::<Int32Type>(array, |v| Value::Int(v.into())),
        DataType::Int64 => numbers::<Int64Type>(array, Value::Int),
        DataType::UInt8 => numbers::<UInt8Type>(array, |v| Value::UInt(v.into())),
        DataType::UInt16 => numbers::<UInt16Type>(array, |v| Value::UInt(v.into())),
        DataType::UInt32 => numbers::<UInt32Type>(array, |v| Value::UInt(v.into())),
        DataType::UInt64 => numbers::<UInt64Type>(array, Value::UInt),
        DataType::Float32 => numbers::<Float32Type>(array, |v| {
            // By way of its shortest text, so that 0.1 stays 0.1.
            v.to_string().parse().map_or(Value::Null, float)
        }),
        DataType::Float64 => numbers::<Float64Type>(array, float),
        DataType::Decimal128(..) => {
            let decimals = array.as_primitive::<Decimal128Type>();
            nullable(array, move |i| Value::Decimal(decimals.value_as_string(i)))
        }
        DataType::Decimal256(..) => {
            let decimals = array.as_primitive::<Decimal256Type>();
            nullable(array, move |i| Value::Decimal(decimals.value_as_string(i)))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            numbers::<TimestampNanosecondType>(array, |v| Value::Time(v.into()))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            numbers::<TimestampMicrosecondType>(array, |v| Value::Time(i128::from(v) * 1_000))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            numbers::<TimestampMillisecondType>(array, |v| Value::Time(i128::from(v) * 1_000_000))
        }
        DataType::Timestamp(TimeUnit::Second, _) => {
            numbers::<TimestampSecondType>(array, |v| Value::Time(i128::from(v) * 1_000_000_000))
        }
        DataType::Utf8 => values(array.as_string::<i32>(), text),
        DataType::LargeUtf8 => values(array.as_string::<i64>(), text),
        DataType::Utf8View => values(array.as_string_view(), text),
        DataType::Binary => values(array.as_binary::<i32>(), hex),
        DataType::LargeBinary => values(array.as_binary::<i64>(), hex),
        DataType::BinaryView => values(array.as_binary_view(), hex),
        DataType::FixedSizeBinary(_) => values(array.as_fixed_size_binary(), hex),
        DataType::List(_) => lists::<i32>(array),
        DataType::LargeList(_) => lists::<i64>(array),
        DataType::Dictionary(..) => dictionary(array),
        DataType::Struct(fields) => {
            let columns: Vec<(&'a str, Reader<'a>)> = fields
                .iter()
                .zip(array.as_struct().columns())
                .map(|(field, column)| (field.name().as_str(), reader(column.as_ref())))
                .collect();
            nullable(array, move |i| {
                Value::Object(columns.iter().map(|(name, read)| (*name, read(i))).collect())
            })
        }
        _ => formatted(array),
    }
}

fn nullable<'a>(array: &'a dyn Array, read: impl Fn(usize) -> Value<'a> + 'a) -> Reader<'a> {
    Box::new(move |i| if array.is_null(i) { Value::Null } else { read(i) })
}

fn values<'a, A>(array: A, make: fn(A::Item) -> Value<'a>) -> Reader<'a>
where
    A: ArrayAccessor + 'a,
{
    Box::new(move |i| if array.is_null(i) { Value::Null } else { make(array.value(i)) })
}

fn numbers<'a, T: ArrowPrimitiveType>(
    array: &'a dyn Array,
    make: fn(T::Native) -> Value<'a>,
) -> Reader<'a> {
    values(array.as_primitive::<T>(), make)
}

fn text(v: &str) -> Value<'_> {
    Value::Text(Cow::Borrowed(v))
}

fn hex<'a>(v: &[u8]) -> Value<'a> {
    let mut digits = String::with_capacity(v.len() * 2);
    for byte in v {
        let _ = write!(digits, "{byte:02x}");
    }
    Value::Text(Cow::Owned(digits))
}

fn float<'a>(v: f64) -> Value<'a> {
    if v.is_finite() {
        // Minus zero is zero.
        Value::Float(v + 0.0)
    } else {
        Value::Null
    }
}

fn lists<'a, O: OffsetSizeTrait>(array: &'a dyn Array) -> Reader<'a> {
    let list = array.as_list::<O>();
    let read = reader(list.values().as_ref());
    nullable(array, move |i| {
        let mut range = list.value_offsets().iter().skip(i).map(|o| o.as_usize());
        let (start, end) = (range.next().unwrap_or(0), range.next().unwrap_or(0));
        let mut items: Vec<Value<'a>> = (start..end).map(&read).collect();
        items.sort_by(Value::compare);
        Value::List(items)
    })
}

fn dictionary(array: &dyn Array) -> Reader<'_> {
    let dictionary = array.as_any_dictionary();
    if dictionary.values().is_empty() {
        return Box::new(|_| Value::Null);
    }
    let keys = dictionary.normalized_keys();
    let read = reader(dictionary.values().as_ref());
    nullable(array, move |i| keys.get(i).map_or(Value::Null, |key| read(*key)))
}

/// Dates, durations and whatever else SQL may give, as Arrow spells them.
fn formatted(array: &dyn Array) -> Reader<'_> {
    static OPTIONS: FormatOptions<'static> = FormatOptions::new();
    match ArrayFormatter::try_new(array, &OPTIONS) {
        Ok(formatter) => nullable(array, move |i| {
            formatter.value(i).try_to_string().map_or(Value::Null, |s| Value::Text(Cow::Owned(s)))
        }),
        Err(_) => Box::new(|_| Value::Null),
    }
}

/// Writes an instant as RFC 3339 in UTC, without superfluous zeros in the fraction.
///
/// An instant that no four-digit year can tell is written as its nanoseconds.
pub fn rfc3339(ns: i128) -> String {
    match jiff::Timestamp::from_nanosecond(ns) {
        Ok(time) => time.to_string(),
        Err(_) => ns.to_string(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use arrow::array::{
        ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float32Array, Float64Array,
        Int32Array, Int64Array, ListBuilder, NullArray, StringArray, StringBuilder,
        StringViewArray, TimestampMillisecondArray, TimestampNanosecondArray, UInt64Array,
    };
    use arrow::datatypes::Int32Type;
    use std::sync::Arc;

    /// A batch with a row for each printable kind of value and one of unknowns.
    pub(in crate::report) fn batch() -> RecordBatch {
        let mut list = ListBuilder::new(StringBuilder::new());
        list.append_value([Some("b"), None, Some("a")]);
        list.append_null();
        let dictionary: DictionaryArray<Int32Type> = vec![Some("r1"), None].into_iter().collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", Arc::new(StringArray::from(vec![Some("a \"b\""), None]))),
            ("view", Arc::new(StringViewArray::from(vec![Some("=1+1"), None]))),
            ("dict", Arc::new(dictionary)),
            ("int", Arc::new(Int64Array::from(vec![Some(-3), None]))),
            ("uint", Arc::new(UInt64Array::from(vec![Some(u64::MAX), None]))),
            ("ratio", Arc::new(Float64Array::from(vec![Some(0.1), Some(f64::NAN)]))),
            ("single", Arc::new(Float32Array::from(vec![Some(0.1), Some(f32::INFINITY)]))),
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None]))),
            (
                "at",
                Arc::new(
                    TimestampNanosecondArray::from(vec![Some(1_794_643_201_500_000_000), None])
                        .with_timezone("UTC"),
                ),
            ),
            ("ms", Arc::new(TimestampMillisecondArray::from(vec![Some(-1), Some(0)]))),
            ("day", Arc::new(Date32Array::from(vec![Some(20_771), None]))),
            ("list", Arc::new(list.finish())),
            ("none", Arc::new(NullArray::new(2))),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
            .unwrap()
    }

    fn rows(batch: &RecordBatch) -> Vec<Vec<Value<'_>>> {
        let mut rows = Vec::new();
        let schema = batch.schema_ref();
        let view = View { schema, batches: std::slice::from_ref(batch) };
        view.for_each_row(|r| -> Result<(), ()> {
            rows.push(r.to_vec());
            Ok(())
        })
        .unwrap();
        rows
    }

    #[test]
    fn every_type_is_read() {
        let batch = batch();
        let rows = rows(&batch);
        let text = |s: &'static str| Value::Text(Cow::Borrowed(s));
        assert_eq!(
            rows[0],
            vec![
                text("a \"b\""),
                text("=1+1"),
                text("r1"),
                Value::Int(-3),
                Value::UInt(u64::MAX),
                Value::Float(0.1),
                Value::Float(0.1),
                Value::Bool(true),
                Value::Time(1_794_643_201_500_000_000),
                Value::Time(-1_000_000),
                text("2026-11-14"),
                Value::List(vec![text("a"), text("b"), Value::Null]),
                Value::Null,
            ]
        );
        let unknown = rows[1].iter().filter(|v| v.is_null()).count();
        assert_eq!((unknown, &rows[1][9]), (12, &Value::Time(0)));
    }

    #[test]
    fn a_sliced_list_and_dictionary_keep_their_offsets() {
        let batch = batch().slice(1, 1);
        let rows = rows(&batch);
        assert!(rows[0][2].is_null() && rows[0][11].is_null());
        let keys = Int32Array::from(vec![Some(0), None]);
        let empty = DictionaryArray::new(
            Int32Array::from(vec![None::<i32>; keys.len()]),
            Arc::new(StringArray::from(Vec::<&str>::new())),
        );
        assert!(reader(&empty)(0).is_null());
    }

    #[test]
    fn times_have_no_superfluous_zeros() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(1_794_643_201_500_000_000), "2026-11-14T08:00:01.5Z");
        assert_eq!(rfc3339(1), "1970-01-01T00:00:00.000000001Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(rfc3339(i64::MAX.into()), "2262-04-11T23:47:16.854775807Z");
        assert_eq!(rfc3339(i128::MAX), i128::MAX.to_string());
    }
}
