// Any bytes as patterns: no crash and no hang, and `covers` and `may_overlap` never contradict `matches`. A deny of
// command lines closes the lines that its pattern matches, with any further arguments, and no others.
// The text is "domain byte, pattern, NUL, pattern, NUL, subject".
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/pattern/pattern.h"

namespace {

using band::CliPattern;
using band::NetPattern;
using band::PathPattern;
using Reading = PathPattern::Reading;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string_view take(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return part;
}

// Whether `path` has the form that PathPattern::matches requires.
bool is_normal(std::string_view path) {
  const std::string framed = "/" + std::string(path) + "/";
  for (const char* odd : {"//", "/./", "/../"})
    if (framed.find(odd) != std::string::npos) return false;
  return path.size() < 4096;
}

void paths(std::string_view a, std::string_view b, std::string_view path) {
  const auto outer = PathPattern::parse(a), inner = PathPattern::parse(b);
  if (!outer.ok() || !inner.ok() || !is_normal(path)) return;
  if (outer->absolute() != inner->absolute()) return;  // two trees: no path is valid for both patterns
  for (const Reading reading : {Reading::Opens, Reading::Denies}) {
    const bool out = outer->matches(path, reading), in = inner->matches(path);
    if (outer->covers(*inner, reading)) require(!in || out);
    if (!inner->may_overlap(*outer, reading)) require(!in || !out);
    if (out) require(outer->matches(path, Reading::Denies));
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1))
      if (out) require(outer->may_match_below(path.substr(0, slash), reading));
  }
  if (outer->is_literal() && outer->matches(path)) require(outer->literal_prefix() == path);
  if (outer->is_whole_tree() && outer->matches(path))
    require(path.substr(0, outer->literal_prefix().size()) == outer->literal_prefix());
  require(PathPattern::parse(outer->text()).ok());
}

void commands(std::string_view a, std::string_view b, std::string_view rest) {
  const auto outer = CliPattern::parse(a), inner = CliPattern::parse(b);
  if (!outer.ok() || !inner.ok()) return;
  std::vector<std::string> argv{inner->command()};
  while (!rest.empty()) argv.emplace_back(take(rest));
  if (outer->covers(*inner)) require(!inner->matches(argv) || outer->matches(argv));
  require(outer->text() == a);
  const CliPattern deny = inner->as_deny();
  require(deny.covers(*inner));
  if (argv.size() > 64) return;  // every prefix is compared
  bool closed = false;
  for (std::vector<std::string> line{argv[0]};; line.push_back(argv[line.size()])) {
    closed = closed || inner->matches(line);
    require(deny.matches(line) == closed);
    if (line.size() == argv.size()) break;
  }
}

void hosts(std::string_view a, std::string_view b) {
  const auto outer = NetPattern::parse(a), inner = NetPattern::parse(b);
  if (!outer.ok() || !inner.ok()) return;
  if (outer->covers(*inner) && inner->covers(*outer) && outer->kind == NetPattern::Kind::Name)
    require(outer->host == inner->host);
  require(outer->host.size() <= 253);
  for (const char c : outer->host)
    require(static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f);
  // The parsed pattern, written as text, is a pattern with the same meaning.
  std::string again = outer->kind == NetPattern::Kind::Subdomains ? "*." + outer->host : outer->host;
  if (outer->kind == NetPattern::Kind::Any) again = "*";
  if (outer->kind == NetPattern::Kind::Cidr) again += "/" + std::to_string(outer->range.bits);
  if (outer->range.network.ipv6) again = "[" + again + "]";
  if (outer->any_port) again += ":*";
  if (outer->port) again += ":" + std::to_string(*outer->port);
  const auto twice = NetPattern::parse(again);
  require(twice.ok() && twice->covers(*outer) && outer->covers(*twice));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 16384) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const char domain = rest.front();
  rest.remove_prefix(1);
  const std::string_view a = take(rest), b = take(rest);
  if (domain % 3 == 0) paths(a, b, rest);
  if (domain % 3 == 1) commands(a, b, rest);
  if (domain % 3 == 2) hosts(a, b);
  return 0;
}
