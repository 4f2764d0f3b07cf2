#include "mithril/cli/output.hpp"

#include <unistd.h>

#include <cerrno>

#include "mithril/base/file_errors.hpp"

namespace mithril::cli {

void Output::object(std::string_view command, Json::Object fields) {
  Json::Object all = {{"schema", json_schema}, {"command", std::string(command)}};
  for (auto& field : fields) all.push_back(std::move(field));
  text_ += to_text(Json(std::move(all)));
  if (!text_.ends_with('\n')) text_ += '\n';
}

void Output::written(std::string_view command, const std::string& from,
                     const std::vector<std::string>& paths) {
  if (is_json()) {
    object(command, {{"file", from}, {"written", Json::Array(paths.begin(), paths.end())}});
    return;
  }
  for (const std::string& path : paths) text("wrote " + path + "\n");
}

void Output::write() {
  std::string_view rest = text_;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write("standard output", reason_of(errno));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  text_.clear();
}

}  // namespace mithril::cli
