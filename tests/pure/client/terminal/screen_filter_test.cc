#include "client/terminal/screen_filter.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/pure/client/terminal/screen_filter_test.h"
#include "tests/pure/client/terminal/screen_output.h"

using namespace band;
using namespace band::client;
using namespace std::string_literals;

namespace {

// Output of programs, shortened: captured from vim 9.0, tmux 3.3a, bash 5.2 and ls on Debian 12; for vim and tmux
// without the sequences that save the window's title. That of htop is written after ncurses.
constexpr char kVim[] =
    "\033[?1049h\033[>4;2m\033[?1h\033=\033[?2004h\033[1;24r\033[?12h\033[?12l\033[27m\033[23m\033[29m\033[m"
    "\033[H\033[2J\033[?25l\033[24;1H\"notes.txt\" [New File]\033[2;1H\033[94m~                   \033[3;1H~"
    "\033[m\033[24;63H0,0-1         All\033[1;1H\033[?25h\033[24;1H\033[K\033[24;1H:\033[?2004l\033[>4;m"
    "\033[24;1H\033[K\033[24;1H\033[?2004l\033[?1l\033>\033[?1049l\033[>4;m";
constexpr char kVimOnConsole[] =
    "\033[1;24r\033[27m\033[24m\033[m\017\033[H\033[J\033[?25l\033[?1c\033[24;1H\"notes.txt\" [New File]"
    "\033[2;1H\033[1m\033[34m~ \033[m\017\033[24;63H\033[?25h\033[?0c";
constexpr char kTmux[] =
    "\033[?1049h\033[?1h\033=\033[H\033[2J\033[?12l\033[?25h\033[?1000l\033[?1002l\033[?1003l\033[?1006l"
    "\033[?1005l\033(B\033[m\033[1;1H\033[1;24r\033[>c\033[>q\033[?25l\033[K\r\n\033[K\033[30m"
    "\033[42m\r\n[x] 0:bash*\033(B\033[m\033[32;1;1;23;80$x\033[?69h\033[1;40s\033[?69l";
constexpr char kHtop[] =
    "\033[?1049h\033[1;24r\033(B\033[m\033[4l\033[?7h\033[?1h\033=\033[?25l\033[39;49m\033[?1000h\033[39;49m"
    "\033(B\033[m\033[H\033[2J\033[2d  \033[36m\033(B\033[m\033[36m0\033[1m\033[39m\033(B\033[m[\033[32m|||"
    "\033[31m||\033[90m\033[12X\033[2;35H7.3%\033[39m]\033[24;1HF1\033[30m\033[46mHelp \033[39;49m\033[?1000l"
    "\033[24;1H\033[?12l\033[?25h\033[?1049l\r\033[?1l\033>";
// A coloured prompt, and the output of readline when the line is edited.
constexpr char kPrompt[] =
    "\033[?2004h\033[01;32mana@box\033[00m:\033[01;34m~/work\033[00m$ echo hallo\b\b\b\b\b\b\b\b\b\b\033[C"
    "\033[1@X\b\033[1P\r\n\033[?2004l\rhallo\r\n";
constexpr char kSearch[] =
    "\033[?2004h\r\r$ ls \033[K\033[7mpasted\033[27m\b\b\b\b\b\bpasted\r\033[12C\007\r"
    "\033[J(reverse-i-search)`': ";
constexpr char kMeta[] = "\033[?1034h$ ";
constexpr char kLs[] =
    "\033[0m\033[01;34mbin\033[0m  \033[01;36mlib\033[0m -> \033[01;34musr/lib\033[0m  \033[30;42mtmp"
    "\033[0m  \033[38;5;11mx\033[0m  \033[37;41msu\033[0m\tgr\303\274\303\237\342\202\254\360\237\230\200\r\n";
// clear and reset, without scrollback and width.
constexpr char kClear[] = "\033[H\033[2J";
constexpr char kReset[] = "\033c\033[!p\033[?4l\033[4l\033>";
const std::vector<std::string> kPrograms = {kVim,    kVimOnConsole, kTmux, kHtop,  kPrompt,
                                            kSearch, kMeta,         kLs,   kClear, kReset};

}  // namespace

TEST_CASE("output of full-screen programs passes unchanged") { check_unchanged(kPrograms); }

