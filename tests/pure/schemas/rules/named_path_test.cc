#include "schemas/rules/named_path.h"

#include <doctest/doctest.h>

using namespace band;

TEST_CASE("a name that begins with a dot is hidden, at every place of the path") {
  for (const char* path : {".env", "./.env", ".//.env", "a/.git/config", "./a/.b", "..", "../a", "a/..", "./.en*",
                           "./**/.e*", "/srv/.keys/a"})
    CHECK_MESSAGE(has_hidden_name(path), path);
  for (const char* path : {"", ".", "./", "a", "./a", "a.b", "a/b.c", "a/./b", "./**", "a..b", "/srv/a", "~/a"})
    CHECK_MESSAGE(!has_hidden_name(path), path);
}

TEST_CASE("paths of the machine, paths of a home, the workspace itself and hidden paths are closed") {
  for (const char* path : {"/etc/passwd", "/", "~", "~/.ssh/id", "~ann/x", ".env", "./.env", "a/.b", "../a", ".", "./"})
    CHECK_MESSAGE(is_closed_path(path), path);
  for (const char* path : {"", "a", "./a", "a/b.txt", "a~", "./~a", "a/./b"})
    CHECK_MESSAGE(!is_closed_path(path), path);
}
