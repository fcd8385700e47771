#include "client/commands/learn_run.h"

#include <optional>
#include <utility>

#include "client/commands/running.h"
#include "schemas/core/json_text.h"

namespace band::client {
namespace {

LearnAnswer refused(const Error& error) {
  Answer answer;
  answer.error = error;
  return {std::move(answer)};
}

}  // namespace

LearnAnswer run_of_learn(const CommandLine& line, Terminal& terminal, const Script& script, const Json& input,
                         const Rules& rules) {
  Script trial = script;
  trial.band.rules = rules;
  CommandLine one = line;
  one.input = dump_json(input);
  one.parameters.clear();
  auto plan = plan_run(one, trial);
  if (!plan.ok()) return refused(plan.error());
  auto prepared = prepare(*plan);
  if (!prepared.ok()) return refused(prepared.error());
  std::optional<Progress> progress;
  Course course = execute(*plan, *prepared, terminal, [&](const Stop&) {
    progress.emplace(terminal, "waiting for a free slot for " + script.place.name);
    Listener listener;
    listener.started = [&](const std::string&) { progress->say("running " + script.place.name); };
    return listener;
  });
  progress.reset();
  if (course.signal != 0) return {interrupted(), course.signal};
  if (!course.answer.ok()) return {course.answer.error()};
  Answer answer = std::move(course.answer).value();
  if (!answer.error) answer.error = check_output(script, answer.data);
  return {std::move(answer)};
}

}  // namespace band::client
