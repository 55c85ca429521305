"""What a loaded pair knows of where it computes and how fast it is."""

from specchat.speculative.devices import Device
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.backend import build_info, gpus, gpus_of
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.placement import placement


def device(kind: str, description: str) -> Device:
    return Device("", description, 0, 0, kind)


CPU, SHARED, CARD = device("CPU", "Small CPU"), device("IGPU", "Shared GPU"), device("GPU", "Card")


def test_models_are_put_on_cards_and_on_what_shares_the_memory_only_without_them():
    assert gpus_of([CPU, SHARED, CARD, CARD, device("", "BLAS")]) == ("Card", "Card")
    assert gpus_of([CPU, SHARED]) == ("Shared GPU",)
    assert gpus_of([CPU]) == ()


def test_what_is_no_gpu_has_its_kind():
    assert "CPU" in {each.kind for each in build_info().devices}


def test_a_pair_knows_where_its_target_is_and_its_speed_once_that_is_measured(tiny_model_path, tmp_path):
    config = PairConfig(target=tiny_model_path, draft="ngram", cache_folder=tmp_path)
    with load_pair(config, Interrupt()) as pair:
        assert pair.placement == placement(pair.target.n_layers, pair.target.n_layers, gpus() or ())
        assert pair.plain_speed is None
        pair.measure_costs()
        assert pair.plain_speed is not None
        assert pair.plain_speed > 1
    with load_pair(config, Interrupt()) as pair:
        assert pair.plain_speed is not None
