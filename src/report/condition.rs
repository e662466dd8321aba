//! Conditions on rows: what `--fail-on` takes, for example `rate > 1% and verifiable >= 100`.
//!
//! Columns, numbers (`0.01`, `1%`, `90min`, `2h`: durations are seconds), texts in quotes, times as
//! texts, `true`, `false`; `=`, `!=`, `<`, `<=`, `>`, `>=`, `is null`, `is not null`, `and`, `or`,
//! `not`, `+`, `-`, `*`, `/` and parentheses. A comparison with an unknown is unknown, and a row
//! fails only when the condition is certain.

use super::rows::{Value, View};
use crate::config::nearest;
use std::cmp::Ordering;
use std::fmt;

/// A condition that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    root: Node,
    columns: Vec<String>,
}

/// What a condition found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Rows for which it holds.
    pub holds: usize,
    /// Rows for which it is unknown.
    pub unknown: usize,
    /// All rows.
    pub rows: usize,
    /// The first row for which it holds: the columns it names, and the texts, as `name=value`.
    pub first: Option<String>,
}

/// Why a condition cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadCondition(pub String);

impl fmt::Display for BadCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadCondition {}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Column(usize),
    Number(f64),
    Text(String),
    Bool(bool),
    Null,
    Not(Box<Node>),
    Minus(Box<Node>),
    IsNull(Box<Node>, bool),
    Binary(Operator, Box<Node>, Box<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
}

impl Condition {
    /// Reads a condition.
    pub fn parse(text: &str) -> Result<Self, BadCondition> {
        let mut parser = Parser { tokens: tokens(text)?, next: 0, columns: Vec::new(), depth: 0 };
        let root = parser.expression(0)?;
        match parser.peek() {
            None => Ok(Self { root, columns: parser.columns }),
            Some(token) => Err(BadCondition(format!("`{token}` is not expected there"))),
        }
    }

    /// Looks at every row.
    pub fn check(&self, view: View<'_>) -> Result<Found, BadCondition> {
        let names: Vec<&str> = view.names().collect();
        let mut places = Vec::new();
        for column in &self.columns {
            let place = names.iter().position(|n| n == column);
            places.push(place.ok_or_else(|| unknown_column(column, &names))?);
        }
        let mut found = Found::default();
        view.for_each_row(|row| {
            found.rows += 1;
            match self.root.value(row, &places)? {
                Datum::Bool(true) => {
                    found.holds += 1;
                    if found.first.is_none() {
                        found.first = Some(describe(&names, row, &places));
                    }
                }
                Datum::Bool(false) => {}
                Datum::Null => found.unknown += 1,
                _ => return Err(BadCondition("it is a value, not a condition".to_owned())),
            }
            Ok(())
        })?;
        Ok(found)
    }
}

fn unknown_column(column: &str, names: &[&str]) -> BadCondition {
    let help = match nearest(column, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("columns: {}", names.join(", ")),
    };
    BadCondition(format!("there is no column `{column}`; {help}"))
}

