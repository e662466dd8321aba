//! From one whole exchange to events (model §1, §2, §7).
//!
//! Pure: an exchange in, events out; knows no file and no thread.
//!
//! | module | what |
//! |---|---|
//! | [`facts`] | the exchange looked at once: method, path, headers, client, trace |
//! | [`fetch`] | a GET that is a card fetch, or may be one |
//! | [`calls`] | what was asked: JSON-RPC (single, batch), a route of HTTP+JSON, a bare method name |
//! | [`answer`] | what came back: one body, or the pieces of a stream |
//! | [`attempt`] | a call and its answer, as an attempt |
//! | [`objects`] | tasks, updates and artifacts of an answer, each with its time |

mod answer;
mod attempt;
mod calls;
pub(in crate::exchange) mod facts;
mod fetch;
mod objects;
mod times;

#[cfg(test)]
mod tests;

use super::Exchange;
use crate::a2a::artifact::ArtifactRules;
use crate::a2a::json::lossy;
use crate::a2a::method::Operation;
use crate::a2a::pointer::Pointer;
use crate::config::Config;
use crate::event::Event;
use crate::problem::{Kind, Problem};
use answer::Answer;
use facts::Facts;
use jiff::tz::TimeZone;

/// The settings that act on exchanges, made ready once.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The request header that names the client.
    pub client_header: Option<String>,
    /// Where artifacts state their schema and digest.
    pub artifact: ArtifactRules,
    /// Where messages state their skill; `None`: the default rules.
    pub skill: Option<Vec<Pointer>>,
    /// The zone of times without one; `None`: UTC.
    pub assume_zone: Option<TimeZone>,
}

impl Rules {
    /// Takes them from the settings. A pointer that is none was refused when the configuration was
    /// read, and is passed over here.
    pub fn of(config: &Config, assume_zone: Option<&TimeZone>) -> Self {
        let pointers = |texts: &Option<Vec<String>>| {
            texts.as_ref().map(|texts| texts.iter().filter_map(|text| text.parse().ok()).collect())
        };
        Self {
            client_header: config.client.header.clone(),
            artifact: ArtifactRules {
                schema: pointers(&config.extract.artifact_schema),
                digest: pointers(&config.extract.digest),
            },
            skill: pointers(&config.extract.skill),
            assume_zone: assume_zone.cloned(),
        }
    }
}

/// What an exchange says.
#[derive(Debug, Clone, Default)]
pub struct Derived {
    /// In the order of the exchange: what was asked, then what came back.
    pub events: Vec<Event<'static>>,
    /// What is wrong or assumed.
    pub problems: Vec<Problem>,
}

impl Derived {
    /// Adds a problem of the whole record.
    fn note(&mut self, exchange: &Exchange<'_>, kind: Kind, detail: &'static str) {
        self.problems.push(Problem::new(kind, exchange.at, detail));
    }
}

/// Makes the events of a whole exchange. An exchange that holds nothing of A2A gives none.
pub fn derive(exchange: &Exchange<'_>, rules: &Rules) -> Derived {
    let mut derived = Derived::default();
    let facts = Facts::of(exchange, rules);
    if let Some(fetch) = fetch::of_get(exchange, &facts) {
        fetch::note_missing(exchange, &fetch, &mut derived);
        derived.events.push(Event::Card(fetch));
        return derived;
    }
    let request = exchange.request_body.as_deref().map(lossy);
    let calls = calls::of(exchange, &facts, request.as_deref());
    if calls.iter().all(|call| call.operation == Operation::Unknown)
        && let Some(posted) = request.as_deref().and_then(|text| objects::posted(text, exchange))
    {
        objects::push(posted, &facts.to_client(), exchange, rules, &mut derived);
        return derived;
    }
    let texts = answer::texts(exchange, &facts);
    let answer = Answer::of(&texts, exchange, &facts);
    if calls.is_empty() && answer.is_empty() {
        return derived;
    }
    for call in &calls {
        if call.operation == Operation::ExtendedCard {
            derived.events.extend(fetch::of_call(exchange, &facts, &texts).map(Event::Card));
        } else if call.operation.is_attempt() {
            let only = calls.len() == 1;
            let attempt = attempt::of(call, only, &answer, exchange, &facts, rules);
            attempt::note(call, &attempt, &answer, exchange, &mut derived);
            derived.events.push(Event::Attempt(attempt));
        }
    }
    let fallback = calls.iter().find_map(|call| call.task_id.clone());
    let objects = objects::answered(&answer, &calls, fallback, exchange);
    objects::push(objects, &facts.common, exchange, rules, &mut derived);
    if calls.is_empty() && facts.method == "POST" && !exchange.bare {
        derived.note(exchange, Kind::MissingBody, "the body of the request is not on record");
    }
    derived
}
