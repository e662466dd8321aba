//! What Python's `repr` writes of a dict, as JSON.

/// Converts the text, in one pass and without recursion; `None` when it is no such value or is cut.
///
/// Strings in both quotes with their escapes, `True`, `False`, `None`, tuples and sets as arrays,
/// members of enumerations (`<Name.member: 'value'>`) as their value.
pub fn to_json(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    // The closing brackets that are still owed, and how Python writes each.
    let mut open: Vec<(char, char)> = Vec::new();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        match first {
            '\'' | '"' => rest = string(rest, &mut out)?,
            'b' if rest.starts_with(['b'])
                && matches!(rest.as_bytes().get(1), Some(b'\'' | b'"')) =>
            {
                rest = string(rest.get(1..)?, &mut out)?;
            }
            '{' | '[' | '(' => {
                let (python, json) = match first {
                    '{' => ('}', '}'),
                    '[' => (']', ']'),
                    _ => (')', ']'),
                };
                out.push(if first == '{' { '{' } else { '[' });
                open.push((python, json));
                rest = rest.get(1..)?;
            }
            '}' | ']' | ')' => {
                let (python, json) = open.pop()?;
                if python != first {
                    return None;
                }
                // A tuple of one ends in a comma.
                if out.ends_with(',') {
                    out.pop();
                }
                out.push(json);
                rest = rest.get(1..)?;
            }
            ',' | ':' => {
                out.push(first);
                rest = rest.get(1..)?;
            }
            // `<Name.member: 'value'>`
            '<' => rest = rest.split_once(": ")?.1,
            '>' => rest = rest.get(1..)?,
            _ => rest = word(rest, &mut out)?,
        }
    }
    let whole = open.is_empty() && serde_json::from_str::<serde::de::IgnoredAny>(&out).is_ok();
    whole.then_some(out)
}

/// A string; gives what follows it.
fn string<'a>(text: &'a str, out: &mut String) -> Option<&'a str> {
    let mut chars = text.char_indices();
    let (_, quote) = chars.next()?;
    let mut value = String::new();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let (_, escape) = chars.next()?;
                let digits = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                if digits > 0 {
                    let mut code = 0;
                    for _ in 0..digits {
                        code = code * 16 + chars.next()?.1.to_digit(16)?;
                    }
                    value.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                } else {
                    match escape {
                        'n' => value.push('\n'),
                        'r' => value.push('\r'),
                        't' => value.push('\t'),
                        '\\' | '\'' | '"' => value.push(escape),
                        other => {
                            value.push('\\');
                            value.push(other);
                        }
                    }
                }
            }
            c if c == quote => {
                out.push_str(&serde_json::to_string(&value).ok()?);
                return text.get(at + c.len_utf8()..);
            }
            c => value.push(c),
        }
    }
    None
}

/// A number or a name; gives what follows it.
fn word<'a>(text: &'a str, out: &mut String) -> Option<&'a str> {
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-')))
        .unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    match word {
        "True" => out.push_str("true"),
        "False" => out.push_str("false"),
        "None" | "nan" | "inf" | "-inf" => out.push_str("null"),
        number if serde_json::from_str::<serde_json::Number>(number).is_ok() => {
            out.push_str(number);
        }
        _ => return None,
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converts(python: &str, json: &str) {
        assert_eq!(to_json(python).as_deref(), Some(json), "{python}");
    }

    #[test]
    fn what_python_writes() {
        converts(
            "{'name': 'Bob\\'s', \"it's\": True, 'none': None, 'n': [1, -2.5, 1e-05], 'e': {}}",
            r#"{"name":"Bob's","it's":true,"none":null,"n":[1,-2.5,1e-05],"e":{}}"#,
        );
        converts(
            r"['\n\t\\', 'caf\xe9', '\u20ac', '\U0001f600', 'é']",
            r#"["\n\t\\","café","€","😀","é"]"#,
        );
        converts("{'t': (1,), 'u': (1, 2), 'v': ()}", r#"{"t":[1],"u":[1,2],"v":[]}"#);
        converts(
            "{'transport': <TransportProtocol.jsonrpc: 'JSONRPC'>}",
            r#"{"transport":"JSONRPC"}"#,
        );
        converts("{'a': \"say 'hi'\", 'b': 'say \"hi\"'}", r#"{"a":"say 'hi'","b":"say \"hi\""}"#);
    }

    #[test]
    fn what_is_cut_or_something_else() {
        for text in [
            "",
            "{'a': 'b",
            "{'a': [1, 2}",
            "{'a': object()}",
            "{'a' 'b'}",
            "}",
            "{'a': 1}}",
            "'\\",
        ] {
            assert_eq!(to_json(text), None, "{text}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(to_json(&deep), Some(deep.clone()));
    }
}
