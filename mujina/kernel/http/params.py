"""Parameters of requests: one `Params` struct per request, read from the merged tree, with this API's own leniency.

Coercion is ours, not msgspec's: empty text means null for numbers and dates, booleans have a dozen spellings, lists come
in five forms, and every complaint has a fixed wording that clients print.
"""

import re
import types
from collections.abc import Callable, Mapping
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    Self,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel import clock, errors
from mujina.kernel.http.forms import Tree, Upload

Unset = UnsetType
MAX_INTEGER = 2**63 - 1
MAX_NAMES = 1_000
"""The values in one list: each may become a row."""
MAX_ELEMENTS = 10_000
"""The values in any list: reading a million takes a second, in which no other request is served."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_POSITION = re.compile(r"[0-9]{1,9}")
_YES = frozenset({"true", "1", "t", "y", "yes", "on"})
_NO = frozenset({"false", "0", "f", "n", "no", "off"})


class BadValue(Exception):
    """A value that is not of the form; the complaint follows the parameter's name."""

    def __init__(self, complaint: str = "is invalid") -> None:
        super().__init__(complaint)
        self.complaint = complaint


class Form(msgspec.Struct, frozen=True, eq=False):
    """How a value is read and how the OpenAPI document describes it."""

    read: Callable[[Any], Any]
    schema: Mapping[str, Any]
    blank_is_null: bool = True
    null_is_blank: bool = False
    null_clears: bool = False


def read_text(value: Any) -> str:
    """Text without NUL and without lone surrogates; numbers and booleans are spelled out."""
    if isinstance(value, str):
        if "\0" in value or not (value.isascii() or _is_unicode(value)):
            raise BadValue
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    raise BadValue


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_words(value: Any) -> str:
    """A search text, stripped."""
    return read_text(value).strip()


def read_integer(value: Any) -> int:
    """Decimal text or a JSON integer that fits 64 bits."""
    if isinstance(value, str):
        if not _INTEGER.fullmatch(value.strip()):
            raise BadValue
        value = int(value)
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MAX_INTEGER:
        raise BadValue
    return value


def read_boolean(value: Any) -> bool:
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise BadValue


def read_timestamp(value: Any) -> str:
    """An instant or a day, as stored text in UTC."""
    try:
        return clock.read_instant(read_text(value).strip())
    except ValueError:
        raise BadValue from None


def read_date(value: Any) -> str:
    """`YYYY-MM-DD`, or the day of a full timestamp."""
    try:
        return clock.read_day(read_text(value).strip())
    except ValueError:
        raise BadValue from None


def _elements(value: Any) -> list[Any]:
    """The elements of a list in any of its forms: array, `a[0]=`, `a[]=`, comma-separated text, one number."""
    elements = _split(value)
    if len(elements) > MAX_ELEMENTS:
        raise BadValue(f"has too many values (maximum is {MAX_ELEMENTS})")
    return elements


def _split(value: Any) -> list[Any]:
    if isinstance(value, list):
        return cast("list[Any]", value)
    if isinstance(value, dict):
        tree = cast("Tree", value)
        if not all(_POSITION.fullmatch(key) for key in tree):
            raise BadValue
        return [tree[key] for key in sorted(tree, key=int)]
    if isinstance(value, str):
        return value.split(",")
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    raise BadValue


def read_integers(value: Any) -> list[int]:
    return [read_integer(element) for element in _elements(value) if element not in ("", None)]


def read_names(value: Any) -> list[str]:
    """Names separated by commas, or an array of them; stripped, without repeats, in the order given."""
    names = [name.strip() for element in _elements(value) for name in read_text(element or "").split(",")]
    distinct = list(dict.fromkeys(name for name in names if name))
    if len(distinct) > MAX_NAMES:
        raise BadValue(f"has too many names (maximum is {MAX_NAMES})")
    return distinct


def read_texts(value: Any) -> list[str]:
    """An array of text, or comma-separated text; elements may hold commas only in the array form."""
    return [read_text(element).strip() for element in _elements(value) if element not in ("", None)]


