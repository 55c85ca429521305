"""What servers are asked when a pass has a length that is new to them."""

from ..model import LlamaModel


def meet_shapes(model: LlamaModel) -> None:
    """Have the servers of a model see passes of all lengths that drafting uses; its cache is empty afterwards.

    At the first pass of a length llama.cpp asks them for the sizes of what it computes, one round trip after the other
    (`ggml_backend_rpc_buffer_type_get_alloc_size`): no part of what such a pass costs from then on.
    """
    longest = min(model.max_rows, model.n_batch, model.n_ctx)
    token = model.vocabulary.eos or 0
    for length in range(2, longest + 1):
        model.rollback(0)
        model.decode([token] * length, length)
    model.rollback(0)
