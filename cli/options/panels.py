"""The titles of the groups of options in `--help`."""

MODELS, PROMPT, ANSWER, SAMPLING = "Models", "Prompt", "Answer", "Sampling"
DRAFTING, MACHINE, OUTPUT = "Drafting", "Machine", "Output"
