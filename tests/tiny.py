"""Tiny random models in GGUF files, written in milliseconds: real llama.cpp with nothing to download."""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import gguf
import numpy as np
from numpy.typing import NDArray

from specchat.speculative.messages import Message

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
INSTRUCT = (
    "{{ bos_token }}{% for message in messages %}{% if message.role == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% elif message.role == 'user' %}"
    "[INST] {{ message.content | trim }} [/INST]{% else %} {{ message.content }}{{ eos_token }}{% endif %}{% endfor %}"
)
"""In the way of Mistral and Gemma: writes the BOS, knows no system role, trims what it is given."""

_WORDS = ("Ġt", "he", "Ġthe", "Ġa", "in", "on", "Ċ Ċ", "er", "user", "Ġ Ġ")
_SPM_WORDS = ("▁t", "he", "▁the", "</", "</s", "to", "<t")


Architecture = Literal["llama", "mamba", "jamba", "lfm2", "gemma2"]
"""Attention; a recurrent state; both, without and with snapshots of it in llama.cpp; attention to a sliding window."""


@dataclass(frozen=True, kw_only=True)
class TinyModel:
    """What to write. Models of one seed are equal, save for `noise` times the weights of another seed.

    The even layers of a hybrid are recurrent, the others attend. `window` is the number of tokens that every other
    layer of gemma2 attends to.

    A vocabulary of the tokenizer "bpe" has more `control` tokens if they are given.
    """

    architecture: Architecture = "llama"
    name: str = "Tiny"
    tokenizer: Literal["bpe", "spm"] = "bpe"
    n_vocab: int = 300
    altered: tuple[int, str] | None = None
    seed: int = 0
    noise: float = 0.0
    layers: int = 2
    width: int = 64
    experts: int = 0
    window: int = 64
    n_ctx: int = 1024
    template: str | None = CHATML
    adds_bos: bool = False
    control: tuple[str, ...] = ()
    metadata: dict[str, int | str] = field(default_factory=dict, hash=False)


