use super::*;
use crate::formats::Framing;
use std::fmt::Write as _;
use std::io::{Cursor, Write};

const LINES: &str = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n";

/// For each content: name, compression, lines, truncated, kinds of problems.
fn told(bytes: Vec<u8>, limits: &Limits) -> Vec<String> {
    open_reader("f", Cursor::new(bytes), limits)
        .map(|content| match content {
            Ok(mut reader) => {
                let name = reader.name().to_owned();
                let mut records = 0;
                for chunk in reader.chunks(Framing::JsonLines) {
                    records += chunk.records().count();
                }
                let facts = reader.finish();
                let kinds: Vec<_> =
                    facts.problems.iter().map(|p| format!(" {:?}", p.kind)).collect();
                let truncated = if facts.truncated { " truncated" } else { "" };
                format!("{name} {} {records}{truncated}{}", facts.compression, kinds.concat())
            }
            Err(failed) => format!("{} failed {:?}", failed.name, failed.problem.kind),
        })
        .collect()
}

fn read(bytes: Vec<u8>) -> Vec<String> {
    told(bytes, &Limits::default())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Lines that do not compress to nothing, so that a cut lies within them.
type Compress = fn(&[u8]) -> Vec<u8>;

fn many_lines() -> Vec<u8> {
    let mut seed = 1_u64;
    let mut text = String::new();
    for _ in 0..20_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        writeln!(text, "{{\"a\":\"{seed:x}\"}}").unwrap();
    }
    text.into_bytes()
}

#[test]
fn every_member_is_read_whatever_follows() {
    let codecs: [(&str, Compress); 4] =
        [("gzip", gzip), ("zstd", zstd), ("bzip2", bzip2), ("xz", xz)];
    for (name, compress) in codecs {
        let one = compress(LINES.as_bytes());
        assert_eq!(read(one.clone()), [format!("f {name} 3")]);
        assert_eq!(read([one.clone(), one.clone()].concat()), [format!("f {name} 6")]);
        let note = |records: u64| [format!("f {name} {records} TrailingGarbage")];
        assert_eq!(read([one.clone(), vec![0; 1000]].concat()), note(3));
        assert_eq!(read([&one, &b"trailing garbage"[..]].concat()), note(3));
        assert_eq!(read([&one, &[0xFF; 1000][..]].concat()), note(3));
        let mut damaged = one.clone();
        damaged[1] ^= 1;
        let damaged = read([one.clone(), damaged].concat());
        assert_eq!(damaged, [format!("f {name} 3 truncated CorruptCompression")]);
        let padded = [one.clone(), vec![0; 1000], one.clone()].concat();
        assert_eq!(read(padded), [format!("f {name} 6")]);
        let plain = [&one, LINES.as_bytes()].concat();
        assert_eq!(read(plain), [format!("f {name} 3 truncated CorruptCompression")]);
        assert_eq!(read(compress(b"")), [format!("f {name} 0 EmptySource")]);
    }
}

#[test]
fn what_comes_before_damage_is_kept() {
    let lines = many_lines();
    let codecs: [(&str, Compress); 4] =
        [("gzip", gzip), ("zstd", zstd), ("bzip2", bzip2), ("xz", xz)];
    for (name, compress) in codecs {
        let one = compress(&lines);
        let cut = read(one[..one.len() - 3].to_vec());
        assert!(cut[0].contains("truncated TruncatedCompression"), "{cut:?}");
        if name == "gzip" {
            assert!(cut[0].contains(" 20000 "), "only the checksum is cut: {cut:?}");
        }
        let half = read(one[..one.len() / 2].to_vec());
        assert!(half[0].contains("truncated TruncatedCompression"), "{half:?}");
        let mut damaged = one.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 8].iter_mut().for_each(|byte| *byte ^= 0x55);
        let damaged = read(damaged);
        assert!(damaged[0].contains("truncated CorruptCompression"), "{damaged:?}");
    }
    let half = read(gzip(&lines)[..100_000].to_vec());
    let kept: usize = half[0].split(' ').nth(2).unwrap().parse().unwrap();
    assert!((4000..20_000).contains(&kept), "{half:?}");
}

