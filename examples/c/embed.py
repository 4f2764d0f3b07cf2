"""The first row of each output of BERT, by the C interface: embed.py LIBRARY PACKAGE"""

import ctypes as c
import sys


class Tensor(c.Structure):  # DLTensor
    _fields_ = [("data", c.c_void_p), ("device", c.c_int32 * 2), ("ndim", c.c_int32)]
    _fields_ += [("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16)]
    _fields_ += [("shape", c.POINTER(c.c_int64)), ("strides", c.c_void_p), ("at", c.c_uint64)]


class Managed(c.Structure):  # DLManagedTensorVersioned
    _fields_ = [("version", c.c_uint32 * 2), ("context", c.c_void_p)]
    _fields_ += [("deleter", c.CFUNCTYPE(None, c.c_void_p)), ("flags", c.c_uint64)]
    _fields_ += [("tensor", Tensor)]


library, model, pointer = c.CDLL(sys.argv[1]), c.c_void_p(), c.POINTER(Tensor)
library.mithril_last_error.restype = c.c_char_p
if library.mithril_model_open(sys.argv[2].encode(), None, c.byref(model), None):
    sys.exit(library.mithril_last_error().decode())
shape, ids, kinds = (c.c_int64 * 2)(1, 4), (c.c_int64 * 4)(101, 7592, 2088, 102), (c.c_int64 * 4)()
data = [(ids, 0, 64), (kinds, 0, 64), ((c.c_bool * 4)(True, True, True, True), 6, 8)]
inputs = [Tensor(c.addressof(a), (1, 0), 2, code, bits, 1, shape) for a, code, bits in data]
names = (c.c_char_p * 3)(b"input_ids", b"token_type_ids", b"attention_mask")
given, count = (pointer * 3)(*map(pointer, inputs)), c.c_size_t()
library.mithril_model_output_count(model, c.byref(count), None)
outputs = (c.POINTER(Managed) * count.value)()
if library.mithril_model_run(model, names, given, c.c_size_t(3), outputs, count, None):
    sys.exit(library.mithril_last_error().decode())
for made in outputs:
    tensor = made.contents.tensor
    print(*c.cast(tensor.data, c.POINTER(c.c_float))[: tensor.shape[tensor.ndim - 1]])
    made.contents.deleter(c.addressof(made.contents))
library.mithril_model_free(model)
