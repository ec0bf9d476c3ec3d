# Special functions, as expansions into the language's own. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All are computed in float64 and rounded once to the operand's type, by Chebyshev series on intervals: each interval is
# mapped to t in [-1, 1], and sum(c[k] * T_k(t)) is summed by Clenshaw's recurrence. The series were fitted with 45
# digits. Errors in float64, in units of the last place where no other scale is said; float32 and smaller types give the
# nearest value or its neighbour:
#
#   lgamma 8, of max(1, |lgamma(x)|)    tgamma 200    erfinv 8    erfcx 16    normcdf 64 from -6 on
#   cyl_bessel_i0, cyl_bessel_i1 8 * max(1, |x| / 4)
#   j0, j1, y0, y1: 8 of max(|y|, 0.5), times |x| / 16 beyond 16     sinpi 2     rcbrt 4
from __future__ import annotations

from .args import builtin
from .core import cast, to_tensor, where
from .math import abs as _abs, cbrt, copysign, cos, erfc, exp, floor, fma, isinf, isnan, log, rint, sin, sqrt
from .types import bfloat16, float16, float32, float64, int16, int32, int64

_PI = 3.141592653589793
_HALF_LOG_2PI = 0.9189385332046727
_INFINITY = float("inf")
#: lgamma(a) - (a - 1/2) log(a) + a - log(2 pi) / 2 = sum(c[k] / a^(2k + 1))
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)

_LGAMMA = (0.42702679007974553, -0.05136266063271509, 0.004283865121771959, -0.00040868943087787814,
    4.189889214014742e-05, -4.4884162278409e-06, 4.950359592304836e-07, -5.572882261152328e-08, 6.369038926367588e-09,
    -7.363280290999341e-10, 8.590324630704468e-11, -1.0095630921452502e-11, 1.1936859013748236e-12,
    -1.4186121794476558e-13, 1.693301639270074e-14, -2.0288519799922935e-15, 2.43899034401661e-16,
    -2.940688354710887e-17)
_ERFINV_CENTRE = (1.6032187843614276, 0.7065114598352629, -0.018563518253529174, -0.006322936481916675,
    0.0017152748065213783, -0.00010090171263236434, -4.472783685679211e-05, 1.1536323222418791e-05,
    -2.1707108033382995e-07, -4.1754298203284093e-07, 7.78699623588968e-08, 3.872092257424227e-09,
    -3.777038640094083e-09, 4.6386529158896234e-10, 7.770143484817043e-11, -3.174763383548652e-11,
    2.0231645192233355e-12, 9.765600091051987e-13, -2.4425065566813935e-13, -3.3311728365333843e-16,
    1.0213858321281266e-14, -1.6679796813597045e-15, -1.519620539702162e-16, 9.487880520881664e-17)
_ERFINV_MIDDLE = (3.060639443351774, 0.7773631215582759, 0.002294851711659446, -0.0006453123602626695,
    0.00016324831263303104, -3.752506395773972e-05, 6.6309935968885255e-06, -6.292994153202786e-07,
    -6.217670984509817e-08, 3.627277554046295e-08, -6.188550548254287e-09, 1.806372776977747e-10,
    1.5153327722272313e-10, -3.5299561586295306e-11, 2.5159013331232607e-12, 4.891856115282944e-13,
    -1.5846734854873677e-13, 1.700812381848498e-14, 8.244556316541582e-16, -5.864410930907228e-16,
    9.337633824550726e-17)
_ERFINV_TAIL = (4.950853492023581, 1.1110888066569287, -6.798631106094235e-05, -7.127651318158479e-05,
    1.3615493227827242e-05, -1.924927378799224e-06, 2.449843413847128e-07, -3.09087216534147e-08,
    4.42468811476534e-09, -8.343747638595137e-10, 2.016457269489134e-10, -5.234976218056247e-11,
    1.2779958256881873e-11, -2.731754257820955e-12, 4.797351743696541e-13, -6.033005841654824e-14,
    2.1546283241358518e-15, 1.4403209674374646e-15, -5.008145405118205e-16, 9.662888443996662e-17)
