// Both ends of TLS over a stream in memory, which takes and gives few bytes at a time.

#include "zmtp/transport/tls_connection.h"

#include "test/support/certificates.h"
#include "test/zmtp/transport/memory_stream.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

namespace asio = boost::asio;
using websocket::side;

// One end: what its user writes and reads.
class end {
public:
  end(asio::io_context& context, direction& from, direction& to, std::size_t at_once, side own) {
    auto below = std::make_unique<memory_stream>(from, to, at_once);
    below_ = below.get();
    const auto at = *endpoint::parse("tls+tcp://localhost:5555");
    context_ = *transport::tls_context::make(
        own, at, own == side::server ? tls_of_server() : tls_of_client(), context.get_executor());
    stream_ = transport::make_tls_stream(std::move(below), *context_, context.get_executor());
  }

  transport::stream& stream() { return *stream_; }
  memory_stream& below() { return *below_; }

  // Makes as much progress as is possible. Returns whether there was any.
  bool step(std::size_t room) {
    const auto in_before = below_->in.bytes.size();
    const auto out_before = below_->out.bytes.size();
    error_code ec;
    if (!to_write.empty()) {
      const auto piece = std::as_bytes(std::span{to_write}).first(std::min(room, to_write.size()));
      to_write.erase(0, stream_->write_some({&piece, 1}, ec));
    }
    std::string to(room, '\0');
    const auto count = stream_->read_some(std::as_writable_bytes(std::span{to}), ec);
    read += to.substr(0, count);
    if (ec && ec != asio::error::would_block) {
      fault = ec;
    }
    below_->call(stream_side::write);
    return count != 0 || in_before != below_->in.bytes.size() ||
           out_before != below_->out.bytes.size();
  }

  std::string to_write{};
  std::string read{};
  error_code fault{};

private:
  memory_stream* below_;
  std::unique_ptr<transport::tls_context> context_;
  std::unique_ptr<transport::stream> stream_;
};

class tls_streams : public testing::Test {
protected:
  void start(std::size_t at_once = unlimited) {
    to_server_ = to_client_ = {};
    server_.emplace(context_, to_server_, to_client_, at_once, side::server);
    client_.emplace(context_, to_client_, to_server_, at_once, side::client);
  }
  // Runs both ends until nothing moves.
  void settle(std::size_t room = 100) {
    for (bool moved = true; moved;) {
      moved = client_->step(room);
      moved = server_->step(room) || moved;
      run();
    }
  }
  void run() {
    context_.restart();
    context_.poll();
  }

  asio::io_context context_;
  direction to_server_;
  direction to_client_;
  std::optional<end> server_;
  std::optional<end> client_;
};

