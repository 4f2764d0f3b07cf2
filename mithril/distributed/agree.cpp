#include "mithril/distributed/agree.hpp"

#include <algorithm>
#include <optional>

#include "mithril/base/error.hpp"
#include "mithril/base/sha256.hpp"
#include "mithril/base/text.hpp"
#include "mithril/distributed/errors.hpp"

namespace mithril {
namespace {

// The longest text of an entry in a message, in bytes.
constexpr std::size_t longest_shown = 200;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Equal sizes, from each process.
std::vector<std::string> gather_equal(Communicator& group, const std::string& mine) {
  const auto size = static_cast<std::size_t>(group.size());
  std::string all(mine.size() * size, '\0');
  group.all_gather(bytes_of(mine), std::as_writable_bytes(std::span(all.data(), all.size())));
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < size; ++i) parts.push_back(all.substr(i * mine.size(), mine.size()));
  return parts;
}

void append_text(std::string& bytes, const std::string& text) {
  bytes += std::to_string(text.size()) + ':' + text;
}

std::string as_bytes(const AgreementEntries& entries) {
  std::string bytes;
  for (const auto& [name, text] : entries) {
    append_text(bytes, name);
    append_text(bytes, text.size() <= longest_shown
                           ? text
                           : text.substr(0, longest_shown) + "... " + sha256_of(bytes_of(text)));
  }
  return bytes;
}

AgreementEntries parse_entries(const std::string& bytes) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t colon = bytes.find(':', at);
    const std::size_t size = std::stoul(bytes.substr(at, colon - at));
    texts.push_back(bytes.substr(colon + 1, size));
    at = colon + 1 + size;
  }
  AgreementEntries entries;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2)
    entries.emplace_back(texts[i], texts[i + 1]);
  return entries;
}

std::string entry_text(const AgreementEntries& entries, std::size_t i) {
  if (i >= entries.size()) return "nothing more";
  return entries[i].first + " = " + entries[i].second;
}

// The index of the first entry that differs.
std::size_t first_difference(const AgreementEntries& a, const AgreementEntries& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

[[noreturn]] void refuse(const Communicator& group, const std::string& what,
                         const std::vector<std::string>& all) {
  const AgreementEntries first = parse_entries(all.front());
  std::size_t entry = SIZE_MAX, other = 0;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all.front()) continue;
    const std::size_t at = first_difference(first, parse_entries(all[rank]));
    if (at < entry) entry = at, other = rank;
  }
  const AgreementEntries second = parse_entries(all[other]);
  const bool same_name =
      entry < first.size() && entry < second.size() && first[entry].first == second[entry].first;
  raise({.kind = ErrorKind::distributed,
         .code = "E0964",
         .message = what + ": the processes of group " + in_quotes(group.name()) + " differ" +
                    (same_name ? " in " + in_quotes(first[entry].first) : ""),
         .facts = {{process_of(0, group.size()), entry_text(first, entry)},
                   {process_of(static_cast<int>(other), group.size()), entry_text(second, entry)}},
         .help = "all processes run the same program, with the same models, options and data"});
}

}  // namespace

std::vector<std::string> all_gather_text(Communicator& group, const std::string& text) {
  constexpr std::size_t digits = 20;
  std::string size = std::to_string(text.size());
  size.resize(digits, ' ');
  std::size_t longest = 0;
  std::vector<std::size_t> sizes;
  for (const std::string& each : gather_equal(group, size)) {
    sizes.push_back(std::stoul(each));
    longest = std::max(longest, sizes.back());
  }
  std::string padded = text;
  padded.resize(longest, '\0');
  std::vector<std::string> texts = gather_equal(group, padded);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].resize(sizes[i]);
  return texts;
}

void agree(Communicator& group, const std::string& what, const AgreementEntries& entries) {
  if (group.size() == 1) return;
  std::string all;
  for (const auto& [name, text] : entries) {
    append_text(all, name);
    append_text(all, text);
  }
  const std::vector<std::string> digests = gather_equal(group, sha256_of(bytes_of(all)));
  const bool same = std::all_of(digests.begin(), digests.end(),
                                [&](const std::string& digest) { return digest == digests[0]; });
  if (!same) refuse(group, what, all_gather_text(group, as_bytes(entries)));
}

}  // namespace mithril
