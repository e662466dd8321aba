//! The page: its numbers are the queries', names from the recording do nothing, it stays small, and it
//! works in a real browser.

use crate::browser::Browser;
use crate::cases::{rows, session};
use base64::Engine as _;
use carddrift::query::Session;
use carddrift::report::answers::Answers;
use carddrift::report::findings::{Binding, Findings, Lag, Source, Window};
use carddrift::report::html::charts::{Admission, Charts, Epoch};
use carddrift::report::html::{MOST_BYTES, Page, write};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

const IMG: &str = "<img src=x onerror=alert(1)>";
const FORMULA: &str = "=cmd|'/c calc'!A1";
const END: &str = "</script><script>alert(2)</script>\u{1b}[31m\u{202e}";
const SVG: &str = "r1\"><svg onload=alert(3)>";

fn page_of(session: &Session) -> String {
    let findings = Answers::ask(session).unwrap().findings().unwrap();
    let charts = Charts::load(session, &findings).unwrap();
    render(&findings, &charts)
}

fn render(findings: &Findings, charts: &Charts) -> String {
    let mut out = Vec::new();
    let command = "carddrift report --input x --format html";
    write(Page { findings, charts, command }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn incident() -> Session {
    session(Path::new("samples/incident-2-schema-rotation/recording.ndjson.gz"))
}

/// A session over a journal that is made here.
fn made(events: &[Value]) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.ndjson");
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    session(&path)
}

fn at(seconds: i64) -> String {
    jiff::Timestamp::from_second(1_794_560_400 + seconds).unwrap().to_string()
}

/// A rotation and storms in which every name is an attack.
fn hostile() -> Vec<Value> {
    let card = |skill: &str, schema: &str| {
        json!({"name": IMG, "skills": [{"id": skill}], "artifactSchema": {"version": schema}})
            .to_string()
    };
    let (old, new) = (card(FORMULA, "3"), card(END, "4"));
    let publish = |t, etag: &str, card: &str| {
        json!({"time": at(t), "event": "card_publish", "agent": IMG,
            "registry": "javascript:alert(4)", "etag": etag, "card": card})
    };
    let mut all = vec![publish(0, "\"1\"", &old), publish(1000, "\"2\"", &new)];
    for i in 0..20 {
        let t = 100 + i * 100;
        let client = if i % 2 == 0 { FORMULA } else { END };
        let task = format!("{END}{i}");
        let event = |t: i64, more: Value| {
            let mut event = json!({"time": at(t), "agent": IMG, "client": client});
            event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            event
        };
        let shown = if t < 2000 { &old } else { &new };
        all.push(event(t, json!({"event": "card_fetch", "registry": SVG, "card": shown})));
        all.push(event(
            t + 1,
            json!({"event": "attempt", "method": "SendMessage", "skill_id": FORMULA,
                "task_id": task, "outcome": "accepted"}),
        ));
        let state = |state: &str| json!({"event": "task_status", "task_id": task, "state": state});
        all.push(event(t + 2, state("submitted")));
        let schema = if t < 1000 { "3" } else { "4" };
        all.push(event(
            t + 5,
            json!({"event": "artifact", "task_id": task, "artifact_id": IMG, "digest": "x",
                "schema_version": schema, "digest_check": "pass", "last_chunk": true,
                "disposition": if i % 3 == 0 { Value::Null } else { json!(IMG) }}),
        ));
        all.push(event(t + 6, state("completed")));
        if i % 4 == 0 {
            for k in 0..5 {
                all.push(event(
                    t + 10 + k * 3,
                    json!({"event": "attempt", "method": "SendMessage", "skill_id": FORMULA,
                        "rpc_code": -32602, "error": END}),
                ));
            }
        }
    }
    all
}

/// The text between two marks, and what follows.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Option<(&'t str, &'t str)> {
    let rest = text.split_once(from)?.1;
    rest.split_once(to)
}

