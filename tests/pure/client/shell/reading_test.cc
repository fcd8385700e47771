// The results of read_shell() for texts of scripts.
#include "client/shell/reading.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace band::client;

namespace {

std::string join(const std::vector<std::string>& parts, const char* between = " | ") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// `echo a [$HOME]`: words that are not literal are in brackets.
std::string commands(std::string_view text) {
  std::vector<std::string> lines;
  for (const ShellCommand& command : read_shell(text).commands) {
    std::vector<std::string> words;
    for (const ShellWord& word : command.words) words.push_back(word.literal ? word.text : "[" + word.text + "]");
    lines.push_back(join(words, " "));
  }
  return join(lines);
}

std::string redirections(std::string_view text) {
  std::vector<std::string> found;
  for (const ShellRedirection& r : read_shell(text).redirections)
    found.push_back(r.operation + (r.target.literal ? r.target.text : "[" + r.target.text + "]"));
  return join(found);
}

std::string uses(std::string_view text) {
  std::vector<std::string> found;
  for (const ShellVariable& use : read_shell(text).uses) found.push_back(use.name + (use.has_default ? "?" : ""));
  return join(found, " ");
}

std::string assigned(std::string_view text) {
  const ShellReading reading = read_shell(text);
  return join({reading.assigned.begin(), reading.assigned.end()}, " ");
}

struct Row {
  std::string_view text;
  std::string expected;
};

}  // namespace

TEST_CASE("commands are found with their words, split and unquoted as by the shell") {
  for (const Row& row : {
           Row{"echo hi", "echo hi"},
           Row{"echo 'a b' \"c d\" e\\ f 'g'\"h\"i", "echo a b c d e f ghi"},
           Row{"echo $'a\\tb' $\"c\"", "echo a\tb c"},
           Row{"echo \"\\$x \\\"y\\\" \\n\"", "echo $x \"y\" \\n"},
           Row{"echo one \\\n  two", "echo one two"},
           Row{"echo # no comment's end ' \" $(\nls", "echo | ls"},
           Row{"echo a#b", "echo a#b"},
           Row{"a; b && c || d | e |& f & g", "a | b | c | d | e | f | g"},
           Row{"! a; { b; }; (c; d)", "a | b | c | d"},
           Row{"time -p make all", "make all"},
           Row{"echo $x \"$y z\" *.md [ab] ~/x {a,b} {} a=b", "echo [$x] [$y z] [*.md] [[ab]] [~/x] [{a,b}] {} a=b"},
           Row{"[ -f x ] && test -d y", "[ -f x ] | test -d y"},
           Row{"A=1 B=\"2 3\" gh pr list", "gh pr list"},
           Row{"A=1", ""},
           Row{"echo if then done }", "echo if then done }"},
           Row{"if a; then b; elif c; then d; else e; fi", "a | b | c | d | e"},
           Row{"while read -r x; do echo; done < f", "read -r x | echo"},
           Row{"for x in a b; do c; done; for ((i = 0; i < 3; i++)); do d; done", "c | d"},
           Row{"for x\ndo c; done", "c"},
           Row{"select x in a b; do c; done; until d; do e; done", "c | d | e"},
           Row{"case $x in a) b ;; (c|'d e') f ;& *) g ;;& h) i; esac; j", "b | f | g | i | j"},
           Row{"case x in\n  # a comment)\n  esac) ;;\nesac\nb", "b"},
           Row{"case a in b) case c in d) e;; esac;; esac; f", "e | f"},
           Row{"f() { a; }; function g { b; }; function h() { c; }; f", "a | b | c | f"},
           Row{"f ()\n{\n  a\n}", "a"},
           Row{"[[ $x == a && ! ( -f b || c =~ ^(d|e)$ ) ]] && f", "f"},
           Row{"[[ a < b ]]; [[ $x =~ ^[^]]+$ ]] || g", "g"},
           Row{"((x > 3 && y < 2)) && a; ((b)); $((c))", "a | [$((c))]"},
           Row{"((a); b)", "a | b"},
           Row{"echo $((1 + 2)) $( (a) ) $((b) | c)", "echo [$((1 + 2))] [$( (a) )] [$((b) | c)] | a | b | c"},
           Row{"echo $(a $(b \"$(c)\") ) `d e`",
               "echo [$(a $(b \"$(c)\") )] [`d e`] | a [$(b \"$(c)\")] | b [$(c)] | c | d e"},
           Row{"echo \"$(a \"b c\")\" ${x:-$(d)}", "echo [$(a \"b c\")] [${x:-$(d)}] | a b c | d"},
           Row{"echo `a` b; c", "echo [`a`] b | a | c"},
           Row{"diff <(a x) >(b)", "diff [<(a x)] [>(b)] | a x | b"},
           Row{"a=(b 'c d' $(e) [7]=f)\ng", "e | g"},
           Row{"local -a x=(a b); c", "local -a [x=(a b)] | c"},
           Row{"a[1]=b a[$i + 1]=c d", "d"},
           Row{"x=${y//\\}/z}; a \"${x%'}'}\" \"${x:-it's}\" b", "a [${x%'}'}] [${x:-it's}] b"},
           Row{"echo ${#x} ${!x} ${x[@]} ${x:1:2}", "echo [${#x}] [${!x}] [${x[@]}] [${x:1:2}]"},
           Row{"ls !(a|b) @(c) d", "ls [!(a|b)] [@(c)] d"},
           Row{"cat <<< 'x' | b", "cat | b"},
           Row{"a 2>&1 >/dev/null x", "a x"},
           Row{"exec {fd}> f; b", "exec | b"},
           Row{"$CMD x; \"$y\"/z", "[$CMD] x | [$y/z]"},
           Row{"echo $ a$ 5$", "echo $ a$ 5$"},
           Row{"coproc a; b", "a | b"},
           Row{"", ""},
       }) {
    CAPTURE(row.text);
    CHECK(commands(row.text) == row.expected);
  }
}

