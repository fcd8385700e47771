#include "client/shell/find_actions.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace band::client {
namespace {

// The options and tests of find(1), findutils 4.9.
constexpr std::string_view kAlone[] = {"(",           ")",
                                       "!",           ",",
                                       "-a",          "-and",
                                       "-o",          "-or",
                                       "-not",        "-daystart",
                                       "-delete",     "-depth",
                                       "-d",          "-empty",
                                       "-executable", "-false",
                                       "-follow",     "-ignore_readdir_race",
                                       "-ls",         "-mount",
                                       "-nogroup",    "-noignore_readdir_race",
                                       "-noleaf",     "-nouser",
                                       "-nowarn",     "-print",
                                       "-print0",     "-prune",
                                       "-quit",       "-readable",
                                       "-true",       "-warn",
                                       "-writable",   "-xdev"};
constexpr std::string_view kWithValue[] = {
    "-amin",   "-anewer",     "-atime",  "-cmin",      "-cnewer",   "-context",   "-ctime",    "-files0-from", "-fls",
    "-fprint", "-fprint0",    "-fstype", "-gid",       "-group",    "-ilname",    "-iname",    "-inum",        "-ipath",
    "-iregex", "-iwholename", "-links",  "-lname",     "-maxdepth", "-mindepth",  "-mmin",     "-mtime",       "-name",
    "-newer",  "-path",       "-perm",   "-printf",    "-regex",    "-regextype", "-samefile", "-size",        "-type",
    "-uid",    "-used",       "-user",   "-wholename", "-xtype"};

template <class List>
bool has(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// -newerXY
bool compares_times(const std::string& word) { return word.starts_with("-newer") && word.size() == 8; }

bool begins_expression(const std::string& word) {
  return (word.size() > 1 && word.front() == '-') || word == "(" || word == "!" || word == "," || word == ")";
}

// Returns the index after the options and starting points.
std::size_t expression_of(std::span<const ShellWord> words) {
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at].text;
    if (word == "-D")
      ++at;
    else if (word != "-H" && word != "-L" && word != "-P" && word != "--" && !word.starts_with("-O"))
      break;
  }
  while (at < words.size() && !begins_expression(words[at].text)) ++at;
  return at;
}

// Returns the index of the `;` or `+`. `-ok` does not accept `+`.
std::size_t end_of_command(std::span<const ShellWord> words, std::size_t begin, bool plus) {
  std::size_t end = begin;
  while (end < words.size() && words[end].text != ";" &&
         !(plus && words[end].text == "+" && end > begin && words[end - 1].text == "{}"))
    ++end;
  return end;
}

}  // namespace

FindActions find_actions(std::span<const ShellWord> words) {
  FindActions found;
  for (std::size_t at = expression_of(words); at < words.size(); ++at) {
    const std::string& word = words[at].text;
    if (word == "-exec" || word == "-execdir" || word == "-ok" || word == "-okdir") {
      const std::size_t end = end_of_command(words, at + 1, word.starts_with("-exec"));
      if (end > at + 1) found.commands.push_back(words.subspan(at + 1, end - at - 1));
      at = end;
    } else if (has(kWithValue, word) || compares_times(word)) {
      ++at;
    } else if (word == "-fprintf") {
      at += 2;
    } else if (word == "-help" || word == "--help" || word == "-version" || word == "--version") {
      break;  // find exits here before it starts anything
    } else if (!has(kAlone, word)) {
      found.unread = word;
      break;
    }
  }
  return found;
}

}  // namespace band::client
