import pytest

from specchat.speculative.bench.cases import KINDS, QUICK_KINDS, cases_of, packaged_prompts


@pytest.mark.parametrize("number", [1, 2])
def test_each_set_has_a_prompt_of_every_kind(number):
    prompts = packaged_prompts(KINDS, number)
    assert [prompt.kind for prompt in prompts] == list(KINDS)
    assert all(len(prompt.text) > 60 for prompt in prompts)


def test_the_sets_share_no_prompt():
    texts = {prompt.text for number in (1, 2) for prompt in packaged_prompts(KINDS, number)}
    assert len(texts) == 2 * len(KINDS)


def test_the_long_ones_are_long():
    for number in (1, 2):
        long, edit = packaged_prompts(["summary", "edit"], number)
        assert len(long.text.split()) > 1100
        assert len(edit.text.splitlines()) > 90


def test_every_prompt_comes_at_every_temperature_once():
    cases = cases_of(packaged_prompts(QUICK_KINDS, 1), [0.0, 0.8, 0.0])
    assert [(case.prompt.kind, case.temperature) for case in cases[:3]] == [
        ("code", 0.0),
        ("code", 0.8),
        ("prose", 0.0),
    ]
    assert len(cases) == 2 * len(QUICK_KINDS)
