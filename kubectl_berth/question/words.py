"""The words people use for kinds of objects, and the words that never name one."""

from __future__ import annotations

import difflib
import re

KIND_WORDS: dict[str, tuple[str, ...]] = {
    "pod": ("Pod",),
    "po": ("Pod",),
    "container": ("Pod",),
    "deployment": ("Deployment",),
    "deploy": ("Deployment",),
    "statefulset": ("StatefulSet",),
    "sts": ("StatefulSet",),
    "daemonset": ("DaemonSet",),
    "ds": ("DaemonSet",),
    "replicaset": ("ReplicaSet",),
    "rs": ("ReplicaSet",),
    "job": ("Job", "CronJob"),
    "batch": ("Job", "CronJob"),
    "cronjob": ("CronJob",),
    "cron": ("CronJob",),
    "schedule": ("CronJob",),
    "service": ("Service",),
    "svc": ("Service",),
    "endpoint": ("Service",),
    "ingress": ("Ingress",),
    "ing": ("Ingress",),
    "route": ("Ingress", "HTTPRoute"),
    "gateway": ("Gateway",),
    "node": ("Node",),
    "worker": ("Node",),
    "machine": ("Node",),
    "namespace": ("Namespace",),
    "ns": ("Namespace",),
    "project": ("Namespace",),
    "pvc": ("PersistentVolumeClaim",),
    "claim": ("PersistentVolumeClaim",),
    "volume": ("PersistentVolumeClaim", "PersistentVolume"),
    "disk": ("PersistentVolumeClaim", "PersistentVolume"),
    "storage": ("PersistentVolumeClaim", "PersistentVolume", "StorageClass"),
    "pv": ("PersistentVolume",),
    "storageclass": ("StorageClass",),
    "hpa": ("HorizontalPodAutoscaler",),
    "autoscaler": ("HorizontalPodAutoscaler",),
    "autoscaling": ("HorizontalPodAutoscaler",),
    "pdb": ("PodDisruptionBudget",),
    "budget": ("PodDisruptionBudget",),
    "quota": ("ResourceQuota",),
    "limitrange": ("LimitRange",),
    "networkpolicy": ("NetworkPolicy",),
    "netpol": ("NetworkPolicy",),
    "webhook": ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"),
    "apiservice": ("APIService",),
    "secret": ("Secret",),
    "configmap": ("ConfigMap",),
    "serviceaccount": ("ServiceAccount",),
}
"""Singular word -> built-in kinds it may mean. Kinds that are not served are dropped later."""

WORKLOAD_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "Pod")

CONCEPTS: dict[str, re.Pattern[str]] = {
    "database": re.compile(
        r"postgres|\bpg\b|pgsql|mysql|mariadb|mongo|redis|valkey|cassandra|scylla|cockroach|clickhouse|"
        r"elasticsearch|opensearch|couch|influx|timescale|neo4j|etcd|dynamo|\bsql|sql\b|database|\bdbs?\b|\bdbaas\b"
    ),
    "queue": re.compile(r"kafka|rabbit|\bnats\b|pulsar|activemq|\bqueues?\b|broker|\btopics?\b|redpanda|messag"),
    "cache": re.compile(r"redis|valkey|memcache|\bcaches?\b|dragonfly|hazelcast"),
    "certificate": re.compile(r"certificat|\bcerts?\b|\bissuers?\b|\bacme\b"),
    "backup": re.compile(r"backup|restore|snapshot|\bdumps?\b"),
    "monitoring": re.compile(r"prometheus|alertmanager|grafana|monitor"),
}
"""What a kind of software is called. Held against API group, kind, plural, categories, names and images: no operator
is listed by name, so one that nobody here knows is found by what it manages."""

CONCEPT_WORDS: dict[str, str] = {
    "database": "database", "db": "database", "pg": "database", "postgres": "database", "postgresql": "database",
    "mysql": "database", "mariadb": "database", "mongo": "database", "mongodb": "database", "redis": "database",
    "sql": "database",
    "queue": "queue", "broker": "queue", "kafka": "queue", "rabbitmq": "queue", "topic": "queue",
    "cache": "cache", "memcached": "cache",
    "certificate": "certificate", "cert": "certificate", "tls": "certificate",
    "backup": "backup", "prometheus": "monitoring", "monitoring": "monitoring",
}  # fmt: skip
"""Singular word -> concept."""

_FUNCTION_WORDS = """
a about above after again against all almost already also although always am among an and another any anybody anyone
anything anyway anywhere apparently are aren't around as at away back be because become been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down during each either else
enough even ever every everybody everyone everything exactly few fine for from further get gets getting give given go
goes going gone good got had hadn't happen happened happening happens has hasn't have haven't having he hello help her
here hers hey him his how however i i'd i'll i'm i've if in inside instead into is isn't it it's its itself just keep
keeps kind know last lately later least less let let's like likely little long look looked looking looks lot made make
makes making many maybe me mean means might mine more most much must my myself near need needed needs neither never new
next no nobody none nor not nothing now of off often ok okay old on once one only onto or other others otherwise our
ours out over own per perhaps please possible probably put quite rather real really recent recently right said same saw
say says see seem seems seen several shall she should show shows since so some somebody someone something sometimes
soon still stop stopped stops such sure take taken takes tell than thank thanks that that's the their them then there
there's these they they're thing things think this those though through time times to today tomorrow tonight too took
toward tried try trying turn two twice under until up upon us use used uses using usually very want wanted wants was
wasn't way we we're we've well went were weren't what what's when where whether which while who whole whose why will
with within without won't work worked working works would wouldn't yes yesterday yet you your yours zero first second
third three four five six seven eight nine ten half both hour hours minute minutes day days week weeks month ago morning
afternoon evening night friday monday tuesday wednesday thursday saturday sunday weekend midnight noon lunch fourth
fifth sixth seventh eighth ninth tenth additional extra spare anymore except unless you're they've
wat pls plz thx somthing someting happend
"""