fn embedded(page: &str) -> Value {
    let (text, _) =
        between(page, "<script type=\"application/json\" id=\"data\">", "</script>").unwrap();
    assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
    serde_json::from_str(text).unwrap()
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Text without elements.
fn words(markup: &str) -> String {
    let mut out = String::new();
    for part in markup.split('<') {
        out.push_str(part.split_once('>').map_or(part, |(_, text)| text));
    }
    unescape(&out)
}

/// The rows of a table of the page: for each column its value and its text.
fn table(page: &str, name: &str) -> Vec<BTreeMap<String, (String, String)>> {
    let start = format!("<figure class=\"grid\" data-name=\"{name}\">");
    let Some((body, _)) = between(page, &start, "</figure>") else { return Vec::new() };
    let (head, body) = body.split_once("</thead>").unwrap();
    let keys: Vec<&str> =
        head.split("data-k=\"").skip(1).map(|part| part.split_once('"').unwrap().0).collect();
    body.split("<tr")
        .skip(1)
        .map(|row| {
            let cells = row.split("<td").skip(1).map(|cell| {
                let (tag, rest) = cell.split_once('>').unwrap();
                let text = words(rest.split_once("</td>").unwrap().0);
                let value = tag
                    .split_once("data-v=\"")
                    .map_or(text.clone(), |(_, v)| unescape(v.split_once('"').unwrap().0));
                (value, text)
            });
            keys.iter().map(|k| (*k).to_owned()).zip(cells).collect()
        })
        .collect()
}

/// A value of a query as the page's tables hold it.
fn expected(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(n) => format!("{:?}", n.as_f64().unwrap()),
        Value::String(s) => s.clone(),
        Value::Array(all) => all.iter().map(expected).collect::<Vec<_>>().join(" "),
        Value::Object(_) => value.to_string(),
    }
}

/// Compares a table with the rows of a query in the columns that both have; at least `least` of them.
fn same(page: &str, name: &str, wanted: &[Value], least: usize) {
    let shown = table(page, name);
    assert_eq!(shown.len(), wanted.len(), "rows of {name}");
    let Some(first) = wanted.first() else { return };
    let columns: Vec<&String> = first
        .as_object()
        .unwrap()
        .keys()
        .filter(|k| shown.iter().any(|row| row.contains_key(*k)))
        .collect();
    assert!(columns.len() >= least, "{name} has only {columns:?}");
    let number = |text: &str| text.parse::<f64>().map_or(text.to_owned(), |n| format!("{n:?}"));
    let mut a: Vec<Vec<String>> = shown
        .iter()
        .map(|row| {
            columns
                .iter()
                .map(|k| row.get(*k).map_or_else(String::new, |(v, _)| number(v)))
                .collect()
        })
        .collect();
    let mut b: Vec<Vec<String>> = wanted
        .iter()
        .map(|row| columns.iter().map(|k| number(&expected(&row[*k]))).collect())
        .collect();
    a.sort();
    b.sort();
    assert_eq!(a, b, "{name}: {columns:?}");
    // What people read of a count is the count.
    for row in &shown {
        for (value, text) in row.values() {
            if value.parse::<i64>().is_ok() && text.chars().all(|c| c.is_ascii_digit() || c == ',')
            {
                assert_eq!(text.replace(',', ""), *value, "{name}");
            }
        }
    }
}

#[test]
fn every_number_is_the_querys() {
    for session in [incident(), made(&hostile())] {
        let page = page_of(&session);
        let data = embedded(&page);
        let summary = rows(&session, "summary").remove(0);
        for (column, want) in summary.as_object().unwrap() {
            let got = &data["summary"][column];
            assert!(
                got == want || got.as_f64().is_some() && got.as_f64() == want.as_f64(),
                "{column}: {got}, want {want}"
            );
        }
        // Names that hide something are spelled out on the page; numbers and times are compared as
        // they are.
        let mut spelled: Vec<Value> =
            rows(&session, "split_brain_rate").iter().map(shown).collect();
        for row in &mut spelled {
            let (low, high) = (row["rate_low"].as_f64(), row["rate_high"].as_f64());
            row["interval"] =
                json!(low.zip(high).map_or(String::new(), |(low, high)| format!("{low} {high}")));
        }
        same(&page, "split_brain_rate", &spelled, 17);
        for (name, least) in [("registry_lag", 8), ("replays", 9), ("drift_incidents", 9)] {
            let spelled: Vec<Value> = rows(&session, name).iter().map(shown).collect();
            same(&page, name, &spelled, least);
        }
        let spelled: Vec<Value> = rows(&session, "slo_daily").iter().map(shown).collect();
        same(&page, "slo_daily", &spelled, 7);
        let bindings = rows(&session, "bindings");
        let split: Vec<Value> =
            bindings.iter().filter(|b| b["verdict"] == "split_brain").map(shown).collect();
        same(&page, "quarantine", &split, 11);
        let actions: Vec<Value> = rows(&session, "actions")
            .iter()
            .filter(|a| a["action"].as_str().unwrap().starts_with("re_resolve"))
            .map(shown)
            .collect();
        same(&page, "re_resolve", &actions, 7);
        let marks = data["marks"].as_array().unwrap();
        let tasks: i64 = marks.iter().map(|m| m[2].as_i64().unwrap()).sum();
        assert_eq!(json!(tasks), summary["tasks"]);
        let split_marks: i64 =
            marks.iter().filter(|m| m[4] == "split-brain").map(|m| m[2].as_i64().unwrap()).sum();
        assert_eq!(json!(split_marks), summary["split_brain"]);
    }
}

