#include "server/broker/request.h"

#include <algorithm>

namespace band::broker {
namespace {

Error malformed(const char* what) {
  return Error{Code::BadRequest, "broker", std::string("a malformed request: ") + what, 0, "", ""};
}

// Strings that each end with a NUL, the last one included.
Result<std::vector<std::string>> split(std::string_view block) {
  std::vector<std::string> strings;
  if (!block.empty() && block.back() != '\0') return malformed("a string does not end");
  while (!block.empty()) {
    const std::size_t end = block.find('\0');
    strings.emplace_back(block.substr(0, end));
    block.remove_prefix(end + 1);
  }
  return strings;
}

Result<std::string> single(std::string_view block) {
  BAND_TRY(std::vector<std::string> strings, split(block));
  if (strings.size() != 1 || strings[0].empty()) return malformed("a name that is none");
  return std::move(strings[0]);
}

}  // namespace

Status check_head(const shim::RequestHead& head) {
  if (head.magic != shim::kMagic) return malformed("not from a shim");
  if (head.mode != shim::Mode::Run && head.mode != shim::Mode::NotFound) return malformed("unknown mode");
  if ((head.descriptors & ~7u) != 0 || (head.umask & ~0777u) != 0) return malformed("unknown bits");
  if (head.name_bytes > shim::kMaxNameBytes || head.directory_bytes > shim::kMaxDirectoryBytes)
    return malformed("a name that is too long");
  if (head.argv_bytes > shim::kMaxBodyBytes || head.env_bytes > shim::kMaxBodyBytes ||
      body_bytes(head) > shim::kMaxBodyBytes)
    return malformed("larger than a command line can be");
  return done();
}

std::size_t body_bytes(const shim::RequestHead& head) {
  return std::size_t{head.name_bytes} + head.directory_bytes + head.argv_bytes + head.env_bytes;
}

Result<Request> read_request(const shim::RequestHead& head, std::string_view body) {
  if (body.size() != body_bytes(head)) return malformed("cut off");
  // Each becomes a string of its own, many times its size here.
  if (std::count(body.begin(), body.end(), '\0') > shim::kMaxStrings)
    return malformed("more arguments and variables than a command line can have");
  const auto take = [&](std::size_t size) {
    const std::string_view part = body.substr(0, size);
    body.remove_prefix(size);
    return part;
  };
  Request request;
  request.mode = head.mode;
  request.ignored = head.ignored;
  request.umask = head.umask;
  request.descriptors = head.descriptors;
  BAND_TRY(request.name, single(take(head.name_bytes)));
  BAND_TRY(request.directory, single(take(head.directory_bytes)));
  BAND_TRY(request.argv, split(take(head.argv_bytes)));
  BAND_TRY(request.env, split(take(head.env_bytes)));
  if (request.name.find('/') != std::string::npos) return malformed("a name with a slash");
  if (request.directory[0] != '/') return malformed("a working directory that is not absolute");
  if (request.argv.empty()) return malformed("no arguments at all");
  return request;
}

}  // namespace band::broker
