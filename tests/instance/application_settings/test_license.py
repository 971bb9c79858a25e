from tests.harness.cases import Case, cases

AT = "POST /license"
KEY = {"license": "a key"}


@cases(
    [
        Case("root", AT, 400, {"message": "The license key is invalid."}, KEY, events=[]),
        Case("root", AT, 400, params={}),
        Case("owner", AT, 403, params=KEY),
        Case("anonymous", AT, 401, params=KEY),
    ]
)
def test_no_license_key_is_valid(case, cast):
    case.holds(cast)
