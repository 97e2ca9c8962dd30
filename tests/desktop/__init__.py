"""The app as a program on a screen of its own, its tray seen over a private D-Bus."""
