//! Cards as registries keep them: catalogues, files with the time in their name, a git history.
//!
//! A snapshot says that a registry began to serve this card at this time, and that nobody fetched it:
//! it becomes a `card_publish` without a claim to authority (`authority: false`), so that it counts as
//! an observation of that registry and binds no client.
//!
//! | module | what |
//! |---|---|
//! | [`catalog`] | AI Catalog and ARD documents |
//! | [`card_file`] | one card a file, with its time in the name or an attribute |
//! | [`history`] | `git fast-export` of a repository of cards |

pub mod card_file;
pub mod catalog;
pub mod history;

pub use card_file::CardFile;
pub use catalog::Catalog;
pub use history::History;

use crate::event::{CardFetch, CardSeen, Common, Event, FetchKind, Text};
use crate::formats::Sink;
use crate::problem::At;

/// Gives one observation to the sink.
fn observe<'a>(
    time: i64,
    registry: Text<'a>,
    url: Option<Text<'a>>,
    card: CardSeen<'a>,
    at: At,
    sink: &mut dyn Sink,
) {
    sink.event(
        at,
        Event::Card(CardFetch {
            common: Common { time, url, ..Common::default() },
            kind: FetchKind::Publish,
            registry: Some(registry),
            status: Some(200),
            card,
            authority: Some(false),
            ..CardFetch::default()
        }),
    );
}

/// The registry that a source stands for when nothing in it names one: its folder, else `snapshots`.
fn registry_of(source: Option<&str>) -> &str {
    let folder = source.and_then(|source| source.rsplit_once('/')).map(|(folder, _)| folder);
    let name = folder.map(|folder| folder.rsplit('/').next().unwrap_or(folder));
    name.filter(|name| !name.is_empty() && !name.chars().all(|c| c == '.')).unwrap_or("snapshots")
}

/// The last part of a source's name.
fn file_name(source: &str) -> &str {
    source.rsplit('/').next().unwrap_or(source)
}
