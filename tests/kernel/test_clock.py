"""Times and days are read as programs print them."""

import pytest

from mujina.kernel import clock
from mujina.kernel.params import BadValue, read_timestamp

TEN = "2018-01-02T10:00:00.000Z"


@pytest.mark.parametrize(
    "text",
    [
        "2018-01-02T10:00:00Z", "2018-01-02T10:00:00.000999Z", "2018-01-02 10:00", "20180102T100000Z",
        "2018-01-02T15:30:00+05:30", "2018-01-02 10:00:00 UTC", "2018-01-02 11:00:00 +0100",
        "Tue, 02 Jan 2018 10:00:00 GMT", "Tue, 02 Jan 2018 05:00:00 -0500", "Tuesday, 02-Jan-18 10:00:00 GMT",
        "Tue Jan  2 10:00:00 2018",
    ],
)  # fmt: skip
def test_an_instant_has_many_forms(text):
    assert clock.read_instant(text) == TEN


@pytest.mark.parametrize("text", ["2018-01-02", "2018-01-02T00:30:00+05:30", "2018-01-02 23:30:00 -0800", "20180102"])
def test_a_day_is_the_one_that_is_written(text):
    assert clock.read_day(text) == "2018-01-02"


@pytest.mark.parametrize(
    "text",
    [
        "", "0", "soon", "UTC", "2018-02-30", "2018-01-02T05:30:00 05:30", "Tue Jan 02 2018 10:00:00 GMT+0100 (CET)",
        "Tue, 02 Jan 2018 10:00:00 here", "1 Jan 99999999999 1:01", "Fri, 31 Dec 9999 23:59:59 -2300",
        "0001-01-01T00:00:00+14:00",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text):
    with pytest.raises(BadValue):
        read_timestamp(text)