TEST_CASE("from the start sequences of programs, only those with an effect beyond the screen are removed") {
  check({
      {"\033[?1049h\033[22;0;0t\033[?1h", "\033[?1049h\033[?1h"},                  // smcup of xterm-256color
      {"\033[?25l\033]10;?\007\033]11;?\007\033[6n", "\033[?25l\033[6n"},          // vim queries colours
      {"\033P+q436f\033\\\033[>c", "\033[>c"},                                     // and capabilities
      {"\033[H\033[2J\033[3J", "\033[H\033[2J"},                                   // clear
      {"\033c\033[!p\033[?3;4l\033[4l\033>", "\033c\033[!p\033[?4l\033[4l\033>"},  // reset
      {"\033[?1001s\033[?1000h\033[?1006h\033[?1001r", "\033[?1000h\033[?1006h"},  // mc
      {"\033]0;ana@box: ~\007\033[01;32mana@box\033[00m$ ", "\033[01;32mana@box\033[00m$ "},
      {"\033]8;;file:///etc\033\\etc\033]8;;\033\\ x", "etc x"},  // ls --hyperlink: the text stays
      {"\033ktitle\033\\$ ", "$ "},
      {"\033c\033]R$ ", "\033c$ "},                     // reset on the Linux console
      {"\033]P0222222\033]P1803232$ \033]P1x", "$ x"},  // and its colours
      {"\033]P12\r3\033]P12\033[m", "\r3\033[m"},
      {"\033]0;x\a\033]R$ ", "$ "},
      {"\033]0;READ PAPER 12345678\a$ ", "$ "},
  });
}

TEST_CASE("sequences that move the cursor, erase, scroll, query and set modes pass") {
  check_unchanged({
      "\a\b\t\n\v\f\r\016\017 ~",
      "\033[1@\033[2A\033[3B\033[4C\033[5D\033[6E\033[7F\033[8G\033[9;10H\033[2I\033[J\033[0J\033[1J\033[2J",
      "\033[K\033[1K",
      "\033[2L\033[2M\033[2P\033[2S\033[2T\033[2X\033[2Z\033[2`\033[2a\033[2b\033[2d\033[2e\033[2;2f\033[s",
      "\033[u\033[g\033[3g",
      "\033[?J\033[?2J\033[?1K\033[2;20r\033[r\033[4h\033[4l\033[20h\033[20l",
      "\0337\0338\033c\033=\033>\033D\033E\033H\033M\033(0\033)0\033*B\033+B\033-A\033.A\033/A",
      "\033[m\033[0m\033[;1m\033[4:3m\033[58:2::1:11:3m\033[38;2;11;12;11;48;5;11m\033[11:1m\033[58;2;1;2;3m",
      "\033[?1;4;5;6;7;8;9;12;25;66;69h\033[?1000;1002;1003;1004;1005;1006;1015;1016;1034;2004h\033[?2026h",
      "\033[?2031h\033[?2048h",
      "\033[?47h\033[?47l\033[?1047h\033[?1047l\033[?1048h\033[?1048l\033[?1049h\033[?1049l",
      "\033[c\033[0c\033[>c\033[=c\033[5n\033[6n\033[?6n\033[?996n\033[?2026$p\033[4$p\033[>q\033[?u\033[?4m",
      "\033[>1u\033[=5;1u\033[<1u\033[>4;1m\033[>4m\033[2 q\033[ q\033[?17;0;64c\033[1;1;2;2$z",
      "\033[65535C",
      "\033[48;2;1;2;11m\033(P\033)Z\033(9",
  });
}

TEST_CASE("strings never reach the terminal, regardless of their terminator") {
  const std::vector<std::string> begins = {"\033]",    "\033P",    "\033X",    "\033^",   "\033_", "\033k",
                                           "\x9D",     "\x90",     "\x98",     "\x9E",    "\x9F",  "\xC2\x9D",
                                           "\xC2\x90", "\xC2\x98", "\xC2\x9E", "\xC2\x9F"};
  for (const std::string& begin : begins) {
    for (const std::string end : {"\033\\", "\x9C", "\xC2\x9C", "\x18", "\x1A"})
      for (std::string string : {"", "52;c;ZWNobyBoaQ==", "\n\r\t\b\x05"})
        check_removed({string.insert(0, begin).append(end)});
    check({{"a" + begin + "x\033[31mred", "a\033[31mred"}, {"a" + begin + "x\033\033[31mred", "a\033[31mred"}});
    check({{"a" + begin + "x" + std::string(1000000, 'y') + "\033\\b", "ab"}, {"a" + begin + "x", "a"}});
  }
}

