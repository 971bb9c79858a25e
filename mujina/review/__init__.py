"""Review: merge requests, their versions, merging, and the issues they close."""
