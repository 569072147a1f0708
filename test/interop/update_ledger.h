#pragma once
// The ledger of a test of the clustered hashmap: the updates of its clients, those of them that were committed,
// and whether a map agrees.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chp::test {

// The result for a map, by keys.
struct ledger_verdict {
  std::uint64_t lost = 0;             // the last committed update is not there, nor a later one
  std::uint64_t resurrected = 0;      // there, although it was erased
  std::uint64_t invented = 0;         // no client set it, or not to this value
  std::vector<std::string> faults{};  // the first of them, in words

  [[nodiscard]] bool good() const noexcept {
    return lost == 0 && resurrected == 0 && invented == 0;
  }
};

class update_ledger {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using map = std::unordered_map<std::string, std::string>;

  enum class kind : std::uint8_t { set, erase };

  // A writer is about to update a key. Returns the value for it, of `size` bytes at least, which is like no
  // other: "WRITER.NUMBER" and dots. Numbers count from 1, in each writer.
  std::string begin(std::uint32_t writer, std::string_view key, kind what, time_point now,
                    std::size_t size = 0);
  // How many it has begun: the number of the last.
  [[nodiscard]] std::uint64_t begun(std::uint32_t writer) const;
  void commit(std::uint32_t writer, std::uint64_t number, time_point now);
  // The writer was told that this update, which was committed, is lost: it must not be there, and may be missing.
  // An erasure has no value.
  void lose(std::uint32_t writer, std::string_view key, std::string_view value);
  // Returns whether a client has set the key to this value.
  [[nodiscard]] bool knows(std::string_view key, std::string_view value) const;

  // An update is later than another by its number if both are of one writer. Otherwise it is later if it began
  // after the commit of the other.
  [[nodiscard]] ledger_verdict check(const map& held) const;
  // All updates are committed, and `held` is good: from now on, `held` replaces the updates that led to it.
  void forget_before(const map& held);

private:
  struct update {
    std::uint32_t key;
    kind what;
    time_point began;
    time_point committed = not_yet;
    bool lost = false;  // its writer was told so
  };
  struct name {
    std::uint32_t writer;
    std::uint64_t number;
  };
  static constexpr time_point not_yet = time_point::max();

  [[nodiscard]] const update& of(const name& n) const { return writers_[n.writer][n.number - 1]; }
  // Returns false if the value is not from this ledger.
  [[nodiscard]] bool read(std::string_view value, name& to) const;
  [[nodiscard]] bool later(const name& a, const name& than) const;
  void check_held(const std::string& key, const std::string& value, ledger_verdict& to) const;
  void check_absent(std::uint32_t key, ledger_verdict& to) const;

  std::vector<std::vector<update>> writers_;
  std::vector<std::string> keys_;
  std::vector<std::vector<name>> of_key_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
};

// Keys with a time to live, each set once.
class lifetime_ledger {
public:
  using time_point = update_ledger::time_point;
  using seconds = std::chrono::seconds;

  void begin(const std::string& key, seconds ttl, time_point now);
  void commit(const std::string& key, time_point now);
  // A watcher received the expiry.
  void gone(const std::string& key, time_point now);

  struct report {
    std::uint64_t keys = 0;
    std::uint64_t early = 0;              // gone before its time
    std::uint64_t left = 0;               // committed, and no watcher was told of the expiry
    std::chrono::milliseconds latest{0};  // delay of the latest notification
  };
  [[nodiscard]] report make_report() const;

private:
  struct life {
    seconds ttl;
    time_point began;
    time_point committed = time_point::max();
    time_point first_gone = time_point::max();  // time of the first notification
    time_point last_gone{};
  };
  std::unordered_map<std::string, life> all_;
};

}  // namespace chp::test
