"""Measurements that take real models and a quiet machine: no tests, nothing is installed."""
