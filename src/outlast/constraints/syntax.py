"""The rule language's syntax: text to the tree of `expression`, and back.

A tokenizer and a precedence-climbing parser (Pratt, "Top down operator precedence", POPL 1973), both by hand:
docs/language.md has the grammar, docs/decisions/0002-own-parser.md the reasons.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NoReturn

from outlast.constraints.errors import printable
from outlast.constraints.expression import (
    FUNCTIONS,
    And,
    Bool,
    Call,
    Compare,
    Expr,
    If,
    Implies,
    Is,
    Literal,
    Name,
    Not,
    Op,
    Or,
    Product,
    Quantile,
    Span,
    Sum,
)
from outlast.constraints.quantities import (
    DURATION_UNITS,
    UNIT_SLIPS,
    QuantityError,
    Sentinel,
    format_value,
    parse_quantity,
)
from outlast.constraints.record import record

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "RESERVED",
    "Link",
    "RuleSyntaxError",
    "check_name",
    "normal_name",
    "parse_condition",
    "parse_expression",
    "parse_rule",
    "to_text",
]

#: How deep parentheses, functions and operators may nest in one formula; a long sum or `and` is one level.
MAX_DEPTH: Final = 100

#: How many characters a formula may have.
MAX_LENGTH: Final = 20_000

_MAX_NAME: Final = 200
_KEYWORDS: Final = frozenset({"and", "or", "not", "is", "if", "infinite", "off", "any"})

#: Words that cannot name a parameter or a measurement. Only whole names are reserved: `pool.min` is one.
RESERVED: Final = _KEYWORDS | FUNCTIONS.keys() | {Op.MULTIPLE.value} | DURATION_UNITS.keys()

# Precedence, loosest first.
_IMPLIES, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _PRIMARY = range(1, 10)
_OPS: Final = {op.value: op for op in Op if op is not Op.MULTIPLE} | {"≤": Op.LE, "≥": Op.GE, "≠": Op.NE}
_LEVELS: Final = (
    {"=>": _IMPLIES, "or": _OR, "and": _AND, "is": _COMPARE, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
) | dict.fromkeys(_OPS, _COMPARE)
_UPWARD: Final = (Op.LT, Op.LE)
_DOWNWARD: Final = (Op.GT, Op.GE)
_CONDITIONS: Final = (Compare, Is, And, Or, Not, Implies)
#: What is written like a function of numbers, with the fewest and the most arguments.
_CALLS: Final[dict[str, tuple[int, int | None]]] = FUNCTIONS | {"if": (3, 3), Op.MULTIPLE.value: (2, 2)}
_ARGUMENTS: Final = {
    "backoff": " (base, factor, cap, retries)",
    "if": " (condition, then, otherwise)",
    Op.MULTIPLE.value: " (number, divisor)",
}

_TOKEN: Final = re.compile(
    r"(?P<number>\.?[0-9][\w.%]*)"
    r"|(?P<quantile>p[0-9]+(?:\.[0-9]+)?(?=\s*\())"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"
    r"|(?P<slip><=>|===|==>|=<|!==|<>|&&|\|\||\*\*|//|->)"
    r"|(?P<sign>=>|<=|>=|==|!=|[-+*/<>(),≤≥≠])"
)
_RATE: Final = re.compile(r"/([A-Za-zµμ]+)(?![\w.]|\s*\()")

_NO_POWERS: Final = "but there are no powers; write a product, a * a"
_SLIPS: Final = {
    "=": "expected '=='",
    "===": "expected '=='",
    "=<": "expected '<='",
    "⩽": "expected '<='",
    "⩾": "expected '>='",
    "!==": "expected '!='",
    "<>": "expected '!='",
    "&&": "expected 'and'",
    "&": "expected 'and'",
    "||": "expected 'or'",
    "|": "expected 'or'",
    "!": "expected 'not'",
    "->": "expected '=>'",
    "==>": "expected '=>'",
    "→": "expected '=>'",
    "⇒": "expected '=>'",
    "<=>": "but there is no sign for it; write (A => B) and (B => A)",
    "**": _NO_POWERS,
    "^": _NO_POWERS,
    "//": "expected '/', or floor(a / b) for whole numbers",
    "%": "but there is no remainder; write multiple_of(a, b), or a percentage without a blank: 20%",
    "−": "expected '-'",
    "–": "expected '-'",
    "×": "expected '*'",
    "·": "expected '*'",
    "÷": "expected '/'",
    "∞": "expected a condition such as 'x is infinite'",
    "?": "expected if(condition, a, b)",
    ";": "expected 'and' between conditions",
    "[": "expected '('",
    "{": "expected '('",
    "]": "expected ')'",
    "}": "expected ')'",
}


class RuleSyntaxError(ValueError):
    """A formula that cannot be read; `span` is the start and end offset of what is wrong in its text."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


