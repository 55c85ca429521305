"""Tokens that llama.cpp knows by their texts, whatever their file says of them."""

ENDS = frozenset(
    (
        "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>",
        "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>",
        "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~[",
    )
)  # fmt: skip
"""They end a generation, and are control tokens."""
TURN_ENDS = (
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>", "<EOT>", "_<EOT>",
    "[EOT]", "<｜end▁of▁sentence｜>", "<end_of_utterance>",
)  # fmt: skip
"""One of them is the EOT where a file names none."""
INFILL = {
    "fim_pre": (
        "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>", "<|code_prefix|>",
        "<|prefix|>",
    ),
    "fim_suf": (
        "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>",
        "<|suffix|>",
    ),
    "fim_mid": (
        "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>",
        "<|middle|>",
    ),
    "fim_pad": ("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
    "fim_rep": ("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
    "fim_sep": ("<|file_sep|>",),
}  # fmt: skip
"""For each token of filling in the middle: where a file names none, one of these is it, and a control token."""
INFILL_ENDS = ("fim_pad", "fim_rep", "fim_sep")
"""Those of them that also end a generation."""
OLD_NAMES = {"fim_pre": "prefix", "fim_suf": "suffix", "fim_mid": "middle"}
SHOWN = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")
"""Never control tokens."""
END, STRIKE = "<|end|>", "</s>"
CALLS = (("<|return|>", "<|call|>"), ("<|return|>", "<|calls|>"), ("<|call|>", "<|flush|>"), ("<|calls|>", "<|flush|>"))
"""Where both of a pair end a generation, `END` is text."""
PLAIN_STRIKE = ("<|tool_response>", "<|plamo:eos|>")
"""Where one of them ends a generation, `STRIKE` is."""
