// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust's aho-corasick as a peer of `trawl bench --peers`; cli/bench/peers/process.h describes the protocol.
//! usage: aho-corasick KIND PATTERNS TEXT LENGTH MATCHES [PIECE]
//!   KIND   dfa or contiguous-nfa; left alone, the crate chooses one of them by the number of patterns
//!   PIECE  the text is searched in pieces of so many bytes, a call for each: see tests/bench/calls.c
use std::io::{BufRead, Write};
use std::time::Instant;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

const CASE_INSENSITIVE: u32 = 1;

/// Ends the program after a line that says why.
fn stop(word: &str, sentence: &str) -> ! {
    println!("{word} {sentence}");
    std::process::exit(0);
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| stop("refused", &format!("{path}: {error}")))
}

/// The patterns, and whether they match any case. The crate knows that of whole sets alone.
fn split(file: &[u8]) -> (Vec<&[u8]>, bool) {
    let mut patterns = Vec::new();
    let mut insensitive = 0;
    let mut rest = file;
    while rest.len() >= 8 {
        let number = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
        let (length, flags) = (number(0) as usize, number(4));
        patterns.push(&rest[8..8 + length]);
        insensitive += usize::from(flags & CASE_INSENSITIVE != 0);
        rest = &rest[8 + length..];
    }
    if insensitive != 0 && insensitive != patterns.len() {
        stop("unable", "it cannot mix patterns that match any case with others");
    }
    (patterns, insensitive != 0)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, patterns, text, length, matches, piece @ ..] = &arguments[..] else {
        stop("refused", "expected KIND PATTERNS TEXT LENGTH MATCHES [PIECE]");
    };
    let match_kind = match matches.as_str() {
        "all" => MatchKind::Standard,
        "leftmost-first" => MatchKind::LeftmostFirst,
        "leftmost-longest" => MatchKind::LeftmostLongest,
        other => stop("unable", &format!("it does not know matches of kind {other}")),
    };
    let automaton_kind = match kind.as_str() {
        "dfa" => AhoCorasickKind::DFA,
        "contiguous-nfa" => AhoCorasickKind::ContiguousNFA,
        other => stop("refused", &format!("there is no automaton of kind {other}")),
    };
    let file = read(patterns);
    let (patterns, insensitive) = split(&file);
    let mut text = read(text);
    text.truncate(length.parse().unwrap_or(0));
    let piece = match piece {
        [] => text.len(),
        [bytes, ..] => bytes.parse().unwrap_or(0),
    };

    let begin = Instant::now();
    let automaton = AhoCorasick::builder()
        .kind(Some(automaton_kind))
        .match_kind(match_kind)
        .ascii_case_insensitive(insensitive)
        .build(&patterns)
        .unwrap_or_else(|error| stop("refused", &error.to_string()));
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "built {seconds:.9} {} aho-corasick {}-{kind}",
        automaton.memory_usage(),
        env!("AHO_CORASICK_VERSION")
    );

    for _ in std::io::stdin().lock().lines() {
        let begin = Instant::now();
        let count: usize = text
            .chunks(piece.max(1))
            .map(|text| match match_kind {
                MatchKind::Standard => automaton.find_overlapping_iter(text).count(),
                _ => automaton.find_iter(text).count(),
            })
            .sum();
        println!("run {:.9} {count}", begin.elapsed().as_secs_f64());
        let _ = std::io::stdout().flush();
    }
}
