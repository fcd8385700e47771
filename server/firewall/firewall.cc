#include "server/firewall/firewall.h"

#include <libiptc/libiptc.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "server/firewall/entry.h"
#include "server/firewall/tracking.h"

namespace band::firewall {
namespace {

constexpr const char* kFilter = "filter";
constexpr const char* kNat = "nat";
constexpr const char* kOutput = "OUTPUT";
constexpr Network kLoopback{INADDR_LOOPBACK, 32};

using Rules = std::vector<RuleSpec>;

Error iptc_error(const std::string& doing) {
  // errno alone is misleading here ("Invalid argument"); iptc_strerror() interprets it for libiptc's last call.
  Error error = layer_error("firewall", doing + ": " + ::iptc_strerror(errno), 0);
  error.hint =
      "the kernel needs iptable_filter, iptable_nat, nf_conntrack, xt_owner, xt_conntrack, xt_REDIRECT, xt_NFLOG, "
      "nfnetlink_log and ipt_REJECT (modprobe them, or build them in)";
  return error;
}

class Table {
 public:
  static Result<Table> open(const char* name) {
    Table table;
    table.handle_.reset(::iptc_init(name));
    if (!table.handle_) return iptc_error(std::string("cannot open table ") + name);
    return table;
  }
  xtc_handle* get() const { return handle_.get(); }
  Status append(const std::string& chain, const Rules& rules) {
    for (const RuleSpec& rule : rules) {
      const auto memory = build_entry(rule);
      if (!::iptc_append_entry(chain.c_str(), reinterpret_cast<const ipt_entry*>(memory.data()), get()))
        return iptc_error("cannot append to " + chain);
    }
    return done();
  }
  Status commit(const std::string& what) {
    if (!::iptc_commit(get())) return iptc_error("cannot commit " + what);
    return done();
  }
  // Returns whether the chain has exactly these rules, in this order.
  bool holds(const std::string& chain, const Rules& rules) const {
    const ipt_entry* have = ::iptc_first_rule(chain.c_str(), get());
    for (const RuleSpec& rule : rules) {
      if (have == nullptr || !same_entry(have, rule)) return false;
      const Jump* jump = std::get_if<Jump>(&rule.target);
      if (jump != nullptr && jump->to != ::iptc_get_target(have, get())) return false;
      have = ::iptc_next_rule(have, get());
    }
    return have == nullptr;
  }

