"""`/api/v1`: for the owner's own programs (window, tray, bridge, command line). One module for each group of routes, all of them thin."""
