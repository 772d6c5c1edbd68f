"""Secrets that are known by their own shape: provider tokens, JWTs, private keys, password hashes, webhook URLs."""

from __future__ import annotations

import re
from functools import lru_cache

TOKEN = "[REDACTED:token]"
LONGEST_KEPT = 2000
"""Characters of the words whose result is remembered: thousands of longer ones would fill the memory."""
KEY = "[REDACTED:private-key]"

_PREFIXED = [
    r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS ids
    r"IQoJb3JpZ2luX2Vj[A-Za-z0-9+/=_-]{20,}",  # AWS session token
    r"AIza[\w-]{30,45}",  # Google
    r"ya29\.[\w-]{10,}",
    r"1//0[\w-]{20,}",
    r"GOCSPX-[\w-]{20,}",
    r"GOOG[A-Z0-9]{10,58}(?![A-Za-z0-9])",
    r"gh[oprsu]_[A-Za-z0-9]{20,255}",  # GitHub
    r"github_pat_\w{20,255}",
    r"gl(?:pat|ptt|dt|rt|rtr|soat|ft|ffct|agent|cbt|imt|oas)-[\w.-]{16,}",  # GitLab
    r"GR1348941[\w-]{20,}",
    r"xox[abcdeoprs]-[\w-]{10,}",  # Slack
    r"xapp-[\w-]{10,}",
    r"[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{16,}",
    r"sk-(?:ant|proj|svcacct|admin|or|lf)-[\w-]{16,}",  # Anthropic, OpenAI and others
    r"sk-[A-Za-z0-9]{32,}",
    r"gsk_[A-Za-z0-9]{30,}",
    r"xai-[A-Za-z0-9]{40,}",
    r"sk\.eyJ[\w-]{10,}\.[\w-]{10,}",  # Mapbox
    r"(?<=bearer\.authorization\.k8s\.io\.)[\w-]{16,}",
    r"pplx-[A-Za-z0-9]{30,}",
    r"r8_[A-Za-z0-9]{30,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[\w-]{30,}",
    r"rubygems_[a-f0-9]{40,}",
    r"CLOJARS_[a-z0-9]{40,}",
    r"oy2[a-z0-9]{43}",  # NuGet
    r"dckr_(?:pat|oat)_[\w-]{20,}",
    r"AKC[A-Za-z0-9]{30,}",  # Artifactory
    r"cmVmd[A-Za-z0-9]{50,}",
    r"hv[sbr]\.[\w-]{20,}",  # Vault
    r"[sb]\.[A-Za-z0-9]{24}(?![A-Za-z0-9])",
    r"do[opr]_v1_[a-f0-9]{40,}",
    r"gl(?:sa|c)_[\w=-]{30,}",  # Grafana
    r"eyJrIjoi[A-Za-z0-9+/]{30,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"xkeysib-[a-f0-9]{40,}[\w-]*",
    r"sha256~[\w-]{30,}",  # OpenShift
    r"AGE-SECRET-KEY-[A-Z0-9-]{40,}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}",
    r"sq0(?:atp|csp)-[\w-]{20,}",
    r"EAAA[\w-]{50,}",
    r"lin_api_[A-Za-z0-9]{30,}",
    r"figd_[\w-]{30,}",
    r"AT[AC]TT3[\w=-]{50,}",
    r"ATBB[A-Za-z0-9]{24,}",
    r"PMAK-[\w-]{30,}",
    r"NR(?:AK|II|JS|RA|BR)-[\w-]{16,}",
    r"dapi[a-f0-9]{32}",
    r"sntry[su]_[\w=+/-]{30,}",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[\w-]{30,}",
    r"pul-[a-f0-9]{40}",
    r"SK[a-f0-9]{32}(?![a-f0-9])",  # Twilio
    r"key-[a-f0-9]{32}(?![a-f0-9])",  # Mailgun
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{50,}",
    r"tskey-[a-z]{2,10}-[\w-]{16,}",
    r"pscale_(?:pw|tkn|oauth)_[\w.-]{30,}",
    r"sbp_[a-f0-9]{40,}",
    r"(?:secret|ntn)_[A-Za-z0-9]{40,}",
    r"sq[aup]_[a-f0-9]{40}",  # Sonar
    r"LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])",  # Alibaba
    r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])",  # Tencent
    r"nfp_[A-Za-z0-9]{36}",
    r"(?:bkua|CCIPAT|tfp|rnd|phc|phx|ops|vercel|dop|prefect|pnu|wandb|esk|lsv2_pt|lsv2_sk)_[\w-]{30,}",
    r"HRKU-[\w-]{30,}",
    r"fm[12]_[A-Za-z0-9+/=_-]{40,}",
    r"access-(?:sandbox|development|production)-[0-9a-f-]{36}",
    r"(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",  # LaunchDarkly
    r"[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,}",  # Discord bot
    r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",  # JWT
    r"eyJ[\w-]{8,}\.[\w-]*\.[\w-]{8,}\.[\w-]{8,}\.[\w-]*",  # JWE
    # kubeadm bootstrap token; sixteen hex digits behind a dot end the name of every event
    r"[a-z0-9]{6}\.(?![0-9a-f]{16})[a-z0-9]{16}(?![\w.-])",
    r"[\w~.]{3}[78]Q~[\w~.-]{31,34}",  # Entra client secret
    r"S[UAONCX][A-Z2-7]{56}(?![A-Z0-9])",  # NATS
    r"hc[abx][il]k_\w{16,}",  # Honeycomb
    r"H4sIA[A-Za-z0-9+/]{60,}={0,2}|SDRzSUFB[A-Za-z0-9+/]{60,}={0,2}",  # compressed, as Helm keeps releases
]
_TOKEN = re.compile(r"(?:(?<![A-Za-z0-9_.-])|(?<=k8s\.io\.))(?:" + "|".join(_PREFIXED) + ")")
# a token glued to a word ("id_AKIA...") still shows by a prefix that no word has
_GLUED = re.compile(
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?=$|[^A-Za-z0-9]|AKIA|ASIA)|gh[oprsu]_[A-Za-z0-9]{36}|xox[abcdeoprs]-[\w-]{20,}"
)
_BOOTSTRAP = re.compile(r"[a-z0-9]{6}\.[a-z0-9]{16}")
_ALWAYS_MIXED = re.compile(r"[sb]\.[A-Za-z0-9]{24}|AKC|EAAA|[MNO][A-Za-z0-9_-]{23}|oy2|1//0")

