//! JSON lines of another program's shape, read as a `[[mapping]]` of the configuration (or a preset)
//! says. See `interface.md` for the keys.
//!
//! | module | what |
//! |---|---|
//! | [`scan`] | one walk over the record's text for the pointers of all mappings |
//! | [`values`], [`headers`] | what the fields of the mapping that matched say |
//! | [`exchange`], [`event`], [`object`] | what is made of them |
//! | [`text`] | the same behind a text on the line |

pub mod event;
pub mod exchange;
pub mod headers;
pub mod object;
pub mod scan;
pub mod text;
pub mod values;

use std::sync::LazyLock;

use crate::config::mapping::{Condition, Field, Mapping, Mappings};
use crate::exchange::Exchange;
use crate::problem::{At, Kind, Problem};

use super::{Context, Format, Framing, Sink};
use scan::Hits;
use values::{Values, text_of};

/// The mappings that are built in, after those of the configuration.
pub static PRESETS: LazyLock<Mappings> = LazyLock::new(|| {
    #[derive(serde::Deserialize)]
    struct Presets {
        mapping: Mappings,
    }
    toml::from_str(include_str!("../presets.toml"))
        .map_or_else(|_| Mappings::default(), |presets: Presets| presets.mapping)
});

/// The reader of JSON lines with a mapping.
#[derive(Debug)]
pub struct Mapped;

impl Format for Mapped {
    fn name(&self) -> &'static str {
        "mapped"
    }

    fn summary(&self) -> &'static str {
        "JSON lines that a [[mapping]] of the configuration or a preset describes: whatever it names"
    }

    fn framing(&self) -> Framing {
        Framing::JsonLines
    }

    fn recognises(&self, head: &[u8], context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        let mut objects = 0;
        // One document over many lines counts whole.
        let over_lines = text.lines().next().is_some_and(|line| line.trim() == "{");
        let whole = over_lines.then_some(text.as_ref());
        for line in whole.into_iter().chain(text.lines().filter(|line| line.starts_with('{'))) {
            objects += 1;
            for mappings in [&context.config.mapping, &*PRESETS] {
                // The last line of a head may be cut: what stands before the cut counts.
                let (hits, _) = Hits::scan(mappings.plan(), line);
                if mappings.iter().any(|mapping| holds(mapping, &hits)) {
                    return Ok(());
                }
            }
        }
        Err(match (objects, context.config.mapping.len()) {
            (0, _) => "no line is a JSON object".to_owned(),
            (_, 0) => format!(
                "no [[mapping]] is configured, and no preset matches any of the first {objects} JSON lines"
            ),
            (_, configured) => {
                format!(
                    "none of the {configured} [[mapping]] of the configuration matches any of the first {objects} JSON lines"
                )
            }
        })
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let Ok(text) = std::str::from_utf8(record) else {
            return sink.problem(Problem::new(Kind::NotJson, at, "not UTF-8"));
        };
        for mappings in [&context.config.mapping, &*PRESETS] {
            if mappings.is_empty() {
                continue;
            }
            let (hits, whole) = Hits::scan(mappings.plan(), text);
            if let Err(error) = whole {
                return sink.problem(not_json(&error, at));
            }
            if let Some(mapping) = mappings.iter().find(|mapping| holds(mapping, &hits)) {
                return read(mapping, &hits, &Base { at, ..Base::default() }, context, sink);
            }
        }
    }
}

/// What is known of a record before its mapping is asked.
#[derive(Debug, Default)]
pub struct Base<'a> {
    /// Its position.
    pub at: At,
    /// Of a span or log record, what its own fields say.
    pub exchange: Exchange<'a>,
    /// Whether `exchange` has times.
    pub timed: bool,
}

/// Whether a mapping reads this record.
pub fn holds(mapping: &Mapping, hits: &Hits<'_>) -> bool {
    mapping.when.iter().all(|Condition { slots, equals }| {
        slots.iter().filter_map(|slot| hits.first(*slot)).any(|raw| {
            equals.is_empty() || equals.iter().any(|value| *value == text_of(raw.clone()))
        })
    })
}

/// Reads one record with a mapping that holds.
pub fn read<'a>(
    mapping: &Mapping,
    record: &Hits<'a>,
    base: &Base<'a>,
    context: &Context<'_>,
    sink: &mut dyn Sink,
) {
    let Some(each) = mapping.each else {
        return one(&Values { mapping, record, element: None }, base, context, sink);
    };
    let elements: Vec<_> = record.all(each).map(|(_, raw)| raw.clone()).collect();
    let elements = match elements.as_slice() {
        [only] if only.starts_with('[') => {
            values::elements(only).into_iter().map(|(_, raw)| raw).collect()
        }
        _ => elements,
    };
    for raw in &elements {
        let (element, whole) = Hits::scan(&mapping.element, raw);
        if whole.is_ok() {
            one(&Values { mapping, record, element: Some(&element) }, base, context, sink);
        }
    }
}

fn one<'a>(
    values: &Values<'_, '_, 'a>,
    base: &Base<'a>,
    context: &Context<'_>,
    sink: &mut dyn Sink,
) {
    if values.text(Field::Event).is_some() {
        let time = base.timed.then_some(base.exchange.started_at);
        return match event::journal_line(values, time, context) {
            Ok((line, odd)) => {
                odd.tell(base.at, values.mapping.spelled(Field::Time), sink);
                super::journal::Journal.parse(line.as_bytes(), base.at, context, sink);
            }
            Err((field, why)) => {
                sink.problem(exchange::no_time(Some(why), values.mapping, field, base.at));
            }
        };
    }
    let known = Exchange { at: base.at, ..base.exchange.clone() };
    let Some(exchange) = exchange::read(values, known, base.timed, context, sink) else { return };
    if values.mapping.places(Field::A2a).is_empty() {
        sink.exchange(exchange);
    } else {
        object::read(values, &exchange, sink);
    }
}

/// The problem of a record that is not JSON.
pub fn not_json(error: &serde_json::Error, at: At) -> Problem {
    let kind = if error.is_eof() { Kind::TruncatedRecord } else { Kind::NotJson };
    Problem::new(kind, at, format!("line {} column {} of the record", error.line(), error.column()))
}
