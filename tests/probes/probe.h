// band-probe ACT [ARGUMENT...]: performs one act and prints its result: "did", or "refused ERRNO". The exit code is 0
// in both cases. For an act that does not exist or could not be tried, the exit code is 2, so that a typo is not
// mistaken for a refusal.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace probe {

using Arguments = std::vector<std::string>;
using Act = std::function<std::string(const Arguments&)>;
using Acts = std::map<std::string, Act>;

std::string did_if(bool success);       // "did", or "refused" with the name of errno
std::string did_unless(long negative);  // for the result of a system call: a number below zero is a refusal
[[noreturn]] void untried(const std::string& why);

// Runs `act` in a child process. Returns the result of `act` ("did" or "refused ..."), or "killed SIGNAL".
std::string in_child(const std::function<std::string()>& act);
// Starts a child process that sleeps until this program exits, and returns its pid. Use it as the target of an act.
int sleeping_child();

void add_process_acts(Acts& acts);
void add_kernel_acts(Acts& acts);
void add_file_acts(Acts& acts);
void add_socket_acts(Acts& acts);
void add_spending_acts(Acts& acts);
void add_sharing_acts(Acts& acts);

}  // namespace probe
