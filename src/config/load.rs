//! Where each setting comes from: a file, the environment, a flag, or the default.
//!
//! Knows no command line and does not look at the machine: its caller gives the working folder, the
//! environment and the flags. Of files the first found counts, alone: the one named, else
//! `carddrift.toml` in the working folder or one above it, else the user's.

use super::Config;
use super::keys::{Below, below, nearest, sections};
use serde::Deserialize;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// The name of the file.
pub const FILE_NAME: &str = "carddrift.toml";
const PREFIX: &str = "CARDDRIFT_";

/// What decides the settings.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The file named by the user.
    pub file: Option<PathBuf>,
    /// Where the search for a file begins; `None`: no search.
    pub folder: Option<PathBuf>,
    /// The user's file, should it exist.
    pub user_file: Option<PathBuf>,
    /// The environment. `CARDDRIFT_THRESHOLDS_FLAP_S=60` sets `thresholds.flap_s`.
    pub environment: Vec<(String, String)>,
    /// `KEY=VALUE`, for example `thresholds.flap_s=60`.
    pub flags: Vec<String>,
}

/// The settings and where each came from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// Each key that has a value, in the order of sections and keys.
    pub settings: Vec<Setting>,
    /// The file that was read.
    pub file: Option<PathBuf>,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The section and the key below it; a list of tables has no key.
    pub section: String,
    /// See `section`.
    pub key: Option<String>,
    /// As TOML.
    pub value: Value,
    /// Who said so.
    pub origin: Origin,
}

/// Who gave a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody.
    Default,
    /// A file, at a line.
    File(PathBuf, usize),
    /// A variable of the environment.
    Environment(String),
    /// A flag.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag => f.write_str("flag --set"),
        }
    }
}

/// Why the settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Who gave the value; `None`: the file as a whole.
    pub origin: Option<Origin>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

/// Finds and reads the settings.
pub fn load(ask: &Ask) -> Result<Loaded, ConfigError> {
    let file = find(ask);
    let mut layers = Layers::default();
    for (section, keys) in defaults() {
        for (key, value) in keys {
            layers.set(&section, Some(&key), value, Origin::Default);
        }
    }
    if let Some(path) = &file {
        layers.read_file(path)?;
    }
    for (name, value) in &ask.environment {
        layers.read_variable(name, value)?;
    }
    for flag in &ask.flags {
        layers.read_flag(flag)?;
    }
    let config = layers.config()?;
    let order = |s: &Setting| sections().iter().position(|name| *name == s.section);
    layers.0.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.key.cmp(&b.key)));
    Ok(Loaded { config, settings: layers.0, file })
}

fn find(ask: &Ask) -> Option<PathBuf> {
    if ask.file.is_some() {
        return ask.file.clone();
    }
    let upward = ask.folder.as_deref().into_iter().flat_map(Path::ancestors);
    let mut candidates = upward.map(|folder| folder.join(FILE_NAME)).chain(ask.user_file.clone());
    candidates.find(|path| path.is_file())
}

/// The defaults that a user may want to see; what is not here is empty by default.
fn defaults() -> Vec<(String, Vec<(String, Value)>)> {
    let super::Thresholds {
        flap_s,
        storm_gap_s,
        storm_min_replays,
        conforming_grace_s,
        schema_compare,
    } = super::Thresholds::default();
    let compare = match schema_compare {
        super::SchemaCompare::Exact => "exact",
        super::SchemaCompare::Major => "major",
    };
    let keys = [
        ("flap_s", Value::Integer(flap_s)),
        ("storm_gap_s", Value::Integer(storm_gap_s)),
        ("storm_min_replays", Value::Integer(storm_min_replays)),
        ("conforming_grace_s", Value::Integer(conforming_grace_s)),
        ("schema_compare", Value::String(compare.to_owned())),
    ];
    vec![("thresholds".to_owned(), keys.map(|(k, v)| (k.to_owned(), v)).into())]
}

/// The values set so far; a later one replaces an earlier one of the same key.
#[derive(Default)]
struct Layers(Vec<Setting>);

impl Layers {
    fn set(&mut self, section: &str, key: Option<&str>, value: Value, origin: Origin) {
        let old = self.0.iter_mut().find(|s| s.section == section && s.key.as_deref() == key);
        if let Some(setting) = old {
            setting.value = value;
            setting.origin = origin;
        } else {
            let (section, key) = (section.to_owned(), key.map(str::to_owned));
            self.0.push(Setting { section, key, value, origin });
        }
    }

