//! Protocol eras: the stretches of versions within which names and error codes mean one thing.

/// An era of the protocol, as model §7 tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Era {
    /// v0.1: `tasks/send`, client-made task ids.
    V01,
    /// v0.2 and v0.3: `message/send`; 0.2 reads as 0.3.
    V03,
    /// v1.0 and whatever comes later: `SendMessage`. Also what is assumed when nothing tells.
    #[default]
    V10,
}

impl Era {
    /// All eras, the oldest first.
    pub const ALL: [Era; 3] = [Era::V01, Era::V03, Era::V10];

    /// The version that stands for the era: `0.1`, `0.3`, `1.0`.
    pub fn as_str(self) -> &'static str {
        match self {
            Era::V01 => "0.1",
            Era::V03 => "0.3",
            Era::V10 => "1.0",
        }
    }

    /// The era of a protocol version (`0.2.5`, `v1.0`); unknown later ones are the newest. `None`
    /// when the text does not begin with a number.
    pub fn of_version(text: &str) -> Option<Era> {
        let text = text.trim().trim_matches('"').trim_start_matches(['v', 'V']);
        let mut numbers = text.split('.').map(leading_number);
        let major = numbers.next()??;
        let minor = numbers.next().flatten().unwrap_or(0);
        Some(match (major, minor) {
            (0, 0 | 1) => Era::V01,
            (0, 2 | 3) => Era::V03,
            _ => Era::V10,
        })
    }

    /// The era by the stated version, else by the method's name, else the newest (model §7).
    pub fn of(version: Option<&str>, method: Option<&str>) -> Era {
        version.and_then(Era::of_version).or(method.map(super::method::era)).unwrap_or_default()
    }
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let digits = text.get(..end).filter(|digits| !digits.is_empty())?;
    // A number too large for the type is a later version all the same.
    Some(digits.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (text, era) in [
            ("0.1", Era::V01),
            ("0.1.0", Era::V01),
            ("0.2", Era::V03),
            ("0.2.5", Era::V03),
            ("0.3.0", Era::V03),
            ("v0.3", Era::V03),
            ("1.0", Era::V10),
            ("1", Era::V10),
            ("1.0-rc", Era::V10),
            ("2.0", Era::V10),
            ("99999999999.0", Era::V10),
        ] {
            assert_eq!(Era::of_version(text), Some(era), "{text}");
        }
        assert_eq!(Era::of_version(""), None);
        assert_eq!(Era::of_version("latest"), None);
    }

    #[test]
    fn the_version_comes_before_the_method() {
        assert_eq!(Era::of(Some("1.0"), Some("tasks/send")), Era::V10);
        assert_eq!(Era::of(Some(""), Some("tasks/send")), Era::V01);
        assert_eq!(Era::of(None, Some("message/send")), Era::V03);
        assert_eq!(Era::of(None, None), Era::V10);
    }
}
