"""Places that are recognised without any context: countries, and cities that conversations often name.

Left out on purpose, being ordinary words or first names as well: Nice, Reading, Bath, Mobile, Chad, Jordan,
Georgia. They are still found after "live in", "moved to" and such.
"""

import re
from typing import Final

_COUNTRIES: Final = """
Afghanistan|Albania|Algeria|Andorra|Angola|Argentina|Armenia|Australia|Austria|Azerbaijan|Bahrain|Bangladesh|Barbados|
Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Bosnia|Botswana|Brazil|Bulgaria|Cambodia|Cameroon|Canada|Chile|China|
Colombia|Costa Rica|Croatia|Cuba|Cyprus|Czech Republic|Czechia|Denmark|Dominican Republic|Ecuador|Egypt|El Salvador|
England|Eritrea|Estonia|Ethiopia|Fiji|Finland|France|Gambia|Germany|Ghana|Greece|Greenland|Guatemala|Haiti|Honduras|
Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Ivory Coast|Jamaica|Japan|Kazakhstan|Kenya|Kosovo|
Kuwait|Laos|Latvia|Lebanon|Libya|Lithuania|Luxembourg|Madagascar|Malawi|Malaysia|Maldives|Malta|Mauritius|Mexico|
Moldova|Monaco|Mongolia|Montenegro|Morocco|Mozambique|Myanmar|Namibia|Nepal|Netherlands|New Zealand|Nicaragua|Nigeria|
North Macedonia|Northern Ireland|Norway|Oman|Pakistan|Palestine|Panama|Paraguay|Peru|Philippines|Poland|Portugal|
Puerto Rico|Qatar|Romania|Russia|Rwanda|Saudi Arabia|Scotland|Senegal|Serbia|Singapore|Slovakia|Slovenia|Somalia|
South Africa|South Korea|Spain|Sri Lanka|Sudan|Sweden|Switzerland|Syria|Taiwan|Tanzania|Thailand|Tunisia|Turkey|Uganda|
Ukraine|United Arab Emirates|United Kingdom|United States|Uruguay|Uzbekistan|Venezuela|Vietnam|Wales|Yemen|Zambia|
Zimbabwe|UK|USA|US|UAE|EU|Europe|Africa|Asia|Antarctica
"""

_CITIES: Final = """
Aberdeen|Accra|Addis Ababa|Amsterdam|Ankara|Antwerp|Athens|Atlanta|Auckland|Bangalore|Bangkok|Barcelona|Basel|Beijing|
Beirut|Belfast|Belgrade|Bergen|Berlin|Bilbao|Birmingham|Bogotá|Bologna|Bordeaux|Boston|Brasília|Bratislava|Brighton|
Brisbane|Bristol|Brussels|Bucharest|Budapest|Buenos Aires|Cairo|Calgary|Cambridge|Cape Town|Cardiff|Casablanca|Chennai|
Chicago|Cologne|Copenhagen|Dakar|Delhi|Denver|Detroit|Dubai|Dublin|Dubrovnik|Dundee|Düsseldorf|Edinburgh|Florence|
Frankfurt|Geneva|Genoa|Ghent|Glasgow|Gothenburg|Granada|Hamburg|Hanoi|Havana|Helsinki|Hong Kong|Honolulu|Houston|
Istanbul|Jakarta|Jerusalem|Johannesburg|Karachi|Kathmandu|Kraków|Krakow|Kyiv|Kyoto|Lagos|Las Vegas|Leeds|Leicester|
Leipzig|Lille|Lima|Lisbon|Liverpool|Ljubljana|London|Los Angeles|Luanda|Lyon|Madrid|Málaga|Malaga|Manchester|Manila|
Marrakech|Marseille|Medellín|Melbourne|Mexico City|Miami|Milan|Minneapolis|Montevideo|Montreal|Moscow|Mumbai|Munich|
Nairobi|Naples|Nashville|New Delhi|New Orleans|New York|New York City|Newcastle|Nottingham|Osaka|Oslo|Ottawa|Oxford|
Palermo|Paris|Philadelphia|Pittsburgh|Portland|Porto|Prague|Pretoria|Quebec|Quito|Reykjavik|Riga|Rio de Janeiro|Rome|
Rotterdam|Saigon|Salzburg|San Diego|San Francisco|San José|Santiago|São Paulo|Sao Paulo|Sarajevo|Seattle|Seoul|Seville|
Shanghai|Sheffield|Singapore|Sofia|Stockholm|Stuttgart|Sydney|Taipei|Tallinn|Tbilisi|Tehran|Tel Aviv|The Hague|
Thessaloniki|Tokyo|Toronto|Toulouse|Trieste|Tunis|Turin|Utrecht|Valencia|Vancouver|Venice|Vienna|Vilnius|Warsaw|
Washington|Wellington|York|Zagreb|Zurich|Zürich|California|Texas|Florida|Hawaii|Alaska|Oregon|Colorado|Scandinavia|
Tuscany|Sicily|Andalusia|Provence|Normandy|Bavaria|Catalonia|Crete|Corsica|Bali|Brooklyn|Manhattan
"""

PLACES: Final = tuple(
    dict.fromkeys(
        name.strip() for block in (_COUNTRIES, _CITIES) for name in block.replace("\n", "").split("|") if name
    )
)
"""Names of places, as written, without repeats."""

COUNTRIES: Final = frozenset(name.strip() for name in _COUNTRIES.replace("\n", "").split("|") if name) - {"Singapore"}
"""Countries and continents, as written; without Singapore, which is a city as well."""

_ORDINARY: Final = frozenset({"us", "eu", "uk", "turkey", "china", "chile"})
_BY_LOWER: Final = {place.lower(): place for place in PLACES if place.lower() not in _ORDINARY}
_LOWER: Final = "|".join(map(re.escape, sorted(_BY_LOWER, key=len, reverse=True)))
_UNCAPITALISED: Final = re.compile(rf"\b(?P<before>in|to|from|[Vv]isited)\s(?P<place>{_LOWER})\b")


def capitalise(text: str) -> str:
    """`text` at its length, with the capitals that a hasty writer left out: "i live in berlin"."""
    return _UNCAPITALISED.sub(lambda match: f"{match['before']} {_BY_LOWER[match['place']]}", text)
