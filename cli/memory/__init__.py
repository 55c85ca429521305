"""How models fit the memory of this machine, for those who ask and those who load."""