TEST_F(tls_streams, bytes_pass_at_every_cut) {
  const std::string text(40'000, 'x');
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{7}, unlimited}) {
    for (const std::size_t room : {std::size_t{100}, std::size_t{100'000}}) {
      start(at_once);
      server_->to_write = text + "from the server";
      client_->to_write = text + "from the client";
      settle(room);
      EXPECT_EQ(server_->read, text + "from the client") << at_once << ' ' << room;
      EXPECT_EQ(client_->read, text + "from the server") << at_once << ' ' << room;
      EXPECT_FALSE(server_->fault || client_->fault);
      EXPECT_EQ(server_->stream().remote().certificate_name, "alice");
      EXPECT_EQ(client_->stream().remote().certificate_name, "server");
    }
  }
}

TEST_F(tls_streams, small_pieces_share_a_record) {
  start();
  settle();
  const std::string text(10, 'x');
  const std::vector<std::span<const std::byte>> pieces(50, std::as_bytes(std::span{text}));
  error_code ec;
  EXPECT_EQ(client_->stream().write_some(pieces, ec), 500U);
  EXPECT_EQ(to_server_.bytes.size(), 500U + 22U) << "the header, the type and the tag of a record";
}

// Each length of what arrives, with the end of the stream after it.
TEST_F(tls_streams, a_handshake_that_is_cut_ends_with_the_end_of_the_stream) {
  for (const bool cuts_client : {true, false}) {
    std::size_t whole = 10'000;
    for (std::size_t length = 0; length < whole; length += 31) {
      start();
      auto& cut = cuts_client ? to_client_ : to_server_;
      auto& reader = cuts_client ? *client_ : *server_;
      auto& writer = cuts_client ? *server_ : *client_;
      std::size_t passed = 0;
      for (bool moved = true; moved && !cut.ended;) {
        moved = writer.step(100);
        if (passed + cut.bytes.size() > length) {
          cut.bytes.resize(length - passed);
          cut.ended = true;
        }
        passed += cut.bytes.size();
        moved = reader.step(100) || moved;
      }
      if (!cut.ended) {
        whole = length;  // longer than the handshake
        break;
      }
      settle();
      EXPECT_EQ(reader.fault, asio::error::eof) << length;
      EXPECT_EQ(reader.read + writer.read, "");
    }
    EXPECT_LT(whole, 10'000U);
  }
}

TEST_F(tls_streams, an_altered_byte_is_never_read) {
  for (std::size_t at = 0; at < 200; ++at) {
    start();
    settle();
    client_->to_write = std::string(100, 'x');
    (void)client_->step(100);
    if (at == to_server_.bytes.size()) {
      return;
    }
    to_server_.bytes[at] = static_cast<char>(to_server_.bytes[at] ^ 1);
    to_server_.ended = true;
    (void)server_->step(1'000);
    (void)server_->step(1'000);
    EXPECT_EQ(server_->read, "") << at;
    EXPECT_TRUE(server_->fault) << at;
  }
  ADD_FAILURE() << "the record was longer";
}

TEST_F(tls_streams, the_end_waits_for_what_was_written) {
  start();
  settle();
  to_client_.space = 0;
  const std::string text = "hello";
  const auto piece = std::as_bytes(std::span{text});
  error_code ec;
  EXPECT_EQ(server_->stream().write_some({&piece, 1}, ec), text.size());
  EXPECT_EQ(server_->stream().write_some({&piece, 1}, ec), 0U) << "it takes no more meanwhile";
  EXPECT_EQ(ec, asio::error::would_block);
  server_->stream().shutdown_send();
  EXPECT_FALSE(to_client_.ended);
  EXPECT_GT(server_->stream().unacknowledged(), text.size());
  EXPECT_FALSE(server_->stream().acknowledged().complete);
  to_client_.space = unlimited;
  server_->below().call(stream_side::write);
  EXPECT_TRUE(to_client_.ended);
  to_client_.ended = false;
  settle();
  EXPECT_EQ(client_->read, text);
  EXPECT_EQ(client_->fault, asio::error::eof) << "after the close_notify, without the end of TCP";
  client_->stream().close();
  settle();
  EXPECT_EQ(server_->fault, asio::error::eof) << "the close_notify of close()";
}

TEST_F(tls_streams, waiting_users_are_called_when_bytes_are_here_or_space_is) {
  start();
  const auto reader = std::make_shared<counting_user>();
  const auto writer = std::make_shared<counting_user>();
  client_->stream().wait(stream_side::write, writer);
  settle();
  EXPECT_EQ(writer->calls, 1) << "after the handshake";
  // A read with space for one byte leaves the rest in the stream, and no event of the one below
  // would tell about it.
  server_->to_write = "hello";
  (void)server_->step(100);
  std::byte room{};
  error_code ec;
  EXPECT_EQ(client_->stream().read_some({&room, 1}, ec), 1U);
  client_->stream().wait(stream_side::read, reader);
  EXPECT_EQ(reader->calls, 0) << "never inside of wait()";
  run();
  EXPECT_EQ(reader->calls, 1);
  settle();
  client_->stream().wait(stream_side::read, reader);
  client_->stream().close();
  run();
  EXPECT_EQ(reader->calls, 2);
  EXPECT_EQ(reader->last, asio::error::operation_aborted);
}

// An end of OpenSSL alone, for what ours never sends.
class openssl_end {
public:
  explicit openssl_end(side which) {
    const bool is_client = which == side::client;
    const auto& own = (is_client ? tls_of_client() : tls_of_server()).certificate;
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(settings_.get(), own.c_str()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(settings_.get(), own.c_str(), SSL_FILETYPE_PEM), 1);
    session_.reset(SSL_new(settings_.get()));
    SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    is_client ? SSL_set_connect_state(session_.get()) : SSL_set_accept_state(session_.get());
  }

  SSL* session() { return session_.get(); }
  // Takes the bytes that have arrived, and passes on those of OpenSSL.
  void step(direction& from, direction& to) {
    BIO_write(SSL_get_rbio(session()), from.bytes.data(), static_cast<int>(from.bytes.size()));
    from.bytes.clear();
    SSL_do_handshake(session());
    char* made = nullptr;
    const auto size = BIO_get_mem_data(SSL_get_wbio(session()), &made);
    to.bytes.append(made, static_cast<std::size_t>(size));
    (void)BIO_reset(SSL_get_wbio(session()));
  }

private:
  transport::tls_settings settings_{SSL_CTX_new(TLS_method())};
  transport::tls_session session_;
};

// A peer can ask for new keys as often as it likes, and each answer takes memory until it is read.
TEST_F(tls_streams, a_peer_that_reads_no_answers_is_cut_off) {
  constexpr std::size_t most = 64 * 1024 + 100;
  start();
  openssl_end client{side::client};
  for (int i = 0; i < 3; ++i) {
    client.step(to_client_, to_server_);
    (void)server_->step(100);
  }
  ASSERT_TRUE(SSL_is_init_finished(client.session()));
  to_client_.space = 0;
  for (int i = 0; i < 5'000 && !server_->fault; ++i) {
    EXPECT_EQ(SSL_key_update(client.session(), SSL_KEY_UPDATE_REQUESTED), 1);
    client.step(to_client_, to_server_);
    (void)server_->step(100);
    ASSERT_LT(server_->stream().unacknowledged(), most);
  }
  EXPECT_EQ(server_->fault, errc::bad_tls);
}

// The ticket of a server, in several records.
TEST_F(tls_streams, a_writer_waits_for_the_rest_of_a_message_of_tls) {
  start();
  openssl_end server{side::server};
  const auto enlarge = [](SSL* of, void*) {
    const std::string data(1'000, 'x');
    return SSL_SESSION_set1_ticket_appdata(SSL_get_session(of), data.data(), data.size());
  };
  SSL_CTX_set_session_ticket_cb(SSL_get_SSL_CTX(server.session()), enlarge, nullptr, nullptr);
  SSL_set_num_tickets(server.session(), 1);
  SSL_set_max_send_fragment(server.session(), 512);
  for (int i = 0; i < 2; ++i) {
    (void)client_->step(100);
    server.step(to_server_, to_client_);
  }
  ASSERT_TRUE(SSL_is_init_finished(server.session()));
  const auto ticket = std::exchange(to_client_.bytes, {});
  constexpr std::size_t record = 5 + 512 + 17;
  ASSERT_GT(ticket.size(), record);
  to_client_.bytes = ticket.substr(0, record);
  (void)client_->step(100);
  client_->to_write = "hello";
  (void)client_->step(100);
  EXPECT_EQ(to_server_.bytes, "");
  const auto writer = std::make_shared<counting_user>();
  client_->stream().wait(stream_side::write, writer);
  client_->below().call(stream_side::write);
  run();
  EXPECT_EQ(writer->calls, 0) << "there was always space, and the writer would be called for ever";
  to_client_.bytes = ticket.substr(record);
  client_->below().call(stream_side::read);
  run();
  EXPECT_EQ(writer->calls, 1);
  (void)client_->step(100);
  server.step(to_server_, to_client_);
  std::string got(5, '\0');
  EXPECT_EQ(SSL_read(server.session(), got.data(), 5), 5);
  EXPECT_EQ(got, "hello");
}

}  // namespace
}  // namespace zmtp::test
