"""Patterns of a street with its number, as eight languages write it, and of what follows: flat, town, country.

A pattern is for text as it is written: names of streets begin with a capital letter, and where they need not, the group
`small` has the name, for which something else must speak.
"""

from typing import Final

_UPPER: Final = "A-ZÀ-ÖØ-ÞĄĆĘŁŃŚŹŻŠŽČŐŰ"
_NAME: Final = rf"[{_UPPER}](?:[^\W\d_]|['’.-](?=\w)){{0,30}}\.?"
_SMALL: Final = r"(?P<small>[^\W\d_]{4,24})"
_UNITS: Final = (
    r"%|€|\$|£|°|km|kg|m\b(?!\.)|cm|mm|h\b|g\b|l\b|min|uhr|std|stunde|tag|woche|monat|jahr|punkte|personen|leute|"
    r"mal\b|meter|metre|people|persons?\b|"
    r"person[ae]s?\b|personnes|habitant|hour|heure|hora|ore\b|ora\b|day|jour|d[ií]as?\b|week|month|year|years|minut|"
    r"osób|aut\b|coches|euro|points|"
    r"pontos|punti|punten|punkt[óy]w|mensen|bomen|carros|square|times|fois|veces|volte|keer|razy|vezes|voti|stimmen|"
    r"mins?\b"
)
_NUMBER: Final = (
    r"(?!(?:19|20)\d\d(?![\d/-]))\d{1,5}(?:\s?[-/–]\s?\d{1,4})?(?:[ /]?[a-zA-Z](?![\w'’]|"
    r"\.?[ ]?\d))?(?:\s?[-/]\s?\d{1,3}[a-z]?(?!\w))?"
    rf"(?![^\W_]|[.,:/]\d|\s?(?i:{_UNITS}))"
)
_OF: Final = (
    r"(?:(?:de la|de las|de los|de|del|della|delle|dello|degli|dei|di|du|des|da|do|das|dos|la|le|les|el|los|las|of|"
    r"the|van de|van der|van den|van|"
    r"von der|von|zum|zur|i|św\.|gen\.|ks\.|dr\.?|e|y|et|à|al|aux?|sur|sous|ter|ten|marsz\.|płk\.)\s|[dl]['’]|dell['’])"
)
_NAMES: Final = rf"{_OF}{{0,3}}(?:{_NAME}|\d{{1,2}}(?=\s(?:de\s)?[^\W\d_]{{3}}))(?:[\s-]{_OF}{{0,2}}{_NAME}){{0,5}}"
_NAMED: Final = rf"(?:{_NAMES}|{_OF}{{0,3}}{_SMALL}(?:\s[^\W\d_]{{2,20}}){{0,2}}?)"

