CREATE STATISTICS st_issue_texts_length ON (length(title_folded || chr(10) || description_folded)) FROM issue_texts;

CREATE STATISTICS st_note_texts_length ON (length(body_folded)) FROM note_texts;

CREATE STATISTICS st_merge_request_texts_length ON (length(title_folded || chr(10) || description_folded)) FROM merge_request_texts;

CREATE STATISTICS st_project_texts_length ON (length(name_folded || chr(10) || path_folded || chr(10) || description_folded)) FROM project_texts;

