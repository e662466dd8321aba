//! What keeps lengths: protobuf, and the stream of `git fast-export`. Taken apart and put together again with
//! the right lengths.

/// How deep messages in messages are looked into.
const DEEPEST: usize = 12;

/// Commands and what they carry, in turn; whether it is carried, with its length before it.
pub fn pieces(stream: &[u8]) -> Vec<(bool, Vec<u8>)> {
    let mut pieces: Vec<(bool, Vec<u8>)> = vec![(false, Vec::new())];
    let mut rest = stream;
    while !rest.is_empty() {
        let end = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        let length = line.strip_prefix(b"data ").and_then(|l| str::from_utf8(l).ok());
        if let Some(length) = length.and_then(|l| l.trim_end().parse::<usize>().ok()) {
            let (data, after) = rest.split_at(length.min(rest.len()));
            pieces.extend([(true, data.to_vec()), (false, Vec::new())]);
            rest = after;
        } else if let Some((false, commands)) = pieces.last_mut() {
            commands.extend_from_slice(line);
        }
    }
    pieces
}

/// The stream of these pieces.
pub fn joined(pieces: &[(bool, Vec<u8>)]) -> Vec<u8> {
    let mut stream = Vec::new();
    for (is_carried, bytes) in pieces {
        if *is_carried {
            stream.extend(format!("data {}\n", bytes.len()).bytes());
        }
        stream.extend_from_slice(bytes);
    }
    stream
}

/// A field of a message: its number and what it holds.
#[derive(Clone)]
pub struct Field(pub u64, pub Held);

/// What a field holds.
#[derive(Clone)]
pub enum Held {
    Number(u64),
    Fixed64([u8; 8]),
    Fixed32([u8; 4]),
    Bytes(Vec<u8>),
    Message(Vec<Field>),
}

/// The fields of a message; `None` if it is none. Text is not taken for a message.
pub fn message(bytes: &[u8], depth: usize) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let key = number(&mut rest)?;
        let held = match key & 7 {
            0 => Held::Number(number(&mut rest)?),
            1 => Held::Fixed64(fixed(&mut rest)?),
            5 => Held::Fixed32(fixed(&mut rest)?),
            2 => {
                let len = usize::try_from(number(&mut rest)?).ok()?;
                let (value, after) = rest.split_at_checked(len)?;
                rest = after;
                let is_text = str::from_utf8(value)
                    .is_ok_and(|t| t.chars().all(|c| !c.is_control() || c.is_whitespace()));
                match message(value, depth + 1) {
                    Some(fields) if depth < DEEPEST && !is_text => Held::Message(fields),
                    _ => Held::Bytes(value.to_vec()),
                }
            }
            _ => return None,
        };
        fields.push(Field((key >> 3 != 0).then_some(key >> 3)?, held));
    }
    Some(fields)
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn fixed<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (value, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*value)
}

/// The bytes of a message.
pub fn written(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for Field(name, held) in fields {
        let mut carried = |wire: u64, bytes: &[u8]| {
            put(name << 3 | wire, &mut out);
            if wire == 2 {
                put(bytes.len() as u64, &mut out);
            }
            out.extend_from_slice(bytes);
        };
        match held {
            Held::Number(value) => {
                let mut bytes = Vec::new();
                put(*value, &mut bytes);
                carried(0, &bytes);
            }
            Held::Fixed64(value) => carried(1, value),
            Held::Fixed32(value) => carried(5, value),
            Held::Bytes(value) => carried(2, value),
            Held::Message(fields) => carried(2, &written(fields)),
        }
    }
    out
}

fn put(mut value: u64, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
