// Both ends of a stream of ws:// over a stream in memory, which takes and gives few bytes at a time.

#include "zmtp/transport/websocket_stream.h"

#include "test/support/bytes.h"
#include "test/zmtp/transport/memory_stream.h"
#include "zmtp/greeting.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::test {
namespace {

namespace asio = boost::asio;
using websocket::side;

// One end: what its user writes and reads.
class end {
public:
  end(asio::io_context& context, direction& from, direction& to, std::size_t at_once, side own,
      std::string_view path = "/a") {
    auto below = std::make_unique<memory_stream>(from, to, at_once);
    below_ = below.get();
    stream_ = transport::make_websocket_stream(
        std::move(below), own, {"127.0.0.1", 5555, std::string{path}}, {}, context.get_executor());
  }

  transport::stream& stream() { return *stream_; }
  memory_stream& below() { return *below_; }

  // Makes as much progress as is possible. Returns whether there was any.
  bool step(std::size_t room = 100) {
    bool progress = false;
    error_code ec;
    if (!to_write.empty()) {
      const auto piece = std::as_bytes(std::span{to_write}).first(std::min(room, to_write.size()));
      const auto count = stream_->write_some({&piece, 1}, ec);
      EXPECT_EQ(count == 0, ec.failed());
      to_write.erase(0, count);
      progress = count != 0;
    }
    std::string to(room, '\0');
    const auto before = below_->in.bytes.size();
    const auto count = stream_->read_some(std::as_writable_bytes(std::span{to}), ec);
    read += to.substr(0, count);
    if (ec && ec != asio::error::would_block) {
      fault = ec;
    }
    below_->call(stream_side::write);
    return progress || count != 0 || before != below_->in.bytes.size();
  }

  std::string to_write{};
  std::string read{};
  error_code fault{};

private:
  memory_stream* below_;
  std::unique_ptr<transport::stream> stream_;
};

std::string greeting_of(std::string_view mechanism, std::uint8_t minor = 1) {
  const auto all = greeting::encode(mechanism, false, minor);
  return {reinterpret_cast<const char*>(all.data()), all.size()};
}

class websocket_streams : public testing::Test {
protected:
  // Runs both ends until nothing moves.
  void settle(end& first, end& second, std::size_t room = 100) {
    for (bool moved = true; moved;) {
      moved = first.step(room);
      moved = second.step(room) || moved;
      context_.restart();
      context_.poll();
    }
  }