fn describe(names: &[&str], row: &[Value<'_>], places: &[usize]) -> String {
    let told = names.iter().zip(row).enumerate().filter(|(i, (_, value))| {
        places.contains(i) || (matches!(value, Value::Text(_)) && *i < 4)
    });
    let parts: Vec<String> =
        told.map(|(_, (name, value))| format!("{name}={}", super::table::cell(value))).collect();
    parts.join(" ")
}

#[derive(Debug, Clone, PartialEq)]
enum Datum<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(std::borrow::Cow<'a, str>),
    Time(i128),
}

impl Node {
    fn value<'a>(
        &'a self,
        row: &'a [Value<'_>],
        places: &[usize],
    ) -> Result<Datum<'a>, BadCondition> {
        Ok(match self {
            Self::Null => Datum::Null,
            Self::Number(v) => Datum::Number(*v),
            Self::Text(v) => Datum::Text(v.into()),
            Self::Bool(v) => Datum::Bool(*v),
            Self::Column(i) => match places.get(*i).and_then(|place| row.get(*place)) {
                Some(value) => datum(value)?,
                None => Datum::Null,
            },
            Self::Not(inner) => match inner.value(row, places)? {
                Datum::Bool(v) => Datum::Bool(!v),
                Datum::Null => Datum::Null,
                _ => return Err(BadCondition("`not` takes a condition".to_owned())),
            },
            Self::Minus(inner) => match inner.value(row, places)? {
                Datum::Number(v) => Datum::Number(-v),
                Datum::Null => Datum::Null,
                _ => return Err(BadCondition("`-` takes a number".to_owned())),
            },
            Self::IsNull(inner, wanted) => {
                Datum::Bool((inner.value(row, places)? == Datum::Null) == *wanted)
            }
            Self::Binary(operator, a, b) => {
                apply(*operator, a.value(row, places)?, b.value(row, places)?)?
            }
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts and seconds stay far below 2^53")]
fn datum<'a>(value: &'a Value<'_>) -> Result<Datum<'a>, BadCondition> {
    Ok(match value {
        Value::Null => Datum::Null,
        Value::Bool(v) => Datum::Bool(*v),
        Value::Int(v) => Datum::Number(*v as f64),
        Value::UInt(v) => Datum::Number(*v as f64),
        Value::Float(v) => Datum::Number(*v),
        Value::Decimal(digits) => digits.parse().map_or(Datum::Null, Datum::Number),
        Value::Time(ns) => Datum::Time(*ns),
        Value::Text(v) => Datum::Text(v.as_ref().into()),
        Value::List(_) | Value::Object(_) => {
            return Err(BadCondition("a list cannot be compared".to_owned()));
        }
    })
}

fn apply<'a>(operator: Operator, a: Datum<'a>, b: Datum<'a>) -> Result<Datum<'a>, BadCondition> {
    use Operator::{
        And, AtLeast, AtMost, Equal, Less, Minus, More, Or, Over, Plus, Times, Unequal,
    };
    match operator {
        And | Or => {
            let decides = operator == Or;
            return match (a, b) {
                (Datum::Bool(v), _) | (_, Datum::Bool(v)) if v == decides => Ok(Datum::Bool(v)),
                (Datum::Bool(_), Datum::Bool(_)) => Ok(Datum::Bool(!decides)),
                (Datum::Null | Datum::Bool(_), Datum::Null | Datum::Bool(_)) => Ok(Datum::Null),
                _ => Err(BadCondition("`and` and `or` take conditions".to_owned())),
            };
        }
        Plus | Minus | Times | Over => {
            return match (a, b) {
                (Datum::Null, _) | (_, Datum::Null) => Ok(Datum::Null),
                (Datum::Number(a), Datum::Number(b)) => {
                    let v = match operator {
                        Plus => a + b,
                        Minus => a - b,
                        Times => a * b,
                        _ => a / b,
                    };
                    Ok(if v.is_finite() { Datum::Number(v) } else { Datum::Null })
                }
                _ => Err(BadCondition("only numbers can be reckoned with".to_owned())),
            };
        }
        Equal | Unequal | Less | AtMost | More | AtLeast => {}
    }
    let order = match (&a, &b) {
        (Datum::Null, _) | (_, Datum::Null) => return Ok(Datum::Null),
        (Datum::Number(a), Datum::Number(b)) => a.partial_cmp(b),
        (Datum::Bool(a), Datum::Bool(b)) => Some(a.cmp(b)),
        (Datum::Time(a), Datum::Time(b)) => Some(a.cmp(b)),
        (Datum::Text(a), Datum::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Datum::Time(a), Datum::Text(b)) => Some(a.cmp(&instant(b)?)),
        (Datum::Text(a), Datum::Time(b)) => Some(instant(a)?.cmp(b)),
        _ => return Err(BadCondition("values of different kinds are compared".to_owned())),
    };
    Ok(match (operator, order) {
        (_, None) => Datum::Null,
        (Equal, Some(o)) => Datum::Bool(o == Ordering::Equal),
        (Unequal, Some(o)) => Datum::Bool(o != Ordering::Equal),
        (Less, Some(o)) => Datum::Bool(o == Ordering::Less),
        (AtMost, Some(o)) => Datum::Bool(o != Ordering::Greater),
        (More, Some(o)) => Datum::Bool(o == Ordering::Greater),
        (_, Some(o)) => Datum::Bool(o != Ordering::Less),
    })
}

fn instant(text: &str) -> Result<i128, BadCondition> {
    text.parse::<jiff::Timestamp>()
        .map(jiff::Timestamp::as_nanosecond)
        .map_err(|e| BadCondition(format!("`{text}` is not a time: {e}")))
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Column(String),
    Number(f64),
    Text(String),
    Sign(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(w) | Self::Column(w) | Self::Text(w) => f.write_str(w),
            Self::Number(v) => write!(f, "{v}"),
            Self::Sign(s) => f.write_str(s),
        }
    }
}

const SIGNS: [&str; 14] =
    ["<=", ">=", "!=", "<>", "==", "<", ">", "=", "(", ")", "+", "-", "*", "/"];

fn tokens(text: &str) -> Result<Vec<Token>, BadCondition> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let taken = if c == '\'' || c == '"' {
            let body = rest.get(1..).unwrap_or_default();
            let end =
                body.find(c).ok_or_else(|| BadCondition(format!("the quote {c} is not closed")))?;
            let inner = body.get(..end).unwrap_or_default().to_owned();
            tokens.push(if c == '"' { Token::Column(inner) } else { Token::Text(inner) });
            end + 2
        } else if c.is_ascii_digit() || c == '.' {
            let (number, taken) = number(rest)?;
            tokens.push(Token::Number(number));
            taken
        } else if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token::Word(rest.get(..end).unwrap_or_default().to_owned()));
            end
        } else if let Some(sign) = SIGNS.into_iter().find(|s| rest.starts_with(s)) {
            tokens.push(Token::Sign(sign));
            sign.len()
        } else {
            return Err(BadCondition(format!("`{c}` is not expected there")));
        };
        rest = rest.get(taken..).unwrap_or_default().trim_start();
    }
    Ok(tokens)
}

