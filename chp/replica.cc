#include "chp/replica.h"

#include <algorithm>

namespace chp {

namespace {
constexpr std::size_t freed_at_once = 10'000;  // entries of a replaced map
}  // namespace

replica::replica(const replica_options& options, std::uint64_t random)
    : options_{options},
      random_{random},
      history_{make_history()},
      room_{options.map},
      member_{random_()} {
  if (options.has_store) {
    writer_.emplace(0, options.store_retry);
  }
}

replica::replica(const replica_options& options, std::uint64_t random,
                 std::unique_ptr<history> found, const state_numbers& numbers)
    : replica{options, random} {
  history_ = std::move(found);
  commit_ = std::min(numbers.commit, end());
  both_ = numbers.both;
  needed_ = numbers.needed;
  member_ = numbers.member != 0 ? numbers.member : member_;
  if (options.has_store) {
    writer_.emplace(end(), options.store_retry);
  }
}

std::unique_ptr<history> replica::make_history() {
  return std::make_unique<history>(options_.history, random_());
}

sequence replica::durable() const noexcept {
  return writer_ ? std::min(writer_->durable(), end()) : end();
}

state_numbers replica::numbers() const noexcept {
  return {.start = history_->log().start(),
          .end = end(),
          .published = history_->published(),
          .commit = commit_,
          .both = both_,
          .needed = needed_,
          .forgotten = history_->clients().forgotten(),
          .member = member_};
}

void replica::begin_reign(std::uint64_t epoch, std::uint64_t tag) {
  if (epoch != 0) {
    append({.number = make_sequence(epoch, 0), .kind = entry_kind::reign, .argument = tag});
    return;
  }
  history_->begin_reign(0, tag);
  if (writer_) {
    writer_->begin_reign();
  }
}

void replica::append(const log_entry& e) {
  history_->append(e);
  if (writer_) {
    writer_->append(e);
    if (e.kind == entry_kind::reign) {
      writer_->begin_reign();
    }
  }
}

void replica::trim(sequence last, trimmed_to to) {
  if (writer_ && writer_->needs_log()) {
    return;
  }
  if (!history_->trim(last, to)) {
    return;
  }
  if (writer_) {
    writer_->trim(*history_);
  } else {
    history_->clients().forget_changed(history_->log().start());
  }
}

void replica::replace(std::unique_ptr<history> by, sequence commit) {
  if (writer_) {
    writer_->replace();
  }
  replaced_.push_back(std::exchange(history_, std::move(by)));
  room_.reset();
  commit_ = std::min(commit, end());
  both_ = std::min(both_, end());
  both_disks_ = std::min(both_disks_, end());
}

void replica::take_writes(time_point now, std::vector<state_write>& out) {
  if (writer_) {
    writer_->take(*history_, numbers(), now, out);
  }
  if (!writer_ || store_failed()) {
    (void)history_->clients().take_forgotten();
  }
  if (!replaced_.empty() && replaced_.back()->map().dismantle(freed_at_once)) {
    replaced_.pop_back();
  }
}

void replica::on_written(boost::system::error_code ec, time_point now) {
  if (writer_) {
    writer_->on_written(ec, now);
  }
}

std::optional<replica::time_point> replica::next_deadline() const noexcept {
  if (!replaced_.empty()) {
    return time_point{};
  }
  return writer_ ? writer_->next_deadline() : std::nullopt;
}

}  // namespace chp
