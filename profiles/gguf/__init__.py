"""What the header of a GGUF file says, read without loading the model and without the rest of the file."""
