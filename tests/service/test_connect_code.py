import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.connect_code import ConnectCode, ConnectCodeError, decode, encode

word = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(st.builds(ConnectCode, word, word, word))
def test_what_was_encoded_comes_back(code: ConnectCode) -> None:
    text = encode(code)
    assert decode(text) == code
    assert text.removeprefix("tb1_").replace("-", "").replace("_", "").isalnum()


def test_a_code_broken_over_lines_by_a_mail_program_still_reads() -> None:
    code = ConnectCode("http://127.0.0.1:8000", "abcdefghij", "tbg_key")
    text = encode(code)
    assert decode(f"  {text[:20]}\n{text[20:]} \n") == code


def test_the_form_is_the_one_that_the_module_reads() -> None:
    payload = {"url": "https://dice.example.org", "campaign": "abcdefghij", "key": "tbg_key"}
    packed = base64.urlsafe_b64encode(json.dumps(payload).encode()).decode().rstrip("=")
    assert decode("tb1_" + packed) == ConnectCode("https://dice.example.org", "abcdefghij", "tbg_key")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tbg_a-key-is-no-code",
        "tb1_",
        "tb1_!!!!",
        "tb1_e30",  # {}
        "tb1_W10",  # []
        encode(ConnectCode("http://127.0.0.1:8000", "abcdefghij", "tbg_key"))[:-5],
        "tb1_" + base64.urlsafe_b64encode(b'{"url":1,"campaign":"c","key":"k"}').decode(),
        "tb1_" + base64.urlsafe_b64encode(b'{"url":"","campaign":"c","key":"k"}').decode(),
        "tb1_" + base64.urlsafe_b64encode(b"[" * 30000).decode(),
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ConnectCodeError) as refused:
        decode(text)
    assert refused.value.reason.endswith(".")
