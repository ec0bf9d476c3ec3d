# Classes of values. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

import pavage
import pavage.language as tl


@pavage.aggregate
class Row:
    values: tl.tensor
    WIDTH: tl.constexpr = 4

    @pavage.jit
    def total(self):
        return tl.sum(self.values, 0) * self.WIDTH

    @staticmethod
    def counting(start):
        return Row(tl.arange(0, 4) + start)


@pavage.aggregate
class Shifted(Row):
    shift: tl.tensor = 0

    @pavage.jit
    def shifted(self):
        return self.total() + self.shift


@pavage.jit
def kernel(out):
    row = Row.counting(1)
    tl.store(out, row.total())
    child = Shifted(tl.arange(0, 8), 8, tl.load(out))
    tl.store(out + 1, child.shifted())
    tl.store(out + 2, tl.aggregate_replace(row, values=row.values + 1).total())


def test_methods_inheritance_defaults_and_copies(way):
    out = np.zeros(3, np.int32)
    kernel[(1,)](out)
    assert out.tolist() == [40, 28 * 8 + 40, 56]


def test_on_the_host_constants_are_constexprs():
    @pavage.aggregate
    class State:
        x: "tl.constexpr"
        y: tl.constexpr = 42

    state = State(10)
    assert isinstance(state.x, tl.constexpr) and (state.x.value, state.y.value) == (10, 42)
    changed = tl.aggregate_replace(state, x=30)
    assert (changed.x.value, changed.y.value, state.x.value) == (30, 42, 10)
    with pytest.raises(AttributeError, match="cannot assign to field 'x' on immutable aggregate"):
        state.x = 1
    with pytest.raises(TypeError, match="has no field 'z'"):
        tl.aggregate_replace(state, z=1)
    with pytest.raises(TypeError, match="expects an aggregate instance"):
        tl.aggregate_replace(42, x=1)
    with pytest.raises(TypeError, match="expected values for x, y of State, got y"):
        State(y=1)


def test_aggregates_inherit_from_aggregates_only():
    class Plain:
        pass

    with pytest.raises(TypeError, match="Aggregates can only inherit from other aggregates"):

        @pavage.aggregate
        class Child(Plain):
            x: tl.constexpr
