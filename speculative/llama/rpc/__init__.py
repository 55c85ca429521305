"""Models whose layers are on other machines, through llama.cpp's RPC backend and its server."""
