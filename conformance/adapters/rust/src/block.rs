// SPDX-License-Identifier: MIT
//! A block: an array of calls, read character by character (spec/xml-json.md, "Blocks").

use std::collections::HashSet;

pub const CLOSER: &str = "</execute>";

const SIZE: usize = 8_388_608;
const CALLS: usize = 256;
const DEPTH: usize = 128;
const DIGITS: usize = 1000;

/// The result of reading one character of a block.
pub enum Outcome {
    Nothing,
    /// A call is complete; this is the text of its element.
    Call(String),
    /// The closer is complete.
    Closed,
    Broken(Broken),
}

#[derive(Debug)]
pub struct Broken {
    pub code: &'static str,
    pub path: Option<String>,
    pub message: String,
}

/// The place of the next character in the block: the rows of the table in "JSON".
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    BeforeArray,
    First,
    Value,
    After,
    AfterArray,
    Closer(usize),
    FirstName,
    Name,
    AfterName,
    Text,
    Backslash,
    /// The number of digits of the escape read so far, and their value.
    Hex(u32, u32),
    Literal(&'static str, usize),
    Minus,
    Zero,
    Int,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}
use Place::*;

/// An open array or object.
#[derive(Default)]
struct Frame {
    is_object: bool,
    index: usize,
    names: HashSet<String>,
    /// The name of the current member, from its colon on.
    key: Option<String>,
}

#[derive(Default)]
struct Element {
    /// The text from its opening brace on.
    text: String,
    has_name: bool,
    has_args: bool,
}

pub struct Block {
    place: Place,
    stack: Vec<Frame>,
    element: Element,
    elements: usize,
    /// The number of characters of the block read so far.
    size: usize,
    /// The value of the open string, if it is needed, and whether it is a name.
    string: String,
    is_name: bool,
    high: Option<u32>,
    number: String,
    digits: usize,
}

type Step = Result<Place, &'static str>;

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn is_value(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '"' | '{' | '[' | '-' | 't' | 'f' | 'n')
}

impl Block {
    pub fn new() -> Block {
        Block {
            place: BeforeArray,
            stack: Vec::new(),
            element: Element::default(),
            elements: 0,
            size: 0,
            string: String::new(),
            is_name: false,
            high: None,
            number: String::new(),
            digits: 0,
        }
    }

    pub fn feed(&mut self, c: char) -> Outcome {
        self.size += 1;
        if let Closer(read) = self.place {
            return self.closing(c, read);
        }
        if self.place == AfterArray && c == '<' {
            self.place = Closer(1);
            return Outcome::Nothing;
        }
        // A limit is checked last, and the path is then the one before the character.
        let limit = (self.size > SIZE).then(|| self.path());
        match (self.step(c), limit) {
            (Err(code), limit) => {
                let before = limit.unwrap_or_else(|| self.path());
                self.broken(code, self.path_of(code, before), c)
            }
            (Ok(_), Some(path)) => self.broken("limit-size", path, c),
            (Ok(place), None) => {
                self.place = place;
                self.gather(c)
            }
        }
    }

    /// Return the error of a text that ends in this block.
    pub fn unclosed(&self) -> Broken {
        let message = format!("The text ended before {CLOSER}; none of the calls ran.");
        Broken {
            code: "unclosed-execute",
            path: self.path(),
            message,
        }
    }

    fn closing(&mut self, c: char, read: usize) -> Outcome {
        if CLOSER.as_bytes()[read] as char != c {
            return self.broken("trailing-text", None, c);
        }
        self.place = Closer(read + 1);
        if read + 1 == CLOSER.len() {
            Outcome::Closed
        } else {
            Outcome::Nothing
        }
    }

    /// Collect the text of the element, and return the call if it is now complete.
    fn gather(&mut self, c: char) -> Outcome {
        if self.stack.len() >= 2 {
            self.element.text.push(c);
        } else if c == '}' && self.place == After {
            self.element.text.push(c);
            return Outcome::Call(std::mem::take(&mut self.element).text);
        }
        Outcome::Nothing
    }

    fn broken(&self, code: &'static str, path: Option<String>, c: char) -> Outcome {
        let at = path
            .as_deref()
            .map_or(String::new(), |path| format!("At {path}: "));
        let message = format!("{at}{} (at {c:?}).", explained(code));
        Outcome::Broken(Broken {
            code,
            path,
            message,
        })
    }

