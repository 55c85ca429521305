"""How much memory models take, and where that is: numbers in, plans out."""
