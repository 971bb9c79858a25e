import io
import struct
import zlib

import pytest
from PIL import Image

from tests.harness.client import Raw

ONLY_IMAGES = {"message": {"avatar": ["only images allowed"]}}
ANN = {"email": "ann@example.org", "username": "ann", "name": "Ann", "reset_password": "true"}


def picture(format="PNG", size=(40, 30), **options):
    drawn = io.BytesIO()
    Image.new("RGB", size, "brown").save(drawn, format, **options)
    return drawn.getvalue()


@pytest.fixture
def place(cast):
    return f"/users/{cast.guest.id}"


@pytest.fixture
def give(cast, place):
    """`give(data, "me.png")`: the guest gets this picture."""

    def put(data, name="me.png"):
        return cast.root.put(place, raw=Raw.multipart({"avatar": (name, data)}))

    return put


def look(cast, url, **headers):
    return cast.anonymous.get(url.replace("http://mujina.test", "/"), raw=Raw(headers=headers))


@pytest.mark.parametrize(
    ("format", "name", "shown", "type"),
    [("PNG", "me.png", "me.png", "image/png"), ("JPEG", "me.jpeg", "me.jpg", "image/jpeg"),
     ("GIF", "me.gif", "me.png", "image/png"), ("WEBP", "me.webp", "me.png", "image/png"),
     ("BMP", "my photo!.bmp", "my_photo.png", "image/png"), ("PNG", "../../etc/passwd", "passwd.png", "image/png"),
     ("PNG", "page.html", "page.png", "image/png"), ("PNG", "", "avatar.png", "image/png")],
)  # fmt: skip
def test_a_picture_is_drawn_anew_and_served(cast, give, format, name, shown, type):
    answer = give(picture(format), name)
    assert answer.status == 200, answer
    url = answer.json["avatar_url"]
    assert url == f"http://mujina.test/uploads/-/system/user/avatar/{cast.guest.id}/{shown}"
    served = look(cast, url)
    assert (served.status, served.headers["content-type"]) == (200, type)
    assert Image.open(io.BytesIO(served.body)).size == (40, 30)


def test_a_browser_can_only_show_it(cast, give):
    served = look(cast, give(picture()).json["avatar_url"])
    assert served.headers["x-content-type-options"] == "nosniff"
    assert served.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert served.headers["content-disposition"] == "inline"


def test_an_avatar_is_not_sent_again_to_a_client_that_has_it(cast, give):
    url = give(picture()).json["avatar_url"]
    tag = look(cast, url).headers["etag"]
    assert look(cast, url, **{"If-None-Match": tag}).status == 304
    give(picture(size=(10, 10)))
    assert look(cast, url, **{"If-None-Match": tag}).status == 200


def test_a_person_is_created_with_their_picture(cast):
    made = cast.root.post("/users", raw=Raw.multipart({"avatar": ("ann.png", picture())}, **ANN))
    assert made.status == 201, made
    assert look(cast, made.json["avatar_url"]).status == 200


def test_a_picture_can_be_taken_back(cast, give, place):
    url = give(picture()).json["avatar_url"]
    assert cast.root.put(place, avatar="").json["avatar_url"] is None
    assert look(cast, url).status == 404


def test_the_picture_goes_with_its_person(cast, give, place):
    url = give(picture()).json["avatar_url"]
    cast.root.delete(place)
    assert look(cast, url).status == 404


def test_metadata_and_trailing_bytes_are_removed(cast, give):
    exif = Image.Exif()
    exif[0x010E] = "taken in my garden"
    hidden = picture("JPEG", exif=exif) + b"<script>alert(1)</script>"
    served = look(cast, give(hidden, "me.jpg").json["avatar_url"])
    assert b"garden" not in served.body
    assert b"script" not in served.body


TOO_MANY_PIXELS = {"message": {"avatar": ["has too many pixels (should have at most 10,000,000)"]}}


def test_a_large_picture_is_made_small(cast, give):
    served = look(cast, give(picture("JPEG", (2000, 1000)), "me.jpg").json["avatar_url"])
    assert Image.open(io.BytesIO(served.body)).size == (512, 256)


def test_only_pictures_are_taken_whatever_they_are_called(cast, give):
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    for data in (b"", b"hello", svg, b"<html></html>", b"GIF89a", picture()[:60], b"%PDF-1.4"):
        answer = give(data)
        assert (answer.status, answer.json) == (400, ONLY_IMAGES), data
    assert cast.root.get(f"/users/{cast.guest.id}").json["avatar_url"] is None


def test_a_picture_that_would_fill_the_memory_is_refused_unseen(give):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0))
    bomb = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 100_000)) + chunk(b"IEND", b"")
    assert give(bomb).json == TOO_MANY_PIXELS


def test_a_picture_with_too_many_pixels_is_told_so(give):
    answer = give(picture("PNG", (5_000, 2_001)))
    assert (answer.status, answer.json) == (400, TOO_MANY_PIXELS)


def test_a_file_that_is_too_big_is_refused(give):
    answer = give(picture() + b"\0" * 204_800)
    assert answer.json == {"message": {"avatar": ["is too big (should be at most 200 KB)"]}}


def test_a_word_is_no_picture(cast, place):
    assert cast.root.put(place, avatar="me.png").json == {"error": "avatar is invalid"}


def test_a_refused_request_leaves_the_avatar_as_it_was(cast, give, place):
    url = give(picture()).json["avatar_url"]
    answer = cast.root.put(place, raw=Raw.multipart({"avatar": ("new.png", picture())}, name=""))
    assert answer.status == 400
    assert cast.root.get(place).json["avatar_url"] == url
    assert look(cast, url).status == 200


def test_other_addresses_are_empty(cast, give):
    give(picture())
    base = f"//uploads/-/system/user/avatar/{cast.guest.id}"
    for path in (f"{base}/you.png", f"{base}/me.png/x", "//uploads/-/system/user/avatar/9999999999999999999/me.png",
                 "//uploads/-/system/user/avatar/1/me.png", f"{base}/%00.png", f"{base}/..%2Fme.png"):  # fmt: skip
        assert cast.anonymous.get(path).status == 404, path
