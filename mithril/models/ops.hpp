// A maker for each op, by its class: Relu(), Softmax({{"axis", 1}}).
#pragma once
#include <utility>

#include "mithril/model/model.hpp"

namespace mithril {

// Names that mithril itself declares (Embedding with its options, the struct Slice) stand before
// these.
namespace makers {
#define MITHRIL_OP(name, model) \
  inline Model model(Arguments arguments = {}) { return Model::op(#name, std::move(arguments)); }
#include "mithril/ops/list.inc"
#undef MITHRIL_OP
}  // namespace makers
using namespace makers;

}  // namespace mithril
