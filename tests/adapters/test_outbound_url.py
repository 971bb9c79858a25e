import pytest

from mujina.adapters.outbound.client import Outbound
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.adapters.outbound.url import OutboundTarget


@pytest.mark.parametrize(
    ("url", "host", "port", "authority", "path"),
    [
        ("http://Hooks.Example", "hooks.example", 80, "hooks.example", "/"),
        ("https://hooks.example:443/a?b=c#d", "hooks.example", 443, "hooks.example", "/a?b=c"),
        ("https://hooks.example:8443/", "hooks.example", 8443, "hooks.example:8443", "/"),
        ("http://hooks.example./x", "hooks.example", 80, "hooks.example", "/x"),
        ("http://[::1]:8080/", "::1", 8080, "[::1]:8080", "/"),
        ("http://[0:0:0:0:0:ffff:7f00:1]/", "::ffff:7f00:1", 80, "[::ffff:7f00:1]", "/"),
        (
            "http://bücher.example/für?wen=λ",
            "xn--bcher-kva.example",
            80,
            "xn--bcher-kva.example",
            "/f%C3%BCr?wen=%CE%BB",
        ),
        ("http://h/a%2Fb?c=%20d", "h", 80, "h", "/a%2Fb?c=%20d"),
    ],
)
def test_a_url_is_taken_apart(url: str, host: str, port: int, authority: str, path: str):
    target = OutboundTarget.parse(url)
    assert (target.host, target.port, target.authority, target.path) == (host, port, authority, path)


def test_a_password_in_a_url_is_kept_apart_and_never_shown():
    target = OutboundTarget.parse("https://me%40home:s3cret@hooks.example/T0KEN?key=K3Y")
    assert target.auth == ("me@home", "s3cret")
    assert target.authority == "hooks.example"
    assert not any(secret in repr(target) for secret in ("s3cret", "T0KEN", "K3Y", "home"))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example",
        "//hooks.example/",
        "ftp://hooks.example/",
        "file:///etc/passwd",
        "gopher://hooks.example/",
        "javascript:alert(1)",
        "http://",
        "http:///path",
        "http://:80/",
        "http://hooks.example:0/",
        "http://hooks.example:65536/",
        "http://hooks.example:http/",
        "http://hooks.example\\@evil.example/",
        "http://hooks example/",
        "http://hooks.example/\r\nX-Evil: 1",
        "http://hooks.example/\x00",
        "http://hooks.example/\ud800",
        "http://%6cocalhost/",
        "http://-option/",
        "http://a..b/",
        "http://" + "a" * 64 + "/",
        "http://" + "a." * 140 + "example/",
        "http://hooks.example|x/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://[v1.x]/",
        "http://\u2024/",
    ],
)
def test_only_web_urls_are_accepted(url: str):
    assert Outbound().rejection(url)
    with pytest.raises(OutboundForbidden):
        OutboundTarget.parse(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://LOCALHOST.:8080/",
        "http://app.localhost/",
        "http://127.0.0.1/",
        "http://127.1/",
        "http://0/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://①②⑦.⓪.⓪.①/",
        "http://１２７.0.0.1/",
        "http://ⓛocalhost/",
        "http://127。0。0。1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/",
        "http://10.0.0.1:8080/",
        "http://user:password@192.168.0.1/",
        "http://hooks.example@127.0.0.1/",
        "http://[::]/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::7f00:1]/",
    ],
)
def test_an_address_that_may_not_be_called_is_not_accepted_however_it_is_written(url: str):
    assert "may not be called" in (Outbound().rejection(url) or "")


def test_a_name_is_accepted_without_asking_anybody():
    assert Outbound().rejection("https://hooks.example/x") is None
    assert Outbound().rejection("http://hooks.internal:8080/") is None


def test_urls_that_the_operator_lists_are_accepted():
    outbound = Outbound(["localhost:8080", "10.0.0.0/8", "[::1]:9000"])
    assert outbound.rejection("http://localhost:8080/") is None
    assert outbound.rejection("http://localhost:9000/") is None
    assert outbound.rejection("http://10.1.2.3/") is None
    assert outbound.rejection("http://0xa.1/") is None
    assert outbound.rejection("http://localhost/")
    assert outbound.rejection("http://127.0.0.1:8080/")


@pytest.mark.parametrize("location", ["https://[::1", "//[", "ftp://hooks.example/", "https://hooks.example:0/"])
def test_a_redirect_to_what_is_no_url_is_forbidden(location):
    with pytest.raises(OutboundForbidden):
        OutboundTarget.parse("https://hooks.example/a").join(location)
