"""What Tab completes in a shell: commands and options as Typer knows them, and values."""
