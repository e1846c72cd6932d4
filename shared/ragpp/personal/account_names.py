"""Names that people have with services: marked as such by a word, a sign or the address of a profile."""

import re
from collections.abc import Iterator
from typing import Final

from ragpp.finders import Finder, Span
from ragpp.personal.kinds import LOOSE
from ragpp.personal.no_names import NO_PARTICIPLE, SAID_OF_ONE
from ragpp.signs import Places, Signs

_NAMED: Final = (
    r"user[ _-]?name|user[ _-]?id|login[ _-]?(?:name|id)|screen[ _-]?name|gamer ?tag|account[ _-]?name|"
    r"benutzer(?:name|kennung)|nutzername|anmeldename|nom d['’]utilisateur|"
    r"nombre de usuario|nome utente|gebruikersnaam|inlognaam|accountnaam|nazw[aęy] użytkownika|"
    r"nome de (?:usu[áa]rio|utilizador)|konto-?name|nom de compte|psn id|steam ?id|apple ?id|epic id|riot id|"
    r"friend code"
)
_LOOSELY_NAMED: Final = (
    r"login|handle|nick(?:name|utente)?|identifiant|pseudo(?:nyme)?|alias|psn|user|account|usuario|usu[áa]rio|"
    r"utilizador|utilisateur|utente|gebruiker|użytkownik|benutzer|konto|compte|cuenta|conta|profil"
)
_SERVICE: Final = (
    r"(?:instagram|insta|ig|fb|twitter|tiktok|tik tok|telegram|github|gitlab|mastodon|bluesky|threads|snapchat|snap|"
    r"discord|twitch|reddit|youtube|"
    r"facebook|linkedin|steam|skype|xbox|psn|playstation|vinted|ebay|etsy|strava|spotify|pinterest|tumblr|"
    r"soundcloud|venmo|"
    r"cash ?app|paypal|wechat|matrix|roblox|minecraft|fortnite|duolingo|goodreads|letterboxd|chess\.com|lichess|"
    r"ravelry|kik|vk|bitbucket|"
    r"stack ?overflow|hacker ?news|nintendo|battle\.net|epic games|slack|signal|bereal|last\.fm|flickr|behance|"
    r"dribbble|medium|substack)"
)
_OF: Final = (
    r"(?:\s(?:on|for|at|in|auf|bei|für|im|sur|pour|chez|en|para|de|del|su|per|di|op|voor|bij|van|na|do|w|no|da|my|"
    r"the|von|dla|dans)\s"
    r"(?:[\w.'’-]{1,24}\s){0,3}?[\w.'’-]{1,24})?"
)
_IS: Final = (
    r"(?:\\?[\"']?\s{0,3}(?:=>|:=|=|:)(?!=)\s{0,3}|\s(?:is|was|will be|ist|lautet|war|est|c'est|es|era|è|luidt|jest|"
    r"to|brzmi|é|heißt|are)\s"
    r"(?:now |still |jetzt |nun |@)?)"
)
_CODE: Final = (
    r"(?![A-Za-z_$][\w$.]{0,80}(?:\(|\[[\"'\w])|"
    r"[<{$%]|(?:process|os|self|this|req|request|data|config|settings|env|user|form|args|params|"
    r"body|options|props|app|db)\.|(?:str|string|text|bytes|int|none|null|nil|undefined|true|false|required|"
    r"optional|admin|root)(?![\w.-]))"
)
_WORD: Final = r"[\"'`„“«]?(?=[^\s]{0,40}[^\W\d_])(?P<name>@?[^\W_](?:[\w.#+-]{0,40}[\w])|@[\w.]{2,40})(?![\w@])"
_END: Final = (
    r"(?=[\"'`”“»]?\s*(?:[,;)!?|/\]}]|\.(?:\s|$)|$|\n|\s[-–]\s|\s(?:and|und|et|y|e|en|i|with|mit|avec|con|met|z|com|"
    r"pass\w*|pw|mdp|mot|has[łl]o|wachtwoord|senha|contraseña|kennwort)\b))"
)
_COLON: Final = r"\\?[\"']?\s{0,3}(?:=>|:=|=|:)(?!=)\s{0,3}"
_NO_NAME: Final = rf"(?!(?:{SAID_OF_ONE})(?![\w'’-]))"
_DECORATED: Final = r"(?=@|[^\W\d_]{0,30}[\d_#]|[^\W\d_]{1,30}[.-][^\W\d_])"
_MARKED: Final = re.compile(
    rf"(?:\b|(?<=_))(?:(?:{_NAMED})[\"']?{_OF}(?:{_IS}{_CODE}{_NO_NAME}{NO_PARTICIPLE}|{_IS}{_CODE}{_DECORATED}|"
    rf"\s(?=[^\W\d_]{{1,30}}(?:[\d_]|\.[^\W\d_]))){_WORD}{_END}|"
    rf"(?:{_NAMED}|{_LOOSELY_NAMED})[\"']?{_OF}{_IS}[\"'`]?{_DECORATED}{_CODE}{_WORD.replace('name', 'told')}|"
    rf"(?:login|identifiant|utente|usuario|usu[áa]rio|utilizador|benutzer|gebruiker|pseudo|"
    rf"user)\s(?!v\d)(?=[^\W\d_]{{1,30}}(?:[\d_]|\.[^\W\d_])){_WORD.replace('name', 'bare')}{_END}|"
    rf"(?:log(?:ged|ging)? in|login|sign(?:ed|ing)? in|angemeldet|anmelden|eingeloggt|connectée?|ingelogd|"
    rf"zalogowan\w*)\s(?:as|als|en tant que|como|come|jako|"
    rf"with)\s{_DECORATED}{_WORD.replace('name', 'signed')}{_END}|"
    rf"(?:login|handle|nick|nickname|pseudo|identifiant|usuario|usu[áa]rio|utilizador|utente|gebruiker|"
    rf"benutzer)[\"']?{_COLON}{_CODE}{_NO_NAME}{_WORD.replace('name', 'short')}{_END})",
    re.IGNORECASE,
)
_ON_SERVICE: Final = re.compile(
    rf"\b{_SERVICE}(?:[ -](?:handle|user ?name|name|user|account|profile?|id|konto|nick|tag|gamertag|is|page|"
    rf"channel|kanal|compte|cuenta|conta|profilo))?"
    rf"(?:\s?[:=]\s?|\s(?:is|as|under|by|named|called|ist|als|unter|est|comme|sous|es|como|è|come|to|jako|pod|é|"
    rf"onder|user|name|:)\s|\s(?=@)){{1,2}}"
    rf"(?:\w{{2,8}}\s(?=@|[\w.]{{0,20}}[\d_]))?{_DECORATED}{_WORD}",
    re.IGNORECASE,
)
_SERVICE_NAMED: Final = re.compile(
    rf"\b{_SERVICE}[ -](?:handle|user ?name|name|id|nick(?:name)?|gamertag|tag)\s(?:is|ist|est|es|è|to|"
    rf"é)\s(?!(?:{SAID_OF_ONE})(?![\w'’-])){NO_PARTICIPLE}"
    rf"(?:live:)?{_WORD}{_END}",
    re.IGNORECASE,
)
_SERVICE_ALONE: Final = re.compile(
    rf"\b{_SERVICE}(?:[ -](?:name|id|tag|handle|user(?:name)?|account|konto|nick\w*|profile?))?\s?:\s?"
    rf"(?!(?:{SAID_OF_ONE})(?![\w'’-])){_WORD}(?=[\"'”»]?\s*(?:[,;)!?]|\.(?:\s|$)|$|\n))",
    re.IGNORECASE,
)
_NEAR: Final = Signs(
    """
    instagram |insta| twitter tiktok tik_tok telegram github gitlab mastodon bluesky |threads| snapchat |snap|
    discord twitch reddit youtube facebook linkedin |steam| skype xbox |psn| playstation vinted |ebay etsy strava
    spotify pinterest tumblr soundcloud venmo cash_app paypal wechat roblox minecraft fortnite letterboxd chess.com
    lichess nintendo slack| bereal |follow |folg |suis-moi suivez-moi |sígueme sigueme seguimi |segui| |volg|
    obserwuj |segue |dm| |dms| |handle profil| profile| profilo perfil |account |konto |compte| |cuenta |conta| |ig|
    |fb| |gram| username tagg ping_me message_me |x| toots tweet| tweets| |stream| |streams|
    """
)
_HANDLE: Final = re.compile(r"(?<![\w@/.:])@[A-Za-z_À-ÿ][\w.]{1,38}\w(?!@|[\w/(]|\.\w)")
_FEDERATED: Final = re.compile(
    r"(?<![\w@/.])@[\w.]{1,40}@(?:[\w-]{1,40}\.){1,4}[a-z]{2,16}(?!\w)|(?<![\w@/.])@[\w.]{1,40}:(?:[\w-]{1,40}\.){1,4}[a-z]{2,16}(?!\w)",
    re.IGNORECASE,
)
_PROFILE: Final = re.compile(
    r"(?:instagram\.com|twitter\.com|(?<![\w.])x\.com|github\.com|gitlab\.com|(?<![\w.])t\.me|facebook\.com|"
    r"(?<![\w.])fb\.com|tiktok\.com|linkedin\.com/in|twitch\.tv|"
    r"reddit\.com/u(?:ser)?|youtube\.com|snapchat\.com/add|bsky\.app/profile|soundcloud\.com|medium\.com|"
    r"threads\.net|pinterest\.com|"
    r"steamcommunity\.com/id|paypal\.me|mastodon\.social|strava\.com/athletes|vk\.com|last\.fm/user|"
    r"open\.spotify\.com/user|discord\.com/users)/"
    r"(?!(?:about|explore|features|login|settings|search|watch|playlist|embed|share|sharer|groups|pages|events|help|"
    r"topics|orgs|marketplace|home|hashtag|"
    r"intent|i|p|reel|reels|channel|c|results|shorts|joinchat|s|jobs|company|pricing|blog|docs|trending|sponsors|"
    r"notifications|privacy|terms|developers)(?![\w-]))"
    r"(?P<name>@?[\w.-]{1,40}\w)(?=/?(?:[\s)\]}>,;!?\"'.]|$))",
    re.IGNORECASE,
)
_REDDIT: Final = re.compile(r"(?<![\w/])/?u/[\w-]{3,20}(?![\w/])")
_TAGGED: Final = re.compile(r"(?<![\w@#/])[^\W_][\w.]{1,30}#\d{4}(?!\w)")
_AROUND: Final = 45