/// A row with names as they are shown: controls and overrides spelled out.
fn shown(row: &Value) -> Value {
    let spelled = |text: &str| text.replace('\u{1b}', "\\u{1b}").replace('\u{202e}', "\\u{202e}");
    let mut row = row.clone();
    for value in row.as_object_mut().unwrap().values_mut() {
        match value {
            Value::String(text) => *text = spelled(text),
            Value::Array(all) => {
                for one in all {
                    *one = json!(spelled(one.as_str().unwrap()));
                }
            }
            _ => {}
        }
    }
    row
}

#[test]
fn the_first_screen_says_what_whose_and_what_to_do() {
    let page = page_of(&incident());
    let (header, _) = between(&page, "<header", "</header>").unwrap();
    let text = words(header);
    for said in [
        "Split-brain: tasks of agent://vendor-b/summarizer completed with artifacts that contradict",
        "3.1 %",
        "95 % interval 2.1 to 4.5 %",
        "25 of 806",
        "92 %",
        "23 of 25",
        "the registry's",
        "r1",
        "25 artifacts",
    ] {
        assert!(text.contains(said), "{said:?} is not in {text}");
    }
}

#[test]
fn names_from_a_recording_do_nothing() {
    let page = page_of(&made(&hostile()));
    for element in
        ["<img", "<svg onload", "<script>alert", "href=\"javascript", "\u{1b}", "\u{202e}"]
    {
        assert!(!page.contains(element), "{element:?}");
    }
    assert_eq!(page.matches("<script").count(), 2);
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    assert!(page.contains("\\u{1b}[31m\\u{202e}"));
}

#[test]
fn the_policy_allows_one_script_and_one_style() {
    let page = page_of(&made(&hostile()));
    let hash = |text: &str| {
        base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()))
    };
    let (script, rest) = between(&page, "<script>", "</script>").unwrap();
    let (style, _) = between(&page, "<style>", "</style>").unwrap();
    let (policy, _) = between(&page, "Content-Security-Policy\" content=\"", "\"").unwrap();
    assert!(rest.trim_start().starts_with("</body>"));
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
            hash(script),
            hash(style)
        )
    );
    let markup = page.replace(script, "").replace(style, "");
    for attribute in [" style=", " onload=\"", " onclick=", " onerror=\"", " src=\""] {
        assert!(!markup.contains(attribute), "{attribute}");
    }
    assert!(markup.split("href=\"").skip(1).all(|link| link.starts_with('#')));
    assert!(!script.contains("innerHTML") && !script.contains("eval("));
}

