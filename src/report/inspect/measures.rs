//! What can be measured, by input and in total, and the changes that would make more measurable.

use super::{Contents, Joined};
use crate::report::audit::{Holds, Lack, Measure, Verdict};
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{count, counted};
use crate::report::findings::Source;
use std::collections::{BTreeMap, BTreeSet};

/// What makes inputs alike: format, how far each measure can be taken, and what they lack.
type Kind<'c> = (String, Vec<&'c str>, BTreeSet<Lack>);

/// So many groups of inputs are told.
const GROUPS: usize = 40;

impl Contents {
    /// How far a measure can be taken with all sources: never further than it was taken.
    pub fn judged(&self, measure: Measure) -> Verdict {
        let verdict = measure.judge(&self.total);
        let c = &self.carried;
        let (have, of, lack) = match measure {
            Measure::Bindings => {
                (c.admitted_recorded + c.admitted_by_fetch, c.tasks, Lack::OwnFetches)
            }
            Measure::Corruption => {
                (c.digests_checked, c.artifacts_with_digest, Lack::CheckableDigest)
            }
            _ => return verdict,
        };
        match verdict {
            Verdict::No(_) => verdict,
            _ if have == 0 => Verdict::No(lack),
            Verdict::Yes if have < of => Verdict::Partly(lack),
            _ => verdict,
        }
    }

    /// Whether there is any event.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The format of a source.
    pub(super) fn format(&self, source: &str) -> &str {
        self.sources.iter().find(|s| s.source_file == source).map_or("", |s| s.format.as_str())
    }

    /// One sentence: what can be measured and what not.
    pub(super) fn in_short(&self) -> Prose {
        if self.is_empty() {
            return "There is no event, so nothing can be measured.".into();
        }
        let of = |word: &str| {
            Measure::ALL
                .into_iter()
                .filter(|m| self.judged(*m).word() == word)
                .map(|m| m.title().to_lowercase())
                .collect::<Vec<String>>()
        };
        let told = [("can be measured", of("yes")), ("in part", of("partly")), ("not", of("no"))]
            .into_iter()
            .filter(|(_, measures)| !measures.is_empty())
            .map(|(how, measures)| format!("{how}: {}", measures.join(", ")))
            .collect::<Vec<String>>()
            .join("; ");
        let mut letters = told.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{first}{}.", letters.as_str()).into()
    }

    /// What can be told of all sources together, and what not and why.
    pub(super) fn measures_section(&self) -> Section {
        let mut section = Section::new("What can be measured");
        if self.is_empty() {
            return section;
        }
        for measure in Measure::ALL {
            let verdict = self.judged(measure);
            let mut prose = Prose::new()
                .strong(format!("{}: {}", measure.title(), verdict.word()))
                .say(", ")
                .say(self.evidence(measure));
            if let Some(lack) = verdict.lack() {
                prose = prose.say(format!("; {}", lack.why()));
            }
            section.item(prose.say("."));
        }
        section
    }

    /// The counts that a measure rests on.
    pub fn evidence(&self, measure: Measure) -> String {
        let (c, h) = (&self.carried, &self.total);
        match measure {
            Measure::Bindings => format!(
                "{} of {} have a known card ({} recorded, {} by the client's fetch); {} of {} and {} of {} \
                 state a schema version",
                count(c.admitted_recorded + c.admitted_by_fetch),
                counted(c.tasks, "task", "tasks"),
                count(c.admitted_recorded),
                count(c.admitted_by_fetch),
                count(c.cards_with_schema),
                counted(c.cards, "card", "cards"),
                count(c.artifacts_with_schema),
                counted(c.artifacts, "artifact", "artifacts"),
            ),
            Measure::Corruption => format!(
                "{} of {} state a digest, {} could be checked",
                count(c.artifacts_with_digest),
                counted(c.artifacts, "artifact", "artifacts"),
                count(c.digests_checked),
            ),
            Measure::Lag => {
                let mirrors = self.agents.iter().filter(|a| a.authority_source.is_none()).count();
                let rotating = self
                    .agents
                    .iter()
                    .filter(|a| a.authority_source.is_some() && a.contracts > 1)
                    .count();
                let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
                format!(
                    "{} beside the authorities; {} seen to change the contract",
                    counted(number(mirrors), "registry", "registries"),
                    counted(number(rotating), "authority was", "authorities were"),
                )
            }
            Measure::Replays => format!(
                "{}, {} of them rejected; {} of {} name their client",
                counted(c.attempts, "attempt", "attempts"),
                count(c.rejections),
                count(h.named),
                counted(h.attempts + h.fetches, "attempt or fetch", "attempts and fetches"),
            ),
            Measure::Incidents => format!(
                "{} of {} show their card; {} of {} name their skill",
                count(h.fetched_card),
                counted(h.fetched, "successful fetch", "successful fetches"),
                count(h.skills),
                counted(h.submissions, "submission", "submissions"),
            ),
            Measure::Damage => format!(
                "of {} of {} it is told what the client did",
                count(c.dispositions),
                counted(c.artifacts, "artifact", "artifacts"),
            ),
        }
    }

