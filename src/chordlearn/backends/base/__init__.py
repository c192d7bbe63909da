"""What every backend gets and gives: outcomes, the registry, tolerances, ties."""
