"""What `xml-elements` gives for single texts that are not cases of the corpus."""

import json

import pytest

from tests import cogwire
from tests.core.helpers import call
from tests.core.wire.tables import check_rows, framed, same_outcome

BLOCK = "<execute><a/></execute>"
ITEM = '{"tool":"a","status":"success","content":1}'
VOID = '{"tool":"execute","status":"failure","content":"no"}'
X = "<execute><w><a>"
W = "<execute><w>"

# fmt: off
READ = {
    "a valid block": [
        ("<execute></execute>", "execute → paused"),  # nothing
        ("<execute> \r\n\t</execute>", "execute → paused"),  # white space
        ("<execute><ping \n/></execute>", 'call {"name": "ping", "args": {}} · execute → paused'),  # a closed tag with white space
        ("<execute><ls> \r\n</ls></execute>", 'call {"name": "ls", "args": {}} · execute → paused'),  # white space in a tool
        ("<execute><ls/></execute>", 'call {"name": "ls", "args": {}} · execute → paused'),  # an empty tool
        ("<execute><ls \n/></execute>", 'call {"name": "ls", "args": {}} · execute → paused'),  # white space before the slash
        ("<execute><ls\t>\n </ls\r\n></execute>", 'call {"name": "ls", "args": {}} · execute → paused'),  # white space in tags
        ("<execute><w ></w ></execute>", 'call {"name": "w", "args": {}} · execute → paused'),  # white space in its tags
        ("<execute><w\r\n\t></w\n></execute>", 'call {"name": "w", "args": {}} · execute → paused'),  # line ends in its tags
        (W + "<file/></w></execute>", 'call {"name": "w", "args": {"file": ""}} · execute → paused'),  # a closed argument
        (W + "<file /></w></execute>", 'call {"name": "w", "args": {"file": ""}} · execute → paused'),  # a closed argument with white space
        (W + "<file></file></w></execute>", 'call {"name": "w", "args": {"file": ""}} · execute → paused'),  # an empty argument
        ("<execute><read><file>a.txt</file></read></execute>", 'call {"name": "read", "args": {"file": "a.txt"}} · execute → paused'),  # an argument
        (W + "<a\t>1</a\n></w></execute>", 'call {"name": "w", "args": {"a": "1"}} · execute → paused'),  # white space in the tags of an argument
        (X + "1</a></w></execute>", 'call {"name": "w", "args": {"a": "1"}} · execute → paused'),  # an argument
        ("<execute><w ><a >1</a ></w ></execute>", 'call {"name": "w", "args": {"a": "1"}} · execute → paused'),  # white space after names
        (W + " <a>1</a>\n<b/> </w></execute>", 'call {"name": "w", "args": {"a": "1", "b": ""}} · execute → paused'),  # white space around arguments
        ("<execute><a/><b/></execute>", 'call {"name": "a", "args": {}} · call {"name": "b", "args": {}} · execute → paused'),  # two tools
        ("<execute>\n  <a/>\n  <b/>\n</execute>", 'call {"name": "a", "args": {}} · call {"name": "b", "args": {}} · execute → paused'),  # white space around tools
        ("<execute><a/>\n<a/></execute>", 'call {"name": "a", "args": {}} · call {"name": "a", "args": {}} · execute → paused'),  # two tools of one name
        (W + "<b>1</b><a>2</a></w></execute>", 'call {"name": "w", "args": {"b": "1", "a": "2"}} · execute → paused'),  # names in reading order
        (W + "<a/></w><w><a/></w></execute>", 'call {"name": "w", "args": {"a": ""}} · call {"name": "w", "args": {"a": ""}} · execute → paused'),  # one name in two tools
        (W + "<w>1</w></w></execute>", 'call {"name": "w", "args": {"w": "1"}} · execute → paused'),  # an argument of the tool's name
        (W + "<a/></w></execute>", 'call {"name": "w", "args": {"a": ""}} · execute → paused'),  # an empty argument
        (W + "<a \n/></w></execute>", 'call {"name": "w", "args": {"a": ""}} · execute → paused'),  # the same with white space
        ("<execute>\n<w>\n<a>1</a>\n<b>2</b>\n</w>\n</execute>", 'call {"name": "w", "args": {"a": "1", "b": "2"}} · execute → paused'),  # one a line
        ("<execute><a/><a/> <b/></execute>", 'call {"name": "a", "args": {}} · call {"name": "a", "args": {}} · call {"name": "b", "args": {}} · execute → paused'),  # several tools
        ("<execute><a><a>1</a></a></execute>", 'call {"name": "a", "args": {"a": "1"}} · execute → paused'),  # an argument named as its tool
        (W + "<execute/></w></execute>", 'call {"name": "w", "args": {"execute": ""}} · execute → paused'),  # empty ones too
        (W + "<name>n</name></w></execute>", 'call {"name": "w", "args": {"name": "n"}} · execute → paused'),  # an argument called name
        ("<execute><A-b.c_9><A-b.c_9>1</A-b.c_9></A-b.c_9></execute>", 'call {"name": "A-b.c_9", "args": {"A-b.c_9": "1"}} · execute → paused'),  # A-b.c_9
        ("<execute><é><é>1</é></é></execute>", 'call {"name": "é", "args": {"é": "1"}} · execute → paused'),
        ("<execute><e\u0301><e\u0301>1</e\u0301></e\u0301></execute>", 'call {"name": "e\u0301", "args": {"e\u0301": "1"}} · execute → paused'),
        ("<execute><x·><x·>1</x·></x·></execute>", 'call {"name": "x·", "args": {"x·": "1"}} · execute → paused'),
        ("<execute><x\u203f\u2040><x\u203f\u2040>1</x\u203f\u2040></x\u203f\u2040></execute>", 'call {"name": "x\u203f\u2040", "args": {"x\u203f\u2040": "1"}} · execute → paused'),
        ("<execute><日本語><日本語>1</日本語></日本語></execute>", 'call {"name": "日本語", "args": {"日本語": "1"}} · execute → paused'),
        ("<execute><\U00010000\U000effff><\U00010000\U000effff>1</\U00010000\U000effff></\U00010000\U000effff></execute>", 'call {"name": "\U00010000\U000effff", "args": {"\U00010000\U000effff": "1"}} · execute → paused'),
    ],
    "what a tool and an argument may be called": framed(
        ("<execute><…/></execute>", 'call {"name": "…", "args": {}} · execute → paused'),
        (W + "<…>1</…></w></execute>", 'call {"name": "w", "args": {"…": "1"}} · execute → paused'),
        rows=[
            ("_", "_"),  # an underscore
            *same_outcome("…", texts=[
                "a-1.b_", "été", "e\u0301", "日本語", "x·y", "x\u203fy", "\U00010000\U000effff", "Execute",
                "executes", "execut",
            ]),
            ("\u02ff", "\u02ff"),  # the last two-byte start
            ("\u0132", "\u0132"),  # a letter of the fifth edition
        ],
    ),
    "what a tool and an argument may be called: others": [
        ("<execute><w/></execute>", 'call {"name": "w", "args": {}} · execute → paused'),  # a letter
    ],
    # Inside a block only its closer is a marker, and only a tool may not be called `execute`.
    "names of markers are names": [
        ("<execute><end/><think><a>1</a></think></execute>", 'call {"name": "end", "args": {}} · call {"name": "think", "args": {"a": "1"}} · execute → paused'),
        ("<execute><results><execute>1</execute></results></execute>", 'call {"name": "results", "args": {"execute": "1"}} · execute → paused'),
    ],
    # Verbatim, but for references and sections.
    "the value of an argument": [
        (X + "config.json</a></w></execute>", 'call {"name": "w", "args": {"a": "config.json"}} · execute → paused'),  # plain text
        (X + "a\r\nb\rc\r\n</a></w></execute>", 'call {"name": "w", "args": {"a": "a\\r\\nb\\rc\\r\\n"}} · execute → paused'),  # carriage returns are kept
        (X + '\'"\\n</a></w></execute>', 'call {"name": "w", "args": {"a": "\'\\"\\\\n"}} · execute → paused'),  # quotes and backslashes
        (X + "a > b</a></w></execute>", 'call {"name": "w", "args": {"a": "a > b"}} · execute → paused'),  # a greater-than sign
        (X + "--></a></w></execute>", 'call {"name": "w", "args": {"a": "-->"}} · execute → paused'),  # an arrow
        (X + "a[0]] ></a></w></execute>", 'call {"name": "w", "args": {"a": "a[0]] >"}} · execute → paused'),  # brackets
        (X + "&amp;lt;</a></w></execute>", 'call {"name": "w", "args": {"a": "&lt;"}} · execute → paused'),  # a reference is not read twice
        (X + "&#0065;&#x0000000000000000041;</a></w></execute>", 'call {"name": "w", "args": {"a": "AA"}} · execute → paused'),  # leading zeros
        (X + "&#9;&#10;&#13;&#32;</a></w></execute>", 'call {"name": "w", "args": {"a": "\\t\\n\\r "}} · execute → paused'),  # white space by reference
        (X + "&#93;]></a></w></execute>", 'call {"name": "w", "args": {"a": "]]>"}} · execute → paused'),  # an end of a section, its first bracket by reference
        (X + "]]<![CDATA[]]>></a></w></execute>", 'call {"name": "w", "args": {"a": "]]>"}} · execute → paused'),  # a section between them
        (X + "<![CDATA[a]]]]></a></w></execute>", 'call {"name": "w", "args": {"a": "a]]"}} · execute → paused'),  # brackets at the end of a section
        (X + "<![CDATA[<b>hi</b><!-- --><?x?>]]></a></w></execute>", 'call {"name": "w", "args": {"a": "<b>hi</b><!-- --><?x?>"}} · execute → paused'),  # markup in a section
        (X + "<![CDATA[&lt;&nbsp;]]></a></w></execute>", 'call {"name": "w", "args": {"a": "&lt;&nbsp;"}} · execute → paused'),  # references in a section
        (X + "a<![CDATA[b]]>c<![CDATA[d]]></a></w></execute>", 'call {"name": "w", "args": {"a": "abcd"}} · execute → paused'),  # text around sections
        (X + "\xa0\u2028\ufeff\ufffd\ue000</a></w></execute>", 'call {"name": "w", "args": {"a": "\xa0\u2028\ufeff\ufffd\ue000"}} · execute → paused'),  # rare characters
        (X + "\U0001fffe\U0010ffff</a></w></execute>", 'call {"name": "w", "args": {"a": "\U0001fffe\U0010ffff"}} · execute → paused'),  # beyond the first plane
        (W + '<b>é\u2028"\\\t</b><a>&lt;/execute></a></w></execute>', 'call {"name": "w", "args": {"b": "é\u2028\\"\\\\\\t", "a": "</execute>"}} · execute → paused'),  # the content of a call is json
        (X + "]</a></w></execute>", 'call {"name": "w", "args": {"a": "]"}} · execute → paused'),  # a bracket
        (X + "<![CDATA[]]]></a></w></execute>", 'call {"name": "w", "args": {"a": "]"}} · execute → paused'),  # a bracket at the end of a section
        (X + "]]</a></w></execute>", 'call {"name": "w", "args": {"a": "]]"}} · execute → paused'),
        (X + "<![CDATA[]]]]></a></w></execute>", 'call {"name": "w", "args": {"a": "]]"}} · execute → paused'),
        (X + "]] >]></a></w></execute>", 'call {"name": "w", "args": {"a": "]] >]>"}} · execute → paused'),  # brackets and more
        (X + "<![CDATA[]] >]>]]></a></w></execute>", 'call {"name": "w", "args": {"a": "]] >]>"}} · execute → paused'),  # brackets and more in a section
        (X + "]&#93;>]&#x5D;></a></w></execute>", 'call {"name": "w", "args": {"a": "]]>]]>"}} · execute → paused'),  # a reference comes between
        (X + "a\r\nb\rc\n</a></w></execute>", 'call {"name": "w", "args": {"a": "a\\r\\nb\\rc\\n"}} · execute → paused'),  # line ends stay as they are
        (X + "\t\x7f\x85\u2028\ufeff</a></w></execute>", 'call {"name": "w", "args": {"a": "\\t\x7f\x85\u2028\ufeff"}} · execute → paused'),  # odd characters
        (X + "\ufffd😀</a></w></execute>", 'call {"name": "w", "args": {"a": "\ufffd😀"}} · execute → paused'),  # U+FFFD that was sent
        (X + "&amp;lt;&#38;gt;</a></w></execute>", 'call {"name": "w", "args": {"a": "&lt;&gt;"}} · execute → paused'),  # nothing is read twice
        (X + "&#x41;&#65;&#x6a;&#x6A;</a></w></execute>", 'call {"name": "w", "args": {"a": "AAjj"}} · execute → paused'),  # references by number
        (X + "&#000000065;</a></w></execute>", 'call {"name": "w", "args": {"a": "A"}} · execute → paused'),  # leading zeros
        (X + "&#x0000000041;</a></w></execute>", 'call {"name": "w", "args": {"a": "A"}} · execute → paused'),  # leading zeros in hexadecimal
        (X + "&#" + "0" * 5000 + "65;</a></w></execute>", 'call {"name": "w", "args": {"a": "A"}} · execute → paused'),
        (X + "&#x" + "0" * 5000 + "41;</a></w></execute>", 'call {"name": "w", "args": {"a": "A"}} · execute → paused'),
        (X + "&#xD7FF;&#xE000;&#xFFFD;</a></w></execute>", 'call {"name": "w", "args": {"a": "\ud7ff\ue000\ufffd"}} · execute → paused'),  # beside the holes
        (X + "&#x10000;&#1114111;</a></w></execute>", 'call {"name": "w", "args": {"a": "\U00010000\U0010ffff"}} · execute → paused'),  # the last ones
        (X + "<![CDATA[<b>&amp;</b>]]></a></w></execute>", 'call {"name": "w", "args": {"a": "<b>&amp;</b>"}} · execute → paused'),  # a section hides markup
        (X + "<![CDATA[</execute>]]></a></w></execute>", 'call {"name": "w", "args": {"a": "</execute>"}} · execute → paused'),  # and the closer
        (X + "&lt;<![CDATA[&lt;]]></a></w></execute>", 'call {"name": "w", "args": {"a": "<&lt;"}} · execute → paused'),  # a reference beside a section
        (X + "&#60;<![CDATA[]]]]>&gt;</a></w></execute>", 'call {"name": "w", "args": {"a": "<]]>"}} · execute → paused'),  # a number beside a section
        (X + "]]<![CDATA[x]]>]]</a></w></execute>", 'call {"name": "w", "args": {"a": "]]x]]"}} · execute → paused'),  # brackets around a section
        (X + "line é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\n</a></w></execute>", 'call {"name": "w", "args": {"a": "line é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\n"}} · execute → paused'),
        (X + "line é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\n&amp;</a></w></execute>", 'call {"name": "w", "args": {"a": "line é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\nline é \\t\\n&"}} · execute → paused'),
        (X + "line é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\n‸\x01</a></w>", "error xml-syntax /0/args/a → execute"),
        (X + "line é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\n‸\uffff</a></w>", "error xml-syntax /0/args/a → execute"),
        (X + "line é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\nline é \t\n‸\ufffe</a></w>", "error xml-syntax /0/args/a → execute"),
    ],
    # The segments are those of every dialect with tags.
    "around a block": [
        ("Hi.\n" + BLOCK, 'respond Hi. · call {"name": "a", "args": {}} · execute'),  # prose before
        ("<think>t</think>" + BLOCK, 'think t · call {"name": "a", "args": {}} · execute'),  # a think before
        (BLOCK + "<execute><b/></execute>", 'call {"name": "a", "args": {}} · execute → +23'),  # a second block is discarded
        ("a<end>", "respond a · end → ended"),  # an end
        ("<think>" + BLOCK, "think <execute><a/></execute>"),  # a block in a think
        ("<read/>", "respond <read/>"),  # a block of another dialect in prose
        ("a‸<results>", "respond a · error forged-results"),  # forged results
    ],
    "what xml allows and a block does not": [
        *same_outcome("error xml-forbidden → execute", texts=[
            "<execute>\n ‸hello", "<execute>‸{", "<execute>‸&amp;", "<execute><‸!DOCTYPE w>",
        ]),
        ("<execute><read>\n ‸x", "error xml-forbidden /0/args → execute"),  # text in a tool after white space
        (W + "‸&#32;", "error xml-forbidden /0/args → execute"),  # a reference in a tool
        (W + '<a ‸b="1">', "error xml-forbidden /0/args → execute"),  # an attribute of an argument
        ('<execute><w ‸a="1">', "error xml-forbidden /0 → execute"),  # an attribute
        ("<execute><w ‸a>", "error xml-forbidden /0 → execute"),  # an attribute without a value
        ("<execute><execute‸ >", "error xml-forbidden /0 → execute"),  # a tool called execute, then white space
        *same_outcome("error xml-forbidden /0/args/a → execute", texts=[
            X + "<‸b>hi</b>", X + "hi <‸b/>", X + "<‸a>", X + "<!‸DOCTYPE w>", X + "<‸?x?>",
        ]),
    ],
    "an error after a call voids it": [
        ("<execute><a/>‸x", 'call {"name": "a", "args": {}} · error xml-forbidden voids 1 → execute'),  # text
        ("<execute><a/><execute‸>", 'call {"name": "a", "args": {}} · error xml-forbidden /1 voids 1 → execute'),  # a tool called execute
        ("<execute><a/>‸\x00", 'call {"name": "a", "args": {}} · error xml-syntax voids 1 → execute'),  # a character that XML does not have
        ("<execute><a/></‸w>", 'call {"name": "a", "args": {}} · error xml-syntax voids 1 → execute'),  # a wrong closer
        ("<execute><a/><b><x/><x‸/>", 'call {"name": "a", "args": {}} · error duplicate-arg /1/args/x voids 1 → execute'),  # an argument twice
        ("<execute><a/>‸", 'call {"name": "a", "args": {}} · error unclosed-execute voids 1 → execute'),  # the end of the text
        ("<execute><a/></exec‸", 'call {"name": "a", "args": {}} · error unclosed-execute voids 1 → execute'),  # the end in the closer
        ("<execute><a/><b‸", 'call {"name": "a", "args": {}} · error unclosed-execute /1 voids 1 → execute'),  # the end in the second name
    ],
    "an argument twice": [
        (X + "1</a><a‸/>", "error duplicate-arg /0/args/a → execute"),  # at a slash
        (W + "<é/><é‸/>", "error duplicate-arg /0/args/é → execute"),  # out of ascii
        (W + "<é>1</é><e\u0301>2</e\u0301><\xc9>3</\xc9><a>4</a><ab>5</ab></w></execute>", 'call {"name": "w", "args": {"é": "1", "e\u0301": "2", "\xc9": "3", "a": "4", "ab": "5"}} · execute → paused'),  # names of arguments compare as they are
    ],
    "text that is not xml": [
        *same_outcome("error xml-syntax /0 → execute", texts=[
            "<execute><w‸:>", "<execute><w ‸:a", "<execute><execute‸:w", "<execute><w‸×>",
            "<execute><w‸\U000f0000", "<execute><w ‸=", "<execute><w/‸w>", "<execute><w ‸\x00",
            '<execute><w‸="1"', "<execute><w‸\x02",
        ]),
        *same_outcome("error xml-syntax → execute", texts=[
            "<execute><‸ w>", "<execute><‸1>", "<execute><‸->", "<execute><‸·>",
            "<execute><‸\u0301>", "<execute><‸<w>", '<execute><‸"w">', "<execute><‸[tool_name]>",
            "<execute></‸w>", "<execute></execute‸ >", "<execute></‸ execute>", "<execute><‸ ls",
            "<execute><‸×", "<execute><‸\u037e", "<execute><‸\U000f0000", "<execute></‸x",
        ]),
        *same_outcome("error xml-syntax /0/args → execute", texts=[
            W + "<‸1>", W + "</‸x>", W + "</w ‸w>", W + "<a‸=", W + "<a‸:b>", W + "<a/‸a",
            W + "<‸ ", W + "</w ‸x", W + "<a/><a‸:",
        ]),
        *same_outcome("error xml-syntax /0/args/a → execute", texts=[
            X + "1</‸b>", X + "1</a‸b>", X + "1</a ‸a", X + "<‸ b>", X + "1 <‸ 2", X + "<‸>",
            X + "<!‸>", X + "<![C‸data[", X + "<‸[", X + "]]]]‸></a></w>", X + "&lt;]]‸></a></w>",
            X + "<![CDATA[]]>]]‸></a></w>", X + "‸\x0b</a></w>", X + "<![CDATA[‸\x1f", X + "&#4‸a;",
            X + "&#x0‸;",
        ]),
        ("<execute> ‸[", "error xml-forbidden → execute"),  # JSON
        ("<execute>‸>", "error xml-forbidden → execute"),  # the end of no tag
        (W + " ‸{", "error xml-forbidden /0/args → execute"),  # JSON in a tool
        (W + "<a/><b/><a‸/></w>", "error duplicate-arg /0/args/a → execute"),  # twice empty
        (W + "<a/><a‸ ", "error duplicate-arg /0/args/a → execute"),  # with white space
    ],
    "a reference that is none": [
        *same_outcome("error xml-syntax /0/args/a → execute", texts=[
            X + "&‸ b", X + "&‸&", X + "&a‸;", X + "&am‸b;", X + "&l‸T;", X + "&#‸a;",
            X + "&#65‸a;", X + "&#x4‸g;", X + "&#‸-1;", X + "&#‸\u0661;", X + "&#xDFFF‸;",
            X + "&#x0011000‸0;", X + "&#999999‸9999;", X + "&‸\x00",
        ]),
    ],
    "a character that xml does not have": framed(
        ("<execute>…", "error xml-syntax → execute"),
        ("<execute><…", "error xml-syntax → execute"),
        ("<execute><w…", "error xml-syntax /0 → execute"),
        (W + "…", "error xml-syntax /0/args → execute"),
        (X + "…", "error xml-syntax /0/args/a → execute"),
        (X + "x<![CDATA[]…", "error xml-syntax /0/args/a → execute"),
        rows=[
            *same_outcome("", texts=[
                "‸\x00", "‸\x01", "‸\x08", "‸\x0b", "‸\x0c", "‸\x0e", "‸\x1f", "‸\ufffe", "‸\uffff",
            ]),
        ],
    ),
    "a replaced character voids its block": [
        (b"<execute>\xff<w/></execute>", "error bad-encoding @9 → paused"),  # before a tool
        (b"<execute><\xff</execute>", "error bad-encoding @10 → paused"),  # in a tag
        (b"<execute><w>\xff</w></execute>", "error bad-encoding /0/args @12 → paused"),  # in a tool
        (b"<execute><w><a>\xff</a></w></execute>", "error bad-encoding /0/args/a @15 → paused"),  # in a value
        (b"<execute><w><a>&\xff</a></w></execute>", "error bad-encoding /0/args/a @16 → paused"),  # in a reference
        (b"<execute><w><a><![CDATA[\xff]]></a></w></execute>", "error bad-encoding /0/args/a @24 → paused"),  # in a section
        (b"<execute><w></w\xff></execute>", "error bad-encoding /0/args @15 → paused"),  # in an end tag
        (b"<execute></exe\xff</execute>", "error bad-encoding @14 → paused"),  # in the closer
        ("<execute>‸\ud800", "error bad-encoding → execute"),
        ("<execute><w‸\ud800", "error bad-encoding /0 → execute"),
        (X + "‸\ud800", "error bad-encoding /0/args/a → execute"),
        (X + "&‸\ud800", "error bad-encoding /0/args/a → execute"),
    ],
    "a block cut by the end": [
        ("<execute>\n‸", "error unclosed-execute → execute"),  # white space
        ("<execute></execute‸", "error unclosed-execute → execute"),  # the closer
        ("<execute></‸", "error unclosed-execute → execute"),  # the closer's first characters
        ("<execute><w‸", "error unclosed-execute /0 → execute"),  # one character of a name
        ("<execute><w ‸", "error unclosed-execute /0 → execute"),  # white space after it
        ("<execute><w/‸", "error unclosed-execute /0 → execute"),  # a slash after it
        *same_outcome("error unclosed-execute /0/args → execute", texts=[
            W + "‸", W + "<‸", W + "</w‸", W + "<a‸", W + "<a/‸", X + "x</a>‸", X + "</a>‸",
        ]),
        *same_outcome("error unclosed-execute /0/args/a → execute", texts=[
            X + "rm -rf build‸", X + "&am‸", X + "&#x4‸", X + "<![CDATA[x]]‸", X + "<![CD‸",
            X + "x</a‸", X + "‸", X + "x]‸", X + "<‸", X + "<!‸", X + "<![CDATA[]‸", X + "&‸",
            X + "&#0‸", X + "</a‸",
        ]),
    ],
    "after an error the block is skipped to its closer": [
        ("<execute>‸bad</execute>", "error xml-forbidden → paused"),  # its closer
        ("<execute>‸bad</execute>more", "error xml-forbidden → paused +4"),  # more text
        ("<execute>‸x<![CDATA[</execute>rest", "error xml-forbidden → paused +4"),  # in what hides nothing
        ("<execute>‸bad<execute><w/></execute>x", "error xml-forbidden → +1"),  # another opener
        ("<execute>‸x<![CDATA[</execute>]]>", "error xml-forbidden → +3"),  # a section hides nothing
        (X + "&‸</execute>", "error xml-syntax /0/args/a → paused"),  # it begins the closer
        (X + "1</‸execute>", "error xml-syntax /0/args/a → paused"),  # it is in the closer of an argument that has none
        (X + "<![CDATA[</execute>]]> &‸z</execute>", "error xml-syntax /0/args/a → paused"),  # a closer before the error is content
        (X + "&‸</execute>more", "error xml-syntax /0/args/a → paused +4"),  # it begins the closer
        (W + "</‸execute>", "error xml-syntax /0/args → paused"),  # it is in the closer of a tool that has no end tag
        ("<execute><executf></execut‸e>", "error xml-syntax /0/args → paused"),  # it is the last of the closer's name
        (W + "</‸execute>more", "error xml-syntax /0/args → paused +4"),  # it is in the closer of a tool that has no end tag
        (X + "1</a></‸execute>more", "error xml-syntax /0/args → paused +4"),  # it is in the closer of a whole call
        ("<execute><executf></execut‸e>more", "error xml-syntax /0/args → paused +4"),  # it is the last of the closer's name
        ("<execute><a/><w><b>1</b></w><c>‸x", 'call {"name": "a", "args": {}} · call {"name": "w", "args": {"b": "1"}} · error xml-forbidden /2/args voids 2 → execute'),  # the calls before an error
        ("a <w> <execute><w/></execute>", 'respond a <w> · call {"name": "w", "args": {}} · execute'),  # prose around a block
        (X + "<‸b></execute>rest", "error xml-forbidden /0/args/a → paused +4"),  # in a tag
        ("<execute></exe‸</execute>rest", "error xml-syntax → paused +4"),  # at its own first character
    ],
    "limits": [
        ("<execute></execute>", "execute", "calls=1"),  # no call
        (BLOCK, 'call {"name": "a", "args": {}} · execute', "calls=1"),  # as many as allowed
        ("<execute><a/>\n</execute>", 'call {"name": "a", "args": {}} · execute', "calls=1"),  # the closer is not a call
        ("<execute><a/><‸b/></execute>", 'call {"name": "a", "args": {}} · error limit-calls voids 1', "calls=1"),  # one more
        (BLOCK, 'call {"name": "a", "args": {}} · execute', "depth=2"),  # a tool is level 2
        ("<execute><a><x/></a></execute>", 'call {"name": "a", "args": {"x": ""}} · execute', "depth=3"),  # an argument is level 3
        ("<execute><a><‸x/></a></execute>", "error limit-depth /0/args", "depth=2"),  # an argument too deep
        ("<execute><a><x>123</x></a></execute>", 'call {"name": "a", "args": {"x": "123"}} · execute', "digits=1"),  # digits are text
        ("<execute><a><x>&#065;</x></a></execute>", 'call {"name": "a", "args": {"x": "A"}} · execute', "digits=1"),  # numbers of references
        ("<execute></execute>", "execute", "size=1"),  # a size of nothing
        ("<execute><a‸b/></execute>", "error limit-size /0", "size=2"),  # the size in a name
        ("<execute><a><x>1‸2</execute>", "error limit-size /0/args/x", "size=7"),  # the size in a value
        ("<execute><a/> ‸ </execute>", 'call {"name": "a", "args": {}} · error limit-size voids 1', "size=5"),  # the size in white space
        ("<execute><a/><b/></execute>", 'call {"name": "a", "args": {}} · call {"name": "b", "args": {}} · execute → paused', "calls=2"),  # the limit of calls
        ("<execute><a><b>1</b></a></execute>", 'call {"name": "a", "args": {"b": "1"}} · execute → paused', "depth=3,4"),
        ("<execute><a><‸b>", "error limit-depth /0/args → execute", "depth=2"),
        ("<execute></execute>", "execute → paused", "depth=1"),
        ("<execute><‸a>", "error limit-depth → execute", "depth=1"),
        ("<execute><a><b>1</b></a></execute>", 'call {"name": "a", "args": {"b": "1"}} · execute → paused', "size=15,16"),
        ("<execute><a><b>1</b></a‸>", "error limit-size /0/args → execute", "size=14"),  # a call that would be whole
        ("<execute><a><b>1‸2</b></a>", "error limit-size /0/args/b → execute", "size=7"),  # in text
        ("<execute><a><b>1</b‸></a>", "error limit-size /0/args/b → execute", "size=10"),  # in an end tag
        ("<execute> ‸ ", "error limit-size → execute", "size=1"),  # between tools
        ("<execute>   </execute>", "execute → paused", "size=3"),
        ("<execute><a/></ex‸x", 'call {"name": "a", "args": {}} · error xml-syntax voids 1 → execute', "size=4"),
    ],
    "one character breaks two rules": [
        ("<execute><w‸\ud83d", "error bad-encoding /0 → execute"),  # an encoding before the grammar
        (W + "‸x", "error xml-forbidden /0/args → execute", "size=3"),  # text before the size
        ("<execute><execute‸>", "error xml-forbidden /0 → execute", "size=8"),  # the reserved name before the size
        (W + "<a/><a‸>", "error duplicate-arg /0/args/a → execute", "size=9"),  # an argument twice before the size
        ("<execute><‸w", "error limit-depth → execute", "size=1 depth=1"),  # the depth before the size
        ("<execute><‸b", "error limit-depth → execute", "size=1 depth=1"),
        ("<execute><a/><‸1", 'call {"name": "a", "args": {}} · error xml-syntax voids 1 → execute', "size=4 calls=1 depth=2"),
        ("<execute><a/><‸b", 'call {"name": "a", "args": {}} · error limit-calls voids 1 → execute', "size=4 calls=1 depth=2"),
        ("<execute><a><b/><b‸>", "error duplicate-arg /0/args/b → execute", "size=9"),
    ],
    "a transcript": [
        (BLOCK + "\n<results>\n[" + ITEM + "]\n</results>b", 'call {"name": "a", "args": {}} · execute · result 1/0 [' + ITEM + "] · respond b → prose", "transcript"),  # with results
        ("<execute>‸x</execute><results>[" + VOID + "]</results>", "error xml-forbidden · result 0/1/0 [" + VOID + "] → prose", "transcript"),  # a void block
        (BLOCK + '<results>[{"tool":"b‸"}]</results>', 'call {"name": "a", "args": {}} · execute · error results-order /0/tool → prose', "transcript"),  # another tool
        (BLOCK + "<results>[‸]</results>", 'call {"name": "a", "args": {}} · execute · error results-count /0 → prose', "transcript"),  # too few
        (BLOCK + "<results>‸<a/></results>", 'call {"name": "a", "args": {}} · execute · error results-shape → prose', "transcript"),  # elements in results
        ('<execute><é/></execute><results>[{"tool":"\\u00e9","status":"failure","content":""}]</results>', 'call {"name": "é", "args": {}} · execute · result 0/1 [{"tool":"\\u00e9","status":"failure","content":""}] → prose', "transcript"),  # tools of every name are answered
    ],
}
# fmt: on


