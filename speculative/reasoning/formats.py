"""How families of models write reasoning.

The `marks` of a format are the texts by which it is told apart, which may be control tokens. A model that uses it has
one of its `signs` in its template or among its tokens.
"""

from .harmony import Harmony
from .tags import Tags

ReasoningFormat = Tags | Harmony

FORMATS: tuple[ReasoningFormat, ...] = (
    Harmony(),  # gpt-oss
    Tags("<think>", "</think>"),  # Qwen3, QwQ, DeepSeek-R1, GLM, SmolLM3, MiniMax, Nemotron, Hunyuan, …
    Tags("[THINK]", "[/THINK]"),  # Magistral
    Tags("<seed:think>", "</seed:think>"),  # Seed-OSS
    Tags("<thought>", "</thought>"),  # EXAONE Deep
    Tags("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A Reasoning
    Tags("<|channel>thought", "<channel|>"),  # Gemma 4
    Tags("<|inner_prefix|>", "<|inner_suffix|>"),  # Apertus
    Tags("◁think▷", "◁/think▷"),  # Kimi-VL
    Tags("Here is my thought process:", "Here is my response:"),  # Granite 3
)
"""In the order in which they are looked for."""
