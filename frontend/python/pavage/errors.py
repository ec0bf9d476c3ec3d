# The exceptions of Pavage and their printed form. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every error has a number that `pavage explain PVnnnn` describes, and, where one is known, a place:
#
#   demo.py:7:12: error PV0002: expected a name that is defined, got 'colz'
#       v = tl.load(x + colz)
#                       ^
from __future__ import annotations


class Error(Exception):
    """A numbered error. Attributes: number, text, file, line, column (from 1; 0 = unknown), notes, rendered."""

    def __init__(self, number, text="", file="", line=0, column=0, notes=(), source_line=None, rendered=None):
        self.number = int(number)
        self.text = self.error_message = str(text)
        self.file = file or ""
        self.line = int(line)
        self.column = int(column)
        self.notes = [tuple(n) for n in notes]
        self.rendered = rendered or self._render(source_line)
        super().__init__(self.rendered)

    # Arguments as above, so that errors survive pickling (process pools).
    def __reduce__(self):
        return type(self), (self.number, self.text, self.file, self.line, self.column, self.notes, None, self.rendered)

    def append(self, text):
        """Lets the printed form end with further lines."""
        self.rendered += "\n" + text
        self.args = (self.rendered,)

    def _render(self, source_line):
        parts = [_render(f"error PV{self.number:04d}", self.text, self.file, self.line, self.column, source_line)]
        parts += [_render("note", *note) for note in self.notes]
        return "\n".join(parts)

    def __str__(self):
        return self.rendered


class CompilationError(Error):
    """The kernel cannot be compiled."""


class LaunchError(Error):
    """The kernel cannot be launched with these arguments, or was stopped while it ran."""


class ArgumentError(LaunchError, TypeError):
    """An argument is missing, unknown, or of a type that kernels do not take."""


class ArgumentOverflowError(ArgumentError, OverflowError):
    """An argument does not fit its parameter's type."""


class CheckError(LaunchError):
    """A running kernel did something that it must not: an access out of bounds, a false assertion."""


class OutOfResources(LaunchError):
    """The device has less memory or fewer registers than the kernel wants."""


class TuningError(Error):
    """No candidate of an autotuned kernel can be used."""


class InterpreterError(Error):
    """An error of a kernel that runs with PAVAGE_INTERPRET=1."""


class SimError(Error):
    """The virtual GPU stopped at a fault."""


class InternalError(Error):
    """Pavage itself has gone wrong."""


_ARGUMENT_NUMBERS = {302, 305, 306, 307, 308, 313}
_RESOURCE_NUMBERS = {314, 318}


def class_of(number):
    """The exception class of an error number."""
    if number < 300:
        return CompilationError
    if number in _ARGUMENT_NUMBERS:
        return ArgumentError
    if number == 309:
        return ArgumentOverflowError
    if number in _RESOURCE_NUMBERS:
        return OutOfResources
    if number < 400:
        return LaunchError
    if number < 500:
        return TuningError if number >= 410 else Error
    if number < 600:
        return CheckError
    if number < 800:
        return SimError
    return InternalError if number >= 900 else Error


#: While a layer for another language is installed: gives an error what that language says besides.
dress = None


def make(number, text, file="", line=0, column=0, notes=(), source_line=None, rendered=None):
    """The exception for an error of any layer."""
    error = class_of(number)(number, text, file, line, column, notes, source_line, rendered)
    return dress(error) if dress else error


def from_builder(number, text, file, line, column, notes):
    """The exception for an error of the builder; what it says not of a place, the kernel being traced says."""
    return make(number, text, file, line, column, notes)


def _render(kind, text, file="", line=0, column=0, source_line=None):
    if not file:
        return f"{kind}: {text}"
    place = file + (f":{line}" if line else "") + (f":{column}" if line and column else "")
    out = f"{place}: {kind}: {text}"
    if line and source_line is None:
        import linecache

        source_line = linecache.getline(file, line)
    source_line = (source_line or "").rstrip("\r\n")
    if source_line.strip():
        out += "\n    " + source_line.strip("\f").expandtabs(4)
        if column:
            # Columns count bytes of UTF-8; the caret stands below the character.
            before = source_line.encode()[: column - 1].decode(errors="ignore")
            out += "\n    " + " " * len(before.expandtabs(4)) + "^"
    return out
