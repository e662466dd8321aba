//! The audit as one object, `carddrift.inspect/1`.

use super::Contents;
use crate::report::audit::{Holds, Lack, Measure, Verdict};
use crate::report::bias;
use crate::report::json;
use crate::report::rows::rfc3339;
use std::io::{self, Write};

impl Contents {
    /// Writes it.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut text = b"{\"schema\":\"carddrift.inspect/1\",\"sources\":[".to_vec();
        self.sources(&mut text)?;
        text.extend_from_slice(b"],\n\"events\":{");
        for (i, e) in self.events.iter().enumerate() {
            text.extend_from_slice(if i == 0 { b"" } else { b"," });
            json::string(&mut text, &e.event);
            write!(text, ":{}", e.events)?;
        }
        text.extend_from_slice(b"},\n\"registries\":[");
        for (i, a) in self.agents.iter().enumerate() {
            member(&mut text, if i == 0 { "\n  {" } else { ",\n  {" }, "agent", Some(&a.agent));
            member(&mut text, ",", "registry", Some(&a.registry));
            member(&mut text, ",", "authority_source", a.authority_source.as_deref());
            write!(text, ",\"sights\":{},\"contracts\":{}}}", a.sights, a.contracts)?;
        }
        text.extend_from_slice(b"],\n\"carried\":{");
        self.carried(&mut text)?;
        text.extend_from_slice(b"},\n\"measures\":[");
        self.measures(&mut text);
        text.extend_from_slice(b"],\n\"inputs\":[");
        for (i, holds) in self.by_source.iter().enumerate() {
            let lead = if i == 0 { "\n  {" } else { ",\n  {" };
            member(&mut text, lead, "source_file", Some(&holds.source_file));
            verdicts(holds, &mut text);
            text.push(b'}');
        }
        for (i, source) in self.without_own_events().enumerate() {
            let first = self.by_source.is_empty() && i == 0;
            let lead = if first { "\n  {" } else { ",\n  {" };
            member(&mut text, lead, "source_file", Some(&source.source_file));
            let joined = self.joined_of(&source.source_file);
            write!(text, ",\"joined_events\":{}", joined.map_or(0, |j| j.events))?;
            member(&mut text, ",", "joined_with", joined.map(|j| j.under.as_str()));
            text.push(b'}');
        }
        text.extend_from_slice(b"],\n\"warnings\":[");
        for (i, note) in bias::warnings(&self.notes).into_iter().enumerate() {
            member(&mut text, if i == 0 { "\n  {" } else { ",\n  {" }, "kind", Some(&note.kind));
            member(&mut text, ",", "subject", note.subject.as_deref());
            write!(text, ",\"count\":{}", note.count)?;
            member(&mut text, ",", "text", Some(&note.text));
            text.push(b'}');
        }
        text.extend_from_slice(b"],\n\"unread\":[");
        self.unread(&mut text)?;
        text.extend_from_slice(b"]}\n");
        out.write_all(&text)
    }

    fn sources(&self, text: &mut Vec<u8>) -> io::Result<()> {
        for (i, s) in self.sources.iter().enumerate() {
            let lead = if i == 0 { "\n  {" } else { ",\n  {" };
            member(text, lead, "source_file", Some(&s.source_file));
            member(text, ",", "format", Some(&s.format));
            member(text, ",", "compression", Some(&s.compression));
            member(text, ",", "sha256", Some(&s.sha256));
            for (name, n) in [
                ("records", s.records),
                ("accepted", s.accepted),
                ("repaired", s.repaired),
                ("rejected", s.rejected),
                ("duplicate", s.duplicate),
                ("blank", s.blank),
                ("events", s.events),
                ("without_events", s.without_events),
                ("spans", s.spans),
            ] {
                write!(text, ",\"{name}\":{n}")?;
            }
            for (name, time) in [("first_time", s.first_time), ("last_time", s.last_time)] {
                member(text, ",", name, time.map(|ns| rfc3339(ns.into())).as_deref());
            }
            write!(text, ",\"truncated\":{}}}", s.truncated)?;
        }
        Ok(())
    }

    fn carried(&self, text: &mut Vec<u8>) -> io::Result<()> {
        let c = &self.carried;
        let carried = [
            ("cards", c.cards),
            ("cards_with_schema", c.cards_with_schema),
            ("tasks", c.tasks),
            ("admitted_recorded", c.admitted_recorded),
            ("admitted_by_fetch", c.admitted_by_fetch),
            ("completed", c.completed),
            ("artifacts", c.artifacts),
            ("artifacts_with_schema", c.artifacts_with_schema),
            ("artifacts_with_digest", c.artifacts_with_digest),
            ("digests_checked", c.digests_checked),
            ("dispositions", c.dispositions),
            ("attempts", c.attempts),
            ("rejections", c.rejections),
            ("attempts_with_skill", c.attempts_with_skill),
        ];
        for (i, (name, n)) in carried.iter().enumerate() {
            write!(text, "{}\"{name}\":{n}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }

    fn measures(&self, text: &mut Vec<u8>) {
        let changes = self.changes();
        for (i, measure) in Measure::ALL.into_iter().enumerate() {
            let verdict = self.judged(measure);
            let lead = if i == 0 { "\n  {" } else { ",\n  {" };
            member(text, lead, "measure", Some(measure.name()));
            member(text, ",", "measurable", Some(verdict.word()));
            member(text, ",", "evidence", Some(&self.evidence(measure)));
            member(text, ",", "lack", verdict.lack().map(Lack::word));
            text.extend_from_slice(b",\"changes\":[");
            let own = changes.iter().filter(|(lack, ..)| Some(*lack) == verdict.lack());
            for (i, (_, _, formats, change)) in own.enumerate() {
                text.extend_from_slice(if i == 0 { b"{\"formats\":[" } else { b",{\"formats\":[" });
                for (i, format) in formats.iter().enumerate() {
                    text.extend_from_slice(if i == 0 { b"" } else { b"," });
                    json::string(text, format);
                }
                member(text, "],", "change", Some(change));
                text.push(b'}');
            }
            text.extend_from_slice(b"]}");
        }
    }

    fn unread(&self, text: &mut Vec<u8>) -> io::Result<()> {
        for (i, unread) in self.unread.iter().enumerate() {
            let lead = if i == 0 { "\n  {" } else { ",\n  {" };
            member(text, lead, "source_file", Some(&unread.source_file));
            text.extend_from_slice(b",\"reasons\":{");
            for (i, (reader, why)) in unread.reasons.iter().enumerate() {
                member(text, if i == 0 { "" } else { "," }, reader, Some(why));
            }
            text.extend_from_slice(b"},\"proposal\":");
            let Some(proposal) = &unread.proposal else {
                text.extend_from_slice(b"null}");
                continue;
            };
            member(text, "{", "mapping", Some(&proposal.toml));
            write!(text, ",\"lines\":{},\"lines_read\":{}", proposal.lines.0, proposal.lines.1)?;
            text.extend_from_slice(b",\"events\":{");
            for (i, (kind, n)) in proposal.events.iter().enumerate() {
                write!(text, "{}\"{kind}\":{n}", if i == 0 { "" } else { "," })?;
            }
            text.extend_from_slice(b"},\"shown\":[");
            for (i, event) in proposal.shown.iter().enumerate() {
                write!(text, "{}{{\"line\":{}", if i == 0 { "" } else { "," }, event.line)?;
                member(text, ",", "event", Some(&event.kind));
                member(text, ",", "time", Some(&rfc3339(event.time.into())));
                member(text, ",", "client", event.client.as_deref());
                member(text, ",", "agent", event.agent.as_deref());
                member(text, ",", "what", Some(&event.what));
                text.push(b'}');
            }
            text.extend_from_slice(b"]}}");
        }
        Ok(())
    }
}

/// `,"name":"value"` after a lead of ours.
fn member(text: &mut Vec<u8>, lead: &str, name: &str, value: Option<&str>) {
    text.extend_from_slice(lead.as_bytes());
    json::string(text, name);
    text.push(b':');
    match value {
        Some(value) => json::string(text, value),
        None => text.extend_from_slice(b"null"),
    }
}

fn verdicts(holds: &Holds, text: &mut Vec<u8>) {
    let verdicts: Vec<(Measure, Verdict)> = holds.verdicts().collect();
    for (measure, verdict) in &verdicts {
        member(text, ",", measure.name(), Some(verdict.word()));
    }
    text.extend_from_slice(b",\"lacks\":[");
    let mut lacks: Vec<_> = verdicts.iter().filter_map(|(_, v)| v.lack()).collect();
    lacks.sort_unstable();
    lacks.dedup();
    for (i, lack) in lacks.iter().enumerate() {
        text.extend_from_slice(if i == 0 { b"" } else { b"," });
        json::string(text, lack.word());
    }
    text.push(b']');
}