    fn read_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let whole = |message: String| ConfigError { origin: None, message, help: None };
        let text = fs::read_to_string(path).map_err(|e| {
            whole(format!("the configuration {} cannot be read: {e}", path.display()))
        })?;
        let at = |byte: usize| {
            let before = text.as_bytes().get(..byte).unwrap_or_default();
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            Origin::File(path.to_owned(), line)
        };
        let syntax = |e: &toml::de::Error| ConfigError {
            origin: Some(at(e.span().map_or(0, |s| s.start))),
            message: e.message().to_owned(),
            help: None,
        };
        let spans = DeTable::parse(&text).map_err(|e| syntax(&e))?;
        for (section, content) in spans.get_ref() {
            let origin = at(section.span().start);
            known_section(section.get_ref(), &origin)?;
            if let DeValue::Table(keys) = content.get_ref() {
                for key in keys.keys() {
                    known_key(section.get_ref(), key.get_ref(), &at(key.span().start))?;
                }
            }
        }
        // Wrong types are told here, where the spans still are.
        toml::from_str::<Config>(&text).map_err(|e| syntax(&e))?;
        let table: Table = toml::from_str(&text).map_err(|e| syntax(&e))?;
        for (section, content) in spans.get_ref() {
            let name = section.get_ref().as_ref();
            match (content.get_ref(), table.get(name)) {
                (DeValue::Table(keys), Some(Value::Table(values))) => {
                    for key in keys.keys() {
                        if let Some(value) = values.get(key.get_ref().as_ref()) {
                            let origin = at(key.span().start);
                            self.set(name, Some(key.get_ref()), value.clone(), origin);
                        }
                    }
                }
                (_, Some(value)) => {
                    self.set(name, None, value.clone(), at(section.span().start));
                }
                (_, None) => {}
            }
        }
        Ok(())
    }

    fn read_variable(&mut self, name: &str, value: &str) -> Result<(), ConfigError> {
        let Some(words) = name.strip_prefix(PREFIX).map(str::to_ascii_lowercase) else {
            return Ok(());
        };
        for section in sections() {
            let Some(Below::Keys(_)) = below(section) else { continue };
            if let Some(key) = words.strip_prefix(section).and_then(|rest| rest.strip_prefix('_')) {
                let origin = Origin::Environment(name.to_owned());
                known_key(section, key, &origin)?;
                self.set(section, Some(key), loose(value), origin);
            }
        }
        Ok(())
    }

    fn read_flag(&mut self, flag: &str) -> Result<(), ConfigError> {
        let malformed = |message: &str| ConfigError {
            origin: Some(Origin::Flag),
            message: message.to_owned(),
            help: Some(
                "write it as SECTION.KEY=VALUE, for example thresholds.flap_s=60".to_owned(),
            ),
        };
        // The first `=` outside quotes: names of agents may hold one.
        let mut quoted = false;
        let split = flag.char_indices().find(|(_, c)| {
            quoted ^= *c == '"';
            *c == '=' && !quoted
        });
        let Some((key, value)) = split.and_then(|(i, _)| flag.split_at_checked(i)) else {
            return Err(malformed("there is no `=`"));
        };
        let value = value.get(1..).unwrap_or_default();
        let Some((section, key)) = key.split_once('.') else {
            return Err(malformed("there is no section"));
        };
        let (section, key) = (section.trim(), key.trim());
        let name = key.strip_prefix('"').and_then(|k| k.strip_suffix('"')).unwrap_or(key);
        known_section(section, &Origin::Flag)?;
        known_key(section, name, &Origin::Flag)?;
        self.set(section, Some(name), loose(value), Origin::Flag);
        Ok(())
    }

    fn config(&self) -> Result<Config, ConfigError> {
        let mut root = Table::new();
        for setting in &self.0 {
            let value = setting.value.clone();
            match &setting.key {
                None => {
                    root.insert(setting.section.clone(), value);
                }
                Some(key) => {
                    let entry = root.entry(&setting.section);
                    if let Value::Table(keys) = entry.or_insert_with(|| Value::Table(Table::new()))
                    {
                        keys.insert(key.clone(), value);
                    }
                }
            }
        }
        Config::deserialize(Value::Table(root)).map_err(|e| ConfigError {
            // Files were checked before, so it is one of these.
            origin: self.culprit(),
            message: e.message().to_owned(),
            help: None,
        })
    }

    /// The first setting that the configuration does not take on its own.
    fn culprit(&self) -> Option<Origin> {
        let refused = |s: &&Setting| {
            let inner = match &s.key {
                Some(key) => Value::Table(Table::from_iter([(key.clone(), s.value.clone())])),
                None => s.value.clone(),
            };
            let root = Table::from_iter([(s.section.clone(), inner)]);
            Config::deserialize(Value::Table(root)).is_err()
        };
        self.0.iter().find(refused).map(|s| s.origin.clone())
    }
}

