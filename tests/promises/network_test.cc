// Without net rules no network traffic leaves a sandbox.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <tuple>

#include "server/landlock/landlock.h"
#include "tests/kernel/machine_directory.h"
#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

// An address of the machine that is not loopback; empty when it has none.
std::string own_address() { return outside("hostname -I | tr ' ' '\\n' | grep -m1 '^[0-9.]*$'"); }

// From ABI 4 Landlock refuses TCP ports. Below, the firewall refuses connecting, and binding affects the sandbox only.
std::string refused_by_landlock_or(const char* before) {
  return band::landlock::abi() >= 4 ? "refused EACCES" : before;
}

void cannot_be_made(const std::string& family_type_protocol) {
  CAPTURE(family_type_protocol);
  CHECK(outside("band-probe socket " + family_type_protocol) == "did");
  const std::string result = inside("band-probe socket " + family_type_protocol);
  CHECK_MESSAGE((result == "refused ENOSYS" || result == "refused EPERM"), result);
}

}  // namespace

TEST_CASE("a script without net rules cannot connect to the machine by TCP") {
  const Listener listener(Listener::Tcp);
  const std::string act = "band-probe connect-tcp 127.0.0.1 " + listener.name();
  CHECK(outside_as(slot_uid(), act) == "did");
  CHECK(inside(act) == refused_by_landlock_or("refused ECONNREFUSED"));
}

TEST_CASE("a script without net rules cannot connect by /dev/tcp of bash") {
  const Listener listener(Listener::Tcp);
  const std::string act = "try bash -c ': 3<>/dev/tcp/127.0.0.1/" + listener.name() + "'";
  CHECK(outside_as(slot_uid(), act) == "did");
  CHECK(inside(act).substr(0, 8) == "refused:");
}

TEST_CASE("a script cannot send UDP to the machine, and the refusal is in the ledger") {
  const Listener listener(Listener::Udp);
  const std::string act = "band-probe ask-udp 127.0.0.1 " + listener.name();
  CHECK(outside_as(slot_uid(), act) == "did");
  const Ran ran = run(act);
  CHECK(ran.out == "refused EPERM");  // reported by send(2) itself
  CHECK(ran.ledger == "net: refused 1 packet (no rule of allow.net)\n");
}

TEST_CASE("the ledger of a script that sends nothing has no network entry") { CHECK(run("echo quiet").ledger == ""); }

TEST_CASE("refused packets of one execution are not counted for the next one") {
  CHECK(run("for i in 1 2 3; do band-probe ask-udp 127.0.0.1 9; done").ledger ==
        "net: refused 3 packets (no rule of allow.net)\n");
  CHECK(run("band-probe ask-udp 127.0.0.1 9").ledger == "net: refused 1 packet (no rule of allow.net)\n");
}

TEST_CASE(
    "a script without net rules that fails after packets were refused is PERMISSION_DENIED, with a hint what to "
    "write") {
  const std::string lookup = "curl -sS http://api.example.com/";
  With curl;
  curl.cli = {"curl *"};
  for (const std::string& attempt : {lookup + " || exit 6", std::string("band-probe ask-udp 127.0.0.1 9; exit 6")}) {
    CAPTURE(attempt);
    const Ran ran = run(attempt, curl);
    CHECK(ran.code == "PERMISSION_DENIED");
    CHECK(ran.exit_status == 6);  // the script's own
    CHECK_MESSAGE(ran.message.find("the script exited with 6; before that: refused ") == 0, ran.message);
    CHECK(ran.message.find("(no rule of allow.net)") != std::string::npos);
    CHECK(ran.hint == "name the host in allow.net, or do without it");
  }
  // The controls: a script that succeeds after the refusal, and one that fails without trying the network.
  CHECK(run(lookup + " || true", curl).code == "OK");
  CHECK(run("exit 6", curl).code == "SCRIPT_FAILED");
}

TEST_CASE("if a script fails after a denied command and after refused packets, the error is about the command") {
  With denying;
  denying.deny_cli = {"jq -r *"};
  const Ran ran = run("band-probe ask-udp 127.0.0.1 9; jq -r . <<< 1 || exit 3", denying);
  CHECK(ran.code == "PERMISSION_DENIED");
  CHECK(ran.message.find("jq -r") != std::string::npos);
  CHECK(ran.hint == "remove the deny rule from the band, or do without it");
}

TEST_CASE("a script cannot reach the machine's own address") {
  const std::string address = own_address();
  REQUIRE(address != "");
  CHECK(outside("band-probe connect-tcp " + address + " 1") == "refused ECONNREFUSED");  // a route exists
  CHECK(inside("band-probe ask-udp " + address + " 9") == "refused EPERM");
}