@record(kw_only=True)
class Link:
    """One comparison of a rule that is a chain, or the whole of any other rule; `text` is how it was written."""

    formula: Bool
    text: str


def parse_rule(text: str) -> tuple[Link, ...]:
    """Read a requirement: one link per sign of a chain `a < b <= c`, one for anything else.

    A chain inside another formula or in parentheses is an `And` of its comparisons.

    Raises:
        RuleSyntaxError: the text is no condition of the language, is too long or nests too deep.

    >>> [link.text for link in parse_rule("ping < deadline < 60s")]
    ['ping < deadline', 'deadline < 60s']
    """
    parser = _Parser(text)
    node = parser.whole_condition()
    if isinstance(node, And) and parser.chain:
        return tuple(
            Link(formula=part, text=_one_line(text[start:end]))
            for part, (start, end) in zip(node.parts, parser.chain, strict=True)
        )
    return (Link(formula=node, text=_one_line(text)),)


def parse_condition(text: str) -> Bool:
    """Read a condition, as `when` takes it.

    Raises:
        RuleSyntaxError: as `parse_rule`.
    """
    return _Parser(text).whole_condition()


def parse_expression(text: str) -> Expr:
    """Read an expression that has a number as its value, as `derived` takes it.

    Raises:
        RuleSyntaxError: as `parse_rule`, and for a condition.
    """
    return _Parser(text).whole_number()