TEST_CASE("here-documents are text: only their expansions are parsed") {
  CHECK(commands("cat <<END\nrm -rf x\n$(a b)\nEND\nc") == "cat | a b | c");
  CHECK(commands("cat <<'END'\n$(a b) `c`\nEND\nd") == "cat | d");
  CHECK(commands("cat <<-END\n\tx\n\tEND\nd") == "cat | d");
  CHECK(commands("cat <<A <<\"B\"; x\n$(a)\nA\n$(b)\nB\ny") == "cat | x | a | y");
  CHECK(commands("x=$(cat <<END\nit's ) \"\nEND\n)\ny") == "cat | y");
  CHECK(commands("cat <<END\nno end $(a)") == "cat | a");
  CHECK(uses("cat <<END\n$a \\$b ${c:-}\nEND\necho $d") == "a c? d");
  CHECK(uses("cat <<\\END\n$a\nEND\necho $d") == "d");
  CHECK(commands("cat <<END > $(a)\n$(b)\nEND\n") == "cat | a | b");
}

TEST_CASE("redirections have their target, and descriptors are excluded") {
  for (const Row& row : {
           Row{"a < in > out", "<in | >out"},
           Row{"a 2>> 'the log' >| x <> y", ">>the log | >|x | <>y"},
           Row{"a &> x; b &>> y; c >& z", "&>x | &>>y | &>z"},
           Row{"a 2>&1 <&3 >&- 3<&-", ""},
           Row{"a > \"$OUTPUT_PATH\" {log}>> l", ">[$OUTPUT_PATH] | >>l"},
           Row{"done < <(a) > x", "<[<(a)] | >x"},
           Row{"{ a; } > x; (b) < y; [[ a > b ]]; ((a > b))", ">x | <y"},
           Row{"> x", ">x"},
           Row{"a 7>x 8 > y", ">x | >y"},
           Row{"cat << A <<< b\nA\n", ""},
       }) {
    CAPTURE(row.text);
    CHECK(redirections(row.text) == row.expected);
  }
  CHECK(commands("a 7>x 8 > y") == "a 8");
}

