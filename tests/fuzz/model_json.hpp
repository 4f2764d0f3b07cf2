// Checks of every model that was read from JSON.
#pragma once

#include <string>

#include "mithril/graph/graph.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/model/html.hpp"
#include "tests/fuzz/require.hpp"

namespace mithril::fuzz {

// Requires that the model equals itself after writing and reading, its summary is printable, and
// its graph is valid.
inline void check_model(const Model& model) {
  const auto text = unless_refused([&] { return to_json(model); });
  if (text) {
    const Model again = from_json(*text);
    require(again == model, "a model equals what is read from what was written: " + *text);
    require(to_json(again) == *text, "it is written as before: " + *text);
  }
  // An op whose list is not bound yet has no ports to show.
  const auto summary = unless_refused([&] { return model.summary(true, true, 3); });
  const auto html = unless_refused([&] { return to_html(model); });
  for (const auto& shown : {summary, html}) {
    for (const char c : shown.value_or(""))
      require(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "a summary is printable");
  }
  const auto flat = unless_refused([&] { return flatten(model, DType::float64); });
  if (flat) verify(flat->graph);
}

}  // namespace mithril::fuzz
