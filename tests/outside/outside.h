// An internet for tests of the network. The test program moves into network and mount namespaces of its own. The only
// route from this network namespace leads to a simulated internet of real server programs (./internet lists them). The
// real machine and network are not affected. When the test program exits or is killed, all servers end.
//
// The simulated machine and the internet have separate namespaces, because a sandbox must not reach an address of the
// machine itself.
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
  Environment env() const;                        // variables that make all clients trust the internet's certificates
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
  std::string requests() const;  // one line "METHOD PATH?QUERY" for each request since the list was last cleared
  void forget() const;
  // `json` defines the answers to the next requests with a matching "METHOD PATH" (tests/services/standin.py).
  void next(const std::string& json) const;

 private:
  std::string name_;
};
// Returns the requests that no stand-in supports, one line for each; "" in a test that passes.
std::string violations();

// Returns the section `gateway` of server.yaml with the certificate authority of the internet and the lines `more`,
// such as "connect_timeout: 1s\n".
std::string gateway(const std::string& more = "");

// The server for all tests of a program. Its configuration has only the certificate authority and, if
// $BAND_TEST_COMMANDS is set, the programs of that directory; these have precedence over the programs of the machine.
Server& networked_server();

// Each act is a line of bash. All acts are first run outside of a sandbox, where all must succeed (the control). Then
// one script runs them in a sandbox: acts in `did` must succeed, acts in `refused` must fail, each within 2.5 s.
// Ran::err has the ledger and the output of the acts.
struct Acts {
  std::vector<std::string> did, refused;
};
Ran try_acts(const Caller& caller, const std::string& band, const Acts& acts);

// Runs a script so that it succeeds whatever exit status its last command has. Ran::err has the ledger.
Ran explain(const Caller& caller, const std::string& script, const std::string& band);

}  // namespace band::test
