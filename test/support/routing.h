#pragma once
// The calls of a shell to a socket_state, without a shell: peers attach, send, take output and
// detach.

#include "test/support/wire.h"
#include "zmtp/routing/socket_state.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::test {

inline peer_info announcing(std::string_view routing_id) {
  peer_info info;
  info.routing_id = routing_id;
  return info;
}

// An accepted connection whose handshake is over.
inline peer_id attach_new(socket_state& state, std::string_view routing_id = {},
                          std::uint32_t random = 1) {
  auto& p = state.open_pipe(false);
  state.on_attached(p, announcing(routing_id), random);
  return p.id;
}

// A peer comes to the endpoint of this pipe: which one it gets.
inline peer_id attach_to(socket_state& state, peer_id endpoint, std::string_view routing_id = {},
                         std::uint32_t random = 1) {
  auto& p = state.pipe_for(*state.find(endpoint), announcing(routing_id));
  state.on_attached(p, announcing(routing_id), random);
  return p.id;
}

// To be compared.
template <class Ids>
std::vector<peer_id> ids_of(const Ids& ids) {
  return std::vector<peer_id>(ids.begin(), ids.end());
}

inline void peer_sends(socket_state& state, peer_id from, message m) {
  auto& p = *state.find(from);
  p.in.push(std::move(m));
  state.on_received(p);
}

// The same messages as one read of a peer, in one run.
inline message_run run_of(const std::vector<message>& all) {
  std::size_t size = 0;
  for (const auto& m : all) {
    size += m.framed_size();
  }
  block_ptr memory{block::create(size)};
  auto* at = memory->data();
  for (const auto& m : all) {
    at = std::copy(m.head().begin(), m.head().end(), at);
    at = std::copy(m.tail().begin(), m.tail().end(), at);
  }
  auto* const data = memory->data();
  return {.memory = std::move(memory),
          .data = data,
          .size = size,
          .messages = all.size(),
          .shared = true};
}

inline void peer_sends_all(socket_state& state, peer_id from, const std::vector<message>& all) {
  auto& p = *state.find(from);
  p.in.push(run_of(all));
  state.on_received(p);
}

// Writes the pipe's queue, up to `at_most` bytes, and returns them.
inline std::string write(socket_state& state, peer_id to,
                         std::size_t at_most = static_cast<std::size_t>(-1)) {
  auto& p = *state.find(to);
  std::string written;
  while (!p.out.empty() && written.size() < at_most) {
    std::array<send_queue::piece, 1> piece;
    if (p.out.gather(piece) == 0) {
      break;
    }
    const auto taken = std::min(piece[0].size(), at_most - written.size());
    written.append(reinterpret_cast<const char*>(piece[0].data()), taken);
    p.out.advance(taken);
  }
  state.on_written(p);
  return written;
}

// The messages that go to this peer.
inline std::vector<parts> messages_to(socket_state& state, peer_id to) {
  return content_of(write(state, to)).messages;
}

// Receives all pending messages and returns their first parts.
template <class State>
std::vector<std::string> first_parts(State& state) {
  std::vector<std::string> all;
  for (message m; state.receive(m);) {
    all.emplace_back(m.front());
  }
  return all;
}

// Returns the last part of the next message, or "none".
template <class State>
std::string last_part(State& state) {
  message m;
  return state.receive(m) ? std::string{m.back()} : "none";
}

inline socket_options sending_at_most(const high_water_mark& mark) {
  socket_options options;
  options.send_mark = mark;
  return options;
}

// Receives all pending messages and returns them as text: "A: attached", "A: [part]", "A:
// detached". `name_of` names the peers.
template <class NameOf>
std::vector<std::string> receive_all(socket_state& state, NameOf&& name_of) {
  std::vector<std::string> received;
  routed_message next;
  while (state.receive(next)) {
    auto text = std::string{name_of(next.peer)} + ":";
    switch (next.what) {
      case routed_message::kind::message:
        for (const auto part : next.content) {
          text += " [" + std::string{part} + "]";
        }
        break;
      case routed_message::kind::attached: text += " attached"; break;
      case routed_message::kind::detached: text += " detached"; break;
    }
    received.push_back(std::move(text));
  }
  return received;
}

}  // namespace zmtp::test
