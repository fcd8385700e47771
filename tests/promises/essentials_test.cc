// Every program of the floor works: a line of the table uses its main function, including the data that this needs
// (time zones, modules, other programs).
#include <doctest/doctest.h>

#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

struct Function {
  const char* program;
  const char* script;
  const char* prints;
};

// bash's own echo, test and so on are switched off before each line, so that the name starts the program.
const std::vector<Function> kFunctions = {
    {"[", "[ 2 -gt 1 ] && [ -d /tmp ] && echo yes", "yes"},
    {"arch", "test \"$(arch)\" = \"$(uname -m)\" && echo same", "same"},
    {"awk", R"(printf '3\n1\n' | awk '{ print $1 * 2 | "sort" } END { close("sort"); "echo x" | getline a; print a }')",
     "2\n6\nx"},
    {"awk", R"(TZ=Europe/Berlin awk 'BEGIN { print strftime("%F %T %Z", 1700000000) }')", "2023-11-14 23:13:20 CET"},
    {"b2sum", "printf abc >f; b2sum -l 64 f | tee sums; b2sum -c sums", "d8bb14d833d59559  f\nf: OK"},
    {"base32", "printf foobar | base32; echo MZXW6YTBOI====== | base32 -d", "MZXW6YTBOI======\nfoobar"},
    {"base64", "printf foobar | base64; echo Zm9vYmFy | base64 -d", "Zm9vYmFy\nfoobar"},
    {"basename", "basename /a/b.txt .txt", "b"},
    {"basenc", "printf foobar | basenc --base16", "666F6F626172"},
    {"bash", R"(bash -c 'read -r a < <(echo in); printf "%s %(%F %H %Z)T\n" "$a" 1700000000')", "in 2023-11-14 22 UTC"},
    {"bash", R"(TZ=America/New_York bash -c 'printf "%(%H %Z)T\n" 1700000000')", "17 EST"},
    {"bash", R"(bash -c 'coproc cat; echo é >&"${COPROC[1]}"; read -r a <&"${COPROC[0]}"; echo ${#a}')", "1"},
    {"cat", R"(printf 'a\n\n\nb\n' | cat -s -n)", "     1\ta\n     2\t\n     3\tb"},
    {"chgrp", "touch f; chgrp -v band-runner f", "group of 'f' retained as band-runner"},
    {"chmod", "touch f; chmod u=rw,go= f; stat -c %a f", "600"},
    {"chown", "touch f; chown -v band-runner: f", "ownership of 'f' retained as band-runner:band-runner"},
    {"cksum", "printf abc | cksum; printf abc | cksum -a sm3 --untagged | cut -c-8", "1219131554 3\n66c7f0f4"},
    {"cmp", "echo a >a; echo b >b; cmp a b", "a b differ: byte 1, line 1"},
    {"comm", R"(printf 'a\nb\n' >x; printf 'b\nc\n' | comm -12 x -)", "b"},
    {"cp", "mkdir a; echo x >a/f; ln -s f a/l; chmod 700 a/f; cp -a a /tmp/b; cat /tmp/b/l; stat -c %a /tmp/b/f",
     "x\n700"},
    {"csplit", "seq 6 | csplit -s - 3 5; cat xx01", "3\n4"},
    {"cut", "echo a:b:c | cut -d: -f2-", "b:c"},
    {"date", "TZ=Europe/Berlin date -d @1700000000 '+%F %T %Z'", "2023-11-14 23:13:20 CET"},
    {"date", R"(date -u -d 'TZ="America/New_York" 2024-07-04 12:00' '+%F %H:%M %Z'; date +%Z)",
     "2024-07-04 16:00 UTC\nUTC"},
    {"dd", "printf abcdef | dd bs=1 skip=2 count=3 conv=ucase status=none", "CDE"},
    {"df", "df --output=target /work /tmp", "Mounted on\n/work\n/tmp"},
    {"diff", "seq 3 >a; seq 2 >b; diff -u --label a --label b a b", "--- a\n+++ b\n@@ -1,3 +1,2 @@\n 1\n 2\n-3"},
    {"diff", "mkdir a b; echo 1 >a/f; TZ=Asia/Tokyo diff -r -l a b | grep -o Only; :", "Only"},
    {"diff3", R"(printf '1\n2\n' >o; printf '1\nx\n' >m; printf '0\n2\n' >y; diff3 m o y)",
     "====\n1:1,2c\n  1\n  x\n2:1,2c\n  1\n  2\n3:1,2c\n  0\n  2"},
    {"dir", "touch a b; dir", "a  b"},
    {"dircolors", "TERM=xterm dircolors -b | cut -c-13 | head -n 1", "LS_COLORS='rs"},
    {"dirname", "dirname /a/b/c", "/a/b"},
    {"du", "head -c 5000 /dev/zero >f; touch -d @1700000000 f; TZ=Asia/Tokyo du -b --time f",
     "5000\t2023-11-15 07:13\tf"},
    {"echo", R"(echo -e 'a\tb')", "a\tb"},
    {"egrep", R"(printf 'ab\nc\n' | egrep 'a(b|c)+')", "ab"},
    {"env", R"(env -i A=1 env; env -C /tmp -S 'A="2 3" printenv A')", "A=1\n2 3"},
    {"expand", R"(printf 'a\tb\n' | expand -t 4)", "a   b"},
    {"expr", "expr 340282366920938463463374607431768211456 + 1; expr abc : 'a\\(.\\)'",
     "340282366920938463463374607431768211457\nb"},
    {"factor", "factor 60 18446744073709551617", "60: 2 2 3 5\n18446744073709551617: 274177 67280421310721"},
    {"false", "false || echo no", "no"},
    {"fgrep", R"(printf 'a.b\naxb\n' | fgrep a.b)", "a.b"},
    {"find", "mkdir d; touch d/a d/b; find d -type f -printf '%u %p\\n' | sort; find d -name b -delete; ls d",
     "band-runner d/a\nband-runner d/b\na"},
    {"find", "touch -d @1700000000 f; TZ=Europe/Berlin find f ! -newermt '2023-11-14 23:14' -printf '%TH:%TM\\n'",
     "23:13"},
    {"find", "touch a b; find . -type f -exec basename -a {} + | sort; find . -fstype tmpfs -name a", "a\nb\n./a"},
    {"fmt", "echo a b c d | fmt -w 4", "a b\nc d"},
    {"fold", "echo abcdef | fold -w 4", "abcd\nef"},
    {"getopt", "getopt -o a:b -l long: -- -b -a 'x y' --long=1 rest", " -b -a 'x y' --long '1' -- 'rest'"},
    {"grep", R"(printf 'é12x\né3y\n' | grep -P -o '\pL\d+(?=x)'; printf 'É\n' | grep -i é)", "é12\nÉ"},
    {"grep", "mkdir -p d/e; echo word >d/e/f; grep -rn word d", "d/e/f:1:word"},
    {"groups", "groups", "band-runner"},
    {"gunzip", "echo x >f; gzip f; gunzip f.gz; cat f", "x"},
    {"gzip", "seq 1000 >f; gzip -9 f; gzip -t f.gz; gzip -dc f.gz | wc -l; test -e f || echo gone", "1000\ngone"},
    {"head", "seq 9 | head -n 2; printf abc | head -c 2", "1\n2\nab"},
    {"id", "id -un; id -Gn; test \"$(id -u)\" -gt 0 && echo not root", "band-runner\nband-runner\nnot root"},
    {"install", "echo x >a; install -D -m 751 a d/b; stat -c %a d/b; install -d e/f; ls e", "751\nf"},
    {"join", R"(printf '1 a\n2 b\n' >x; echo 2 c | join x -)", "2 b c"},
    {"jq", R"(echo '{"a":[1,2]}' | jq -c '.a | map(. * 2), ("aé" | test("^\\p{L}+$"))')", "[2,4]\ntrue"},
    {"jq", R"(TZ=Europe/Berlin jq -n -r '1700000000 | strflocaltime("%F %H:%M %Z"), todate')",
     "2023-11-14 23:13 CET\n2023-11-14T22:13:20Z"},
    {"link", "touch a; link a b; stat -c %h a", "2"},
    {"ln", "touch a; ln -s a b; ln a c; readlink b; stat -c %h a", "a\n2"},
    {"ls", "echo x >f; chmod 640 f; touch -d @1700000000 f; TZ=Asia/Tokyo ls -l --time-style='+%F %H:%M' f",
     "-rw-r----- 1 band-runner band-runner 2 2023-11-15 07:13 f"},
    {"ls", "mkdir d; touch é; TERM=xterm ls --color=always; ls -ld / | cut -d' ' -f3",
     "\x1b[0m\x1b[01;34md\x1b[0m\n\xc3\xa9\nroot"},
    {"md5sum", "printf abc >f; md5sum f | tee sums; md5sum -c sums", "900150983cd24fb0d6963f7d28e17f72  f\nf: OK"},
    {"mkdir", "mkdir -p -m 750 a/b; stat -c %a a/b", "750"},
    {"mkfifo", "mkfifo p; echo through >p & cat p", "through"},
    {"mktemp", "f=$(mktemp -p /work x.XXXX); echo y >$f; cat x.*; stat -c %a $f; dirname $(mktemp -d)", "y\n600\n/tmp"},
    {"mv", "echo x >a; mv a /tmp/b; cat /tmp/b; mv /tmp/b c; ls", "x\nc"},
    {"nice", "nice -n 5 cut -d ' ' -f 19 /proc/self/stat", "5"},
    {"nl", R"(printf 'a\nb\n' | nl -w 1 -s ' ')", "1 a\n2 b"},
    {"nohup", "nohup echo x 2>/dev/null", "x"},
    {"nproc", "test $(nproc) -gt 0 && nproc --ignore=100000", "1"},
    {"numfmt", "numfmt --to=iec 1048576; numfmt --from=si 2K", "1.0M\n2000"},
    {"od", "printf AB | od -An -tx1z", " 41 42                                            >AB<"},
    {"paste", R"(printf 'a\nb\n' >x; seq 2 | paste -d, - x)", "1,a\n2,b"},
    {"pathchk", "pathchk -p 'a:b' 2>/dev/null || echo no; pathchk a/b && echo fine", "no\nfine"},
    {"pr",
     "touch -d @1700000000 f; echo x >>f; touch -d @1700000000 f; TZ=Asia/Tokyo pr -D '%F %H' f | grep -c '^2023-11-15 "
     "07 *f'; seq 4 | pr -2 -t -l 2 -w 8",
     "1\n1   3\n2   4"},
    {"printenv", "A=1 printenv A", "1"},
    {"printf", R"(printf '%05.1f %q \u00e9\n' 3.14159 'a b')", "003.1 'a b' é"},
    {"ptx", R"(echo one two | ptx -O)", ".xx \"\" \"\" \"one two\" \"\"\n.xx \"\" \"one\" \"two\" \"\""},
    {"pwd", "cd /tmp; pwd", "/tmp"},
    {"readlink", "ln -s /tmp/../work l; readlink l; readlink -f l", "/tmp/../work\n/work"},
    {"realpath", "mkdir a; realpath --relative-to=/work/a /work/b", "../b"},
    {"rm", "mkdir -p a/b; touch a/b/c; rm -rf a; ls", ""},
    {"rmdir", "mkdir -p a/b; rmdir -p a/b; ls", ""},
    {"sdiff", R"(printf '1\n2\n' >a; printf '1\n3\n' >b; sdiff -s -w 9 a b | tr -d ' \t')", "2|3"},
    {"sed", R"(printf 'aé1\n' >f; sed -E -i 's/([[:alpha:]]+)([0-9])/\2\U\1/' f; cat f; echo x | sed 's/x/echo run/e')",
     "1AÉ\nrun"},
    {"seq", "seq -w 8 2 12 | paste -sd,", "08,10,12"},
    {"sh", R"(sh -c 'a=$(echo one two); set -- $a; echo $#; trap "echo end" EXIT')", "2\nend"},
    {"sha1sum", "printf abc | sha1sum | cut -c-16", "a9993e364706816a"},
    {"sha224sum", "printf abc | sha224sum | cut -c-16", "23097d223405d822"},
    {"sha256sum", "printf abc | sha256sum | cut -c-16", "ba7816bf8f01cfea"},
    {"sha384sum", "printf abc | sha384sum | cut -c-16", "cb00753f45a35e8b"},
    {"sha512sum", "printf abc >f; sha512sum f >s; cut -c-16 s; sha512sum -c s", "ddaf35a193617aba\nf: OK"},
    {"shred", "echo secret >f; shred -n 1 f; grep -c secret f; shred -u f; ls", "0"},
    {"shuf", "shuf -i 1-5 | sort | paste -sd,; shuf -n 1 -e a a", "1,2,3,4,5\na"},
    {"sleep", "sleep 0.01 && echo awake", "awake"},
    {"sort", R"(printf '10\n9\n' | sort -n; printf 'v1.10\nv1.9\n' | sort -V | head -n 1; printf 'é\nz\n' | sort)",
     "9\n10\nv1.9\nz\né"},
    {"sort", "seq 200000 | sort -n -S 100K --parallel=2 --compress-program=gzip | tail -n 1", "200000"},
    {"split", "seq 4 | split -l 2 --filter='gzip >$FILE.gz'; zcat xab.gz; seq 4 | split -n r/2 - y; cat yaa",
     "3\n4\n1\n3"},
    {"stat", "echo x >f; touch -d @1700000000 f; TZ=Europe/Berlin stat -c '%U %s %y' f; stat -f -c %T f",
     "band-runner 2 2023-11-14 23:13:20.000000000 +0100\ntmpfs"},
    // By default a program buffers its output to a pipe.
    {"stdbuf",
     "ask() { coproc \"$@\"; echo a >&${COPROC[1]}; read -t $wait -r a <&${COPROC[0]} || echo kept; echo $a; }\n"
     "wait=0.5 ask tr a b; wait=20 ask stdbuf -oL tr a b",
     "kept\n\nb"},
    {"sum", "printf abc | sum; printf abc | sum -s", "16556     1\n294 1"},
    {"sync", "echo x >f; sync f && echo fine", "fine"},
    {"tac", "seq 3 | tac", "3\n2\n1"},
    {"tail",
     "seq 9 | tail -n 2; touch f; (until [ -e seen ]; do echo more >>f; sleep 0.05; done) & "
     "timeout 20 tail -n 0 -F f | head -n 1; touch seen",
     "8\n9\nmore"},
    {"tar", "mkdir d; echo x >d/f; tar -czf a.tgz d; rm -r d; tar -xzf a.tgz; cat d/f; gzip -t a.tgz && echo gzip",
     "x\ngzip"},
    {"tar",
     "echo x >f; touch -d @1700000000 f; tar -cf a f; TZ=Asia/Tokyo tar -tvf a | tr -s ' ' | cut -d' ' -f2,4-; "
     "tar -xf a --to-command='cat -'",
     "band-runner/band-runner 2023-11-15 07:13 f\nx"},
    {"tee", "echo x | tee a b; cat a b", "x\nx\nx"},
    {"test", "test a != b -a -n x && echo yes", "yes"},
    {"timeout", "timeout 0.1 sleep 60; echo $?; timeout -s KILL 0.1 sleep 60; echo $?", "124\n137"},
    {"touch", "TZ=Asia/Tokyo touch -d '2024-01-01 09:00' f; date -u -r f '+%F %H'", "2024-01-01 00"},
    {"tr", "echo abc | tr a-c A-C", "ABC"},
    {"true", "true && echo yes", "yes"},
    {"truncate", "truncate -s 10K f; stat -c %s f", "10240"},
    {"tsort", "echo a b b c | tsort", "a\nb\nc"},
    {"tty", "tty", "not a tty"},
    {"uname", "uname -sn", "Linux band"},
    {"unexpand", "printf 'a   b\\n' | unexpand -t 4 -a", "a\tb"},
    {"uniq", R"(printf 'a\na\nb\n' | uniq -c)", "      2 a\n      1 b"},
    {"unlink", "touch f; unlink f; ls", ""},
    {"vdir", "touch -d @1700000000 f; TZ=Asia/Tokyo vdir --time-style=long-iso f | cut -d' ' -f3-",
     "band-runner band-runner 0 2023-11-15 07:13 f"},
    {"wc", R"(printf 'é a\n' | wc -lwmc | tr -s ' ')", " 1 2 4 5"},
    {"whoami", "whoami", "band-runner"},
    {"xargs", "seq 4 | xargs -P 2 -n 1 echo | sort; printf 'a b\\0c' | xargs -0 -I{} echo '<{}>'",
     "1\n2\n3\n4\n<a b>\n<c>"},
    {"yes", "yes x | head -n 2", "x\nx"},
    {"zcat", "seq 3 | gzip >f.gz; zcat f.gz | tail -n 1", "3"},
};

