"""The decorators of the kernels: compiled, cached, without the interpreter's lock."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from llvmlite import binding, ir
from numba import cfunc, njit, types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from ramisim.kernels.compiling import alone, compile_now

OPTIONS: Final = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
"""Kernels do not allocate, so they need not count references to arrays: that took a seventh of a
round, and much of the time of compiling."""


def _dispatcher(function: Callable[..., Any], **options: Any) -> Any:
    return _once(_widening(njit(**OPTIONS | options)(function)))


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel lazily; its machine code is cached (see ``ramisim.kernels``).

    One whose name begins with an underscore is for kernels only.
    """
    if function.__name__.startswith("_"):
        return inner(function)
    return _dispatcher(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A few-instruction kernel that LLVM is told to put into its callers."""
    return _dispatcher(function, forceinline=True)


def inner(function: Callable[..., Any]) -> Any:
    """A kernel that only kernels call: without an entry for Python it compiles faster."""
    return _dispatcher(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def giving(function: Callable[..., Any]) -> Any:
    """A kernel that makes an array or returns a part of one: here references are counted."""
    # Said, for else it is as in the kernel that calls it first.
    return _dispatcher(function, _nrt=True)


def eager(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """A kernel of one signature that is compiled where it is defined, to be used as a value."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = _dispatcher(function)

        def compile_it() -> None:
            dispatcher.compile(signature)
            dispatcher.disable_compile()

        compile_now(_name(function), compile_it)
        return dispatcher

    return decorate


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__name__}"


def _once(dispatcher: Any) -> Any:
    """Let a kernel be compiled by one process, for all that want it at the same time."""
    of_signature = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        with alone(_name(dispatcher.py_func)):
            return of_signature(signature)

    dispatcher.compile = compile_alone
    return dispatcher


def _widening(dispatcher: Any) -> Any:
    """Let a kernel be compiled once for all integers that fit int64, and truth values.

    Numba compiles a function anew for int8, int32, uint8, bool and for every constant it is
    called with: a third of all compiling, for the same machine code but for a sign extension.
    """
    of_types = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return of_types(
            tuple(_widened(kind) for kind in args),
            {name: _widened(kind) for name, kind in kws.items()},
        )

    dispatcher.get_call_template = get_call_template
    return dispatcher


def _widened(kind: Any) -> Any:
    plain: Any = types.unliteral(kind)  # type: ignore[no-untyped-call]
    return types.int64 if plain in _NARROW else plain


def separate(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """A kernel that is compiled once and linked to its callers, instead of into each of them.

    Numba optimises a function together with everything it calls, so what many kernels call
    would be compiled again in each of its callers, and theirs: minutes. This one becomes a C
    function with a symbol of its own; a call costs the two nanoseconds of a call. It is compiled
    (or loaded) where it is defined, so that the symbol is there before any caller's code is.

    Parameters
    ----------
    signature : numba signature
        Of scalars, records and arrays; the arguments of a call are cast to it.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        symbol = _name(function)
        compiler = cfunc(signature, cache=True, error_model="numpy", _nrt=False)
        compiled = compile_now(symbol, lambda: compiler(function))
        # Where compiling is put off nothing is called, but the symbol is linked all the same.
        binding.add_symbol(symbol, compiled.address if compiled else 1)
        _LINKED.append(compiled)

        def call(typingctx: Any, *kinds: Any) -> Any:
            def write_call(context: Any, builder: Any, _: Any, values: Any) -> Any:
                returned = context.get_value_type(signature.return_type)
                kind = ir.FunctionType(returned, [value.type for value in values])
                target = get_or_insert_function(builder.module, kind, symbol)  # type: ignore[no-untyped-call]
                return builder.call(target, values)

            taken = (_as_given(*pair) for pair in zip(kinds, signature.args, strict=True))
            return signature.return_type(*taken), write_call

        own = inspect.signature(function).parameters.values()
        context = inspect.Parameter("typingctx", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        call.__signature__ = inspect.Signature([context, *own])  # type: ignore[attr-defined]
        call.__name__, call.__doc__ = function.__name__, function.__doc__
        return intrinsic(call)

    return decorate


def _as_given(kind: Any, wanted: Any) -> Any:
    """An array that lies in a record is the same four numbers, though Numba casts it to none."""
    if isinstance(kind, types.NestedArray) and isinstance(wanted, types.Array):
        same = (kind.dtype, kind.ndim, kind.layout) == (wanted.dtype, wanted.ndim, wanted.layout)
        return kind if same else wanted
    return wanted


_NARROW: Final = (
    types.boolean, types.int8, types.int16, types.int32, types.uint8, types.uint16, types.uint32,
)  # fmt: skip

_LINKED: Final[list[Any]] = []
"""What `separate` compiled: its machine code must outlive every caller."""
