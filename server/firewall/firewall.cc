#include "server/firewall/firewall.h"

#include <libiptc/libiptc.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "server/firewall/entry.h"

namespace band::firewall {
namespace {

constexpr const char* kOutput = "OUTPUT";

Error iptc_error(const std::string& doing) {
  // errno alone is cryptic here ("Invalid argument"); libiptc knows what it means in its last call.
  Error error = layer_error("firewall", doing + ": " + ::iptc_strerror(errno), 0);
  error.hint = "the kernel needs ip_tables, iptable_filter, xt_owner and ipt_REJECT (modprobe them, or build them in)";
  return error;
}

class Table {
 public:
  static Result<Table> open() {
    Table table;
    table.handle_.reset(::iptc_init("filter"));
    if (!table.handle_) return iptc_error("open table filter");
    return table;
  }
  xtc_handle* get() const { return handle_.get(); }
  Status append(const std::string& chain, const RuleSpec& rule) {
    const auto memory = build_entry(rule);
    if (!::iptc_append_entry(chain.c_str(), reinterpret_cast<const ipt_entry*>(memory.data()), get()))
      return iptc_error("append to " + chain);
    return done();
  }
  Status commit(const std::string& what) {
    if (!::iptc_commit(get())) return iptc_error("commit " + what);
    return done();
  }

 private:
  std::unique_ptr<xtc_handle, decltype(&::iptc_free)> handle_{nullptr, ::iptc_free};
};

int rules_in(const Table& table, const std::string& chain) {
  int count = 0;
  for (const ipt_entry* rule = ::iptc_first_rule(chain.c_str(), table.get()); rule != nullptr;
       rule = ::iptc_next_rule(rule, table.get()))
    ++count;
  return count;
}

Status policy_is_drop(const Table& table) {
  ipt_counters counters{};
  const char* policy = ::iptc_get_policy(kOutput, &counters, table.get());
  if (policy == nullptr || std::strcmp(policy, "DROP") != 0) return layer_error("firewall", "OUTPUT is not DROP", 0);
  return done();
}

// The kernel's own answer to what it now enforces.
Status verify(const std::string& chain) {
  BAND_TRY(const Table table, Table::open());
  BAND_CHECK(policy_is_drop(table));
  // The kernel's own answers first, then this execution's jump; nothing else.
  const ipt_entry* second = ::iptc_first_rule(kOutput, table.get());
  if (second != nullptr) second = ::iptc_next_rule(second, table.get());
  if (second == nullptr || chain != ::iptc_get_target(second, table.get()) || rules_in(table, kOutput) != 2)
    return layer_error("firewall", "OUTPUT does not lead to " + chain, 0);
  if (rules_in(table, chain) != 2) return layer_error("firewall", chain + " is not what was committed", 0);
  return done();
}

}  // namespace

Status prepare() {
  BAND_TRY(Table table, Table::open());
  if (!::iptc_set_policy(kOutput, "DROP", nullptr, table.get()) ||
      !::iptc_set_policy("FORWARD", "DROP", nullptr, table.get()))
    return iptc_error("set the policies");
  // The reset that REJECT answers is sent by the kernel through OUTPUT, and has no owner. Without this it would be
  // dropped, and a refused program would wait for its time-out. (An ICMP answer would not do: it comes while connect(2)
  // holds the socket, and is then only a soft error.) Resets only: a closed socket's last data has no owner either.
  BAND_CHECK(table.append(kOutput, {.kernels_reset = true, .jump = "ACCEPT"}));
  return table.commit("the policies");
}

Result<Chain> install(const std::string& id, uid_t uid) {
  const std::string name = "BAND-" + id;
  BAND_TRY(Table table, Table::open());
  BAND_CHECK(policy_is_drop(table));
  if (rules_in(table, kOutput) != 1)
    return layer_error("firewall", "the slot's OUTPUT chain still has a rule of an earlier execution", 0);
  if (!::iptc_create_chain(name.c_str(), table.get())) return iptc_error("create chain " + name);
  BAND_CHECK(table.append(name, {.protocol = IPPROTO_TCP, .reject_with = IPT_TCP_RESET}));
  BAND_CHECK(table.append(name, {.reject_with = IPT_ICMP_PORT_UNREACHABLE}));
  BAND_CHECK(table.append(kOutput, {.uid = uid, .jump = name}));
  BAND_CHECK(table.commit("chain " + name));
  Chain chain;
  chain.name_ = name;
  BAND_CHECK(verify(name));
  return chain;
}

Chain::Chain(Chain&& other) noexcept : name_(std::exchange(other.name_, "")) {}

Chain& Chain::operator=(Chain&& other) noexcept {
  if (this != &other) {
    (void)remove();
    name_ = std::exchange(other.name_, "");
  }
  return *this;
}

Chain::~Chain() { (void)remove(); }

Counters Chain::counters() const {
  Counters sum;
  const auto table = Table::open();
  if (name_.empty() || !table.ok()) return sum;
  for (const ipt_entry* rule = ::iptc_first_rule(name_.c_str(), table->get()); rule != nullptr;
       rule = ::iptc_next_rule(rule, table->get()))
    sum.refused_packets += rule->counters.pcnt;
  return sum;
}

Status Chain::remove() {
  const std::string name = std::exchange(name_, "");
  if (name.empty()) return done();
  BAND_TRY(Table table, Table::open());
  // Number 1 is this execution's jump; number 0 stays for the next.
  if (!::iptc_delete_num_entry(kOutput, 1, table.get()) || !::iptc_flush_entries(name.c_str(), table.get()) ||
      !::iptc_delete_chain(name.c_str(), table.get()))
    return iptc_error("remove chain " + name);
  return table.commit("the removal of chain " + name);
}

}  // namespace band::firewall
