//! Records in, records out: what the peers written in Rust have in common.
//!
//!     PEER dedup IN.jsonl KEPT.jsonl REMOVED.tsv
//!     PEER sketch IN.jsonl

use rayon::prelude::*;
use serde::Deserialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Result, Write};

/// As txtfp's own benchmarks have it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub const THRESHOLD: f64 = 0.8;

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// A way to sketch a text, and to ask for the first of the kept ones that is similar.
pub trait Peer: Sync {
    type Sketch: Send;
    fn sketch(&self, text: &str) -> Self::Sketch;
    /// Keeps the sketch under its number, unless one that is similar is kept already.
    fn keep_or_find(&mut self, number: usize, sketch: Self::Sketch) -> Option<usize>;
}

fn dedup<P: Peer>(peer: &mut P, arguments: &[String]) -> Result<()> {
    let input = std::fs::read_to_string(&arguments[0])?;
    let lines: Vec<&str> = input.lines().collect();
    let sketched: Vec<_> = lines
        .par_iter()
        .map(|line| {
            let record: Record = serde_json::from_str(line).expect("a record");
            let sketch = peer.sketch(&record.text);
            (record.id, sketch)
        })
        .collect();
    let ids: Vec<_> = sketched.iter().map(|(id, _)| id.clone()).collect();
    let mut kept = BufWriter::with_capacity(1 << 20, File::create(&arguments[1])?);
    let mut removed = BufWriter::new(File::create(&arguments[2])?);
    for (number, (id, sketch)) in sketched.into_iter().enumerate() {
        match peer.keep_or_find(number, sketch) {
            Some(original) => writeln!(removed, "{id}\t{}", ids[original])?,
            None => writeln!(kept, "{}", lines[number])?,
        }
    }
    kept.flush()?;
    removed.flush()
}

fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Prints megabytes a second of one core, text to signature.
fn sketch<P: Peer>(peer: &P, arguments: &[String]) -> Result<()> {
    let input = std::fs::read_to_string(&arguments[0])?;
    let texts: Vec<String> = input
        .lines()
        .map(|line| serde_json::from_str::<Record>(line).expect("a record").text.into_owned())
        .collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let (start, mut done, mut seconds) = (processor_time(), 0, 0.0);
    while seconds < 0.5 {
        for text in &texts {
            std::hint::black_box(peer.sketch(text));
        }
        done += bytes;
        seconds = processor_time() - start;
    }
    println!("text\t{}", done as f64 / seconds / 1e6);
    Ok(())
}

pub fn run<P: Peer>(mut peer: P) -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments[0].as_str() {
        "dedup" => dedup(&mut peer, &arguments[1..]),
        _ => sketch(&peer, &arguments[1..]),
    }
}
