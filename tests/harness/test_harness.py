import psycopg

from tests.harness.client import Raw
from tests.harness.encoding import form_text
from tests.harness.postgres_server import shared_server, use_server


def test_a_database_on_postgres_is_empty_and_ones_own(postgres_url):
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
        connection.execute("CREATE TABLE mine (id bigint)")


def test_a_copied_database_holds_what_its_template_held(postgres, postgres_url):
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE mine (id bigint)")
    copy = postgres.create(template=postgres_url)
    with psycopg.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM mine").fetchone() == (0,)
    postgres.drop(copy)


def test_the_server_of_a_run_is_the_same_for_a_worker_that_comes_after_all_others_have_ended(tmp_path):
    with use_server(tmp_path):
        with shared_server(tmp_path) as address:
            pass
        with shared_server(tmp_path) as found, psycopg.connect(found):
            assert found == address


def test_lists_hashes_and_booleans_are_written_with_brackets_and_words():
    written = form_text({"iids": [1, 2], "custom_attributes": {"a": "b c"}, "confidential": True, "none": None})
    assert written == "iids[]=1&iids[]=2&custom_attributes[a]=b+c&confidential=true&none="


def test_a_file_is_a_part_of_its_own():
    raw = Raw.multipart({"avatar": ("a.png", b"\x89PNG")}, name="x")
    assert raw.body.count(b"Content-Disposition") == 2
    assert b'filename="a.png"' in raw.body
