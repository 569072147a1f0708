#include "test/mdp/titanic/memory_request_database.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace mdp::titanic {

namespace asio = boost::asio;

memory_request_database::memory_request_database(asio::any_io_executor executor,
                                                 std::shared_ptr<contents> of)
    : executor_{std::move(executor)}, contents_{std::move(of)} {}

void memory_request_database::open(load_handler on_loaded, result_handler on_results) {
  on_results_ = std::make_shared<result_handler>(std::move(on_results));
  std::vector<stored_request> slots;
  for (const auto& one : contents_->slots) {
    slots.push_back(one.about);
  }
  asio::post(executor_, [on_loaded = std::move(on_loaded), slots = std::move(slots)]() mutable {
    on_loaded({}, std::move(slots));
  });
}

void memory_request_database::submit(std::vector<store_operation>&& batch) {
  std::vector<store_result> results;
  for (auto& what : batch) {
    results.push_back(carry_out(std::move(what)));
  }
  asio::post(executor_, [to = on_results_, results = std::move(results)]() mutable {
    (*to)(std::move(results));
  });
}

store_result memory_request_database::carry_out(store_operation&& what) {
  store_result result{.ticket = what.ticket};
  auto& slots = contents_->slots;
  while (slots.size() < what.number) {
    slots.push_back({.about = {.number = slots.size() + 1}});
  }
  auto& one = slots[what.number - 1];
  switch (what.what) {
    case operation::accept:
      one.about = {.number = what.number,
                   .accepted = what.accepted,
                   .id = what.id,
                   .service = std::move(what.service),
                   .principal = std::move(what.principal)};
      one.request = std::move(what.body);
      break;
    case operation::count_attempt: one.about.attempts = what.attempts; break;
    case operation::answer:
      one.about.attempts = what.attempts;
      one.about.state = outcome::answered;
      one.reply = std::move(what.body);
      break;
    case operation::give_up:
      one.about.attempts = what.attempts;
      one.about.state = outcome::given_up;
      break;
    case operation::close: one = {.about = {.number = what.number}}; break;
    case operation::read_request: result.body = one.request; break;
    case operation::read_reply: result.body = one.reply; break;
  }
  const auto reads = what.what == operation::read_request || what.what == operation::read_reply;
  if (reads && result.body.empty()) {
    result.ec = zmtp::storage_errc::row_damaged;
  }
  return result;
}

}  // namespace mdp::titanic