def write_tiny(path: Path, model: TinyModel) -> Path:
    """Write the model and return its path."""
    logging.getLogger("gguf").setLevel(logging.WARNING)
    writer = gguf.GGUFWriter(path, model.architecture)
    _write_shape(writer, model)
    (_write_bpe if model.tokenizer == "bpe" else _write_spm)(writer, model)
    if model.template is not None:
        writer.add_chat_template(model.template)
    for key, value in model.metadata.items():
        (writer.add_string if isinstance(value, str) else writer.add_uint32)(key, value)
    for name, weights in _weights(_shapes(model), model).items():
        writer.add_tensor(name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _write_shape(writer: gguf.GGUFWriter, model: TinyModel) -> None:
    writer.add_name(model.name)
    writer.add_context_length(model.n_ctx)
    writer.add_embedding_length(model.width)
    writer.add_block_count(model.layers)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(model.n_vocab)
    writer.add_feed_forward_length(0 if model.architecture == "mamba" else 2 * model.width)
    writer.add_head_count(0 if model.architecture == "mamba" else 2)
    if model.architecture in ("jamba", "lfm2"):
        writer.add_head_count_kv([layer % 2 for layer in range(model.layers)])  # 0 marks a recurrent layer
    elif model.architecture != "mamba":
        writer.add_head_count_kv(1)
        writer.add_rope_dimension_count(model.width // 2)
    if model.experts:
        writer.add_expert_count(model.experts)
        writer.add_expert_used_count(2)
    if model.architecture == "gemma2":
        writer.add_sliding_window(model.window)
    if model.architecture == "lfm2":
        writer.add_shortconv_l_cache(3)
    if model.architecture in ("mamba", "jamba"):
        writer.add_ssm_conv_kernel(4)
        writer.add_ssm_inner_size(2 * model.width)
        writer.add_ssm_state_size(8)
        writer.add_ssm_time_step_rank(8)


def _write_bpe(writer: gguf.GGUFWriter, model: TinyModel) -> None:
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    vocabulary = [(character, normal) for character in _byte_characters()]
    vocabulary += [(word.replace(" ", ""), normal) for word in _WORDS]
    special = ("<|endoftext|>", control), ("<|im_start|>", control), ("<|im_end|>", control)
    user_defined = ("<tool_call>", gguf.TokenType.USER_DEFINED), ("    ", gguf.TokenType.USER_DEFINED)
    vocabulary += [*special, *user_defined, ("</s>", normal), *((text, control) for text in model.control)]
    merges = ["Ġ t", "h e", "Ġt he", "Ġ a", "i n", "o n", "Ċ Ċ", "e r", "u s", "us er", "Ġ Ġ"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    _write_tokens(writer, model, vocabulary)
    writer.add_token_merges(merges)
    ids = {text: token for token, (text, _) in enumerate(vocabulary)}
    writer.add_bos_token_id(ids["<|endoftext|>"])
    writer.add_eos_token_id(ids["<|endoftext|>"])
    writer.add_add_bos_token(model.adds_bos)


def _write_spm(writer: gguf.GGUFWriter, model: TinyModel) -> None:
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    vocabulary = [("<unk>", gguf.TokenType.UNKNOWN), ("<s>", control), ("</s>", control)]
    vocabulary += [(f"<0x{byte:02X}>", gguf.TokenType.BYTE) for byte in range(256)]
    vocabulary += [(word, normal) for word in ("▁", *"abehilnorstu<>/", *_SPM_WORDS)]
    vocabulary += [("<tool>", gguf.TokenType.USER_DEFINED), ("<|endoftext|>", control), ("<|end|>", control)]
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    _write_tokens(writer, model, vocabulary)
    writer.add_token_scores([-float(token) for token in range(model.n_vocab)])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(model.adds_bos)


def _write_tokens(writer: gguf.GGUFWriter, model: TinyModel, vocabulary: list[tuple[str, gguf.TokenType]]) -> None:
    padding = [(f"[PAD{token}]", gguf.TokenType.UNUSED) for token in range(len(vocabulary), model.n_vocab)]
    texts = [text for text, _ in vocabulary + padding]
    if model.altered is not None:
        token, text = model.altered
        texts[token] = text
    writer.add_token_list(texts)
    writer.add_token_types([kind for _, kind in vocabulary + padding])


def _byte_characters() -> list[str]:
    """GPT-2's characters for the 256 bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte) for byte in printable] + [chr(256 + place) for place in range(len(others))]


Shapes = dict[str, tuple[int, ...]]


def _shapes(model: TinyModel) -> Shapes:
    width = model.width
    shapes: Shapes = {"token_embd.weight": (model.n_vocab, width)}
    if model.architecture != "gemma2":
        shapes["output.weight"] = (model.n_vocab, width)
    shapes["token_embd_norm.weight" if model.architecture == "lfm2" else "output_norm.weight"] = (width,)
    for layer in range(model.layers):
        name = f"blk.{layer}"
        shapes[f"{name}.attn_norm.weight"] = (width,)
        shapes |= _mixer(name, model, layer)
        if model.architecture != "mamba":
            shapes[f"{name}.ffn_norm.weight"] = (width,)
            shapes |= _feed_forward(f"{name}.ffn", width, 2 * width, model.experts)
        if model.architecture == "gemma2":
            shapes |= {f"{name}.post_attention_norm.weight": (width,), f"{name}.post_ffw_norm.weight": (width,)}
    return shapes


def _mixer(name: str, model: TinyModel, layer: int) -> Shapes:
    """What looks at other tokens in a layer."""
    width = model.width
    if model.architecture == "mamba" or (model.architecture == "jamba" and layer % 2 == 0):
        return _mamba(name, width, norms=model.architecture == "jamba")
    if model.architecture == "lfm2" and layer % 2 == 0:
        return {
            f"{name}.shortconv.conv.weight": (width, 3),
            f"{name}.shortconv.in_proj.weight": (3 * width, width),
            f"{name}.shortconv.out_proj.weight": (width, width),
        }
    shapes: Shapes = {
        f"{name}.attn_q.weight": (width, width),
        f"{name}.attn_k.weight": (width // 2, width),
        f"{name}.attn_v.weight": (width // 2, width),
        f"{name}.attn_output.weight": (width, width),
    }
    if model.architecture == "lfm2":
        shapes |= {f"{name}.attn_q_norm.weight": (width // 2,), f"{name}.attn_k_norm.weight": (width // 2,)}
    return shapes


def _feed_forward(name: str, width: int, hidden: int, experts: int) -> Shapes:
    shapes: Shapes = {"gate": (hidden, width), "up": (hidden, width), "down": (width, hidden)}
    if not experts:
        return {f"{name}_{part}.weight": shape for part, shape in shapes.items()}
    router: Shapes = {f"{name}_gate_inp.weight": (experts, width)}
    return router | {f"{name}_{part}_exps.weight": (experts, *shape) for part, shape in shapes.items()}


def _mamba(name: str, width: int, norms: bool) -> Shapes:
    inner = 2 * width
    shapes: Shapes = {
        f"{name}.ssm_in.weight": (2 * inner, width),
        f"{name}.ssm_conv1d.weight": (inner, 4),
        f"{name}.ssm_conv1d.bias": (inner,),
        f"{name}.ssm_x.weight": (8 + 2 * 8, inner),
        f"{name}.ssm_dt.weight": (inner, 8),
        f"{name}.ssm_dt.bias": (inner,),
        f"{name}.ssm_a": (inner, 8),
        f"{name}.ssm_d": (inner,),
        f"{name}.ssm_out.weight": (width, inner),
    }
    return shapes | ({f"{name}.ssm_{part}_norm.weight": (8,) for part in ("dt", "b", "c")} if norms else {})


def _weights(shapes: Shapes, model: TinyModel) -> dict[str, NDArray[np.float32]]:
    own, other = np.random.default_rng(model.seed), np.random.default_rng(model.seed + 1000)
    weights = {}
    for name, shape in shapes.items():
        values = own.standard_normal(shape) + model.noise * other.standard_normal(shape)
        weights[name] = _scaled(name, values, model).astype(np.float32)
    return weights


def _scaled(name: str, values: NDArray[np.float64], model: TinyModel) -> NDArray[np.float64]:
    """Weights that keep activations near 1, and logits spread enough for some tokens to be likely."""
    if "norm" in name:
        return 1 + 0.1 * values
    if name.endswith("ssm_a"):
        return -np.abs(values) - 0.1
    if values.ndim == 1:
        return 0.1 * values
    spread = 2.5 if name == ("token_embd.weight" if model.architecture == "gemma2" else "output.weight") else 1.0
    return spread * values / np.sqrt(values.shape[-1])


def user(text: str) -> list[Message]:
    """A chat of one message."""
    return [Message("user", text)]