    /// The changes, one for each lack and format: first what no source can give.
    pub fn changes(&self) -> Vec<(Lack, Vec<Measure>, Vec<String>, &'static str)> {
        let mut lacks: BTreeMap<Lack, Vec<Measure>> = BTreeMap::new();
        for measure in Measure::ALL {
            if let Some(lack) = self.judged(measure).lack() {
                lacks.entry(lack).or_default().push(measure);
            }
        }
        let mut changes = Vec::new();
        for (lack, measures) in lacks {
            // The recorders that lack it, by format, so that each is told its own way.
            let mut formats: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
            for source in &self.sources {
                let format = source.format.as_str();
                let lacking = self
                    .by_source
                    .iter()
                    .find(|h| h.source_file == source.source_file)
                    .is_some_and(|h| {
                        lack.is_of_all(h)
                            || measures.iter().any(|m| m.judge(h).lack() == Some(lack))
                    });
                let snapshot = matches!(format, "card" | "ai-catalog" | "git-history");
                if lacking && (!snapshot || self.sources.len() == 1 || lack == Lack::Registries) {
                    formats.entry(lack.change(format)).or_default().insert(format.to_owned());
                }
            }
            if formats.is_empty() {
                formats.entry(lack.change("")).or_default();
            }
            for (change, of) in formats {
                changes.push((lack, measures.clone(), of.into_iter().collect(), change));
            }
        }
        changes
    }

    pub(super) fn changes_section(&self) -> Section {
        let mut section = Section::new("What would make more measurable");
        if self.is_empty() {
            return section;
        }
        for (lack, measures, formats, change) in self.changes() {
            let measures: Vec<String> = measures.iter().map(|m| m.title().to_lowercase()).collect();
            let mut prose = Prose::new().strong(format!("For want of {}", lack.word()));
            if !formats.is_empty() {
                prose = prose.say(format!(" in {}", formats.join(", ")));
            }
            section.item(prose.say(format!(" ({}): {change}.", measures.join(", "))));
        }
        section
    }

    /// Sources of one format and with the same verdicts stand in one row.
    pub(super) fn inputs_section(&self) -> Section {
        let mut section = Section::new("By input");
        let nothing: Vec<Prose> = self.without_own_events().map(|s| self.why_none(s)).collect();
        if self.by_source.len() + nothing.len() < 2 || self.by_source.is_empty() {
            return section;
        }
        let mut groups: BTreeMap<Kind<'_>, Vec<&str>> = BTreeMap::new();
        for holds in &self.by_source {
            let verdicts = Measure::ALL.map(|m| m.judge(holds));
            let words: Vec<&str> = verdicts.iter().map(|v| v.word()).collect();
            let lacks: BTreeSet<Lack> = verdicts.iter().filter_map(|v| v.lack()).collect();
            groups
                .entry((self.format(&holds.source_file).to_owned(), words, lacks))
                .or_default()
                .push(&holds.source_file);
        }
        let mut table = Table::new(&[
            "input",
            "format",
            ">inputs",
            "bindings",
            "corruption",
            "lag",
            "replays",
            "incidents",
            "damage",
            "for want of",
        ]);
        let several = groups.values().any(|sources| sources.len() > 1);
        for ((format, words, lacks), sources) in groups.iter().take(GROUPS) {
            let lacks: Vec<&str> = lacks.iter().map(|l| l.word()).collect();
            let mut cells = vec![
                Prose::new().names(sources, 1),
                Prose::new().name(format),
                if several { sources.len().to_string().into() } else { Prose::new() },
            ];
            cells.extend(words.iter().map(|word| Prose::from(*word)));
            cells.push(lacks.join(", ").into());
            table.row(cells);
        }
        let left = groups.len().saturating_sub(table.rows.len());
        if left > 0 {
            table.more = Some(format!("… and {left} more kinds of inputs").into());
        }
        section.line("What each would give if it were alone.");
        section.table(table);
        let more = nothing.len().saturating_sub(GROUPS);
        for why in nothing.into_iter().take(GROUPS) {
            section.item(why);
        }
        if more > 0 {
            section.item(format!("… and {more} more without an event of their own."));
        }
        section
    }

    /// Sources that were read and have no event of their own.
    pub(super) fn without_own_events(&self) -> impl Iterator<Item = &Source> {
        let own: BTreeSet<&str> = self.by_source.iter().map(|h| h.source_file.as_str()).collect();
        self.sources
            .iter()
            .filter(|s| s.accepted + s.repaired > 0)
            .filter(move |s| !own.contains(s.source_file.as_str()))
    }

    /// What a source saw of events that stand under another.
    pub(super) fn joined_of(&self, source: &str) -> Option<&Joined> {
        self.joined.iter().find(|j| j.source_file == source)
    }

    /// Why a source has no event of its own.
    fn why_none(&self, source: &Source) -> Prose {
        let prose = Prose::new().name(&source.source_file);
        let Some(joined) = self.joined_of(&source.source_file) else {
            return prose.say(": no event, so it gives nothing.");
        };
        let prose = prose.say(": its exchanges were recorded in ").name(&joined.under);
        let prose = match joined.others {
            1 => prose,
            n => prose.say(format!(" and {}", counted(n - 1, "other source", "other sources"))),
        };
        prose.say(format!(
            " as well and were joined: {} that it saw stand there.",
            counted(joined.events, "event", "events")
        ))
    }
}

impl Holds {
    /// Each measure and how far it can be taken.
    pub fn verdicts(&self) -> impl Iterator<Item = (Measure, Verdict)> + '_ {
        Measure::ALL.into_iter().map(|measure| (measure, measure.judge(self)))
    }
}