// Acts that are impossible in a sandbox, although the program exists there.
struct Refused {
  const char* program;
  const char* script;
  const char* says;     // the message, without the program's name
  const char* control;  // the same act outside, which succeeds
};
const Refused kRefused[] = {
    // A sandbox has no login session.
    {"logname", "logname", "no login name", "bash -c 'echo 0 >/proc/self/loginuid; logname'"},
    // A sandbox has no terminal.
    {"stty", "stty -a", "Inappropriate ioctl for device", "script -qec 'stty -a' /dev/null"},
    // The slot owns the files of a script.
    {"chown", "touch /tmp/f; chown root /tmp/f", "Operation not permitted", "chown root ."},
    {"chgrp", "touch /tmp/f; chgrp root /tmp/f", "Operation not permitted", "chgrp root ."},
    // The only compressor of a floor is gzip, and it has no binutils.
    {"install", "install -s /usr/bin/env /tmp/env", "No such file or directory", "strip --version"},
};

// Programs of the essentials' packages that the floor does not have.
const char* const kAbsent[] = {
    "chcon",  "runcon",         // label files and processes for SELinux, which does not know slots
    "chroot", "mknod",          // need capabilities
    "hostid",                   // names the machine
    "pinky",  "users",  "who",  // list the machine's sessions
};

