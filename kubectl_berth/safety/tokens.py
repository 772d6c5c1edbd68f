"""Secrets that are known by their own shape: provider tokens, JWTs, private keys, password hashes, webhook URLs."""

from __future__ import annotations

import re

_PREFIXED = [
    r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS ids
    r"AIza[\w-]{30,45}",  # Google API key
    r"ya29\.[\w-]{10,}",  # Google OAuth
    r"GOCSPX-[\w-]{20,}",
    r"gh[oprsu]_[A-Za-z0-9]{20,255}",  # GitHub
    r"github_pat_\w{20,255}",
    r"gl(?:pat|ptt|dt|rt|soat|ft|agent|cbt|imt|oas)-[\w.-]{16,}",  # GitLab
    r"xox[abeoprs]-[\w-]{10,}",  # Slack
    r"xapp-[\w-]{10,}",
    r"[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{16,}",
    r"sk-(?:ant|proj|svcacct|admin|or|lf)-[\w-]{16,}",  # Anthropic, OpenAI and others
    r"sk-[A-Za-z0-9]{32,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[\w-]{30,}",
    r"dckr_(?:pat|oat)_[\w-]{20,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"hv[sbr]\.[\w-]{20,}",  # Vault
    r"do[opr]_v1_[a-f0-9]{40,}",
    r"gl(?:sa|c)_[\w=-]{30,}",  # Grafana
    r"SG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"sha256~[\w-]{30,}",  # OpenShift
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}",
    r"sq0(?:atp|csp)-[\w-]{20,}",
    r"lin_api_[A-Za-z0-9]{30,}",
    r"figd_[\w-]{30,}",
    r"ATATT3[\w=-]{50,}",
    r"PMAK-[\w-]{30,}",
    r"NRAK-[A-Z0-9]{20,}",
    r"dapi[a-f0-9]{32}",
    r"sntrys_[\w=+/-]{30,}",
    r"dp\.(?:pt|st|ct)\.[\w-]{30,}",
    r"pul-[a-f0-9]{40}",
    r"SK[a-f0-9]{32}",  # Twilio
    r"key-[a-f0-9]{32}",  # Mailgun
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{50,}",
    r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",  # JWT
    r"\d{8,10}:AA[\w-]{33}",  # Telegram bot
    # kubeadm bootstrap token; sixteen hex digits behind a dot end the name of every event
    r"[a-z0-9]{6}\.(?![0-9a-f]{16})[a-z0-9]{16}(?![\w.-])",
    r"[\w~.]{3}[78]Q~[\w~.-]{31,34}",  # Entra client secret
]
_TOKEN = re.compile(r"(?<![A-Za-z0-9_.-])(?:" + "|".join(_PREFIXED) + ")")
# a token glued to a word ("Token:xoxb-...", "id_AKIA...") still shows by a prefix that no word has
_GLUED = re.compile(r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|gh[oprsu]_[A-Za-z0-9]{36}|xox[abeoprs]-[\w-]{20,}")
_BOOTSTRAP = re.compile(r"[a-z0-9]{6}\.[a-z0-9]{16}")

_WEBHOOK = re.compile(
    r"(?P<host>https?://(?:hooks\.slack\.com/(?:services|workflows)/"
    r"|(?:\w+\.)?discord(?:app)?\.com/api/webhooks/"
    r"|[\w-]+\.webhook\.office\.com/webhookb2/"
    r"|events\.pagerduty\.com/integration/))[^\s\"'<>\\]{8,400}"
)
_CRYPT = re.compile(r"\$(?:2[abxy]|5|6|y|apr1|argon2\w{1,2}|pbkdf2[\w-]{0,12}|scrypt)\$[./A-Za-z0-9$=,+-]{20,300}")

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
# what the body of a key may hold where its END line is missing: base64, headers, real or written line ends
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=]{8,}|\\[nrt]|\s(?!\S*[ \t]\S)|[A-Za-z0-9+/=]+(?=\s|\\n|\Z))*")
_KEY_LIMIT = 20_000


def redact_private_keys(text: str) -> str:
    """Private keys in PEM, on many lines, on one line with written line ends, or cut before their END."""
    if "PRIVATE KEY" not in text:
        return text
    out: list[str] = []
    at = 0
    end: re.Match[str] | None = None
    more_ends = True
    while begin := _PEM_BEGIN.search(text, at):
        out.append(text[at : begin.start()])
        out.append("[REDACTED:private-key]")
        if more_ends and (end is None or end.start() < begin.end()):
            end = _PEM_END.search(text, begin.end())
            more_ends = end is not None
        if end is not None and end.start() - begin.end() <= _KEY_LIMIT:
            at = end.end()
        else:
            body = _PEM_BODY.match(text, begin.end())
            at = body.end() if body else begin.end()
    out.append(text[at:])
    return "".join(out)


def redact_tokens(text: str) -> str:
    """Everything that its own shape gives away."""
    text = _WEBHOOK.sub(lambda m: m["host"] + "[REDACTED:webhook]", text)
    text = _TOKEN.sub(_token, text)
    text = _GLUED.sub("[REDACTED:token]", text)
    return _CRYPT.sub("[REDACTED:hash]", text) if "$" in text else text


def _token(match: re.Match[str]) -> str:
    found = match.group()
    if _BOOTSTRAP.fullmatch(found) and not (any(c.isdigit() for c in found) and any(c.isalpha() for c in found)):
        return found
    return "[REDACTED:token]"
