"""The model files that this machine already has, wherever another tool has put them."""
