"""What the operating system gives: files, processes, signals, memory, text for terminals."""
