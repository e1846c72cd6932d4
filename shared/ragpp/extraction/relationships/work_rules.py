"""Where somebody works and studies, and no longer does."""

from typing import Final

from ragpp.extraction.naming.masking import ENTITY
from ragpp.extraction.relationships.rule import (
    ADVERBS,
    AS,
    BE,
    CLUB,
    HAVE,
    NO_MORE,
    NOT,
    POST,
    SCHOOL,
    SPEAKER_IMPLIED,
    TARGET,
    rules,
)

WORK: Final = (
    *rules(
        "WORKS_AT",
        "ORG",
        rf"{ADVERBS}\s(?:works?|teach(?:es)?(?:\s\w+){{0,2}}?|volunteers?|freelances?|interns?)(?:\stogether)?"
        rf"(?:\s(?:in|on) \w+)?{AS}"
        rf"\s(?:at|for)\s{TARGET}",
        rf"(?:'ve|'s|\shave|\shas){ADVERBS}\s(?:worked|taught)\s(?:at|for)\s{TARGET}\s(?:for|since)\b",
        rf"{BE}{ADVERBS}\s(?:working|employed|teaching|interning|volunteering){AS}\s(?:at|for|by)\s{TARGET}",
        rf"{ADVERBS}\s(?:love|like|enjoy)s? working{AS}\s(?:at|for)\s{TARGET}",
        rf"{BE}{ADVERBS}\s(?:an?|the|one of the)\s(?!student|patient|customer|member|"
        rf"guest)[\w-]{{2,20}}(?:\s[\w-]{{2,20}}){{0,3}}?"
        rf"\sat\s{TARGET}",
        rf"(?:'ve been|\shave been|'s been|\shas been)\s(?:an?|the)\s(?!student|patient|customer|member|"
        rf"guest)[\w-]{{2,20}}"
        rf"(?:\s[\w-]{{2,20}}){{0,2}}?\s(?:at|with|for)\s{TARGET}",
        rf"{ADVERBS}\s(?:manages?|leads?|runs?|heads?|supervises?)\s(?:an?|the)\s(?:[\w-]+\s){{1,5}}?at\s{TARGET}",
        rf"(?:\swas|\sgot|'ve been|\shave been|\sjust got)\s(?:promoted|made|hired as)\s(?:[\w-]+\s){{0,4}}?(?:at|"
        rf"by)\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:started|began)\s(?:work|working|{POST}){AS}\s(?:at|for|with)\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:got|accepted|took|landed|found)\s{POST}\s(?:at|with|from)\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:accepted|took)\s(?:an|the|their|my)(?:\s[\w-]+)?\soffer\s(?:at|with|from)\s{TARGET}",
        rf"(?:\swas|\swere|'ve been|'s been|\sgot|\shas been|\shave been)\shired (?:by|at)\s{TARGET}",
    ),
    *rules(
        "WORKS_AT",
        "ORG",
        rf"{NOT}(?:(?<=no longer)|{NO_MORE})\s(?:works?|working|teach(?:es)?|teaching)\s(?:at|for)\s{TARGET}",
        rf"{ADVERBS}\sused to (?:work|teach|volunteer|intern)(?: with {ENTITY}| as an? [\w-]+(?: [\w-]+)?)? (?:at|"
        rf"for) {TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:quit(?: {POST} at)?|resigned from|retired from)\s{TARGET}",
        rf"{HAVE}{ADVERBS}\sleft\s{TARGET}\s(?:after \w+ years|to (?:join|work|start|become))\b",
        rf"{HAVE}{ADVERBS}\s(?:handed in (?:my|his|her) notice at|left (?:my|his|her) job at)\s{TARGET}",
        rf"(?:\swas|\sgot|'ve been|\shave been|\shas been)\s(?:fired|laid off) (?:by|from)\s{TARGET}",
        rf"{BE}{ADVERBS}\s(?:no longer|not)\s(?:with|at)\s{TARGET}(?!\s(?:yet|right))",
        rf"{HAVE}{ADVERBS}\s(?:stopped|finished|quit)\s(?:working|teaching|volunteering)\s(?:at|for)\s{TARGET}",
        rf"(?:\swas|\sgot|'ve been|\shave been|\shas been)\s(?:let go|made redundant|sacked)\s(?:by|from|at)\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:resigned|quit|left)\s(?:my|his|her|the)\s(?:[\w-]+\s){{0,3}}(?:at|with|from)\s{TARGET}",
        ends=True,
        besides=CLUB,
    ),
    *rules(
        "WORKS_AT",
        "ORG",
        rf"{BE}{ADVERBS}\s(?:an?|the)\s(?!student|patient|customer|member|"
        rf"guest)[\w-]{{2,20}}(?:\s[\w-]{{2,20}}){{0,2}}?"
        rf"\s(?:with|for)\s{TARGET}",
        rf"(?:'ve been|\shave been|'s been|\shas been)\swith\s{TARGET}\s(?:for|since)\b",
        rf"{HAVE}{ADVERBS}\sjoined\s{TARGET}\sas\s(?:an?|the|their)\b",
        overrides=False,
    ),
    *rules(
        "WORKS_AT",
        "ORG",
        rf"{HAVE}{ADVERBS}\s(?:started|began){AS}\s(?:at|with)\s{TARGET}",
        besides=SCHOOL,
    ),
    *rules(
        "WORKS_AT",
        "ORG",
        rf"\b(?:my|our)\slast\s(?:day|week|shift)\s(?:at|with)\s{TARGET}",
        ends=True,
        subject=SPEAKER_IMPLIED,
    ),
    *rules(
        "STUDIES_AT",
        "ORG",
        rf"{HAVE}{ADVERBS}\s(?:dropped out of|left|quit|got kicked out of|finished at)\s{TARGET}",
        ends=True,
        overrides=False,
        only=SCHOOL,
    ),
    *rules(
        "WORKS_AT",
        "ORG",
        rf"(?<!quit )(?<!left )(?<!lost )(?<!leave )\b(?:my|[Mm]y)\s(?:[\w-]+\s)?(?:job|role|position|shift|first day|"
        rf"internship)\s(?:at|with)\s{TARGET}(?=\s(?:is|has|keeps|starts|started|means|went|was (?:great|good|"
        rf"busy)))",
        rf"(?<![\w'])(?P<o>{ENTITY})(?:\sjust|\sfinally)?\shired\s(?:me|us)\b",
        subject=SPEAKER_IMPLIED,
    ),
    *rules(
        "WORKS_AT",
        "ORG",
        rf"{HAVE}{ADVERBS}\s(?:left|quit)\s{TARGET}",
        ends=True,
        overrides=False,
        besides=CLUB | SCHOOL,
    ),
    *rules(
        "MEMBER_OF",
        "ORG",
        rf"{HAVE}{ADVERBS}\s(?:left|quit|dropped out of|resigned from)\s{TARGET}",
        rf"{BE}{ADVERBS}\s(?:no longer|not) (?:a member of|in|with|part of)\s{TARGET}",
        ends=True,
        overrides=False,
        only=CLUB,
    ),
    *rules(
        "STUDIES_AT",
        "ORG",
        rf"{ADVERBS}\sstud(?:y|ies)(?:\s[\w-]+){{0,3}}?\sat\s{TARGET}",
        rf"{BE}{ADVERBS}\sstudying(?:\s[\w-]+){{0,3}}?\sat\s{TARGET}",
        rf"{BE}{ADVERBS}\s(?:doing|finishing|starting|pursuing|taking)\s(?:(?:my|his|her|their|an?|the)\s)?(?:[\w']+\s)"
        rf"(?:(?:in|of)\s\w+\s(?:\w+\s)?|degree\s)?at\s{TARGET}",
        rf"{BE}{ADVERBS}\san?\s(?:[\w'-]+\s){{0,2}}student\sat\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:enrolled|started (?:my \w+|university|college|a \w+))\s(?:at|in)\s{TARGET}",
        rf"{ADVERBS}\s(?:attends?|goes to|go to)\s(?P<o>{ENTITY})(?!'s)",
        overrides=True,
    ),
    *rules(
        "STUDIED_AT",
        "ORG",
        rf"{HAVE}{ADVERBS}\s(?:graduated from|studied(?:\s[\w-]+){{0,3}}?\sat)\s{TARGET}",
        lasting=True,
    ),
)
