"""The commands of `mithril`: each module has DESCRIPTION and add_arguments(parser)."""
