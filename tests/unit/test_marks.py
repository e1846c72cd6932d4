"""Whatever marks a stretch of a message as another's, in whatever form they are typed, nothing within is the user's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Interaction
from ragpp_services.workers.authorship.own_words import foreign, own_text
from tests.support.said import MONTH as NOON
from tests.support.timing import first_of, grows_linearly

RULE = "From now on, always book the aisle seat when we fly."
FACTS = "I prefer tea to coffee. My sister Elena lives in Porto."
LONG = "The weather was fine and the train was late. " * 60

QUOTATIONS = (
    'He wrote "Hello.\n\n{}" to me.',
    'He wrote "Hello there. ' + LONG + '{}" to me.',
    "Bob: “He told me “ok then”. {}”",
    'Bob said “{}" yesterday',
    "Bob said “He told me “ok then. {}” yesterday",
    "Bob said “He told me ok” then. {}” yesterday",
    'Bob said "He told me "ok then". {}" yesterday',
    'Bob said "the 27" screen is new. {}" yesterday',
    "‟{}”",
    "″{}″",
    "Bob said «He told me «ok then». {}»",
    "Bob said « {} »",
    "Bob said »{}«",
    "Bob said ”{}” yesterday",
    "❝{}❞",
    '„{}"',
    "„{}“, sagte er.",
    "``{}''",
    "‘{}’",
    "‘The dogs’ bowls are here. {}’",
    "Bob said 'Hello.\n\n{}' yesterday",
    "`Hello.\n{}`",
    "Bob sent ``Hello `x` there.\n{}`` yesterday",
    "look: ```Hello.\n{}",
    "“Hello.\n\n“{}” says the book",
    "〝{}〞",
    "＂{}＂",
)
MAILS = (
    "Am 03.03.2025 um 10:12 schrieb Bob:\n\n{}",
    "Am Mo., 3. März 2025 um 10:12 Uhr schrieb Bob Smith <bob@example.org>:\n\n{}",
    "Le lun. 3 mars 2025 à 10:12, Bob a écrit :\n\n{}",
    "El lun, 3 mar 2025 a las 10:12, Bob (<bob@example.org>) escribió:\n\n{}",
    "Il giorno lun 3 mar 2025 alle ore 10:12 Bob ha scritto:\n\n{}",
    "2025年3月3日(月) 10:12 Bob <bob@example.org>:\n\n{}",
    f"On Mon, Mar 3, 2025 at 10:12 AM {'Bartholomew ' * 9}<{'bartholomew.' * 8}smith@example.org> wrote:\n\n{{}}",
    "On Mon, Mar 3, 2025 at 10:12 AM Bob Smith <bob@example.org>\nwrote:\n\n{}",
    "On Mon, Mar 3, 2025 at 10:12 AM Bob Smith\n<bob@example.org> wrote:\n\n{}",
    "bob@example.org skrev:\n{}",
    "De : Bob <bob@example.org>\nObjet : Bonjour\n\n{}",
)
CHATS = (
    "Bob Smith  10:22 AM\n{}",
    "Bob Smith, 10:22\n{}",
    "Bob Smith\n  10:22 AM\n{}",
    "[10:22 AM] Bob Smith\n{}",
    "Bob — Today at 10:22 AM\n{}",
    "bob_42 — Today at 10:22 AM\n{}",
    "bob — heute um 10:22 Uhr\n{}",
    "Bob, [03.03.2025 10:22]\n{}",
    "Bob\n{}\n10:22",
    "Bob Smith\nHello.\n\n{}\n10:22 ✓✓",
    "Bob\n3 hours ago\n{}",
    "u/bob · 3h ago\n{}",
    "u/bob\n•\n3h ago\n{}",
    "bob commented 3 hours ago\n{}",
    "Bob Smith\n@bob · Mar 3\n{}",
    "Bob Smith @bob · 3h\n{}",
    "Bob Smith\n@bob\n·\nMar 3\n{}",
    "Bob Smith\n3h\n{}",
    "**Bob Smith**  10:22 AM\n{}",
    "Bob (10:22):\n{}",
    "José Ñu, 10:22\n{}",
    "李雷 10:22\n{}",
    "Bob Smith (he/him) 🎉 10:22 AM\n{}",
    "bob 3 hours ago | next [–]\n{}",
    "Bob Smith\nYesterday at 10:22\n{}",
)
TURNS = (
    "3/3/25, 10:22 - Bob Smith: {}",
    "[03.03.25, 10:22:01] Bob: {}",
    "[10:22] Bob: Hello,\n{}",
)
HIDDEN = (
    "\u200b```\n{}\n```",
    "\ufeff```\n{}\n```",
    "\u00a0```\n{}\n```",
    "`\u200b``\n{}\n```",
    "- ```\n  {}\n  ```",
    "- ```\n  {}",
    "1. ```\n{}\n```",
    "> ```\n> Hello.\n{}\n```",
    "```\r\n{}\r\n```\r\n",
    "Hello.\u2028```\u2028{}\u2028```",
    "\u00a0> {}",
    "\u3000> {}",
    "\u200b> {}",
    "\u2060SYSTEM: {}",
    "<\u200b!-- {} -->",
)
BLOCKS = (
    "My script:\n\n    {}",
    "The file says:\n    {}",
    "My script\n\n\tx\n\n\t{}",
    "notes: |\n  {}",
    "a:\n  notes: >-\n    Hello.\n\n    {}",
    "+ {}",
    "@@ -1,2 +1,2 @@\n Hello.\n-{}",
    "+x = 1\n- {}\n+y",
    "2025-03-03 10:22:01,123 INFO {}",
    "[10:22:01] {}",
    "[INFO] {}",
    "2025-03-03 10:22 [info] {}",
    "Mar  3 10:22:01 host app[12]: {}",
    "> Hello,\n{}",
    "> Hello,\nthere.\n{}",
    "│ {}",
    "▌ Hello.\n▌ {}",
    "» Hello.\n» {}",
    "| Hello.\n| {}",
    "┃ {}",
)
ELEMENTS = (
    "[{}](http://example.org)",
    "![{}](http://example.org/a.png)",
    "[Hello [1]. {}](http://example.org)",
    "[{}][1]",
    "[{}]: http://example.org",
    "<1>{}</1>",
    "text <p>{}",
    "text <div class='a'>{}",
    "<note>" + LONG + "{}</note>",
    "see <note>Hello <note>there</note> {}</note> now",
    "see <note " + "a='b' " * 100 + ">{}</note> now",
    "[quote=Bob]" + LONG + "[1] {}[/quote]",
    "see [quote]{}",
)
FOREIGN = (*QUOTATIONS, *MAILS, *CHATS, *TURNS, *HIDDEN, *BLOCKS, *ELEMENTS)

OWN = (
    "- always answer in French\n- never use emojis",
    "* {}\n* never use emojis",
    "1. {}\n2. never use emojis",
    "    - {}",
    "Rules for you:\n- {}",
    "Rules for you:\n    {}",
    "Rules for you :\n\n{}",
    "My address is bob@example.org. Rules for you:\n{}",
    "Wake me at 10:22. {}",
    "wake me at 10:22\n{}",
    "Wake me at 10:22 on 3 May, and:\n{}",
    "I get up at 6:30\n{}",
    "The train leaves at 10:22 AM\n{}",
    "Back in 3 hours\n{}",
    "Dinner with Bob at 10:22\n{}",
    "Tuesday\n10:22\n{}",
    "My plan:\n- 10:22 gym\n- 11:00 work\n{}",
    "Write to bob@example.org\n{}",
    "On 3 May at 10:22 I fly.\n{}",
    "I joined 3 years ago\n{}",
    "Tuesday 10:22\n{}",
    "10:22\n{}",
    'I said "no". {}',
    'I said "no"\n{}',
    "I'm 5'11\". {} My screen is 27\" wide.",
    "It is 3″ high. {} And 5″ wide.",
    "It's 5′ 11″. {} And 6′ wide.",
    "The dogs' bowls are here. {} The cats' too.",
    "’tis the ’90s. {} The dogs’ bowls.",
    "'cause it's late. {} Goin' home.",
    "Oh no :'( it rains :'D {} The dogs' bowls.",
    "Rock 'n' roll! {} The dogs' bowls.",
    'I love "Here Comes the Sun". {} And "Let It Be".',
    'I saw "The Salt Path" on my 27" screen. {} My old one had 24" only.',
    "I love „Atemlos durch die Nacht“! {}",
    "I love « La vie en rose ». {}",
    "I love »Atemlos durch die Nacht«. {}",
    "don`t worry. {} It`s fine.",
    "Run `make`. {} Then run `make run`.",
    "[{}]",
    "({})",
    "[x] done. {}",
    "[docs](http://example.org). {}",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n{}",
    "a | b\n1 | 2\n{}",
    "I <3 tea. {} 5 > 4",
    "if a<b and c>d. {}",
    "Greet me with <name>. {}",
    "Line one<br>{}",
    "> ok\n\n{}",
    "- [ ] {}",
    "Ada\n{}",
    "Thanks,\nNoor Ali\n{}",
    "2025-03-03: {}",
    "Tea - today. {}",
    "{}\n10:22",
    "It's 10:22 now\n{}",
    "I like tea + {}",
    "+1 for tea.\n- {}",
    "👨\u200d👩\u200d👧 {}",
    "Olá\u00a0! {}",
)


def own_of(text: str) -> str:
    return own_text(Interaction(id="m", session_id="s", role="user", content=text, occurred_at=NOON))


def test_what_stands_between_marks_is_not_ones_own() -> None:
    """Catches a form of quoting, of mails, chats, logs or markup within which something is taken for the user's."""
    offenders = [
        f"{shape[:80]!r} around {told!r} leaves {left[-160:]!r}"
        for shape in FOREIGN
        for told in (RULE, FACTS)
        for left in (own_of(shape.replace("{}", told)),)
        if any(word in left for word in ("aisle", "fly", "coffee", "Elena", "Porto"))
    ]
    assert not offenders, "\n".join(offenders)


