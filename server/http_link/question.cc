#include "server/http_link/question.h"

#include <limits>

#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"

namespace band::http {
namespace {

using Kind = Question::Kind;

constexpr std::size_t kMaxNameBytes = 256;  // limit of names and ids; both are far shorter

Result<Kind> kind_of(const std::string& op) {
  if (op == "listening") return Kind::Listening;
  if (op == "configured") return Kind::Configured;
  if (op == "exec") return Kind::Exec;
  if (op == "cancel") return Kind::Cancel;
  if (op == "input") return Kind::Input;
  if (op == "health") return Kind::Health;
  if (op == "metrics") return Kind::Metrics;
  return wire::bad("message: unknown op " + wire::shown(op));
}

void read_caller(wire::Reader& reader, Question& question) {
  question.token = reader.text("token", kMaxNameBytes);
  question.token_id = reader.text("token_id", kMaxNameBytes);
}

}  // namespace

std::size_t descriptors_of(Kind kind) {
  switch (kind) {
    case Kind::Listening:
    case Kind::Configured:
      return 0;
    case Kind::Exec:
      return 2;
    case Kind::Cancel:
    case Kind::Input:
    case Kind::Health:
    case Kind::Metrics:
      return 1;
  }
  return 0;
}

Result<Question> read_question(std::string_view json) {
  BAND_TRY(const Json value, parse_json(json, "message"));
  wire::Reader reader(value, "message");
  const std::string op = reader.text("op", kMaxNameBytes);
  if (reader.failed()) return reader.error();
  Question question;
  BAND_TRY(question.kind, kind_of(op));
  switch (question.kind) {
    case Kind::Listening:
      reader.only({"op", "port"});
      if (reader.find("port", true) != nullptr)
        question.port = static_cast<std::uint16_t>(reader.integer("port", 1, 65535));
      break;
    case Kind::Configured:
      reader.only({"op", "number"});
      if (reader.find("number", true) != nullptr)
        question.number = reader.integer("number", 0, std::numeric_limits<std::int64_t>::max());
      break;
    case Kind::Exec:
      reader.only({"op", "token", "token_id", "events"});
      read_caller(reader, question);
      if (reader.find("events", true) != nullptr) question.events = reader.boolean("events", false);
      break;
    case Kind::Cancel:
    case Kind::Input:
      reader.only({"op", "token", "token_id", "id"});
      read_caller(reader, question);
      question.id = reader.text("id", kMaxNameBytes);
      break;
    case Kind::Health:
      reader.only({"op", "token", "token_id"});
      read_caller(reader, question);
      break;
    case Kind::Metrics:
      reader.only({"op"});
      break;
  }
  if (reader.failed()) return reader.error();
  return question;
}

}  // namespace band::http