TEST_CASE("variables that are used are found, also in quotes, arithmetic and here-documents") {
  for (const Row& row : {
           Row{"echo $a \"$b\" '$c' \\$d ${e} ${f[1]} ${#g} ${!h} $1 $@ $? ${10} ${#} ${#@}", "a b e f g h"},
           Row{"echo ${a:-x} ${b-x} ${c:=x} ${d=x} ${e:+x} ${f+x} ${g:?x} ${h?x}", "a? b? c? d? e? f? g h"},
           Row{"echo ${a:-$b} ${c/$d/$e} ${f#\"$g\"} ${h[$i]} ${j:$k:2}", "a? b c d e f g h i j k"},
           Row{"echo $((a + 0x1f + 16#ff + $b + ${c:-1} + d[e]))", "a b c? d"},
           Row{"((a++)); for ((i = n; i; )); do :; done", "a i n i"},
           Row{"[[ $a == $b && -v c ]]; [ -v d ]; test -n \"$e\"", "a b c? d? e"},
           Row{"echo ${!pre*} ${!list[@]} ${!arr@}", "list"},
           Row{"x=$a; y=(\"$b\" ${c[@]}); z[$d]=e", "a b c d"},
           Row{"$a $(b $c `d $e`)", "a c e"},
           Row{"case $a in $b) echo $c;; esac; for x in $d; do :; done", "a b c d"},
           Row{"echo ${a@Q} ${a^^} ${a,,} ${a: -1}", "a a a a"},
           Row{"echo \"${a:-\"$b\"}\" \"${c:-'$d'}\" ${e:-'$f'}", "a? b c? d e?"},
           Row{"echo $a_b-$c.d", "a_b c"},
       }) {
    CAPTURE(row.text);
    CHECK(uses(row.text) == row.expected);
  }
}

TEST_CASE("assigned names are found in every form of assignment") {
  for (const Row& row : {
           Row{"a=1 b+=2 c[1]=3 d=(4)", "a b c d"},
           Row{"e=1 cmd f=2", "e"},
           Row{"for a in b; do :; done; select c in d; do :; done", "a c"},
           Row{"read -r a b; IFS= read -rp 'text x' c; read -ra d; read -u 3 e; read", "IFS REPLY a b c d e"},
           Row{"while IFS=, read -r a || [ -n \"$a\" ]; do :; done", "IFS a"},
           Row{"mapfile -t a; readarray -d '' b < x; mapfile", "MAPFILE a b"},
           Row{"printf -v a '%s' b; printf 'x' -v; printf -- -v", "a"},
           Row{"getopts ab: c", "c"},
           Row{"declare -A a; local b c=1; typeset d; export e=1 f; readonly g=2 h; declare -r i=(1 2)",
               "a b c d e g i"},
           Row{"let a=1 'b = 2' c++", "a b c"},
           Row{"((a = 1, b += 2, c == 3, d++, ++e, f[1] = 2, g <= 1, h <<= 2, i != 3))", "a b d e f h"},
           Row{"echo $((a = 1)) ${b:=2} ${c=3} ${d:-4}", "a b c"},
           Row{"command read a; builtin printf -v b x; exec {c}> d", "a b c"},
           Row{"coproc a; wait -n -p b", "COPROC b"},
           Row{"echo a=1; 'b'=2; c\\=3", ""},
       }) {
    CAPTURE(row.text);
    CHECK(assigned(row.text) == row.expected);
  }
}

TEST_CASE("words of conditions are found, and are not commands") {
  std::string words;
  for (const ShellWord& word : read_shell("[[ -f ./a && $b == \"c d\" ]] && e").conditions)
    words += (words.empty() ? "" : " | ") + word.text;
  CHECK(words == "-f | ./a | $b | == | c d");
}

