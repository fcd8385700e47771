#include "server/init/plan.h"

#include <cstring>

#include "server/init/codec.h"

namespace band::init {
namespace {

void put_landlock(Writer& out, const landlock::Plan& plan) {
  out.number(static_cast<std::uint64_t>(plan.tcp));
  out.number(plan.paths.size());
  for (const landlock::PathRule& rule : plan.paths) {
    out.number(static_cast<std::uint64_t>(rule.access));
    out.text(rule.path);
  }
}

landlock::Plan take_landlock(Reader& in) {
  landlock::Plan plan;
  const std::uint64_t tcp = in.number();
  if (tcp > static_cast<std::uint64_t>(landlock::Tcp::All)) in.fail();
  plan.tcp = static_cast<landlock::Tcp>(tcp);
  plan.paths.resize(in.count());
  for (landlock::PathRule& rule : plan.paths) {
    const std::uint64_t access = in.number();
    if (access > static_cast<std::uint64_t>(landlock::Access::Own)) in.fail();
    rule.access = static_cast<landlock::Access>(access);
    rule.path = in.text();
  }
  return plan;
}

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
  put_landlock(out, plan.landlock);
  out.number(plan.domains.size());
  for (const landlock::Plan& domain : plan.domains) put_landlock(out, domain);
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
  plan.landlock = take_landlock(in);
  plan.domains.resize(in.count());
  for (landlock::Plan& domain : plan.domains) domain = take_landlock(in);
  plan.filter.list = in.text();
  plan.filter.arguments = in.text();
  if (!in.ok() || !in.at_end() || plan.argv.empty() != plan.holds_commands())
    return layer_error("init", "the plan is malformed", 0);
  return plan;
}

std::string encode(const Command& command) {
  Writer out;
  out.text(command.directory);
  out.texts(command.argv);
  out.texts(command.env);
  out.number(command.ignored);
  out.number(command.umask);
  out.number(command.descriptors.size());
  for (const int number : command.descriptors) out.number(static_cast<std::uint64_t>(number));
  return out.take();
}

Result<Command> decode_command(std::string_view bytes) {
  Reader in(bytes);
  Command command;
  command.directory = in.text();
  command.argv = in.texts();
  command.env = in.texts();
  command.ignored = in.number();
  command.umask = static_cast<std::uint32_t>(in.number());
  command.descriptors.resize(in.count());
  for (int& number : command.descriptors) number = static_cast<int>(in.number());
  if (!in.ok() || !in.at_end() || command.argv.size() < 2) return layer_error("init", "the command is malformed", 0);
  return command;
}

Result<Report> decode_report(std::string_view bytes) {
  Report report;
  if (bytes.size() != sizeof report) return layer_error("run", "band-init ended without a report", 0);
  std::memcpy(&report, bytes.data(), sizeof report);
  report.layer[sizeof report.layer - 1] = report.text[sizeof report.text - 1] = '\0';
  if (report.kind < static_cast<std::uint32_t>(Report::Kind::Ready) ||
      report.kind > static_cast<std::uint32_t>(Report::Kind::CommandEnded))
    return layer_error("run", "band-init sent an unknown report", 0);
  return report;
}

}  // namespace band::init
