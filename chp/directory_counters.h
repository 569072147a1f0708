#pragma once
// Counts the updates of each subtree in this epoch. Pure.

#include "chp/divided_set.h"
#include "chp/subtree.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

// Counters of the first `limit` directories. Other directories are never counted, because a count
// that starts late would hide earlier updates.
class directory_counters {
public:
  // Peers choose the names, so `seed` must be random.
  directory_counters(std::uint64_t seed, std::size_t limit)
      : hash_{seed}, now_{std::make_unique<epoch>(hash_)}, limit_{limit} {}

  // Counts an update of this key. Returns the new counts of the subtrees that contain it. The
  // result is valid until the next call, and as long as `key`.
  [[nodiscard]] std::span<const directory_count> add(std::string_view key) {
    changed_.clear();
    for_each_directory(key, [this](std::string_view directory) {
      const auto p = now_->places.probe_of(directory);
      const auto* at = now_->places.find(p);
      if (at == nullptr) {
        if (now_->places.size() >= limit_) {
          return;
        }
        at = &now_->add(p);
      }
      changed_.push_back({directory, ++at->of->count});
    });
    return changed_;
  }
  // Returns nothing if the directory is not counted.
  [[nodiscard]] std::optional<std::uint64_t> of(std::string_view directory) const {
    if (const auto* const at = now_->places.find(directory)) {
      return at->of->count;
    }
    return size() < limit_ ? std::optional<std::uint64_t>{0} : std::nullopt;
  }
  [[nodiscard]] std::size_t size() const noexcept { return now_->places.size(); }
  // Starts another epoch. tidy() frees the old counters.
  void clear() {
    auto next = std::make_unique<epoch>(hash_);
    before_.push_back(nullptr);
    before_.back() = std::exchange(now_, std::move(next));
  }
  // Frees at most `most` counters of earlier epochs. Returns true when all are freed.
  bool tidy(std::size_t most) noexcept {
    if (!before_.empty() && before_.back()->dismantle(most)) {
      before_.pop_back();
    }
    return before_.empty();
  }

private:
  struct counter {
    std::string directory;
    std::uint64_t count = 0;
  };
  struct place {
    counter* of;
  };
  struct directory_of {
    std::string_view operator()(const place& p) const noexcept { return p.of->directory; }
  };
  using place_set = divided_set<place, directory_of, zmtp::keyed_hash>;
  struct epoch {
    explicit epoch(const zmtp::keyed_hash& hash) : places{hash} {}
    const place& add(const place_set::probe& p) {
      all.push_back({std::string{p.key}});
      try {
        return places.insert({&all.back()}, p);
      } catch (...) {
        all.pop_back();
        throw;
      }
    }
    bool dismantle(std::size_t most) noexcept {
      if (places.dismantle(most)) {
        for (; most != 0 && !all.empty(); --most) {
          all.pop_back();
        }
      }
      return all.empty();
    }

    place_set places;
    std::deque<counter> all;  // with stable addresses
  };

  zmtp::keyed_hash hash_;
  std::unique_ptr<epoch> now_;
  std::vector<std::unique_ptr<epoch>> before_;
  boost::container::small_vector<directory_count, 8> changed_;
  std::size_t limit_;
};

}  // namespace chp
