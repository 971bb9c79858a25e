"""GET /metadata: the version, as today's clients ask for it."""


def test_the_metadata_have_the_version_of_the_api(cast):
    version, metadata = cast.read_user.get("/version").json, cast.read_user.get("/metadata").json
    assert metadata == {
        **version,
        "kas": {"enabled": False, "externalUrl": None, "externalK8sProxyUrl": None, "version": None},
        "enterprise": True,
    }
    assert cast.anonymous.get("/metadata").status == 401
