"""PTX text read as plain data; nothing here knows of a machine."""
