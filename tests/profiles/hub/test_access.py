"""Each way in which a hub says no, as a person reads it, with the exit code."""

import socket
from dataclasses import replace

import pytest
from httpx2 import ConnectError, ProxyError

from specchat.profiles.hub.bytes_source import HubBytes
from specchat.profiles.hub.client import hub_of
from specchat.profiles.hub.download import download
from specchat.profiles.hub.network import no_answer, no_hub

from ...hub.faults import ALWAYS, Fault
from .support import DATA, Watch, file_of, hub_at, no_home, told

NO_SUM = b'{"id": "user/open", "sha": "%s", "siblings": [{"rfilename": "model.gguf", "size": 7}]}' % (b"0" * 40)
"""A listing whose file could not be verified."""


@pytest.fixture
def stock(standin):
    """A hub with repositories of each kind; the token hf_good may read all of them."""
    good = frozenset({"hf_good"})
    standin.add("user/open", {"model.gguf": DATA})
    standin.add("user/gated", {"model.gguf": DATA}, gated=True, tokens=good)
    standin.add("user/private", {"model.gguf": DATA}, private=True, tokens=good)
    return standin


def listing(stock, tmp_path, repo, revision="main", **settings):
    hub = hub_at(stock.endpoint, tmp_path, **settings)
    return told(lambda: hub.files(repo, revision), (hub.name, "HUB"), (str(tmp_path), "~"))


def fetching(stock, tmp_path, repo, **settings):
    hub = hub_at(stock.endpoint, tmp_path, **settings)
    file = file_of(hub, repo)
    return told(lambda: download(hub, [file], Watch()), (hub.name, "HUB"), (str(tmp_path), "~"))


def test_a_repository_that_is_not_there(stock, tmp_path):
    text = (
        "error: HUB has no repository user/absent, or it is private.\n"
        "hint: Check the name at http://HUB/models. A private one takes a token: hf auth login\n"
        "exit code 4\n"
    )
    assert listing(stock, tmp_path, "user/absent") == text
    assert listing(stock, tmp_path, "user/private") == text.replace("absent", "private")
    stock.inject(Fault("/api/", status=401, headers={"X-Error-Message": "Invalid username or password."}))
    assert listing(stock, tmp_path, "user/absent") == text


def test_a_repository_that_the_token_does_not_open(stock, tmp_path):
    assert listing(stock, tmp_path, "user/private", token="hf_other") == (
        "error: HUB has no repository user/private, or it is private and closed to the token from HF_TOKEN.\n"
        "hint: Check the name at http://HUB/models. "
        "For another account set HF_TOKEN to its token, or unset it and type: hf auth login\n"
        "exit code 4\n"
    )


def test_a_gated_repository_without_a_token(stock, tmp_path):
    assert fetching(stock, tmp_path, "user/gated") == (
        "error: user/gated is gated: its licence has to be accepted by somebody who is logged in.\n"
        "hint: Accept it at http://HUB/user/gated, then type: hf auth login\n"
        "exit code 4\n"
    )


def test_a_gated_repository_with_a_token_that_is_refused(stock, tmp_path):
    (tmp_path / "token").write_text("hf_other\n")
    assert fetching(stock, tmp_path, "user/gated") == (
        "error: user/gated is gated, and the token from ~/token has no access to it.\n"
        "hint: Accept the licence at http://HUB/user/gated with that account. "
        "For another account type: hf auth login\n"
        "exit code 4\n"
    )


def test_a_gated_repository_with_the_right_token(stock, tmp_path):
    hub = hub_at(stock.endpoint, tmp_path, token="hf_good")
    file = file_of(hub, "user/gated")
    assert HubBytes(hub, file).read(10, 5) == DATA[10:15]
    assert download(hub, [file], Watch())[0].read_bytes() == DATA


def test_a_token_that_nobody_knows(stock, tmp_path):
    headers = {"X-Error-Message": "Invalid credentials in Authorization header"}
    stock.inject(Fault("/api/", status=401, headers=headers))
    assert listing(stock, tmp_path, "user/open", token="hf_old") == (
        "error: HUB refuses the token from HF_TOKEN.\n"
        "hint: For another account set HF_TOKEN to its token, or unset it and type: hf auth login\n"
        "exit code 4\n"
    )