  asio::io_context context_;
  direction to_server_;
  direction to_client_;
};

TEST_F(websocket_streams, frames_pass_at_every_cut) {
  const auto frames = bytes("04 06 05 'READY' 01 00 00 04 'text' 02 00 00 00 00 00 00 01 2c") +
                      std::string(300, 'x');
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{2}, std::size_t{7}, unlimited}) {
    for (const std::size_t room : {std::size_t{1}, std::size_t{3}, std::size_t{100'000}}) {
      to_server_ = to_client_ = {};
      end server{context_, to_server_, to_client_, at_once, side::server};
      end client{context_, to_client_, to_server_, at_once, side::client};
      server.to_write = client.to_write = greeting_of("NULL");
      settle(server, client, room);
      EXPECT_EQ(server.read, greeting_of("NULL", 0));
      EXPECT_EQ(client.read, greeting_of("NULL", 0));
      server.to_write = client.to_write = frames;
      settle(server, client, room);
      EXPECT_EQ(server.read, greeting_of("NULL", 0) + frames) << at_once << ' ' << room;
      EXPECT_EQ(client.read, greeting_of("NULL", 0) + frames) << at_once << ' ' << room;
      EXPECT_FALSE(server.fault || client.fault);
    }
  }
}

TEST_F(websocket_streams, the_end_waits_for_what_was_written) {
  end server{context_, to_server_, to_client_, unlimited, side::server};
  end client{context_, to_client_, to_server_, unlimited, side::client};
  server.to_write = client.to_write = greeting_of("NULL");
  settle(server, client);
  to_client_.space = 0;
  const auto frame = bytes("00 05 'hello'");
  const auto piece = std::as_bytes(std::span{frame});
  error_code ec;
  EXPECT_EQ(server.stream().write_some({&piece, 1}, ec), frame.size());
  EXPECT_EQ(server.stream().unacknowledged(), 8U) << "flags, body and the header of WebSocket";
  EXPECT_EQ(server.stream().write_some({&piece, 1}, ec), 0U) << "it takes no more meanwhile";
  EXPECT_EQ(ec, asio::error::would_block);
  server.stream().shutdown_send();
  EXPECT_FALSE(to_client_.ended);
  EXPECT_EQ(server.stream().unacknowledged(), 9U) << "and the end";
  to_client_.space = 3;
  server.below().call(stream_side::write);
  EXPECT_FALSE(to_client_.ended);
  to_client_.space = unlimited;
  server.below().call(stream_side::write);
  EXPECT_TRUE(to_client_.ended);
  settle(server, client);
  EXPECT_EQ(client.read, greeting_of("NULL", 0) + frame);
  EXPECT_EQ(client.fault, asio::error::eof) << "after the Close";
  EXPECT_EQ(server.fault, asio::error::eof) << "after the answer to it";
  EXPECT_EQ(client.stream().write_some({&piece, 1}, ec), 0U);
  EXPECT_EQ(ec, asio::error::broken_pipe) << "nothing follows a Close";
}

TEST_F(websocket_streams, waiting_users_are_called_when_bytes_are_here_or_space_is) {
  end server{context_, to_server_, to_client_, unlimited, side::server};
  end client{context_, to_client_, to_server_, unlimited, side::client};
  server.to_write = client.to_write = greeting_of("NULL");
  const auto reader = std::make_shared<counting_user>();
  const auto writer = std::make_shared<counting_user>();
  client.stream().wait(stream_side::write, writer);
  settle(server, client);
  EXPECT_EQ(writer->calls, 1) << "after the upgrade";
  // A read with space for one byte leaves the rest in the stream, and no event of the one below
  // would tell about it.
  server.to_write = bytes("00 05 'hello'");
  EXPECT_TRUE(server.step());
  std::byte room{};
  error_code ec;
  EXPECT_EQ(client.stream().read_some({&room, 1}, ec), 1U);
  client.stream().wait(stream_side::read, reader);
  EXPECT_EQ(reader->calls, 0) << "never inside of wait()";
  context_.restart();
  context_.poll();
  EXPECT_EQ(reader->calls, 1);
  client.stream().wait(stream_side::write, writer);
  client.below().call(stream_side::write);
  EXPECT_EQ(writer->calls, 2);
  settle(server, client);
  client.stream().wait(stream_side::read, reader);
  client.stream().close();
  context_.restart();
  context_.poll();
  EXPECT_EQ(reader->calls, 2);
  EXPECT_EQ(reader->last, asio::error::operation_aborted);
}

// ZWS-2
TEST_F(websocket_streams, different_mechanisms_or_paths_are_refused) {
  const struct {
    const char* path;
    const char* mechanism;
    errc at_server;
  } cases[]{{"/a", "CURVE", errc::mechanism_mismatch}, {"/b", "NULL", errc::bad_upgrade}};
  for (const auto& [path, mechanism, at_server] : cases) {
    to_server_ = to_client_ = {};
    end server{context_, to_server_, to_client_, unlimited, side::server};
    end client{context_, to_client_, to_server_, unlimited, side::client, path};
    server.to_write = greeting_of("NULL");
    client.to_write = greeting_of(mechanism);
    settle(server, client);
    EXPECT_EQ(server.fault, at_server);
    EXPECT_EQ(client.fault, errc::upgrade_refused);
  }
}

// ZWS-13
TEST_F(websocket_streams, a_malformed_frame_is_answered_with_its_status) {
  end server{context_, to_server_, to_client_, unlimited, side::server};
  end client{context_, to_client_, to_server_, unlimited, side::client};
  server.to_write = client.to_write = greeting_of("NULL");
  settle(server, client);
  to_server_.bytes = bytes("81 80 00 00 00 00");
  server.step();
  EXPECT_EQ(server.fault, errc::bad_websocket_frame);
  EXPECT_EQ(to_client_.bytes, bytes("88 02 03 ea"));
}

// A peer could keep a read busy with frames that give the user nothing.
TEST_F(websocket_streams, a_flood_of_pings_costs_one_read_and_one_answer) {
  end server{context_, to_server_, to_client_, unlimited, side::server};
  end client{context_, to_client_, to_server_, unlimited, side::client};
  server.to_write = client.to_write = greeting_of("NULL");
  settle(server, client);
  for (int i = 0; i < 10'000; ++i) {
    to_server_.bytes += bytes("89 80 00 00 00 00");
  }
  const auto before = to_server_.bytes.size();
  server.step(1'000);
  EXPECT_EQ(before - to_server_.bytes.size(), 1'000U);
  EXPECT_EQ(to_client_.bytes, bytes("8a 00"));
}

}  // namespace
}  // namespace zmtp::test
