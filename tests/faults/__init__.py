"""Faults: what is around the parser breaks, stops, or comes at the wrong moment."""
