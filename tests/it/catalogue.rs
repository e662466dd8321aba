//! `queries/README.md` is the catalogue of the SQL files; `UPDATE_EXPECT=1` writes it anew.

use carddrift::query::catalogue;
use std::fmt::Write as _;

/// The value of `-- key: ` in a file's header.
fn told(sql: &str, key: &str) -> String {
    let prefix = format!("-- {key}: ");
    let mut lines = sql.lines().take_while(|line| line.starts_with("--"));
    let Some(first) = lines.by_ref().find_map(|line| line.strip_prefix(&prefix)) else {
        panic!("no `{prefix}` in {sql}");
    };
    let more = lines.map_while(|line| line.strip_prefix("--   "));
    std::iter::once(first).chain(more).collect::<Vec<_>>().join(" ")
}

fn expected() -> String {
    let mut text = String::from(
        "# The measures\n\n\
         Each file here is one built-in query, each file in `views/` a view that several share.\n\
         They are plain SQL without a function that a stock engine lacks; a view is run once in a session and kept.\n\
         Times in views are UTC nanoseconds, `$name` is a setting, `''` in a `_key` column stands for unknown.\n\
         Unions that feed a window are views of their own: the engine may take a constant of one branch for one of all.\n\n\
         ## Queries\n\n| query | answers | one row is | unit |\n|---|---|---|---|\n",
    );
    for query in catalogue() {
        writeln!(
            text,
            "| [{0}]({0}.sql) | {1} | {2} | {3} |",
            query.name, query.answers, query.grain, query.unit
        )
        .unwrap();
    }
    text.push_str("\n## Shared views\n\n| view | what | grain | model |\n|---|---|---|---|\n");
    let mut names: Vec<String> = std::fs::read_dir("queries/views")
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in names {
        let sql = std::fs::read_to_string(format!("queries/views/{name}")).unwrap();
        let view = name.strip_suffix(".sql").unwrap();
        let (what, grain, model) = (told(&sql, "view"), told(&sql, "grain"), told(&sql, "model"));
        writeln!(text, "| [{view}](views/{name}) | {what} | {grain} | {model} |").unwrap();
    }
    text
}

#[test]
fn the_catalogue_is_in_step() {
    let expected = expected();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write("queries/README.md", &expected).unwrap();
    }
    let found = std::fs::read_to_string("queries/README.md").unwrap_or_default();
    assert_eq!(found, expected, "run with UPDATE_EXPECT=1 and read the difference");
}
