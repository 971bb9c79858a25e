"""Searches for branches and tags by parts of their names."""


def matches(name: str, search: str) -> bool:
    """Whether the name contains the text, in any case; `^` before the text: begins with it, `$` after it: ends with it."""
    name, wanted = name.casefold(), search.casefold()
    anchored, wanted = wanted.startswith("^"), wanted.removeprefix("^")
    closed, wanted = wanted.endswith("$"), wanted.removesuffix("$")
    if anchored and closed:
        return name == wanted
    if anchored:
        return name.startswith(wanted)
    return name.endswith(wanted) if closed else wanted in name