#[test]
fn names_do_not_matter_but_bytes_do() {
    assert_eq!(read(LINES.into()), ["f none 3"]);
    assert_eq!(read(Vec::new()), ["f none 0 EmptySource"]);
    assert_eq!(read(vec![0x1F, 0x8B]), ["f gzip 0 truncated TruncatedCompression"]);
    assert_eq!(read(gzip(&zstd(&xz(LINES.as_bytes())))), ["f xz+zstd+gzip 3"]);
    let mut nested = LINES.as_bytes().to_vec();
    for _ in 0..8 {
        nested = gzip(&nested);
    }
    assert_eq!(read(nested), ["f failed Unreadable"]);
    let skippable = [&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd(LINES.as_bytes())];
    assert_eq!(read(skippable.concat()), ["f zstd 3"]);
}

#[test]
fn a_bomb_is_stopped() {
    let limits =
        Limits { expansion_floor_bytes: 1 << 20, record_bytes: 1 << 16, ..Limits::default() };
    let zeros = vec![b' '; 8 << 20];
    for bomb in
        [gzip(&[LINES.as_bytes(), &zeros].concat()), zstd(&[LINES.as_bytes(), &zeros].concat())]
    {
        let told = told(bomb, &Limits { expansion: 100, ..limits.clone() });
        assert!(told[0].contains(" 4 truncated BombRatio"), "{told:?}");
    }
    let small = Limits { source_bytes: 10, block_bytes: 8, ..Limits::default() };
    assert_eq!(told(LINES.into(), &small), ["f none 2 truncated BombRatio"]);
    // A hundredfold is what logs do.
    let log = "{\"time\":\"2026-11-14T08:00:00Z\",\"event\":\"task_status\"}\n".repeat(100_000);
    assert_eq!(read(gzip(log.as_bytes())), ["f gzip 100000"]);
}

