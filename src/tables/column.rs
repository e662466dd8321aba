//! What a column can hold, and how a table is declared once.

use arrow::array::{
    Array, ArrayBuilder, ArrayRef, AsArray, BooleanBuilder, Float64Builder, Int64Builder,
    ListBuilder, StringBuilder, TimestampNanosecondBuilder,
};
use arrow::datatypes::{DataType, Field, TimeUnit};
use std::fmt;
use std::sync::Arc;

/// A kind of column: what a row gives and what is built of it.
pub trait Kind {
    /// What a row holds.
    type Value<'a>: fmt::Debug + Clone;
    /// What builds the array.
    type Builder: ArrayBuilder + Begin;
    /// Appends one value.
    fn append(builder: &mut Self::Builder, value: Self::Value<'_>);
    /// Writes the value down so that two values give the same bytes only when they are equal.
    fn mark(value: &Self::Value<'_>, out: &mut Vec<u8>);
    /// The Arrow type.
    fn data_type() -> DataType;
    /// Whether a value may be missing.
    const NULLABLE: bool;
}

/// How a builder begins.
pub trait Begin {
    /// An empty builder.
    fn empty() -> Self;
    /// An empty builder with room for what an array holds: chunks are much alike.
    fn like(array: &ArrayRef) -> Self;
}

impl Begin for StringBuilder {
    fn empty() -> Self {
        Self::new()
    }
    fn like(array: &ArrayRef) -> Self {
        let bytes = array.as_string_opt::<i32>().map_or(0, |texts| texts.value_data().len());
        Self::with_capacity(array.len(), bytes)
    }
}
impl Begin for BooleanBuilder {
    fn empty() -> Self {
        Self::new()
    }
    fn like(array: &ArrayRef) -> Self {
        Self::with_capacity(array.len())
    }
}
impl Begin for Int64Builder {
    fn empty() -> Self {
        Self::new()
    }
    fn like(array: &ArrayRef) -> Self {
        Self::with_capacity(array.len())
    }
}
impl Begin for Float64Builder {
    fn empty() -> Self {
        Self::new()
    }
    fn like(array: &ArrayRef) -> Self {
        Self::with_capacity(array.len())
    }
}
impl Begin for TimestampNanosecondBuilder {
    fn empty() -> Self {
        Self::new().with_timezone("UTC")
    }
    fn like(array: &ArrayRef) -> Self {
        Self::with_capacity(array.len()).with_timezone("UTC")
    }
}
impl Begin for ListBuilder<StringBuilder> {
    fn empty() -> Self {
        Self::new(StringBuilder::new()).with_field(Field::new_list_field(DataType::Utf8, true))
    }
    fn like(array: &ArrayRef) -> Self {
        Self::with_capacity(StringBuilder::new(), array.len())
            .with_field(Field::new_list_field(DataType::Utf8, true))
    }
}

/// A value that can be written down for comparison.
trait Mark {
    fn mark(&self, out: &mut Vec<u8>);
}

impl Mark for i64 {
    fn mark(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}
impl Mark for f64 {
    fn mark(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_bits().to_le_bytes());
    }
}
impl Mark for bool {
    fn mark(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}
impl Mark for &str {
    fn mark(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.len() as u64).to_le_bytes());
        out.extend_from_slice(self.as_bytes());
    }
}
impl Mark for &[&str] {
    fn mark(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.len() as u64).to_le_bytes());
        self.iter().for_each(|text| text.mark(out));
    }
}
impl<T: Mark> Mark for Option<T> {
    fn mark(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.mark(out);
        }
    }
}