std::set<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

const std::string kPrograms = "enable -n [ echo false kill printf pwd test true 2>/dev/null\n";

}  // namespace

TEST_CASE("every program of the floor works") {
  for (const Function& function : kFunctions) {
    CAPTURE(std::string(function.script));
    CHECK(inside(kPrograms + function.script + "\n:") == std::string(function.prints));
  }
}

TEST_CASE("every program of the floor has a test in this file") {
  std::set<std::string> floor = words_of(inside("ls /usr/bin")), shown;
  CHECK(floor.erase("band-probe") == 1);  // added by the tests
  for (const Function& function : kFunctions) {
    CHECK_MESSAGE(std::string(function.script).find(function.program) != std::string::npos, function.program);
    shown.insert(function.program);
  }
  for (const Refused& refused : kRefused) shown.insert(refused.program);
  CHECK(floor.size() > 100);
  CHECK(floor == shown);
}

TEST_CASE("actions that a sandbox must prevent are refused in a sandbox and succeed outside of it") {
  for (const Refused& refused : kRefused) {
    CAPTURE(std::string(refused.script));
    const std::string out = outside(std::string("cd ") + scratch() + "; try " + refused.control);
    CHECK(out == "did");
    const std::string in = inside(std::string(refused.script) + " 2>&1; :");
    CHECK(in.find(refused.says) != std::string::npos);
  }
}

TEST_CASE("the floor does not have programs that need rights which a sandbox does not have") {
  for (const char* program : kAbsent) {
    CAPTURE(std::string(program));
    CHECK(outside(std::string("try command -v ") + program) == "did");
    CHECK(inside(std::string("try ") + program).find("refused: command not found") == 0);
  }
}

TEST_CASE("an essential that a rule names, and that is therefore started by the broker, works") {
  // A rule cannot name bash and sh; a command has its own environment and TMPDIR.
  const std::set<std::string> others = {"bash", "sh", "env", "printenv", "mktemp"};
  for (const Function& function : kFunctions) {
    if (others.count(function.program) != 0) continue;
    CAPTURE(std::string(function.script));
    With with;
    with.cli = {"'" + std::string(function.program) + "' **"};  // `[` is one
    CHECK(inside(kPrograms + function.script + "\n:", with) == std::string(function.prints));
  }
}
