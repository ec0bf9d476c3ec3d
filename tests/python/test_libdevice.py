# Special functions under libdevice's names, against values to full precision. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import math

import numpy as np
import pytest

import pavage
import pavage.language as tl
from pavage.language.extra import libdevice

# (x, f(x)), made with 40 digits.
KNOWN = {
    "erfinv": [
        (1e-300, 8.86226925452758e-301),
        (0.01, 0.008862501280950598),
        (-0.5, -0.4769362762044699),
        (0.9, 1.1630871536766743),
        (0.99, 1.8213863677184494),
        (0.9975, 2.1378252338818555),
        (-0.9999, -2.75106390571208),
        (0.99999999, 4.052237243268763),
        (0.999999999999, 5.042031898572696),
        (0.9999999999999999, 5.8635847487551676),
    ],
    "erfcx": [
        (-5.0, 144009798674.66104),
        (-0.5, 1.952360489182557),
        (0.0, 1.0),
        (1e-05, 0.9999887163083283),
        (0.5, 0.6156903441929259),
        (1.0, 0.427583576155807),
        (3.0, 0.17900115118138996),
        (8.0, 0.06998516620088092),
        (26.0, 0.021683584850562907),
        (40.0, 0.014100335983377814),
    ],
    "j0": [
        (1e-05, 0.999999999975),
        (0.5, 0.9384698072408129),
        (1.0, 0.7651976865579666),
        (2.5, -0.048383776468198),
        (5.0, -0.1775967713143383),
        (7.99, 0.17399001312793258),
        (8.01, 0.16929736911054297),
        (12.0, 0.047689310796833535),
        (30.5, -0.01938975451776215),
        (200.0, -0.015437439930565091),
    ],
    "j1": [
        (1e-05, 4.9999999999375e-06),
        (0.5, 0.2422684576748739),
        (1.0, 0.4400505857449335),
        (2.5, 0.49709410246427405),
        (5.0, -0.32757913759146523),
        (7.99, 0.23320071425350178),
        (8.01, 0.236047103630834),
        (12.0, -0.2234471044906276),
        (30.5, -0.14349430015097095),
        (200.0, -0.05430453818237822),
        (-3.0, -0.3390589585259365),
    ],
    "y0": [
        (1e-05, -7.40316028370197),
        (0.5, -0.44451873350670656),
        (1.0, 0.08825696421567696),
        (2.5, 0.4980703596152319),
        (5.0, -0.30851762524903376),
        (7.99, 0.22192874178576452),
        (8.01, 0.22508990929357914),
        (12.0, -0.22523731263436145),
        (30.5, -0.14315731617410765),
        (200.0, -0.05426577524981791),
    ],
    "y1": [
        (1e-05, -63661.97727536548),
        (0.5, -1.471472392670243),
        (1.0, -0.7812128213002887),
        (2.5, 0.1459181379667858),
        (5.0, 0.14786314339122683),
        (7.99, -0.16048695141166464),
        (8.01, -0.15562145403809824),
        (12.0, -0.05709921826089652),
        (30.5, 0.017046142883876455),
        (200.0, 0.01530182458038999),
    ],
    "cyl_bessel_i0": [
        (0.0, 1.0),
        (1e-05, 1.000000000025),
        (0.5, 1.0634833707413236),
        (-2.5, 3.289839144050123),
        (7.75, 338.5137537472759),
        (8.25, 540.325079074807),
        (30.5, 1278062138712.5664),
        (700.0, 1.5295933476718737e+302),
    ],
    "cyl_bessel_i1": [
        (0.0, 0.0),
        (1e-05, 5.0000000000625004e-06),
        (0.5, 0.2578943053908963),
        (-2.5, -2.5167162452886984),
        (7.75, 315.85248092400343),
        (8.25, 506.4338383076455),
        (30.5, 1256932623308.4714),
        (700.0, 1.5285003902339006e+302),
    ],
}
INFINITY, NAN = math.inf, math.nan


@pavage.jit
def unary(out, x, n, BLOCK: tl.constexpr, function: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, function(tl.load(x + i, mask=i < n)), mask=i < n)


@pavage.jit
def binary(out, x, y, n, BLOCK: tl.constexpr, function: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, function(tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n)), mask=i < n)


def run(name, *arrays):
    out = np.zeros_like(arrays[0])
    (unary if len(arrays) == 1 else binary)[(1,)](out, *arrays, out.size, BLOCK=64, function=getattr(libdevice, name))
    return out