/// Findings of an archive in which everything is large, and every name long.
fn large() -> (Findings, Charts) {
    let long = |what: &str, i: i64| format!("{what}-{i}-{}", "<&\u{1f980}>".repeat(60));
    let hour = 3_600_000_000_000;
    let mut findings = Findings::default();
    let mut charts = Charts::default();
    findings.summary.tasks = 400_000;
    findings.summary.split_brain = 40_000;
    findings.summary.verifiable = 400_000;
    for a in 0..60 {
        let agent = long("agent", a);
        for k in 0..60 {
            charts.epochs.push(Epoch {
                agent: agent.clone(),
                k,
                authority: long("registry", 0),
                rotated_after: Some(k * hour - 1),
                rotated_at: k * hour,
                next_at: Some((k + 1) * hour),
                contract: long("contract", k),
                ..Epoch::default()
            });
            for r in 0..20 {
                let registry = long("registry", r);
                findings.windows.push(Window {
                    agent: agent.clone(),
                    registry: registry.clone(),
                    rotation: k,
                    opened_at: k * hour,
                    closed_at: Some(k * hour + hour / 2),
                    status: "closed".to_owned(),
                    verifiable: 10,
                    split_brain: 1,
                    rate: Some(0.1),
                    ..Window::default()
                });
                findings.lags.push(Lag {
                    agent: agent.clone(),
                    registry: registry.clone(),
                    rotation: k,
                    rotated_at: k * hour,
                    lag_s: Some(1800.0),
                    lag_min_s: Some(1700.0),
                    lag_max_s: Some(1900.0),
                    status: "closed".to_owned(),
                    ..Lag::default()
                });
                charts.admissions.push(Admission {
                    agent_key: agent.clone(),
                    registry: Some(registry),
                    verdict: Some("split_brain".to_owned()),
                    n: 5,
                    first_at: k * hour,
                    last_at: k * hour + hour / 4,
                    task_id: long("task", k),
                    ..Admission::default()
                });
            }
        }
    }
    for i in 0..40_000 {
        findings.split_brains.push(Binding {
            task_id: long("task", i),
            artifact_id: long("artifact", i),
            agent: Some(long("agent", i % 60)),
            client: Some(long("client", i)),
            registry: Some(long("registry", i % 20)),
            admitted_at: Some(i * hour / 700),
            cause: Some("registry_lag".to_owned()),
            action: Some("re_resolve".to_owned()),
            verdict: "split_brain".to_owned(),
            source_file: Some(long("file", i)),
            source_line: Some(i),
            ..Binding::default()
        });
        findings.sources.push(Source {
            source_file: long("file", i),
            first_time: Some(0),
            last_time: Some(60 * hour),
            ..Source::default()
        });
    }
    (findings, charts)
}

