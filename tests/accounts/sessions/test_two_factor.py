import re
import time

import pytest
import segno

from mujina.accounts.two_factor import totp
from tests.accounts.sessions.conftest import PASSWORD
from tests.harness.visitor import Visitor

PAGE = "/profile/two_factor_auth"


@pytest.mark.parametrize(
    ("seconds", "code"), [(59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (20000000000, "353130")]
)
def test_codes_are_those_of_the_standard(seconds, code):
    assert totp.code_at("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", seconds // 30) == code


def code(key, steps=0):
    """The code of this time. A later one than before is good whether or not half a minute ends before it arrives."""
    return totp.code_at(key, int(time.time()) // 30 + steps)


@pytest.fixture
def enabled(signed_in):
    """The reporter's key and recovery codes, their second factor being on."""
    signed_in.open(PAGE)
    signed_in.send(PAGE)
    signed_in.open(PAGE)
    key = signed_in.page.text.split('id="two-factor-key">')[1].split("<")[0]
    assert signed_in.send(f"{PAGE}/enable", code=code(key), current_password=PASSWORD).status == 200
    return key, signed_in.page.text.split('id="recovery-codes">')[1].split("<")[0].split()


def test_the_key_is_shown_as_a_qr_code_of_the_link_for_apps(signed_in):
    signed_in.open(PAGE)
    assert "qr-code" not in signed_in.page.text
    signed_in.send(PAGE)
    text = signed_in.open(PAGE).text
    (link,) = signed_in.links("otpauth:")
    key = text.split('id="two-factor-key">')[1].split("<")[0]
    assert link == f"otpauth://totp/Mujina:reporter?secret={key}&issuer=Mujina"
    svg = re.search(r'<svg [^>]*class="qr-code">.*</svg>', text)[0]
    assert modules(svg) == [list(row) for row in segno.make(link, micro=False).matrix]
    assert "style=" not in svg


def modules(svg):
    """The dark modules of a code as the picture shows them, without its white border."""
    path = re.search(r'stroke="#000" d="([^"]*)"', svg)[1]
    x = y = 0.0
    dark = set()
    for command, numbers in re.findall(r"([Mmh])([-0-9. ]+)", path):
        move = [float(number) for number in numbers.split()]
        if command == "h":
            dark |= {(int(x) + step, int(y)) for step in range(int(move[0]))}
            x += move[0]
        else:
            x, y = move if command == "M" else (x + move[0], y + move[1])
    border, size = 4, 1 + max(x for x, _ in dark) - 4
    return [[int((x + border, y + border) in dark) for x in range(size)] for y in range(size)]


def test_a_password_is_not_enough_any_more(enabled, client, known):
    key, _ = enabled
    visitor = Visitor(client)
    assert visitor.sign_in("reporter", PASSWORD, target="/profile/keys").status == 200
    assert visitor.call("GET", "/user").status == 401
    ticket = visitor.field("ticket")
    assert visitor.send("/users/sign_in/second_factor", ticket=ticket, code="000000").status == 422
    answer = visitor.send(
        "/users/sign_in/second_factor", ticket=ticket, code=code(key, 1), target=visitor.field("target")
    )
    assert answer.status == 303
    assert visitor.call("GET", "/user").json["two_factor_enabled"] is True


def test_a_code_is_good_once(enabled, client):
    key, _ = enabled
    now = code(key, 1)
    for status in (303, 422):
        visitor = Visitor(client)
        visitor.sign_in("reporter", PASSWORD)
        answer = visitor.send("/users/sign_in/second_factor", ticket=visitor.field("ticket"), code=now)
        assert answer.status == status


def test_a_recovery_code_is_good_once(enabled, client):
    _, codes = enabled
    assert len(set(codes)) == 10
    for status in (303, 422):
        visitor = Visitor(client)
        visitor.sign_in("reporter", PASSWORD)
        answer = visitor.send("/users/sign_in/second_factor", ticket=visitor.field("ticket"), code=codes[0].upper())
        assert answer.status == status


def test_ten_wrong_codes_lock_like_ten_wrong_passwords(enabled, client):
    key, _ = enabled
    visitor = Visitor(client)
    visitor.sign_in("reporter", PASSWORD)
    ticket = visitor.field("ticket")
    for _ in range(10):
        visitor.send("/users/sign_in/second_factor", ticket=ticket, code="000000")
    assert visitor.send("/users/sign_in/second_factor", ticket=ticket, code=code(key, 1)).status == 422
    assert visitor.sign_in("reporter", PASSWORD).status == 422


def test_a_ticket_made_up_or_of_an_old_password_opens_nothing(enabled, client, known):
    key, _ = enabled
    visitor = Visitor(client)
    visitor.sign_in("reporter", PASSWORD)
    ticket = visitor.field("ticket")
    made_up = visitor.send("/users/sign_in/second_factor", ticket="v1:x:y", code=code(key, 1))
    assert made_up.headers["Location"] == "/users/sign_in"
    known.root.put(f"/users/{known.reporter.id}", password="another password")
    old = visitor.send("/users/sign_in/second_factor", ticket=ticket, code=code(key, 1))
    assert old.headers["Location"] == "/users/sign_in"


def test_turning_it_on_or_off_takes_the_password(signed_in, enabled):
    signed_in.open(PAGE)
    assert signed_in.send(f"{PAGE}/disable", current_password="wrong").status == 422
    assert signed_in.send(f"{PAGE}/codes", current_password="wrong").status == 422
    assert signed_in.send(f"{PAGE}/codes", current_password=PASSWORD).status == 200
    assert signed_in.send(f"{PAGE}/disable", current_password=PASSWORD).status == 303
    assert Visitor(signed_in.client).sign_in("reporter", PASSWORD).status == 303


def test_the_key_is_stored_encrypted(enabled, cast):
    assert enabled[0] not in cast.value("SELECT sealed FROM two_factors")