_ERFCX = (1.1774832005374487, -0.007260796620301901, -0.081265123236185, 0.06009212804122225, -0.02875393558027666,
    0.01059566336347286, -0.003136927294554264, 0.0007456494372536184, -0.0001369696503010054, 1.7183861600300937e-05,
    -7.158364623450346e-07, -2.4261399442449534e-07, 5.5765709395703566e-08, -2.1057869513809494e-09,
    -1.1717889351884957e-09, 1.9098355172456688e-10, 1.408871764208813e-11, -6.901108320480815e-12,
    9.167958364111294e-14, 2.1454508286554553e-13, -1.4716575027010623e-14, -6.668675118770408e-15,
    7.504598509880083e-16, 2.2200930066663207e-16, -3.170489895633082e-17)
_J0 = (0.15772797147489012, -0.008723442352852221, 0.2651786132033368, -0.37009499387264977, 0.15806710233209725,
    -0.034893769411408884, 0.004819180069467605, -0.00046062616620627504, 3.246032882100508e-05,
    -1.7619469077621507e-06, 7.608163592418782e-08, -2.679253530557673e-09, 7.848696314479465e-11,
    -1.9438346867370164e-12, 4.125320595634374e-14, -7.588508125447546e-16, 1.2218515873961411e-17)
_J1 = (0.08104484632565812, -0.1489751450676521, 0.1609992623572097, -0.08268049176681791, 0.022213639654966037,
    -0.003646940600769276, 0.0004050337728354822, -3.255554866857259e-05, 1.9858774049915165e-06,
    -9.521984756750436e-08, 3.687133759097148e-09, -1.178026622695885e-10, 3.160154580348003e-12,
    -7.221755239651773e-14, 1.4232144003513942e-15, -2.4441972916190464e-17)
_Y0 = (-0.03314611320328494, -0.2744743055297453, 0.17903431407718265, 0.26156734625504663, -0.17730201278114358,
    0.04719668959576339, -0.007287962479552079, 0.0007531135932577742, -5.632079141056987e-05, 3.206532537654801e-06,
    -1.44072332740187e-07, 5.248794787330516e-09, -1.5837552541812015e-10, 4.02633081830612e-12,
    -8.747341203310769e-14, 1.6434898714919468e-15, -2.6977881152566837e-17)
_Y1 = (0.0025380132357417816, -0.01608717304766875, -0.09591204536083074, 0.08445197259652346, -0.028328123944594365,
    0.005289897544167113, -0.0006414551451326356, 5.505982873338744e-05, -3.53808001868935e-06,
    1.7707804556154404e-07, -7.11055004989928e-09, 2.344337905911516e-10, -6.4651518414115946e-12,
    1.51429151205002e-13, -3.0511859694473254e-15, 5.34668038572867e-17)
_P0 = (0.9994603493475187, -0.0005365220468132117, 3.0751847875194745e-06, -5.1705945376060975e-08,
    1.6306464635151382e-09, -7.86409137723707e-11, 5.168262387349193e-12, -4.3045788699253914e-13,
    4.3265957431549404e-14, -5.069034095935236e-15, 6.748072215733873e-16, -1.0011513723467786e-16,
    1.6305919233744186e-17)
_Q0 = (-0.015555854605337009, 6.838519942611649e-05, -7.414498411060647e-07, 1.7972457247968992e-08,
    -7.27191593686632e-10, 4.2201219046687385e-11, -3.206747420996635e-12, 3.006145125351706e-13,
    -3.336328185322427e-14, 4.255225040245461e-15, -6.09993013164005e-16, 9.662128970303257e-17,
    -1.6686065214378146e-17, 3.1082440486738143e-18, -6.191115787358145e-19)
_P1 = (1.0009030408600137, 0.0008989898330859408, -3.987284300488908e-06, 6.177633960644299e-08,
    -1.8718907491063067e-09, 8.816898659582339e-11, -5.704863640395645e-12, 4.699195515230542e-13,
    -4.6842237839904895e-14, 5.452674896044717e-15, -7.221180842274018e-16, 1.0667689114335412e-16,
    -1.7312313216116335e-17)
_Q1 = (0.04677778706953532, -9.62772354915708e-05, 9.138615257955454e-07, -2.0959781384083424e-08,
    8.229193327650554e-10, -4.686363688176945e-11, 3.5152187949686082e-12, -3.2643156743279e-13,
    3.5967765829165294e-14, -4.5612523950772974e-15, 6.508282957783384e-16, -1.0269147531823243e-16,
    1.767635548776479e-17, -3.2834519872981614e-18, 6.524081149589261e-19)
