"""A request tells what it is about; a question that asks the same again tells nothing."""

from functools import partial

import pytest

from ragpp.text.lexical import terms
from ragpp_services.episodic.reading.clauses import divided
from ragpp_services.episodic.reading.substance import Substance, substance
from tests.support.timing import grows_linearly

TELLS = [
    ("Could you remind me that the ladder is at Piet's?", "where is the ladder", "ladder Piet's"),
    ("did you know im allergic to sesame", "what am I allergic to", "sesame"),
    ("Do you remember that we moved the standup to 9:30?", "when is standup", "standup 9:30"),
    ("can you order a cake for Saturday at Bakkerij Roos, chocolate, 12 people?", "what cake", "chocolate 12 Roos"),
    ("can u book the vet for tues 4pm, its about minka's teeth", "when is the vet", "vet tues 4pm teeth"),
    ("Could you always write my mails in a formal tone?", "how should my mails sound", "mails formal tone"),
    ("What's a nice gift for my niece Ida, she turns 6 on Sunday and loves owls?", "what does Ida love", "Ida owls"),
    ("whats a good gift for bram he is 40 on monday", "how old is bram", "bram 40 monday"),
    ("what should I cook tonight, I can't have gluten", "what can't I have", "gluten"),
    ("What can I bake for my mother-in-law, who can't stand cinnamon?", "what about cinnamon", "mother cinnamon"),
    ("where can i find wide boots, im a size 46", "my shoe size", "46"),
    ("help me write a toast for Anna, she's getting married on the 14th", "when is the wedding", "married 14th"),
    ("pls remind me to call the plumber tmrw", "whom do I call", "call plumber tmrw"),
    ("remind me about the dentist on friday at 3", "when is the dentist", "dentist friday"),
    ("can you draft a mail to the landlord, the heating is broken since monday", "what broke", "heating broken"),
    ("I need you to translate this for my boss Hiroshi, he doesn't speak German", "my boss", "boss Hiroshi German"),
    ("I was wondering if you could move my appointment to Tuesday", "when is my appointment", "appointment Tuesday"),
    ("would you mind adding oat milk to the list, we're out", "what are we out of", "oat milk"),
    ("any chance you could print the tickets for the Lisbon trip", "where do we go", "tickets Lisbon"),
    ("any ideas for our anniversary, it's our 10th on 4 June?", "when is our anniversary", "10th June"),
    ("my daughter starts school in september, what do i need to buy?", "when does school start", "school september"),
    ("going to bergen next week what should i pack", "where am I going", "bergen"),
    ("dentist fri 3pm / can u tell me what to bring", "when is the dentist", "dentist fri"),
    ("Do you know a plumber, because our kitchen tap leaks?", "what leaks", "tap leaks"),
    ("Can you tell mum that the party starts at six?", "when is the party", "party starts six"),
    ("how do I get wine out of a rug but the rug is wool", "what is the rug of", "rug wool"),
    ("Should I take the job, they pay 4,000 a month?", "what do they pay", "4,000"),
    ("Did I mention that the fuse box is in the pantry?", "where is the fuse box", "fuse pantry"),
    ("What can I grill, given that Yara eats no pork?", "what does Yara not eat", "Yara pork"),
    ("Please tell Karl I quit, will you?", "did I quit", "quit"),
    ("Will you check flights to Oslo for the 3rd, two adults and a baby?", "who flies", "Oslo adults baby"),
    ("Can you keep it short, I read these on my watch?", "how do I read", "read watch"),
    ("I know how to sail", "what can I do", "sail"),
    ("I remember when Yara fell off the pier", "who fell", "Yara pier"),
    ("We moved to Ulm, which is great", "where do we live", "Ulm great"),
    ("what matters to me is the garden", "what matters", "matters garden"),
    ("let me tell you what: Karl quit", "who quit", "Karl quit"),
    ("Remember how I like my coffee: black, no sugar", "how is my coffee", "coffee black sugar"),
    ("I'll never forget when my niece Ida was born in 2019", "when was Ida born", "Ida born 2019"),
    ("I let Karl know when I land in Oslo", "where do I land", "Karl Oslo"),
    ("Karl knows which pills I take", "who knows my pills", "Karl pills"),
    ("Not sure why but I moved to Berlin in May", "where did I move", "Berlin May"),
]
ASKS = [
    "Where is the ladder?",
    "where's the ladder",
    "Do you know where the ladder is?",
    "can you tell me where the ladder is?",
    "Could you please remind me what Ida likes?",
    "remind me of the wifi password",
    "Can you give me the wifi password again?",
    "whats the wifi password again",
    "do you remember my shoe size?",
    "did you know how old he is?",
    "What is my sister called, the older one?",
    "which day was it, friday or saturday?",
    "When is the standup, please?",
    "What am I allergic to?",
    "so what am i allergic to again?",
    "any idea when the vet is open?",
    "hey, when does the party start?",
    "Is it at six or at seven?",
    "who is coming and who is driving?",
    "please tell me when the train leaves",
    "I don't remember where I parked",
    "could you tell me what I'm allergic to?",
    "I'd like to know what I'm allergic to",
    "any idea where the ladder is",
    "no clue who my dentist is",
    "not sure when the party starts",
    "I wonder how old he is",
    "I don't know if I locked the shed",
    "can't remember what to bring",
    "I forgot what the plumber is called",
    "how old is minka now lol",
    "whats idas shoe size haha",
    "where is piets ladder",
    "whos my dentist",
    "whats the name of the cafe that is next to the gym",
    "Where did I park, do you know?",
    "how to get there",
    "did we pay the plumber",
    "Can you show me how much we pay?",
    "Could you let me know if the tickets came?",
    "What do they pay, and how often?",
    "are there any owls in it?",
    "Can you help me remember who gave us the rug?",
    "would you like tea?",
]


@pytest.mark.parametrize(("text", "told"), [(text, told) for text, _, told in TELLS])
def test_what_a_request_tells_is_told(text: str, told: str) -> None:
    assert substance(text) is Substance.SAYS
    assert set(terms(told)) <= set(terms(" ".join(divided(text).told)))


@pytest.mark.parametrize("text", ASKS)
def test_what_only_asks_tells_nothing(text: str) -> None:
    assert substance(text) is Substance.ASKS
    assert divided(text).told == () or substance(" ".join(divided(text).told)) is Substance.NOTHING


def test_somebody_named_in_a_question_is_told_of_in_passing() -> None:
    text = "What do I cook for my aunt Mia?"
    assert substance(text) is Substance.ASKS
    assert divided(text).told == ("my aunt Mia",)


def test_requests_are_read_in_linear_time() -> None:
    for piece in ("can you tell me, ", "please and ", "my a-b ", "what is the a ", "who who ", "remind me about i am "):
        assert grows_linearly(partial(_read, piece), 80_000), piece


def _read(piece: str, length: int) -> object:
    return divided((piece * length)[:length])