def check(name, x, expected, units, scale=0.0, way="cpu", at=lambda x: 1.0):
    """Each result within `units` of the last place of max(|expected|, scale)."""
    for dtype in (np.float64, np.float32):
        arguments = np.array(x, dtype)
        if callable(expected):
            values = [expected(float(v)) for v in arguments]
        else:
            keep = [float(dtype(v)) == v for v in x]
            arguments, values = arguments[keep], [e for e, k in zip(expected, keep) if k]
        got = run(name, arguments)
        for v, e, g in zip(arguments, values, got):
            with np.errstate(over="ignore"):
                e = dtype(e)
            if not np.isfinite(e):
                assert np.array_equal(g, e, equal_nan=True), (name, dtype, v, e, g)
                continue
            allowed = units if dtype is np.float64 else 1
            unit = float(np.spacing(max(abs(e), dtype(scale), np.finfo(dtype).tiny)))
            assert abs(float(g) - float(e)) <= allowed * at(abs(v)) * unit, (name, dtype, v, e, g)


def test_lgamma():
    x = [1e-300, 1e-5, 0.25, 0.5, 0.75, 1.0, 1.0009765625, 1.5, 2.0, 2.25, 2.5, 3.75, 8.5, 8.75, 60.0, 1e6]
    check("lgamma", x, lambda v: math.lgamma(v) if v else INFINITY, 8, scale=1.0)
    check("lgamma", [-0.5, -1.25, -2.5, -20.75], math.lgamma, 8, scale=1.0)
    check("lgamma", [0.0, -3.0, INFINITY, -INFINITY, NAN], lambda v: NAN if v != v else INFINITY, 0)


def test_tgamma():
    check("tgamma", [0.25, 1.0, 2.0, 4.5, 6.0, 10.5, 20.0, -0.5, -1.5, -2.25], math.gamma, 200)
    check("tgamma", [-1.0, -7.0, NAN, -INFINITY], lambda v: NAN, 0)
    check("tgamma", [0.0, INFINITY], lambda v: INFINITY, 0)


@pytest.mark.parametrize("name, units", [("erfinv", 8), ("erfcx", 16)])
def test_error_functions(name, units, way):
    check(name, *zip(*KNOWN[name]), units)


def test_erfinv_at_its_ends_and_beyond():
    check("erfinv", [-1.0, 1.0, 1.0009765625, -2.0, NAN], [-INFINITY, INFINITY, NAN, NAN, NAN], 0)
    check("erfcx", [-40.0, INFINITY, NAN], lambda v: {-40.0: INFINITY, INFINITY: 0.0}.get(v, NAN), 0)


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1"])
def test_bessel_functions(name):
    check(name, *zip(*KNOWN[name]), 8, scale=0.5, at=lambda v: max(1.0, v / 16))
    check(name, [INFINITY, NAN], lambda v: 0.0 if v == v else NAN, 0)
    if name[0] == "y":
        check(name, [0.0, -1.0], lambda v: NAN if v else -INFINITY, 0)


@pytest.mark.parametrize("name", ["cyl_bessel_i0", "cyl_bessel_i1"])
def test_modified_bessel_functions(name):
    check(name, *zip(*KNOWN[name]), 8, at=lambda v: max(1.0, v / 4))
    check(name, [INFINITY, NAN], lambda v: v, 0)


def test_sine_and_cosine_of_multiples_of_pi():
    check("sinpi", [0.0, 1.0, 2.0, -3.0, 1e6], lambda v: 0.0, 0)
    check("cospi", [0.0, 1.0, 2.0, -3.0, 0.5, 1.5], [1.0, -1.0, 1.0, -1.0, 0.0, 0.0], 0)
    check("sinpi", [0.25, -0.75, 1.25], lambda v: math.copysign(math.sqrt(0.5), -v if v == 1.25 else v), 2)


def test_normcdf_and_rcbrt():
    check("normcdf", [-6.0, -1.0, 0.0, 0.5, 8.0], lambda v: 0.5 * math.erfc(-v / math.sqrt(2)), 64)
    check("rcbrt", [0.125, 1.0, 27.0, -8.0], lambda v: 1 / math.copysign(round(abs(v) ** (1 / 3), 9), v), 4)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nextafter(dtype, way):
    values = [0.0, -0.0, 1.0, -1.0, 1.5, np.finfo(dtype).tiny, np.finfo(dtype).max, INFINITY, -INFINITY, NAN]
    x, y = (np.array(v, dtype) for v in zip(*[(a, b) for a in values for b in values][:64]))
    with np.errstate(all="ignore"):
        expected = np.nextafter(x, y)
    got = run("nextafter", x, y)
    assert np.array_equal(got, expected, equal_nan=True)
    assert np.array_equal(np.signbit(got[~np.isnan(got)]), np.signbit(expected[~np.isnan(expected)]))


def test_narrow_floats_are_computed_wide():
    x = np.array([0.5, 3.0], np.float16)
    assert np.array_equal(run("lgamma", x), np.array([math.lgamma(0.5), math.lgamma(3.0)], np.float16))
