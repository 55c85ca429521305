"""The commands of `specchat`, a file each, and what belongs to one alone; bench, doctor and completion are packages."""