TEST_CASE("functions are found, and open-ended scripts are detected") {
  const ShellReading reading =
      read_shell("f() { :; }\nfunction my-g { :; }\nfunction h() { :; }\ni ( ) { :; }\necho j k");
  CHECK(join({reading.functions.begin(), reading.functions.end()}, " ") == "f h i my-g");
  CHECK_FALSE(reading.is_open_ended);
  for (const std::string_view text : {"eval x", ". ./a", "source a", "if :; then command eval x; fi", "$(eval x)"})
    CHECK(read_shell(text).is_open_ended);
  for (const std::string_view text : {"echo eval", "# eval", "cat <<E\neval\nE", "command -v eval"})
    CHECK_FALSE(read_shell(text).is_open_ended);
}

TEST_CASE("lines and columns are those of the text, in bytes and from 1") {
  const ShellReading reading = read_shell("#!/bin/bash\n  echo \"$a\" > x\nf \\\n  b \"two\nlines\" $(c\n d)\n");
  REQUIRE(reading.commands.size() == 4);
  CHECK(reading.commands[0].words[0].line == 2);
  CHECK(reading.commands[0].words[0].column == 3);
  CHECK(reading.commands[0].words[1].column == 8);
  CHECK(reading.redirections[0].target.column == 15);
  CHECK(reading.uses[0].line == 2);
  CHECK(reading.uses[0].column == 9);
  CHECK(reading.commands[1].words[1].line == 4);
  CHECK(reading.commands[1].words[1].column == 3);
  CHECK(reading.commands[3].words[0].text == "d");
  CHECK(reading.commands[3].words[0].line == 6);
  CHECK(reading.commands[3].words[0].column == 2);
}

TEST_CASE("assignments before a command are stored with it") {
  const ShellReading reading = read_shell("TITLE=x LEVEL=\"$y\" python3 -c z");
  REQUIRE(reading.commands.size() == 1);
  REQUIRE(reading.commands[0].assignments.size() == 2);
  CHECK(reading.commands[0].assignments[0].text == "TITLE=x");
  CHECK(reading.commands[0].assignments[0].literal);
  CHECK(reading.commands[0].assignments[1].text == "LEVEL=$y");
  CHECK_FALSE(reading.commands[0].assignments[1].literal);
}

TEST_CASE("text that bash could not parse is read as far as possible, and the nesting depth is limited") {
  for (const std::string_view text :
       {"'",        "\"",        "`",   "$(", "${", "$((",  "((",    "[[",    "case", "case x in", "for",
        "function", "a=(",       "<",   ">",  "<<", "<<E",  "<<E\n", "${x",   "${x[", "${x:-",     "$'",
        "\\",       ";;",        ")",   "}",  "]]", "esac", "`$(`",  "\"`\"", "a[",   "@(",        "$(case x in",
        "((a[",     "[[ a =~ (", "{fd", "2",  "&>", "a=`",  "<<`a",  "x()",   "x("})
    read_shell(text);
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "$(";
  read_shell(deep);
  for (const std::string_view part :
       {"${x:-", "\"$(", "((", "`", "a=(", "@(", "<<A\n$(", "case x in a) ", "${x[", "$(("}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += part;
    read_shell(text);
  }
  CHECK(commands("a; $($($($(b))))") == "a | [$($($($(b))))] | [$($($(b)))] | [$($(b))] | [$(b)] | b");
}

TEST_CASE("the words of a loop are found, including globs") {
  const ShellReading reading =
      read_shell("for f in data/*.csv 'a b' $x; do :; done\nfor ((i = 0; i < 3; ++i)); do :; done\n");
  REQUIRE(reading.loop_words.size() == 3);
  CHECK(reading.loop_words[0].text == "data/*.csv");
  CHECK(!reading.loop_words[0].literal);
  CHECK(reading.loop_words[1].text == "a b");
  CHECK(reading.loop_words[1].literal);
  CHECK(reading.loop_words[2].text == "$x");
}
