"""One answer: asked for, shown while it comes, and what is said of it."""
