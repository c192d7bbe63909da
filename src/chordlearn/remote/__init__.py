"""Work that may be done elsewhere: what workers are given, and the tasks that they run."""
