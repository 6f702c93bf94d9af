"""The commands of the command line: each parses its words, calls the api, renders and chooses the exit code."""
