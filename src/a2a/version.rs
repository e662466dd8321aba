//! Schema versions, as they are compared (model §6).

/// The form in which two schema versions are compared: trimmed, without surrounding quotes (however
/// many), without `v` or `V` before a digit, without trailing `.0` groups. `None` when nothing is
/// left: an empty version is an absent one.
///
/// `3`, `3.0`, `"3"`, `v3` and `3.0.0` are one version; `3.00` is another.
pub fn normalise(stated: &str) -> Option<&str> {
    let mut text = stated.trim();
    while let Some(inner) = without_quotes(text) {
        text = inner.trim();
    }
    if let Some(rest) = text.strip_prefix(['v', 'V'])
        && rest.starts_with(|c: char| c.is_ascii_digit())
    {
        text = rest;
    }
    while let Some(rest) = text.strip_suffix(".0") {
        text = rest;
    }
    (!text.is_empty()).then_some(text)
}

fn without_quotes(text: &str) -> Option<&str> {
    ['"', '\''].iter().find_map(|&quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

/// The major version: what stands before the first `.` of the normalised form, for
/// `schema_compare = "major"`.
pub fn major(stated: &str) -> Option<&str> {
    let text = normalise(stated)?;
    text.split('.').next().filter(|major| !major.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_version_in_many_spellings() {
        for stated in
            ["3", "3.0", "\"3\"", "v3", "V3", "3.0.0", " 3 ", "\"\"v3.0\"\"", "'3'", "v3.0"]
        {
            assert_eq!(normalise(stated), Some("3"), "{stated}");
        }
    }

    #[test]
    fn what_stays_as_it_is() {
        assert_eq!(normalise("3.00"), Some("3.00"));
        assert_eq!(normalise("3.10"), Some("3.10"));
        assert_eq!(normalise("0.0"), Some("0"));
        assert_eq!(normalise("version"), Some("version"));
        assert_eq!(normalise("vv3"), Some("vv3"));
        assert_eq!(normalise("2026-01-01"), Some("2026-01-01"));
        assert_eq!(normalise("\"3"), Some("\"3"));
    }

    #[test]
    fn empty_is_absent() {
        for stated in ["", " ", "\"\"", "\" \"", "''"] {
            assert_eq!(normalise(stated), None, "{stated}");
        }
        assert_eq!(normalise("\""), Some("\""));
    }

    #[test]
    fn majors() {
        assert_eq!(major("v3.1.2"), Some("3"));
        assert_eq!(major("\"3\""), Some("3"));
        assert_eq!(major("3.0"), Some("3"));
        assert_eq!(major(""), None);
    }
}
