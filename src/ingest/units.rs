//! Cutting content that does not fall into lines: elements of an array, messages with their lengths,
//! and sources that are one record.

use super::chunk::{Chunk, Frame, Shape};
use super::lines::Ending;
use super::open::Block;
use super::split::{Chunks, SkipHow, Skipping};
use crate::problem::{At, Kind};

impl Chunks<'_> {
    // --- elements of an array ----------------------------------------------------------------

    pub(super) fn next_elements(&mut self) -> Option<Chunk> {
        let mut scanner = self.scanner.take()?;
        while scanner.waiting() < self.reader.limits.block_bytes {
            let Some(block) = self.reader.block() else {
                let problems = scanner.finish();
                self.reader.truncated |= problems.iter().any(|p| p.kind == Kind::TruncatedRecord);
                self.reader.problems.extend(problems);
                self.done = true;
                break;
            };
            scanner.push(block.bytes.get(block.start..).unwrap_or_default());
        }
        let (bytes, elements) = scanner.take();
        self.scanner = Some(scanner);
        if elements.is_empty() {
            return None;
        }
        let frames = elements
            .into_iter()
            .map(|element| {
                let shape = match element.too_large {
                    Some(len) => Shape::TooLarge(len),
                    None if element.cut => Shape::Cut,
                    None => Shape::Plain,
                };
                Frame { start: element.start, end: element.end, at: element.at, shape }
            })
            .collect();
        let end = bytes.len();
        let at = self.at;
        Some(self.chunk(Block { bytes, start: 0 }, end, at, Ending::Boundary, Some(frames)))
    }

    // --- messages with their lengths ---------------------------------------------------------

    pub(super) fn next_messages(&mut self) -> Option<Chunk> {
        loop {
            if let Some(skipping) = self.skipping.take() {
                if let Some(skipped) = self.skip_bytes(skipping) {
                    return Some(self.skipped(&skipped));
                }
                continue;
            }
            let ended = !self.more();
            let (frames, used) = self.messages(ended);
            if ended {
                self.done = true;
                let len = self.held().len();
                return (len > 0).then(|| self.cut(len, Ending::Source, Some(frames)));
            }
            if used > 0 {
                // Messages are counted in place of lines.
                let line = self.at.line + frames.len() as u64;
                let chunk = self.cut(used, Ending::Boundary, Some(frames));
                self.at.line = line;
                return Some(chunk);
            }
        }
    }

    /// The whole messages in the buffer, and the bytes that they take; begins to skip one that is
    /// too large.
    fn messages(&mut self, ended: bool) -> (Vec<Frame>, usize) {
        let (mut frames, mut used) = (Vec::new(), 0);
        let limit = self.reader.limits.record_bytes;
        let mut skipping = None;
        while let Some((length, rest)) =
            self.held().get(used..).and_then(<[u8]>::split_first_chunk::<4>)
        {
            let len = u32::from_be_bytes(*length) as usize;
            let at = At {
                line: self.at.line + frames.len() as u64,
                byte: self.at.byte + used as u64 + 4,
            };
            let start = used + 4;
            if len > limit {
                if !ended && frames.is_empty() {
                    let left = len.saturating_sub(rest.len());
                    skipping = Some((start + len.min(rest.len()), left as u64, at, len as u64));
                    break;
                }
                if !ended {
                    break;
                }
                let end = start + rest.len().min(len);
                frames.push(Frame { start, end: start, at, shape: Shape::TooLarge(len as u64) });
                used = end;
            } else if rest.len() >= len {
                frames.push(Frame { start, end: start + len, at, shape: Shape::Plain });
                used = start + len;
            } else {
                break;
            }
        }
        let left = self.held().len() - used;
        if ended && left > 0 {
            let start = used + left.min(4);
            let at =
                At { line: self.at.line + frames.len() as u64, byte: self.at.byte + start as u64 };
            frames.push(Frame { start, end: used + left, at, shape: Shape::Cut });
        }
        if let Some((passed, left, at, len)) = skipping {
            self.buffer.start += passed;
            self.at = At { line: at.line + 1, byte: self.at.byte + passed as u64 };
            self.skipping = Some(Skipping { at, len, how: SkipHow::Bytes(left) });
        }
        (frames, used)
    }

    fn skip_bytes(&mut self, mut skipping: Skipping) -> Option<Skipping> {
        let SkipHow::Bytes(left) = &mut skipping.how else { return Some(skipping) };
        let here = usize::try_from(*left).unwrap_or(usize::MAX).min(self.held().len());
        *left -= here as u64;
        let done = *left == 0;
        self.buffer.start += here;
        self.at.byte += here as u64;
        if done || !self.more() {
            return Some(skipping);
        }
        self.skipping = Some(skipping);
        None
    }

    // --- one record --------------------------------------------------------------------------

    pub(super) fn next_whole(&mut self) -> Option<Chunk> {
        let limit = self.reader.limits.record_bytes;
        loop {
            if let Some(Skipping { at, len, .. }) = self.skipping.take() {
                let held = self.held().len() as u64;
                self.buffer = Block::default();
                let skipping = Skipping { at, len: len + held, how: SkipHow::Rest };
                if self.more() {
                    self.skipping = Some(skipping);
                    continue;
                }
                self.done = true;
                return Some(self.skipped(&skipping));
            }
            if self.held().len() > limit {
                self.skipping = Some(Skipping { at: self.at, len: 0, how: SkipHow::Rest });
                continue;
            }
            if !self.more() {
                self.done = true;
                let end = self.held().len();
                if self.held().trim_ascii().is_empty() {
                    return None;
                }
                let frame = Frame { start: 0, end, at: self.at, shape: Shape::Plain };
                return Some(self.cut(end, Ending::Source, Some(vec![frame])));
            }
        }
    }
}
