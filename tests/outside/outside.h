// An outside world for tests of the network: this program becomes a machine in a network and a mount namespace of its
// own, with one way out, to an internet of real servers (./internet says which and where). Nothing of it reaches the
// real machine or network, and all of it ends with this program, however that ends.
//
// Two namespaces, because no address of the machine itself may be reached by a sandbox.
#pragma once

#include "tests/end_to_end/server_fixture.h"

namespace band::test {

class Outside {
 public:
  Outside();
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  std::string file(const std::string& name) const;
  std::string log(const std::string& name) const { return read_file(file(name)); }
  int lookups_of(const std::string& name) const;  // IPv4 queries that the machine's resolver has seen
  Environment env() const;                        // which makes every client trust the internet's certificates
  Ran shell(const std::string& script) const;     // on the machine, outside of any sandbox, as root

 private:
  Running internet_;
};

// The one of this test program. Must come before any server.
Outside& outside();

// Stand-ins of services (tests/services: "github", "slack"), which the internet has then under their real names. Must
// come before outside(): for a static variable.
bool with_services(const std::string& names);

// One of them: what it was sent, and its state.
class Service {
 public:
  explicit Service(std::string name) : name_(std::move(name)) {}
  std::string state() const;     // as JSON
  std::string requests() const;  // since forget(): "METHOD PATH?QUERY", a line each
  void forget() const;
  // The next requests whose "METHOD PATH" matches are answered with that: a JSON object (tests/services/standin.py).
  void next(const std::string& json) const;

 private:
  std::string name_;
};
// What no stand-in knows, a line each: "" as it should be.
std::string violations();

// server.yaml's `gateway` with the internet's authority, and more lines of YAML: "connect_timeout: 1s\n".
std::string gateway(const std::string& more = "");

// One for all tests of a program, with nothing but the authority, and the programs of the directory
// $BAND_TEST_COMMANDS, if that is set, in front of the machine's.
Server& networked_server();

// Each act is a line of bash. Outside, all must succeed: that is the control. Then one script runs them all, and `did`
// must succeed while `refused` fail, and fail at once. Ledger and the acts' output are in the answer's err.
struct Acts {
  std::vector<std::string> did, refused;
};
Ran try_acts(const Caller& caller, const std::string& band, const Acts& acts);

// A script that ends well whatever its last command said, and its ledger.
Ran explain(const Caller& caller, const std::string& script, const std::string& band);

}  // namespace band::test
