#pragma once
// One of the two servers of a world, as the world and the checker see it.

#include "test/chp/model/network.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace chp::model {

class checker;

struct surroundings {
  settings how;
  std::uint64_t now = 1;    // in ticks
  std::uint64_t drawn = 0;  // unique numbers: tags, greetings, sessions, stamps
  network net;
  checker* check = nullptr;
  // For implementations whose entries have no stamps: all entries that were ever made, by the tag of
  // their reign and in order.
  std::map<std::uint64_t, std::vector<entry>> made;

  std::uint64_t draw() { return ++drawn; }
  // Tags and greetings are in no order.
  std::uint64_t draw_random() { return draw() * 0x9E3779B97F4A7C15U; }
};

class participant {
public:
  enum class role : std::uint8_t { passive, active, stopped, down };

  participant() = default;
  participant(const participant&) = delete;
  participant& operator=(const participant&) = delete;
  virtual ~participant() = default;
  // A process that starts with what the disk of this one has.
  [[nodiscard]] virtual std::unique_ptr<participant> restarted(bool promote_alone,
                                                               bool discard) const = 0;

  virtual void crash(std::size_t transactions_written) = 0;
  virtual void wipe() = 0;
  virtual void pause() = 0;
  virtual void resume() = 0;
  virtual void fail_store() = 0;
  virtual void heal_store() = 0;

  // Events.
  virtual void tick() = 0;
  virtual void sync(std::size_t transactions) = 0;
  virtual void on_peer(const peer_message& message) = 0;
  virtual void on_client(std::size_t client, const to_server& message) = 0;
  virtual void on_client_gone(std::size_t client) = 0;
  virtual void on_witness(const std::optional<membership>& /*answer*/) {}
  virtual void on_witness_changed(const membership& /*record*/) {}
  // Section 4, rule 5: a server whose log is full reads no updates.
  [[nodiscard]] virtual bool reads(const to_server& message) const = 0;
  // One transaction for all that an event has changed.
  virtual void store() = 0;
  virtual void forge_epoch(epoch e) = 0;

  [[nodiscard]] virtual role is() const = 0;
  [[nodiscard]] virtual bool paused() const = 0;
  [[nodiscard]] virtual bool in_sync() const = 0;
  [[nodiscard]] virtual const kept& state() const = 0;
  [[nodiscard]] virtual const kept& on_disk() const = 0;
  [[nodiscard]] virtual bool has_store() const = 0;
  [[nodiscard]] virtual number durable() const = 0;
  [[nodiscard]] virtual std::size_t self() const = 0;
  // The server as the witness knows it.
  [[nodiscard]] virtual member_id member() const { return 0; }

  [[nodiscard]] bool runs() const {
    return (is() == role::passive || is() == role::active) && !paused();
  }
};

// Makes a server with an empty disk.
using maker = std::unique_ptr<participant> (*)(std::size_t self, surroundings& around);

}  // namespace chp::model