TEST_CASE("BEL ends an operating system command, but no other string") {
  check_removed({"\033]0;x\a", "\2350;x\a", "\033]52;c;eA==\a"});
  for (const std::string begin : {"\033P", "\033X", "\033^", "\033_", "\033k"}) check_removed({begin + "x\a y\033\\"});
  check_removed({"\033Ptmux;\033\033]52;c;eA==\a\033\\"});  // tmux would pass this on
}

TEST_CASE("a character with a byte of ST does not end a string") {
  check_removed({"\033]0;\303\234ber\342\234\234\033\\", "\033]0;\xC3\033\\", "\033]0;\xE2\x9C\033\\"});
  check({{"\033]0;\377\234b", "b"}});  // this 0x9C is not part of a character
}

TEST_CASE("C1 control characters are removed, raw or as UTF-8, with what they introduce") {
  for (int c = 0x80; c < 0xA0; ++c) {
    if (c == 0x90 || c == 0x98 || c == 0x9B || c == 0x9D || c == 0x9E || c == 0x9F) continue;
    const std::string raw(1, static_cast<char>(c));
    check_removed({raw, "\xC2" + raw});
  }
  check_removed({"\2332J", "\302\2332J", "\23331m", "\x9B?1049h", "\23321t", "\2331;1;1$x"});
  check({{"\2332\033[1mx", "\033[1mx"}, {"\2332\303\274", "\xC3\xBC"}, {"\033[3\302\2041m", "1m"}});
  check_unchanged({"\303\2332J \342\233\235 \360\237\233\233 \302\240"});  // bytes of characters
}

TEST_CASE("broken UTF-8 is passed as U+FFFD") {
  const std::string fffd = "\xEF\xBF\xBD";
  check({
      {"\377a\240b\370", fffd + "a" + fffd + "b" + fffd},
      {"\303a", fffd + "a"},
      {"\342\202a\342\342\202\254", fffd + "a" + fffd + "\xE2\x82\xAC"},
      {"\xE2\x9B\033[1m", fffd + "\033[1m"},
      {"\300\2332J", fffd + "2J"},  // overlong forms of U+001B, U+009B
      {"\300\233[2J\340\202\2332J", fffd + "[2J" + fffd + "2J"},
      {"\xED\xA0\x80", fffd},      // a surrogate
      {"\xF4\x90\x80\x80", fffd},  // above U+10FFFF
      {"\xC3", ""},                // incomplete
  });
}

TEST_CASE("other control characters are removed") {
  check_removed({"\005", "\0"s, "\001", "\006", "\020", "\021", "\023", "\024", "\031", "\034", "\037", "\177"});
  check({{"**\030B00000000000000", "**B00000000000000"}});  // the start of ZMODEM
}

TEST_CASE("a control character inside a sequence is written before it, never after its ESC") {
  check({{"\033[3\n1mx", "\n\033[31mx"},
         {"\033\fc", "\f\033c"},
         {"\033(\r0", "\r\033(0"},
         {"\033[3\0051m\033\005D", "\033[31m\033D"}});
  check({{"\033[3\177\0001m"s, "\033[31m"}});
  check({{"\033[31\030m\033[3\0321m\033\030D", "m1mD"}});  // CAN and SUB end it
  check({{"\033[31\033[1m\033\033D", "\033[1m\033D"}});    // as does ESC
}

TEST_CASE("windows are not moved, and their titles are not reported") {
  check_removed({"\033[21t",   "\033[20t", "\033[11t", "\033[3;0;0t", "\033[8;1;1t", "\033[2t",          "\033[22;0t",
                 "\033[23;0t", "\033[t",   "\033[>2t", "\033[>2T",    "\033[1;2 t",  "\033[1;1;2;2;1$t", "\033[80$|",
                 "\033[24*|",  "\033[?3h", "\033[?3l", "\033[?40h",   "\033[?1042h", "\033[?1043h"});
}

