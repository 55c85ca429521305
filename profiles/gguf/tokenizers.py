"""The kinds of tokenizers, by the name that a file gives its own."""

from dataclasses import dataclass

BPE = "byte-level BPE"


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """What llama.cpp calls it, and the tokens that it takes for BOS and EOS where a file does not say."""

    kind: str
    bos: int | None = None
    eos: int | None = None


TOKENIZERS = {
    "llama": Tokenizer("SentencePiece", bos=1, eos=2),
    "bert": Tokenizer("WordPiece", bos=101),
    "gpt2": Tokenizer(BPE, bos=11, eos=11),
    "hybriddna": Tokenizer(BPE, bos=11, eos=11),
    "whitespace": Tokenizer(BPE, bos=11, eos=11),
    "gemma4": Tokenizer(BPE),
    "t5": Tokenizer("Unigram", eos=1),
    "rwkv": Tokenizer("RWKV"),
    "plamo2": Tokenizer("PLaMo 2", bos=1, eos=2),
    "test": Tokenizer("test"),
}
NO_TOKENIZER = ("none", "no_vocab")
NO_BOS = ("chatglm-bpe", "glm4", "glm5")
"""The ways of splitting text before BPE under which no token is BOS unless the file names one."""
