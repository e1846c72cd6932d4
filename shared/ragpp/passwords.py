"""Passwords that are named as such, and the values that stand behind a name."""

import re
from typing import Final

from ragpp.finders import named

VALUE: Final = (  # in quotation marks that close, else one word without the punctuation behind it
    r"(?P<quote>\\?[\"'`])?(?P<secret>(?(quote)(?:[^\"'`\n\\]{1,512}(?=\\?[\"'`])|[^\s\"'`]{0,511}[^\s\"'`.,;:!?)}\\])|"
    r"[^\s\"'`]{0,511}[^\s\"'`.,;:!?)}\\]))"
)
EQUALS: Final = (  # behind it, program text that computes or declares a secret is none
    r"\\?[\"']?\s{0,5}(?:=>|:=|=|:)(?!=)\s{0,5}+(?![A-Za-z_$][\w$.]{0,80}(?:\(|\[[\"'\w])|[<{$%]|"
    r"(?:process|os|self|this|req|request|data|config|settings|env|user|form|args|params|body|options|props|app|db)\.|"
    r"(?:str|string|text|bytes|none|null|nil|undefined|true|false|required|optional|password)(?![\w.-]))"
)
_PASSWORD: Final = re.compile(
    rf"(?:pass(?:word|wd|phrase|code)|(?:\b|_)pwd|passwort|contraseña|mot de passe){EQUALS}{VALUE}", re.IGNORECASE
)
ORDINARY: Final = (
    "a|about|all|also|always|an|and|any|anything|asked|at|available|back|bad|because|being|better|between|blank|broken|"
    "by|case|changed|compromised|correct|cracked|different|disabled|easy|empty|encrypted|exactly|expired|expiring|fine|"
    "for|forgotten|found|from|getting|going|good|gone|hard|hashed|here|hidden|his|her|how|i|if|important|in|incorrect|"
    "invalid|it|its|just|kept|leaked|long|lost|managed|missing|mine|more|my|needed|never|no|none|not|now|of|off|ok|okay|"
    "old|on|one|only|or|our|out|private|protected|really|required|reset|safe|same|saved|secret|secure|sent|set|short|"
    "shared|simple|so|something|somewhere|still|stolen|stored|strong|such|that|the|their|there|this|to|too|unknown|"
    "unique|up|used|valid|very|weak|what|when|where|which|why|with|working|wrong|your|yours"
)
_SPOKEN: Final = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|\bpwd)"
    r"(?:\s(?:for|to|of)\s(?:[\w.'-]{1,40}\s){1,4}?|\s)(?:is|was|will be)\s{1,3}+(?:now\s|set to\s)?"
    rf"(?!(?:{ORDINARY})(?![\w'-])){VALUE}",
    re.IGNORECASE,
)
PASSWORDS: Final = (
    named(_PASSWORD, "password", "pass", "pwd", "contraseña"),
    named(_SPOKEN, "password", "pass", "pwd"),
)
