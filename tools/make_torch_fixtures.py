#!/usr/bin/env python3
"""Graphs that PyTorch traced itself, in the schema of torch.export's model.json, and what
PyTorch does with their memory: fixtures/torch, for tests/torch/graphs.py, which needs no
PyTorch. Traced with make_fx, which keeps views and in-place ops as they are called.

With Debian's python3-torch (1.13); without torch it skips (exit status 77).
"""
import json
import operator
import pathlib
import sys
import warnings

import arguments

ARGS = arguments.read(__doc__)  # before it is known whether there is anything to do
try:
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx
except ImportError as why:
    print(f"skipped: {why}")
    sys.exit(77)

warnings.filterwarnings("ignore")
F = torch.nn.functional
KINDS = {torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5,
         torch.float16: 6, torch.float32: 7, torch.float64: 8, torch.complex64: 10,
         torch.complex128: 11, torch.bool: 12, torch.bfloat16: 13}


# ---- the nets: parameters, buffers and inputs are arguments, by the first letters ----

def relu_chain(p_w1, p_w2, p_wf, p_bf, x):
    """In-place activations as nn.ReLU(inplace=True) has them, and a residual sum."""
    y = F.conv2d(x, p_w1, padding=1).relu_()
    z = F.conv2d(y, p_w2, padding=1).add_(y).relu_()
    return F.linear(z.flatten(1), p_wf, p_bf)


def saved_result(p_s, x):
    """The backward pass of sigmoid needs its result, which is scaled in place."""
    return (x * p_s).sigmoid().mul_(2)


def saved_detached(p_s, x):
    """detach() hides the write from autograd's graph, not from the bytes."""
    y = (x * p_s).exp()
    y.detach().relu_()
    return y + 1


def saved_operand(p_s, x):
    """A product keeps its factors; one is counted up afterwards, through a view."""
    a = x + p_s
    b = a * p_s
    a.view(-1)[2:5].add_(1)
    return b + a


def saved_nothing(p_s, x):
    """A sum keeps nothing: its operand may be overwritten."""
    a = x + p_s
    b = a + x
    a.mul_(2)
    return b + 1


def view_add(x, y):
    """Sums into parts of a tensor, seen through other views of it."""
    a = x * 2
    v = a.view(2, 12)
    v[:, 1:3].add_(y)
    first, second = torch.split(v, [4, 8], 1)
    second.mul_(3)
    return torch.cat([second, first], 1), a.t()


def view_kinds(x, y):
    """Every way to look at a tensor that the reader knows."""
    a = x + 1
    parts = [a.select(1, -2), a.narrow(2, 1, 2), a.diagonal(1, 0, 2), a.diagonal(-1, 1, 2),
             a.unfold(2, 2, 1), a.movedim(0, 2), a.swapaxes(1, 2), a.transpose(0, 2),
             a.permute(2, 0, 1), a.unsqueeze(1), a[0:1].squeeze(0), a[:, 1::2],
             a.as_strided((2, 3), (1, 4), 5), a.view(-1)[3:9].view(2, 3), a.mT,
             y.expand(3, 4), y.view(1, 4).expand_as(a[0]), a.contiguous(), a.unflatten(2, (2, 2)),
             a.to(torch.float32), a.view_as(x), a.reshape(6, 4), a.transpose(0, 1).reshape(6, 4),
             a.transpose(0, 1).contiguous(), a.chunk(2, 2)[1], a.tensor_split(2, 1)[1],
             a.tensor_split((1,), 2)[1], a.unbind(1)[2], a.hsplit([2])[1], a.vsplit(2)[1],
             a.dsplit(2)[1], F.dropout(a, 0.5, False), a.ravel(), a.T if a.dim() == 2 else a[1].t()]
    a.select(0, 1).mul_(2)
    return tuple(p.sum() for p in parts)


def view_complex(x):
    z = torch.view_as_complex(x * 2)
    z.imag.add_(1)
    return torch.view_as_real(z) + 1, z.real + 1