_I0_NEAR = (0.33839763720473803, -0.3046826723431984, 0.17162090152220877, -0.09490109704804764, 0.04930528423967071,
    -0.02373741480589947, 0.010546460394594998, -0.004324309995050576, 0.0016394756169413357, -0.0005763755745385824,
    0.00018850288509584165, -5.754195010082104e-05, 1.6448448070728896e-05, -4.4167383584587505e-06,
    1.1173875391201037e-06, -2.670793853940612e-07, 6.046995022541919e-08, -1.300025009986248e-08,
    2.6598237246823866e-09, -5.189795601635263e-10, 9.675809035373237e-11, -1.726826291441556e-11,
    2.95505266312964e-12, -4.856446783111929e-13, 7.676185498604936e-14, -1.1685332877993451e-14,
    1.715391285555133e-15, -2.431279846547955e-16, 3.3307945188222384e-17, -4.4153416464793395e-18)
_I0_FAR = (0.4022452055070544, 0.0033691164782556943, 6.889758346916825e-05, 2.8913705208347567e-06,
    2.0489185894690638e-07, 2.266668990498178e-08, 3.3962320257083865e-09, 4.94060238822497e-10,
    1.1889147107846439e-11, -3.1499165279632416e-11, -1.3215811840447713e-11, -1.7941785315068062e-12,
    7.180124451383666e-13, 3.8527783827421426e-13, 1.54008621752141e-14, -4.150569347287222e-14,
    -9.554846698828307e-15, 3.8116806693526224e-15, 1.7725601330565263e-15, -3.425485619677219e-16,
    -2.8276239805165836e-16, 3.461222867697461e-17, 4.46562142029676e-17, -4.830504485944182e-18,
    -7.233180487874754e-18)
_I1_NEAR = (0.12629359322181682, -0.17641651835783406, 0.1026436586898471, -0.05294598120809499, 0.024726449030626516,
    -0.010564084894626197, 0.004156422944312888, -0.0015135724506312532, 0.0005122859561685758,
    -0.00016176081582589674, 4.781565107550054e-05, -1.3273163656039436e-05, 3.4702513081376785e-06,
    -8.568720264695455e-07, 2.0032947535521353e-07, -4.445059128796328e-08, 9.381537386495773e-09,
    -1.8872497517228294e-09, 3.625590281552117e-10, -6.663489723502027e-11, 1.1736186298890901e-11,
    -1.9839743977649436e-12, 3.223793365945575e-13, -5.042185504727912e-14, 7.600684294735408e-15,
    -1.1055969477353862e-15, 1.5536319577362005e-16, -2.111421214358166e-17, 2.7779141127610464e-18)
_I1_FAR = (0.38928811750914005, -0.009761097491361469, -0.00011058893876262371, -3.882564808877691e-06,
    -2.512236237870209e-07, -2.6314688468895196e-08, -3.835380385964237e-09, -5.589743462196584e-10,
    -1.8974958123505413e-11, 3.2526035830154884e-11, 1.4125807436613782e-11, 2.0356285441470896e-12,
    -7.198551776245908e-13, -4.0835511110921974e-13, -2.1015418427726643e-14, 4.272440016711951e-14,
    1.0420276984128802e-14, -3.8144030724370075e-15, -1.8803547755107825e-15, 3.3082023109209285e-16,
    2.96262899764595e-16, -3.209525921993424e-17, -4.6503053684893586e-17, 4.414348323071708e-18,
    7.517296310842105e-18)


def _in_float64(function):
    """The function on float64 values; its result in the operand's type."""

    def wide(x):
        x = to_tensor(x)
        dtype = x.dtype if x.dtype.is_floating() else float32
        return cast(function(cast(x, float64)), dtype)

    wide.__name__ = wide.__qualname__ = function.__name__
    wide.__doc__ = function.__doc__
    return builtin(wide)


def _series(coefficients, t):
    """sum(c[k] * T_k(t))"""
    twice = t + t
    b, after = coefficients[-1], 0.0
    for c in coefficients[-2:0:-1]:
        b, after = fma(twice, b, c - after), b
    return fma(t, b, coefficients[0] - after)