def normal_name(name: str) -> str:
    """The spelling by which names are compared: Unicode's normal form C (UAX 15)."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFC", name)


def check_name(name: str) -> str | None:
    """Why a text cannot name a parameter or a measurement; None if it can.

    >>> check_name("client.ping"), check_name("s")
    (None, "'s' is a unit of the rule language")
    """
    name = normal_name(name)
    if not name:
        return "a name is empty"
    if len(name) > _MAX_NAME:
        return f"a name has {len(name)} characters, {_MAX_NAME} are the most"
    for part in name.split("."):
        if not part:
            return f"'{_short(name)}' has an empty part; a name is words joined by single dots"
        if not part.isidentifier():
            wrong = next((c for c in part if not ("a" + c).isidentifier()), None)
            if wrong is None:
                return f"'{_short(part)}' does not start with a letter or '_'"
            hint = f"; did you mean '{_short(name.replace('-', '_'))}'?" if wrong == "-" else ""
            what = "a blank" if wrong.isspace() else f"'{printable(wrong)}'"
            return f"{what} cannot stand in a name: it has letters, digits and '_', joined by dots{hint}"
    if name in RESERVED:
        return f"'{name}' is {_reserved_as(name)} of the rule language"
    return None


def _reserved_as(word: str) -> str:
    return "a keyword" if word in _KEYWORDS else "a function" if word in _CALLS else "a unit"


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 40 else text[:24] + "…" + text[-8:]


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _Token:
    """A piece of the text; no dataclass, since there are many of them and one formula lives shortly."""

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        #: number, quantile, word, keyword, sign or end.
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end

    @property
    def span(self) -> Span:
        return (self.start, self.end)

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"'{_short(self.text)}'"


def _tokens(text: str) -> list[_Token]:
    if len(text) > MAX_LENGTH:
        message = f"found a formula of {len(text)} characters, {MAX_LENGTH} are the most"
        raise RuleSyntaxError(message, (MAX_LENGTH, len(text)))
    found: list[_Token] = []
    ascii_only = text.isascii()
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _TOKEN.match(text, at)
        kind = None if match is None else match.lastgroup
        if not ascii_only and kind in (None, "word") and text[at].isidentifier():
            kind, end = "word", _end_of_word(text, at)
        elif match is None or kind is None or kind == "slip":
            _refuse(text, at, 1 if match is None else match.end() - at)
        else:
            end = match.end()
        if kind == "number":
            rate = _RATE.match(text, end)
            if rate and rate[1] in DURATION_UNITS and text[at:end].replace(".", "", 1).isdigit():
                end = rate.end()
        if kind == "word" and text[end : end + 1] == ".":
            is_quantile = text[at] == "p" and text[at + 1 : end].isdigit()
            expected = "'(' and a measurement" if is_quantile else "a letter or '_' after the dot"
            raise RuleSyntaxError(f"found '{_short(text[at : end + 2])}', expected {expected}", (at, end + 1))
        word = text[at:end] if ascii_only else normal_name(text[at:end])
        if kind == "word" and word in _KEYWORDS:
            kind = "keyword"
        found.append(_Token(kind, word, at, end))
        at = end
    found.append(_Token("end", "", len(text), len(text)))
    return found


def _end_of_word(text: str, at: int) -> int:
    """Where the dotted name ends; combining marks belong to it, which `\\w` does not say."""
    while True:
        while at < len(text) and ("a" + text[at]).isidentifier():
            at += 1
        if not (text[at : at + 1] == "." and text[at + 1 : at + 2].isidentifier()):
            return at
        at += 1


def _refuse(text: str, at: int, length: int) -> NoReturn:
    slip = text[at : at + length]
    if slip in ("'", '"', "`"):
        raise RuleSyntaxError("found a quote, but names stand without quotes", (at, at + length))
    if slip in _SLIPS:
        raise RuleSyntaxError(f"found '{slip}', {_SLIPS[slip]}", (at, at + length))
    if slip.isdigit():
        raise RuleSyntaxError(f"found '{slip}', expected a digit from 0 to 9", (at, at + length))
    message = f"found '{printable(slip)}', which is no part of the rule language"
    raise RuleSyntaxError(message, (at, at + length))


class _Parser:
    """One pass over one text; `chain` holds the extents of the links if the last formula read was a bare chain."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.index = 0
        self.token = self.tokens[0]
        self.depth = 0
        self.chain: list[Span] = []

    def whole_condition(self) -> Bool:
        node, extent = self._whole()
        if not isinstance(node, _CONDITIONS):
            found = f"only the number '{_short(self.text[slice(*extent)])}'"
            raise RuleSyntaxError(f"expected a condition such as a < b, found {found}", extent)
        return node

    def whole_number(self) -> Expr:
        node, extent = self._whole()
        if isinstance(node, _CONDITIONS):
            raise RuleSyntaxError("expected a number, found a condition", extent)
        return node

    def _whole(self) -> tuple[Expr | Bool, Span]:
        if self.token.kind == "end":
            raise RuleSyntaxError("expected a formula, found nothing", self.token.span)
        start = self.token.start
        node = self._formula(_IMPLIES)
        if self.token.kind != "end":
            self._unexpected("an operator or the end")
        return node, (start, self._last_end())

    def _advance(self) -> _Token:
        token = self.token
        self.index += 1
        self.token = self.tokens[self.index]
        return token

    def _last_end(self) -> int:
        return self.tokens[self.index - 1].end

    def _formula(self, level: int) -> Expr | Bool:
        """Read as long as operators bind at least as tightly as `level`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RuleSyntaxError(f"found a formula that nests deeper than {MAX_DEPTH} levels", self.token.span)
        start = self.token.start
        node, is_minus = self._prefix(level)
        while self.token.kind in ("sign", "keyword"):
            sign = self.token.text
            if _LEVELS.get(sign, 0) < level:
                break
            if sign in ("*", "/"):
                node = self._product(node, start)
            elif sign in ("+", "-"):
                node = self._sum(node, start, is_minus)
            elif sign == "is":
                node = self._is(node, start)
            elif sign == "=>":
                node = self._implies(node, start)
            elif sign in ("and", "or"):
                node = self._junction(node, start)
            else:
                node = self._comparison(node, start)
                is_minus = False
                continue
            self.chain, is_minus = [], False
        self.depth -= 1
        return node

    def _prefix(self, level: int) -> tuple[Expr | Bool, bool]:
        """An operand with what stands before it, and whether that is a minus sign."""
        token = self.token
        if token.text == "not" and token.kind == "keyword" and level <= _NOT:
            self._advance()
            part = self._condition("after 'not'", level=_NOT)
            self.chain = []
            return Not(part=part, span=(token.start, self._last_end())), False
        if token.text == "-" and token.kind == "sign":
            self._advance()
            operand = self._number("after '-'", level=_UNARY)
            span = (token.start, self._last_end())
            return Sum(terms=((-1, operand),), operators=(token.span,), span=span), True
        return self._primary(), False

    def _number(self, where: str, *, level: int = _IMPLIES) -> Expr:
        start = self.token.start
        return self._as_number(self._formula(level), where, start)

    def _condition(self, where: str, *, level: int = _IMPLIES) -> Bool:
        start = self.token.start
        return self._as_condition(self._formula(level), where, start)

    def _as_number(self, node: Expr | Bool, where: str, start: int) -> Expr:
        if isinstance(node, _CONDITIONS):
            message = f"expected a number {where}, found a condition; conditions are joined by 'and', 'or' and '=>'"
            raise RuleSyntaxError(message, (start, self._last_end()))
        return node

    def _as_condition(self, node: Expr | Bool, where: str, start: int) -> Bool:
        if not isinstance(node, _CONDITIONS):
            span = (start, self._last_end())
            found = _short(self.text[slice(*span)])
            raise RuleSyntaxError(f"expected a condition {where}, found the number '{found}'", span)
        return node

    def _product(self, first: Expr | Bool, start: int) -> Product:
        factors = [(1, self._as_number(first, f"before '{self.token.text}'", start))]
        operators = [(start, start)]
        while self.token.kind == "sign" and self.token.text in ("*", "/"):
            sign = self._advance()
            factors.append((1 if sign.text == "*" else -1, self._number(f"after '{sign.text}'", level=_UNARY)))
            operators.append(sign.span)
        return Product(factors=tuple(factors), operators=tuple(operators), span=(start, self._last_end()))

    def _sum(self, first: Expr | Bool, start: int, is_minus: bool) -> Sum:
        terms = [(1, self._as_number(first, f"before '{self.token.text}'", start))]
        operators = [(start, start)]
        if is_minus and isinstance(first, Sum):
            terms, operators = list(first.terms), list(first.operators)
        while self.token.kind == "sign" and self.token.text in ("+", "-"):
            sign = self._advance()
            terms.append((1 if sign.text == "+" else -1, self._number(f"after '{sign.text}'", level=_PRODUCT)))
            operators.append(sign.span)
        return Sum(terms=tuple(terms), operators=tuple(operators), span=(start, self._last_end()))

    def _comparison(self, first: Expr | Bool, start: int) -> Bool:
        operands = [self._as_number(first, f"before '{self.token.text}'", start)]
        extents = [(start, self._last_end())]
        signs: list[_Token] = []
        direction: _Token | None = None
        while self.token.kind == "sign" and self.token.text in _OPS:
            sign = self._advance()
            op = _OPS[sign.text]
            unequal = next((s for s in (*signs[:1], sign) if _OPS[s.text] is Op.NE), None)
            if signs and unequal:
                message = (
                    f"found '{unequal.text}' in a chain, in which it cannot stand; join two comparisons with 'and'"
                )
                raise RuleSyntaxError(message, unequal.span)
            if direction and op is not Op.EQ and (op in _UPWARD) != (_OPS[direction.text] in _UPWARD):
                message = f"found '{sign.text}' after '{direction.text}' in one chain, which keeps one direction"
                raise RuleSyntaxError(f"{message}; join two comparisons with 'and'", sign.span)
            direction = sign if op.orders else direction
            signs.append(sign)
            begin = self.token.start
            operands.append(self._number(f"after '{sign.text}'", level=_SUM))
            extents.append((begin, self._last_end()))
        links = [
            Compare(op=_OPS[sign.text], left=operands[i], right=operands[i + 1], span=sign.span)
            for i, sign in enumerate(signs)
        ]
        if len(links) == 1:
            self.chain = []
            return links[0]
        self.chain = [(extents[i][0], extents[i + 1][1]) for i in range(len(links))]
        return And(parts=tuple(links), span=(start, self._last_end()))

    def _is(self, subject: Expr | Bool, start: int) -> Is:
        if not isinstance(subject, Name):
            found = _short(self.text[start : self._last_end()])
            raise RuleSyntaxError(f"'is' asks about one parameter, found '{found}'", (start, self._last_end()))
        self._advance()
        token = self.token
        if token.kind == "keyword" and token.text in ("off", "infinite"):
            self._advance()
            return Is(name=subject.name, sentinel=Sentinel(token.text), span=(start, token.end))
        hint = f"; write 'not {_short(subject.name)} is off'" if token.text == "not" else ""
        raise RuleSyntaxError(f"expected 'off' or 'infinite' after 'is', found {token}{hint}", token.span)

    def _implies(self, condition: Expr | Bool, start: int) -> Implies:
        left = self._as_condition(condition, "before '=>'", start)
        self._advance()
        right = self._condition("after '=>'", level=_IMPLIES)
        return Implies(condition=left, conclusion=right, span=(start, self._last_end()))

    def _junction(self, first: Expr | Bool, start: int) -> And | Or:
        word = self.token.text
        parts = [self._as_condition(first, f"before '{word}'", start)]
        while self.token.kind == "keyword" and self.token.text == word:
            self._advance()
            parts.append(self._condition(f"after '{word}'", level=_LEVELS[word] + 1))
        span = (start, self._last_end())
        return And(parts=tuple(parts), span=span) if word == "and" else Or(parts=tuple(parts), span=span)

    def _primary(self) -> Expr | Bool:
        token = self.token
        if token.kind == "number":
            return self._literal()
        if token.kind == "quantile":
            return self._quantile()
        if token.kind == "word" or token.text == "if":
            following = self.tokens[self.index + 1]
            if following.kind == "sign" and following.text == "(":
                return self._call()
            return self._name()
        if token.text == "(" and token.kind == "sign":
            self._advance()
            node = self._formula(_IMPLIES)
            self._close(token, "an operator or ')'")
            self.chain = []
            return node
        raise self._no_operand()

    def _no_operand(self) -> RuleSyntaxError:
        token, before = self.token, self.tokens[self.index - 1] if self.index else None
        if token.kind == "keyword" and token.text in ("off", "infinite"):
            message = f"found '{token.text}', which is no number; ask with 'x is {token.text}'"
        elif token.kind == "keyword" and token.text == "any":
            message = "found 'any', which is a domain and no number"
        elif token.kind == "keyword" and token.text == "not":
            message = "expected a number, found 'not'; put the condition in parentheses"
        elif before is None:
            message = f"expected a number or a condition before {token}"
            if token.text == ")":
                message = "found ')' without its '('"
            elif token.text == "+":
                message = "found '+' before the first number, which has no sign"
        elif before.text in ("and", "or", "not", "=>") and before.kind in ("keyword", "sign"):
            message = f"expected a condition after '{before.text}', found {token}"
        elif before.text in ("(", ","):
            message = f"expected a formula after '{before.text}', found {token}"
        else:
            message = f"expected a number after {before}, found {token}"
        return RuleSyntaxError(message, token.span)

    def _literal(self) -> Literal:
        token = self._advance()
        if ".." in token.text:
            raise RuleSyntaxError(f"found the range '{_short(token.text)}', expected one number", token.span)
        try:
            quantity = parse_quantity(token.text)
        except QuantityError as error:
            raise RuleSyntaxError(error.message + _product_hint(token.text), token.span) from None
        value, kind = quantity.value, quantity.kind
        if isinstance(value, Sentinel) or kind is None:  # pragma: no cover  # a literal starts with a digit
            raise RuleSyntaxError(f"found '{token.text}', expected a number", token.span)
        following = self.token
        if token.text[-1].isdigit() and following.kind == "word":
            unit = following.text if following.text in DURATION_UNITS else UNIT_SLIPS.get(following.text)
            if unit:
                message = f"found '{token.text} {following.text}', expected '{token.text}{unit}', without a blank"
                raise RuleSyntaxError(message, (token.start, following.end))
        return Literal(value=value, time_exponent=kind.time_exponent, text=token.text, span=token.span)

    def _name(self) -> Name:
        token = self._advance()
        if token.kind == "keyword" or token.text in _CALLS:
            raise RuleSyntaxError(f"expected '(' after the function '{token.text}', found {self.token}", token.span)
        if token.text in DURATION_UNITS:
            message = (
                f"found the unit '{token.text}' without a number; write 1{token.text}, or a rate as 100/{token.text}"
            )
            raise RuleSyntaxError(message, token.span)
        self._check_name(token)
        return Name(name=token.text, span=token.span)

    def _check_name(self, token: _Token) -> None:
        reason = check_name(token.text)
        if reason:
            raise RuleSyntaxError(reason, token.span)

    def _quantile(self) -> Quantile:
        token = self._advance()
        if len(token.text) > 40:
            raise RuleSyntaxError(f"found '{_short(token.text)}', expected fewer digits", token.span)
        level = Fraction(token.text[1:]) / 100
        if not 0 < level < 1:
            message = f"found '{token.text}', expected a quantile between p0 and p100, both excluded"
            raise RuleSyntaxError(message, token.span)
        parenthesis = self._advance()
        name = self.token
        if name.kind == "end":
            self._close(parenthesis, "a measurement")
        expected = f"expected the name of one measurement in {token.text}(…), found"
        if name.kind != "word":
            raise RuleSyntaxError(f"{expected} {name}", name.span)
        self._check_name(name)
        self._advance()
        if self.token.kind != "end" and self.token.text != ")":
            hint = f"; write {token.text}(a) + {token.text}(b)" if self.token.text == "+" else ""
            message = f"{expected} an expression{hint}"
            raise RuleSyntaxError(message, (name.start, self.token.end))
        end = self._close(parenthesis, "')'").end
        return Quantile(level=level, measurement=name.text, span=(token.start, end))

    def _call(self) -> Call | If | Compare:
        token = self._advance()
        function = token.text
        if function not in _CALLS:
            raise RuleSyntaxError(_unknown_function(function), token.span)
        parenthesis = self._advance()
        condition: Bool | None = None
        arguments: list[Expr] = []
        count = 0
        if self.token.text != ")":
            while True:
                count += 1
                if function == "if" and count == 1:
                    condition = self._condition("as argument 1 of if")
                else:
                    arguments.append(self._number(f"as argument {count} of {function}"))
                if self.token.text != "," or self.token.kind != "sign":
                    break
                self._advance()
        end = self._close(parenthesis, f"',' or ')' in the arguments of {function}").end
        self.chain = []
        span = (token.start, end)
        least, most = _CALLS[function]
        if count < least or (most is not None and count > most):
            takes = "at least one argument" if most is None else "1 argument" if most == 1 else f"{most} arguments"
            raise RuleSyntaxError(f"{function} takes {takes}{_ARGUMENTS.get(function, '')}, found {count}", span)
        if condition is not None:
            return If(condition=condition, then=arguments[0], otherwise=arguments[1], span=span)
        if function == Op.MULTIPLE.value:
            return Compare(op=Op.MULTIPLE, left=arguments[0], right=arguments[1], span=token.span)
        return Call(function=function, arguments=tuple(arguments), span=span)

    def _close(self, parenthesis: _Token, expected: str) -> _Token:
        if self.token.kind == "end":
            raise RuleSyntaxError("found '(' without its ')'", parenthesis.span)
        if self.token.text != ")":
            self._unexpected(expected)
        return self._advance()

    def _unexpected(self, expected: str) -> NoReturn:
        token = self.token
        word = token.text.lower()
        if token.text == ")":
            message = "found ')' without its '('"
        elif token.kind == "word" and word in ("and", "or", "not", "is"):
            message = f"found '{token.text}', expected '{word}', in lower case"
        elif token.kind == "word" and word in ("implies", "then"):
            message = f"found '{token.text}', expected '=>'"
        elif token.text == ",":
            message = f"expected {expected}, found ','; conditions are joined by 'and'"
        else:
            message = f"expected {expected}, found {token}"
        raise RuleSyntaxError(message, token.span)


def _product_hint(text: str) -> str:
    """For `2pods`, which reads as a number with an unknown unit."""
    match = re.fullmatch(r"([0-9.]+)([^\W\d_][^\W\d]*(?:\.[^\W\d]\w*)*)", text)
    if match is None or match[2] in UNIT_SLIPS or match[2] in RESERVED or match[2] in ("e", "E"):
        return ""
    return f"; a product is written {match[1]} * {_short(match[2])}"


def _unknown_function(name: str) -> str:
    import difflib

    known = sorted(_CALLS)
    near = difflib.get_close_matches(name.lower(), known, n=1)
    if name[:1] in "pP" and name[1:].replace("_", "").isdigit():
        near = ["p" + name[1:].replace("_", ".")]
    hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)} and quantiles such as p99"
    return f"found the unknown function '{_short(name)}'; {hint}"


def to_text(node: Expr | Bool) -> str:
    """The formula as text, with as few parentheses as reading it back needs, literals as they were written.

    What the parser made is read back as the same tree. A literal without `text` is written from its value; one that
    has no literal (negative, or without a finite decimal) becomes a product in parentheses.

    >>> to_text(parse_condition("((a+b))*2<10s"))
    '(a + b) * 2 < 10s'
    """
    done: list[str] = []
    stack: list[str | tuple[Expr | Bool, int]] = [(node, 0)]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            done.append(top)
            continue
        part, level = top
        own, pieces = _pieces(part)
        if own < level:
            pieces = ["(", *pieces, ")"]
        stack.extend(reversed(pieces))
    return "".join(done)


def _pieces(node: Expr | Bool) -> tuple[int, list[str | tuple[Expr | Bool, int]]]:
    """A node's precedence, and its text as pieces: strings, and parts with the least precedence they need there."""
    match node:
        case Literal():
            return _PRIMARY, [node.text or _literal_text(node.value, node.time_exponent)]
        case Name(name=name):
            return _PRIMARY, [name]
        case Quantile():
            level = format_value(node.level * 100, 0)
            return _PRIMARY, [f"p{level}({node.measurement})"]
        case Sum(terms=terms):
            return _SUM, _joined(terms, " + ", " - ", "-", _PRODUCT)
        case Product(factors=factors):
            return _PRODUCT, _joined(factors, " * ", " / ", "1 / ", _UNARY)
        case Call():
            return _PRIMARY, [f"{node.function}(", *_listed(node.arguments), ")"]
        case If():
            return _PRIMARY, ["if(", *_listed((node.condition, node.then, node.otherwise)), ")"]
        case Compare(op=Op.MULTIPLE):
            return _PRIMARY, [f"{node.op.value}(", *_listed((node.left, node.right)), ")"]
        case Compare():
            return _COMPARE, [(node.left, _SUM), f" {node.op.value} ", (node.right, _SUM)]
        case Is():
            return _COMPARE, [f"{node.name} is {node.sentinel.value}"]
        case And(parts=parts):
            return _AND, _listed(parts, " and ", _NOT)
        case Or(parts=parts):
            return _OR, _listed(parts, " or ", _AND)
        case Not(part=part):
            return _NOT, ["not ", (part, _PRIMARY if isinstance(part, Compare) else _NOT)]
        case Implies():
            return _IMPLIES, [(node.condition, _OR), " => ", (node.conclusion, _IMPLIES)]


