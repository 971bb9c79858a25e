"""The form of an application of the instance."""

from mujina.accounts.oauth.params import NewApplication


class NewInstanceApplication(NewApplication):
    trusted: bool = False