def read_dictionary(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise BadValue
    return {read_text(key): read_text(item) for key, item in cast("Tree", value).items()}


def read_trees(value: Any) -> list[Tree]:
    """An array of objects, `a[][b]=` or `a[0][b]=`."""
    trees = _elements(value) if isinstance(value, list | dict) else [value]
    if len(trees) > MAX_NAMES:
        raise BadValue(f"is too long (maximum is {MAX_NAMES})")
    if not all(isinstance(tree, dict) for tree in trees):
        raise BadValue
    return cast("list[Tree]", trees)


def read_upload(value: Any) -> Upload:
    if not isinstance(value, Upload):
        raise BadValue
    return value


def one_of(allowed: tuple[Any, ...]) -> Form:
    """One of a list of words or numbers."""
    spelled = {str(option): option for option in allowed}
    numbers = all(isinstance(option, int) for option in allowed)

    def read(value: Any) -> Any:
        try:
            return spelled[_spell_number(value) if numbers else read_text(value)]
        except KeyError:
            raise BadValue("does not have a valid value") from None

    return Form(read, {"enum": list(allowed)})


def _spell_number(value: Any) -> str:
    """A number in any of its spellings as the usual one; what is none as it stands."""
    try:
        return str(read_integer(value))
    except BadValue:
        return read_text(value)


_TEXT = Form(read_text, {"type": "string"}, blank_is_null=False)
_FORMS: dict[Any, Form] = {
    str: _TEXT,
    int: Form(read_integer, {"type": "integer", "format": "int64"}),
    bool: Form(read_boolean, {"type": "boolean"}),
    Upload: Form(read_upload, {"type": "string", "format": "binary"}),
}

RequiredText = Annotated[str, Form(read_text, {"type": "string"}, blank_is_null=False, null_is_blank=True)]
"""A text that the object requires, also where the request may omit it: null is rejected like blank text."""
Words = Annotated[str, Form(read_words, {"type": "string"}, blank_is_null=False)]
Date = Annotated[str, Form(read_date, {"type": "string", "format": "date"})]
Timestamp = Annotated[str, Form(read_timestamp, {"type": "string", "format": "date-time"})]
Ids = Annotated[list[int], Form(read_integers, {"type": "array", "items": {"type": "integer"}}, blank_is_null=False)]
Names = Annotated[
    list[str], Form(read_names, {"type": "string", "description": "comma-separated"}, blank_is_null=False)
]
Texts = Annotated[list[str], Form(read_texts, {"type": "array", "items": {"type": "string"}}, blank_is_null=False)]
Dictionary = Annotated[dict[str, str], Form(read_dictionary, {"type": "object"})]
AnyObject = Annotated[Any, Form(lambda value: value, {"type": "object"})]
"""The operation says what is wrong with it."""
Trees = Annotated[list[Tree], Form(read_trees, {"type": "array", "items": {"type": "object"}})]


class Field(msgspec.Struct, frozen=True):
    """One parameter, ready to be read."""

    name: str
    """The name as clients spell it: `from` is declared as `from_`."""
    attribute: str
    form: Form
    required: bool
    nullable: bool
    """Whether blank text clears the value."""

    def read(self, value: Any) -> Any:
        """The value; None where blank text clears it; UNSET if the request does not give it, which null also means."""
        if value is not None and (value != "" or not self.form.blank_is_null):
            return self.form.read(value)
        if value is None and (self.form.null_is_blank or (self.required and self.form is _TEXT)):
            # The operation rejects the blank text.
            return ""
        if self.nullable and (value == "" or self.form.null_clears):
            return None
        if self.required:
            raise BadValue
        return UNSET


EVERY_FIELD: Final = ("*",)
"""As `at_least_one_of`: the fields that the class and its bases declare."""


def required() -> Any:
    """As a default: the request has to give the field, which the base class lets it omit."""
    return msgspec.field()


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(required,))
class _Declaration(msgspec.StructMeta):
    """Every declaration is frozen and read by name; msgspec does not hand these options down by itself."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        declared: Any = super().__new__(cls, name, bases, body, frozen=True, kw_only=True)
        if body.get("at_least_one_of") == EVERY_FIELD:
            declared.at_least_one_of = declared.__struct_fields__
        return declared


class Params(msgspec.Struct, metaclass=_Declaration):
    """The parameters of one request, each declared once. A field without a default is required; unknown ones are dropped."""

    fields: ClassVar[tuple[Field, ...]] = ()
    at_least_one_of: ClassVar[tuple[str, ...]] = ()
    all_or_none_of: ClassVar[tuple[str, ...]] = ()
    at_most_one_of: ClassVar[tuple[str, ...]] = ()

    def sent_fields(self) -> dict[str, Any]:
        """The parameters that were sent, by name."""
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not UNSET}

    @property
    def filtered(self) -> bool:
        """Whether a list is asked to leave out more than other states do; a field that is null or blank is no filter."""
        return any(value not in ("", [], None) for name, value in self.sent_fields().items() if name not in _NO_FILTERS)


_NO_FILTERS = frozenset({"state", "scope", "order", "order_by", "sort"})


Declared = TypeVar("Declared", bound=Params)


def read(declared: type[Declared], tree: Tree) -> Declared:
    """The request's parameters, or every complaint about them at once."""
    values: dict[str, Any] = {}
    absent: list[str] = []
    complaints: list[str] = []
    for field in fields_of(declared):
        if field.name not in tree:
            if field.required:
                absent.append(field.name)
            continue
        try:
            value = field.read(tree[field.name])
        except BadValue as bad:
            complaints.append(f"{field.name} {bad.complaint}")
            continue
        if value is not UNSET:
            values[field.attribute] = value
    if absent:
        raise errors.missing(*absent)
    if complaints:
        raise errors.unacceptable(*complaints)
    _check_sets(declared, tree)
    return declared(**values)