_SIGNS: Final = Signs(
    """
    user login log_in logged_in logging_in sign_in signed_in signing_in screen gamer account benutzer nutzername
    anmelde angemeldet nom_d utilis identifiant pseudo nombre_de usuario nome_ utente nick gebruik inlog ingelogd
    nazw użytkow usuário utilizador handle konto compte cuenta conta| psn steam apple epic riot friend_code alias
    profil eingeloggt connecté zalogowan
    """
)
_SERVICES: Final = Signs(pattern=rf"{_SERVICE}")
_SITES: Final = Signs(pattern=r"[a-z]\.(?:com|me|tv|net|app|social|fm)/")
_BACK: Final = 30


def _marked(text: str) -> Iterator[Span]:
    for start, _ in _SIGNS.spans(text):
        if match := _MARKED.match(text, start):
            yield Span(*match.span(match.lastgroup or 0), "account_name", LOOSE)


def _on_services(text: str) -> Iterator[Span]:
    for start, _ in _SERVICES.spans(text):
        for pattern in (_ON_SERVICE, _SERVICE_NAMED, _SERVICE_ALONE):
            if match := pattern.match(text, start):
                yield Span(*match.span("name"), "account_name", LOOSE)
    for start, end in _SITES.stretches(text, _BACK, _AROUND):
        for match in _PROFILE.finditer(text, start, end):
            yield Span(*match.span("name"), "account_name", LOOSE)


def _handles(text: str) -> Iterator[Span]:
    """Each handle with its sign, where a service or a word for a profile is named beside it."""
    for match in _FEDERATED.finditer(text):
        yield Span(*match.span(), "account_name", LOOSE)
    near = Places(_NEAR, text)
    for match in _HANDLE.finditer(text):
        if near.within(match.start() - _AROUND, match.start()) or near.within(match.end(), match.end() + _AROUND):
            yield Span(*match.span(), "account_name", LOOSE)


def _tagged(text: str) -> Iterator[Span]:
    for match in _REDDIT.finditer(text):
        yield Span(*match.span(), "account_name", LOOSE)
    for match in _TAGGED.finditer(text):
        if re.search(
            r"discord|battle|gamer|friend|freund|add me|ami",
            text[max(0, match.start() - _AROUND) : match.end() + _AROUND],
            re.IGNORECASE,
        ):
            yield Span(*match.span(), "account_name", LOOSE)


ACCOUNT_NAMES: Final = (
    Finder(_marked, least=6),
    Finder(_on_services, least=6),
    Finder(_handles, marks=("@",)),
    Finder(_tagged, marks=("u/", "#")),
)
