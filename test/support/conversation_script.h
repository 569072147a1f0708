#pragma once
// A script of one conversation. It runs many times, with the peer's output cut in every way that a
// network may cut it. Each run must produce the same events and output.

#include "test/support/conversation.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {

class conversation_script {
public:
  explicit conversation_script(side_options options = {}) : options_{std::move(options)} {}

  conversation_script& peer_sends(std::string bytes) {
    size_ += bytes.size();
    return add({.what = step::bytes_come, .bytes = std::move(bytes)});
  }
  // Expects exactly these events since the last check, in this order.
  conversation_script& expect(std::vector<std::string> received) {
    return add({.what = step::news_expected, .received = std::move(received)});
  }
  conversation_script& expect_event(std::string received) { return expect({std::move(received)}); }
  conversation_script& expect_message(const parts& message) {
    return expect({heard_message(message)});
  }
  conversation_script& expect_closed(error_code why) { return expect({heard_end(why)}); }
  conversation_script& expect_nothing() { return expect({}); }
  // Expects exactly this output since the last check.
  conversation_script& expect_output(std::string bytes) {
    return add({.what = step::output_expected, .bytes = std::move(bytes)});
  }
  conversation_script& expect_silence() { return expect_output({}); }
  // Runs an action of the user or of the shell.
  conversation_script& then(std::function<void(side&)> act) {
    return add({.what = step::action, .act = std::move(act)});
  }

  // Both greetings and READYs.
  conversation_script& shake_hands(std::string_view peer_type, unsigned peer_minor = 1) {
    return expect_output(greeting_of(3, 1))
        .peer_sends(greeting_of(3, peer_minor) + ready_of(peer_type))
        .expect({heard_request(), heard_ready()})
        .expect_output(ready_of(to_string(options_.type), options_.identity));
  }
  // Writes only when the script compares the output, because the output depends on the input so
  // far.
  conversation_script& writes_late() {
    writes_late_ = true;
    return *this;
  }

  // Plays it all; at the end nothing may be left that was not expected. Stops at the first way of
  // cutting that goes wrong.
  void run() const {
    const auto fails = [this](const std::string& how, const cutter& cut, const habits& h) {
      SCOPED_TRACE("peer's bytes " + how);
      play(cut, h);
      return testing::Test::HasFailure();
    };
    if (fails("whole", [](std::size_t) { return everything; }, {})) {
      return;
    }
    for (const auto at : places_to_cut()) {
      if (fails("cut at " + std::to_string(at), cut_at(at), {.settles = at % 2 == 0})) {
        return;
      }
    }
    const bool short_enough = size_ <= 16 * 1024;
    for (int way = 0; way < 4 && short_enough; ++way) {
      const habits h{.settles = way % 2 == 0, .writes_at_once = way / 2 == 0};
      if (fails(
              "one by one, way " + std::to_string(way), [](std::size_t) { return 1U; }, h)) {
        return;
      }
    }
    for (unsigned seed = 0; seed < (short_enough ? 50U : 12U); ++seed) {
      const habits h{.settles = seed % 2 == 0, .writes_at_once = seed % 3 == 0};
      if (fails("in pieces of seed " + std::to_string(seed), at_random(seed), h)) {
        return;
      }
    }
  }

private:
  struct step {
    enum { bytes_come, news_expected, output_expected, action } what;
    std::string bytes = {};
    std::vector<std::string> received = {};
    std::function<void(side&)> act = {};
  };

  // Returns the maximal size of the next piece, from the bytes of the conversation so far.
  using cutter = std::function<std::size_t(std::size_t)>;
  // Options of a shell.
  struct habits {
    bool settles = false;         // a turn ends after each piece
    bool writes_at_once = false;  // … and writes output at once, byte by byte
  };

  conversation_script& add(step s) {
    steps_.push_back(std::move(s));
    return *this;
  }

  static cutter cut_at(std::size_t at) {
    return [at](std::size_t before) { return before < at ? at - before : everything; };
  }

  cutter at_random(unsigned seed) const {
    const auto largest = seed % 2 == 0 ? 40 : size_ + 1;
    return [random = std::mt19937{seed}, largest](std::size_t) mutable {
      return 1 + random() % largest;
    };
  }

  // Every size, or for a long script the sizes near the ends of each piece and some between.
  std::vector<std::size_t> places_to_cut() const {
    const std::size_t near = size_ <= 512 * 1024 ? 100 : 12;
    std::vector<std::size_t> places;
    std::mt19937 random{1};
    std::size_t before = 0;
    for (const auto& s : steps_) {
      if (s.what != step::bytes_come) {
        continue;
      }
      const auto size = s.bytes.size();
      for (std::size_t at = 1; at <= size; ++at) {
        if (size_ <= 4096 || at < near || size - at < near || random() % (size / near) == 0) {
          places.push_back(before + at);
        }
      }
      before += size;
    }
    return places;
  }

  void play(const cutter& cut, const habits& h) const {
    side s{options_};
    std::string said;
    std::size_t before = 0;
    const auto write = [&] {
      while (s.talk.has_output(s.out)) {
        const auto bytes = s.say(h.writes_at_once ? 1 : everything);
        ASSERT_FALSE(bytes.empty()) << "has_output() and nothing to write";
        said += bytes;
      }
      EXPECT_EQ(s.offer(), "") << "something to write without has_output()";
    };
    const auto hear = [&](const std::string& bytes) {
      for (std::size_t at = 0; at < bytes.size();) {
        const auto piece = std::string_view{bytes}.substr(at, cut(before));
        const auto taken = s.hear(piece);
        at += piece.size();
        before += piece.size();
        EXPECT_TRUE(taken == piece.size() || s.talk.over()) << "stopped reading";
        if (h.settles) {
          s.talk.settle();
        }
        if (h.writes_at_once && !writes_late_) {
          write();
        }
      }
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i + 1) + " of the script");
      const auto& now = steps_[i];
      switch (now.what) {
        case step::bytes_come: hear(now.bytes); break;
        case step::news_expected: EXPECT_EQ(s.news(), now.received); break;
        case step::output_expected:
          write();
          EXPECT_EQ(std::exchange(said, {}), now.bytes);
          break;
        case step::action: now.act(s); break;
      }
    }
    SCOPED_TRACE("end of the script");
    write();
    EXPECT_EQ(s.news(), std::vector<std::string>{});
    EXPECT_EQ(said, "");
  }

  side_options options_;
  std::vector<step> steps_;
  std::size_t size_ = 0;  // bytes that the peer sends, in all
  bool writes_late_ = false;
};

}  // namespace zmtp::test
