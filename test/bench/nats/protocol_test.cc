#include "bench/nats/protocol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace bench::nats {
namespace {

std::string shown(const event& each) {
  if (const auto* m = std::get_if<message>(&each)) {
    return "message " + std::string{m->subject} + "," + std::string{m->reply_to} + "," +
           std::string{m->payload} + "\n";
  }
  if (const auto* f = std::get_if<fault>(&each)) {
    return "fault " + std::string{f->text} + "\n";
  }
  constexpr const char* names[] = {"", "ping\n", "pong\n", "info\n"};
  return names[each.index()];
}

bool is_fault(const std::optional<event>& found) {
  return found && std::holds_alternative<fault>(*found);
}

// Gives the parser some bytes, and returns all events that they complete.
std::string feed(parser& reader, std::string_view bytes) {
  std::string events;
  while (!bytes.empty()) {
    const auto room = reader.room();
    const auto count = std::min(room.size(), bytes.size());
    std::ranges::copy(bytes.substr(0, count), room.begin());
    reader.received(count);
    bytes.remove_prefix(count);
    while (const auto found = reader.next()) {
      events += shown(*found);
      if (is_fault(found)) {
        return events;
      }
    }
  }
  return events;
}

std::string parse(std::string_view bytes) {
  parser reader;
  return feed(reader, bytes);
}

constexpr std::string_view script =
    "INFO {\"max_payload\":1048576}\r\nPING\r\npong\r\n"
    "MSG data 1 5\r\na\r\nbc\r\nMSG  ask\t1 answer 0\r\n\r\nMsg data 1 2\r\n\r\n\r\nPING\r\n";
constexpr std::string_view events =
    "info\nping\npong\nmessage data,,a\r\nbc\nmessage ask,answer,\nmessage data,,\r\n\nping\n";

TEST(nats_protocol, reads_what_a_server_sends) { EXPECT_EQ(parse(script), events); }

TEST(nats_protocol, reads_the_same_split_at_every_byte) {
  for (std::size_t split = 1; split < script.size(); ++split) {
    parser reader;
    std::string found = feed(reader, script.substr(0, split));
    found += feed(reader, script.substr(split));
    EXPECT_EQ(found, events) << split;
  }
}

TEST(nats_protocol, reads_the_same_byte_by_byte) {
  parser reader;
  std::string found;
  for (std::size_t i = 0; i < script.size(); ++i) {
    found += feed(reader, script.substr(i, 1));
  }
  EXPECT_EQ(found, events);
}

TEST(nats_protocol, keeps_what_is_split_at_the_end_of_its_buffer) {
  std::string bytes;
  std::string expected;
  // Several buffers, and a payload that is larger than one.
  for (int i = 0; i < 30'000; ++i) {
    const std::string payload = i == 20'000 ? std::string(600'000, 'x') : std::to_string(i);
    bytes += "MSG data 1 " + std::to_string(payload.size()) + "\r\n" + payload + "\r\n";
    expected += "message data,," + payload + "\n";
  }
  EXPECT_TRUE(parse(bytes) == expected);
}

TEST(nats_protocol, reads_what_the_server_reports) {
  EXPECT_EQ(parse("-ERR 'Slow Consumer'\r\n"), "fault 'Slow Consumer'\n");
  EXPECT_EQ(parse("-ERR\r\n"), "fault \n");
}

TEST(nats_protocol, refuses_what_is_not_of_the_protocol) {
  for (const std::string_view bytes :
       {"\n", "\r\n", "PING\n", "HMSG data 1 0 0\r\n", "MSG\r\n", "MSG data 1\r\n",
        "MSG data 1 x\r\n", "MSG data 1 -1\r\n", "MSG data 1 1x\r\n", "MSG data 1 answer 1 1\r\n",
        "MSG data 1 99999999999999999999\r\n", "MSG data 1 67108865\r\n", "MSG data 1 1\r\nabc",
        "MSG data 1 1\r\na\n\n"}) {
    EXPECT_EQ(parse(bytes), "fault the server sent a line that is not of the protocol\n") << bytes;
  }
}

TEST(nats_protocol, refuses_a_line_without_end) {
  EXPECT_EQ(parse(std::string(100'000, 'x')),
            "fault the server sent a line that is not of the protocol\n");
}

TEST(nats_protocol, writes_what_a_client_sends) {
  std::string out;
  append_subscribe(out, "data");
  append_publish(out, "data", "", "ab");
  append_publish(out, "ask", "answer", "");
  EXPECT_EQ(out, "SUB data 1\r\nPUB data 2\r\nab\r\nPUB ask answer 0\r\n\r\n");
}

}  // namespace
}  // namespace bench::nats