TEST_CASE("sequences that print, log, start programs, select another parser or disable keys are removed") {
  check_removed({"\033[i", "\033[4i", "\033[5i", "\033[?5i", "\033[?1;5i", "\033[?18h", "\033[?19h"});
  check_removed(
      {"\033[?46h", "\033[2;1y", "\033[+p", "\033[1q", "\033[>2p", "\033[>1s", "\033[12;2]", "\033[9;0]", "\033[["});
  check_removed({"\033%@",     "\033%G",  "\033%8", "\033%/G", "\033[?2l", "\033[?38h", "\033[?42h",
                 "\033[61\"p", "\033[3h", "\033 F", "\033 G",  "\033 L",   "\033<",     "\033!0",
                 "\033\"0",    "\0336",   "\033(~", "\033$B",  "\033$(B",  "\033n",     "\033o",
                 "\033~",      "\033}",   "\033|",  "\033N",   "\033O",    "\033Z",     "\033l",
                 "\033A",      "\033g",   "\033#8", "\033#6",  "\033\\",   "\033( B",   "\033&A"});
  check_removed({"\033[2h",      "\033[12l",    "\033[?1001h", "\033[1;1;1;1;1;1T", "\033[?1007l",
                 "\033[?2027h",  "\033[?1036h", "\033[?1041h", "\033[?5522h",       "\033[1;2'z",
                 "\033[1'{",     "\033['|",     "\033[>4n",    "\033[>1;2m",        "\033[>m",
                 "\033[>4;2;2m", "\033[?3J",    "\033[3J",     "\033[22J",          "\033[0;3J"});
}

TEST_CASE("queries of the screen's content and other data of the terminal are removed") {
  check_removed({"\033[1;1;1;1;24;80*y", "\033[3#y", "\033[7n", "\033[?15n", "\033[?26n", "\033[?53n", "\033[?62n",
                 "\033[?63n", "\033[1$u", "\033[1$w", "\033[2$w", "\033[x", "\033[1x", "\033[1;1c", "\033[>1q",
                 "\033[?1;1;0S", "\033P$qm\033\\", "\033P+q544e\033\\"});
}

TEST_CASE("no font is selected that disables UTF-8 on the Linux console") {
  check_removed({"\033[11m", "\033[12m", "\033[1;011m", "\033[38;5;1;11m", "\033[38;11m", "\033[38;5;5;12m",
                 "\033[38;2;1;11m", "\033[58;5;11m", "\033[38;2;1;1;1;11m", "\033[48;12m"});
}

TEST_CASE("saved modes cannot be restored") { check_removed({"\033[?1000s", "\033[?1000r", "\033[?1049;2004r"}); }

TEST_CASE("known modes in a list of modes pass") {
  check({{"\033[?2;25;46;7l", "\033[?25;7l"},
         {"\033[2;4;12h", "\033[4h"},
         {"\033[?h\033[?;h\033[h", ""},
         {"\033[?0025l", "\033[?25l"}});
}

TEST_CASE("malformed sequences are removed") {
  check_removed({"\033[?4;1m", "\033[?1m", "\033[1g", "\033[7 q", "\033[1;1 q", "\033[1$1m", "\033[1?h", "\033[?>4m",
                 "\033[<<u", "\033[65536C", "\033[99999999999999999999b", "\033[1:2H", "\033[?25:1h", "\033[1 m",
                 "\033[0%m", "\033[1=c"});
  check({{"\033([2J", "2J"}, {"\033(]0;x\a", "0;x\a"}, {"\033[[A", "A"}});
  check({{"\033[\xC3\xBC", "\xC3\xBC"}, {"\033\xC3\xBC", "\xC3\xBC"}, {"\033(\xC3\xBC", "\xC3\xBC"}});
}

TEST_CASE("a sequence has at most 64 bytes") {
  const std::string zeros = "\033[" + std::string(61, '0');
  check({{zeros + "m", zeros + "m"}, {zeros + "0mx", "x"}, {zeros + std::string(100000, ';') + "1mx", "x"}});
  check({{zeros + "0\033[1m", "\033[1m"}, {zeros + "0 0\nm", "\n"}, {"\033" + std::string(100000, '(') + "Bx", "x"}});
}

TEST_CASE("an incomplete character or sequence is buffered") {
  ScreenFilter filter;
  CHECK(filter.feed("a\xE2\x82") == "a");
  CHECK(filter.feed("\xAC\033") == "\xE2\x82\xAC");
  CHECK(filter.feed("[3") == "");
  CHECK(filter.feed("1m\033]0;") == "\033[31m");
  CHECK(filter.feed(std::string(1000000, 'x')) == "");
  CHECK(filter.feed("\033") == "");
  CHECK(filter.feed("\\b") == "b");
}

