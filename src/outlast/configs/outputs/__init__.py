"""Configurations that software itself reads, written from the values of components; docs/catalogue.md says which part of a kind goes where."""
