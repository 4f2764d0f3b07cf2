"""Files in the safetensors format and near it: by hand, and by mutation."""

import random
import struct
from collections.abc import Iterator

ONE = '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'
FOUR = bytes(range(4))
TYPES = {
    "BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8,
    "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16,
    "I32": 32, "U32": 32, "F32": 32, "C64": 64, "F64": 64, "I64": 64, "U64": 64,
}  # fmt: skip
NOT_LOADED = {"F6_E2M3", "F6_E3M2", "C64"}


def file(header: str | bytes, data: bytes = b"", length: int | None = None) -> bytes:
    text = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(dtype: str, shape: str, offsets: str, more: str = "") -> str:
    return f'{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}{more}}}}}'


def more(text: str) -> bytes:
    return file(tensor("F32", "[1]", "[0,4]", f',"more":{text}'), FOUR)


def two(first: str, second: str, data: bytes, types: tuple[str, str] = ("F32", "F32")) -> bytes:
    parts = (
        f'"{name}":{{"dtype":"{dtype}","shape":{place.split("@")[0]},'
        f'"data_offsets":{place.split("@")[1]}}}'
        for name, dtype, place in zip("ab", types, (first, second), strict=True)
    )
    return file("{" + ",".join(parts) + "}", data)


BY_HAND = {
    "an empty file": b"",
    "seven bytes": b"1234567",
    "a length of zero": bytes(8),
    "a length of zero and data": bytes(8) + FOUR,
    "a length beyond the file": file("{}", length=3),
    "a length beyond 100 MB": file("{}", length=100_000_001),
    "a length of 64 bits": file("{}", length=2**64 - 1),
    "a length that overflows with its own eight bytes": file("{}", length=2**64 - 8),
    "a length that ends in the middle of the header": file(f'{{"a":{ONE}}}', FOUR, length=20),
    "no tensors": file("{}"),
    "no tensors and data": file("{}", b"x"),
    "an array": file("[]"),
    "null": file("null"),
    "a string": file('"a"'),
    "two objects": file("{}{}"),
    "space around": file(f'\n {{ "a" :\t{ONE}\r}} ', FOUR),
    "a NUL behind": file(f'{{"a":{ONE}}}\0', FOUR),
    "a vertical tab": file(f'{{\v"a":{ONE}}}', FOUR),
    "a byte order mark": file(f'\ufeff{{"a":{ONE}}}', FOUR),
    "a comment": file(f'{{"a":{ONE}}}//', FOUR),
    "a comma behind": file(f'{{"a":{ONE},}}', FOUR),
    "a key without quotes": file(f"{{a:{ONE}}}", FOUR),
    "no closing brace": file(f'{{"a":{ONE}', FOUR),
    "invalid UTF-8 in a name": file(b'{"\xff":' + ONE.encode() + b"}", FOUR),
    "an overlong NUL": file(b'{"\xc0\x80":' + ONE.encode() + b"}", FOUR),
    "an encoded surrogate": file(b'{"\xed\xa0\x80":' + ONE.encode() + b"}", FOUR),
    "invalid UTF-8 in what is skipped": file(
        b'{"a":{"more":"\xff",' + ONE[1:].encode() + b"}", FOUR
    ),
    "a lone surrogate": file(f'{{"\\ud800":{ONE}}}', FOUR),
    "a lone trailing surrogate": file(f'{{"\\udc00":{ONE}}}', FOUR),
    "half a pair": file(f'{{"\\ud800\\u0041":{ONE}}}', FOUR),
    "a pair of surrogates": file(f'{{"\\ud83d\\ude00":{ONE}}}', FOUR),
    "a short escape": file(f'{{"\\u12":{ONE}}}', FOUR),
    "an unknown escape": file(f'{{"\\x41":{ONE}}}', FOUR),
    "all escapes": file(f'{{"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9":{ONE}}}', FOUR),
    "a control character": file(f'{{"\x01":{ONE}}}', FOUR),
    "a delete character": file(f'{{"\x7f":{ONE}}}', FOUR),
    "an empty name": file(f'{{"":{ONE}}}', FOUR),
    "a name with a NUL": file(f'{{"\\u0000":{ONE}}}', FOUR),
    "a name twice": file(f'{{"a":{ONE},"a":{ONE}}}', FOUR),
    "a name twice, the first too large": file(
        f'{{"a":{{"dtype":"F32","shape":[2],"data_offsets":[0,8]}},"a":{ONE}}}', FOUR
    ),
    "a name twice, the last too large": file(
        f'{{"a":{ONE},"a":{{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}}}', FOUR
    ),
    "a name twice, the first no tensor": file(f'{{"a":3,"a":{ONE}}}', FOUR),
    "a number for a tensor": file('{"a":3}'),
    "null for a tensor": file('{"a":null}'),
    "an empty tensor object": file('{"a":{}}'),
    "no dtype": file('{"a":{"shape":[1],"data_offsets":[0,4]}}', FOUR),
    "no shape": file('{"a":{"dtype":"F32","data_offsets":[0,4]}}', FOUR),
    "no offsets": file('{"a":{"dtype":"F32","shape":[1]}}', FOUR),
    "a field twice": file(tensor("F32", "[1]", "[0,4]", ',"shape":[1]'), FOUR),
    "another field": more('[1,{"b":null},true,false,-1.5e-3]'),
    "another field twice": more('1,"more":2'),
    "a tensor as an array": file('{"a":["F32",[1],[0,4]]}', FOUR),
    "a tensor as an array of two": file('{"a":["F32",[1]]}', FOUR),
    "a tensor as an array of four": file('{"a":["F32",[1],[0,4],1]}', FOUR),
    "an unknown dtype": file(tensor("F33", "[1]", "[0,4]"), FOUR),
    "a dtype in lower case": file(tensor("f32", "[1]", "[0,4]"), FOUR),
    "an empty dtype": file(tensor("", "[1]", "[0,4]"), FOUR),
    "a number as dtype": file('{"a":{"dtype":11,"shape":[1],"data_offsets":[0,4]}}', FOUR),
    "a dtype as an object": file(
        '{"a":{"dtype":{"F32":null},"shape":[1],"data_offsets":[0,4]}}', FOUR
    ),
    "a dtype as an object of two": file(
        '{"a":{"dtype":{"F32":null,"I32":null},"shape":[1],"data_offsets":[0,4]}}', FOUR
    ),
    "a dtype as an empty object": file('{"a":{"dtype":{},"shape":[1],"data_offsets":[0,4]}}', FOUR),
    "a dtype with a value": file(
        '{"a":{"dtype":{"F32":1},"shape":[1],"data_offsets":[0,4]}}', FOUR
    ),
    "no dims": file(tensor("F32", "[]", "[0,4]"), FOUR),
    "a dim of zero": file(tensor("F32", "[3,0]", "[0,0]")),
    "a negative dim": file(tensor("F32", "[-1]", "[0,4]"), FOUR),
    "a dim of minus zero": file(tensor("F32", "[-0]", "[0,0]")),
    "a dim with a fraction": file(tensor("F32", "[1.0]", "[0,4]"), FOUR),
    "a dim with an exponent": file(tensor("F32", "[1e0]", "[0,4]"), FOUR),
    "a dim with a leading zero": file(tensor("F32", "[01]", "[0,4]"), FOUR),
    "a dim as text": file(tensor("F32", '["1"]', "[0,4]"), FOUR),
    "a dim of true": file(tensor("F32", "[true]", "[0,4]"), FOUR),
    "a dim beyond 64 bits": file(tensor("F32", "[18446744073709551616]", "[0,4]"), FOUR),
    "a shape of null": file(tensor("F32", "null", "[0,4]"), FOUR),
    "a shape as an object": file(tensor("F32", "{}", "[0,4]"), FOUR),
    "dims that overflow": file(tensor("F32", "[4294967296,4294967296]", "[0,0]")),
    "dims that overflow before a zero": file(tensor("F32", "[4294967296,4294967296,0]", "[0,0]")),
    "dims after a zero": file(tensor("F32", "[0,4294967296,4294967296]", "[0,0]")),
    "bits that overflow": file(tensor("F32", "[576460752303423488]", "[0,0]")),
    "bits that overflow to four bytes": file(tensor("F32", "[576460752303423489]", "[0,4]"), FOUR),
    "bytes that overflow": file(tensor("F64", "[2305843009213693952]", "[0,0]")),
    "one offset": file(tensor("F32", "[1]", "[0]"), FOUR),
    "three offsets": file(tensor("F32", "[1]", "[0,4,4]"), FOUR),
    "a negative offset": file(tensor("F32", "[1]", "[-4,0]"), FOUR),
    "an end before the begin": file(tensor("F32", "[1]", "[4,0]"), FOUR),
    "offsets at the end of 64 bits": file(
        tensor("F32", "[1]", "[18446744073709551612,18446744073709551615]"), FOUR
    ),
    "a hole before the first": file(tensor("F32", "[1]", "[4,8]"), FOUR * 2),
    "a hole between": two("[1]@[0,4]", "[1]@[8,12]", FOUR * 3),
    "an overlap": two("[2]@[0,8]", "[1]@[4,8]", FOUR * 2),
    "the same place twice": two("[1]@[0,4]", "[1]@[0,4]", FOUR),
    "a tensor inside of another": two("[3]@[0,12]", "[1]@[4,8]", FOUR * 3),
    "tensors in another order": two("[1]@[4,8]", "[1]@[0,4]", FOUR * 2),
    "an empty tensor between": two("[1]@[0,4]", "[0]@[4,4]", FOUR),
    "an empty tensor inside of another": two("[2]@[0,8]", "[0]@[4,4]", FOUR * 2),
    "an empty tensor behind the end": two("[1]@[0,4]", "[0]@[8,8]", FOUR),
    "two empty tensors": two("[0]@[0,0]", "[0,3]@[0,0]", b""),
    "unaligned elements": two("[1]@[0,1]", "[1]@[1,5]", b"\1" + FOUR, ("U8", "F32")),
    "more bytes than dims": file(tensor("F32", "[1]", "[0,8]"), FOUR * 2),
    "fewer bytes than dims": file(tensor("F32", "[2]", "[0,4]"), FOUR),
    "a cut file": file(tensor("F32", "[2]", "[0,8]"), FOUR),
    "a file without its data": file(tensor("F32", "[2]", "[0,8]")),
    "bytes behind the last tensor": file(f'{{"a":{ONE}}}', FOUR + b"\0"),
    "half a byte": file(tensor("F4", "[3]", "[0,2]"), FOUR[:2]),
    "metadata": file(f'{{"__metadata__":{{"b":"c","d":""}},"a":{ONE}}}', FOUR),
    "metadata alone": file('{"__metadata__":{"b":"c"}}'),
    "metadata of null": file(f'{{"__metadata__":null,"a":{ONE}}}', FOUR),
    "metadata twice": file(f'{{"__metadata__":{{}},"__metadata__":{{}},"a":{ONE}}}', FOUR),
    "metadata with an escape in its name": file(f'{{"\\u005f_metadata__":{{}},"a":{ONE}}}', FOUR),
    "metadata as an array": file(f'{{"__metadata__":[],"a":{ONE}}}', FOUR),
    "metadata with a number": file(f'{{"__metadata__":{{"b":1}},"a":{ONE}}}', FOUR),
    "metadata with null": file(f'{{"__metadata__":{{"b":null}},"a":{ONE}}}', FOUR),
    "a key of metadata twice": file(f'{{"__metadata__":{{"b":"1","b":"2"}},"a":{ONE}}}', FOUR),
    "metadata with a tensor": file(f'{{"__metadata__":{{"b":{ONE}}}}}', FOUR),
    "127 levels": more("[" * 125 + "]" * 125),
    "128 levels": more("[" * 126 + "]" * 126),
    "128 levels of objects": more('{"b":' * 126 + "0" + "}" * 126),
    "100,000 levels": more("[" * 100_000),
    "a number out of range": more("1e400"),
    "a negative number out of range": more("-1e309"),
    "the largest double": more("1.7976931348623157e308"),
    "more than the largest double": more("1.8e308"),
    "a long number": more("1" + "0" * 308),
    "too long a number": more("1" + "0" * 309),
    "zero with a large exponent": more("0.000e99999999999999999999"),
    "a small number": more("1e-99999999999999999999"),
    "a small number with a large exponent": more("0." + "0" * 400 + "1e700"),
    "a number without digits": more("-"),
    "a number that ends with its point": more("1."),
    "a number that begins with its point": more(".5"),
    "a number with a plus sign": more("+1"),
    "an exponent without digits": more("1e+"),
    "not a number": more("NaN"),
    "infinity": more("Infinity"),
    "a word cut short": more("tru"),
    "bools of other bytes": file(tensor("BOOL", "[4]", "[0,4]"), FOUR),
}
for key, bits in TYPES.items():
    BY_HAND[f"eight of {key}"] = file(tensor(key, "[2,4]", f"[0,{bits}]"), bytes(range(bits)))
    BY_HAND[f"a byte too few of {key}"] = file(
        tensor(key, "[8]", f"[0,{bits - 1}]"), bytes(bits - 1)
    )


