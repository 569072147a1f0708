#include "mdp/titanic/slot_writer.h"

#include <algorithm>
#include <utility>

namespace mdp::titanic {

using boost::system::error_code;

namespace {

// Limits of one transaction.
constexpr std::size_t most_operations = 1'000;
constexpr std::size_t most_bytes = 16 * 1024 * 1024;

}  // namespace

slot_writer::slot_writer(slot_file& to, const std::vector<stored_request>& slots)
    : to_{to}, last_number_{slots.size()} {
  for (const auto& one : slots) {
    last_accepted_ = std::max(last_accepted_, one.accepted);
  }
}

error_code slot_writer::put(whole_slot&& one) {
  auto& about = one.about;
  if (about.accepted == 0) {
    about.accepted = last_accepted_ + 1;
  }
  last_accepted_ = std::max(last_accepted_, about.accepted);
  bytes_ += one.request.framed_size() + one.reply.framed_size();
  batch_.push_back({.what = operation::accept,
                    .number = ++last_number_,
                    .accepted = about.accepted,
                    .id = about.id,
                    .service = std::move(about.service),
                    .principal = std::move(about.principal),
                    .body = std::move(one.request)});
  const auto what = about.state == outcome::answered   ? operation::answer
                    : about.state == outcome::given_up ? operation::give_up
                                                       : operation::count_attempt;
  if (what != operation::count_attempt || about.attempts != 0) {
    batch_.push_back({.what = what,
                      .number = last_number_,
                      .id = about.id,
                      .attempts = about.attempts,
                      .body = std::move(one.reply)});
  }
  return batch_.size() < most_operations && bytes_ < most_bytes ? error_code{} : flush();
}

error_code slot_writer::flush() {
  std::vector<store_result> results;
  to_.carry_out(batch_, results);
  to_.tidy();
  batch_.clear();
  bytes_ = 0;
  const auto failed = std::find_if(results.begin(), results.end(),
                                   [](const store_result& one) { return one.ec.failed(); });
  return failed == results.end() ? error_code{} : failed->ec;
}

}  // namespace mdp::titanic
