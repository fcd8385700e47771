// band-probe ACT [ARGUMENT...]: does one act for real and prints what came of it: "did", or "refused ERRNO". Exit 0
// either way; an act that does not exist or could not be tried exits 2, so that no typing error looks like a refusal.
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
std::string did_unless(long negative);  // for system calls: below zero is a refusal
[[noreturn]] void untried(const std::string& why);

// What a child made of it: its own "did" or "refused ...", or "killed SIGNAL".
std::string in_child(const std::function<std::string()>& act);
// A child that sleeps until the end of this program, to be looked into.
int sleeping_child();

void add_process_acts(Acts& acts);
void add_kernel_acts(Acts& acts);
void add_file_acts(Acts& acts);
void add_socket_acts(Acts& acts);
void add_spending_acts(Acts& acts);

}  // namespace probe
