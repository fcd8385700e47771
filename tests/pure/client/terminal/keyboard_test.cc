#include "client/terminal/keyboard.h"

#include <doctest/doctest.h>

using band::client::EscapeKeys;

namespace {

struct Typed {
  std::string keys;
  bool disconnect = false;
};

Typed type(std::string_view keys, std::size_t step) {
  EscapeKeys escape;
  Typed typed;
  for (; !keys.empty() && !typed.disconnect; keys.remove_prefix(std::min(step, keys.size()))) {
    const EscapeKeys::Keys came = escape.read(keys.substr(0, step));
    typed.keys += came.typed;
    typed.disconnect = came.disconnect;
  }
  return typed;
}

}  // namespace

TEST_CASE("only ~. at the beginning of a line disconnects") {
  struct Row {
    std::string_view keys, typed;
    bool disconnect;
  };
  for (const Row& row : {Row{"~.", "", true}, Row{"ls\r~.x", "ls\r", true}, Row{"ls ~.", "ls ~.", false},
                         Row{"~~.", "~.", false}, Row{"\r~x", "\r~x", false}, Row{"\n~.", "\n", true},
                         Row{"~\r~.", "~\r", true}, Row{"a~.\r", "a~.\r", false}, Row{"~", "", false}})
    for (const std::size_t step : {1, 2, 100}) {
      CAPTURE(row.keys);
      CAPTURE(step);
      const Typed typed = type(row.keys, step);
      CHECK(typed.keys == row.typed);
      CHECK(typed.disconnect == row.disconnect);
    }
}
