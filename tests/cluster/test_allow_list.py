"""What may leave the process, decided on the final target. Ids are those of the read-only checklist."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kubectl_berth.cluster.allow_list import permit
from kubectl_berth.errors import Refused

PERMITTED = [
    "/version",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/apps",
    "/apis/apps/v1",
    "/apis/postgresql.cnpg.io/v1beta1",
    "/api/v1/pods",
    "/api/v1/pods?limit=500",
    "/api/v1/pods?limit=500&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ&labelSelector=app%3Dweb%2Ctier%20in%20%28a%2Cb%29",
    "/api/v1/namespaces",
    "/api/v1/namespaces/shop",
    "/api/v1/namespaces/shop/pods?fieldSelector=status.phase%21%3DRunning",
    "/api/v1/namespaces/shop/pods/web-0",
    "/api/v1/namespaces/shop/pods/web-0/log",
    "/api/v1/namespaces/shop/pods/web-0/log?container=web&previous=true&tailLines=500&limitBytes=262144&sinceSeconds=60",
    "/api/v1/namespaces/shop/pods/web-0/log?timestamps=true",
    "/apis/apps/v1/namespaces/shop/deployments/web",
    "/apis/postgresql.cnpg.io/v1/namespaces/data/clusters/ledger-db",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node",
    # a pod, a namespace that are only called so
    "/api/v1/namespaces/shop/pods/secrets",
    "/api/v1/namespaces/secrets/pods",
    "/api/v1/namespaces/secrets",
    # events about a Secret hold none of its values
    "/api/v1/namespaces/shop/events?fieldSelector=involvedObject.kind%3DSecret",
]

SHOP = "/api/v1/namespaces/shop"

REFUSED = {
    "A07": [
        "/apis/../api/v1/secrets",
        "/apis/../api/v1/v1/secrets",
        "/apis/apps/../../api/v1/pods",
        "/apis/apps%2f..%2f../v1/pods",
        "/apis/./v1/pods",
        "/apis/../../api/v1/v1/pods",
        "/api/./v1/pods",
        f"{SHOP}/pods/..",
        f"{SHOP}/pods/.",
        f"{SHOP}/pods/",
        f"{SHOP}//pods",
        f"{SHOP}/pods/a/../../secrets/db",
        f"{SHOP}/pods/..%2fsecrets",
        f"{SHOP}/pods/%2e%2e",
        f"{SHOP}/pods/x%5cy",
        f"{SHOP}/pods/x%00",
        f"{SHOP}/pods/x\\y",
        f"{SHOP}/pods/x\0",
        f"{SHOP}/pods/x\n",
        f"{SHOP}/pods/x\r\nX-A: b",
        f"{SHOP}/pods/x#y",
        f"{SHOP}/pods/x y",
        f"{SHOP}/pods/{'a' * 254}",
        "/api/v1/namespaces/../pods",
        "/api/v1/namespaces/../../kube-system/pods",
        "/api/v1/namespaces/Shop/pods",
        f"/api/v1/namespaces/{'a' * 64}/pods",
        "/apis/Apps/v1/deployments",
        "/apis/apps/V1/deployments",
        "/apis/apps/latest/deployments",
        "/apis/a..b/v1/things",
        "/apis/-apps/v1/things",
        "//evil.example.test/api/v1/pods",
        "http://evil.example.test/api/v1/pods",
        "@evil.example.test/api/v1/pods",
        "api/v1/pods",
        "",
        "/",
    ],
    "A06": [
        f"{SHOP}/pods/--server=https:",
        f"{SHOP}/pods/-Ashttps",
        "/api/v1/namespaces/-A/pods",
        f"{SHOP}/pods/$(id)",
        f"{SHOP}/pods/`id`",
        f"{SHOP}/pods/x;rm",
    ],
    "A08": [
        *(
            f"{SHOP}/pods/web/{sub}"
            for sub in "exec attach portforward proxy ephemeralcontainers binding eviction status resize".split()
        ),
        f"{SHOP}/pods/web/log/x",
        f"{SHOP}/services/web/proxy",
        f"{SHOP}/services/web/proxy/api/v1/secrets",
        f"{SHOP}/serviceaccounts/default/token",
        "/api/v1/nodes/n1/proxy",
        "/api/v1/pods/web/log",
        "/api/v1/namespaces/shop/status",
        "/api/v1/namespaces/shop/finalize",
        "/apis/apps/v1/namespaces/shop/deployments/web/scale",
        "/apis/apps/v1/namespaces/shop/pods/web/log",
        "/apis/certificates.k8s.io/v1/certificatesigningrequests/x/approval",
    ],
    "A09": [
        "/apis/subresources.kubevirt.io/v1/namespaces/shop/virtualmachineinstances/vm/console",
        "/apis/subresources.kubevirt.io/v1/namespaces/shop/virtualmachineinstances/vm/portforward/22",
        "/apis/cluster.karmada.io/v1alpha1/clusters/x/proxy/api/v1/secrets",
        "/apis/image.openshift.io/v1/namespaces/shop/imagestreams/x/secrets",
    ],
    "A10": [
        "/logs/",
        "/logs",
        "/debug/pprof/heap",
        "/metrics",
        "/configz",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/healthz",
        "/.well-known/openid-configuration",
        "/api/v1/nodes/n1/proxy/configz",
        "/api/v1/nodes/n1/proxy/logs/",
        "/api/v2",
        "/api/v1beta1/pods",
    ],
    "A11": [
        f"{SHOP}/pods?watch=1",
        f"{SHOP}/pods?watch=true&limit=500",
        f"{SHOP}/pods?timeoutSeconds=99999",
        f"{SHOP}/pods?includeObject=Object",
        f"{SHOP}/pods?resourceVersion=0",
        f"{SHOP}/pods?limit=501",
        f"{SHOP}/pods?limit=0",
        f"{SHOP}/pods?limit=-1",
        f"{SHOP}/pods?limit=500&limit=500",
        f"{SHOP}/pods?pretty=true",
        f"{SHOP}/pods?labelSelector=a\nb",
        f"{SHOP}/pods?labelSelector=a#b",
        f"{SHOP}/pods?labelSelector",
        f"{SHOP}/pods?",
        f"{SHOP}/pods/web-0?limit=1",
        f"{SHOP}/pods/web-0?watch=1",
        f"{SHOP}/pods/web-0/log?follow=true",
        f"{SHOP}/pods/web-0/log?insecureSkipTLSVerifyBackend=true",
        f"{SHOP}/pods/web-0/log?tailLines=501",
        f"{SHOP}/pods/web-0/log?limitBytes=262145",
        f"{SHOP}/pods/web-0/log?previous=1",
        f"{SHOP}/pods/web-0/log?container=..%2Fx",
        "/apis?labelSelector=a",
        "/version?timeout=32s",
    ],
    "A12": [
        "/api/v1/watch/pods",
        "/api/v1/watch/namespaces/shop/pods",
        "/apis/apps/v1/watch/deployments",
        "/api/v1/proxy/nodes/n1",
        "/api/v1/proxy/namespaces/shop/services/web",
    ],
    "B29": [
        "/api/v1/secrets",
        "/api/v1/secrets?limit=1",
        "/api/v1/configmaps",
        f"{SHOP}/secrets",
        f"{SHOP}/secrets/db",
        f"{SHOP}/secrets?fieldSelector=metadata.name%3Ddb",
        f"{SHOP}/configmaps/app",
        f"{SHOP}/Secrets",
        f"{SHOP}/SECRETS/db",
        f"{SHOP}/secret/db",
        f"{SHOP}/cm/app",
        f"{SHOP}/secretlist",
        "/apis/secrets.hashicorp.example/v1/namespaces/shop/secrets",
        "/apis/apps/v1/configmaps",
        "/api/v1/namespaces/kube-public/configmaps/cluster-info",
    ],
}

CASES = [
    pytest.param(target, id=f"{name}-{n}") for name, targets in REFUSED.items() for n, target in enumerate(targets)
]


@pytest.mark.parametrize("target", PERMITTED)
def test_reads_are_permitted(target: str) -> None:
    permit("GET", target, {"Accept": "application/json"})


@pytest.mark.parametrize("target", CASES)
def test_everything_else_is_refused(target: str) -> None:
    with pytest.raises(Refused) as caught:
        permit("GET", target)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "CONNECT", "TRACE", "get", ""])
def test_a02_only_get(method: str) -> None:
    with pytest.raises(Refused):
        permit(method, f"{SHOP}/pods")


@pytest.mark.parametrize("review", ["selfsubjectaccessreviews", "selfsubjectrulesreviews"])
def test_a01_only_reviews_of_oneself_may_be_posted(review: str) -> None:
    permit("POST", f"/apis/authorization.k8s.io/v1/{review}")
    for target in (f"/apis/authorization.k8s.io/v1/{review}?dryRun=All", f"/apis/authorization.k8s.io/v1/{review}/x"):
        with pytest.raises(Refused):
            permit("POST", target)
    with pytest.raises(Refused):
        permit("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-HTTP-Method-Override", "DELETE"),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Protocol", "v4.channel.k8s.io"),
        ("Impersonate-User", "system:admin"),
        ("Authorization", "Bearer x"),
        ("Host", "evil.example.test"),
        ("Accept", "application/json\r\nX-A: b"),
    ],
)
def test_a03_no_header_but_accept(name: str, value: str) -> None:
    with pytest.raises(Refused):
        permit("GET", f"{SHOP}/pods", {name: value})


words = st.sampled_from(
    "api apis v1 apps namespaces shop pods secrets configmaps log exec proxy watch .. . %2e%2e %2f web-0 a.b ? & = "
    "limit watch=1 limit=1 Secrets version # \\ ; : @ nodes".split()
) | st.text(max_size=5)
targets = st.lists(words, max_size=9).map("/".join) | st.lists(words, max_size=9).map(lambda w: "/" + "/".join(w))


@settings(max_examples=2000, deadline=None)
@given(targets | st.text(max_size=60))
@example("/api/v1/namespaces/shop/pods/web-0/log")
def test_a07_whatever_is_permitted_names_one_resource_and_no_other_way_in(target: str) -> None:
    try:
        permit("GET", target)
    except Refused:
        return
    path = target.partition("?")[0]
    assert unquote(path) == path
    assert path.startswith(("/api", "/version"))
    segments = path.split("/")[1:]
    assert not {"", ".", ".."} & set(segments)
    resource = re.sub(r"^/(api/v1|apis/[^/]+/[^/]+)(/namespaces/[^/]+(?=/))?", "", path).strip("/").split("/")
    assert resource[0].lower() not in {"secrets", "configmaps", "secret", "configmap", "watch", "proxy"}
    assert len(resource) <= 2 or resource[2:] == ["log"]
