// Logs for TensorBoard; python/tests/training/test_tensorboard.py reads them.
#include "mithril/training/tensorboard.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/serialization/files.hpp"

namespace mithril {

TEST_CASE("a log for TensorBoard has a record for each number") {
  const tests::FileFolder folder;
  const TensorBoard log(folder.at("logs/run")), other(folder.at("logs/run"));
  History history;
  history.epochs.push_back({{"loss", 0.5}});
  CHECK(std::filesystem::is_empty(folder.at("logs/run")));
  CHECK(!log(history));
  other.add(1, {});
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.at("logs/run")))
    files.push_back(entry.path().string());
  REQUIRE(files.size() == 2);  // one for each object
  std::sort(files.begin(), files.end());
  std::ifstream file(files.front(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // Length, checksum, an Event with a time and a version, checksum.
  const std::string length("\x18\0\0\0\0\0\0\0", 8);
  CHECK(bytes.substr(0, 12) == length + "\xA3\x7F\x4B\x22");
  CHECK(bytes.substr(12, 1) == "\x09");
  CHECK(bytes.substr(21, 15) ==
        "\x1A\x0D"
        "brain.Event:2");
  // An Event with a time, the step 1 and a Summary of one Value.
  const std::string scalar = bytes.substr(40 + 12 + 9, bytes.size() - 40 - 12 - 9 - 4);
  CHECK(scalar == std::string("\x10\x01\x2A\x0D\x0A\x0B\x0A\x04loss\x15\0\0\0\x3F", 17));
  CHECK(std::filesystem::file_size(files.back()) == 40);
}

TEST_CASE("a log that cannot be written is an error") {
  const tests::FileFolder folder;
  const std::string file = folder.write("file", "");
  CHECK(folder.error([&] { TensorBoard log(file + "/logs"); })
            .starts_with("mithril.InputError[E0831]: file/logs/events.out.tfevents."));
  // The system would end the path at the zero byte, and write to another file.
  const std::string zero = folder.at("file") + std::string("\0b", 2);
  CHECK(folder.error([&] { TensorBoard{zero}; }).find("why : Invalid argument") !=
        std::string::npos);
  CHECK(folder.error([&] { TensorBoard{folder.at("new") + std::string("\0b", 2)}; })
            .find("why : Invalid argument") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.at("new")));
}

}  // namespace mithril
