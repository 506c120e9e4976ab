"""User strategies as machine code that the engine calls without being compiled again.

Each function of the user's is compiled as it stands, with checked indices, and a shim of the
engine's signature calls it: the shim cuts the strategy's own numbers out of the vector, gives
the addresses of the scratch record and of the key of its chance instead of what stands there.
Shims are kept under a digest of the kernels and of the user's file.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
import sys
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ramisim.errors import StrategyError

if TYPE_CHECKING:
    from ramisim.strategy.user import UserStrategy

__all__ = ["compiled", "user_cache"]

_CALL: Final = "seen, hand, rules, params[{begin}:{end}], key.ctypes.data, address_of(box)"
_SHIMS: Final = {
    "draw": """
def {name}_draw(seen, hand, rules, params, key, box):
    return answer_of(asked(%s))
""",
    "plays": """
def {name}_plays(seen, hand, rules, params, key, box, rows):
    cleared(rows)
    return answer_of(asked(%s, rows))
""",
    "discard": """
def {name}_discard(seen, hand, rules, params, key, box):
    return answer_of(asked(%s))
""",
}
_SAID_AFTER: Final = 1.5
"""Seconds of compiling before it is told."""
_lock = threading.Lock()
_done: dict[tuple[str, str], dict[str, Any]] = {}


def user_cache(strategy: UserStrategy) -> Path:
    """Folder of a strategy's machine code: another file, base or kernel means another folder.

    So does the same file in another place: what Numba keeps names the module that it came from,
    and a file is a module of its place.
    """
    from ramisim.kernels import CACHE_FOLDER

    homes = sorted({function.__module__ for function in strategy.own_functions.values()})
    text = f"{strategy.family} {strategy.digest} {strategy.place} {sorted(strategy.own)} {homes}"
    return CACHE_FOLDER / "user" / hashlib.sha256(text.encode()).hexdigest()[:16]


def compiled(strategy: UserStrategy) -> dict[str, Any]:
    """The functions of a user's strategy, by question, of the engine's signatures.

    Raises
    ------
    StrategyError
        A function that Numba cannot compile, or whose answer is no whole number.
    """
    folder = user_cache(strategy)
    known = (strategy.name, str(folder))
    with _lock:
        if known not in _done:
            _done[known] = _compile(strategy, folder)
        return _done[known]


def _say(name: str) -> None:
    print(
        f"ramisim: compiling {name}, once for this version of it (seconds) ...",
        file=sys.stderr,
        flush=True,
    )


def _compile(strategy: UserStrategy, folder: Path) -> dict[str, Any]:
    import numba
    from numba import njit

    # The services are compiled, or taken from the cache, in the kernels' own folder.
    from ramisim.kernels import asking, public

    signatures = {
        "draw": asking.DRAW_SIGNATURE,
        "plays": asking.PLAYS_SIGNATURE,
        "discard": asking.DISCARD_SIGNATURE,
    }
    patience = threading.Timer(_SAID_AFTER, _say, [strategy.name])
    patience.daemon = True
    patience.start()
    begin, end = strategy.place
    name = re.sub(r"\W", "_", strategy.family)
    functions = {}
    kept, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)  # type: ignore[attr-defined]
    try:
        for question, function in strategy.own_functions.items():
            scope = {
                "__name__": __name__,
                "asked": njit(nogil=True, boundscheck=True)(getattr(function, "py_func", function)),
                "address_of": public.address_of,
                "answer_of": public.answer_of,
                "cleared": public.cleared,
            }
            call = _CALL.format(begin=begin, end=end)
            text = (_SHIMS[question] % call).format(name=name)
            exec(compile(text, __file__, "exec"), scope)
            shim = scope[f"{name}_{question}"]
            functions[question] = _translated(strategy, question, shim, signatures[question], njit)
    finally:
        patience.cancel()
        numba.config.CACHE_DIR = kept  # type: ignore[attr-defined]
    return functions


def _translated(strategy: UserStrategy, question: str, shim: Any, signature: Any, njit: Any) -> Any:
    from numba.core.errors import NumbaError

    try:
        return njit(signature, cache=True, nogil=True)(shim)
    except NumbaError as error:
        where, why = explained(str(error), strategy.file)
    except KeyError as error:
        # So Numba says that a record has no such field.
        where, why = _field_asked(strategy.own_functions[question], str(error.args[0]))
    except Exception as error:  # Numba lets errors of its own pass, and they are of any kind
        where, why = "", f"{type(error).__name__}: {error}"
    raise StrategyError(f"strategy {strategy.name}: {question} cannot be compiled{where}: {why}")


def _field_asked(function: Any, field: str) -> tuple[str, str]:
    """Where a function asks for a field that its argument does not have."""
    from ramisim.kernels import state

    records = {"seen": state.SEEN, "hand": state.HAND, "rules": state.RULES}
    arguments = function.__code__.co_varnames[: len(records)]
    kinds = dict(zip(arguments, records, strict=True))
    first = function.__code__.co_firstlineno
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Attribute) and node.attr == field:
            what = kinds.get(node.value.id) if isinstance(node.value, ast.Name) else None
            if what is not None and field not in (records[what].names or ()):
                known = ", ".join(records[what].names or ())
                where = f" (line {first + node.lineno - 1})"
                return where, f"{what} has no field '{field}' (there are {known})"
    return "", f"no field '{field}' in seen, hand or rules"


def explained(message: str, file: str) -> tuple[str, str]:
    """The place and the reason in a message of Numba's, in a few words.

    Parameters
    ----------
    message : str
        What Numba says: many lines, with the types of whole records in them.
    file : str
        The user's file: of the places named, the last one in it counts.
    """
    plain = re.sub(r"\x1b\[[0-9;]*m", "", message)
    places = re.findall(r'File "([^"]+)", line (\d+)', plain)
    own = [number for name, number in places if file and Path(name).name == Path(file).name]
    where = f" (line {own[-1]})" if own else ""
    field = re.search(r"Unknown attribute '(\w+)' of type (.+)", plain)
    if field:
        kind = field[2].strip()
        return where, f"there is no '{field[1]}' in {kind if len(kind) < 60 else 'a record'}"
    answer = re.search(r"answers must be whole numbers, found ([^\n]+)", plain)
    if answer:
        return "", f"its answer must be a whole number, found {answer[1].strip()}"
    return where, _first_reason(plain)


_TELLING: Final = (
    "NameError",
    "Untyped global",
    "Cannot unify",
    "No match",
    "Cannot bind",
    "Use of unsupported",
    "Invalid use",
    "TypeError",
    "No implementation",
    "Cannot determine",
)


def _first_reason(plain: str) -> str:
    """The line of Numba's message that says most."""
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    skipped = ("Failed in", "During:", "File ", "- ", "<source", "[1", "There are", "This error")
    told = [line for line in lines if not line.startswith(skipped)]
    best = next((line for line in told if line.startswith(_TELLING)), told[0] if told else plain)
    if best.startswith("Untyped global"):
        best += " (decorate functions that you call with helper)"
    if best.startswith(("Cannot bind", "No match")):
        best = "a service is called with arguments of another number or kind"
    best = re.sub(r"Record\(.*?;\d+;(?:True|False)\)", "Record", best)
    return best if len(best) < 240 else best[:237] + "..."
