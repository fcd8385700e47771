#include "server/http_link/question.h"

#include <limits>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"

namespace band::http {
namespace {

using Kind = Question::Kind;

constexpr std::size_t kMaxNameBytes = 256;  // of a token or an id; both are far shorter

Result<Kind> kind_of(const std::string& op) {
  if (op == "listening") return Kind::Listening;
  if (op == "configured") return Kind::Configured;
  if (op == "exec") return Kind::Exec;
  if (op == "cancel") return Kind::Cancel;
  if (op == "health") return Kind::Health;
  if (op == "metrics") return Kind::Metrics;
  return wire::bad("message: unknown op " + wire::shown(op));
}

std::vector<std::string_view> members_of(Kind kind) {
  switch (kind) {
    case Kind::Listening:
      return {"op", "port"};
    case Kind::Configured:
      return {"op", "number"};
    case Kind::Exec:
      return {"op", "token", "token_id"};
    case Kind::Cancel:
      return {"op", "token", "token_id", "id"};
    case Kind::Health:
    case Kind::Metrics:
      break;
  }
  return {"op"};
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
  reader.only(members_of(question.kind));
  if (question.kind == Kind::Exec || question.kind == Kind::Cancel) {
    question.token = reader.text("token", kMaxNameBytes);
    question.token_id = reader.text("token_id", kMaxNameBytes);
  }
  if (question.kind == Kind::Cancel) question.id = reader.text("id", kMaxNameBytes);
  if (question.kind == Kind::Listening) question.port = static_cast<std::uint16_t>(reader.integer("port", 1, 65535));
  if (question.kind == Kind::Configured && reader.find("number", true) != nullptr)
    question.number = reader.integer("number", 0, std::numeric_limits<std::int64_t>::max());
  if (reader.failed()) return reader.error();
  if (question.kind == Kind::Listening && question.port == 0) return wire::bad("message: no port");
  return question;
}

}  // namespace band::http
