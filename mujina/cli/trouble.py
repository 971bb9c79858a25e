"""What keeps a verb from its work and is the operator's to mend."""


class Trouble(Exception):
    """The message is one sentence that says what is wrong and how to mend it."""
