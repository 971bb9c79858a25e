import base64

import pytest

from tests.harness.cases import Case, Has, cases

BROKEN = {"message": {"key": ["is invalid"], "fingerprint": ["cannot be generated"]}}
TAKEN = {"message": {"fingerprint": ["has already been taken"]}}


@pytest.mark.parametrize(
    ("family", "bits"), [("ed25519", None), ("rsa", 2048), ("ecdsa", 256), ("ecdsa", 384), ("ecdsa", 521)]
)
def test_keys_made_by_ssh_keygen_are_accepted(cast, made, family, bits):
    key = made(family, bits)
    answer = cast.guest.post("/user/keys", title="Laptop", key=key)
    assert answer.status == 201, answer
    assert set(answer.json) == {"id", "title", "key", "created_at"}
    assert (answer.json["title"], answer.json["key"]) == ("Laptop", key.strip())


def test_a_key_in_hardware_is_taken(cast, in_hardware):
    assert cast.guest.post("/user/keys", title="Token", key=in_hardware).json["key"] == in_hardware


def test_line_breaks_and_spaces_around_a_key_are_nothing(cast, made):
    key = made("ed25519").strip()
    broken = f"\n  {key[:30]}\r\n{key[30:60]}\n{key[60:]}  \n"
    assert cast.guest.post("/user/keys", title="Laptop", key=broken).json["key"] == key


def test_a_key_belongs_to_one_person_on_the_whole_instance(cast, made):
    key = made("ed25519")
    assert cast.guest.post("/user/keys", title="Laptop", key=key).status == 201
    for person in (cast.guest, cast.reporter):
        answer = person.post("/user/keys", title="Mine", key=key.replace("me@home", "somebody else"))
        assert (answer.status, answer.json) == (400, TAKEN)


def test_a_short_key_is_refused(cast, made):
    answer = cast.guest.post("/user/keys", title="Old", key=made("rsa", 1024))
    assert (answer.status, answer.json) == (400, {"message": {"key": ["must be at least 2048 bits"]}})


def test_administrators_decide_which_keys_are_taken(cast, made):
    assert cast.root.put("/application/settings", rsa_key_restriction=0, ed25519_key_restriction=-1).status == 200
    assert cast.guest.post("/user/keys", title="Old", key=made("rsa", 1024)).status == 201
    answer = cast.guest.post("/user/keys", title="New", key=made("ed25519"))
    text = "type is forbidden. Must be RSA, ECDSA, ECDSA_SK, or ED25519_SK"
    assert (answer.status, answer.json) == (400, {"message": {"key": [text]}})


def test_a_broken_key_is_refused(cast, made):
    kind, body, _ = made("ed25519").split()
    blob = base64.b64decode(body)

    def spelled(other):
        return f"{kind} {base64.b64encode(other).decode()} me@home"

    for key in (
        "ssh-foo AAAA", "ssh-rsa", "AAAA", f"{kind} not/base64!", f"ssh-rsa {body}", spelled(blob[:-1]),
        spelled(blob + b"\0"), spelled(blob + b"\0\0\0\1x"), spelled(b""), spelled(b"\xff" * 40),
        f'command="sh" {kind} {body}', f"ecdsa-sha2-nistp256 {body}", "-----BEGIN OPENSSH PRIVATE KEY-----",
    ):  # fmt: skip
        answer = cast.guest.post("/user/keys", title="Broken", key=key)
        assert (answer.status, answer.json) == (400, BROKEN), key


def test_a_point_beside_its_curve_is_no_key(cast, made):
    kind, body, _ = made("ecdsa", 256).split()
    blob = bytearray(base64.b64decode(body))
    blob[-1] ^= 1
    key = f"{kind} {base64.b64encode(blob).decode()}"
    assert cast.guest.post("/user/keys", title="Beside", key=key).json == BROKEN


def test_a_key_may_be_long_but_not_endless(cast, made):
    answer = cast.guest.post("/user/keys", title="Long", key=made("ed25519").strip() + " x" * 2500)
    assert answer.json == {"message": {"key": ["is too long (maximum is 5000 characters)"]}}


def test_a_title_is_needed(cast, made):
    answer = cast.guest.post("/user/keys", title=" ", key=made("ed25519"))
    assert answer.json == {"message": {"title": ["can't be blank"]}}
    answer = cast.guest.post("/user/keys", title="t" * 256, key=made("ed25519"))
    assert answer.json == {"message": {"title": ["is too long (maximum is 255 characters)"]}}


@cases(
    [
        Case("guest", "POST /user/keys", 400, Has(error="title is missing, key is missing")),
        Case("guest", "POST /user/keys", 400, Has(message='400 (Bad request) "key" not given'), {"title": "x"}),
        Case("anonymous", "POST /user/keys", 401, {"message": "401 Unauthorized"}),
        Case("read_user", "POST /user/keys", 403, Has(error="insufficient_scope")),
        Case("blocked", "POST /user/keys", 403, {"message": "403 Forbidden - User is blocked"}),
    ]
)
def test_invalid_requests_get_their_error(case, cast):
    case.holds(cast)


def test_the_addition_is_recorded(cast, made):
    seen = len(cast.events())
    cast.guest.post("/user/keys", title="Laptop", key=made("ed25519"))
    assert cast.events()[seen:] == ["key.added"]