#[test]
fn a_large_archive_makes_a_small_page_that_says_what_it_leaves_out() {
    let (findings, charts) = large();
    let page = render(&findings, &charts);
    assert!(page.len() <= MOST_BYTES, "{} bytes", page.len());
    assert!(page.len() > MOST_BYTES / 8, "{} bytes: more could be shown", page.len());
    let quarantined = table(&page, "quarantine").len();
    let left = carddrift::report::figures::count(40_000 - i64::try_from(quarantined).unwrap());
    assert!(page.contains(&format!("{left} more are not in this file")));
    assert!(page.contains(" not drawn"));
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, page_of(&incident())).unwrap();
    for (width, dark) in [(1280, false), (800, true), (390, false)] {
        browser.open(&path, width, dark);
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= u64::from(width), "{wide} at {width}");
    }
    browser.open(&path, 1280, false);
    let view = |browser: &mut Browser| -> (f64, f64) {
        let text = browser.eval("document.documentElement.dataset.view");
        let (a, b) = text.as_str().unwrap().split_once(' ').unwrap();
        (a.parse().unwrap(), b.parse().unwrap())
    };
    let rows_of = |browser: &mut Browser, table: &str| {
        browser.eval(&format!(
            "document.querySelectorAll('figure[data-name={table}] tbody tr:not(.hidden)').length"
        ))
    };

    // Zoom with the wheel, move by dragging, and both with keys.
    let all = view(&mut browser);
    let track = browser.middle(".lanes .track");
    browser.mouse("mouseWheel", track, &json!({"deltaX": 0, "deltaY": -300, "modifiers": 2}));
    let near = view(&mut browser);
    assert!(near.0 > all.0 && near.1 < all.1, "{near:?}");
    let left = json!({"button": "left", "clickCount": 1});
    browser.mouse("mousePressed", track, &left);
    let moved = (track.0 - 200.0, track.1);
    browser.mouse("mouseMoved", moved, &json!({"button": "left", "buttons": 1}));
    browser.mouse("mouseReleased", moved, &left);
    let later = view(&mut browser);
    assert!(later.0 > near.0 && later.1 > near.1, "{later:?}");
    browser.eval("document.querySelector('.lanes').focus()");
    browser.key("+");
    let nearer = view(&mut browser);
    assert!(nearer.1 - nearer.0 < later.1 - later.0, "{nearer:?}");
    browser.key("n");
    let hint = browser.eval("document.querySelector('#tip.shown').textContent");
    assert!(hint.as_str().unwrap().contains("split-brain\nadmitted 2026-11-14"), "{hint}");
    assert!(hint.as_str().unwrap().contains("recording.ndjson.gz:"), "{hint}");
    browser.key("0");
    assert_eq!(view(&mut browser), all);

    // Choose the fourth rotation's window: 17 of its tasks are split-brain.
    assert_eq!(rows_of(&mut browser, "quarantine"), 25);
    let window = browser.middle("rect.win[aria-label*='rotation 4']");
    browser.click(window);
    assert_eq!(rows_of(&mut browser, "quarantine"), 17);
    assert_eq!(rows_of(&mut browser, "registry_lag"), 1);
    let said = browser.eval("document.querySelector('#chosen.shown span').textContent");
    assert!(said.as_str().unwrap().contains("17 of 410 verifiable tasks"), "{said}");
    assert!(said.as_str().unwrap().contains("registry lag 17"), "{said}");
    browser.key("Escape");
    assert_eq!(rows_of(&mut browser, "quarantine"), 25);

    // Sort, search, download.
    let head = "figure[data-name=split_brain_rate] th[data-k=split_brain] button";
    let firsts = "Array.from(document.querySelectorAll('figure[data-name=split_brain_rate] tbody tr'), \
        (row) => Number(row.querySelectorAll('td')[Array.from(row.closest('table').querySelectorAll('th'))\
        .findIndex((h) => h.dataset.k === 'split_brain')].dataset.v))";
    for down in [true, false] {
        let at = browser.middle(head);
        browser.click(at);
        let values: Vec<i64> = serde_json::from_value(browser.eval(firsts)).unwrap();
        let mut sorted = values.clone();
        sorted.sort_unstable();
        if down {
            sorted.reverse();
        }
        assert_eq!(values, sorted);
    }
    browser.eval(
        "(() => { const s = document.querySelector('figure[data-name=quarantine] input'); \
         s.value = 'T-000592'; s.dispatchEvent(new Event('input')); })()",
    );
    assert_eq!(rows_of(&mut browser, "quarantine"), 1);
    let saved = browser.download("figure[data-name=quarantine] .tools button");
    let lines: Vec<&str> = saved.lines().collect();
    assert_eq!(lines.len(), 2, "{saved}");
    assert!(lines[0].starts_with("task_id,artifact_id,agent,client,registry,admitted_at"));
    assert!(lines[1].starts_with("t-000592,a,agent://vendor-b/summarizer,"), "{saved}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn names_on_the_timeline_keep_apart() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, page_of(&incident())).unwrap();
    // Each written name with its box, lane by lane: lags above, contracts in their blocks.
    let boxes = "Array.from(document.querySelectorAll('.lanes svg.track'), (lane) => ({ \
        right: lane.getBoundingClientRect().right, \
        names: ['svg.name.lag text', 'svg.name:not(.lag):not(.storm) text'].map((kind) => \
            Array.from(lane.querySelectorAll(kind)).filter((t) => t.textContent && t.getBoundingClientRect().width) \
            .map((t) => { const b = t.getBoundingClientRect(); return [t.textContent, b.left, b.right]; })) }))";
    for width in [375, 800, 1440] {
        browser.open(&path, width, false);
        let lanes = browser.eval(boxes);
        let mut written = 0;
        for lane in lanes.as_array().unwrap() {
            let right = lane["right"].as_f64().unwrap();
            for names in lane["names"].as_array().unwrap() {
                let mut free = f64::MIN;
                for name in names.as_array().unwrap() {
                    let (from, to) = (name[1].as_f64().unwrap(), name[2].as_f64().unwrap());
                    assert!(from >= free && to <= right + 1.0, "{name} at {width}: {names}");
                    free = to;
                    written += 1;
                }
            }
        }
        // On a phone some have no room, on a wide screen all have: 5 epochs, 5 runs, 4 lags.
        assert!(if width == 1440 { written == 14 } else { written >= 8 }, "{written} at {width}");
    }
}