def _listed(
    parts: tuple[Expr | Bool, ...], separator: str = ", ", level: int = _IMPLIES
) -> list[str | tuple[Expr | Bool, int]]:
    pieces: list[str | tuple[Expr | Bool, int]] = []
    for part in parts:
        pieces += [separator, (part, level)]
    return pieces[1:]


def _joined(
    parts: tuple[tuple[int, Expr], ...], positive: str, negative: str, first: str, level: int
) -> list[str | tuple[Expr | Bool, int]]:
    pieces: list[str | tuple[Expr | Bool, int]] = []
    for i, (direction, part) in enumerate(parts):
        if i:
            pieces += [positive if direction > 0 else negative, (part, level)]
        elif direction > 0:
            pieces.append((part, level))
        else:  # a leading minus binds more tightly than a product
            pieces += [first, (part, _UNARY)]
    return pieces


def _literal_text(value: Fraction, exponent: int) -> str:
    text = format_value(value, exponent)
    try:
        quantity = parse_quantity(text)
    except QuantityError:
        pass
    else:
        if quantity.value == value and quantity.kind and quantity.kind.time_exponent == exponent:
            return text
    unit = (" * 1ns" if exponent > 0 else " / 1ns") * abs(exponent)
    size = abs(value)
    divisor = f" / {size.denominator}" if size.denominator != 1 else ""
    return f"({'-' if value < 0 else ''}{size.numerator}{divisor}{unit})"
