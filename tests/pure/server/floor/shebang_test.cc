#include <doctest/doctest.h>

#include "server/floor/shebang.h"

using band::floor::parse_shebang;
using Words = std::vector<std::string>;

TEST_CASE("a script's first line is parsed like the kernel and env parse it") {
  struct Row {
    std::string head, interpreter;
    Words arguments;
  };
  const Row rows[] = {
      {"#!/bin/sh\necho", "/bin/sh", {}},
      {"#! /usr/bin/perl -w  \nx", "/usr/bin/perl", {"-w"}},
      {"#!/usr/bin/awk -f", "/usr/bin/awk", {"-f"}},
      {"#!/usr/bin/x a b\n", "/usr/bin/x", {"a b"}},  // one argument
      {"#!/usr/bin/env python3\n", "python3", {}},
      {"#!/bin/env /opt/x/python\n", "/opt/x/python", {}},
      {"#!/usr/bin/env -S node --no-warnings  -r x\n", "node", {"--no-warnings", "-r", "x"}},
      {"#!/usr/bin/env -Snode\n", "node", {}},
      {"\x7f"
       "ELF",
       "",
       {}},
      {"echo\n", "", {}},
      {"", "", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.head);
    const auto shebang = parse_shebang(row.head);
    REQUIRE_MESSAGE(shebang.ok(), shebang.error().message());
    CHECK(shebang->interpreter == row.interpreter);
    CHECK(shebang->arguments == row.arguments);
  }
}

TEST_CASE("an ambiguous or unsupported first line is refused") {
  const std::string rows[] = {"#!sh\n",
                              "#!\n",
                              "#!/usr/bin/env\n",
                              "#!/usr/bin/env python3 -u\n",  // env would search for "python3 -u"
                              "#!/usr/bin/env -i sh\n",
                              "#!/usr/bin/env ./sh\n",
                              "#!/usr/bin/env -S A=1 node\n",
                              "#!/usr/bin/env -S node 'a b'\n",
                              "#!/usr/bin/env -S ${X}\n",
                              std::string("#!/bin/sh\0x\n", 12),
                              "#!/" + std::string(300, 'x') + "\n"};
  for (const std::string& head : rows) {
    CAPTURE(head);
    const auto shebang = parse_shebang(head);
    CHECK_FALSE(shebang.ok());
  }
}
