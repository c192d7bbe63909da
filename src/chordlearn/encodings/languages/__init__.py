"""The languages that a model can be written in, one file each."""
