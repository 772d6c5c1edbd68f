"""Secrets and ConfigMaps by any name, and arguments that are no names."""

from __future__ import annotations

import pytest

from kubectl_berth.errors import Refused
from kubectl_berth.safety.refuse import check_api_version, check_kind, check_name, check_namespace, refused_kind

SPELLINGS = {
    "B01": ["Secret", "secret", "secrets", "Secrets", "SECRET", "sEcReT"],
    "B02": ["SecretList", "secretlist"],
    "B03": ["ConfigMap", "configmap", "configmaps", "cm", "CM", "ConfigMapList"],
    "B04": ["secret/db", "secrets/db", "secrets.v1.", "secrets.v1./db", "secret.", "v1/secrets", "core/v1/secrets"],
    "B05": ["secret,pod", "pods,secrets", "pod secret"],
    "B06": [
        " secret",
        "secret ",
        "\tsecret\n",
        "sec\u200bret",
        "sec\xadret",
        "\ufeffsecret",
        "ſecret",
        "Ｓｅｃｒｅｔ",
        "sеcret",
        "secret\x00",
    ],
}


@pytest.mark.parametrize(("number", "word"), [(number, word) for number, words in SPELLINGS.items() for word in words])
def test_every_spelling_is_refused(number: str, word: str) -> None:
    with pytest.raises(Refused):
        check_kind(word)


@pytest.mark.parametrize("word", [["pods", "secrets"], None, 7, "", "Pod;Node", "pods/exec", "*"])
def test_what_is_no_kind_word_is_refused(word: object) -> None:
    with pytest.raises(Refused):
        check_kind(word)


@pytest.mark.parametrize("word", ["Pod", "deploy", "clusters.postgresql.cnpg.io", "ExternalSecret", "SealedSecret"])
def test_other_kinds_pass_as_they_are(word: str) -> None:
    assert check_kind(word) == word


def test_a_custom_kind_that_answers_to_the_name_is_refused_too() -> None:
    assert refused_kind(["Foo", "secrets", "foo"])  # B09
    assert refused_kind(["Secret", "vaultsecrets"])  # B08
    assert not refused_kind(["ExternalSecret", "externalsecrets", "es"])


@pytest.mark.parametrize(
    "name",
    [
        "--server=https://attacker.example",
        "x; rm -rf /",
        "$(id)",
        "`id`",
        "x\n--token=y",
        "..",
        ".",
        "a/../../secrets/db",
        "..%2fsecrets",
        "%2e%2e",
        "x?watch=1",
        "x#y",
        "x\\y",
        "x\x00",
        "x\r\nX-A: b",
        "",
        "a" * 254,
        None,
        3,
    ],
)
def test_a_name_that_is_no_name_is_refused(name: object) -> None:
    with pytest.raises(Refused) as refusal:
        check_name(name)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 250  # B22


@pytest.mark.parametrize("name", ["web-7d4b9c6f5d-x2x9z", "system:node-proxier", "v1beta1.metrics.k8s.io", "a"])
def test_names_of_real_objects_pass(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("namespace", ["-A", "..", "../../kube-system", "Shop", "a" * 64, "", None])
def test_a_namespace_that_is_none_is_refused(namespace: object) -> None:
    with pytest.raises(Refused):
        check_namespace(namespace)


@pytest.mark.parametrize(
    "api_version",
    [
        "../api",
        "../../api/v1",
        "./v1",
        "apps/../../api/v1",
        "apps%2f..%2f..",
        "",
        None,
        "V1",
        " v1",
        "v1 ",
        "/v1",
        "v1/",
        7,
        ["v1"],
        "apps/v1/x",
        "apps/V1",
    ],
)
def test_an_api_version_that_is_none_is_refused(api_version: object) -> None:
    with pytest.raises(Refused):
        check_api_version(api_version)


@pytest.mark.parametrize("api_version", ["v1", "apps/v1", "postgresql.cnpg.io/v1", "autoscaling/v2beta2"])
def test_api_versions_pass(api_version: str) -> None:
    assert check_api_version(api_version) == api_version
