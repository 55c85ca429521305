"""The commands of `specchat`, a file each, and what belongs to one of them alone."""