def _polynomial(coefficients, z):
    r = coefficients[-1]
    for c in coefficients[-2::-1]:
        r = r * z + c
    return r


def _log_gamma(x):
    """Of x >= 1/2: by steps into [1.5, 2.5], where it is (x - 1) (x - 2) times a series; by Stirling's from 8.5 on."""
    is_small = x < 1.5
    y = x
    product = where(is_small, x, 1.0)
    for _ in range(6):
        is_big = y > 2.5
        y = where(is_big, y - 1.0, y)
        product = where(is_big, product * y, product)
    steps = log(product)
    d = where(is_small, x - 1.0, y - 2.0)  # exact, unlike x + 1 - 2
    near = (d + 1.0) * d * _series(_LGAMMA, d + d) + where(is_small, -steps, steps)
    far = (x - 0.5) * log(x) - x + (_HALF_LOG_2PI + _polynomial(_STIRLING, 1.0 / (x * x)) / x)
    return where(x < 8.5, near, where(isinf(x), x, far))


def _sine_of_pi_times(x):
    """sin(pi x), exact at the integers."""
    n = rint(x)
    s = sin(_PI * (x - n))
    return where(rint(n * 0.5) * 2.0 == n, s, -s)


@_in_float64
def lgamma(x):
    """Logarithm of the absolute value of the gamma function."""
    mirrored = x < 0.5
    g = _log_gamma(where(mirrored, 1.0 - x, x))
    result = where(mirrored, log(_PI / _abs(_sine_of_pi_times(x))) - g, g)
    return where(isinf(x), _INFINITY, result)


@_in_float64
def tgamma(x):
    """Gamma function; NaN at the negative integers."""
    mirrored = x < 0.5
    g = exp(_log_gamma(where(mirrored, 1.0 - x, x)))
    s = _sine_of_pi_times(x)
    result = where(mirrored, _PI / (s * g), g)
    is_pole = (x < 0.0) & ((floor(x) == x) | isinf(x))
    return where(is_pole, float("nan"), where(x == 0.0, copysign(x * 0.0 + _INFINITY, x), result))


@_in_float64
def erfinv(x):
    """Inverse of erf: infinite at -1 and 1, NaN beyond."""
    # x times a series in w = -log(1 - x^2), and farther out in its square root
    w = -log((1.0 - x) * (1.0 + x))
    s = sqrt(where(w > 0.0, w, 0.0))
    low, high = 2.449489742783178, 4.0
    middle = _series(_ERFINV_MIDDLE, (2.0 * s - (low + high)) * (1.0 / (high - low)))
    p = where(w < 6.0, _series(_ERFINV_CENTRE, w * (1.0 / 3.0) - 1.0),
              where(s < high, middle, _series(_ERFINV_TAIL, (s - 5.1) * (1.0 / 1.1))))
    a = _abs(x)
    return where(a < 1.0, x * p, where(a == 1.0, x * _INFINITY, float("nan")))


@_in_float64
def erfcx(x):
    """exp(x * x) * erfc(x), also where both factors are out of range."""
    a = _abs(x)
    positive = _series(_ERFCX, 1.0 - 8.0 / (a + 4.0)) / (1.0 + 2.0 * a)
    square = x * x
    below = fma(x, x, -square)  # what rounding took from the square
    growth = exp(square) * (1.0 + where(square < _INFINITY, below, 0.0))
    return where(x < 0.0, 2.0 * growth - positive, positive)


def _bessel(order, x, near, p, q, is_second):
    """near below 8; sqrt(2 / (pi x)) (P cos(x - phase) - Q sin(x - phase)) beyond, or with sin and cos for y0, y1."""
    far = where(x > 8.0, x, 8.0)
    t = 128.0 / (far * far) - 1.0
    c, s = cos(far), sin(far)
    # cos and sin of far - pi/4 - order pi/2, times sqrt(2)
    cosine, sine = (c + s, s - c) if order == 0 else (s - c, -(s + c))
    even, odd = _series(p, t), _series(q, t) * 8.0 / far
    wave = even * sine + odd * cosine if is_second else even * cosine - odd * sine
    result = where(x <= 8.0, near, wave / sqrt(_PI * far))
    return where(isinf(x), 0.0, result)


