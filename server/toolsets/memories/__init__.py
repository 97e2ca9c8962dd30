"""The memories contract: parameters, rows, descriptions and handlers of its tools."""
