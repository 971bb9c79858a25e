from tests.architecture.conftest import world

__all__ = ["world"]
