#include "mithril/distributed/mesh.hpp"

#include <fmt/format.h>

#include <vector>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

// The processes `first`, `first` + `step` and so on.
std::shared_ptr<Communicator> axis_of(const std::shared_ptr<Communicator>& group, const Mesh& mesh,
                                      const char* axis, int size, int first, int step) {
  MITHRIL_CHECK(mesh.data * mesh.model == group->size(), "the mesh is not that of the group");
  if (size == 1) return single_process();
  if (size == group->size()) return group;
  std::vector<int> ranks;
  for (int i = 0; i < size; ++i) ranks.push_back(first + i * step);
  return group->subgroup(fmt::format("{}/{}x{}/{}", group->name(), mesh.data, mesh.model, axis),
                         ranks);
}

}  // namespace

std::string to_string(const Mesh& mesh) {
  return fmt::format("data {}, model {}", mesh.data, mesh.model);
}

std::shared_ptr<Communicator> data_axis(const std::shared_ptr<Communicator>& group,
                                        const Mesh& mesh) {
  return axis_of(group, mesh, "data", mesh.data, group->rank() % mesh.model, mesh.model);
}

std::shared_ptr<Communicator> model_axis(const std::shared_ptr<Communicator>& group,
                                         const Mesh& mesh) {
  const int row = group->rank() / mesh.model;
  return axis_of(group, mesh, "model", mesh.model, row * mesh.model, 1);
}

}  // namespace mithril