def through_transpose(x):
    a = x * 2
    a.t().relu_()
    a[0].add_(a[1])
    a.unsqueeze(0).transpose(1, 2).mul_(3)
    return a + 1


def stale(x):
    """A view is read after its base was cleared: it sees zeros."""
    a = x * 2
    v = a[1:]
    a.zero_()
    return v + 1


def self_overlap(x):
    """Rows that share elements are added to: each element is touched up to three times."""
    a = x + 1
    a.as_strided((4, 3), (1, 1)).add_(1)
    return a * 2


def input_write(x, y):
    x.add_(y)
    return x * 2


def buffers(b_count, b_cache, b_mean, x):
    """A counter, a cache that is written at a place, a running mean."""
    b_count.add_(1)
    b_cache[:, 1:3].copy_(x)
    b_mean.mul_(0.9).add_(x.mean(1), alpha=0.1)
    return (b_cache * 2).sum(1) + b_mean


def functional(b_count, b_cache, b_mean, x):
    return buffers(b_count, b_cache, b_mean, x)


def norm_training(p_g, p_b, b_mean, b_var, x):
    return F.batch_norm(x, b_mean, b_var, p_g, p_b, True, 0.1).relu_()


def out_argument(x, y):
    a = torch.empty(3, 4)
    torch.add(x, y, out=a)
    torch.mul(a, 2, out=a[:, :])
    return a + 1


def each_of_list(x, y):
    a, b = x * 2, y * 2
    torch._foreach_add_([a, b], 1.0)
    return a + b


def dense_views(x, y):
    """In-place ops on parts that lie dense, which kernels run."""
    a = x * 2
    a[1:3].add_(y)
    a.view(-1)[4:8].relu_()
    a[0].clamp_(-0.5, 0.5)
    b = F.leaky_relu(a) + F.hardtanh(a)
    return torch.cat([a[2:], b], 0), a.view(2, 8) * 3


def cleared(x, y):
    """What is written before is lost; the sum is into a part alone."""
    a = x.clone()
    a[1:].fill_(0.5)
    a[:1].add_(y[:1]).clamp_(0, 1)
    return a * y


def of(*shape):
    return torch.randn(*shape, generator=GEN)


GEN = torch.Generator().manual_seed(7)
NETS = [
    (relu_chain, lambda: [of(4, 2, 3, 3), of(4, 4, 3, 3), of(3, 64), of(3), of(1, 2, 4, 4)]),
    (saved_result, lambda: [of(4), of(2, 4)]),
    (saved_detached, lambda: [of(4), of(2, 4)]),
    (saved_operand, lambda: [of(4), of(2, 4)]),
    (saved_nothing, lambda: [of(4), of(2, 4)]),
    (view_add, lambda: [of(4, 6), of(2, 2)]),
    (view_kinds, lambda: [of(2, 3, 4), of(4)]),
    (view_complex, lambda: [of(3, 2)]),
    (through_transpose, lambda: [of(2, 3)]),
    (stale, lambda: [of(3, 2)]),
    (self_overlap, lambda: [of(6)]),
    (input_write, lambda: [of(4), of(4)]),
    (buffers, lambda: [torch.zeros(1), of(2, 4), of(2), of(2, 2)]),
    (functional, lambda: [torch.zeros(1), of(2, 4), of(2), of(2, 2)]),
    (norm_training, lambda: [of(3), of(3), of(3), of(3).abs(), of(2, 3, 4, 4)]),
    (out_argument, lambda: [of(3, 4), of(3, 4)]),
    (each_of_list, lambda: [of(4), of(4)]),
    (dense_views, lambda: [of(4, 4), of(2, 4)]),
    (cleared, lambda: [of(3, 4), of(3, 4)]),
]


# ---- tracing ----

class Watch(torch.fx.Interpreter):
    """Runs the graph once more and looks where each value lies."""

    def __init__(self, gm):
        super().__init__(gm)
        self.seen, self.keep = {}, []

    def run_node(self, node):
        result = super().run_node(node)
        self.keep.append(result)  # or an address would be given twice
        self.seen[node.name] = result
        return result


