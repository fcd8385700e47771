#include "server/init/setup.h"

#include <cstring>

#include "server/init/codec.h"

namespace band::init {
namespace {

void put_landlock(Writer& out, const landlock::Ruleset& ruleset) {
  out.number(static_cast<std::uint64_t>(ruleset.tcp));
  out.number(ruleset.paths.size());
  for (const landlock::PathRule& rule : ruleset.paths) {
    out.number(static_cast<std::uint64_t>(rule.access));
    out.text(rule.path);
  }
}

landlock::Ruleset take_landlock(Reader& in) {
  landlock::Ruleset ruleset;
  const std::uint64_t tcp = in.number();
  if (tcp > static_cast<std::uint64_t>(landlock::Tcp::All)) in.fail();
  ruleset.tcp = static_cast<landlock::Tcp>(tcp);
  ruleset.paths.resize(in.count());
  for (landlock::PathRule& rule : ruleset.paths) {
    const std::uint64_t access = in.number();
    if (access > static_cast<std::uint64_t>(landlock::Access::Own)) in.fail();
    rule.access = static_cast<landlock::Access>(access);
    rule.path = in.text();
  }
  return ruleset;
}

}  // namespace

std::string encode(const Setup& setup) {
  Writer out;
  out.number(setup.ids.uid);
  out.number(setup.ids.gid);
  out.text(setup.directory);
  out.number(setup.terminal ? 1 : 0);
  out.number(setup.limits.size());
  for (const limits::Rlimit& limit : setup.limits) {
    out.number(limit.resource);
    out.number(limit.value);
  }
  put_landlock(out, setup.landlock);
  out.number(setup.domains.size());
  for (const landlock::Ruleset& domain : setup.domains) put_landlock(out, domain);
  return out.release();
}

Result<Setup> decode(std::string_view bytes) {
  Reader in(bytes);
  Setup setup;
  setup.ids.uid = static_cast<uid_t>(in.number());
  setup.ids.gid = static_cast<gid_t>(in.number());
  setup.directory = in.text();
  const std::uint64_t terminal = in.number();
  if (terminal > 1) in.fail();
  setup.terminal = terminal == 1;
  setup.limits.resize(in.count());
  for (limits::Rlimit& limit : setup.limits) {
    limit.resource = static_cast<std::uint32_t>(in.number());
    limit.value = in.number();
  }
  setup.landlock = take_landlock(in);
  setup.domains.resize(in.count());
  for (landlock::Ruleset& domain : setup.domains) domain = take_landlock(in);
  if (!in.ok() || !in.at_end() || setup.directory.empty() != setup.holds_commands())
    return layer_error("init", "the setup is malformed", 0);
  return setup;
}

std::string encode(const Script& script) {
  Writer out;
  out.texts(script.argv);
  out.texts(script.env);
  return out.release();
}

Result<Script> decode_script(std::string_view bytes) {
  Reader in(bytes);
  Script script;
  script.argv = in.texts();
  script.env = in.texts();
  if (!in.ok() || !in.at_end() || script.argv.empty()) return layer_error("init", "the script is malformed", 0);
  return script;
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
  return out.release();
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
  if (bytes.empty()) return layer_error("run", "band-init ended without a report", 0);
  if (bytes.size() != sizeof report) return layer_error("run", "band-init sent an incomplete report", 0);
  std::memcpy(&report, bytes.data(), sizeof report);
  report.layer[sizeof report.layer - 1] = report.text[sizeof report.text - 1] = '\0';
  if (report.kind < static_cast<std::uint32_t>(Report::Kind::Ready) ||
      report.kind > static_cast<std::uint32_t>(Report::Kind::CommandEnded))
    return layer_error("run", "band-init sent an unknown report", 0);
  return report;
}

}  // namespace band::init
