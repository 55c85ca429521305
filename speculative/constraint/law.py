"""How a token is chosen from logits: by the samplers, under a constraint if there is one.

The law: the constraint leaves of the truncated set, which is the same as without it, the tokens that are allowed, with
their probabilities in proportion. Only where it leaves none, the vocabulary is masked, and what is left truncated.
So the best allowed token is chosen at temperature 0; and a text that met the grammar unasked is the same text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..distribution import Drawable, TokenDistribution
from ..drafting import FORM, Guess, Offer
from ..errors import IncompleteError
from ..sampling import Logits, SamplerChain, lead
from .constraint import Constraint
from .matcher import Mask

_FEW = 64
"""Up to so many tokens are looked up one by one: that is less than a mask of the vocabulary costs."""
_SURE = 10.0
"""The lead, in nats, of a token beside which nothing is left."""


@dataclass(frozen=True, slots=True)
class Law:
    """The samplers, and what they may choose from."""

    chain: SamplerChain
    constraint: Constraint | None = None

    def distribution(self, logits: Logits, history: Sequence[int], path: Sequence[int]) -> Drawable:
        """The distribution behind `history`, the whole context, which ends with `path`, not yet settled tokens.

        `logits`, of shape (n,), may be the first of a vocabulary, and minus infinity for what is not to be chosen. What
        comes back is good until the next question.
        """
        whole = self.chain.distribution(logits, history)
        if self.constraint is None or self.constraint.ended(path):
            return whole
        return Constrained(self.chain, self.constraint, logits, history, path, whole)

    def offers(self) -> Sequence[Offer]:
        """What has to come behind the settled tokens, found out when it is asked for."""
        return () if self.constraint is None else (Offer(FORM, self.constraint.forced(())),)

    def forced(self, path: Sequence[int]) -> Sequence[Guess]:
        """What has to come behind the settled tokens and `path`."""
        return () if self.constraint is None else tuple(self.constraint.forced(path))

    def within(self, offer: Offer) -> Offer:
        """The offer without its guesses from the first on that may not come."""
        return offer if self.constraint is None else replace(offer, guesses=self.constraint.within(offer.guesses))

    def guess(self, logits: Logits, distribution: Drawable, token: int) -> Guess:
        """A guess of `token`, which was drawn from `distribution`."""
        if not isinstance(distribution, Constrained):
            drawn_from = distribution.exactly()
            return Guess(token, drawn_from, self.chain.lead(logits, drawn_from, token))
        narrowed = distribution.narrowed_lead(token)
        known = distribution.known
        return Guess(token, known, self.chain.lead(logits, known, token) if narrowed is None else narrowed)

    def lead(self, logits: Logits, distribution: Drawable, token: int) -> float:
        """How far the logit of `token` is above the best other one that is allowed as far as is known, in nats."""
        narrowed = distribution.narrowed_lead(token) if isinstance(distribution, Constrained) else None
        return lead(logits, token) if narrowed is None else narrowed


@dataclass(slots=True)
class Constrained:
    """A distribution under a constraint, which is hardly ever looked at as a whole: see `drawn`."""

    chain: SamplerChain
    constraint: Constraint
    logits: Logits
    history: Sequence[int]
    path: Sequence[int]
    whole: TokenDistribution
    """As it would be without the constraint."""
    _narrowed: TokenDistribution | None = None
    _mask: Mask | None = field(default=None, repr=False)

    def drawn(self, draw: Callable[[TokenDistribution], int]) -> int:
        """A token; raises `IncompleteError` where none is allowed.

        It is drawn from the whole, and again from what is allowed where it is not. That is an exact sample of the
        latter with new noise each time (rejection sampling, P(t) = p(t) + (1 - P) p(t) / P = p(t) / P for a share P
        that is allowed), and with the same noise as well, where the first of the allowed tokens by log p + g wins in
        either case. Usually it costs the question whether one token is allowed.
        """
        token = draw(self.whole)
        return token if self.constraint.allows(self.path, token) else draw(self.exactly())

    def exactly(self) -> TokenDistribution:
        """All of it; raises `IncompleteError` where nothing is allowed."""
        if self._narrowed is None:
            self._narrowed = self._kept() or self._truncated_anew()
        return self._narrowed

    @property
    def known(self) -> TokenDistribution:
        """As much of it as was needed so far."""
        return self._narrowed or self.whole

    def narrowed_lead(self, token: int) -> float | None:
        """The lead of `token` among allowed ones where it was found out which are; None where it was not."""
        if self._narrowed is None:
            return None
        if self._mask is not None:
            others = np.flatnonzero(self._mask)
            others = self.logits[others[others != token]]
            return min(_SURE, float(self.logits[token] - others.max())) if len(others) else _SURE
        if len(self._narrowed.tokens) == 1:
            return _SURE
        return min(_SURE, self.chain.lead(self.logits, self._narrowed, token))

    def _kept(self) -> TokenDistribution | None:
        """What the constraint leaves of the truncated set; None for nothing."""
        whole = self.whole
        if len(whole.tokens) <= _FEW:
            kept = np.array([self.constraint.allows(self.path, token) for token in whole.tokens.tolist()])
        else:
            kept = self._allowed()[whole.tokens]
        kept &= whole.logprobs > -np.inf
        return TokenDistribution.from_logits(whole.tokens[kept], whole.logprobs[kept]) if kept.any() else None

    def _truncated_anew(self) -> TokenDistribution:
        masked = np.where(self._allowed(), self.logits, np.float32(-np.inf))
        if masked.max() == -np.inf:
            raise IncompleteError(
                "The model has no token that the grammar allows here.",
                "Look for what the grammar asks for at this place.",
            )
        whole = self.chain.distribution(masked, self.history)
        kept = whole.logprobs > -np.inf
        return TokenDistribution(whole.tokens[kept], whole.logprobs[kept])

    def _allowed(self) -> Mask:
        if self._mask is None:
            self._mask = self.constraint.mask(self.path)[: len(self.logits)]
        return self._mask