 private:
  std::unique_ptr<xtc_handle, decltype(&::iptc_free)> handle_{nullptr, ::iptc_free};
};

// The part of one execution in one table: its own chain, and the rule by which the slot's packets jump to it.
struct Part {
  const char* table;
  RuleSpec jump;
  Rules chain;
};

// OUTPUT has these rules permanently; in the table filter, an execution's jump is inserted after the first one.
//
// First rule: REJECT answers with a reset. The kernel sends this reset through OUTPUT, and it has no owner. Without the
// first rule the reset would be dropped, and a refused program would wait for its timeout. (An ICMP answer is not
// sufficient: it arrives while connect(2) holds the socket, and is then only a soft error.) Only resets are accepted,
// because the last data of a closed socket has no owner either.
//
// Second rule: on connections that a chain has accepted, it accepts the packets that do not belong to the slot's uid.
// These are answers of relay and resolver, and packets that the kernel still sends for closed sockets. The rule is
// permanent also because adding the first conntrack rule starts tracking, and the kernel then iterates over all
// connections of the machine.
const Rules& kept_rules(const char* table) {
  static const Rules nat, filter = {{.kernels_reset = true, .target = Jump{"ACCEPT"}},
                                    {.tracked = Tracked::Established, .target = Jump{"ACCEPT"}}};
  return table == kFilter ? filter : nat;
}

unsigned place_of_jump(const char* table) { return table == kFilter ? 1 : 0; }

Part filter_part(const std::string& name, uid_t uid, const Doors* doors) {
  Part part{kFilter, {.uid = uid, .target = Jump{name}}, {}};
  if (doors != nullptr) {
    const auto open = [&](std::uint16_t protocol, std::uint16_t port, Tracked tracked) {
      part.chain.push_back({.protocol = protocol,
                            .destination = kLoopback,
                            .destination_port = port,
                            .tracked = tracked,
                            .target = Jump{"ACCEPT"}});
    };
    open(IPPROTO_TCP, doors->relay_port, Tracked::Redirected);
    open(IPPROTO_TCP, doors->resolver_port, Tracked::Anyhow);
    open(IPPROTO_UDP, doors->resolver_port, Tracked::Anyhow);
    part.chain.push_back({.target = Log{doors->log_group}});
  }
  part.chain.push_back({.protocol = IPPROTO_TCP, .target = Reject{IPT_TCP_RESET}});
  part.chain.push_back({.target = Reject{IPT_ICMP_PORT_UNREACHABLE}});
  return part;
}

Part nat_part(const std::string& name, uid_t uid, const Doors& doors) {
  Part part{kNat, {.uid = uid, .target = Jump{name}}, {}};
  for (const std::uint16_t protocol : {IPPROTO_UDP, IPPROTO_TCP})
    part.chain.push_back(
        {.protocol = protocol, .destination_port = std::uint16_t{53}, .target = Redirect{doors.resolver_port}});
  for (const NetRules::Opening& opening : doors.to_relay)
    part.chain.push_back({.protocol = IPPROTO_TCP,
                          .destination = Network{opening.network, opening.prefix_bits},
                          .destination_port = opening.port,
                          .target = Redirect{doors.relay_port}});
  return part;
}

Status policy_is_drop(const Table& table) {
  ipt_counters counters{};
  const char* policy = ::iptc_get_policy(kOutput, &counters, table.get());
  if (policy == nullptr || std::strcmp(policy, "DROP") != 0)
    return layer_error("firewall", "the policy of the chain OUTPUT is not DROP", 0);
  return done();
}

// Reads the rules back from the kernel and compares them.
Status verify(const std::string& name, const Part& part) {
  BAND_TRY(const Table table, Table::open(part.table));
  if (part.table == kFilter) BAND_CHECK(policy_is_drop(table));
  Rules output = kept_rules(part.table);
  output.insert(output.begin() + place_of_jump(part.table), part.jump);
  if (!table.holds(kOutput, output))
    return layer_error("firewall", std::string(part.table) + ": OUTPUT does not jump to " + name, 0);
  if (!table.holds(name, part.chain))
    return layer_error("firewall", std::string(part.table) + ": " + name + " differs from the committed rules", 0);
  return done();
}

Status add(const std::string& name, const Part& part) {
  BAND_TRY(Table table, Table::open(part.table));
  if (part.table == kFilter) BAND_CHECK(policy_is_drop(table));
  if (!table.holds(kOutput, kept_rules(part.table)))
    return layer_error("firewall", "the slot's OUTPUT chain still has a rule of an earlier execution", 0);
  if (!::iptc_create_chain(name.c_str(), table.get())) return iptc_error("cannot create chain " + name);
  BAND_CHECK(table.append(name, part.chain));
  const auto jump = build_entry(part.jump);
  if (!::iptc_insert_entry(kOutput, reinterpret_cast<const ipt_entry*>(jump.data()), place_of_jump(part.table),
                           table.get()))
    return iptc_error("cannot insert the jump from OUTPUT to " + name);
  return table.commit("chain " + name);
}

Status take_away(const std::string& name, const char* from) {
  BAND_TRY(Table table, Table::open(from));
  if (!::iptc_delete_num_entry(kOutput, place_of_jump(from), table.get()) ||
      !::iptc_flush_entries(name.c_str(), table.get()) || !::iptc_delete_chain(name.c_str(), table.get()))
    return iptc_error("cannot remove chain " + name);
  return table.commit("the removal of chain " + name);
}

}  // namespace

Status prepare() {
  BAND_TRY(Table table, Table::open(kFilter));
  if (!::iptc_set_policy(kOutput, "DROP", nullptr, table.get()) ||
      !::iptc_set_policy("FORWARD", "DROP", nullptr, table.get()))
    return iptc_error("cannot set the policies");
  BAND_CHECK(table.append(kOutput, kept_rules(kFilter)));
  BAND_CHECK(table.commit("the policies"));
  // Detects a missing kernel feature here, and not at the first execution with a net rule.
  BAND_TRY(Chain trial, install("0", 1, Doors{1, 53, 1, {{INADDR_LOOPBACK, 32, std::nullopt}}}));
  BAND_CHECK(tune_tracking());
  return trial.remove();
}

Result<Chain> install(const std::string& id, uid_t uid, const Egress& egress) {
  Chain chain;
  chain.name_ = "BAND-" + id;
  const Doors* doors = std::get_if<Doors>(&egress);
  const Part filter = filter_part(chain.name_, uid, doors);
  BAND_CHECK(add(chain.name_, filter));
  chain.filters_ = true;
  BAND_CHECK(verify(chain.name_, filter));
  if (doors != nullptr) {
    const Part nat = nat_part(chain.name_, uid, *doors);
    BAND_CHECK(add(chain.name_, nat));
    chain.redirects_ = true;
    BAND_CHECK(verify(chain.name_, nat));
  }
  return chain;
}

Chain::Chain(Chain&& other) noexcept
    : name_(std::exchange(other.name_, "")),
      filters_(std::exchange(other.filters_, false)),
      redirects_(std::exchange(other.redirects_, false)) {}

Chain& Chain::operator=(Chain&& other) noexcept {
  if (this != &other) {
    (void)remove();
    name_ = std::exchange(other.name_, "");
    filters_ = std::exchange(other.filters_, false);
    redirects_ = std::exchange(other.redirects_, false);
  }
  return *this;
}

Chain::~Chain() { (void)remove(); }

Result<Counters> Chain::counters() const {
  Counters sum;
  if (!filters_) return sum;  // not installed: has refused nothing
  BAND_TRY(const Table table, Table::open(kFilter));
  if (!::iptc_is_chain(name_.c_str(), table.get()))
    return layer_error("firewall", "cannot read the counters of chain " + name_ + ": the chain is not in the table",
                       ENOENT);
  for (const ipt_entry* rule = ::iptc_first_rule(name_.c_str(), table.get()); rule != nullptr;
       rule = ::iptc_next_rule(rule, table.get())) {
    const std::string_view target = ::iptc_get_target(rule, table.get());
    if (target == "REJECT") sum.refused_packets += rule->counters.pcnt;
    if (target == "REJECT" || target == "ACCEPT") sum.packets += rule->counters.pcnt;  // each packet ends at one
  }
  return sum;
}

Status Chain::remove() {
  Status status = done();
  for (auto [there, table] : {std::pair(&filters_, kFilter), std::pair(&redirects_, kNat)})
    if (std::exchange(*there, false))
      if (const Status taken = take_away(name_, table); !taken.ok()) status = taken;
  return status;
}

}  // namespace band::firewall
