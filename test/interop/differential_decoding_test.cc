// The same bytes to sockets of Zinc and of libzmq: both must decode the same messages, those that were written.
// A seed determines each stream: messages of all sizes, commands between them if the type has commands, cut at
// random. Sixteen streams share a connection, because a connection costs more than a stream.
//   --streams N       how many (5,000; 200,000 in each part of a long run)
//   --first-seed S    from which on (1, or the first of the part)

#include "test/interop/libzmq_peer.h"
#include "test/support/long_run.h"
#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/endpoint.h"
#include "zmtp/simulation/random_source.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::test {
namespace {

using simulation::random_source;

run_seeds asked_for{5'000, 200'000};

constexpr std::uint64_t streams_per_connection = 16;

struct stream {
  std::string bytes;
  std::vector<parts> messages;  // messages that the user receives
};

std::string random_bytes(std::size_t size, random_source& random) {
  std::string bytes(size, '\0');
  for (auto& byte : bytes) {
    byte = static_cast<char>(random.next());
  }
  return bytes;
}

// Where encodings and buffers change their ways, seldom the large ones.
std::size_t random_size(random_source& random) {
  static constexpr std::size_t small[]{0, 1, 2, 7, 8, 29, 33, 34, 253, 254, 255, 256, 257, 258};
  static constexpr std::size_t large[]{8'182,  8'183,  8'191,  8'192,  8'193,
                                       65'526, 65'535, 65'536, 65'537, 100'000};
  if (random.chance(2)) {
    return large[random.pick(std::size(large))];
  }
  return random.chance(60) ? small[random.pick(std::size(small))] : random.pick(600);
}

// A size that needs no long form may have it.
unsigned random_form(random_source& random) { return random.chance(15) ? long_size : 0; }

void add_message(stream& to, const parts& message, random_source& random) {
  for (std::size_t i = 0; i < message.size(); ++i) {
    to.bytes += frame(random_form(random) | (i + 1 < message.size() ? more : 0), message[i]);
  }
  to.messages.push_back(message);
}

void add_ping(stream& to, random_source& random) {
  to.bytes += ping(random_bytes(random.pick(17), random));
}

parts random_message(random_source& random) {
  parts message;
  const auto many = random.chance(3);
  for (auto left = many ? random.between(20, 100) : random.between(1, 4); left != 0; --left) {
    message.push_back(random_bytes(many ? random.pick(4) : random_size(random), random));
  }
  return message;
}

stream messages_and_pings(random_source& random) {
  stream made;
  for (auto left = random.between(1, 10); left != 0; --left) {
    if (random.chance(20)) {
      add_ping(made, random);
    }
    add_message(made, random_message(random), random);
  }
  return made;
}

// To an XPUB. Each topic is new, and has ended when the stream has.
class subscriptions {
public:
  explicit subscriptions(random_source& random) : random_{random} {}

  stream make() {
    for (auto left = random_.between(1, 10); left != 0; --left) {
      switch (random_.pick(4)) {
        case 0: add_ping(made_, random_); break;
        case 1: say(); break;
        case 2: end_one(); break;
        case 3: subscribe(); break;
      }
    }
    while (!topics_.empty()) {
      end_one();
    }
    return std::move(made_);
  }

private:
  void say() {
    // The message begins with another byte, so that its parts are not subscriptions either.
    parts message = random_message(random_);
    for (auto& part : message) {
      part.insert(0, 1, static_cast<char>(random_.between(2, 255)));
    }
    add_message(made_, message, random_);
  }

  void subscribe() {
    constexpr std::size_t largest_topic = 1'024;
    auto topic = std::to_string(number_++) + ' ';
    topic += random_bytes(std::min(random_size(random_), largest_topic - topic.size()), random_);
    change('\1', "SUBSCRIBE", topic);
    topics_.push_back(std::move(topic));
  }

  void end_one() {
    if (!topics_.empty()) {
      const auto which =
          topics_.begin() + static_cast<std::ptrdiff_t>(random_.pick(topics_.size()));
      change('\0', "CANCEL", *which);
      topics_.erase(which);
    }
  }

  void change(char first, std::string_view name, const std::string& topic) {
    const parts notice{first + topic};
    if (random_.chance(50)) {
      add_message(made_, notice, random_);
    } else {
      made_.bytes += framed_command(name, topic);
      made_.messages.push_back(notice);
    }
  }

  random_source& random_;
  stream made_;
  std::vector<std::string> topics_;
  int number_ = 0;
};

// Cut into pieces of one byte, of few, of many, or not at all.
std::vector<std::string_view> cut(std::string_view bytes, random_source& random) {
  // Each costs system calls on both sides: few streams are cut into very many.
  const std::size_t most_pieces = random.chance(5) ? 300 : 12;
  static constexpr std::size_t sizes[]{1, 5, 50, 2'000, 20'000, 1'000'000};
  const auto largest = std::max(sizes[random.pick(std::size(sizes))], bytes.size() / most_pieces);
  std::vector<std::string_view> pieces;
  while (!bytes.empty()) {
    const auto size = std::min(random.between(1, largest), bytes.size());
    pieces.push_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return pieces;
}

socket_options without_limits() {
  socket_options options;
  options.limit.pings_per_second = 1'000'000;
  options.receive_mark = {.messages = std::nullopt, .bytes = std::nullopt};
  return options;
}

socket_options telling_all() {
  auto options = without_limits();
  options.xpub.notifications = xpub_options::notices::all;
  return options;
}

class differential_decoding : public network_test {
protected:
  // The streams of these seeds, on one connection to each with the same bytes.
  template <class Socket, class Make>
  void compare(Socket& ours, const endpoint& at_ours, libzmq::socket& theirs,
               const endpoint& at_theirs, std::string_view type, std::uint64_t seed,
               std::uint64_t end, Make make) {
    raw_peer to_ours{context()};
    raw_peer to_theirs{context()};
    begin(to_ours, at_ours, type);
    begin(to_theirs, at_theirs, type);
    // The socket accepts no messages before it has sent READY itself.
    run_until([&] { return shaken(to_theirs); });
    for (; seed != end; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      random_source random{seed};
      const stream sent = make(random);
      for (const auto piece : cut(sent.bytes, random)) {
        to_ours.send(piece);
        to_theirs.send(piece);
        run_ready();
      }
      run_until([&] { return to_theirs.unsent() == 0; });
      for (std::size_t i = 0; i < sent.messages.size(); ++i) {
        ASSERT_EQ(theirs.receive(), sent.messages[i]) << "libzmq's message " << i;
        ASSERT_EQ(receive_from(ours), sent.messages[i]) << "our message " << i;
      }
      messages += sent.messages.size();
      bytes += sent.bytes.size();
    }
    to_ours.reset();
    to_theirs.reset();
  }

  std::size_t messages = 0;
  std::size_t bytes = 0;

private:
  static void begin(raw_peer& peer, const endpoint& to, std::string_view type) {
    peer.connect(to);
    peer.socket().set_option(asio::ip::tcp::no_delay{true});
    peer.shake_hands(type);
    peer.start_reading();
  }
  static bool shaken(const raw_peer& peer) {
    constexpr std::size_t greeting_size = 64;
    const auto& received = peer.received();
    return received.size() > greeting_size + 1 &&
           received.size() >=
               greeting_size + 2 + static_cast<unsigned char>(received[greeting_size + 1]);
  }

  template <class Socket>
  parts receive_from(Socket& from) {
    message m;
    run_until([&] {
      if constexpr (std::is_same_v<Socket, xpub_socket>) {
        routed_message item;
        const bool came = from.try_receive(item);
        m = std::move(item.content);
        return came;
      } else {
        return from.try_receive(m);
      }
    });
    parts read;
    for (const auto part : m) {
      read.emplace_back(part);
    }
    return read;
  }
};

TEST_F(differential_decoding, both_understand_the_same) {  // Z-7, Z-10
  libzmq::context owner;
  libzmq::socket their_pull{owner, ZMQ_PULL};
  libzmq::socket their_dealer{owner, ZMQ_DEALER};
  libzmq::socket their_xpub{owner, ZMQ_XPUB};
  for (auto* each : {&their_pull, &their_dealer, &their_xpub}) {
    each->set(ZMQ_RCVHWM, 0);
  }
  their_xpub.set(ZMQ_XPUB_VERBOSER, 1);
  pull_socket our_pull{executor(), without_limits()};
  dealer_socket our_dealer{executor(), without_limits()};
  xpub_socket our_xpub{executor(), telling_all()};

  const auto bind = [](auto& socket) { return socket.bind("tcp://127.0.0.1:*"); };
  const auto where = [&](libzmq::socket& socket) { return *endpoint::parse(bind(socket)); };
  const auto pull_at = bind(our_pull);
  const auto dealer_at = bind(our_dealer);
  const auto xpub_at = bind(our_xpub);
  const auto their_pull_at = where(their_pull);
  const auto their_dealer_at = where(their_dealer);
  const auto their_xpub_at = where(their_xpub);

  const auto last = asked_for.first + asked_for.count;
  for (auto seed = asked_for.first; seed != last;) {
    const auto end = std::min(seed + streams_per_connection, last);
    switch (random_source{seed}.pick(3)) {
      case 0:
        compare(our_pull, pull_at, their_pull, their_pull_at, "PUSH", seed, end,
                messages_and_pings);
        break;
      case 1:
        compare(our_dealer, dealer_at, their_dealer, their_dealer_at, "DEALER", seed, end,
                messages_and_pings);
        break;
      case 2:
        compare(our_xpub, xpub_at, their_xpub, their_xpub_at, "XSUB", seed, end,
                [](random_source& random) { return subscriptions{random}.make(); });
        break;
    }
    if (HasFailure()) {
      FAIL() << "to see it again: --streams " << end - seed << " --first-seed " << seed;
    }
    seed = end;
  }
  std::printf("seeds %llu to %llu: %zu messages, %zu bytes\n",
              static_cast<unsigned long long>(asked_for.first),
              static_cast<unsigned long long>(asked_for.first + asked_for.count - 1), messages,
              bytes);
}

void parse(int count, char** arguments) {
  for (int i = 1; i + 1 < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--streams") {
      asked_for.count = std::stoull(arguments[i + 1]);
    } else if (argument == "--first-seed") {
      asked_for.first = std::stoull(arguments[i + 1]);
    }
  }
}

}  // namespace
}  // namespace zmtp::test

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  zmtp::test::parse(count, arguments);
  return RUN_ALL_TESTS();
}
