import ast

import pytest
from faultloom.datasets.render.code import (
    Expression,
    call,
    joined,
    laid_out,
    listed,
    literal,
    mapping,
    plain,
    tupled,
)


def test_what_fits_stays_on_one_line_with_all_of_its_slots() -> None:
    made = call("f", [literal(1, "/a")], [("b", literal("x", "/b"))], slots=("/",))
    block = laid_out(made, "y = ")
    assert block.lines == ('y = f(1, b="x")',)
    assert set(block.marks) == {("/", 0, 0), ("/a", 0, 0), ("/b", 0, 0)}


def test_what_does_not_fit_has_one_argument_a_line() -> None:
    long = "x" * 50
    made = call("f", [literal(long, "/a")], [("b", listed([literal(long)], "/b"))], slots=("/",))
    block = laid_out(made, "y = ", "(z)", indent=2)
    assert block.lines == (
        "  y = f(",
        f'      "{long}",',
        f'      b=["{long}"],',
        "  )(z)",
    )
    assert set(block.marks) == {("/a", 1, 1), ("/b", 2, 2), ("/", 0, 3)}


def test_a_list_alone_in_a_call_has_no_comma_behind_it() -> None:
    made = call("f", [listed([literal(1), literal(2)], spread=True)], spread=True)
    assert laid_out(made).lines == ("f(", "    [", "        1,", "        2,", "    ]", ")")


def test_an_empty_list_is_not_spread() -> None:
    assert laid_out(listed([], spread=True)).lines == ("[]",)


def test_a_tuple_of_one_is_a_tuple_on_one_line_and_on_several() -> None:
    for text in ("a", "a" * 200):
        code = "\n".join(laid_out(tupled([literal(text)])).lines)
        assert ast.literal_eval(code) == (text,)


@pytest.mark.parametrize("value", [True, None, 3, 1e-07, -0.5, 'say "no"\n', "grün", "\\"])
def test_literals_mean_what_they_say(value: object) -> None:
    assert ast.literal_eval(literal(value).flat) == value


def test_a_dict_has_code_as_keys() -> None:
    assert mapping([("0", literal(1.5))]).flat == "{0: 1.5}"


def test_blocks_move_their_marks_when_they_are_joined() -> None:
    whole = joined([plain("a\nb", "/1"), plain(""), laid_out(Expression("c", slots=("/2",)))])
    assert whole.lines == ("a", "b", "", "c")
    assert whole.marks == (("/1", 0, 1), ("/2", 3, 3))


def test_no_lines_have_no_marks() -> None:
    assert joined([]).marked("/a").marks == ()