#[test]
fn frames_of_the_collector() {
    let frame = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat();
    let messages = [&b"{\"a\":1}"[..], b"{\"a\":2}", b"{\"a\":3}"];
    let framed: Vec<u8> = messages.iter().flat_map(|m| frame(&zstd(m))).collect();
    assert_eq!(read(framed.clone()), ["f frames 3"]);
    let hash = |bytes: Vec<u8>| {
        open_reader("f", Cursor::new(bytes), &Limits::default())
            .next()
            .unwrap()
            .unwrap()
            .finish()
            .sha256
    };
    assert_eq!(hash(framed.clone()), hash(LINES.into()), "the bytes of the uncompressed file");
    let plain: Vec<u8> = messages.iter().flat_map(|m| frame(m)).collect();
    assert_eq!(hash(plain), hash(LINES.into()));
    assert_eq!(
        read(framed[..framed.len() - 3].to_vec()),
        ["f frames 2 truncated TruncatedCompression"]
    );
    let mut damaged = framed.clone();
    let second = frame(&zstd(messages[0])).len();
    damaged[second + 4..second + 8].fill(7);
    assert_eq!(read(damaged), ["f frames 3"]);
    let mut damaged = framed;
    damaged[second + 9..second + 20].fill(0xFF);
    assert_eq!(read(damaged), ["f frames 2 truncated CorruptCompression"]);
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in members {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..263].copy_from_slice(b"ustar\0");
        let sum: u32 = header.iter().map(|b| u32::from(*b)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend_from_slice(&header);
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

#[test]
fn members_of_a_tar() {
    let zipped = gzip(LINES.as_bytes());
    let archive = tar(&[("a.ndjson", LINES.as_bytes()), ("../../b.gz", &zipped), ("empty", b"")]);
    let all = ["f!a.ndjson tar 3", "f!../../b.gz gzip+tar 3", "f!empty tar 0 EmptySource"];
    assert_eq!(read(archive.clone()), all);
    let gzipped = read(gzip(&archive));
    assert_eq!(gzipped[1], "f!../../b.gz gzip+tar+gzip 3");
    let cut = read(archive[..520].to_vec());
    assert_eq!(cut, ["f!a.ndjson tar 1 truncated TruncatedCompression"]);
    let mut damaged = archive.clone();
    damaged[1024 + 3] ^= 1;
    assert_eq!(read(damaged), ["f!a.ndjson tar 3", "f failed CorruptCompression"]);
    let cut_gzip = gzip(&archive);
    let told = read(cut_gzip[..cut_gzip.len() / 2].to_vec());
    assert!(told.iter().any(|t| t.contains("TruncatedCompression")), "{told:?}");
}

#[test]
fn a_member_that_nobody_reads_is_passed_over() {
    let big = many_lines();
    let archive = tar(&[("a", &big), ("b", LINES.as_bytes())]);
    let mut contents =
        open_reader("f", Cursor::new(archive), &Limits { block_bytes: 1000, ..Limits::default() });
    drop(contents.next());
    let last = contents.next().unwrap().unwrap();
    assert_eq!(last.name(), "f!b");
    assert_eq!(last.finish().content_bytes, LINES.len() as u64);
}

fn zip(members: &[(&str, &[u8])], later: bool) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in members {
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        let body = encoder.finish().unwrap();
        let size = u32::try_from(body.len()).unwrap().to_le_bytes();
        let mut header = [0_u8; 30];
        header[..4].copy_from_slice(b"PK\x03\x04");
        header[6] = if later { 8 } else { 0 };
        header[8] = 8;
        if !later {
            header[18..22].copy_from_slice(&size);
        }
        header[26] = u8::try_from(name.len()).unwrap();
        archive.extend_from_slice(&header);
        archive.extend_from_slice(name.as_bytes());
        archive.extend_from_slice(&body);
        if later {
            archive.extend_from_slice(b"PK\x07\x08\0\0\0\0");
            archive.extend_from_slice(&size);
            archive.extend_from_slice(&[0; 4]);
        }
    }
    archive.extend_from_slice(b"PK\x05\x06");
    archive.extend_from_slice(&[0; 18]);
    archive
}

#[test]
fn members_of_a_zip() {
    let zipped = gzip(LINES.as_bytes());
    for later in [false, true] {
        let archive = zip(&[("d/", b""), ("a", LINES.as_bytes()), ("b.gz", &zipped)], later);
        assert_eq!(read(archive.clone()), ["f!a zip 3", "f!b.gz gzip+zip 3"]);
        let cut = read(archive[..archive.len() - 60].to_vec());
        assert!(cut.last().unwrap().contains("TruncatedCompression"), "{cut:?}");
    }
}

/// Gives a few bytes at a time, is interrupted before each, and may break in the end.
struct Faulty {
    bytes: Vec<u8>,
    at: usize,
    interrupted: bool,
    breaks_at: usize,
}

impl Read for Faulty {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.at >= self.breaks_at {
            return Err(io::Error::from_raw_os_error(5));
        }
        let len = out.len().min(7).min(self.bytes.len() - self.at);
        out[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

#[test]
fn a_disk_that_breaks_costs_what_comes_after() {
    for (name, bytes) in [
        ("none", LINES.repeat(50).into_bytes()),
        ("gzip", gzip(&many_lines())),
        ("bzip2", bzip2(&many_lines())),
        ("xz", xz(&many_lines())),
        ("zstd", zstd(&many_lines())),
    ] {
        let told = |breaks_at: usize| {
            let bytes = bytes.clone();
            let faulty = Faulty { bytes, at: 0, interrupted: false, breaks_at };
            open_reader("f", faulty, &Limits::default())
                .map(|content| {
                    let mut reader = content.unwrap();
                    let chunks = reader.chunks(Framing::JsonLines);
                    let records: usize = chunks.map(|chunk| chunk.records().count()).sum();
                    let facts = reader.finish();
                    (records, facts.truncated, facts.problems.iter().map(|p| p.kind).collect())
                })
                .collect::<Vec<(usize, bool, Vec<Kind>)>>()
        };
        let whole = told(usize::MAX).remove(0);
        assert!(whole.0 > 100 && whole.1 == whole.2.contains(&Kind::Unreadable), "{name}");
        assert_eq!(whole.2, [], "{name}");
        let broken = told(bytes.len() * 3 / 4).remove(0);
        assert!(broken.0 <= whole.0 && broken.1, "{name}: {broken:?}");
        assert_eq!(broken.2, [Kind::Unreadable], "{name}");
    }
}

#[test]
fn a_file_that_grows_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, LINES).unwrap();
    let source = Source { name: "a".to_owned(), origin: Origin::File(path.clone()) };
    let watch = |change: &dyn Fn()| {
        let limits = Limits { block_bytes: 1, ..Limits::default() };
        let reader = open(&source, &limits).next().unwrap().unwrap();
        change();
        reader.finish().problems.iter().map(|p| p.kind).collect::<Vec<_>>()
    };
    assert_eq!(watch(&|| {}), []);
    let grow = || {
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(LINES.as_bytes()).unwrap();
    };
    assert_eq!(watch(&grow), [Kind::SourceChanged]);
    assert_eq!(watch(&|| std::fs::write(&path, b"").unwrap()), [Kind::SourceChanged]);
    let missing = Source { name: "b".to_owned(), origin: Origin::File(folder.path().join("b")) };
    let failed = open(&missing, &Limits::default()).next().unwrap().unwrap_err();
    assert_eq!(failed.problem.kind, Kind::Unreadable);
}