def nested(declared: type[Params]) -> Form:
    """An object with parameters of its own, as `not[…]`."""

    def read_nested(value: Any) -> Params:
        if not isinstance(value, dict):
            raise BadValue
        try:
            return read(declared, cast("Tree", value))
        except errors.ApiError:
            raise BadValue from None

    return Form(read_nested, {"type": "object"})


def _check_sets(declared: type[Params], tree: Tree) -> None:
    # A request that gives nothing but nulls changes nothing, which is no error.
    if declared.at_least_one_of and not any(name in tree for name in declared.at_least_one_of):
        raise errors.none_of(declared.at_least_one_of)
    if declared.all_or_none_of:
        together = [tree.get(name) is not None for name in declared.all_or_none_of]
        if any(together) and not all(together):
            raise errors.some_of(declared.all_or_none_of)
    if declared.at_most_one_of and sum(tree.get(name) is not None for name in declared.at_most_one_of) > 1:
        raise errors.exclusive(declared.at_most_one_of)


def fields_of(declared: type[Params]) -> tuple[Field, ...]:
    """The declared fields, worked out from the annotations once."""
    if "fields" not in declared.__dict__:
        hints = get_type_hints(declared, include_extras=True)
        required = {f.name for f in msgspec.structs.fields(declared) if f.required}
        declared.fields = tuple(_field(name, hints[name], name in required) for name in declared.__struct_fields__)
    return declared.fields


def _field(name: str, hint: Any, required: bool) -> Field:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    kinds = [option for option in options if option not in (type(None), UnsetType)]
    return Field(name.rstrip("_"), name, _form(kinds[0]), required, type(None) in options)


def _form(kind: Any) -> Form:
    if get_origin(kind) is Annotated:
        stated = [extra for extra in get_args(kind)[1:] if isinstance(extra, Form)]
        return stated[0] if stated else _form(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return one_of(get_args(kind))
    return _FORMS[kind]


class Ref(msgspec.Struct, frozen=True):
    """How a client names a project, group or namespace: the id or the full path."""

    text: str

    @property
    def id(self) -> int | None:
        """The number, when it is one; a number too large to exist names nothing."""
        if not (self.text.isascii() and self.text.isdigit()):
            return None
        return min(int(self.text), MAX_INTEGER) if len(self.text) < 20 else MAX_INTEGER

    @property
    def bound(self) -> dict[str, Any]:
        """The parameters `:ref_id` (or null) and `:ref_path`, the folded path."""
        return {"ref_id": self.id, "ref_path": self.text.casefold()}

    @classmethod
    def of(cls, id_: int) -> Self:
        return cls(str(id_))
