"""Packages of projects, and their files. The file store has the content."""

from mujina.kernel.db.ddl import foreign_key, index, integer, kept_count, primary_key, table, text, timestamps

packages = table(
    "packages",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("package_type"),  # generic | npm | pypi
    text("name"),
    text("version"),
    text("status", default="default"),  # default | hidden
    foreign_key("creator_id", "users", null=True, on_delete="SET NULL"),
    text("last_downloaded_at", null=True),
    *timestamps(),
    text("yanked_reason", null=True),  # why it should not be installed any more; NULL: it may be installed
    index("project_id", "package_type", "name", "version", unique=True),
    index("name", where="package_type = 'npm'", name="ix_packages_npm_name"),
    index("project_id", "created_at", "id"),
    index("created_at", "id"),
    index("creator_id"),
)

kept_count("package_counts", [packages.c.project_id])
kept_count("package_name_counts", [packages.c.project_id, packages.c.package_type, packages.c.name])

package_files = table(
    "package_files",
    primary_key(),
    foreign_key("package_id", "packages"),
    foreign_key("project_id", "projects"),
    text("file_name"),
    integer("size"),  # bytes
    text("md5"),
    text("sha1"),
    text("sha256"),
    text("file"),  # name of the file in storage, never used twice
    *timestamps(),
    text("metadata", null=True),  # JSON: what programs that install it read before they download it
    index("package_id", "file_name", "id"),
    index("project_id", "id"),
    index("project_id", "sha256"),
    index("file", unique=True),
)
