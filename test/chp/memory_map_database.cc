#include "test/chp/memory_map_database.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace chp {

namespace asio = boost::asio;

void memory_map_database::contents::apply(const map_change& change) {
  switch (change.what) {
    case map_operation::set:
      entries_.insert_or_assign(change.key, stored_entry{.key = change.key,
                                                         .value = change.value,
                                                         .number = change.number,
                                                         .id = change.id,
                                                         .ttl = change.ttl});
      break;
    case map_operation::erase: entries_.erase(change.key); break;
    case map_operation::note: break;
    case map_operation::refuse: applied_->refuse(change.id, refusal_in(change.value)); break;
    case map_operation::remember: server_record_ = change.value; break;
    case map_operation::add_applied: static_cast<void>(applied_->unpack(change.value)); break;
    case map_operation::clear:
      entries_.clear();
      applied_ = std::make_unique<update_register>();
      number_ = 0;
      server_record_.clear();
      break;
  }
  applied_->insert(change.id);
  number_ = std::max(number_, change.number);
}

stored_map memory_map_database::contents::all() const {
  stored_map found;
  for (const auto& [key, entry] : entries_) {
    found.entries.push_back(entry);
  }
  found.applied = applied_->pieces();
  found.number = number_;
  found.server_record = server_record_;
  return found;
}

memory_map_database::memory_map_database(asio::any_io_executor executor,
                                         std::shared_ptr<contents> of)
    : executor_{std::move(executor)}, contents_{std::move(of)} {}

void memory_map_database::load(load_handler on_loaded) {
  asio::post(executor_, [on_loaded = std::move(on_loaded), found = contents_->all()]() mutable {
    on_loaded({}, std::move(found));
  });
}

void memory_map_database::write(std::vector<map_change>&& changes, write_handler on_written) {
  boost::system::error_code ec;
  update_register trial;
  for (const auto& change : changes) {
    if (!ec && change.what == map_operation::add_applied) {
      ec = trial.unpack(change.value);
    }
  }
  const bool is_whole = !changes.empty() && changes.front().what == map_operation::clear;
  if (!ec && refuses_ && !is_whole) {
    ec = zmtp::storage_errc::store_full;
  }
  refuses_ = ec.failed();
  if (!ec) {
    for (const auto& change : changes) {
      contents_->apply(change);
    }
  }
  asio::post(executor_, [on_written = std::move(on_written), ec] { on_written(ec); });
}

}  // namespace chp