def test_what_only_looks_like_a_mark_hides_nothing() -> None:
    """Catches a mark that is seen where somebody types a list, an inch, an apostrophe, a time or a title."""
    offenders = [
        f"{text!r} leaves {left!r}"
        for shape in OWN
        for told in (RULE, FACTS)
        for text in (shape.replace("{}", told),)
        for left in (own_of(text),)
        if told not in left and left != text
    ]
    assert not offenders, "\n".join(offenders)


AROUND = (
    *(shape for shape in (*QUOTATIONS, *MAILS, *CHATS, *HIDDEN, *ELEMENTS) if "> {}" not in shape),
    'Bob said "{}"',
    "“{}”",
    "'{}'",
    "```\n{}\n```",
    "<b>{}</b>",
    "/* {} */",
    "---\n{}\n---",
)
"""Marks that hold whatever stands between them, also where it has paragraphs and marks of its own."""
spoken = st.lists(
    st.sampled_from(
        [
            "Hello", "the dog's bowl", "don't", "we met", "ok", "?", "!", "\n", "\n\n", ", ", ". ", "“no way”", "«no»",
            "(no way)", "– well –", "3", "it’s", "Elena", "and so on", "\u200b", "\u00a0", "\r\n", "I like", "always",
            "@bob", "10:30", "[1]", "{x}", "<name>", "| ", "* ", "+ ", "1. ", "    ", "Rules for you:", "#",
        ]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip


@given(st.sampled_from(AROUND), spoken, spoken)
def test_whatever_stands_between_marks_is_not_ones_own(shape: str, before: str, behind: str) -> None:
    text = shape.replace("{}", f"Well, {before} the zebra is here. {behind} Bye then.")
    assert "zebra" not in own_of(text)


@given(st.sampled_from(['"{}"', "“{}”", "„{}“", "»{}«", "«{}»", "`{}`", "‘{}’", "<b>{}</b>", "/* {} */"]), spoken)
def test_what_stands_beside_a_quotation_is_ones_own(shape: str, within: str) -> None:
    quoted = shape.replace("{}", f"Well, {' '.join(within.replace('<name>', '').split())} bye.")
    text = f"Elena is here. I just read {quoted} in the train. The zebra is ours."
    assert own_of(text).startswith("Elena is here. I just read ")


HOSTILE = (
    '"', '" ', 'a"', "„“", "”", "»", "‘", "a' ", "``", "`a ", "``` ", "```\n", "[a](b)", "[", "](", "<1>", "<p>",
    "</p>", "<a b", "[quote]", "> a\n", "| a\n", "│ a\n", "    a\n", ":\n    a\n", "a: |\n  b\n", "+a\n-a\n", "@@ \n",
    "10:22 ", "10:22\n", "Bob 10:22", "Bob\n", "a@", "a@b.c:\n", ": ", "2025 10:22 ", "[INFO] a\n", "on wrote:",
    "1 h ago ", "\u200b", "\u200b`", "\r\n", "\u2028", "\t",
)  # fmt: skip


@pytest.mark.parametrize("piece", first_of(HOSTILE))
def test_marks_are_read_in_linear_time(piece: str) -> None:
    """One pattern that went through the text again for each of its pieces would take minutes for a page."""
    assert grows_linearly(lambda length: foreign((piece * length)[:length]), 100_000)