def test_a_token_that_may_not_do_enough(stock, tmp_path):
    stock.inject(Fault("/api/", status=403, headers={"X-Error-Message": "Enable access to gated repositories."}))
    assert listing(stock, tmp_path, "user/open", token="hf_fine") == (
        "error: HUB does not give user/open away: Enable access to gated repositories.\n"
        "hint: For another account set HF_TOKEN to its token, or unset it and type: hf auth login\n"
        "exit code 4\n"
    )


def test_a_token_is_never_shown(stock, tmp_path):
    hub = hub_at(stock.endpoint, tmp_path, token="hf_secret")
    assert "hf_secret" not in repr(hub)
    for status in (400, 401, 403, 404, 418, 429, 500):
        stock.faults.clear()
        stock.inject(Fault("/api/", status=status, times=ALWAYS))
        assert "hf_secret" not in listing(stock, tmp_path, "user/open", token="hf_secret")


def test_a_mirror_that_only_says_404(stock, tmp_path):
    stock.inject(Fault("/api/", status=404))
    assert listing(stock, tmp_path, "user/open").startswith("error: HUB has no repository user/open, or it is private.")


def test_a_revision_that_is_not_there(stock, tmp_path):
    assert listing(stock, tmp_path, "user/open", "v2") == (
        "error: user/open has no such revision.\n"
        "hint: See http://HUB/user/open for those that there are.\n"
        "exit code 4\n"
    )


