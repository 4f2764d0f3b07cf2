// A record's formula as an expression of JavaScript, for one node.
#pragma once
#include "codegen/common/language.hpp"

namespace mithril::codegen {

// JavaScript computes in doubles; a store to a Float32Array rounds. Elements of int64 are doubles,
// too, exact up to 2^53, except those that are BigInts (wide_ints.hpp).
const Language& javascript_language();

// A number of this dtype as text; a float32 is rounded.
std::string javascript_number(double number, DType dtype);

// A node's argument that is not a tensor: numbers, tuples and words; null for others.
std::string javascript_argument(const Datum& datum);

// "Float32Array": the class of arrays of elements of this dtype in a module. `wide`: of BigInts.
std::string javascript_array(DType dtype, bool wide = false);

}  // namespace mithril::codegen
