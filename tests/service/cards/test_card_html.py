"""The card as HTML: nothing that people typed becomes markup, and nothing needs eyes or colour to be read."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.cards import STYLESHEET, card, thrown_card
from tests.service.cards.hostile import HOSTILE_NAMES
from tests.service.cards.samples import awaiting, contest, pending, roll, unanswered

POOL = {"stat": 3, "skill": "trained", "bonus": 1, "penalty": 2, "dv": 2}
BERT = {"kind": "player", "user": "bert"}
ELEMENTS = {
    *("article", "header", "section", "h3", "p", "ul", "li", "div", "span", "strong", "s"),
    *("dl", "dt", "dd", "details", "summary"),
}
CLASSES = re.compile(r"tallybones-[a-z-]+[0-9]?")


class Page(HTMLParser):
    """The elements of a page, with its text; fails where they are not nested."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.text, self.comments = [], [], "", []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.comments.append(data)


def cards(name="Mira", user_name="Anna", label=None):
    """Every state's card, with the given names wherever a name can stand."""
    names = {"actor": {"id": "A1", "name": name}, "user_name": user_name, "label": label}
    opposed = {"skill": 5, "opponent": BERT}
    challenge, answer = contest("heroes-2d6", "opposed-test", opposed, {"skill": 4}, **names)
    challenge["opponent"] |= {"actor": {"id": "A2", "name": name}, "user_name": user_name}
    return [
        card(roll("moon-hangs-low", "skill-check", POOL, **names)),
        card(roll("fort-ref-will", "test", {"advantage": 3, "combat": True}, **names)),
        card(challenge),
        card(answer),
        card(pending("moon-hangs-low", "skill-check", POOL, **names)),
        card(awaiting("heroes-2d6", "opposed-test", opposed, **names)),
        card(unanswered("heroes-2d6", "opposed-test", opposed, **names)),
        thrown_card(roll("moon-hangs-low", "skill-check", POOL, visibility="blind", **names)),
    ]


def skeleton(html):
    """The elements and attributes of a card, without its text."""
    page = Page(html)
    assert page.comments == []
    return page.elements


PLAIN = [skeleton(each.html) for each in cards(label="Label")]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_element_or_attribute_comes_from_a_name(name):
    assert [skeleton(each.html) for each in cards(name, f"{name}!", name)] == PLAIN


@given(st.text(min_size=1, max_size=80))
def test_whatever_is_typed_stays_text(name):
    record = roll("moon-hangs-low", "skill-check", POOL, label=name, actor={"id": "A", "name": name})
    assert skeleton(card(record).html) == PLAIN[0]


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "O'Brien & Söhne", "{{ 7 * 7 }}{% raw %}", "مرحبا بالعالم"]
)
def test_a_name_is_shown_as_it_was_typed(name):
    for each in cards(name=name):
        assert name in Page(each.html).text


def test_only_known_elements_and_harmless_attributes_are_used():
    for each in cards():
        for tag, attributes in skeleton(each.html):
            assert tag in ELEMENTS
            assert set(attributes) <= {"class", "aria-hidden", "dir"}
            assert all(CLASSES.fullmatch(name) for name in (attributes.get("class") or "").split())


HOOKS = {"tallybones-head", "tallybones-hand", "tallybones-result"}


def test_every_class_is_styled_or_there_for_others_to_style():
    css = STYLESHEET.read_text()
    used = {
        name
        for each in cards()
        for _, attributes in skeleton(each.html)
        for name in (attributes.get("class") or "").split()
    }
    unstyled = {name for name in used if not re.search(rf"\.{name}(?![\w-])", css)}
    assert {name for name in unstyled if not re.search("-(state|outcome|role)-", name)} == HOOKS


def test_the_stylesheet_touches_nothing_but_cards():
    css = re.sub(r"/\*.*?\*/", "", STYLESHEET.read_text(), flags=re.DOTALL)
    selectors = [line.strip() for line in re.findall(r"([^{};]+)\{", css)]
    assert len(selectors) > 30
    assert [each for each in selectors if not each.startswith(".tallybones-card")] == [
        ".theme-light",
        ".theme-dark",
    ]


def test_a_screen_reader_hears_what_each_die_did():
    page = Page(cards()[0].html)
    assert re.search(r"\d skill die, (a|no) success", page.text)
    assert re.search(r"\d penalty die, (cancels a|no) success", page.text)
    dropped = Page(cards()[1].html).text
    assert dropped.count("die, dropped") == 3


def test_dice_are_a_list_and_dropped_ones_are_struck():
    elements = skeleton(cards()[1].html)
    assert (
        sum(tag == "li" and "tallybones-die" in attributes.get("class", "") for tag, attributes in elements)
        == 5
    )
    assert sum(tag == "s" for tag, _ in elements) == 3


def test_details_are_folded():
    assert ("details", {"class": "tallybones-details"}) in skeleton(cards()[0].html)
