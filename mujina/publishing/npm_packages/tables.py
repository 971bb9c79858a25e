"""The tags of npm packages."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text

package_tags = table(
    "package_tags",
    primary_key(),
    foreign_key("project_id", "projects"),
    foreign_key("package_id", "packages"),  # the version to which the tag points
    text("name"),  # of the package: each of its tags points to one version
    text("tag"),
    index("project_id", "name", "tag", unique=True),
    index("package_id"),
)
