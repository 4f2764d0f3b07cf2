// Devices of backends, their memory, and tensors on them.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/backend/backend.hpp"
#include "tests/errors/foreign_tensor.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/serialization/files.hpp"
#include "tests/skip.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

void check_devices(Backend& backend) {
  const std::vector<std::string> devices = backend.devices();
  CHECK(std::find(devices.begin(), devices.end(), "cpu") != devices.end());
  CHECK(backend.is_available("cpu"));
  CHECK(backend.is_available(backend.default_device()));
  CHECK(!backend.is_available("cuda:99"));
  const MemoryInfo info = backend.memory_info("cpu");
  CHECK(info.device == "cpu");
  REQUIRE(info.total);
  REQUIRE(info.free);
  CHECK(0 < *info.free);
  CHECK(*info.free <= *info.total);
  const std::string refused = "mithril.BackendError[E1005]: there is no device 'cuda:99'\n";
  CHECK(text_of_error([&] { backend.memory_info("cuda:99"); }).starts_with(refused));
  const Tensor two = Tensor::of(std::vector<float>{1, 2});
  CHECK(text_of_error([&] { backend.to_device(two, "cuda:99"); }).starts_with(refused));
}

void check_tensors(const Backend& backend) {
  const Tensor zeros = backend.zeros({2, 3}), ones = backend.ones({2}, DType::int64);
  CHECK(identical(zeros.host(), Tensor::zeros({2, 3}, backend.default_dtype())));
  CHECK(identical(ones.host(), Tensor::of(std::vector<std::int64_t>{1, 1})));
  CHECK(identical(backend.randn({5}, 7).host(), Tensor::randn({5}, 7, backend.default_dtype())));
  for (const DType dtype : all_dtypes) {
    if (is_low_bit(dtype)) continue;
    const Tensor made = backend.ones({3}, dtype);
    CHECK(made.dtype() == dtype);
    CHECK(identical(backend.to_device(made, "cpu").contiguous(), Tensor::ones({3}, dtype)));
    CHECK(identical(made.reshape({-1, 1}), Tensor::ones({3, 1}, dtype)));
  }
}

}  // namespace

TEST_CASE("the CPU backend has one device, whose memory it does not count") {
  const auto backend = cpu({.dtype = DType::float64});
  check_devices(*backend);
  check_tensors(*backend);
  CHECK(backend->devices() == std::vector<std::string>{"cpu"});
  CHECK(backend->default_device() == "cpu");
  const MemoryInfo info = backend->memory_info();
  CHECK(!info.allocated);
  CHECK(!info.peak);
  CHECK(!info.limit);
  CHECK(text_of_error([&] { backend->memory_info("cpu:1"); }) ==
        "mithril.BackendError[E1005]: there is no device 'cpu:1'\n"
        "  known : cpu");
  const Tensor foreign = tests::foreign_tensor();
  CHECK(!backend->to_device(foreign, "cpu").foreign());
}

TEST_CASE("the torch backend has the devices of torch, and counts its memory") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  const auto backend = torch({.memory_limit = int64_t{1} << 30});
  check_devices(*backend);
  check_tensors(*backend);
  const Tensor kept = backend->zeros({1000});
  const MemoryInfo info = backend->memory_info();
  CHECK(info.device == "cpu");
  CHECK(info.limit == int64_t{1} << 30);
  CHECK(info.allocated.value_or(0) >= 4000);
  CHECK(info.peak >= info.allocated);
  CHECK(kept.foreign()->device() == "cpu");
}

TEST_CASE("the memory of the machine is that of the container if it has a limit") {
  const tests::FileFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.at(name)) << text << '\n';
  };
  const std::string cgroup = std::filesystem::path(folder.at("x")).parent_path();
  const HostMemory whole = host_memory(cgroup);
  REQUIRE(whole.total);
  CHECK(whole.free <= whole.total);
  write("memory.max", "1000");
  write("memory.current", "400");
  CHECK(host_memory(cgroup).total == 1000);
  CHECK(host_memory(cgroup).free == 600);
  write("memory.stat", "anon 100\ninactive_file 150");
  CHECK(host_memory(cgroup).free == 750);
  write("memory.current", "2000");  // for a moment a group may hold more than its limit
  write("memory.stat", "anon 100");
  CHECK(host_memory(cgroup).free == 0);
  write("memory.max", "max");
  CHECK(host_memory(cgroup).total == whole.total);
  std::filesystem::create_directory(cgroup + "/memory");  // version 1 of control groups
  write("memory/memory.limit_in_bytes", "3000");
  write("memory/memory.usage_in_bytes", "500");
  CHECK(host_memory(cgroup).total == 3000);
  CHECK(host_memory(cgroup).free == 2500);
}

}  // namespace mithril
