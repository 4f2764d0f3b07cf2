#include "mithril/compile/parameter_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mithril/base/key_patterns.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/distribution.hpp"
#include "mithril/distributed/or_abandon.hpp"

namespace mithril {
namespace {

Mesh mesh_of(const CompileOptions& options) {
  const int size = options.group ? options.group->size() : 1;
  if (options.mesh.empty())
    return options.placements.empty() ? Mesh{.data = size} : Mesh{.model = size};
  Mesh mesh;
  for (const auto& [axis, count] : options.mesh) {
    if (axis != "data" && axis != "model")
      unknown_member(ErrorKind::name, "E0633", "a mesh", "axis", axis, "", {"data", "model"});
    (axis == "data" ? mesh.data : mesh.model) = count;
  }
  const bool fits =
      mesh.data > 0 && mesh.model > 0 && size % mesh.data == 0 && size / mesh.data == mesh.model;
  if (fits) return mesh;
  raise({.kind = ErrorKind::value,
         .code = "E0497",
         .message =
             fmt::format("compile: the product of mesh is not {}, the number of processes", size),
         .facts = {{"mesh", to_string(mesh)}},
         .help = size == 1 ? "pass the group of the processes, or leave out mesh"
                           : "pass sizes whose product is that of the group"});
}

// The pattern that matches the parameter; null: none does.
const std::pair<std::string, Sharded>* pattern_of(const CompileOptions& options,
                                                  const std::string& key) {
  const std::pair<std::string, Sharded>* found = nullptr;
  for (const auto& placement : options.placements) {
    if (!matches(placement.first, key)) continue;
    if (found) {
      raise({.kind = ErrorKind::value,
             .code = "E0499",
             .message = "two patterns of placements match the parameter " + in_quotes(key),
             .facts = {{"one", found->first}, {"the other", placement.first}},
             .help = "each parameter has one placement: narrow one of the patterns"});
    }
    found = &placement;
  }
  return found;
}

std::size_t axis_of(const NamedIndex& key, const Value& value, const Sharded& placement,
                    const Mesh& mesh) {
  const auto rank = std::ssize(value.dims);
  const std::ptrdiff_t axis = placement.axis < 0 ? placement.axis + rank : placement.axis;
  const bool exists = value.ranked && axis >= 0 && axis < rank;
  const Dim size = exists ? resolve(value.dims[static_cast<std::size_t>(axis)]) : Dim(0);
  if (size.is_constant() && size.constant() > 0 && size.constant() % mesh.model == 0)
    return static_cast<std::size_t>(axis);
  raise({.kind = ErrorKind::shape,
         .code = "E0212",
         .message = fmt::format("axis {} of the parameter {} has no {} equal blocks",
                                placement.axis, in_quotes(key.name), mesh.model),
         .facts = {{key.name, value.ranked ? to_string(value.dims) : "of unknown rank"},
                   {"processes along the axis 'model'", std::to_string(mesh.model)}},
         .help = fmt::format("choose an axis whose size is known and a multiple of {}, or another "
                             "mesh",
                             mesh.model)});
}

std::string text_of(const CompileOptions& options) {
  std::vector<std::string> texts;
  for (const auto& [pattern, placement] : options.placements)
    texts.push_back(fmt::format("{} along axis {}", in_quotes(pattern), placement.axis));
  return join(texts, ", ");
}

// The dims of the parameter in the model.
Dims whole_dims(const CompiledState& compiled, const NamedIndex& key) {
  Dims dims;
  for (const Dim& dim : compiled.graph.value(compiled.graph.inputs()[key.index]).dims)
    dims.push_back(resolve(dim).is_constant() ? resolve(dim).constant() : -1);
  return dims;
}

// Sharded parameters whose size along their axis is the whole one or not, with their sizes.
std::vector<Fact> parameters_that_are(bool whole, const CompiledState& compiled,
                                      const TensorMap& params) {
  std::vector<Fact> facts;
  if (!has_peers(compiled.model_group.get())) return facts;
  for (const NamedIndex& key : compiled.parameters) {
    const auto found = compiled.sharded_axes.find(key.name);
    const Tensor* tensor = params.find(key.name);
    if (found == compiled.sharded_axes.end() || !tensor) continue;
    const Dims dims = whole_dims(compiled, key);
    const std::size_t axis = found->second;
    if (tensor->dims().size() != dims.size()) continue;
    const std::int64_t size = tensor->dims()[axis] * (whole ? 1 : compiled.mesh.model);
    if (size == dims[axis]) facts.push_back({key.name, to_string(tensor->dims())});
  }
  return facts;
}

}  // namespace

void place_parameters(CompiledState& compiled, const CompileOptions& options) {
  compiled.mesh = mesh_of(options);
  std::vector<std::string> keys = names_of(compiled.parameters);
  keys.insert(keys.end(), compiled.spare_parameters.begin(), compiled.spare_parameters.end());
  for (const auto& [pattern, placement] : options.placements) check_pattern(pattern, keys);
  for (const NamedIndex& key : compiled.parameters) {
    const auto* placement = pattern_of(options, key.name);
    if (!placement) continue;
    const Value& value = compiled.graph.value(compiled.graph.inputs()[key.index]);
    compiled.sharded_axes[key.name] = axis_of(key, value, placement->second, compiled.mesh);
  }
  compiled.data_group = compiled.group;
  if (!is_distributed(compiled)) return;
  if (!options.mesh.empty() || !options.placements.empty()) {
    agree(*compiled.group, "compile",
          {{"mesh", to_string(compiled.mesh)}, {"placements", text_of(options)}});
  }
  compiled.data_group = data_axis(compiled.group, compiled.mesh);
  compiled.model_group = model_axis(compiled.group, compiled.mesh);
}

bool has_blocks(const CompiledState& compiled) {
  return is_distributed(compiled) && has_peers(compiled.model_group.get()) &&
         !compiled.sharded_axes.empty();
}

std::optional<TensorBlock> parameter_block(const CompiledState& compiled, const std::string& key) {
  const auto found = compiled.sharded_axes.find(key);
  if (!has_blocks(compiled) || found == compiled.sharded_axes.end()) return std::nullopt;
  return TensorBlock{found->second, compiled.model_group->rank(), compiled.model_group->size()};
}

Tensor gathered(Communicator& group, const Tensor& part, const TensorBlock& block) {
  const Tensor own = part.host();
  std::vector<std::byte> all(own.bytes() * static_cast<std::size_t>(group.size()));
  group.all_gather({static_cast<const std::byte*>(own.raw_data()), own.bytes()}, all);
  std::vector<Tensor> blocks;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(group.size()); ++rank) {
    Tensor& other = blocks.emplace_back(own.dtype(), own.dims());
    const std::span from = std::span(all).subspan(rank * own.bytes(), own.bytes());
    std::copy(from.begin(), from.end(), static_cast<std::byte*>(other.mutable_raw_data()));
  }
  return join_blocks(blocks, block.axis);
}