    /// Read a character; return the place after it, or the code of the rule that it breaks.
    fn step(&mut self, c: char) -> Step {
        match self.place {
            Text | Backslash | Hex(..) => return self.in_string(c),
            Minus | Zero | Int | Point | Fraction | E | Sign | Exponent => {
                return self.in_number(c)
            }
            Literal(word, read) => {
                let expected = word.as_bytes()[read] as char;
                let is_over = read + 1 == word.len();
                return match c == expected {
                    true => Ok(if is_over {
                        After
                    } else {
                        Literal(word, read + 1)
                    }),
                    false => Err("json-syntax"),
                };
            }
            place if is_white(c) => return Ok(place),
            _ => {}
        }
        match (self.place, c) {
            (BeforeArray, '[') => self.open(false),
            (BeforeArray, _) => Err("not-array"),
            (AfterArray, _) => Err("trailing-text"),
            (First, ']') => self.close(),
            (First | Value, _) => self.value(c),
            (FirstName, '}') => self.close(),
            (FirstName | Name, '"') => Ok(self.string(true)),
            (AfterName, ':') => {
                let name = std::mem::take(&mut self.string);
                self.top().key = Some(name);
                Ok(Value)
            }
            (After, _) => self.after(c),
            _ => Err("json-syntax"),
        }
    }

    /// Read a character after a value.
    fn after(&mut self, c: char) -> Step {
        let is_object = self.top().is_object;
        match c {
            '}' if is_object => self.close(),
            ']' if !is_object => self.close(),
            ',' => {
                let top = self.top();
                top.index += 1;
                top.key = None;
                Ok(if is_object { Name } else { Value })
            }
            _ => Err("json-syntax"),
        }
    }

    /// Read the first character of a value.
    fn value(&mut self, c: char) -> Step {
        if !is_value(c) {
            return Err("json-syntax");
        }
        match self.stack.len() {
            1 if c != '{' => return Err("not-object"),
            2 => match self.top().key.as_deref() {
                Some("name") if c != '"' => return Err("bad-name"),
                Some("args") if c != '{' => return Err("bad-args"),
                _ => {}
            },
            _ => {}
        }
        self.number.clear();
        self.digits = 0;
        match c {
            '{' => self.open(true),
            '[' => self.open(false),
            '"' => Ok(self.string(false)),
            't' => Ok(Literal("true", 1)),
            'f' => Ok(Literal("false", 1)),
            'n' => Ok(Literal("null", 1)),
            '-' => Ok(self.numeral(c, Minus)),
            '0' => self.digit(c, Zero),
            _ => self.digit(c, Int),
        }
    }

    fn open(&mut self, is_object: bool) -> Step {
        if self.stack.len() == 1 && self.elements == CALLS {
            return Err("limit-calls");
        }
        if self.stack.len() == DEPTH {
            return Err("limit-depth");
        }
        self.elements += usize::from(self.stack.len() == 1);
        self.stack.push(Frame {
            is_object,
            ..Frame::default()
        });
        Ok(if is_object { FirstName } else { First })
    }

    fn close(&mut self) -> Step {
        if self.stack.len() == 2 {
            if !self.element.has_name {
                return Err("missing-name");
            }
            if !self.element.has_args {
                return Err("missing-args");
            }
        }
        self.stack.pop();
        Ok(if self.stack.is_empty() {
            AfterArray
        } else {
            After
        })
    }

    fn string(&mut self, is_name: bool) -> Place {
        self.string.clear();
        self.is_name = is_name;
        Text
    }

    fn in_string(&mut self, c: char) -> Step {
        match (self.place, c) {
            (Text, ..='\u{1f}') => Err("json-syntax"),
            (Text, '\\') => Ok(Backslash),
            (Text, _) if self.high.is_some() => Err("lone-surrogate"),
            (Text, '"') => self.end_of_string(),
            (Text, _) => Ok(self.keep(c)),
            (Backslash, 'u') => Ok(Hex(0, 0)),
            (Backslash, _) => match ESCAPES.iter().find(|(letter, _)| *letter == c) {
                None => Err("json-syntax"),
                Some(_) if self.high.is_some() => Err("lone-surrogate"),
                Some((_, meant)) => Ok(self.keep(*meant)),
            },
            (Hex(read, code), _) => match c.to_digit(16) {
                None => Err("json-syntax"),
                Some(digit) if read < 3 => Ok(Hex(read + 1, code * 16 + digit)),
                Some(digit) => self.unit(code * 16 + digit),
            },
            _ => Err("json-syntax"),
        }
    }