def test_a_file_that_is_gone(stock, tmp_path):
    headers = {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
    stock.inject(Fault("/resolve/", status=404, headers=headers))
    assert fetching(stock, tmp_path, "user/open") == (
        "error: user/open has no file model.gguf.\n"
        "hint: See http://HUB/user/open for those that there are.\n"
        "exit code 4\n"
    )


def test_a_repository_that_was_taken_down(stock, tmp_path):
    stock.inject(Fault("/api/", status=403, headers={"X-Error-Message": "Access to this resource is disabled."}))
    assert listing(stock, tmp_path, "user/open") == (
        "error: HUB has closed user/open for everybody.\nhint: See http://HUB/user/open for the reason.\nexit code 4\n"
    )


def test_too_many_requests(stock, tmp_path):
    stock.inject(Fault("/api/", status=429, headers={"Retry-After": "300"}))
    assert listing(stock, tmp_path, "user/open") == (
        "error: HUB was asked too often and wants a pause.\n"
        "hint: Type the command again in 300 seconds; who is logged in may ask more often: hf auth login.\n"
        "exit code 5\n"
    )


def test_too_many_requests_as_the_real_hub_counts_them(stock, tmp_path):
    headers = {"RateLimit": '"api";r=0;t=120', "RateLimit-Policy": '"fixed window";"api";q=500;w=300'}
    stock.inject(Fault("/api/", status=429, headers=headers))
    assert "again in 120 seconds" in listing(stock, tmp_path, "user/open", token="hf_good")


@pytest.mark.parametrize("body", [b"[]", b"\xff", b"null", b"<html>", b'{"error": 7}'])
@pytest.mark.parametrize("status", [304, 400, 403, 404, 500])
def test_whatever_comes_with_a_refusal_is_no_trouble(stock, tmp_path, status, body):
    stock.inject(Fault("/api/", status=status, body=body, times=ALWAYS))
    assert listing(stock, tmp_path, "user/open").startswith("error: ")
    stock.faults.clear()
    hub = hub_at(stock.endpoint, tmp_path)
    file = file_of(hub, "user/open")
    stock.inject(Fault("/resolve/", status=status, body=body, times=ALWAYS))
    assert told(lambda: HubBytes(hub, file).read(0, 4)).startswith("error: ")


def test_a_hub_in_trouble(stock, tmp_path):
    stock.inject(Fault("/api/", status=503, times=ALWAYS))
    assert listing(stock, tmp_path, "user/open") == (
        "error: HUB has trouble of its own: it answers 503.\nhint: Try again in some minutes.\nexit code 5\n"
    )


def test_a_file_that_is_shorter_than_listed(stock, tmp_path):
    stock.inject(Fault("/cdn/", status=416, times=ALWAYS))
    assert fetching(stock, tmp_path, "user/open") == (
        "error: model.gguf is shorter at localhost than the hub lists it.\n"
        "hint: Try again in some minutes.\n"
        "exit code 5\n"
    )


def test_a_host_of_the_files_that_refuses(stock, tmp_path):
    stock.inject(Fault("/cdn/", status=403, times=ALWAYS))
    assert fetching(stock, tmp_path, "user/open") == (
        "error: localhost, where the hub keeps its files, refuses model.gguf: 403.\n"
        "hint: Try again in a minute.\n"
        "exit code 5\n"
    )


def test_a_connection_that_is_cut_again_and_again(stock, tmp_path):
    stock.inject(Fault("/cdn/", cut_at=70_000))
    stock.inject(Fault("/cdn/", cut_at=0, times=ALWAYS))
    text = fetching(stock, tmp_path, "user/open")
    assert text.startswith("error: HUB cannot be reached: ")
    assert text.endswith("What has arrived is kept: the same command goes on from there.\nexit code 5\n")


def test_a_hub_that_is_silent(stock, tmp_path):
    stock.inject(Fault("/cdn/", stall_at=0, times=ALWAYS))
    hub = hub_at(stock.endpoint, tmp_path)
    file = file_of(hub, "user/open")
    impatient = replace(hub, patience=replace(hub.patience, stall=0.1, attempts=2))
    text = told(lambda: HubBytes(impatient, file).read(0, 10), (hub.name, "HUB"))
    assert text.startswith("error: HUB was silent for 0 seconds.\n")


@pytest.fixture
def nobody():
    """The address of a port where nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def test_no_network_is_said_at_once(nobody, tmp_path):
    waited: list[float] = []
    hub = hub_at(nobody, tmp_path)
    hub = replace(hub, patience=replace(hub.patience, sleep=waited.append))
    assert told(lambda: hub.files("user/open"), (hub.name, "HUB")) == (
        "error: HUB cannot be reached: Connection refused.\n"
        "hint: HF_ENDPOINT names this hub; without it https://huggingface.co is asked. "
        "What is on this machine needs no network: --offline.\n"
        "exit code 5\n"
    )
    assert waited == []


def test_a_password_in_an_address_is_never_shown(nobody, tmp_path):
    hub = hub_at(nobody.replace("//", "//me:secret@"), tmp_path)
    assert "secret" not in told(lambda: hub.files("user/open"))


@pytest.mark.parametrize("body", [b"<html>Please log in</html>", b"[]", b"{}", b'{"id": 7, "sha": []}', NO_SUM])
def test_something_else_answers_in_the_place_of_a_hub(stock, tmp_path, body):
    stock.inject(Fault("/api/", status=200, body=body))
    text = listing(stock, tmp_path, "user/open")
    assert text.endswith("exit code 5\n")
    assert "hub" in text
    assert "HF_ENDPOINT" in text


def public_hub(**variables):
    return hub_of({"HF_HOME": "hub", **variables}, no_home)


def test_the_public_hub_out_of_reach():
    error = no_answer(ConnectError("[Errno -2] Name or service not known"), public_hub())
    assert error.message == "huggingface.co cannot be reached: Name or service not known."
    assert error.hint == "Check the network. What is on this machine needs no network: --offline."


def test_a_proxy_that_does_not_work():
    for error in (ProxyError("407 Proxy Authentication Required"), ConnectError("407 Proxy Authentication Required")):
        failure = no_answer(error, public_hub(HTTPS_PROXY="http://me:secret@proxy"))
        assert failure.message == (
            "The proxy that HTTPS_PROXY names does not lead to huggingface.co: 407 Proxy Authentication Required."
        )
        assert failure.hint == "Correct HTTPS_PROXY, or except the hub from it with NO_PROXY=huggingface.co."


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"HTTPS_PROXY": "p"}, "HTTPS_PROXY"),
        ({"https_proxy": "p", "HTTPS_PROXY": "q"}, "https_proxy"),
        ({"ALL_PROXY": "p"}, "ALL_PROXY"),
        ({"HTTP_PROXY": "p"}, ""),
        ({"HTTPS_PROXY": "p", "NO_PROXY": "huggingface.co"}, ""),
        ({"HTTPS_PROXY": "p", "no_proxy": "example.org"}, "HTTPS_PROXY"),
    ],
)
def test_the_proxy_on_the_way_is_known(variables, named):
    assert public_hub(**variables).proxy == named


def test_a_certificate_that_nobody_trusts():
    error = ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")
    failure = no_answer(error, public_hub())
    assert failure.message == "huggingface.co shows a certificate that this machine does not trust."
    assert "SSL_CERT_FILE" in failure.hint


def test_a_network_that_wants_a_login_first():
    assert no_hub(public_hub()).hint == "Does this network want you to log in, in a browser?"
