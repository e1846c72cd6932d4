"""The evaluation counts what it says; on the labelled texts no less is found than was, nor more where nothing is."""

from benchmarks.eval_redaction import DATA, OF_A_POLICY, LabelledText, read, score
from tests.support.each import each_case

BOUNDS = {
    # what is plainly said to be a secret, what has check digits, what has a form, what words tell
    "secret": 0.2,
    **dict.fromkeys(("iban", "national_id"), 0.98),
    **dict.fromkeys(("email", "phone", "ip_address", "coordinates", "passport", "date_of_birth"), 0.95),
    **dict.fromkeys(("postal_address", "account_name"), 0.9),
}
FALSE_ALARMS = 0.01
BY_POLICY = {"secret": 0.75, "false alarms": 0.02}


def _line(text: str, kind: str, value: str) -> LabelledText:
    return LabelledText.model_validate({"text": text, "language": "en", "spans": [{"kind": kind, "text": value}]})


@each_case(
    ("line", "hits", "right"),
    [
        (_line("write to ana@example.org", "email", "ana@example.org"), 1, 1),
        (_line("write to ana@example.org", "phone", "ana@example.org"), 0, 0),
        (_line("the gate code is 4711", "payment_card", "4711"), 1, 1),
        (_line("I live at 12 Oak Street, Springfield, IL 62704", "postal_address", "12 Oak Street"), 0, 0),
        (_line("call 030/9018 4432", "phone", "call 030/9018 4432"), 0, 0),
    ],
)
def test_a_hit_is_of_the_kind_and_covers_the_value_and_little_more(line: LabelledText, hits: int, right: int) -> None:
    done = score([line])
    assert sum(count.hit for count in done.by_kind.values()) == hits
    assert sum(count.right for count in done.by_kind.values()) == right


def test_of_the_labelled_texts_no_less_is_found_than_was() -> None:
    done = score(read(DATA / "sighted.jsonl"))
    recalls = {kind: count.hit / count.labels for kind, count in done.by_kind.items() if count.labels}
    assert {kind: recall for kind, recall in recalls.items() if recall < BOUNDS[kind]} == {}
    assert recalls.keys() == BOUNDS.keys()


def test_in_one_of_a_hundred_ordinary_texts_at_most_something_is_found() -> None:
    done = score(read(DATA / "ordinary_sighted.jsonl"))
    assert done.alarms / done.ordinary <= FALSE_ALARMS


def test_a_policy_takes_more_secrets_out_and_a_little_more_that_is_none() -> None:
    secrets = score(read(DATA / "sighted.jsonl"), OF_A_POLICY).by_kind["secret"]
    ordinary = score(read(DATA / "ordinary_sighted.jsonl"), OF_A_POLICY)
    assert secrets.hit / secrets.labels >= BY_POLICY["secret"]
    assert ordinary.alarms / ordinary.ordinary <= BY_POLICY["false alarms"]
