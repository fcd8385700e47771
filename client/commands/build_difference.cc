#include "client/commands/build_difference.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "client/host/environment.h"
#include "client/vm/guest_server.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

constexpr const char* kFile = "build-differences";  // in state_directory(); lines "OWN SERVER"
constexpr std::size_t kMostPairs = 64;              // the newest; a pair that was dropped is reported again
constexpr std::size_t kMostBytes = 64u << 10;

std::string short_digest(const std::string& digest) { return digest.empty() ? "unknown" : digest.substr(0, 12); }

std::vector<std::string> noted_pairs() {
  std::vector<std::string> pairs;
  const auto text = read_private_file(state_directory() + "/" + kFile, kMostBytes, Code::Usage);
  if (text.ok())
    for (const std::string_view line : lines_of(*text)) pairs.emplace_back(line);
  return pairs;
}

}  // namespace

std::string own_source() {
  const auto files = vm::guest_files();
  return files.ok() ? files->digest : "";
}

std::string build_difference(const Target& target, const ServerBuild& server, const std::string& own) {
  const std::string digests =
      " (source of the server: " + short_digest(server.source) + ", of this band: " + short_digest(own) + "); ";
  const std::string subject = "the server of target " + target.name;
  switch (age_of_server(server, own)) {
    case Age::Same:
      return "";
    case Age::Older:
      return subject + " is older than this band" + digests + way_to_update(target);
    case Age::Newer:
      return subject + " is newer than this band" + digests + "install the version of the server on this machine, too";
    case Age::Other:
      return subject + " was built from other sources than this band" + digests +
             "if the server is the older one: " + way_to_update(target);
  }
  return "";
}

void note_build_difference(const Target& target, const ServerBuild& server, Terminal& terminal) {
  if (terminal.quiet()) return;
  const std::string own = own_source(), difference = build_difference(target, server, own);
  if (difference.empty()) return;
  const std::string pair = (own.empty() ? "-" : own) + " " + (server.source.empty() ? "-" : server.source);
  std::vector<std::string> pairs = noted_pairs();
  if (std::find(pairs.begin(), pairs.end(), pair) != pairs.end()) return;
  terminal.note("note: " + difference);
  std::error_code unreadable;
  if (!std::filesystem::is_directory(home_directory(), unreadable)) return;  // write_private_file() would create it
  pairs.push_back(pair);
  std::string text;
  for (std::size_t i = pairs.size() - std::min(pairs.size(), kMostPairs); i < pairs.size(); ++i)
    text += pairs[i] + "\n";
  (void)write_private_file(state_directory(), kFile, text);
}

}  // namespace band::client