    /// Process a complete escape of four digits.
    fn unit(&mut self, code: u32) -> Step {
        let code = match (self.high.take(), code) {
            (Some(high), 0xdc00..=0xdfff) => 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00),
            (Some(_), _) | (None, 0xdc00..=0xdfff) => return Err("lone-surrogate"),
            (None, 0xd800..=0xdbff) => {
                self.high = Some(code);
                return Ok(Text);
            }
            (None, _) => code,
        };
        Ok(self.keep(char::from_u32(code).expect("it is not a surrogate")))
    }

    /// Keep a character of a string whose value may be needed: a name, or a value in an element.
    fn keep(&mut self, c: char) -> Place {
        if self.is_name || self.stack.len() == 2 {
            self.string.push(c);
        }
        Text
    }

    fn end_of_string(&mut self) -> Step {
        if self.is_name {
            let name = self.string.clone();
            let is_element = self.stack.len() == 2;
            if !self.top().names.insert(name) {
                return Err("duplicate-key");
            }
            self.element.has_name |= is_element && self.string == "name";
            self.element.has_args |= is_element && self.string == "args";
            return Ok(AfterName);
        }
        let is_call = self.stack.len() == 2 && self.top().key.as_deref() == Some("name");
        if is_call && (self.string.is_empty() || self.string == "execute") {
            return Err("bad-name");
        }
        Ok(After)
    }

    fn in_number(&mut self, c: char) -> Step {
        match (self.place, c) {
            (Minus, '0') => self.digit(c, Zero),
            (Minus | Int, '0'..='9') => self.digit(c, Int),
            (Point | Fraction, '0'..='9') => self.digit(c, Fraction),
            (E | Sign | Exponent, '0'..='9') => self.digit(c, Exponent),
            (Zero | Int, '.') => Ok(self.numeral(c, Point)),
            (Zero | Int | Fraction, 'e' | 'E') => Ok(self.numeral(c, E)),
            (E, '+' | '-') => Ok(self.numeral(c, Sign)),
            (Zero | Int | Fraction | Exponent, _) => self.end_of_number(c),
            _ => Err("json-syntax"),
        }
    }

    fn numeral(&mut self, c: char, place: Place) -> Place {
        self.number.push(c);
        place
    }

    fn digit(&mut self, c: char, place: Place) -> Step {
        self.digits += 1;
        if self.digits > DIGITS {
            return Err("limit-digits");
        }
        Ok(self.numeral(c, place))
    }

    /// Read the character after a number.
    fn end_of_number(&mut self, c: char) -> Step {
        let end = if self.top().is_object { '}' } else { ']' };
        if !is_white(c) && c != ',' && c != end {
            return Err("json-syntax");
        }
        let value: f64 = self.number.parse().expect("it is a number");
        if value.is_infinite() {
            return Err("number-range");
        }
        if is_white(c) {
            Ok(After)
        } else {
            self.after(c)
        }
    }

    fn top(&mut self) -> &mut Frame {
        self.stack
            .last_mut()
            .expect("an array or an object is open")
    }

    /// The path of an error: the place before the character, except that a duplicate name has the
    /// path of its member, and a missing member the path of the element.
    fn path_of(&self, code: &str, before: Option<String>) -> Option<String> {
        match before {
            Some(path) if code == "duplicate-key" => Some(path + "/" + &escaped(&self.string)),
            Some(_) if code.starts_with("missing-") => Some(format!("/{}", self.stack[0].index)),
            path => path,
        }
    }

    /// The JSON Pointer of the current value, which may not have begun yet.
    fn path(&self) -> Option<String> {
        if self.stack.is_empty() {
            return None;
        }
        let words = self.stack.iter().filter_map(|frame| match frame.is_object {
            true => frame.key.as_deref().map(escaped),
            false => Some(frame.index.to_string()),
        });
        Some(words.map(|word| format!("/{word}")).collect())
    }
}

const ESCAPES: [(char, char); 8] = [
    ('"', '"'),
    ('\\', '\\'),
    ('/', '/'),
    ('b', '\u{8}'),
    ('f', '\u{c}'),
    ('n', '\n'),
    ('r', '\r'),
    ('t', '\t'),
];

/// Escape a name for a JSON Pointer (RFC 6901).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn explained(code: &str) -> &'static str {
    match code {
        "not-array" => "A block must contain one JSON array of calls",
        "trailing-text" => "Only </execute> may follow the array",
        "not-object" => "A call must be an object with name and args",
        "bad-name" => "The name of a call must be a string that is neither empty nor execute",
        "bad-args" => "The args of a call must be an object",
        "lone-surrogate" => "A surrogate pair is incomplete; write both halves, or the character",
        "duplicate-key" => "An object has two members of this name",
        "number-range" => "A number is too large for a double; write it as a string",
        "missing-name" => "A call has no name",
        "missing-args" => "A call has no args; write {} if there are none",
        "limit-calls" => "A block has too many calls",
        "limit-depth" => "A value is nested too deep",
        "limit-digits" => "A number has too many digits",
        "limit-size" => "A block is too long",
        _ => "This character is not allowed here in JSON",
    }
}
