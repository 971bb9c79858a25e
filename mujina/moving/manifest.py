"""What this chapter adds to the product."""

from typing import Final

from mujina.kernel.product import Chapter

CHAPTER: Final = Chapter("mujina.moving")
