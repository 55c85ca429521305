"""Which files of a repository are taken for a model."""

import pytest

from specchat.profiles.hub.choice import Choice, choose, model_files, quantisation_of
from specchat.profiles.sources import HubModel
from specchat.speculative.errors import ModelLoadError

REPO = "user/Model-GGUF"
USUAL = [
    ".gitattributes",
    "Model-BF16.gguf",
    "Model-F16.gguf",
    "Model-IQ4_XS.gguf",
    "Model-Q4_K_M.gguf",
    "Model-Q5_K_M.gguf",
    "Model-Q8_0.gguf",
    "README.md",
    "mmproj-Model-Q4_K_M.gguf",
]


def chosen(paths: list[str], **wanted: str) -> Choice:
    return choose(paths, HubModel(REPO, **wanted))


def error_of(paths: list[str], **wanted: str) -> tuple[str, str]:
    with pytest.raises(ModelLoadError) as error:
        chosen(paths, **wanted)
    return error.value.message, error.value.hint


def test_the_usual_quantisation_is_chosen_and_said():
    assert chosen(USUAL) == Choice(("Model-Q4_K_M.gguf",), "user/Model-GGUF: Q4_K_M, of 6 models in it.")
    assert chosen(USUAL, quant="latest") == chosen(USUAL)


def test_without_it_comes_q8_0_and_then_the_first():
    others = [path for path in USUAL if "Q4_K_M" not in path]
    assert chosen(others) == Choice(("Model-Q8_0.gguf",), "user/Model-GGUF: Q8_0, of 5 models in it.")
    others.remove("Model-Q8_0.gguf")
    assert chosen(others) == Choice(
        ("Model-BF16.gguf",), "user/Model-GGUF: BF16, the first of 4 models, for want of Q4_K_M and Q8_0."
    )
    assert chosen(["a.gguf"]) == Choice(("a.gguf",), "user/Model-GGUF: a.gguf, the only model in it.")


@pytest.mark.parametrize(
    "head",
    [
        "mmproj-F16.gguf",
        "Model.mmproj-Q8_0.gguf",
        "MMPROJ-Q4_K_M.gguf",
        "imatrix.gguf",
        "Model-imatrix-Q4_K_M.gguf",
        "mtp-Model-Q4_K_M.gguf",
        "sub/eagle3-Model-Q4_K_M.gguf",
        "dflash-Q4_K_M.gguf",
        "dspark-Q4_K_M.gguf",
    ],
)
def test_what_belongs_to_a_model_and_is_none_is_skipped_unless_named(head):
    assert chosen([head, "z-Q8_0.gguf"]).paths == ("z-Q8_0.gguf",)
    assert chosen([head, "z-Q8_0.gguf"], file=head).paths == (head,)
    assert error_of([head])[0] == "user/Model-GGUF has no GGUF file with a model."


@pytest.mark.parametrize("name", ["RWKV-Eagle-7B-Q8_0.gguf", "mtp-heads/Model-Q8_0.gguf"])
def test_a_model_whose_name_only_resembles_a_head_is_a_model(name):
    assert model_files([name]) == [name]


def test_a_quantisation_is_found_whole_and_in_any_case():
    assert chosen(USUAL, quant="F16").paths == ("Model-F16.gguf",)
    assert chosen(USUAL, quant="q5_k_m").paths == ("Model-Q5_K_M.gguf",)
    assert chosen(["m-UD-Q4_K_XL.gguf"], quant="Q4_K_XL").paths == ("m-UD-Q4_K_XL.gguf",)
    assert chosen(["m.i1-Q4_K_S.gguf"], quant="i1-q4_k_s").paths == ("m.i1-Q4_K_S.gguf",)
    assert chosen(["Q4_0_4_4.gguf", "Q4_0.gguf"], quant="Q4_0").paths == ("Q4_0.gguf",)


def test_a_missing_quantisation_names_those_that_are_there():
    assert error_of(USUAL, quant="Q4_K_N") == (
        "There is no Q4_K_N in user/Model-GGUF.",
        "Did you mean Q4_K_M? Known: BF16, F16, IQ4_XS, Q4_K_M, Q5_K_M, Q8_0.",
    )
    assert error_of(["m.gguf"], quant="Q8_0")[1] == "Its files are not named after quantisations."
    assert error_of(["BF16.gguf"], quant="F16")[0] == "There is no F16 in user/Model-GGUF."


def test_a_missing_file_names_the_nearest():
    message, hint = error_of(["sub/Model-Q8_0.gguf"], file="Model-Q8_0.gguf")
    assert message == "There is no Model-Q8_0.gguf in user/Model-GGUF."
    assert hint == "Did you mean user/Model-GGUF/sub/Model-Q8_0.gguf? Quantisations there: Q8_0."
    assert error_of(USUAL, file="model-q4.gguf")[1].startswith("Did you mean user/Model-GGUF/Model-Q4_K_M.gguf?")
    assert error_of(["README.md"], file="m.gguf")[1] == "Quantisations there: none."


def test_a_file_is_found_in_any_case_and_the_exact_name_wins():
    assert chosen(USUAL, file="model-q8_0.GGUF").paths == ("Model-Q8_0.gguf",)
    assert chosen(["A.gguf", "a.gguf"], file="a.gguf").paths == ("a.gguf",)


SPLIT = [f"Q8_0/Model-Q8_0-0000{index}-of-00003.gguf" for index in (1, 2, 3)]


@pytest.mark.parametrize("wanted", [{}, {"quant": "Q8_0"}, *({"file": part} for part in SPLIT)])
def test_of_a_split_model_all_parts_are_taken_and_the_first_comes_first(wanted):
    choice = chosen([*reversed(SPLIT), "Model-Q2_K.gguf"], **wanted)
    assert choice.paths == tuple(SPLIT)
    assert choice.reason.endswith(", in 3 parts.")


def test_a_split_model_counts_once():
    assert model_files([*SPLIT, "b.gguf"]) == [SPLIT[0], "b.gguf"]
    assert "of 2 models" in chosen([*SPLIT, "b.gguf"]).reason


def test_a_split_model_with_a_part_missing_is_refused():
    message, hint = error_of([SPLIT[0], SPLIT[2], "m-Q2_K.gguf"], quant="Q8_0")
    assert message == f"user/Model-GGUF has only 2 of the 3 parts of {SPLIT[0]}."
    assert hint == "Name another quantisation: Q8_0, Q2_K."


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("qwen2.5-coder-7b-instruct-q4_k_m-00001-of-00002.gguf", "Q4_K_M"),
        ("Llama-3.2-3B-Instruct-UD-IQ2_XXS.gguf", "UD-IQ2_XXS"),
        ("codellama-7b.Q5_0.gguf", "Q5_0"),
        ("gpt-oss-20b-mxfp4.gguf", "MXFP4"),
        ("qwen-fp16.gguf", "FP16"),
        ("bitnet-TQ2_0.gguf", "TQ2_0"),
        ("BF16/model.gguf", ""),
        ("qwen2.5-1.5b.gguf", ""),
    ],
)
def test_files_are_named_after_their_quantisation(path, name):
    assert quantisation_of(path) == name
