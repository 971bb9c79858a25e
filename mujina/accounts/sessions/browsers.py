"""Names of browsers, as users recognize them: `Firefox on Linux`."""

# Browsers also send the names of those they descend from: the more specific name comes first.
_BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iPadOS",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}
_MAX_LENGTH = 40


def browser_name(user_agent: str) -> str:
    """The browser and its system, or the first words of an unknown user agent."""
    browser = next((name for mark, name in _BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in user_agent), "")
    if not browser:
        return user_agent[:_MAX_LENGTH] or "Unknown browser"
    return f"{browser} on {system}" if system else browser
