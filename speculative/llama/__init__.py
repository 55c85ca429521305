"""llama.cpp, and everything that knows of it: no other folder imports llama_cpp."""
