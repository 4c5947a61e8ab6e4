"""Bugs in judging calls."""

from typing import Final

from conformance.zoo.making import bug_in

_validation: Final = bug_in("validation")
_coercing: Final = bug_in("coercing")
_keywords: Final = bug_in("keywords")
_schemas: Final = bug_in("schemas")
_patterns: Final = bug_in("patterns")

ANIMALS: Final = (
    _validation(
        "problems-without-paths",
        "problem-without-its-place",
        "Problems have no path.",
        (
            'return [{"code": code, "path": ⟦path¦'
            '""⟧} for path, code in sorted(type_first(found))], args'
        ),
    ),
    _validation(
        "problems-one-at-a-time",
        "one-problem-at-a-time",
        "Only the first problem is reported.",
        "in sorted(type_first(found))⟦¦[:1]⟧], args",
    ),
    _validation(
        "problems-in-no-order",
        "problems-in-no-order",
        "Problems are sorted by their codes.",
        "in sorted(type_first(found)⟦¦, key=lambda p: (p[1], p[0])⟧)], args",
    ),
    _validation(
        "problems-backwards",
        "problems-in-no-order",
        "Problems are in the order of their depth.",
        "in sorted(type_first(found)⟦¦, reverse=True⟧)], args",
    ),
    _validation(
        "problems-of-mistyped-values",
        "the-same-problem-twice",
        "A value of the wrong type is held against its other rules too.",
        '    mistyped⟦ = {path for path, code in found if code == "bad-type"}¦: set[str] = set()⟧',
    ),
    _validation(
        "unknown-tools-run",
        "unknown-tool-name",
        "A call of an unknown tool has no problem.",
        'return [⟦{"code": "unknown-tool", "path": ""}¦⟧], args',
    ),
    _validation(
        "unknown-tools-resemble",
        "unknown-tool-name",
        "Names of tools are compared without regard to case and white space.",
        """⟦¦    near = [name for name in declared if name.lower() == call["name"].strip().lower()]
    call = {**call, "name": near[0]} if near else call
⟧    if call["name"] not in declared:""",
    ),
    _validation(
        "names-declared-unjudged",
        "broken-tool-found-too-late",
        "The names of tools are not checked when they are declared.",
        'if ⟦not isinstance(name, str) or name in ("", "execute") or name in declared¦False⟧:',
    ),
    _validation(
        "tools-without-parameters-refused",
        "args-missing-null-or-empty",
        "A tool without parameters accepts no arguments.",
        'tool.get("parameters", {"type": "object"⟦¦, "additionalProperties": False⟧})',
    ),
    _validation(
        "texts-never-converted",
        "first-type-not-taken",
        "The texts of elements are never converted.",
        "    if ⟦dialect in WORDS¦False⟧:",
    ),
    _validation(
        "texts-always-converted",
        "over-eager-unwrapping",
        "Texts are converted in every dialect.",
        """    if ⟦dialect in WORDS:
        args, misfits = coerce(schemas, args, dialect¦True:
        args, misfits = coerce(schemas, args, "xml-elements"⟧)""",
    ),
    _coercing(
        "texts-converted-without-schema",
        "text-taken-for-a-number",
        "Texts that look like values are converted whatever is declared.",
        """    if kind == "string":
        return ⟦[text¦(json_values(text) or [text])[:1⟧]""",
    ),
    _keywords(
        "missing-args-untold",
        "one-problem-at-a-time",
        "Missing arguments are not a problem.",
        '⟦found.add((pointer((*at, name)), "missing-arg"))¦pass⟧',
    ),
    _keywords(
        "missing-args-at-their-object",
        "problem-without-its-place",
        "The path of a missing argument is that of its object.",
        'found.add((⟦pointer((*at, name))¦here⟧, "missing-arg"))',
    ),
    _keywords(
        "types-unjudged",
        "true-counts-as-one",
        "Types are not checked.",
        '        ⟦found.add((here, "bad-type"))¦pass⟧',
    ),
    _keywords(
        "enums-unjudged",
        "one-problem-at-a-time",
        "Listed values are not checked.",
        '        ⟦found.add((here, "not-in-enum"))¦pass⟧',
    ),
    _keywords(
        "rules-unjudged",
        "bounds-off-by-one",
        "Bounds, lengths and patterns are not checked.",
        "    if ⟦breaks_a_rule(schema, value)¦False⟧:",
    ),
    _keywords(
        "true-is-one",
        "true-counts-as-one",
        "`true` is a number.",
        "return isinstance(value, int | float)⟦ and not isinstance(value, bool)¦⟧",
    ),
    _keywords(
        "integers-without-fraction",
        "integer-valued-number-refused",
        "3.0 is not an integer.",
        "return is_number(value) and ⟦value == math.floor(value¦isinstance(value, int⟧)",
    ),
    _keywords(
        "multiples-of-doubles",
        "multiples-in-binary",
        "Multiples are checked in binary.",
        "return Fraction(number)⟦ if isinstance(number, int) else Fraction(repr(number))¦⟧",
    ),
    _keywords(
        "bounds-excluded",
        "bounds-off-by-one",
        "The lowest and the highest value are out of range.",
        'exact <⟦¦=⟧ decimal(schema["minimum"])',
    ),
    _keywords(
        "bounds-included",
        "bounds-off-by-one",
        "Exclusive bounds are in range.",
        'exact >⟦=¦⟧ decimal(schema["exclusiveMaximum"])',
    ),
    _keywords(
        "lengths-in-bytes",
        "length-in-code-units",
        "Lengths count UTF-16 units.",
        'breaks_length(schema, "Length", len(value⟦)¦.encode("utf-16-le", "surrogatepass")) // 2⟧)',
    ),
    _validation(
        "closed-schemas-open",
        "closed-schema-ignored",
        "Arguments that a schema does not allow are not a problem.",
        """                if self.schemas.at[(*place, *step)] is False:
                    ⟦found.add((pointer(there), "unexpected-arg"))¦pass⟧""",
    ),
    _validation(
        "unexpected-args-are-bad-values",
        "closed-schema-ignored",
        "An argument that is not allowed is a bad value.",
        """                    found.add((pointer(there), "⟦unexpected-arg¦bad-value⟧"))
                else""",
    ),
    _validation(
        "false-takes-everything",
        "false-schema-misplaced",
        "The schema `false` accepts every value.",
        'return set()⟦ if schema else {(pointer(at), "bad-value")}¦⟧',
    ),
    _validation(
        "branches-all-blamed",
        "every-branch-blamed",
        "A value that fits no branch has the problems of all.",
        """⟦¦        if True:
            return set().union(*branches)
⟧        if not of_the_type:""",
    ),
    _validation(
        "branches-never-blamed",
        "every-branch-blamed",
        "A value that fits one type has one problem.",
        "        if ⟦len(of_the_type) == 1¦False⟧:",
    ),
    _validation(
        "one-of-is-any-of",
        "every-branch-blamed",
        "A value may fit several branches of `oneOf`.",
        'if ⟦keyword == "oneOf" and len(fitting) > 1¦False⟧ else set()',
    ),
    _validation(
        "nots-unjudged",
        "problem-without-its-place",
        "`not` is not checked.",
        '        if ⟦"not" in schema¦False⟧ and self',
    ),
    _validation(
        "conditions-unjudged",
        "every-branch-blamed",
        "`then` and `else` are not checked.",
        """        if ⟦"if" in schema¦False⟧:
            branch =""",
    ),
    _validation(
        "references-unjudged",
        "schema-reference-misread",
        "References are not followed.",
        """        if ⟦"$ref" in schema¦False⟧:
            yield self""",
    ),
    _schemas(
        "schemas-unjudged",
        "broken-tool-found-too-late",
        "Schemas are not checked when they are declared.",
        "if not isinstance(parameters, dict)⟦ or not is_valid_schema(parameters)¦⟧:",
    ),
    _schemas(
        "patterns-unread",
        "broken-tool-found-too-late",
        "Patterns are read when they are used.",
        """⟦        self.require_patterns()
¦⟧""",
    ),
    _patterns(
        "patterns-at-the-start",
        "pattern-misread",
        "A pattern has to begin where the text does.",
        "self.alternatives(frozenset(⟦range(len(self.text) + 1)¦{0}⟧))",
    ),
    _patterns(
        "few-is-one",
        "pattern-misread",
        "A `?` after a quantifier is another quantifier.",
        '([0-9]*)\\})⟦\\??¦⟧")',
    ),
    _patterns(
        "classes-never-negated",
        "pattern-misread",
        "`[^` begins a class like any other.",
        '        fitting = re.compile(in_python(found[0])⟦¦.replace("[^", "[")⟧)',
    ),
    _schemas(
        "references-unread",
        "schema-reference-misread",
        "References are looked up when they are used.",
        """⟦        self.require_references()
¦⟧""",
    ),
    _schemas(
        "circles-unseen",
        "circular-schema",
        "Circles are found when they are run through.",
        """⟦        self.require_no_cycle()
¦⟧""",
    ),
    _schemas(
        "circles-of-values",
        "circular-schema",
        "A schema that describes itself is refused.",
        "                if ⟦step[0] in SAME_VALUE¦True⟧:",
    ),
    _schemas(
        "names-of-two-schemas",
        "schema-reference-misread",
        "The last schema of a name counts.",
        "        if ⟦self.named.get(address, place) != place¦False⟧:",
    ),
    _schemas(
        "anchors-unread",
        "schema-reference-misread",
        "Anchors have no names.",
        'for keyword in ("$⟦anchor", "$dynamicAnchor"¦dynamicAnchor",⟧):',
    ),
    _schemas(
        "pointers-unescaped",
        "schema-reference-misread",
        "The steps of a reference are not unescaped.",
        'name = step⟦.replace("~1", "/").replace("~0", "~")¦⟧',
    ),
    _coercing(
        "booleans-by-truth",
        "false-becomes-true",
        "Every text that is not empty is true.",
        "return [⟦words[text]] if text in words else [¦bool(text)⟧]",
    ),
    _coercing(
        "booleans-of-many-words",
        "text-bent-until-it-fits",
        "`yes`, `1` and `True` are true.",
        (
            "return ⟦[words[text]] if text in words else []¦"
            '{"true": [True], "false": [False], "yes": [True], "1": [True], "0": [False], '
            '"no": [False]}.get(text.lower().strip(), [])⟧'
        ),
    ),
    _coercing(
        "nulls-of-empty-text",
        "union-schema-misread",
        "An empty text is null.",
        'return [None] if text ⟦== "null"¦in ("null", "", "None")⟧ else []',
    ),
    _coercing(
        "integers-with-zeros",
        "text-bent-until-it-fits",
        "An integer may have zeros, a plus and white space before it.",
        (
            'is_integer = re.fullmatch(r"⟦-?(0|[1-9][0-9]*)¦'
            '\\s*[-+]?[0-9]+\\s*⟧", text) and is_finite(text)'
        ),
    ),
    _coercing(
        "integers-of-doubles",
        "large-integers-rounded",
        "Integers are doubles.",
        "    return int(⟦text¦float(text)⟧)",
    ),
    _coercing(
        "numbers-of-the-language",
        "text-bent-until-it-fits",
        "A number is any text that the language reads as one.",
        (
            'number = re.fullmatch(r"⟦-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?", text)¦'
            "\\s*[-+.0-9eE_]+\\s*\", text) and text.strip()[-1:] not in 'eE+-_'⟧"
        ),
    ),
    _coercing(
        "unions-sorted",
        "first-type-not-taken",
        "The last type that fits is used.",
        """    for kind, listed in ⟦options¦reversed(options)⟧:
        for value""",
    ),
    _coercing(
        "unions-of-texts",
        "union-schema-misread",
        "Where a text is allowed it stays one.",
        """⟦¦    if any(kind == "string" for kind, _ in options):
        return [text]
⟧    for kind, listed in options:
        for value""",
    ),
    _coercing(
        "values-trimmed-when-converted",
        "string-arguments-trimmed",
        "Texts are trimmed before they are converted.",
        """    if kind == "string":
        return [text⟦¦.strip()⟧]""",
    ),
    _coercing(
        "schemas-of-references-unread",
        "first-type-not-taken",
        "Types are looked for in the schema of the argument alone.",
        """    for branches in ⟦applied_branches(schemas, place¦(⟧):
        found = [option""",
    ),
    _coercing(
        "schemas-of-branches-unread",
        "first-type-not-taken",
        "Arguments are looked for in the schema itself alone.",
        """    for branches in ⟦applied_branches(schemas, place¦(⟧):
        of_branches""",
    ),
    _coercing(
        "json-of-the-language",
        "text-bent-until-it-fits",
        "Arrays and objects are any text that the language reads as JSON.",
        (
            "if ⟦is_json(text, DEFAULT_LIMITS, ARGUMENT_DEPTH)¦"
            'text[:1] in tuple("{[") and text[-1:] in "]}"⟧ else []'
        ),
    ),
    _validation(
        "texts-unwrapped",
        "over-eager-unwrapping",
        "Texts that look like values are converted to them.",
        """    misfits: list[str] = []
⟦¦    import json
    looks = ("{", "[", "t", "f", "n", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
    for name, given in dict(args).items():
        if isinstance(given, str) and given.startswith(looks):
            try:
                args = {**args, name: json.loads(given)}
            except ValueError:
                pass
⟧""",
    ),
    _validation(
        "texts-trimmed",
        "string-arguments-trimmed",
        "Texts are trimmed before they are checked.",
        """    misfits: list[str] = []
⟦¦    args = {name: given.strip() if isinstance(given, str) else given \
for name, given in args.items()}
⟧""",
    ),
    _keywords(
        "rules-of-other-types",
        "rules-applied-to-other-types",
        "Lengths are those of the text of a value.",
        """⟦¦    if breaks_length(schema, "Length", len(str(value))):
        return True
⟧    return is_number(value) and breaks_range(schema, value)""",
    ),
    _coercing(
        "digits-are-numbers",
        "text-taken-for-a-number",
        "A text of digits is a number, whatever is declared.",
        """    if kind == "string":
        return [⟦¦int(text) if text.isdigit() else ⟧text]""",
    ),
)