def address(t):
    return t.storage().data_ptr()


def meta(t):
    ints = lambda values: [{"as_int": int(v)} for v in values]
    return {"dtype": KINDS[t.dtype], "sizes": ints(t.shape), "requires_grad": False,
            "device": {"type": "cpu", "index": None}, "strides": ints(t.stride()),
            "storage_offset": {"as_int": 0}, "layout": 7}


def argument(value, kind):
    """A union of the schema, from a value and the type that the operator's schema gives."""
    if value is None:
        return {"as_none": True}
    if isinstance(value, torch.fx.Node):
        return {"as_tensor": {"name": value.name}}
    if isinstance(value, bool):
        return {"as_bool": value}
    if isinstance(value, int):
        return {"as_int": value} if "float" not in kind else {"as_float": float(value)}
    if isinstance(value, float):
        return {"as_float": value}
    if isinstance(value, torch.dtype):
        return {"as_scalar_type": KINDS[value]}
    if isinstance(value, torch.device):
        return {"as_device": {"type": value.type, "index": value.index}}
    if isinstance(value, torch.layout):
        return {"as_layout": 7}
    if isinstance(value, torch.memory_format):
        return {"as_memory_format": {torch.contiguous_format: 1, torch.preserve_format: 4}.get(value, 2)}
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], torch.fx.Node):
            return {"as_tensors": [{"name": v.name} for v in value]}
        if any(isinstance(v, float) for v in value):
            return {"as_floats": list(value)}
        return {"as_ints": [int(v) for v in value]}
    raise TypeError(f"{value!r} of {kind}")


def operands(node):
    names = node.target._schema.arguments
    found = []
    for i, value in enumerate(node.args):
        found.append({"name": names[i].name, "arg": argument(value, str(names[i].type)),
                      "kind": 1})
    for name, value in node.kwargs.items():
        if value is not None:
            kind = next(str(a.type) for a in names if a.name == name)
            found.append({"name": name, "arg": argument(value, kind), "kind": 2})
    return found


def results(node, seen):
    value = seen[node.name]
    if isinstance(value, torch.Tensor):
        return [{"as_tensor": {"name": node.name}}]
    if value is None or not value:
        return []
    picked = {user.args[1]: user.name for user in node.users if user.target is operator.getitem}
    names = [picked.get(i, f"{node.name}_unused_{i}") for i in range(len(value))]
    for name, one in zip(names, value):
        seen.setdefault(name, one)
    if isinstance(value, list):
        return [{"as_tensors": [{"name": n} for n in names]}]
    return [{"as_tensor": {"name": n}} for n in names]


def trace(make, values):
    if make is functional:
        import functorch
        gm = make_fx(functorch.functionalize(make, remove="mutations"))(*copies(values))
    else:
        gm = make_fx(make)(*copies(values))
    gm.graph.eliminate_dead_code = lambda: None
    return gm


def copies(values):
    return [v.clone() for v in values]


def spec(name):
    """The prefix says what the exporter would."""
    if name.startswith("p_"):
        return {"parameter": {"arg": {"name": name}, "parameter_name": name[2:]}}
    if name.startswith("b_"):
        return {"buffer": {"arg": {"name": name}, "buffer_name": name[2:], "persistent": True}}
    return {"user_input": {"arg": {"as_tensor": {"name": name}}}}


