"""People and their credentials through a published client of this API family."""

import io
import subprocess

import gitlab
import pytest
from gitlab.exceptions import (
    GitlabAuthenticationError,
    GitlabBlockError,
    GitlabCreateError,
    GitlabDeleteError,
    GitlabGetError,
    GitlabUpdateError,
)
from PIL import Image

ANN = {"email": "ann@example.org", "username": "ann", "name": "Ann", "password": "correct horse"}


@pytest.fixture
def ann(published):
    return published.users.create({**ANN, "skip_confirmation": True})


def test_people_are_created_saved_blocked_and_deleted(published, ann):
    for n in range(25):
        published.users.create({"email": f"{n}@example.org", "username": f"u{n}", "name": "U", "reset_password": True})
    assert len(list(published.users.list(iterator=True, per_page=5))) == 27
    ann.bio = "Digs."
    ann.save()
    assert published.users.get(ann.id).bio == "Digs."
    assert published.users.list(username="ANN")[0].id == ann.id
    assert ann.block() is True
    assert published.users.list(blocked=True)[0].id == ann.id
    assert ann.unblock() is True
    picture = io.BytesIO()
    Image.new("RGB", (20, 20)).save(picture, "PNG")
    ann.avatar = picture.getvalue()
    ann.save()
    assert published.users.get(ann.id).avatar_url.endswith("/avatar.png")
    ann.delete()
    with pytest.raises(GitlabGetError, match="404"):
        published.users.get(ann.id)


def test_refusals_arrive_as_the_clients_own_errors(published, ann):
    with pytest.raises(GitlabCreateError, match="409: Email has already been taken"):
        published.users.create({**ANN, "username": "other"})
    with pytest.raises(GitlabUpdateError, match="404: Username has already been taken"):
        published.users.update(ann.id, {"username": "root"})
    with pytest.raises(GitlabDeleteError, match="403"):
        published.users.delete(published.user.id)
    with pytest.raises(GitlabBlockError, match="403"):
        published.users.get(published.user.id).block()
    with pytest.raises(GitlabAuthenticationError, match="401"):
        gitlab.Gitlab(published.url, private_token="nobody's").auth()


def test_keys_addresses_and_tokens(published, ann, tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    text = (tmp_path / "key.pub").read_text()
    token = ann.impersonationtokens.create({"name": "Robot", "scopes": ["api"]})
    assert ann.impersonationtokens.list(state="active")[0].token == token.token
    hers = gitlab.Gitlab(published.url, private_token=token.token)
    hers.auth()
    assert hers.user.username == "ann"
    key = hers.user.keys.create({"title": "Laptop", "key": text})
    assert [each.title for each in ann.keys.list()] == ["Laptop"]
    assert published.keys.get(key.id).user["username"] == "ann"
    with pytest.raises(GitlabCreateError, match="has already been taken"):
        published.user.keys.create({"title": "Mine", "key": text})
    key.delete()
    email = hers.user.emails.create({"email": "ann@elsewhere.org"})
    assert [each.email for each in ann.emails.list()] == ["ann@elsewhere.org"]
    email.delete()
    with pytest.raises(GitlabCreateError, match="400"):
        hers.user.gpgkeys.create({"key": "no key"})
    token.delete()
    with pytest.raises(GitlabAuthenticationError, match="401"):
        hers.auth()


def test_settings_notifications_broadcasts_and_features(published):
    settings = published.settings.get()
    settings.signup_enabled = False
    settings.save()
    assert published.settings.get().signup_enabled is False
    wishes = published.notificationsettings.get()
    wishes.level = "watch"
    wishes.save()
    assert published.notificationsettings.get().level == "watch"
    message = published.broadcastmessages.create({"message": "Back soon"})
    message.font = "#000000"
    message.save()
    message.delete()
    assert published.features.set("new_den", True).state == "on"
    assert published.user_activities.list() == []
    assert published.get_license()["plan"] == "ultimate"
