"""Shapes of models that people run, by the hyperparameters in their published headers."""

from specchat.speculative.footprint.rows import row_bytes
from specchat.speculative.footprint.shape import LayerShape, ModelShape

Q4_K, Q4_K_M, Q8_0 = (12, 12), (12, 14), (8, 8)
"""What ggml calls the types of most weights, and of those that have more bits."""
F32 = 4


def published(
    layers: int,
    embedding: int,
    hidden: int,
    heads: int,
    kv_heads: int,
    vocabulary: int,
    trained: int,
    *,
    head: int = 128,
    tied: bool = False,
    experts: int = 0,
    used: int = 0,
    kinds: tuple[int, int] = Q4_K_M,
) -> ModelShape:
    """A transformer, quantised to these `kinds`. With `experts`, each of these is `hidden` numbers wide."""
    usual, better = kinds

    def size(rows: int, width: int, kind: int = usual) -> int:
        row = row_bytes(kind, width)
        assert row is not None
        return rows * row

    def layer(place: int) -> LayerShape:
        """`use_more_bits` in llama-quant.cpp says which layers keep more of V and of what leads down."""
        more = place < layers // 8 or place >= 7 * layers // 8 or (place - layers // 8) % 3 == 2
        kind = better if more else usual
        attention = 2 * size(heads * head, embedding) + size(kv_heads * head, embedding)
        attention += size(kv_heads * head, embedding, kind)
        block = max(1, experts) * (2 * size(hidden, embedding) + size(embedding, hidden, kind))
        others = F32 * (2 * embedding + experts * embedding)
        width = kv_heads * head
        return LayerShape(
            weights=attention + block + others, experts=block if experts else 0, k_width=width, v_width=width
        )

    embeddings = size(vocabulary, embedding, better if tied else usual)
    output = F32 * embedding + (0 if tied else size(vocabulary, embedding, better))
    return ModelShape(
        layers=tuple(layer(place) for place in range(layers)),
        input_weights=embeddings,
        output_weights=output,
        tied=embeddings if tied else 0,
        embedding=embedding,
        hidden=max(1, used) * hidden,
        experts_out=used * embedding,
        queries=heads * head,
        heads=heads,
        experts=experts,
        used=used,
        vocabulary=vocabulary,
        trained_context=trained,
        parameters=0,
    )


LLAMA_70B = published(80, 8192, 28672, 64, 8, 128256, 131072)
LLAMA_8B = published(32, 4096, 14336, 32, 8, 128256, 131072)
LLAMA_1B = published(16, 2048, 8192, 32, 8, 128256, 131072, head=64, tied=True)
CODER_32B = published(64, 5120, 27648, 40, 8, 152064, 32768)
CODER_14B = published(48, 5120, 13824, 40, 8, 152064, 32768)
CODER_7B = published(28, 3584, 18944, 28, 4, 152064, 32768)
CODER_1_5B = published(28, 1536, 8960, 12, 2, 151936, 32768, tied=True)
CODER_0_5B = published(24, 896, 4864, 14, 2, 151936, 32768, head=64, tied=True, kinds=Q8_0)
QWEN3_30B_A3B = published(48, 2048, 768, 32, 4, 151936, 40960, experts=128, used=8)
MIXTRAL_8X7B = published(32, 4096, 14336, 32, 8, 32000, 32768, experts=8, used=2)
QWEN3_0_6B = published(28, 1024, 3072, 16, 8, 151936, 40960, tied=True, kinds=Q8_0)

SIZES = {
    "LLAMA_70B": 42.52e9,
    "LLAMA_8B": 4.92e9,
    "LLAMA_1B": 0.808e9,
    "CODER_32B": 19.85e9,
    "CODER_14B": 8.99e9,
    "CODER_7B": 4.68e9,
    "CODER_1_5B": 0.986e9,
    "CODER_0_5B": 0.531e9,
    "QWEN3_30B_A3B": 18.56e9,
    "QWEN3_0_6B": 0.639e9,
}
"""What the files have, their headers included."""
