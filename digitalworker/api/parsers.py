import json
import math

from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer

DEPTH_MOST = 32
DIGITS_MOST = 30  # no number of ours has more


class LengthRequired(APIException):
    status_code = 411
    default_detail = "Send the request with a Content-Length; bodies of unknown length are not read."
    default_code = "length_required"


class StrictJSON(BaseParser):
    """JSON as the standard has it, and as the database can keep it.

    Refused: anything that is not UTF-8, NaN and infinities, numbers beyond all use, a name twice in one object, NUL and
    half of a surrogate pair in a text, and nesting that would exhaust whoever walks it.
    """

    media_type = "application/json"
    renderer_class = JSONRenderer

    def parse(self, stream, media_type=None, parser_context=None):
        # `body` and not the stream: it is what refuses more than DATA_UPLOAD_MAX_MEMORY_SIZE.
        raw = parser_context["request"]._request.body if parser_context else stream.read()
        try:
            value = json.loads(
                raw.decode("utf-8-sig"),
                parse_constant=_no_constant,
                parse_float=_finite,
                parse_int=_sane,
                object_pairs_hook=_once,
            )
        except UnicodeDecodeError:
            raise ParseError("The body is not UTF-8.") from None
        except RecursionError:
            raise ParseError("The JSON is nested too deep.") from None
        except json.JSONDecodeError as error:
            raise ParseError(f"The body is not JSON: {error.msg}, line {error.lineno} column {error.colno}.") from None
        except ValueError as error:
            raise ParseError(str(error)) from None
        _walk(value)
        return value


def _no_constant(name: str):
    raise ValueError(f"{name} is not JSON.")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("A number is too large.")
    return value


def _sane(text: str) -> int:
    if len(text) > DIGITS_MOST:
        raise ValueError("A number is too large.")
    return int(text)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("An object has the same name twice.")
    return found


def _walk(value: object) -> None:
    """Level by level, so that depth costs no stack."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEPTH_MOST:
            raise ParseError("The JSON is nested too deep.")
        below: list[object] = []
        for one in level:
            if isinstance(one, str):
                _storable(one)
            elif isinstance(one, dict):
                below += [*one.keys(), *one.values()]
            elif isinstance(one, list):
                below += one
        level = below


def _storable(text: str) -> None:
    if "\x00" in text:
        raise ParseError("A text holds a NUL character (\\u0000).")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ParseError("A text holds half of a surrogate pair, such as \\ud83d alone.")
