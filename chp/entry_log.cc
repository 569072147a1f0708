#include "chp/entry_log.h"

#include <algorithm>
#include <utility>

namespace chp {

void entry_log::restart(sequence at) noexcept {
  removed_ += segments_.size();
  segments_.clear();
  start_ = end_ = at;
  entries_ = bytes_ = memory_ = 0;
}

void entry_log::append(const log_entry& e) {
  const auto size = record_size(e);
  if (segments_.empty() || segments_.back().capacity - segments_.back().used < size) {
    const auto capacity = std::max(size, limits_.segment);
    segments_.push_back({std::unique_ptr<char[]>{new char[capacity]}, capacity});
    memory_ += capacity;
  }
  auto& in = segments_.back();
  write_record(e, size, in.bytes.get() + in.used);
  in.used += size;
  in.last = e.number;
  ++in.entries;
  ++entries_;
  bytes_ += size;
  end_ = e.number;
}

const entry_log::segment* entry_log::settle(cursor& c) const noexcept {
  if (c.segment_ < removed_) {
    c = {};
    c.segment_ = removed_;
  }
  for (;; ++c.segment_, c.offset_ = 0) {
    const auto index = static_cast<std::size_t>(c.segment_ - removed_);
    if (index >= segments_.size()) {
      return nullptr;
    }
    const auto& in = segments_[index];
    if (c.offset_ != in.used) {
      return &in;
    }
    // A cursor at the end of the last segment stays there, because more can be appended to it.
    if (index + 1 == segments_.size()) {
      return nullptr;
    }
  }
}

entry_log::cursor entry_log::after(sequence number) const noexcept {
  const auto in = std::upper_bound(segments_.begin(), segments_.end(), number,
                                   [](sequence n, const segment& s) { return n < s.last; });
  cursor c;
  c.segment_ = removed_ + static_cast<std::uint64_t>(in - segments_.begin());
  if (in == segments_.end()) {
    if (!segments_.empty()) {
      --c.segment_;
      c.offset_ = segments_.back().used;
    }
    return c;
  }
  log_entry e;
  for (auto ahead = c; read(ahead, e) && e.number <= number;) {
    c = ahead;
  }
  return c;
}

bool entry_log::at_end(const cursor& c) const noexcept {
  auto settled = c;
  return settle(settled) == nullptr;
}

sequence entry_log::step(sequence from, sequence to, std::size_t most) const noexcept {
  if (to <= from || to - from <= most) {
    return to;
  }
  auto c = after(std::max(from, start_));
  log_entry e;
  while (most != 0 && read(c, e) && e.number < to) {
    --most;
  }
  return most == 0 ? e.number : to;
}

bool entry_log::read(cursor& c, log_entry& e) const noexcept {
  const auto* const in = settle(c);
  if (in == nullptr) {
    return false;
  }
  std::string_view rest{in->bytes.get() + c.offset_, in->used - c.offset_};
  e = read_record(rest);
  c.offset_ = in->used - rest.size();
  return true;
}

entry_log::record_range entry_log::records(cursor& c, std::size_t most) const noexcept {
  const auto* const in = settle(c);
  if (in == nullptr) {
    return {};
  }
  const std::string_view all{in->bytes.get() + c.offset_, in->used - c.offset_};
  auto rest = all;
  sequence last = 0;
  do {
    auto ahead = rest;
    const auto number = read_record(ahead).number;
    if (all.size() - ahead.size() > most && rest.size() != all.size()) {
      break;
    }
    rest = ahead;
    last = number;
  } while (!rest.empty());
  c.offset_ = in->used - rest.size();
  return {all.substr(0, all.size() - rest.size()), last};
}

bool entry_log::trim(sequence last, trimmed_to to) noexcept {
  bool any = false;
  const auto has_too_many = [&] {
    return (to == trimmed_to::newest && segments_.size() > 1) || entries_ > limits_.entries / 2 ||
           bytes_ > limits_.bytes / 2;
  };
  while (!segments_.empty() && segments_.front().last <= last && has_too_many()) {
    const auto& oldest = segments_.front();
    start_ = oldest.last;
    entries_ -= oldest.entries;
    bytes_ -= oldest.used;
    memory_ -= oldest.capacity;
    segments_.pop_front();
    ++removed_;
    any = true;
  }
  return any;
}

}  // namespace chp
