"""The comparison of Minilab with other tools: see ../README.md."""
