import base64

import pytest

from mujina.accounts.gpg_keys import packets
from tests.harness.cases import Case, Has, cases

BEGIN, END = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
BROKEN = {"message": {"key": [f"is invalid. A valid public GPG key begins with '{BEGIN}' and ends with '{END}'"]}}


def packets_of(block):
    return list(packets.split(packets.dearmor(block.encode())))


def armored(data):
    return f"{BEGIN}\n\n{base64.b64encode(b''.join(data)).decode()}\n{END}"


def test_a_key_exported_by_gpg_is_accepted(cast, made):
    answer = cast.guest.post("/user/gpg_keys", key=f"\n{made('guest')}\n")
    assert answer.status == 201, answer
    assert set(answer.json) == {"id", "key", "created_at"}
    assert answer.json["key"] == made("guest").strip()


def test_a_key_belongs_to_one_person(cast, made):
    cast.guest.post("/user/gpg_keys", key=made("guest"))
    for person in (cast.guest, cast.reporter):
        answer = person.post("/user/gpg_keys", key=made("guest"))
        assert answer.status == 400
        taken = ["has already been taken"]
        assert answer.json == {"message": {"key": taken, "fingerprint": taken, "primary_keyid": taken}}


@pytest.mark.parametrize(
    "spoil", ["word", "begin", "end", "middle", "twice", "private", "disguised", "packed", "unsigned"]
)
def test_a_broken_block_is_refused(cast, made, gpg, spoil):
    block = made("guest").strip()
    lines = block.splitlines()
    secret = gpg("--armor", "--export-secret-keys", "guest@example.org")
    key = {
        "word": "key",
        "begin": "\n".join(lines[1:]),
        "end": "\n".join(lines[:-1]),
        "middle": "\n".join([*lines[:3], lines[3][::-1], *lines[4:]]),
        "twice": f"{block}\n{made('reporter')}",
        "private": secret,
        "disguised": secret.replace("PRIVATE", "PUBLIC").strip(),
        "packed": f"{BEGIN}\n\nyAEA\n{END}",  # compressed data, which may be of any size
        "unsigned": armored([packet for tag, packet in packets_of(block) if tag != packets.SIGNATURE]),
    }[spoil]
    answer = cast.guest.post("/user/gpg_keys", key=key)
    assert (answer.status, answer.json) == (400, BROKEN)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_key_that_would_take_long_to_parse_is_refused(cast, made):
    [key, name, signature], other = packets_of(made("guest")), packets_of(made("reporter"))[2]
    wrong = signature[1][:-1] + bytes([signature[1][-1] ^ 1])
    large = {
        "text": f"{BEGIN}\n\n{'A' * 300_000}\n{END}",
        "names": armored([key[1], signature[1], *[name[1], signature[1]] * 51]),
        "own signatures": armored([key[1], name[1], signature[1], *[wrong] * 41]),
        "signatures": armored([key[1], name[1], signature[1], *[other[1]] * 1_000]),
    }
    for what, text in large.items():
        answer = cast.guest.post("/user/gpg_keys", key=text)
        too_large = ["is too large. Export it with --export-options export-minimal"]
        assert (answer.status, answer.json) == (400, {"message": {"key": too_large}}), what
    # Many people have signed a key that is well known.
    known = armored([key[1], name[1], signature[1], *[other[1]] * 400])
    assert cast.guest.post("/user/gpg_keys", key=known).status == 201


@cases(
    [
        Case("guest", "POST /user/gpg_keys", 400, Has(error="key is missing")),
        Case("guest", "POST /user/gpg_keys", 400, {"message": {"key": ["can't be blank"]}}, {"key": " "}),
        Case("anonymous", "POST /user/gpg_keys", 401, {"message": "401 Unauthorized"}),
        Case("read_user", "POST /user/gpg_keys", 403, Has(error="insufficient_scope")),
    ]
)
def test_invalid_requests_get_their_error(case, cast):
    case.holds(cast)
