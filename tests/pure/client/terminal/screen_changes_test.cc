#include "client/terminal/screen_changes.h"

#include <doctest/doctest.h>

#include "tests/pure/client/terminal/screen_filter_test.h"

using namespace band::client;

TEST_CASE("without changes nothing is restored") {
  check_restored({{"", ""},
                  {"plain \xC3\xBC text\r\n\a", ""},
                  {"\033[H\033[2J\0337\0338\033[?1048h\033[?1048l\033[6n\033[?25h\033[?7h\033[?2004l\033[?1049l\033[r"
                   "\033[0 q",
                   ""},
                  {"\033[?46h\033[5i\033]0;x\a\033[11m\033[?2l\033[2h\033[?25", ""}});
}

TEST_CASE("each mode that passes is reset to its default") {
  const std::vector<int> off = {1,    4,    5,    9,    12,   66,   69,   1000, 1002, 1003, 1004,
                                1005, 1006, 1015, 1016, 2004, 2026, 2031, 2048, 47,   1047, 1049};
  for (const int mode : off) {
    const std::string set = "\033[?" + std::to_string(mode) + "h", reset = "\033[?" + std::to_string(mode) + "l";
    check({{set + reset, set + reset}});
    check_restored({{set, reset}, {reset, ""}, {set + reset, ""}});
  }
  for (const int mode : {7, 8, 25, 1034}) {
    const std::string set = "\033[?" + std::to_string(mode) + "h", reset = "\033[?" + std::to_string(mode) + "l";
    check_restored({{set, ""}, {reset, set}});
  }
}

TEST_CASE("modes that were set are reset, and modes that are set by default are set again") {
  check_restored({
      {"\033[?1000;1006h\033[?2004h", "\033[?1000l\033[?1006l\033[?2004l"},
      {"\033[?1000h\033[?1000l", ""},
      {"\033[?25l", "\033[?25h"},
      {"\033[?25l\033[?25h", ""},
      {"\033[?7l\033[?7h", "\033[?7h"},  // ESC 8 may have restored it
      {"\033[?8;1034l", "\033[?8h\033[?1034h"},
      {"\033[4h\033[20h\033[20l", "\033[4l"},
      {"\033[?6h\033[?6l", "\033[?6l\033[9999;1H"},
      {"\033[!p", "\033[?7h"},
  });
}

TEST_CASE("the alternate screen is left only if it was entered, with the same mode") {
  check_restored({
      {"\033[?1049h", "\033[?1049l"},
      {"\033[?1047h", "\033[?1047l"},
      {"\033[?47h", "\033[?47l"},
      {"\033[?1049h\033[?47h", "\033[?1049l"},
      {"\033[?47h\033[?1049h", "\033[?47l"},
      {"\033[?1049h\033[?1047l", ""},
      {"\033[?1049h\033[?1049l\033[?1049l", ""},
  });
}

TEST_CASE("keypad, character sets, attributes, cursor and keys are restored") {
  check_restored({
      {"\033=", "\033>"},
      {"\033=\033>", ""},
      {"\033(0", "\033(B\017"},
      {"\033)0\016", "\033(B\017"},
      {"\016\017", "\033(B\017"},
      {"\033[1m\033[m", "\033[0m"},
      {"\033[5 q", "\033[0 q"},
      {"\033[5 q\033[ q", ""},
      {"\033[?25l\033[?1c", "\033[?25h\033[?0c"},
      {"\033[?1c\033[?0c", ""},
      {"\033[>4;2m", "\033[>4m\033[0m"},
      {"\033[>4;2m\033[>4;m", "\033[0m"},  // terminals that ignore the `>` underline
  });
}

TEST_CASE("the scroll region and tab stops are restored without a cursor movement") {
  check_restored(
      {{"\033[2;5r", "\0337\033[r\0338"}, {"\033[;5r\033[r", "\0337\033[r\0338"}, {"\033[0;0r\033[1;2;3r", ""}});
  const std::string tabs = restored("\033[3g");
  CHECK(tabs.starts_with("\0337\r\033[3g\033[8C\033H\033[8C\033H"));
  CHECK(tabs.ends_with("\033[8C\033H\0338"));
  CHECK(restored("\033H") == tabs);
}

TEST_CASE("the keyboard protocol is reset on the screen on which it was set") {
  check_restored({
      {"\033[>1u", "\033[<1u"},
      {"\033[>1u\033[>5u\033[<u", "\033[<1u"},
      {"\033[>1u\033[<u\033[?u", ""},
      {"\033[=5u", "\033[=0u"},
      {"\033[=5u\033[=0;1u", ""},
      {"\033[=5u\033[=0;2u", "\033[=0u"},
      {"\033[>1u\033[=5u", "\033[<1u"},
      {"\033[>1u\033[?1049h\033[>3u\033[=1u", "\033[<1u\033[?1049l\033[<1u"},
      {"\033[?1049h\033[=1u", "\033[=0u\033[?1049l"},
      {"\033[?1049h\033[>3u\033[?1049l", ""},
  });
  check({
      {"\033[?1049h\033[>3u\033[?1049l", "\033[?1049h\033[>3u\033[<1u\033[?1049l"},
      {"\033[?1049h\033[=3u\033[?25;1049l", "\033[?1049h\033[=3u\033[=0u\033[?25;1049l"},
  });
}

TEST_CASE("entries that were on the keyboard's stack before the sandbox are kept") {
  check({
      {"\033[<u\033[<9u", ""},
      {"\033[>1u\033[<9u", "\033[>1u\033[<1u"},
      {"\033[>1u\033[<0u", "\033[>1u\033[<1u"},
      {"\033[>1u\033[<1;1u", "\033[>1u"},
      {"\033[>1u\033[>2u\033[>3u\033[>4u\033[>5u\033[<5u", "\033[>1u\033[>2u\033[>3u\033[>4u\033[<4u"},
      {"\033[>1;2u\033[<1;2u\033[=1;2;3u\033[1u\033[?1u\033[1s", ""},
  });
}

TEST_CASE("after a full reset nothing is restored") {
  const std::string all =
      "\033[?1049h\033[?1000;25;6;7h\033[?25;7l\033[4h\033=\033(0\016\033[1m\033[2;3r\033[3g\033[>1u\033[=1u"
      "\033[>4;2m\033[3 q\033[?1c";
  CHECK(restored(all).size() > 100);
  CHECK(restored(all + "\033c") == "");
  CHECK(restored(all + "\033c\033[?1h") == "\033[?1l");
}
