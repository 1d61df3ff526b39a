"""Packages: their functions exported, their own test suites interpreted."""
