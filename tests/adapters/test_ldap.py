"""What the LDAP client sends and accepts, without a server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mujina.adapters.ldap import messages
from mujina.adapters.ldap.filters import InvalidFilter, equals, every, parse, present, some, starts_with
from mujina.adapters.ldap.messages import MalformedMessage
from mujina.kernel.text.distinguished_names import InvalidName, is_below, normalize, without_unique_id
from tests.harness.any_text import any_text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(uid=jo)", equals("uid", "jo")),
        ("uid=jo", equals("uid", "jo")),
        (r"(cn=a\\2ab\\28)", equals("cn", "a*b(")),
        ("(&(a=1)(|(b=2)(c=3)))", every(equals("a", "1"), some(equals("b", "2"), equals("c", "3")))),
        ("(mail=*)", present("mail")),
        ("(cn=dev*)", starts_with("cn", "dev")),
        (" ( & (a=1) (b=2) ) ", every(equals("a", "1"), equals("b", "2"))),
    ],
)
def test_a_filter_is_read_as_the_standard_says(text, same):
    assert parse(text.replace("\\\\", "\\")) == same


@pytest.mark.parametrize(
    "text", ["(uid=jo", "(uid=jo))", "(uid)", "()", "(&(a=1)", "(!(a=1)(b=2))", "(a=\\zz)", "(=x)"]
)
def test_an_invalid_filter_is_refused(text):
    with pytest.raises(InvalidFilter):
        parse(text)


def test_a_filter_may_name_a_rule():
    encoded = parse("(userAccountControl:1.2.840.113556.1.4.803:=2)")
    assert encoded[0] == 0xA9
    assert b"1.2.840.113556.1.4.803" in encoded


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("UID=Jo, OU=People ,DC=Example,DC=Com", "uid=jo,ou=people,dc=example,dc=com"),
        (r"cn=Doe\, Jo,o=x", r"cn=doe\, jo,o=x"),
        (r"cn=Doe\2C Jo,o=x", r"cn=doe\, jo,o=x"),
        ('cn="Doe, Jo",o=x', r"cn=doe\, jo,o=x"),
        ("cn=a  b,o=x", "cn=a b,o=x"),
        ("uid=b+cn=a,o=x", "cn=a+uid=b,o=x"),
        (r"cn=J\C3\BCrg,o=x", "cn=jürg,o=x"),
        (r"cn=\#x,o=y", r"cn=\#x,o=y"),
    ],
)
def test_equal_names_have_one_form(name, normal):
    assert normalize(name) == normal
    assert normalize(normal) == normal


@pytest.mark.parametrize("name", ["", " ", "jo", "=x", "cn=a,,o=x", 'cn="a'])
def test_an_invalid_name_is_refused(name):
    with pytest.raises(InvalidName):
        normalize(name)


def test_a_name_is_below_another_by_its_parts():
    assert is_below("CN=a, OU=Groups ,o=x", "ou=groups,o=x")
    for name in ("ou=groups,o=x", r"cn=a\,ou=groups,o=x", "cn=a,ou=lists,o=x", "o=x", "nothing"):
        assert not is_below(name, "ou=groups,o=x"), name


def test_a_unique_member_may_carry_an_identifier():
    assert without_unique_id("uid=jo,o=x#'0101'B") == "uid=jo,o=x"


@given(st.binary(max_size=300))
def test_a_server_may_send_anything(content):
    """Whatever is not LDAP is one kind of error."""
    try:
        message = messages.decode_message(content)
        messages.decode_result(message)
        messages.decode_entry(message)
    except MalformedMessage:
        pass


@given(any_text(80))
def test_a_name_of_any_text_is_normal_or_refused(text):
    try:
        once = normalize(text)
    except InvalidName:
        return
    assert normalize(once) == once