_WEBHOOK = re.compile(
    r"(?P<host>https?:(?:\\?/){2}(?:hooks\.slack\.com(?:\\?/)(?:services|workflows|triggers)\\?/"
    r"|(?:\w+\.)?discord(?:app)?\.com/api/webhooks/"
    r"|[\w.-]+\.webhook\.office\.com/webhookb2/"
    r"|(?:prod-\d+\.)?[\w-]+\.logic\.azure\.com(?::443)?/workflows/"
    r"|events\.pagerduty\.com/integration/"
    r"|(?:chat|open)\.(?:googleapis|feishu|larksuite)\.(?:com|cn)/"
    r"|[\w.-]+\.sumologic\.com/receiver/v1/http/"
    r"|[\w.-]+(?::\d+)?/hooks/(?=[a-z0-9]{26}(?![\w-])|[A-Za-z0-9]{17,24}/[A-Za-z0-9]{30})"
    r"|hooks\.zapier\.com/hooks/catch/|maker\.ifttt\.com/trigger/|outlook\.office\.com/webhook/"
    r"|api\.opsgenie\.com/v1/json/\w+\?apiKey=|alert\.victorops\.com/integrations/|hc-ping\.com/))[^\s\"'<>\\]{8,400}"
)
_TELEGRAM = re.compile(r"(?<!\d)\d{8,10}:AA[\w-]{33}")
# each with a piece of text without which it finds nothing
_HASHES = (
    ("$", r"\$(?:2[abxy]|1|5|6|7|y|gy|apr1|argon2\w{1,2}|pbkdf2[\w-]{0,12}|scrypt|P|H|S)\$[./A-Za-z0-9$=,+-]{20,300}"),
    (
        "SCRAM-SHA-",
        r"SCRAM-SHA-(?:1|256|512)\$\d{1,8}:[A-Za-z0-9+/=]{4,200}\$[A-Za-z0-9+/=]{4,200}:[A-Za-z0-9+/=]{4,200}",
    ),
    ("}", r"\{(?:S?SHA(?:256|384|512)?|S?MD5|(?i:crypt)|x-issha, 1024)\}[./A-Za-z0-9+/=$]{8,300}"),
    ("pbkdf2", r"pbkdf2(?:_|:)sha\d{1,3}[:$][0-9]{1,8}\$[\w+/=.-]{1,100}\$[\w+/=.-]{6,200}"),
    ("::", r"K1[01][a-f0-9]{20,70}::(?:[\w.-]{1,30}:)?[\w.-]{6,100}"),  # k3s
    ("md5", r"(?<!\w)md5[0-9a-f]{32}(?!\w)"),  # PostgreSQL
    ("*", r"\*(?<![\w*]\*)[0-9A-F]{40}(?!\w)"),
)
_COMPILED = tuple((hint, re.compile(pattern)) for hint, pattern in _HASHES)
_AWS_PAIR = re.compile(
    r"((?:\[REDACTED:token\]|(?:AKIA|ASIA)[A-Z0-9]{16})[\"']?[ \t]{0,2}[:,/|\s][ \t]{0,2}[\"']?)"
    r"(?=[A-Za-z0-9+/]*\d)(?=[A-Za-z0-9+/]*[a-z])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])"
)