def valid() -> list[bytes]:
    """Files that mutations start from."""
    text = (
        '{"__metadata__":{"format":"pt"},"layer.weight":{"dtype":"F32","shape":[2,3],'
        '"data_offsets":[0,24]},"layer.bias":{"dtype":"F16","shape":[3],"data_offsets":[24,30]},'
        '"ids":{"dtype":"I8","shape":[2,0],"data_offsets":[30,30]}, "flag":{"dtype":"BOOL",'
        '"shape":[],"data_offsets":[30,31]}}'
    )
    return [
        file(text, bytes(range(31))),
        BY_HAND["another field"],
        BY_HAND["a tensor as an array"],
        BY_HAND["tensors in another order"],
        BY_HAND["all escapes"],
        BY_HAND["metadata"],
    ]


PIECES = [
    *(f'"{name}"'.encode() for name in TYPES), b'"a"', b'"__metadata__"', b'"shape"', b'"dtype"',
    b'"data_offsets"', b"null", b"true", b"[]", b"{}", b"[0,4]", b"[0,0]", b"0", b"1", b"2", b"4",
    b"18446744073709551615", b"9223372036854775808", b"-1", b"1.5", b"1e999", b"\\ud800",
    b"\\u0041", b",", b":", b'"', b"[", b"]", b"{", b"}", b" ", b"\n", b"\0", b"\xff", b"\xc3\xa9",
]  # fmt: skip


