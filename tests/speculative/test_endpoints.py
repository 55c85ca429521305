"""Where servers listen, and which devices are theirs."""

import pytest

from specchat.speculative.devices import Device, reached, taking_layers
from specchat.speculative.endpoints import check_endpoints, split_endpoint
from specchat.speculative.errors import UsageError

MAIN = Device("CPU", "main memory", 1, 1, "CPU")
FIRST, SECOND = Device("RPC0", "first:1", 1, 1, "GPU"), Device("RPC1", "second:1", 1, 1, "GPU")
CARD, SHARED = Device("CUDA0", "a card", 1, 1, "GPU"), Device("Vulkan0", "in the CPU", 1, 1, "IGPU")


def test_an_endpoint_is_a_host_and_a_port():
    assert split_endpoint("machine.local:50052") == ("machine.local", 50052)
    assert split_endpoint("10.0.0.7:1") == ("10.0.0.7", 1)


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ("", "does not say where"),
        ("machine", "does not say where"),
        (":50052", "does not say where"),
        ("machine:", "does not say where"),
        ("machine:x", "does not say where"),
        ("machine:٣", "does not say where"),
        ("a machine:1", "does not say where"),
        ("machine\n:1", "does not say where"),
        ("machine:0", "no port 0"),
        ("machine:65536", "no port 65536"),
        ("::1:50052", "IPv6"),
        ("[::1]:50052", "IPv6"),
    ],
)
def test_what_is_no_endpoint_is_refused_with_an_example(endpoint, words):
    with pytest.raises(UsageError, match=words) as error:
        split_endpoint(endpoint)
    assert error.value.hint


def test_a_server_is_named_once_and_there_are_few():
    with pytest.raises(UsageError, match="named twice"):
        check_endpoints(["a:1", "b:1", "a:1"])
    with pytest.raises(UsageError, match="17 servers"):
        check_endpoints([f"a:{port}" for port in range(1, 18)])
    check_endpoints([f"a:{port}" for port in range(1, 17)])


def test_servers_take_layers_before_the_cards_of_this_machine():
    assert taking_layers([MAIN, CARD, FIRST]) == (FIRST, CARD)


def test_a_server_does_not_keep_layers_from_a_gpu_that_shares_memory():
    assert taking_layers([MAIN, SHARED, FIRST]) == (FIRST, SHARED)
    assert taking_layers([MAIN, SHARED, CARD, FIRST]) == (FIRST, CARD)


def test_only_the_servers_that_are_named_are_reached():
    assert reached([MAIN, CARD, FIRST, SECOND], ["second:1"]) == (MAIN, CARD, SECOND)
    assert reached([MAIN, FIRST], []) == (MAIN,)
