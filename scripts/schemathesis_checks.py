"""What scripts/check-schemathesis.ts adds to Schemathesis: addresses that may be shortened, and the rules that no schema can say."""

import re

import schemathesis
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import (
    ensure_resource_availability,
    ignored_auth,
    negative_data_rejection,
    positive_data_acceptance,
)

HOSTS = st.builds(
    "{}.{}".format,
    st.from_regex(r"[a-z]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True),
    st.sampled_from(["example.com", "example.org", "wikipedia.org"]),
)
PATHS = st.from_regex(r"(/[A-Za-z0-9._~-]{0,12}){0,4}(\?[a-z]{1,8}=[A-Za-z0-9]{0,12})?(#[a-z]{0,8})?", fullmatch=True)
schemathesis.openapi.format("iri", st.builds("{}://{}{}".format, st.sampled_from(["http", "https", "HTTPS"]), HOSTS, PATHS))

# A schema cannot state these rules, because each depends on more than the value: the Internet, reserved names,
# other rows or the state of a link.
UNSAYABLE = {
    "a destination is on a public host, and not here": r"must have a (public|valid) host name|must not lead (to a private|back)",
    "a destination is a URL that browsers read": r"is not a valid URL|must not (have white space|contain)|must have a host",
    "a destination is at most 2048 bytes": r"must be at most 2048 bytes long",
    "some slugs are reserved": r"is reserved",
    "no slug is in a batch twice": r"is the same as links\[\d+\]\.custom_slug",
    "no slug is named twice": r'must not repeat "',
    "a batch is at most what an hour allows": r"the limit of creations per hour",
    "a link is revoked once, and only if it is active": r"is already revoked|is flagged; it does not redirect",
    "a link is reviewed if it is flagged": r"Only a flagged link can be reviewed",
    "a case is decided once": r"is already decided",
    "admin is the only scope of a key": r"must not combine admin with other scopes",
    "a key ends in the future, on a day that there is": r"must be in the future|must be a (date, or a )?time such as",
    "a link ends within ten years, and only once": r"must be at most 10 years|must be a time with a zone|cannot be changed: the link is revoked",
    "a tag is added or removed, and links have room for it": r"must have add or remove|is also in add|would have \d+ tags",
    "a code is readable, and has a pixel for each module": r"must have a contrast of|must be at least \d+ for the code",
    "nobody suspends themselves": r"must not be your own account",
    "webhooks go to https": r"must begin with https://",
    "messages go to a webhook that is enabled, one at a time": r"is disabled|is still pending",
}
KNOWN = re.compile("|".join(UNSAYABLE.values()))


@schemathesis.check
def valid_data_is_accepted(ctx, response, case):
    if response.status_code == 400:
        error = response.json()
        problems = error.get("details", {}).values() or [error["message"]]
        if all(KNOWN.search(problem) for problem in problems):
            return None
    return positive_data_acceptance(ctx, response, case)


def counts_less(value, name=None):
    """Tells whether the API counts less than a schema does: it removes white space around texts, and repeated tags."""
    if isinstance(value, str):
        return value != value.strip() or value != value.strip("\ufeff")
    if isinstance(value, dict):
        return any(counts_less(entry, name) for name, entry in value.items())
    if isinstance(value, list):
        repeated = any(entry in value[:i] for i, entry in enumerate(value))
        return (name == "tags" and repeated) or any(map(counts_less, value))
    return False


@schemathesis.check
def invalid_data_is_rejected(ctx, response, case):
    return None if counts_less(case.body) else negative_data_rejection(ctx, response, case)


@schemathesis.check
def credentials_are_checked(ctx, response, case):
    # The check spoils one way to authenticate and still sends the key. If either way is enough, that proves nothing.
    if len(case.operation.definition.raw.get("security", [])) > 1:
        return None
    return ignored_auth(ctx, response, case)


@schemathesis.check
def what_was_made_is_there(ctx, response, case):
    # A key has two addresses for its deletion. After a deletion at one address, the other address has no key, either.
    return None if "/keys/" in case.operation.path else ensure_resource_availability(ctx, response, case)