_KEY_KINDS = r"(?:[A-Z0-9 ]{0,30}(?:PRIVATE KEY(?: BLOCK)?|NKEY SEED)|OpenVPN [\w -]{2,30}key(?: V\d)?)"
_PEM_BEGIN = re.compile(rf"-{{4,6}} ?BEGIN {_KEY_KINDS} ?-{{4,6}}")
_PEM_END = re.compile(rf"-{{4,6}} ?END {_KEY_KINDS} ?-{{4,6}}")
# what the body of a key may hold where its END line is missing: base64, headers, real or written line ends
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=]{8,}|\\{1,4}[nrt]|\s(?!\S*[ \t]\S)|[A-Za-z0-9+/=]+(?=\s|\\n|\Z))*")
_KEY_LIMIT = 20_000
# a line of a key, before it a time or an indent that a log puts there
_PEM_LINE = re.compile(
    r"(?P<body>(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{1,128}={0,2})(?:\\{1,4}r)?(?:\\{1,4}n|\s{1,3})[^\n\\]{0,60}\Z"
)
_LONGEST_LINE = 250
_PUTTY = re.compile(r"(?m)^(Private-Lines: \d{1,4}\n)(?:[A-Za-z0-9+/=]{4,128}(?:\n|\Z)){1,400}")
_MINISIGN = re.compile(r"(secret key[^\n]{0,80}\n)RW[A-Za-z0-9+/=]{60,300}")


def redact_private_keys(text: str) -> str:
    """Private keys in PEM, on many lines, on one line with written line ends, or cut before their END."""
    if "Private-Lines: " in text:
        text = _PUTTY.sub(rf"\1{KEY}\n", text)
    if "secret key" in text:
        text = _MINISIGN.sub(rf"\1{KEY}", text)
    if not ("PRIVATE KEY" in text or "NKEY SEED" in text or "BEGIN OpenVPN" in text):
        return text
    out: list[str] = []
    at = 0
    end = _PEM_END.search(text)
    while begin := _PEM_BEGIN.search(text, at):
        while end is not None and end.start() < begin.end():
            out.append(_without_tail(text, at, end))
            at = max(at, end.end())
            end = _PEM_END.search(text, end.end())
        out += [text[at : begin.start()], KEY]
        if end is not None and end.start() - begin.end() <= _KEY_LIMIT:
            at = end.end()
            end = _PEM_END.search(text, at)
        else:
            body = _PEM_BODY.match(text, begin.end())
            at = body.end() if body else begin.end()
    while end is not None:
        out.append(_without_tail(text, at, end))
        at = end.end()
        end = _PEM_END.search(text, at)
    return "".join([*out, text[at:]])


def _without_tail(text: str, at: int, end: re.Match[str]) -> str:
    """What stands between a place and the END of a key whose BEGIN was cut off, without the lines of the key."""
    start = stop = end.start()
    while (line := _PEM_LINE.search(text, max(at, start - _LONGEST_LINE), start)) and len(line["body"]) > (
        0 if start == stop else 31
    ):
        start = line.start("body")
    return text[at:start] + KEY if start < stop else text[at : end.end()]


def redact_tokens(run: str) -> str:
    """One long word without the tokens in it."""
    return _of_word(run) if len(run) <= LONGEST_KEPT else _of_word.__wrapped__(run)


@lru_cache(maxsize=8192)
def _of_word(run: str) -> str:
    run = _TOKEN.sub(_token, run)
    return _GLUED.sub(TOKEN, run)


def redact_hashes_and_hooks(text: str) -> str:
    """Password hashes, webhook URLs and bot tokens, which hold characters that no token has."""
    if "http" in text:
        text = _WEBHOOK.sub(lambda m: m["host"] + "[REDACTED:webhook]", text)
    if ":AA" in text:
        text = _TELEGRAM.sub(TOKEN, text)
    for hint, pattern in _COMPILED:
        if hint in text:
            text = pattern.sub("[REDACTED:hash]", text)
    return text


def redact_pairs_of_aws(text: str) -> str:
    """The secret key beside an access key id that was found."""
    return _AWS_PAIR.sub(r"\1[REDACTED:value]", text)


def _token(match: re.Match[str]) -> str:
    found = match.group()
    letters_and_digits = any(c.isdigit() for c in found) and any(c.isalpha() for c in found)
    if _BOOTSTRAP.fullmatch(found) and not letters_and_digits:
        return found
    if _ALWAYS_MIXED.match(found) and not (letters_and_digits and not found.islower()):
        return found if not found.startswith(("oy2", "1//0")) else TOKEN
    return TOKEN
