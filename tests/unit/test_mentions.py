"""A name is found in every script: inflected, with something joined to it, without spaces around it."""

from ragpp.text.mentions import Said, is_of_other_script, names_in
from ragpp_services.episodic.ranking import named_speaker
from ragpp_services.semantic.evidence.keys import content_words, query_keys, shared_words
from tests.support.each import each_case


@each_case(
    ("text", "name"),
    [
        ("我昨天见了张伟", "张伟"),
        ("健太はどこですか", "健太"),
        ("กิตติเรียนที่ไหน", "กิตติ"),
        ("민수가 다니는 학교", "민수"),
        ("지훈이한테서 들었어", "지훈"),
        ("كتاب لسارة", "سارة"),
        ("قال احمد", "أحمد"),
        ("وأحمد أيضا", "أحمد"),
        ("С Аней и Петром Ивановичем", "Аня"),
        ("С Аней и Петром Ивановичем", "Пётр Иванович"),
        ("Я был с Алёной", "Алена"),
        ("у Артёма", "Артем"),
        ("с Сергеем", "Сергей"),
        ("о Любови", "Любовь"),
        ("З Оленою", "Олена"),
        ("Στον Γιώργο", "Γιώργος"),
    ],
)
def test_a_name_is_in_a_text_that_has_it_in_another_form(text: str, name: str) -> None:
    assert is_of_other_script(name)
    assert Said(text).names(name)


@each_case(
    ("text", "name"),
    [
        ("我昨天见了张明", "张伟"),
        ("그는 하는 일이 많다", "하은"),
        ("سار الرجل", "سارة"),
        ("ولو قليلا", "لولو"),
        ("Анна спит", "Аня"),
        ("Анкета готова", "Аня"),
        ("Пётр спит, а Иванович нет", "Пётр Иванович"),
        ("hello", "…。"),
    ],
)
def test_another_word_is_no_mention(text: str, name: str) -> None:
    assert not Said(text).names(name)


@each_case("name", ["Ann", "José", "Ağça", "Đặng", "42", ""])
def test_a_latin_name_is_compared_as_ever(name: str) -> None:
    assert not is_of_other_script(name)


@each_case(
    ("text", "speaker"),
    [
        ("李娜喜欢什么茶?", "李娜"),
        ("佐藤さんは何のアレルギーがある?", "佐藤"),
        ("지훈이가 마시는 차는?", "지훈"),
        ("ماذا تشرب ساره؟", "سارة"),
        ("Где бабушка Сережи?", "Серёжа"),
    ],
)
def test_the_named_speaker_is_known_in_the_form_that_a_question_has(text: str, speaker: str) -> None:
    assert named_speaker(text, (speaker, "Somebody")) == 0
    assert named_speaker("Who?", (speaker, "Somebody")) is None


@each_case(
    ("text", "key"),
    [
        ("张伟在哪里上学?", "张伟"),
        ("王小明的奶奶住在哪里?", "王小明"),
        ("健太はどこに住んでいる?", "健太"),
        ("민수는 어디 살아?", "민수"),
        ("اين كتاب لسارة؟", "ساره"),
    ],
)
def test_a_query_has_the_key_of_whom_it_names(text: str, key: str) -> None:
    assert key in query_keys(text, ())


def test_a_latin_text_has_no_names_but_its_words() -> None:
    assert list(names_in("Where does Zoë's sister live?")) == []


def test_sentences_without_spaces_share_their_words() -> None:
    assert shared_words("他住在北京", content_words("北京的天气"))
    assert not shared_words("他住在上海", content_words("北京的天气"))