#[test]
fn keys_and_fingers_reach_what_a_mouse_does() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, page_of(&incident())).unwrap();
    browser.open(&path, 800, true);
    let hint = "document.querySelector('#tip.shown')?.textContent ?? ''";

    // Tab goes through the sections' links to the timeline and its windows; a window tells itself.
    browser.eval("document.querySelector('nav a:last-child').focus()");
    let mut seen = Vec::new();
    for _ in 0..20 {
        browser.key("Tab");
        let at = browser.eval(
            "(() => { const e = document.activeElement; const s = getComputedStyle(e); \
             return [e.tagName + '.' + e.getAttribute('class'), s.outlineStyle !== 'none' || s.strokeWidth === '4px']; })()",
        );
        assert_eq!(at[1], true, "{at} has the focus and does not show it");
        seen.push(at[0].as_str().unwrap().to_owned());
        if seen.last().is_some_and(|s| s == "rect.win") {
            break;
        }
    }
    assert_eq!(seen.last().map(String::as_str), Some("rect.win"), "{seen:?}");
    assert!(seen.iter().any(|s| s == "rect.rot"), "{seen:?}");
    let told = browser.eval(hint);
    assert!(told.as_str().unwrap().contains("rotation 1, 2026-11-14 06:00:00"), "{told}");
    browser.key("Enter");
    assert_eq!(browser.eval("document.querySelectorAll('rect.win[aria-pressed=true]').length"), 1);
    browser.key("Escape");
    // c goes from one contract to the next and tells its evidence.
    browser.eval("document.querySelector('.lanes').focus()");
    browser.key("c");
    browser.key("c");
    let told = browser.eval(hint);
    assert!(told.as_str().unwrap().contains("r2 (authority) served schema 4"), "{told}");
    assert!(told.as_str().unwrap().contains("recording.ndjson.gz:"), "{told}");
    // A table is sorted by its heading.
    browser.eval("document.querySelector('figure[data-name=registry_lag] th[data-k=registry] button').focus()");
    browser.key("Enter");
    let sorted = "document.querySelector('figure[data-name=registry_lag] th[data-k=registry]').getAttribute('aria-sort')";
    assert_eq!(browser.eval(sorted), "ascending");

    // A finger is told what a mouse is, on the timeline and elsewhere, and no longer once it touches text.
    browser.without_mouse();
    browser.open(&path, 375, false);
    let block = browser.middle(".lanes .epoch.e4");
    browser.tap(block);
    assert!(browser.eval(hint).as_str().unwrap().contains("served schema 7"));
    let heading = browser.middle("#rates h2");
    browser.tap(heading);
    assert_eq!(browser.eval(hint), "");
    let day = browser.middle("figure.days .hit");
    browser.tap(day);
    assert!(browser.eval(hint).as_str().unwrap().starts_with("2026-11-14: 16 of 1,473"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn what_could_not_be_measured_does_not_look_well() {
    let page = page_of(&session(Path::new("samples/card")));
    assert!(page.contains("<header class=\"verdict open\">"));
    let (header, _) = between(&page, "<header", "</header>").unwrap();
    let text = words(header);
    for said in ["holds cards, but no task and no attempt", "Cards47", "Rotations10"] {
        assert!(text.contains(said), "{said:?} is not in {text}");
    }
}

#[test]
fn hostile_names_do_nothing_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, page_of(&made(&hostile()))).unwrap();
    browser.open(&path, 1280, false);
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), 0);
    assert_eq!(browser.eval("document.querySelectorAll('script').length"), 2);
    // Hints and the bar of a chosen window are made from names, too.
    let window = browser.middle("rect.win");
    browser.mouse("mouseMoved", window, &json!({}));
    browser.click(window);
    browser.eval("document.querySelector('.lanes').focus()");
    browser.key("n");
    let hint = browser.eval("document.querySelector('#tip.shown').textContent");
    assert!(hint.as_str().unwrap().contains("</script>"), "{hint}");
    assert_eq!(browser.eval("document.querySelectorAll('img, #tip *, #chosen b').length"), 0);
    browser.key("Escape");
    let saved = browser.download("figure[data-name=drift_incidents] .tools button");
    let mut reader = csv::Reader::from_reader(saved.as_bytes());
    for record in reader.records() {
        for field in &record.unwrap() {
            assert!(!field.starts_with(['=', '+', '@']), "{field}");
        }
    }
    assert!(saved.contains("'=cmd|'/c calc'!A1"), "{saved}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_same_recording_makes_the_same_page() {
    let session = made(&hostile());
    assert_eq!(page_of(&session), page_of(&session));
}
