"""Texts of programs and files made fit to be printed."""

from __future__ import annotations


def plain(text: str, keep: str = "\t") -> str:
    """The text with escapes for what no terminal should be sent: control characters, line ends,
    marks of direction, surrogates.

    ``keep``: the characters that are left as they are.

    >>> print(plain("a\\x1b[2Jb\\n"))
    a\\x1b[2Jb\\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def plain_lines(text: str) -> str:
    """The same for a text of several lines, whose line ends are kept."""
    return plain(text, "\t\n")


def with_article(name: str) -> str:
    """The name of a kind of thing with its indefinite article.

    >>> with_article("int"), with_article("ndarray"), with_article("ufunc")
    ('an int', 'an ndarray', 'a ufunc')
    """
    return f"{'an' if name[:1].lower() in 'aeio' or name == 'ndarray' else 'a'} {name}"
