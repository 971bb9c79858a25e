ALTER TABLE pipelines ADD COLUMN depth BIGINT DEFAULT 0 NOT NULL;

DROP TRIGGER event_counts_events_inserted ON events;

CREATE TRIGGER event_counts_events_inserted AFTER INSERT ON events FOR EACH ROW WHEN (NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted')) EXECUTE FUNCTION event_counts_events_inserted();
