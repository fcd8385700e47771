#include "server/http/engine.h"

#include "schemas/core/json.h"
#include "server/base/channel.h"

namespace band::http {
namespace {

std::string about(const char* op, const Caller& caller, std::string_view id) {
  return dump_json(Json{{"op", op}, {"token", caller.name}, {"token_id", caller.id}, {"id", id}});
}

}  // namespace

Status EngineClient::listening(std::uint16_t port) const {
  return base::send(control_, dump_json(Json{{"op", "listening"}, {"port", port}}));
}

Status EngineClient::configured(std::int64_t number) const {
  return base::send(control_, dump_json(Json{{"op", "configured"}, {"number", number}}));
}

Result<base::Fd> EngineClient::exec(const Caller& caller, bool events, int body) const {
  return ask(dump_json(Json{{"op", "exec"}, {"token", caller.name}, {"token_id", caller.id}, {"events", events}}),
             body);
}

Result<base::Fd> EngineClient::cancel(const Caller& caller, std::string_view id) const {
  return ask(about("cancel", caller, id), -1);
}

Result<base::Fd> EngineClient::input(const Caller& caller, std::string_view id) const {
  return ask(about("input", caller, id), -1);
}

Result<base::Fd> EngineClient::health(const Caller& caller) const {
  return ask(dump_json(Json{{"op", "health"}, {"token", caller.name}, {"token_id", caller.id}}), -1);
}

Result<base::Fd> EngineClient::metrics() const { return ask(R"({"op":"metrics"})", -1); }

Result<base::Fd> EngineClient::ask(std::string_view text, int body) const {
  BAND_TRY(auto ends, base::stream_pair());
  std::vector<int> fds;
  if (body >= 0) fds.push_back(body);
  fds.push_back(ends.second.get());
  BAND_CHECK(base::send(control_, text, fds));
  return std::move(ends.first);
}

}  // namespace band::http