_ENGLISH_KINDS: Final = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Av|Lane|Ln|Drive|Dr|Close|Court|Ct|Boulevard|Blvd|Way|Place|Pl|Square|Sq|"
    r"Terrace|Ter|Crescent|Cres|"
    r"Gardens|Grove|Hill|Park|Row|Mews|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Rise|View|Walk|Wharf|Quay|Green|Trail|"
    r"Trl|Loop|Alley|Path|Crossing|"
    r"Heights|Parade|Vale|Common|Gate|Yard|Plaza|Pike|Route|Run|Ridge)"
)
_DIRECTION: Final = r"(?:North|South|East|West|N|S|E|W|NE|NW|SE|SW)"
_BEFORE_NUMBER: Final = (
    rf"(?:(?i:flat|apt\.?|apartment|unit|suite|room|floor)\s#?[\w-]{{1,5}},?\s)?(?:(?:{_NAME}\s){{1,2}}(?:House|"
    rf"Court|Lodge|Cottage|Building|Park|Estate|Centre|Mansions|Tower),\s)?"
)
ENGLISH: Final = (
    rf"{_BEFORE_NUMBER}\b\d{{1,5}}(?:[-/]\d{{1,4}})?[A-Za-z]?,?\s(?:{_DIRECTION}\.?\s)?(?:(?:{_NAME}|\d{{1,3}}(?:st|"
    rf"nd|rd|th)|of|the|de|la)\s){{1,4}}?"
    rf"{_ENGLISH_KINDS}\b\.?(?:\s{_DIRECTION}\b\.?)?|\b\d{{1,5}}[A-Za-z]?\s(?:{_NAME}\s)?Broadway\b|"
    rf"\b(?i:P\.?\s?O\.?\sBox|Postbus|Postfach|Apartado|Casella Postale|Skrytka Pocztowa|Caixa Postal)\s\d{{1,6}}"
)
ENGLISH_SMALL: Final = (
    rf"{_BEFORE_NUMBER}\b\d{{1,5}}[a-z]?\s(?P<small>(?:[a-z'’]{{2,20}}\s){{1,3}}?)(?:street|st|road|rd|avenue|ave|"
    rf"lane|ln|drive|close|boulevard|blvd|"
    r"crescent|terrace|court|way|place|square|gardens|grove|hill|row|mews)\b\.?"
)
_GERMAN_KINDS: Final = (
    r"(?:stra[sß]{1,2}e|str\.?|weg|allee|platz|gasse|gässchen|ring|damm|ufer|chaussee|steig|stieg|pfad|promenade|"
    r"zeile|wall|kamp|twiete|kai|graben|brücke|rain)"
)
_GERMAN_TYPES: Final = (
    r"(?:[Ss]tra[sß]{1,2}e|[Ss]tr\.|Weg|Allee|Platz|Gasse|Ring|Damm|Ufer|Chaussee|Steig|Pfad|Promenade|Wall|Kamp|"
    r"Kai|Markt)"
)
_NO_STREET: Final = (
    r"(?![A-ZÄÖÜ][a-zäöüß]{0,20}(?:(?<=Park)|(?<=Arbeits)|(?<=Stell)|(?<=Start)|(?<=Spiel)|(?<=Sitz)|(?<=Steh)|"
    r"(?<=Zelt)|(?<=Camping)|(?<=Listen)|(?<=Tabellen)|(?<=Studien)|(?<=Speicher)|"
    r"(?<=Lager)|(?<=Schlaf)|(?<=Liege)|(?<=Sport)|(?<=Tennis)|(?<=Fußball))platz|"
    r"[A-ZÄÖÜ][a-zäöüß]{0,20}(?:(?<=ander)|(?<=Rad)|(?<=Fuß)|(?<=Kreuz)|(?<=Lehr)|(?<=Um))weg|Bahnsteig|Bürgersteig)"
)
"""Words that end as streets do, and are none."""
GERMAN: Final = (
    rf"(?:(?:{_NAME}[\s-]){{0,2}}{_NO_STREET}[{_UPPER}][\w.-]{{1,40}}{_GERMAN_KINDS}|"
    rf"(?:{_NAME}[\s-]){{1,3}}{_GERMAN_TYPES}|{_GERMAN_TYPES}\s(?:des|der|am|an der|zum|zur|"
    rf"im)\s{_NAME}(?:\s{_NAME})?|"
    rf"(?P<small>\b[a-zäöüß-]{{3,30}}(?:stra[sß]{{1,2}}e|str\.)))\s?{_NUMBER}|\bPostfach\s\d[\d ]{{2,9}}\d"
)
GERMAN_SMALL: Final = (
    rf"(?P<small>\b(?:Am|An der|An den|Auf der|Auf dem|Im|In der|In den|Zum|Zur|Unter den|Hinter der|Vor dem|"
    rf"Bei der|Beim|Alte[rn]?|Neue[rn]?|Obere|Untere|Große|Kleine)"
    rf"\s{_NAME}(?:\s{_NAME}){{0,2}}|\b[{_UPPER}][\w-]{{1,30}}(?:berg|hof|markt|park|feld|hain|garten|wiese|höhe|"
    rf"grund|tal|plan|anger|bruch|bogen|winkel|heide)|"
    rf"\b[{_UPPER}]\s?\d{{1,2}},)\s{_NUMBER}"
)
_FRENCH_TYPES: Final = (
    r"(?:[Rr]ue|[Aa]venue|[Aa]v\.|[Bb]oulevard|[Bb]d\.?|[Bb]lvd\.?|[Pp]lace|[Pp]l\.|[Cc]hemin|[Cc]h\.|[Aa]llée|"
    r"[Aa]llées|[Aa]ll\.|[Ii]mpasse|[Ii]mp\.|[Qq]uai|[Rr]oute|[Rr]te|[Cc]ours|[Ss]quare|"
    r"[Pp]assage|[Ss]entier|[Ff]aubourg|[Ee]splanade|[Vv]illa|[Cc]ité|[Hh]ameau|[Ll]otissement|[Mm]ontée|[Vv]enelle|"
    r"[Rr]uelle|[Pp]romenade|[Mm]ail|[Cc]haussée|[Dd]reve|[Cc]losière)"
)
FRENCH: Final = (
    rf"(?:(?i:appt?|appartement|bât|bâtiment|résidence|étage|esc|escalier|immeuble|chez)\.?\s(?:[Ll]es?\s|[Ll]a\s|"
    rf"[Ll]['’])?{_NAME}(?:\s(?:{_OF}){{0,2}}{_NAME}){{0,2}},\s)?"
    rf"\b\d{{1,4}}(?:\s?[-/]\s?\d{{1,4}})?\s?(?:bis|ter|quater|"
    rf"[A-D](?=[\s,]))?,?\s{_FRENCH_TYPES}\s{_NAMED}(?![\w'’]|\s\d{{1,3}}(?!\d))"
)
FRENCH_NUMBER_LAST: Final = rf"(?P<small>\b{_FRENCH_TYPES}\s{_NAMES}|\b(?:BP|Rynek)),?\s{_NUMBER}"
SPANISH: Final = (
    r"\b(?:[Cc]alle|[Cc]/|C\.|[Aa]venida|[Aa]vda\.?|[Aa]v\.|[Pp]laza|[Pp]za\.?|[Pp]aseo|[Pp]º|[Cc]amino|"
    r"[Cc]arretera|[Cc]tra\.?|[Rr]onda|[Tt]raves[íi]a|[Gg]lorieta|[Rr]ambla|[Cc]arrer|[Pp]asaje|"
    rf"[Cc]allej[óo]n|[Uu]rbanización|[Cc]uesta)\s?{_NAMED},?\s(?:n(?:[.ºo°]|úm(?:ero)?\.?){{1,2}}\s?)?{_NUMBER}"
    r"(?:,?\s(?:\d{1,2}\s?[.ºª°]{1,2}(?:\s?(?:[A-Z](?!\w)|\d(?!\d)|(?i:izq(?:uierda|da)?|dcha|derecha|centro|piso|"
    r"puerta)\.?(?:\s\w{1,2}(?!\w))?)){0,2}|piso\s\w{1,3}|puerta\s\w{1,3}|bajo(?:\s[A-Z]\b)?|"
    r"ático|esc(?:alera)?\.?\s\w|portal\s\w)){0,3}"
)
ITALIAN: Final = (
    r"\b(?:[Vv]ia|[Vv]iale|[Vv]\.le|[Pp]iazza|[Pp]\.zza|[Cc]orso|[Cc]\.so|[Ll]argo|[Vv]icolo|[Ss]trada|[Pp]iazzale|"
    r"[Ll]ungotevere|[Ll]ungarno|[Cc]ontrada|[Ss]alita|[Bb]orgo|[Ff]ondamenta|[Tt]raversa|[Pp]iazzetta)"
    rf"\s(?:{_NAMED}|[IVX]{{1,6}}(?:\s{_NAME}){{0,3}}),?\s(?:n(?:\.|°|umero)?\s?)?{_NUMBER}(?:,?\s(?:int(?:erno|"
    rf"\.)\s?\w{{1,4}}|scala\s\w{{1,2}}|piano\s\w{{1,3}})){{0,2}}"
)
DUTCH: Final = (
    rf"(?:(?:{_NAME}\s){{0,3}}{_NO_STREET}[{_UPPER}][\w'’-]{{1,30}}(?:straat|laan|weg|plein|gracht|kade|singel|dijk|"
    rf"dreef|pad|steeg|baan|markt|wal|hof|veld|burgwal|plantsoen|haven|haag|wijk|erf|dam|steiger|hout|oord)|"
    rf"(?P<small>\b[a-z]{{3,25}}(?:straat|gracht|singel|plein|kade|laan|weg))|(?:{_NAME}\s){{1,2}}(?:Straat|Laan|"
    rf"Weg|Plein|Gracht|Kade|Singel|Dijk))\s"
    rf"{_NUMBER}(?:\s?(?:bis|hs|huis|[IVX]{{1,3}}|\d?hoog)(?!\w))?"
)
POLISH: Final = (
    r"\b(?:[Uu]l\.|[Uu]lic[ayęy]|[Aa]l\.|[Aa]lej[aeięy]|[Pp]l\.|[Pp]lac(?:u)?|[Oo]s\.|[Oo]siedl[eu]|[Ss]kwer|"
    r"[Rr]ondo|[Bb]ulwar)"
    rf"\s{_NAMED}\s(?:nr\s)?{_NUMBER}(?:\s?(?:m\.?|lok\.?|/)\s?\d{{1,4}})?(?:,?\sm(?:ieszkani[ae]|\.)\s?\d{{1,4}})?"
)
PORTUGUESE: Final = (
    r"\b(?:[Rr]ua|R\.|[Aa]venida|[Aa]v\.|[Tt]ravessa|[Tt]v\.|[Pp]raça|[Ll]argo|[Aa]lameda|[Ee]strada|[Bb]eco|"
    r"[Cc]alçada|[Rr]odovia|[Pp]raceta|[Qq]uinta|[Ll]adeira|[Rr]otunda)"
    rf"\s{_NAMED},?\s(?:n(?:[.ºo°]|úm(?:ero)?\.?){{1,2}}\s?)?{_NUMBER}"
    r"(?:,?\s(?:\d{1,2}\s?[.ºª°]{1,2}(?:\s?(?:(?i:esq(?:uerdo)?|dto|dt|direito|andar|frente)|[A-D](?!\w))\.?){0,2}|"
    r"ap(?:to|artamento)?\.?\s?\w{1,4}|r/c(?:\s\w{3})?|bloco\s\w{1,3}|casa\s\w{1,3}|cj\.?\s\d{1,4}|fração\s\w)){0,3}"
)
STREETS: Final = (
    (
        ENGLISH,
        """
        street road avenue lane drive close court boulevard blvd way place square terrace crescent gardens grove
        hill park row mews parkway highway circle rise view walk wharf quay green trail loop alley path crossing
        heights parade vale common gate yard plaza pike route ridge run broadway box postbus postfach apartado
        casella skrytka caixa |st| |str| |rd| |ave| |av| |ln| |dr| |ct| |pl| |sq| |ter| |cres| |pkwy| |hwy| |cir|
        |trl|
        """,
    ),
    (
        ENGLISH_SMALL,
        """
        street road avenue lane drive close boulevard blvd crescent terrace court way place square gardens grove
        hill row mews |st| |rd| |ave| |ln|
        """,
    ),
    (
        GERMAN,
        """
        straße strasse strase str. weg allee platz gasse gässchen ring damm ufer chaussee steig stieg pfad promenade
        zeile wall kamp twiete kai graben brücke rain markt postfach str|
        """,
    ),
    (
        GERMAN_SMALL,
        """
        berg hof markt park feld hain garten wiese höhe grund tal plan anger bruch bogen winkel heide |am_ |an_de
        |auf_de |im_ |in_de |zum_ |zur_ |unter_den |hinter_der |vor_dem |bei_der |beim_ |alte |neue |obere |untere
        |große |kleine ,
        """,
    ),
    (
        FRENCH,
        """
        rue avenue av. boulevard |bd blvd place pl. chemin ch. allée all. impasse imp. quai route |rte cours square
        passage sentier faubourg esplanade villa cité hameau lotissement montée venelle ruelle promenade mail
        chaussée dreve closière
        """,
    ),
    (
        FRENCH_NUMBER_LAST,
        """
        rue avenue av. boulevard |bd blvd place pl. chemin ch. allée all. impasse imp. quai route |rte cours square
        passage sentier faubourg esplanade villa cité hameau lotissement montée venelle ruelle promenade mail
        chaussée dreve closière |bp rynek
        """,
    ),
    (
        SPANISH,
        """
        calle |c/ |c. avenida avda |av. plaza |pza paseo |pº camino carretera |ctra ronda travesía travesia glorieta
        rambla carrer pasaje callejón callejon urbanización cuesta
        """,
    ),
    (
        ITALIAN,
        """
        |via viale |v.le piazza |p.zza corso |c.so largo vicolo strada lungotevere lungarno contrada salita borgo
        fondamenta traversa
        """,
    ),
    (
        DUTCH,
        """
        straat str. laan weg plein gracht kade singel dijk dreef pad| steeg baan markt wal| hof veld plantsoen haven
        haag wijk erf| dam| steiger hout| oord|
        """,
    ),
    (
        POLISH,
        """
        |ul. ulic |al. alej |pl. |plac |os. osiedl skwer rondo bulwar
        """,
    ),
    (
        PORTUGUESE,
        """
        |rua |r. avenida |av. travessa |tv. praça largo alameda estrada beco calçada rodovia praceta quinta ladeira
        rotunda
        """,
    ),
)
"""Each pattern with words of lower case, one of which is in all that it matches."""

