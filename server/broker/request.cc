#include "server/broker/request.h"

#include <algorithm>
#include <functional>
#include <span>

namespace band::broker {
namespace {

Error malformed(const char* what) {
  return Error{.code = Code::BadRequest, .layer = "broker", .doing = std::string("a malformed request: ") + what};
}

// Splits a block of strings. Each string ends with a NUL, also the last one.
Result<std::vector<std::string>> split(std::string_view block) {
  std::vector<std::string> strings;
  if (!block.empty() && block.back() != '\0') return malformed("a string has no NUL at its end");
  while (!block.empty()) {
    const std::size_t end = block.find('\0');
    strings.emplace_back(block.substr(0, end));
    block.remove_prefix(end + 1);
  }
  return strings;
}

Result<std::string> single(std::string_view block) {
  BAND_TRY(std::vector<std::string> strings, split(block));
  if (strings.size() != 1 || strings[0].empty())
    return malformed("the name or the directory is not one non-empty string");
  return std::move(strings[0]);
}

Status check_numbers(const shim::RequestHead& head) {
  if (head.descriptor_count > shim::kMaxDescriptors) return malformed("more descriptors than a command accepts");
  const std::span numbers = std::span(head.descriptors).first(head.descriptor_count);
  if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) != numbers.end())
    return malformed("the descriptor numbers are not in order");
  if (!numbers.empty() && numbers.back() >= shim::kMostDescriptorNumbers)
    return malformed("a descriptor number that no process can have");
  const auto further = std::count_if(numbers.begin(), numbers.end(), [](std::uint32_t number) { return number > 2; });
  if (static_cast<std::size_t>(further) > shim::kMaxFurtherDescriptors)
    return malformed("more descriptors than a command accepts");
  return done();
}

}  // namespace

Status check_head(const shim::RequestHead& head) {
  if (head.magic != shim::kMagic) return malformed("not from a shim");
  if (head.mode != shim::Mode::Run && head.mode != shim::Mode::NotFound) return malformed("unknown mode");
  if ((head.umask & ~0777u) != 0) return malformed("unknown bits in the umask");
  BAND_CHECK(check_numbers(head));
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
  if (body.size() != body_bytes(head)) return malformed("the body does not have the announced size");
  // Each string is copied into an object that is many times its size in the body.
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
  request.descriptors.assign(head.descriptors, head.descriptors + head.descriptor_count);
  BAND_TRY(request.name, single(take(head.name_bytes)));
  BAND_TRY(request.directory, single(take(head.directory_bytes)));
  BAND_TRY(request.argv, split(take(head.argv_bytes)));
  BAND_TRY(request.env, split(take(head.env_bytes)));
  if (request.name.find('/') != std::string::npos) return malformed("a name with a slash");
  if (request.directory[0] != '/') return malformed("a working directory that is not absolute");
  if (request.argv.empty()) return malformed("no arguments");
  return request;
}

}  // namespace band::broker