/// A value of a flag or of the environment: TOML, or a text without its quotes.
fn loose(text: &str) -> Value {
    let document = format!("v = {text}");
    toml::from_str::<Table>(&document)
        .ok()
        .and_then(|mut table| if table.len() == 1 { table.remove("v") } else { None })
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

fn known_section(section: &str, origin: &Origin) -> Result<(), ConfigError> {
    if below(section).is_some() {
        return Ok(());
    }
    Err(unknown(format!("unknown section `{section}`"), section, sections(), origin))
}

fn known_key(section: &str, key: &str, origin: &Origin) -> Result<(), ConfigError> {
    match below(section) {
        Some(Below::Keys(keys)) if !keys.contains(&key) => {
            Err(unknown(format!("unknown key `{key}` in [{section}]"), key, keys, origin))
        }
        _ => Ok(()),
    }
}

fn unknown(message: String, name: &str, known: &[&str], origin: &Origin) -> ConfigError {
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    ConfigError { origin: Some(origin.clone()), message, help: Some(help) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_file(text: &str) -> (tempfile::TempDir, Ask) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE_NAME), text).unwrap();
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        let ask = Ask { folder: Some(below), ..Ask::default() };
        (folder, ask)
    }

    fn setting<'l>(loaded: &'l Loaded, key: &str) -> &'l Setting {
        loaded.settings.iter().find(|s| s.key.as_deref() == Some(key)).unwrap()
    }

    #[test]
    fn without_anything_the_defaults_hold() {
        let loaded = load(&Ask::default()).unwrap();
        assert_eq!(loaded.config, Config::default());
        assert_eq!(setting(&loaded, "flap_s").origin, Origin::Default);
    }

    #[test]
    fn flags_beat_the_environment_which_beats_the_file() {
        let text = "[thresholds]\nflap_s = 1\nstorm_gap_s = 2\nstorm_min_replays = 4\n";
        let (folder, mut ask) = in_file(text);
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        ask.environment = vec![
            variable("CARDDRIFT_THRESHOLDS_STORM_GAP_S", "20"),
            variable("CARDDRIFT_THRESHOLDS_STORM_MIN_REPLAYS", "40"),
            variable("CARDDRIFT_STORE", "elsewhere"),
        ];
        ask.flags = vec![
            "thresholds.storm_min_replays=400".to_owned(),
            r#"agents."agent://b?x=1"=["https://b.example/"]"#.to_owned(),
        ];
        let loaded = load(&ask).unwrap();
        let t = &loaded.config.thresholds;
        assert_eq!((t.flap_s, t.storm_gap_s, t.storm_min_replays), (1, 20, 400));
        assert_eq!(loaded.config.agents["agent://b?x=1"], ["https://b.example/"]);
        let file = folder.path().join(FILE_NAME);
        assert_eq!(setting(&loaded, "flap_s").origin, Origin::File(file, 2));
        assert_eq!(setting(&loaded, "conforming_grace_s").origin, Origin::Default);
    }

    #[test]
    fn an_unknown_key_is_told_with_its_line_and_the_nearest_name() {
        let (_folder, ask) = in_file("[client]\nheader = \"x\"\n\n[thresholds]\nflaps = 1\n");
        let error = load(&ask).unwrap_err();
        assert!(
            error.to_string().ends_with("carddrift.toml:5: unknown key `flaps` in [thresholds]")
        );
        assert_eq!(error.help.as_deref(), Some("did you mean `flap_s`?"));
        let (_folder, ask) = in_file("[agent]\n");
        let error = load(&ask).unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `agents`?"));
    }

    #[test]
    fn a_wrong_type_is_told_with_its_line() {
        let (_folder, ask) = in_file("[thresholds]\n\nflap_s = \"soon\"\n");
        let error = load(&ask).unwrap_err();
        assert!(error.to_string().contains("carddrift.toml:3: invalid type"), "{error}");
        let ask = Ask { flags: vec!["thresholds.flap_s=soon".to_owned()], ..Ask::default() };
        let error = load(&ask).unwrap_err();
        assert_eq!(error.origin, Some(Origin::Flag));
    }

    #[test]
    fn a_misspelt_variable_or_flag_is_an_error() {
        let name = "CARDDRIFT_THRESHOLDS_FLAPS".to_owned();
        let ask = Ask { environment: vec![(name.clone(), "1".to_owned())], ..Ask::default() };
        assert_eq!(load(&ask).unwrap_err().origin, Some(Origin::Environment(name)));
        for flag in ["flap_s=1", "thresholds.flap_s", "threshold.flap_s=1"] {
            let ask = Ask { flags: vec![flag.to_owned()], ..Ask::default() };
            assert_eq!(load(&ask).unwrap_err().origin, Some(Origin::Flag), "{flag}");
        }
    }

    #[test]
    fn a_file_that_is_named_must_be_there() {
        let ask = Ask { file: Some(PathBuf::from("/nowhere/x.toml")), ..Ask::default() };
        assert!(load(&ask).unwrap_err().message.contains("/nowhere/x.toml"));
    }
}
