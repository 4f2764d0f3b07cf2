// Pages that show models: a page is one HTML file that needs no network and no other program.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

struct ViewOptions {
  std::string title = {};  // of the page; empty: the name or the class of the model
  // Sizes that the model leaves open. They hold for the page only.
  std::vector<std::pair<std::string, ShapeSpec>> shapes = {};
  // Parameters whose elements are shown as histograms; null: none. InputError E1352 for a key that
  // the model does not have.
  const TensorMap* params = nullptr;
  bool gradients = false;  // also the graph of the outputs with the gradients of the parameters
  // Also the graphs after each pass, of the model and, with `gradients`, of its gradients.
  bool passes = false;
  // Numbers that were measured, by their names and the paths of parts or values: {"time": {"fc1":
  // 0.002}}. "time" is in seconds and "bytes" in bytes. A group shows the sum. InputError E1353 for
  // a path that the model does not have, E1354 for a number that is negative or not finite.
  std::map<std::string, std::map<std::string, double>> measured = {};
};

// The page as text. ConnectionError E0108 for a part of a model that is gone; errors as set_shapes;
// with `gradients` or `passes` also those of compile about models, such as ValueError E0403 for a
// value that is not known.
std::string view_page(const Model& model, const ViewOptions& options = {});

// Writes the page to a file. Example:
//   ml::write_view(net, "net.html", {.gradients = true});
// Errors as view_page, and InputError E0831 if the file cannot be written.
void write_view(const Model& model, const std::string& path, const ViewOptions& options = {});

}  // namespace mithril
