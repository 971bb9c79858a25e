"""Source code as rows of a table: numbers are links and are not copied with the text."""

from collections.abc import Sequence

from mujina.rendering.html import Html


def numbered(lines: Sequence[str], first: int = 1) -> Html:
    """The rows of these lines of HTML; `#L10` is the tenth."""
    return Html(
        "".join(
            f'<tr id="L{n}"><td class="n"><a href="#L{n}">{n}</a></td><td class="c">{line}\n</td></tr>'
            for n, line in enumerate(lines, first)
        )
    )
