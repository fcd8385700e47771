#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "client/commands/commands.h"

int main(int argc, char** argv) {
  // A reader of our output or a server that goes away is an error that is told, not a sudden death.
  std::signal(SIGPIPE, SIG_IGN);
  band::client::Terminal terminal;
  try {
    return band::client::dispatch(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), terminal);
  } catch (const std::exception& error) {
    terminal.error({.code = band::Code::Internal,
                    .doing = std::string("band failed: ") + error.what(),
                    .hint = "this is a bug in band: please report it"});
  }
  return band::exit_code(band::Code::Internal);
}