/// A number with its unit: `%` is a hundredth, durations become seconds.
fn number(text: &str) -> Result<(f64, usize), BadCondition> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(digits).unwrap_or((text, ""));
    let unit_end = rest.find(|c: char| !c.is_alphabetic() && c != '%').unwrap_or(rest.len());
    let unit = rest.get(..unit_end).unwrap_or_default();
    let factor = match unit {
        "" | "s" => 1.0,
        "%" => 0.01,
        "ms" => 0.001,
        "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        other => {
            let known = "known units: %, ms, s, min, h, d";
            return Err(BadCondition(format!("`{other}` is no unit; {known}")));
        }
    };
    let value: f64 =
        number.parse().map_err(|_| BadCondition(format!("`{number}` is not a number")))?;
    Ok((value * factor, digits + unit_end))
}

/// Conditions nest no deeper.
const DEPTH: usize = 100;

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    columns: Vec<String>,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    fn word(&self) -> Option<String> {
        match self.peek() {
            Some(Token::Word(w)) => Some(w.to_ascii_lowercase()),
            _ => None,
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let hit = self.word().as_deref() == Some(word);
        self.next += usize::from(hit);
        hit
    }

    /// Reads what binds at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<Node, BadCondition> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(BadCondition("it nests too deep".to_owned()));
        }
        let mut left = self.operand()?;
        loop {
            if least <= 4 && self.word().as_deref() == Some("is") {
                self.next += 1;
                let wanted = !self.take_word("not");
                if !self.take_word("null") {
                    return Err(BadCondition(
                        "`is` is followed by `null` or `not null`".to_owned(),
                    ));
                }
                left = Node::IsNull(Box::new(left), wanted);
                continue;
            }
            let Some((operator, binds)) = self.operator() else { break };
            if binds < least {
                break;
            }
            self.next += 1;
            let right = self.expression(binds + 1)?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&self) -> Option<(Operator, u8)> {
        Some(match self.peek()? {
            Token::Word(w) if w.eq_ignore_ascii_case("or") => (Operator::Or, 1),
            Token::Word(w) if w.eq_ignore_ascii_case("and") => (Operator::And, 2),
            Token::Sign("=" | "==") => (Operator::Equal, 4),
            Token::Sign("!=" | "<>") => (Operator::Unequal, 4),
            Token::Sign("<") => (Operator::Less, 4),
            Token::Sign("<=") => (Operator::AtMost, 4),
            Token::Sign(">") => (Operator::More, 4),
            Token::Sign(">=") => (Operator::AtLeast, 4),
            Token::Sign("+") => (Operator::Plus, 5),
            Token::Sign("-") => (Operator::Minus, 5),
            Token::Sign("*") => (Operator::Times, 6),
            Token::Sign("/") => (Operator::Over, 6),
            _ => return None,
        })
    }

    fn operand(&mut self) -> Result<Node, BadCondition> {
        let Some(token) = self.tokens.get(self.next).cloned() else {
            return Err(BadCondition("it ends too early".to_owned()));
        };
        self.next += 1;
        Ok(match token {
            Token::Number(v) => Node::Number(v),
            Token::Text(v) => Node::Text(v),
            Token::Sign("-") => Node::Minus(Box::new(self.expression(7)?)),
            Token::Sign("(") => {
                let inner = self.expression(0)?;
                match self.peek() {
                    Some(Token::Sign(")")) => self.next += 1,
                    _ => return Err(BadCondition("a `)` is missing".to_owned())),
                }
                inner
            }
            Token::Word(w) => match w.to_ascii_lowercase().as_str() {
                "not" => Node::Not(Box::new(self.expression(3)?)),
                "true" => Node::Bool(true),
                "false" => Node::Bool(false),
                "null" => Node::Null,
                _ => self.column(w),
            },
            Token::Column(name) => self.column(name),
            Token::Sign(sign) => {
                return Err(BadCondition(format!("`{sign}` is not expected there")));
            }
        })
    }

    fn column(&mut self, name: String) -> Node {
        let place = self.columns.iter().position(|c| *c == name).unwrap_or_else(|| {
            self.columns.push(name);
            self.columns.len() - 1
        });
        Node::Column(place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::batch;
    use super::*;

    /// Of the two rows: for how many it holds, for how many it is unknown.
    fn check(text: &str) -> (usize, usize) {
        let batch = batch();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
        let found = Condition::parse(text).unwrap().check(view).unwrap();
        (found.holds, found.unknown)
    }

    fn error(text: &str) -> String {
        let batch = batch();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
        match Condition::parse(text) {
            Ok(condition) => condition.check(view).unwrap_err().0,
            Err(e) => e.0,
        }
    }

    #[test]
    fn comparisons_with_an_unknown_are_unknown() {
        assert_eq!(check("ratio > 0.01"), (1, 1));
        assert_eq!(check("ratio > 1%"), (1, 1));
        assert_eq!(check("ratio > 0.1"), (0, 1));
        assert_eq!(check("ratio is null"), (1, 0));
        assert_eq!(check("int is not null and int < 0"), (1, 0));
        assert_eq!(check("flag"), (1, 1));
        assert_eq!(check("not flag or ratio is null"), (1, 0));
    }

    #[test]
    fn operators_bind_as_in_sql() {
        assert_eq!(check("int + 2 * 2 = 1"), (1, 1));
        assert_eq!(check("(int + 2) * 2 = -2"), (1, 1));
        assert_eq!(check("flag and int = 1 or dict = 'r1'"), (1, 1));
        assert_eq!(check("- int = 3"), (1, 1));
        assert_eq!(check("uint > 2h AND \"int\" <> 0"), (1, 1));
    }

    #[test]
    fn times_compare_as_instants() {
        assert_eq!(check("at > '2026-11-14T09:00:00+02:00'"), (1, 1));
        assert_eq!(check("ms < '1970-01-01T00:00:00Z'"), (1, 0));
    }

    #[test]
    fn what_is_wrong_is_told() {
        assert_eq!(error("ration > 1"), "there is no column `ration`; did you mean `ratio`?");
        assert_eq!(error("ratio >"), "it ends too early");
        assert_eq!(error("ratio 1"), "`1` is not expected there");
        assert_eq!(error("ratio > 1 parsec"), "`parsec` is not expected there");
        assert_eq!(error("ratio > 1m"), "`m` is no unit; known units: %, ms, s, min, h, d");
        assert_eq!(error("(ratio > 1"), "a `)` is missing");
        assert_eq!(error("text = 'a"), "the quote ' is not closed");
        assert_eq!(error("text > 1"), "values of different kinds are compared");
        assert_eq!(error("int"), "it is a value, not a condition");
        assert_eq!(error("ratio > §"), "`§` is not expected there");
        assert_eq!(error(&"(".repeat(1000)), "it nests too deep");
    }

    #[test]
    fn the_first_row_that_fails_is_named() {
        let batch = batch();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
        let found = Condition::parse("ratio > 0").unwrap().check(view).unwrap();
        assert_eq!(found.first.as_deref(), Some("text=a \"b\" view==1+1 dict=r1 ratio=0.1"));
    }
}