_TRADE_WORDS = """
access accessible add alert alive answer app application apps around ask assistant available availability bad behave
behind big block blocked blocking blocks break breaking breaks broke broken bug bunch busy capacity cause caused causes
change changed changes cheap check claim class clean clear client clients close cloud cluster clusters code command
complain complaining complete completed component condition config configuration configured connect connecting
connection console constantly consume container containers contents correct cost costs cpu crash crashed crashes
crashing crashloop crashloopbackoff create created creating critical current currently customer customers dead debug
degraded delay delete deleted deleting deploy deployed deploying deployments deploys describe detail details diagnose
die died dies different disappear disappeared dns down drain draining drains dropped dying empty end endpoint endpoints
environment error errors etcd event events evict evicted evicting evictions exact exactly exit exited exits expected
expensive explain explanation fail failed failing fails failure failures far fast fault file find fire fit fix fixed
fixing flaky forever found free full gb gib health healthy high highly hang hanging hangs host http https idle image
images imagepull imagepullbackoff impact incident info init install installed instance instances internal investigate
issue issues item kill killed killing kills kubectl kubernetes label labels large latency later launch leak left limit
limits list live liveness load local log logs lost low maintenance manage managed manages master max memory message
messages metrics mib min missing mode money monitor mount move name named names namespace namespaces network node nodes
normal notready number object objects off offline oom oomkill oomkilled open operator operators order outage output
overview owner page password passwords patch patching path pause paused pay paying pending people performance permission
permissions place pod pods point policy pool poor port post potential pressure previous print prob probe probes problem
problems process processes prod production pull pulling push quick quickly quota random randomly rate read readiness
ready reason reasons reboot rebooted recover red redeploy reduce refuse refused refuses registry release released
remember remove removed removing repeatedly replica replicas report reported reports request requests resolve resolving
resource resources respond responding response restart restarted restarting restarts restore result return returned
returning returns review rollback rolled rolling rollout root run running runs safe safely save saving scale scaled
scaling schedule scheduled scheduling secret secrets server serve serves serving set setting settings setup shared short
shut shutdown side sick simple single sit sits situation size sized sizing sleep slow small space spec stable stage
staging start started starting starts startup state status stay steady step storage strange stuck suddenly summary
supposed suspicious switch symptom system systems tag talk target task team tell terminate terminated terminating
termination test thrash throttle throttled throttling timeout timeouts timing tls token tokens tool top total traffic
trigger trouble troubleshoot type unable unavailable unhealthy unknown unreachable unready unresponsive update updated
updates updating upgrade upgraded upgrading usage user users utilisation utilization value values verify version
versions view vm volume volumes wait waiting waits warn warning warnings waste wasted wasting watch weird which wide
won work workload workloads wrong zone zones healthz data default common serious urgent situation nightly hourly
daily weekly monthly periodic recurring background regular arm amd arm64 amd64 x86 x509 ssl gpu gpus
leader bigger biggest smaller larger faster slower better worse newer longer shorter higher lower
apiserver commit commits merge merged branch browser
election elections elected disruption disruptions silent quiet worry worried worrying concern concerned
"""

_SINGULAR_EXCEPTIONS = frozenset({"dns", "tls", "ingress", "status", "redis", "prometheus", "kubernetes", "https",
                                  "ds", "rs", "sts", "ns", "postgres", "process", "access", "nats", "aws"})  # fmt: skip

FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
TRADE_WORDS = frozenset(_TRADE_WORDS.split())


def singular(word: str) -> str:
    """ "databases" -> "database", "ingresses" -> "ingress", "policies" -> "policy"; anything else as it is."""
    if word in _SINGULAR_EXCEPTIONS or len(word) < 4 or word.endswith("ss") or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1]


_ENDINGS = re.compile(r"(?:ings?|ers?|ors?|ions?|ed|es|e|s)$")


def stem(word: str) -> str:
    """What a word shares with those made from the same verb: "train" of "training" and "trainer".

    The word as it is where less than four letters would be left.
    """
    short = _ENDINGS.sub("", word)
    return short if len(short) > 3 else word


def kinds_of(word: str) -> tuple[str, ...]:
    """The built-in kinds that an English word or short name may mean; () where it means none."""
    return KIND_WORDS.get(singular(word.lower()), ())


def concept_of(word: str) -> str | None:
    """The kind of software that a word means: "database", "queue", "certificate"."""
    return CONCEPT_WORDS.get(singular(word.lower()))


def meant_word(word: str) -> str:
    """The kind or software word that a misspelt one stands for ("databses" -> "database"); else the word as it is."""
    base = singular(word.lower())
    known = {*KIND_WORDS, *CONCEPT_WORDS}
    if len(base) < 6 or base in known or says_little(word):
        return base
    close = difflib.get_close_matches(base, [one for one in known if len(one) >= 6], 1, 0.86)
    return close[0] if close else base


def fits_concept(concept: str, text: str) -> bool:
    """True where a group, kind, name or image (dashes and dots read as blanks) is called like this concept."""
    return CONCEPTS[concept].search(re.sub(r"[-_./:@]+", " ", text.lower())) is not None


def says_little(word: str) -> bool:
    """True for words that name nothing in particular, alone: "the", "version", "restarting", "pods"."""
    base = word.lower().replace("’", "'")
    return bool({base, singular(base)} & (FUNCTION_WORDS | TRADE_WORDS)) or base.endswith("n't")
