// Functions of angles that are formulas of other ops.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

// Each with the ports input [...] and output [...], in radians.
Model Tan();
Model Asin();  // from -pi / 2 to pi / 2
Model Acos();  // from 0 to pi
Model Sinh();
Model Cosh();

}  // namespace mithril
