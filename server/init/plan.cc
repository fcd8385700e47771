#include "server/init/plan.h"

#include <cstring>

namespace band::init {
namespace {

class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  void texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& value : values) text(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what Writer wrote. After a short or oversized field everything reads as empty and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (bytes_.size() < sizeof value) return fail();
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > bytes_.size()) return fail(), "";
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  // A count of things that take at least eight bytes each.
  std::uint64_t count() {
    const std::uint64_t value = number();
    return value > bytes_.size() / sizeof value ? fail() : value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count());
    for (std::string& value : values) value = text();
    return values;
  }

 private:
  std::uint64_t fail() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace

std::string encode(const Plan& plan) {
  Writer out;
  out.number(plan.ids.uid);
  out.number(plan.ids.gid);
  out.text(plan.directory);
  out.texts(plan.argv);
  out.texts(plan.env);
  out.number(plan.limits.size());
  for (const limits::Rlimit& limit : plan.limits) {
    out.number(limit.resource);
    out.number(limit.value);
  }
  out.number(plan.landlock.network ? 1 : 0);
  out.number(plan.landlock.paths.size());
  for (const landlock::PathRule& rule : plan.landlock.paths) {
    out.number(static_cast<std::uint64_t>(rule.access));
    out.text(rule.path);
  }
  out.text(plan.filter.list);
  out.text(plan.filter.arguments);
  return out.take();
}

Result<Plan> decode(std::string_view bytes) {
  Reader in(bytes);
  Plan plan;
  plan.ids.uid = static_cast<uid_t>(in.number());
  plan.ids.gid = static_cast<gid_t>(in.number());
  plan.directory = in.text();
  plan.argv = in.texts();
  plan.env = in.texts();
  plan.limits.resize(in.count());
  for (limits::Rlimit& limit : plan.limits) {
    limit.resource = static_cast<std::uint32_t>(in.number());
    limit.value = in.number();
  }
  plan.landlock.network = in.number() == 1;
  plan.landlock.paths.resize(in.count());
  for (landlock::PathRule& rule : plan.landlock.paths) {
    const std::uint64_t access = in.number();
    if (access > static_cast<std::uint64_t>(landlock::Access::Own)) return layer_error("init", "unknown access", 0);
    rule.access = static_cast<landlock::Access>(access);
    rule.path = in.text();
  }
  plan.filter.list = in.text();
  plan.filter.arguments = in.text();
  if (!in.ok() || !in.at_end() || plan.argv.empty()) return layer_error("init", "the plan is malformed", 0);
  return plan;
}

}  // namespace band::init
