"""Words that stand where the name of an account would, and are none: "the login is broken", "das Passwort ist
abgelaufen". By hand, in eight languages, of how people speak about what they sign in with. Pure."""

from typing import Final

from ragpp.passwords import ORDINARY

_WORDS: Final = """
    be new pretty quite like optional recommended taken free visible masked erforderlich vergeben belegt frei
    verfügbar gesperrt obligatorio obligatoire obrigatório obbligatorio verplicht vereist nodig bezet vrij wymagana
    wymagany zajęta wolna occupato libero ocupado libre disponible disponibile disponível disponibel beschikbaar
    dostępna necessario necessário necesario written taped printed under inside behind near over already almost
    actually basically probably supposed as than terrible ridiculous awful great due identical case-sensitive
    non-negotiable down mandatory enough usually
    abgelaufen aber alt am auf auch aus bei beim bekannt da das dasselbe dein dem den der derselbe die dort du echt
    ein eine einem einfach er es falsch für ganz geheim gut hier ihr im immer irgendwo ja jetzt kein keine klar
    komplett kurz lang leer leicht leider mal mein meine mir mit nicht nie noch nun nur richtig schlecht schon
    schwach sehr sein seit sicher sofort stark super total uns unser viel völlig vom von was weg wichtig wieder wie
    wirklich wo zu zum zur zwar
    absolument actuellement au aussi bien bon bonne ce celui compliqué dans de déjà des différent elle en encore et
    exact faible facile fort faux ici il inconnu inutile je juste la là le les leur mauvais mon nécessaire non
    nouveau nul ou par pas perdu périmé plus pour près quelque requis sa sans ses simplement son sous sur sûr ton
    toujours toute tout très trop tu un une vide votre
    algo al antigua aquí así bastante buena como con corta correcta débil del demasiado diferente distinta el ella
    errónea esa ese esta este fácil fuerte igual importante incorrecta inválida larga las lo los mala malo más mi
    misma mismo mía muy necesaria ni ninguna nueva nuestra obligatoria otra para pero por que secreta segura siempre
    sencilla su suya también tan una única vieja válida ya yo
    abbastanza ai alla anche ancora attuale che chi complicata corretta così dal debole della di diversa forte gli
    già incorretta lunga ma mia molto nel nella nostra nuova obbligatoria per più proprio qualcosa quella questa
    robusta sbagliata scaduta segreta sempre sicura solo stata sua troppo tua unica uguale valida vecchia
    aan alleen altijd anders belangrijk bekend bij te daar dat deze dit een fout geen goed haar heel het hetzelfde
    ik ingewikkeld juist kort kwijt leeg makkelijk maar met mijn moeilijk naar niet nog nooit nu ons onveilig onze
    ook op oud sterk steeds tot uit van veel veilig verkeerd verlopen voor waar wel zijn onjuist ongeldig zo zwak
    ani bardzo bez błędne było być całkiem chyba coś do dobre długie gdzieś inne już jak jest każde krótkie moje
    można musi na nasze niepoprawne nieważne nieznane nowe o od oraz po pod poprawne proste przez puste silne słabe
    stare takie tajne tam tego ten trudne twoje tylko w ważne wymagane z za zapisane zawsze zbyt ze złe znane znowu
    ainda alguma aqui assim certa com correta curta daquele demais dos e ela errada essa fraca isso já longa mais
    mesma meu minha muito nada não nem nossa nova num obrigatória os outra pela pouco quase sem só também tão toda
    uma velha
"""
SAID_OF_ONE: Final = "|".join((ORDINARY, *_WORDS.split()))
_INFLECTED: Final = (
    r"[a-zà-ÿąćęłńóśźż-]{2,30}(?:igt|iert|tzt|lich|ellt|ndet|hrt|ert|ssen|ndert|lossen|chert|teilt|iste|aché|"
    r"é|ée|és|ées|able|ible|ado|ada|ido|ida|ato|ata|uto|uta|ito|ita|bile|ível|ável|pisane|wane|one|ane|ione|ęta|ęty|"
    r"ęte|any|ana|ona|ony|[oó]ri[oa]|"
    r"ing|tion|ed)(?![\w'-])"
)
"""Endings of participles and adjectives, in lower case and without a digit."""
NO_PARTICIPLE: Final = rf"(?!(?-i:{_INFLECTED})|(?-i:nie|on|un|in|im|ir)(?-i:[^\W\d_]{{4,30}})(?![\w'’-]))"
"""Not before such a form, nor before what a word for "not" begins."""
