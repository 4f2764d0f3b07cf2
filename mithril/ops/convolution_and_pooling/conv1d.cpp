// Convolution over one axis.
#include "mithril/ops/support/convolution.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_conv1d(Solver& s) {
  const bool channels = solve_channels(s);
  const auto ports = window_ports(s, 1);
  if (!ports) return false;
  return solve_window(s, *ports, 0, 1, "W", s.dim("K"), "Wo") && channels;
}

// conv2d over images of one row.
void expand_conv1d(ExpandContext& e) {
  auto with_row = [&](const char* port) { return call("expand_dims", {e.in(port), 2}); };
  const Expression y =
      call("conv2d", {with_row("input"), with_row("weight"), e.operand("bias"),
                      beside(1, e.value("stride")), beside_no_padding(e.value("padding")),
                      beside(1, e.value("dilation")), e.value("groups")});
  e.become(call("squeeze", {y, 2}));
}

}  // namespace

OpDef define_conv1d() {
  return {
      .name = "conv1d",
      .doc =
          "1-D convolution (cross-correlation) of input [N, Ci, W] with weight [Co, Ci / groups, "
          "K], plus bias [Co]. `padding` is a number of zeros, or (before, after).",
      .inputs = convolution_inputs({{"input", "N Ci W", "number"},
                                    {"weight", "Co Cg K", "float"},
                                    optional("bias", "Co", "float")},
                                   "int"),
      .outputs = {{"output", "N Co Wo", "float"}},
      .solve = solve_conv1d,
      .expand = expand_conv1d,
      .cast = CastPolicy::lower,
  };
}

}  // namespace mithril
