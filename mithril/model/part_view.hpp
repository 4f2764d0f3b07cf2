// The parts of a model, as they are inside it.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/infer/known_shape.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

// A part of a model. It keeps the model alive (shared_ptr: its other handles do, too).
class PartView {
 public:
  // The model as a part. ConnectionError E0108 if it was a part of a model that is gone.
  explicit PartView(const Model& model);

  std::string name() const;        // in the model that contains it: "fc1"
  std::string path() const;        // "encoder.fc1"
  std::string class_name() const;  // "Linear"
  // The arguments of the constructor of a layer, or the values of ports of an op. Empty for a model
  // that its user composed.
  Arguments options() const;
  // Its ports. Those of an op that were left out are not among them.
  std::vector<std::string> inputs() const, outputs() const;
  // The known shapes of ports that may hold tensors. Unnamed sizes have the same number in all
  // shapes.
  std::map<std::string, KnownShape> shapes() const;
  bool is_composed() const;             // by its user: neither an op nor a layer of the library
  std::vector<PartView> parts() const;  // none of an op
  // A handle of the part: copy() gives a model of its own.
  Model model() const { return Model(part_); }

 private:
  PartView(std::shared_ptr<Part> part, std::shared_ptr<Composite> root)
      : part_(std::move(part)), root_(std::move(root)) {}

  std::shared_ptr<Part> part_;
  std::shared_ptr<Composite> root_;  // has what is known about the part
};

// The parts of a model, in the order in which they were added.
std::vector<PartView> parts(const Model& model);
// All parts of all levels, each before its own parts.
std::vector<PartView> walk(const Model& model);
// Those of a class ("Linear"), or whose path matches the pattern "encoder.*.attn"
// (base/key_patterns.hpp).
std::vector<PartView> find_class(const Model& model, std::string_view class_name);
std::vector<PartView> find_paths(const Model& model, std::string_view pattern);
// The part of this path. NameError E0606 with the nearest paths.
PartView part_at(const Model& model, std::string_view path);

// The tree of parts as text: a line for each, with its class and options, as PyTorch shows modules.
std::string tree(const Model& model);

}  // namespace mithril
