#include "chp/client_map.h"

#include <string>
#include <utility>

namespace chp {

client_map::client_map(const client_options& options, std::uint64_t seed)
    : limits_{.max_keys = options.most_keys, .max_bytes = options.most_bytes},
      seed_{seed},
      now_{new_store()},
      incoming_{new_store()} {}

bool client_map::apply(const update& u, std::vector<change>& out) {
  if (u.erases()) {
    if (!now_->erase(u.key, u.number)) {
      return true;
    }
  } else if (now_->apply({.key = u.key, .value = u.value}, u.number) != errc{}) {
    return false;
  }
  if (watched_) {
    out.push_back(
        {std::string{u.key}, std::string{u.value}, u.number, u.value.empty() && !u.erases()});
  }
  return true;
}

bool client_map::add_to_snapshot(const update& entry) {
  return entry.erases() || incoming_->apply({.key = entry.key, .value = entry.value}, 0) == errc{};
}

void client_map::adopt_snapshot(sequence at, std::vector<change>& out) {
  now_.swap(incoming_);
  if (watched_) {
    tell_difference(*incoming_, at, out);
  }
  discard(incoming_);
}

void client_map::tell_difference(const store& before, sequence at, std::vector<change>& out) const {
  now_->for_each({}, [&](const store::entry& is) {
    if (const auto* const was = before.find(is.key());
        was == nullptr || was->value() != is.value()) {
      out.push_back({std::string{is.key()}, std::string{is.value()}, at, is.value().empty()});
    }
    return true;
  });
  before.for_each({}, [&](const store::entry& was) {
    if (now_->find(was.key()) == nullptr) {
      out.push_back({std::string{was.key()}, {}, at});
    }
    return true;
  });
}

std::unique_ptr<store> client_map::new_store() const {
  return std::make_unique<store>(seed_, limits_);
}

void client_map::discard(std::unique_ptr<store>& what) {
  if (!what->empty()) {
    discarded_.push_back(std::move(what));
    what = new_store();
  }
}

bool client_map::tidy(std::size_t most) noexcept {
  if (!discarded_.empty() && discarded_.back()->dismantle(most)) {
    discarded_.pop_back();
  }
  return discarded_.empty();
}

}  // namespace chp
