// The rows of a store, which are also parts of a copy for the other server.

#include "chp/history.h"
#include "chp/old_updates.h"
#include "test/fuzz/oracle.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zmtp::fuzz {
namespace {

void try_records(std::string_view records) {
  while (!records.empty()) {
    const auto before = records;
    const auto e = chp::parse_record(records);
    if (!e) {
      return;
    }
    const auto size = before.size() - records.size();
    require(size == chp::record_size(*e), "a record has its size");
    std::string written;
    chp::append_record(written, *e);
    require(written == before.substr(0, size), "a record is written as it was read");
    auto again = before;
    require(chp::read_record(again).number == e->number && again == records,
            "a valid record can be read without checks");
  }
}

void try_sessions(std::string_view rows) {
  chp::sessions all{1};
  chp::sequence last = 0;
  const auto before = rows;
  if (all.insert_row(rows, last) != chp::errc{}) {
    return;
  }
  const auto first = before.substr(0, before.size() - rows.size());
  std::string written;
  std::size_t at = 0;
  require(!all.append_rows(at, SIZE_MAX / 2, written), "one session is one piece");
  require(written.size() == first.size(), "a session has its size");
  // Codes of refusals that this version does not know become one that it knows.
  chp::sessions copy{1};
  std::string_view rest{written};
  require(copy.insert_row(rest, last) == chp::errc{} && rest.empty(), "a session is valid");
  std::string again_written;
  at = 0;
  require(!copy.append_rows(at, SIZE_MAX / 2, again_written) && again_written == written,
          "a session is written as it was read");
  auto again = before;
  require(chp::sessions::read_row(again).bytes == first && again == rows,
          "a valid row can be read without checks");
}

void try_ids(std::string_view rows) {
  chp::known_ids all{1, 4};
  if (all.insert_rows(rows) == chp::errc{}) {
    require(all.size() <= 4, "the limit holds");
  }
}

void try_lineage(std::string_view rows) {
  if (const auto found = chp::lineage::parse(rows)) {
    std::string written;
    found->append_to(written);
    require(written == rows, "a lineage is written as it was read");
  }
}

void try_old_updates(std::string_view row) {
  chp::old_updates all;
  if (!all.add_piece(row)) {
    return;
  }
  for (const auto& [id, session] : all.sessions()) {
    require(!session.done.empty(), "a session has made an update");
    std::uint64_t above = 0;
    for (const auto& [first, last] : session.done) {
      require(first > above && last >= first, "ranges rise and do not touch");
      above = last + 1;
    }
  }
}

// A map and a log, each in one half.
void try_history(std::string_view bytes) {
  chp::history past{{.log = {.entries = 8}, .clients = {.max_sessions = 2}, .max_ids = 2}, 1};
  const chp::history::time_point now{};
  const auto half = bytes.size() / 2;
  if (past.add_map(bytes.substr(0, half), now) != chp::errc{}) {
    return;
  }
  past.begin_log(past.map().number(), 0);
  if (past.add_entries(bytes.substr(half)) == chp::errc{}) {
    chp::lineage reigns;
    reigns.begin_reign(chp::epoch_of(past.end()), 1, past.end());
    if (past.finish(reigns, past.log().start()) == chp::errc{}) {
      past.publish(past.end(), now, [](const chp::log_entry&, bool) {});
      require(past.published() == past.end(), "all entries can be published");
    }
  }
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view rest{reinterpret_cast<const char*>(data) + 1, size - 1};
  switch (data[0] % 6) {
    case 0: zmtp::fuzz::try_records(rest); break;
    case 1: zmtp::fuzz::try_sessions(rest); break;
    case 2: zmtp::fuzz::try_ids(rest); break;
    case 3: zmtp::fuzz::try_lineage(rest); break;
    case 4: zmtp::fuzz::try_old_updates(rest); break;
    default: zmtp::fuzz::try_history(rest); break;
  }
  return 0;
}
