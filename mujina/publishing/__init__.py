"""Publishing: releases, and the packages that people and programs install."""
