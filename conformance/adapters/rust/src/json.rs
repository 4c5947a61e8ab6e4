// SPDX-License-Identifier: MIT
//! The part of JSON that an adapter needs: a reader of values and a writer of strings.

use std::iter::Peekable;
use std::str::Chars;

/// No request is nested deeper than this.
const DEEPEST: usize = 100;

#[derive(Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    /// None if the text contains a lone surrogate, which a `String` cannot.
    Text(Option<String>),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The member of an object, the last one if there are several.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members
                .iter()
                .rev()
                .find(|(other, _)| other == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => text.as_deref(),
            _ => None,
        }
    }
}

/// Read a whole document.
pub fn read(text: &str) -> Option<Json> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        depth: 0,
    };
    let value = reader.value()?;
    reader.white();
    reader.rest.next().is_none().then_some(value)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    depth: usize,
}

impl Reader<'_> {
    fn white(&mut self) {
        while self
            .rest
            .next_if(|c| matches!(c, ' ' | '\t' | '\n' | '\r'))
            .is_some()
        {}
    }

    fn eat(&mut self, expected: char) -> Option<()> {
        self.white();
        self.rest.next_if_eq(&expected).map(|_| ())
    }

    fn value(&mut self) -> Option<Json> {
        self.white();
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = match *self.rest.peek()? {
            '{' => self.object(),
            '[' => self.list(),
            '"' => self.string().map(Json::Text),
            't' => self.word("true", Json::Bool(true)),
            'f' => self.word("false", Json::Bool(false)),
            'n' => self.word("null", Json::Null),
            _ => self.number(),
        };
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        word.chars()
            .all(|expected| self.rest.next() == Some(expected))
            .then_some(value)
    }

    fn number(&mut self) -> Option<Json> {
        let mut digits = String::new();
        while let Some(c) = self
            .rest
            .next_if(|c| c.is_ascii_digit() || "+-.eE".contains(*c))
        {
            digits.push(c);
        }
        let is_json = digits.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        digits.parse().ok().filter(|_| is_json).map(Json::Number)
    }

    fn list(&mut self) -> Option<Json> {
        self.eat('[')?;
        let mut elements = Vec::new();
        if self.eat(']').is_some() {
            return Some(Json::List(elements));
        }
        loop {
            elements.push(self.value()?);
            if self.eat(',').is_none() {
                return self.eat(']').map(|()| Json::List(elements));
            }
        }
    }

    fn object(&mut self) -> Option<Json> {
        self.eat('{')?;
        let mut members = Vec::new();
        if self.eat('}').is_some() {
            return Some(Json::Object(members));
        }
        loop {
            self.white();
            let name = self.string()??;
            self.eat(':')?;
            members.push((name, self.value()?));
            if self.eat(',').is_none() {
                return self.eat('}').map(|()| Json::Object(members));
            }
        }
    }

    /// Read a string: None if there is none, and `Some(None)` if it contains a lone surrogate.
    fn string(&mut self) -> Option<Option<String>> {
        self.rest.next_if_eq(&'"')?;
        let mut units: Vec<u16> = Vec::new();
        let mut pair = [0; 2];
        loop {
            match self.rest.next()? {
                '"' => return Some(String::from_utf16(&units).ok()),
                '\\' => units.push(self.escape()?),
                c if c < ' ' => return None,
                c => units.extend_from_slice(c.encode_utf16(&mut pair)),
            }
        }
    }

    fn escape(&mut self) -> Option<u16> {
        Some(match self.rest.next()? {
            'b' => 8,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'u' => {
                let digits: String = (0..4).map_while(|_| self.rest.next()).collect();
                let is_hex = digits.len() == 4 && digits.chars().all(|c| c.is_ascii_hexdigit());
                u16::from_str_radix(&digits, 16).ok().filter(|_| is_hex)?
            }
            c @ ('"' | '\\' | '/') => c as u16,
            _ => return None,
        })
    }
}

/// Return a string as JSON text.
pub fn written(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