_TOWN: Final = (
    rf"{_NAME}(?:[\s/-](?:(?:am|an der|a\.d\.|an|im|ob der|de|del|la|le|les|sur|upon|on|the|do|da|di|bei|aan den|"
    rf"aan de|op|sul|de la|in der|i|nad)[\s-])?{_NAME}){{0,3}}"
)
_POSTCODE: Final = (
    r"(?:(?:D|A|CH|F|I|E|NL|PL|P|B|L|DE|FR|ES|IT|PT)[- ])?(?:\d{2}-\d{3}|\d{4}-\d{3}|\d{5}-\d{3}|"
    r"\d{4}\s?[A-Z]{2}(?!\w)|\d{5}(?:-\d{4})?|\d{4}|\d{2}\s\d{3}(?=\s[A-ZÀ-Þ]))(?![\w]|[.,]\d)"
)
_BRITISH: Final = r"(?:[A-Za-z]{1,2}\d[A-Za-z\d]?\s?\d[A-Za-z]{2})(?!\w)"
_CANADIAN: Final = r"[A-Z]\d[A-Z]\s?\d[A-Z]\d(?!\w)"
_STATE: Final = r"(?:[A-Z]{2,3}(?!\w)|(?:New |North |South |West |Rhode )?[A-Z][a-z]{3,12}(?=,?\s\d{5}))"
_COUNTRY: Final = (
    r"(?:USA|U\.S\.A\.|UK|United (?:Kingdom|States)|England|Scotland|Wales|Ireland|Canada|Australia|Deutschland|"
    r"Germany|Österreich|Austria|Schweiz|"
    r"Switzerland|France|Belgique|Belgium|Suisse|España|Spain|Italia|Italy|Nederland|The Netherlands|Netherlands|"
    r"België|Polska|Poland|Portugal|Brasil|"
    r"Brazil|México|Luxembourg)(?!\w)"
)
_ANY_CODE: Final = rf"(?:{_POSTCODE}|{_BRITISH}|{_CANADIAN})"
_UNIT: Final = (
    r"(?:,\s?|\s)(?:#\s?\w{1,5}|(?i:apt|apartment|unit|suite|ste|flat|floor|room|rm|wohnung|whg|etage|app|appt|"
    r"appartement|bât|bâtiment|étage|esc|escalier|"
    r"int|interno|scala|mieszkanie|m|lok|bus|box|lot|top|stiege|tür|stock)\b\.?\s?#?\d{0,4}[A-Za-z]?(?!\w)|"
    r"\d{1,2}(?:st|nd|rd|th)\s(?i:floor)|"
    r"\d{1,2}\.\s?(?i:OG|Stock|Etage|Obergeschoss)(?!\w)|\d{1,2}(?:e|er|ème)\s(?:étage|etage)|(?i:EG|Erdgeschoss|"
    r"Hinterhaus|Vorderhaus)(?!\w))"
)
POSTED: Final = (
    rf"(?:(?:,\s?|\s[-–]\s|\s?\n|\s)(?:{_POSTCODE}|{_BRITISH})(?:,?\s{_TOWN})|(?:,\s?|"
    rf"\s){_TOWN},?\s(?:{_STATE},?\s)?{_ANY_CODE})"
)
TAIL: Final = (
    rf"(?:{_UNIT}){{0,2}}(?P<posted>{POSTED}(?:,?\s\(?{_STATE}\)?)?(?:,?\s\d{{5}}-\d{{3}}(?!\w))?|(?:,\s?|\s?\n|"
    rf"\s[-–]\s){_TOWN}(?:,\s?{_TOWN})?(?:\s?[,–-]\s?{_STATE})?(?:,?\s(?:CEP\s)?{_ANY_CODE})?|"
    rf"(?:,\s?|\s[-–]\s)(?:{_BRITISH}|{_POSTCODE})|\s(?:in|à|a|en|em|te|"
    rf"w)\s{_TOWN})?(?:,?\s\([A-Z]{{2}}\))?(?:(?:,\s?|\s?\n|\s\(?){_COUNTRY}\)?)?"
)