namespace {

// Pieces, separated by " | ".
constexpr std::string_view kPieces =
    "\033 | [ | ] | P | \\ | \233 | \235 | \220 | \234 | \302 | \342\202 | \254 | \360\237 | \200 | "
    "\377 | \a | \n | \005 | \030 | \016 | \017 | x | 2 | ; | m | t | i | u | h | l | ? | > | < | = |   | "
    "$ | ( | 0 | % | \0337 | \0338 | \033[?1049h | \033[?1049l | \033[?47h | \033[?47l | \033[?1047h | "
    "\033[?1047l | \033[?1048h | \033[?1048l | \033[>1u | \033[<u | \033[<3u | \033[=5u | \033[=0u | "
    "\033[?25l | \033[?25h | \033[?7l | \033[?7h | \033[?6h | \033[?6l | \033[?1000h | \033[?2004h | "
    "\033[?2004l | \033[?1034l | \033[4h | \033[20h | \033[1m | \033[m | \033[2;3r | \033[r | \033[3g | "
    "\033H | \033= | \033> | \033(0 | \033[5 q | \033[ q | \033[>4;2m | \033[>4m | \033[s | \033[u | "
    "\033[!p | \033]0;x\a | \033P$q | \033[21t | \033]P123 | \033]R | \303\233 | \033[?1;2;46h | "
    "\033[11m";

// Valid pieces of sequences, in a meaningless order.
class Streams {
 public:
  std::string next() {
    std::string stream;
    for (int i = 0; i < 40; ++i) stream += pick();
    return stream;
  }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  static std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t end = 0; (end = text.find(" | ")) != std::string_view::npos; text.remove_prefix(end + 3))
      parts.emplace_back(text.substr(0, end));
    parts.emplace_back(text);
    return parts;
  }

  std::string pick() {
    if (below(300) == 0) return "\033c";
    if (below(100) == 0) return "\033[" + std::string(61, '0');
    return pieces_[below(pieces_.size())];
  }

  std::vector<std::string> pieces_ = split(kPieces);
  std::mt19937 random_{7};
};

}  // namespace

TEST_CASE("the result does not depend on how a stream is cut") {
  std::vector<std::string> streams = kPrograms;
  streams.emplace_back(
      "a\033]0;\303\234\033\\b\033[3\n1m\342\202\254\302\2332J\300\233\033P\a\234\033[?1049;46h\033[>1u"
      "\033[?1049l\033]P12\033]R");
  for (const std::string& stream : streams) {
    const std::string whole = filtered(stream), undo = restored(stream);
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      ScreenFilter filter;
      const std::string first = filter.feed(stream.substr(0, cut));
      CHECK(first + filter.feed(stream.substr(cut)) == whole);
      CHECK(filter.restore() == undo);
    }
    for (std::size_t step = 1; step < 8; ++step) {
      ScreenFilter filter;
      std::string pieces;
      for (std::size_t at = 0; at < stream.size(); at += step) pieces += filter.feed(stream.substr(at, step));
      CHECK(pieces == whole);
    }
  }
  Streams random;
  for (int i = 0; i < 2000; ++i) {
    const std::string stream = random.next();
    ScreenFilter filter;
    std::string pieces;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t step = random.below(6);
      pieces += filter.feed(stream.substr(at, step));
      at += step;
    }
    CHECK_MESSAGE(pieces == filtered(stream), shown(stream));
  }
}

TEST_CASE("for any input, the output has an effect only on the screen and is undone by restore()") {
  CHECK(screen_output::fault("\033]0;x\a") != "");  // the control: removed sequences are faults
  CHECK(screen_output::fault("\033[21t") != "");
  CHECK(screen_output::fault("\xC2\x9B") != "");
  Streams random;
  for (int i = 0; i < 20000; ++i) {
    const std::string stream = random.next();
    ScreenFilter filter;
    const std::string out = filter.feed(stream), undo = filter.restore();
    CHECK_MESSAGE(screen_output::fault(out) == "", shown(stream));
    CHECK_MESSAGE(screen_output::fault(undo) == "", shown(stream));
    ScreenFilter again;
    CHECK_MESSAGE(again.feed(out) == out, shown(stream));
    CHECK_MESSAGE(again.restore() == undo, shown(stream));
    CHECK_MESSAGE(again.feed(undo) == undo, shown(stream));
    screen_output::Terminal terminal;
    terminal.write(out);
    terminal.write(undo);
    CHECK_MESSAGE(terminal.unusual() == "", shown(stream));
  }
}