@pytest.mark.parametrize("section", READ)
def test_xml_elements(section):
    check_rows(READ[section], "xml-elements")


def tool(name, /, **args):
    return call(json.dumps({"name": name, "args": args}))


def test_chunks_inside_of_text():
    """A chunk may be taken as it is, unless something in it means more than itself."""
    chunks = ["<execute><w><a>", "one", " >", "]", "x>", "]]", "]", "y]", "]", "z\n", "&gt;", "]"]
    parser = cogwire.Parser("xml-elements", clock=None)
    events = [event for chunk in [*chunks, "</a></w>"] for event in parser.feed(chunk)]
    assert events == [tool("w", a="one >]x>]]]y]]z\n>]")]
    for ending in ("]>", "]]>"):
        parser = cogwire.Parser("xml-elements", clock=None)
        events = [event for chunk in [*chunks, ending] for event in parser.feed(chunk)]
        assert [event["code"] for event in events] == ["xml-syntax"]


def test_calls_are_emitted_as_soon_as_they_are_complete():
    parser = cogwire.Parser("xml-elements", clock=None)
    assert parser.feed("<execute><ls/") == []
    assert parser.feed(">") == [tool("ls")]
    assert parser.feed("<w><a>1</a></w") == []
    assert parser.feed("> <ls></ls><ls") == [tool("w", a="1"), tool("ls")]
    assert parser.state == "execute"
