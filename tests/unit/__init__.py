"""Tests of each room, in folders named as the sources' folders are."""
