"""The patterns of `wishes`, over cleaned sentences."""

import re
from typing import Final

_I: Final = r"(?<![\w'])(?:[Ii]|[Ww]e)"
_ADVERBS: Final = (
    r"(?:\s(?:really|just|also|actually|still|now|generally|usually|definitely|absolutely|totally|truly|personally|"
    r"quite|strongly|always|honestly|simply|completely|recently|finally|lately|already|pretty much|mostly|very|so|"
    r"especially|particularly|all|both|rather|kind of|sort of)){0,2}"
)
MANNER: Final = re.compile(
    r"(?:^|[,.:;]\s|\b(?:and|so|but|[Rr]emember to|sure to|[Tt]ry to|prefer you to)\s)"
    r"(?:[Pp]lease\s|[Ff]rom now on,?\s(?:please\s)?|[Kk]indly\s|"
    r"[Ii]n future,?\s|I(?:'d like| want| need) you to\s|"
    r"[Cc]an you always\s)?(?P<no>(?:[Dd]on't|[Dd]o not|[Nn]ever|[Aa]void)\s)?"
    r"(?P<verb>[Uu]se|[Uu]sing|[Aa]nswer|[Rr]eply|[Rr]espond|[Ww]rite|[Ss]peak|[Tt]alk|[Ee]xplain|[Ff]ormat|"
    r"[Gg]ive me|[Ss]end me|[Kk]eep it(?!\sup\b)|"
    r"[Kk]eep things|[Aa]ddress me|[Rr]efer to me|[Ss]how me|[Ss]kip|[Ss]pell|[Ss]ummari[sz]e|[Ii]nclude|[Pp]ut)\s"
    r"(?P<how>(?:to me\s|me\s|your answers\s|your replies\s|everything\s|things\s)?[^,.;:!?]{3,80})"
)
NO_FORM: Final = re.compile(
    r"(?:^|[,.]\s|\bplease,?\s)[Nn]o\s(?!words?\b)(?P<what>[\w-]+(?:\s[\w-]+)?)(?:,?\splease|\sin your \w+|[.!]?$)"
)
FORM_OF: Final = re.compile(
    rf"{_I}{_ADVERBS}\s(?:want|need|like|prefer|expect)\s(?:all\s(?:of\s)?)?(?:my|your|the)\s(?P<what>answers|"
    rf"replies|reports|summaries|notifications|emails|"
    r"messages|updates|recipes|documents|results|briefings|explanations|responses|invoices|reminders|"
    r"meetings)\s(?P<how>(?:to be\s|in|as|by|via|on|at|"
    r"before|after|short|brief|concise|detailed|kept)[^,.;!?]{0,60})"
)
CONTACT: Final = re.compile(
    r"(?:^|[,.]\s|\b[Pp]lease\s|\b[Jj]ust\s)(?P<how>[Tt]ext|[Ee]mail|[Mm]essage|[Cc]all|[Rr]ing|[Pp]hone|"
    r"[Ww]rite to)\sme\s(?:instead of|rather than|over)\s\w+|"
    r"\b[Bb]est way to (?:reach|contact|get hold of) me is\s(?:by\s|via\s|through\s|on\s|over\s|an?\s)?(?P<by>[\w-]+)"
)
UNWANTED: Final = re.compile(
    r"(?<![\w'])I don't (?:ever )?want (?:any |to (?:get|receive|have|see) (?:any )?)?(?P<what>(?:notifications|"
    r"calls|phone calls|emails|messages|meetings|"
    r"reminders|spoilers|small talk|emojis|newsletters|jargon|long answers|bullet points)(?:\s[^,.;!?]{2,40})?)"
)
BRIEF: Final = re.compile(
    r"(?:\b[Pp]lease (?:always )?be|^[Bb]e)\s(?P<how>brief|concise|direct|blunt|formal|informal|specific|polite|"
    r"honest|short|to the point)\b"
)
ORDERED: Final = re.compile(r"^(?P<what>[\w -]{3,40}?)(?: only)?,? please[.!]*$")
