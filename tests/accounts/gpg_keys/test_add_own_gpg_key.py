import pytest

from tests.harness.cases import Case, Has, cases

BEGIN, END = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
BROKEN = {"message": {"key": [f"is invalid. A valid public GPG key begins with '{BEGIN}' and ends with '{END}'"]}}


def test_what_gpg_exports_is_taken(cast, made):
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


@pytest.mark.parametrize("spoil", ["word", "begin", "end", "middle", "twice", "private", "disguised", "packed", "long"])
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
        "long": f"{BEGIN}\n\n{'A' * 300_000}\n{END}",
    }[spoil]
    answer = cast.guest.post("/user/gpg_keys", key=key)
    assert (answer.status, answer.json) == (400, BROKEN)


@cases(
    [
        Case("guest", "POST /user/gpg_keys", 400, Has(error="key is missing")),
        Case("guest", "POST /user/gpg_keys", 400, {"message": {"key": ["can't be blank"]}}, {"key": " "}),
        Case("anonymous", "POST /user/gpg_keys", 401, {"message": "401 Unauthorized"}),
        Case("read_user", "POST /user/gpg_keys", 403, Has(error="insufficient_scope")),
    ]
)
def test_who_and_what_is_refused(case, cast):
    case.holds(cast)
