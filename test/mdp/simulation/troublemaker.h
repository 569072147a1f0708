#pragma once
// Kills, stops and separates programs at random times, and lets all be well again.

#include "test/mdp/simulation/process.h"
#include "test/simulation/virtual_stream.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace mdp::simulation {

struct troubles {
  bool cuts = false;           // connections die, at any octet
  bool half_open = false;      // … and an end does not learn of it
  bool partitions = false;     // nothing arrives any more, one way or both
  bool pauses = false;         // programs stand still
  bool broker_pauses = false;  // … brokers do
  bool crashes = false;        // programs are killed, or their machines lose their power
  bool broker_crashes = false;
  bool broker_losses = false;  // … or the last of several is, and does not come back

  // A worker may seem dead to the broker without being so.
  [[nodiscard]] bool deceptive() const noexcept {
    return cuts || half_open || partitions || pauses || crashes || broker_crashes || broker_losses;
  }
  [[nodiscard]] bool none() const noexcept { return !deceptive() && !broker_pauses; }
};

class troublemaker {
public:
  // The first so many of the programs are brokers.
  troublemaker(town& in, const troubles& kinds, std::vector<process*> programs,
               std::size_t brokers);

  // One more kind.
  void also(std::function<void()> way) { others_.push_back(std::move(way)); }
  void start(std::chrono::milliseconds lasting, std::chrono::milliseconds pace);
  // Everybody runs, and reaches everybody.
  void stop();
  [[nodiscard]] std::size_t made() const noexcept { return made_; }

private:
  using stream = zmtp::simulation::virtual_stream;

  void make_later();
  void make_one();
  void doom(stream& s);
  void cut_one();
  void part_one();
  void pause_any();
  void pause_broker();
  void kill_any();
  void kill_broker();
  void lose_broker();
  void pause(process& one);
  void kill(process& one);
  [[nodiscard]] process& any_broker();
  [[nodiscard]] process& any_but_brokers();
  [[nodiscard]] stream::learns_after some_time_to_learn();
  [[nodiscard]] bool over() const { return stopped_ || town_->now() >= until_; }

  town* town_;
  troubles kinds_;
  std::vector<process*> programs_;
  std::size_t brokers_;
  std::vector<std::function<void()>> others_;
  time_point until_{};
  std::chrono::milliseconds pace_{};
  bool stopped_ = false;
  std::size_t made_ = 0;
};

}  // namespace mdp::simulation