def change_header(header: bytearray, draw: random.Random) -> None:
    """Inserts, replaces or removes a piece, changes a byte or a digit, or adds white space."""
    where = draw.randrange(len(header) + 1)
    change = draw.choice("iord#~~~")
    if change == "i":
        header[where:where] = draw.choice(PIECES)
    elif change == "o":
        header[where : where + draw.randint(1, 6)] = draw.choice(PIECES)
    elif change == "r":
        del header[where : where + draw.randint(1, 6)]
    elif change == "d":
        header[where : where + 1] = bytes([draw.randrange(256)])
    else:
        wanted = b"0123456789" if change == "#" else b"[]{},:"
        places = [i for i, byte in enumerate(header) if byte in wanted]
        if places and change == "#":
            header[draw.choice(places)] = draw.choice(wanted)
        elif places:
            at = draw.choice(places) + draw.randrange(2)
            header[at:at] = draw.choice([b" ", b"\n", b"\t", b"\r"])


def mutated(count: int, seed: int) -> Iterator[bytes]:
    """Valid files with one to three changes. Most keep a length that fits the header."""
    draw = random.Random(seed)
    bases = [(base, int.from_bytes(base[:8], "little")) for base in valid()]
    for _ in range(count):
        base, length = draw.choice(bases)
        header, data = bytearray(base[8 : 8 + length]), bytearray(base[8 + length :])
        for _ in range(draw.choice([1, 1, 2, 3])):
            change = draw.randrange(10)
            if change == 0:
                del data[draw.randrange(len(data) + 1) :]
            elif change == 1:
                data += bytes(draw.randint(1, 4))
            elif change == 2 and data:
                data[draw.randrange(len(data))] = draw.randrange(256)
            else:
                change_header(header, draw)
        wrong = draw.choice([*[0] * 30, 1, -1, 2**40])
        yield struct.pack("<Q", max(0, len(header) + wrong)) + bytes(header) + bytes(data)