def export(make, values):
    """(model.json, what PyTorch does)."""
    gm = trace(make, values)
    names = make.__code__.co_varnames[:make.__code__.co_argcount]
    nodes = list(gm.graph.nodes)
    for node, name in zip(nodes, names):
        node.name = node.target = name
    watch = Watch(gm)
    given = copies(values)
    returned = watch.run(*given)
    returned = returned if isinstance(returned, (list, tuple)) else [returned]
    seen, listed, mutations = watch.seen, [], []
    for node in nodes:
        if node.op != "call_function" or node.target is operator.getitem:
            continue
        if make is functional and str(node.target) == "aten.copy_.default":
            # functorch ends with copies into what was mutated; torch.export says so
            mutations.append({"buffer_mutation": {"arg": {"name": node.args[1].name},
                                                  "buffer_name": node.args[0].name[2:]}})
            continue
        listed.append({"target": f"torch.ops.{node.target}", "inputs": operands(node),
                       "outputs": results(node, seen), "metadata": {},
                       "is_hop_single_tensor_return": None, "name": node.name})
    last = nodes[-1].args[0]
    last = last if isinstance(last, (list, tuple)) else [last]
    outputs = [n.name for n in last]
    tensors = {n: v for n, v in seen.items() if isinstance(v, torch.Tensor)}
    graph = {"inputs": [{"as_tensor": {"name": n}} for n in names],
             "outputs": [{"as_tensor": m["buffer_mutation"]["arg"]} for m in mutations] +
                        [{"as_tensor": {"name": n}} for n in outputs],
             "nodes": listed, "tensor_values": {n: meta(t) for n, t in tensors.items()},
             "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {},
             "custom_obj_values": {}, "is_single_tensor_return": False}
    signature = {"input_specs": [spec(n) for n in names],
                 "output_specs": mutations +
                 [{"user_output": {"arg": {"as_tensor": {"name": n}}}} for n in outputs]}
    model = {"graph_module": {"graph": graph, "signature": signature, "module_call_graph": [],
                              "metadata": {}, "treespec_namedtuple_fields": {}},
             "opset_version": {"aten": 10}, "range_constraints": {},
             "schema_version": {"major": 8, "minor": 17}, "verifiers": ["TRAINING"],
             "torch_version": "1.13", "guards_code": []}
    truth = {"storage": storages(tensors, mutations)}
    try:
        truth["autograd"] = autograd(make, values)
    except RuntimeError:  # an input itself is written, or there is no gradient of it
        truth["autograd"] = None
    if all(n[0] not in "pb" or n[1] != "_" for n in names):
        truth["inputs"] = [flat(v) for v in values]
        truth["outputs"] = [flat(v) for v in returned]
    return model, truth


def flat(t):
    t = torch.view_as_real(t) if t.is_complex() else t
    return [float(v) for v in t.contiguous().view(-1)]


def storages(tensors, mutations):
    """By tensor: the first one in the same storage, and where it starts there, in its own
    elements, and its strides."""
    first, where = {}, {}
    skip = {m["buffer_mutation"]["arg"]["name"] for m in mutations}
    for name, t in tensors.items():
        if t.numel() == 0 or name in skip:
            continue
        root = first.setdefault(address(t), name)
        start = (t.data_ptr() - address(t)) // t.element_size()
        where[name] = [root, start, list(t.stride())]
    return where


def autograd(make, values):
    """Does the backward pass find what it has saved? null: PyTorch does not train that."""
    names = make.__code__.co_varnames
    given = copies(values)
    for value, name in zip(given, names):
        value.requires_grad_(not name.startswith("b_"))
    result = make(*given)
    result = result if isinstance(result, torch.Tensor) else sum(r.sum() for r in result)
    try:
        result.sum().backward()
    except RuntimeError as why:
        if "modified by an inplace operation" not in str(why):
            raise
        return False
    return True


def main():
    """Writes the folder; with --check compares what it would write with what is there."""
    out = pathlib.Path(ARGS.folder)
    out.mkdir(exist_ok=True)
    files, truths = {}, {}
    for make, values in NETS:
        GEN.manual_seed(len(make.__name__))
        model, truths[make.__name__] = export(make, values())
        files[f"{make.__name__}.json"] = json.dumps(model) + "\n"
    text = ",\n".join(f" {json.dumps(n)}: {json.dumps(t)}" for n, t in truths.items())
    files["list.json"] = "{\n" + text + "\n}\n"
    if not ARGS.check:
        for name, content in files.items():
            (out / name).write_text(content)
        return
    stale = [n for n, content in files.items() if (out / n).read_text() != content]
    print(f"{len(files)} files, {len(stale)} differ: {stale}")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