macro_rules! kind {
    ($(#[$doc:meta])* $name:ident, $value:ty, $builder:ty, $nullable:literal, $data_type:expr, |$b:ident, $v:ident| $append:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;
        impl Kind for $name {
            type Value<'a> = $value;
            type Builder = $builder;
            fn append($b: &mut Self::Builder, $v: Self::Value<'_>) {
                $append;
            }
            fn mark(value: &Self::Value<'_>, out: &mut Vec<u8>) {
                value.mark(out);
            }
            fn data_type() -> DataType {
                $data_type
            }
            const NULLABLE: bool = $nullable;
        }
    };
}

fn time_type() -> DataType {
    DataType::Timestamp(TimeUnit::Nanosecond, Some(Arc::from("UTC")))
}

kind!(/// A UTC instant in nanoseconds.
    Time, i64, TimestampNanosecondBuilder, false, time_type(), |b, v| b.append_value(v));
kind!(/// A UTC instant in nanoseconds, or unknown.
    MaybeTime, Option<i64>, TimestampNanosecondBuilder, true, time_type(), |b, v| b.append_option(v));
kind!(/// A text.
    Text, &'a str, StringBuilder, false, DataType::Utf8, |b, v| b.append_value(v));
kind!(/// A text, or unknown.
    MaybeText, Option<&'a str>, StringBuilder, true, DataType::Utf8, |b, v| b.append_option(v));
kind!(/// Yes or no.
    Flag, bool, BooleanBuilder, false, DataType::Boolean, |b, v| b.append_value(v));
kind!(/// Yes, no, or unknown.
    MaybeFlag, Option<bool>, BooleanBuilder, true, DataType::Boolean, |b, v| b.append_option(v));
kind!(/// A number.
    Int, i64, Int64Builder, false, DataType::Int64, |b, v| b.append_value(v));
kind!(/// A number, or unknown.
    MaybeInt, Option<i64>, Int64Builder, true, DataType::Int64, |b, v| b.append_option(v));
kind!(/// A number from 0 to 1, or unknown.
    MaybeRatio, Option<f64>, Float64Builder, true, DataType::Float64, |b, v| b.append_option(v));
kind!(/// Texts, or unknown.
MaybeTexts, Option<&'a [&'a str]>, ListBuilder<StringBuilder>, true,
DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
|b, v| match v {
    Some(texts) => { for t in texts { b.values().append_value(t); } b.append(true); }
    None => b.append(false),
});

/// One column as the catalogue prints it.
#[derive(Debug, Clone)]
pub struct Column {
    /// `snake_case`, units last.
    pub name: &'static str,
    /// What it says.
    pub doc: &'static str,
    /// Its Arrow type.
    pub data_type: DataType,
    /// Whether a value may be missing.
    pub nullable: bool,
}

/// Builds the array of a builder, which is empty again, with room for as much.
pub fn finish<B: ArrayBuilder + Begin>(builder: &mut B) -> ArrayRef {
    let array = ArrayBuilder::finish(builder);
    *builder = B::like(&array);
    array
}

/// Declares a table: its name, its row, its builder, its schema and the docs of its columns.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $table_doc:literal])*
        $name:literal, $row:ident, $builder:ident {
            $( $(#[doc = $doc:literal])+ $column:ident : $kind:ident, )*
        }
    ) => {
        $(#[doc = $table_doc])*
        /// One row.
        #[derive(Debug, Clone)]
        pub struct $row<'a> {
            $( $(#[doc = $doc])+ pub $column: <$crate::tables::column::$kind as $crate::tables::column::Kind>::Value<'a>, )*
        }

        impl $row<'_> {
            /// Writes down everything but where the row came from: equal events give equal bytes
            /// (model §1 *Duplicates*).
            pub fn mark(&self, out: &mut Vec<u8>) {
                $( if !matches!(stringify!($column), "source_file" | "source_line" | "source_byte" | "source_event" | "seen_by" | "ingest") {
                    <$crate::tables::column::$kind as $crate::tables::column::Kind>::mark(&self.$column, out);
                } )*
            }
        }

        /// Builds the columns.
        #[derive(Debug)]
        pub struct $builder {
            $( $column: <$crate::tables::column::$kind as $crate::tables::column::Kind>::Builder, )*
            rows: usize,
        }

        impl Default for $builder {
            fn default() -> Self {
                Self { $( $column: $crate::tables::column::Begin::empty(), )* rows: 0 }
            }
        }

        impl $builder {
            /// The table's name.
            pub const NAME: &'static str = $name;

            /// Appends a row.
            pub fn push(&mut self, row: &$row<'_>) {
                $( <$crate::tables::column::$kind as $crate::tables::column::Kind>::append(&mut self.$column, row.$column.clone()); )*
                self.rows += 1;
            }

            /// How many rows it holds.
            pub fn len(&self) -> usize {
                self.rows
            }

            /// Whether it holds no row.
            pub fn is_empty(&self) -> bool {
                self.rows == 0
            }

            /// The columns with their docs.
            pub fn columns() -> Vec<$crate::tables::column::Column> {
                vec![$( $crate::tables::column::Column {
                    name: stringify!($column),
                    doc: concat!($($doc),+).trim_ascii(),
                    data_type: <$crate::tables::column::$kind as $crate::tables::column::Kind>::data_type(),
                    nullable: <$crate::tables::column::$kind as $crate::tables::column::Kind>::NULLABLE,
                } ),*]
            }

            /// The Arrow schema.
            pub fn schema() -> arrow::datatypes::SchemaRef {
                $crate::tables::schema_of($name, &Self::columns())
            }

            /// The batch of all rows pushed since the last call; the builder is empty again.
            pub fn finish(&mut self) -> Result<arrow::array::RecordBatch, arrow::error::ArrowError> {
                self.rows = 0;
                arrow::array::RecordBatch::try_new(
                    Self::schema(),
                    vec![$( $crate::tables::column::finish(&mut self.$column) ),*],
                )
            }
        }
    };
}
