// Callers of a server (server_fixture.h): the real `band` with a separate home.
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

namespace band::test {

namespace fs = std::filesystem;

Caller::Caller() {
  for (const char* name : {"home", "work", "skills"}) fs::create_directories(directory.path + "/" + name);
  env = {{"PATH", "/usr/bin:/bin"},
         {"LANG", "C.UTF-8"},
         {"HOME", directory.path + "/home"},
         {"BAND_SKILLS", skills()},
         {"BAND_CONFIG_DIR", directory.path + "/config"}};
}

Caller::Caller(const Server& server, const std::string& token_name) : Caller() {
  target(server.url(), server.token(token_name), server.port_there());
}

void Caller::target(const std::string& url, const std::string& token, unsigned port_there) const {
  const std::string there = port_there == 0 ? "" : ", \"serverPort\": " + std::to_string(port_there);
  write_file(directory.path + "/config/targets/local.json",
             "{\"url\": \"" + url + "\", \"token\": \"" + token + "\"" + there + "}\n", 0600);
}

Running Caller::start(const Words& words) const {
  Words argv = {BAND_BIN_DIR "/band"};
  argv.insert(argv.end(), words.begin(), words.end());
  return Running(argv, env, work(""));
}

Ran Caller::band_in(const std::string& place, const Words& words) const {
  Words argv = {BAND_BIN_DIR "/band"};
  argv.insert(argv.end(), words.begin(), words.end());
  return Running(argv, env, place).wait();
}

Ran Caller::band(const Words& words, const std::string& input) const {
  Words argv = {BAND_BIN_DIR "/band"};
  argv.insert(argv.end(), words.begin(), words.end());
  return Running(argv, env, work(""), input).wait();
}

void Caller::script(const std::string& name, const std::string& source, const std::string& band) const {
  const std::string skill = name.substr(0, name.find('/')), script = name.substr(name.find('/') + 1);
  const std::string folder = skills() + "/" + skill;
  if (!exists(folder + "/SKILL.md"))
    write_file(folder + "/SKILL.md", "---\nname: " + skill + "\ndescription: of a test\n---\n");
  write_file(folder + "/scripts/" + script + "/BAND.md", "---\nband: " + skill + "\n" + band + "\n---\n");
  write_file(folder + "/scripts/" + script + "/run.sh", source);
}

void Caller::schema(const std::string& name, const std::string& which, const std::string& json) const {
  const std::size_t slash = name.find('/');
  write_file(skills() + "/" + name.substr(0, slash) + "/schemas/" + which + name.substr(slash) + ".json", json);
}

Ran Caller::run(const std::string& source, const std::string& band, const Words& words) const {
  script("tool/go", source, band);
  Words all = {"run", "tool/go"};
  all.insert(all.end(), words.begin(), words.end());
  return this->band(all);
}

}  // namespace band::test
