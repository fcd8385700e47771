// Records the events of an execution in three ways:
// - in the ledger, the list of events in the answer;
// - as evidence for the insist rules, which require that certain events happen (ledger/insist.h);
// - as notes to a client that has requested a stream of events.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/broker/broker.h"
#include "server/evidence/mask.h"
#include "server/gateway_link/event.h"
#include "server/http_link/reply_writer.h"
#include "server/ledger/insist.h"
#include "server/ledger/ledger.h"

namespace band::run {

class Record : public broker::Witness {
 public:
  // `mask` and `reply` must outlive the result. `began_us`: the time of base::monotonic_us() to which the times in the
  // ledger are relative. Returns an error when an insist rule is invalid.
  static Result<Record> open(const Rules& rules, const Mask& mask, ReplyWriter& reply, std::int64_t began_us);

  std::vector<std::string> masked(const std::vector<std::string>& argv) const override;
  void ended(const broker::Ended& command) override;
  void refused(const std::vector<std::string>& argv, const Decision& decision) override;
  void not_passed(const std::string& command, const broker::NotPassed& variable) override;
  void malformed(const Error& error) override;
  // Records an event of the gateway, the process through which all connections of the execution pass. The times in the
  // event are relative to `ready_us`, a time of base::monotonic_us().
  void net(const gateway::Event& event, std::int64_t ready_us);

  // Returns the number of packets that the firewall refused and that the gateway has reported with their destination.
  std::uint64_t packets() const { return packets_; }

  ledger::Ledger& ledger() { return ledger_; }
  ledger::Insists& insists() { return insists_; }

 private:
  Record(ledger::Insists insists, const Mask& mask, ReplyWriter& reply, std::int64_t began_us)
      : insists_(std::move(insists)), mask_(&mask), reply_(&reply), began_us_(began_us) {}
  double since_began(std::int64_t us) const { return static_cast<double>(us - began_us_) / 1000.0; }
  void send_event(const char* event, const std::string& text);

  ledger::Ledger ledger_;
  ledger::Insists insists_;
  const Mask* mask_;
  ReplyWriter* reply_;
  std::int64_t began_us_;
  std::uint64_t packets_ = 0;
};

}  // namespace band::run
