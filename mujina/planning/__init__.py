"""Planning and discussion: issues, labels, milestones, boards, notes, awards, to-dos, references, uploads."""