TEST_CASE("a script's network has only a loopback device and no route") {
  const std::string show = "wc -l </proc/self/net/route; tail -n +3 /proc/self/net/dev | cut -d: -f1 | tr -d ' '";
  CHECK(outside(show) != "1\nlo");
  CHECK(inside(show) == "1\nlo");  // the heading, and one device
  CHECK(run("band-probe ask-udp 192.0.2.1 53").ledger == "net: refused 1 packet (no rule of allow.net)\n");
}

TEST_CASE("two slots do not reach each other") {
  const std::string name = "band-two-slots-" + std::to_string(::getpid());
  // Both use files in a directory of the machine to signal that they are running.
  const auto meet = [&](const MachineDirectory& dir) {
    const std::string ready = dir / "w/ready", over = dir / "w/over";
    std::filesystem::create_directory(dir / "w");
    REQUIRE(::chmod((dir / "w").c_str(), 0777) == 0);
    const std::string stay = "band-probe be-reachable " + name + " 47111 " + ready + " " + over;
    const std::string come = "until [[ -e " + ready + " ]]; do sleep 0.01; done; band-probe connect-unix /tmp/" + name +
                             "; band-probe connect-abstract " + name + "; band-probe ask-udp 127.0.0.1 47111; : > " +
                             over;
    With with;
    with.read = with.write = {dir / "w/**"};
    return std::tuple(stay, come, with);
  };
  {
    const MachineDirectory dir;
    const auto [stay, come, with] = meet(dir);
    CHECK(outside_as(slot_uid(), stay + " & " + come + "; wait; rm /tmp/" + name) ==
          "did\ndid\ndid\npath 1, abstract 1, udp 1");
  }
  {
    const MachineDirectory dir;
    const auto [stay, come, with] = meet(dir);
    // In one sandbox everything works except UDP, which the firewall refuses on lo, too. Abstract names belong to the
    // network namespace.
    CHECK(inside(stay + " & " + come + "; wait", with) == "did\ndid\nrefused EPERM\npath 1, abstract 1, udp 0");
  }
  const MachineDirectory dir;
  const auto [stay, come, with] = meet(dir);
  auto other = start(stay, with, 1);
  CHECK(inside(come, with) == "refused ENOENT\nrefused ECONNREFUSED\nrefused EPERM");
  CHECK(other.get().out == "path 0, abstract 0, udp 0");
}

TEST_CASE("a script cannot connect by IPv6") {
  const Listener listener(Listener::Tcp6);
  CHECK(outside_as(slot_uid(), "band-probe connect-tcp6 " + listener.name()) == "did");
  const std::string result = inside("band-probe connect-tcp6 " + listener.name());
  CHECK(result.substr(0, 8) == "refused ");
}

TEST_CASE("a script cannot listen on a TCP port of the machine") {
  const Listener listener(Listener::Tcp);
  const std::string taken = "band-probe listen-tcp " + listener.name(), any = "band-probe listen-tcp 0";
  CHECK(outside_as(slot_uid(), any) == "did");
  CHECK(outside_as(slot_uid(), taken) == "refused EADDRINUSE");
  CHECK(inside(any) == refused_by_landlock_or("did"));
  CHECK(inside(taken) == refused_by_landlock_or("did"));  // the port number is free in the sandbox's own namespace
}

TEST_CASE("a script does not reach an abstract Unix socket of the machine") {
  const Listener listener(Listener::Abstract);
  const std::string act = "band-probe connect-abstract " + listener.name();
  CHECK(outside_as(slot_uid(), act) == "did");
  CHECK(inside(act) == "refused ECONNREFUSED");
}

TEST_CASE("Unix sockets work between a script's own programs") {
  CHECK(inside("band-probe talk-unix /tmp/socket; band-probe talk-unix ./socket") == "did\ndid");
}

TEST_CASE("a script cannot make a netlink socket") { cannot_be_made(std::to_string(AF_NETLINK) + " 3 0"); }
TEST_CASE("a script cannot make a packet socket") { cannot_be_made(std::to_string(AF_PACKET) + " 3 0"); }
TEST_CASE("a script cannot make a vsock, which connects a VM to its host") {
  const std::string act = "band-probe socket " + std::to_string(AF_VSOCK) + " 1 0";
  // seccomp returns ENOSYS; a kernel without vsock returns EAFNOSUPPORT outside.
  CHECK(outside(act) != "refused ENOSYS");
  CHECK(inside(act) == "refused ENOSYS");
}
TEST_CASE("a script cannot make a socket of the kernel's cryptography (AF_ALG)") {
  const std::string act = "band-probe socket " + std::to_string(AF_ALG) + " 5 0";
  CHECK(outside(act) != "refused ENOSYS");
  CHECK(inside(act) == "refused ENOSYS");
}
TEST_CASE("a script cannot make a raw socket") { cannot_be_made("2 3 1"); }
TEST_CASE("a script cannot use SCTP") {
  const std::string act = "band-probe socket 2 1 132";
  CHECK(outside(act) != "refused ENOSYS");
  CHECK(inside(act) == "refused ENOSYS");
}
