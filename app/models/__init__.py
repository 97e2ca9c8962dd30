"""Item models and observable state. QtCore only; the windows bind to them."""
