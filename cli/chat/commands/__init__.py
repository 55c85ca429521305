"""What can be typed in a chat with a slash before it."""