def _near(x):
    """(x below 8, t of the series there)"""
    a = where(x < 8.0, x, 8.0)
    return a, a * a * (1.0 / 32.0) - 1.0


@_in_float64
def j0(x):
    """Bessel function of the first kind, of order 0."""
    a = _abs(x)
    return where(isnan(x), x, _bessel(0, a, _series(_J0, _near(a)[1]), _P0, _Q0, False))


@_in_float64
def j1(x):
    """Bessel function of the first kind, of order 1."""
    a = _abs(x)
    low, t = _near(a)
    r = _bessel(1, a, low * _series(_J1, t), _P1, _Q1, False)
    return where(isnan(x), x, where(x < 0.0, -r, r))


@_in_float64
def y0(x):
    """Bessel function of the second kind, of order 0; NaN below 0."""
    a, t = _near(x)
    near = (2.0 / _PI) * log(a) * _series(_J0, t) + _series(_Y0, t)
    return where((x < 0.0) | isnan(x), float("nan"), _bessel(0, x, near, _P0, _Q0, True))


@_in_float64
def y1(x):
    """Bessel function of the second kind, of order 1; NaN below 0."""
    a, t = _near(x)
    near = (2.0 / _PI) * (log(a) * (a * _series(_J1, t)) - 1.0 / a) + a * _series(_Y1, t)
    result = where(x == 0.0, -_INFINITY, _bessel(1, x, near, _P1, _Q1, True))
    return where((x < 0.0) | isnan(x), float("nan"), result)


def _modified_bessel(a, near, far):
    """Of a >= 0: exp(a) times near(a) up to 8, exp(a) / sqrt(a) times far(1 / a) beyond."""
    low, high = where(a < 8.0, a, 8.0), where(a > 8.0, a, 8.0)
    half = exp(0.5 * a)  # twice, so that only the result leaves the range
    beyond = _series(far, 16.0 / high - 1.0) / sqrt(high)
    return where(isinf(a), a, half * (half * where(a <= 8.0, near(low, low * 0.25 - 1.0), beyond)))


@_in_float64
def cyl_bessel_i0(x):
    """Modified Bessel function of the first kind, of order 0."""
    return _modified_bessel(_abs(x), lambda a, t: _series(_I0_NEAR, t), _I0_FAR)


@_in_float64
def cyl_bessel_i1(x):
    """Modified Bessel function of the first kind, of order 1."""
    r = _modified_bessel(_abs(x), lambda a, t: a * _series(_I1_NEAR, t), _I1_FAR)
    return where(x < 0.0, -r, r)


@builtin
def nextafter(x, y):
    """The neighbour of x in the direction of y."""
    x = to_tensor(x)
    whole = {float64: int64, float32: int32, float16: int16, bfloat16: int16}.get(x.dtype)
    if whole is None:
        x, whole = cast(x, float32), int32
    y = cast(y, x.dtype)
    bits = cast(x, whole, bitcast=True)
    one = bits * 0 + 1
    neighbour = cast(where((x < y) == (x > 0.0), bits + one, bits - one), x.dtype, bitcast=True)
    smallest = copysign(cast(one, x.dtype, bitcast=True), y)
    result = where(x == 0.0, smallest, neighbour)
    return where(x == y, y, where(isnan(x) | isnan(y), x + y, result))


@_in_float64
def normcdf(x):
    """Distribution function of the normal distribution."""
    return 0.5 * erfc(x * -0.7071067811865476)


@_in_float64
def sinpi(x):
    """sin(pi * x), exact at the integers."""
    return _sine_of_pi_times(x)


@_in_float64
def cospi(x):
    """cos(pi * x), exact at the integers and halfway between."""
    n = rint(x)
    r = _abs(x - n)
    c = where(r < 0.25, cos(_PI * r), sin(_PI * (0.5 - r)))
    return where(rint(n * 0.5) * 2.0 == n, c, -c)


@_in_float64
def rcbrt(x):
    """1 / cbrt(x)"""
    return 1.0 / cbrt(x)


__all__ = [n for n, f in globals().items() if getattr(f, "__pavage_builtin__", False) and f.__module__ == __name__]
