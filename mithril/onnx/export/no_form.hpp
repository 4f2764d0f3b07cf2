// Why a node has no form in ONNX.
#pragma once
#include <string>
#include <utility>

namespace mithril::onnx {

struct NoForm {
  std::string reason;
};
[[noreturn]] inline void no_form(std::string reason) { throw NoForm{std::move(reason)}; }

}  // namespace mithril::onnx
