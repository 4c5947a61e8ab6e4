// SPDX-License-Identifier: MIT
//! A parser of turns in xml-json: think, prose and blocks (spec/xml-json.md, "State machine").

use crate::block::{Block, Broken, Outcome, CLOSER};

pub enum Event {
    /// A think or a respond; in token mode a delta, with its segment and whether it is the last.
    Segment {
        kind: &'static str,
        content: String,
        delta: Option<(usize, bool)>,
    },
    Call(String),
    Execute,
    End,
    Error {
        broken: Broken,
        offset: usize,
        calls: usize,
    },
}

enum Region {
    Prose,
    Think,
    Block(Box<Block>),
    Void,
    Paused,
    Ended,
}

/// An open run of think or prose.
#[derive(Default)]
struct Segment {
    content: String,
    /// White space that may turn out to be trailing.
    white: String,
    has_begun: bool,
    /// Its number, once a delta of it has been emitted.
    number: Option<usize>,
}

pub struct Parser {
    region: Region,
    segment: Segment,
    is_token: bool,
    segments: usize,
    /// Text that may be the beginning of a marker.
    held: String,
    /// The number of characters read so far.
    offset: usize,
    calls: usize,
    pub discarded: usize,
    events: Vec<Event>,
}

const IN_PROSE: [&str; 4] = ["<think>", "<execute>", "<results>", "<end>"];
const IN_THINK: [&str; 1] = ["</think>"];
const IN_VOID: [&str; 1] = [CLOSER];

impl Parser {
    pub fn new(is_token: bool) -> Parser {
        Parser {
            region: Region::Prose,
            segment: Segment::default(),
            is_token,
            segments: 0,
            held: String::new(),
            offset: 0,
            calls: 0,
            discarded: 0,
            events: Vec::new(),
        }
    }

    pub fn feed(&mut self, chunk: &str) -> Vec<Event> {
        for c in chunk.chars() {
            self.take(c);
            self.offset += 1;
        }
        if self.is_token {
            self.delta(false);
        }
        std::mem::take(&mut self.events)
    }

    pub fn close(&mut self) -> Vec<Event> {
        if let Region::Block(block) = &self.region {
            let broken = block.unclosed();
            self.error(broken, self.offset);
        }
        if matches!(self.region, Region::Prose | Region::Think) {
            for c in std::mem::take(&mut self.held).chars() {
                self.extend(c);
            }
            self.end_of_segment();
        }
        std::mem::take(&mut self.events)
    }

    pub fn state(&self) -> &'static str {
        match self.region {
            Region::Prose => "prose",
            Region::Think => "think",
            Region::Block(_) | Region::Void => "execute",
            Region::Paused => "paused",
            Region::Ended => "ended",
        }
    }

    fn take(&mut self, c: char) {
        match &mut self.region {
            Region::Prose => self.find_marker(c, &IN_PROSE),
            Region::Think => self.find_marker(c, &IN_THINK),
            Region::Void => self.find_marker(c, &IN_VOID),
            Region::Paused | Region::Ended => self.discarded += 1,
            Region::Block(block) => match block.feed(c) {
                Outcome::Nothing => {}
                Outcome::Call(text) => {
                    self.calls += 1;
                    self.events.push(Event::Call(text));
                }
                Outcome::Closed => {
                    self.events.push(Event::Execute);
                    self.region = Region::Paused;
                }
                Outcome::Broken(broken) => {
                    self.error(broken, self.offset);
                    self.region = Region::Void;
                    // The closer may begin with the offending character.
                    self.find_marker(c, &IN_VOID);
                }
            },
        }
    }

    /// Look for the live markers; text that cannot become one is content.
    fn find_marker(&mut self, c: char, live: &[&'static str]) {
        self.held.push(c);
        while !self.held.is_empty() && !live.iter().any(|one| one.starts_with(&*self.held)) {
            let first = self.held.remove(0);
            self.extend(first);
        }
        if let Some(marker) = live.iter().find(|one| **one == self.held) {
            self.held.clear();
            self.marker(marker);
        }
    }

    fn marker(&mut self, marker: &str) {
        if !matches!(self.region, Region::Void) {
            self.end_of_segment();
        }
        self.region = match marker {
            "<think>" => Region::Think,
            "</think>" => Region::Prose,
            "<execute>" => Region::Block(Box::new(Block::new())),
            "<end>" => {
                self.events.push(Event::End);
                Region::Ended
            }
            "<results>" => {
                let message = "Only the system writes results.".to_string();
                let broken = Broken {
                    code: "forged-results",
                    path: None,
                    message,
                };
                self.error(broken, self.offset + 1 - marker.len());
                Region::Paused
            }
            _ => Region::Paused,
        };
    }

    fn error(&mut self, broken: Broken, offset: usize) {
        self.events.push(Event::Error {
            broken,
            offset,
            calls: self.calls,
        });
    }

    fn extend(&mut self, c: char) {
        if matches!(self.region, Region::Void) {
            return;
        }
        let segment = &mut self.segment;
        if matches!(c, ' ' | '\t' | '\n' | '\r') {
            if segment.has_begun {
                segment.white.push(c);
            }
        } else {
            segment.has_begun = true;
            segment.content.push_str(&segment.white);
            segment.white.clear();
            segment.content.push(c);
        }
    }

    fn kind(&self) -> &'static str {
        if matches!(self.region, Region::Think) {
            "think"
        } else {
            "respond"
        }
    }

    fn end_of_segment(&mut self) {
        if self.is_token {
            self.delta(true);
        } else if self.segment.has_begun {
            let content = std::mem::take(&mut self.segment.content);
            self.events.push(Event::Segment {
                kind: self.kind(),
                content,
                delta: None,
            });
        }
        self.segment = Segment::default();
    }

    /// Emit the new content of a segment; the last delta is emitted even if it is empty.
    fn delta(&mut self, is_last: bool) {
        if !self.segment.has_begun || (self.segment.content.is_empty() && !is_last) {
            return;
        }
        let number = *self.segment.number.get_or_insert_with(|| {
            self.segments += 1;
            self.segments - 1
        });
        let content = std::mem::take(&mut self.segment.content);
        let delta = Some((number, is_last));
        self.events.push(Event::Segment {
            kind: self.kind(),
            content,
            delta,
        });
    }
}
