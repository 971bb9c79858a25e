from mujina.kernel.openapi.document import document
from tests.harness.composed import ROUTES
from tests.transcript.compare import differences
from tests.transcript.normalize import Normalizer
from tests.transcript.routes import read_routes


def exchange(**changes):
    plain = {"number": 0, "caller": "root", "route": "GET /x", "request": "GET /api/v4/x", "sent": {}, "body": ""}
    answer = {"status": 200, "headers": {"content-type": "application/json"}, "answer": '{"id":1,"name":"a"}'}
    return plain | answer | changes


def test_equal_recordings_do_not_differ():
    assert differences([exchange()], [exchange()]) == {}


def test_a_status_a_header_and_a_field_that_differ_are_named_below_their_route():
    changed = exchange(status=404, headers={"content-type": "text/plain"}, answer='{"id":1,"more":true}')
    (text,) = differences([exchange()], [changed])["GET /x"]
    for line in (
        "status: 200 -> 404",
        'header content-type: "application/json" -> "text/plain"',
        'body.name: only on the left: "a"',
        "body.more: only on the right: true",
    ):
        assert line in text


def test_a_change_of_type_is_a_difference():
    assert differences([exchange(answer='{"x":1}')], [exchange(answer='{"x":true}')])


def test_another_order_of_fields_is_a_difference():
    (text,) = differences([exchange()], [exchange(answer='{"name":"a","id":1}')])["GET /x"]
    assert "another order" in text


def test_a_missing_exchange_is_a_difference():
    assert differences([exchange()], [])


def test_ids_are_left_out_on_request():
    moved = exchange(request="GET /api/v4/x", answer='{"id":2,"name":"a"}')
    assert differences([exchange()], [moved])
    assert differences([exchange()], [moved], ids=False) == {}


def test_pages_are_compared_by_their_fields_unless_texts_are_asked_for():
    html = {"content-type": "text/html"}
    before, after = (exchange(headers=html, answer=f'<p>{text}</p><input name="x">') for text in ("One", "Two"))
    assert differences([before], [after]) == {}
    assert differences([before], [after], texts=True)
    assert differences([before], [exchange(headers=html, answer='<p>One</p><input name="y">')])


def test_a_random_word_keeps_the_number_of_its_first_exchange():
    normalizer, sha = Normalizer(), "ab" * 20
    assert normalizer.text(f'{{"id":"{sha}"}}', 7) == '{"id":"<7.1>"}'
    assert normalizer.text(f"{sha} {sha[:8]}", 9) == "<7.1> <7.1>[:8]"


def test_the_nonce_of_a_policy_is_a_random_word():
    policy = "script-src 'nonce-mZ3_v-Qw9Lk1aBcDeFgHiJ'; style-src 'self'"
    assert Normalizer().text(policy, 4) == "script-src 'nonce-<4.1>'; style-src 'self'"


def test_words_and_times_that_the_scenario_fixes_stay():
    normalizer = Normalizer()
    normalizer.keep("cd" * 20)
    text = f"{'cd' * 20} 2017-03-04T05:06:07.000Z 2030-01-02"
    assert normalizer.text(text, 1) == text


def test_parameters_that_the_document_describes_once_for_many_routes_are_found():
    routes = {(route.verb, route.path): route for route in read_routes(document(ROUTES, "1"))}
    assert {"page", "per_page", "search"} <= routes["GET", "/projects"].params.keys()
