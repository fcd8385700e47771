// An internet for tests of the network: this program moves into network and mount namespaces of its own, which have one
// route, to an internet of real servers (./internet lists them). The real machine and network are not affected, and all
// servers end with this program, even if it is killed.
//
// Machine and internet have separate namespaces, because a sandbox must not reach an address of the machine itself.
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
  int lookups_of(const std::string& name) const;  // number of A queries that the machine's resolver received
  Environment env() const;                        // makes all clients trust the internet's certificates
  Ran shell(const std::string& script) const;     // on the machine, outside of any sandbox, as root

 private:
  Running internet_;
};

// Returns the only instance of this test program. Call it before a server is started.
Outside& outside();

// Adds stand-ins of services (tests/services: "github", "slack") to the internet, under their real host names. Call it
// before outside(), as the initializer of a static variable.
bool with_services(const std::string& names);

// One stand-in: the requests that it received, and its state.
class Service {
 public:
  explicit Service(std::string name) : name_(std::move(name)) {}
  std::string state() const;     // as JSON
  std::string requests() const;  // one line "METHOD PATH?QUERY" for each, since they were cleared
  void forget() const;
  // `json` defines the answers to the next requests with a matching "METHOD PATH" (tests/services/standin.py).
  void next(const std::string& json) const;

 private:
  std::string name_;
};
// Returns the requests that no stand-in supports, one line for each; "" in a test that passes.
std::string violations();

// Returns the section `gateway` of server.yaml with the internet's authority and `more` lines: "connect_timeout: 1s\n".
std::string gateway(const std::string& more = "");

// The server for all tests of a program. Its configuration has only the authority and, if $BAND_TEST_COMMANDS is set,
// the programs of that directory, which precede the machine's.
Server& networked_server();

// Each act is a line of bash. Outside of a sandbox all must succeed (the control). Then one script runs all of them:
// `did` must succeed, `refused` must fail, all within 2.5 s. The result's err has the ledger and the acts' output.
struct Acts {
  std::vector<std::string> did, refused;
};
Ran try_acts(const Caller& caller, const std::string& band, const Acts& acts);

// Runs a script that succeeds regardless of its last command's exit status; the result's err has the ledger.
Ran explain(const Caller& caller, const std::string& script, const std::string& band);

}  // namespace band::test
