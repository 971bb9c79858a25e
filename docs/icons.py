"""Makes the icon sprite of the pages from the npm package lucide-static: `python -m docs.icons FOLDER_OF_THE_PACKAGE`."""

import re
import sys
from pathlib import Path

STATIC = Path(__file__).parents[1] / "mujina" / "web" / "static"
NAMES = [
    "activity",
    "archive",
    "arrow-down",
    "arrow-left-right",
    "arrow-right",
    "arrow-up",
    "award",
    "ban",
    "bell",
    "bell-off",
    "book-open",
    "bot",
    "box",
    "calendar",
    "chart-column",
    "chart-gantt",
    "check",
    "chevron-down",
    "chevron-left",
    "chevron-right",
    "circle-alert",
    "circle-check",
    "circle-dashed",
    "circle-dot",
    "circle-x",
    "clipboard",
    "clock",
    "code",
    "compass",
    "copy",
    "download",
    "ellipsis",
    "external-link",
    "eye",
    "file",
    "file-diff",
    "file-key",
    "file-plus",
    "file-symlink",
    "file-text",
    "flag",
    "folder",
    "folder-git-2",
    "folder-plus",
    "funnel",
    "gauge",
    "git-branch",
    "git-commit-horizontal",
    "git-compare-arrows",
    "git-fork",
    "git-merge",
    "git-pull-request",
    "git-pull-request-closed",
    "git-pull-request-draft",
    "globe",
    "grip-vertical",
    "heart-pulse",
    "history",
    "house",
    "id-card",
    "image",
    "info",
    "key",
    "key-round",
    "layers",
    "layout-dashboard",
    "link",
    "list",
    "list-checks",
    "list-todo",
    "lock",
    "lock-open",
    "log-in",
    "log-out",
    "mail",
    "megaphone",
    "menu",
    "message-square",
    "message-square-plus",
    "milestone",
    "minus",
    "monitor",
    "moon",
    "move",
    "paperclip",
    "pause",
    "pencil",
    "play",
    "plus",
    "refresh-cw",
    "reply",
    "rocket",
    "rss",
    "scissors",
    "scroll-text",
    "search",
    "send",
    "server",
    "settings",
    "shield",
    "shield-check",
    "smile",
    "square-kanban",
    "star",
    "sun",
    "tag",
    "tags",
    "terminal",
    "thumbs-down",
    "thumbs-up",
    "trash-2",
    "triangle-alert",
    "undo-2",
    "upload",
    "user",
    "user-check",
    "user-plus",
    "users",
    "users-round",
    "webhook",
    "weight",
    "wrench",
    "x",
]
_BODY = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)


def main() -> None:
    """Write `icons.svg` and the license of the icons."""
    package = Path(sys.argv[1])
    symbols = [_symbol(name, (package / "icons" / f"{name}.svg").read_text()) for name in NAMES]
    sprite = '<svg xmlns="http://www.w3.org/2000/svg">\n' + "".join(symbols) + "</svg>\n"
    (STATIC / "icons.svg").write_text(sprite)
    (STATIC / "icons-LICENSE.txt").write_text((package / "LICENSE").read_text())
    print(f"{len(symbols)} icons, {len(sprite)} bytes")


def _symbol(name: str, picture: str) -> str:
    found = _BODY.search(picture)
    assert found is not None, name
    body = re.sub(r"\s*\n\s*", "", found[1]).replace(" />", "/>")
    # The class `i` of site.css draws lines: they inherit its stroke.
    return f'<symbol id="{name}" viewBox="0 0 24 24">{body}</symbol>\n'


if __name__ == "__main__":
    main()
