#include "server/gateway/dns_message.h"

#include <ldns/ldns.h>

#include <cstdlib>
#include <memory>

namespace band::gateway {
namespace {

struct FreeRecord {
  void operator()(ldns_rr* record) const { ldns_rr_free(record); }
};
struct FreePacket {
  void operator()(ldns_pkt* packet) const { ldns_pkt_free(packet); }
};
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Record = std::unique_ptr<ldns_rr, FreeRecord>;

constexpr std::uint16_t kUdpBytes = 1232;  // for EDNS, as resolver vendors agreed; band's answers are under 400

// Reads the record at the offset `at` and moves `at` past it. Returns nullptr when ldns does not accept the record.
Record read_record(std::span<const std::uint8_t> message, std::size_t& at, ldns_pkt_section section) {
  ldns_rr* record = nullptr;
  if (ldns_wire2rr(&record, message.data(), message.size(), &at, section) != LDNS_STATUS_OK) return nullptr;
  return Record(record);
}

std::string name_text(const ldns_rr& record) {
  const std::unique_ptr<char, Free> text(ldns_rdf2str(ldns_rr_owner(&record)));
  return text ? text.get() : "";
}

// Accepts exactly one question, and after it at most one EDNS record.
Rcode read_sections(std::span<const std::uint8_t> message, Query& query) {
  const std::uint8_t* header = message.data();
  if (LDNS_QDCOUNT(header) != 1 || LDNS_ANCOUNT(header) != 0 || LDNS_NSCOUNT(header) != 0 || LDNS_ARCOUNT(header) > 1)
    return Rcode::FormErr;
  std::size_t at = LDNS_HEADER_SIZE;
  const Record question = read_record(message, at, LDNS_SECTION_QUESTION);
  // A message's first name can be compressed only by a pointer to itself or into the header.
  if (!question || ldns_rdf_size(ldns_rr_owner(question.get())) + 4 != at - LDNS_HEADER_SIZE) return Rcode::FormErr;
  const std::size_t question_end = at;

  Record extra;
  if (LDNS_ARCOUNT(header) == 1) {
    extra = read_record(message, at, LDNS_SECTION_ADDITIONAL);
    if (!extra || ldns_rr_get_type(extra.get()) != LDNS_RR_TYPE_OPT || name_text(*extra) != ".") return Rcode::FormErr;
  }
  if (at != message.size()) return Rcode::FormErr;

  query.edns = extra != nullptr;
  query.question = {name_text(*question), static_cast<std::uint16_t>(ldns_rr_get_type(question.get()))};
  query.question_wire.assign(reinterpret_cast<const char*>(header) + LDNS_HEADER_SIZE, question_end - LDNS_HEADER_SIZE);
  if (extra && ((ldns_rr_ttl(extra.get()) >> 16) & 0xff) != 0) return Rcode::BadVers;  // RFC 6891 6.1.3
  if (ldns_rr_get_class(question.get()) != LDNS_RR_CLASS_IN) return Rcode::NotImp;
  return Rcode::NoError;
}

Record question_of(const Query& query) {
  std::size_t at = 0;
  const auto* wire = reinterpret_cast<const std::uint8_t*>(query.question_wire.data());
  return read_record({wire, query.question_wire.size()}, at, LDNS_SECTION_QUESTION);
}

Record ipv4_record(const ldns_rr& question, std::array<std::uint8_t, 4> address, std::uint32_t ttl_s) {
  Record record(ldns_rr_new());
  if (!record) return nullptr;
  ldns_rr_set_owner(record.get(), ldns_rdf_clone(ldns_rr_owner(&question)));
  ldns_rr_set_type(record.get(), LDNS_RR_TYPE_A);
  ldns_rr_set_class(record.get(), LDNS_RR_CLASS_IN);
  ldns_rr_set_ttl(record.get(), ttl_s);
  ldns_rr_push_rdf(record.get(), ldns_rdf_new_frm_data(LDNS_RDF_TYPE_A, address.size(), address.data()));
  return record;
}

}  // namespace

bool Question::asks_for_ipv4() const { return type == LDNS_RR_TYPE_A || type == LDNS_RR_TYPE_ANY; }
bool Question::asks_where() const { return asks_for_ipv4() || type == LDNS_RR_TYPE_AAAA || type == LDNS_RR_TYPE_HTTPS; }

std::optional<Query> read_query(std::span<const std::uint8_t> message) {
  if (message.size() < LDNS_HEADER_SIZE) return std::nullopt;
  const std::uint8_t* header = message.data();
  if (LDNS_QR_WIRE(header)) return std::nullopt;  // two servers that answer answers would never stop
  Query query;
  query.id = LDNS_ID_WIRE(header);
  query.opcode = LDNS_OPCODE_WIRE(header);
  query.recursion_desired = LDNS_RD_WIRE(header);
  query.fault = query.opcode == LDNS_PACKET_QUERY ? read_sections(message, query) : Rcode::NotImp;
  return query;
}

std::string answer(const Query& query, Rcode rcode, std::optional<std::array<std::uint8_t, 4>> address,
                   std::uint32_t ttl_s) {
  const std::unique_ptr<ldns_pkt, FreePacket> packet(ldns_pkt_new());
  if (!packet) return "";
  ldns_pkt_set_id(packet.get(), query.id);
  ldns_pkt_set_qr(packet.get(), true);
  ldns_pkt_set_rd(packet.get(), query.recursion_desired);
  // Go treats an answer that is neither authoritative nor from a recursive server as a broken delegation.
  ldns_pkt_set_ra(packet.get(), true);
  const auto code = static_cast<std::uint8_t>(rcode);
  ldns_pkt_set_rcode(packet.get(), static_cast<ldns_pkt_rcode>(code & 0xf));
  if (query.edns) {
    ldns_pkt_set_edns_udp_size(packet.get(), kUdpBytes);
    ldns_pkt_set_edns_extended_rcode(packet.get(), static_cast<std::uint8_t>(code >> 4));
  }
  if (Record question = question_of(query)) {
    if (address) ldns_pkt_push_rr(packet.get(), LDNS_SECTION_ANSWER, ipv4_record(*question, *address, ttl_s).release());
    ldns_pkt_push_rr(packet.get(), LDNS_SECTION_QUESTION, question.release());
  }
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  if (ldns_pkt2wire(&bytes, packet.get(), &size) != LDNS_STATUS_OK) return "";
  const std::unique_ptr<std::uint8_t, Free> owned(bytes);
  // ldns has an enum for known opcodes only.
  bytes[2] = static_cast<std::uint8_t>((bytes[2] & ~LDNS_OPCODE_MASK) | query.opcode << LDNS_OPCODE_SHIFT);
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace band::gateway