void agree_among(const CompiledState& compiled, Communicator& some, const std::string& what,
                 const AgreementEntries& entries) {
  try {
    agree(some, what, entries);
  } catch (const DistributedError& error) {
    if (some.size() < compiled.group->size()) compiled.group->abandon(error.what());
    throw;
  }
}

void require_blocks(const CompiledState& compiled, const TensorMap& params) {
  if (!has_blocks(compiled)) return;
  std::vector<Fact> facts = parameters_that_are(true, compiled, params);
  if (facts.empty()) return;
  raise({.kind = ErrorKind::state,
         .code = "E0925",
         .message = "parameters are whole, and each process trains its blocks of them",
         .facts = std::move(facts),
         .help = "pass what get_parameters, load_state_dict or shard_parameters returns"});
}

void refuse_blocks(const CompiledState& compiled, const TensorMap& params, const char* call) {
  std::vector<Fact> facts = parameters_that_are(false, compiled, params);
  if (facts.empty()) return;
  raise({.kind = ErrorKind::state,
         .code = "E0925",
         .message = std::string(call) + " needs whole parameters, and this process holds blocks",
         .facts = std::move(facts),
         .help = "call gather_parameters(params) of the compiled model on all processes before"});
}

TensorMap CompiledModel::gather_parameters(const TensorMap& params) const {
  return or_abandon(group_of(*impl_), [&] {
    require_blocks(*impl_, params);
    std::vector<TensorMap::Item> items;
    for (const auto& [key, tensor] : params) {
      const std::optional<TensorBlock> block = parameter_block(*impl_, key);
      if (!block) {
        items.emplace_back(key, tensor);
        continue;
      }
      const Tensor whole = gathered(*impl_->model_group, tensor, *block);
      items.emplace_back(key, impl_->backend->adopt(whole, false));
    }
    return TensorMap(std::move(items));
  });
}

TensorMap CompiledModel::shard_parameters(const TensorMap& params) const {
  return load_state_dict(params);
}

std::vector<std::string> CompiledModel::sharded_keys() const {
  std::vector<std::string> keys;
  for (const NamedIndex& key : impl_->parameters)
    if (parameter_block(*impl_, key.name)) keys.push_back(key.name);
  return keys;
}

const std::shared_ptr<Communicator>& CompiledModel::data_group() const { return impl_->data_group; }

}  // namespace mithril
