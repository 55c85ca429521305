"""What decides how much memory a model takes, as its file says it."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerShape:
    """One layer: its `weights` and recurrent `state` in bytes, the numbers that a token leaves in its K and V caches.

    Of the weights, so many bytes are those of `experts`. One that is `windowed` looks back over the window of its model
    only.
    """

    weights: int
    experts: int = 0
    k_width: int = 0
    v_width: int = 0
    state: int = 0
    windowed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """A model as a whole: layers, and the bytes of weights outside of them.

    `input_weights` always stay in main memory. The `output_weights` count as one more layer. Where the file has no
    such, `tied` are the bytes of the embeddings that take their place: a device gets a copy of them. `window` is that
    of windowed layers, in tokens. The widths are numbers that a token has at the widest places of its way: its
    `embedding`, the `hidden` ones of a feed-forward block, those of its `experts_out`, and of its queries; `heads` are
    of a layer. Of the `experts` of one, a token goes through those that are `used`. Recurrent states are kept with so
    many `snapshots` of them, if passes are long enough. Its positions are scaled to reach over `scaled_context` tokens,
    if that is more than it was trained on. Where llama.cpp is known to keep more than is said here, the
    shape is not `complete`.
    """

    layers: tuple[LayerShape, ...]
    input_weights: int
    output_weights: int
    tied: int = 0
    window: int = 0
    embedding: int
    hidden: int
    experts_out: int = 0
    queries: int = 0
    heads: int = 0
    experts: int = 0
    used: int = 0
    vocabulary: int
    trained_context: int
    scaled_context: int = 0
    parameters: int
    snapshots: int = 0
    complete: bool = True

    @property
    def weights(self) -> int:
        """The bytes of all weights."""
        return self.input_weights + self.output_weights + sum(layer.weights for layer in self.layers)

    @property
    def usable_context(self) -> int:
        """The tokens of the longest context that it was made for."""
        return max(self.trained_context, self.scaled_context)

    def weighing(self, size: int) -> "ModelShape":
        """The same model in another quantisation, whose weights take `size` bytes."""
        share = size / self.weights
        return replace(
            self,
            layers=tuple(
                replace(layer, weights=round(layer.weights * share), experts=round(layer.experts * share))
                for layer in self.layers
            ),
            input_weights=round(self.input_weights * share),
            output_weights=round(self.output_weights * share),
            tied=round(self.tied * share),
        )
