"""Random chats on real llama.cpp, and what plain decoding in a new process says in their place."""
