"""The page that `outlast report` writes."""
