// The JSON form of values, tensors, shapes and types.
#pragma once
#include <optional>

#include "mithril/json/json.hpp"
#include "mithril/model/binding.hpp"

namespace mithril {

// None, bools, ints, floats and strings as JSON has them, a tuple as an array, and {"float":
// "inf"},
// {"dtype": "float32"}, {"slice": [start, stop, step]}, {"ellipsis": true}.
// ValueError E0421 for an int whose number is not known.
Json json_of(const Datum& datum);
Datum datum_of(const Json& json, const Place& place);
bool is_value_object(const Json& json);  // one of these four

// {"tensor": [[1.0, 2.0]], "dtype": "float32"}; without dtype float64, int64 or bool, depending on
// the elements. "shape" if the array does not imply it.
Json json_of(const Tensor& tensor);
Tensor tensor_of(const Json& json, const Place& place);

// [null, 1, "H", "...", "...batch"]: any, a number, a symbol, a run of dims, a run with a name.
Json json_of(const ShapeSpec& shape);
ShapeSpec shape_of(const Json& json, const Place& place);

// "int", {"Tensor": ["float"]}, or an array of these.
Json json_of_kinds(Kinds kinds);
Kinds kinds_of(const Json& json, const Place& place);
// The same, and {"Tensor": ["uint8"]}: an exact dtype.
Json json_of(const PortType& type);
PortType type_of(const Json& json, const Place& place);

}  // namespace mithril
