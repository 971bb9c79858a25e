from mujina.moving.move_in.texts import Texts


def test_code_in_texts_stays_as_it_is():
    texts = Texts("https://old", "https://new", {"team/app": "here/app"}, {"ben": "benny"})
    before = "@ben, `@ben` and ``team/app#1 @ben`` in team/app#1\n```\n@ben https://old/team/app\n``` no end\n```\n@ben `open"
    after = "@benny, `@ben` and ``team/app#1 @ben`` in here/app#1\n```\n@ben https://old/team/app\n``` no end\n```\n@benny `open"
    assert texts.rewrite(before, {}) == after
    hostile = "` `` ``` " * 100_000
    assert texts.rewrite(hostile, {}) == hostile
