"""One case for each of the tensor functions that models use, and tricky ones, for `ml.from_torch`:
x is a matrix of floats."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from from_torch_cases import normal

X = normal(3, 5)
TIED = torch.tensor([[1.0, 3.0, 3.0, -2.0, 1.0], [0.0] * 5, [2.0, 2.0, -0.5, 2.5, -1.5]]).double()
INDEX = torch.tensor([[0, 2, 1, 1, 0], [2, 2, 0, 1, 1]])
COLUMNS = torch.tensor([[4, 0], [1, 1], [2, 3]])
PICKED, AGAIN = torch.tensor([2, 0, -1]), torch.tensor([1, 1, 1])
WHOLE = torch.tensor([[7, -3, 0, 5, -8], [1, 2, 3, 4, 5], [-6, 6, 12, -1, 9]])
SQUARE = normal(3, 3)
COUNTS = WHOLE.abs().flatten()


def limited(x: Any) -> Any:
    """Maps x to numbers between -0.9 and 0.9."""
    return 0.9 * torch.tanh(x)


def regular(x: Any) -> Any:
    """A matrix that is not singular."""
    return x[:, :3] + SQUARE


def rebuilt(factors: Any) -> Any:
    """Multiplies factors in a way that does not depend on the choice of signs."""
    left, right = factors
    return left**3 @ right


def rebuilt_from_values(factors: Any) -> Any:
    left, values, right = factors
    return left**3 * values.exp() @ right


FUNCTIONS: dict[str, Callable] = {
    # sums and products along axes
    "cumsum": lambda x: x.cumsum(-1),
    "cumprod": lambda x: x.cumprod(1),
    "cummax": lambda x: x.cummax(1)[0] * x.cummax(1)[1],
    "cummax of ties": lambda x: x.cummax(0).values * TIED.cummax(1)[1] + TIED.cummax(1)[0],
    "cummin": lambda x: x.cummin(0)[0] + x.cummin(-1).indices,
    "cummin of ints": lambda x: x * WHOLE.cummin(1)[0] + TIED.cummin(0)[1],
    "logsumexp": lambda x: x.logsumexp(1),
    "prod": lambda x: x.prod(-1),
    "var": lambda x: x.var((0, 1)),
    "std": lambda x: x.std(1, keepdim=True),
    "var_mean": lambda x: sum(torch.var_mean(x, 1)),
    "norm": lambda x: x.norm(dim=1),
    "norm of order 1": lambda x: x.norm(1, 0),
    "norm of order inf": lambda x: torch.linalg.vector_norm(x, float("inf"), -1),
    "norm of order 3": lambda x: torch.linalg.vector_norm(x, 3, (0, 1)),
    "cdist": lambda x: torch.cdist(x, x[:2] * 2),
    "pdist": F.pdist,
    "count_nonzero": lambda x: x * (x > 0).count_nonzero(0),
    "diff": lambda x: x.diff(dim=1),
    "diff of second order": lambda x: x.diff(2, 0, prepend=x[:1] * 2, append=x),
    "diff of bools": lambda x: x[:, 1:] * (x > 0).diff(),
    "diff of ints": lambda x: x * WHOLE.diff(prepend=WHOLE[:, :1]),
    "trapezoid": lambda x: torch.trapezoid(x, dim=1),
    "nansum": lambda x: x.where(x < 1, torch.nan).nansum(1),
    "any": lambda x: x * (x > 1).any(1, keepdim=True),
    "all": lambda x: x * (x > -1).all(0),
    "mean": lambda x: x.mean((-1, 0)),
    # order
    "sort": lambda x: x.sort(1)[0] * x.sort(1)[1],
    "sort, descending": lambda x: torch.sort(x, 0, descending=True)[0],
    "argsort": lambda x: x * x.argsort(-1),
    "quantile": lambda x: x.quantile(0.3, 1) + torch.quantile(x, 0.8, dim=0, keepdim=True)[0, :3],
    "quantiles": lambda x: x.quantile(torch.tensor([0.1, 0.5, 1.0]).double(), 1),
    "quantile of all, nearest": lambda x: x * torch.quantile(x, 0.45, interpolation="nearest"),
    "quantile, midpoint": lambda x: x.quantile(0.4, -1, interpolation="midpoint"),
    "nanquantile": lambda x: x.where(x < 1, torch.nan).nanquantile(0.6, 1),
    "histc": lambda x: x * x.detach().histc(5, -1, 1),
    "histc of its own range": lambda x: x * x.detach().histc(5),
    "bincount": lambda x: x * torch.bincount(COUNTS, minlength=13)[:5],
    "bincount with weights": lambda x: (
        x * torch.bincount(COLUMNS[:, 0], x[:, 1].detach(), minlength=5)
    ),
    "topk": lambda x: x.topk(2, 1)[0] + x.topk(2, 1)[1],
    "topk, smallest": lambda x: x.topk(2, 0, largest=False).values,
    "kthvalue": lambda x: x.kthvalue(2, 1).values,
    "median": lambda x: x.median(1).values + x.median(),
    "max": lambda x: x.max(1).values * x.max(1).indices,
    "argmin": lambda x: x * x.argmin(1, keepdim=True),
    "aminmax": lambda x: x * (x.detach().aminmax().max - x.detach().aminmax().min),
    "searchsorted": lambda x: x * torch.searchsorted(x[0].sort()[0].detach(), x),
    "bucketize": lambda x: x * torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])),
    # indexing
    "gather": lambda x: x.gather(0, INDEX),
    "take_along_dim": lambda x: x.take_along_dim(COLUMNS, 1),
    "scatter": lambda x: x.scatter(0, INDEX[:1], x[:1] * 2),
    "scatter_add": lambda x: x.scatter_add(0, INDEX, x[:2] * 2),
    "scatter_reduce": lambda x: x.scatter_reduce(0, INDEX, x[:2] * 2, "amax", include_self=False),
    "index_add": lambda x: x.index_add(0, AGAIN, x, alpha=2),
    "index_copy": lambda x: x.index_copy(1, PICKED[:2], x[:, :2]),
    "index_fill": lambda x: x.index_fill(1, PICKED[:2], 3.0),
    "index_select": lambda x: x.index_select(1, PICKED[:2]),
    "index by two": lambda x: x[PICKED, AGAIN],
    "index by two and a slice": lambda x: x[:, None, :][PICKED[:, None], :, COLUMNS],
    "index_put": lambda x: (x * 1).index_put((AGAIN, PICKED), x[0, 0], accumulate=True),
    "index_put in each row": lambda x: x.index_put((torch.arange(3), PICKED), x[0, 0]),
    "index_put in some columns": lambda x: x.index_put(
        (torch.arange(3)[:, None], COLUMNS), x[:, :2] * 2, accumulate=True
    ),
    "index by bools": lambda x: torch.where(x > 0, x, 0.0).masked_fill(x > 1, 1.0),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, (x * 2).flatten()),
    "take": lambda x: x.take(PICKED),
    "select_scatter": lambda x: x.select_scatter(x[0] * 2, 0, -1),
    "slice_scatter": lambda x: x.slice_scatter(x[:, :2] * 2, 1, 0, 4, 2),
    "slice_scatter of the whole": lambda x: x + torch.slice_scatter(x.long(), 2.5 * x.detach(), 0),
    "slice_scatter of ints into floats": lambda x: x.slice_scatter(x.long()[:, :2], 1, 0, 4, 2),
    "diagonal_scatter of ints": lambda x: x + x.long().diagonal_scatter(2.5 * x.detach()[0, :3]),
    "masked_fill of ints": lambda x: x + x.long().masked_fill(x > 0, 2.5),
    "index_fill of ints": lambda x: x + x.long().index_fill(1, PICKED[:2], 2.5),
    "slice_scatter of ints": lambda x: (
        x + torch.slice_scatter(x.long(), 2.5 * x.detach()[:, :2], 1, 0, 4, 2)
    ),
    "select_scatter of ints": lambda x: x + x.long().select_scatter(2.5 * x.detach()[0], 0, -1),
    "diagonal": lambda x: x.diagonal(1),
    "diag_embed": torch.diag_embed,
    "unfold": lambda x: x.unfold(1, 3, 2),
    "one_hot": lambda x: x[:, :, None] * F.one_hot(INDEX[0], 3),
    "where": lambda x: torch.where(x > 0, x, -1),
    # shapes
    "flip": lambda x: x.flip((0, -1)) + x.fliplr(),
    "roll": lambda x: x.roll((1, -2), (0, 1)) + x.roll(3),
    "rot90": lambda x: x.rot90(),
    "movedim": lambda x: x[None].movedim(0, -1),
    "meshgrid": lambda x: sum(torch.meshgrid(x[0], x[1], indexing="xy")),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 1),
    "repeat_interleave by a constant": lambda x: x.repeat_interleave(torch.tensor([2, 0, 3]), 0),
    "repeat_interleave of all": lambda x: x.repeat_interleave(COUNTS),
    "repeat_interleave by one element": lambda x: x.repeat_interleave(torch.tensor([2]), 1),
    "repeat_interleave by a computed tensor": lambda x: x.repeat_interleave(
        (x > -9).sum(1), 0, output_size=15
    ),
    "tile": lambda x: x.tile(2, 1, 2),
    "tensor_split": lambda x: x.tensor_split(3, 1)[1],
    "hstack": lambda x: torch.hstack((x, x * 2)) @ torch.vstack((x.T, x.T)),
    "tril": lambda x: x.tril(-1) + torch.triu(x, 1),
    "kron": lambda x: torch.kron(x, x[:2]),
    "outer": lambda x: torch.outer(x[0], x[1]),
    "block_diag": lambda x: torch.block_diag(x, x * 2),
    "pad": lambda x: F.pad(x[None], (2, 3), "reflect") + F.pad(x[None], (2, 3), "circular"),
    # elements
    "round": lambda x: x * (x * 3).round() + x.round(decimals=1).detach(),
    "trunc": lambda x: x * x.trunc() + x.frac(),
    "floor": lambda x: x * (x.floor() + x.ceil()),
    "fmod": lambda x: x.fmod(0.7) + x.remainder(-0.7),
    "div": lambda x: x * torch.div(x, 0.3, rounding_mode="trunc"),
    "log1p": lambda x: x.exp().log1p() + x.expm1(),
    "asin": lambda x: limited(x).asin() + limited(x).acos() + limited(x).atanh(),
    "asinh": lambda x: x.asinh() + (x.abs() + 1.5).acosh(),
    "atan2": lambda x: torch.atan2(x, x.flip(0)) + x.atan(),
    "sinh": lambda x: x.sinh() + x.cosh() + x.tan(),
    "erf": lambda x: x.erf(),
    "hypot": lambda x: torch.hypot(x, x.flip(1)),
    "logit": lambda x: torch.logit(x.sigmoid() * 0.9 + 0.05),
    "xlogy": lambda x: torch.xlogy(x, x.abs() + 1),
    "lerp": lambda x: torch.lerp(x, x * 2, 0.3),
    "addcmul": lambda x: torch.addcmul(x, x, x, value=0.5) + torch.addcdiv(x, x, x.exp()),
    "clamp": lambda x: x.clamp(x[0], x[1] + 2),
    "nan_to_num": lambda x: (x / x.relu()).nan_to_num(1.0, 2.0, -2.0).detach() * x,
    "heaviside": lambda x: x * torch.heaviside(x, x[0]).detach(),
    "copysign": lambda x: torch.copysign(x, -x),
    "isclose": lambda x: x * torch.isclose(x, x.round(), atol=0.2),
    "logaddexp": lambda x: torch.logaddexp(x, x * 2),
    "sinc": torch.sinc,
    "exp2": lambda x: x.exp2() + (x.abs() + 1).log2(),
    # ints
    "bits": lambda x: x * ((WHOLE & 6) | (WHOLE ^ 3)) + ~WHOLE,
    "shifts": lambda x: x * ((WHOLE << 2) + (WHOLE >> 1)),
    "quotients of ints": lambda x: (
        x * (WHOLE // 3 + WHOLE % 3) + WHOLE.div(4, rounding_mode="trunc")
    ),
    # matrices
    "cross": lambda x: torch.linalg.cross(x[:, :3], SQUARE),
    "trace": lambda x: (x @ x.T).trace(),
    "matrix_power": lambda x: torch.linalg.matrix_power(x @ x.T, 3),
    "baddbmm": lambda x: torch.baddbmm(x[None], SQUARE[None], x[None], beta=0.5, alpha=2),
    "tensordot": lambda x: torch.tensordot(x, x, ([0], [0])),
    "einsum": lambda x: torch.einsum("ij,kj,lj->ikl", x, x, x),
    "normalize": lambda x: F.normalize(x, dim=-1),
    "cosine_similarity": lambda x: F.cosine_similarity(x, x.flip(0), dim=-1),
    # what torch.linalg computes from factors
    "inv": lambda x: torch.linalg.inv(regular(x)) + regular(x).inverse(),
    "inv of several": lambda x: torch.linalg.inv(torch.stack((regular(x), SQUARE))),
    "det": lambda x: torch.linalg.det(regular(x)) + torch.stack((regular(x), SQUARE)).det(),
    "slogdet": lambda x: torch.linalg.slogdet(regular(x)).logabsdet * torch.slogdet(SQUARE)[0],
    "sign of slogdet": lambda x: x * torch.slogdet(torch.stack((regular(x), SQUARE)))[0].sum(),
    "logdet": lambda x: torch.logdet(torch.stack((x @ x.T, -x @ x.T))).nan_to_num(7.0),
    "qr": lambda x: rebuilt(torch.linalg.qr(x)) + rebuilt(torch.qr(x * 2)),
    "qr of a tall matrix": lambda x: rebuilt(torch.linalg.qr(x.T)),
    "qr, complete": lambda x: torch.linalg.qr(x, mode="complete")[1].abs(),
    "qr, R only": lambda x: x[0, 0] * torch.linalg.qr(x.detach().T, mode="r")[1].abs(),
    "svd": lambda x: rebuilt_from_values(torch.linalg.svd(x, full_matrices=False)),
    "svd of a square matrix": lambda x: torch.linalg.svd(regular(x))[0].abs(),
    "svd, values only": lambda x: torch.linalg.svd(x)[1] + torch.linalg.svdvals(x.T),
    "svd, old name": lambda x: torch.svd(x)[2].abs() + torch.svd(x, compute_uv=False)[1],
    "pinv": lambda x: torch.linalg.pinv(x) + torch.pinverse(x),
    "pinv with thresholds": lambda x: (
        torch.linalg.pinv(x, rcond=0.5) + torch.linalg.pinv(x.T, atol=2.0, rtol=0.1).T
    ),
    "matrix_exp": lambda x: torch.linalg.matrix_exp(regular(x)) + torch.matrix_exp(SQUARE),
    "solve": lambda x: torch.linalg.solve(regular(x), x),
    "solve from the right": lambda x: torch.linalg.solve(regular(x), x.T, left=False),
    "solve of a vector": lambda x: torch.linalg.solve(regular(x), x[:, 0]),
    "solve of several": lambda x: torch.linalg.solve(regular(x), torch.stack((x, x * 2))),
    "solve of several matrices": lambda x: torch.linalg.solve(torch.stack((regular(x), SQUARE)), x),
    "solve of several vectors": lambda x: torch.linalg.solve(
        torch.stack((regular(x), SQUARE)), x[:2, :3]
    ),
    "svd of more vectors": lambda x: torch.linalg.svd(x)[2],
    "eigenvalues": lambda x: torch.linalg.eigvals(regular(x)).abs(),
    "fft": lambda x: torch.fft.rfft(x).abs(),
    "nonzero": lambda x: x[x > 0],
    "unique": torch.unique,
    # special functions
    "erfc": lambda x: (x * 4).erfc() + torch.special.erfc(x),
    "lgamma": lambda x: (x.abs() + 1).lgamma() + x.lgamma(),
    # torch's trigamma function, which is the slope of digamma, has nine digits
    "digamma": lambda x: x * (x.digamma() + torch.polygamma(0, x.abs() + 1)).detach(),
    "polygamma": lambda x: torch.polygamma(2, x.abs() + 1) + torch.special.polygamma(3, x),
    "erfinv": lambda x: limited(x).erfinv() + torch.special.erfinv(limited(x)),
    "logcumsumexp": lambda x: (x * 200).logcumsumexp(1) + x.logcumsumexp(0),
}


def views(x: Any) -> Any:
    y = x * 1
    y.T[1].mul_(2)
    y.view(-1)[::3] += 1
    y[0, 1:4].copy_(x[1, :3])
    y.diagonal().fill_(0.5)
    return y


def in_place_after_a_view(x: Any) -> Any:
    y = x * 2
    first, flat = y[0], y.reshape(-1)
    y.add_(x)
    return y + first + flat[:5]


def in_place_before_a_view(x: Any) -> Any:
    y = (x * 2).add_(1)
    first = y[0]
    y.mul_(3)
    return y + first


def in_place_of_an_operand(x: Any) -> Any:
    y = x * 2
    z = y.exp()
    w = y.mul_(x)
    return torch.stack((y, z, w.sub_(1), y))


def in_place_of_the_input(x: Any) -> Any:
    y = F.dropout(x * 2, 0.5, False)
    z = y.type_as(x).contiguous()
    z.mul_(3)
    return x + y + z


def in_place_without_a_result(x: Any) -> Any:
    y = x * 2
    y.add_(1)
    torch.relu_(y)
    return y


def half(x: Any) -> Any:
    return (x.half() * torch.tensor(2.0) + x.bfloat16().half() * 0).double() + (x > 0) * 2.5


TRICKY: dict[str, Callable] = {
    "largest of ties": lambda x: x.max(1).values + x.amax(1) + x.max() + x.min(dim=1)[0],
    "places of ties": lambda x: x * (x.argmax(1, keepdim=True) + x.max(1, True).indices),
    "sort of ties": lambda x: x.sort(dim=1, stable=True)[0] * x.argsort(dim=1, stable=True),
    "limits of ties": lambda x: x.clamp(0, 2) + F.relu(x) + torch.maximum(x, x[2]) + x.abs(),
    "median of ties": lambda x: x.median(-1).values,
    "views that are written to": views,
    "in place": lambda x: x.mul(2).add_(x).sub_(1).T.div_(2).neg_(),
    "in place after a view": in_place_after_a_view,
    "in place before a view": in_place_before_a_view,
    "in place of an operand that is used before and after": in_place_of_an_operand,
    "in place of what may be the input": in_place_of_the_input,
    "in place in another dtype": lambda x: (
        (x > 0).float().add_(x.float()).double() + (x * 2).floor_()
    ),
    "in place of ints": lambda x: x * (WHOLE + 1).add_(WHOLE).mul_(3).bitwise_and_(WHOLE),
    "in place without a result": in_place_without_a_result,
    "in place of a detached tensor": lambda x: (x * 2).detach_() * x + (x * 3).relu_(),
    "rows in place": lambda x: x.clone().index_add_(0, AGAIN, x).scatter_(1, COLUMNS, 0.5),
    "negative axes": lambda x: (
        x.unsqueeze(-2).squeeze(-2).softmax(-2).flip(-1).cumsum(-2).unflatten(-1, (-1, 1)).sum(-1)
    ),
    "negative indices": lambda x: x[-1, -3:] + x[..., -2, None].sum() + x.select(-1, -2).sum(),
    "ints and floats": lambda x: (WHOLE + 0.5) * x + WHOLE / 2 + WHOLE * True + (WHOLE > 0).sum(),
    "means of ints": lambda x: x * WHOLE.double().mean(0) + WHOLE.sum(-1, keepdim=True) % 3,
    "bools and ints": lambda x: x * ((x > 0) + 2) + (x > 0).long().cumsum(0) - (x > 1).int(),
    "halves": half,
    "powers of ints": lambda x: x**3 + x**-2 * 0.1 + 2**x + WHOLE**2,
    "scalars": lambda x: x * torch.tensor(3) + torch.tensor(2.0) - x[0, 0],
}

# What the error says about functions that cannot be converted.
REFUSED = {
    "svd of more vectors": "singular vectors beyond the singular values: pass full_matrices=False",
    "eigenvalues": "aten.linalg_eig: no op of Mithril computes it",
    "nonzero": "aten.index: by bools, whose number of True is not known",
    "unique": "aten._unique2: no op of Mithril computes it",
}
