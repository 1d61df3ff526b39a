"""What holds of the repository and of the front door: layering, documentation, catalogue, command line."""
